//! Division in idempotent semirings: K = A∘B is tested with the residual of K by A, the greatest B with A∘B ≤ K.
//!
//! At q the residual is the strictest of the bounds that K sets at q + d, over all taps d of A (Cuninghame-Green, Minimax
//! Algebra, 1979).

use std::collections::BTreeMap;

use crate::algebra::{Arithmetic, Choice, Label, Offset, Placed, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// The places and weights of taps on one channel, in storage order.
pub(super) type Taps = Vec<(Offset, i64)>;

/// A kernel on one channel in an idempotent semiring.
pub(super) struct Chosen {
    arithmetic: Arithmetic,
    choice: Choice,
    /// The place of the first tap.
    first: Offset,
    /// The taps, with places relative to the first.
    pub(super) taps: Taps,
}

impl Chosen {
    /// `None` for kernels with several channels or over (+ ×).
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        let arithmetic = shape.arithmetic();
        let choice = arithmetic.choice()?;
        let (_, first, _) = shape.taps().next()?;
        let from_first = |offset: Offset| [0, 1, 2].map(|axis| offset[axis] - first[axis]);
        let taps = shape.taps().map(|(_, offset, weight)| (from_first(offset), weight)).collect();
        (shape.channels() == 1).then_some(Self { arithmetic, choice, first, taps })
    }

    /// Some of the taps as a kernel; `None` if there are none, or on overflow.
    pub(super) fn placed(&self, taps: &[(Offset, i64)]) -> Option<Placed> {
        let taps = taps.iter().map(|(offset, weight)| Some((0, plus(*offset, self.first)?, *weight)));
        let taps: Vec<_> = taps.collect::<Option<_>>()?;
        Placed::from_weights(self.arithmetic, 1, taps).filter(|kernel| !kernel.shape.is_zero())
    }

    /// The greatest kernel whose product with the origin's tap and `others` is at most this one.
    pub(super) fn residual(&self, others: &[(Offset, i64)]) -> Taps {
        let rest = self.taps.iter().filter_map(|(offset, own)| {
            let mut strictest = *own;
            for (by, weight) in others {
                let allowed = weight_at(&self.taps, plus(*offset, *by)?)?.checked_sub(*weight)?;
                strictest = match self.choice {
                    Choice::Least => strictest.max(allowed),
                    Choice::Greatest => strictest.min(allowed),
                };
            }
            Some((*offset, strictest))
        });
        rest.collect()
    }

    /// The product of `taps` with the origin's tap and `others`.
    pub(super) fn product(&self, taps: &[(Offset, i64)], others: &[(Offset, i64)]) -> Taps {
        let mut places: BTreeMap<[i32; 3], i64> = BTreeMap::new();
        for (by, added) in std::iter::once(&([0; 3], 0)).chain(others) {
            for (offset, weight) in taps {
                let Some(place) = plus(*offset, *by) else { continue };
                let weight = weight.saturating_add(*added);
                let own = places.entry(order(place)).or_insert(weight);
                *own = match self.choice {
                    Choice::Least => weight.min(*own),
                    Choice::Greatest => weight.max(*own),
                };
            }
        }
        places.into_iter().map(|([z, y, x], weight)| ([x, y, z], weight)).collect()
    }

    /// The size of the quotient by the origin's tap and `others`, and their composition; `None` if they do not divide the kernel.
    fn divided(&self, others: &[(Offset, i64)]) -> Option<(usize, Decomposition)> {
        let rest = self.residual(others);
        if rest.is_empty() || rest.len() >= self.taps.len() || self.product(&rest, others) != self.taps {
            return None;
        }
        let divisor: Taps = std::iter::once(([0; 3], 0)).chain(others.iter().copied()).collect();
        let (outer, inner) = (self.placed(&divisor)?.shape, self.placed(&rest)?.shape);
        Some((rest.len(), Decomposition::Compose { label: Label::IDENTITY, outer, inner }))
    }
}

