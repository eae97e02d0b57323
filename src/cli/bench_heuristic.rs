//! `kalg bench --heuristic`: compares the estimated cost to go of states with the cost that searches from them find.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::bench_ablate::kernel_files;
use super::bench_options::Bench;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::backend::array::compile::{OptimizeRequest, sample_states};
use crate::backend::array::machine::Quantities;
use crate::backend::array::report::{HeuristicBench, HeuristicRecord, HeuristicSummary};
use crate::backend::array::search::{Sample, Sampling};
use crate::report::json_line;

/// The default number of states from each beam.
const STATES: usize = 20;

/// The default number of search nodes to expand from each state.
const NODES: u64 = 1_000;

/// Samples states for every filter and instruction set. The sample is the same on every machine.
pub(super) fn run(bench: &Bench) -> Result<Outcome, CommandError> {
    let (rules, target) = (bench.rules.load()?, bench.target()?);
    let files = kernel_files(&bench.files, bench.only.as_deref())?;
    let isas: Vec<&str> = match &bench.isa {
        Some(isa) => vec![isa],
        None => target.isas.iter().map(|isa| isa.name.as_str()).collect(),
    };
    let sampling = Sampling {
        states: bench.samples.map_or(STATES, NonZero::get),
        nodes: bench.nodes.unwrap_or(NODES),
        seed: bench.seed,
    };
    let done = AtomicUsize::new(0);
    let tasks: Vec<(&PathBuf, &str)> =
        files.iter().flat_map(|path| isas.iter().map(move |isa| (path, *isa))).collect();
    let collected = tasks
        .par_iter()
        .map(|(path, isa)| {
            let source = files::source(path)?;
            let asked = OptimizeRequest::new(source, Arc::clone(&target), isa, rules.clone());
            let found = sample_states(&asked, &sampling)
                .map_err(|error| CommandError::Usage(error.describe(&asked.source)))?;
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            eprintln!("{count} of {}: {}, {isa}", tasks.len(), path.display());
            Ok(found)
        })
        .collect::<Result<Vec<(Quantities, Vec<Sample>)>, CommandError>>()?;
    let mut records: Vec<HeuristicRecord> = Vec::new();
    let mut searches = 0;
    for ((path, isa), (_, samples)) in tasks.iter().zip(&collected) {
        let file = path.to_string_lossy().replace('\\', "/");
        records.extend(samples.iter().map(|sample| HeuristicRecord::new(&file, isa, searches, sample)));
        searches += samples.iter().map(|sample| sample.beam + 1).max().unwrap_or(0);
    }
    // The first file has one task per instruction set.
    let summary = HeuristicBench::new(
        isas.iter()
            .zip(&collected)
            .map(|(isa, (weights, _))| HeuristicSummary::new(isa, weights, &records))
            .collect(),
    );
    let mut output = Output::new(bench.output.clone());
    if bench.json {
        records.iter().try_for_each(|record| output.put(&json_line(record)))?;
        output.put(&json_line(&summary))?;
    } else {
        output.put(&summary.markdown())?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}
