//! Rule files to rules; the format is described in `rules/README.md`.

use std::sync::Arc;

use super::propose::Proposer;
use super::set::{Action, Bounds, Propose};
use super::{Condition, PREDICATES, Pattern, Rewrite, Rule, Variable, VariableId};
use crate::algebra::{Label, Rational, semirings};
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Sexp, Source, Span, read};

/// How many terms of a sum a left side may spell out: n terms of a sum of m are found in m!/(m − n)! ways.
const MOST_TERMS: usize = 3;
/// How far a shift may go: beyond, offsets could leave 32 bits when they add up.
const FARTHEST: i64 = 1 << 20;
/// The largest count in a rule file.
const MOST: i64 = 1 << 20;

const RULE_CLAUSES: &[&str] = &["doc", "group", "semirings", "budget", "when"];
const PROPOSER_CLAUSES: &[&str] =
    &["doc", "group", "semirings", "budget", "max-taps", "max-side", "max-depth", "max-among"];
const OPERATORS: &[&str] = &["add", "scale", "neg", "shift", "compose", "id"];

/// A rule with the place of its name.
pub(super) struct Read {
    pub(super) rule: Rule,
    pub(super) name_span: Span,
}

/// All rules of one file. `group` is the group of rules that name none.
pub(super) fn read_file(
    source: &Source,
    group: &str,
    proposers: &[Arc<dyn Proposer>],
) -> (Vec<Read>, Diagnostics) {
    let sexps = match read(source) {
        Ok(sexps) => sexps,
        Err(diagnostics) => return (Vec::new(), diagnostics),
    };
    let mut reader = Reader { expect: Expect::new(), group, proposers };
    let rules = sexps.iter().filter_map(|sexp| reader.top(sexp)).collect();
    (rules, reader.expect.diagnostics)
}

struct Reader<'a> {
    expect: Expect,
    group: &'a str,
    proposers: &'a [Arc<dyn Proposer>],
}

/// What rules and proposers have in common, as far as it is given.
#[derive(Default)]
struct Clauses {
    doc: Option<String>,
    group: Option<String>,
    semirings: Option<Vec<String>>,
    budget: Option<usize>,
}

/// Names of variables in the order in which they are first met, and where each stands.
#[derive(Default)]
struct Scope {
    variables: Vec<Variable>,
    uses: Vec<(VariableId, Span)>,
}

