//! The types in which numbers are computed, and conversions between them.

use super::context::Names;
use super::dialect::{Base, Expression};
use super::value::Value;
use crate::syntax::Span;
use crate::syntax::c::{Binary, Kind, Type, Unary};

/// The type `int`. A number whose type is not known counts as one.
pub(super) const INT: Base = Base::Integer { bits: 32, signed: true };

/// The type `unsigned`.
const UNSIGNED: Base = Base::Integer { bits: 32, signed: false };

/// The largest whole number up to which a fraction's type holds them all.
const EXACT: u64 = 1 << 24;

/// The type of an expression that is not computed; that of a call is taken for `int`.
pub(super) fn type_of(names: &dyn Names, expression: &Expression) -> Option<Base> {
    match &expression.kind {
        Kind::Step(place, ..) | Kind::Assign(_, place, _) => declared_type(names, place),
        Kind::Sequence(all) => all.last().and_then(|last| type_of(names, last)),
        Kind::Cast(ty, _) if ty.pointers == 0 => Some(ty.base),
        Kind::Call(name, _) => names.alias(name),
        Kind::Unary(Unary::Plus | Unary::Minus | Unary::Complement, operand) => wide(type_of(names, operand)),
        Kind::Choice(_, then, other) => alternatives([type_of(names, then), type_of(names, other)]),
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
    }
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
    base.filter(|base| matches!(base, &UNSIGNED | Base::Fraction | Base::Integer { bits: 64, .. }))
}

/// The type in which operands of these types are computed; `None` for `int`.
pub(super) fn common(types: [Option<Base>; 2]) -> Option<Base> {
    let rank = |base: &Base| match base {
        Base::Integer { bits, signed } => (*bits, !signed),
        Base::Truth => (0, false),
        Base::Fraction => (u32::MAX, false),
    };
    types.into_iter().filter_map(wide).max_by_key(rank)
}

/// The type of one of two values.
pub(super) fn alternatives(types: [Option<Base>; 2]) -> Option<Base> {
    if types[0] == types[1] { types[0] } else { common(types) }
}

/// The type of a variable.
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
        Value::Number(value) if ty.pointers == 0 => match ty.base {
            Base::Fraction if value.unsigned_abs() > EXACT => Value::computed("a fraction", span),
            base => Value::Number(base.convert(value).unwrap_or(value)),
        },
        other => other,
    }
}

/// The type of a value that has this one as far as it is known: a number without a type is an `int`.
pub(super) fn deduced(value: &Value, base: Option<Base>) -> Option<Base> {
    let fits = |number: &i64| INT.convert(*number) == Some(*number);
    base.or(matches!(value, Value::Number(number) if fits(number)).then_some(INT))
}

/// The value of an operator for two numbers in a type, `int` if it has no name here. What overflows has no value, except that shifts to
/// the left and numbers without a sign are computed modulo the width of their type.
pub(super) fn computed(base: Option<Base>, operator: Binary, left: i64, right: i64) -> Option<i64> {
    let (bits, signed) = match base {
        Some(Base::Integer { bits, signed }) => (bits, signed),
        Some(Base::Fraction) => return exact(operator, left, right),
        _ => (32, true),
    };
    let shift = u32::try_from(right).ok().filter(|by| *by < bits);
    let ty = Base::Integer { bits, signed };
    match operator {
        Binary::Left => ty.convert(left << shift?),
        Binary::Right if signed => Some(left >> shift?),
        Binary::Right => Some((left.cast_unsigned() >> shift?).cast_signed()),
        _ if !signed => {
            let found = operator.apply_unsigned(left.cast_unsigned(), right.cast_unsigned())?;
            ty.convert(found.cast_signed())
        }
        _ => operator.apply(left, right).filter(|found| ty.convert(*found) == Some(*found)),
    }
}

/// The value of an operator for two whole numbers that are held as fractions, if it is a whole number again.
fn exact(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let whole = operator != Binary::Divide || left.checked_rem(right) == Some(0);
    operator.apply(left, right).filter(|found| whole && found.unsigned_abs() <= EXACT)
}

/// The value of `+`, `-`, `~` or `!` for a number in a type.
pub(super) fn negated(base: Option<Base>, operator: Unary, value: i64) -> Option<i64> {
    match base {
        Some(base @ Base::Integer { signed: false, .. }) if operator == Unary::Minus => {
            base.convert(value.wrapping_neg())
        }
        Some(Base::Fraction) | Some(Base::Integer { bits: 64, .. }) => operator.apply(value),
        Some(base) => operator.apply(value).and_then(|value| base.convert(value)),
        None => operator.apply(value).filter(|found| INT.convert(*found) == Some(*found)),
    }
}
