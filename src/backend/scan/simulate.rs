//! Executes plans on images: every step as a whole image, in machine integers or in double precision.
//!
//! Integers are computed modulo 2^64. Those of the machine are the lower bits, because nothing is divided before the end.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use thiserror::Error;

use crate::algebra::Rational;
use crate::backend::scan::machine::{Border, Fold, Layout, Output, Overflow, Plan, PlanStep, Storage, Term};
use crate::picture::Image;
use crate::pipeline::Border as Continuation;
use crate::report::counted;

/// The reason why a plan cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Misfit {
    /// The images do not match the inputs in number, or differ in size.
    #[error("expected {} of one size", counted(*expected as u64, "image"))]
    Images {
        /// The number of inputs.
        expected: usize,
    },
    /// The image is too small for one pixel of the result.
    #[error("images of {width} × {height} pixels are too small: results need {needs_width} × {needs_height}")]
    Small {
        /// The number of columns.
        width: usize,
        /// The number of rows.
        height: usize,
        /// The number of columns that one pixel needs.
        needs_width: usize,
        /// The number of rows that one pixel needs.
        needs_height: usize,
    },
}

/// The values of a step over its extent, row by row from the north.
struct Values<N> {
    west: i64,
    north: i64,
    width: usize,
    height: usize,
    values: Vec<N>,
}

/// The numbers in which plans are computed.
trait Number: Copy + PartialOrd + Send + Sync {
    const ZERO: Self;
    fn of(pixel: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn scaled(self, weight: i64) -> Self;
    fn raised(self, weight: i64) -> Self;
    fn either(self, other: Self) -> Self;
    /// Reduces the number to the storage of a step.
    fn stored(self, storage: Storage) -> Self;
}

impl Number for i64 {
    const ZERO: Self = 0;

    fn of(pixel: f64) -> Self {
        pixel as Self
    }

    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn scaled(self, weight: i64) -> Self {
        self.wrapping_mul(weight)
    }

    fn raised(self, weight: i64) -> Self {
        self.wrapping_add(weight)
    }

    fn either(self, other: Self) -> Self {
        self | other
    }

    fn stored(self, storage: Storage) -> Self {
        let spare = 64 - storage.bits;
        if storage.signed { self << spare >> spare } else { ((self as u64) << spare >> spare) as Self }
    }
}

impl Number for f64 {
    const ZERO: Self = 0.0;

    fn of(pixel: f64) -> Self {
        Self::from(pixel as f32)
    }

    fn add(self, other: Self) -> Self {
        self + other
    }

    fn scaled(self, weight: i64) -> Self {
        self * weight as Self
    }

    fn raised(self, weight: i64) -> Self {
        self + weight as Self
    }

    fn either(self, other: Self) -> Self {
        ((self as i64) | (other as i64)) as Self
    }

