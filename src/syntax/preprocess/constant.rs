//! Constant expressions: of `#if`, of the bounds of loops, of constants and operands.

use std::ops::Range;

use super::lex::{Kind, Token};
use super::literal::integer;
use super::operator::Binary;

/// How deep parentheses and operators may be nested.
const MAX_DEPTH: usize = 60;

/// Why an expression has no value; tokens by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Something else should stand here.
    Unexpected(&'static str, usize),
    /// The value of this name is not known.
    Unknown(usize),
    /// These tokens have no value, or none that fits.
    NoValue(Range<usize>),
}

/// A value; one that is not needed may have none.
type Value = Result<i64, Problem>;

/// Reads expressions.
pub(crate) struct Constants<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// The next token.
    pub(crate) at: usize,
    value_of: &'t dyn Fn(&str) -> Option<i64>,
    depth: usize,
}

impl<'t, 'a> Constants<'t, 'a> {
    /// Begins at a token; `value_of` knows the values of names.
    pub(crate) fn new(tokens: &'t [Token<'a>], at: usize, value_of: &'t dyn Fn(&str) -> Option<i64>) -> Self {
        Self { tokens, at, value_of, depth: 0 }
    }

    /// The value of the expression that stands here; what follows it is left.
    ///
    /// # Errors
    /// [`Problem`]. What `&&`, `||` and `?` make needless needs no value.
    pub(crate) fn value(&mut self) -> Result<i64, Problem> {
        self.choice()?
    }

    fn next_is(&self, text: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.is(text))
    }

    fn expect(&mut self, text: &'static str) -> Result<(), Problem> {
        if !self.next_is(text) {
            return Err(Problem::Unexpected(text, self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// One level deeper.
    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Problem>) -> Result<Value, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Problem::Unexpected("a shorter expression", self.at));
        }
        let found = read(self);
        self.depth -= 1;
        found
    }

    fn choice(&mut self) -> Result<Value, Problem> {
        let test = self.binary(0)?;
        if !self.next_is("?") {
            return Ok(test);
        }
        self.at += 1;
        let then = self.nested(Self::choice)?;
        self.expect(":")?;
        let other = self.nested(Self::choice)?;
        Ok(test.and_then(|test| if test != 0 { then } else { other }))
    }

    /// Operators that bind stronger than `weakest`.
    fn binary(&mut self, weakest: u8) -> Result<Value, Problem> {
        let begin = self.at;
        let mut left = self.unary()?;
        while let Some((text, operator, strength)) =
            Binary::at(&self.tokens[self.at.min(self.tokens.len())..])
        {
            if strength <= weakest {
                break;
            }
            self.at += text.len();
            let right = self.binary(strength)?;
            let range = begin..self.at;
            left = match (operator, left) {
                (Binary::And, Ok(0)) => Ok(0),
                (Binary::Or, Ok(value)) if value != 0 => Ok(1),
                (_, Ok(left)) => {
                    right.and_then(|right| operator.apply(left, right).ok_or(Problem::NoValue(range)))
                }
                (_, none) => none,
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value, Problem> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(Problem::Unexpected("a constant", self.at));
        };
        let begin = self.at;
        self.at += 1;
        let value = match token.kind {
            Kind::Number => integer(token.text).ok_or(Problem::NoValue(begin..begin + 1)),
            Kind::Literal => character(token.text).ok_or(Problem::NoValue(begin..begin + 1)),
            Kind::Word => (self.value_of)(token.text).ok_or(Problem::Unknown(begin)),
            Kind::Mark if token.is("(") => {
                let value = self.nested(Self::choice)?;
                self.expect(")")?;
                value
            }
            Kind::Mark if matches!(token.text, "-" | "+" | "!" | "~") => {
                let operand = self.nested(Self::unary)?;
                operand.and_then(|value| {
                    let result = match token.text {
                        "-" => value.checked_neg(),
                        "!" => Some(i64::from(value == 0)),
                        "~" => Some(!value),
                        _ => Some(value),
                    };
                    result.ok_or(Problem::NoValue(begin..self.at))
                })
            }
            Kind::Mark => {
                self.at = begin;
                return Err(Problem::Unexpected("a constant", begin));
            }
        };
        Ok(value)
    }
}

/// The value of `'c'`.
fn character(text: &str) -> Option<i64> {
    let mut inner = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
    let value = inner.next().filter(|c| *c != '\\')?;
    inner.next().is_none().then_some(i64::from(u32::from(value)))
}

#[cfg(test)]
mod tests {
    use super::super::lex::tokens_of;
    use super::*;

    fn value(text: &str) -> Result<i64, Problem> {
        let tokens = tokens_of(text);
        let mut constants = Constants::new(&tokens, 0, &|name| (name == "N").then_some(3));
        let found = constants.value()?;
        assert_eq!(constants.at, tokens.len(), "{text}");
        Ok(found)
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
        ];
        for (text, expected) in right {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_named() {
        assert_eq!(value("1 + M"), Err(Problem::Unknown(2)));
        assert_eq!(value("2 * (1 / 0)"), Err(Problem::NoValue(3..6)));
        assert_eq!(value("9223372036854775807 + 1"), Err(Problem::NoValue(0..3)));
        assert_eq!(value("08"), Err(Problem::NoValue(0..1)));
        assert_eq!(value("(1"), Err(Problem::Unexpected(")", 2)));
        assert_eq!(value(""), Err(Problem::Unexpected("a constant", 0)));
        assert!(matches!(value(&"(".repeat(1000)), Err(Problem::Unexpected("a shorter expression", _))));
        assert!(matches!(value(&"-".repeat(1000)), Err(Problem::Unexpected("a shorter expression", _))));
    }
}
