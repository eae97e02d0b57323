//! Near products: kernels that would be a product if one tap were different.

use super::Proposer;
use super::factors::{factors_of, parts};
use super::grid::{Grid, pattern_sum};
use crate::algebra::factor::Factorisation;
use crate::algebra::{Label, Offset, Placed, Rational, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// The minimum number of taps: smaller kernels are cheaper than any product and a tap.
const MIN_TAPS: usize = 5;
/// The largest absolute value tried in place of every tap.
const SMALL: i64 = 8;
/// The maximum work for one kernel; trying the values at all places of a 5×5 takes less.
const WORK: u64 = 1 << 22;

/// K = P ∘ Q + r·x^p: K is a product except for the tap at p.
pub(super) struct NearFactors;

impl Proposer for NearFactors {
    fn name(&self) -> &'static str {
        "near-factors"
    }

    fn doc(&self) -> &'static str {
        "K = P ∘ Q + r, where r is a single tap: K with another value in one place is a product"
    }

    fn propose(&self, shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
        let grid = Grid::of(shape);
        let taps = shape.tap_count();
        if grid.channels != 1 || taps < MIN_TAPS || factors_of(&grid, budget).is_some() {
            return Vec::new();
        }
        let own = budget.part(WORK.min(budget.left()));
        let found = near(&grid, taps, &own);
        budget.spend(own.spent());
        found
            .into_iter()
            .take(most)
            .filter_map(|(_, place, value)| with(&grid, place, value, budget))
            .collect()
    }
}

/// The places and values that turn a kernel into a product, with the additions of its factors; fewest additions first.
fn near(grid: &Grid, taps: usize, budget: &Budget) -> Vec<(usize, usize, i64)> {
    let mut found = Vec::new();
    'places: for place in 0..grid.taps.len() {
        for value in values(grid, place) {
            let mut other = grid.clone();
            other.taps[place] = value;
            // The additions besides the tap, if each factor is made tap by tap.
            let additions = |found: &Factorisation| -> usize {
                found.factors.iter().map(|(factor, times)| (factor.tap_count() - 1) * *times as usize).sum()
            };
            let product = factors_of(&other, budget).filter(|found| additions(found) + 2 < taps);
            found.extend(product.map(|product| (additions(&product), place, value)));
            if budget.is_over() {
                break 'places;
            }
        }
    }
    found.sort_unstable();
    found
}

/// The values to try in place of a tap: first those that make several 2×2 minors zero, then small ones.
fn values(grid: &Grid, place: usize) -> Vec<i64> {
    let (_, at) = grid.place(place);
    let tap = |x: i32, y: i32| grid.index(0, [x, y, at[2]]).map_or(0, |index| grid.taps[index]);
    let mut minors = Vec::new();
    for x in (0..grid.size[0] as i32).filter(|x| *x != at[0]) {
        for y in (0..grid.size[1] as i32).filter(|y| *y != at[1]) {
            let (across, along, opposite) = (tap(x, at[1]), tap(at[0], y), tap(x, y));
            let product = across.checked_mul(along);
            minors.extend(
                product.filter(|_| opposite != 0).filter(|p| p % opposite == 0).map(|p| p / opposite),
            );
        }
    }
    minors.sort_unstable();
    let mut minors: Vec<i64> =
        minors.chunk_by(|a, b| a == b).filter(|equal| equal.len() > 1).map(|equal| equal[0]).collect();
    minors.extend((0..=SMALL).flat_map(|value| [value, -value]));
    let mut tried = Vec::new();
    for value in minors {
        if value != grid.taps[place] && !tried.contains(&value) {
            tried.push(value);
        }
    }
    tried
}

/// The product with `value` at `place`, and the tap that corrects it. If the product is not smaller than the kernel, it is
/// written as copies of a factor.
fn with(grid: &Grid, place: usize, value: i64, budget: &Budget) -> Option<Decomposition> {
    let mut other = grid.clone();
    other.taps[place] = value;
    let (_, offset) = grid.place(place);
    let label = Label::new(Rational::integer(grid.taps[place].checked_sub(value)?), offset);
    let rest = Placed { label, shape: Shape::delta(0, 1) };
    if value.unsigned_abs() < grid.taps[place].unsigned_abs() {
        return pattern_sum(&[([0; 3], 1)], &other.placed()?, Some(&rest));
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

    #[test]
    fn a_product_and_a_tap_are_told_apart() {
        // (1 2 1)ᵀ ∘ (1 3 1), with 4 more in the middle.
        let taps = [1, 3, 1, 2, 10, 2, 1, 3, 1];
        let kernel = Placed::from_dense(1, [0; 3], [3, 3, 1], &taps, Rational::ONE).unwrap();
        let found = NearFactors.propose(&kernel.shape, 8, &Budget::unlimited());
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
        let found = NearFactors.propose(&kernel.shape, 8, &Budget::unlimited());
        let identity = Placed { label: Label::IDENTITY, shape: kernel.shape.clone() };
        assert!(found.iter().all(|way| way.denote(1) == Some(identity.clone())), "{found:?}");
        let parts = found[0].parts();
        assert!(parts[0] == parts[1] && parts[0].tap_count() == 6, "{found:?}");
    }

    #[test]
    fn nothing_is_near_a_product_of_nothing() {
        let taps = [1, 17, 0, 3, 1, 29, 0, 5, 1];
        let kernel = Placed::from_dense(1, [0; 3], [3, 3, 1], &taps, Rational::ONE).unwrap();
        assert_eq!(NearFactors.propose(&kernel.shape, 8, &Budget::unlimited()), []);
    }
}
