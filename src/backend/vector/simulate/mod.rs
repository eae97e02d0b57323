//! Executes the bundles of a pipelined program cycle by cycle, on numbers or on any other data that can be multiplied
//! and summed.
//!
//! Registers change exactly when the latency of their writer has passed, so a program with a wrong schedule computes
//! something else. If accesses of one bundle use the same bank, the whole core waits. Streams and locks are not
//! modelled.

mod datum;
mod fault;
mod core;
mod rules;

pub use self::core::{Counts, run};
pub use datum::Datum;
pub use fault::Fault;
