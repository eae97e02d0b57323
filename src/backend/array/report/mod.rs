//! Reports specific to arrays: the data flow of programs, and the accuracy of the heuristic.

mod flow;
mod heuristic;

pub use flow::{Binding, FlowError, flow};
pub use heuristic::{HeuristicBench, HeuristicRecord, HeuristicSummary};
