//! The reader of rule files; `rules/README.md` describes the format.

mod clause;
mod condition;
mod number;
mod peephole;
mod pixel;
mod rewrite;
mod term;

use std::sync::Arc;

use super::propose::Proposer;
use super::{Phase, Rule, Variable, VariableId};
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Kind, Sexp, Source, Span, of_other_kind, read};

/// The forms of a rule file.
const FORMS: &[&str] = &["rule", "proposer", "include", "phase"];
const PHASE_CLAUSES: &[&str] = &["groups", "iterations", "nodes", "classes"];

/// The maximum length of a name in characters, which keeps tables of names readable.
pub(super) const LONGEST_NAME: usize = 64;

/// The maximum number of forms, variables and numbers in one rule, and separately of the coefficients of its kernels.
/// Both sides of a rule are expanded as polynomials and for hundreds of random kernels.
const MAX_PARTS: usize = 512;
const MAX_COEFFICIENTS: usize = 4096;

/// Whether a text is a valid rule name: lower case with hyphens, and not too long.
pub fn is_rule_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= LONGEST_NAME && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(fits)
}

/// Turns a text into a rule name, for help messages.
pub fn as_rule_name(text: &str) -> String {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let hyphened: String = text.to_lowercase().chars().map(|c| if fits(c) { c } else { '-' }).collect();
    let name: String = hyphened.trim_matches('-').chars().take(LONGEST_NAME).collect();
    if is_rule_name(&name) { name } else { "my-rule".to_owned() }
}

/// An item of a rule file, with the place of its name.
pub(super) enum Item {
    /// One rule, or both directions of one.
    Rules(Vec<Rule>, Span),
    /// `(include "FILE")`.
    Include(String, Span),
    /// `(phase NAME …)`.
    Phase(Phase, Span),
}

/// Reads all items of a file. `group` is the group of rules that name none.
pub(super) fn read_file(
    source: &Source,
    group: &str,
    proposers: &[Arc<dyn Proposer>],
) -> (Vec<Item>, Diagnostics) {
    let sexps = match read(source) {
        Ok(sexps) => sexps,
        Err(wrong) => return (Vec::new(), of_other_kind(source, &[Kind::Rules], wrong)),
    };
    let mut reader = Reader { expect: Expect::new(), source, group, proposers, zeros: Vec::new() };
    let items = sexps.iter().filter_map(|sexp| reader.top(sexp)).collect();
    let wrong = reader.expect.diagnostics;
    (items, if wrong.is_empty() { wrong } else { of_other_kind(source, &[Kind::Rules], wrong) })
}

struct Reader<'a> {
    expect: Expect,
    source: &'a Source,
    group: &'a str,
    proposers: &'a [Arc<dyn Proposer>],
    /// The places where the rule being read multiplies by 0. Its semirings decide whether that is a mistake.
    zeros: Vec<Span>,
}

/// The names of variables in the order of their first occurrence, and the places where they occur.
#[derive(Default)]
struct Scope {
    variables: Vec<Variable>,
    uses: Vec<(VariableId, Span)>,
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

    /// Reads `(phase NAME (groups NAME…) (iterations COUNT) (nodes COUNT) (classes COUNT))`.
    fn phase(&mut self, form: &Form<'_>) -> Option<Item> {
        const USAGE: &str = "(phase NAME (groups GROUP…) (iterations COUNT))";
        self.expect.arity(form, 2..=usize::MAX, USAGE)?;
        let name = self.name("the phase's name", &form.arguments[0])?;
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
                    phase.groups.push(self.name("a group's name", name)?.to_owned());
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

    /// Reads a name that is not too long.
    fn name<'s>(&mut self, what: &str, sexp: &'s Sexp) -> Option<&'s str> {
        let name = self.expect.name(what, sexp)?;
        self.is_short(name, sexp.span).then_some(name)
    }

    /// Whether a name is short enough; reports one that is too long.
    fn is_short(&mut self, name: &str, span: Span) -> bool {
        let count = name.chars().count();
        if count > LONGEST_NAME {
            let message = format!("a name of {count} characters");
            let label = format!("expected at most {LONGEST_NAME}");
            self.expect.report::<()>(Diagnostic::error("name-too-long", message).label(span, label));
        }
        count <= LONGEST_NAME
    }

    /// Reads the name of a rule.
    fn rule_name<'s>(&mut self, sexp: &'s Sexp) -> Option<&'s str> {
        let name = self.name("the rule's name", sexp)?;
        if is_rule_name(name) {
            return Some(name);
        }
        let diagnostic = Diagnostic::error("rule-name", format!("`{name}` is not a valid rule name"))
            .label(sexp.span, "expected lower case with hyphens, at most 64 characters")
            .help(format!("such as `{}`", as_rule_name(name)));
        self.expect.report(diagnostic)
    }

    /// Whether a rule is small enough to be checked; reports one that is too large.
    fn is_small(&mut self, form: &Form<'_>) -> bool {
        let (mut parts, mut coefficients) = (0, 0);
        form.arguments.iter().for_each(|sexp| count(sexp, &mut parts, &mut coefficients));
        let excess = [
            (parts, MAX_PARTS, "forms, variables and numbers"),
            (coefficients, MAX_COEFFICIENTS, "coefficients of kernels"),
        ];
        let Some((found, most, what)) = excess.into_iter().find(|(found, most, _)| found > most) else {
            return true;
        };
        let message = format!("a rule of {found} {what}");
        let label = format!("expected at most {most}");
        self.expect.report::<()>(Diagnostic::error("rule-too-large", message).label(form.head_span, label));
        false
    }

    /// The start of a span as `FILE:LINE:COLUMN`.
    fn place(&self, span: Span) -> String {
        let at = self.source.position(span.start as usize);
        format!("{}:{}:{}", self.source.name(), at.line, at.column)
    }
}

/// Counts the parts of a term, and separately the coefficients of its kernels.
fn count(sexp: &Sexp, parts: &mut usize, coefficients: &mut usize) {
    *parts += 1;
    match sexp.as_form() {
        Some(form) if form.head == "kernel" => {
            let rows = form.arguments.iter().map(|row| row.as_list().map_or(1, <[Sexp]>::len));
            *coefficients += rows.sum::<usize>();
        }
        _ => sexp.as_list().unwrap_or_default().iter().for_each(|item| count(item, parts, coefficients)),
    }
}
