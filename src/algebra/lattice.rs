//! Index spaces other than square grids: hexagons, which are Z² in axial coordinates, and tori, which are Z^d
//! modulo a period along each axis.
//!
//! Both are commutative groups, which is all that kernels need: sums and compositions are those of Z^d. The map to a
//! torus is a homomorphism, so a kernel may be computed in Z^d and wrapped at the end.

use super::{AlgebraError, Kernel, Offset, Semiring};

/// The neighbours of a hexagon, counter-clockwise from the east. A step north in axial coordinates points to the north-east.
pub const HEXAGON: [Offset; 6] = [[1, 0, 0], [0, 1, 0], [-1, 1, 0], [-1, 0, 0], [0, -1, 0], [1, -1, 0]];

/// The number of steps between neighbours that lead to this hexagon from the origin.
pub fn hexagon_distance([x, y, _]: Offset) -> u32 {
    let sum = i64::from(x) + i64::from(y);
    x.unsigned_abs().max(y.unsigned_abs()).max(u32::try_from(sum.unsigned_abs()).unwrap_or(u32::MAX))
}

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
    use crate::algebra::{PlusTimes, Rational};
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

    #[test]
    fn neighbours_are_one_step_away_and_turn_into_each_other() {
        for (n, step) in HEXAGON.into_iter().enumerate() {
            assert_eq!(hexagon_distance(step), 1);
            let tap = Kernel::<PlusTimes>::monomial(step, Rational::ONE).unwrap();
            let next = Kernel::monomial(HEXAGON[(n + 1) % 6], Rational::ONE).unwrap();
            assert_eq!(tap.turned().unwrap(), next);
        }
        assert_eq!((hexagon_distance([2, -1, 0]), hexagon_distance([2, 1, 0])), (2, 3));
    }
}
