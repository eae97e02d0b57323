//! Records for the tests of this layer. The record of a program is read from `sample.json`, in the form that users get.

use super::{EGraph, NoProgram, OptimizeRecord, Port, VERSION, Verified};

/// Sobel x in five bus operations, as worked by hand.
pub(super) fn sobel() -> OptimizeRecord {
    let read: OptimizeRecord =
        serde_json::from_str(include_str!("sample.json")).expect("the sample is a record");
    OptimizeRecord { version: VERSION.to_owned(), ..read }
}

/// A filter for which nothing was found.
pub(super) fn none() -> OptimizeRecord {
    OptimizeRecord {
        outputs: vec![Port { name: "out".to_owned(), register: None }],
        instructions: None,
        cycles: None,
        time_us: None,
        energy_uj: None,
        program: None,
        trace: Vec::new(),
        decomposition: Vec::new(),
        footprint: Vec::new(),
        written_footprint: Vec::new(),
        valid_border: None,
        verified: Verified::default(),
        optimal: None,
        unused: Vec::new(),
        lower_bound: None,
        seconds_to_best: None,
        egraph: EGraph::default(),
        rules_used: Vec::new(),
        range: None,
        noise: None,
        explanation: None,
        no_program: Some(NoProgram {
            reason: "no program was found with 6 registers within 10 s".to_owned(),
            fewest_registers: Some(7),
        }),
        ..sobel()
    }
}
