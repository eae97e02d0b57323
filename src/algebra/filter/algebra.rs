//! Arithmetic of filters: sums, compositions, stacks and pass-through.

use super::{Filter, distinct, index_of};
use crate::algebra::{AlgebraError, Footprint, Kernel, Offset, Semiring};

impl<S: Semiring> Filter<S> {
    /// The sum by name. It has the outputs and inputs of both filters, those of `self` first. Missing kernels count as
    /// zero.
    pub fn add(&self, other: &Self) -> Result<Self, AlgebraError> {
        let mut sum = Self::zero(joined(&self.inputs, &other.inputs), joined(&self.outputs, &other.outputs))?;
        for part in [self, other] {
            for (output, input, kernel) in part.entries() {
                let (row, column) = (sum.output_index(output)?, sum.input_index(input)?);
                let entry = sum.entry_mut(row, column);
                *entry = entry.add(kernel)?;
            }
        }
        Ok(sum)
    }

    /// The difference by name, as [`add`](Self::add).
    ///
    /// # Errors
    /// [`AlgebraError::NoNegation`] in a semiring without negation.
    pub fn sub(&self, other: &Self) -> Result<Self, AlgebraError> {
        let negative = other.negate().ok_or(AlgebraError::NoNegation { semiring: S::NAME })?;
        self.add(&negative)
    }

    /// Every kernel negated; `None` in a semiring without negation.
    pub fn negate(&self) -> Option<Self> {
        S::has_negation().then_some(())?;
        let kernels = self.kernels.iter().map(Kernel::negate).collect::<Option<_>>()?;
        Some(Self { inputs: self.inputs.clone(), outputs: self.outputs.clone(), kernels })
    }

    /// Every kernel multiplied by `factor`.
    pub fn scale(&self, factor: S::Element) -> Result<Self, AlgebraError> {
        self.map(|kernel| kernel.scale(factor))
    }

    /// Every kernel translated: the outputs at p become what they were at p + `by`.
    pub fn shift(&self, by: Offset) -> Result<Self, AlgebraError> {
        self.map(|kernel| kernel.shift(by))
    }

    /// `self` applied to the outputs of `inner`: the matrix product, with the inputs of `inner`. Outputs of `inner`
    /// that `self` does not read are dropped. Associative, but not commutative.
    ///
    /// # Errors
    /// [`AlgebraError::UnknownChannel`] if `self` reads a channel that `inner` does not output.
    pub fn compose(&self, inner: &Self) -> Result<Self, AlgebraError> {
        let read: Vec<usize> =
            self.inputs.iter().map(|name| inner.output_index(name)).collect::<Result<_, _>>()?;
        let mut product = Self::zero(inner.inputs.clone(), self.outputs.clone())?;
        for row in 0..self.outputs.len() {
            for (middle, produced) in read.iter().enumerate() {
                let outer_kernel = self.entry(row, middle);
                if outer_kernel.footprint().is_empty() {
                    continue;
                }
                for column in 0..inner.inputs.len() {
                    let term = outer_kernel.compose(inner.entry(*produced, column))?;
                    let entry = product.entry_mut(row, column);
                    *entry = entry.add(&term)?;
                }
            }
        }
        Ok(product)
    }

    /// The outputs of all filters side by side, in order; the inputs are joined by name.
    ///
    /// # Errors
    /// [`AlgebraError::RepeatedChannel`] if two filters have an output with the same name.
    pub fn combine(filters: &[Self]) -> Result<Self, AlgebraError> {
        let inputs = filters.iter().fold(Vec::new(), |names, filter| joined(&names, &filter.inputs));
        let outputs = filters.iter().flat_map(|filter| filter.outputs.iter().cloned());
        let mut combined = Self::zero(inputs, outputs)?;
        for (output, input, kernel) in filters.iter().flat_map(Self::entries) {
            let (row, column) = (combined.output_index(output)?, combined.input_index(input)?);
            *combined.entry_mut(row, column) = kernel.clone();
        }
        Ok(combined)
    }

    /// This filter, extended by the identity on all `channels` for which it has no output: the underscore of the kernel
    /// algebra, with which an instruction keeps the registers it does not write.
    pub fn pass_through(&self, channels: &[impl AsRef<str>]) -> Result<Self, AlgebraError> {
        let kept: Vec<&str> = channels
            .iter()
            .map(AsRef::as_ref)
            .filter(|name| self.outputs.iter().all(|output| output != name))
            .collect();
        Self::combine(&[self.clone(), Self::identity(kept)?])
    }

    /// The filter with only the given outputs, in the given order.
    ///
    /// # Errors
    /// [`AlgebraError::UnknownChannel`], [`AlgebraError::RepeatedChannel`].
    pub fn select(&self, outputs: &[impl AsRef<str>]) -> Result<Self, AlgebraError> {
        let outputs = distinct(outputs.iter().map(AsRef::as_ref))?;
        let width = self.inputs.len();
        let mut kernels = Vec::with_capacity(outputs.len() * width);
        for name in &outputs {
            let row = self.output_index(name)?;
            kernels.extend_from_slice(&self.kernels[row * width..(row + 1) * width]);
        }
        Ok(Self { inputs: self.inputs.clone(), outputs, kernels })
    }

    /// The operator ⊳ of the kernel algebra on filters. `self` is the program so far, from its inputs to registers;
    /// `instruction` reads some registers and writes some, and the others pass through. Every register it writes gets a
    /// zero at the offsets in `stores`, for all inputs on which it depends: see [`Kernel::then`].
    ///
    /// # Errors
    /// [`AlgebraError::UnknownChannel`] if the instruction reads a register that was never written.
    pub fn then(&self, instruction: &Self, stores: &Footprint) -> Result<Self, AlgebraError> {
        let mut after = instruction.pass_through(&self.outputs)?.compose(self)?;
        for name in &instruction.outputs {
            let row = index_of(&after.outputs, name)?;
            for column in 0..after.inputs.len() {
                let kernel = after.entry_mut(row, column);
                if !kernel.footprint().is_empty() {
                    *kernel = kernel.touching(stores)?;
                }
            }
        }
        Ok(after)
    }

    /// The filter with every kernel replaced.
    pub(in crate::algebra) fn map(
        &self,
        change: impl Fn(&Kernel<S>) -> Result<Kernel<S>, AlgebraError>,
    ) -> Result<Self, AlgebraError> {
        let kernels = self.kernels.iter().map(change).collect::<Result<_, _>>()?;
        Ok(Self { inputs: self.inputs.clone(), outputs: self.outputs.clone(), kernels })
    }

    /// All kernels with their outputs and inputs.
    fn entries(&self) -> impl Iterator<Item = (&str, &str, &Kernel<S>)> {
        self.rows().flat_map(|(output, kernels)| {
            self.inputs.iter().zip(kernels).map(move |(input, kernel)| (output, input.as_str(), kernel))
        })
    }
}

/// The names in either list, those of `a` first, without duplicates.
fn joined(a: &[String], b: &[String]) -> Vec<String> {
    a.iter().chain(b.iter().filter(|name| !a.contains(name))).cloned().collect()
}
