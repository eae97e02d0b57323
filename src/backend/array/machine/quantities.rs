//! The quantities of which the search's estimate of the cost to go is a weighted sum.
//!
//! The search computes them (`search/heuristics/cost_to_go.rs`). A descriptor may state their weights for an instruction set.

use std::ops::{Index, IndexMut};

/// A quantity of a search state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The steps of the known decompositions.
    Shared,
    /// The binary logarithm of one plus the number of taps.
    Taps,
    /// Σ log2(1 + |coefficient|) over the pixels read, each with its largest coefficient; damped for large kernels.
    Pixels,
    /// log2(1 + |coefficient|) of the largest coefficient.
    Largest,
    /// The extent of the pixels along both axes.
    Span,
    /// The distances from the pixels read to the pixel computed.
    Way,
    /// The inputs needed unchanged.
    Inputs,
    /// The steps of single taps from their places to where they are used.
    Steps,
    /// The single taps whose sign differs from that of their copies.
    Signs,
    /// The values needed twice.
    Twins,
    /// The halvings on one path.
    Halvings,
    /// The doublings on one path.
    Doublings,
    /// The kernels in the wide register.
    Wide,
    /// The distances of the values from the pixel computed.
    Reach,
    /// The values whose kernel another value has, at any place and scale.
    Copies,
    /// The distinct rows of the kernels, up to factor and place, that no input has.
    Lines,
    /// The distinct kernels but for single taps.
    Kernels,
    /// The signed digits of their weights.
    Digits,
    /// The binary logarithm of one plus these digits.
    Magnitude,
    /// The distinct absolute values of their weights.
    Weights,
}

/// How many there are.
const COUNT: usize = 20;

impl Quantity {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); COUNT] = [
        (Self::Shared, "shared"),
        (Self::Taps, "taps"),
        (Self::Pixels, "pixels"),
        (Self::Largest, "largest"),
        (Self::Span, "span"),
        (Self::Way, "way"),
        (Self::Inputs, "inputs"),
        (Self::Steps, "steps"),
        (Self::Signs, "signs"),
        (Self::Twins, "twins"),
        (Self::Halvings, "halvings"),
        (Self::Doublings, "doublings"),
        (Self::Wide, "wide"),
        (Self::Reach, "reach"),
        (Self::Copies, "copies"),
        (Self::Lines, "lines"),
        (Self::Kernels, "kernels"),
        (Self::Digits, "digits"),
        (Self::Magnitude, "magnitude"),
        (Self::Weights, "weights"),
    ];
}

/// The quantities of a state, or their weights, in instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantities([f32; COUNT]);

impl Quantities {
    /// These, and nothing of the others.
    pub(in crate::backend::array) const fn of(values: &[(Quantity, f32)]) -> Self {
        let mut all = [0.0; COUNT];
        let mut at = 0;
        while at < values.len() {
            all[values[at].0 as usize] = values[at].1;
            at += 1;
        }
        Self(all)
    }

    /// All of them, with their names.
    pub fn named(&self) -> [(&'static str, f32); COUNT] {
        Quantity::ALL.map(|(quantity, name)| (name, self[quantity]))
    }

    /// The weighted sum.
    pub(in crate::backend::array) fn weighed(&self, weights: &Self) -> f32 {
        self.0.iter().zip(weights.0).map(|(quantity, weight)| quantity * weight).sum()
    }
}

impl Index<Quantity> for Quantities {
    type Output = f32;

    fn index(&self, quantity: Quantity) -> &f32 {
        &self.0[quantity as usize]
    }
}

impl IndexMut<Quantity> for Quantities {
    fn index_mut(&mut self, quantity: Quantity) -> &mut f32 {
        &mut self.0[quantity as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_has_its_place_and_another_name() {
        for (place, (quantity, name)) in Quantity::ALL.into_iter().enumerate() {
            assert_eq!(quantity as usize, place);
            assert_eq!(Quantity::ALL.iter().filter(|(_, other)| *other == name).count(), 1);
        }
    }
}
