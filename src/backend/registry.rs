//! The registry of the classes of machines and of the built-in machines.

use std::fmt::{self, Display};

use super::builtin::find;
use super::interface::{Backend, Machine, Task};
use super::option::{OptionSpec, OptionValues, check, joined_help};
use super::{array, hardware, scan, vector};
use crate::syntax::{Diagnostic, Diagnostics, Kind, Source, of_other_kind, read};

/// The classes that kalg knows. The first one reports what it expects if a descriptor belongs to none.
const BACKENDS: &[&dyn Backend] = &[&array::Arrays, &vector::Vectors, &scan::Scans, &hardware::Hardware];

/// Classes of machines.
#[derive(Clone)]
pub struct Registry {
    backends: Vec<&'static dyn Backend>,
}

/// An option of a command line.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The name that the classes declare.
    pub name: String,
    /// The name that users write.
    pub shown: String,
    /// Whether it was given.
    pub given: bool,
}

impl fmt::Debug for Registry {
    /// The first words of descriptors.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Registry")?;
        f.debug_list().entries(self.backends.iter().map(|backend| backend.head())).finish()
    }
}

impl Default for Registry {
    /// Returns the classes that kalg knows.
    fn default() -> Self {
        Self::new(BACKENDS.to_vec())
    }
}

impl Registry {
    /// Creates a registry of these classes.
    pub fn new(backends: Vec<&'static dyn Backend>) -> Self {
        Self { backends }
    }

    /// The classes.
    pub fn backends(&self) -> &[&'static dyn Backend] {
        &self.backends
    }

    /// The names of the built-in machines of all classes.
    pub fn names(&self) -> Vec<&'static str> {
        self.backends.iter().flat_map(|backend| backend.builtin()).map(|(name, ..)| *name).collect()
    }

    /// The built-in machines of all classes.
    ///
    /// # Panics
    /// As [`builtin`](Self::builtin).
    pub fn machines(&self) -> Vec<Box<dyn Machine>> {
        self.names().into_iter().filter_map(|name| self.builtin(name)).collect()
    }

    /// Returns the built-in machine of this name.
    ///
    /// # Panics
    /// If its descriptor is not valid. A test excludes this.
    pub fn builtin(&self, name: &str) -> Option<Box<dyn Machine>> {
        self.backends.iter().find_map(|backend| find(backend.builtin(), name, |source| backend.read(source)))
    }

    /// Returns the machine that a file describes. The first word of the file selects the class.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn describe(&self, source: &Source) -> Result<Box<dyn Machine>, Diagnostics> {
        let sexps = read(source).unwrap_or_default();
        let head = sexps.first().and_then(|sexp| sexp.as_form()).map(|form| form.head);
        let of = self.backends.iter().find(|backend| Some(backend.head()) == head);
        let Some(class) = of.or(self.backends.first()) else {
            return Err(Diagnostic::error("no-classes", "no class of machines is known").into());
        };
        class.read(source).map_err(|wrong| of_other_kind(source, &[Kind::Machine], wrong))
    }

    /// The options of all classes for a task, in order. Options of one name are one option.
    pub fn options(&self, task: Task) -> Vec<OptionSpec> {
        let same = |one: &OptionSpec, other: &OptionSpec| one.name == other.name;
        let of = |backend: &&'static dyn Backend| {
            let own = backend.options(task).into_iter();
            own.map(|option| OptionSpec { classes: vec![backend.heading()], ..option }).collect()
        };
        in_order(self.backends.iter().map(of), same, OptionSpec::joined)
    }

    /// The names of the output forms of all classes, each with its help. The help of forms of one name explains all of them.
    pub fn forms(&self) -> Vec<(&'static str, String)> {
        let of = |backend: &dyn Backend| {
            backend.forms().iter().map(|form| (form.name, form.help.to_owned())).collect()
        };
        let joined = |own: (&'static str, String), other: (&'static str, String)| {
            (own.0, joined_help(own.1, &other.1))
        };
        in_order(self.backends.iter().map(|backend| of(*backend)), |a, b| a.0 == b.0, joined)
    }

    /// Whether an option applies to a machine. An option that no class declares applies to all machines.
    fn takes(&self, machine: &dyn Machine, task: Task, name: &str) -> bool {
        let declares = |backend: &dyn Backend| {
            backend.shared(task).contains(&name) || backend.options(task).iter().any(|o| o.name == name)
        };
        declares(machine.class()) || !self.backends.iter().any(|backend| declares(*backend))
    }

    /// Refuses the first given option that does not apply to the machine, so that no option is silently ignored.
    ///
    /// # Errors
    /// A message with the options that apply.
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

    /// Does the same for values without a command line. Options that no class declares are refused, too.
    ///
    /// # Errors
    /// See [`Registry::refuse_foreign`].
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

    /// Refuses options that the machine cannot use for a task: foreign ones, and those with wrong values. `beside` names what is given
    /// besides options of machines.
    ///
    /// # Errors
    /// What is wrong.
    pub fn accept(
        machine: &dyn Machine,
        task: Task,
        values: &OptionValues,
        beside: &[&str],
    ) -> Result<(), String> {
        Self::refuse_foreign_values(machine, task, values)?;
        check(&machine.class().options(task), values, beside)?;
        machine.accept(task, values)
    }
}

/// Refuses the first given option that `takes` rejects. `whose` names the command or machine in the message.
///
/// # Errors
/// A message with the options that are accepted.
pub fn refusal(
    offered: &[Offered],
    takes: &dyn Fn(&Offered) -> bool,
    whose: &dyn Display,
) -> Result<(), String> {
    let Some(foreign) = offered.iter().find(|option| option.given && !takes(option)) else { return Ok(()) };
    let taken = offered.iter().filter(|option| takes(option) && option.shown.starts_with('-'));
    let taken = taken.map(|option| option.shown.as_str()).collect::<Vec<_>>().join(", ");
    Err(format!("`{}` does not apply to {whose}, which accepts {taken}", foreign.shown))
}

/// Merges lists. A new member comes after the member that precedes it in its own list.
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
            let head = machine.class().head();
            assert_eq!(Kind::of(&Source::new("x", format!("({head})"))), Some(Kind::Machine), "{head}");
            heads.push(head);
        }
        // The machines of one class stand together.
        heads.dedup();
        assert_eq!(heads, BACKENDS.iter().map(|backend| backend.head()).collect::<Vec<_>>());
        assert!(registry.builtin("no such machine").is_none());
        assert!(Registry::new(Vec::new()).describe(&Source::new("x", "(target t)")).is_err());
    }

    #[test]
    fn machines_that_compute_in_time_have_prices() {
        for machine in Registry::default().machines() {
            let (price, head) = (machine.price(), machine.class().head());
            assert_eq!(price.is_none(), head == hardware::Hardware.head(), "{}", machine.name());
            assert!(price.is_none_or(|price| price.addition > 0.0), "{}", machine.name());
            // A vector machine adds scaled terms wherever they are.
            if head == vector::Vectors.head() {
                assert!(price.is_some_and(|price| [price.step, price.scaling] == [0.0; 2] && price.addition <= 1.0));
            }
        }
    }

    #[test]
    fn what_is_new_stands_behind_what_it_followed() {
        let lists = [vec![1, 2, 3], vec![2, 4, 5, 3], vec![6, 1, 7]];
        let all = in_order(lists.into_iter(), |a, b| a == b, |own, _| own);
        assert_eq!(all, [1, 7, 2, 4, 5, 3, 6]);
    }
}
