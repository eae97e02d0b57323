//! Conditions of identities: what must hold of the values that unknowns stand for.

use crate::algebra::Rational;
use crate::pipeline::build::Builder;
use crate::pipeline::id::NodeId;
use crate::pipeline::{Linear, Operation, PixelType, Range};

use super::term::{Meaning, Term, Unknown, Word, as_type};

/// A condition. Of values in a pipeline it holds if intervals prove it.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// The first is at most the second.
    AtMost(Term, Term),
    /// The first is less than the second.
    Below(Term, Term),
    /// All values are integers.
    Integer(Term),
    /// All values of a sequence are integers.
    Integers(usize),
    /// The value is a number that is known.
    Known(Term),
    /// The value is 1/n, for a positive integer n.
    UnitFraction(Term),
    /// All values are integers of the type.
    Fits(Term, Word<PixelType>),
}

impl Condition {
    /// All names of conditions in files, with the words after them.
    pub const USAGES: [(&'static str, &'static str); 6] = [
        ("at-most", "(at-most ?a ?b)"),
        ("below", "(below ?a ?b)"),
        ("fits", "(fits ?a TYPE)"),
        ("integer", "(integer ?a)"),
        ("known", "(known ?a)"),
        ("unit-fraction", "(unit-fraction ?a)"),
    ];

    /// Whether the condition holds for these numbers.
    pub(super) fn holds(&self, meanings: &[Option<Meaning<Rational>>]) -> bool {
        let of = |term: &Term| match term {
            Term::Number(value) => Some(*value),
            Term::Unknown(number) => match meanings[*number] {
                Some(Meaning::Value(value)) => Some(value),
                _ => None,
            },
            Term::Apply(..) => None,
        };
        let holds = || {
            Some(match self {
                Self::AtMost(a, b) => of(a)? <= of(b)?,
                Self::Below(a, b) => of(a)? < of(b)?,
                Self::Integer(a) => of(a)?.is_integer(),
                Self::Integers(number) => match meanings[*number].as_ref()? {
                    Meaning::Sequence(list) => list.iter().all(|value| value.is_integer()),
                    _ => false,
                },
                Self::Known(_) => true,
                Self::UnitFraction(a) => of(a)?.numerator() == 1,
                Self::Fits(a, word) => {
                    let (value, pixel) = (of(a)?, word.known(meanings, as_type)?);
                    let numerator = value.numerator().into();
                    value.is_integer() && pixel.holds(numerator, numerator)
                }
            })
        };
        holds().unwrap_or(false)
    }

    /// Whether intervals prove the condition for these values of a pipeline.
    pub(super) fn is_proved(&self, builder: &Builder, meanings: &[Option<Meaning<NodeId>>]) -> bool {
        let node = |term: &Term| match term {
            Term::Unknown(number) => match meanings[*number] {
                Some(Meaning::Value(id)) => Some(id),
                _ => None,
            },
            _ => None,
        };
        let range = |term: &Term| node(term).and_then(|id| builder.facts(id).range());
        let form = |term: &Term| match term {
            Term::Number(value) => Some(Linear::constant(*value)),
            other => node(other).map(|id| builder.linear(id).clone()),
        };
        let difference = |a: &Term, b: &Term| builder.range(&Linear::difference(&form(a)?, &form(b)?)?);
        let constant = |term: &Term| match builder.operation(node(term)?) {
            Operation::Constant(value) => Some(*value),
            _ => None,
        };
        match self {
            Self::AtMost(a, b) => difference(a, b).is_some_and(|range| range.greatest <= 0),
            Self::Below(a, b) => difference(a, b).is_some_and(|range| range.greatest < 0),
            Self::Integer(a) => range(a).is_some_and(Range::is_integer),
            Self::Integers(number) => match &meanings[*number] {
                Some(Meaning::Sequence(list)) => {
                    list.iter().all(|id| builder.facts(*id).range().is_some_and(Range::is_integer))
                }
                _ => false,
            },
            Self::Known(a) => constant(a).is_some(),
            Self::UnitFraction(a) => constant(a).is_some_and(|value| value.numerator() == 1),
            Self::Fits(a, word) => {
                let fits = |pixel: PixelType, range: Range| {
                    range.is_integer() && pixel.holds(range.least, range.greatest)
                };
                word.known(meanings, as_type).zip(range(a)).is_some_and(|(pixel, range)| fits(pixel, range))
            }
        }
    }

    /// The terms of which it says something.
    pub(super) fn terms(&self) -> Vec<&Term> {
        match self {
            Self::AtMost(a, b) | Self::Below(a, b) => vec![a, b],
            Self::Integer(a) | Self::Known(a) | Self::UnitFraction(a) | Self::Fits(a, _) => vec![a],
            Self::Integers(_) => Vec::new(),
        }
    }

    /// The condition as files write it.
    pub(super) fn print(&self, unknowns: &[Unknown]) -> String {
        let of = |term: &Term| term.print(unknowns);
        match self {
            Self::AtMost(a, b) => format!("(at-most {} {})", of(a), of(b)),
            Self::Below(a, b) => format!("(below {} {})", of(a), of(b)),
            Self::Integer(a) => format!("(integer {})", of(a)),
            Self::Integers(number) => format!("(integer ?{}...)", unknowns[*number].name),
            Self::Known(a) => format!("(known {})", of(a)),
            Self::UnitFraction(a) => format!("(unit-fraction {})", of(a)),
            Self::Fits(a, word) => {
                format!("(fits {} {})", of(a), word.print(unknowns, |pixel| pixel.to_string()))
            }
        }
    }
}
