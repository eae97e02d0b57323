//! The search for plans of whole-image steps: which decompositions, which scans, and which values are shared.
//!
//! For sums, the decompositions come from the e-graph. If one composes a kernel N with a scan 1/(1 − x^b), the plan has
//! a recurrence. It is either y = y·x^b + N·in, a sliding window, or N applied to the table in/(1 − x^b), an integral
//! image. In idempotent semirings, kernels are divided by residuation, and a window may be van Herk's. In the end,
//! common parts of sums and multiples of constants are computed once.

mod arena;
mod ways;
mod choose;
mod sums;
mod written;

pub use choose::{Attempt, Request, Searched, graph};
pub use sums::plan;
pub use written::plan_written;

use thiserror::Error;

/// The reason why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoPlan {
    /// A coefficient or a coordinate leaves the exact range.
    #[error("the kernel of `{0}` leaves the exact range of integers")]
    Overflow(String),
    /// A weight is not an integer.
    #[error("the kernel of `{0}` has a non-integer weight")]
    Weight(String),
    /// Results do not fit 64 bits.
    #[error("results of `{0}` do not fit in 64 bits")]
    Wide(String),
    /// A quotient of an infinite sum, which is kept modulo 2^32 and cannot be divided.
    #[error("the infinite sum `{0}` cannot be divided: divide the values read from it")]
    DividedTable(String),
    /// A sum over pixels that come later in scan order.
    #[error("`{0}` sums all pixels along ({x}, {y}), which come later in scan order", x = .1[0], y = .1[1])]
    Later(String, [i32; 2]),
    /// Other planes of a volume. Each plane is a separate input.
    #[error("`{0}` reads other planes of a volume, which filters with infinite sums cannot do")]
    Volume(String),
    /// Recurrences that have nowhere to begin.
    #[error("`{0}` sums to the east and to the west: no recurrence can begin at an edge of the image")]
    Opposed(String),
    /// Steps that read pixels at which the kernel has no tap, which the request excludes.
    #[error("sums read pixels at which an output has no tap")]
    Cancels,
    /// The semiring's addition is not an operation of the machine.
    #[error("the machine has no operation for `{0}`")]
    Fold(String),
}
