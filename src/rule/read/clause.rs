//! Clauses of rules and proposers other than their sides.

use std::sync::Arc;

use super::{Item, Reader};
use crate::algebra::semirings;
use crate::rule::definition::{Action, Bounds, Propose};
use crate::rule::{BackOff, Rule};
use crate::syntax::{Diagnostic, Form, Sexp};

/// The largest count allowed in a rule file.
const MOST: i64 = 1 << 20;

const PROPOSER_CLAUSES: &[&str] = &[
    "doc",
    "group",
    "semirings",
    "targets",
    "priority",
    "budget",
    "max-taps",
    "max-side",
    "max-depth",
    "max-among",
];

/// The clauses that rules and proposers share; `None` where absent.
#[derive(Default)]
pub(super) struct Clauses {
    pub(super) doc: Option<String>,
    pub(super) group: Option<String>,
    pub(super) semirings: Option<Vec<String>>,
    pub(super) targets: Option<Vec<String>>,
    pub(super) priority: Option<i64>,
    pub(super) budget: Option<usize>,
    pub(super) back_off: Option<BackOff>,
}

impl Reader<'_> {
    /// Reads `(proposer NAME CLAUSE…)`.
    pub(super) fn proposer(&mut self, form: &Form<'_>) -> Option<Item> {
        self.expect.arity(form, 1..=usize::MAX, "(proposer NAME (group GROUP) (budget COUNT))")?;
        let name = self.expect.name("a proposer's name", &form.arguments[0])?;
        let span = form.arguments[0].span;
        let mut named = self.proposers.iter().filter(|proposer| proposer.name() == name);
        let found = named.next().map(Arc::clone);
        if named.next().is_some() {
            let message = format!("there are two proposers `{name}`");
            let two =
                Diagnostic::error("duplicate-proposer", message).label(span, "which of them is not known");
            self.expect.report::<()>(two);
        }
        if found.is_none() {
            let known: Vec<&str> = self.proposers.iter().map(|proposer| proposer.name()).collect();
            self.expect.unknown::<()>("unknown-proposer", "proposer", name, span, known);
        }
        let (mut clauses, mut bounds, mut fine) = (Clauses::default(), Bounds::default(), true);
        for item in &form.arguments[1..] {
            fine &= self.proposer_clause(item, &mut clauses, &mut bounds).is_some();
        }
        let proposer = found.filter(|_| fine)?;
        let doc = proposer.doc().to_owned();
        let action = Action::Propose(Propose { proposer, bounds });
        Some(Item::Rules(vec![self.finish(form, name, clauses, doc, action)], span))
    }

    fn proposer_clause(&mut self, item: &Sexp, clauses: &mut Clauses, bounds: &mut Bounds) -> Option<()> {
        let clause = self.expect.form("a clause, such as `(budget 8)`", item)?;
        match clause.head {
            "max-taps" => bounds.max_taps = Some(self.count(&clause)?),
            "max-side" => bounds.max_side = Some(self.count(&clause)?),
            "max-depth" => bounds.max_depth = Some(u32::try_from(self.count(&clause)?).ok()?),
            "max-among" => bounds.max_among = self.count(&clause)?,
            head if PROPOSER_CLAUSES.contains(&head) => self.common(&clause, clauses)?,
            _ => {
                let known = PROPOSER_CLAUSES.iter().copied();
                return self.expect.unknown("unknown-clause", "clause", clause.head, clause.head_span, known);
            }
        }
        Some(())
    }

    /// Reads a clause that may occur only once.
    pub(super) fn common(&mut self, clause: &Form<'_>, clauses: &mut Clauses) -> Option<()> {
        let given = match clause.head {
            "doc" => clauses.doc.is_some(),
            "group" => clauses.group.is_some(),
            "semirings" => clauses.semirings.is_some(),
            "targets" => clauses.targets.is_some(),
            "priority" => clauses.priority.is_some(),
            "back-off" => clauses.back_off.is_some(),
            _ => clauses.budget.is_some(),
        };
        if given {
            let message = format!("`({} …)` is given twice", clause.head);
            return self
                .expect
                .report(Diagnostic::error("repeated-clause", message).label(clause.span, "again here"));
        }
        match clause.head {
            "doc" => {
                self.expect.arity(clause, 1..=1, "(doc \"TEXT\")")?;
                clauses.doc = Some(self.expect.text("a text in quotes", &clause.arguments[0])?.to_owned());
            }
            "group" => {
                self.expect.arity(clause, 1..=1, "(group NAME)")?;
                clauses.group = Some(self.name("the group's name", &clause.arguments[0])?.to_owned());
            }
            "semirings" => {
                self.expect.arity(clause, 1..=usize::MAX, "(semirings NAME…)")?;
                clauses.semirings = Some(self.semiring_names(clause.arguments)?);
            }
            "targets" => {
                self.expect.arity(clause, 1..=usize::MAX, "(targets NAME…)")?;
                clauses.targets = Some(self.target_names(clause.arguments)?);
            }
            "priority" => {
                self.expect.arity(clause, 1..=1, "(priority NUMBER)")?;
                clauses.priority =
                    Some(self.expect.integer("a priority", &clause.arguments[0], -MOST..=MOST)?);
            }
            "back-off" => {
                self.expect.arity(clause, 2..=2, "(back-off MATCHES ITERATIONS)")?;
                let mut count = |what: &str, i: usize| {
                    usize::try_from(self.expect.integer(what, &clause.arguments[i], 1..=MOST)?).ok()
                };
                let (matches, iterations) =
                    (count("a number of matches", 0), count("a number of iterations", 1));
                clauses.back_off = Some(BackOff { matches: matches?, iterations: iterations? });
            }
            _ => clauses.budget = Some(self.count(clause)?),
        }
        Some(())
    }

    /// Reads names of known semirings.
    fn semiring_names(&mut self, items: &[Sexp]) -> Option<Vec<String>> {
        let known: Vec<&str> = semirings().iter().map(|semiring| semiring.name).collect();
        let mut names = Vec::new();
        for item in items {
            let name = self.expect.atom("a semiring's name", item)?;
            let place = (name, item.span);
            self.expect.index_of("unknown-semiring", "semiring", place, known.iter().copied())?;
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Some(names)
    }

    /// Reads names of targets. Whether they exist is not checked here.
    fn target_names(&mut self, items: &[Sexp]) -> Option<Vec<String>> {
        items.iter().map(|item| Some(self.name("a target's name", item)?.to_owned())).collect()
    }

    pub(super) fn count(&mut self, clause: &Form<'_>) -> Option<usize> {
        self.expect.arity(clause, 1..=1, &format!("({} COUNT)", clause.head))?;
        let value = self.expect.integer("a count", &clause.arguments[0], 0..=MOST)?;
        usize::try_from(value).ok()
    }

    /// Builds the rule from its clauses, with defaults for missing ones.
    pub(super) fn finish(
        &self,
        form: &Form<'_>,
        name: &str,
        clauses: Clauses,
        doc: String,
        action: Action,
    ) -> Rule {
        let usual = Rule::new(name, action);
        Rule {
            doc: clauses.doc.unwrap_or(doc),
            group: clauses.group.unwrap_or_else(|| self.group.to_owned()),
            semirings: clauses.semirings.unwrap_or(usual.semirings),
            targets: clauses.targets.unwrap_or_default(),
            priority: clauses.priority.unwrap_or(0),
            budget: clauses.budget.unwrap_or(usual.budget),
            back_off: clauses.back_off,
            place: self.place(form.span),
            ..usual
        }
    }
}
