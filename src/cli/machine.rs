//! The machine that a command is for: of which kind it is, and, where a file describes it, what that file says.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::arguments::unknown;
use super::complain::show;
use super::files;
use super::outcome::CommandError;
use crate::backend::array::machine::{Target, builtin_names, read_target};
use crate::backend::scan;
use crate::backend::vector;
use crate::backend::{self, Registry};
use crate::syntax::{Source, read};

/// A kind of machine: what programs for it are, and with that what commands can do for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Registers as large as the image, and instructions for all pixels at once.
    Array,
    /// Wide registers, lanes, bundles.
    Vector,
    /// One pixel after the other.
    Stream,
}

impl Kind {
    /// All of them.
    pub(super) const ALL: &[Self] = &[Self::Array, Self::Vector, Self::Stream];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Array => "a processor array",
            Self::Vector => "a vector machine",
            Self::Stream => "a machine in scan order",
        })
    }
}

/// A machine of any kind.
pub(super) enum Machine {
    Array(Arc<Target>),
    Vector(Arc<vector::machine::Machine>),
    Stream(scan::machine::Machine),
}

impl Machine {
    /// The machine of this name, or that this file describes; the first one that is built in where none is asked for.
    pub(super) fn asked(asked: Option<&str>) -> Result<Self, CommandError> {
        let name = asked.unwrap_or(builtin_names()[0]);
        match Self::builtin(name) {
            Some(machine) => Ok(machine),
            None if Path::new(name).exists() => Self::described(Path::new(name)),
            None => Err(unknown("target", name, "kalg", &Self::names())),
        }
    }

    /// The names of those that are part of the program, of all kinds.
    pub(super) fn names() -> Vec<&'static str> {
        [builtin_names(), vector::machine::Machine::builtin_names(), scan::machine::Machine::builtin_names()]
            .concat()
    }

    /// The machine that is part of the program and has this name.
    pub(super) fn builtin(name: &str) -> Option<Self> {
        let array = || Target::builtin(name).map(|target| Self::Array(Arc::new(target)));
        let vector =
            || vector::machine::Machine::builtin(name).map(|machine| Self::Vector(Arc::new(machine)));
        let stream = || scan::machine::Machine::builtin(name).map(Self::Stream);
        array().or_else(vector).or_else(stream)
    }

    /// The machine that a file describes. The file is read once, as a pipe can be no oftener.
    pub(super) fn described(path: &Path) -> Result<Self, CommandError> {
        let source = files::read_source(path)
            .map_err(|error| CommandError::Usage(format!("cannot read `{}`: {error}", path.display())))?;
        let machine = match head(&source).as_str() {
            "machine" => {
                vector::machine::read_machine(&source).map(|machine| Self::Vector(Arc::new(machine)))
            }
            "stream-machine" => scan::machine::read_machine(&source).map(Self::Stream),
            _ => read_target(&source).map(|target| Self::Array(Arc::new(target))),
        };
        machine.map_err(|wrong| show(&source, &wrong))
    }

    /// Its kind.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Array(_) => Kind::Array,
            Self::Vector(_) => Kind::Vector,
            Self::Stream(_) => Kind::Stream,
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Array(target) => &target.name,
            Self::Vector(machine) => &machine.name,
            Self::Stream(machine) => &machine.name,
        }
    }
}

/// The machine of this name, or that this file describes; the first one that is built in where none is asked for.
pub(super) fn asked(
    registry: &Registry,
    asked: Option<&str>,
) -> Result<Box<dyn backend::Machine>, CommandError> {
    let names = registry.names();
    let name = asked.or(names.first().copied()).unwrap_or_default();
    match registry.builtin(name) {
        Some(machine) => Ok(machine),
        None if Path::new(name).exists() => described(registry, Path::new(name)),
        None => Err(unknown("target", name, "kalg", &names)),
    }
}

/// The machine that a file describes. The file is read once, as a pipe can be no oftener.
pub(super) fn described(registry: &Registry, path: &Path) -> Result<Box<dyn backend::Machine>, CommandError> {
    let source = files::read_source(path)
        .map_err(|error| CommandError::Usage(format!("cannot read `{}`: {error}", path.display())))?;
    registry.describe(&source).map_err(|wrong| show(&source, &wrong))
}

/// The first word of a description, which says of what kind it is; empty where there is none.
fn head(source: &Source) -> String {
    let sexps = read(source).unwrap_or_default();
    let form = sexps.first().and_then(|sexp| sexp.as_form());
    form.map_or_else(String::new, |form| form.head.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_descriptions_lead_to_all_kinds() {
        let mut kinds: Vec<Kind> = Vec::new();
        for name in Machine::names() {
            let machine = Machine::asked(Some(name)).unwrap();
            let described = Machine::described(Path::new(&format!("rules/{name}/target.sexp"))).unwrap();
            assert_eq!((described.name(), described.kind()), (machine.name(), machine.kind()));
            kinds.push(machine.kind());
        }
        assert_eq!(kinds, Kind::ALL);
        assert!(Machine::asked(None).is_ok_and(|machine| machine.kind() == Kind::Array));
    }
}
