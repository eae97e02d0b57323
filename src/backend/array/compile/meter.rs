//! Predicts the noise of a program's results on a fixed picture.

use crate::algebra::Rational;
use crate::backend::array::machine::{Noise, RegisterId, Target, Transfer};
use crate::backend::array::simulate::{Prediction, predict};
use crate::backend::array::verify::Reach;
use crate::picture::{Image, Pattern};

/// Width and height of the scene: enough pixels for a mean, few enough for thousands of programs.
pub(super) const SIZE: usize = 64;

/// The greatest magnitude of the ends of a range that the scene has integers of.
const MAX_WHOLE: f64 = 1e6;

/// Predicts noise under one model.
pub(super) struct Meter {
    pub(super) noise: Noise,
    /// The least and the greatest pixel.
    pub(super) range: [f64; 2],
    images: Vec<Image>,
}

impl Meter {
    /// A meter for a model (by default the target's first) and a range of inputs (by default the whole range of registers); `None` if
    /// the target has no model.
    pub(super) fn new(
        target: &Target,
        model: Option<&Noise>,
        input_range: Option<[Rational; 2]>,
        channels: usize,
    ) -> Option<Self> {
        let noise = model.or(target.noise.first())?.clone();
        let range = pixels(target, input_range);
        Some(Self { noise, range, images: (0..channels as u64).map(|seed| scene(range, seed)).collect() })
    }

    /// The prediction for each result of a program with its inputs in these registers; `reaches` are the registers' dependences.
    /// `None` if they reach so far that no pixel of the picture is left.
    pub(super) fn predict(
        &self,
        transfers: &[Transfer],
        inputs: &[RegisterId],
        results: &[RegisterId],
        reaches: &[Option<Reach>],
    ) -> Option<Vec<Prediction>> {
        let mut border = [0; 4];
        for reach in results.iter().filter_map(|register| reaches[register.0].as_ref()) {
            let b = reach.border;
            for (own, side) in border.iter_mut().zip([b.west, b.east, b.south, b.north]) {
                *own = side.max(*own as u32) as usize;
            }
        }
        let [west, east, south, north] = border;
        if west + east >= SIZE || south + north >= SIZE {
            return None;
        }
        let images: Vec<(RegisterId, &Image)> = inputs.iter().copied().zip(&self.images).collect();
        predict(transfers, reaches.len(), &images, results, border, &self.noise).ok()
    }
}

/// The least and the greatest pixel of a scene: the range of inputs, by default all that a register holds.
pub(super) fn pixels(target: &Target, input_range: Option<[Rational; 2]>) -> [f64; 2] {
    input_range.unwrap_or(target.range).map(Rational::to_f64)
}

/// A picture of this range, of integers where its ends are integers and otherwise of 256 levels.
pub(super) fn scene([low, high]: [f64; 2], seed: u64) -> Image {
    let synthetic = |range| Image::synthetic(Pattern::Scene, [SIZE; 2], range, seed);
    if [low, high].iter().all(|end| end.fract() == 0.0 && end.abs() <= MAX_WHOLE) {
        return synthetic([low, high].map(|end| end as i64));
    }
    let mut image = synthetic([0, 255]);
    image.paint(|_, _, level| low + (high - low) * level / 255.0);
    image
}

/// The error of all results together: the RMS over results.
pub(super) fn together(predictions: &[Prediction]) -> Prediction {
    let mean = |part: fn(&Prediction) -> f64| {
        let squares: f64 = predictions.iter().map(|p| part(p) * part(p)).sum();
        (squares / predictions.len().max(1) as f64).sqrt()
    };
    Prediction { deviation: mean(|p| p.deviation), bias: mean(|p| p.bias) }
}
