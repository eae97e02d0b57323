//! Where the three tensors of a workload lie.

use super::{Dim, Placement};

/// Coordinates in all loops, in the order of [`Dim::ALL`].
pub type At = [usize; 8];

/// A tensor of a convolution; as a number, its place among the arrays of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operand {
    /// What is written.
    Output = 0,
    /// The filter.
    Weights = 1,
    /// The image.
    Input = 2,
}

/// Where the tensors of a workload lie, padding included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The output, over `x y z k`.
    pub output: Placement,
    /// The weights, over `r s t c k`.
    pub weights: Placement,
    /// The input, over `x y z c`, all four as coordinates of the input itself.
    pub input: Placement,
    /// Whether output channel `k` reads input channel `k`.
    pub depth_wise: bool,
    /// The columns of the filter, with a column of zeros where they are paired.
    pub padded_columns: usize,
    /// Elements beyond the end of what is read that loads of whole vectors may reach.
    pub slack: usize,
}

impl Placed {
    /// The place in a tensor that the iteration with coordinates `at` uses.
    pub fn place(&self, which: Operand, at: &At) -> usize {
        let of = |dim: Dim| at[dim.index()];
        match which {
            Operand::Output => self.output.index(of),
            Operand::Weights => self.weights.index(of),
            Operand::Input => self.input.index(|dim| match dim {
                Dim::X => of(Dim::X) + of(Dim::R),
                Dim::Y => of(Dim::Y) + of(Dim::S),
                Dim::Z => of(Dim::Z) + of(Dim::T),
                Dim::C if self.depth_wise => of(Dim::K),
                dim => of(dim),
            }),
        }
    }

    /// The elements of a tensor.
    pub fn length(&self, which: Operand) -> usize {
        match which {
            Operand::Output => self.output.len(),
            Operand::Weights => self.weights.len() + self.slack,
            Operand::Input => self.input.len() + self.slack,
        }
    }
}
