//! Reports specific to arrays: the data flow of programs, and the accuracy of the heuristic.

mod flow;
mod heuristic;
mod trace;

pub use flow::{Binding, Flow, FlowError, flow};
pub use heuristic::{HeuristicBench, HeuristicRecord, HeuristicSummary};
pub use trace::{trace, transfer_record};
