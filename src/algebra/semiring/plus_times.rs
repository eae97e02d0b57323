//! The default: rationals with ordinary addition and multiplication.

use super::{Choice, Ring, Semiring};
use crate::algebra::{CoefficientError, Rational};

/// (+ ×) over the rationals: linear filters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlusTimes;

impl Semiring for PlusTimes {
    type Element = Rational;

    const NAME: &'static str = "plus-times";
    const DOC: &'static str = "Rationals; sums add, products multiply: linear filters.";
    const SYMBOLS: [&'static str; 2] = ["+", "×"];
    const CHOICE: Option<Choice> = None;

    fn zero() -> Rational {
        Rational::ZERO
    }

    fn one() -> Rational {
        Rational::ONE
    }

    fn add(a: Rational, b: Rational) -> Option<Rational> {
        a.add(b)
    }

    fn mul(a: Rational, b: Rational) -> Option<Rational> {
        a.mul(b)
    }

    fn negate(a: Rational) -> Option<Rational> {
        Some(a.negate())
    }

    fn reciprocal(a: Rational) -> Option<Rational> {
        if a.is_zero() { None } else { Rational::ONE.div(a) }
    }

    fn of(number: Rational) -> Option<Rational> {
        Some(number)
    }

    fn number(a: Rational) -> Option<Rational> {
        Some(a)
    }

    fn parse(text: &str) -> Result<Rational, CoefficientError> {
        text.parse()
    }

    fn is_zero(a: Rational) -> bool {
        a.is_zero()
    }
}

impl Ring for PlusTimes {
    fn opposite(a: Rational) -> Rational {
        a.negate()
    }
}
