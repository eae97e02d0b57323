//! Evaluates expressions, and finds the variables and elements that they change, refer to or point to.

use super::context::{Names, Typed, number};
use super::dialect::{Base, Expression};
use super::integers::{alternatives, common, computed, converted, negated, shares, type_of, wide};
use super::sizes::size_of;
use super::value::{Fault, Place, Value, held};
use crate::syntax::Span;
use crate::syntax::c::{Binary, Kind, Type, Unary};

/// The value of an expression. Operands that `&&`, `||` or `?` skip need no value.
///
/// # Errors
/// [`Fault`].
pub(super) fn evaluate(names: &mut dyn Names, expression: &Expression) -> Result<Value, Fault> {
    typed(names, expression).map(|(value, _)| value)
}

/// The value of an expression, as [`evaluate`] gives it, with its type. What has no type here is an `int`, or no number.
pub(super) fn typed(names: &mut dyn Names, expression: &Expression) -> Result<Typed, Fault> {
    let span = expression.span;
    let value = match &expression.kind {
        Kind::Integer(value) => Value::Number(*value),
        // Digits alone are an integer that does not fit, or that is wrong, such as 09.
        Kind::Literal(text) if text.chars().all(|c| c.is_ascii_digit()) => return Err(Fault::NoValue(span)),
        Kind::Literal(text) => Value::computed(text, span),
        Kind::Name(name) => names.name(name, span),
        Kind::Call(name, arguments) => match (names.alias(name), &arguments[..]) {
            (Some(base), [operand]) => converted(Type { base, pointers: 0 }, evaluate(names, operand)?, span),
            (None, [operand]) if name == "sizeof" => return Ok(size_of(names, operand, span)),
            _ => return names.call(name, arguments, span),
        },
        Kind::Lambda(at) => names.lambda(*at, span),
        Kind::Apply(callee, arguments) => return names.apply(callee, arguments, span),
        Kind::Sequence(all) => return sequence(names, all),
        Kind::Unary(Unary::Address, operand) => address(names, operand)?,
        Kind::Unary(Unary::Follow, pointer) => followed(names, pointer)?,
        Kind::Unary(operator, operand) => {
            let (value, base) = typed(names, operand)?;
            let base = wide(base).filter(|_| *operator != Unary::Not);
            return Ok((unary(names, *operator, value, base, span)?, base));
        }
        Kind::Step(target, by, after) => {
            let (place, (before, base)) = lvalue(names, target)?;
            let by = (Value::Number(*by), None);
            let (stepped, _) = joined(names, Binary::Add, (before.clone(), base), by, span)?;
            let stepped = assigned(names, target, place, stepped);
            if *after { stepped } else { before }
        }
        Kind::Binary(..) => return chain(names, expression),
        Kind::Choice(test, then, other) => return chosen(names, [test, then, other]),
        Kind::Assign(None, target, value) => {
            let value = decayed(names, value)?;
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
        (Value::List(_), _) => Ok((decayed(names, expression)?, None)),
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
    let base = alternatives([base, type_of(names, left)]);
    Ok((held(base, value), base))
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
    let result = if keeps { operands.or(wide(first)) } else { None };
    let [left, right] = [left, right].map(|operand| held(operands, operand));
    let in_type = if converts { operands } else { result };
    let value = match (&left, &right) {
        (Value::Number(a), Value::Number(b)) => match (computed(in_type, operator, *a, *b), in_type) {
            (Some(found), _) => Value::Number(found),
            (None, Some(Base::Fraction)) => Value::computed("a fraction", span),
            (None, _) => return Err(Fault::NoValue(span)),
        },
        _ => binary(names, operator, left, right, span)?,
    };
    Ok((value, result))
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

fn unary(
    names: &dyn Names,
    operator: Unary,
    value: Value,
    base: Option<Base>,
    span: Span,
) -> Result<Value, Fault> {
    match value {
        Value::Open(_) => return Ok(value),
        _ if operator == Unary::Plus => return Ok(value),
        Value::Pointer(_) | Value::Function(_) if operator == Unary::Not => return Ok(Value::Number(0)),
        _ => {}
    }
    let value = number(names, &value).ok_or(Fault::NoValue(span))?;
    negated(base, operator, value).map(Value::Number).ok_or(Fault::NoValue(span))
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
        return Ok(moved(names, operator, place, &right, span));
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

/// The place that an expression names, if it names one of this source.
///
/// # Errors
/// [`Fault`].
pub(super) fn place_of(names: &mut dyn Names, expression: &Expression) -> Result<Option<Place>, Fault> {
    Ok(match &expression.kind {
        Kind::Name(name) => names.place(name),
        Kind::Unary(Unary::Follow, pointer) => match evaluate(names, pointer)? {
            Value::Pointer(place) => Some(place),
            Value::Open(_) => Some(Place::ANYWHERE),
            Value::List(_) => place_of(names, pointer)?.map(|list| list.element(Some(0))),
            _ => place_of(names, pointer)?,
        },
        Kind::Index(list, index) => {
            let index = evaluate(names, index)?;
            let index = number(names, &index);
            match evaluate(names, list)? {
                Value::Pointer(first) => Some(first.moved(index)),
                Value::Open(_) => match place_of(names, list)? {
                    Some(place) if names.memory().variable(&place).array => Some(place.element(index)),
                    _ => Some(Place::ANYWHERE),
                },
                _ => place_of(names, list)?.map(|list| list.element(index)),
            }
        }
        Kind::Choice(test, then, other) => match evaluate(names, test)? {
            Value::Open(_) => both(names, [then, other])?,
            value => {
                let taken = if number(names, &value) == Some(0) { other } else { then };
                place_of(names, taken)?
            }
        },
        Kind::Step(target, _, true) | Kind::Assign(_, target, _) => {
            evaluate(names, expression)?;
            place_of(names, target)?
        }
        Kind::Sequence(all) => {
            let Some((last, others)) = all.split_last() else { return Ok(None) };
            for each in others {
                evaluate(names, each)?;
            }
            place_of(names, last)?
        }
        Kind::Call(name, arguments) => match names.same(name, arguments) {
            Some(argument) => place_of(names, argument)?,
            None => {
                names.reference(name, arguments, expression.span)?;
                None
            }
        },
        _ => None,
    })
}

/// One of two places: which one is not known, so that the address of both counts as taken.
fn both(names: &mut dyn Names, places: [&Expression; 2]) -> Result<Option<Place>, Fault> {
    for each in places {
        if let Some(place) = place_of(names, each)? {
            names.memory().pointer(place);
        }
    }
    Ok(Some(Place::ANYWHERE))
}

/// The place of an expression that is changed, and its value before.
fn lvalue(names: &mut dyn Names, target: &Expression) -> Result<(Option<Place>, Typed), Fault> {
    let before = match &target.kind {
        Kind::Name(_) => typed(names, target)?,
        _ => match place_of(names, target)? {
            Some(place) => {
                let memory = names.memory();
                let (value, base) = (memory.read(&place), memory.variable(&place).base);
                return Ok((Some(place), (value, base)));
            }
            None => typed(names, target)?,
        },
    };
    let place = if let Kind::Name(name) = &target.kind { names.place(name) } else { None };
    Ok((place, before))
}

/// The value of an expression that is assigned, passed on or returned: an array is then a pointer to its first element.
pub(super) fn decayed(names: &mut dyn Names, expression: &Expression) -> Result<Value, Fault> {
    passed(names, expression).map(|(value, _)| value)
}

/// The same with its type.
pub(super) fn passed(names: &mut dyn Names, expression: &Expression) -> Result<Typed, Fault> {
    let (value, base) = typed(names, expression)?;
    let named = matches!(expression.kind, Kind::Name(_) | Kind::Index(..));
    if named
        && matches!(value, Value::List(_) | Value::Open(_))
        && let Some(place) = place_of(names, expression)?
        && let memory = names.memory()
        && memory.variable(&place).array
        && (matches!(value, Value::List(_)) || place.is_whole())
    {
        return Ok((memory.pointer(place.element(Some(0))), None));
    }
    Ok((value, base))
}

/// The value of `&EXPRESSION`. That of an operand of the machine is the operand.
fn address(names: &mut dyn Names, operand: &Expression) -> Result<Value, Fault> {
    match place_of(names, operand)? {
        Some(place) => Ok(names.memory().pointer(place)),
        None => evaluate(names, operand),
    }
}

/// The value of `*EXPRESSION`. What is no pointer stands for what it points to.
fn followed(names: &mut dyn Names, pointer: &Expression) -> Result<Value, Fault> {
    Ok(match evaluate(names, pointer)? {
        Value::Pointer(place) => names.memory().read(&place),
        Value::List(values) if !values.is_empty() => values[0].clone(),
        value => value,
    })
}

/// The value of an operator whose first operand is a pointer.
fn moved(names: &dyn Names, operator: Binary, place: &Place, right: &Value, span: Span) -> Value {
    let same = |equal: bool| Value::Number(i64::from(equal));
    match (operator, right, number(names, right)) {
        (Binary::Add, _, Some(by)) => Value::Pointer(place.moved(Some(by))),
        (Binary::Subtract, _, Some(by)) => Value::Pointer(place.moved(by.checked_neg())),
        (Binary::Equal | Binary::Unequal, Value::Pointer(other), _)
            if place.is_known() && other.is_known() =>
        {
            same((place == other) == (operator == Binary::Equal))
        }
        (Binary::And | Binary::Or, _, Some(number)) => same(operator == Binary::Or || number != 0),
        (Binary::And | Binary::Or, Value::Pointer(_), _) => same(true),
        _ => Value::computed("a pointer", span),
    }
}
