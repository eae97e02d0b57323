//! Proposers: pure functions from a kernel to its decompositions into smaller kernels.
//!
//! Rule files switch proposers on by name and set their budgets.

mod channel;
mod cover;
mod factors;
mod grid;
mod low_rank;
mod near;
mod neighbour;
mod proposer;
mod random;
mod residual;
mod scale;
mod separable;
mod split;

pub use proposer::Proposer;
pub use random::RandomSplits;

/// All proposers, sorted by name.
pub fn registry() -> Vec<Box<dyn Proposer>> {
    vec![
        Box::new(scale::BitPlanes),
        Box::new(channel::Channels),
        Box::new(split::Levels),
        Box::new(cover::Lines),
        Box::new(low_rank::LowRank),
        Box::new(near::NearFactors),
        Box::new(neighbour::NeighbourPeel),
        Box::new(cover::PairCovers),
        Box::new(residual::PairQuotients),
        Box::new(split::Pairs),
        Box::new(factors::PolynomialFactors),
        Box::new(split::ReverseSplit),
        Box::new(split::Rows),
        Box::new(separable::Separable),
        Box::new(residual::WindowQuotients),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Placed, Random, Rational, Shape};
    use crate::budget::Budget;

    /// Large kernels whose coefficients have nothing in common: dense kernels, sparse ones with distant taps, and
    /// kernels with several channels.
    fn hostile() -> Vec<Shape> {
        let mut random = Random::new(7);
        let mut dense = |size: usize, channels: usize, most: i64, share: i64| {
            let taps: Vec<i64> = (0..channels * size * size)
                .map(|_| if random.integer(0, 99) < share { random.integer(-most, most) } else { 0 })
                .collect();
            Placed::from_dense(channels as u16, [0; 3], [size, size, 1], &taps, Rational::ONE).unwrap().shape
        };
        vec![
            dense(31, 1, 99, 100),
            dense(63, 1, 15_485_863, 1),
            dense(48, 1, 1 << 30, 100),
            dense(20, 6, 9, 100),
        ]
    }

    #[test]
    fn no_proposer_does_more_work_than_it_may() {
        const WORK: u64 = 1 << 16;
        let shapes = hostile();
        for proposer in registry() {
            for (index, shape) in shapes.iter().enumerate() {
                let budget = Budget::of_work(WORK);
                let found = proposer.propose(shape, 8, &budget);
                let among = proposer.propose_among(&shapes[..2], index.min(1), 8, &budget);
                assert!(found.len() <= 8 && among.len() <= 8);
                // A proposer finishes the pattern, pivot or displacement it has begun.
                let side = u64::from(shape.size()[0]);
                let one = 8 * side * shape.dense().len() as u64;
                let spent = budget.spent();
                assert!(spent <= WORK + 2 * one, "{} spent {spent} on {:?}", proposer.name(), shape.size());
            }
        }
    }

    #[test]
    fn the_same_work_gives_the_same_proposals() {
        for proposer in registry() {
            let propose = |work| proposer.propose(&hostile()[0], 4, &Budget::of_work(work));
            assert_eq!(propose(20_000), propose(20_000), "{}", proposer.name());
        }
    }
}
