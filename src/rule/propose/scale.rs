//! Digits: a kernel as its low digits plus a power of two times the rest.

use super::grid::{Best, Grid};
use crate::algebra::{Label, Rational, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// K = K0 + 2^j·K1, where the taps of K0 are below 2^j in absolute value.
pub(super) fn bit_planes(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let largest = grid.taps.iter().map(|t| t.unsigned_abs()).max().unwrap_or(0);
    let mut found = Best::of(shape, most);
    for j in 1..=(64 - largest.leading_zeros()).min(32) {
        for digit in DIGITS {
            if !budget.spend(4 * grid.work()) {
                return found.into_decompositions();
            }
            found.extend(split_digits(&grid, 1 << j, digit));
        }
    }
    found.into_decompositions()
}

/// A choice of the low digit of a number: congruent to the number, and below the base in absolute value.
type Digit = fn(i64, i64) -> i64;

/// The digit that is never negative; never positive; nearest to zero (ties down, ties up); towards zero; and the one
/// that makes the high part even.
const DIGITS: [Digit; 6] = [
    |t, base| t.rem_euclid(base),
    |t, base| -(-t).rem_euclid(base),
    |t, base| (t + base / 2 - 1).rem_euclid(base) - base / 2 + 1,
    |t, base| (t + base / 2).rem_euclid(base) - base / 2,
    |t, base| t % base,
    |t, base| {
        let low = t.rem_euclid(base);
        if low != 0 && ((t - low) / base) % 2 != 0 { low - base } else { low }
    },
];

fn split_digits(grid: &Grid, base: i64, digit: Digit) -> Option<Decomposition> {
    let (mut low, mut high) = (Grid::empty_like(grid), Grid::empty_like(grid));
    for (index, &tap) in grid.taps.iter().enumerate() {
        low.taps[index] = digit(tap, base);
        high.taps[index] = (tap - low.taps[index]) / base;
    }
    if low.is_zero() || high.is_zero() {
        return None;
    }
    let (low, high) = (low.placed()?, high.placed()?.apply(Label::scaled(Rational::integer(base)))?);
    Some(Decomposition::Sum(vec![(low.label, low.shape), (high.label, high.shape)]))
}
