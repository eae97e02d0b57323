//! The variables of rules.

/// A variable of a rule: an index into [`Rewrite::variables`](super::Rewrite::variables).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub usize);

/// The kind of value that a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A kernel: `?a`.
    Kernel,
    /// Any number of terms of a sum, possibly none: `?rest...`.
    Sequence,
    /// A factor: the `?c` of `(scale ?c ?a)`.
    Number,
    /// One of several input channels: the `?c` of `(from ?c ?a)`.
    Channel,
}

/// A variable as written, without its question mark and dots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The kind of value.
    pub sort: Sort,
}

impl Variable {
    /// Whether the variable stands for terms of a sum.
    pub fn is_sequence(&self) -> bool {
        self.sort == Sort::Sequence
    }
}
