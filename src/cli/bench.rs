//! `kalg bench`: compares kalg's programs with those of other compilers.

use std::fmt;

use super::bench_options::Bench;
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::{
    bench_ablate, bench_calibrate, bench_compare, bench_hardware, bench_heuristic, bench_loops,
    bench_registers, bench_vyasa,
};
use crate::backend::array::machine::builtin_names;
use crate::backend::vector::options::ideal;

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
            Self::Loops => return write!(f, "`kalg bench --set {}`", bench_loops::machine()),
            Self::Hardware => return write!(f, "`kalg bench --set {}`", bench_hardware::machine()),
        };
        write!(f, "`kalg bench {option}`")
    }
}

/// The options that each task accepts.
pub(super) const OPTIONS: &Table<Task> = {
    use Task::{
        Ablate, AblateRules, Against, BestKnown, Calibrate, Hardware, Heuristic, Loops, Registers, Vyasa,
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
        (&[Vyasa, Registers, Loops, Hardware], &["set"]),
        (&[Heuristic, Registers], &["samples"]),
        (
            &[Against, BestKnown, Ablate, AblateRules, Heuristic, Registers],
            &["cost", "nodes", "rules", "extra_rules"],
        ),
        (&[Against, BestKnown, Ablate, AblateRules, Heuristic, Calibrate, Vyasa, Loops, Hardware], &["only"]),
        (&[Against, BestKnown, Ablate, Heuristic, Registers], &["isa"]),
        (&[Against, BestKnown, Registers], &["time"]),
        (&[Against, BestKnown, Heuristic], &["seed"]),
    ]
};

/// What can be measured, and what each needs.
fn choices() -> String {
    let (loops, hardware) = (bench_loops::machine(), bench_hardware::machine());
    format!(
        "choose what to measure
  --against FILE      kalg's programs beside those of other compilers, which this JSON file has (docs/results.md)
  --best-known FILE   kalg's programs beside the best that any search of it has found, which are in corpus/best-known
  --ablate            what each group of rules and part of the search is worth, for some files or those of corpus/ablation.list
  --heuristic         the heuristic's estimates beside costs found, for some files or corpus
  --set vyasa         the convolutions of corpus/vyasa and the filters of corpus/vector on a vector machine
  --set registers     random kernels on a machine with 18 registers; needs no file
  --set {loops:<13} C and Rust beside loops in C; needs a C compiler, and rustc or Python with OpenCV if they are to be measured
  --set {hardware:<13} circuits of the pipelines of corpus/hardware; synthesizes them if yosys is installed
  --calibrate         the costs of this machine, as a file for `kalg optimize --target`; needs a C compiler
corpus is that of kalg's sources, in the folder where kalg is called; `kalg bench --help` has all options"
    )
}

impl Bench {
    /// The requested measurement; `None` if the options do not say what to measure.
    fn task(&self) -> Option<Task> {
        let is_array = self.cost.as_deref().is_none_or(|name| builtin_names().contains(&name));
        Some(match self.set.as_deref() {
            Some("vyasa") => Task::Vyasa,
            Some(set) if set == bench_loops::machine() => Task::Loops,
            Some(set) if set == bench_hardware::machine() => Task::Hardware,
            Some(_) => Task::Registers,
            None if self.ablate && !is_array => Task::AblateRules,
            None if self.ablate => Task::Ablate,
            None if self.heuristic => Task::Heuristic,
            None if self.calibrate => Task::Calibrate,
            None if self.best_known.is_some() => Task::BestKnown,
            None if self.against.is_some() => Task::Against,
            None => return None,
        })
    }

    /// Runs the requested measurement.
    pub(super) fn run(self, given: &Given) -> Result<Outcome, CommandError> {
        let task = self.task().ok_or_else(|| CommandError::Usage(choices()))?;
        given.check(OPTIONS, task, &task)?;
        let only = self.only.as_deref();
        match task {
            Task::Against | Task::BestKnown => bench_compare::run(&self),
            Task::Ablate | Task::AblateRules => bench_ablate::run(&self),
            Task::Heuristic => bench_heuristic::run(&self),
            Task::Vyasa => bench_vyasa::run(self.json, only, ideal(self.banks.as_deref()), self.output),
            Task::Registers => bench_registers::run(&self),
            Task::Calibrate => bench_calibrate::run(self.json, only, Output::new(self.output)),
            Task::Loops => bench_loops::run(self.json, only, Output::new(self.output)),
            Task::Hardware => bench_hardware::run(self.json, only, Output::new(self.output)),
        }
    }
}
