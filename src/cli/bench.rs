//! `kalg bench`: compares kalg's programs with those of other compilers.

use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::bench_ablate::Ablated;
use super::optimize::Seconds;
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::rules;
use super::{
    bench_ablate, bench_calibrate, bench_compare, bench_hardware, bench_heuristic, bench_loops,
    bench_registers, bench_stream, bench_vyasa,
};
use crate::backend::Registry;
use crate::backend::array::machine::{Target, builtin_names};
use crate::backend::vector::options::{BANKS, ideal};

/// `kalg bench`.
#[derive(Debug, Args)]
pub(super) struct Bench {
    /// Kernel files or folders for --ablate [default: those of corpus/ablation.list] and --heuristic [default: corpus]
    #[arg(value_name = "FILE", conflicts_with_all = ["against", "best_known", "set"])]
    files: Vec<PathBuf>,
    /// Compare with the programs of other compilers in this JSON file
    #[arg(long, value_name = "FILE", required_unless_present_any = ["best_known", "set", "ablate", "heuristic", "calibrate"])]
    against: Option<PathBuf>,
    /// Compare with the best programs that any search of kalg has found, which this file keeps: corpus/best-known/scamp5.json
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    best_known: Option<PathBuf>,
    /// Measure what each group of rules and each part of the search is worth, by leaving it out
    #[arg(long, conflicts_with_all = ["against", "best_known", "set", "time"])]
    ablate: bool,
    /// With --ablate: also leave out each rule by itself
    #[arg(long, requires = "ablate")]
    each_rule: bool,
    /// With --ablate: leave out parts of the search only, no rules
    #[arg(long, requires = "ablate", conflicts_with = "each_rule")]
    searches_only: bool,
    /// Sample states that searches meet, search from each, and compare the heuristic's estimate with the cost found; with
    /// --json, also print the quantities of each estimate
    #[arg(long, conflicts_with_all = ["against", "best_known", "ablate", "set", "time"])]
    heuristic: bool,
    /// Measure a set of workloads: those of the Vyasa paper on a vector machine; one to ten random kernels on a machine
    /// with 18 registers, together and one by one; C for machines in scan order compared with direct convolution; C and
    /// Rust for processors compared with naive loops in C, and filters and pipelines beside OpenCV if Python finds it; or
    /// line-buffered hardware, synthesized if yosys is installed, beside what others say of the same pipelines
    #[arg(long, conflicts_with_all = ["against", "best_known"], value_parser = PossibleValuesParser::new(["vyasa", "registers", "scan-order", bench_loops::machine(), bench_hardware::machine()]))]
    set: Option<String>,
    /// Measure the C of many plans on this machine, and print the descriptor of a processor whose costs fit the times: a file
    /// for `kalg optimize --target`
    #[arg(long, conflicts_with_all = ["against", "best_known", "ablate", "heuristic", "set", "time"])]
    calibrate: bool,
    /// With --set vyasa: whether simultaneous accesses to one memory bank wait for each other [default: modelled]
    #[arg(long, requires = "set", value_name = "MODEL", value_parser = PossibleValuesParser::new(BANKS))]
    banks: Option<String>,
    /// With --set registers: number of filters for each number of kernels [default: 10]; with --heuristic: number of states
    /// from each of the two searches for a filter [default: 20]
    #[arg(long, value_name = "N")]
    samples: Option<NonZero<usize>>,
    /// The machine to compile for; it must be an array except with --ablate [default: the first that kalg knows]
    #[arg(long, value_name = "TARGET", value_parser = PossibleValuesParser::new(Registry::default().names()))]
    cost: Option<String>,
    /// Compare only the filters whose names contain this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Use only this instruction set
    #[arg(long)]
    isa: Option<String>,
    /// Time limit of the search per filter and instruction set
    #[arg(long, value_name = "TIME", default_value = "10s")]
    time: Seconds,
    /// Number of search nodes to expand, instead of a time limit; with --heuristic: from each state
    #[arg(long, value_name = "N", conflicts_with = "time")]
    nodes: Option<u64>,
    /// With --against, --best-known and --heuristic: seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["ablate", "set"])]
    seed: u64,
    #[command(flatten)]
    rules: rules::RuleFiles,
    /// Print JSON: one line per result, then a summary line
    #[arg(long)]
    json: bool,
    /// Write the tables to this file, all or nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The kinds of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Against,
    BestKnown,
    Ablate,
    AblateRules,
    Heuristic,
    Calibrate,
    Vyasa,
    Registers,
    ScanOrder,
    Loops,
    Hardware,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let option = match self {
            Self::Against => "--against",
            Self::BestKnown => "--best-known",
            Self::Ablate => "--ablate",
            Self::AblateRules => {
                return f.write_str("`kalg bench --ablate` for a machine that is not an array");
            }
            Self::Heuristic => "--heuristic",
            Self::Calibrate => "--calibrate",
            Self::Vyasa => "--set vyasa",
            Self::Registers => "--set registers",
            Self::ScanOrder => "--set scan-order",
            Self::Loops => return write!(f, "`kalg bench --set {}`", bench_loops::machine()),
            Self::Hardware => return write!(f, "`kalg bench --set {}`", bench_hardware::machine()),
        };
        write!(f, "`kalg bench {option}`")
    }
}

