//! Offsets in Z^3, axes and boxes.

use std::ops::Range;

use super::{AlgebraError, MAX_PLACES, MAX_REACH, ORIGIN, Offset};

/// The three axes, in storage order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// West to east.
    X,
    /// South to north.
    Y,
    /// Down to up: between the planes of a volume, or the frames of a film.
    Z,
}

impl Axis {
    /// A step of `length` along this axis.
    pub const fn step(self, length: i32) -> Offset {
        let mut offset = ORIGIN;
        offset[self as usize] = length;
        offset
    }
}

/// The sum of two offsets if it is at most [`MAX_REACH`] from the origin.
pub fn add_offsets(a: Offset, b: Offset) -> Result<Offset, AlgebraError> {
    let sum = [0, 1, 2].map(|axis| a[axis].saturating_add(b[axis]));
    within_reach(sum)
}

/// The opposite offset.
pub fn negate_offset(offset: Offset) -> Offset {
    offset.map(i32::saturating_neg)
}

/// `offset` if it is at most [`MAX_REACH`] from the origin.
pub(super) fn within_reach(offset: Offset) -> Result<Offset, AlgebraError> {
    if offset.iter().all(|c| c.unsigned_abs() <= MAX_REACH.unsigned_abs()) {
        Ok(offset)
    } else {
        Err(AlgebraError::TooFar { offset })
    }
}

/// A box of offsets, stored dense: x fastest, then y, then z. The empty box has size zero along every axis.
///
/// Every box is within [`MAX_REACH`] of the origin and holds at most [`MAX_PLACES`] places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bounds {
    low: Offset,
    size: [u32; 3],
}

impl Bounds {
    /// The box without places.
    pub const EMPTY: Self = Self { low: ORIGIN, size: [0; 3] };

    /// The smallest box that contains all `offsets`.
    pub fn around(offsets: impl IntoIterator<Item = Offset>) -> Result<Self, AlgebraError> {
        let mut offsets = offsets.into_iter();
        let Some(first) = offsets.next() else { return Ok(Self::EMPTY) };
        let (low, high) = offsets.fold((first, first), |(low, high), offset| {
            ([0, 1, 2].map(|a| low[a].min(offset[a])), [0, 1, 2].map(|a| high[a].max(offset[a])))
        });
        Self::between(low, high)
    }

    /// The box from `low` to `high`, both included; `low` must not exceed `high` along any axis.
    pub fn between(low: Offset, high: Offset) -> Result<Self, AlgebraError> {
        let (low, high) = (within_reach(low)?, within_reach(high)?);
        debug_assert!((0..3).all(|axis| low[axis] <= high[axis]), "the corners are in order");
        let size = [0, 1, 2].map(|axis| low[axis].abs_diff(high[axis]) + 1);
        let places = size.iter().map(|n| u128::from(*n)).product();
        if places > MAX_PLACES as u128 {
            return Err(AlgebraError::TooLarge { places });
        }
        Ok(Self { low, size })
    }

    /// Whether the box has no places.
    pub const fn is_empty(self) -> bool {
        self.size[0] == 0
    }

    /// The west-most, south-most, lowest place (the origin for the empty box).
    pub const fn low(self) -> Offset {
        self.low
    }

    /// The east-most, north-most, highest place; meaningless for the empty box.
    pub fn high(self) -> Offset {
        [0, 1, 2].map(|axis| self.low[axis] + self.size[axis] as i32 - 1)
    }

    /// The number of places along x, y and z.
    pub fn size(self) -> [usize; 3] {
        self.size.map(|n| n as usize)
    }

    /// The number of places.
    pub fn places(self) -> usize {
        self.size().iter().product()
    }

    /// Whether `offset` is one of the places.
    pub fn contains(self, offset: Offset) -> bool {
        (0..3).all(|axis| {
            let from_low = i64::from(offset[axis]) - i64::from(self.low[axis]);
            (0..i64::from(self.size[axis])).contains(&from_low)
        })
    }

    /// The smallest box that contains both.
    pub fn union(self, other: Self) -> Result<Self, AlgebraError> {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Ok(other),
            (_, true) => Ok(self),
            _ => Self::around([self.low, self.high(), other.low, other.high()]),
        }
    }

    /// The Minkowski sum: all sums of a place in one box and a place in the other.
    pub fn sum(self, other: Self) -> Result<Self, AlgebraError> {
        if self.is_empty() || other.is_empty() {
            return Ok(Self::EMPTY);
        }
        Self::between(add_offsets(self.low, other.low)?, add_offsets(self.high(), other.high())?)
    }

    /// The box translated by `by`.
    pub fn shift(self, by: Offset) -> Result<Self, AlgebraError> {
        if self.is_empty() {
            return Ok(self);
        }
        Self::between(add_offsets(self.low, by)?, add_offsets(self.high(), by)?)
    }

    /// The storage index of `offset` if it is one of the places.
    pub fn index(self, offset: Offset) -> Option<usize> {
        self.contains(offset).then(|| self.index_within(offset))
    }

    /// The storage index of `offset`, one of the places.
    pub(super) fn index_within(self, offset: Offset) -> usize {
        let [w, h, _] = self.size();
        let [x, y, z] = [0, 1, 2].map(|axis| (offset[axis] - self.low[axis]) as usize);
        (z * h + y) * w + x
    }

    /// The place with storage index `index`, which is below [`places`](Self::places).
    pub fn offset(self, index: usize) -> Offset {
        let within = place(self.size(), index);
        [0, 1, 2].map(|axis| self.low[axis] + within[axis] as i32)
    }

    /// The storage index in `outer`, a box that contains this one, of the first place.
    pub(super) fn start_in(self, outer: Self) -> usize {
        if self.is_empty() { 0 } else { outer.index_within(self.low) }
    }

    /// The rows of `self` along x, each as the range of its storage indices and its start index in the storage order of
    /// `outer`, a box at least as wide, where the first place of `self` has index `start`.
    pub(super) fn rows_in(self, outer: Self, start: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
        let [w, h, d] = self.size();
        let [outer_w, outer_h, _] = outer.size();
        (0..h * d).map(move |row| {
            let (y, z) = (row % h, row / h);
            (row * w..(row + 1) * w, start + (z * outer_h + y) * outer_w)
        })
    }
}

/// The place with this storage index in a box that begins at the origin. In the boxes that follow one another, the last axis goes on.
pub(crate) const fn place([width, height, _]: [usize; 3], index: usize) -> [usize; 3] {
    [index % width, index / width % height, index / (width * height)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_and_offsets_are_inverse() {
        let bounds = Bounds::between([-2, -1, 3], [1, 3, 4]).unwrap();
        assert_eq!(bounds.size(), [4, 5, 2]);
        for index in 0..bounds.places() {
            assert_eq!(bounds.index(bounds.offset(index)), Some(index));
        }
        assert_eq!(bounds.index([2, 0, 3]), None);
        assert_eq!(bounds.index([i32::MIN, i32::MAX, 3]), None);
    }

    #[test]
    fn limits_are_errors() {
        assert_eq!(
            add_offsets([i32::MAX, 0, 0], [1, 0, 0]),
            Err(AlgebraError::TooFar { offset: [i32::MAX, 0, 0] })
        );
        assert_eq!(
            Bounds::around([[0; 3], [MAX_REACH, 4, 0]]),
            Err(AlgebraError::TooLarge { places: 5 * (1 + MAX_REACH as u128) })
        );
    }
}
