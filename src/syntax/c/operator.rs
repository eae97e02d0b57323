//! The binary operators of C.

use super::lex::{Kind, Token, marks};

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    Left,
    /// `>>`
    Right,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl Binary {
    /// The spelling of each operator, the operator, and its precedence; longer spellings come first.
    pub(crate) const TABLE: [(&'static str, Self, u8); 18] = [
        ("<<", Self::Left, 8),
        (">>", Self::Right, 8),
        ("<=", Self::AtMost, 7),
        (">=", Self::AtLeast, 7),
        ("==", Self::Equal, 6),
        ("!=", Self::Unequal, 6),
        ("&&", Self::And, 2),
        ("||", Self::Or, 1),
        ("*", Self::Multiply, 10),
        ("/", Self::Divide, 10),
        ("%", Self::Remainder, 10),
        ("+", Self::Add, 9),
        ("-", Self::Subtract, 9),
        ("<", Self::Less, 7),
        (">", Self::Greater, 7),
        ("&", Self::BitAnd, 5),
        ("^", Self::BitXor, 4),
        ("|", Self::BitOr, 3),
    ];

    /// The words that C++ has for some of these spellings.
    const WORDS: [(&'static str, &'static str); 6] =
        [("and", "&&"), ("or", "||"), ("not_eq", "!="), ("bitand", "&"), ("bitor", "|"), ("xor", "^")];

    /// The operator at the beginning of the tokens: the number of tokens that spell it, the operator, and its precedence.
    pub(crate) fn at(tokens: &[Token<'_>]) -> Option<(usize, Self, u8)> {
        let first = tokens.first()?;
        let word = Self::WORDS.into_iter().find(|(word, _)| first.kind == Kind::Word && first.text == *word);
        let spelt = |text: &str| word.map_or_else(|| marks(tokens, text), |(_, marks)| marks == text);
        let (text, operator, strength) = Self::TABLE.into_iter().find(|(text, ..)| spelt(text))?;
        Some((if word.is_some() { 1 } else { text.len() }, operator, strength))
    }

    /// The operator of an assignment that is written as this word.
    pub(crate) fn assigned_by(word: &str) -> Option<Self> {
        match word {
            "and_eq" => Some(Self::BitAnd),
            "or_eq" => Some(Self::BitOr),
            "xor_eq" => Some(Self::BitXor),
            _ => None,
        }
    }

    /// Whether this operator can be combined with an assignment, as in `+=`.
    pub(super) fn combines(self) -> bool {
        let strength =
            Self::TABLE.iter().find(|(_, operator, _)| *operator == self).map_or(0, |entry| entry.2);
        strength >= 8 || matches!(self, Self::BitAnd | Self::BitXor | Self::BitOr)
    }

    /// The result for two integers; `None` if it is undefined or does not fit.
    pub fn apply(self, left: i64, right: i64) -> Option<i64> {
        let bit = i64::from;
        let shift = u32::try_from(right).ok().filter(|n| *n < 63);
        match self {
            Self::Multiply => left.checked_mul(right),
            Self::Divide => left.checked_div(right),
            Self::Remainder => left.checked_rem(right),
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Left => left.checked_mul(1 << shift?),
            Self::Right => Some(left >> shift?),
            Self::Less => Some(bit(left < right)),
            Self::AtMost => Some(bit(left <= right)),
            Self::Greater => Some(bit(left > right)),
            Self::AtLeast => Some(bit(left >= right)),
            Self::Equal => Some(bit(left == right)),
            Self::Unequal => Some(bit(left != right)),
            Self::BitAnd => Some(left & right),
            Self::BitXor => Some(left ^ right),
            Self::BitOr => Some(left | right),
            Self::And => Some(bit(left != 0 && right != 0)),
            Self::Or => Some(bit(left != 0 || right != 0)),
        }
    }

    /// The value for two numbers without a sign, modulo 2^64; `None` if it is undefined.
    pub fn apply_unsigned(self, left: u64, right: u64) -> Option<u64> {
        let bit = u64::from;
        let shift = u32::try_from(right).ok().filter(|n| *n < 64);
        Some(match self {
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide => left.checked_div(right)?,
            Self::Remainder => left.checked_rem(right)?,
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Left => left << shift?,
            Self::Right => left >> shift?,
            Self::Less => bit(left < right),
            Self::AtMost => bit(left <= right),
            Self::Greater => bit(left > right),
            Self::AtLeast => bit(left >= right),
            Self::Equal => bit(left == right),
            Self::Unequal => bit(left != right),
            Self::BitAnd => left & right,
            Self::BitXor => left ^ right,
            Self::BitOr => left | right,
            Self::And => bit(left != 0 && right != 0),
            Self::Or => bit(left != 0 || right != 0),
        })
    }
}
