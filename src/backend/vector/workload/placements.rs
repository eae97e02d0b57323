//! The placement of the three tensors of a workload.

use super::{Dim, Layout, Placement, Workload};

/// Coordinates in all loops, in the order of [`Dim::ALL`].
pub type At = [usize; 8];

/// A tensor of a convolution. Its number is its index among the arrays of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operand {
    /// The output.
    Output = 0,
    /// The filter.
    Weights = 1,
    /// The image.
    Input = 2,
}

/// The placement of a workload's tensors, including padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorPlacements {
    /// The output, over `x y z k`.
    pub output: Placement,
    /// The weights, over `r s t c k`.
    pub weights: Placement,
    /// The input, over `x y z c`, all four as coordinates of the input itself.
    pub input: Placement,
    /// Whether output channel `k` reads input channel `k`.
    pub depth_wise: bool,
    /// The columns of the filter, including a column of zeros if columns are paired.
    pub padded_columns: usize,
    /// The number of elements beyond the end of the data that loads of whole vectors may reach.
    pub slack: usize,
    /// Copies of weights, as (place, place of the original).
    pub copies: Vec<(usize, usize)>,
}

impl TensorPlacements {
    /// The tensors of a workload without padding: outputs `k z y x`, weights `k c t s r`, and the pixels that outputs
    /// read, `c z y x`. The last letter is innermost.
    pub fn plain(workload: &Workload) -> Self {
        let place = |layout: &str, extent: &dyn Fn(Dim) -> usize| {
            let layout: Layout = layout.parse().expect("a layout of dimensions");
            layout.place(extent, &[], 1)
        };
        let pixels = workload.pixels();
        Self {
            output: place("KZYX", &|dim| workload.extent(dim)),
            weights: place("KCTSR", &|dim| workload.extent(dim)),
            input: place("CZYX", &|dim| match dim {
                Dim::X => pixels[0],
                Dim::Y => pixels[1],
                Dim::Z => pixels[2],
                _ => pixels[3],
            }),
            depth_wise: workload.depth_wise,
            padded_columns: workload.filter[0],
            slack: 0,
            copies: Vec::new(),
        }
    }

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

    /// For each element of the run-time weights, the number of its tap in the order of the loops `k c t s r`, `r`
    /// innermost. `None` if it is zero.
    pub fn taps(&self, workload: &Workload) -> Vec<Option<usize>> {
        let mut found = vec![None; self.length(Operand::Weights)];
        let [rs, ss, ts, cs] = workload.filter;
        for number in 0..rs * ss * ts * cs * workload.output[3] {
            let place = self.weights.index(|dim| match dim {
                Dim::R => number % rs,
                Dim::S => number / rs % ss,
                Dim::T => number / (rs * ss) % ts,
                Dim::C => number / (rs * ss * ts) % cs,
                Dim::K => number / (rs * ss * ts * cs),
                _ => 0,
            });
            found[place] = Some(number);
        }
        for (place, of) in &self.copies {
            found[*place] = found[*of];
        }
        found
    }

    /// The number of elements of a tensor.
    pub fn length(&self, which: Operand) -> usize {
        match which {
            Operand::Output => self.output.len(),
            Operand::Weights => self.weights.len() + self.slack,
            Operand::Input => self.input.len() + self.slack,
        }
    }
}
