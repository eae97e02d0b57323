//! The types in which integers are computed, and conversions between them.

use super::context::Names;
use super::dialect::{Base, Expression};
use super::value::Value;
use crate::syntax::Span;
use crate::syntax::c::{Binary, Kind, Type, Unary};

/// The type of an expression that is not computed; that of a call is taken for `int`.
pub(super) fn type_of(names: &dyn Names, expression: &Expression) -> Option<Base> {
    let base = match &expression.kind {
        Kind::Step(place, ..) | Kind::Assign(_, place, _) => declared_type(names, place),
        Kind::Sequence(all) => all.last().and_then(|last| type_of(names, last)),
        Kind::Cast(ty, _) if ty.pointers == 0 => Some(ty.base),
        Kind::Unary(Unary::Plus | Unary::Minus | Unary::Complement, operand) => type_of(names, operand),
        Kind::Choice(_, then, other) => common([type_of(names, then), type_of(names, other)]),
        Kind::Binary(..) => {
            let (mut first, mut found) = (expression, None);
            while let Kind::Binary(operator, left, right) = &first.kind {
                found = match shares(*operator) {
                    [_, false] => return found,
                    [true, true] => common([type_of(names, right), found]),
                    [false, true] => found,
                };
                first = left;
            }
            common([type_of(names, first), found])
        }
        _ => declared_type(names, expression),
    };
    wide(base)
}

/// Whether the operands of an operator are converted to the type that they have in common, and whether the result has the type of the
/// first operand then; other results are `int`.
pub(super) fn shares(operator: Binary) -> [bool; 2] {
    use Binary::{And, AtLeast, AtMost, Equal, Greater, Left, Less, Or, Right, Unequal};
    match operator {
        And | Or => [false, false],
        Left | Right => [false, true],
        Less | AtMost | Greater | AtLeast | Equal | Unequal => [true, false],
        _ => [true, true],
    }
}

/// A type, if its values are not computed as `int`.
pub(super) fn wide(base: Option<Base>) -> Option<Base> {
    base.filter(|base| *base == UNSIGNED || matches!(base, Base::Integer { bits: 64, .. }))
}

/// The type in which operands of these types are computed.
pub(super) fn common(types: [Option<Base>; 2]) -> Option<Base> {
    let rank = |base: &Base| match base {
        Base::Integer { bits, signed } => (*bits, !signed),
        _ => (0, false),
    };
    types.into_iter().flatten().max_by_key(rank)
}

/// The type `unsigned`.
const UNSIGNED: Base = Base::Integer { bits: 32, signed: false };

/// The type of integers of a variable.
fn declared_type(names: &dyn Names, place: &Expression) -> Option<Base> {
    match &place.kind {
        Kind::Name(name) => names.base(name),
        Kind::Index(list, _) => declared_type(names, list),
        _ => None,
    }
}

/// A value as one of this type.
pub(super) fn converted(ty: Type<Base>, value: Value, span: Span) -> Value {
    match value {
        Value::Number(value) if ty.pointers == 0 => {
            let number = ty.base.convert(value).map(Value::Number);
            number.unwrap_or_else(|| Value::computed("a fraction", span))
        }
        other => other,
    }
}
