//! Terms as they are written in kernel files.

use crate::algebra::Offset;
use crate::syntax::Span;

use super::{Coefficient, Direction, Grid, Name, OutputSource};

/// A term of the convolution algebra and where it stands. Two are equal where they say the same, wherever they stand.
///
/// A term denotes one of three things. A **plain** kernel, as `(kernel …)` and `(id)`, reads one value and does not say
/// which. A **row** says from which channels it reads, as `(from red K)` does, and gives one value. A **filter**, as
/// `(combine …)`, gives several named values. A plain kernel stands for a row where there is only one channel.
#[derive(Clone, Debug)]
pub struct Term {
    /// The whole term.
    pub span: Span,
    /// What it is.
    pub kind: TermKind,
}

/// The forms of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// `(kernel ROW…)`: a kernel written out.
    Kernel(Grid),
    /// `(id)`: the kernel that leaves everything as it is.
    Identity,
    /// `(scan DIRECTION)`: Σ in(p + n·step) over all n ≥ 0, the kernel 1/(1 − step).
    Scan(Direction),
    /// A name given by `let`: stands for its term.
    Variable(String),
    /// `(scale COEFFICIENT TERM)`.
    Scale(Coefficient, Box<Term>),
    /// `(neg TERM)`.
    Negate(Box<Term>),
    /// `(shift DX DY [DZ] TERM)`: the value at p is what TERM gives at p + (DX, DY, DZ).
    Shift(Offset, Box<Term>),
    /// `(add TERM…)`, of at least one.
    Add(Vec<Term>),
    /// `(sub TERM TERM)`.
    Subtract(Box<Term>, Box<Term>),
    /// `(compose TERM…)`, of at least one: the last is applied first, and channels named in the others are its outputs where it is a filter.
    Compose(Vec<Term>),
    /// `(from CHANNEL TERM)`: a plain kernel, applied to a channel.
    From(Name, Box<Term>),
    /// `(combine (output NAME TERM)…)`: a filter.
    Combine(Vec<OutputSource>),
    /// `(|> PROGRAM INSTRUCTION…)`: the operator ⊳, an instruction after a program.
    ///
    /// An instruction is a filter that leaves alone all channels that it does not name. Its channels are the program's, and
    /// `+` in its kernels is a place that the hardware stores to: there the result is touched, with a zero if with nothing else.
    Instruct {
        /// What ran before: a filter, or a plain kernel, which stands for itself on every channel.
        program: Box<Term>,
        /// What runs now, the first one first.
        instructions: Vec<Term>,
    },
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Term {}
