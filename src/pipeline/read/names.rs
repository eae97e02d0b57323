//! Names of stages and kernels, and of the variables of folds and tables.

use std::collections::{BTreeMap, BTreeSet};

use crate::pipeline::{NodeId, VariableId};
use crate::syntax::{Diagnostic, Diagnostics, Form, Sexp, Span};
use crate::term::OutputSource;

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) name: String,
    pub(super) meaning: Meaning,
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// A variable of a fold.
    Fold(VariableId),
    /// The number at which a table's formula is evaluated.
    Table(NodeId),
}

/// What a name of a stage stands for.
pub(super) enum Found {
    /// A stage, or nothing if it had a mistake, which was reported.
    Stage(Option<NodeId>),
    /// It is defined further below, or not at all.
    Missing(Box<Diagnostic>),
}

/// The kernels that have names, each with its semiring.
#[derive(Default)]
pub(super) struct Kernels(pub(super) Vec<(String, OutputSource)>);

/// The stages and inputs by name.
#[derive(Default)]
pub(super) struct Names {
    defined: BTreeMap<String, Defined>,
    used: BTreeSet<String>,
    inputs: usize,
    /// The stages that the file defines, each with the place of its name and the atoms in its expression.
    announced: BTreeMap<String, (Span, BTreeSet<String>)>,
    /// The stage that is being read.
    current: Option<String>,
}

/// A stage or an input.
struct Defined {
    /// The place of its name.
    place: Span,
    /// The place of its value.
    value: Span,
    /// Nothing if it had a mistake.
    node: Option<NodeId>,
}

impl Names {
    /// Notes all stages of the file, to tell a name that is unknown from one that is used too early.
    pub(super) fn announce(&mut self, forms: &[Form<'_>]) {
        self.inputs = self.defined.len();
        for form in forms.iter().filter(|form| form.head == "let") {
            let Some((name, span)) = form.arguments.first().and_then(|s| Some((s.as_atom()?, s.span))) else {
                continue;
            };
            let mut atoms = BTreeSet::new();
            form.arguments.iter().skip(1).for_each(|sexp| collect(sexp, &mut atoms));
            self.announced.entry(name.to_owned()).or_insert((span, atoms));
        }
    }

    pub(super) fn enter(&mut self, name: &str) {
        self.current = Some(name.to_owned());
    }

    pub(super) fn leave(&mut self) {
        self.current = None;
    }

    pub(super) fn define(&mut self, name: &str, [place, value]: [Span; 2], node: Option<NodeId>) {
        self.defined.insert(name.to_owned(), Defined { place, value, node });
    }

    /// The place of the value that a name stands for.
    pub(super) fn written_at(&self, name: &str) -> Option<Span> {
        self.defined.get(name).map(|defined| defined.value)
    }

    /// The place where a name is defined.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        self.defined.get(name).map(|defined| defined.place)
    }

    /// All names that are defined so far.
    pub(super) fn known(&self) -> Vec<String> {
        self.defined.keys().cloned().collect()
    }

    /// Looks a name up and marks it as used; `None` if the file does not have it.
    pub(super) fn find(&mut self, name: &str, span: Span) -> Option<Found> {
        if let Some(defined) = self.defined.get(name) {
            self.used.insert(name.to_owned());
            return Some(Found::Stage(defined.node));
        }
        let (place, _) = self.announced.get(name)?;
        let current = self.current.as_deref().unwrap_or_default();
        let diagnostic = if name == current {
            Diagnostic::error("cycle", format!("the stage `{name}` uses itself"))
                .label(span, "used here, in its own definition")
        } else if self.reaches(name, current) {
            Diagnostic::error("cycle", format!("the stages `{current}` and `{name}` use one another"))
                .label(span, format!("`{name}` is used here"))
                .label(*place, format!("and is made of `{current}`"))
        } else {
            Diagnostic::error("forward-reference", format!("`{name}` is used before it is defined"))
                .label(span, "used here")
                .label(*place, "defined here")
                .help("a stage uses inputs and the stages above it: move the definition up")
        };
        Some(Found::Missing(Box::new(diagnostic)))
    }

    /// Whether the stage `from` is made of the stage `to`, judging by the names in its expression and in those it uses.
    fn reaches(&self, from: &str, to: &str) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(name) = open.pop() {
            let Some((_, atoms)) = self.announced.get(name) else { continue };
            if atoms.contains(to) {
                return true;
            }
            open.extend(atoms.iter().map(String::as_str).filter(|atom| seen.insert((*atom).to_owned())));
        }
        false
    }

    /// A warning for each stage that nothing uses.
    pub(super) fn warnings(&self) -> Diagnostics {
        let mut warnings = Diagnostics::new();
        for (name, (span, _)) in &self.announced {
            if !self.used.contains(name) {
                let message = format!("`{name}` is never used");
                warnings
                    .push(Diagnostic::warning("unused-let", message).label(*span, "nothing below names it"));
            }
        }
        warnings.sorted()
    }
}

/// Collects the atoms of an expression.
fn collect(sexp: &Sexp, atoms: &mut BTreeSet<String>) {
    match (sexp.as_atom(), sexp.as_list()) {
        (Some(atom), _) => {
            atoms.insert(atom.to_owned());
        }
        (_, Some(items)) => items.iter().for_each(|item| collect(item, atoms)),
        _ => {}
    }
}
