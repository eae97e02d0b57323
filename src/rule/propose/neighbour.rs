//! Neighbour sums: quotients with a remainder for small signed patterns on a cell and its nearest neighbours.

use rustc_hash::FxHashSet;

use super::grid::{Best, Grid, Pattern, pattern_sum};
use crate::algebra::{Offset, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// All signed patterns of two to five places among a cell and its four nearest neighbours in the plane, and the
/// one-dimensional patterns of this kind for kernels of one row or column. The first weight is positive, the first
/// place is the origin, and there are no duplicates.
pub(super) fn signed_crosses(planar: [bool; 2]) -> Vec<Vec<(Offset, i64)>> {
    let mut places: Vec<Offset> = vec![[0, 0, 0]];
    if planar[0] {
        places.extend([[-1, 0, 0], [1, 0, 0]]);
    }
    if planar[1] {
        places.extend([[0, -1, 0], [0, 1, 0]]);
    }
    places.sort_by_key(|p| [p[2], p[1], p[0]]);
    let mut patterns = Vec::new();
    for code in 0..3usize.pow(places.len() as u32) {
        let mut rest = code;
        let mut pattern = Vec::new();
        for place in &places {
            match rest % 3 {
                1 => pattern.push((*place, 1)),
                2 => pattern.push((*place, -1)),
                _ => {}
            }
            rest /= 3;
        }
        if pattern.len() < 2 || pattern[0].1 < 0 {
            continue;
        }
        let low = [0, 1, 2].map(|axis| pattern.iter().map(|(p, _)| p[axis]).min().unwrap_or(0));
        for (p, _) in &mut pattern {
            *p = [p[0] - low[0], p[1] - low[1], p[2] - low[2]];
        }
        patterns.push(pattern);
    }
    patterns.sort();
    patterns.dedup();
    patterns
}

/// K = P ∘ Q + R with R small, for the signed crosses P.
pub(super) fn neighbour_peel(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let grid = Grid::of(shape);
    let planar = [shape.size()[0] > 1, shape.size()[1] > 1];
    let orders = visiting_orders(&grid);
    let mut found = Best::of(shape, most);
    for pattern in signed_crosses(planar) {
        let Some(stencil) = Stencil::new(&grid, &pattern) else { continue };
        let mut quotients = FxHashSet::default();
        for order in &orders {
            for least_gain in [0, 1] {
                if !budget.spend(grid.work()) {
                    return found.into_decompositions();
                }
                let Some((quotient, rest)) = peel(&grid, &stencil, order, least_gain) else { continue };
                if quotients.insert(quotient.taps.clone()) {
                    found.extend(peeled(&pattern, &quotient, &rest));
                }
            }
        }
    }
    found.into_decompositions()
}

/// The decomposition P ∘ quotient + rest.
fn peeled(pattern: &Pattern, quotient: &Grid, rest: &Grid) -> Option<Decomposition> {
    pattern_sum(pattern, &quotient.placed()?, Some(&rest.placed()?))
}

/// The orders in which the taps of a kernel are covered: from the outside inwards, and in sweeps along the diagonals and
/// axes.
pub(super) fn visiting_orders(grid: &Grid) -> Vec<Vec<usize>> {
    let centre = grid.size.map(|n| n as i64 - 1);
    let distance = |at: Offset, power: u32| -> i64 {
        (0..3).map(|axis| (2 * i64::from(at[axis]) - centre[axis]).pow(power).abs()).sum()
    };
    let keys: [Box<dyn Fn(Offset) -> i64>; 6] = [
        Box::new(move |at| -distance(at, 2)),
        Box::new(move |at| -distance(at, 1)),
        Box::new(|at| i64::from(at[0])),
        Box::new(|at| i64::from(-at[0])),
        Box::new(|at| i64::from(at[1])),
        Box::new(|at| i64::from(-at[1])),
    ];
    keys.iter()
        .map(|key| {
            let mut order: Vec<usize> = (0..grid.taps.len()).collect();
            order.sort_by_cached_key(|index| key(grid.place(*index).1));
            order
        })
        .collect()
}

/// A pattern with places as distances in the storage order of a grid.
struct Stencil {
    /// The offset of each place, its distance from the corner, and its weight.
    places: Vec<(Offset, usize, i64)>,
    /// The last corner at which the pattern lies inside the grid.
    last: Offset,
}

impl Stencil {
    /// Returns `None` if the grid is too small for the pattern.
    fn new(grid: &Grid, pattern: &Pattern) -> Option<Self> {
        let extent = |axis: usize| pattern.iter().map(|(p, _)| p[axis]).max().unwrap_or(0);
        let last = [0, 1, 2].map(|axis| grid.size[axis] as i32 - 1 - extent(axis));
        let places = pattern.iter().map(|&(p, weight)| Some((p, grid.index(0, p)?, weight)));
        Some(Self { places: places.collect::<Option<_>>()?, last })
    }

    /// Whether the pattern lies inside the grid when its `place` is at `at`.
    fn fits(&self, at: Offset, place: Offset) -> bool {
        (0..3).all(|axis| (0..=self.last[axis]).contains(&(at[axis] - place[axis])))
    }

    /// The decrease of the sum of absolute coefficients when `factor` times the pattern is subtracted; `taps` begins at
    /// the corner.
    fn gain(&self, taps: &[i64], factor: i64) -> i64 {
        let gain = |&(_, distance, weight): &(Offset, usize, i64)| {
            let tap = taps[distance];
            tap.abs() - (tap - factor * weight).abs()
        };
        self.places.iter().map(gain).sum()
    }
}

/// Covers the taps in the given order. Each tap is covered by the placement of the pattern that lowers the sum of
/// absolute coefficients most, provided that it lowers it by at least `least_gain` (with 0 the quotient may overshoot).
/// Returns the quotient and the remainder.
fn peel(grid: &Grid, stencil: &Stencil, order: &[usize], least_gain: i64) -> Option<(Grid, Grid)> {
    let mut rest = grid.clone();
    let mut quotient = Grid::empty_like(grid);
    for &index in order {
        let tap = rest.taps[index];
        if tap == 0 {
            continue;
        }
        let (_, at) = grid.place(index);
        let mut chosen: Option<(i64, usize, i64)> = None;
        for &(place, distance, weight) in &stencil.places {
            if !stencil.fits(at, place) {
                continue;
            }
            let (corner, factor) = (index - distance, tap * weight);
            let gain = stencil.gain(&rest.taps[corner..], factor);
            if gain > chosen.map_or(least_gain - 1, |c| c.0) {
                chosen = Some((gain, corner, factor));
            }
        }
        if let Some((_, corner, factor)) = chosen {
            quotient.taps[corner] = quotient.taps[corner].checked_add(factor)?;
            for &(_, distance, weight) in &stencil.places {
                rest.taps[corner + distance] -= factor * weight;
            }
        }
    }
    (!quotient.is_zero() && !rest.is_zero()).then_some((quotient, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Placed, Rational};

    fn shape(rows: &[&[i64]]) -> Shape {
        let mut taps = Vec::new();
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, t) in row.iter().enumerate() {
                taps.push((0, [x as i32, y as i32, 0], Rational::integer(*t)));
            }
        }
        Placed::from_taps(1, &taps).unwrap().shape
    }

    #[test]
    fn the_diamond_gauss_is_the_four_neighbours_of_the_small_gauss_and_a_rest() {
        // scamp5.md: gauss5·64 = G3·16 ∘ (N+E+S+W) + 2δ.
        let diamond = shape(&[
            &[0, 1, 2, 1, 0],
            &[1, 4, 6, 4, 1],
            &[2, 6, 10, 6, 2],
            &[1, 4, 6, 4, 1],
            &[0, 1, 2, 1, 0],
        ]);
        let small = shape(&[&[1, 2, 1], &[2, 4, 2], &[1, 2, 1]]);
        let found = neighbour_peel(&diamond, 1000, &Budget::unlimited());
        assert!(found.iter().any(|d| d.parts().contains(&&small) && d.parts().iter().any(|p| p.is_delta())));
        for d in found {
            let denoted = d.denote(1).unwrap();
            assert_eq!((denoted.label, &denoted.shape), (crate::algebra::Label::IDENTITY, &diamond));
        }
    }
}
