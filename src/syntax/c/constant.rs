//! Values of constant expressions, as in `#if`, loop bounds, constants and operands.

use super::operator::Binary;
use super::tree::{Expression, Kind, Unary};
use crate::syntax::Span;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The value of this name is unknown.
    Unknown(String, Span),
    /// This expression has no value, or its value does not fit.
    NoValue(Span),
}

/// Computes the value of an expression; `value_of` gives the values of names. Operands that `&&`, `
///
/// ` or `?` skip need no value.
///
/// # Errors
/// [`Problem`].
pub(crate) fn constant<B>(
    expression: &Expression<B>,
    value_of: &dyn Fn(&str) -> Option<i64>,
) -> Result<i64, Problem> {
    signed(expression, value_of).map(|(value, _)| value)
}

/// A value modulo 2^64, and whether it has a sign. A literal without one is a conversion here.
fn signed<B>(
    expression: &Expression<B>,
    value_of: &dyn Fn(&str) -> Option<i64>,
) -> Result<(i64, bool), Problem> {
    let value = |of: &Expression<B>| signed(of, value_of);
    let found = match &expression.kind {
        Kind::Integer(value) => Some((*value, true)),
        Kind::Cast(_, literal) => Some((value(literal)?.0, false)),
        Kind::Name(name) | Kind::Call(name, _) => {
            let value = value_of(name).filter(|_| matches!(expression.kind, Kind::Name(_)));
            return Ok((value.ok_or_else(|| Problem::Unknown(name.clone(), expression.span))?, true));
        }
        Kind::Unary(operator, operand) => match (operator, value(operand)?) {
            (Unary::Minus, (value, false)) => Some((value.wrapping_neg(), false)),
            (Unary::Not, (value, _)) => Some((i64::from(value == 0), true)),
            (_, (value, sign)) => operator.apply(value).map(|value| (value, sign)),
        },
        Kind::Binary(operator, left, right) => match (operator, value(left)?) {
            (Binary::And, (0, _)) => Some((0, true)),
            (Binary::Or, (left, _)) if left != 0 => Some((1, true)),
            (_, left) => operated(*operator, left, value(right)?),
        },
        Kind::Choice(test, then, other) => return value(if value(test)?.0 != 0 { then } else { other }),
        _ => None,
    };
    found.ok_or(Problem::NoValue(expression.span))
}

/// The value of an operator. If one operand has no sign, neither has the other.
fn operated(
    operator: Binary,
    (left, first): (i64, bool),
    (right, second): (i64, bool),
) -> Option<(i64, bool)> {
    use Binary::{And, AtLeast, AtMost, Equal, Greater, Left, Less, Or, Right, Unequal};
    let sign = if matches!(operator, Left | Right) { first } else { first && second };
    let value = match sign {
        true => operator.apply(left, right)?,
        false => operator.apply_unsigned(left.cast_unsigned(), right.cast_unsigned())?.cast_signed(),
    };
    let truth = matches!(operator, And | Or | Less | AtMost | Greater | AtLeast | Equal | Unequal);
    Some((value, sign || truth))
}

#[cfg(test)]
mod tests {
    use super::super::cursor::{Cursor, Untyped};
    use super::super::lex::tokens_of;
    use super::*;

    fn value(text: &str) -> Result<i64, Problem> {
        let tokens = tokens_of(text);
        let mut cursor: Cursor<'_, Untyped> = Cursor::new(&tokens);
        let Ok(expression) = cursor.expression() else { panic!("{text}: {:?}", cursor.diagnostics) };
        assert_eq!(cursor.at, tokens.len(), "{text}");
        constant(&expression, &|name| (name == "N").then_some(3))
    }

    #[test]
    fn operators_bind_as_in_c() {
        let right = [
            ("1 + 2 * N", 7),
            ("(1 + 2) * -N", -9),
            ("10 - 4 - 3", 3),
            ("N << 2 > 11 && !0", 1),
            ("~0 & 0x0F | 010", 15),
            ("N == 3 ? N > 4 ? 1 : 2 : 1 / 0", 2),
            ("'a' % 010", 1),
            ("0 && 1 / 0 || 1 || M", 1),
            ("-1 > 0u", 1),
            ("-1 > 0", 0),
            ("(2 > 1u) - 2 < 0", 1),
            ("0x80000000 - 0x80000001 < 0", 1),
            ("1u - 2 > 0 && -1 >> 1 < 0", 1),
        ];
        for (text, expected) in right {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_named() {
        assert_eq!(value("1 + M"), Err(Problem::Unknown("M".to_owned(), Span::new(4, 5))));
        assert_eq!(value("2 * (1 / 0)"), Err(Problem::NoValue(Span::new(4, 11))));
        assert_eq!(value("9223372036854775807 + 1"), Err(Problem::NoValue(Span::new(0, 23))));
        assert_eq!(value("08"), Err(Problem::NoValue(Span::new(0, 2))));
        assert_eq!(value("N(1)"), Err(Problem::Unknown("N".to_owned(), Span::new(0, 4))));
    }

    #[test]
    fn what_is_no_expression_is_reported() {
        let ids = |text: &str| {
            let tokens = tokens_of(text);
            let mut cursor: Cursor<'_, Untyped> = Cursor::new(&tokens);
            assert!(cursor.expression().is_err(), "{text}");
            cursor.diagnostics.iter().map(|d| d.id).collect::<Vec<_>>()
        };
        assert_eq!(ids("(1"), ["unexpected"]);
        assert_eq!(ids(""), ["unexpected"]);
        assert_eq!(ids(&"(".repeat(1000)), ["too-deep"]);
        assert_eq!(ids(&"-".repeat(1000)), ["too-deep"]);
    }
}
