//! The well-founded order of kernels, which bounds every chain of decompositions.

use std::cmp::Ordering;

use crate::algebra::Shape;

/// The measure of a kernel: its taps, then the sum of absolute coefficients, then the number of places in its box. A scan
/// counts as a tap, and each pixel of its step as a place.
///
/// A decomposition is accepted only if each part comes before the whole in [`precedes`]. The graph of accepted
/// decompositions is therefore acyclic, and dynamic programming over it needs no fixed-point iteration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Measure {
    /// Non-zero taps.
    pub taps: usize,
    /// Sum of the taps' absolute values.
    pub weight: i64,
    /// Width × height × depth of the box.
    pub places: usize,
}

impl Measure {
    /// The measure of `shape`. Time: one pass over the box.
    pub fn of(shape: &Shape) -> Self {
        let places: usize = shape.size().iter().map(|n| usize::from(*n)).product();
        let scans = shape.scan_count();
        Self {
            taps: shape.tap_count() + scans,
            weight: shape.l1().saturating_add(scans as i64),
            places: places + shape.scan_length(),
        }
    }
}

/// The order of kernels: by [`Measure`], then by coefficients, so that one of two slightly different outputs may be made
/// from the other. Only finitely many kernels have the same measure, so every descending chain is finite.
pub fn order(a: &Shape, b: &Shape) -> Ordering {
    Measure::of(a).cmp(&Measure::of(b)).then_with(|| a.cmp(b))
}

/// Whether `part` may be used to make `whole`.
pub fn precedes(part: &Shape, whole: &Shape) -> bool {
    order(part, whole) == Ordering::Less
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Placed, Rational};

    fn row(taps: &[i64]) -> Shape {
        Placed::from_dense(1, [0; 3], [taps.len(), 1, 1], taps, Rational::ONE).unwrap().shape
    }

    #[test]
    fn taps_then_weight_then_box_then_coefficients() {
        assert!(precedes(&row(&[1, 5]), &row(&[1, 1, 1])));
        assert!(precedes(&row(&[1, 0, 1]), &row(&[1, 2])));
        assert!(precedes(&row(&[1, 1]), &row(&[1, 0, 1])));
        assert!(precedes(&row(&[1, -1]), &row(&[1, 1])));
        assert!(!precedes(&row(&[1, 1]), &row(&[1, 1])));
    }
}
