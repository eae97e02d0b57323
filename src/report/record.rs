//! The records and their JSON form.

use serde::{Deserialize, Serialize};

use super::{Alternative, Approximation, Figure, NoiseRecord, Port, RangeRecord, json_line};

/// The version of kalg that wrote a record.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What `kalg optimize` says of one filter.
///
/// Where no program was found, [`no_program`](Self::no_program) says why, and the fields that describe a program are `null` or empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizeRecord {
    /// The file that the filter was read from, as it was named.
    pub file: String,
    /// The filter's name.
    pub filter: String,
    /// The target's name.
    pub target: String,
    /// The instruction set that the program may use.
    pub isa: String,
    /// What was minimised: `cycles` or `instructions`.
    pub objective: String,
    /// How halvings are done: an exact one that costs more, or a quick one.
    pub division: String,
    /// Where the inputs are when the program begins.
    pub inputs: Vec<Port>,
    /// Where the outputs are when it ends.
    pub outputs: Vec<Port>,
    /// The registers that the program may use, in the order given.
    pub registers: Vec<String>,
    /// Whether the inputs are still where they were when the program ends.
    pub keep_input: bool,
    /// The number of instructions.
    pub instructions: Option<u32>,
    /// The number of cycles.
    pub cycles: Option<u32>,
    /// The time that the program takes on the target, in microseconds.
    pub time_us: Option<Figure>,
    /// The energy that the whole array takes for it, in microjoules.
    pub energy_uj: Option<Figure>,
    /// The program in the target's syntax, one instruction each.
    pub program: Option<Vec<String>>,
    /// What the program computes, value by value: the decomposition that was chosen, as a data flow.
    pub decomposition: Vec<FlowValue>,
    /// What each output looks at: every offset that its value depends on, with its coefficient, which may be 0.
    pub footprint: Vec<OutputKernels>,
    /// How many rows and columns of the outputs are not valid on each side of the image.
    pub valid_border: Option<Border>,
    /// Which checks the program passed.
    pub verified: Verified,
    /// Whether no program of this instruction set with these registers takes less of what was minimised, by proof.
    pub optimal: Option<bool>,
    /// A number of cycles, or of instructions where those were minimised, that no program goes below.
    pub lower_bound: Option<u32>,
    /// How long the whole run took.
    pub seconds: Option<Figure>,
    /// When the program that is reported was found.
    pub seconds_to_best: Option<Figure>,
    /// How many search nodes were expanded.
    pub nodes_searched: Option<u64>,
    /// The e-graph after saturation.
    pub egraph: EGraph,
    /// The rules whose decompositions the program uses.
    pub rules_used: Vec<String>,
    /// What every rule did.
    pub per_rule: Vec<RuleStatistics>,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
    /// How the decomposition was derived; `null` where that was not asked for.
    pub explanation: Option<Vec<Derivation>>,
    /// Up to which amplitude of the inputs nothing leaves what a register holds.
    pub range: Option<RangeRecord>,
    /// The least and the greatest value of the inputs for which that was asked; `null` where it was not.
    pub input_range: Option<[Figure; 2]>,
    /// What noise is predicted to do; `null` where the target has no model of it.
    pub noise: Option<NoiseRecord>,
    /// What a unit of the predicted RMS error counts in what was minimised; `null` where it does not count.
    pub noise_weight: Option<Figure>,
    /// What was minimised in all: the cost, and the predicted RMS error times its weight.
    pub weighted_cost: Option<Figure>,
    /// Programs none of which another one beats in both cycles and predicted RMS error, the shortest first; `null` where
    /// they were not asked for.
    pub front: Option<Vec<Alternative>>,
    /// What was lost where coefficients were approximated; `null` where the program is exact.
    pub approximation: Option<Approximation>,
    /// The program that the filter was lifted from; `null` where a kernel file was compiled.
    pub lifted: Option<LiftedFrom>,
    /// Why there is no program; `null` where there is one.
    pub no_program: Option<NoProgram>,
    /// What went wrong: always `null` in this record. See [`FailureRecord`].
    pub error: Option<ErrorRecord>,
    /// The seed of everything that is random.
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

