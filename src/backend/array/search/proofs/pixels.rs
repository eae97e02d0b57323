//! The footprint and the size of a value: finer bounds for exhaustive search than extents.

use std::cmp::Reverse;

use ordered_float::OrderedFloat;
use smallvec::SmallVec;

use crate::backend::array::search::program::value::{Factor, Shapes, Value, View, ZERO};

/// The greatest distinguished offset in each direction: 11×11 offsets, one bit each, fit in 128 bits.
const REACH: i32 = 5;

/// The number of distinguished offsets along an axis.
const SIDE: i32 = 2 * REACH + 1;

/// One bit for every row.
const ROWS: u128 = {
    let (mut bits, mut row) = (0, 0);
    while row < SIDE {
        bits |= 1 << (row * SIDE);
        row += 1;
    }
    bits
};

/// All distinguished offsets.
const WINDOW: u128 = (1 << (SIDE * SIDE)) - 1;

/// The bit of the zero offset.
const CENTRE: u32 = (REACH * SIDE + REACH) as u32;

/// A set of offsets, one bit each; it becomes the set of all if an offset is out of reach.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pixels(u128);

impl Pixels {
    pub(crate) const NONE: Self = Self(0);
    /// The pixel itself.
    pub(crate) const HERE: Self = Self(1 << CENTRE);
    /// All pixels, within reach or not.
    const ALL: Self = Self(u128::MAX);

    /// The footprint of a value.
    pub(crate) fn of(value: Value, shapes: &Shapes) -> Self {
        if value.shape == ZERO {
            return Self::NONE;
        }
        let places = shapes
            .get(value.shape)
            .iter()
            .map(|(x, y, ..)| [x + i32::from(value.dx), y + i32::from(value.dy)]);
        places.map(|[x, y]| Self::HERE.shifted(x, y)).fold(Self::NONE, Self::join)
    }

    /// The offset of an operand.
    pub(crate) fn of_view(view: View) -> Self {
        Self::HERE.shifted(i32::from(view.dx), i32::from(view.dy))
    }

