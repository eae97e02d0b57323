//! The interface of proposers.

use crate::algebra::{Placed, Shape};
use crate::budget::Budget;
use crate::term::{Decomposition, Definition};

/// A named source of decompositions. Proposers are pure: the result depends only on the arguments.
pub trait Proposer: Send + Sync {
    /// The name that rule files use.
    fn name(&self) -> &'static str;

    /// One sentence for `kalg rules list` that states the identity.
    fn doc(&self) -> &'static str;

    /// Whether the proposer is for semirings in which sums choose; others are for (+ ×).
    fn chooses(&self) -> bool {
        false
    }

    /// Returns at most `most` decompositions of `shape`, the best first. All their parts are strictly smaller than
    /// `shape`: they have fewer taps, or as many taps and a smaller sum of absolute coefficients, or both equal and a
    /// smaller box. Every place that is visited counts as work; when `budget` is used up, the best decompositions so
    /// far are returned.
    fn propose(&self, shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition>;

    /// Whether the proposer looks for factors. Factors are rare and valuable, so such a proposer sees all kernels
    /// before any is split.
    fn factors(&self) -> bool {
        false
    }

    /// Returns at most `most` decompositions that express the kernel at an index of `shapes` by other kernels of
    /// `shapes` and a smaller rest.
    fn propose_among(
        &self,
        _shapes: &[Shape],
        _index: usize,
        _most: usize,
        _budget: &Budget,
    ) -> Vec<Decomposition> {
        Vec::new()
    }

    /// A way to make a kernel of parts that this proposer cannot take apart any further, wholes before their parts; empty if
    /// there is none. Parts of fewer than `least` taps stay together.
    fn chain(&self, _kernel: &Placed, _least: usize, _budget: &Budget) -> Vec<Definition> {
        Vec::new()
    }
}
