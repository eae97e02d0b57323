//! Lints for rewrites, sound or not: right sides that match the left side again, and sides that differ only in labels.

use crate::rule::{Pattern, Rewrite, Variable, VariableId};

/// Returns one sentence for each suspicious property.
pub(super) fn lints(rewrite: &Rewrite) -> Vec<String> {
    let mut lints = Vec::new();
    let (lhs, rhs) = (&rewrite.lhs, &rewrite.rhs);
    // Every variable stands for itself.
    let itself = |(i, variable): (usize, &Variable)| {
        let term = Pattern::Variable(VariableId(i));
        Some(if variable.is_sequence() { Bound::Terms(vec![term]) } else { Bound::Whole(term) })
    };
    let same = matches(lhs, rhs, &mut rewrite.variables.iter().enumerate().map(itself).collect());
    if same {
        lints.push("both sides are the same up to shifts, signs and scales: it adds nothing".to_owned());
    } else if rewrite.is_finite()
        && operators(rhs) > operators(lhs)
        && feeds(lhs, rhs, rewrite.variables.len())
    {
        lints.push(
            "its right side contains its left side and is larger: it applies to its own results until a limit is reached"
                .to_owned(),
        );
    }
    lints
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
    matches(lhs, term, &mut vec![None; variables])
        || term.parts().iter().any(|part| feeds(lhs, part, variables))
}

/// The binding of a variable of the left side.
#[derive(Clone, PartialEq)]
enum Bound {
    Whole(Pattern),
    Terms(Vec<Pattern>),
}

/// Whether `pattern` matches `term` up to labels and the order of sums. If so, `bindings` holds the match.
fn matches(pattern: &Pattern, term: &Pattern, bindings: &mut Vec<Option<Bound>>) -> bool {
    match (pattern, term) {
        (Pattern::Moved(_, body) | Pattern::Negated(body) | Pattern::Scaled(_, body), _) => {
            matches(body, term, bindings)
        }
        (_, Pattern::Moved(_, body) | Pattern::Negated(body) | Pattern::Scaled(_, body)) => {
            matches(pattern, body, bindings)
        }
        (Pattern::Variable(id), _) => bind(*id, Bound::Whole(term.clone()), bindings),
        (Pattern::Compose(a), Pattern::Compose(b)) => {
            let before = bindings.clone();
            if matches(&a[0], &b[0], bindings) && matches(&a[1], &b[1], bindings) {
                return true;
            }
            *bindings = before;
            false
        }
        (Pattern::Sum { terms, rests }, Pattern::Sum { terms: others, rests: opaque }) => {
            let mut left: Vec<Pattern> = others.clone();
            // A sequence in the term may be empty or long, so it only matches as a whole.
            left.extend(opaque.iter().map(|id| Pattern::Variable(*id)));
            let fixed = others.len();
            pick(terms, rests.first().copied(), left, fixed, bindings)
        }
        _ => pattern == term,
    }
}

/// Assigns different terms to all patterns among the first `fixed` of `left`; `rest` takes the remaining terms.
fn pick(
    patterns: &[Pattern],
    rest: Option<VariableId>,
    left: Vec<Pattern>,
    fixed: usize,
    bindings: &mut Vec<Option<Bound>>,
) -> bool {
    let Some((first, others)) = patterns.split_first() else {
        return match rest {
            Some(id) => bind(id, Bound::Terms(left), bindings),
            None => left.is_empty(),
        };
    };
    (0..fixed).any(|i| {
        let before = bindings.clone();
        let mut remaining = left.clone();
        let term = remaining.remove(i);
        if matches(first, &term, bindings) && pick(others, rest, remaining, fixed - 1, bindings) {
            return true;
        }
        *bindings = before;
        false
    })
}

fn bind(id: VariableId, value: Bound, bindings: &mut [Option<Bound>]) -> bool {
    match &bindings[id.0] {
        Some(known) => *known == value,
        None => {
            bindings[id.0] = Some(value);
            true
        }
    }
}
