//! From the kernels of a filter to plans of whole-image steps: which decomposition, which scans, and what is shared.
//!
//! For sums the decompositions are those of the e-graph. Where they compose a kernel N with a scan 1/(1 − x^b), the plan has a
//! recurrence: y = y·x^b + N·in, a sliding window, or N of the table in/(1 − x^b), an integral image.
//! Where sums choose, kernels are divided by residuation, and a window may be van Herk's. What sums have in common, and multiples of constants, are made once in the end.

mod arena;
mod ways;
mod choose;
mod sums;
mod written;

pub use choose::{Attempt, Request, Searched, graph};
pub use sums::plan;
pub use written::plan_written;

use thiserror::Error;

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoPlan {
    /// A coefficient or a coordinate leaves the exact range.
    #[error("the kernel of `{0}` leaves the exact range of integers")]
    Overflow(String),
    /// A weight is not an integer.
    #[error("the kernel of `{0}` has a weight that is no integer")]
    Weight(String),
    /// Results do not fit 64 bits.
    #[error("results of `{0}` do not fit 64 bits")]
    Wide(String),
    /// A sum without end is kept modulo 2^32, which no division goes with.
    #[error("`{0}` has no end and is divided: divide what is read from it")]
    DividedTable(String),
    /// What comes later in scan order is not there yet.
    #[error("`{0}` sums all pixels along ({x}, {y}), which come later in scan order", x = .1[0], y = .1[1])]
    Later(String, [i32; 2]),
    /// Every plane of a volume is an input of its own.
    #[error("`{0}` has no end or is beside an output that has none, and reads other planes of a volume")]
    Volume(String),
    /// Recurrences would have nowhere to begin.
    #[error("`{0}` sums to the east and to the west: neither recurrence can begin at an edge of the image")]
    Opposed(String),
    /// There is no operation that adds as the semiring does.
    #[error("there is no operation for `{0}`")]
    Fold(String),
}
