//! What to search for, for how long, and the result.

use std::sync::Arc;

use crate::algebra::{Placed, Shape};
use crate::backend::array::machine::Quantities;
use crate::backend::array::machine::form::{FileId, Form};
use crate::backend::array::search::program::bounds::Bounds;
use crate::backend::array::search::program::recipe::Objective;
use crate::backend::array::search::program::step::ValueStep;
use crate::backend::array::search::program::value::{FARTHEST, Shapes, Value};
use crate::budget::Budget;
use crate::report::counted;
use crate::term::Decomposition;

/// An input channel and where it stands at the start.
#[derive(Clone, Debug)]
pub struct InputSpec {
    /// The channel.
    pub channel: u16,
    /// Its register, as an index into the registers of the general file.
    pub register: usize,
}

/// An output and where it is wanted.
#[derive(Clone, Debug)]
pub struct OutputSpec {
    /// What it is.
    pub kernel: Placed,
    /// The register where it must end, as an index into the registers of the general file; `None` for any.
    pub register: Option<usize>,
}

/// What to search for.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The instructions.
    pub forms: &'a [Form],
    /// Coarser instructions, each of which does the work of several of those; may be empty.
    pub coarse: &'a [Form],
    /// How many registers each file has.
    pub registers: Vec<usize>,
    /// The file of inputs and outputs.
    pub general: FileId,
    /// What to minimise.
    pub objective: Objective,
    /// The number of input channels.
    pub channels: u16,
    /// The inputs.
    pub inputs: Vec<InputSpec>,
    /// The outputs.
    pub outputs: Vec<OutputSpec>,
    /// Whether the inputs must still stand where they were.
    pub keep_inputs: bool,
    /// The weights of the estimate, if the descriptor states them.
    pub weights: Option<Quantities>,
    /// The ranges of inputs and registers, if programs must stay within them.
    pub bounds: Option<Bounds>,
    /// Kernels and the ways to make them.
    pub decompositions: Vec<(&'a Shape, Vec<&'a Decomposition>)>,
    /// Decompositions from another e-graph, for perturbed beams and local search; empty if there is none.
    pub other_decompositions: Vec<(&'a Shape, Vec<&'a Decomposition>)>,
}

/// When to end, and where to begin.
#[derive(Clone)]
pub struct SearchBudget<'a> {
    /// The most search states to expand.
    pub nodes: u64,
    /// Time limit and interruption, for work that is counted where it is done: forming kernels.
    pub task: &'a Budget,
    /// Called often; `true` ends the search with the best program so far.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// The time since the search began, in seconds, for the record only.
    pub seconds: &'a (dyn Fn() -> f64 + Sync),
    /// The seed of restarts.
    pub seed: u64,
    /// Which rounds of the schedule of ever wider searches to run.
    pub rounds: std::ops::Range<usize>,
    /// The best program so far; only cheaper ones are of use.
    pub best: Option<&'a Code>,
    /// Which programs to keep beside the cheapest one; `None` for none.
    pub wish: Option<&'a Wish<'a>>,
    /// Whether a program tap by tap is known to be too long.
    pub is_long: bool,
    /// What to leave out.
    pub without: Without,
}

/// Which programs to keep beside the cheapest one.
pub struct Wish<'a> {
    /// By how much they may cost more than the cheapest one.
    pub slack: u32,
    /// A second measure: of the programs of one cost, those of the lowest score are kept. `None` for a program of no use.
    pub score: &'a (dyn Fn(&Code) -> Option<f64> + Sync),
}

/// A part of the search that can be left out, to see what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A first program tap by tap, by Horner's scheme.
    Horner,
    /// A first program by a beam that takes kernels apart tap by tap, if there is no other. It finds some where Horner's scheme
    /// fails, as it does on thirds: without it `classic/multi-gauss` takes 105 cycles for 23, at 30 states.
    DirectBeam,
    /// Programs composed of programs for pieces of the kernels.
    Pieces,
    /// Beams over whole programs, without noise. Without them 28 filters of two to four outputs take 535 cycles for 528, in 18 registers
    /// at 300 states, and 30 filters of two inputs or of thirds 604 for 598, at 150.
    PlainBeams,
    /// Beams over whole programs, with other decompositions and noise in the estimates.
    PerturbedBeams,
    /// Beams over coarser instructions. Without them 15 random kernels of 5×5 and 7×7 take a twelfth more cycles by the geometric mean,
    /// at 300 states.
    CoarseBeams,
    /// Local search over windows of a program.
    Windows,
    /// Local search that recomputes a value of a program from others. Without it 16 filters of two to six outputs take 303 cycles for
    /// 276, in 18 registers at 1000 states.
    Rematerialisation,
    /// Exhaustive search.
    Exhaustive,
    /// The tables of states that were reached before.
    TranspositionTable,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 10] = [
        Self::Horner,
        Self::DirectBeam,
        Self::Pieces,
        Self::PlainBeams,
        Self::PerturbedBeams,
        Self::CoarseBeams,
        Self::Windows,
        Self::Rematerialisation,
        Self::Exhaustive,
        Self::TranspositionTable,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Horner => "Horner's scheme",
            Self::DirectBeam => "direct beam",
            Self::Pieces => "pieces",
            Self::PlainBeams => "plain beams",
            Self::PerturbedBeams => "perturbed beams",
            Self::CoarseBeams => "coarse beams",
            Self::Windows => "windows",
            Self::Rematerialisation => "rematerialisation",
            Self::Exhaustive => "exhaustive search",
            Self::TranspositionTable => "transposition table",
        }
    }
}

