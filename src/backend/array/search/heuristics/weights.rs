//! The weights of the estimate of the cost to go, for instruction sets whose descriptor states none.
//!
//! They were fitted to what the search finds with them: `notebooks/tune.py` varies them, and keeps those with which programs for
//! random kernels get shorter (docs/heuristic.md).

use crate::backend::array::machine::Quantities;
use crate::backend::array::machine::Quantity::{
    Copies, Doublings, Halvings, Inputs, Largest, Lines, Pixels, Reach, Shared, Signs, Span, Steps, Taps,
    Twins, Way, Wide,
};
use crate::backend::array::search::program::recipe::Recipes;

/// For machines whose sums read neighbours directly.
const ALIGNED: Quantities = Quantities::of(&[
    (Shared, 0.1),
    (Taps, 1.4),
    (Pixels, 0.16),
    (Largest, 1.0),
    (Span, 0.25),
    (Way, 0.02),
    (Inputs, -0.4),
    (Steps, 0.15),
    (Signs, 0.1),
    (Twins, 0.3),
    (Halvings, 0.4),
    (Doublings, 0.28),
    (Wide, 0.3),
]);

/// For machines whose sums read neighbours through a wide register.
const THROUGH_WIDE: Quantities = Quantities::of(&[
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

/// For machines with separate move instructions.
const SEPARATE: Quantities = Quantities::of(&[
    (Shared, 0.1),
    (Taps, 1.4),
    (Pixels, 0.16),
    (Largest, 1.0),
    (Span, 0.25),
    (Way, 0.5),
    (Inputs, -0.4),
    (Steps, 0.15),
    (Signs, 0.1),
    (Twins, 0.3),
    (Halvings, 0.4),
    (Doublings, 0.28),
    (Wide, 0.3),
]);

/// The weights for an instruction set.
pub(crate) fn weights(recipes: &Recipes) -> &Quantities {
    match (&recipes.weights, recipes.wide_file) {
        (Some(stated), _) => stated,
        (None, Some(_)) => &THROUGH_WIDE,
        (None, None) if recipes.aligns => &ALIGNED,
        (None, None) => &SEPARATE,
    }
}
