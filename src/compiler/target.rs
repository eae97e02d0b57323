//! Targets.

use std::fmt;
use std::sync::Arc;

use super::error::Error;
use crate::backend::{Machine, Registry};
use crate::syntax::{Source, closest};

/// A machine to compile for. Cloning is cheap.
#[derive(Clone)]
pub struct Target(pub(super) Arc<dyn Machine>);

impl Target {
    /// The names of the built-in targets.
    pub fn names() -> Vec<&'static str> {
        Registry::default().names()
    }

    /// Returns the built-in target of this name.
    ///
    /// # Errors
    /// There is no such target.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        let registry = Registry::default();
        let unknown = || {
            let names = registry.names();
            let meant = closest(name, names.iter().copied());
            let help = meant.map_or_else(
                || format!("built in are {}", names.join(", ")),
                |meant| format!("did you mean `{meant}`?"),
            );
            Error::bad_input(format!("there is no target `{name}`; {help}"))
        };
        registry.builtin(name).map(Self::from).ok_or_else(unknown)
    }

    /// Reads a descriptor: a file that says what the instructions of a machine do, cost and forbid.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn read(descriptor: &Source) -> Result<Self, Error> {
        let machine = Registry::default().describe(descriptor);
        machine.map(Self::from).map_err(|wrong| Error::at(descriptor, &wrong))
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The machine behind the target.
    pub fn machine(&self) -> &dyn Machine {
        &*self.0
    }

    /// Replays a certificate, the form `certificate` of a check's report. Returns the findings as text.
    ///
    /// # Errors
    /// The file is not a certificate for the target, or makes a false statement.
    pub fn replay(&self, certificate: &Source) -> Result<String, Error> {
        self.0.replay(certificate).map_err(|error| Error::of_replaying(certificate, &error))
    }
}

impl From<Box<dyn Machine>> for Target {
    /// Makes a target of a machine of your own class: see [`machine`](crate::machine).
    fn from(machine: Box<dyn Machine>) -> Self {
        Self(machine.into())
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.name()).finish()
    }
}
