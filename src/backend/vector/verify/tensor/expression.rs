//! Exact sums of products of inputs and weights: the values of lanes when a program runs on symbols.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::backend::vector::machine::PreAdd;
use crate::backend::vector::simulate::Datum;
use crate::backend::vector::workload::Element;

/// A product of a run-time weight and an input. Each half holds a place plus one, or 0 for no such factor. The weight
/// is in the upper half. The representation is compact because monomials are looked up by the million.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Monomial(u64);

impl Monomial {
    /// The product of the weight and the input at these places.
    pub fn new(weight: Option<usize>, input: Option<usize>) -> Self {
        let [weight, input] = [weight, input].map(|place| place.map_or(0, |place| place as u32 + 1));
        Self(u64::from(weight) << 32 | u64::from(input))
    }

    /// The places of the weight and the input.
    fn places(self) -> [Option<u32>; 2] {
        [(self.0 >> 32) as u32, self.0 as u32].map(|place| place.checked_sub(1))
    }

    /// The product of both, or `None` if it has two weights or two inputs.
    fn times(self, other: Self) -> Option<Self> {
        let halves = |monomial: Self| [monomial.0 >> 32, monomial.0 & u64::from(u32::MAX)];
        let [a, b] = [halves(self), halves(other)];
        (0..2).all(|half| a[half] == 0 || b[half] == 0).then_some(Self(self.0 | other.0))
    }
}

/// Σ coefficient · weight · input, then shifted right and saturated. Sums of shifted values have the same shift.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expression {
    terms: FxHashMap<Monomial, i64>,
    /// The right shift, in bits.
    pub shift: u32,
    /// Whether it may have been saturated. Then nothing can be said of values computed from it.
    saturates: bool,
    /// Twice the maximum error before the shift, from the roundings of the values that it is computed from.
    error: i128,
    /// Twice the maximum error of its own rounding.
    rounding: i128,
    /// The flaw of a value that is not such a sum of products.
    flaw: Option<Flaw>,
    /// The ranges of weights and inputs.
    ranges: [[i64; 2]; 2],
    /// The least and the greatest value of the sum of the terms, before the shift and without roundings.
    bounds: [i128; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    /// A product of two inputs or of two weights.
    Degree,
    /// A product of a value that may have been saturated, or a sum of values with different shifts.
    Rounded,
    /// A coefficient beyond 64 bits.
    Overflow,
}

impl Expression {
    /// The input at a place.
    pub fn input(place: usize, range: [i64; 2]) -> Self {
        Self::one(Monomial::new(None, Some(place)), [[0; 2], range])
    }

    /// The weight at a place, with the range of its type.
    pub fn weight(place: usize, element: Element) -> Self {
        Self::one(Monomial::new(Some(place), None), [element.range(), [0; 2]])
    }

    fn one(monomial: Monomial, ranges: [[i64; 2]; 2]) -> Self {
        let mut one = Self { ranges, ..Self::default() };
        one.add_monomial(monomial, 1);
        one
    }

    /// Adds coefficient · monomial.
    pub fn add_monomial(&mut self, monomial: Monomial, coefficient: i64) {
        let ends = self.ends(monomial);
        let term = self.terms.entry(monomial).or_insert(0);
        let Some(sum) = term.checked_add(coefficient) else {
            self.flaw = Some(Flaw::Overflow);
            return;
        };
        let before = std::mem::replace(term, sum);
        if sum == 0 {
            self.terms.remove(&monomial);
        }
        for (bound, most) in self.bounds.iter_mut().zip([false, true]) {
            // A negative coefficient swaps the ends.
            let of = |c: i64| i128::from(c) * ends[usize::from(most != (c < 0))];
            *bound += of(sum) - of(before);
        }
    }

    /// The least and the greatest value of a product.
    fn ends(&self, monomial: Monomial) -> [i128; 2] {
        let [weights, inputs] = self.ranges.map(|range| range.map(i128::from));
        match monomial.places() {
            [None, None] => [1; 2],
            [Some(_), None] => weights,
            [None, Some(_)] => inputs,
            [Some(_), Some(_)] => {
                let all = weights.map(|weight| inputs.map(|input| weight * input));
                let [[a, b], [c, d]] = all;
                [a.min(b).min(c).min(d), a.max(b).max(c).max(d)]
            }
        }
    }

