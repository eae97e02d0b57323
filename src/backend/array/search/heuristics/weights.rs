//! The weights of the estimate of the cost to go, for instruction sets whose descriptor states none.
//!
//! They were fitted to what the search finds with them: `notebooks/tune.py` varies them, and keeps those with which programs for
//! random kernels get shorter (docs/heuristic.md).

use crate::backend::array::machine::Quantities;
use crate::backend::array::machine::Quantity::{
    Copies, Digits, Doublings, Halvings, Inputs, Kernels, Largest, Lines, Magnitude, Pixels, Reach, Shared,
    Signs, Span, Steps, Taps, Twins, Way, Weights, Wide,
};
use crate::backend::array::search::program::recipe::Recipes;

/// For machines whose sums read neighbours directly.
const ALIGNED: Quantities = Quantities::of(&[
    (Shared, 0.08),
    (Taps, 1.84),
    (Pixels, 0.06),
    (Largest, 0.81),
    (Span, 0.34),
    (Way, 0.04),
    (Inputs, -0.48),
    (Steps, 0.07),
    (Twins, 0.44),
    (Halvings, 0.36),
    (Doublings, 0.26),
    (Wide, 0.36),
    (Reach, 0.16),
    (Copies, -0.06),
    (Lines, 0.03),
    (Kernels, -0.36),
    (Digits, 0.06),
    (Magnitude, 0.47),
    (Weights, 0.1),
]);

/// For machines whose sums read neighbours through a wide register.
const THROUGH_WIDE: Quantities = Quantities::of(&[
    (Shared, 0.38),
    (Taps, 0.37),
    (Pixels, 0.01),
    (Largest, 0.87),
    (Span, 0.39),
    (Way, 0.06),
    (Inputs, -0.38),
    (Steps, 0.03),
    (Signs, 0.14),
    (Halvings, 0.42),
    (Doublings, 0.17),
    (Wide, 0.15),
    (Reach, 0.2),
    (Copies, 0.36),
    (Lines, 0.29),
    (Digits, 0.01),
    (Magnitude, 0.23),
    (Weights, 0.1),
]);

/// For machines with separate move instructions.
const SEPARATE: Quantities = Quantities::of(&[
    (Shared, 0.09),
    (Taps, 1.93),
    (Pixels, 0.18),
    (Largest, 0.57),
    (Span, 0.26),
    (Way, 0.55),
    (Inputs, -0.24),
    (Steps, 0.09),
    (Signs, 0.11),
    (Twins, 0.42),
    (Halvings, 0.49),
    (Doublings, 0.29),
    (Wide, 0.35),
    (Reach, -0.04),
    (Lines, 0.09),
    (Kernels, -0.18),
    (Digits, 0.04),
    (Magnitude, 0.14),
    (Weights, 0.08),
]);

/// For machines whose sums read neighbours through a wide register, in perturbed beams and local search: the weights from
/// which those above were fitted. Without these, 21 of 112 random filters got longer programs by the fit, with them 15 (400 nodes).
const OTHERS_THROUGH_WIDE: Quantities = Quantities::of(&[
    (Shared, 0.23),
    (Taps, 0.3),
    (Pixels, 0.06),
    (Largest, 1.25),
    (Span, 0.3),
    (Way, 0.07),
    (Inputs, -0.5),
    (Steps, 0.07),
    (Signs, 0.1),
    (Halvings, 0.4),
    (Doublings, 0.13),
    (Wide, 0.1),
    (Reach, 0.2),
    (Copies, 0.3),
    (Lines, 0.4),
]);

/// The weights for an instruction set; `other` chooses those of perturbed beams and local search.
pub(crate) fn weights(recipes: &Recipes, other: bool) -> &Quantities {
    let [usual, others] = match (&recipes.weights, recipes.wide_file) {
        (Some(stated), _) => [stated; 2],
        (None, Some(_)) => [&THROUGH_WIDE, &OTHERS_THROUGH_WIDE],
        (None, None) if recipes.aligns => [&ALIGNED; 2],
        (None, None) => [&SEPARATE; 2],
    };
    if other { others } else { usual }
}