/// The parts of the search that are left out; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without(u16);

impl Without {
    /// Leaves out one part.
    #[must_use]
    pub fn part(part: Part) -> Self {
        Self(1 << part as u16)
    }

    /// Whether a part is left out.
    #[must_use]
    pub fn leaves_out(self, part: Part) -> bool {
        self.0 >> part as u16 & 1 == 1
    }
}

/// A program with the registers chosen.
#[derive(Clone, Debug)]
pub struct Code {
    /// For each instruction the index of its form, and the register (an index into the slot's file) of each slot.
    pub instructions: Vec<(usize, Vec<usize>)>,
    /// The registers of the outputs, in the problem's order.
    pub outputs: Vec<usize>,
    /// Its cost under the objective.
    pub cost: u32,
    /// The kernels of its values, apart from inputs; empty if there are thousands.
    pub kernels: Vec<Placed>,
    /// The program before registers were chosen, for local search; `None` for programs that are only kept.
    pub(crate) trace: Option<Trace>,
}

/// The steps of a program, on the kernels of the search that found it.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) steps: Vec<ValueStep>,
}

impl Trace {
    /// The steps on the kernels of another search.
    pub(crate) fn adopt(&self, shapes: &mut Shapes) -> Option<Vec<ValueStep>> {
        let mut adopt = |value: Value| {
            let work = self.shapes.get(value.shape).taps.len() as u64;
            shapes.charge(work).then(|| shapes.import(&self.shapes.export(value)?)).flatten()
        };
        self.steps.iter().map(|step| step.map(&mut adopt)).collect()
    }
}

/// The result of one search.
#[derive(Default)]
pub(crate) struct Found {
    /// Its program; `None` if it found none.
    pub(crate) code: Option<Code>,
    /// States expanded.
    pub(crate) nodes: u64,
    /// A further remark.
    pub(crate) note: Option<String>,
}

impl Found {
    /// The result without a remark.
    pub(crate) fn new(code: Option<Code>, nodes: u64) -> Self {
        Self { code, nodes, note: None }
    }
}

/// One search of the schedule.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What it was.
    pub method: String,
    /// The cost of the program that it found, if that was the best so far.
    pub cost: Option<u32>,
    /// States expanded.
    pub nodes: u64,
    /// When it ended, in seconds since the search began.
    pub ended: f64,
    /// A further remark.
    pub note: Option<String>,
}

/// What the search found.
#[derive(Clone, Debug)]
pub struct Extracted {
    /// The best program; `None` if none was found within the budget.
    pub code: Option<Code>,
    /// Programs wished for beside it, the cheapest first.
    pub kept: Vec<Code>,
    /// The searches that ran.
    pub attempts: Vec<Attempt>,
    /// All states expanded.
    pub nodes: u64,
    /// When the best program was found, in seconds since the search began.
    pub seconds_to_best: f64,
    /// The cost limit that a program tap by tap would have exceeded, if that is why there is none.
    pub longest: Option<u32>,
}

/// Why a filter cannot be searched for at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Infeasible {
    /// A coefficient is not an integer over 2^a·3^b, or too large, or an offset too far.
    #[error(
        "output {output} has a coefficient that halvings and thirds cannot make, or an offset of more than {FARTHEST}"
    )]
    Kernel {
        /// The output's index.
        output: usize,
    },
    /// There are more outputs (and kept inputs) than registers.
    #[error(
        "{} must be held at the end in {}",
        counted(*needed as u64, "value"),
        counted(*available as u64, "register")
    )]
    Registers {
        /// Values to hold at once.
        needed: usize,
        /// Registers there are.
        available: usize,
    },
}
