//! What is reported of programs for arrays beside the records that all share: their data flow, and how good the heuristic of the search is.

mod flow;
mod heuristic;

pub use flow::{Binding, FlowError, flow};
pub use heuristic::{HeuristicBench, HeuristicRecord, HeuristicSummary};
