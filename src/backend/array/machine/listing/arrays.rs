//! Arrays with their numbers of elements: what an initial value leaves out is 0.

use super::context::{Names, number};
use super::declarator::Declared;
use super::dialect::within;
use super::evaluate::evaluate;
use super::value::Value;
use crate::syntax::c::Token;

/// The maximum number of elements of an array whose elements are followed one by one.
const MAX_ELEMENTS: usize = 4096;

/// The value of a variable with this initial value: that of an array has all its elements.
pub(super) fn filled(
    names: &mut dyn Names,
    tokens: &[Token<'_>],
    this: &Declared<'_>,
    value: Option<Value>,
    unknown: &Value,
) -> Value {
    // The braces of the array inside a `std::array` may be written, too.
    let value = match value {
        Some(Value::List(mut values)) if !this.array && values.len() == 1 && this.dimensions.len() == 1 => {
            match values.pop() {
                Some(Value::List(inner)) => Some(Value::List(inner)),
                only => Some(Value::List(only.into_iter().collect())),
            }
        }
        value => value,
    };
    match lengths(names, tokens, this, value.as_ref()) {
        Some(lengths) => sized(&lengths, value, unknown),
        None => unbounded(names, tokens, this, value.unwrap_or_else(|| unknown.clone())),
    }
}

/// The values of an array, with what is not known of its number of elements behind them.
fn unbounded(names: &mut dyn Names, tokens: &[Token<'_>], this: &Declared<'_>, value: Value) -> Value {
    let length = this.dimensions.first().and_then(|first| within(tokens, first.clone()));
    match (value, length.and_then(|length| evaluate(names, &length).ok())) {
        (Value::List(mut values), Some(open @ Value::Open(_))) => {
            values.push(open);
            Value::List(values)
        }
        (value, _) => value,
    }
}

/// The numbers of elements of an array, if they are known.
fn lengths(
    names: &mut dyn Names,
    tokens: &[Token<'_>],
    this: &Declared<'_>,
    value: Option<&Value>,
) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for dimension in &this.dimensions {
        let length = within(tokens, dimension.clone());
        let length = length.and_then(|length| evaluate(names, &length).ok());
        found.push(length.and_then(|length| usize::try_from(number(names, &length)?).ok()));
    }
    if let (Some(first @ None), Some(Value::List(values))) = (found.first_mut(), value)
        && this.dimensions[0].is_empty()
    {
        *first = Some(values.len());
    }
    let mut found: Vec<usize> = found.into_iter().collect::<Option<_>>()?;
    // `int v[][2] = {1, 2, 3, 4}` has two rows.
    if let (Some(Value::List(values)), [rows, inner @ ..]) = (value, &mut found[..])
        && this.dimensions[0].is_empty()
        && !inner.is_empty()
        && !values.iter().any(|value| matches!(value, Value::List(_)))
    {
        *rows = rows.div_ceil(inner.iter().product::<usize>().max(1));
    }
    let all = found.iter().try_fold(1usize, |all, length| all.checked_mul(*length));
    all.filter(|all| *all <= MAX_ELEMENTS).map(|_| found)
}

/// The value of an array of these dimensions: elements that are missing from its initial value are 0, and without an initial value
/// none is known.
fn sized(dimensions: &[usize], value: Option<Value>, unknown: &Value) -> Value {
    match value {
        value if dimensions.is_empty() => value.unwrap_or_else(|| unknown.clone()),
        Some(Value::Open(open)) => Value::Open(open),
        Some(Value::List(values)) => rows(dimensions, &mut values.into_iter().peekable(), &Value::Number(0)),
        _ => rows(dimensions, &mut Vec::new().into_iter().peekable(), unknown),
    }
}

/// The same from a list of values, in which the braces around rows may be missing; `rest` stands for elements that are.
fn rows(
    dimensions: &[usize],
    values: &mut std::iter::Peekable<std::vec::IntoIter<Value>>,
    rest: &Value,
) -> Value {
    let Some((length, inner)) = dimensions.split_first() else {
        return values.next().unwrap_or_else(|| rest.clone());
    };
    let mut next = || match values.peek() {
        Some(Value::List(_) | Value::Open(_)) if !inner.is_empty() => sized(inner, values.next(), rest),
        _ => rows(inner, values, rest),
    };
    Value::List((0..*length).map(|_| next()).collect())
}