/// The options that each task accepts.
pub(super) const OPTIONS: &Table<Task> = {
    use Task::{
        Ablate, AblateRules, Against, BestKnown, Calibrate, Hardware, Heuristic, Loops, Registers, ScanOrder,
        Vyasa,
    };
    &[
        (
            &[
                Against,
                BestKnown,
                Ablate,
                AblateRules,
                Heuristic,
                Calibrate,
                Vyasa,
                Registers,
                ScanOrder,
                Loops,
                Hardware,
            ],
            &["json", "output"],
        ),
        (&[Against], &["against"]),
        (&[BestKnown], &["best_known"]),
        (&[Calibrate], &["calibrate"]),
        (&[Vyasa], &["banks"]),
        (&[Ablate, AblateRules], &["ablate", "each_rule"]),
        (&[Ablate], &["searches_only"]),
        (&[Heuristic], &["heuristic"]),
        (&[Ablate, AblateRules, Heuristic], &["files"]),
        (&[Vyasa, Registers, ScanOrder, Loops, Hardware], &["set"]),
        (&[Heuristic, Registers], &["samples"]),
        (
            &[Against, BestKnown, Ablate, AblateRules, Heuristic, Registers],
            &["cost", "nodes", "rules", "extra_rules"],
        ),
        (
            &[
                Against,
                BestKnown,
                Ablate,
                AblateRules,
                Heuristic,
                Calibrate,
                Vyasa,
                ScanOrder,
                Loops,
                Hardware,
            ],
            &["only"],
        ),
        (&[Against, BestKnown, Ablate, Heuristic, Registers], &["isa"]),
        (&[Against, BestKnown, Registers], &["time"]),
        (&[Against, BestKnown, Heuristic], &["seed"]),
    ]
};

/// The default number of filters for each number of kernels.
const SAMPLES: usize = 10;

impl Bench {
    /// The requested measurement.
    fn task(&self) -> Task {
        let is_array = self.cost.as_deref().is_none_or(|name| builtin_names().contains(&name));
        match self.set.as_deref() {
            Some("vyasa") => Task::Vyasa,
            Some("scan-order") => Task::ScanOrder,
            Some(set) if set == bench_loops::machine() => Task::Loops,
            Some(set) if set == bench_hardware::machine() => Task::Hardware,
            Some(_) => Task::Registers,
            None if self.ablate && !is_array => Task::AblateRules,
            None if self.ablate => Task::Ablate,
            None if self.heuristic => Task::Heuristic,
            None if self.calibrate => Task::Calibrate,
            None if self.best_known.is_some() => Task::BestKnown,
            None => Task::Against,
        }
    }

    /// Runs the requested measurement.
    pub(super) fn run(self, given: &Given) -> Result<Outcome, CommandError> {
        let task = self.task();
        given.check(OPTIONS, task, &task)?;
        let only = self.only.as_deref();
        match task {
            Task::Against | Task::BestKnown => self.compare(),
            Task::Ablate | Task::AblateRules => self.ablate(),
            Task::Heuristic => self.heuristic(),
            Task::Vyasa => bench_vyasa::run(self.json, only, ideal(self.banks.as_deref()), self.output),
            Task::Registers => self.registers(),
            Task::Calibrate => bench_calibrate::run(self.json, only, Output::new(self.output)),
            Task::Loops => bench_loops::run(self.json, only, Output::new(self.output)),
            Task::Hardware => bench_hardware::run(self.json, only, Output::new(self.output)),
            Task::ScanOrder => bench_stream::run(self.json, only, self.output),
        }
    }

    /// The name of the machine.
    fn machine(&self) -> &str {
        self.cost.as_deref().or(builtin_names().first().copied()).unwrap_or_default()
    }

    /// The machine, which must be an array.
    fn target(&self) -> Result<Arc<Target>, CommandError> {
        let name = self.machine();
        Target::builtin(name).map(Arc::new).ok_or_else(|| no_target(name))
    }

    fn compare(&self) -> Result<Outcome, CommandError> {
        bench_compare::run(&bench_compare::Request {
            against: self.against.as_deref().or(self.best_known.as_deref()).unwrap_or(Path::new("")),
            best_known: self.best_known.is_some(),
            only: self.only.as_deref(),
            isa: self.isa.as_deref(),
            time: self.time.0,
            nodes: self.nodes,
            seed: self.seed,
            rules: self.rules.load()?,
            target: self.target()?,
            json: self.json,
            output: self.output.clone(),
        })
    }

    fn ablate(self) -> Result<Outcome, CommandError> {
        let name = self.machine();
        let array = Target::builtin(name).map(|array| Ablated::Array(Arc::new(array), self.isa.as_deref()));
        let other = || Registry::default().builtin(name).map(Ablated::Other);
        bench_ablate::run(bench_ablate::Request {
            paths: &self.files,
            only: self.only.as_deref(),
            nodes: self.nodes,
            rules: self.rules.load()?,
            each_rule: self.each_rule,
            searches_only: self.searches_only,
            machine: array.or_else(other).ok_or_else(|| no_target(name))?,
            json: self.json,
            output: self.output.clone(),
        })
    }

    fn heuristic(self) -> Result<Outcome, CommandError> {
        bench_heuristic::run(bench_heuristic::Request {
            paths: &self.files,
            only: self.only.as_deref(),
            isa: self.isa.as_deref(),
            states: self.samples.map(NonZero::get),
            nodes: self.nodes,
            seed: self.seed,
            rules: self.rules.load()?,
            target: self.target()?,
            json: self.json,
            output: self.output.clone(),
        })
    }

    fn registers(self) -> Result<Outcome, CommandError> {
        let target = self.target()?;
        bench_registers::run(bench_registers::Request {
            target: &target,
            isa: self.isa.as_deref(),
            samples: self.samples.map_or(SAMPLES, NonZero::get),
            time: self.nodes.is_none().then_some(self.time.0),
            nodes: self.nodes,
            rules: self.rules.load()?.for_target(&target.name),
            json: self.json,
            output: self.output.clone(),
        })
    }
}

fn no_target(name: &str) -> CommandError {
    CommandError::Usage(format!("`{name}` can only be measured with --ablate, or by a --set of its own"))
}
