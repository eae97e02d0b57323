//! Helpers for arguments that several commands share.

use std::num::NonZero;
use std::str::FromStr;

use super::outcome::CommandError;
use crate::backend::option;

/// The error for an unknown name: suggests the name that was probably meant, or lists the known ones.
pub(super) fn unknown(what: &str, name: &str, owner: &str, known: &[&str]) -> CommandError {
    CommandError::Usage(option::unknown(what, name, owner, known))
}

/// Parses a number that is not negative, such as a budget or a seed.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| {
        let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        let why = if is_number {
            "this number is too large"
        } else {
            "expected a whole number that is not negative"
        };
        why.to_owned()
    })
}

/// Parses a number of at least one, such as that of threads.
pub(super) fn positive(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".to_owned())
}
