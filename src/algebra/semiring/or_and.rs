//! Truth values: binary morphology and reachability.

use super::{Choice, Semiring};
use crate::algebra::{CoefficientError, Rational};

/// (or and) over the truth values: a kernel is a structuring element, and applying it dilates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OrAnd;

/// A truth value, printed as `1` or `0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Truth(
    /// Whether it is true.
    pub bool,
);

impl std::fmt::Display for Truth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(if self.0 { "1" } else { "0" })
    }
}

impl Semiring for OrAnd {
    type Element = Truth;

    const NAME: &'static str = "or-and";
    const DOC: &'static str = "Truth values; sums are or, products are and: binary dilation, reachability.";
    const SYMBOLS: [&'static str; 2] = ["or", "and"];
    const CHOICE: Option<Choice> = Some(Choice::Greatest);

    fn zero() -> Truth {
        Truth(false)
    }

    fn one() -> Truth {
        Truth(true)
    }

    fn add(a: Truth, b: Truth) -> Option<Truth> {
        Some(Truth(a.0 || b.0))
    }

    fn mul(a: Truth, b: Truth) -> Option<Truth> {
        Some(Truth(a.0 && b.0))
    }

    fn reciprocal(a: Truth) -> Option<Truth> {
        a.0.then_some(a)
    }

    /// One is true, zero is false.
    fn of(number: Rational) -> Option<Truth> {
        (number == Rational::ONE || number.is_zero()).then(|| Truth(!number.is_zero()))
    }

    fn number(a: Truth) -> Option<Rational> {
        Some(Rational::integer(i64::from(a.0)))
    }

    /// Reads `1` or `true`, `0` or `false`.
    fn parse(text: &str) -> Result<Truth, CoefficientError> {
        match text {
            "1" | "true" => Ok(Truth(true)),
            "0" | "false" => Ok(Truth(false)),
            _ => Err(CoefficientError::NotANumber),
        }
    }
}
