//! The errors of algebraic operations.

use thiserror::Error;

use super::offset::{MAX_PLACES, MAX_REACH, MAX_STEPS, Offset};

/// Why an operation on kernels, filters, footprints or scans has no result. An operation that fails computes nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AlgebraError {
    /// A coefficient leaves the range that its semiring can represent.
    #[error("overflow: `{expression}` does not fit in a coefficient of `{semiring}`")]
    Overflow {
        /// The operation that overflowed, with its operands.
        expression: String,
        /// Name of the semiring.
        semiring: &'static str,
    },
    /// The bounding box of a kernel or footprint has too many places.
    #[error("the bounding box would have {places} places; the maximum is {MAX_PLACES}")]
    TooLarge {
        /// The number of places.
        places: u128,
    },
    /// A composition would take too long.
    #[error("the composition takes {steps} steps; the maximum is {MAX_STEPS}")]
    TooMuchWork {
        /// The number of coefficient products.
        steps: u128,
    },
    /// An offset is too far from the origin.
    #[error("the offset ({}, {}, {}) is more than {MAX_REACH} from the origin", .offset[0], .offset[1], .offset[2])]
    TooFar {
        /// The offset, clamped to the range of `i32`.
        offset: Offset,
    },
    /// A row of a matrix differs in length from the first.
    #[error("row {} has {found} entries, but the first row has {expected}", .row + 1)]
    RaggedRow {
        /// Index of the row, counted from zero and from the north.
        row: usize,
        /// Length of the first row.
        expected: usize,
        /// Length of this row.
        found: usize,
    },
    /// A matrix has an even width or height and no origin was given.
    #[error("a {width}×{height} matrix has no middle: give its origin, or an odd width and height")]
    NoCentre {
        /// Number of columns.
        width: usize,
        /// Number of rows.
        height: usize,
    },
    /// The origin lies outside the matrix.
    #[error("the origin (column {column}, row {row}, counted from 0) is outside the {width}×{height} matrix")]
    OriginOutside {
        /// Column of the origin, counted from zero and from the west.
        column: usize,
        /// Row of the origin, counted from zero and from the north.
        row: usize,
        /// Number of columns.
        width: usize,
        /// Number of rows.
        height: usize,
    },
    /// A subtraction or negation in a semiring that has none.
    #[error("`{semiring}` has no negation")]
    NoNegation {
        /// Name of the semiring.
        semiring: &'static str,
    },
    /// A channel that is read or selected does not exist.
    #[error("there is no channel `{name}` among `{}`", .known.join("`, `"))]
    UnknownChannel {
        /// The unknown name.
        name: String,
        /// The existing channels.
        known: Vec<String>,
    },
    /// Two outputs, or two inputs, have the same name.
    #[error("the channel `{name}` is given twice")]
    RepeatedChannel {
        /// The name.
        name: String,
    },
    /// A scan needs a direction: 1/(1 − 1) is not a kernel.
    #[error("a scan needs an offset other than zero")]
    ScanWithoutDirection,
    /// Scans run in directions that no order of the index space makes positive at once, so their product is not a series.
    #[error("the scan along ({}, {}, {}) runs against other scans", .offset[0], .offset[1], .offset[2])]
    OpposedScans {
        /// An offset that runs against the others.
        offset: Offset,
    },
    /// A recursive definition has no solution that can be computed exactly.
    #[error("the recursion has no solution: {why}")]
    NoSolution {
        /// The reason.
        why: NoSolution,
    },
    /// A kernel has no canonical shape over the given channels.
    #[error(
        "the kernel cannot be stored: expected coefficients with a common 64-bit denominator (integers, except in plus-times), a box of limited size, and the same channels throughout"
    )]
    NoShape,
    /// No depth within the limit yields the approximation, or the requested depth exceeds the limit.
    #[error("the approximation needs a depth of {depth} binary digits; the maximum is {limit}")]
    DepthOutOfRange {
        /// The requested depth, or the least that would suffice.
        depth: u32,
        /// The maximum depth.
        limit: u32,
    },
}

/// Why K = a·K + b has no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NoSolution {
    /// a is the identity.
    #[error("it defines the kernel as itself plus something, which no kernel or every kernel satisfies")]
    OfItself,
    /// a reads on both sides, or reads the pixel itself in full.
    #[error(
        "it reads itself on opposite sides, or with weight 1 at the same pixel, so it cannot be computed in any direction"
    )]
    NoDirection,
    /// 1 − a has factors other than those of scans.
    #[error("neither a finite kernel nor an infinite sum with equal weights satisfies it")]
    NoScan,
    /// Without negation, a reads other pixels than its own.
    #[error("its least solution has infinitely many taps, because it reads itself at another pixel")]
    Infinite,
    /// Without negation, a is one tap at the origin that improves what it reads.
    #[error("its least solution has no bound, because it improves itself at the same pixel")]
    Unbounded,
}

/// Why a text is not a coefficient.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum CoefficientError {
    /// The text has none of the forms of a coefficient.
    #[error("not a coefficient")]
    NotANumber,
    /// A fraction has the denominator zero.
    #[error("the denominator is zero")]
    ZeroDenominator,
    /// The exact value does not fit.
    #[error("the value does not fit in a 64-bit numerator and denominator")]
    Overflow,
}
