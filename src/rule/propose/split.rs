//! Splits of a kernel: into a part, a translated copy of it and a rest; into rows; into levels of equal weight.

use super::Proposer;
use super::grid::{Best, Grid, Pattern, pattern_sum};
use crate::algebra::{Label, Offset, Placed, Rational, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// All displacements for which a window overlaps itself, one of each opposite pair.
fn displacements(grid: &Grid) -> Vec<Offset> {
    let [w, h, d] = grid.size.map(|n| n as i32);
    let mut found = Vec::new();
    for z in 0..d {
        for y in (1 - h)..h {
            for x in (1 - w)..w {
                if [z, y, x] > [0, 0, 0] {
                    found.push([x, y, z]);
                }
            }
        }
    }
    found
}

/// The pattern `first + second · g`, with its window at the origin.
fn binomial(g: Offset, first: i64, second: i64) -> [(Offset, i64); 2] {
    let low = g.map(|v| v.min(0));
    [(low.map(|v| -v), first), ([g[0] - low[0], g[1] - low[1], g[2] - low[2]], second)]
}

/// The weights `(a, b)` of the two copies in A + g·A: equal, opposite, or one twice the other.
const WEIGHTS: [(i64, i64); 6] = [(1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1)];

/// K = A ± g·A + R: reverse splitting (the parts A, B and R of AUKE §3.1), also with one copy doubled.
pub(super) fn reverse_split(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let mut found = Best::of(shape, most);
    for g in displacements(&grid) {
        for (first, second) in WEIGHTS {
            let pattern = binomial(g, first, second);
            for backwards in [false, true] {
                if !budget.spend(grid.work()) {
                    return found.into_decompositions();
                }
                found.extend(pair_up(&grid, &pattern, backwards));
            }
        }
    }
    found.into_decompositions()
}

/// Walks along the displacement and subtracts, at each place, the largest multiple of the pair that both of its taps
/// contain.
fn pair_up(grid: &Grid, pattern: &[(Offset, i64); 2], backwards: bool) -> Option<Decomposition> {
    let mut rest = grid.clone();
    let mut part = Grid::empty_like(grid);
    let count = grid.taps.len();
    for step in 0..count {
        let corner_index = if backwards { count - 1 - step } else { step };
        let (channel, corner) = grid.place(corner_index);
        let place = |p: Offset| grid.index(channel, [corner[0] + p[0], corner[1] + p[1], corner[2] + p[2]]);
        let (Some(a), Some(b)) = (place(pattern[0].0), place(pattern[1].0)) else { continue };
        let (of_a, of_b) = (rest.taps[a] / pattern[0].1, rest.taps[b] / pattern[1].1);
        if of_a.signum() * of_b.signum() <= 0 {
            continue;
        }
        let common = of_a.abs().min(of_b.abs()) * of_a.signum();
        part.taps[corner_index] = common;
        rest.taps[a] -= common * pattern[0].1;
        rest.taps[b] -= common * pattern[1].1;
    }
    if part.is_zero() || rest.is_zero() {
        return None;
    }
    pattern_sum(pattern as &Pattern, &part.placed()?, Some(&rest.placed()?))
}

/// K = (some rows) + (the other rows) along each axis: the first rows, one row, or every second row; also one channel
/// against the rest.
pub(super) fn rows(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let mut found = Best::of(shape, most);
    for axis in 0..3 {
        for cut in 0..grid.size[axis] as i32 {
            if !budget.spend(3 * grid.work()) {
                return found.into_decompositions();
            }
            found.extend(part_where(&grid, |_, at| at[axis] <= cut));
            found.extend(part_where(&grid, |_, at| at[axis] == cut));
            found.extend(part_where(&grid, |_, at| at[axis] % 2 == cut));
        }
    }
    for chosen in 0..usize::from(grid.channels) {
        if !budget.spend(grid.work()) {
            break;
        }
        found.extend(part_where(&grid, |channel, _| channel == chosen));
    }
    found.into_decompositions()
}

/// K = (the chosen taps) + (the other taps).
fn part_where(grid: &Grid, chosen: impl Fn(usize, Offset) -> bool) -> Option<Decomposition> {
    let (mut part, mut rest) = (Grid::empty_like(grid), grid.clone());
    for index in 0..grid.taps.len() {
        let (channel, at) = grid.place(index);
        if chosen(channel, at) {
            part.taps[index] = grid.taps[index];
            rest.taps[index] = 0;
        }
    }
    two_parts(&part, Rational::ONE, &rest)
}

/// The decomposition `scale · part + rest` if neither is zero.
fn two_parts(part: &Grid, scale: Rational, rest: &Grid) -> Option<Decomposition> {
    if part.is_zero() || rest.is_zero() {
        return None;
    }
    let (part, rest) = (part.placed()?.apply(Label::scaled(scale))?, rest.placed()?);
    Some(Decomposition::Sum(vec![(part.label, part.shape), (rest.label, rest.shape)]))
}

/// K = c · S + R, where S holds signs at the places whose weight is or reaches c, or at all places.
pub(super) fn levels(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let mut weights: Vec<i64> = grid.taps.iter().copied().filter(|t| *t != 0).collect();
    weights.sort_unstable();
    weights.dedup();
    let mut found = Best::of(shape, most);
    for &level in &weights {
        if !budget.spend(5 * grid.work()) {
            break;
        }
        found.extend(level_set(&grid, level, |t| t == level));
        found.extend(level_set(&grid, level, |t| t == level || t == -level));
        found.extend(level_set(&grid, level, |t| t.signum() == level.signum() && t.abs() >= level.abs()));
        found.extend(level_set(&grid, level, |t| t.abs() >= level.abs()));
        found.extend(level_set(&grid, level, |_| true));
    }
    found.into_decompositions()
}

/// Subtracts `level` at the chosen non-zero places, with the sign of the tap, and returns both parts.
fn level_set(grid: &Grid, level: i64, chosen: impl Fn(i64) -> bool) -> Option<Decomposition> {
    let (mut part, mut rest) = (Grid::empty_like(grid), grid.clone());
    for (index, &tap) in grid.taps.iter().enumerate() {
        if tap != 0 && chosen(tap) {
            let unit = tap.signum() * level.signum();
            part.taps[index] = unit;
            rest.taps[index] -= unit * level;
        }
    }
    two_parts(&part, Rational::integer(level), &rest)
}

/// For several kernels: K_i = ±2^k · g · K_j + R.
pub(super) struct Pairs;

impl Proposer for Pairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn doc(&self) -> &'static str {
        "K_i = ±2^k·g·K_j + R between two kernels, R smaller than K_i"
    }

    fn propose(&self, _shape: &Shape, _most: usize, _budget: &Budget) -> Vec<Decomposition> {
        Vec::new()
    }

    fn propose_among(
        &self,
        shapes: &[Shape],
        index: usize,
        most: usize,
        budget: &Budget,
    ) -> Vec<Decomposition> {
        let target = &shapes[index];
        let grid = Grid::of(target);
        let mut found = Best::of(target, most);
        let comparable = |other: &&Shape| *other != target && other.channels() == target.channels();
        for other in shapes.iter().filter(comparable) {
            let range = |axis: usize| -(other.size()[axis] as i32 - 1)..target.size()[axis] as i32;
            let taps: Vec<_> = other.taps().collect();
            let places: usize = (0..3).map(|axis| range(axis).len()).product();
            if places.saturating_mul(taps.len()) > MAX_WORK {
                continue;
            }
            // A kernel with more than twice the weight of the target cannot leave less than the target.
            let factors = [1, -1, 2, -2, 4, -4]
                .into_iter()
                .filter(|factor: &i64| other.l1().saturating_mul(factor.abs()) < grid.l1().saturating_mul(2));
            let factors: Vec<i64> = factors.collect();
            for z in range(2) {
                for y in range(1) {
                    for x in range(0) {
                        if !budget.spend(taps.len() as u64) {
                            return found.into_decompositions();
                        }
                        for factor in &factors {
                            if lightens(&grid, &taps, [x, y, z], *factor) {
                                found.extend(difference(target, other, [x, y, z], *factor));
                            }
                        }
                    }
                }
            }
        }
        found.into_decompositions()
    }
}

