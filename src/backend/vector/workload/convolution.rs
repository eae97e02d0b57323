//! A convolution of fixed sizes.

use super::{Dim, Element, Schedule};

/// The weights that are known when code is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Weights {
    /// None: weights are run-time data, and no algebra may use them.
    RunTime,
    /// All of them, in the order of the loops `k c t s r`, `r` innermost.
    Known(Vec<i64>),
}

/// A convolution of fixed sizes, stride 1: `out(x, y, z, k) = Σ w(r, s, t, c, k) · in(x + r, y + s, z + t, c)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// The description.
    pub doc: String,
    /// The element type of all three tensors.
    pub element: Element,
    /// The extents of the output in `x y z k`.
    pub output: [usize; 4],
    /// The extents of the filter in `r s t c`; `c` is 1 if each output channel reads only one input channel.
    pub filter: [usize; 4],
    /// The extents of the input in `x y z` and its channels, including borders and padding.
    pub input: [usize; 4],
    /// Whether these are the extents of the array that the caller passes, which fix the distances between rows and
    /// planes. Otherwise the machine's needs determine the distances.
    pub laid_out: bool,
    /// The column and row of the window under its output: those of a filter's offset zero.
    pub centre: [i64; 2],
    /// Whether output channel `k` reads only input channel `k`.
    pub depth_wise: bool,
    /// The weights.
    pub weights: Weights,
    /// The right shift of a result when it is stored, in bits. Halves are rounded up.
    pub shift: u32,
    /// The least and the greatest value of an input element.
    pub range: [i64; 2],
    /// The maximum error of an output, after its shift. Computations within it may use narrower types.
    pub tolerance: u64,
    /// The published schedule.
    pub published: Option<Schedule>,
}

impl Workload {
    /// Creates a planar convolution with known weights over a tile, from the extents of the tile in `x y` and of the
    /// window in `r s`, and the numbers of output and input channels. Results are not shifted, inputs take all values
    /// of their type, and every output is exact.
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

    /// The coordinates `x y z k` of all outputs.
    pub fn outputs(&self) -> impl Iterator<Item = [usize; 4]> + use<> {
        let [xs, ys, zs, ks] = self.output;
        (0..xs * ys * zs * ks).map(move |i| [i % xs, i / xs % ys, i / (xs * ys) % zs, i / (xs * ys * zs)])
    }

    /// The number of multiplications of the direct form.
    pub fn macs(&self) -> usize {
        self.output.iter().product::<usize>() * self.filter.iter().product::<usize>()
    }

    /// The extents of the input pixels that the outputs read, in `x y z` and channels.
    pub fn pixels(&self) -> [usize; 4] {
        let [x, y, z] = [0, 1, 2].map(|d| self.output[d] + self.filter[d] - 1);
        [x, y, z, self.input[3]]
    }

    /// The coefficient of the greatest magnitude that does not fit a type, or `None` if all fit or none is known.
    pub fn beyond(&self, element: Element) -> Option<i64> {
        let Weights::Known(values) = &self.weights else { return None };
        element.beyond(values)
    }

    /// The coefficients of each output, in the order `c t s r`. Empty for run-time weights.
    pub fn kernels(&self) -> impl Iterator<Item = &[i64]> {
        let values = match &self.weights {
            Weights::Known(values) => &values[..],
            Weights::RunTime => &[],
        };
        values.chunks(self.filter.iter().product::<usize>().max(1))
    }

    /// The greatest possible magnitude of a sum of an output's products, in any order of summation.
    pub fn reach(&self) -> i128 {
        let magnitude = |range: [i64; 2]| i128::from(range[0]).abs().max(i128::from(range[1]).abs());
        let weights = match self.weights {
            Weights::RunTime => {
                magnitude(self.element.range()) * self.filter.iter().product::<usize>() as i128
            }
            Weights::Known(_) => {
                let all = |kernel: &[i64]| kernel.iter().map(|value| i128::from(*value).abs()).sum();
                self.kernels().map(all).max().unwrap_or(0)
            }
        };
        weights * magnitude(self.range)
    }

    /// The least and the greatest output for inputs in a range, shifted, before saturation. `None` for run-time weights.
    pub fn bounds(&self, range: [i64; 2]) -> Option<[i128; 2]> {
        let half = if self.shift == 0 { 0 } else { 1i128 << (self.shift - 1) };
        let of = |kernel: &[i64]| {
            let ends = kernel.iter().map(|value| range.map(|end| i128::from(end) * i128::from(*value)));
            let sums = ends.fold([0; 2], |[low, high], [a, b]| [low + a.min(b), high + a.max(b)]);
            sums.map(|sum| (sum + half) >> self.shift)
        };
        self.kernels().map(of).reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])
    }

    /// The largest part of the inputs' range, limited to one distance from zero on both sides, for which no output
    /// saturates. `None` if there is none, or the weights are unknown.
    pub fn unsaturated(&self) -> Option<[i64; 2]> {
        let [least, greatest] = self.element.range().map(i128::from);
        let [low, high] = self.range;
        let within = |most: i64| [low.max(-most), high.min(most)];
        let fits = |most: i64| {
            let range = within(most);
            range[0] <= range[1]
                && self.bounds(range).is_some_and(|[low, high]| least <= low && high <= greatest)
        };
        let nearest = low.max(0).max(-high);
        let (mut fitting, mut beyond) = (nearest, low.saturating_abs().max(high.saturating_abs()) + 1);
        while fitting + 1 < beyond {
            let middle = fitting + (beyond - fitting) / 2;
            if fits(middle) { fitting = middle } else { beyond = middle }
        }
        fits(fitting).then(|| within(fitting))
    }

    /// A lower bound on the bytes of its outputs, inputs and run-time weights.
    pub fn bytes(&self) -> usize {
        let weights = match self.weights {
            Weights::Known(_) => 0,
            Weights::RunTime => self.filter.iter().product::<usize>() * self.output[3],
        };
        let count = |extents: [usize; 4]| extents.iter().product::<usize>();
        (count(self.output) + count(self.input) + weights) * self.element.bytes()
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

    /// A known weight, or `None` for run-time weights.
    pub fn weight(&self, [r, s, t, c]: [usize; 4], k: usize) -> Option<i64> {
        let Weights::Known(values) = &self.weights else { return None };
        let [rs, ss, ts, cs] = self.filter;
        values.get((((k * cs + c) * ts + t) * ss + s) * rs + r).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_saturate_no_output_are_the_largest_range() {
        let of = |values: &[i64], shift: u32, range: [i64; 2]| {
            let known =
                Workload::known("f", Element::Int16, [16, 1], [values.len(), 1], [1, 1], values.to_vec());
            Workload { shift, range, ..known }
        };
        let box_15 = of(&[225], 0, [0, 255]);
        assert_eq!((box_15.bounds([0, 255]), box_15.reach()), (Some([0, 57375]), 57375));
        assert_eq!(box_15.unsaturated(), Some([0, 145]));
        assert_eq!(of(&[225], 1, [0, 255]).unsaturated(), Some([0, 255]));
        assert_eq!(of(&[300, -300], 0, [-128, 127]).unsaturated(), Some([-54, 54]));
        assert_eq!(of(&[1000], 0, [100, 255]).unsaturated(), None);
        assert_eq!(of(&[40000], 0, [0, 255]).unsaturated(), Some([0, 0]));
        assert_eq!(of(&[3, 40000, -50000], 0, [0, 1]).beyond(Element::Int16), Some(-50000));
    }
}
