//! The array: one plane of numbers for each register, and the primitive operations on them.

use thiserror::Error;

use crate::algebra::Random;
use crate::backend::array::machine::{Access, Noise, Program, RegisterId, Target, Transfer, Violation};
use crate::picture::Image;

/// How the simulation departs from ideal arithmetic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The range to which every write is clamped.
    pub saturation: Option<[f64; 2]>,
    /// The noise that a write adds, and its seed.
    pub noise: Option<(Noise, u64)>,
}

/// Why a program was not simulated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SimError {
    /// An instruction has no meaning on the target.
    #[error(transparent)]
    Instruction(#[from] Violation),
    /// The program uses a process that no exact rule describes.
    #[error("{what} depends on timing and on the machine, so it is not simulated")]
    Inexact {
        /// What it is, in words.
        what: String,
    },
    /// An input image does not have the size of the array.
    #[error("an image of {}×{} pixels does not fit on an array of {}×{}", found[0], found[1], expected[0], expected[1])]
    ImageSize {
        /// Width and height of the array.
        expected: [usize; 2],
        /// Width and height of the image.
        found: [usize; 2],
    },
}

/// A processor array of any size. Neighbours outside it read as 0 and write 0.
#[derive(Clone, Debug)]
pub struct PixelArray {
    width: usize,
    height: usize,
    planes: Vec<Vec<f64>>,
    options: Options,
    temporal: Random,
    /// The fixed pattern of offsets of each register that was written.
    fixed: Vec<Option<Vec<f64>>>,
    sum: Vec<f64>,
    magnitude: Vec<f64>,
}

impl PixelArray {
    /// An array whose elements have `registers` registers, all holding `initial`.
    pub fn new(registers: usize, [width, height]: [usize; 2], initial: f64, options: Options) -> Self {
        let places = width * height;
        let seed = options.noise.as_ref().map_or(0, |(_, seed)| *seed);
        Self {
            width,
            height,
            planes: vec![vec![initial; places]; registers],
            options,
            temporal: Random::stream(seed, u64::MAX),
            fixed: vec![None; registers],
            sum: vec![0.0; places],
            magnitude: Vec::new(),
        }
    }

    /// Puts an image into a register, without noise.
    ///
    /// # Errors
    /// [`SimError::ImageSize`].
    pub fn set(&mut self, register: RegisterId, image: &Image) -> Result<(), SimError> {
        let (expected, found) = ([self.width, self.height], [image.width(), image.height()]);
        if expected != found {
            return Err(SimError::ImageSize { expected, found });
        }
        self.planes[register.0].copy_from_slice(image.pixels());
        Ok(())
    }

    /// The contents of a register.
    pub fn image(&self, register: RegisterId) -> Image {
        let pixels = self.planes[register.0].clone();
        Image::from_pixels(self.width, self.height, pixels).expect("a plane has the array's size")
    }

    /// Executes transfers in order. A transfer takes one pass over the array for each of its operands.
    pub fn execute(&mut self, transfers: &[Transfer]) {
        for transfer in transfers {
            self.apply(transfer);
        }
    }

    fn apply(&mut self, transfer: &Transfer) {
        let mut sum = std::mem::take(&mut self.sum);
        self.accumulate(transfer, &mut sum, |weight, value| weight * value);
        let relative = self.options.noise.as_ref().is_some_and(|(noise, _)| noise.relative != 0.0);
        if relative {
            let mut magnitude = std::mem::take(&mut self.magnitude);
            magnitude.resize(sum.len(), 0.0);
            self.accumulate(transfer, &mut magnitude, |weight, value| (weight * value).abs());
            self.magnitude = magnitude;
        }
        for (index, write) in transfer.writes.iter().enumerate() {
            let mut plane = std::mem::take(&mut self.planes[write.register.0]);
            if index + 1 == transfer.writes.len() && write.offset == [0; 3] {
                // The sum is no longer needed, so it is moved.
                std::mem::swap(&mut sum, &mut plane);
            } else {
                self.shifted(&sum, write, &mut plane);
            }
            if self.options.noise.is_some() {
                self.disturb(write, &mut plane);
            }
            if let Some([low, high]) = self.options.saturation {
                for value in &mut plane {
                    *value = value.clamp(low, high);
                }
            }
            self.planes[write.register.0] = plane;
        }
        self.sum = sum;
    }

