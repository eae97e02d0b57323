//! A convolution of fixed sizes.

use super::{Dim, Element, Schedule};

/// What is known of the weights when code is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Weights {
    /// Nothing: they are data of the run. No algebra may look at them.
    RunTime,
    /// All of them, in the order of the loops `k c t s r`, `r` innermost.
    Known(Vec<i64>),
}

/// A convolution of fixed sizes, stride 1: `out(x, y, z, k) = Σ w(r, s, t, c, k) · in(x + r, y + s, z + t, c)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// The type of all three tensors.
    pub element: Element,
    /// The extents of the output in `x y z k`.
    pub output: [usize; 4],
    /// The extents of the filter in `r s t c`; `c` is 1 where each output channel reads one input channel only.
    pub filter: [usize; 4],
    /// The extents of the input in `x y z` and its channels, borders and padding included.
    pub input: [usize; 4],
    /// Whether these are the extents of the array that the program is given, so rows and planes of the input lie that far apart;
    /// else they are as far apart as the machine needs them.
    pub laid_out: bool,
    /// The column and row of the window that lies under its output; that of a filter's offset zero.
    pub centre: [i64; 2],
    /// Whether output channel `k` reads input channel `k`, and no other.
    pub depth_wise: bool,
    /// The weights.
    pub weights: Weights,
    /// The bits that a result is shifted right by when it is stored, halves towards greater values.
    pub shift: u32,
    /// The least and greatest value of an input element.
    pub range: [i64; 2],
    /// How far an output may be from the exact result, after its shift; what is within it is computed in narrower types.
    pub tolerance: u64,
    /// The schedule that was published with it.
    pub published: Option<Schedule>,
}

impl Workload {
    /// A plane convolution with known weights over a tile: the extents of the tile in `x y`, of the window in `r s`, and the numbers
    /// of output and input channels. Results are not shifted, inputs take all values of their type, and every output is exact.
    pub fn known(
        name: impl Into<String>,
        element: Element,
        [width, height]: [usize; 2],
        [columns, rows]: [usize; 2],
        [outputs, inputs]: [usize; 2],
        values: Vec<i64>,
    ) -> Self {
        Self {
            name: name.into(),
            doc: String::new(),
            element,
            output: [width, height, 1, outputs],
            filter: [columns, rows, 1, inputs],
            input: [width + columns - 1, height + rows - 1, 1, inputs],
            laid_out: false,
            centre: [0, 0],
            depth_wise: false,
            weights: Weights::Known(values),
            shift: 0,
            range: element.range(),
            tolerance: 0,
            published: None,
        }
    }

    /// The multiplications of the direct form.
    pub fn macs(&self) -> usize {
        self.output.iter().product::<usize>() * self.filter.iter().product::<usize>()
    }

    /// The input's pixels that outputs are made of, in `x y z` and channels.
    pub fn pixels(&self) -> [usize; 4] {
        let [x, y, z] = [0, 1, 2].map(|d| self.output[d] + self.filter[d] - 1);
        [x, y, z, self.input[3]]
    }

    /// The extent of a loop.
    pub fn extent(&self, dim: Dim) -> usize {
        let at = |dims: [Dim; 4]| dims.iter().position(|d| *d == dim);
        match (at(Dim::OUTPUT), at(Dim::REDUCTION)) {
            (Some(at), _) => self.output[at],
            (_, Some(at)) => self.filter[at],
            (None, None) => unreachable!("a dimension is one of outputs or one that is summed over"),
        }
    }

    /// A weight that is known; `None` for weights of the run.
    pub fn weight(&self, [r, s, t, c]: [usize; 4], k: usize) -> Option<i64> {
        let Weights::Known(values) = &self.weights else { return None };
        let [rs, ss, ts, cs] = self.filter;
        values.get((((k * cs + c) * ts + t) * ss + s) * rs + r).copied()
    }
}
