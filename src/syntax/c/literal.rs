//! Integer literals of C and C++.

/// Suffixes of integers, in lower case.
const SUFFIXES: [&str; 11] = ["", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu"];

/// The value of an integer literal: decimal, octal (`017`), `0x…` or `0b…`, with digit separators and type suffixes.
/// `None` for anything else, and for values that do not fit.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let (radix, digits, _) = parts(text)?;
    i64::from_str_radix(&digits, radix).ok()
}

/// The type of an integer literal with this value, if it is not `int`: of the types that its suffix and its base allow, the first one that
/// the value fits (C11, 6.4.4.1). `None` for anything else.
pub(super) fn integer_type(text: &str, value: i64) -> Option<&'static str> {
    let (radix, _, suffix) = parts(text)?;
    let (unsigned, long) = (suffix.contains('u'), suffix.contains(['l', 'z']));
    match value {
        _ if long && unsigned => Some("uint64_t"),
        _ if long => Some("int64_t"),
        ..=0x7FFF_FFFF if !unsigned => None,
        // Only decimal literals without a suffix are never unsigned.
        ..=0xFFFF_FFFF if unsigned || radix != 10 => Some("unsigned"),
        _ if unsigned => Some("uint64_t"),
        _ => Some("int64_t"),
    }
}

/// The base, the digits and the suffix of an integer literal, in lower case.
fn parts(text: &str) -> Option<(u32, String, &'static str)> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) || text.contains("''") {
        return None;
    }
    let text: String = text.chars().filter(|c| *c != '\'').collect::<String>().to_ascii_lowercase();
    let (radix, digits) = match text.get(..2) {
        Some("0x") => (16, &text[2..]),
        Some("0b") => (2, &text[2..]),
        _ if text.starts_with('0') => (8, text.as_str()),
        _ => (10, text.as_str()),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, found) = digits.split_at(end);
    let suffix = SUFFIXES.into_iter().find(|suffix| *suffix == found)?;
    Some((radix, digits.to_owned(), suffix))
}

/// The value of the character literal `'c'` with this prefix: `L`, `u`, `U`, `u8` or none. One without a prefix holds a single byte with a
/// sign; several characters in one literal have no value that all compilers share.
pub(super) fn character(prefix: &str, text: &str) -> Option<i64> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let value = match inner.strip_prefix('\\') {
        Some(escape) => escaped(escape)?,
        None => {
            let mut all = inner.chars();
            all.next().map(u32::from).filter(|_| all.next().is_none())?
        }
    };
    match (prefix, inner.starts_with('\\')) {
        ("", true) => u8::try_from(value).ok().map(|byte| i64::from(byte.cast_signed())),
        ("" | "u8", false) => Some(i64::from(value)).filter(|value| *value < 0x80),
        ("u8", true) => u8::try_from(value).ok().map(i64::from),
        ("u", _) => u16::try_from(value).ok().map(i64::from),
        _ => Some(i64::from(value)),
    }
}

/// The value of the escape behind a backslash.
fn escaped(text: &str) -> Option<u32> {
    let simple = [('n', 10), ('t', 9), ('r', 13), ('a', 7), ('b', 8), ('f', 12), ('v', 11)];
    let first = text.chars().next()?;
    match first {
        '\\' | '\'' | '"' | '?' if text.len() == 1 => Some(u32::from(first)),
        'x' => u32::from_str_radix(&text[1..], 16).ok(),
        'u' | 'U' if text.len() == if first == 'u' { 5 } else { 9 } => {
            u32::from_str_radix(&text[1..], 16).ok()
        }
        '0'..='7' if text.len() <= 3 => u32::from_str_radix(text, 8).ok(),
        _ => simple.into_iter().find(|(name, _)| text.len() == 1 && *name == first).map(|(_, value)| value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_types_of_c() {
        for (text, ty) in [
            ("5", None),
            ("5u", Some("unsigned")),
            ("0b11U", Some("unsigned")),
            ("5L", Some("int64_t")),
            ("0ul", Some("uint64_t")),
            ("2147483647", None),
            ("2147483648", Some("int64_t")),
            ("0x7fffffff", None),
            ("0x80000000", Some("unsigned")),
            ("0xBu", Some("unsigned")),
            ("037777777777", Some("unsigned")),
            ("0x100000000", Some("int64_t")),
            ("0x1'0000'0000u", Some("uint64_t")),
        ] {
            assert_eq!(integer_type(text, integer(text).expect("it is one")), ty, "{text}");
        }
    }

    #[test]
    fn characters_as_they_are_written() {
        for (prefix, text, value) in [
            ("", "'a'", Some(97)),
            ("", r"'\n'", Some(10)),
            ("", r"'\0'", Some(0)),
            ("", r"'\\'", Some(92)),
            ("", r"'\''", Some(39)),
            ("", r"'\x41'", Some(65)),
            ("", r"'\377'", Some(-1)),
            ("u8", r"'\377'", Some(255)),
            ("L", "'é'", Some(233)),
            ("", "'é'", None),
            ("", "'ab'", None),
            ("", r"'\400'", None),
            ("", r"'\q'", None),
            ("", "''", None),
            ("", "'", None),
        ] {
            assert_eq!(character(prefix, text), value, "{prefix}{text}");
        }
    }

    #[test]
    fn integers_as_they_are_written() {
        let right = [
            ("7", 7),
            ("0x1F", 31),
            ("0b11", 3),
            ("12u", 12),
            ("1'000", 1000),
            ("010", 8),
            ("0", 0),
            ("0ULL", 0),
        ];
        for (text, value) in right {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for text in [
            "x",
            "",
            "08",
            "1.5",
            "0x",
            "0b2",
            "1e3",
            "3uu",
            "1lul",
            "99999999999999999999",
            "-1",
            "é",
            "1''0",
        ] {
            assert_eq!(integer(text), None, "{text}");
        }
    }
}
