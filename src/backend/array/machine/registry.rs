//! Look-up of the targets that are part of the program. Others are read by [`super::read_target`] from a user's file.

use super::descriptor::Target;
use super::{BUILTIN, read_target};
use crate::backend::builtin::find;

/// The names of the built-in targets, in order.
pub fn builtin_names() -> Vec<&'static str> {
    BUILTIN.iter().map(|(name, ..)| *name).collect()
}

impl Target {
    /// The built-in target of this name.
    ///
    /// # Panics
    /// If a built-in descriptor is not valid, which a test excludes.
    pub fn builtin(name: &str) -> Option<Self> {
        find(&BUILTIN, name, read_target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_descriptor_is_valid_and_named_as_listed() {
        for name in builtin_names() {
            assert_eq!(Target::builtin(name).unwrap().name, name);
        }
        assert_eq!(Target::builtin("no such target"), None);
    }
}
