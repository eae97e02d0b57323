//! Images, and synthetic images to test programs on.

use crate::algebra::Random;

/// A rectangle of numbers. Column 0 is the westernmost, row 0 the southernmost: y grows to the north.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<f64>,
}

/// What a synthetic image shows. All pixels are integers, so a simulation with dyadic coefficients is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Independent random pixels.
    Noise,
    /// A ramp from the least value in the south-west to the greatest in the north-east.
    Gradient,
    /// A checkerboard of squares eight pixels wide.
    Checker,
    /// The greatest value in the middle pixel, zero elsewhere.
    Impulse,
    /// A gradient with bright and dark rectangles and discs and a little noise, so that there are edges in every direction.
    Scene,
}

impl Image {
    /// An image with the same value everywhere.
    pub fn filled(width: usize, height: usize, value: f64) -> Self {
        Self { width, height, pixels: vec![value; width * height] }
    }

    /// An image with these pixels, row by row from the south, each from the west; `None` if their number is not width · height.
    pub fn from_pixels(width: usize, height: usize, pixels: Vec<f64>) -> Option<Self> {
        (width.checked_mul(height) == Some(pixels.len())).then_some(Self { width, height, pixels })
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row from the south, each from the west.
    pub fn pixels(&self) -> &[f64] {
        &self.pixels
    }

    /// The pixels, mutable, in the same order.
    pub fn pixels_mut(&mut self) -> &mut [f64] {
        &mut self.pixels
    }

    /// The image as an eight-bit picture shows it: integers from -128 to 127.
    pub fn shown(&self) -> Self {
        let shown = |value: &f64| value.round().clamp(-128.0, 127.0);
        Self { pixels: self.pixels.iter().map(shown).collect(), ..*self }
    }

    /// Row `y`, from the west.
    ///
    /// # Panics
    /// If there is no row `y`.
    pub fn row(&self, y: usize) -> &[f64] {
        &self.pixels[y * self.width..(y + 1) * self.width]
    }

    /// The pixel in column `x` and row `y`; `None` outside the image.
    pub fn get(&self, x: i64, y: i64) -> Option<f64> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width && y < self.height).then(|| self.pixels[y * self.width + x])
    }

    /// A synthetic image with integer pixels in `low..=high`. The same seed gives the same image on every machine.
    pub fn synthetic(
        pattern: Pattern,
        [width, height]: [usize; 2],
        [low, high]: [i64; 2],
        seed: u64,
    ) -> Self {
        let mut random = Random::new(seed);
        let mut image = Self::filled(width, height, 0.0);
        let slope = |x: usize, y: usize| {
            let steps = (width + height).saturating_sub(2).max(1) as i64;
            low + (high - low) * (x + y) as i64 / steps
        };
        match pattern {
            Pattern::Noise => image.paint(|_, _, _| random.integer(low, high) as f64),
            Pattern::Gradient => image.paint(|x, y, _| slope(x, y) as f64),
            Pattern::Checker => {
                image.paint(|x, y, _| if (x / 8 + y / 8) % 2 == 0 { low } else { high } as f64)
            }
            Pattern::Impulse => {
                image.paint(|x, y, _| if (x, y) == (width / 2, height / 2) { high as f64 } else { 0.0 })
            }
            Pattern::Scene => {
                image.paint(|x, y, _| slope(x, y) as f64);
                for index in 0..24 {
                    let (x0, y0) = (random.integer(0, width as i64), random.integer(0, height as i64));
                    let radius = random.integer(2, 2 + (width.min(height) / 6) as i64);
                    let value = random.integer(low, high) as f64;
                    let round = index % 2 == 0;
                    image.paint(|x, y, old| {
                        let (dx, dy) = (x as i64 - x0, y as i64 - y0);
                        let inside = if round {
                            dx * dx + dy * dy <= radius * radius
                        } else {
                            dx.abs() <= radius && dy.abs() <= radius / 2
                        };
                        if inside { value } else { old }
                    });
                }
                let grain = (high - low) / 64;
                image.paint(|_, _, old| {
                    (old + random.integer(-grain, grain) as f64).clamp(low as f64, high as f64)
                });
            }
        }
        image
    }

    /// Replaces each pixel by a function of its place and its value.
    pub(crate) fn paint(&mut self, mut value: impl FnMut(usize, usize, f64) -> f64) {
        let width = self.width.max(1);
        for (index, pixel) in self.pixels.iter_mut().enumerate() {
            *pixel = value(index % width, index / width, *pixel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synthetic_images_are_integers_in_range_and_repeatable() {
        for pattern in [Pattern::Noise, Pattern::Gradient, Pattern::Checker, Pattern::Impulse, Pattern::Scene]
        {
            let image = Image::synthetic(pattern, [40, 30], [-128, 127], 3);
            assert_eq!(image, Image::synthetic(pattern, [40, 30], [-128, 127], 3));
            assert!(
                image.pixels().iter().all(|p| p.fract() == 0.0 && (-128.0..=127.0).contains(p)),
                "{pattern:?}"
            );
            let first = image.pixels()[0];
            assert!(image.pixels().iter().any(|p| *p != first), "{pattern:?} is flat");
        }
        let [a, b] = [1, 2].map(|seed| Image::synthetic(Pattern::Scene, [40, 30], [-128, 127], seed));
        assert_ne!(a, b);
    }

    #[test]
    fn rows_run_from_the_south_and_nothing_is_outside() {
        let image = Image::from_pixels(2, 2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(image.row(1), [3.0, 4.0]);
        assert_eq!(image.get(1, 0), Some(2.0));
        assert_eq!((image.get(2, 0), image.get(0, -1)), (None, None));
        assert_eq!(Image::from_pixels(2, 2, vec![0.0; 3]), None);
    }
}
