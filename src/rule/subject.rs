//! The properties of kernels that conditions test: over the rationals, of the canonical form; in other semirings, of the kernel itself.

use crate::algebra::{Kernel, Offset, Semiring, Shape};

/// A kernel that conditions ask about, with the arithmetic that they use.
pub trait Subject {
    /// The semiring of its coefficients, and of the numbers beside it.
    type Semiring: Semiring;

    /// Taps that are not zero.
    fn tap_count(&self) -> usize;
    /// How many input channels it reads.
    fn channels(&self) -> usize;
    /// Whether the kernels differ in nothing that conditions look at.
    fn has_shape_of(&self, other: &Self) -> bool;
}

/// Modulo translation, sign and powers of two.
impl Subject for Shape {
    type Semiring = crate::algebra::PlusTimes;

    fn tap_count(&self) -> usize {
        Self::tap_count(self)
    }

    fn channels(&self) -> usize {
        usize::from(Self::channels(self))
    }

    fn has_shape_of(&self, other: &Self) -> bool {
        self == other
    }
}

/// Modulo translation, on one channel. What a kernel touches without a coefficient there does not count.
impl<S: Semiring> Subject for Kernel<S> {
    type Semiring = S;

    fn tap_count(&self) -> usize {
        self.nonzero_count()
    }

    fn channels(&self) -> usize {
        1
    }

    fn has_shape_of(&self, other: &Self) -> bool {
        let taps = |kernel: &Self| -> Vec<(Offset, S::Element)> {
            let kernel = kernel.trimmed();
            let low = kernel.bounds().low();
            let moved =
                |(at, value): (Offset, S::Element)| ([0, 1, 2].map(|axis| at[axis] - low[axis]), value);
            kernel.nonzero_taps().map(moved).collect()
        };
        taps(self) == taps(other)
    }
}
