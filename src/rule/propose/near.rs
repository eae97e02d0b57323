//! Near products: kernels that would be a product if a few taps were different.

use super::factors::{factors_of, parts};
use super::grid::{Grid, measure, pattern_sum};
use crate::algebra::factor::{Factorisation, NearProducts};
use crate::algebra::{Offset, Placed, Rational, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// The minimum number of taps for each that is different: smaller kernels are cheaper than any product and the taps.
const MIN_TAPS: usize = 5;
/// The maximum number of taps that are different.
const MAX_CHANGES: usize = 3;
/// Where changes cannot be sieved, the largest absolute value tried in place of every tap.
const SMALL: i64 = 8;
/// The maximum work for one kernel; all changes of three taps of a 5×5 take less.
const WORK: u64 = 1 << 24;

/// Places with what is subtracted there.
type Change = Vec<(usize, i64)>;

/// K = P ∘ Q + R: K is a product except for a few taps.
pub(super) fn near_factors(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let taps = shape.tap_count();
    if grid.channels != 1 || taps < MIN_TAPS || factors_of(&grid, budget).is_some() {
        return Vec::new();
    }
    let own = budget.part(WORK.min(budget.left()));
    let found = near(&grid, taps, &own);
    budget.spend(own.spent());
    found.into_iter().take(most).filter_map(|(_, change)| with(&grid, shape, &change, budget)).collect()
}

/// The changes that turn a kernel into a product, with the additions of its factors; fewest additions first. Changes of more
/// taps are tried only if there is none of fewer.
fn near(grid: &Grid, taps: usize, budget: &Budget) -> Vec<(usize, Change)> {
    let spend = |work| budget.spend(work);
    let sieve = NearProducts::new(grid.size, &grid.taps, &spend);
    let mut found = Vec::new();
    for count in 1..=MAX_CHANGES.min(taps / MIN_TAPS) {
        let mut changes = match &sieve {
            Some(sieve) => sieve.changes(count, &spend),
            None if count == 1 => small_changes(grid),
            None => Vec::new(),
        };
        // What a sieve lets pass by chance is rarely small.
        changes.sort_by_key(|change| change.iter().map(|(_, by)| by.unsigned_abs()).max());
        for change in changes {
            // The additions besides the taps, if each factor is made tap by tap.
            let additions = |found: &Factorisation| -> usize {
                found.factors.iter().map(|(factor, times)| (factor.tap_count() - 1) * *times as usize).sum()
            };
            let product = changed(grid, &change).and_then(|product| factors_of(&product, budget));
            let product = product.filter(|found| additions(found) + count + 1 < taps);
            found.extend(product.map(|product| (additions(&product), change)));
            if budget.is_over() {
                break;
            }
        }
        if budget.is_over() || !found.is_empty() {
            break;
        }
    }
    found.sort_unstable();
    found
}

/// Every place with every small value.
fn small_changes(grid: &Grid) -> Vec<Change> {
    let values = (0..=SMALL).flat_map(|value| [value, -value]).skip(1);
    let places = grid.taps.iter().enumerate();
    let all =
        places.flat_map(|(place, tap)| values.clone().map(move |value| (place, tap.checked_sub(value))));
    all.filter_map(|(place, by)| Some(vec![(place, by.filter(|by| *by != 0)?)])).collect()
}

/// The kernel after a change.
fn changed(grid: &Grid, change: &[(usize, i64)]) -> Option<Grid> {
    let mut other = grid.clone();
    for (place, by) in change {
        other.taps[*place] = other.taps[*place].checked_sub(*by)?;
    }
    Some(other)
}

/// The product after a change, and the taps that correct it. If the product is not smaller than the kernel, it is written as copies of
/// a factor.
fn with(grid: &Grid, shape: &Shape, change: &[(usize, i64)], budget: &Budget) -> Option<Decomposition> {
    let other = changed(grid, change)?;
    let taps = change.iter().map(|(place, by)| (0, grid.place(*place).1, Rational::integer(*by)));
    let rest = Placed::from_taps(1, &taps.collect::<Vec<_>>())?;
    let product = other.placed()?;
    if measure(&product.shape) < measure(shape) {
        return pattern_sum(&[([0; 3], 1)], &product, Some(&rest));
    }
    let factors = factors_of(&other, budget)?.factors;
    let (least, _) = factors.iter().min_by_key(|(factor, _)| factor.tap_count())?;
    let (label, outer, inner) = parts(&other, least)?;
    let copies: Vec<(Offset, i64)> = outer.taps().map(|(_, at, tap)| (at, tap)).collect();
    pattern_sum(&copies, &Placed { label, shape: inner }, Some(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Label;

    #[test]
    fn a_product_and_a_tap_are_told_apart() {
        // (1 2 1)ᵀ ∘ (1 3 1), with 4 more in the middle.
        let taps = [1, 3, 1, 2, 10, 2, 1, 3, 1];
        let kernel = Placed::from_dense(1, [0; 3], [3, 3, 1], &taps, Rational::ONE).unwrap();
        let found = near_factors(&kernel.shape, 8, &Budget::unlimited());
        let identity = Placed { label: Label::IDENTITY, shape: kernel.shape.clone() };
        assert!(found.iter().all(|way| way.denote(1) == Some(identity.clone())));
        let product = Placed::from_dense(1, [0; 3], [3, 3, 1], &[1, 3, 1, 2, 6, 2, 1, 3, 1], Rational::ONE);
        assert!(found[0].parts().contains(&&product.unwrap().shape), "{found:?}");
    }

    #[test]
    fn a_product_that_is_larger_is_copies_of_a_factor() {
        // The same product with zero in the middle.
        let taps = [1, 3, 1, 2, 0, 2, 1, 3, 1];
        let kernel = Placed::from_dense(1, [0; 3], [3, 3, 1], &taps, Rational::ONE).unwrap();
        let found = near_factors(&kernel.shape, 8, &Budget::unlimited());
        let identity = Placed { label: Label::IDENTITY, shape: kernel.shape.clone() };
        assert!(found.iter().all(|way| way.denote(1) == Some(identity.clone())), "{found:?}");
        let parts = found[0].parts();
        assert!(parts[0] == parts[1] && parts[0].tap_count() == 6, "{found:?}");
    }

    #[test]
    fn nothing_is_near_a_product_of_nothing() {
        let taps = [1, 17, 0, 3, 1, 29, 0, 5, 1];
        let kernel = Placed::from_dense(1, [0; 3], [3, 3, 1], &taps, Rational::ONE).unwrap();
        assert_eq!(near_factors(&kernel.shape, 8, &Budget::unlimited()), []);
    }

    #[test]
    fn small_changes_come_before_those_that_pass_by_chance() {
        // (1 2 -1 | 3 1 2 | -2 1 1) ∘ (2 -1 3 | 1 1 -2 | 1 3 1), with 5 and 7 more in two places.
        let [a, b] = [[1, 2, -1, 3, 1, 2, -2, 1, 1], [2, -1, 3, 1, 1, -2, 1, 3, 1]];
        let mut taps = [0; 25];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                taps[5 * (i / 3 + j / 3) + i % 3 + j % 3] += x * y;
            }
        }
        let change = vec![(2, 5), (18, 7)];
        for (place, by) in &change {
            taps[*place] += by;
        }
        let kernel = Placed::from_dense(1, [0; 3], [5, 5, 1], &taps, Rational::ONE).unwrap();
        let grid = Grid::of(&kernel.shape);
        let sieved = Budget::unlimited();
        let sieve = NearProducts::new(grid.size, &grid.taps, &|work| sieved.spend(work)).unwrap();
        let all: Vec<usize> =
            (1..=2).map(|count| sieve.changes(count, &|work| sieved.spend(work)).len()).collect();
        // A fifth more than the sieve spends does not suffice to factor all that pass it.
        let budget = Budget::unlimited().part(sieved.spent() + sieved.spent() / 5);
        let found = near(&grid, 25, &budget);
        assert!(found.iter().any(|(_, found)| *found == change), "{all:?}: {found:?}");
    }
}
