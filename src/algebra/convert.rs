//! Conversions between single-channel kernels and canonical shapes over all channels.

use super::{AlgebraError, Arithmetic, Kernel, Placed, PlusTimes, Semiring};

impl Placed {
    /// The canonical form of one output, given a kernel for each input channel. Zeros that are merely touched are
    /// dropped.
    ///
    /// # Errors
    /// `AlgebraError::NoShape` for more than 65535 channels, for coefficients without a common denominator in range, for
    /// non-integer weights in an idempotent semiring, or for a box that is too wide.
    pub fn from_kernels<S: Semiring>(kernels: &[Kernel<S>]) -> Result<Self, AlgebraError> {
        let placed = || {
            let channels = u16::try_from(kernels.len()).ok()?;
            let taps = (0..channels).zip(kernels).flat_map(|(channel, kernel)| {
                kernel.nonzero_taps().map(move |(offset, value)| (channel, offset, value))
            });
            match Arithmetic::of::<S>()? {
                Arithmetic::LINEAR => {
                    let taps =
                        taps.map(|(channel, offset, value)| Some((channel, offset, S::number(value)?)));
                    Self::from_taps(channels, &taps.collect::<Option<Vec<_>>>()?)
                }
                arithmetic => {
                    let taps =
                        taps.map(|(channel, offset, value)| Some((channel, offset, S::weight(value)?)));
                    Self::from_weights(arithmetic, channels, taps.collect::<Option<Vec<_>>>()?)
                }
            }
        };
        placed().ok_or(AlgebraError::NoShape)
    }

    /// The kernel on each input channel, which touches exactly its non-zero places.
    ///
    /// # Errors
    /// The scale times a coefficient does not fit.
    pub fn to_kernels(&self) -> Result<Vec<Kernel<PlusTimes>>, AlgebraError> {
        let mut taps = vec![Vec::new(); self.shape.channels() as usize];
        for (channel, offset, value) in self.taps().ok_or(AlgebraError::NoShape)? {
            taps[channel as usize].push((offset, value));
        }
        taps.iter().map(|taps| Kernel::from_taps(taps)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::{kernel, offset};
    use crate::algebra::{Label, Rational};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn canonical_forms_are_the_kernels_up_to_footprint(a in kernel::<PlusTimes>(), b in kernel::<PlusTimes>()) {
            let placed = Placed::from_kernels(&[a.clone(), b.clone()]).unwrap();
            prop_assert_eq!(placed.to_kernels().unwrap(), [a.trimmed(), b.trimmed()]);
        }

        #[test]
        fn shapes_compute_as_kernels_do(a in kernel::<PlusTimes>(), b in kernel::<PlusTimes>(), by in offset(), n in 1i64..5) {
            let placed = |kernel: &Kernel<PlusTimes>| Placed::from_kernels(std::slice::from_ref(kernel)).unwrap();
            let (p, q) = (placed(&a), placed(&b));
            let sum = Placed::sum(1, [(p.label, &p.shape), (q.label, &q.shape)]).unwrap();
            prop_assert_eq!(sum, placed(&a.add(&b).unwrap()));
            prop_assert_eq!(Placed::compose(&p, &q).unwrap(), placed(&a.compose(&b).unwrap()));
            let label = Label::new(Rational::new(-n, 3).unwrap(), by);
            prop_assert_eq!(p.apply(label).unwrap(), placed(&a.shift(by).unwrap().scale(label.scale).unwrap()));
        }

        #[test]
        fn one_shape_for_an_orbit(a in kernel::<PlusTimes>(), by in offset(), exponent in -3i32..4) {
            prop_assume!(!a.is_zero());
            let factor = Rational::power_of_two(exponent).unwrap().negate();
            let moved = a.shift(by).unwrap().scale(factor).unwrap();
            let [p, q] = [&a, &moved].map(|kernel| Placed::from_kernels(std::slice::from_ref(kernel)).unwrap());
            prop_assert_eq!(&p.shape, &q.shape);
            prop_assert_eq!(q.label.offset, [0, 1, 2].map(|axis| p.label.offset[axis] + by[axis]));
            prop_assert_eq!(Some(q.label.scale), PlusTimes::mul(p.label.scale, factor));
        }
    }
}