impl Reader<'_> {
    fn top(&mut self, sexp: &Sexp) -> Option<Read> {
        let form = self.expect.form("`(rule …)` or `(proposer …)`", sexp)?;
        match form.head {
            "rule" => self.rule(&form),
            "proposer" => self.proposer(&form),
            _ => self.expect.unknown_form(&form, ["rule", "proposer"]),
        }
    }

    /// `(rule NAME CLAUSE… LHS => RHS CLAUSE…)`.
    fn rule(&mut self, form: &Form<'_>) -> Option<Read> {
        const USAGE: &str = "(rule NAME (group GROUP) LHS => RHS (when CONDITION…))";
        self.expect.arity(form, 4..=usize::MAX, USAGE)?;
        let name = self.expect.name("the rule's name", &form.arguments[0])?;
        let items = &form.arguments[1..];
        let Some(arrow) = items.iter().position(|item| item.as_atom() == Some("=>")) else {
            let diagnostic = Diagnostic::error("no-arrow", format!("rule `{name}` has no `=>`"));
            return self.expect.report(diagnostic.label(form.span, format!("expected `{USAGE}`")));
        };
        let (before, after) = (&items[..arrow], &items[arrow + 1..]);
        let (Some((lhs, first)), Some((rhs, last))) = (before.split_last(), after.split_first()) else {
            let diagnostic = Diagnostic::error("no-side", format!("rule `{name}` lacks a side of its `=>`"));
            return self.expect.report(diagnostic.label(items[arrow].span, format!("expected `{USAGE}`")));
        };
        let mut clauses = Clauses::default();
        let mut conditions: Vec<&Sexp> = Vec::new();
        let mut fine = true;
        for item in first.iter().chain(last) {
            fine &= self.rule_clause(item, &mut clauses, &mut conditions).is_some();
        }
        let mut scope = Scope::default();
        let sides = (self.pattern(lhs, &mut scope), scope.uses.len(), self.pattern(rhs, &mut scope));
        let (Some(lhs_pattern), bound, Some(rhs_pattern)) = sides else { return None };
        let checked = self.check_lhs(&lhs_pattern, lhs, &scope, bound);
        let checked = self.check_rhs(&scope, bound) && checked;
        let count = scope.variables.len();
        let conditions: Vec<Option<Condition>> =
            conditions.iter().map(|sexp| self.condition(sexp, &mut scope, bound)).collect();
        if !fine || !checked || scope.variables.len() > count {
            return None;
        }
        let rewrite = Rewrite {
            variables: scope.variables,
            lhs: lhs_pattern,
            rhs: rhs_pattern,
            conditions: conditions.into_iter().collect::<Option<_>>()?,
        };
        let rule = self.finish(name, clauses, String::new(), Action::Rewrite(rewrite));
        Some(Read { rule, name_span: form.arguments[0].span })
    }

    fn rule_clause<'s>(
        &mut self,
        item: &'s Sexp,
        clauses: &mut Clauses,
        conditions: &mut Vec<&'s Sexp>,
    ) -> Option<()> {
        let clause = self.expect.form("a clause, such as `(group …)`", item)?;
        match clause.head {
            "when" => {
                self.expect.arity(&clause, 1..=usize::MAX, "(when CONDITION…)")?;
                conditions.extend(clause.arguments);
                Some(())
            }
            head if RULE_CLAUSES.contains(&head) => self.common(&clause, clauses),
            _ => self.expect.unknown(
                "unknown-clause",
                "clause",
                clause.head,
                clause.head_span,
                RULE_CLAUSES.iter().copied(),
            ),
        }
    }

    /// `(proposer NAME CLAUSE…)`.
    fn proposer(&mut self, form: &Form<'_>) -> Option<Read> {
        self.expect.arity(form, 1..=usize::MAX, "(proposer NAME (group GROUP) (budget COUNT))")?;
        let name = self.expect.name("a proposer's name", &form.arguments[0])?;
        let span = form.arguments[0].span;
        let found = self.proposers.iter().find(|proposer| proposer.name() == name).map(Arc::clone);
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
        let rule = self.finish(name, clauses, doc, Action::Propose(Propose { proposer, bounds }));
        Some(Read { rule, name_span: span })
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

    fn common(&mut self, clause: &Form<'_>, clauses: &mut Clauses) -> Option<()> {
        let given = match clause.head {
            "doc" => clauses.doc.is_some(),
            "group" => clauses.group.is_some(),
            "semirings" => clauses.semirings.is_some(),
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
                clauses.group = Some(self.expect.name("the group's name", &clause.arguments[0])?.to_owned());
            }
            "semirings" => {
                self.expect.arity(clause, 1..=usize::MAX, "(semirings NAME…)")?;
                let known: Vec<&str> = semirings().iter().map(|semiring| semiring.name).collect();
                let mut names = Vec::new();
                for item in clause.arguments {
                    let name = self.expect.atom("a semiring's name", item)?;
                    if !known.contains(&name) {
                        return self.expect.unknown("unknown-semiring", "semiring", name, item.span, known);
                    }
                    names.push(name.to_owned());
                }
                clauses.semirings = Some(names);
            }
            _ => clauses.budget = Some(self.count(clause)?),
        }
        Some(())
    }

    fn count(&mut self, clause: &Form<'_>) -> Option<usize> {
        self.expect.arity(clause, 1..=1, &format!("({} COUNT)", clause.head))?;
        let value = self.expect.integer("a count", &clause.arguments[0], 0..=MOST)?;
        usize::try_from(value).ok()
    }

    fn finish(&self, name: &str, clauses: Clauses, doc: String, action: Action) -> Rule {
        Rule {
            name: name.to_owned(),
            doc: clauses.doc.unwrap_or(doc),
            group: clauses.group.unwrap_or_else(|| self.group.to_owned()),
            semirings: clauses.semirings.unwrap_or_else(|| vec![Rule::PLUS_TIMES.to_owned()]),
            budget: clauses.budget.unwrap_or(Rule::DEFAULT_BUDGET),
            action,
        }
    }

    /// A term over variables.
    fn pattern(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<Pattern> {
        if sexp.as_atom().is_some() {
            return match self.variable(sexp, scope)? {
                (id, false) => Some(Pattern::Variable(id)),
                (_, true) => {
                    let message = format!("a sequence, {}, stands outside of a sum", sexp.describe());
                    self.expect.report(
                        Diagnostic::error("sequence-outside-sum", message)
                            .label(sexp.span, "only `(add …)` may have a sequence among its terms"),
                    )
                }
            };
        }
        let form = self.expect.form("a term", sexp)?;
        match form.head {
            "add" => {
                self.expect.arity(&form, 1..=usize::MAX, "(add TERM… ?rest...)")?;
                let (mut terms, mut rests, mut fine) = (Vec::new(), Vec::new(), true);
                for item in form.arguments {
                    if item.as_atom().is_some_and(|atom| atom.ends_with("...")) {
                        match self.variable(item, scope) {
                            Some((id, _)) => rests.push(id),
                            None => fine = false,
                        }
                    } else {
                        match self.pattern(item, scope) {
                            Some(term) => terms.push(term),
                            None => fine = false,
                        }
                    }
                }
                fine.then_some(Pattern::Sum { terms, rests })
            }
            "scale" => {
                self.expect.arity(&form, 2..=2, "(scale NUMBER TERM)")?;
                let number = self.expect.fraction("a factor", &form.arguments[0]);
                let body = self.pattern(&form.arguments[1], scope);
                let scale = number.and_then(|n| Rational::new(n.numerator, n.denominator))?;
                if scale.is_zero() {
                    let diagnostic =
                        Diagnostic::error("zero-scale", "a factor of zero makes every kernel zero");
                    return self
                        .expect
                        .report(diagnostic.label(form.arguments[0].span, "expected another number"));
                }
                Some(Pattern::Labelled(Label { scale, ..Label::IDENTITY }, Box::new(body?)))
            }
            "neg" => {
                self.expect.arity(&form, 1..=1, "(neg TERM)")?;
                let body = self.pattern(&form.arguments[0], scope)?;
                Some(Pattern::Labelled(
                    Label { scale: Rational::integer(-1), ..Label::IDENTITY },
                    Box::new(body),
                ))
            }
            "shift" => {
                self.expect.arity(&form, 3..=4, "(shift DX DY [DZ] TERM)")?;
                let (body, coordinates) = form.arguments.split_last()?;
                let mut offset = [0; 3];
                for (axis, sexp) in coordinates.iter().enumerate() {
                    let range = -FARTHEST..=FARTHEST;
                    offset[axis] =
                        i32::try_from(self.expect.integer("a number of pixels", sexp, range)?).ok()?;
                }
                let body = self.pattern(body, scope)?;
                Some(Pattern::Labelled(Label { offset, ..Label::IDENTITY }, Box::new(body)))
            }
            "compose" => {
                self.expect.arity(&form, 2..=usize::MAX, "(compose TERM TERM…)")?;
                let parts: Vec<_> = form.arguments.iter().map(|item| self.pattern(item, scope)).collect();
                let mut parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
                let last = parts.pop()?;
                let nest = |inner, outer| Pattern::Compose(Box::new([outer, inner]));
                Some(parts.into_iter().rev().fold(last, nest))
            }
            "id" => {
                self.expect.arity(&form, 0..=0, "(id)")?;
                Some(Pattern::Identity)
            }
            _ => self.expect.unknown(
                "unknown-operator",
                "operator",
                form.head,
                form.head_span,
                OPERATORS.iter().copied(),
            ),
        }
    }

    /// `?name` or `?name...`, with whether it is a sequence.
    fn variable(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<(VariableId, bool)> {
        let text = sexp.as_atom().unwrap_or_default();
        let Some(name) = text.strip_prefix('?').filter(|name| !name.is_empty() && *name != "...") else {
            let diagnostic =
                Diagnostic::error("unexpected", format!("expected a term, found {}", sexp.describe()))
                    .label(sexp.span, "expected a variable, such as `?x`, or a form, such as `(add …)`");
            return self.expect.report(diagnostic.help("variables begin with `?`"));
        };
        let (name, is_sequence) = name.strip_suffix("...").map_or((name, false), |name| (name, true));
        let index = match scope.variables.iter().position(|variable| variable.name == name) {
            Some(index) if scope.variables[index].is_sequence != is_sequence => {
                let message = format!("`?{name}` is one kernel here and a sequence there");
                let before = scope.uses.iter().find(|(id, _)| id.0 == index).map(|(_, span)| *span);
                let mut diagnostic =
                    Diagnostic::error("mixed-variable", message).label(sexp.span, "this use");
                if let Some(span) = before {
                    diagnostic = diagnostic.label(span, "differs from this one");
                }
                return self.expect.report(diagnostic);
            }
            Some(index) => index,
            None => {
                scope.variables.push(Variable { name: name.to_owned(), is_sequence });
                scope.variables.len() - 1
            }
        };
        scope.uses.push((VariableId(index), sexp.span));
        Some((VariableId(index), is_sequence))
    }

    /// `(PREDICATE ?x…)`, over variables of the left side.
    fn condition(&mut self, sexp: &Sexp, scope: &mut Scope, bound: usize) -> Option<Condition> {
        let form = self.expect.form("a condition, such as `(fewer-taps ?a ?b)`", sexp)?;
        let Some(predicate) = PREDICATES.iter().find(|predicate| predicate.name == form.head) else {
            let known = PREDICATES.iter().map(|predicate| predicate.name);
            return self.expect.unknown("unknown-condition", "condition", form.head, form.head_span, known);
        };
        let usage = format!("({}{})", predicate.name, " ?x".repeat(predicate.arity));
        self.expect.arity(&form, predicate.arity..=predicate.arity, &usage)?;
        let mut arguments = Vec::new();
        for item in form.arguments {
            let (id, is_sequence) = self.variable(item, scope)?;
            if is_sequence {
                let diagnostic =
                    Diagnostic::error("sequence-in-condition", "a condition asks about single kernels");
                return self.expect.report(diagnostic.label(item.span, "this is a sequence"));
            }
            if !scope.uses[..bound].iter().any(|(used, _)| *used == id) {
                return self.unbound(&scope.variables[id.0].name, item.span, scope, bound);
            }
            arguments.push(id);
        }
        Some(Condition { predicate, arguments })
    }

    /// A left side must have structure to look for, must not enumerate subsets, and takes what is left only once.
    fn check_lhs(&mut self, pattern: &Pattern, sexp: &Sexp, scope: &Scope, bound: usize) -> bool {
        let count = self.expect.diagnostics.len();
        if pattern.depth() == 0 {
            self.expect.diagnostics.push(
                Diagnostic::error("matches-everything", "the left side matches every kernel")
                    .label(sexp.span, "expected an `(add …)` or a `(compose …)`")
                    .help("shifts, signs and scales are free on every kernel: there is nothing to look for in them"),
            );
        }
        for (i, variable) in scope.variables.iter().enumerate().filter(|(_, variable)| variable.is_sequence) {
            let uses: Vec<Span> =
                scope.uses[..bound].iter().filter(|(id, _)| id.0 == i).map(|(_, span)| *span).collect();
            if let [first, second, ..] = uses[..] {
                let message = format!("the sequence `?{}...` is bound twice", variable.name);
                self.expect.diagnostics.push(
                    Diagnostic::error("repeated-sequence", message)
                        .label(second, "again here")
                        .label(first, "first here"),
                );
            }
        }
        self.check_sums(pattern, sexp.span);
        self.expect.diagnostics.len() == count
    }

    fn check_sums(&mut self, pattern: &Pattern, span: Span) {
        match pattern {
            Pattern::Variable(_) | Pattern::Identity => {}
            Pattern::Labelled(_, body) => self.check_sums(body, span),
            Pattern::Compose(parts) => parts.iter().for_each(|part| self.check_sums(part, span)),
            Pattern::Sum { terms, rests } => {
                if rests.len() > 1 {
                    self.expect.diagnostics.push(
                        Diagnostic::error("many-sequences", "a sum of the left side has two sequences")
                            .label(span, "there would be 2^n ways to share n terms between them"),
                    );
                }
                if terms.len() > MOST_TERMS {
                    self.expect.diagnostics.push(
                        Diagnostic::error(
                            "many-terms",
                            format!("a sum of the left side spells out {} terms", terms.len()),
                        )
                        .label(span, format!("at most {MOST_TERMS} can be looked for in any order")),
                    );
                }
                terms.iter().for_each(|term| self.check_sums(term, span));
            }
        }
    }

    fn check_rhs(&mut self, scope: &Scope, bound: usize) -> bool {
        let mut reported: Vec<VariableId> = scope.uses[..bound].iter().map(|(id, _)| *id).collect();
        let known = reported.len();
        for (id, span) in &scope.uses[bound..] {
            if !reported.contains(id) {
                reported.push(*id);
                self.unbound::<()>(&scope.variables[id.0].name, *span, scope, bound);
            }
        }
        reported.len() == known
    }

    fn unbound<T>(&mut self, name: &str, span: Span, scope: &Scope, bound: usize) -> Option<T> {
        let lhs = || scope.uses[..bound].iter().map(|(id, _)| scope.variables[id.0].name.as_str());
        let help = crate::syntax::closest(name, lhs()).map(|near| format!("did you mean `?{near}`?"));
        self.expect.report(
            Diagnostic::error("unbound-variable", format!("unbound variable `?{name}`"))
                .label(span, "the left side does not bind it")
                .help_if(help),
        )
    }
}
