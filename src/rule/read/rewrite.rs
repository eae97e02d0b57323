//! The reader of `(rule NAME …)`: the two sides, one direction or both, and the examples.

use super::clause::Clauses;
use super::peephole::is_sequence;
use super::pixel::is_pixel;
use super::{Item, Reader, Scope};
use crate::algebra::{Arithmetic, Rational, Semiring, in_semiring};
use crate::rule::definition::Action;
use crate::rule::{Condition, Example, Pattern, Rewrite, Rule, VariableId};
use crate::syntax::{Diagnostic, Form, Sexp, Span};

/// The maximum number of terms in a sum on a left side: n terms match a sum of m terms in m!/(m − n)! ways.
const MAX_TERMS: usize = 3;

const USAGE: &str = "(rule NAME (group GROUP) LHS => RHS (when CONDITION…))";
const CLAUSES: &[&str] =
    &["doc", "group", "semirings", "targets", "priority", "budget", "back-off", "when", "example", "not"];

/// The maximum number of outputs in a rule, which is tried on every choice of outputs.
const MAX_OUTPUTS: usize = 4;

/// The arrows between the two sides.
const ARROWS: [&str; 2] = ["=>", "<=>"];

/// The clauses of a rule; clauses that contain its variables are not read yet.
#[derive(Default)]
struct Parts<'s> {
    clauses: Clauses,
    conditions: Vec<&'s Sexp>,
    examples: Vec<Form<'s>>,
}

/// The two sides of a rule, or of an example.
struct Sides<'s> {
    before: &'s [Sexp],
    lhs: &'s Sexp,
    arrow: &'s Sexp,
    rhs: &'s Sexp,
    after: &'s [Sexp],
}

/// Whether a side names several outputs.
fn is_outputs(side: &Sexp) -> bool {
    side.as_form().is_some_and(|form| form.head == "outputs")
}

