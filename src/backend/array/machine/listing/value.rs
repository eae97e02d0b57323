//! Values of expressions in sources: numbers, operands of the machine, lists of them, and what is known only when a program runs.

use super::dialect::{Base, Expression};
use super::integers::{common, converted, held, shares, type_of, wide};
use super::memory::{Memory, Place};
use super::place::{self, lvalue, place_of};
use crate::backend::array::machine::descriptor::Target;
use crate::backend::array::machine::host_forms::Stands;
use crate::syntax::Span;
use crate::syntax::c::{Binary, Kind, Mistake, Unary};

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An integer. One without a sign that is 2^63 or more, of a type of 64 bits, is 2^64 less here.
    Number(i64),
    /// An operand of the machine.
    Operand(String),
    /// Several values.
    List(Vec<Value>),
    /// A pointer to a variable, or to an element of one.
    Pointer(Place),
    /// A function or lambda of the source, by the number of its closure.
    Function(usize),
    /// A value that is known only when the program runs.
    Open(Unknown),
}

/// Why a value is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unknown {
    /// The name of what is not known.
    pub(super) name: String,
    /// The place of its declaration, or of the expression.
    pub(super) place: Span,
    /// What a parameter stands for, if its type says so.
    pub(super) kind: Option<Stands>,
    /// Whether it is a variable or a parameter, whose value can be given by its name.
    pub(super) named: bool,
}

impl Value {
    /// The unknown value of a variable.
    pub(super) fn variable(name: &str, place: Span) -> Self {
        Self::Open(Unknown { name: name.to_owned(), place, kind: None, named: true })
    }

    /// The unknown value of an expression.
    pub(super) fn computed(name: &str, place: Span) -> Self {
        Self::Open(Unknown { name: name.to_owned(), place, kind: None, named: false })
    }
}

/// Why an expression has no value at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is undefined, or does not fit; the place of the part that is to blame.
    NoValue(Span),
    /// The reason has been reported.
    Reported,
}

impl From<Mistake> for Fault {
    fn from(_: Mistake) -> Self {
        Self::Reported
    }
}

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

/// The last part of a name, after the objects, classes and namespaces before it.
pub(super) fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// Whether the machine has an operand, or its sources a number, with this name.
pub(super) fn is_operand(target: &Target, name: &str) -> bool {
    target.operand(name).is_some()
}

/// The value of an expression. Operands that `&&`, `||` or `?` skip need no value.
///
/// # Errors
/// [`Fault`].
pub(super) fn evaluate(names: &mut dyn Names, expression: &Expression) -> Result<Value, Fault> {
    typed(names, expression).map(|(value, _)| value)
}

/// A value with its type of integers, where that is known.
pub(super) type Typed = (Value, Option<Base>);

