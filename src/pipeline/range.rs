//! Intervals of exact values, as integers over a common denominator. All arithmetic is checked.

use std::fmt;

use crate::algebra::lcm;

/// All values n / denominator with `least` ≤ n ≤ `greatest`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// The common denominator, positive.
    pub denominator: i128,
    /// The least numerator.
    pub least: i128,
    /// The greatest numerator.
    pub greatest: i128,
}

impl Range {
    /// Truth values.
    pub const TRUTH: Self = Self::integers(0, 1);

    /// The greatest denominator: products of two numerators and denominators stay in range.
    const MAX_DENOMINATOR: i128 = 1 << 62;

    /// The integers from `least` to `greatest`.
    pub const fn integers(least: i128, greatest: i128) -> Self {
        Self { denominator: 1, least, greatest }
    }

    /// One value.
    pub const fn single(numerator: i128, denominator: i128) -> Self {
        Self { denominator, least: numerator, greatest: numerator }
    }

    /// The bits of a numerator: unsigned if no value is negative, otherwise in two's complement.
    pub fn bits(self) -> u32 {
        let magnitude = |value: i128| 128 - value.leading_zeros();
        if self.least < 0 {
            1 + magnitude(!self.least).max(magnitude(self.greatest.max(0)))
        } else {
            magnitude(self.greatest).max(1)
        }
    }

    /// Whether there are negative values.
    pub fn is_signed(self) -> bool {
        self.least < 0
    }

    /// Whether all values are integers by their denominator.
    pub fn is_integer(self) -> bool {
        self.denominator == 1
    }

    /// Whether all values are 0 or 1.
    pub fn is_truth(self) -> bool {
        self.denominator == 1 && self.least >= 0 && self.greatest <= 1
    }

    /// Whether the interval has one value only.
    pub fn is_single(self) -> bool {
        self.least == self.greatest
    }

    /// Whether 0 is in the interval.
    pub fn has_zero(self) -> bool {
        self.least <= 0 && self.greatest >= 0
    }

    /// The same values over another denominator, a multiple of this one.
    pub fn over(self, denominator: i128) -> Option<Self> {
        let factor = denominator / self.denominator;
        debug_assert!(factor * self.denominator == denominator, "a multiple of the denominator");
        Some(Self {
            denominator,
            least: self.least.checked_mul(factor)?,
            greatest: self.greatest.checked_mul(factor)?,
        })
    }

    /// Both over one denominator.
    pub fn aligned(self, other: Self) -> Option<(Self, Self)> {
        let denominator = common_multiple(self.denominator, other.denominator)?;
        Some((self.over(denominator)?, other.over(denominator)?))
    }

    /// The smallest interval that contains both.
    pub fn union(self, other: Self) -> Option<Self> {
        let (a, b) = self.aligned(other)?;
        Some(Self { least: a.least.min(b.least), greatest: a.greatest.max(b.greatest), ..a })
    }

    /// The sums.
    pub fn sum(self, other: Self) -> Option<Self> {
        let (a, b) = self.aligned(other)?;
        let (least, greatest) = (a.least.checked_add(b.least)?, a.greatest.checked_add(b.greatest)?);
        Some(Self { least, greatest, ..a })
    }

    /// The products of independent values.
    pub fn product(self, other: Self) -> Option<Self> {
        let denominator = self.denominator.checked_mul(other.denominator)?;
        let [a, b, c, d] = [
            self.least.checked_mul(other.least)?,
            self.least.checked_mul(other.greatest)?,
            self.greatest.checked_mul(other.least)?,
            self.greatest.checked_mul(other.greatest)?,
        ];
        let of = Self { denominator, least: a.min(b).min(c).min(d), greatest: a.max(b).max(c).max(d) };
        (denominator <= Self::MAX_DENOMINATOR).then_some(of)
    }

    /// The powers with this exponent.
    pub fn power(self, exponent: u32) -> Option<Self> {
        let mut all = (1..exponent).try_fold(self, |power, _| power.product(self))?;
        if exponent.is_multiple_of(2) {
            let ends = [self.least.checked_pow(exponent)?, self.greatest.checked_pow(exponent)?];
            all.least = if self.has_zero() { 0 } else { ends[0].min(ends[1]) };
        }
        Some(all)
    }

    /// The absolute values.
    pub fn absolute(self) -> Option<Self> {
        let [a, b] = [self.least.checked_abs()?, self.greatest.checked_abs()?];
        let least = if self.has_zero() { 0 } else { a.min(b) };
        Some(Self { least, greatest: a.max(b), ..self })
    }
}

impl fmt::Display for Range {
    /// The least and the greatest value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{} to {}", self.least, self.greatest),
            d => write!(f, "{}/{d} to {}/{d}", self.least, self.greatest),
        }
    }
}

/// The least common multiple of two positive numbers, if it is an admissible denominator.
pub(crate) fn common_multiple(a: i128, b: i128) -> Option<i128> {
    lcm(a, b).filter(|multiple| *multiple <= Range::MAX_DENOMINATOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_narrowest_type() {
        for (least, greatest, bits) in [
            (0, 0, 1),
            (0, 1, 1),
            (0, 255, 8),
            (0, 256, 9),
            (-1, 0, 1),
            (-1, 1, 2),
            (-128, 127, 8),
            (-129, 0, 9),
        ] {
            assert_eq!(Range::integers(least, greatest).bits(), bits, "{least} to {greatest}");
        }
    }

    #[test]
    fn even_powers_are_not_negative() {
        assert_eq!(Range::integers(-3, 2).power(2), Some(Range::integers(0, 9)));
        assert_eq!(Range::integers(-3, -2).power(2), Some(Range::integers(4, 9)));
        assert_eq!(Range::integers(-3, 2).power(3), Some(Range::integers(-27, 18)));
    }

    #[test]
    fn denominators_meet() {
        let (half, third) = (Range::single(1, 2), Range::single(1, 3));
        assert_eq!(half.sum(third), Some(Range::single(5, 6)));
        assert_eq!(half.union(third), Some(Range { denominator: 6, least: 2, greatest: 3 }));
    }
}
