//! Resolves paths: follows `self`, `super`, `crate`, imports and re-exports to the defining module.

use super::source::{Module, Sources};

/// Where a path leads; empty if it leads to another crate or to a local name.
#[derive(Clone, Default)]
pub(crate) struct Destination {
    /// Modules that pass on others' definitions: those in the path that re-export.
    pub(crate) passed: Vec<usize>,
    /// The modules that define it. A name may have several meanings, such as a module and a function.
    pub(crate) defined: Vec<usize>,
    /// The modules that it names.
    pub(crate) modules: Vec<usize>,
}

impl Destination {
    /// Every module involved.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.passed.iter().chain(&self.defined).chain(&self.modules).copied()
    }

    fn is_known(&self) -> bool {
        self.all().next().is_some()
    }

    /// Joins another meaning of the same name, passed on by `through`.
    fn join(&mut self, through: usize, other: Self) {
        self.passed.push(through);
        self.passed.extend(other.passed);
        self.defined.extend(other.defined);
        self.modules.extend(other.modules);
    }
}

impl Sources {
    /// Resolves a path used in the module `from`.
    pub(crate) fn resolve(&self, from: usize, path: &[String]) -> Destination {
        let (mut at, mut rest, mut ours) = (from, path, false);
        let mut passed = Vec::new();
        while let [name, tail @ ..] = rest {
            at = match name.as_str() {
                "crate" => 0,
                "self" => at,
                "super" => self.parent(at),
                _ if tail.is_empty() => break,
                _ => {
                    let known = self.look_up(at, name);
                    let Some(module) = known.modules.first() else { break };
                    passed.extend(known.passed);
                    *module
                }
            };
            (rest, ours) = (tail, true);
        }
        let mut to = match rest {
            [] => Destination { modules: vec![at], ..Destination::default() },
            [name, ..] => self.look_up(at, name),
        };
        // A name that no item defines comes from a macro.
        if ours && !to.is_known() {
            to.defined.push(at);
        }
        to.passed.extend(passed);
        to
    }

    fn parent(&self, module: usize) -> usize {
        let path = &self.modules[module].path;
        self.place(&path[..path.len().saturating_sub(1)])
    }

    /// All meanings of a name in a module.
    fn look_up(&self, at: usize, name: &str) -> Destination {
        let key = (at, name.to_owned());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        // Imports that form a cycle lead nowhere.
        self.known.borrow_mut().insert(key.clone(), Destination::default());
        let found = self.look(at, name);
        self.known.borrow_mut().insert(key, found.clone());
        found
    }

    fn look(&self, at: usize, name: &str) -> Destination {
        let Module { children, items, imports, .. } = &self.modules[at];
        let mut to = Destination::default();
        to.modules.extend(children.get(name));
        to.defined.extend(items.contains(name).then_some(at));
        for import in imports.iter().filter(|import| import.name.as_deref() == Some(name)) {
            to.join(at, self.resolve(at, &import.path));
        }
        for glob in imports.iter().filter(|import| import.name.is_none()) {
            if to.is_known() {
                break;
            }
            for module in self.resolve(at, &glob.path).modules {
                let found = self.look_up(module, name);
                if found.is_known() {
                    to.join(at, found);
                }
            }
        }
        to
    }
}
