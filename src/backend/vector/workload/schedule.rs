//! Schedules of a convolution: vectorised loop, unroll factors, loop order and data layouts.

use std::fmt;

use super::{Dim, Layout};

/// A point of the search space of Vyasa. Reduction loops are always unrolled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The loop whose iterations are lanes.
    pub vector: Dim,
    /// Unroll-and-jam factors of the loops `x y z k`, in vectors for the vectorised loop.
    pub unroll: [usize; 4],
    /// The loops over outputs, outermost first. The last one with more than one iteration is software-pipelined.
    pub order: Vec<Dim>,
    /// The layouts of the tensors.
    pub layouts: Layouts,
}

/// The layouts of the three tensors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layouts {
    /// The layout of the output, over `x y z k`.
    pub output: Layout,
    /// The layout of the weights, over `r s t c k`.
    pub weights: Layout,
    /// The layout of the input, over `x y z c`.
    pub input: Layout,
}

impl Schedule {
    /// The unroll-and-jam factor of an output loop; 1 for the others.
    pub fn unroll(&self, dim: Dim) -> usize {
        Dim::OUTPUT.iter().position(|d| *d == dim).map_or(1, |at| self.unroll[at])
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vector {}, order ", self.vector)?;
        for dim in &self.order {
            write!(f, "{dim}")?;
        }
        let unrolled: Vec<String> = Dim::OUTPUT
            .iter()
            .filter(|dim| self.unroll(**dim) > 1)
            .map(|dim| format!("{dim} by {}", self.unroll(*dim)))
            .collect();
        if !unrolled.is_empty() {
            write!(f, ", unrolled {}", unrolled.join(" and "))?;
        }
        let Layouts { output, weights, input } = &self.layouts;
        write!(f, ", layouts {output} {weights} {input}")
    }
}
