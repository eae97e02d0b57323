//! The domain in which random trials evaluate patterns over a semiring without canonical kernels for all its coefficients.

use std::marker::PhantomData;

use super::instance::Instance;
use crate::algebra::{Kernel, Offset, Semiring};
use crate::rule::interpret::Interpretation;
use crate::rule::{Constant, Expression, VariableId};

/// The maximum number of coefficient products in one composition of a trial. Larger compositions are skipped.
const MAX_PRODUCTS: usize = 1 << 16;

/// Kernels over a semiring, one for each channel.
pub(super) struct Over<'a, S>(pub(super) &'a Instance, pub(super) PhantomData<S>);

impl<S: Semiring> Interpretation for Over<'_, S> {
    type Value = Vec<Kernel<S>>;

    fn variable(&self, variable: VariableId) -> Option<Self::Value> {
        self.0.kernels[variable.0].first()?.over()
    }

    fn sequence(&self, variable: VariableId) -> Option<Vec<Self::Value>> {
        self.0.kernels[variable.0].iter().map(|kernel| kernel.over()).collect()
    }

    fn identity(&self) -> Option<Self::Value> {
        Some(vec![Kernel::identity()])
    }

    fn constant(&self, kernel: &Constant) -> Option<Self::Value> {
        let taps = kernel.taps.iter().map(|(offset, value)| Some((*offset, S::of(*value)?)));
        Some(vec![Kernel::from_taps(&taps.collect::<Option<Vec<_>>>()?).ok()?])
    }

    fn scan(&self, _step: Offset) -> Option<Self::Value> {
        None
    }

    fn shift(&self, value: Self::Value, by: Offset) -> Option<Self::Value> {
        value.iter().map(|kernel| kernel.shift(by).ok()).collect()
    }

    fn negate(&self, value: Self::Value) -> Option<Self::Value> {
        value.iter().map(Kernel::negate).collect()
    }

    fn scale(&self, value: Self::Value, factor: &Expression) -> Option<Self::Value> {
        let factor = factor.evaluate::<S>(&|v| S::of(self.0.number(v)?))?;
        if S::is_zero(factor) {
            return None;
        }
        value.iter().map(|kernel| kernel.scale(factor).ok()).collect()
    }

    fn sum(&self, values: Vec<Self::Value>) -> Option<Self::Value> {
        let channels = values.first()?.len();
        if values.iter().any(|value| value.len() != channels) {
            return None;
        }
        let on = |channel: usize| values.iter().map(|value| value[channel].clone()).collect::<Vec<_>>();
        (0..channels).map(|channel| Kernel::sum(&on(channel)).ok()).collect()
    }

    fn compose(&self, outer: Self::Value, inner: Self::Value) -> Option<Self::Value> {
        let [outer] = &outer[..] else { return None };
        let size = |kernel: &Kernel<S>| kernel.dense().len();
        if size(outer).saturating_mul(inner.iter().map(size).sum()) > MAX_PRODUCTS {
            return None;
        }
        inner.iter().map(|kernel| outer.compose(kernel).ok()).collect()
    }
}