    pub(crate) fn join(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set difference; empty for the set of all, of which nothing is known.
    pub(crate) fn without(self, others: Self) -> Self {
        if self == Self::ALL { Self::NONE } else { Self(self.0 & !others.0) }
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// The pixels seen from each of these offsets.
    pub(crate) fn moved(self, from: Self) -> Self {
        if self == Self::NONE || from == Self::NONE {
            return Self::NONE;
        }
        if self == Self::ALL || from == Self::ALL {
            return Self::ALL;
        }
        let ([west, east, north, south], [from_west, from_east, from_north, from_south]) =
            (self.extent(), from.extent());
        let within = |low: i32, high: i32| low >= -REACH && high <= REACH;
        if !within(west + from_west, east + from_east) || !within(north + from_north, south + from_south) {
            return Self::ALL;
        }
        // One shift for each offset of the smaller set.
        let [few, many] = if self.0.count_ones() < from.0.count_ones() { [self, from] } else { [from, self] };
        let (mut moved, mut rest) = (0, few.0);
        while rest != 0 {
            let at = rest.trailing_zeros();
            moved |= if at >= CENTRE { many.0 << (at - CENTRE) } else { many.0 >> (CENTRE - at) };
            rest &= rest - 1;
        }
        Self(moved)
    }

    /// The least and the greatest column, then the least and the greatest row, of a set that is neither empty nor the set of all.
    fn extent(self) -> [i32; 4] {
        // All rows, one above the other: each step doubles their number.
        let mut folded = self.0;
        for step in 0..4 {
            folded |= folded >> (SIDE << step);
        }
        folded &= (1 << SIDE) - 1;
        let [west, east] = [folded.trailing_zeros(), folded.ilog2()];
        let [north, south] = [self.0.trailing_zeros() / SIDE as u32, self.0.ilog2() / SIDE as u32];
        [west as i32 - REACH, east as i32 - REACH, north as i32 - REACH, south as i32 - REACH]
    }

    fn shifted(self, x: i32, y: i32) -> Self {
        if self == Self::NONE {
            return self;
        }
        if x.abs() >= SIDE || y.abs() >= SIDE {
            return Self::ALL;
        }
        // The columns and the rows that would leave the window.
        let columns = ROWS * if x >= 0 { ((1 << x) - 1) << (SIDE - x) } else { (1 << -x) - 1 };
        let rows = if y >= 0 { WINDOW & !(WINDOW >> (y * SIDE)) } else { (1 << (-y * SIDE)) - 1 };
        if self.0 & (columns | rows | !WINDOW) != 0 {
            return Self::ALL;
        }
        let by = y * SIDE + x;
        Self(if by >= 0 { self.0 << by } else { self.0 >> -by })
    }

    /// The displacement from `others` to this set of the same form; `None` if they are not translates.
    pub(crate) fn against(self, others: Self) -> Option<Self> {
        let place = |pixels: Self| {
            let at = pixels.0.trailing_zeros() as i32;
            [at % SIDE, at / SIDE]
        };
        let ([x, y], [from_x, from_y]) = (place(self), place(others));
        let by = Self::HERE.shifted(x - from_x, y - from_y);
        (![self, others].contains(&Self::ALL) && others.moved(by) == self).then_some(by)
    }
}

/// The size of a value: upper bounds of the sum of its positive coefficients, of the sum of its negative ones, and of the greatest of
/// either kind. The signs are separate because a machine that negates every sum makes values grow slowly.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Size([f32; 4]);

impl Size {
    /// The size of an input.
    pub(crate) const ONE: Self = Self([1.0, 0.0, 1.0, 0.0]);

    /// The size of a value with these taps.
    pub(crate) fn of(value: Value, shapes: &Shapes) -> Self {
        if value.shape == ZERO {
            return Self::default();
        }
        let Factor { twos, threes, negative } = value.factor;
        let unit = 2f32.powi(twos.into()) * 3f32.powi(threes.into());
        shapes.get(value.shape).iter().fold(Self::default(), |Self(size), (.., weight)| {
            let tap = weight as f32 * if negative { -unit } else { unit };
            let [high, low] = [tap.max(0.0), (-tap).max(0.0)];
            Self([size[0] + high, size[1] + low, size[2].max(high), size[3].max(low)])
        })
    }

    fn by_parts(self, other: Self, with: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|at| with(self.0[at], other.0[at])))
    }

    /// The size of the sum.
    pub(crate) fn and(self, other: Self) -> Self {
        self.by_parts(other, |a, b| a + b)
    }

    /// The size of either value.
    pub(crate) fn or(self, other: Self) -> Self {
        self.by_parts(other, f32::max)
    }

    /// The size of a multiple.
    pub(crate) fn times(self, by: Weight) -> Self {
        let Self([sum, less, high, low]) = self;
        let Weight([up, down]) = by;
        let turned = |plus: f32, minus: f32| [up * plus + down * minus, up * minus + down * plus];
        let ([sum, less], [high, low]) = (turned(sum, less), turned(high, low));
        Self([sum, less, high, low])
    }

    /// Whether a value of this size may be one of size `other`, up to rounding. `false` is certain.
    pub(crate) fn reaches(self, other: Self) -> bool {
        self.0.iter().zip(other.0).all(|(reached, wanted)| *reached >= wanted * (1.0 - ROUNDING))
    }

    /// The greatest of each part, then the next, and so on.
    pub(crate) fn in_order(sizes: impl Iterator<Item = Self>) -> SmallVec<[Self; 16]> {
        let mut ranked: SmallVec<[Self; 16]> = sizes.collect();
        for part in 0..4 {
            let mut column: SmallVec<[f32; 16]> = ranked.iter().map(|size| size.0[part]).collect();
            column.sort_unstable_by_key(|part| Reverse(OrderedFloat(*part)));
            ranked.iter_mut().zip(column).for_each(|(size, value)| size.0[part] = value);
        }
        ranked
    }
}

/// The relative tolerance of size comparisons: single precision is good for 1e-7 per sum.
const ROUNDING: f32 = 1e-4;

/// A factor: the sum of the positive weights, and that of the negative ones.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Weight([f32; 2]);

impl Weight {
    pub(crate) const ONE: Self = Self([1.0, 0.0]);

