//! The variables of rules.

/// A variable of a rule: an index into [`Rewrite::variables`](super::Rewrite::variables).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub usize);

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A kernel: `?a`.
    Kernel,
    /// Any number of terms of a sum, none included: `?rest...`.
    Sequence,
    /// A factor: the `?c` of `(scale ?c ?a)`.
    Number,
}

/// A variable as it is written, without its question mark and its dots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub sort: Sort,
}

impl Variable {
    /// Whether it stands for terms of a sum.
    pub fn is_sequence(&self) -> bool {
        self.sort == Sort::Sequence
    }
}
