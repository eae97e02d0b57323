//! Exact rational coefficients with checked arithmetic: an overflow is reported, never wrapped.

use std::fmt;

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Signed, Zero};

/// An exact rational number in lowest terms with a positive denominator; numerator and denominator fit `i64`.
///
/// Every operation returns `None` where a numerator, a denominator or an intermediate product leaves `i64`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(Ratio<i64>);

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self(Ratio::new_raw(0, 1));
    /// One.
    pub const ONE: Self = Self(Ratio::new_raw(1, 1));

    /// `numerator / denominator`; `None` for a zero denominator or where the reduced form does not fit.
    pub fn new(numerator: i64, denominator: i64) -> Option<Self> {
        if denominator == 0 || numerator == i64::MIN || denominator == i64::MIN {
            return None;
        }
        Some(Self(Ratio::new(numerator, denominator)))
    }

    /// The integer `value`.
    pub const fn integer(value: i64) -> Self {
        Self(Ratio::new_raw(value, 1))
    }

    /// 2^`exponent`, for exponents in -62..=62.
    pub fn power_of_two(exponent: i32) -> Option<Self> {
        let magnitude = 1i64.checked_shl(exponent.unsigned_abs()).filter(|m| *m > 0)?;
        if exponent >= 0 { Self::new(magnitude, 1) } else { Self::new(1, magnitude) }
    }

    /// The numerator, whose sign is the number's.
    pub fn numerator(self) -> i64 {
        *self.0.numer()
    }

    /// The denominator, always positive.
    pub fn denominator(self) -> i64 {
        *self.0.denom()
    }

    /// Whether this is zero.
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is below zero.
    pub fn is_negative(self) -> bool {
        self.0.is_negative()
    }

    /// Whether the denominator is one.
    pub fn is_integer(self) -> bool {
        *self.0.denom() == 1
    }

    /// The sum.
    pub fn add(self, other: Self) -> Option<Self> {
        self.0.checked_add(&other.0).filter(in_range).map(Self)
    }

    /// The difference.
    pub fn sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(&other.0).filter(in_range).map(Self)
    }

    /// The product.
    pub fn mul(self, other: Self) -> Option<Self> {
        self.0.checked_mul(&other.0).filter(in_range).map(Self)
    }

    /// The quotient; also `None` for a zero divisor.
    pub fn div(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        self.0.checked_div(&other.0).filter(in_range).map(Self)
    }

    /// The negation: always representable, as `i64::MIN` never is a numerator.
    pub fn negate(self) -> Self {
        Self(Ratio::new_raw(-self.0.numer(), *self.0.denom()))
    }

    /// The absolute value.
    pub fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// The nearest `f64`, for costs, noise and pictures only.
    pub fn to_f64(self) -> f64 {
        self.numerator() as f64 / self.denominator() as f64
    }
}

/// `i64::MIN` has no negation: it counts as an overflow.
fn in_range(ratio: &Ratio<i64>) -> bool {
    *ratio.numer() != i64::MIN
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.numerator())
        } else {
            write!(f, "{}/{}", self.numerator(), self.denominator())
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_is_none_never_a_wrapped_value() {
        let big = Rational::integer(i64::MAX);
        assert_eq!(big.add(Rational::ONE), None);
        assert_eq!(big.mul(Rational::integer(2)), None);
        assert_eq!(big.negate().sub(Rational::ONE), None);
        assert_eq!(Rational::ONE.div(Rational::ZERO), None);
        assert_eq!(Rational::new(1, 0), None);
    }

    #[test]
    fn prints_lowest_terms() {
        assert_eq!(Rational::new(-6, 8).unwrap().to_string(), "-3/4");
        assert_eq!(Rational::new(4, -2).unwrap().to_string(), "-2");
    }
}