    /// Σ |weight · value| over the reads of a transfer.
    pub(super) fn magnitude(&self, transfer: &Transfer) -> Image {
        let mut magnitude = vec![0.0; self.width * self.height];
        self.accumulate(transfer, &mut magnitude, |weight, value| (weight * value).abs());
        Image::from_pixels(self.width, self.height, magnitude).expect("a plane has the array's size")
    }

    /// `sum` := Σ term(weight, value at the read's offset), row by row.
    fn accumulate(&self, transfer: &Transfer, sum: &mut [f64], term: impl Fn(f64, f64) -> f64) {
        let reads: Vec<(&[f64], Access, f64)> = transfer
            .reads
            .iter()
            .map(|(read, w)| (&self.planes[read.register.0][..], *read, w.to_f64()))
            .collect();
        for (y, row) in sum.chunks_exact_mut(self.width.max(1)).enumerate() {
            row.fill(0.0);
            for (plane, read, weight) in &reads {
                if let Some((to, from)) = self.overlap(plane, y, row, read) {
                    for (value, seen) in to.iter_mut().zip(from) {
                        *value += term(*weight, *seen);
                    }
                }
            }
        }
    }

    /// `plane`(p) := `values`(p + offset); 0 outside the array.
    fn shifted(&self, values: &[f64], write: &Access, plane: &mut [f64]) {
        for (y, row) in plane.chunks_exact_mut(self.width.max(1)).enumerate() {
            row.fill(0.0);
            if let Some((to, from)) = self.overlap(values, y, row, write) {
                to.copy_from_slice(from);
            }
        }
    }

    /// The part of row `y` whose places p have p + offset inside the array, with the values there.
    fn overlap<'a, 'b>(
        &self,
        plane: &'a [f64],
        y: usize,
        row: &'b mut [f64],
        access: &Access,
    ) -> Option<(&'b mut [f64], &'a [f64])> {
        let [dx, dy, dz] = access.offset;
        let source = y.checked_add_signed(dy as isize).filter(|s| *s < self.height && dz == 0)?;
        let step = dx.unsigned_abs() as usize;
        let count = self.width.checked_sub(step)?;
        let (to, from) = if dx < 0 { (step, 0) } else { (0, step) };
        let start = source * self.width + from;
        Some((&mut row[to..to + count], &plane[start..start + count]))
    }

    /// Adds the noise of a write: see [`Noise`].
    fn disturb(&mut self, write: &Access, plane: &mut [f64]) {
        let Some((noise, seed)) = self.options.noise.clone() else { return };
        let register = write.register.0;
        let fixed = self.fixed[register].get_or_insert_with(|| {
            let mut random = Random::stream(seed, register as u64);
            plane.iter().map(|_| noise.fixed_pattern * random.normal()).collect()
        });
        for (value, fixed) in plane.iter_mut().zip(fixed) {
            *value = noise.gain * *value + *fixed;
        }
        if noise.temporal != 0.0 {
            for value in plane.iter_mut() {
                *value += noise.temporal * self.temporal.normal();
            }
        }
        if noise.relative != 0.0 {
            let mut magnitude = vec![0.0; plane.len()];
            self.shifted(&self.magnitude, write, &mut magnitude);
            for (value, magnitude) in plane.iter_mut().zip(magnitude) {
                *value += noise.relative * magnitude * self.temporal.normal();
            }
        }
    }
}

