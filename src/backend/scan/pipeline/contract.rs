//! What the function of a pipeline is given, in C and in Rust: pictures of what types, of which sizes.

use std::collections::BTreeSet;
use std::iter::zip;

use crate::algebra::Rational;
use crate::backend::scan::machine::Storage;
use crate::pipeline::Pipeline;

use super::loops::Loops;
use super::plans::pixel_storage;

impl Loops<'_> {
    /// The types of the pixels of inputs and of outputs.
    pub(super) fn pixels(&self) -> [Vec<Storage>; 2] {
        let Pipeline { inputs, outputs, .. } = &self.compiled.pipeline;
        [
            inputs.iter().map(|input| pixel_storage(input.pixel)).collect(),
            outputs.iter().map(|output| pixel_storage(output.pixel)).collect(),
        ]
    }

    /// The parameters that do not have the rate of the base grid.
    pub(super) fn other_rates(&self) -> Vec<(String, [Rational; 2])> {
        let Pipeline { inputs, outputs, .. } = &self.compiled.pipeline;
        let inputs = zip(inputs, &self.ports.inputs).map(|(input, name)| (format!("in_{name}"), input.rate));
        let outputs =
            zip(outputs, &self.ports.outputs).map(|(output, name)| (format!("out_{name}"), output.rate));
        inputs.chain(outputs).filter(|(_, rate)| *rate != [Rational::ONE; 2]).collect()
    }

    /// The sides of pictures that must be whole at all rates: `side` times the first number, divided by the second.
    pub(super) fn wholes(&self) -> BTreeSet<(&'static str, i64, i64)> {
        let sides = self.rates.iter().flat_map(|[x, y]| [("width", x), ("height", y)]);
        let broken = sides.filter(|(_, along)| !along.is_integer());
        broken.map(|(side, along)| (side, along.numerator(), along.denominator())).collect()
    }
}
