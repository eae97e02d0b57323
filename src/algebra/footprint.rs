//! Footprints: the offsets that a computation touches, whatever their coefficients.

use std::fmt;

use smallvec::{SmallVec, smallvec};

use super::{AlgebraError, Bounds, MAX_STEPS, ORIGIN, Offset, matrix};

/// A finite set of offsets: the pixels that a value depends on or is stored at, whatever the coefficients.
///
/// Stored as one bit per place of the tight bounding box. Up to 128 places (11 × 11) need no allocation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Footprint {
    bounds: Bounds,
    bits: SmallVec<[u64; 2]>,
}

/// The number of invalid pixels on each side of an image's output: their value depends on pixels outside the image.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Border {
    /// Columns on the west side.
    pub west: u32,
    /// Columns on the east side.
    pub east: u32,
    /// Rows on the south side.
    pub south: u32,
    /// Rows on the north side.
    pub north: u32,
    /// Planes at the bottom of a volume.
    pub down: u32,
    /// Planes at the top of a volume.
    pub up: u32,
}

impl Border {
    /// The border that is invalid for at least one of two outputs.
    pub fn union(self, other: Self) -> Self {
        Self {
            west: self.west.max(other.west),
            east: self.east.max(other.east),
            south: self.south.max(other.south),
            north: self.north.max(other.north),
            down: self.down.max(other.down),
            up: self.up.max(other.up),
        }
    }
}

impl Footprint {
    /// The footprint that touches nothing.
    pub fn empty() -> Self {
        Self { bounds: Bounds::EMPTY, bits: SmallVec::new() }
    }

    /// The pixel itself.
    pub fn origin() -> Self {
        Self { bounds: Bounds::around([ORIGIN]).expect("one place is within the limits"), bits: smallvec![1] }
    }

    /// All places of a box.
    pub fn filled(bounds: Bounds) -> Self {
        let places = bounds.places();
        let mut bits: SmallVec<[u64; 2]> = smallvec![u64::MAX; places.div_ceil(64)];
        if let Some(last) = bits.last_mut().filter(|_| !places.is_multiple_of(64)) {
            *last = (1 << (places % 64)) - 1;
        }
        Self { bounds, bits }
    }

    /// The given offsets; repetitions count once.
    pub fn from_offsets(offsets: &[Offset]) -> Result<Self, AlgebraError> {
        let mut footprint = Self::blank(Bounds::around(offsets.iter().copied())?);
        for offset in offsets {
            footprint.set(footprint.bounds.index_within(*offset));
        }
        Ok(footprint)
    }

    /// A box without touched places; the caller must touch enough of them to make the box tight.
    fn blank(bounds: Bounds) -> Self {
        Self { bounds, bits: smallvec![0; bounds.places().div_ceil(64)] }
    }

    fn set(&mut self, index: usize) {
        self.bits[index / 64] |= 1 << (index % 64);
    }

    /// Whether the place with storage index `index` of [`bounds`](Self::bounds) is touched.
    pub(super) fn has(&self, index: usize) -> bool {
        self.bits[index / 64] >> (index % 64) & 1 == 1
    }

    /// Whether nothing is touched.
    pub fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The number of offsets touched.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether every place of the bounding box is touched.
    pub fn is_filled(&self) -> bool {
        self.len() == self.bounds.places()
    }

    /// The smallest box around the footprint.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Whether `offset` is touched.
    pub fn contains(&self, offset: Offset) -> bool {
        self.bounds.index(offset).is_some_and(|index| self.has(index))
    }

