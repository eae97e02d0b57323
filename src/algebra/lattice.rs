//! Index spaces other than square grids: hexagons, which are Z² in axial coordinates, and tori, which are Z^d
//! modulo a period along each axis.
//!
//! Both are commutative groups, which is all that kernels need: sums and compositions are those of Z^d. The map to a
//! torus is a homomorphism, so a kernel may be computed in Z^d and wrapped at the end.

use super::{AlgebraError, Kernel, Semiring};

impl<S: Semiring> Kernel<S> {
    /// The kernel rotated by 60 degrees counter-clockwise about its origin, on hexagons.
    ///
    /// # Errors
    /// [`AlgebraError::TooFar`], [`AlgebraError::TooLarge`].
    pub fn turned(&self) -> Result<Self, AlgebraError> {
        let taps: Vec<_> =
            self.taps().map(|([x, y, z], value)| ([-y, x.saturating_add(y), z], value)).collect();
        Self::from_taps(&taps)
    }

    /// The kernel on the torus with these periods; 0 means no period. Each offset is replaced by the equivalent one
    /// nearest to the origin, the positive one of two.
    ///
    /// # Errors
    /// Overflow when taps at the same place are added.
    pub fn wrapped(&self, periods: [u32; 3]) -> Result<Self, AlgebraError> {
        let wrap = |place: i32, period: u32| match i64::from(period) {
            0 => place,
            period => {
                let place = i64::from(place).rem_euclid(period);
                (if place > period / 2 { place - period } else { place }) as i32
            }
        };
        let taps: Vec<_> = self
            .taps()
            .map(|(offset, value)| ([0, 1, 2].map(|a| wrap(offset[a], periods[a])), value))
            .collect();
        Self::from_taps(&taps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::{Sample, kernel, laws_for_every_semiring};
    use proptest::prelude::*;

    fn check_laws<S: Sample>(a: &Kernel<S>, b: &Kernel<S>, periods: [u32; 3]) -> Result<(), TestCaseError> {
        let wrap = |k: &Kernel<S>| k.wrapped(periods).unwrap();
        prop_assert_eq!(wrap(&a.add(b).unwrap()), wrap(&wrap(a).add(&wrap(b)).unwrap()));
        prop_assert_eq!(wrap(&a.compose(b).unwrap()), wrap(&wrap(a).compose(&wrap(b)).unwrap()));
        prop_assert_eq!(wrap(&wrap(a)), wrap(a));
        let turn = |k: &Kernel<S>| k.turned().unwrap();
        prop_assert_eq!(turn(&a.compose(b).unwrap()), turn(a).compose(&turn(b)).unwrap());
        prop_assert_eq!(&(0..6).fold(a.clone(), |turned, _| turn(&turned)), a);
        Ok(())
    }

    laws_for_every_semiring! {
        fn wrapping_and_turning_are_homomorphisms<S>(
            a in kernel::<S>(), b in kernel::<S>(), periods in [0u32..5, 0u32..5, 0u32..3]
        ) {
            check_laws(&a, &b, periods)?;
        }
    }
}
