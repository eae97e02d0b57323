//! What is reported of programs for arrays beside the records that all share: their data flow, and how well searches guess.

mod flow;
mod guess;

pub use flow::{Binding, FlowError, flow};
pub use guess::{GuessBench, GuessRecord, GuessSummary};