    /// Whether it is exactly the sum of these terms, shifted by this many bits. The terms have distinct monomials and
    /// non-zero coefficients.
    pub fn is(&self, terms: &[(Monomial, i64)], shift: u32) -> bool {
        let same = self.flaw.is_none() && self.shift == shift && self.terms.len() == terms.len();
        same && terms.iter().all(|(monomial, coefficient)| self.terms.get(monomial) == Some(coefficient))
    }

    /// Its terms in order.
    fn sorted(&self) -> Vec<(Monomial, i64)> {
        let mut terms: Vec<_> =
            self.terms.iter().map(|(monomial, coefficient)| (*monomial, *coefficient)).collect();
        terms.sort_unstable();
        terms
    }

    /// The maximum difference from the exact sum, shifted and rounded once.
    pub fn error(&self) -> u64 {
        // Rounding is monotonic, so an error of e becomes at most e, rounded up to whole units.
        u64::try_from(-(-self.error >> (self.shift + 1))).unwrap_or(u64::MAX)
    }

    /// The value, if it contains neither inputs nor weights.
    fn constant_value(&self) -> Option<i64> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (None, _) => Some(0),
            (Some((monomial, value)), None) if *monomial == Monomial::default() => Some(*value),
            _ => None,
        }
    }

    fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.error == 0 && self.rounding == 0
    }

    /// Takes over the shift of an addend.
    fn shift_as(&mut self, shift: u32) {
        if self.is_zero() {
            self.shift = shift;
        } else if self.shift != shift {
            self.flaw = Some(Flaw::Rounded);
        }
    }

    /// The least and the greatest value, including roundings. Saturation also limits a value to its type.
    fn bounds(&self) -> [i128; 2] {
        let [least, greatest] = self.bounds;
        let off = self.error + self.rounding;
        [(2 * least - off) >> (self.shift + 1), -((-2 * greatest - off) >> (self.shift + 1))]
    }

    /// The least and the greatest value of a rounded sum before saturation.
    pub fn outputs(&self) -> [i128; 2] {
        let half = if self.shift == 0 { 0 } else { 1i128 << self.shift };
        let [least, greatest] = self.bounds;
        [2 * least - self.error, 2 * greatest + self.error].map(|twice| (twice + half) >> (self.shift + 1))
    }

    fn take_flaws(&mut self, other: &Self) {
        self.flaw = self.flaw.or(other.flaw);
        for (own, others) in self.ranges.iter_mut().zip(other.ranges) {
            if *own == [0, 0] {
                *own = others;
            }
        }
    }
}

impl Datum for Expression {
    fn zero() -> Self {
        Self::default()
    }

    fn constant(value: i64) -> Self {
        let mut constant = Self::default();
        if value != 0 {
            constant.add_monomial(Monomial::default(), value);
        }
        constant
    }

    fn combine(&self, other: &Self, how: PreAdd) -> Self {
        let mut combined = self.clone();
        match how {
            PreAdd::Sum => combined.add(other),
            PreAdd::Difference if !other.is_zero() => {
                combined.take_flaws(other);
                combined.shift_as(other.shift);
                combined.error += other.error + other.rounding;
                other.terms.iter().for_each(|(monomial, coefficient)| match coefficient.checked_neg() {
                    Some(negated) => combined.add_monomial(*monomial, negated),
                    None => combined.flaw = Some(Flaw::Overflow),
                });
            }
            PreAdd::Difference => {}
        }
        combined.saturates |= other.saturates;
        combined
    }

    fn accumulate(&mut self, x: &Self, z: &Self) {
        self.take_flaws(x);
        self.take_flaws(z);
        if x.is_zero() || z.is_zero() {
            return;
        }
        if x.saturates || z.saturates {
            self.flaw = Some(Flaw::Rounded);
        }
        self.shift_as(x.shift + z.shift);
        for (rounded, factor) in [(x, z), (z, x)] {
            let error = rounded.error + rounded.rounding;
            match factor.constant_value() {
                _ if error == 0 => {}
                Some(value) => self.error += error * i128::from(value.unsigned_abs()),
                None => self.flaw = Some(Flaw::Rounded),
            }
        }
        // The order does not matter, because sums are exact.
        x.terms.iter().for_each(|(x, x_coefficient)| {
            z.terms.iter().for_each(|(z, z_coefficient)| {
                match (x.times(*z), x_coefficient.checked_mul(*z_coefficient)) {
                    (Some(monomial), Some(product)) => self.add_monomial(monomial, product),
                    (None, _) => self.flaw = Some(Flaw::Degree),
                    (_, None) => self.flaw = Some(Flaw::Overflow),
                }
            });
        });
    }

