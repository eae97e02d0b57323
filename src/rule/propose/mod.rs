//! Proposers: pure functions from a kernel to decompositions of it into kernels that are smaller.
//!
//! A rule file switches proposers on by name and sets their budgets.

mod grid;
mod neighbour;
mod random;
mod scale;
mod separable;
mod split;

pub use random::RandomSplits;

use crate::algebra::Shape;
use crate::term::Decomposition;

/// A named source of decompositions. Pure: the answer depends on the arguments only.
pub trait Proposer: Send + Sync {
    /// The name that rule files use.
    fn name(&self) -> &'static str;

    /// One sentence for `kalg rules list`, with the identity.
    fn doc(&self) -> &'static str;

    /// At most `budget` decompositions of `shape`, best first, each made of strictly smaller parts
    /// (fewer taps; or as many taps and a smaller sum of absolute coefficients; or as both and a smaller box).
    fn propose(&self, shape: &Shape, budget: usize) -> Vec<Decomposition>;

    /// Whether it looks for factors. They are few and worth having, so all kernels are shown to it before any is split.
    fn factors(&self) -> bool {
        false
    }

    /// At most `budget` decompositions that express the kernel at an index of `shapes` by others of them and a smaller rest.
    fn propose_among(&self, _shapes: &[Shape], _index: usize, _budget: usize) -> Vec<Decomposition> {
        Vec::new()
    }
}

/// All proposers, in the order of their names.
pub fn registry() -> Vec<Box<dyn Proposer>> {
    vec![
        Box::new(split::BinomialFactor),
        Box::new(scale::BitPlanes),
        Box::new(split::Levels),
        Box::new(neighbour::NeighbourFactor),
        Box::new(neighbour::NeighbourPeel),
        Box::new(split::Pairs),
        Box::new(split::ReverseSplit),
        Box::new(split::Rows),
        Box::new(separable::Separable),
    ]
}
