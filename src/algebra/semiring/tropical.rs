//! Tropical semirings: path lengths, grey-scale dilation and erosion.

use std::fmt;
use std::str::FromStr;

use super::{Choice, Semiring};
use crate::algebra::{CoefficientError, Rational};

/// A rational, or an infinity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Extended {
    /// Below all rationals.
    NegativeInfinity,
    /// A rational.
    Finite(Rational),
    /// Above all rationals.
    PositiveInfinity,
}

impl Extended {
    /// The finite zero.
    pub const ZERO: Self = Self::Finite(Rational::ZERO);

    /// The integer `value`.
    pub const fn integer(value: i64) -> Self {
        Self::Finite(Rational::integer(value))
    }

    /// The rational; `None` for an infinity.
    fn finite(self) -> Option<Rational> {
        match self {
            Self::Finite(value) => Some(value),
            _ => None,
        }
    }

    /// The negation; `None` for an infinity.
    fn opposite(self) -> Option<Self> {
        Some(Self::Finite(self.finite()?.negate()))
    }

    /// The sum; of two opposite infinities, `stronger` wins. `None` on overflow.
    fn sum(self, other: Self, stronger: Self) -> Option<Self> {
        match (self, other) {
            (Self::Finite(a), Self::Finite(b)) => a.add(b).map(Self::Finite),
            _ if self == stronger || other == stronger => Some(stronger),
            (Self::Finite(_), infinity) | (infinity, _) => Some(infinity),
        }
    }
}

impl fmt::Display for Extended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeInfinity => f.pad("-inf"),
            Self::Finite(value) => fmt::Display::fmt(value, f),
            Self::PositiveInfinity => f.pad("inf"),
        }
    }
}

impl FromStr for Extended {
    type Err = CoefficientError;

    /// Reads `inf`, `+inf`, `-inf`, or a rational.
    fn from_str(text: &str) -> Result<Self, CoefficientError> {
        match text {
            "inf" | "+inf" => Ok(Self::PositiveInfinity),
            "-inf" => Ok(Self::NegativeInfinity),
            _ => text.parse().map(Self::Finite),
        }
    }
}

/// (min +) over the rationals with infinities: sums are minima, products are sums; zero is +∞, one is 0.
///
/// Kernels are costs of moves, and composing them adds the costs of moves in sequence: shortest paths, grey-scale erosion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MinPlus;

/// (max +) over the rationals with infinities: sums are maxima, products are sums; zero is −∞, one is 0.
///
/// Kernels are structuring functions: grey-scale dilation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MaxPlus;

/// Defines a semiring whose sum is one of two values and whose product adds them.
macro_rules! tropical {
    ($semiring:ident, $name:literal, $doc:literal, $sum:literal, $choose:ident, $side:ident, $zero:ident) => {
        impl Semiring for $semiring {
            type Element = Extended;

            const NAME: &'static str = $name;
            const DOC: &'static str = $doc;
            const SYMBOLS: [&'static str; 2] = [$sum, "+"];
            const CHOICE: Option<Choice> = Some(Choice::$side);

            fn zero() -> Extended {
                Extended::$zero
            }

            fn one() -> Extended {
                Extended::ZERO
            }

            fn add(a: Extended, b: Extended) -> Option<Extended> {
                Some(a.$choose(b))
            }

            fn mul(a: Extended, b: Extended) -> Option<Extended> {
                a.sum(b, Extended::$zero)
            }

            fn reciprocal(a: Extended) -> Option<Extended> {
                a.opposite()
            }

            fn of(number: Rational) -> Option<Extended> {
                Some(Extended::Finite(number))
            }

            fn number(a: Extended) -> Option<Rational> {
                a.finite()
            }

            fn parse(text: &str) -> Result<Extended, CoefficientError> {
                text.parse()
            }
        }
    };
}

tropical!(
    MinPlus,
    "min-plus",
    "Rationals and ±inf; sums are minima, products add: shortest paths, erosion.",
    "min",
    min,
    Least,
    PositiveInfinity
);
tropical!(
    MaxPlus,
    "max-plus",
    "Rationals and ±inf; sums are maxima, products add: longest paths, dilation.",
    "max",
    max,
    Greatest,
    NegativeInfinity
);
