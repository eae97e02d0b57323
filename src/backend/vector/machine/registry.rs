//! The look-up of built-in machines. [`super::read_machine`] reads others from a user's file.

use super::{BUILTIN, VliwMachine, read_machine};
use crate::backend::builtin::find;

impl VliwMachine {
    /// The names of the built-in machines.
    pub fn builtin_names() -> Vec<&'static str> {
        BUILTIN.iter().map(|(name, ..)| *name).collect()
    }

    /// Returns the built-in machine of this name.
    ///
    /// # Panics
    /// If a built-in descriptor is not valid. A test excludes this.
    pub fn builtin(name: &str) -> Option<Self> {
        find(&BUILTIN, name, read_machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_machines_are_valid_and_named_as_listed() {
        for name in VliwMachine::builtin_names() {
            let machine = VliwMachine::builtin(name).unwrap();
            assert_eq!(machine.name, name);
            assert_eq!(machine.data_vectors().len() + machine.coefficients.len(), machine.vectors.len());
        }
        assert_eq!(VliwMachine::builtin("no such machine"), None);
    }
}
