//! Filters: matrices of kernels, from named input channels to named outputs.

mod algebra;
mod planes;

use std::fmt;

use super::{AlgebraError, Border, Footprint, Kernel, Semiring};

/// A matrix of kernels: output o at p is the sum over input channels c of kernel(o, c) applied to c.
///
/// Outputs are rows and inputs are columns; the names on each side are unique. If an output does not depend on an
/// input, the kernel between them is [zero](Kernel::zero). `==` compares names, their order, and kernels with their
/// footprints; [`equal_values`](Self::equal_values) compares the computed values by name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Filter<S: Semiring> {
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// The kernels, row by row.
    kernels: Vec<Kernel<S>>,
}

impl<S: Semiring> Filter<S> {
    /// The filter with these channels and only zero kernels.
    ///
    /// # Errors
    /// [`AlgebraError::RepeatedChannel`] for two inputs, or two outputs, with the same name.
    pub fn zero(
        inputs: impl IntoIterator<Item = impl Into<String>>,
        outputs: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, AlgebraError> {
        let (inputs, outputs) = (distinct(inputs)?, distinct(outputs)?);
        let kernels = vec![Kernel::zero(); inputs.len() * outputs.len()];
        Ok(Self { inputs, outputs, kernels })
    }

    /// The filter with one kernel, from `input` to `output`.
    pub fn single(input: impl Into<String>, output: impl Into<String>, kernel: Kernel<S>) -> Self {
        Self { inputs: vec![input.into()], outputs: vec![output.into()], kernels: vec![kernel] }
    }

    /// A filter with one output, the sum of one kernel per channel: a vector of coefficients in the kernel algebra.
    pub fn row(
        output: impl Into<String>,
        kernels: impl IntoIterator<Item = (impl Into<String>, Kernel<S>)>,
    ) -> Result<Self, AlgebraError> {
        let (inputs, kernels): (Vec<String>, Vec<_>) =
            kernels.into_iter().map(|(input, kernel)| (input.into(), kernel)).unzip();
        Ok(Self { inputs: distinct(inputs)?, outputs: vec![output.into()], kernels })
    }

    /// The filter that returns `channels` unchanged: neutral for composition.
    pub fn identity(channels: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, AlgebraError> {
        let channels = distinct(channels)?;
        let mut filter = Self::zero(channels.clone(), channels)?;
        for channel in 0..filter.inputs.len() {
            *filter.entry_mut(channel, channel) = Kernel::identity();
        }
        Ok(filter)
    }

    /// The names of the input channels.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// The names of the outputs.
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The kernel from `input` to `output` if both exist.
    pub fn kernel(&self, output: &str, input: &str) -> Option<&Kernel<S>> {
        let (output, input) = (position(&self.outputs, output)?, position(&self.inputs, input)?);
        Some(self.entry(output, input))
    }

    /// Every output with its kernels, one for each input.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &[Kernel<S>])> {
        let width = self.inputs.len();
        let rows = self.outputs.iter().enumerate();
        rows.map(move |(index, name)| (name.as_str(), &self.kernels[index * width..(index + 1) * width]))
    }

    /// Replaces the kernel from `input` to `output`.
    pub fn with(mut self, output: &str, input: &str, kernel: Kernel<S>) -> Result<Self, AlgebraError> {
        let (row, column) = (self.output_index(output)?, self.input_index(input)?);
        *self.entry_mut(row, column) = kernel;
        Ok(self)
    }

    /// The union of the footprints of all kernels.
    pub fn footprint(&self) -> Result<Footprint, AlgebraError> {
        self.kernels
            .iter()
            .try_fold(Footprint::empty(), |footprint, kernel| footprint.union(kernel.footprint()))
    }

    /// The number of pixels on each side that are invalid in at least one output.
    pub fn border(&self) -> Border {
        self.kernels.iter().fold(Border::default(), |border, kernel| border.union(kernel.border()))
    }

    /// Whether both filters compute the same outputs, in any order, from the same channels. An input that only one of
    /// them has must have zero kernels.
    pub fn equal_values(&self, other: &Self) -> bool {
        let zero = Kernel::zero();
        self.outputs.len() == other.outputs.len()
            && self.outputs.iter().all(|output| {
                position(&other.outputs, output).is_some()
                    && self.inputs.iter().chain(&other.inputs).all(|input| {
                        let [mine, others] =
                            [self, other].map(|filter| filter.kernel(output, input).unwrap_or(&zero));
                        mine.equal_values(others)
                    })
            })
    }

    fn entry(&self, output: usize, input: usize) -> &Kernel<S> {
        &self.kernels[output * self.inputs.len() + input]
    }

    fn entry_mut(&mut self, output: usize, input: usize) -> &mut Kernel<S> {
        let width = self.inputs.len();
        &mut self.kernels[output * width + input]
    }

    fn output_index(&self, name: &str) -> Result<usize, AlgebraError> {
        index_of(&self.outputs, name)
    }

    fn input_index(&self, name: &str) -> Result<usize, AlgebraError> {
        index_of(&self.inputs, name)
    }
}

impl<S: Semiring> fmt::Display for Filter<S> {
    /// Writes a line `output <- input:` and the matrix of the kernel, for every output and every input that it touches.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (output, kernels) in self.rows() {
            for (input, kernel) in self.inputs.iter().zip(kernels) {
                if !kernel.footprint().is_empty() {
                    write!(f, "{separator}{output} <- {input}:\n{kernel}")?;
                    separator = "\n";
                }
            }
        }
        Ok(())
    }
}

fn position(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|known| known == name)
}

fn index_of(names: &[String], name: &str) -> Result<usize, AlgebraError> {
    position(names, name)
        .ok_or_else(|| AlgebraError::UnknownChannel { name: name.to_owned(), known: names.to_vec() })
}

/// Checks that the names are unique.
fn distinct(names: impl IntoIterator<Item = impl Into<String>>) -> Result<Vec<String>, AlgebraError> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let name = name.into();
        if seen.contains(&name) {
            return Err(AlgebraError::RepeatedChannel { name });
        }
        seen.push(name);
    }
    Ok(seen)
}

#[cfg(test)]
mod tests;