/// The weight of a tap at a place.
pub(super) fn weight_at(taps: &[(Offset, i64)], place: Offset) -> Option<i64> {
    let found = taps.binary_search_by(|(offset, _)| order(*offset).cmp(&order(place)));
    found.ok().map(|index| taps[index].1)
}

/// Storage order: x fastest, then y, then z.
fn order([x, y, z]: Offset) -> [i32; 3] {
    [z, y, x]
}

fn plus(a: Offset, b: Offset) -> Option<Offset> {
    crate::algebra::add_offsets(a, b).ok()
}

/// K = (id ⊕ w·g)∘B: division by pairs of taps. A window of n pixels takes ⌈log2 n⌉ of them.
pub(super) fn pair_quotients(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let Some(kernel) = Chosen::of(shape).filter(|kernel| kernel.taps.len() > 2) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for tap in &kernel.taps[1..] {
        if !budget.spend(kernel.taps.len() as u64) {
            break;
        }
        // Two copies of the quotient must be able to cover all taps.
        let halves = |(left, _): &(usize, _)| 2 * left >= kernel.taps.len();
        found.extend(kernel.divided(&[*tap]).filter(halves));
    }
    found.sort_by_key(|(left, _)| *left);
    found.truncate(most);
    found.into_iter().map(|(_, decomposition)| decomposition).collect()
}

/// The length of the shortest window proposed: four pixels take only two pairs.
const SHORTEST_WINDOW: usize = 5;

/// K = W∘B, where W is the longest window of equal weights along x or y that begins at the first tap.
pub(super) fn window_quotients(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    let Some(kernel) = Chosen::of(shape) else { return Vec::new() };
    let mut found = Vec::new();
    for step in [[1, 0, 0], [0, 1, 0]] {
        let at = |n: i32| step.map(|along: i32| along * n);
        let length = (1..).take_while(|n| weight_at(&kernel.taps, at(*n)) == Some(0)).count() + 1;
        if length < SHORTEST_WINDOW || !budget.spend((length * kernel.taps.len()) as u64) {
            continue;
        }
        let others: Taps = (1..length as i32).map(|n| (at(n), 0)).collect();
        // The quotient of a window by itself is a single tap.
        found.extend(kernel.divided(&others).filter(|(left, _)| *left > 1).map(|(_, way)| way));
    }
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, taps: &[(Offset, i64)]) -> Shape {
        let arithmetic = Arithmetic::named(name).unwrap();
        Placed::from_weights(arithmetic, 1, taps.iter().map(|(at, weight)| (0, *at, *weight))).unwrap().shape
    }

    fn square(name: &str, side: i32) -> Shape {
        let taps: Taps = (0..side * side).map(|i| ([i % side, i / side, 0], 0)).collect();
        kernel(name, &taps)
    }

    #[test]
    fn every_quotient_gives_the_kernel_back() {
        let pyramid = kernel("max-plus", &[([0, 0, 0], 0), ([1, 0, 0], 1), ([2, 0, 0], 2), ([3, 0, 0], 3)]);
        for shape in [square("or-and", 6), square("min-plus", 4), pyramid] {
            let pairs = pair_quotients(&shape, 5, &Budget::unlimited());
            assert!(!pairs.is_empty(), "{shape:?}");
            for way in pairs.into_iter().chain(window_quotients(&shape, 5, &Budget::unlimited())) {
                let whole = Placed { label: Label::IDENTITY, shape: shape.clone() };
                assert_eq!(way.denote(1), Some(whole), "{way:?}");
            }
        }
    }

    #[test]
    fn a_square_is_two_windows() {
        assert_eq!(window_quotients(&square("max-plus", 7), 5, &Budget::unlimited()).len(), 2);
        assert_eq!(window_quotients(&square("max-plus", 4), 5, &Budget::unlimited()).len(), 0);
    }
}
