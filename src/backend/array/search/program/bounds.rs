//! What registers may hold: a search within bounds proposes no step that leaves more in a register, for some image of the
//! range, than the machine's registers hold.

use super::value::{Shapes, Value, View};

/// The least and greatest values of inputs and of registers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// Of every pixel of every input.
    pub inputs: [f64; 2],
    /// Of every register.
    pub registers: [f64; 2],
}

/// Thirds are rounded; a kernel of the search that is farther from a bound than this is not over it by rounding.
const ROUNDING: f64 = 1e-9;

impl Bounds {
    /// Whether Σ view(value) stays within what a register holds. The extremes are reached, by the image that is greatest
    /// under a kernel's positive and least under its negative coefficients.
    pub(crate) fn hold(&self, terms: &[(Value, View)], shapes: &mut Shapes) -> bool {
        let Some([positive, negative]) = shapes.halves_of(terms) else { return false };
        let [low, high] = self.inputs;
        let least = positive * low - negative * high;
        let greatest = positive * high - negative * low;
        least >= self.registers[0] - ROUNDING && greatest <= self.registers[1] + ROUNDING
    }
}
