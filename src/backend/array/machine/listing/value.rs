//! Values of expressions in sources: numbers, operands of the machine, lists of them, and what is known only when a program runs.

use super::dialect::{Base, Expression};
use crate::backend::array::machine::descriptor::Target;
use crate::backend::array::machine::host_forms::Stands;
use crate::syntax::Span;
use crate::syntax::c::{Binary, Kind, Mistake, Type, Unary};

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An integer. One without a sign that is 2^63 or more, of a type of 64 bits, is 2^64 less here.
    Number(i64),
    /// An operand of the machine.
    Operand(String),
    /// Several values.
    List(Vec<Value>),
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

    /// Changes a variable.
    fn assign(&mut self, name: &str, value: Value, span: Span);
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
fn typed(names: &mut dyn Names, expression: &Expression) -> Result<Typed, Fault> {
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
        Kind::Unary(operator, operand) => {
            let (value, base) = typed(names, operand)?;
            let base = base.filter(|_| matches!(operator, Unary::Plus | Unary::Minus | Unary::Complement));
            return Ok((held(base, unary(names, *operator, value, span)?), base));
        }
        Kind::Step(place, by, after) => {
            let before = evaluate(names, place)?;
            let stepped = binary(names, Binary::Add, before.clone(), Value::Number(*by), span)?;
            let stepped = assigned(names, place, stepped);
            if *after { stepped } else { before }
        }
        Kind::Binary(..) => return chain(names, expression),
        Kind::Choice(test, then, other) => return chosen(names, [test, then, other]),
        Kind::Assign(operator, place, value) => {
            let mut value = typed(names, value)?;
            if let Some(operator) = operator {
                let before = typed(names, place)?;
                value = joined(names, *operator, before, value, span)?;
            }
            assigned(names, place, value.0)
        }
        Kind::Cast(ty, operand) => converted(*ty, evaluate(names, operand)?, span),
        Kind::Index(list, index) => {
            let (list, index) = (evaluate(names, list)?, evaluate(names, index)?);
            element(list, index, span)?
        }
        Kind::List(values) => {
            let values: Result<Vec<Value>, Fault> = values.iter().map(|v| evaluate(names, v)).collect();
            Value::List(values?)
        }
    };
    Ok((value, declared(names, expression)))
}

/// The value of an operator with two operands. The first operand may be such an operator again, thousands deep in a long sum: one
/// after the other is computed, from the innermost on.
fn chain(names: &mut dyn Names, expression: &Expression) -> Result<Typed, Fault> {
    let (mut first, mut behind) = (expression, Vec::new());
    while let Kind::Binary(operator, left, right) = &first.kind {
        behind.push((*operator, right, first.span));
        first = left;
    }
    let mut left = typed(names, first)?;
    for (operator, right, span) in behind.into_iter().rev() {
        left = match (operator, number(names, &left.0)) {
            (Binary::And, Some(0)) => (Value::Number(0), None),
            (Binary::Or, Some(known)) if known != 0 => (Value::Number(1), None),
            _ => {
                let right = typed(names, right)?;
                joined(names, operator, left, right, span)?
            }
        };
    }
    Ok(left)
}

