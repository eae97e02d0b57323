//! From decompositions and an instruction set to programs.
//!
//! The search goes backwards: from what the registers must hold at the end, one instruction at a time, to the inputs. What an
//! instruction's operands may be comes from the e-graph (splits of a kernel into its parts), from exact algebra (what is left
//! of a kernel when values that are needed anyway are taken off), and from the machine (its views, its results by twos and threes).
//! Instruction selection, order and registers are thereby decided together.

mod archive;
mod assign;
mod base;
mod beam;
mod bounds;
mod coarse;
mod endgame;
mod estimate;
mod exhaustive;
mod factored;
mod field;
mod guess;
mod idioms;
mod linear;
mod lookahead;
mod machine;
mod moves;
mod overlap;
mod pixels;
mod polish;
mod portfolio;
mod problem;
mod proofs;
mod recipe;
mod reuse;
mod sample;
mod singles;
mod splice;
mod spread;
mod sums;
mod symmetry;
mod table;
mod together;
mod value;
mod walk;
mod ways;

pub use base::beyond;
pub use bounds::Bounds;
pub use guess::Quantities;
pub use portfolio::{LARGE_TAPS, extract};
pub use problem::{Attempt, Budget, Code, Extracted, InputSpec, OutputSpec, Problem, Unfit, Wish, Without};
pub use proofs::Proofs;
pub use recipe::Objective;
pub use sample::{Sample, Sampling, sample};
