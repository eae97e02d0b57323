//! `kalg bench --against` and `--best-known`: filters with programs that are known for them, compiled and compared.

use std::path::Path;
use std::sync::Arc;

use super::bench_options::Bench;
use super::clock::clock;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::progress::Display;
use crate::backend::array::compile::{OptimizeRequest, optimize};
use crate::backend::array::machine::{Division, Target};
use crate::budget::Budget;
use crate::report::{
    Baseline, Baselines, ComparedRecord, ComparedSummary, Comparison, Measure, VERSION, comparison_tables,
    json_line,
};
use crate::rule::RuleSet;
use crate::syntax::Source;

/// A comparison in the making: its title, instruction set, division, measure and the results to compare with.
type Compared = (&'static str, &'static str, Option<&'static str>, Measure, &'static [&'static str]);

/// The comparisons.
const COMPARISONS: [Compared; 4] = [
    ("bus, quick halvings", "bus", Some("quick"), Measure::Cycles, &["cain-all", "cain-basic"]),
    ("bus, compensated halvings", "bus", Some("compensated"), Measure::Cycles, &["cain-all"]),
    ("macro", "macro", None, Measure::Instructions, &["cain-all"]),
    ("basic, quick halvings", "basic", Some("quick"), Measure::Instructions, &["cain-basic", "auke"]),
];

/// Compiles every filter of the file in every way to be compared.
pub(super) fn run(bench: &Bench) -> Result<Outcome, CommandError> {
    let against = bench.against.as_deref().or(bench.best_known.as_deref()).unwrap_or(Path::new(""));
    let setup = Setup { bench, against, rules: bench.rules.load()?, target: bench.target()? };
    let baselines = setup.baselines()?;
    let comparisons = setup.comparisons();
    let wanted = |kernel: &&Baseline| bench.only.as_deref().is_none_or(|part| kernel.name.contains(part));
    let kernels: Vec<&Baseline> = baselines.kernels.iter().filter(wanted).collect();
    if comparisons.is_empty() || kernels.is_empty() {
        return Err(CommandError::Usage("nothing is left to compare".to_owned()));
    }
    let mut output = Output::new(bench.output.clone());
    let mut records = Vec::new();
    for comparison in &comparisons {
        for kernel in &kernels {
            let record = setup.compare_one(comparison, kernel)?;
            if bench.json {
                output.put(&json_line(&record))?;
            }
            records.push(record);
        }
    }
    if bench.json {
        let summary: Vec<ComparedSummary> =
            comparisons.iter().map(|comparison| ComparedSummary::of(comparison, &records)).collect();
        output.put(&json_line(&serde_json::json!({ "summary": summary, "version": VERSION })))?;
    } else {
        output.put(&comparison_tables(&comparisons, &records))?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

/// What to compare, and with which settings.
struct Setup<'a> {
    bench: &'a Bench,
    /// The file of filters and known programs.
    against: &'a Path,
    rules: RuleSet,
    target: Arc<Target>,
}

impl Setup<'_> {
    /// The filters and the programs that are known for them.
    fn baselines(&self) -> Result<Baselines, CommandError> {
        let baselines: Baselines = files::data(self.against)?;
        match baselines.kernels.iter().find(|kernel| kernel.file.is_none() && kernel.outputs.is_empty()) {
            Some(Baseline { name, .. }) => {
                let why = format!("`{name}` has neither `outputs` nor a `file`");
                Err(files::cannot_read(self.against, &why))
            }
            None => Ok(baselines),
        }
    }

    /// The comparisons to make.
    fn comparisons(&self) -> Vec<Comparison> {
        let bench = self.bench;
        let wanted = |(_, isa, ..): &&Compared| bench.isa.as_deref().is_none_or(|wanted| wanted == *isa);
        let comparison = |(title, isa, division, measure, against): &Compared| Comparison {
            title: (*title).to_owned(),
            isa: (*isa).to_owned(),
            division: division.map(str::to_owned),
            measure: *measure,
            against: against.iter().filter(|_| bench.best_known.is_none()).map(ToString::to_string).collect(),
        };
        COMPARISONS.iter().filter(wanted).map(comparison).collect()
    }

    /// The kernel file of a filter.
    fn source(&self, kernel: &Baseline) -> Result<Source, CommandError> {
        match &kernel.file {
            None => Ok(Source::new(kernel.name.clone(), kernel.kernel_file())),
            Some(file) => files::source(&self.against.with_file_name(file)),
        }
    }

    /// Compiles one filter in one way.
    fn compare_one(
        &self,
        comparison: &Comparison,
        kernel: &Baseline,
    ) -> Result<ComparedRecord, CommandError> {
        let display = Display::new(&format!("{}, {}", comparison.title, kernel.name));
        let bench = self.bench;
        let asked = OptimizeRequest {
            seed: bench.seed,
            division: comparison.division.as_deref().and_then(Division::named),
            budget: Budget::of_work(bench.nodes.unwrap_or(u64::MAX))
                .with_clock(&clock())
                .until(bench.nodes.is_none().then_some(bench.time.0)),
            ..OptimizeRequest::new(
                self.source(kernel)?,
                Arc::clone(&self.target),
                &comparison.isa,
                self.rules.clone(),
            )
        };
        let result = optimize(&asked, &mut |progress| display.show(&progress));
        drop(display);
        let result = result.map_err(|error| {
            let why = error.describe(&asked.source);
            CommandError::Usage(format!("`{}` cannot be compiled: {why}", kernel.name))
        })?;
        Ok(ComparedRecord::new(comparison, kernel, result))
    }
}
