//! Random splits, the baseline for the other proposers.

use super::Proposer;
use super::grid::Best;
use crate::algebra::{Placed, Random, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// K = A + R, where a coin toss assigns each tap to one of the two parts. It stands in for another proposer, with
/// different coin tosses for each; rule files cannot name it.
#[derive(Debug)]
pub struct RandomSplits {
    seed: u64,
}

impl RandomSplits {
    /// A stand-in for the proposer with this name.
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
        let mut coins =
            shape.dense().iter().fold(self.seed, |seed, tap| Random::new(seed ^ *tap as u64).next());
        let mut toss = || {
            coins = Random::new(coins).next();
            coins & 1 == 1
        };
        let places = shape.dense().len();
        let splits = (0..most).take_while(|_| budget.spend(places as u64)).filter_map(|_| {
            let sides: Vec<bool> = (0..places).map(|_| toss()).collect();
            let parts = [true, false].map(|side| Placed::of_places(shape, |place| sides[place] == side));
            let terms = parts.into_iter().map(|part| part.filter(|part| !part.shape.is_zero()));
            let terms = terms.map(|part| part.map(|Placed { label, shape }| (label, shape)));
            Some(Decomposition::Sum(terms.collect::<Option<_>>()?))
        });
        let mut found = Best::of(shape, most);
        found.extend(splits);
        found.into_decompositions()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;

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
