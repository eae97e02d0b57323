//! The names of types, and the words beside them that have no meaning here.

use super::syntax::{Base, Scalar};
use crate::syntax::c::Dialect;

/// C++ with the types of vector machines, and the annotations for their schedulers.
pub(super) struct Intrinsics;

impl Dialect for Intrinsics {
    type Base = Base;
    const TYPES: [&'static str; 2] = ["integers, vectors or accumulators", "`v16int16`, `int16_t`"];

    fn named(word: &str) -> Option<Base> {
        named(word)
    }

    fn joined(first: &Base, second: &Base) -> Option<Base> {
        let (Base::Integer(old), Base::Integer(new)) = (*first, *second) else { return None };
        let wider = if new.bits == 32 { old } else { new };
        Some(Base::Integer(Scalar { signed: old.signed && new.signed, ..wider }))
    }

    fn is_annotation(word: &str) -> bool {
        word.starts_with("chess_")
    }
}

/// Returns the type that one word names.
pub(super) fn named(word: &str) -> Option<Base> {
    let word = word.strip_prefix("std::").unwrap_or(word);
    match word {
        "void" => return Some(Base::Nothing),
        "auto" => return Some(Base::Deduced),
        "bool" => return integer(8, false),
        "char" => return integer(8, true),
        "short" => return integer(16, true),
        "int" | "signed" => return integer(32, true),
        "unsigned" | "uint" => return integer(32, false),
        "long" | "ptrdiff_t" => return integer(64, true),
        "size_t" => return integer(64, false),
        _ => {}
    }
    if let Some(scalar) = scalar(word.strip_suffix("_t").unwrap_or(word)) {
        return Some(Base::Integer(scalar));
    }
    let (lanes, element) = number(word.strip_prefix('v')?)?;
    if !lanes.is_power_of_two() || lanes > 128 {
        return None;
    }
    if let Some(scalar) = scalar(element) {
        return Some(Base::Vector(lanes, scalar));
    }
    let (bits, rest) = number(element.strip_prefix("acc")?)?;
    (rest.is_empty() && matches!(bits, 48 | 80)).then_some(Base::Accumulator(lanes, bits))
}

fn integer(bits: usize, signed: bool) -> Option<Base> {
    Some(Base::Integer(Scalar { bits, signed }))
}

/// `int16`, `uint8`, ….
fn scalar(word: &str) -> Option<Scalar> {
    let (signed, rest) = match word.strip_prefix('u') {
        Some(rest) => (false, rest),
        None => (true, word),
    };
    let (bits, rest) = number(rest.strip_prefix("int")?)?;
    (rest.is_empty() && matches!(bits, 8 | 16 | 32 | 64)).then_some(Scalar { bits, signed })
}

/// Splits a text into a leading number and the rest.
fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        assert_eq!(named("v16int16"), Some(Base::Vector(16, Scalar { bits: 16, signed: true })));
        assert_eq!(named("v32uint8"), Some(Base::Vector(32, Scalar { bits: 8, signed: false })));
        assert_eq!(named("v8acc80"), Some(Base::Accumulator(8, 80)));
        assert_eq!(named("int32_t"), named("int32"));
        assert_eq!(named("std::int16_t"), named("int16"));
        for word in [
            "v16",
            "v16int",
            "v16int17",
            "v0int16",
            "v16acc",
            "vint16",
            "int16x",
            "",
            "v",
            "v99999999999999999999int16",
        ] {
            assert_eq!(named(word), None, "{word}");
        }
    }
}
