//! Fingerprints: a kernel as its value at a fixed point of the prime field of 2^61 − 1 elements.
//!
//! Evaluation is linear, and turns a shift into a product and a halving into a product with ½. An instruction therefore acts on
//! fingerprints as on kernels, at the cost of a few machine operations. Equal kernels have equal fingerprints: a search that
//! compares fingerprints misses nothing. Different kernels of degree d collide with probability d/2^61 (Schwartz and Zippel), so the
//! programs found are checked exactly.

use crate::algebra::field::{self, PRIME};
use crate::backend::array::search::program::value::{Factor, Shapes, Value, View, ZERO};

/// An element of the field, reduced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Element(u64);

impl Element {
    pub(crate) const ZERO: Self = Self(0);
    pub(crate) const ONE: Self = Self(1);

    fn new(value: u64) -> Self {
        Self(value % PRIME)
    }

    pub(crate) fn add(self, other: Self) -> Self {
        Self(field::add(self.0, other.0))
    }

    pub(crate) fn sub(self, other: Self) -> Self {
        Self(field::sub(self.0, other.0))
    }

    fn negate(self) -> Self {
        Self(field::sub(0, self.0))
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Self(field::mul(self.0, other.0))
    }

    fn power(self, exponent: i32) -> Self {
        let base = if exponent < 0 { self.inverse() } else { self };
        Self(field::power(base.0, exponent.unsigned_abs().into()))
    }

    /// The inverse.
    pub(crate) fn inverse(self) -> Self {
        Self(field::inverse(self.0))
    }

    /// The bits, for hashing.
    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// The point at which kernels are evaluated: arbitrary and fixed, without structure.
const EAST: u64 = 0x1f3a_9c5d_7e2b_4801;
const NORTH: u64 = 0x0b7d_42e9_6a15_c3f7;
const CHANNEL: u64 = 0x15c8_03ab_91d6_2e4d;

/// The factor of a view.
pub(crate) fn of_view(view: View) -> Element {
    let east = Element::new(EAST).power(i32::from(view.dx));
    let north = Element::new(NORTH).power(i32::from(view.dy));
    of_factor(view.factor).times(east).times(north)
}

fn of_factor(factor: Factor) -> Element {
    let size =
        Element::new(2).power(i32::from(factor.twos)).times(Element::new(3).power(i32::from(factor.threes)));
    if factor.negative { size.negate() } else { size }
}

/// The fingerprint of a value.
pub(crate) fn of_value(value: Value, shapes: &Shapes) -> Element {
    if value.shape == ZERO {
        return Element::ZERO;
    }
    let mut sum = Element::ZERO;
    for (x, y, channel, weight) in shapes.get(value.shape).iter() {
        let place = Element::new(EAST).power(x).times(Element::new(NORTH).power(y));
        let size = Element::new(u64::from(weight.unsigned_abs()));
        let tap = place.times(size).times(Element::new(CHANNEL).power(channel as i32));
        sum = if weight < 0 { sum.sub(tap) } else { sum.add(tap) };
    }
    sum.times(of_view(View { dx: value.dx, dy: value.dy, factor: value.factor }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Label, Placed, Rational};

    #[test]
    fn instructions_act_on_fingerprints_as_on_kernels() {
        let mut shapes = Shapes::new(2);
        let half = Rational::new(1, 2).unwrap();
        let a =
            Placed::from_taps(2, &[(0, [0, 1, 0], half), (1, [-2, 0, 0], Rational::integer(-3))]).unwrap();
        let b = a.apply(Label::new(Rational::new(-5, 4).unwrap(), [3, -1, 0])).unwrap();
        let (a, b) = (shapes.import(&a).unwrap(), shapes.import(&b).unwrap());
        let view = View { dx: 1, dy: -1, factor: Factor { twos: -1, threes: 0, negative: true } };
        let sum = shapes.sum(&[(a, view), (b, View::PLAIN)]).unwrap();
        let by_parts = of_value(a, &shapes).times(of_view(view)).add(of_value(b, &shapes));
        assert_eq!(of_value(sum, &shapes), by_parts);
        assert_ne!(of_value(a, &shapes), of_value(b, &shapes));
        assert_eq!(of_view(view).times(of_view(view).inverse()), Element::ONE);
    }
}
