//! The records and their JSON form.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Alternative, Approximation, Figure, Kernel, LineRecord, NoiseRecord, Port, RangeRecord, json_line,
};
use crate::algebra;

/// The version of kalg that wrote a record.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The result of `kalg optimize` for one filter.
///
/// If no program was found, [`no_program`](Self::no_program) says why, and the fields that describe a program are `null` or empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizeRecord {
    /// The filter's file, as named on the command line.
    pub file: String,
    /// The filter's name.
    pub filter: String,
    /// The target's name.
    pub target: String,
    /// The instruction set that the program may use.
    pub isa: String,
    /// The objective: `cycles` or `instructions`.
    pub objective: String,
    /// The way to halve: exact and more expensive, or quick.
    pub division: String,
    /// The initial registers of the inputs.
    pub inputs: Vec<Port>,
    /// The final registers of the outputs.
    pub outputs: Vec<Port>,
    /// The registers that the program may use, in the order given.
    pub registers: Vec<String>,
    /// Whether the inputs are still in their registers when the program ends.
    pub keep_input: bool,
    /// The number of instructions.
    pub instructions: Option<u32>,
    /// The number of cycles.
    pub cycles: Option<u32>,
    /// The running time of the program on the target, in microseconds.
    pub time_us: Option<Figure>,
    /// The energy of the whole array for one run, in microjoules.
    pub energy_uj: Option<Figure>,
    /// The program in the target's syntax, one instruction per element.
    pub program: Option<Vec<String>>,
    /// What each instruction does, in the order of the program.
    pub trace: Vec<LineRecord>,
    /// The values that the program computes: the chosen decomposition, as a data flow.
    pub decomposition: Vec<FlowValue>,
    /// The footprint of each output, for each input that it has taps of: their offsets and coefficients, and a coefficient of 0 at offsets
    /// that its value depends on though it has no tap there.
    pub footprint: Vec<OutputKernels>,
    /// The footprints that the file gives to outputs, for those outputs for which the program has another one.
    pub written_footprint: Vec<OutputKernels>,
    /// The number of invalid rows and columns of the outputs on each side of the image.
    pub valid_border: Option<Border>,
    /// The checks that the program passed.
    pub verified: Verified,
    /// Whether the program is proved to minimise the objective for this instruction set and these registers.
    pub optimal: Option<bool>,
    /// A proved lower bound of the objective, in cycles or instructions.
    pub lower_bound: Option<u32>,
    /// Operations of the instruction set that the search does not cover, because of their weights or because they could read registers that
    /// hold 0: nothing is proved then. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
    /// The duration of the whole run.
    pub seconds: Option<Figure>,
    /// The time at which the reported program was found.
    pub seconds_to_best: Option<Figure>,
    /// The number of search nodes expanded.
    pub nodes_searched: Option<u64>,
    /// The e-graph after saturation.
    pub egraph: EGraph,
    /// The rules whose decompositions the program uses.
    pub rules_used: Vec<String>,
    /// The effect of each rule.
    pub per_rule: Vec<RuleStatistics>,
    /// The attempts, in order.
    pub attempts: Vec<Attempt>,
    /// The derivation of the decomposition; `null` if not requested.
    pub explanation: Option<Vec<Derivation>>,
    /// The largest amplitude of the inputs without overflow.
    pub range: Option<RangeRecord>,
    /// The least and the greatest value of the inputs for the range check; `null` if not requested.
    pub input_range: Option<[Figure; 2]>,
    /// The predicted effect of noise; `null` if the target has no noise model.
    pub noise: Option<NoiseRecord>,
    /// The weight of the predicted RMS error in the objective; `null` if it has none.
    pub noise_weight: Option<Figure>,
    /// The weighted objective: the cost plus the weighted RMS error.
    pub weighted_cost: Option<Figure>,
    /// The Pareto front of cycles and predicted RMS error, the shortest program first; `null` if not requested.
    pub front: Option<Vec<Alternative>>,
    /// The approximation error; `null` if the program is exact.
    pub approximation: Option<Approximation>,
    /// The program that the filter was lifted from; `null` if the source was a kernel file.
    pub lifted: Option<LiftedFrom>,
    /// Why there is no program; `null` if there is one.
    pub no_program: Option<NoProgram>,
    /// The error: always `null` in this record. See [`FailureRecord`].
    pub error: Option<ErrorRecord>,
    /// The random seed.
    pub seed: u64,
    /// The version of kalg.
    pub version: String,
}

