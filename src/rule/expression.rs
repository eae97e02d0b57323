//! Numbers that a rule computes: `?c`, `(eval (/ ?c 2))`.

use std::fmt;

use super::{Variable, VariableId};
use crate::algebra::Rational;

/// Arithmetic of a computed number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `+`: the sum.
    Add,
    /// `-`: the difference, or the opposite of one number.
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

    /// The result for two numbers; `None` on overflow and for a division by zero.
    pub fn apply(self, a: Rational, b: Rational) -> Option<Rational> {
        match self {
            Self::Add => a.add(b),
            Self::Subtract => a.sub(b),
            Self::Multiply => a.mul(b),
            Self::Divide if b.is_zero() => None,
            Self::Divide => a.div(b),
        }
    }
}

/// A number of a rule: written, bound on the left side, or computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// As written.
    Literal(Rational),
    /// A number variable.
    Variable(VariableId),
    /// The operation applied from left to right; at least one operand.
    Apply(Operation, Vec<Expression>),
}

impl Expression {
    /// The value where variable i stands for `number(i)`; `None` on overflow, for a division by zero, and where a variable
    /// has no value.
    pub fn evaluate(&self, number: &impl Fn(VariableId) -> Option<Rational>) -> Option<Rational> {
        match self {
            Self::Literal(value) => Some(*value),
            Self::Variable(variable) => number(*variable),
            Self::Apply(operation, operands) => {
                let mut values = operands.iter().map(|operand| operand.evaluate(number));
                let first = values.next()??;
                if operands.len() == 1 {
                    return match operation {
                        Operation::Subtract => Rational::ZERO.sub(first),
                        Operation::Divide => operation.apply(Rational::ONE, first),
                        _ => Some(first),
                    };
                }
                values.try_fold(first, |result, value| operation.apply(result, value?))
            }
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

    /// The expression as rule files write it inside of `(eval …)`.
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