    fn stored(self, storage: Storage) -> Self {
        if storage.bits == 32 { Self::from(self as f32) } else { self }
    }
}

impl<N: Number> Values<N> {
    /// The value of a pixel; zero before the first pixel.
    fn get(&self, column: i64, row: i64) -> N {
        let place = usize::try_from(column - self.west).ok().zip(usize::try_from(row - self.north).ok());
        match place {
            Some((x, y)) if x < self.width && y < self.height => self.values[y * self.width + x],
            _ => N::ZERO,
        }
    }
}

/// Maps a place beyond an image into it, as the border says. `None` if the border has no value there.
pub fn inside(border: Border, place: i64, size: i64) -> Option<i64> {
    border.continuation().unwrap_or(Continuation::Constant(0)).place(place, size)
}

/// The outputs of a plan, in its order. Pixels are assumed to be of the plan's type. The first row is the southernmost.
///
/// # Errors
/// [`Misfit`].
pub fn execute(
    plan: &Plan,
    images: &[Image],
    border: Border,
    overflow: Overflow,
) -> Result<Vec<Image>, Misfit> {
    let [outputs] = execute_each(plan, images, border, [overflow])?;
    Ok(outputs)
}

/// The results of [`execute`] for several overflow modes, with the steps executed once.
///
/// # Errors
/// [`Misfit`].
pub fn execute_each<const N: usize>(
    plan: &Plan,
    images: &[Image],
    border: Border,
    overflows: [Overflow; N],
) -> Result<[Vec<Image>; N], Misfit> {
    let frame = frame(plan, images, border)?;
    if plan.pixel.float {
        let outputs = frame.outputs(&frame.steps::<f64>(), &real);
        return Ok(overflows.map(|_| outputs.clone()));
    }
    let steps = frame.steps::<i64>();
    Ok(overflows.map(|overflow| {
        let round = |value: i64, output: &Output| {
            if output.pixel.float {
                return real(value as f64, output);
            }
            let exact = exact(value, output);
            let [least, greatest] = output.pixel.range();
            match output.overflow(overflow) {
                Overflow::Saturate => exact.clamp(least.into(), greatest.into()) as f64,
                Overflow::Wrap => (exact as i64).stored(output.pixel.storage()) as f64,
            }
        };
        frame.outputs(&steps, &round)
    }))
}

/// For each output of a plan, the number of results below and above its range, before they are limited or wrapped.
/// Infinite sums are known modulo 2^32 only.
///
/// # Errors
/// [`Misfit`].
pub fn beyond(
    plan: &Plan,
    images: &[Image],
    border: Border,
    range: &dyn Fn(&Output) -> [i64; 2],
) -> Result<Vec<[usize; 2]>, Misfit> {
    let frame = frame(plan, images, border)?;
    let results = if plan.pixel.float {
        frame.outputs(&frame.steps::<f64>(), &|value, output| real(value, output).round())
    } else {
        let limited = |value, output: &Output| {
            if output.pixel.float {
                return real(value as f64, output).round();
            }
            let mut exact = exact(value, output);
            if output.is_table {
                exact = (exact as i64).stored(output.pixel.storage()).into();
            }
            // Limited to one more on either side, so that no result is lost to floating-point precision.
            let [least, greatest] = range(output).map(i128::from);
            exact.clamp(least - 1, greatest + 1) as f64
        };
        frame.outputs(&frame.steps::<i64>(), &limited)
    };
    let count = |image: &Image, is: &dyn Fn(f64) -> bool| image.pixels().iter().filter(|p| is(**p)).count();
    let counts = |(image, output): (&Image, &Output)| {
        let [least, greatest] = range(output);
        [count(image, &|pixel| pixel < least as f64), count(image, &|pixel| pixel > greatest as f64)]
    };
    Ok(results.iter().zip(&plan.outputs).map(counts).collect())
}

/// An integer with the scale and bias of an output, rounded to the nearest integer, halves up.
fn exact(value: i64, Output { scale, bias, .. }: &Output) -> i128 {
    let (up, down) = (i128::from(scale.numerator()), i128::from(scale.denominator()));
    (2 * i128::from(value) * up + down).div_euclid(2 * down) + i128::from(*bias)
}

/// A real number with the scale and bias of an output, in single precision.
fn real(value: f64, Output { scale, bias, .. }: &Output) -> f64 {
    let scaled = match *scale {
        Rational::ONE => value,
        scale => value * scale.numerator() as f64 / scale.denominator() as f64,
    };
    f64::from((if *bias == 0 { scaled } else { scaled + *bias as f64 }) as f32)
}

fn frame<'a>(plan: &'a Plan, images: &'a [Image], border: Border) -> Result<Frame<'a>, Misfit> {
    let size = images.first().map(|image| [image.width(), image.height()]);
    let alike = images.iter().all(|image| Some([image.width(), image.height()]) == size);
    let Some([width, height]) = size.filter(|_| alike && images.len() == plan.inputs.len()) else {
        return Err(Misfit::Images { expected: plan.inputs.len() });
    };
    let [west, east, south, north] = plan.reach.map(|side| side as usize);
    let lost = if border == Border::Valid { [west + east, south + north] } else { [0, 0] };
    if width <= lost[0] || height <= lost[1] {
        let [needs_width, needs_height] = lost.map(|lost| lost + 1);
        return Err(Misfit::Small { width, height, needs_width, needs_height });
    }
    Ok(Frame {
        plan,
        images,
        border,
        size: [width - lost[0], height - lost[1]],
        corner: if border == Border::Valid { [west as i64, north as i64] } else { [0, 0] },
    })
}

struct Frame<'a> {
    plan: &'a Plan,
    images: &'a [Image],
    border: Border,
    /// The width and height of the results.
    size: [usize; 2],
    /// The column and row of the image at the first pixel of the results.
    corner: [i64; 2],
}

