//! Numbers computed by a rule: `?c`, `(eval (/ ?c 2))`.

use std::fmt;

use super::{Variable, VariableId};
use crate::algebra::{Arithmetic, Rational, Semiring, in_semiring};

/// The arithmetic operations on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `+`: the sum.
    Add,
    /// `-`: the difference, or the negation of one number.
    Subtract,
    /// `*`: the product.
    Multiply,
    /// `/`: the quotient, or the reciprocal of one number.
    Divide,
}

impl Operation {
    /// All operations with their names in rule files.
    pub const ALL: [(&'static str, Self); 4] =
        [("+", Self::Add), ("-", Self::Subtract), ("*", Self::Multiply), ("/", Self::Divide)];

    /// The name in rule files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, operation)| *operation == self).map_or("?", |(name, _)| name)
    }

    /// The result for two coefficients of `S`. `None` on overflow, if the divisor has no reciprocal, and for a
    /// difference in a semiring without negation.
    pub fn apply<S: Semiring>(self, a: S::Element, b: S::Element) -> Option<S::Element> {
        match self {
            Self::Add => S::add(a, b),
            Self::Subtract => S::add(a, S::negate(b)?),
            Self::Multiply => S::mul(a, b),
            Self::Divide => S::mul(a, S::reciprocal(b)?),
        }
    }
}

/// A number in a rule: a literal, a variable bound on the left side, or a computed number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A literal.
    Literal(Rational),
    /// A number variable.
    Variable(VariableId),
    /// An operation applied from left to right to at least one operand.
    Apply(Operation, Vec<Expression>),
}

impl Expression {
    /// The value in `S` where variable i stands for `number(i)`. All operations are those of the semiring: in (max +),
    /// `+` is the maximum of two numbers and `*` their sum. `None` on overflow, and for numbers that the semiring lacks.
    pub fn evaluate<S: Semiring>(
        &self,
        number: &impl Fn(VariableId) -> Option<S::Element>,
    ) -> Option<S::Element> {
        match self {
            Self::Literal(value) => S::of(*value),
            Self::Variable(variable) => number(*variable),
            Self::Apply(operation, operands) => {
                let mut values = operands.iter().map(|operand| operand.evaluate::<S>(number));
                let first = values.next()??;
                if operands.len() == 1 {
                    return match operation {
                        Operation::Subtract => S::negate(first),
                        Operation::Divide => S::reciprocal(first),
                        _ => Some(first),
                    };
                }
                values.try_fold(first, |result, value| operation.apply::<S>(result, value?))
            }
        }
    }

    /// The number that denotes the value in a semiring, where variable i is written as `number(i)`. `None` as for
    /// [`Expression::evaluate`].
    pub fn number(
        &self,
        arithmetic: Arithmetic,
        number: &dyn Fn(VariableId) -> Option<Rational>,
    ) -> Option<Rational> {
        in_semiring!(arithmetic.name(), |S| S::number(
            self.evaluate::<S>(&|variable| S::of(number(variable)?))?
        ))?
    }

    /// Whether the expression contains a difference, which only rings have.
    pub fn subtracts(&self) -> bool {
        match self {
            Self::Literal(_) | Self::Variable(_) => false,
            Self::Apply(operation, operands) => {
                *operation == Operation::Subtract || operands.iter().any(Self::subtracts)
            }
        }
    }

    /// Calls `visit` with every literal.
    pub fn for_each_literal(&self, visit: &mut impl FnMut(Rational)) {
        match self {
            Self::Literal(value) => visit(*value),
            Self::Variable(_) => {}
            Self::Apply(_, operands) => operands.iter().for_each(|operand| operand.for_each_literal(visit)),
        }
    }

    /// Calls `visit` with every variable, repetitions included.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Self::Literal(_) => {}
            Self::Variable(variable) => visit(*variable),
            Self::Apply(_, operands) => operands.iter().for_each(|operand| operand.for_each_variable(visit)),
        }
    }

    /// The expression as rule files write it inside `(eval …)`.
    pub fn print(&self, name: &impl Fn(VariableId) -> String) -> String {
        match self {
            Self::Literal(value) => value.to_string(),
            Self::Variable(variable) => name(*variable),
            Self::Apply(operation, operands) => {
                let operands: Vec<String> = operands.iter().map(|operand| operand.print(name)).collect();
                format!("({} {})", operation.name(), operands.join(" "))
            }
        }
    }
}

impl fmt::Display for Variable {
    /// `?name`, or `?name...` for a sequence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.is_sequence() { "..." } else { "" };
        write!(f, "?{}{dots}", self.name)
    }
}