impl OptimizeRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }
}

/// One value of a program: an input, or the result of one instruction in one register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowValue {
    /// An input's name, or `v1`, `v2`, … in the order in which the program computes them.
    pub name: String,
    /// The register that holds it.
    pub register: String,
    /// The index in [`OptimizeRecord::program`] of the instruction that computes it; `null` for an input.
    pub line: Option<usize>,
    /// The value as a sum of earlier values; empty for an input and for zero.
    pub terms: Vec<Term>,
    /// The value as a function of the inputs; in very large programs only outputs have it.
    pub kernels: Vec<Kernel>,
    /// The outputs that equal this value.
    pub outputs: Vec<String>,
}

/// One term of a step: `coefficient` times an earlier value, read at `offset`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The index of the earlier value in [`OptimizeRecord::decomposition`].
    pub step: usize,
    /// East, north and up.
    pub offset: [i32; 3],
    /// The exact coefficient: `-1`, `1/2`.
    pub coefficient: String,
}

/// The kernels of one output, one per input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputKernels {
    /// The output.
    pub output: String,
    /// Its kernels.
    pub kernels: Vec<Kernel>,
}

/// The number of invalid columns, rows and planes on each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Border {
    /// Columns on the west side.
    pub west: u32,
    /// Columns on the east side.
    pub east: u32,
    /// Rows on the south side.
    pub south: u32,
    /// Rows on the north side.
    pub north: u32,
    /// Planes at the bottom of a volume.
    pub down: u32,
    /// Planes at the top of a volume.
    pub up: u32,
}

impl From<algebra::Border> for Border {
    fn from(border: algebra::Border) -> Self {
        let algebra::Border { west, east, south, north, down, up } = border;
        Self { west, east, south, north, down, up }
    }
}

/// The checks that a program passed; `null` if a check was not made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The symbolic evaluation of the program equals the filter exactly.
    pub symbolic: Option<bool>,
    /// The simulation equals a direct convolution in the valid region.
    pub simulated: Option<bool>,
}

/// The size of an e-graph, and why saturation stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EGraph {
    /// The number of e-nodes.
    pub nodes: Option<u64>,
    /// The number of e-classes.
    pub classes: Option<u64>,
    /// Iterations of rule application.
    pub iterations: Option<u64>,
    /// Why saturation stopped.
    pub stop_reason: Option<String>,
    /// The decomposition with the fewest additions, independent of the machine: `(let …)` and `(output …)` forms of a kernel file,
    /// each on one or more lines.
    pub best_term: Option<String>,
    /// The additions and subtractions of that decomposition; shared ones count once.
    pub additions: Option<u64>,
    /// A lower bound of the additions of any term in the e-graph; equal to `additions` if the extraction finished.
    pub additions_at_least: Option<u64>,
}

/// The effect of one rule on the e-graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleStatistics {
    /// The rule's name.
    pub rule: String,
    /// The group that it belongs to.
    pub group: String,
    /// The number of matches.
    pub matches: u64,
    /// The number of matches that changed the e-graph.
    pub unions: u64,
    /// The time spent, in seconds.
    pub seconds: Figure,
}

/// One attempt of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The method.
    pub method: String,
    /// The cycles of the best program that it found; `null` if it improved nothing, or if instructions are minimised.
    pub cycles: Option<u32>,
    /// The instructions of that program, if they are minimised.
    pub instructions: Option<u32>,
    /// The time from the start of the run to the end of the attempt; attempts run concurrently.
    pub seconds: Figure,
    /// A note, for instance why the attempt ended.
    pub note: Option<String>,
}

