//! Look-up of the built-in targets. [`super::read_target`] reads others from a user's file.

use super::descriptor::Target;
use super::{BUILTIN, read_target};
use crate::backend::builtin::find;

/// The names of the built-in targets, in order.
pub fn builtin_names() -> Vec<&'static str> {
    BUILTIN.iter().map(|(name, ..)| *name).collect()
}

impl Target {
    /// The built-in target with this name.
    ///
    /// # Panics
    /// If a built-in descriptor is invalid, which a test rules out.
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
