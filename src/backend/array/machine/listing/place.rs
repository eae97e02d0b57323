//! What expressions name: the variables and elements that they change, refer to or point to.

use super::dialect::Expression;
use super::memory::Place;
use super::value::{Fault, Names, Typed, Value, evaluate, number, typed};
use crate::syntax::Span;
use crate::syntax::c::{Binary, Kind, Unary};

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
pub(super) fn lvalue(names: &mut dyn Names, target: &Expression) -> Result<(Option<Place>, Typed), Fault> {
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
    let value = evaluate(names, expression)?;
    let named = matches!(expression.kind, Kind::Name(_) | Kind::Index(..));
    if named
        && matches!(value, Value::List(_) | Value::Open(_))
        && let Some(place) = place_of(names, expression)?
        && let memory = names.memory()
        && memory.variable(&place).array
        && (matches!(value, Value::List(_)) || place.is_whole())
    {
        return Ok(memory.pointer(place.element(Some(0))));
    }
    Ok(value)
}

/// The value of `&EXPRESSION`. That of an operand of the machine is the operand.
pub(super) fn address(names: &mut dyn Names, operand: &Expression) -> Result<Value, Fault> {
    match place_of(names, operand)? {
        Some(place) => Ok(names.memory().pointer(place)),
        None => evaluate(names, operand),
    }
}

/// The value of `*EXPRESSION`. What is no pointer stands for what it points to.
pub(super) fn followed(names: &mut dyn Names, pointer: &Expression) -> Result<Value, Fault> {
    Ok(match evaluate(names, pointer)? {
        Value::Pointer(place) => names.memory().read(&place),
        Value::List(values) if !values.is_empty() => values[0].clone(),
        value => value,
    })
}

/// The value of an operator whose first operand is a pointer.
pub(super) fn moved(names: &dyn Names, operator: Binary, place: &Place, right: &Value, span: Span) -> Value {
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
