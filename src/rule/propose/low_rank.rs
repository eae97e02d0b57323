//! Kernels of low rank as sums of products of a column and a row.

use super::grid::Grid;
use crate::algebra::rank::{Factors, factorisations};
use crate::algebra::{Label, Placed, Rational, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// The maximum number of products: a sum of four takes more than the taps of all but the largest kernels.
const MAX_RANK: usize = 3;

/// K = C₁ ∘ R₁ + C₂ ∘ R₂ + …, without a rest, where the rank of K is two or three.
///
/// Often a product is larger than the sum, so it cannot be a part. A product is therefore written as what it stands for,
/// moved multiples of its column or its row, which always are smaller.
pub(super) fn low_rank(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let [width, height, depth] = grid.size;
    let planar = grid.channels == 1 && depth == 1 && width.min(height) > 1;
    // Each step of the elimination and of the reduction visits every row once for each column.
    if !planar || !budget.spend(4 * width.max(height) as u64 * grid.work()) {
        return Vec::new();
    }
    let rows: Vec<Vec<i64>> = grid.taps.chunks(width).map(<[i64]>::to_vec).collect();
    let saves = |found: &Factors| found.columns.len() > 1 && found.non_zeros() < shape.tap_count();
    let found = factorisations(&rows, MAX_RANK).into_iter().filter(saves);
    found.filter_map(|factors| sum_of_products(&factors)).take(most).collect()
}

fn sum_of_products(factors: &Factors) -> Option<Decomposition> {
    let mut terms = Vec::new();
    for (column, row) in factors.columns.iter().zip(&factors.rows) {
        let taps = |line: &[i64]| line.iter().filter(|tap| **tap != 0).count();
        // Copies of the longer line are the fewer.
        let copied = usize::from(taps(column) > taps(row));
        let (line, copies) = if copied == 1 { (column, row) } else { (row, column) };
        let mut size = [1; 3];
        size[copied] = line.len();
        let line = Placed::from_dense(1, [0; 3], size, line, Rational::ONE)?;
        for (at, times) in copies.iter().enumerate().filter(|(_, times)| **times != 0) {
            let mut offset = [0; 3];
            offset[1 - copied] = at as i32;
            terms.push((line.label.then(Label::new(Rational::integer(*times), offset))?, line.shape.clone()));
        }
    }
    Some(Decomposition::Sum(terms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(taps: &[i64]) -> Shape {
        let side = taps.len().isqrt();
        Placed::from_dense(1, [0; 3], [side, side, 1], taps, Rational::ONE).unwrap().shape
    }

    #[test]
    fn a_difference_of_heavier_products_is_found() {
        // [1 4 6 4 1]ᵀ[1 4 6 4 1] − 16 · [1 2 1]ᵀ[1 2 1]: lighter than its first product.
        let difference =
            kernel(&[1, 4, 6, 4, 1, 4, 0, -8, 0, 4, 6, -8, -28, -8, 6, 4, 0, -8, 0, 4, 1, 4, 6, 4, 1]);
        let found = low_rank(&difference, 4, &Budget::unlimited());
        let whole = Placed { label: Label::IDENTITY, shape: difference.clone() };
        assert!(!found.is_empty() && found.iter().all(|way| way.denote(1) == Some(whole.clone())));
        let mut lines = found[0].parts();
        assert!(lines.iter().all(|line| line.tap_count() <= 5));
        lines.dedup();
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn neither_products_nor_kernels_of_high_rank_are_split() {
        for taps in [&[1, 2, 1, 2, 4, 2, 1, 2, 1][..], &[1, 2, 3, 4, 5, 6, 7, 8, 10]] {
            assert_eq!(low_rank(&kernel(taps), 4, &Budget::unlimited()), []);
        }
    }
}
