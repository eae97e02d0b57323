//! Separable parts: a kernel as the outer product of a column and a row, exactly or with a remainder.

use super::grid::{Best, Grid};
use crate::algebra::{Label, Placed, Rational, Shape, gcd};
use crate::budget::Budget;
use crate::term::Decomposition;

/// The greatest coefficient: a sum of 65,535 products of two fits in 64 bits.
const MAX_TAP: u64 = 1 << 22;

/// K = C ∘ R, and K = C ∘ R + rest for each row and column R.
pub(super) fn separable(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let mut found = Best::of(shape, most);
    let is_small = grid.taps.iter().all(|tap| tap.unsigned_abs() <= MAX_TAP);
    if is_small && grid.channels == 1 && grid.size[0] > 1 && grid.size[1] > 1 && grid.size[2] == 1 {
        let lines = (0..grid.size[1]).map(|row| (row, false)).chain((0..grid.size[0]).map(|x| (x, true)));
        for (pivot, columns) in lines {
            // For each parallel line, the number of multiples tried is proportional to its length.
            let length = if columns { grid.size[1] } else { grid.size[0] };
            if !budget.spend(2 * length as u64 * grid.work()) {
                break;
            }
            found.extend(outer_product(&grid, pivot, columns));
        }
    }
    found.into_decompositions()
}

/// Takes one line of the kernel as R and, for each parallel line, the multiple of R that leaves the smallest remainder.
fn outer_product(grid: &Grid, pivot: usize, columns: bool) -> Option<Decomposition> {
    let [w, h, _] = grid.size;
    let (lines, length) = if columns { (w, h) } else { (h, w) };
    let at = |line: usize, i: usize| grid.taps[if columns { i * w + line } else { line * w + i }];
    let content = (0..length).fold(0u64, |g, i| gcd(g, at(pivot, i).unsigned_abs())) as i64;
    if content == 0 {
        return None;
    }
    let row: Vec<i64> = (0..length).map(|i| at(pivot, i) / content).collect();
    let column: Vec<i64> = (0..lines).map(|line| best_multiple(&row, |i| at(line, i))).collect();
    let place = |line: usize, i: usize| {
        let (x, y) = if columns { (line, i) } else { (i, line) };
        (0, [x as i32, y as i32, 0])
    };
    let taps = |values: &dyn Fn(usize, usize) -> i64, lines: usize, length: usize| -> Option<Placed> {
        let mut found = Vec::new();
        for line in 0..lines {
            for i in 0..length {
                let (channel, offset) = place(line, i);
                found.push((channel, offset, Rational::integer(values(line, i))));
            }
        }
        Placed::from_taps(1, &found)
    };
    let inner = taps(&|_, i| row[i], 1, length)?;
    let outer = taps(&|line, _| column[line], lines, 1)?;
    let rest = taps(&|line, i| at(line, i) - column[line] * row[i], lines, length)?;
    if outer.shape.tap_count() < 2 || inner.shape.tap_count() < 2 {
        return None;
    }
    let label = inner.label.then(outer.label)?;
    if rest.shape.is_zero() {
        return Some(Decomposition::Compose { label, outer: outer.shape, inner: inner.shape });
    }
    let product = Placed::compose(&outer, &inner)?;
    Some(Decomposition::Sum(vec![
        (product.label, product.shape),
        (rest.label.then(Label::IDENTITY)?, rest.shape),
    ]))
}

/// The integer m that minimises Σ|t − m·r|; ties go to the smallest absolute value.
fn best_multiple(row: &[i64], tap: impl Fn(usize) -> i64) -> i64 {
    let mut candidates = vec![0];
    for (i, r) in row.iter().enumerate().filter(|(_, r)| **r != 0) {
        let q = tap(i).div_euclid(*r);
        candidates.extend([q, q + 1]);
    }
    let left = |m: i64| -> i64 { row.iter().enumerate().map(|(i, r)| (tap(i) - m * r).abs()).sum() };
    candidates.into_iter().min_by_key(|m| (left(*m), m.abs(), *m)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_coefficients_do_not_overflow() {
        let large = 1 << 40;
        let taps = [([0, 0, 0], large), ([1, 1, 0], large), ([0, 1, 0], 1)];
        let taps = taps.map(|(at, value)| (0, at, Rational::integer(value)));
        let kernel = Placed::from_taps(1, &taps).unwrap_or_else(|| panic!("a kernel"));
        assert!(separable(&kernel.shape, 100, &Budget::unlimited()).is_empty());
    }
}
