//! The quantities of which the estimate of the cost to go is a weighted sum, and their weights.
//!
//! The weights were fitted by least squares, within searches, to the actual costs from states of beams on random kernels:
//! `kalg bench --heuristic` collects such states, and `notebooks/heuristic.ipynb` draws the kernels and fits the weights.
//! A fit is kept only where programs for other kernels got shorter with it (docs/heuristic.md).

use crate::backend::array::search::program::recipe::Recipes;

/// The quantities of which the estimate is a weighted sum; also used for their weights, in instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantities {
    /// The steps of the known decompositions.
    pub shared: f32,
    /// The binary logarithm of one plus the number of taps.
    pub taps: f32,
    /// Σ log2(1 + |coefficient|) over the pixels read, each with its largest coefficient; damped for large kernels.
    pub pixels: f32,
    /// log2(1 + |coefficient|) of the largest coefficient.
    pub largest: f32,
    /// The extent of the pixels along both axes.
    pub span: f32,
    /// The distances from the pixels read to the pixel computed.
    pub way: f32,
    /// The inputs needed unchanged.
    pub inputs: f32,
    /// The steps of single taps from their places to where they are used.
    pub steps: f32,
    /// The single taps whose sign differs from that of their copies.
    pub signs: f32,
    /// The values needed twice.
    pub twins: f32,
    /// The halvings on one path.
    pub halvings: f32,
    /// The doublings on one path.
    pub doublings: f32,
    /// The kernels in the wide register.
    pub wide: f32,
    /// The distances of the values from the pixel computed.
    pub reach: f32,
    /// The values whose kernel another value has, at any place and scale.
    pub copies: f32,
    /// The distinct rows of the kernels, up to factor and place, that no input has.
    pub lines: f32,
}

/// How many there are.
const QUANTITIES: usize = 16;

/// Their names, in the order of their fields.
const NAMES: [&str; QUANTITIES] = [
    "shared",
    "taps",
    "pixels",
    "largest",
    "span",
    "way",
    "inputs",
    "steps",
    "signs",
    "twins",
    "halvings",
    "doublings",
    "wide",
    "reach",
    "copies",
    "lines",
];

/// The weights for machines whose sums read neighbours directly, for machines whose sums do so through a wide register, and for
/// machines with separate move instructions.
const WEIGHTS: [Quantities; 3] = {
    let usual = Quantities {
        shared: 0.1,
        taps: 1.4,
        pixels: 0.16,
        largest: 1.0,
        span: 0.25,
        way: 0.02,
        inputs: -0.4,
        steps: 0.15,
        signs: 0.1,
        twins: 0.3,
        halvings: 0.4,
        doublings: 0.28,
        wide: 0.3,
        reach: 0.0,
        copies: 0.0,
        lines: 0.0,
    };
    let through_wide = Quantities {
        shared: 0.23,
        taps: 0.3,
        pixels: 0.06,
        largest: 1.25,
        span: 0.3,
        way: 0.07,
        inputs: -0.5,
        steps: 0.07,
        signs: 0.1,
        twins: 0.0,
        halvings: 0.4,
        doublings: 0.13,
        wide: 0.1,
        reach: 0.2,
        copies: 0.3,
        lines: 0.4,
    };
    [usual, through_wide, Quantities { way: 0.5, ..usual }]
};

impl Quantities {
    /// The weights for an instruction set.
    pub(crate) fn weights(recipes: &Recipes) -> &'static Self {
        match recipes.wide_file {
            Some(_) => &WEIGHTS[1],
            None if recipes.aligns => &WEIGHTS[0],
            None => &WEIGHTS[2],
        }
    }

    /// All of them, with their names.
    pub fn named(&self) -> [(&'static str, f32); QUANTITIES] {
        let values = self.values();
        std::array::from_fn(|at| (NAMES[at], values[at]))
    }

    /// All of them, in the order of their names.
    fn values(&self) -> [f32; QUANTITIES] {
        [
            self.shared,
            self.taps,
            self.pixels,
            self.largest,
            self.span,
            self.way,
            self.inputs,
            self.steps,
            self.signs,
            self.twins,
            self.halvings,
            self.doublings,
            self.wide,
            self.reach,
            self.copies,
            self.lines,
        ]
    }

    /// The weighted sum.
    pub(super) fn weighed(&self, weights: &Self) -> f32 {
        self.values().iter().zip(weights.values()).map(|(quantity, weight)| quantity * weight).sum()
    }
}
