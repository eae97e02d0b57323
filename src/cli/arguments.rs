//! What the arguments of several commands are made of.

use super::outcome::CommandError;
use crate::backend::option;

/// A name that means nothing, with the one that was meant or those that there are.
pub(super) fn unknown(what: &str, name: &str, owner: &str, known: &[&str]) -> CommandError {
    CommandError::Usage(option::unknown(what, name, owner, known))
}
