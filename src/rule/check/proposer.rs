//! Tests proposers on random kernels: their decompositions must denote the kernel and consist of smaller parts.

use super::instance::{Dice, unmoved};
use super::verdict::{CounterExample, Refutation, Verdict};
use crate::algebra::{Placed, Shape};
use crate::budget::Budget;
use crate::rule::Rule;
use crate::rule::propose::Proposer;
use crate::term::{Measure, matrix, precedes};

/// Returns the verdict and the number of kernels for which the proposer returned a decomposition.
pub(super) fn check(
    rule: &str,
    proposer: &dyn Proposer,
    budget: usize,
    trials: usize,
    random: &mut Dice,
) -> (Verdict, usize) {
    let mut found: Option<(Measure, CounterExample)> = None;
    let mut applied = 0;
    for trial in 0..trials {
        let scale = 1 + 3 * trial / trials.max(1);
        let (said, failure) = attempt(rule, proposer, budget, scale, random);
        applied += usize::from(said);
        if let Some((measure, example)) = failure
            && found.as_ref().is_none_or(|(smallest, _)| measure < *smallest)
        {
            found = Some((measure, example));
        }
    }
    let verdict = match found {
        Some((_, example)) => Verdict::Refuted(Box::new(Refutation::CounterExample(example))),
        None => Verdict::Unknown,
    };
    (verdict, applied)
}

fn attempt(
    rule: &str,
    proposer: &dyn Proposer,
    budget: usize,
    scale: usize,
    random: &mut Dice,
) -> (bool, Option<(Measure, CounterExample)>) {
    let channels = 1 + random.below(4) as u16 / 3;
    // Half of the kernels are products, so that there is something to factor, and some of these have one tap changed.
    let kind = random.below(6);
    let kernel = if kind < 3 {
        random.placed(channels, 1 + scale)
    } else {
        let (outer, inner) = (random.placed(1, scale), random.placed(channels, scale));
        let product = Placed::compose(&outer, &inner).unwrap_or(inner);
        let tap = Shape::delta(0, channels);
        let terms = [(product.label, &product.shape), (product.label, &tap)];
        Placed::sum(channels, terms).filter(|_| kind == 5).unwrap_or(product)
    };
    let among = [kernel.shape.clone(), random.placed(channels, scale).shape];
    let mut proposed: Vec<(&Shape, _)> = proposer
        .propose(&kernel.shape, budget, &Budget::unlimited())
        .into_iter()
        .map(|d| (&kernel.shape, d))
        .collect();
    for (index, shape) in among.iter().enumerate() {
        proposed.extend(
            proposer
                .propose_among(&among, index, budget, &Budget::unlimited())
                .into_iter()
                .map(|d| (shape, d)),
        );
    }
    let mut said = false;
    for (whole, decomposition) in proposed {
        let lhs = unmoved(whole);
        let Some(rhs) = decomposition.denote(whole.channels()) else { continue };
        said = true;
        let descends = decomposition.parts().into_iter().all(|part| precedes(part, whole));
        if rhs == lhs && descends {
            continue;
        }
        let example = CounterExample {
            rule: rule.to_owned(),
            semiring: Rule::PLUS_TIMES.to_owned(),
            values: vec![("K".to_owned(), vec![matrix(&lhs, "    ")])],
            lhs: matrix(&lhs, "    "),
            rhs: (rhs != lhs).then(|| matrix(&rhs, "    ")),
        };
        return (true, Some((Measure::of(whole), example)));
    }
    (said, None)
}
