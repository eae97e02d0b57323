//! Tests of proposers on random kernels: decompositions must denote the kernel and consist of smaller parts.

use super::instance::{Dice, unmoved};
use super::verdict::{CounterExample, Refutation, Verdict};
use crate::algebra::{Arithmetic, Placed, Shape};
use crate::budget::Budget;
use crate::rule::Rule;
use crate::rule::propose::Proposer;
use crate::term::{Measure, matrix, precedes};

/// Returns the verdict and the number of kernels for which the proposer returned a decomposition.
pub(super) fn check(
    rule: &Rule,
    proposer: &dyn Proposer,
    trials: usize,
    random: &mut Dice,
) -> (Verdict, usize) {
    let mut found: Option<(Measure, CounterExample)> = None;
    let mut applied = 0;
    for trial in 0..trials {
        let scale = 1 + 3 * trial / trials.max(1);
        let (said, failure) = attempt(rule, proposer, scale, random);
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
    rule: &Rule,
    proposer: &dyn Proposer,
    scale: usize,
    random: &mut Dice,
) -> (bool, Option<(Measure, CounterExample)>) {
    let budget = rule.budget;
    let arithmetics: Vec<Arithmetic> =
        rule.semirings.iter().filter_map(|name| Arithmetic::named(name)).collect();
    let arithmetic = match arithmetics.len() {
        0 | 1 => arithmetics.first().copied().unwrap_or(Arithmetic::LINEAR),
        several => arithmetics[random.below(several as u64) as usize],
    };
    let channels = 1 + random.below(4) as u16 / 3;
    let kernel = kernel_to_split(arithmetic, channels, scale, random);
    let among = [kernel.shape.clone(), over(arithmetic, random.placed(channels, scale), random).shape];
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
            rule: rule.name.clone(),
            semiring: arithmetic.name().to_owned(),
            values: vec![("K".to_owned(), vec![matrix(&lhs, "    ")])],
            lhs: matrix(&lhs, "    "),
            rhs: (rhs != lhs).then(|| matrix(&rhs, "    ")),
        };
        return (true, Some((Measure::of(whole), example)));
    }
    (said, None)
}

/// A random kernel. Half of them are products, of two kernels or of a kernel and a channel, so that there is something to factor. Some of
/// these have one tap changed.
fn kernel_to_split(arithmetic: Arithmetic, channels: u16, scale: usize, random: &mut Dice) -> Placed {
    let fresh = |random: &mut Dice, channels, scale| over(arithmetic, random.placed(channels, scale), random);
    let kind = random.below(6);
    if kind < 3 {
        return fresh(random, channels, 1 + scale);
    }
    let outer = fresh(random, 1, scale);
    let inner = match random.below(2) {
        0 if channels > 1 => unmoved(&Shape::delta_in(arithmetic, 1, channels)),
        _ => fresh(random, channels, scale),
    };
    let product = Placed::compose(&outer, &inner).unwrap_or(inner);
    let tap = Shape::delta_in(arithmetic, 0, channels);
    let terms = [(product.label, &product.shape), (product.label, &tap)];
    Placed::sum(channels, terms).filter(|_| kind == 5).unwrap_or(product)
}

/// In an idempotent semiring, a kernel with small weights in place of coefficients, or a box of equal weights, perhaps
/// with a hole inside.
fn over(arithmetic: Arithmetic, kernel: Placed, random: &mut Dice) -> Placed {
    if arithmetic.is_linear() {
        return kernel;
    }
    let channels = kernel.shape.channels();
    let kind = random.below(3);
    if kind > 0 {
        let [width, height] = match kind {
            1 => [1 + random.below(8) as i32, 1 + random.below(3) as i32],
            _ => [3 + random.below(4) as i32, 3],
        };
        // The hole is inside: a box without a corner is still divisible by pairs.
        let hole = if kind == 1 { -1 } else { width + 1 + random.below(width as u64 - 2) as i32 };
        let taps = (0..width * height).filter(|place| *place != hole);
        let taps = taps.map(|place| (0, [place % width, place / width, 0], 0));
        return Placed::from_weights(arithmetic, channels, taps).unwrap_or(kernel);
    }
    let taps = kernel.shape.taps().map(|(channel, offset, tap)| {
        let weight = tap.rem_euclid(3);
        (channel, offset, if arithmetic.number(weight).is_some() { weight } else { 0 })
    });
    Placed::from_weights(arithmetic, channels, taps).unwrap_or(kernel)
}
