//! The meanings of names and calls in an expression, which whoever evaluates it supplies.

use super::dialect::{Base, Expression};
use super::memory::Memory;
use super::value::{Fault, Place, Value, last};
use crate::backend::array::machine::descriptor::Target;
use crate::syntax::Span;

/// A value with its type of integers, where that is known.
pub(super) type Typed = (Value, Option<Base>);

/// Functions that give what they are given.
const SAME: [&str; 5] = ["std::move", "std::ref", "std::cref", "std::forward<>", "std::as_const"];

/// What the names in an expression mean.
pub(super) trait Names {
    /// The machine.
    fn target(&self) -> &Target;

    /// The value of a name.
    fn name(&mut self, name: &str, span: Span) -> Value;

    /// The value of a call, and the type of integers that the function returns.
    fn call(&mut self, name: &str, arguments: &[Expression], span: Span) -> Result<Typed, Fault>;

    /// The type of integers that a variable was declared with.
    fn base(&self, name: &str) -> Option<Base>;

    /// The type of numbers that a name stands for, if it is that of one.
    fn alias(&self, name: &str) -> Option<Base>;

    /// The variables.
    fn memory(&mut self) -> &mut Memory;

    /// Changes the value at a place.
    fn write(&mut self, place: &Place, value: Value);

    /// The place that a name of a variable means.
    fn place(&mut self, name: &str) -> Option<Place>;

    /// What an expression that is assigned to means, if it is no variable: nothing is changed.
    fn assigned_to(&mut self, place: &Expression);

    /// The lambda that begins with the token `at`.
    fn lambda(&mut self, at: usize, span: Span) -> Value;

    /// The value of a call of what an expression gives.
    fn apply(&mut self, callee: &Expression, arguments: &[Expression], span: Span) -> Result<Typed, Fault>;

    /// What a call gives back unchanged, if that is all it does.
    fn same<'e>(&self, name: &str, arguments: &'e [Expression]) -> Option<&'e Expression> {
        let kind = |name| self.target().sources.host.kind(last(name)).is_some();
        let converts = name == "void" || kind(name) && arguments.len() == 1;
        arguments.last().filter(|_| converts || SAME.contains(&name))
    }

    /// Whether what a call gives may be a reference to a variable, which is not followed: a report.
    fn reference(&mut self, name: &str, arguments: &[Expression], span: Span) -> Result<(), Fault>;
}

/// The number that a value is, or stands for.
pub(super) fn number(names: &dyn Names, value: &Value) -> Option<i64> {
    match value {
        Value::Number(value) => Some(*value),
        Value::Operand(name) => names.target().direction_number(name).map(i64::from),
        Value::List(_) | Value::Pointer(_) | Value::Function(_) | Value::Type(_) | Value::Open(_) => None,
    }
}
