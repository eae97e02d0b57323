//! Linear functions with a constant, over the values of channels at offsets.

use crate::algebra::{Offset, Rational};

/// The value of a channel at an offset from the element concerned.
pub type Place = (u16, Offset);

/// Σ coefficient · value + constant, in canonical form: places in order, no coefficient is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    taps: Vec<(Place, Rational)>,
    constant: Rational,
}

impl Affine {
    /// A number.
    pub fn constant(constant: Rational) -> Self {
        Self { taps: Vec::new(), constant }
    }

    /// A channel's value here.
    pub fn channel(channel: u16) -> Self {
        Self { taps: vec![((channel, [0; 3]), Rational::ONE)], constant: Rational::ZERO }
    }

    /// A sum over places, which may repeat; `None` if a coefficient does not fit.
    pub fn from_taps(taps: impl IntoIterator<Item = (Place, Rational)>, constant: Rational) -> Option<Self> {
        let mut sorted: Vec<(Place, Rational)> = taps.into_iter().collect();
        sorted.sort_unstable_by_key(|(place, _)| *place);
        let mut found = Self::constant(constant);
        for (place, coefficient) in sorted {
            match found.taps.last_mut() {
                Some((last, sum)) if *last == place => *sum = sum.add(coefficient)?,
                _ => found.taps.push((place, coefficient)),
            }
        }
        found.taps.retain(|(_, coefficient)| !coefficient.is_zero());
        Some(found)
    }

    /// The coefficients, by place.
    pub fn taps(&self) -> &[(Place, Rational)] {
        &self.taps
    }

    /// The constant.
    pub fn offset(&self) -> Rational {
        self.constant
    }

    /// The number that this is, if it depends on nothing.
    pub fn number(&self) -> Option<Rational> {
        self.taps.is_empty().then_some(self.constant)
    }

    /// The sum; `None` if a coefficient does not fit.
    pub fn add(&self, other: &Self) -> Option<Self> {
        let taps = self.taps.iter().chain(&other.taps).copied();
        Self::from_taps(taps, self.constant.add(other.constant)?)
    }

    /// The multiple; `None` if a coefficient does not fit.
    pub fn scale(&self, factor: Rational) -> Option<Self> {
        let taps: Option<Vec<(Place, Rational)>> =
            self.taps.iter().map(|(place, k)| Some((*place, k.mul(factor)?))).collect();
        Self::from_taps(taps?, self.constant.mul(factor)?)
    }

    /// The function as the element at an offset has it. Channels of `uniform` are the same everywhere.
    pub fn moved(&self, by: Offset, uniform: &[bool]) -> Option<Self> {
        let place = |(channel, offset): Place| match uniform.get(usize::from(channel)) {
            Some(true) => (channel, offset),
            _ => (channel, [0, 1, 2].map(|axis| offset[axis].wrapping_add(by[axis]))),
        };
        Self::from_taps(self.taps.iter().map(|(at, k)| (place(*at), *k)), self.constant)
    }

    /// The function as `scale · form + constant` with 1 as the form's first coefficient; `None` for a number, or if a coefficient
    /// does not fit.
    pub fn normal(&self) -> Option<(Rational, Self)> {
        let (_, first) = self.taps.first()?;
        let form = Self { taps: self.taps.clone(), constant: Rational::ZERO };
        Some((*first, form.scale(Rational::ONE.div(*first)?)?))
    }

    /// The value where the places have these values; `None` if it does not fit.
    pub fn value(&self, at: &dyn Fn(Place) -> Rational) -> Option<Rational> {
        self.taps.iter().try_fold(self.constant, |sum, (place, k)| sum.add(k.mul(at(*place))?))
    }
}
