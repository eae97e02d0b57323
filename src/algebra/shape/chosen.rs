//! Kernels in idempotent semirings. A coefficient is an integer weight: products add weights, and sums choose one of them.
//!
//! The product of two canonical kernels is canonical. No terms cancel, so boxes add up. The first tap of the product is the
//! product of the first taps, because storage order is a monomial order.

use std::collections::BTreeMap;

use super::{Label, Placed, Shape};
use crate::algebra::{Arithmetic, Offset, Rational, add_offsets};

/// The largest absolute weight: weights can be added and subtracted a few times without overflow.
const MAX_WEIGHT: u64 = 1 << 60;

impl Placed {
    /// The canonical form of a list of taps with weights; the semiring chooses among taps at the same place. `None` for weights beyond
    /// 2^60, and if the box is wider than 65535 or holds more than 2^24 places.
    pub fn from_weights(
        arithmetic: Arithmetic,
        channels: u16,
        taps: impl IntoIterator<Item = (u16, Offset, i64)>,
    ) -> Option<Self> {
        // Storage order: x fastest, then y, z, channel.
        let mut places: BTreeMap<(u16, [i32; 3]), i64> = BTreeMap::new();
        for (channel, [x, y, z], weight) in taps {
            if weight.unsigned_abs() > MAX_WEIGHT || channel >= channels {
                return None;
            }
            let place = places.entry((channel, [z, y, x])).or_insert(weight);
            *place = arithmetic.choose(*place, weight);
        }
        let Some(first) = places.values().next().copied() else {
            return Some(Self { label: Label::IDENTITY, shape: Shape::zero_in(arithmetic, channels) });
        };
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for (_, [z, y, x]) in places.keys() {
            for (axis, at) in [x, y, z].into_iter().enumerate() {
                (low[axis], high[axis]) = (low[axis].min(*at), high[axis].max(*at));
            }
        }
        let mut extent = [0usize; 3];
        for axis in 0..3 {
            extent[axis] = usize::try_from(i64::from(high[axis]) - i64::from(low[axis]) + 1).ok()?;
        }
        let count = extent.iter().try_fold(usize::from(channels), |n, side| n.checked_mul(*side))?;
        if count > 1 << 24 {
            return None;
        }
        let mut dense = vec![0; count];
        for ((channel, [z, y, x]), weight) in places {
            let [x, y, z] = [x - low[0], y - low[1], z - low[2]].map(|at| at as usize);
            let place = ((usize::from(channel) * extent[2] + z) * extent[1] + y) * extent[0] + x;
            dense[place] = Arithmetic::encode(weight - first);
        }
        let mut size = [0; 3];
        for axis in 0..3 {
            size[axis] = u16::try_from(extent[axis]).ok()?;
        }
        let shape = Shape { size, channels, taps: dense.into(), poles: None, arithmetic };
        Some(Self { label: Label { offset: low, weight: first, ..Label::IDENTITY }, shape })
    }

    /// This kernel translated, with the label's weight added to all its weights; `None` on overflow.
    pub(super) fn apply_chosen(&self, label: Label) -> Option<Self> {
        if label.scale != Rational::ONE {
            return None;
        }
        let label = if self.shape.is_zero() { Label::IDENTITY } else { self.label.then(label)? };
        (label.weight.unsigned_abs() <= MAX_WEIGHT).then(|| Self { label, shape: self.shape.clone() })
    }

    /// The tap that the semiring chooses at each place; `None` on overflow, and for kernels of different semirings.
    pub(super) fn sum_chosen(
        arithmetic: Arithmetic,
        channels: u16,
        terms: &[(Label, &Shape)],
    ) -> Option<Self> {
        let mut taps = Vec::new();
        for (label, shape) in terms {
            if shape.arithmetic != arithmetic || label.scale != Rational::ONE {
                return None;
            }
            for (channel, offset, weight) in shape.taps() {
                let offset = add_offsets(offset, label.offset).ok()?;
                taps.push((channel, offset, weight.checked_add(label.weight)?));
            }
        }
        Self::from_weights(arithmetic, channels, taps)
    }

    /// The composition of a single-channel kernel `outer` with `inner`; `None` on overflow, and for kernels of different semirings.
    pub(super) fn compose_chosen(outer: &Self, inner: &Self) -> Option<Self> {
        let terms = outer.shape.taps().map(|(_, offset, weight)| {
            let tap = Label { offset, weight, ..Label::IDENTITY };
            Some((outer.label.then(tap)?.then(inner.label)?, &inner.shape))
        });
        let terms: Vec<(Label, &Shape)> = terms.collect::<Option<_>>()?;
        Self::sum_chosen(outer.shape.arithmetic, inner.shape.channels, &terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::{kernel, laws_for_every_semiring, offset};
    use crate::algebra::{Kernel, Semiring};
    use proptest::prelude::*;

    /// Compares operations on canonical forms with those on kernels.
    fn check<S: Semiring>(a: &Kernel<S>, b: &Kernel<S>, by: Offset) -> Result<(), TestCaseError> {
        let placed = |kernel: &Kernel<S>| Placed::from_kernels(std::slice::from_ref(kernel)).ok();
        let (Some(p), Some(q)) = (placed(a), placed(b)) else { return Ok(()) };
        let arithmetic = p.shape.arithmetic();
        let sum = Placed::sum(1, [(p.label, &p.shape), (q.label, &q.shape)]).unwrap();
        prop_assert_eq!(Some(sum), placed(&a.add(b).unwrap()));
        let product = Placed::compose(&p, &q).unwrap();
        prop_assert_eq!(Some(product.clone()), placed(&a.compose(b).unwrap()));
        prop_assert_eq!(p.apply(Label::at(by)), placed(&a.shift(by).unwrap()));
        if !arithmetic.is_linear() && !p.shape.is_zero() && !q.shape.is_zero() {
            prop_assert_eq!(
                p.label.then(q.label),
                Some(product.label),
                "a product of canonical kernels is canonical"
            );
            let taps = p.taps().unwrap();
            let again: Vec<_> =
                taps.iter().map(|(_, offset, value)| (*offset, S::of(*value).unwrap())).collect();
            prop_assert!(Kernel::from_taps(&again).unwrap().equal_values(a));
        }
        prop_assert_eq!(Arithmetic::of::<S>(), Some(arithmetic));
        Ok(())
    }

    laws_for_every_semiring! {
        fn canonical_forms_compute_as_kernels_do<S>(a in kernel::<S>(), b in kernel::<S>(), by in offset()) {
            check::<S>(&a, &b, by)?;
        }
    }
}
