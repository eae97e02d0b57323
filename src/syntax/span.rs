//! Where a piece of text stands in its source.

use std::ops::Range;

/// A range of bytes of one source: `start` included, `end` not. Sources are at most [`super::MAX_BYTES`] long, so 32 bits do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` to before `end`; offsets beyond `u32` are cut to its largest value.
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// The empty span at `offset`.
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range, to index with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
