//! Records for the tests of this layer.

use super::{
    Attempt, Border, Derivation, EGraph, Figure, FlowValue, Kernel, NoProgram, NoiseRecord, OptimizeRecord,
    OutputKernels, OutputNoise, Port, RangeLimit, RangeRecord, RuleStatistics, Tap, Term, VERSION, Verified,
};

fn kernel(taps: &[(i32, i32, &str)]) -> Vec<Kernel> {
    let taps =
        taps.iter().map(|(x, y, c)| Tap { offset: [*x, *y, 0], coefficient: (*c).to_owned() }).collect();
    vec![Kernel { input: "image".to_owned(), taps }]
}

fn step(
    name: &str,
    register: &str,
    line: Option<usize>,
    terms: &[(usize, i32, i32, &str)],
    taps: &[(i32, i32, &str)],
) -> FlowValue {
    let terms = terms
        .iter()
        .map(|(step, x, y, c)| Term { step: *step, offset: [*x, *y, 0], coefficient: (*c).to_owned() })
        .collect();
    let (name, register) = (name.to_owned(), register.to_owned());
    FlowValue { name, register, line, terms, kernels: kernel(taps), outputs: Vec::new() }
}

fn attempts() -> Vec<Attempt> {
    vec![
        Attempt {
            method: "direct".to_owned(),
            cycles: Some(9),
            instructions: None,
            seconds: Figure::new(0.001),
            note: None,
        },
        Attempt {
            method: "search".to_owned(),
            cycles: Some(5),
            instructions: None,
            seconds: Figure::new(1.9),
            note: None,
        },
        Attempt {
            method: "wider search".to_owned(),
            cycles: None,
            instructions: None,
            seconds: Figure::new(8.0),
            note: Some("time budget".to_owned()),
        },
    ]
}

fn noise() -> Option<NoiseRecord> {
    Some(NoiseRecord {
        model: "model".to_owned(),
        image_range: [-128, 127],
        deviation: Figure::new(0.25),
        bias: Figure::new(1.5),
        rms_error: Figure::new(1.520_691),
        outputs: vec![OutputNoise {
            output: "out".to_owned(),
            deviation: Figure::new(0.25),
            bias: Figure::new(1.5),
            rms_error: Figure::new(1.520_691),
        }],
    })
}

fn egraph() -> EGraph {
    EGraph {
        nodes: Some(412),
        classes: Some(96),
        iterations: Some(4),
        stop_reason: Some("saturated".to_owned()),
        best_term: Some(
            "(let k1 (kernel (1) (2) (1)))\n(output out (sub (shift -1 0 k1) (shift 1 0 k1)))".to_owned(),
        ),
        additions: Some(3),
        additions_at_least: Some(3),
    }
}

fn values(gradient: &[(i32, i32, &str)]) -> Vec<FlowValue> {
    let column = [(0, 1, "1"), (0, 0, "1"), (0, -1, "1")];
    let negated = [(0, 1, "-1"), (0, 0, "-2"), (0, -1, "-1")];
    let east = [(1, 1, "1"), (1, 0, "2"), (1, -1, "1")];
    let mut out = step("v5", "D", Some(4), &[(4, 0, 0, "-1"), (3, -1, 0, "-1")], gradient);
    out.outputs.push("out".to_owned());
    vec![
        step("image", "A", None, &[], &[(0, 0, "1")]),
        step("v1", "NEWS", Some(0), &[(0, 0, 0, "-1")], &[(0, 0, "-1")]),
        step("v2", "B", Some(1), &[(1, 0, 0, "-1"), (1, 0, 1, "-1"), (1, 0, -1, "-1")], &column),
        step("v3", "NEWS", Some(2), &[(0, 0, 0, "-1"), (2, 0, 0, "-1")], &negated),
        step("v4", "C", Some(3), &[(3, 1, 0, "-1")], &east),
        out,
    ]
}

fn derivation() -> Option<Vec<Derivation>> {
    Some(vec![Derivation {
        kernel: "(kernel (1 0 -1) (2 0 -2) (1 0 -1))".to_owned(),
        rule: "polynomial-factors".to_owned(),
        decomposition: "(compose (kernel (1) (2) (1)) (kernel (1 0 -1)))".to_owned(),
    }])
}

fn per_rule() -> Vec<RuleStatistics> {
    vec![RuleStatistics {
        rule: "polynomial-factors".to_owned(),
        group: "factor".to_owned(),
        matches: 40,
        unions: 12,
        seconds: Figure::new(0.002),
    }]
}

/// Sobel x in five bus operations, as worked by hand.
pub(super) fn sobel() -> OptimizeRecord {
    let side =
        |x: i32, [top, middle, bottom]: [&'static str; 3]| [(x, 1, top), (x, 0, middle), (x, -1, bottom)];
    let gradient = [side(-1, ["1", "2", "1"]), side(0, ["0"; 3]), side(1, ["-1", "-2", "-1"])].concat();
    let text = |lines: &[&str]| lines.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>();
    OptimizeRecord {
        file: "corpus/classic/sobel-x.sexp".to_owned(),
        filter: "sobel-x".to_owned(),
        target: "array".to_owned(),
        isa: "bus".to_owned(),
        objective: "cycles".to_owned(),
        division: "quick".to_owned(),
        inputs: vec![Port { name: "image".to_owned(), register: Some("A".to_owned()) }],
        outputs: vec![Port { name: "out".to_owned(), register: Some("D".to_owned()) }],
        registers: text(&["A", "B", "C", "D", "E", "F"]),
        keep_input: false,
        instructions: Some(5),
        cycles: Some(5),
        time_us: Some(Figure::new(0.5)),
        energy_uj: Some(Figure::new(0.615)),
        program: Some(text(&[
            "bus(NEWS, A);",
            "bus(B, NEWS, XN, XS);",
            "bus(NEWS, A, B);",
            "bus(C, XE);",
            "bus(D, C, XW);",
        ])),
        decomposition: values(&gradient),
        footprint: vec![OutputKernels { output: "out".to_owned(), kernels: kernel(&gradient) }],
        written_footprint: Vec::new(),
        valid_border: Some(Border { west: 1, east: 1, south: 1, north: 1, down: 0, up: 0 }),
        verified: Verified { symbolic: Some(true), simulated: Some(true) },
        optimal: Some(false),
        lower_bound: Some(3),
        seconds: Some(Figure::new(10.021)),
        seconds_to_best: Some(Figure::new(0.034)),
        nodes_searched: Some(51_203),
        egraph: egraph(),
        rules_used: text(&["polynomial-factors"]),
        per_rule: per_rule(),
        attempts: attempts(),
        explanation: derivation(),
        range: Some(RangeRecord {
            symmetric: Figure::new(15.875),
            positive: Figure::new(31.75),
            limit: RangeLimit { instruction: Some(4), register: "D".to_owned() },
        }),
        input_range: None,
        noise: noise(),
        noise_weight: None,
        weighted_cost: None,
        front: None,
        approximation: None,
        lifted: None,
        no_program: None,
        error: None,
        seed: 0,
        version: VERSION.to_owned(),
    }
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
        decomposition: Vec::new(),
        footprint: Vec::new(),
        written_footprint: Vec::new(),
        valid_border: None,
        verified: Verified::default(),
        optimal: None,
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
