//! The domains in which random trials evaluate patterns, beside canonical kernels: kernels over a semiring, and scans.

use std::marker::PhantomData;

use super::instance::Instance;
use crate::algebra::{Kernel, Offset, Placed, PlusTimes, Rational, Scan, Semiring};
use crate::rule::interpret::Domain;
use crate::rule::{Expression, VariableId};

/// Kernels over a semiring and one channel.
pub(super) struct Over<'a, S>(pub(super) &'a Instance, pub(super) PhantomData<S>);

impl<S: Semiring> Over<'_, S> {
    /// A number as a coefficient; `None` where the semiring has none of that name.
    fn element(number: Rational) -> Option<S::Element> {
        S::parse(&number.to_string()).ok()
    }
}

impl<S: Semiring> Domain for Over<'_, S> {
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

    fn constant(&self, kernel: &Placed) -> Option<Kernel<S>> {
        let taps = kernel.taps()?;
        let taps: Option<Vec<_>> =
            taps.into_iter().map(|(_, o, value)| Some((o, Self::element(value)?))).collect();
        Kernel::from_taps(&taps?).ok()
    }

    fn scan(&self, _step: Offset) -> Option<Kernel<S>> {
        None
    }

    fn shift(&self, value: Kernel<S>, by: Offset) -> Option<Kernel<S>> {
        value.shift(by).ok()
    }

    fn scale(&self, value: Kernel<S>, factor: &Expression) -> Option<Kernel<S>> {
        value.scale(Self::element(factor.evaluate(&|v| self.0.number(v))?)?).ok()
    }

    fn sum(&self, values: Vec<Kernel<S>>) -> Option<Kernel<S>> {
        Kernel::sum(&values).ok()
    }

    fn compose(&self, outer: Kernel<S>, inner: Kernel<S>) -> Option<Kernel<S>> {
        outer.compose(&inner).ok()
    }
}

/// Kernels without end, over the rationals and one channel.
pub(super) struct Endless<'a>(pub(super) &'a Instance);

impl Domain for Endless<'_> {
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

    fn constant(&self, kernel: &Placed) -> Option<Scan<PlusTimes>> {
        Some(Scan::from_kernel(kernel.to_kernels().ok()?.first()?))
    }

    fn scan(&self, step: Offset) -> Option<Scan<PlusTimes>> {
        Scan::along(step).ok()
    }

    fn shift(&self, value: Scan<PlusTimes>, by: Offset) -> Option<Scan<PlusTimes>> {
        value.shift(by).ok()
    }

    fn scale(&self, value: Scan<PlusTimes>, factor: &Expression) -> Option<Scan<PlusTimes>> {
        value.scale(factor.evaluate(&|v| self.0.number(v))?).ok()
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
