//! Searches for programs, given decompositions and an instruction set.
//!
//! The search goes backwards, one instruction at a time, from the final contents of the registers to the inputs. Candidates for
//! the operands of an instruction come from the e-graph (splits of a kernel into parts), from exact algebra (a kernel minus values
//! that are needed anyway), and from the machine (the views of an operand, several results at once). The search thus decides
//! instruction selection, scheduling and register allocation together.
//!
//! The modules; each uses only those above it:
//!
//! | module | contents |
//! |---|---|
//! | `program` | values, steps, instructions and registers: the data of all searches |
//! | `heuristics` | decompositions from the e-graph, and estimates of the cost to go |
//! | `beams` | backward beam search over whole programs and over pieces |
//! | `construct` | programs built without a global search: tap by tap, and from coarser instructions |
//! | `local` | local search: windows of a program, and rematerialisation of its values |
//! | `proofs` | exhaustive search: optima and lower bounds |
//! | `problem`, `base` | the search problem, and the common start of all searches |
//! | `outputs` | several outputs: local search that makes them share values |
//! | `portfolio` | the whole search: which searches run, and for how long |
//! | `image` | programs for turned filters |
//! | `seed` | programs known before any search |
//! | `sample` | samples of search states, for fitting the heuristic |
//!
//! Each constant states its trade-off. Unless the comment says otherwise, its value comes from trials on the corpus, not from a
//! measurement of that constant alone. `kalg bench --ablate` measures what each search is worth.

mod base;
mod beams;
mod construct;
mod heuristics;
mod image;
mod local;
mod outputs;
mod portfolio;
mod problem;
mod program;
mod proofs;
mod sample;
mod seed;
#[cfg(test)]
mod testing;

pub use base::beyond;
pub use image::images;
pub use portfolio::schedule::{FEW_OUTPUTS, LARGE_TAPS, extract};
pub use problem::{
    Attempt, Code, Extracted, Infeasible, InputSpec, OutputSpec, Part, Problem, SearchBudget, Wish, Without,
};
pub use program::bounds::Bounds;
pub use program::coverage::uncovered;
pub use program::recipe::Objective;
pub use proofs::progress::Proofs;
pub use sample::{Sample, Sampling, sample};
pub use seed::{Stage, adopt, join};
