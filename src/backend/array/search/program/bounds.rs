//! Bounds on the contents of registers: with them, a search proposes no step that could overflow a register for an image
//! within the range.

use super::value::{Shapes, Value, View};
use crate::algebra::Rational;

/// The least and greatest values of inputs and of registers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// Of every pixel of every input.
    pub inputs: [f64; 2],
    /// Of every register.
    pub registers: [f64; 2],
}

/// A tolerance for rounded thirds: a kernel of the search that exceeds a bound exceeds it by more than this.
const ROUNDING: f64 = 1e-9;

impl Bounds {
    /// The bounds of inputs and registers, each the least and the greatest value.
    pub fn new(inputs: [Rational; 2], registers: [Rational; 2]) -> Self {
        let [inputs, registers] = [inputs, registers].map(|range| range.map(Rational::to_f64));
        Self { inputs, registers }
    }

    /// Whether Σ view(value) stays within a register's range. The extremes are attained by the image that is greatest
    /// under a kernel's positive and least under its negative coefficients.
    pub(crate) fn hold(&self, terms: &[(Value, View)], shapes: &mut Shapes) -> bool {
        let Some([positive, negative]) = shapes.halves_of(terms) else { return false };
        let [low, high] = self.inputs;
        let least = positive * low - negative * high;
        let greatest = positive * high - negative * low;
        least >= self.registers[0] - ROUNDING && greatest <= self.registers[1] + ROUNDING
    }
}
