//! The names that `let` binds in a file.

use std::collections::BTreeMap;

use crate::syntax::{Diagnostic, Diagnostics, Span};

/// The names bound by `let` so far, each with its place and whether it was used.
#[derive(Default)]
pub(super) struct Names {
    list: Vec<(String, Span, bool)>,
    index: BTreeMap<String, usize>,
}

impl Names {
    /// Begins the scope of a name.
    pub(super) fn define(&mut self, name: &str, span: Span) {
        self.index.insert(name.to_owned(), self.list.len());
        self.list.push((name.to_owned(), span, false));
    }

    /// Ends the scope of a name.
    pub(super) fn undefine(&mut self, name: &str) {
        self.index.remove(name);
    }

    /// The place where `name` is bound.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        self.index.get(name).map(|i| self.list[*i].1)
    }

    /// All names.
    pub(super) fn known(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(String::as_str)
    }

    /// Whether `name` is known; marks it as used.
    pub(super) fn uses(&mut self, name: &str) -> bool {
        let known = self.index.get(name).copied();
        if let Some(i) = known {
            self.list[i].2 = true;
        }
        known.is_some()
    }

    /// A warning for each name that nothing uses.
    pub(super) fn warnings(&self) -> Diagnostics {
        let mut warnings = Diagnostics::new();
        for (name, span, _) in self.list.iter().filter(|(.., used)| !used) {
            warnings.push(
                Diagnostic::warning("unused-let", format!("`{name}` is never used"))
                    .label(*span, "nothing below names it"),
            );
        }
        warnings
    }
}
