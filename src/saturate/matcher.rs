//! Matching of patterns against e-classes, modulo the order of sums and modulo labels.
//!
//! An e-class matched at a label stands for `label · kernel`. Scales, signs and shifts in a pattern change only that label,
//! so they match everything. Sums pick their terms from a sum e-node in any order. [`split`] divides the label of a composition between
//! its parts.

mod split;

use std::borrow::Cow;
use std::ops::ControlFlow;

use egg::Id;

use super::graph::Graph;
use crate::algebra::{Label, Placed, Rational, Semiring, Shape, in_semiring};
use crate::budget::Budget;
use crate::rule::{Expression, Pattern, Rewrite, VariableId};
use crate::term::lang::Node;

/// The value of a variable: one `label · e-class`, several of them for a sequence, or a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    Unbound,
    One(Label, Id),
    Many(Vec<(Label, Id)>),
    Number(Rational),
}

/// The value of a number variable.
pub(super) fn number(bindings: &[Binding], variable: VariableId) -> Option<Rational> {
    match bindings[variable.0] {
        Binding::Number(value) => Some(value),
        _ => None,
    }
}

/// The maximum number of places in the graph visited per e-class and rule. It stops patterns that would enumerate
/// subsets.
const MAX_STEPS: usize = 20_000;

/// Returns at most `limit` matches of the left side in the e-class `whole` that satisfy the conditions.
///
/// Each place visited counts as work.
pub(super) fn matches(
    graph: &Graph,
    rewrite: &Rewrite,
    whole: Id,
    limit: usize,
    budget: &Budget,
) -> Vec<Vec<Binding>> {
    let mut found = Vec::new();
    for label in labels(graph, &rewrite.lhs, whole) {
        let limit = limit - found.len();
        found.extend(matches_at(graph, std::slice::from_ref(rewrite), &[(label, whole)], limit, budget));
    }
    found
}

/// The labels at which an e-class is matched with a left side. [`Plan::of_rewrite`](super::plan::Plan::of_rewrite) takes them out again.
fn labels(graph: &Graph, lhs: &Pattern, whole: Id) -> Vec<Label> {
    let arithmetic = graph.arithmetic();
    if let Some(label) = lhs.fixed_label(arithmetic) {
        return vec![label];
    }
    let mut labels = vec![Label::IDENTITY];
    if !lhs.has_square() {
        return labels;
    }
    // A square has a label that is a square, whatever that of the whole is: one for each residue.
    let mut double =
        |other: Label| labels.extend(labels.clone().into_iter().filter_map(|label| label.then(other)));
    for (axis, size) in graph.shape(whole).size().into_iter().enumerate() {
        if size > 1 {
            double(Label::at(std::array::from_fn(|i| i32::from(i == axis))));
        }
    }
    if arithmetic.is_linear() {
        double(Label::scaled(Rational::integer(-1)));
        double(Label::scaled(Rational::integer(2)));
    } else {
        double(Label { weight: 1, ..Label::IDENTITY });
    }
    labels
}

/// Returns at most `limit` ways in which each left side matches at its place. The rewrites have the same variables and
/// conditions.
pub(super) fn matches_at(
    graph: &Graph,
    rewrites: &[Rewrite],
    places: &[(Label, Id)],
    limit: usize,
    budget: &Budget,
) -> Vec<Vec<Binding>> {
    let Some(rewrite) = rewrites.first().filter(|_| limit > 0) else { return Vec::new() };
    let mut occurrences = vec![0; rewrite.variables.len()];
    for rewrite in rewrites {
        rewrite.lhs.for_each_variable(&mut |variable| occurrences[variable.0] += 1);
    }
    let bindings = vec![Binding::Unbound; rewrite.variables.len()];
    let mut matcher =
        Matcher { graph, rewrite, occurrences, bindings, limit, budget, steps: 0, found: Vec::new() };
    let _ = matcher.solve_all(rewrites, places, None);
    matcher.found
}

struct Matcher<'a> {
    graph: &'a Graph,
    rewrite: &'a Rewrite,
    occurrences: Vec<usize>,
    bindings: Vec<Binding>,
    limit: usize,
    budget: &'a Budget,
    steps: usize,
    found: Vec<Vec<Binding>>,
}

/// A goal of matching.
enum Goal<'a> {
    /// Match the pattern at `label · e-class`.
    Match(&'a Pattern, Label, Id),
    /// Match the patterns with different terms; the sequence variable takes the remaining terms.
    Pick(&'a [&'a Pattern], Option<VariableId>, Vec<(Label, Id)>),
}

