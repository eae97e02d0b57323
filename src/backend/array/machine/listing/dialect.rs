//! The C++ that programs stand in: expressions with members of objects, template arguments and conversions to integers.

use crate::syntax::c::{self, Cursor, Dialect, Token};

/// The dialect of sources for processor arrays.
pub(super) struct HostCode;

/// The types that expressions may convert to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// An integer of a fixed width.
    Integer {
        /// Its width.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `bool`.
    Truth,
    /// Fractions.
    Fraction,
}

impl Base {
    /// An integer after a conversion to this type, modulo 2^64; `None` if the result is not an integer.
    pub(super) fn convert(self, value: i64) -> Option<i64> {
        match self {
            Self::Truth => Some(i64::from(value != 0)),
            Self::Fraction => None,
            Self::Integer { bits: 64, .. } => Some(value),
            Self::Integer { bits, signed } => {
                let low = value & ((1 << bits) - 1);
                Some(if signed && low >> (bits - 1) == 1 { low - (1 << bits) } else { low })
            }
        }
    }
}

/// The type of numbers in a declaration that has these tokens before its name; `None` for pointers, registers and what is not known.
/// `alias` gives the types that other names stand for.
pub(super) fn numbers(tokens: &[Token<'_>], alias: &dyn Fn(&str) -> Option<Base>) -> Option<Base> {
    let mut found: Option<Base> = None;
    let mut cursor: Code<'_> = Cursor::new(tokens);
    while let Some(token) = cursor.peek() {
        let Some((name, _)) = cursor.qualified() else {
            if token.is("*") {
                return None;
            }
            cursor.at += 1;
            continue;
        };
        match (HostCode::named(&name).or_else(|| alias(&name)), found) {
            (Some(base), None) => found = Some(base),
            (Some(base), Some(before)) => found = HostCode::joined(&before, &base),
            (None, _) => {}
        }
    }
    found
}

impl Dialect for HostCode {
    type Base = Base;
    const TYPES: [&'static str; 2] = ["numbers", "`int`, `uint8_t`"];
    const MEMBERS: bool = true;

    fn named(word: &str) -> Option<Base> {
        let integer = |bits, signed| Some(Base::Integer { bits, signed });
        match word.strip_prefix("std::").unwrap_or(word) {
            "bool" => Some(Base::Truth),
            "float" | "double" => Some(Base::Fraction),
            "char" | "int8_t" | "int_least8_t" | "int_fast8_t" => integer(8, true),
            "uint8_t" | "uint_least8_t" | "uint_fast8_t" | "char8_t" => integer(8, false),
            "short" | "int16_t" | "int_least16_t" => integer(16, true),
            "uint16_t" | "uint_least16_t" | "char16_t" | "ushort" => integer(16, false),
            "int" | "signed" | "int32_t" | "int_least32_t" | "wchar_t" => integer(32, true),
            "unsigned" | "uint32_t" | "uint_least32_t" | "char32_t" | "uint" => integer(32, false),
            "long" | "int64_t" | "intmax_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" => integer(64, true),
            "size_t" | "uint64_t" | "uintmax_t" | "uintptr_t" | "ulong" => integer(64, false),
            _ => None,
        }
    }

    /// `unsigned char`, `long int`: a word that is no width leaves the width to the other.
    fn joined(first: &Base, second: &Base) -> Option<Base> {
        match (*first, *second) {
            (Base::Fraction, _) | (_, Base::Fraction) => Some(Base::Fraction),
            (Base::Integer { bits, signed }, Base::Integer { bits: other, signed: also }) => {
                let bits = if bits == 32 { other } else { bits };
                Some(Base::Integer { bits, signed: signed && also })
            }
            _ => None,
        }
    }

    fn literal(name: &str, _: &str) -> Option<Base> {
        Self::named(name)
    }

    fn is_annotation(_: &str) -> bool {
        false
    }
}

/// An expression of a source.
pub(super) type Expression = c::Expression<Base>;

/// A cursor over the tokens of a source.
pub(super) type Code<'a> = Cursor<'a, HostCode>;

/// The expression that all tokens of this range form.
pub(super) fn within(tokens: &[Token<'_>], range: std::ops::Range<usize>) -> Option<Expression> {
    let mut cursor: Code<'_> = Cursor::new(tokens.get(..range.end)?);
    cursor.at = range.start;
    cursor.expression().ok().filter(|_| cursor.peek().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_wrap_around() {
        let named = |word| HostCode::named(word).unwrap();
        assert_eq!(named("uint8_t").convert(300), Some(44));
        assert_eq!(named("int8_t").convert(200), Some(-56));
        assert_eq!(named("int").convert(-3), Some(-3));
        assert_eq!(named("uint32_t").convert(-1), Some(0xFFFF_FFFF));
        assert_eq!(named("bool").convert(7), Some(1));
        assert_eq!(named("float").convert(7), None);
        let joined = |first, second| HostCode::joined(&named(first), &named(second)).unwrap();
        assert_eq!(joined("unsigned", "char").convert(-1), Some(255));
        assert_eq!(joined("short", "int").convert(1 << 16), Some(0));
        assert_eq!(joined("long", "int"), named("long"));
    }
}
