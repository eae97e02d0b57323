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

    /// Whether the proposer is for idempotent semirings; others are for (+ ×).
    fn chooses(&self) -> bool {
        false
    }

    /// Returns at most `most` decompositions of `shape`, best first. All their parts are strictly smaller than `shape`:
    /// they have fewer taps, or as many taps and a smaller sum of absolute coefficients, or equal both and a smaller box.
    /// Every place visited counts as work; when `budget` is used up, the best decompositions so far are returned.
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

    /// A chain of decompositions of a kernel into parts that this proposer cannot decompose further, wholes before their
    /// parts; empty if there is none. Parts of fewer than `least` taps are not split off.
    fn chain(&self, _kernel: &Placed, _least: usize, _budget: &Budget) -> Vec<Definition> {
        Vec::new()
    }
}

/// A function that proposes decompositions of a kernel, as [`Proposer::propose`] does.
pub(super) type Propose = fn(&Shape, usize, &Budget) -> Vec<Decomposition>;

/// A proposer that takes each kernel alone.
pub(super) struct Alone {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) chooses: bool,
    pub(super) factors: bool,
    pub(super) propose: Propose,
}

impl Proposer for Alone {
    fn name(&self) -> &'static str {
        self.name
    }

    fn doc(&self) -> &'static str {
        self.doc
    }

    fn chooses(&self) -> bool {
        self.chooses
    }

    fn factors(&self) -> bool {
        self.factors
    }

    fn propose(&self, shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
        (self.propose)(shape, most, budget)
    }
}
