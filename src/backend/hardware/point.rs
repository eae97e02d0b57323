//! The designs of a front in records, and as text.

use std::fmt::Write as _;

use serde::Serialize;

use crate::report::counted;

/// A design that no other one beats both in what it computes and in what it keeps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrontRecord {
    /// The price of a bit that is kept, in look-up tables, that leads to it.
    pub buffer_price: String,
    /// What its operations are worth in look-up tables, in all lanes.
    pub operations: u64,
    /// The adders of a lane.
    pub adders: usize,
    /// The hard multipliers of all lanes.
    pub hard_multipliers: u64,
    /// The bits of delay lines, and of rows that are kept for values which are held, summed or read backwards along rows.
    pub kept_bits: u64,
    /// The block RAMs.
    pub block_rams: u64,
    /// The clocks from the first word of a frame to the first word of its results.
    pub latency: usize,
}

/// The front as a table for people.
pub(super) fn front_text(front: &[FrontRecord]) -> String {
    let mut text = "Front: operations, in look-up tables, against bits that are kept\n".to_owned();
    for (number, point) in (1..).zip(front) {
        let _ = writeln!(
            text,
            "  {number}. {} for operations ({} a lane, {}), {}, {}, the first results after {}: --buffer-price {}",
            point.operations,
            counted(point.adders as u64, "adder"),
            counted(point.hard_multipliers, "hard multiplier"),
            counted(point.kept_bits, "bit"),
            counted(point.block_rams, "block RAM"),
            counted(point.latency as u64, "clock"),
            point.buffer_price
        );
    }
    text
}
