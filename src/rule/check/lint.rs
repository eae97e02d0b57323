//! Lints for rewrites, sound or not: right sides that match the left side again, and sides that differ only in labels.

use super::verdict::Lint;
use crate::rule::{Expression, Pattern, Rewrite, Variable, VariableId};

/// Returns the suspicious properties.
pub(super) fn lints(rewrite: &Rewrite) -> Vec<Lint> {
    let (lhs, rhs) = (&rewrite.lhs, &rewrite.rhs);
    // Every variable stands for itself.
    let itself = |(i, variable): (usize, &Variable)| {
        let term = Pattern::Variable(VariableId(i));
        Some(if variable.is_sequence() { Bound::Terms(vec![term]) } else { Bound::Whole(term) })
    };
    let mut same = Matching {
        labels: Labels::Free,
        bindings: rewrite.variables.iter().enumerate().map(itself).collect(),
    };
    if same.matches(lhs, rhs) {
        vec![Lint::Same]
    } else if rewrite.is_finite()
        && operators(rhs) > operators(lhs)
        && feeds(lhs, rhs, rewrite.variables.len())
    {
        vec![Lint::Grows]
    } else {
        Vec::new()
    }
}

/// The number of operators, where a sum of n terms counts n − 1 times and a composition once.
fn operators(pattern: &Pattern) -> usize {
    let own = match pattern {
        Pattern::Sum { terms, rests } => (terms.len() + rests.len()).saturating_sub(1),
        Pattern::Compose(_) => 1,
        _ => 0,
    };
    own + pattern.parts().iter().map(operators).sum::<usize>()
}

/// Whether the left side matches somewhere in `term`, whose variables stand for themselves.
fn feeds(lhs: &Pattern, term: &Pattern, variables: usize) -> bool {
    let mut matching = Matching { labels: Labels::All, bindings: vec![None; variables] };
    matching.matches(lhs, term) || term.parts().iter().any(|part| feeds(lhs, part, variables))
}

/// The binding of a variable of the left side.
#[derive(Clone, PartialEq)]
enum Bound {
    Whole(Pattern),
    Terms(Vec<Pattern>),
}

/// The labels that matching ignores.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Labels {
    /// Those that do not change the e-class of a kernel: shifts, signs and powers of two.
    Free,
    /// All, as a pattern matches a kernel with any label.
    All,
}

/// The state of matching a pattern with a term up to labels and the order of sums.
struct Matching {
    labels: Labels,
    bindings: Vec<Option<Bound>>,
}

impl Matching {
    /// Whether `pattern` matches `term`. If so, the bindings hold the match.
    fn matches(&mut self, pattern: &Pattern, term: &Pattern) -> bool {
        match (self.unlabelled(pattern), self.unlabelled(term)) {
            (Pattern::Scaled(a, body), Pattern::Scaled(b, other)) => a == b && self.matches(body, other),
            (Pattern::Variable(id), term) => self.bind(*id, Bound::Whole(term.clone())),
            (Pattern::Compose(a), Pattern::Compose(b)) => {
                let before = self.bindings.clone();
                if self.matches(&a[0], &b[0]) && self.matches(&a[1], &b[1]) {
                    return true;
                }
                self.bindings = before;
                false
            }
            (Pattern::Sum { terms, rests }, Pattern::Sum { terms: others, rests: opaque }) => {
                let mut left: Vec<Pattern> = others.clone();
                // A sequence in the term may be empty or long, so it only matches as a whole.
                left.extend(opaque.iter().map(|id| Pattern::Variable(*id)));
                self.pick(terms, rests.first().copied(), left, others.len())
            }
            (pattern, term) => pattern == term,
        }
    }

    /// The term below its labels that are ignored.
    fn unlabelled<'a>(&self, mut term: &'a Pattern) -> &'a Pattern {
        loop {
            term = match term {
                Pattern::Moved(_, body) | Pattern::Negated(body) => body,
                Pattern::Scaled(factor, body) if self.labels == Labels::All || is_free(factor) => body,
                _ => return term,
            }
        }
    }

    /// Assigns different terms to all patterns among the first `fixed` of `left`; `rest` takes the remaining terms.
    fn pick(
        &mut self,
        patterns: &[Pattern],
        rest: Option<VariableId>,
        left: Vec<Pattern>,
        fixed: usize,
    ) -> bool {
        let Some((first, others)) = patterns.split_first() else {
            return match rest {
                Some(id) => self.bind(id, Bound::Terms(left)),
                None => left.is_empty(),
            };
        };
        (0..fixed).any(|i| {
            let before = self.bindings.clone();
            let mut remaining = left.clone();
            let term = remaining.remove(i);
            if self.matches(first, &term) && self.pick(others, rest, remaining, fixed - 1) {
                return true;
            }
            self.bindings = before;
            false
        })
    }

    fn bind(&mut self, id: VariableId, value: Bound) -> bool {
        match &self.bindings[id.0] {
            Some(known) => *known == value,
            None => {
                self.bindings[id.0] = Some(value);
                true
            }
        }
    }
}

/// Whether a factor is a signed power of two, written out.
fn is_free(factor: &Expression) -> bool {
    matches!(factor, Expression::Literal(factor) if factor.is_power_of_two())
}