/// One step of a derivation: a kernel and its decomposition by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derivation {
    /// The kernel, as a term.
    pub kernel: String,
    /// The rule.
    pub rule: String,
    /// The decomposition, as a term.
    pub decomposition: String,
}

/// A program that a filter was lifted from, with its cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiftedFrom {
    /// Its instructions.
    pub instructions: u32,
    /// Its cycles.
    pub cycles: u32,
    /// The registers that hold its results.
    pub registers: Vec<String>,
    /// The registers that hold its inputs.
    pub inputs: Vec<String>,
    /// How it halves: `quick`, `compensated`, `both`; `null` if it does not.
    pub division: Option<String>,
}

/// Why no program was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoProgram {
    /// The goal of the search and the limit at which it stopped.
    pub reason: String,
    /// The fewest registers with which a program was found; `null` if none was found with any number.
    pub fewest_registers: Option<u32>,
}

impl NoProgram {
    /// The whole answer as text.
    pub fn text(&self) -> String {
        match self.fewest_registers {
            Some(1) => format!("{}; 1 register was enough", self.reason),
            Some(n) => format!("{}; {n} registers were enough", self.reason),
            None => self.reason.clone(),
        }
    }
}

/// The record of a file that could not be compiled at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailureRecord {
    /// The file, as named on the command line.
    pub file: String,
    /// What went wrong.
    pub error: ErrorRecord,
    /// The version of kalg.
    pub version: String,
}

impl FailureRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }
}

/// The part of a batch's output line that is read again: a record, or an error.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BatchLine {
    /// The file, as named on the command line.
    pub file: String,
    /// The machine; lines of errors do not name it.
    pub target: Option<String>,
    /// The error, if there is one.
    pub error: Option<ErrorRecord>,
    /// Why there is no program, if none was found.
    pub no_program: Option<serde_json::Value>,
}

/// An error with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRecord {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The message as shown to the user, with its place in the file.
    pub message: String,
}

/// The kinds of error, by whose fault they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The file or an option cannot be used.
    BadInput,
    /// No program computes the filter on the machine.
    NoProgram,
    /// A check of kalg's own result failed.
    Internal,
}

impl fmt::Display for ErrorKind {
    /// Writes the name that `--json` gives it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadInput => "bad-input",
            Self::NoProgram => "no-program",
            Self::Internal => "internal",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn json_is_one_line_and_reads_back() {
        let record = sample::sobel();
        let json = record.to_json();
        assert!(!json.contains('\n'));
        assert_eq!(serde_json::from_str::<OptimizeRecord>(&json).unwrap(), record);
    }

    #[test]
    fn unknown_is_null_and_never_left_out() {
        let json: serde_json::Value = serde_json::from_str(&sample::none().to_json()).unwrap();
        for field in [
            "file",
            "filter",
            "target",
            "isa",
            "division",
            "outputs",
            "instructions",
            "cycles",
            "time_us",
            "energy_uj",
            "program",
            "trace",
            "footprint",
            "written_footprint",
            "valid_border",
            "verified",
            "optimal",
            "lower_bound",
            "seconds",
            "seconds_to_best",
            "nodes_searched",
            "egraph",
            "rules_used",
            "range",
            "input_range",
            "noise",
            "noise_weight",
            "weighted_cost",
            "front",
            "approximation",
            "seed",
            "version",
        ] {
            assert!(json.get(field).is_some(), "`{field}` is left out");
        }
        for field in
            ["nodes", "classes", "iterations", "stop_reason", "best_term", "additions", "additions_at_least"]
        {
            assert!(json["egraph"].get(field).is_some(), "`egraph.{field}` is left out");
        }
        assert!(
            json["cycles"].is_null()
                && json["verified"]["symbolic"].is_null()
                && json["approximation"].is_null()
        );
        assert_eq!(json["no_program"]["fewest_registers"], 7);
    }

    #[test]
    fn figures_have_no_noise() {
        assert_eq!(serde_json::to_string(&Figure::new(0.1 + 0.2)).unwrap(), "0.3");
        assert_eq!(serde_json::to_string(&Figure::new(5.0 * 0.123)).unwrap(), "0.615");
    }
}
