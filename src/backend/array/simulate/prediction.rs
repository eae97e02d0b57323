//! The effect of noise on results, computed rather than sampled.
//!
//! A program is linear, and so is the effect of noise. Every write adds a noise field, independent of all others and from pixel
//! to pixel. The field reaches a result through the kernel from that write to the result. Its share of the result's variance is
//! the field's variance times the sum of the squared coefficients of that kernel. A fixed pattern is one
//! field per register, so its kernels over all writes to the register are added up first. A gain is not noise: it changes the
//! function that the program computes, and the difference is measured on an image.

use super::pixel_array::{Options, PixelArray, SimError};
use crate::algebra::Offset;
use crate::backend::array::machine::{Noise, RegisterId, Transfer};
use crate::picture::Image;

/// The error of a result against an ideal machine, in units of pixel values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// The standard deviation of the noise, over repetitions and machines.
    pub deviation: f64,
    /// The RMS difference that remains when repetitions and machines are averaged: the effect of a gain other than one.
    pub bias: f64,
}

impl Prediction {
    /// The RMS error.
    pub fn rms_error(&self) -> f64 {
        self.deviation.hypot(self.bias)
    }
}

/// The coefficients with which the value of a register at p + offset enters a result at p, by offset.
type Gains = Vec<(Offset, f64)>;

/// Predicts the error of each result of a program under a noise model, without saturation. The gain's bias and the relative
/// noise depend on the inputs' `images`, to first order in the noise; all other noise does not. Pixels within `border`
/// (west, east, south, north) of an edge are ignored.
///
/// # Errors
/// [`SimError::ImageSize`] if the images differ in size.
pub fn predict(
    transfers: &[Transfer],
    registers: usize,
    images: &[(RegisterId, &Image)],
    results: &[RegisterId],
    border: [usize; 4],
    noise: &Noise,
) -> Result<Vec<Prediction>, SimError> {
    let size = images.first().map_or([1, 1], |(_, image)| [image.width(), image.height()]);
    let machine = |noise: Option<Noise>| {
        let options = Options { saturation: None, noise: noise.map(|noise| (noise, 0)) };
        let mut machine = PixelArray::new(registers, size, 0.0, options);
        for (register, image) in images {
            machine.set(*register, image)?;
        }
        Ok::<_, SimError>(machine)
    };
    // The mean over all repetitions has the gain but no noise.
    let mean = Noise { fixed_pattern: 0.0, temporal: 0.0, relative: 0.0, ..noise.clone() };
    let mut shown = machine(Some(mean))?;
    let mut variances = Vec::with_capacity(transfers.len());
    for transfer in transfers {
        let mut variance = noise.temporal * noise.temporal;
        if noise.relative != 0.0 {
            let square = mean_square(&shown.magnitude(transfer), border);
            variance += noise.relative * noise.relative * square;
        }
        variances.push(variance);
        shown.execute(std::slice::from_ref(transfer));
    }
    let mut ideal = machine(None)?;
    if noise.gain != 1.0 {
        ideal.execute(transfers);
    }
    let predicted = |result: &RegisterId| {
        let deviation = variance(transfers, registers, *result, noise, &variances).sqrt();
        let bias = match noise.gain == 1.0 {
            true => 0.0,
            false => mean_square(&difference(&shown.image(*result), &ideal.image(*result)), border).sqrt(),
        };
        Prediction { deviation, bias }
    };
    Ok(results.iter().map(predicted).collect())
}

/// The variance of a result, from the variance `own` of each transfer's noise. Works backwards from the result to the inputs.
fn variance(transfers: &[Transfer], registers: usize, result: RegisterId, noise: &Noise, own: &[f64]) -> f64 {
    let mut gains: Vec<Gains> = vec![Gains::new(); registers];
    let mut fixed: Vec<Gains> = gains.clone();
    gains[result.0].push(([0; 3], 1.0));
    let mut variance = 0.0;
    for (transfer, own) in transfers.iter().zip(own).rev() {
        let mut sum = Gains::new();
        for write in &transfer.writes {
            let gain = std::mem::take(&mut gains[write.register.0]);
            variance += own * square(&gain);
            sum = added(sum, &gain, write.offset, noise.gain);
            let pattern = &mut fixed[write.register.0];
            *pattern = added(std::mem::take(pattern), &gain, [0; 3], 1.0);
        }
        for (read, weight) in &transfer.reads {
            let gain = &mut gains[read.register.0];
            *gain = added(std::mem::take(gain), &sum, read.offset, weight.to_f64());
        }
    }
    let pattern: f64 = fixed.iter().map(square).sum();
    variance + noise.fixed_pattern * noise.fixed_pattern * pattern
}