    /// The offsets touched: x fastest, then y, then z.
    pub fn iter(&self) -> impl Iterator<Item = Offset> + '_ {
        self.indices().map(|index| self.bounds.offset(index))
    }

    /// The storage indices of the offsets touched, ascending.
    pub(super) fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter().enumerate().flat_map(|(word, bits)| {
            std::iter::successors(Some(*bits), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|rest| *rest != 0)
                .map(move |rest| word * 64 + rest.trailing_zeros() as usize)
        })
    }

    /// The offsets touched by at least one of the two.
    pub fn union(&self, other: &Self) -> Result<Self, AlgebraError> {
        if self.bounds == other.bounds {
            let bits = self.bits.iter().zip(&other.bits).map(|(a, b)| a | b).collect();
            return Ok(Self { bounds: self.bounds, bits });
        }
        let bounds = self.bounds.union(other.bounds)?;
        let [mut bits, more] = [self, other].map(|part| part.bits_in(bounds, part.bounds.start_in(bounds)));
        for (word, more) in bits.iter_mut().zip(more) {
            *word |= more;
        }
        Ok(Self { bounds, bits })
    }

    /// The Minkowski sum: the footprint of a computation that reads the results of another.
    pub fn sum(&self, other: &Self) -> Result<Self, AlgebraError> {
        let bounds = self.bounds.sum(other.bounds)?;
        if bounds.is_empty() {
            return Ok(Self::empty());
        }
        if self.is_filled() && other.is_filled() {
            return Ok(Self::filled(bounds));
        }
        let (few, many) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        // In the storage order of the result, a translation is a shift of the bits.
        let pattern = many.bits_in(bounds, 0);
        let steps = few.len() as u128 * pattern.len() as u128;
        if steps > MAX_STEPS as u128 {
            return Err(AlgebraError::TooMuchWork { steps });
        }
        let mut sum = Self::blank(bounds);
        for (row, start) in few.bounds.rows_in(bounds, 0) {
            for index in row.clone().filter(|index| few.has(*index)) {
                or_shifted(&mut sum.bits, &pattern, start + index - row.start);
            }
        }
        Ok(sum)
    }

    /// The footprint after an instruction that touches `instruction` and stores at `stores`: the operator ⊳ on
    /// footprints, as [`Kernel::then`](super::Kernel::then) is on kernels.
    pub fn then(&self, instruction: &Self, stores: &Self) -> Result<Self, AlgebraError> {
        self.sum(instruction)?.union(stores)
    }

    /// The footprint translated by `by`.
    pub fn shift(&self, by: Offset) -> Result<Self, AlgebraError> {
        Ok(Self { bounds: self.bounds.shift(by)?, bits: self.bits.clone() })
    }

    /// Whether `other` touches everything that `self` touches.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|offset| other.contains(offset))
    }

    /// The number of invalid pixels on each side of an image: out(p) reads p + d for every touched d.
    pub fn border(&self) -> Border {
        if self.is_empty() {
            return Border::default();
        }
        let below = self.bounds.low().map(|low| low.min(0).unsigned_abs());
        let above = self.bounds.high().map(|high| high.max(0).unsigned_abs());
        Border {
            west: below[0],
            east: above[0],
            south: below[1],
            north: above[1],
            down: below[2],
            up: above[2],
        }
    }

    /// The bits in the storage order of `outer`, a box at least as wide, with the first place at index `start`.
    fn bits_in(&self, outer: Bounds, start: usize) -> SmallVec<[u64; 2]> {
        let mut bits: SmallVec<[u64; 2]> = smallvec![0; outer.places().div_ceil(64)];
        for (row, start) in self.bounds.rows_in(outer, start) {
            for from in row.clone().step_by(64) {
                let count = (row.end - from).min(64);
                or_word(&mut bits, self.word(from) & (u64::MAX >> (64 - count)), start + from - row.start);
            }
        }
        bits
    }

    /// The 64 bits from an index on; zeros beyond the last word.
    fn word(&self, index: usize) -> u64 {
        let (word, bit) = (index / 64, index % 64);
        let above = if bit == 0 { 0 } else { self.bits.get(word + 1).map_or(0, |next| next << (64 - bit)) };
        self.bits[word] >> bit | above
    }
}

/// `target |= pattern << by`.
fn or_shifted(target: &mut [u64], pattern: &[u64], by: usize) {
    for (index, word) in pattern.iter().enumerate() {
        or_word(target, *word, by + 64 * index);
    }
}

/// Sets the bits of `word` from index `place` on.
fn or_word(target: &mut [u64], word: u64, place: usize) {
    if word == 0 {
        return;
    }
    let (index, bits) = (place / 64, place % 64);
    target[index] |= word << bits;
    let carry = if bits == 0 { 0 } else { word >> (64 - bits) };
    if carry != 0 {
        target[index + 1] |= carry;
    }
}

