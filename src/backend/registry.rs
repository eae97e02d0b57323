//! The classes of machines that there are, and the machines that are part of the program.

use std::fmt::Display;

use super::builtin::find;
use super::interface::{Backend, Form, Machine, Task};
use super::option::{OptionSpec, OptionValues};
use super::{array, scan, vector};
use crate::syntax::{Diagnostics, Source, read};

/// The classes that kalg knows; of a descriptor that is of none, the first one says what it expects.
const BACKENDS: &[&dyn Backend] = &[&array::Arrays, &vector::Vectors, &scan::Scans];

/// Classes of machines.
#[derive(Clone)]
pub struct Registry {
    backends: Vec<&'static dyn Backend>,
}

/// An option of a command line: what it is called by the classes, and by users, and whether it was given.
#[derive(Clone, Debug)]
pub struct Offered {
    /// Its name among the options that classes declare.
    pub name: String,
    /// As users write it.
    pub shown: String,
    /// Whether it was given.
    pub given: bool,
}

impl Default for Registry {
    /// The classes that kalg knows.
    fn default() -> Self {
        Self::new(BACKENDS.to_vec())
    }
}

impl Registry {
    /// Of these classes, of which there is at least one.
    pub fn new(backends: Vec<&'static dyn Backend>) -> Self {
        Self { backends }
    }

    /// The classes.
    pub fn backends(&self) -> &[&'static dyn Backend] {
        &self.backends
    }

    /// The names of the machines that are part of the program, of all classes.
    pub fn names(&self) -> Vec<&'static str> {
        self.backends.iter().flat_map(|backend| backend.builtin()).map(|(name, ..)| *name).collect()
    }

    /// The machine that is part of the program and has this name.
    ///
    /// # Panics
    /// If its descriptor is not valid, which a test excludes.
    pub fn builtin(&self, name: &str) -> Option<Box<dyn Machine>> {
        self.backends.iter().find_map(|backend| find(backend.builtin(), name, |source| backend.read(source)))
    }

    /// The machine that a file describes, by the class whose descriptors begin as it does.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn describe(&self, source: &Source) -> Result<Box<dyn Machine>, Diagnostics> {
        let sexps = read(source).unwrap_or_default();
        let head = sexps.first().and_then(|sexp| sexp.as_form()).map(|form| form.head);
        let of = self.backends.iter().find(|backend| Some(backend.head()) == head);
        of.unwrap_or(&self.backends[0]).read(source)
    }

    /// The options that classes have for a task, in their order; those of one name are one option.
    pub fn options(&self, task: Task) -> Vec<OptionSpec> {
        let same = |one: &OptionSpec, other: &OptionSpec| one.name == other.name;
        in_order(self.backends.iter().map(|backend| backend.options(task)), same, OptionSpec::joined)
    }

    /// The forms that results have.
    pub fn forms(&self) -> Vec<Form> {
        in_order(self.backends.iter().map(|b| b.forms().to_vec()), |a, b| a.name == b.name, |own, _| own)
    }

    /// Whether an option means something for a machine; one that no class declares means something for all.
    fn takes(&self, machine: &dyn Machine, task: Task, name: &str) -> bool {
        let declares = |backend: &dyn Backend| {
            backend.shared(task).contains(&name) || backend.options(task).iter().any(|o| o.name == name)
        };
        declares(machine.class()) || !self.backends.iter().any(|backend| declares(*backend))
    }

    /// Refuses the first option that was given and means nothing for the machine, so that none is without effect.
    ///
    /// # Errors
    /// A message with the options that mean something.
    pub fn refuse_foreign(
        &self,
        machine: &dyn Machine,
        task: Task,
        offered: &[Offered],
    ) -> Result<(), String> {
        let takes = |option: &Offered| self.takes(machine, task, &option.name);
        let whose = format!("`{}`, {}", machine.name(), machine.class().noun());
        refusal(offered, &takes, &whose)
    }

    /// The same for values without a command line. Options that no class declares are refused, too.
    ///
    /// # Errors
    /// The same.
    pub fn refuse_foreign_values(
        machine: &dyn Machine,
        task: Task,
        values: &OptionValues,
    ) -> Result<(), String> {
        let own = machine.class().options(task);
        let known: Vec<&str> = own.iter().map(|option| option.name).collect();
        let foreign = values.names().filter(|name| !known.contains(name)).map(|name| (name, true));
        let own = known.iter().map(|name| (*name, false));
        let offered = foreign.chain(own).map(|(name, given)| Offered {
            name: name.to_owned(),
            shown: format!("--{name}"),
            given,
        });
        let whose = format!("`{}`, {}", machine.name(), machine.class().noun());
        refusal(&offered.collect::<Vec<_>>(), &|option| known.contains(&option.name.as_str()), &whose)
    }
}

/// Refuses the first option that was given and that `takes` does not take; `whose` is how the message calls what was asked for.
///
/// # Errors
/// A message with the options that are taken.
pub fn refusal(
    offered: &[Offered],
    takes: &dyn Fn(&Offered) -> bool,
    whose: &dyn Display,
) -> Result<(), String> {
    let Some(foreign) = offered.iter().find(|option| option.given && !takes(option)) else { return Ok(()) };
    let taken = offered.iter().filter(|option| takes(option) && option.shown.starts_with('-'));
    let taken = taken.map(|option| option.shown.as_str()).collect::<Vec<_>>().join(", ");
    Err(format!("`{}` means nothing for {whose}, which takes {taken}", foreign.shown))
}

/// The members of all lists: those that are new stand behind the one before them in their own list.
fn in_order<T>(
    lists: impl Iterator<Item = Vec<T>>,
    same: impl Fn(&T, &T) -> bool,
    join: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for list in lists {
        let mut next = all.len();
        for member in list {
            let at = all.iter().position(|own| same(own, &member));
            next = match at {
                Some(at) => {
                    let own = all.remove(at);
                    all.insert(at, join(own, member));
                    at + 1
                }
                None => {
                    all.insert(next, member);
                    next + 1
                }
            };
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_descriptions_lead_to_all_classes() {
        let registry = Registry::default();
        let mut heads: Vec<&str> = Vec::new();
        for name in registry.names() {
            let machine = registry.builtin(name).unwrap();
            assert_eq!(machine.name(), name);
            heads.push(machine.class().head());
        }
        assert_eq!(heads, BACKENDS.iter().map(|backend| backend.head()).collect::<Vec<_>>());
        assert!(registry.builtin("no such machine").is_none());
    }

    #[test]
    fn what_is_new_stands_behind_what_it_followed() {
        let lists = [vec![1, 2, 3], vec![2, 4, 5, 3], vec![6, 1, 7]];
        let all = in_order(lists.into_iter(), |a, b| a == b, |own, _| own);
        assert_eq!(all, [1, 7, 2, 4, 5, 3, 6]);
    }
}
