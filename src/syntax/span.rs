//! Places in the text of a source.

use std::ops::Range;

/// A range of bytes of one source: `start` is included, `end` is not. Sources are at most [`super::MAX_BYTES`] long, so
/// 32 bits suffice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset of the byte after the last one.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end` (exclusive). Offsets beyond `u32` are clamped to `u32::MAX`.
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// The empty span at `offset`.
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The smallest span that contains both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range for indexing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
