//! Executes the bundles of a pipelined program cycle by cycle, on numbers or on any other data that can be multiplied and
//! summed.
//!
//! Registers change when the latency of their writer has passed, neither sooner nor later, so a program whose schedule is
//! wrong computes something else. Where accesses of one bundle take the same bank, all that the core does waits for as many
//! cycles; streams and locks are not modelled.

mod datum;
mod fault;
mod core;
mod rules;

pub use self::core::{Counts, run};
pub use datum::Datum;
pub use fault::Fault;
