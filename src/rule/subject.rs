//! The properties of kernels that conditions test: over the rationals those of the canonical form, in other semirings
//! those of the kernel itself.

use crate::algebra::{Kernel, Offset, Semiring, Shape};

/// A kernel that conditions test.
pub trait Subject {
    /// The number of non-zero taps.
    fn tap_count(&self) -> usize;
    /// The number of input channels that the kernel reads.
    fn channels(&self) -> usize;
    /// Whether conditions cannot distinguish the kernels.
    fn has_shape_of(&self, other: &Self) -> bool;
}

/// Modulo translation, sign and powers of two, or the constant factors of another semiring.
impl Subject for Shape {
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

/// Modulo translation, on one channel. Places touched with a zero coefficient do not count.
impl<S: Semiring> Subject for Kernel<S> {
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
