//! Arithmetic of kernels: sums, multiples, translations and compositions.

use super::Kernel;
use crate::algebra::{AlgebraError, Footprint, MAX_STEPS, Offset, Ring, Semiring};

impl<S: Semiring> Kernel<S> {
    /// The sum, which touches the places that either kernel touches.
    pub fn add(&self, other: &Self) -> Result<Self, AlgebraError> {
        let footprint = self.footprint.union(&other.footprint)?;
        let bounds = footprint.bounds();
        let mut values = self.values_in(bounds);
        for (row, start) in other.bounds().rows_in(bounds, other.bounds().start_in(bounds)) {
            accumulate::<S>(&mut values[start..start + row.len()], &other.values[row])?;
        }
        Ok(Self { footprint, values })
    }

    /// Σ kernels; the empty sum is [`zero`](Self::zero).
    pub fn sum<'a>(kernels: impl IntoIterator<Item = &'a Self>) -> Result<Self, AlgebraError> {
        kernels.into_iter().try_fold(Self::zero(), |sum, kernel| sum.add(kernel))
    }

    /// The difference.
    ///
    /// # Errors
    /// [`AlgebraError::NoNegation`] in a semiring without negation; otherwise as [`add`](Self::add).
    pub fn sub(&self, other: &Self) -> Result<Self, AlgebraError> {
        let negative = other.negate().ok_or(AlgebraError::NoNegation { semiring: S::NAME })?;
        self.add(&negative)
    }

    /// The kernel whose sum with this one has only zero coefficients; `None` in a semiring without negation.
    pub fn negate(&self) -> Option<Self> {
        let values = self.values.iter().map(|value| S::negate(*value)).collect::<Option<_>>()?;
        S::has_negation().then(|| Self { footprint: self.footprint.clone(), values })
    }

    /// Every coefficient multiplied by `factor`. The footprint does not change, even if `factor` is zero.
    pub fn scale(&self, factor: S::Element) -> Result<Self, AlgebraError> {
        let values = self.values.iter().map(|value| S::try_mul(factor, *value)).collect::<Result<_, _>>()?;
        Ok(Self { footprint: self.footprint.clone(), values })
    }

    /// The product with the monomial of `by`: the value at p becomes what it was at p + `by`.
    pub fn shift(&self, by: Offset) -> Result<Self, AlgebraError> {
        Ok(Self { footprint: self.footprint.shift(by)?, values: self.values.clone() })
    }

    /// The composition: the product of Laurent polynomials, whose footprint is the Minkowski sum.
    ///
    /// Applying the composition equals applying one kernel after the other, in either order. The cost is one multiplication
    /// for every pair of non-zero coefficients.
    pub fn compose(&self, other: &Self) -> Result<Self, AlgebraError> {
        let footprint = self.footprint.sum(&other.footprint)?;
        let bounds = footprint.bounds();
        if bounds.is_empty() {
            return Ok(Self::zero());
        }
        let (outer, inner) =
            if self.values.len() <= other.values.len() { (self, other) } else { (other, self) };
        let steps = outer.nonzero_count() as u128 * inner.values.len() as u128;
        if steps > MAX_STEPS as u128 {
            return Err(AlgebraError::TooMuchWork { steps });
        }
        let mut values = vec![S::zero(); bounds.places()];
        for (outer_row, outer_start) in outer.bounds().rows_in(bounds, 0) {
            for (factor, at) in outer.values[outer_row].iter().zip(outer_start..) {
                if S::is_zero(*factor) {
                    continue;
                }
                for (row, start) in inner.bounds().rows_in(bounds, at) {
                    add_multiple::<S>(&mut values[start..start + row.len()], *factor, &inner.values[row])?;
                }
            }
        }
        Ok(Self { footprint, values: values.into() })
    }

    /// `self` composed with itself `exponent` times; the identity for zero.
    pub fn power(&self, exponent: u32) -> Result<Self, AlgebraError> {
        let mut power = Self::identity();
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            power = power.compose(&power)?;
            if exponent >> bit & 1 == 1 {
                power = power.compose(self)?;
            }
        }
        Ok(power)
    }

    /// The operator ⊳ of the convolutional kernel algebra: `self`, then an instruction.
    ///
    /// An instruction is a kernel together with the offsets at which the hardware stores its result. The program so far is
    /// composed with the kernel, and every untouched offset in `stores` gets a zero. A register is written in every pixel,
    /// its own included, so a value that moves outside the array is lost, even if later moves bring it back. On a
    /// pixel-processor array `stores` is [`Footprint::origin`]; with the empty footprint, ⊳ is [`compose`](Self::compose).
    /// ⊳ is left-associative, and neither commutative nor associative.
    ///
    /// ```
    /// use kalg::algebra::{Footprint, Kernel, PlusTimes, Rational};
    /// let (up, down) = ([0, 1, 0], [0, -1, 0]);
    /// let step = |offset| Kernel::<PlusTimes>::monomial(offset, Rational::ONE);
    /// let here = Footprint::origin();
    /// let back = Kernel::identity().then(&step(up)?, &here)?.then(&step(down)?, &here)?;
    /// // The identity, but the southern neighbour was touched: one row of the output is not valid.
    /// assert!(back.equal_values(&Kernel::identity()));
    /// assert_eq!(back.border().south, 1);
    /// # Ok::<(), kalg::algebra::AlgebraError>(())
    /// ```
    pub fn then(&self, instruction: &Self, stores: &Footprint) -> Result<Self, AlgebraError> {
        self.compose(instruction)?.touching(stores)
    }
}

impl<S: Ring> Kernel<S> {
    /// The kernel whose sum with this one has only zero coefficients.
    pub fn opposite(&self) -> Self {
        let values = self.values.iter().map(|value| S::opposite(*value)).collect();
        Self { footprint: self.footprint.clone(), values }
    }
}

/// `target += source`, place by place.
fn accumulate<S: Semiring>(target: &mut [S::Element], source: &[S::Element]) -> Result<(), AlgebraError> {
    for (sum, value) in target.iter_mut().zip(source) {
        *sum = S::try_add(*sum, *value)?;
    }
    Ok(())
}

/// `target += factor · source`, place by place.
fn add_multiple<S: Semiring>(
    target: &mut [S::Element],
    factor: S::Element,
    source: &[S::Element],
) -> Result<(), AlgebraError> {
    for (sum, value) in target.iter_mut().zip(source) {
        if !S::is_zero(*value) {
            *sum = S::try_add(*sum, S::try_mul(factor, *value)?)?;
        }
    }
    Ok(())
}