impl Reader<'_> {
    /// Reads `(rule NAME CLAUSE… LHS => RHS CLAUSE…)`, or with `<=>`.
    pub(super) fn rule(&mut self, form: &Form<'_>) -> Option<Item> {
        self.expect.arity(form, 4..=usize::MAX, USAGE)?;
        let name = self.rule_name(&form.arguments[0])?;
        if !self.is_small(form) {
            return None;
        }
        let sides = self.sides(&format!("rule `{name}`"), USAGE, form.span, &form.arguments[1..])?;
        self.zeros.clear();
        let (mut parts, mut fine) = (Parts::default(), true);
        for item in sides.before.iter().chain(sides.after) {
            fine &= self.rule_clause(item, &mut parts).is_some();
        }
        let [instructions, pixels] = [is_sequence, is_pixel].map(|is| is(sides.lhs) || is(sides.rhs));
        if instructions || pixels {
            self.one_way(&sides, &parts)?;
            let action = if pixels {
                Action::Pixel(self.identity(name, sides.lhs, sides.rhs, &parts.conditions)?)
            } else {
                Action::Peephole(self.peephole(sides.lhs, sides.rhs, &parts.conditions)?)
            };
            let rule = self.finish(form, name, parts.clauses, String::new(), action);
            return fine.then(|| Item::Rules(vec![rule], form.arguments[0].span));
        }
        if let Some(example) = parts.examples.first()
            && (is_outputs(sides.lhs) || is_outputs(sides.rhs))
        {
            let message = "a rule about several outputs has no examples";
            let diagnostic = Diagnostic::error("no-example", message);
            return self.expect.report(diagnostic.label(example.span, "this example"));
        }
        let forward = self.action(sides.lhs, sides.rhs, &parts.conditions, fine);
        let both = sides.arrow.as_atom() == Some("<=>");
        // A mistake in a side is reported once: the backward rule is read only if the forward rule is correct.
        let backward = match &forward {
            Some(_) if both => Some(self.action(sides.rhs, sides.lhs, &parts.conditions, fine)?),
            _ => None,
        };
        let examples: Vec<Option<Example>> = parts.examples.iter().map(|e| self.example(e)).collect();
        let (forward, examples) = (forward?, examples.into_iter().collect::<Option<Vec<_>>>()?);
        fine &= self.check_zeros(parts.clauses.semirings.as_deref()).is_some();
        if !fine {
            return None;
        }
        let first = Rule { examples, ..self.finish(form, name, parts.clauses, String::new(), forward) };
        let second = backward.map(|action| Rule {
            name: format!("{name}-reversed"),
            action,
            examples: Vec::new(),
            ..first.clone()
        });
        Some(Item::Rules(std::iter::once(first).chain(second).collect(), form.arguments[0].span))
    }

    /// Refuses what only rules about kernels have: two directions, and examples.
    fn one_way(&mut self, sides: &Sides<'_>, parts: &Parts<'_>) -> Option<()> {
        if sides.arrow.as_atom() == Some("<=>") {
            let message = "rules about instructions and pixels have only one direction";
            let diagnostic = Diagnostic::error("both-ways", message);
            return self.expect.report(diagnostic.label(sides.arrow.span, "expected `=>`"));
        }
        let Some(example) = parts.examples.first() else { return Some(()) };
        let message = "a rule about instructions or pixels has no examples: all small choices are tried";
        self.expect.report(Diagnostic::error("no-example", message).label(example.span, "this example"))
    }

    /// Splits `items` at the arrow; `what` names the form in messages.
    fn sides<'s>(&mut self, what: &str, usage: &str, span: Span, items: &'s [Sexp]) -> Option<Sides<'s>> {
        let arrow = items.iter().position(|item| item.as_atom().is_some_and(|atom| ARROWS.contains(&atom)));
        let Some(arrow) = arrow else {
            let diagnostic = Diagnostic::error("no-arrow", format!("{what} has no `=>`"));
            let near = items
                .iter()
                .find(|item| matches!(item.as_atom(), Some("->" | "==>" | "=" | "<->" | "<=" | "==")));
            let help = near
                .and_then(Sexp::as_atom)
                .map(|atom| format!("write `=>` for one direction and `<=>` for both, instead of `{atom}`"));
            let place = near.map_or(span, |near| near.span);
            return self.expect.report(diagnostic.label(place, format!("expected `{usage}`")).help_if(help));
        };
        match (items[..arrow].split_last(), items[arrow + 1..].split_first()) {
            (Some((lhs, before)), Some((rhs, after))) => {
                Some(Sides { before, lhs, arrow: &items[arrow], rhs, after })
            }
            _ => {
                let diagnostic = Diagnostic::error("no-side", format!("{what} lacks a side of its `=>`"));
                self.expect.report(diagnostic.label(items[arrow].span, format!("expected `{usage}`")))
            }
        }
    }

    fn rule_clause<'s>(&mut self, item: &'s Sexp, parts: &mut Parts<'s>) -> Option<()> {
        let clause = self.expect.form("a clause, such as `(group …)`", item)?;
        match clause.head {
            "when" => {
                self.expect.arity(&clause, 1..=usize::MAX, "(when CONDITION…)")?;
                parts.conditions.extend(clause.arguments);
            }
            "example" | "not" => parts.examples.push(clause),
            head if CLAUSES.contains(&head) => self.common(&clause, &mut parts.clauses)?,
            _ => {
                let known = CLAUSES.iter().copied();
                return self.expect.unknown("unknown-clause", "clause", clause.head, clause.head_span, known);
            }
        }
        Some(())
    }

    /// Reports factors of 0 if 0 is the zero of the semiring, which annihilates every kernel.
    fn check_zeros(&mut self, semirings: Option<&[String]>) -> Option<()> {
        let usual = [Rule::PLUS_TIMES.to_owned()];
        let makes_nothing = |name: &&String| {
            in_semiring!(name, |S| S::of(Rational::ZERO).is_some_and(S::is_zero)) == Some(true)
        };
        let (Some(name), Some(span)) =
            (semirings.unwrap_or(&usual).iter().find(makes_nothing), self.zeros.first().copied())
        else {
            return Some(());
        };
        let message = format!("a factor of zero makes every kernel zero in `{name}`");
        self.expect.report(Diagnostic::error("zero-scale", message).label(span, "expected another number"))
    }

    /// Reads one direction of a rule.
    fn action(&mut self, lhs: &Sexp, rhs: &Sexp, conditions: &[&Sexp], fine: bool) -> Option<Action> {
        if !is_outputs(lhs) && !is_outputs(rhs) {
            let mut rewrites = self.rewrites(&[lhs], &[rhs], conditions, fine)?;
            return rewrites.pop().map(Action::Rewrite);
        }
        let (left, right) = (self.outputs(lhs), self.outputs(rhs));
        let (left, right) = (left?, right?);
        if left.len() != right.len() {
            let message = format!("{} outputs become {}", left.len(), right.len());
            let diagnostic = Diagnostic::error("other-outputs", message);
            return self.expect.report(diagnostic.label(rhs.span, "expected a term for each output"));
        }
        self.rewrites(&left, &right, conditions, fine).map(Action::Outputs)
    }

    /// Reads the terms of `(outputs TERM TERM…)`.
    fn outputs<'s>(&mut self, side: &'s Sexp) -> Option<Vec<&'s Sexp>> {
        if !is_outputs(side) {
            let diagnostic = Diagnostic::error("no-outputs", "only one side is about several outputs");
            return self.expect.report(diagnostic.label(side.span, "expected `(outputs TERM TERM…)`"));
        }
        let form = side.as_form()?;
        self.expect.arity(&form, 2..=MAX_OUTPUTS, "(outputs TERM TERM…)")?;
        Some(form.arguments.iter().collect())
    }

    /// Reads the rewrites of one or several outputs, which share their variables.
    fn rewrites(
        &mut self,
        lhs: &[&Sexp],
        rhs: &[&Sexp],
        conditions: &[&Sexp],
        fine: bool,
    ) -> Option<Vec<Rewrite>> {
        let mut scope = Scope::default();
        let left: Vec<_> = lhs.iter().map(|side| self.pattern(side, &mut scope, true)).collect();
        let bound = scope.uses.len();
        let right: Vec<_> = rhs.iter().map(|side| self.pattern(side, &mut scope, false)).collect();
        let left = left.into_iter().collect::<Option<Vec<_>>>()?;
        let right = right.into_iter().collect::<Option<Vec<_>>>()?;
        let mut checked = self.check_sequences(&scope, bound);
        for (pattern, sexp) in left.iter().zip(lhs) {
            // With several outputs, each may be any kernel.
            let any = left.len() > 1 || right.iter().any(Pattern::has_scan);
            checked &= self.check_lhs(pattern, sexp, any);
        }
        let checked = self.check_rhs(&scope, bound) && checked;
        let count = scope.variables.len();
        let conditions: Vec<Option<Condition>> =
            conditions.iter().map(|sexp| self.condition(sexp, &mut scope, bound)).collect();
        if !fine || !checked || scope.variables.len() > count {
            return None;
        }
        let conditions: Vec<Condition> = conditions.into_iter().collect::<Option<_>>()?;
        let rewrite = |(lhs, rhs)| Rewrite {
            variables: scope.variables.clone(),
            lhs,
            rhs,
            conditions: conditions.clone(),
        };
        Some(left.into_iter().zip(right).map(rewrite).collect())
    }

    /// Reads `(example TERM => TERM)`, `(not TERM)` or `(not TERM => TERM)`, without variables.
    fn example(&mut self, form: &Form<'_>) -> Option<Example> {
        let holds = form.head == "example";
        let usage = if holds { "(example TERM => TERM)" } else { "(not TERM)" };
        let (lhs, rhs) = match form.arguments {
            [only] if !holds => (only, None),
            items => {
                let sides = self.sides(&format!("`({} …)`", form.head), usage, form.span, items)?;
                if let Some(extra) = sides.before.first().or(sides.after.first()) {
                    return self.expect.mismatch(&format!("`{usage}`"), extra);
                }
                (sides.lhs, Some(sides.rhs))
            }
        };
        let mut scope = Scope::default();
        let lhs = self.pattern(lhs, &mut scope, false);
        let rhs = match rhs {
            Some(rhs) => Some(self.pattern(rhs, &mut scope, false)?),
            None => None,
        };
        if let Some((id, span)) = scope.uses.first() {
            let name = scope.variables[id.0].to_string();
            let diagnostic =
                Diagnostic::error("variable-in-example", format!("variable `{name}` in an example"));
            return self.expect.report(
                diagnostic
                    .label(*span, "examples have no variables")
                    .help("write kernels, as in `(compose (kernel (1 1 .)) (kernel (1 2 1)))`"),
            );
        }
        Some(Example { lhs: lhs?, rhs, holds, place: self.place(form.span) })
    }

    /// Checks a left side. It must have structure to match, unless it may be `any` kernel, and must not enumerate subsets.
    /// Rules that introduce scans may match every kernel; when applied, the scans must leave fewer taps.
    fn check_lhs(&mut self, pattern: &Pattern, sexp: &Sexp, any: bool) -> bool {
        let count = self.expect.diagnostics.len();
        if pattern.depth() == 0 && pattern.fixed_label(Arithmetic::LINEAR).is_none() && !any {
            self.expect.diagnostics.push(
                Diagnostic::error("matches-everything", "the left side matches every kernel")
                    .label(sexp.span, "expected an `(add …)`, a `(compose …)` or a `(kernel …)`")
                    .help("every kernel matches up to shifts, signs and scales, so the pattern needs more structure"),
            );
        }
        self.check_sums(pattern, sexp.span);
        self.expect.diagnostics.len() == count
    }

    /// Checks that the left sides bind each sequence once.
    fn check_sequences(&mut self, scope: &Scope, bound: usize) -> bool {
        let count = self.expect.diagnostics.len();
        for (i, variable) in scope.variables.iter().enumerate().filter(|(_, variable)| variable.is_sequence())
        {
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
        self.expect.diagnostics.len() == count
    }

    fn check_sums(&mut self, pattern: &Pattern, span: Span) {
        if let Pattern::Sum { terms, rests } = pattern {
            if rests.len() > 1 {
                self.expect.diagnostics.push(
                    Diagnostic::error("many-sequences", "a sum on the left side has two sequences")
                        .label(span, "n terms could be divided between them in 2^n ways"),
                );
            }
            if terms.len() > MAX_TERMS {
                self.expect.diagnostics.push(
                    Diagnostic::error(
                        "many-terms",
                        format!("a sum on the left side has {} explicit terms", terms.len()),
                    )
                    .label(span, format!("at most {MAX_TERMS} can be matched in any order")),
                );
            }
        }
        pattern.parts().iter().for_each(|part| self.check_sums(part, span));
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

    /// Reports a variable that is not among the first `bound` uses in the scope.
    pub(super) fn unbound<T>(&mut self, name: &str, span: Span, scope: &Scope, bound: usize) -> Option<T> {
        let lhs = || scope.uses[..bound].iter().map(|(id, _)| scope.variables[id.0].name.as_str());
        let help = crate::syntax::closest(name, lhs()).map(|near| format!("did you mean `?{near}`?"));
        self.expect.report(
            Diagnostic::error("unbound-variable", format!("unbound variable `?{name}`"))
                .label(span, "the left side does not bind it")
                .help_if(help),
        )
    }
}
