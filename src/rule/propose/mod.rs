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
use proposer::{Alone, Propose};
pub use random::RandomSplits;

/// All proposers, sorted by name.
pub fn registry() -> Vec<Box<dyn Proposer>> {
    // Proposers are for idempotent semirings or for (+ ×), and look for factors or not.
    let alone = |[chooses, factors]: [bool; 2]| {
        move |name, doc, propose: Propose| -> Box<dyn Proposer> {
            Box::new(Alone { name, doc, chooses, factors, propose })
        }
    };
    let (sums, products) = (alone([false, false]), alone([false, true]));
    let (covers, quotients) = (alone([true, false]), alone([true, true]));
    vec![
        sums("bit-planes", "K = K0 + 2^j·K1, the taps of K0 the low digits of those of K", scale::bit_planes),
        sums(
            "channels",
            "K = (from c k): what reads one of several channels is a plain kernel after it",
            channel::channels,
        ),
        sums("levels", "K = c · (places whose weight is, or reaches, c) + R", split::levels),
        covers("lines", "K = all its channels, all its rows or all its columns", cover::lines),
        products(
            "low-rank",
            "K = C₁(y) ∘ R₁(x) + C₂(y) ∘ R₂(x) + … where the rank is two or three",
            low_rank::low_rank,
        ),
        sums(
            "near-factors",
            "K = P ∘ Q + R, where R has one to three taps: K with other values in these places is a product",
            near::near_factors,
        ),
        sums(
            "neighbour-peel",
            "K = P ∘ Q + R, P a signed sum over a cell and its nearest neighbours, R what is left",
            neighbour::neighbour_peel,
        ),
        covers("pair-covers", "K = (id ⊕ w·g)∘B ⊕ R, R smaller than K", cover::pair_covers),
        quotients(
            "pair-quotients",
            "K = (id ⊕ w·g)∘B, g any displacement, by residuation",
            residual::pair_quotients,
        ),
        Box::new(split::Pairs),
        Box::new(factors::PolynomialFactors),
        sums(
            "reverse-split",
            "K = a·A + b·g·A + R, g any displacement, a and b of ±1 and ±2 (AUKE §3.1)",
            split::reverse_split,
        ),
        sums("rows", "K = some of its rows, columns, planes or channels + the others", split::rows),
        products(
            "separable",
            "K = C(y) ∘ R(x) exactly where the rank is one, else with the rest that one row or column leaves",
            separable::separable,
        ),
        quotients(
            "window-quotients",
            "K = W∘B, W a window of five or more pixels of a row or column, by residuation",
            residual::window_quotients,
        ),
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
