//! The terms of identities, and how they are printed.

use crate::algebra::Rational;
use crate::pipeline::{Comparison, PixelType, Rounding};

/// A name that stands for something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The name, without its question mark.
    pub name: String,
    /// What it stands for.
    pub sort: Sort,
}

/// What an unknown stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// An exact value.
    Value,
    /// The other operands of a sum, a product, a minimum or a maximum.
    Sequence,
    /// A type of integers.
    Type,
    /// A way to round.
    Rounding,
}

/// A term.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// An unknown value, by its number.
    Unknown(usize),
    /// A number.
    Number(Rational),
    /// An operation on terms, and on the operands that a sequence stands for.
    Apply(Operator, Vec<Term>, Option<usize>),
}

/// A word of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word<T> {
    /// This word.
    Is(T),
    /// Any, by the number of an unknown.
    Unknown(usize),
}

/// A point-wise operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is the operation of pipelines with this name")]
pub enum Operator {
    Add,
    Multiply,
    Quotient,
    Absolute,
    Minimum,
    Maximum,
    Compare(Comparison),
    Select,
    Root,
    Round(Word<Rounding>),
    Wrap(Word<PixelType>),
}

impl Operator {
    /// Whether it takes any number of operands, in any order.
    pub fn is_commutative(self) -> bool {
        matches!(self, Self::Add | Self::Multiply | Self::Minimum | Self::Maximum)
    }

    /// The operation on any number of operands with this head in files.
    pub fn of_many(head: &str) -> Option<Self> {
        Some(match head {
            "+" => Self::Add,
            "*" => Self::Multiply,
            "min" | "and" => Self::Minimum,
            "max" | "or" => Self::Maximum,
            _ => return None,
        })
    }

    /// The name in files.
    fn name(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Multiply => "*",
            Self::Quotient => "quotient",
            Self::Absolute => "abs",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::Compare(Comparison::Less) => "<",
            Self::Compare(Comparison::AtMost) => "<=",
            Self::Compare(Comparison::Equal) => "=",
            Self::Select => "select",
            Self::Root => "sqrt",
            Self::Round(_) => "round",
            Self::Wrap(_) => "wrap",
        }
    }
}

/// What an unknown stands for, where values are `V`.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::pipeline) enum Meaning<V> {
    Value(V),
    Sequence(Vec<V>),
    Type(PixelType),
    Rounding(Rounding),
}

/// Where terms have values: numbers, or nodes of a pipeline.
pub(in crate::pipeline) trait Domain {
    /// A value.
    type Value: Copy;

    /// A number; `None` if there is none such.
    fn number(&mut self, value: Rational) -> Option<Self::Value>;

    /// The value of an operation, whose words are known; `None` if it is not defined.
    fn apply(&mut self, operator: Operator, operands: Vec<Self::Value>) -> Option<Self::Value>;
}

impl<T: Copy> Word<T> {
    /// The word, by what unknowns stand for.
    pub(super) fn known<V>(
        self,
        meanings: &[Option<Meaning<V>>],
        word: impl Fn(&Meaning<V>) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::Is(word) => Some(word),
            Self::Unknown(number) => meanings[number].as_ref().and_then(word),
        }
    }
}

/// The type that an unknown stands for.
pub(super) fn as_type<V>(meaning: &Meaning<V>) -> Option<PixelType> {
    if let Meaning::Type(pixel) = meaning { Some(*pixel) } else { None }
}

/// The way to round that an unknown stands for.
pub(super) fn as_rounding<V>(meaning: &Meaning<V>) -> Option<Rounding> {
    if let Meaning::Rounding(rounding) = meaning { Some(*rounding) } else { None }
}

