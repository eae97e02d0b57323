//! Programs with conditions and bits: every register is a piecewise linear function of the inputs, every bit a Boolean function of
//! comparisons and of bits at the start. Equality is decided exactly, unless there are too many cases.
//!
//! Linear programs are evaluated by [`Trace`](super::Trace), which is much faster and says more.

mod affine;
mod diagram;
mod inequalities;
mod space;
mod evaluate;
mod decide;
mod cases;
mod reach;
mod range;
mod witness;
mod search;
mod judge;

pub use affine::{Affine, Place};
pub use cases::{Bounds, Case, Leaf, cases};
pub use diagram::{Cut, Diagrams, Id, Node, TRUTHS, Trouble};
pub use evaluate::{Followed, State, Value, follow, follow_each};
pub use judge::{Finding, Verdict, Wanted, judge};
pub use range::{Range, amplitude};
pub use reach::{Extent, Reaches};
pub use space::{Channel, Kind, Origin, Space, Unknown};
pub use witness::{Code, Example, Reference, simulate};
