//! From decompositions and an instruction set to programs.
//!
//! The search goes backwards: from what the registers must hold at the end, one instruction at a time, to the inputs. What an
//! instruction's operands may be comes from the e-graph (splits of a kernel into its parts), from exact algebra (what is left
//! of a kernel when values that are needed anyway are taken off), and from the machine (its views, its results by twos and threes).
//! Instruction selection, order and registers are thereby decided together.
//!
//! Each room uses those above it only:
//!
//! | room | holds |
//! |---|---|
//! | `program` | values, steps, instructions and registers: what all searches speak of |
//! | `heuristics` | what the e-graph knows of a kernel, and estimates of the cost to go |
//! | `beams` | beam search backwards from the outputs, over whole programs and over pieces |
//! | `construct` | programs without a search: tap by tap, and from coarser instructions |
//! | `local` | local search: windows of a program, and values of it, made anew |
//! | `proofs` | exhaustive search: optima and lower bounds |
//! | `problem`, `base` | what is searched for, and what all searches for it start from |
//! | `outputs` | several outputs: one by one, and together |
//! | `portfolio` | the whole search: which of these run, for how long |
//! | `sample` | states that searches meet, to fit the heuristic to |
//!
//! Each constant says how it was chosen. "By hand" means by trial on the corpus while the search was written, without a
//! measurement of that constant alone. What each whole search is worth is measured: `kalg bench --ablate`.

mod base;
mod beams;
mod construct;
mod heuristics;
mod local;
mod outputs;
mod portfolio;
mod problem;
mod program;
mod proofs;
mod sample;

pub use base::beyond;
pub use heuristics::cost_to_go::Quantities;
pub use portfolio::schedule::{LARGE_TAPS, extract};
pub use problem::{
    Attempt, Budget, Code, Extracted, Infeasible, InputSpec, OutputSpec, Part, Problem, Wish, Without,
};
pub use program::bounds::Bounds;
pub use program::recipe::Objective;
pub use proofs::progress::Proofs;
pub use sample::{Sample, Sampling, sample};