fn square(gain: &Gains) -> f64 {
    gain.iter().map(|(_, c)| c * c).sum()
}

/// `to` plus `weight` times `other` shifted by `by`. A shift keeps the order of offsets, so the two sorted lists are merged.
fn added(to: Gains, other: &Gains, by: Offset, weight: f64) -> Gains {
    let mut sum = Gains::with_capacity(to.len().max(other.len()));
    let mut rest = to.into_iter().peekable();
    for (offset, coefficient) in other {
        let offset = [0, 1, 2].map(|axis| offset[axis] + by[axis]);
        while let Some(before) = rest.next_if(|(o, _)| *o < offset) {
            sum.push(before);
        }
        let same = rest.next_if(|(o, _)| *o == offset).map_or(0.0, |(_, c)| c);
        sum.push((offset, same + weight * coefficient));
    }
    sum.extend(rest);
    sum
}

fn difference(a: &Image, b: &Image) -> Image {
    let pixels = a.pixels().iter().zip(b.pixels()).map(|(a, b)| a - b).collect();
    Image::from_pixels(a.width(), a.height(), pixels).expect("both images have one size")
}

/// The mean square of the pixels inside the border, or of all pixels if none is inside.
fn mean_square(image: &Image, [west, east, south, north]: [usize; 4]) -> f64 {
    let inside = |from: usize, to: usize, size: usize| match size.checked_sub(to) {
        Some(end) if from < end => from..end,
        _ => 0..size,
    };
    let (columns, rows) = (inside(west, east, image.width()), inside(south, north, image.height()));
    let count = (columns.len() * rows.len()).max(1) as f64;
    rows.map(|y| image.row(y)[columns.clone()].iter().map(|v| v * v).sum::<f64>()).sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;
    use crate::backend::array::machine::Access;
    use crate::picture::Pattern;
    use proptest::prelude::*;

    const REGISTERS: usize = 3;
    const SIZE: usize = 48;
    const BORDER: [usize; 4] = [8; 4];

    fn noise(gain: f64, fixed_pattern: f64, temporal: f64, relative: f64) -> Noise {
        Noise { name: String::new(), source: String::new(), gain, fixed_pattern, temporal, relative }
    }

    fn access(register: usize, x: i32, y: i32) -> Access {
        Access { register: RegisterId(register), offset: [x, y, 0] }
    }

    /// The error of a result over `seeds` machines.
    fn sampled(transfers: &[Transfer], image: &Image, noise: &Noise, seeds: u64) -> f64 {
        let run = |options: Options| {
            let mut machine = PixelArray::new(REGISTERS, [SIZE, SIZE], 0.0, options);
            machine.set(RegisterId(0), image).unwrap();
            machine.execute(transfers);
            machine.image(RegisterId(1))
        };
        let ideal = run(Options::default());
        let square = |seed| {
            let options = Options { saturation: None, noise: Some((noise.clone(), seed)) };
            mean_square(&difference(&run(options), &ideal), BORDER)
        };
        ((0..seeds).map(square).sum::<f64>() / seeds as f64).sqrt()
    }

    fn predicted(transfers: &[Transfer], image: &Image, noise: &Noise) -> Prediction {
        predict(transfers, REGISTERS, &[(RegisterId(0), image)], &[RegisterId(1)], BORDER, noise).unwrap()[0]
    }

    fn transfers() -> impl Strategy<Value = Vec<Transfer>> {
        let place = || (0..REGISTERS, -1i32..=1, -1i32..=1);
        let weight = prop_oneof![Just((-1, 1)), Just((-1, 2)), Just((1, 1)), Just((-1, 3))];
        let reads = prop::collection::vec((place(), weight), 1..4);
        let transfer =
            (place(), prop::option::of(0..REGISTERS), reads).prop_map(|((r, x, y), twin, reads)| {
                let mut writes = vec![access(r, x, y)];
                writes.extend(twin.filter(|t| *t != r).map(|t| access(t, 0, 0)));
                let reads = reads
                    .into_iter()
                    .map(|((r, x, y), (n, d))| (access(r, x, y), Rational::new(n, d).unwrap()));
                Transfer { writes, reads: reads.collect() }
            });
        prop::collection::vec(transfer, 1..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn prediction_and_simulation_agree(transfers in transfers(), model in 0usize..4) {
            let noise = [
                noise(0.93, 0.05, 0.09, 0.0),
                noise(1.0, 0.0, 0.0, 0.005),
                noise(1.0, 2.0, 0.5, 0.0),
                noise(0.9, 1.0, 0.0, 0.01),
            ][model].clone();
            let image = Image::synthetic(Pattern::Noise, [SIZE, SIZE], [-100, 100], 5);
            let expected = predicted(&transfers, &image, &noise).rms_error();
            let found = sampled(&transfers, &image, &noise, 24);
            // 24 machines of 32 × 32 pixels, correlated by a kernel of a few pixels: below 1 % in each of several deviations.
            prop_assert!((expected - found).abs() <= 0.05 * expected + 1e-9, "{expected} predicted, {found} found");
        }
    }

    #[test]
    fn noise_that_cancels_is_not_counted() {
        let one = |weight| (access(1, 0, 0), Rational::integer(weight));
        // B := A, C := B, B := B - C: the noise of the first write cancels, but not that of the second and the last.
        let image = Image::filled(SIZE, SIZE, 10.0);
        let transfers = [
            Transfer { writes: vec![access(1, 0, 0)], reads: vec![(access(0, 0, 0), Rational::ONE)] },
            Transfer { writes: vec![access(2, 0, 0)], reads: vec![one(1)] },
            Transfer {
                writes: vec![access(1, 0, 0)],
                reads: vec![one(1), (access(2, 0, 0), Rational::integer(-1))],
            },
        ];
        let temporal = predicted(&transfers, &image, &noise(1.0, 0.0, 3.0, 0.0));
        assert!((temporal.deviation - 18f64.sqrt()).abs() < 1e-12, "{temporal:?}");
        // The pattern of B is added twice, and one of the two paths cancels: the last write counts, and that of C.
        let fixed = predicted(&transfers, &image, &noise(1.0, 3.0, 0.0, 0.0));
        assert!((fixed.deviation - 18f64.sqrt()).abs() < 1e-12, "{fixed:?}");
        assert_eq!((temporal.bias, fixed.bias), (0.0, 0.0));
    }

    #[test]
    fn a_fixed_pattern_adds_up_over_the_writes_of_a_register() {
        // B := A, B := B + B[east], in place: the pattern enters as δ + (δ + east).
        let read = |x| (access(1, x, 0), Rational::ONE);
        let transfers = [
            Transfer { writes: vec![access(1, 0, 0)], reads: vec![(access(0, 0, 0), Rational::ONE)] },
            Transfer { writes: vec![access(1, 0, 0)], reads: vec![read(0), read(1)] },
        ];
        let image = Image::filled(SIZE, SIZE, 10.0);
        let fixed = predicted(&transfers, &image, &noise(1.0, 1.0, 0.0, 0.0));
        assert!((fixed.deviation - 5f64.sqrt()).abs() < 1e-12, "{fixed:?}");
        let temporal = predicted(&transfers, &image, &noise(1.0, 0.0, 1.0, 0.0));
        assert!((temporal.deviation - 3f64.sqrt()).abs() < 1e-12, "{temporal:?}");
    }

    #[test]
    fn a_gain_is_a_bias_and_no_deviation() {
        let copy = Transfer { writes: vec![access(1, 0, 0)], reads: vec![(access(0, 0, 0), Rational::ONE)] };
        let image = Image::filled(SIZE, SIZE, -50.0);
        let found = predicted(&[copy.clone(), copy], &image, &noise(0.9, 0.0, 0.0, 0.0));
        assert!((found.bias - 5.0).abs() < 1e-12 && found.deviation == 0.0, "{found:?}");
        assert_eq!(found.rms_error(), found.bias);
    }
}
