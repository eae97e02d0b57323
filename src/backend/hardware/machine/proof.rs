//! Proofs that no other lags keep fewer bits: flows between moments.

use super::netlist::CellId;

/// A moment in the life of a value, in pixels after its pixel came in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Moment {
    /// The inputs come in.
    Source,
    /// The value of a cell is there.
    There(CellId),
    /// The value of a cell is read for the last time.
    Until(CellId),
    /// The results are there.
    Sink,
}

/// A flow from each moment to others, where one is bound to be so much later than the other. What flows in less what flows out is
/// the width of a value at `Until` and minus its width at `There`, so the flows times the least distances are a lower bound.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// The flows.
    pub flows: Vec<(Moment, Moment, i64)>,
}