/// The maximum work of comparing two kernels: their taps, summed over all relative places.
const MAX_WORK: usize = 1 << 21;

/// Whether subtracting `factor` times the taps, translated by `offset`, lowers the sum of absolute coefficients of the
/// target.
fn lightens(grid: &Grid, taps: &[(u16, Offset, i64)], offset: Offset, factor: i64) -> bool {
    // The gain if all taps cancelled completely, less what each of them fails to cancel.
    let sum = |sum: i64, (_, _, tap): &(u16, Offset, i64)| {
        sum.saturating_add(tap.saturating_mul(factor).saturating_abs())
    };
    let mut gain = taps.iter().fold(0, sum);
    for (channel, at, tap) in taps {
        let at = [at[0] + offset[0], at[1] + offset[1], at[2] + offset[2]];
        let own = grid.index(usize::from(*channel), at).map_or(0, |i| grid.taps[i]);
        let Some(less) = tap.checked_mul(factor) else { return false };
        let failed =
            own.saturating_sub(less).saturating_abs().saturating_sub(own.abs()).saturating_add(less.abs());
        gain = gain.saturating_sub(failed);
        if gain <= 0 {
            return false;
        }
    }
    true
}

/// The decomposition into `factor · other`, translated by `offset`, and the rest.
fn difference(target: &Shape, other: &Shape, offset: Offset, factor: i64) -> Option<Decomposition> {
    let label = Label::new(Rational::integer(factor), offset);
    let minus = Label::new(Rational::integer(-factor), offset);
    let rest: Placed = Placed::sum(target.channels(), [(Label::IDENTITY, target), (minus, other)])?;
    let mut terms = vec![(label, other.clone())];
    if !rest.shape.is_zero() {
        terms.push((rest.label, rest.shape));
    }
    Some(Decomposition::Sum(terms))
}