/// Runs a program on input images of the same size and returns the final array. Every other register holds 0 at first. The
/// array has the size of the images, or that of the target's array if there are no images.
///
/// # Errors
/// [`SimError`].
pub fn run(
    target: &Target,
    program: &Program,
    inputs: &[(RegisterId, &Image)],
    options: Options,
) -> Result<PixelArray, SimError> {
    let size = inputs.first().map_or(target.image, |(_, image)| [image.width(), image.height()]);
    let mut array = PixelArray::new(target.registers.len(), size, 0.0, options);
    for (register, image) in inputs {
        array.set(*register, image)?;
    }
    array.execute(&program.transfers(target)?);
    Ok(array)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;

    const A: RegisterId = RegisterId(0);
    const B: RegisterId = RegisterId(1);

    fn ramp() -> Image {
        Image::from_pixels(3, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()
    }

    /// The contents of register B after B(p + moved) := -A(p + offset).
    fn after(offset: [i32; 3], moved: [i32; 3]) -> Vec<f64> {
        let mut array = PixelArray::new(2, [3, 2], 7.0, Options::default());
        array.set(A, &ramp()).unwrap();
        let read = Access { register: A, offset };
        let write = Access { register: B, offset: moved };
        array.execute(&[Transfer { writes: vec![write], reads: vec![(read, Rational::integer(-1))] }]);
        array.image(B).pixels().to_vec()
    }

    #[test]
    fn neighbours_outside_read_as_zero_on_every_side() {
        assert_eq!(after([1, 0, 0], [0; 3]), [-2.0, -3.0, 0.0, -5.0, -6.0, 0.0]);
        assert_eq!(after([-1, 0, 0], [0; 3]), [0.0, -1.0, -2.0, 0.0, -4.0, -5.0]);
        assert_eq!(after([0, 1, 0], [0; 3]), [-4.0, -5.0, -6.0, 0.0, 0.0, 0.0]);
        assert_eq!(after([0, -1, 0], [0; 3]), [0.0, 0.0, 0.0, -1.0, -2.0, -3.0]);
        assert_eq!(after([3, 0, 0], [0; 3]), [0.0; 6]);
        assert_eq!(after([-9, 5, 0], [0; 3]), [0.0; 6]);
        assert_eq!(after([0, 0, 1], [0; 3]), [0.0; 6]);
    }

    #[test]
    fn a_shifted_write_leaves_what_was_computed_opposite() {
        assert_eq!(after([0; 3], [1, 0, 0]), after([1, 0, 0], [0; 3]));
        assert_eq!(after([1, 0, 0], [-1, 0, 0]), [0.0, -2.0, -3.0, 0.0, -5.0, -6.0]);
    }

    #[test]
    fn all_reads_come_before_all_writes() {
        let mut array = PixelArray::new(2, [3, 2], 0.0, Options::default());
        array.set(A, &ramp()).unwrap();
        let here = |register| Access { register, offset: [0; 3] };
        let half = Rational::new(1, 2).unwrap();
        array.execute(&[Transfer { writes: vec![here(A), here(B)], reads: vec![(here(A), half)] }]);
        assert_eq!(array.image(A), array.image(B));
        assert_eq!(array.image(A).row(0), [0.5, 1.0, 1.5]);
    }

    #[test]
    fn an_image_of_another_size_is_refused() {
        let mut array = PixelArray::new(1, [3, 3], 0.0, Options::default());
        assert_eq!(array.set(A, &ramp()), Err(SimError::ImageSize { expected: [3, 3], found: [3, 2] }));
    }

    #[test]
    fn a_fixed_pattern_stays_and_temporal_noise_does_not() {
        let twice = |fixed_pattern, temporal| {
            let noise = Noise {
                name: String::new(),
                source: String::new(),
                gain: 1.0,
                fixed_pattern,
                temporal,
                relative: 0.0,
            };
            let mut array =
                PixelArray::new(2, [3, 2], 0.0, Options { saturation: None, noise: Some((noise, 1)) });
            let write = Access { register: B, offset: [0; 3] };
            [(); 2].map(|()| {
                array.execute(&[Transfer { writes: vec![write], reads: Vec::new() }]);
                array.image(B)
            })
        };
        let [first, second] = twice(0.5, 0.0);
        assert_eq!(first, second);
        assert!(first.pixels().iter().all(|p| *p != 0.0));
        let [first, second] = twice(0.0, 0.5);
        assert_ne!(first, second);
    }

    #[test]
    fn relative_noise_follows_the_magnitude_of_what_was_summed() {
        let noise = Noise {
            name: String::new(),
            source: String::new(),
            gain: 1.0,
            fixed_pattern: 0.0,
            temporal: 0.0,
            relative: 0.01,
        };
        let mut array =
            PixelArray::new(2, [64, 64], 0.0, Options { saturation: None, noise: Some((noise, 1)) });
        array.set(A, &Image::filled(64, 64, 100.0)).unwrap();
        let here = |register| Access { register, offset: [0; 3] };
        // The two terms cancel; their magnitudes do not.
        let reads = vec![(here(A), Rational::ONE), (here(A), Rational::integer(-1))];
        array.execute(&[Transfer { writes: vec![here(B)], reads }]);
        let image = array.image(B);
        let variance = image.pixels().iter().map(|p| p * p).sum::<f64>() / 4096.0;
        assert!((variance.sqrt() - 2.0).abs() < 0.2, "deviation {}", variance.sqrt());
    }
}
