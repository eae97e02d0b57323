//! From decompositions and an instruction set to programs.
//!
//! The search goes backwards, one instruction at a time, from what the registers must hold at the end to the inputs. Candidates for
//! the operands of an instruction come from the e-graph (splits of a kernel into parts), from exact algebra (a kernel minus values
//! that are needed anyway), and from the machine (the views of an operand, several results at once). Instruction selection,
//! scheduling and register allocation are thereby decided together.
//!
//! The modules, each of which uses only those above it:
//!
//! | module | contents |
//! |---|---|
//! | `program` | values, steps, instructions and registers: the data of all searches |
//! | `heuristics` | what the e-graph knows about a kernel, and estimates of the cost to go |
//! | `beams` | backward beam search over whole programs and over pieces |
//! | `construct` | programs without a search for the whole: tap by tap, and from coarser instructions |
//! | `local` | local search: windows of a program, and rematerialisation of its values |
//! | `proofs` | exhaustive search: optima and lower bounds |
//! | `problem`, `base` | what to search for, and what all searches start from |
//! | `outputs` | several outputs: local search that makes them share values |
//! | `portfolio` | the whole search: which of these run, and for how long |
//! | `seed` | programs that are known before any search |
//! | `sample` | samples of search states, to fit the heuristic to |
//!
//! Each constant says what it trades off. Unless the comment says more, its value comes from trials on the corpus, not from a
//! measurement of that constant alone. What each search is worth is measured: `kalg bench --ablate`.

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
mod seed;

pub use base::beyond;
pub use heuristics::cost_to_go::Quantities;
pub use portfolio::schedule::{FEW_OUTPUTS, LARGE_TAPS, extract};
pub use problem::{
    Attempt, Budget, Code, Extracted, Infeasible, InputSpec, OutputSpec, Part, Problem, Wish, Without,
};
pub use program::bounds::Bounds;
pub use program::recipe::Objective;
pub use proofs::progress::Proofs;
pub use sample::{Sample, Sampling, sample};
pub use seed::{Stage, adopt, join};