impl Frame<'_> {
    /// The values of all steps.
    fn steps<N: Number>(&self) -> Vec<Values<N>> {
        let layout = Layout::of(self.plan);
        let mut steps: Vec<Values<N>> = Vec::with_capacity(self.plan.steps.len());
        for (number, step) in self.plan.steps.iter().enumerate() {
            let extent = layout.extents[number];
            let span = |first: i32, beyond: i32, size: usize| {
                (size as i64 + i64::from(beyond) - i64::from(first)).max(0) as usize
            };
            let mut own = Values {
                west: extent.west.into(),
                north: extent.north.into(),
                width: span(extent.west, extent.east, self.size[0]),
                height: span(extent.north, extent.south, self.size[1]),
                values: Vec::new(),
            };
            let at = |own: &Values<N>, x: i64, y: i64| {
                let (column, row) = (own.west + x, own.north + y);
                let value = match step {
                    PlanStep::Input(channel) => self.pixel(*channel, column, row),
                    PlanStep::Fold { terms, back } => {
                        let own =
                            back.map(|[dx, dy, _]| own.get(column + i64::from(dx), row - i64::from(dy)));
                        self.folded(&steps, terms, own, column, row)
                    }
                    PlanStep::Window { source, step, length } => {
                        let read = |n: i64| {
                            let [dx, dy, _] = step.map(|along| i64::from(along) * n);
                            steps[*source].get(column + dx, row - dy)
                        };
                        (1..*length as i64).fold(read(0), |value, n| self.fold(value, read(n)))
                    }
                };
                value.stored(self.plan.storage[number])
            };
            let (width, height) = (own.width as i64, own.height as i64);
            if matches!(step, PlanStep::Fold { back: Some(_), .. }) {
                // Each value may need the one before.
                own.values.reserve(own.width * own.height);
                for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                    let value = at(&own, x, y);
                    own.values.push(value);
                }
            } else {
                let row = |y: i64| (0..width).map(|x| at(&own, x, y)).collect();
                let rows: Vec<Vec<N>> = (0..height).into_par_iter().map(row).collect();
                own.values = rows.concat();
            }
            steps.push(own);
        }
        steps
    }

    fn outputs<N: Number>(&self, steps: &[Values<N>], round: &dyn Fn(N, &Output) -> f64) -> Vec<Image> {
        let [width, height] = self.size;
        let outputs = self.plan.outputs.iter().map(|output| {
            let mut pixels = Vec::with_capacity(width * height);
            for row in (0..height as i64).rev() {
                for column in 0..width as i64 {
                    let [dx, dy, _] = output.offset.map(i64::from);
                    let value = steps[output.source].get(column + dx, row - dy);
                    // Values modulo the size of the accumulator are read as signed.
                    let storage = self.plan.storage[output.source];
                    let value = if storage.bits == self.plan.accumulator.bits {
                        value.stored(self.plan.accumulator)
                    } else {
                        value
                    };
                    pixels.push(round(value, output));
                }
            }
            Image::from_pixels(width, height, pixels).expect("there is a value for each pixel")
        });
        outputs.collect()
    }

    /// A pixel of an input, or a value beyond it.
    fn pixel<N: Number>(&self, channel: usize, column: i64, row: i64) -> N {
        let image = &self.images[channel];
        let (width, height) = (image.width() as i64, image.height() as i64);
        let x = inside(self.border, column + self.corner[0], width);
        let y = inside(self.border, row + self.corner[1], height);
        let pixel = x.zip(y).and_then(|(x, y)| image.get(x, height - 1 - y));
        pixel.map_or(N::ZERO, N::of)
    }

    fn fold<N: Number>(&self, old: N, new: N) -> N {
        match self.plan.fold {
            Fold::Sum => old.add(new),
            Fold::Greatest => {
                if new > old {
                    new
                } else {
                    old
                }
            }
            Fold::Least => {
                if new < old {
                    new
                } else {
                    old
                }
            }
            Fold::Either => old.either(new),
        }
    }

    fn folded<N: Number>(
        &self,
        steps: &[Values<N>],
        terms: &[Term],
        own: Option<N>,
        column: i64,
        row: i64,
    ) -> N {
        let values = terms.iter().map(|term| {
            let [dx, dy, _] = term.offset.map(i64::from);
            let value = steps[term.source].get(column + dx, row - dy);
            if self.plan.fold == Fold::Sum { value.scaled(term.weight) } else { value.raised(term.weight) }
        });
        let nothing = N::of(self.plan.fold.nothing(self.plan.pixel) as f64);
        own.into_iter().chain(values).reduce(|old, new| self.fold(old, new)).unwrap_or(nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_those_that_opencv_names() {
        let shown = |border: Border| -> String {
            let place = |place: i64| inside(border, place, 4).map_or('0', |p| b"abcd"[p as usize] as char);
            (-3..7).map(place).collect()
        };
        assert_eq!(shown(Border::Zero), "000abcd000");
        assert_eq!(shown(Border::Replicate), "aaaabcdddd");
        assert_eq!(shown(Border::Reflect), "cbaabcddcb");
        assert_eq!(shown(Border::Reflect101), "dcbabcdcba");
        assert_eq!(shown(Border::Wrap), "bcdabcdabc");
        for border in [Border::Replicate, Border::Reflect, Border::Reflect101, Border::Wrap] {
            assert!((-9..9).all(|place| inside(border, place, 1) == Some(0)), "{border:?}");
        }
    }

    #[test]
    fn values_lose_the_bits_that_storage_has_not() {
        let stored =
            |value: i64, bits: u32, signed: bool| value.stored(Storage { bits, signed, float: false });
        assert_eq!((stored(300, 8, false), stored(200, 8, true), stored(-1, 16, false)), (44, -56, 65535));
        assert_eq!(stored(-5, 64, true), -5);
    }
}