/// A list of goals that grows at the front and is shared by the branches of the search.
struct Goals<'a> {
    first: Goal<'a>,
    rest: Option<&'a Goals<'a>>,
}

impl<'a> Matcher<'a> {
    /// Adds a goal for each rewrite, the last one at the back, before solving them.
    fn solve_all(
        &mut self,
        rewrites: &[Rewrite],
        places: &[(Label, Id)],
        goals: Option<&Goals<'_>>,
    ) -> ControlFlow<()> {
        match (rewrites, places) {
            ([before @ .., last], [above @ .., (label, class)]) => {
                let first = Goal::Match(&last.lhs, *label, *class);
                self.solve_all(before, above, Some(&Goals { first, rest: goals }))
            }
            _ => self.solve(goals),
        }
    }

    /// Finds all ways to reach the goals; breaks when a limit is reached.
    fn solve(&mut self, goals: Option<&Goals<'_>>) -> ControlFlow<()> {
        self.steps += 1;
        let Some(Goals { first, rest }) = goals else { return self.record() };
        let terms = if let Goal::Pick(_, _, terms) = first { terms.len() as u64 } else { 0 };
        if self.steps > MAX_STEPS || !self.budget.spend(1 + terms) {
            return ControlFlow::Break(());
        }
        match first {
            Goal::Match(pattern, label, class) => self.match_pattern(pattern, *label, *class, *rest),
            Goal::Pick([], sequence, terms) => match sequence {
                Some(variable) => self.bind(*variable, Binding::Many(terms.clone()), *rest),
                None if terms.is_empty() => self.solve(*rest),
                None => ControlFlow::Continue(()),
            },
            Goal::Pick([pattern, others @ ..], sequence, terms) => {
                for (i, (label, class)) in terms.iter().enumerate() {
                    let mut left = terms.clone();
                    left.remove(i);
                    let later = Goals { first: Goal::Pick(others, *sequence, left), rest: *rest };
                    self.match_pattern(pattern, *label, *class, Some(&later))?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    fn match_pattern(
        &mut self,
        pattern: &Pattern,
        label: Label,
        class: Id,
        rest: Option<&Goals<'_>>,
    ) -> ControlFlow<()> {
        match pattern {
            Pattern::Variable(variable) => self.bind(*variable, Binding::One(label, class), rest),
            Pattern::Channel(variable) => {
                let shape = self.graph.shape(class);
                if shape.channels() > 1 && shape.is_delta() && label == Label::IDENTITY {
                    self.bind(*variable, Binding::One(label, class), rest)
                } else {
                    ControlFlow::Continue(())
                }
            }
            Pattern::Identity => {
                let shape = self.graph.shape(class);
                if shape.channels() == 1 && shape.is_delta() && label == Label::IDENTITY {
                    self.solve(rest)
                } else {
                    ControlFlow::Continue(())
                }
            }
            Pattern::Constant(_) | Pattern::Scan(_) => {
                let is_it = |kernel: Cow<'_, Placed>| {
                    **self.graph.shape(class) == kernel.shape && label == kernel.label
                };
                if pattern.kernel(self.graph.arithmetic()).is_some_and(is_it) {
                    self.solve(rest)
                } else {
                    ControlFlow::Continue(())
                }
            }
            Pattern::Scaled(Expression::Variable(variable), body) => {
                self.match_scaled(*variable, body, label, class, rest)
            }
            Pattern::Moved(..) | Pattern::Negated(_) | Pattern::Scaled(..) => {
                // A number that is not a factor of the semiring matches nothing.
                let Some((own, body)) = pattern.label(self.graph.arithmetic()) else {
                    return ControlFlow::Continue(());
                };
                match own.inverse().and_then(|own| label.then(own)) {
                    Some(label) => self.solve(Some(&Goals { first: Goal::Match(body, label, class), rest })),
                    None => ControlFlow::Continue(()),
                }
            }
            Pattern::Sum { terms, rests } => {
                self.match_sum(terms, rests.first().copied(), label, class, rest)
            }
            Pattern::Compose(parts) => self.match_compose(parts, label, class, rest),
        }
    }

    /// Matches `(scale ?c BODY)` at `label · e-class`. The factor is in the label, or in a sum of one term, which is how a file's
    /// `(scale 3 K)` enters the e-graph.
    fn match_scaled(
        &mut self,
        variable: VariableId,
        body: &Pattern,
        label: Label,
        class: Id,
        rest: Option<&Goals<'_>>,
    ) -> ControlFlow<()> {
        let graph = self.graph;
        let one_term = |node: &Node| match node {
            Node::Sum(sum) if sum.terms().len() == 1 => sum.terms().next(),
            _ => None,
        };
        let below = graph.nodes(class).iter().filter_map(one_term);
        let below = below.filter_map(|(edge, child)| Some((edge.then(label)?, child)));
        for (label, class) in std::iter::once((label, class)).chain(below) {
            let arithmetic = graph.arithmetic();
            let factor = number(&self.bindings, variable).or_else(|| label.number(arithmetic));
            let without = |factor| label.then(Label::of_number(arithmetic, factor)?.inverse()?);
            if let Some((factor, label)) = factor.and_then(|factor| Some((factor, without(factor)?))) {
                let goal = Goal::Match(body, label, class);
                self.bind(variable, Binding::Number(factor), Some(&Goals { first: goal, rest }))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn match_sum(
        &mut self,
        patterns: &[Pattern],
        sequence: Option<VariableId>,
        label: Label,
        class: Id,
        rest: Option<&Goals<'_>>,
    ) -> ControlFlow<()> {
        // The most constrained patterns come first: variables that must agree with others, squares and the like, then other terms with
        // structure.
        let mut ordered: Vec<&Pattern> = patterns.iter().collect();
        ordered.sort_by_key(|pattern| match pattern {
            Pattern::Variable(variable) if self.occurrences[variable.0] > 1 => 0,
            Pattern::Variable(_) => 3,
            _ if pattern.has_square() => 1,
            _ => 2,
        });
        let graph = self.graph;
        for node in graph.nodes(class) {
            let Node::Sum(sum) = node else { continue };
            let count = sum.terms().len();
            if count < patterns.len() || (sequence.is_none() && count > patterns.len()) {
                continue;
            }
            let terms: Option<Vec<_>> =
                sum.terms().map(|(edge, child)| Some((edge.then(label)?, child))).collect();
            if let Some(terms) = terms {
                let goal = Goal::Pick(&ordered, sequence, terms);
                self.solve(Some(&Goals { first: goal, rest }))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn match_compose(
        &mut self,
        [outer_pattern, inner_pattern]: &[Pattern; 2],
        label: Label,
        class: Id,
        rest: Option<&Goals<'_>>,
    ) -> ControlFlow<()> {
        let graph = self.graph;
        for node in graph.nodes(class) {
            let Node::Compose([outer, inner]) = node else { continue };
            for [of_outer, of_inner] in self.splits(label, (outer_pattern, *outer), (inner_pattern, *inner)) {
                let goals = Goals { first: Goal::Match(inner_pattern, of_inner, *inner), rest };
                let goals = Goals { first: Goal::Match(outer_pattern, of_outer, *outer), rest: Some(&goals) };
                self.solve(Some(&goals))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn bind(&mut self, variable: VariableId, value: Binding, rest: Option<&Goals<'_>>) -> ControlFlow<()> {
        if self.bindings[variable.0] != Binding::Unbound {
            return if self.bindings[variable.0] == value {
                self.solve(rest)
            } else {
                ControlFlow::Continue(())
            };
        }
        self.bindings[variable.0] = value;
        let flow = self.solve(rest);
        self.bindings[variable.0] = Binding::Unbound;
        flow
    }

    fn record(&mut self) -> ControlFlow<()> {
        let holds = || in_semiring!(self.graph.arithmetic().name(), |S| self.holds::<S>());
        if self.rewrite.conditions.is_empty() || holds() == Some(true) {
            self.found.push(self.bindings.clone());
        }
        if self.found.len() < self.limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Whether the match satisfies the conditions in `S`.
    fn holds<S: Semiring>(&self) -> bool {
        let Self { graph, rewrite, bindings, .. } = self;
        let shape = |variable: VariableId| match &bindings[variable.0] {
            Binding::One(_, class) => &**graph.shape(*class),
            _ => unreachable!("the reader lets conditions name single variables of the left side only"),
        };
        let number = |variable: VariableId| S::of(number(bindings, variable)?);
        rewrite.conditions.iter().all(|condition| condition.holds::<S, Shape>(shape, number))
    }
}
