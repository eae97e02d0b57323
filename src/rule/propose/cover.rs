//! Covers in idempotent semirings: a kernel by its channels, rows and columns, and by pairs of taps with their residuals.
//!
//! Places may be covered twice, because a ⊕ a = a.

use std::collections::BTreeMap;

use super::residual::{Chosen, Taps, weight_at};
use crate::algebra::{Label, Placed, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// The maximum number of displacements tried.
const MAX_PAIRS: usize = 64;
/// The maximum number of taps of a kernel from which single taps are removed.
const MAX_TAPS: usize = 32;

/// K = the sum of its channels, of its rows, or of its columns.
pub(super) fn lines(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let mut found = Vec::new();
    if shape.arithmetic().is_linear() || !budget.spend(2 * shape.dense().len() as u64) {
        return found;
    }
    if shape.channels() > 1 {
        found.extend(by_channels(shape));
    } else {
        found.extend([1, 0].into_iter().filter_map(|axis| by_lines(shape, axis)));
    }
    found.truncate(most);
    found
}

/// A kernel as the sum of its channels, or as a plain kernel applied to the only channel it reads.
fn by_channels(shape: &Shape) -> Option<Decomposition> {
    let (arithmetic, channels) = (shape.arithmetic(), shape.channels());
    let mut parts: BTreeMap<u16, Vec<_>> = BTreeMap::new();
    for (channel, offset, weight) in shape.taps() {
        parts.entry(channel).or_default().push((channel, offset, weight));
    }
    if let [(channel, taps)] = &parts.iter().collect::<Vec<_>>()[..] {
        let plain = taps.iter().map(|(_, offset, weight)| (0, *offset, *weight));
        let outer = Placed::from_weights(arithmetic, 1, plain)?.shape;
        let inner = Shape::delta_in(arithmetic, **channel, channels);
        return (taps.len() > 1).then_some(Decomposition::Compose { label: Label::IDENTITY, outer, inner });
    }
    let parts = parts.into_values().map(|taps| {
        let part = Placed::from_weights(arithmetic, channels, taps)?;
        Some((part.label, part.shape))
    });
    Some(Decomposition::Sum(parts.collect::<Option<_>>()?))
}

/// A kernel as the sum of its lines across an axis, if there are at least two and some line has more than one tap.
fn by_lines(shape: &Shape, axis: usize) -> Option<Decomposition> {
    let kernel = Chosen::of(shape)?;
    let mut lines: BTreeMap<i32, Taps> = BTreeMap::new();
    for (offset, weight) in &kernel.taps {
        lines.entry(offset[axis]).or_default().push((*offset, *weight));
    }
    let count = lines.len();
    (count > 1 && count < kernel.taps.len()).then(|| sum(&kernel, lines.into_values())).flatten()
}

fn sum(kernel: &Chosen, parts: impl IntoIterator<Item = Taps>) -> Option<Decomposition> {
    let parts = parts.into_iter().map(|taps| {
        let part = kernel.placed(&taps)?;
        Some((part.label, part.shape))
    });
    Some(Decomposition::Sum(parts.collect::<Option<_>>()?))
}

/// K = P∘B ⊕ R, where P is the pair of taps that covers most of K and R is the rest; and K = t ⊕ R, where t is a single tap
/// and a pair covers at least half of R.
pub(super) fn pair_covers(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let Some(kernel) = Chosen::of(shape).filter(|kernel| kernel.taps.len() > 2) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let (mut covered, mut divides): (Taps, bool) = (Vec::new(), false);
    for tap in kernel.taps[1..].iter().take(MAX_PAIRS) {
        if !budget.spend(kernel.taps.len() as u64) {
            break;
        }
        let made = kernel.product(&kernel.residual(&[*tap]), &[*tap]);
        divides |= made.len() == kernel.taps.len();
        if made.len() > 3 && made.len() < kernel.taps.len() && made.len() > covered.len() {
            covered = made;
        }
    }
    // A divisible kernel needs no cover.
    if divides {
        return found;
    }
    if !covered.is_empty() {
        let open = kernel.taps.iter().filter(|(at, weight)| weight_at(&covered, *at) != Some(*weight));
        let open: Taps = open.copied().collect();
        found.extend(sum(&kernel, [covered, open]));
    }
    // The first tap alone, or the middle one, as in a ring.
    for lone in [0, kernel.taps.len() / 2] {
        let others = kernel.taps.iter().enumerate().filter(|(index, _)| *index != lone);
        let others: Taps = others.map(|(_, tap)| *tap).collect();
        let work = (kernel.taps.len() * kernel.taps.len()) as u64;
        if kernel.taps.len() <= MAX_TAPS && budget.spend(work) && halves(&kernel, &others) {
            found.extend(sum(&kernel, [vec![kernel.taps[lone]], others]));
        }
    }
    found.truncate(most);
    found
}

/// Whether some pair of taps covers at least half of the taps.
fn halves(kernel: &Chosen, taps: &Taps) -> bool {
    let Some(part) = kernel.placed(taps).and_then(|placed| Chosen::of(&placed.shape)) else { return false };
    part.taps[1..].iter().any(|tap| {
        let rest = part.residual(&[*tap]);
        2 * part.product(&rest, &[*tap]).len() >= part.taps.len() && rest.len() > 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Arithmetic;
    use crate::rule::propose::proposer::Propose;

    fn check(shape: &Shape, propose: Propose) -> usize {
        let found = propose(shape, 8, &Budget::unlimited());
        for way in &found {
            let whole = Placed { label: Label::IDENTITY, shape: shape.clone() };
            assert_eq!(way.denote(shape.channels()), Some(whole), "{way:?}");
            assert!(way.parts().into_iter().all(|part| crate::term::precedes(part, shape)), "{way:?}");
        }
        found.len()
    }

    #[test]
    fn a_cross_is_covered_by_its_lines() {
        let arithmetic = Arithmetic::named("or-and").unwrap();
        let cross = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]].map(|at| (0, at, 0));
        let cross = Placed::from_weights(arithmetic, 1, cross).unwrap().shape;
        assert_eq!(check(&cross, lines), 2);
        assert_eq!(check(&cross, pair_covers), 3);
    }

    #[test]
    fn channels_are_taken_apart_and_a_single_one_is_read() {
        let arithmetic = Arithmetic::named("min-plus").unwrap();
        let both = [(0, [0, 0, 0], 3), (1, [1, 0, 0], 1), (1, [2, 0, 0], 0)];
        let both = Placed::from_weights(arithmetic, 2, both).unwrap().shape;
        assert_eq!(check(&both, lines), 1);
        let second = Placed::from_weights(arithmetic, 2, [(1, [0; 3], 0), (1, [1, 0, 0], 2)]).unwrap().shape;
        assert_eq!(check(&second, lines), 1);
    }
}