/// One of two values, in the type of both.
fn chosen(names: &mut dyn Names, [test, then, other]: [&Expression; 3]) -> Result<Typed, Fault> {
    let (taken, left) = match evaluate(names, test)? {
        Value::Open(unknown) => return Ok((Value::Open(unknown), None)),
        value => match number(names, &value) {
            Some(0) => (other, then),
            Some(_) => (then, other),
            None => return Err(Fault::NoValue(test.span)),
        },
    };
    let (value, base) = typed(names, taken)?;
    Ok((value, common([base, declared(names, left)])))
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

/// The type of an expression that is not computed; that of a call is taken for `int`.
fn declared(names: &dyn Names, expression: &Expression) -> Option<Base> {
    let base = match &expression.kind {
        Kind::Step(place, ..) | Kind::Assign(_, place, _) => variable(names, place),
        Kind::Cast(ty, _) if ty.pointers == 0 => Some(ty.base),
        Kind::Unary(Unary::Plus | Unary::Minus | Unary::Complement, operand) => declared(names, operand),
        Kind::Choice(_, then, other) => common([declared(names, then), declared(names, other)]),
        Kind::Binary(..) => {
            let (mut first, mut found) = (expression, None);
            while let Kind::Binary(operator, left, right) = &first.kind {
                found = match shares(*operator) {
                    [_, false] => return found,
                    [true, true] => common([declared(names, right), found]),
                    [false, true] => found,
                };
                first = left;
            }
            common([declared(names, first), found])
        }
        _ => variable(names, expression),
    };
    wide(base)
}

/// Whether the operands of an operator are converted to the type that they have in common, and whether the result has the type of the
/// first operand then; other results are `int`.
fn shares(operator: Binary) -> [bool; 2] {
    use Binary::{And, AtLeast, AtMost, Equal, Greater, Left, Less, Or, Right, Unequal};
    match operator {
        And | Or => [false, false],
        Left | Right => [false, true],
        Less | AtMost | Greater | AtLeast | Equal | Unequal => [true, false],
        _ => [true, true],
    }
}

/// A type, if its values are not computed as `int`.
fn wide(base: Option<Base>) -> Option<Base> {
    base.filter(|base| *base == UNSIGNED || matches!(base, Base::Integer { bits: 64, .. }))
}

/// The type in which operands of these types are computed.
fn common(types: [Option<Base>; 2]) -> Option<Base> {
    let rank = |base: &Base| match base {
        Base::Integer { bits, signed } => (*bits, !signed),
        _ => (0, false),
    };
    types.into_iter().flatten().max_by_key(rank)
}

/// The type `unsigned`.
const UNSIGNED: Base = Base::Integer { bits: 32, signed: false };

/// A value as a variable of this type holds it: a number that does not fit loses its upper bits.
pub(super) fn held(base: Option<Base>, value: Value) -> Value {
    match (base, value) {
        (Some(base), Value::Number(number)) => Value::Number(base.convert(number).unwrap_or(number)),
        (Some(_), Value::List(values)) => {
            Value::List(values.into_iter().map(|value| held(base, value)).collect())
        }
        (_, value) => value,
    }
}

/// The type of integers of a variable.
fn variable(names: &dyn Names, place: &Expression) -> Option<Base> {
    if let Kind::Name(name) = &place.kind { names.base(name) } else { None }
}

/// A value as one of this type.
fn converted(ty: Type<Base>, value: Value, span: Span) -> Value {
    match value {
        Value::Number(value) if ty.pointers == 0 => {
            let number = ty.base.convert(value).map(Value::Number);
            number.unwrap_or_else(|| Value::computed("a fraction", span))
        }
        other => other,
    }
}

/// One of several values.
fn element(list: Value, index: Value, span: Span) -> Result<Value, Fault> {
    match (list, index) {
        (Value::Open(unknown), _) | (_, Value::Open(unknown)) => Ok(Value::Open(unknown)),
        (Value::List(values), Value::Number(at)) => {
            let value = usize::try_from(at).ok().and_then(|at| values.get(at).cloned());
            Ok(value.unwrap_or_else(|| Value::computed("an element that is not listed", span)))
        }
        _ => Err(Fault::NoValue(span)),
    }
}

/// Assigns a value, and gives it as its variable holds it.
fn assigned(names: &mut dyn Names, place: &Expression, value: Value) -> Value {
    let value = held(variable(names, place), value);
    assign(names, place, value.clone());
    value
}

fn assign(names: &mut dyn Names, place: &Expression, value: Value) {
    match &place.kind {
        Kind::Name(name) => names.assign(name, value, place.span),
        Kind::Unary(Unary::Follow | Unary::Address, inner) => assign(names, inner, value),
        // An element of an array: the array is no longer known.
        Kind::Index(list, _) => {
            let value = Value::computed("an element that changes", place.span);
            assign(names, list, value);
        }
        _ => {}
    }
}

/// The number that a value is, or stands for.
pub(super) fn number(names: &dyn Names, value: &Value) -> Option<i64> {
    match value {
        Value::Number(value) => Some(*value),
        Value::Operand(name) => names.target().direction_number(name).map(i64::from),
        Value::List(_) | Value::Open(_) => None,
    }
}

fn unary(names: &dyn Names, operator: Unary, value: Value, span: Span) -> Result<Value, Fault> {
    if matches!(value, Value::Open(_)) || matches!(operator, Unary::Plus | Unary::Follow | Unary::Address) {
        return Ok(value);
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