/// One value of a program: an input, or what one instruction leaves in one register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowValue {
    /// An input's name, or `v1`, `v2`, … in the order in which the program computes them.
    pub name: String,
    /// The register that holds it.
    pub register: String,
    /// The place in [`OptimizeRecord::program`] of the instruction that computes it; `null` for an input.
    pub line: Option<usize>,
    /// The value as a sum of earlier ones; empty for an input, and for zero.
    pub terms: Vec<Term>,
    /// The value as a function of the inputs; of very large programs only outputs have it.
    pub kernels: Vec<Kernel>,
    /// The outputs that this value is.
    pub outputs: Vec<String>,
}

/// One term of a step: `coefficient` times an earlier value, seen `offset` away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The place of the earlier value in [`OptimizeRecord::decomposition`].
    pub step: usize,
    /// East, north and up.
    pub offset: [i32; 3],
    /// Exact: `-1`, `1/2`.
    pub coefficient: String,
}

/// A kernel applied to one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The input.
    pub input: String,
    /// Every offset touched.
    pub taps: Vec<Tap>,
}

/// One place of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tap {
    /// East, north and up.
    pub offset: [i32; 3],
    /// Exact: `-1`, `1/2`; `0` where the place is touched and cancels.
    pub coefficient: String,
}

/// The kernels of one output, one for every input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputKernels {
    /// The output.
    pub output: String,
    /// Its kernels.
    pub kernels: Vec<Kernel>,
}

/// Rows, columns and planes that are not valid on each side.
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

/// The checks that a program passed; `null` where a check was not made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Evaluated symbolically, register by register, and equal to the filter, exactly.
    pub symbolic: Option<bool>,
    /// Run by the simulator and equal to a direct convolution in the valid region.
    pub simulated: Option<bool>,
}

/// The size of an e-graph, and why it stopped growing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EGraph {
    /// E-nodes.
    pub nodes: Option<u64>,
    /// E-classes.
    pub classes: Option<u64>,
    /// Rounds of rule application.
    pub iterations: Option<u64>,
    /// Why saturation stopped.
    pub stop_reason: Option<String>,
    /// The decomposition with the fewest additions in it, whatever the machine: `(let …)` and `(output …)` forms of a kernel
    /// file, one on a line or more.
    pub best_term: Option<String>,
    /// The additions and subtractions of that decomposition, shared ones counted once.
    pub additions: Option<u64>,
    /// No term in the e-graph has fewer. The same number if the extraction ended by itself.
    pub additions_at_least: Option<u64>,
}

/// What one rule did to the e-graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleStatistics {
    /// The rule's name.
    pub rule: String,
    /// The group that it belongs to.
    pub group: String,
    /// How often it matched.
    pub matches: u64,
    /// How many of the matches added something.
    pub unions: u64,
    /// How long it took.
    pub seconds: Figure,
}

/// One method that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// What was tried.
    pub method: String,
    /// The cycles of the best program that it found; `null` where it found none better than what was there, or where
    /// instructions are minimised.
    pub cycles: Option<u32>,
    /// The instructions of that program, where they are minimised.
    pub instructions: Option<u32>,
    /// When it ended, since the run began: methods run beside each other.
    pub seconds: Figure,
    /// What else there is to say: why it ended.
    pub note: Option<String>,
}

/// One step of an explanation: a kernel and what a rule made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derivation {
    /// The kernel, as a term.
    pub kernel: String,
    /// The rule.
    pub rule: String,
    /// What the kernel was put together from, as a term.
    pub decomposition: String,
}

/// A program that a filter was lifted from, and what it costs.
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
    /// How it halves: `quick`, `compensated`, `both`; `null` where it does not.
    pub division: Option<String>,
}

/// Why a filter has no program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoProgram {
    /// What was looked for and where the search ended.
    pub reason: String,
    /// The fewest registers with which a program was found; `null` where none was found with any number.
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

/// What is reported in place of a record where a file could not be compiled at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// The file, as it was named.
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

/// What is read again of a line of a batch: the line is that of a record, or says why there is none.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BatchLine {
    /// The file, as it was named.
    pub file: String,
    /// What went wrong, where something did.
    pub error: Option<ErrorRecord>,
    /// What was looked for, where nothing was found.
    pub no_program: Option<serde_json::Value>,
}

/// What went wrong with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRecord {
    /// Whose fault it is.
    pub kind: ErrorKind,
    /// The message as it is shown to people, with the place in the file.
    pub message: String,
}

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The file or an option cannot be used as it is.
    BadInput,
    /// Nothing computes the filter on the machine.
    NoProgram,
    /// A check of kalg's own result failed.
    Internal,
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
            "footprint",
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