/// The value of an expression, as [`evaluate`] gives it, with its type if that is `unsigned` or has 64 bits. All others are computed
/// as `int`.
pub(super) fn typed(names: &mut dyn Names, expression: &Expression) -> Result<Typed, Fault> {
    let span = expression.span;
    let value = match &expression.kind {
        Kind::Integer(value) => Value::Number(*value),
        // Digits alone are an integer that does not fit, or that is wrong, such as 09.
        Kind::Literal(text) if text.chars().all(|c| c.is_ascii_digit()) => return Err(Fault::NoValue(span)),
        Kind::Literal(text) => Value::computed(text, span),
        Kind::Name(name) => names.name(name, span),
        Kind::Call(name, arguments) => {
            let (value, base) = names.call(name, arguments, span)?;
            return Ok((value, wide(base)));
        }
        Kind::Lambda(at) => names.lambda(*at, span),
        Kind::Apply(callee, arguments) => {
            let (value, base) = names.apply(callee, arguments, span)?;
            return Ok((value, wide(base)));
        }
        Kind::Sequence(all) => return sequence(names, all),
        Kind::Unary(Unary::Address, operand) => place::address(names, operand)?,
        Kind::Unary(Unary::Follow, pointer) => place::followed(names, pointer)?,
        Kind::Unary(operator, operand) => {
            let (value, base) = typed(names, operand)?;
            let base = base.filter(|_| matches!(operator, Unary::Plus | Unary::Minus | Unary::Complement));
            return Ok((held(base, unary(names, *operator, value, span)?), base));
        }
        Kind::Step(target, by, after) => {
            let (place, (before, _)) = lvalue(names, target)?;
            let stepped = binary(names, Binary::Add, before.clone(), Value::Number(*by), span)?;
            let stepped = assigned(names, target, place, stepped);
            if *after { stepped } else { before }
        }
        Kind::Binary(..) => return chain(names, expression),
        Kind::Choice(test, then, other) => return chosen(names, [test, then, other]),
        Kind::Assign(None, target, value) => {
            let value = place::decayed(names, value)?;
            let place = place_of(names, target)?;
            assigned(names, target, place, value)
        }
        Kind::Assign(Some(operator), target, value) => {
            let value = typed(names, value)?;
            let (place, before) = lvalue(names, target)?;
            let (value, _) = joined(names, *operator, before, value, span)?;
            assigned(names, target, place, value)
        }
        Kind::Cast(ty, operand) => converted(*ty, evaluate(names, operand)?, span),
        Kind::Index(list, index) => {
            let (list, index) = (evaluate(names, list)?, evaluate(names, index)?);
            element(names, list, index, span)?
        }
        Kind::List(values) => {
            let values: Result<Vec<Value>, Fault> = values.iter().map(|v| evaluate(names, v)).collect();
            Value::List(values?)
        }
    };
    Ok((value, type_of(names, expression)))
}

/// The value of an operator with two operands. The first operand may be such an operator again, thousands deep in a long sum: one
/// after the other is computed, from the innermost on.
fn chain(names: &mut dyn Names, expression: &Expression) -> Result<Typed, Fault> {
    let (mut first, mut behind) = (expression, Vec::new());
    while let Kind::Binary(operator, left, right) = &first.kind {
        behind.push((*operator, right, first.span));
        first = left;
    }
    let mut left = operand(names, first)?;
    for (operator, right, span) in behind.into_iter().rev() {
        left = match (operator, number(names, &left.0)) {
            (Binary::And, Some(0)) => (Value::Number(0), None),
            (Binary::Or, Some(known)) if known != 0 => (Value::Number(1), None),
            _ => {
                let right = operand(names, right)?;
                joined(names, operator, left, right, span)?
            }
        };
    }
    Ok(left)
}

/// The operand of an operator: an array is a pointer to its first element.
fn operand(names: &mut dyn Names, expression: &Expression) -> Result<Typed, Fault> {
    match typed(names, expression)? {
        (Value::List(_), _) => Ok((place::decayed(names, expression)?, None)),
        found => Ok(found),
    }
}

/// One of two values, in the type of both.
fn chosen(names: &mut dyn Names, [test, then, other]: [&Expression; 3]) -> Result<Typed, Fault> {
    let (taken, left) = match evaluate(names, test)? {
        Value::Open(unknown) => return Ok((Value::Open(unknown), None)),
        Value::Pointer(_) | Value::Function(_) => (then, other),
        value => match number(names, &value) {
            Some(0) => (other, then),
            Some(_) => (then, other),
            None => return Err(Fault::NoValue(test.span)),
        },
    };
    let (value, base) = typed(names, taken)?;
    Ok((value, common([base, type_of(names, left)])))
}

