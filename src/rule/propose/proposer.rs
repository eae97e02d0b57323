//! What a proposer is.

use crate::algebra::Shape;
use crate::budget::Budget;
use crate::term::Decomposition;

/// A named source of decompositions. Pure: the answer depends on the arguments only.
pub trait Proposer: Send + Sync {
    /// The name that rule files use.
    fn name(&self) -> &'static str;

    /// One sentence for `kalg rules list`, with the identity.
    fn doc(&self) -> &'static str;

    /// At most `most` decompositions of `shape`, best first, each made of strictly smaller parts
    /// (fewer taps; or as many taps and a smaller sum of absolute coefficients; or as both and a smaller box). Every place
    /// that is looked at is work; where that is used up, the best so far.
    fn propose(&self, shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition>;

    /// Whether it looks for factors. They are few and valuable, so it sees all kernels before any is split.
    fn factors(&self) -> bool {
        false
    }

    /// At most `most` decompositions that express the kernel at an index of `shapes` by others of them and a smaller rest.
    fn propose_among(
        &self,
        _shapes: &[Shape],
        _index: usize,
        _most: usize,
        _budget: &Budget,
    ) -> Vec<Decomposition> {
        Vec::new()
    }
}
