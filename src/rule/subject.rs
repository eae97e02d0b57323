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

/// One kernel for each channel, modulo translation. Places touched with a zero coefficient do not count.
impl<S: Semiring> Subject for Vec<Kernel<S>> {
    fn tap_count(&self) -> usize {
        self.iter().map(Kernel::nonzero_count).sum()
    }

    fn channels(&self) -> usize {
        self.len()
    }

    fn has_shape_of(&self, other: &Self) -> bool {
        let taps = |kernels: &Self| -> Vec<(usize, Offset, S::Element)> {
            let on = |(channel, kernel): (usize, &Kernel<S>)| {
                kernel.nonzero_taps().map(move |(at, value)| (channel, at, value)).collect::<Vec<_>>()
            };
            let all: Vec<_> = kernels.iter().enumerate().flat_map(on).collect();
            let low = [0, 1, 2].map(|axis| all.iter().map(|(_, at, _)| at[axis]).min().unwrap_or(0));
            let moved = |(channel, at, value): (usize, Offset, S::Element)| {
                (channel, [0, 1, 2].map(|axis| at[axis] - low[axis]), value)
            };
            all.into_iter().map(moved).collect()
        };
        self.len() == other.len() && taps(self) == taps(other)
    }
}
