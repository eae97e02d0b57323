//! Helpers for arguments that several commands share.

use super::outcome::CommandError;
use crate::backend::option;

/// The error for an unknown name: suggests the name that was probably meant, or lists the known ones.
pub(super) fn unknown(what: &str, name: &str, owner: &str, known: &[&str]) -> CommandError {
    CommandError::Usage(option::unknown(what, name, owner, known))
}
