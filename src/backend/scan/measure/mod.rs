//! Measured code: the time of a plan's C, the choice among plans by it, and the costs that fit the times of many plans.
//!
//! The compiler is a [`CTimer`](crate::backend::CTimer) of the caller. Results depend on the machine that runs it.

mod fit;
mod program;
mod tune;
mod weights;

pub use fit::{Sample, Slower, descriptor, fit, modelled};
pub use tune::measured;
pub(super) use tune::tuned;
