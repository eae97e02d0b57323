//! The domains in which random trials evaluate patterns, besides canonical kernels: kernels over a semiring, and scans.

use std::marker::PhantomData;

use super::instance::Instance;
use crate::algebra::{Kernel, Offset, PlusTimes, Rational, Scan, Semiring};
use crate::rule::interpret::Interpretation;
use crate::rule::{Constant, Expression, VariableId};

/// The maximum number of coefficient products in one composition of a trial. Larger compositions are skipped.
const MAX_PRODUCTS: usize = 1 << 16;

/// Single-channel kernels over a semiring.
pub(super) struct Over<'a, S>(pub(super) &'a Instance, pub(super) PhantomData<S>);

impl<S: Semiring> Interpretation for Over<'_, S> {
    type Value = Kernel<S>;

    fn variable(&self, variable: VariableId) -> Option<Kernel<S>> {
        self.0.kernels[variable.0].first()?.over()
    }

    fn sequence(&self, variable: VariableId) -> Option<Vec<Kernel<S>>> {
        self.0.kernels[variable.0].iter().map(|kernel| kernel.over()).collect()
    }

    fn identity(&self) -> Option<Kernel<S>> {
        Some(Kernel::identity())
    }

    fn constant(&self, kernel: &Constant) -> Option<Kernel<S>> {
        let taps = kernel.taps.iter().map(|(offset, value)| Some((*offset, S::of(*value)?)));
        Kernel::from_taps(&taps.collect::<Option<Vec<_>>>()?).ok()
    }

    fn scan(&self, _step: Offset) -> Option<Kernel<S>> {
        None
    }

    fn shift(&self, value: Kernel<S>, by: Offset) -> Option<Kernel<S>> {
        value.shift(by).ok()
    }

    fn negate(&self, value: Kernel<S>) -> Option<Kernel<S>> {
        value.negate()
    }

    fn scale(&self, value: Kernel<S>, factor: &Expression) -> Option<Kernel<S>> {
        let factor = factor.evaluate::<S>(&|v| S::of(self.0.number(v)?))?;
        if S::is_zero(factor) { None } else { value.scale(factor).ok() }
    }

    fn sum(&self, values: Vec<Kernel<S>>) -> Option<Kernel<S>> {
        Kernel::sum(&values).ok()
    }

    fn compose(&self, outer: Kernel<S>, inner: Kernel<S>) -> Option<Kernel<S>> {
        let products = outer.dense().len().saturating_mul(inner.dense().len());
        if products > MAX_PRODUCTS { None } else { outer.compose(&inner).ok() }
    }
}

/// Infinite kernels over the rationals with one channel.
pub(super) struct Endless<'a>(pub(super) &'a Instance);

impl Interpretation for Endless<'_> {
    type Value = Scan<PlusTimes>;

    fn variable(&self, variable: VariableId) -> Option<Scan<PlusTimes>> {
        Some(Scan::from_kernel(&self.0.kernels[variable.0].first()?.over()?))
    }

    fn sequence(&self, variable: VariableId) -> Option<Vec<Scan<PlusTimes>>> {
        self.0.kernels[variable.0].iter().map(|kernel| Some(Scan::from_kernel(&kernel.over()?))).collect()
    }

    fn identity(&self) -> Option<Scan<PlusTimes>> {
        Some(Scan::from_kernel(&Kernel::identity()))
    }

    fn constant(&self, kernel: &Constant) -> Option<Scan<PlusTimes>> {
        Some(Scan::from_kernel(kernel.placed.to_kernels().ok()?.first()?))
    }

    fn scan(&self, step: Offset) -> Option<Scan<PlusTimes>> {
        Scan::along(step).ok()
    }

    fn shift(&self, value: Scan<PlusTimes>, by: Offset) -> Option<Scan<PlusTimes>> {
        value.shift(by).ok()
    }

    fn negate(&self, value: Scan<PlusTimes>) -> Option<Scan<PlusTimes>> {
        value.scale(Rational::integer(-1)).ok()
    }

    fn scale(&self, value: Scan<PlusTimes>, factor: &Expression) -> Option<Scan<PlusTimes>> {
        let factor =
            factor.evaluate::<PlusTimes>(&|v| self.0.number(v)).filter(|factor| !factor.is_zero())?;
        value.scale(factor).ok()
    }

    fn sum(&self, values: Vec<Scan<PlusTimes>>) -> Option<Scan<PlusTimes>> {
        let mut values = values.into_iter();
        let first = values.next()?;
        values.try_fold(first, |sum, value| sum.add(&value).ok())
    }

    fn compose(&self, outer: Scan<PlusTimes>, inner: Scan<PlusTimes>) -> Option<Scan<PlusTimes>> {
        outer.compose(&inner).ok()
    }
}