    pub(crate) fn of(factor: Factor) -> Self {
        let size = 2f32.powi(factor.twos.into()) * 3f32.powi(factor.threes.into());
        Self(if factor.negative { [0.0, size] } else { [size, 0.0] })
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self([self.0[0].max(other.0[0]), self.0[1].max(other.0[1])])
    }

    fn times(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a * c + b * d, a * d + b * c])
    }

    /// The factor from the other weight to this one, if both are single.
    pub(crate) fn against(self, other: Self) -> Self {
        let total = |weight: Self| weight.0[0] + weight.0[1];
        let ratio = total(self) / total(other);
        Self(if (self.0[0] > 0.0) == (other.0[0] > 0.0) { [ratio, 0.0] } else { [0.0, ratio] })
    }

    pub(crate) fn covers(self, other: Self) -> bool {
        self.0[0] >= other.0[0] && self.0[1] >= other.0[1]
    }

    pub(crate) fn total(self) -> f32 {
        self.0[0] + self.0[1]
    }
}

/// How a value enters a sum: its offsets, and an upper bound of its weight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Seen {
    pub(crate) pixels: Pixels,
    pub(crate) weight: Weight,
}

impl Seen {
    pub(crate) const NOT: Self = Self { pixels: Pixels::NONE, weight: Weight([0.0; 2]) };

    /// The value enters in both ways.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { pixels: self.pixels.join(other.pixels), weight: self.weight.and(other.weight) }
    }

    /// The value enters in one way or the other.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { pixels: self.pixels.join(other.pixels), weight: self.weight.or(other.weight) }
    }

    /// The value enters as part of one that enters in the way `other`.
    pub(crate) fn within(self, other: Self) -> Self {
        Self { pixels: self.pixels.moved(other.pixels), weight: self.weight.times(other.weight) }
    }
}

/// Upper bounds of a value's footprint and size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Shown {
    pub(crate) pixels: Pixels,
    pub(crate) size: Size,
}

impl Shown {
    pub(crate) const NOTHING: Self = Self { pixels: Pixels::NONE, size: Size([0.0; 4]) };

    /// The footprint and size of an output.
    pub(crate) fn of(value: Value, shapes: &Shapes) -> Self {
        Self { pixels: Pixels::of(value, shapes), size: Size::of(value, shapes) }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { pixels: self.pixels.join(other.pixels), size: self.size.and(other.size) }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self { pixels: self.pixels.join(other.pixels), size: self.size.or(other.size) }
    }

    pub(crate) fn through(self, seen: Seen) -> Self {
        Self { pixels: self.pixels.moved(seen.pixels), size: self.size.times(seen.weight) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: i32, y: i32) -> Pixels {
        Pixels::HERE.shifted(x, y)
    }

    #[test]
    fn sets_move_as_their_pixels_do() {
        let cross = [at(1, 0), at(-1, 0), at(0, 1), at(0, -1)].into_iter().fold(Pixels::NONE, Pixels::join);
        let twice = cross.moved(cross);
        for x in -3..=3i32 {
            for y in -3..=3i32 {
                let steps = x.abs() + y.abs();
                assert_eq!(at(x, y).without(twice).is_empty(), steps == 0 || steps == 2, "{x} {y}");
            }
        }
        assert_eq!(cross.moved(at(2, -3)).against(cross), Some(at(2, -3)));
        assert_eq!(twice.against(cross), None);
    }

    #[test]
    fn what_leaves_the_window_is_not_denied() {
        for [x, y] in [[REACH, 0], [-REACH, 0], [0, REACH], [0, -REACH], [REACH, REACH]] {
            let edge = at(x, y);
            assert_ne!(edge, Pixels::ALL, "{x} {y}");
            assert_eq!(edge.moved(at(x.signum(), y.signum())), Pixels::ALL, "{x} {y}");
            assert_eq!(edge.moved(at(-x, -y)), Pixels::HERE, "{x} {y}");
        }
        assert_eq!(at(40, 0), Pixels::ALL);
        assert!(Pixels::ALL.without(Pixels::HERE).is_empty(), "what is far away is not asked for");
        assert!(at(1, 1).without(Pixels::ALL).is_empty());
    }
}