    fn add(&mut self, other: &Self) {
        self.take_flaws(other);
        if other.is_zero() {
            return;
        }
        self.shift_as(other.shift);
        self.error += other.error + other.rounding;
        other.terms.iter().for_each(|(monomial, coefficient)| self.add_monomial(*monomial, *coefficient));
    }

    fn within(&self, element: Element) -> bool {
        let [least, greatest] = element.range().map(i128::from);
        let [low, high] = self.bounds();
        // A saturated value was saturated to the type of its register, which is that of the array.
        self.flaw.is_some() || self.saturates || (least <= low && high <= greatest)
    }

    fn fits(&self, bits: usize) -> bool {
        let half = 1i128 << (bits - 1);
        let [least, greatest] = self.bounds();
        -half <= least && greatest < half
    }

    /// Shifts and saturates. If the range of the inputs excludes saturation, the result is off by at most half a unit.
    fn round(&self, shift: u32, element: Element) -> Self {
        let mut rounded = self.clone();
        let range = element.range().map(i128::from);
        rounded.shift += shift;
        if shift > 0 {
            // Half a unit after the shift, doubled.
            rounded.error += std::mem::replace(&mut rounded.rounding, 1 << rounded.shift);
        }
        let [low, high] = rounded.bounds();
        let kept = range[0] <= low && high <= range[1];
        rounded.saturates |= !kept;
        rounded
    }
}

impl fmt::Display for Expression {
    /// The first few terms, the flaws and the shift.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 6;
        if let Some(flaw) = self.flaw {
            return match flaw {
                Flaw::Degree => f.write_str("a product of two inputs or two weights"),
                Flaw::Rounded => {
                    f.write_str("made of something that may be saturated, or that was shifted otherwise")
                }
                Flaw::Overflow => f.write_str("a coefficient beyond 64 bits"),
            };
        }
        write!(f, "{} terms:", self.terms.len())?;
        for (monomial, coefficient) in self.sorted().into_iter().take(SHOWN) {
            write!(f, " {coefficient:+}")?;
            for (name, place) in ["weight", "input"].iter().zip(monomial.places()) {
                if let Some(place) = place {
                    write!(f, "·{name}[{place}]")?;
                }
            }
        }
        if self.terms.len() > SHOWN {
            f.write_str(" …")?;
        }
        if self.shift > 0 {
            write!(f, ", shifted by {}", self.shift)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coefficient_without_a_negation_is_a_flaw() {
        let mut least = Expression::default();
        least.accumulate(&Expression::input(0, [0, 1]), &Expression::constant(i64::MIN));
        assert_eq!(Expression::zero().combine(&least, PreAdd::Difference).flaw, Some(Flaw::Overflow));
    }

    #[test]
    fn roundings_of_parts_add_up_by_their_coefficients() {
        let input = |place| Expression::input(place, [0, 255]);
        // 200 · a, shifted by one bit to fit 16 bits, is off by half.
        let mut column = Expression::default();
        column.accumulate(&input(0), &Expression::constant(200));
        assert_eq!(column.error(), 0);
        let column = column.round(1, Element::Int16);
        assert!(!column.saturates && column.error() == 0, "its own rounding is that of the exact result");
        // Three times that, plus three times another, is off by three units. A shift by two bits leaves at most one.
        let mut row = Expression::default();
        row.accumulate(&column, &Expression::constant(3));
        row.accumulate(&column.combine(&column, PreAdd::Difference), &Expression::constant(1));
        assert_eq!((row.shift, row.error()), (1, 3));
        let whole = row.round(2, Element::Int16);
        assert_eq!((whole.shift, whole.error(), whole.flaw), (3, 1, None));
        assert_eq!(whole.bounds(), [-2, 19127]);
        // An unshifted value cannot be added to it, and a value that may have been saturated cannot be multiplied.
        row.accumulate(&input(1), &Expression::constant(1));
        assert_eq!(row.flaw, Some(Flaw::Rounded));
        let mut wide = Expression::default();
        wide.accumulate(&input(0), &Expression::constant(200));
        let mut product = Expression::default();
        product.accumulate(&wide.round(0, Element::Int16), &Expression::constant(1));
        assert_eq!(product.flaw, Some(Flaw::Rounded));
    }
}
