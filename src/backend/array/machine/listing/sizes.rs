//! `sizeof`: the sizes of types, variables and arrays in bytes.

use super::context::{Names, Typed};
use super::dialect::{Base, Expression};
use super::integers::type_of;
use super::value::Value;
use crate::syntax::Span;
use crate::syntax::c::Kind;

/// The type `size_t`.
const SIZE: Base = Base::Integer { bits: 64, signed: false };

/// The value of `sizeof EXPRESSION`, whose operand is not evaluated.
pub(super) fn size_of(names: &mut dyn Names, operand: &Expression, span: Span) -> Typed {
    let size = match &operand.kind {
        Kind::Cast(ty, _) if ty.pointers > 0 => None,
        Kind::Name(name) => match names.alias(name) {
            Some(base) => size(base),
            None => variable(names, operand),
        },
        Kind::Index(..) => variable(names, operand),
        _ => type_of(names, operand).and_then(size),
    };
    let unknown = || Value::computed("a size", span);
    (size.map_or_else(unknown, Value::Number), Some(SIZE))
}

/// The size of a variable, or of an element that is named by a number.
fn variable(names: &mut dyn Names, operand: &Expression) -> Option<i64> {
    let (mut named, mut path) = (operand, Vec::new());
    while let Kind::Index(list, index) = &named.kind {
        let Kind::Integer(index) = index.kind else { return None };
        path.insert(0, index);
        named = list;
    }
    let Kind::Name(name) = &named.kind else { return None };
    let list = names.place(name)?;
    if !path.is_empty() && !names.memory().variable(&list).array {
        return None;
    }
    let place = path.into_iter().fold(list, |place, index| place.element(Some(index)));
    let place = Some(place).filter(|place| place.is_known())?;
    let value = names.memory().read(&place);
    let variable = names.memory().variable(&place);
    let one = variable.base.and_then(size)?;
    let name = &variable.name;
    let whole = variable.array && place.is_whole();
    match value {
        Value::Pointer(_) => None,
        Value::Open(_) if whole => None,
        value => one.checked_mul(count(&value, name)?),
    }
}

/// The number of elements in all rows of a value of the array with this name. What stands for elements whose number is not known has
/// another name.
fn count(value: &Value, name: &str) -> Option<i64> {
    match value {
        Value::List(values) => values.iter().map(|value| count(value, name)).sum(),
        Value::Open(unknown) if unknown.name != name => None,
        _ => Some(1),
    }
}

/// The size of a type; those of fractions are not told apart.
fn size(base: Base) -> Option<i64> {
    match base {
        Base::Integer { bits, .. } => Some(i64::from(bits / 8)),
        Base::Truth => Some(1),
        Base::Fraction => None,
    }
}