impl fmt::Display for Footprint {
    /// Writes a matrix of `*` (touched) and `.`, centred on the origin; first row north.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        matrix::write(f, self.bounds, |offset| self.contains(offset).then(|| "*".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn offsets() -> impl Strategy<Value = Vec<Offset>> {
        // Rows shorter than a word, and rows of several words.
        let wide = (-99i32..99, -3i32..3, -2i32..2);
        let small = (-9i32..9, -9i32..9, -2i32..2);
        let some = |place: [std::ops::Range<i32>; 3]| {
            let [x, y, z] = place;
            prop::collection::vec((x, y, z).prop_map(|(x, y, z)| [x, y, z]), 0..12)
        };
        prop_oneof![some(small.into()), some(wide.into())]
    }

    fn set(footprint: &Footprint) -> BTreeSet<Offset> {
        footprint.iter().collect()
    }

    proptest! {
        #[test]
        fn operations_agree_with_sets_of_offsets(a in offsets(), b in offsets(), by in [-5i32..5, -5i32..5, -5i32..5]) {
            let [f, g] = [&a, &b].map(|offsets| Footprint::from_offsets(offsets).unwrap());
            let [s, t]: [BTreeSet<Offset>; 2] = [&a, &b].map(|offsets| offsets.iter().copied().collect());
            prop_assert_eq!(set(&f), s.clone());
            prop_assert_eq!(f.len(), s.len());
            prop_assert_eq!(set(&f.union(&g).unwrap()), s.union(&t).copied().collect());
            let sums = s.iter().flat_map(|p| t.iter().map(|q| [p[0] + q[0], p[1] + q[1], p[2] + q[2]]));
            prop_assert_eq!(set(&f.sum(&g).unwrap()), sums.collect());
            prop_assert_eq!(f.sum(&g).unwrap(), g.sum(&f).unwrap());
            prop_assert_eq!(f.shift(by).unwrap(), f.sum(&Footprint::from_offsets(&[by]).unwrap()).unwrap());
            prop_assert_eq!(f.is_subset(&g), s.is_subset(&t));
            // The same set is the same value, however it was computed.
            prop_assert_eq!(f.union(&g).unwrap(), Footprint::from_offsets(&[a, b].concat()).unwrap());
        }
    }

    #[test]
    fn filled_boxes_count_their_places() {
        for (width, height) in [(1, 1), (8, 8), (13, 5), (16, 8), (3, 50)] {
            let bounds = Bounds::between([0; 3], [width - 1, height - 1, 0]).unwrap();
            let filled = Footprint::filled(bounds);
            assert!(filled.is_filled());
            assert_eq!(filled.len(), bounds.places());
            assert_eq!(filled, Footprint::from_offsets(&filled.iter().collect::<Vec<_>>()).unwrap());
        }
    }

    #[test]
    fn the_border_is_what_reaches_beyond_each_side() {
        let footprint = Footprint::from_offsets(&[[-2, 0, 0], [1, 3, 0]]).unwrap();
        assert_eq!(footprint.border(), Border { west: 2, east: 1, north: 3, ..Border::default() });
        let east_of_here = Footprint::from_offsets(&[[2, 0, 0], [4, 0, 0]]).unwrap();
        assert_eq!(east_of_here.border(), Border { east: 4, ..Border::default() });
        assert_eq!(Footprint::empty().border(), Border::default());
    }

    #[test]
    fn a_sum_that_would_take_too_long_is_refused() {
        let comb: Vec<Offset> =
            (0..1500).flat_map(|x| (0..400).map(move |y| [2 * (x % 500), 2 * y, 0])).collect();
        let comb = Footprint::from_offsets(&comb).unwrap();
        assert!(matches!(comb.sum(&comb), Err(AlgebraError::TooMuchWork { .. })));
    }

    #[test]
    fn prints_as_a_centred_matrix() {
        let footprint = Footprint::from_offsets(&[[0, 1, 0], [-1, 0, 0]]).unwrap();
        assert_eq!(footprint.to_string(), ". * .\n* . .\n. . .");
    }
}
