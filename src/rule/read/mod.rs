//! Rule files to rules; the format is described in `rules/README.md`.

mod clause;
mod condition;
mod rewrite;
mod term;

use std::sync::Arc;

use super::propose::Proposer;
use super::{Phase, Rule, Variable, VariableId};
use crate::syntax::{Diagnostics, Expect, Form, Sexp, Source, Span, read};

/// The forms of a rule file.
const FORMS: &[&str] = &["rule", "proposer", "include", "phase"];
const PHASE_CLAUSES: &[&str] = &["groups", "iterations", "nodes", "classes"];

/// What stands in a rule file, with the place of its name.
pub(super) enum Item {
    /// One rule, or both directions of one.
    Rules(Vec<Rule>, Span),
    /// `(include "FILE")`.
    Include(String, Span),
    /// `(phase NAME …)`.
    Phase(Phase, Span),
}

/// All items of one file. `group` is the group of rules that name none.
pub(super) fn read_file(
    source: &Source,
    group: &str,
    proposers: &[Arc<dyn Proposer>],
) -> (Vec<Item>, Diagnostics) {
    let sexps = match read(source) {
        Ok(sexps) => sexps,
        Err(diagnostics) => return (Vec::new(), diagnostics),
    };
    let mut reader = Reader { expect: Expect::new(), source, group, proposers };
    let items = sexps.iter().filter_map(|sexp| reader.top(sexp)).collect();
    (items, reader.expect.diagnostics)
}

struct Reader<'a> {
    expect: Expect,
    source: &'a Source,
    group: &'a str,
    proposers: &'a [Arc<dyn Proposer>],
}

/// Names of variables in the order in which they are first met, and where each stands.
#[derive(Default)]
struct Scope {
    variables: Vec<Variable>,
    uses: Vec<(VariableId, Span)>,
    /// Whether `neg` or `sub` was met.
    negates: bool,
}

impl Reader<'_> {
    fn top(&mut self, sexp: &Sexp) -> Option<Item> {
        let form = self.expect.form("`(rule …)` or `(proposer …)`", sexp)?;
        match form.head {
            "rule" => self.rule(&form),
            "proposer" => self.proposer(&form),
            "include" => {
                self.expect.arity(&form, 1..=1, "(include \"FILE\")")?;
                let path = self.expect.file_below("a file's name in quotes", &form.arguments[0])?;
                Some(Item::Include(path.to_owned(), form.arguments[0].span))
            }
            "phase" => self.phase(&form),
            _ => self.expect.unknown_form(&form, FORMS.iter().copied()),
        }
    }

    /// `(phase NAME (groups NAME…) (iterations COUNT) (nodes COUNT) (classes COUNT))`.
    fn phase(&mut self, form: &Form<'_>) -> Option<Item> {
        const USAGE: &str = "(phase NAME (groups GROUP…) (iterations COUNT))";
        self.expect.arity(form, 2..=usize::MAX, USAGE)?;
        let name = self.expect.name("the phase's name", &form.arguments[0])?;
        let mut phase = Phase { name: name.to_owned(), ..Phase::default() };
        let mut fine = true;
        for item in &form.arguments[1..] {
            fine &= self.phase_clause(item, &mut phase).is_some();
        }
        fine.then_some(Item::Phase(phase, form.arguments[0].span))
    }

    fn phase_clause(&mut self, item: &Sexp, phase: &mut Phase) -> Option<()> {
        let clause = self.expect.form("a clause, such as `(groups …)`", item)?;
        match clause.head {
            "groups" => {
                self.expect.arity(&clause, 1..=usize::MAX, "(groups GROUP…)")?;
                for name in clause.arguments {
                    phase.groups.push(self.expect.name("a group's name", name)?.to_owned());
                }
            }
            "iterations" => phase.iterations = Some(self.count(&clause)?),
            "nodes" => phase.nodes = Some(self.count(&clause)?),
            "classes" => phase.classes = Some(self.count(&clause)?),
            _ => {
                let known = PHASE_CLAUSES.iter().copied();
                return self.expect.unknown("unknown-clause", "clause", clause.head, clause.head_span, known);
            }
        }
        Some(())
    }

    /// Where a span starts, as `FILE:LINE:COLUMN`.
    fn place(&self, span: Span) -> String {
        let at = self.source.position(span.start as usize);
        format!("{}:{}:{}", self.source.name(), at.line, at.column)
    }
}
