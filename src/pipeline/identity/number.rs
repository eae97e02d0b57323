//! The values of terms on numbers. This shares nothing with what pipelines are made or executed by.

use crate::algebra::Rational;
use crate::pipeline::{Comparison, PixelType};

use super::term::{Domain, Operator, Word};

/// Exact numbers.
pub(super) struct Numbers;

impl Domain for Numbers {
    type Value = Rational;

    fn number(&mut self, value: Rational) -> Option<Rational> {
        Some(value)
    }

    fn apply(&mut self, operator: Operator, operands: Vec<Rational>) -> Option<Rational> {
        let mut all = operands.iter().copied();
        match (operator, operands.as_slice()) {
            (Operator::Add, _) => all.try_fold(Rational::ZERO, Rational::add),
            (Operator::Multiply, _) => all.try_fold(Rational::ONE, Rational::mul),
            (Operator::Minimum, _) => all.min(),
            (Operator::Maximum, _) => all.max(),
            (Operator::Quotient, [a, b]) => floor(a.div(*b)?),
            (Operator::Absolute, [a]) => Some(a.abs()),
            (Operator::Compare(comparison), [a, b]) => {
                let holds = match comparison {
                    Comparison::Less => a < b,
                    Comparison::AtMost => a <= b,
                    Comparison::Equal => a == b,
                };
                Some(Rational::integer(holds.into()))
            }
            (Operator::Select, [condition, then, otherwise]) => match *condition {
                Rational::ONE => Some(*then),
                Rational::ZERO => Some(*otherwise),
                _ => None,
            },
            (Operator::Root, [a]) if !a.is_negative() => {
                Some(Rational::integer(floor(*a)?.numerator().isqrt()))
            }
            (Operator::Round(Word::Is(rounding)), [a]) => {
                let rounded = rounding.apply(a.numerator().into(), a.denominator().into())?;
                Some(Rational::integer(i64::try_from(rounded).ok()?))
            }
            (Operator::Wrap(Word::Is(pixel)), [a]) if a.is_integer() => wrapped(pixel, a.numerator()),
            _ => None,
        }
    }
}

fn floor(value: Rational) -> Option<Rational> {
    Some(Rational::integer(value.floor()))
}

/// The integer of the type that is equal modulo 2^bits.
fn wrapped(pixel: PixelType, value: i64) -> Option<Rational> {
    let [least, _] = pixel.limits()?;
    let wrapped = (i128::from(value) - least).rem_euclid(1 << pixel.bits()) + least;
    Some(Rational::integer(i64::try_from(wrapped).ok()?))
}
