//! Random splits: the baseline for the other proposers.

use super::Proposer;
use super::grid::{Best, Grid};
use crate::algebra::{Random, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// K = A + R, where a coin toss assigns each tap to one of the two parts. It stands in for another proposer, with
/// different coin tosses for each; rule files cannot name it.
#[derive(Debug)]
pub struct RandomSplits {
    seed: u64,
}

impl RandomSplits {
    /// Stands in for the proposer with this name.
    pub fn new(instead_of: &str) -> Self {
        Self { seed: instead_of.bytes().fold(0, |seed, byte| Random::new(seed ^ u64::from(byte)).next()) }
    }
}

impl Proposer for RandomSplits {
    fn name(&self) -> &'static str {
        "random-splits"
    }

    fn doc(&self) -> &'static str {
        "K = A + R, each tap in one of the two at random"
    }

    fn propose(&self, shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
        let grid = Grid::of(shape);
        let mut coins = grid.taps.iter().fold(self.seed, |seed, tap| Random::new(seed ^ *tap as u64).next());
        let mut toss = || {
            coins = Random::new(coins).next();
            coins & 1 == 1
        };
        let splits = (0..most).take_while(|_| budget.spend(grid.work())).filter_map(|_| {
            let (mut part, mut rest) = (Grid::empty_like(&grid), Grid::empty_like(&grid));
            for (index, tap) in grid.taps.iter().enumerate() {
                let side = if toss() { &mut part } else { &mut rest };
                side.taps[index] = *tap;
            }
            if part.is_zero() || rest.is_zero() {
                return None;
            }
            let (part, rest) = (part.placed()?, rest.placed()?);
            Some(Decomposition::Sum(vec![(part.label, part.shape), (rest.label, rest.shape)]))
        });
        let mut found = Best::of(shape, most);
        found.extend(splits);
        found.into_decompositions()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Placed, Rational};

    #[test]
    fn the_parts_add_up_and_are_the_same_again() {
        let taps = [3, 0, -1, 2, 5, 1];
        let kernel = Placed::from_dense(1, [0; 3], [3, 2, 1], &taps, Rational::ONE).unwrap();
        let found = RandomSplits::new("rows").propose(&kernel.shape, 6, &Budget::unlimited());
        assert!(found.len() > 1, "{found:?}");
        for decomposition in &found {
            let Decomposition::Sum(terms) = decomposition else { panic!("{decomposition:?}") };
            let sum = Placed::sum(1, terms.iter().map(|(label, shape)| (*label, shape))).unwrap();
            assert_eq!(sum.shape, kernel.shape);
        }
        assert_eq!(found, RandomSplits::new("rows").propose(&kernel.shape, 6, &Budget::unlimited()));
        assert_ne!(found, RandomSplits::new("pairs").propose(&kernel.shape, 6, &Budget::unlimited()));
    }
}
