//! The machine of a command: a built-in one, or one that a file describes.

use std::path::Path;

use super::arguments::unknown;
use super::complain::show;
use super::files;
use super::outcome::CommandError;
use crate::backend::{Machine, Registry};

/// The machine with this name, or described by this file; the first built-in machine by default.
pub(super) fn asked(registry: &Registry, asked: Option<&str>) -> Result<Box<dyn Machine>, CommandError> {
    let names = registry.names();
    let name = asked.or(names.first().copied()).unwrap_or_default();
    match registry.builtin(name) {
        Some(machine) => Ok(machine),
        None if Path::new(name).exists() => described(registry, Path::new(name)),
        None => Err(unknown("target", name, "kalg", &names)),
    }
}

/// The machine that a file describes, or without such a file the built-in one of this name. The file is read only once, because it
/// may be a pipe.
pub(super) fn described(registry: &Registry, path: &Path) -> Result<Box<dyn Machine>, CommandError> {
    if let Some(machine) = path.to_str().filter(|_| !path.exists()).and_then(|name| registry.builtin(name)) {
        return Ok(machine);
    }
    let source = files::source(path)?;
    registry.describe(&source).map_err(|wrong| show(&source, &wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_descriptions_lead_to_the_same_machines() {
        let registry = Registry::default();
        for name in registry.names() {
            let machine = asked(&registry, Some(name)).unwrap();
            let described = described(&registry, Path::new(&format!("rules/{name}/target.sexp"))).unwrap();
            let of = |machine: &dyn Machine| (machine.name().to_owned(), machine.class().head());
            assert_eq!(of(&*described), of(&*machine));
        }
        assert_eq!(asked(&registry, None).unwrap().name(), registry.names()[0]);
    }
}