/// The value of an operator with two operands. Both are converted to the type that they have in common.
fn joined(
    names: &dyn Names,
    operator: Binary,
    (left, first): Typed,
    (right, second): Typed,
    span: Span,
) -> Result<Typed, Fault> {
    let [converts, keeps] = shares(operator);
    let operands = if converts { common([first, second]) } else { None };
    let result = if keeps { operands.or(first) } else { None };
    let [left, right] = [left, right].map(|operand| held(operands, operand));
    let in_type = if converts { operands } else { result };
    let value = match (in_type, number(names, &left), number(names, &right)) {
        (Some(Base::Integer { signed: false, .. }), Some(a), Some(b)) => {
            let found = operator.apply_unsigned(a.cast_unsigned(), b.cast_unsigned());
            Value::Number(found.ok_or(Fault::NoValue(span))?.cast_signed())
        }
        _ => binary(names, operator, left, right, span)?,
    };
    Ok((held(result, value), result))
}

/// One of several values.
fn element(names: &mut dyn Names, list: Value, index: Value, span: Span) -> Result<Value, Fault> {
    match (list, index) {
        (Value::Pointer(first), index) => {
            let place = first.moved(number(names, &index));
            Ok(names.memory().read(&place))
        }
        (Value::Open(unknown), _) | (_, Value::Open(unknown)) => Ok(Value::Open(unknown)),
        (Value::List(values), Value::Number(at)) => {
            let value = usize::try_from(at).ok().and_then(|at| values.get(at).cloned());
            Ok(value.unwrap_or_else(|| Value::computed("an element that is not listed", span)))
        }
        _ => Err(Fault::NoValue(span)),
    }
}

/// Assigns a value, and gives it as its variable holds it.
fn assigned(names: &mut dyn Names, target: &Expression, place: Option<Place>, value: Value) -> Value {
    match place {
        Some(place) => {
            let value = held(names.memory().variable(&place).base, value);
            names.write(&place, value.clone());
            value
        }
        None => {
            names.assigned_to(target);
            value
        }
    }
}

/// The value of the last one of several expressions, which are all evaluated.
fn sequence(names: &mut dyn Names, all: &[Expression]) -> Result<Typed, Fault> {
    let mut last = (Value::computed("nothing", Span::default()), None);
    for each in all {
        last = typed(names, each)?;
    }
    Ok(last)
}

/// The number that a value is, or stands for.
pub(super) fn number(names: &dyn Names, value: &Value) -> Option<i64> {
    match value {
        Value::Number(value) => Some(*value),
        Value::Operand(name) => names.target().direction_number(name).map(i64::from),
        Value::List(_) | Value::Pointer(_) | Value::Function(_) | Value::Open(_) => None,
    }
}

fn unary(names: &dyn Names, operator: Unary, value: Value, span: Span) -> Result<Value, Fault> {
    match value {
        Value::Open(_) => return Ok(value),
        _ if operator == Unary::Plus => return Ok(value),
        Value::Pointer(_) | Value::Function(_) if operator == Unary::Not => return Ok(Value::Number(0)),
        _ => {}
    }
    let value = number(names, &value).ok_or(Fault::NoValue(span))?;
    operator.apply(value).map(Value::Number).ok_or(Fault::NoValue(span))
}

fn binary(
    names: &dyn Names,
    operator: Binary,
    left: Value,
    right: Value,
    span: Span,
) -> Result<Value, Fault> {
    let (left, right) = match (left, right) {
        (Value::Open(unknown), _) | (_, Value::Open(unknown)) => return Ok(Value::Open(unknown)),
        both => both,
    };
    if let Value::Pointer(place) = &left {
        return Ok(place::moved(names, operator, place, &right, span));
    }
    // Operands are the same if the machine says so: a register may have several names.
    if let (Value::Operand(a), Value::Operand(b)) = (&left, &right) {
        let same =
            a == b || names.target().operand(a).is_some_and(|own| names.target().operand(b) == Some(own));
        match operator {
            Binary::Equal => return Ok(Value::Number(i64::from(same))),
            Binary::Unequal => return Ok(Value::Number(i64::from(!same))),
            _ => {}
        }
    }
    let (Some(a), Some(b)) = (number(names, &left), number(names, &right)) else {
        return Err(Fault::NoValue(span));
    };
    operator.apply(a, b).map(Value::Number).ok_or(Fault::NoValue(span))
}