impl Term {
    /// The term that a form in a file stands for, if all its arguments are terms; `None` for another head or number of arguments.
    pub fn written(head: &str, terms: Vec<Term>) -> Option<Self> {
        let of = |operator: Operator, terms: Vec<Term>| Self::Apply(operator, terms, None);
        let number = |value: i64| Self::Number(Rational::integer(value));
        let negated = |term: Term| of(Operator::Multiply, vec![number(-1), term]);
        let difference = |a: Term, b: Term| of(Operator::Add, vec![a, negated(b)]);
        let compare = |comparison: Comparison, a, b| of(Operator::Compare(comparison), vec![a, b]);
        if let Some(operator) = Operator::of_many(head) {
            return Some(of(operator, terms));
        }
        let is_difference = head == "-" && terms.len() > 1;
        let mut terms = terms.into_iter();
        let first = terms.next()?;
        if is_difference {
            return Some(of(Operator::Add, std::iter::once(first).chain(terms.map(negated)).collect()));
        }
        Some(match (head, first, terms.next(), terms.next()) {
            _ if terms.len() > 0 => return None,
            ("-" | "neg", a, None, None) => negated(a),
            ("not", a, None, None) => difference(number(1), a),
            ("abs", a, None, None) => of(Operator::Absolute, vec![a]),
            ("sqrt", a, None, None) => of(Operator::Root, vec![a]),
            ("absdiff", a, Some(b), None) => of(Operator::Absolute, vec![difference(a, b)]),
            ("quotient", a, Some(b), None) => of(Operator::Quotient, vec![a, b]),
            ("<", a, Some(b), None) | (">", b, Some(a), None) => compare(Comparison::Less, a, b),
            ("<=", a, Some(b), None) | (">=", b, Some(a), None) => compare(Comparison::AtMost, a, b),
            ("=", a, Some(b), None) => compare(Comparison::Equal, a, b),
            ("!=", a, Some(b), None) => difference(number(1), compare(Comparison::Equal, a, b)),
            ("clamp", low, Some(high), Some(a)) => {
                of(Operator::Maximum, vec![low, of(Operator::Minimum, vec![high, a])])
            }
            ("select", condition, Some(a), Some(b)) => of(Operator::Select, vec![condition, a, b]),
            _ => return None,
        })
    }

    /// The value, where unknowns stand for these; `None` if it is not defined.
    pub(in crate::pipeline) fn value<D: Domain>(
        &self,
        domain: &mut D,
        meanings: &[Option<Meaning<D::Value>>],
    ) -> Option<D::Value> {
        match self {
            Self::Unknown(number) => match meanings[*number].as_ref()? {
                Meaning::Value(value) => Some(*value),
                _ => None,
            },
            Self::Number(value) => domain.number(*value),
            Self::Apply(operator, terms, rest) => {
                let mut operands =
                    terms.iter().map(|term| term.value(domain, meanings)).collect::<Option<Vec<_>>>()?;
                if let Some(Meaning::Sequence(others)) = rest.and_then(|rest| meanings[rest].as_ref()) {
                    operands.extend(others);
                }
                let operator = match operator {
                    Operator::Round(word) => Operator::Round(Word::Is(word.known(meanings, as_rounding)?)),
                    Operator::Wrap(word) => Operator::Wrap(Word::Is(word.known(meanings, as_type)?)),
                    other => *other,
                };
                match (operator.is_commutative(), operands.as_slice()) {
                    (true, []) => None,
                    (true, [one]) => Some(*one),
                    _ => domain.apply(operator, operands),
                }
            }
        }
    }

    /// Adds the numbers of the term to a list.
    pub(super) fn numbers(&self, found: &mut Vec<Rational>) {
        match self {
            Self::Unknown(_) => {}
            Self::Number(value) => found.push(*value),
            Self::Apply(_, terms, _) => terms.iter().for_each(|term| term.numbers(found)),
        }
    }

    /// The term as files write it.
    pub(super) fn print(&self, unknowns: &[Unknown]) -> String {
        match self {
            Self::Unknown(number) => format!("?{}", unknowns[*number].name),
            Self::Number(value) => value.to_string(),
            Self::Apply(operator, terms, rest) => {
                let mut words = vec![operator.name().to_owned()];
                match operator {
                    Operator::Round(word) => words.push(word.print(unknowns, rounding_name)),
                    Operator::Wrap(word) => words.push(word.print(unknowns, |pixel| pixel.to_string())),
                    _ => {}
                }
                words.extend(terms.iter().map(|term| term.print(unknowns)));
                words.extend(rest.map(|rest| format!("?{}...", unknowns[rest].name)));
                format!("({})", words.join(" "))
            }
        }
    }
}

fn rounding_name(rounding: Rounding) -> String {
    let found = Rounding::ALL.into_iter().find(|(_, other)| *other == rounding);
    found.map_or_else(String::new, |(name, _)| name.to_owned())
}

impl<T: Copy> Word<T> {
    pub(super) fn print(self, unknowns: &[Unknown], word: impl Fn(T) -> String) -> String {
        match self {
            Self::Is(one) => word(one),
            Self::Unknown(number) => format!("?{}", unknowns[number].name),
        }
    }
}
