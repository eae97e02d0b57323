//! Fits images of any size to an array of fixed size.

use super::flagged::FlaggedArray;
use super::pixel_array::{Options, PixelArray, SimError};
use crate::backend::array::machine::{Cell, Effect, RegisterId, Target, Transfer};
use crate::picture::Image;

/// How an image is fitted to an array of another size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Images of another size are refused.
    Exact,
    /// The image is cut into parts that overlap by the program's footprint, so no seams show. Pixels outside the image are 0.
    Tile,
    /// The image is resized to the array; each pixel is the mean of the area that it covers.
    Resize,
    /// The simulated array is as large as the image.
    Grow,
}

/// A program in steps.
#[derive(Clone, Copy, Debug)]
pub enum Code<'a> {
    /// A linear program.
    Linear(&'a [Transfer]),
    /// Any program of a machine.
    Any(&'a Target, &'a [Effect]),
}

/// An array in use.
enum Machine<'a> {
    Linear(PixelArray, &'a [Transfer]),
    Any(FlaggedArray<'a>, &'a [Effect]),
}

impl<'a> Machine<'a> {
    fn new(code: Code<'a>, registers: usize, size: [usize; 2], options: Options) -> Self {
        match code {
            Code::Linear(transfers) => {
                Self::Linear(PixelArray::new(registers, size, 0.0, options), transfers)
            }
            Code::Any(target, effects) => {
                Self::Any(FlaggedArray::new(target, registers, size, options), effects)
            }
        }
    }

    fn set(&mut self, cell: Cell, image: &Image) -> Result<(), SimError> {
        match (self, cell) {
            (Self::Linear(machine, _), Cell::Register(register)) => machine.set(register, image),
            // Linear programs have no bits.
            (Self::Linear(..), Cell::Bit(_)) => Ok(()),
            (Self::Any(machine, _), cell) => machine.set(cell, image),
        }
    }

    fn execute(&mut self) -> Result<(), SimError> {
        match self {
            Self::Linear(machine, transfers) => machine.execute(transfers),
            Self::Any(machine, effects) => machine.execute(effects)?,
        }
        Ok(())
    }

    fn image(&self, cell: Cell) -> Option<Image> {
        match (self, cell) {
            (Self::Linear(machine, _), Cell::Register(register)) => Some(machine.image(register)),
            (Self::Linear(..), Cell::Bit(_)) => None,
            (Self::Any(machine, _), cell) => Some(machine.image(cell)),
        }
    }

    /// The images of cells; those that a machine does not have are left out.
    fn images(&self, cells: &[Cell]) -> Vec<Image> {
        cells.iter().filter_map(|cell| self.image(*cell)).collect()
    }
}

/// A program to execute, and the array to execute it on.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The program.
    pub code: Code<'a>,
    /// The number of registers that they use.
    pub registers: usize,
    /// Width and height of the array.
    pub array: [usize; 2],
    /// How images are fitted to the array.
    pub fit: Fit,
    /// The number of invalid pixels of a result on each side: west, east, south, north.
    pub border: [usize; 4],
    /// Noise and saturation. All parts of an image run on the same array, with the same fixed pattern.
    pub options: Options,
}

impl Run<'_> {
    /// Executes the program on input images of the same size and returns the images in the result registers. All other registers
    /// hold 0 at first.
    ///
    /// # Errors
    /// Those of the array. [`SimError::ImageSize`] if the images differ in size, if the images do not have the size of the array under [`Fit::Exact`], or
    /// if the array is too small to hold a valid part.
    pub fn execute(&self, inputs: &[(Cell, &Image)], results: &[Cell]) -> Result<Vec<Image>, SimError> {
        let Some((_, first)) = inputs.first() else { return self.part(self.array, &[], results) };
        let size = [first.width(), first.height()];
        for (_, image) in inputs {
            let found = [image.width(), image.height()];
            if found != size {
                return Err(SimError::ImageSize { expected: size, found });
            }
        }
        match self.fit {
            Fit::Exact if size != self.array => {
                Err(SimError::ImageSize { expected: self.array, found: size })
            }
            Fit::Exact | Fit::Grow => {
                let inputs: Vec<(Cell, Image)> =
                    inputs.iter().map(|(r, image)| (*r, (*image).clone())).collect();
                self.part(size, &inputs, results)
            }
            Fit::Resize => {
                let inputs: Vec<(Cell, Image)> =
                    inputs.iter().map(|(r, image)| (*r, resized(image, self.array))).collect();
                self.part(self.array, &inputs, results)
            }
            Fit::Tile => self.tiles(size, inputs, results),
        }
    }

    fn part(
        &self,
        size: [usize; 2],
        inputs: &[(Cell, Image)],
        results: &[Cell],
    ) -> Result<Vec<Image>, SimError> {
        let mut machine = Machine::new(self.code, self.registers, size, self.options.clone());
        for (cell, image) in inputs {
            machine.set(*cell, image)?;
        }
        machine.execute()?;
        Ok(machine.images(results))
    }

    fn tiles(
        &self,
        [width, height]: [usize; 2],
        inputs: &[(Cell, &Image)],
        results: &[Cell],
    ) -> Result<Vec<Image>, SimError> {
        let [west, east, south, north] = self.border;
        let inner = [self.array[0].checked_sub(west + east), self.array[1].checked_sub(south + north)];
        let [Some(inner_width @ 1..), Some(inner_height @ 1..)] = inner else {
            let expected = [west + east + 1, south + north + 1];
            return Err(SimError::ImageSize { expected, found: self.array });
        };
        let mut machine = Machine::new(self.code, self.registers, self.array, self.options.clone());
        let blank = Image::filled(self.array[0], self.array[1], 0.0);
        let mut pixels = vec![vec![0.0; width * height]; results.len()];
        for y0 in (0..height).step_by(inner_height) {
            for x0 in (0..width).step_by(inner_width) {
                match &mut machine {
                    // The temporal noise goes on.
                    Machine::Linear(..) => {
                        for register in 0..self.registers {
                            machine.set(Cell::Register(RegisterId(register)), &blank)?;
                        }
                    }
                    Machine::Any(..) => {
                        machine = Machine::new(self.code, self.registers, self.array, self.options.clone());
                    }
                }
                let corner = [x0 as i64 - west as i64, y0 as i64 - south as i64];
                for (register, image) in inputs {
                    machine.set(*register, &window(image, corner, self.array))?;
                }
                machine.execute()?;
                for (image, pixels) in machine.images(results).iter().zip(&mut pixels) {
                    for y in y0..height.min(y0 + inner_height) {
                        let end = width.min(x0 + inner_width);
                        let row = &image.row(y - y0 + south)[west..west + end - x0];
                        pixels[y * width + x0..y * width + end].copy_from_slice(row);
                    }
                }
            }
        }
        let image =
            |pixels| Image::from_pixels(width, height, pixels).expect("there are width · height pixels");
        Ok(pixels.into_iter().map(image).collect())
    }
}

/// The part of an image whose south-western pixel is at `corner`; 0 outside the image.
fn window(image: &Image, [x0, y0]: [i64; 2], [width, height]: [usize; 2]) -> Image {
    let mut pixels = Vec::with_capacity(width * height);
    for y in 0..height {
        pixels.extend((0..width).map(|x| image.get(x0 + x as i64, y0 + y as i64).unwrap_or(0.0)));
    }
    Image::from_pixels(width, height, pixels).expect("there are width · height pixels")
}

/// The image resized: each pixel is the mean of the area that it covers.
fn resized(image: &Image, [width, height]: [usize; 2]) -> Image {
    let columns: Vec<Vec<(usize, f64)>> = (0..width).map(|x| covered(x, width, image.width())).collect();
    let mut pixels = Vec::with_capacity(width * height);
    for y in 0..height {
        let rows = covered(y, height, image.height());
        for column in &columns {
            let sums = rows.iter().map(|(v, share)| {
                let row = image.row(*v);
                share * column.iter().map(|(u, share)| share * row[*u]).sum::<f64>()
            });
            pixels.push(sums.sum());
        }
    }
    Image::from_pixels(width, height, pixels).expect("there are width · height pixels")
}

/// The old pixels that pixel `at` of `new` covers, with their shares, which add up to 1.
fn covered(at: usize, new: usize, old: usize) -> Vec<(usize, f64)> {
    // In units of 1 / (old · new), which makes them exact.
    let (from, to) = (at * old, (at + 1) * old);
    let share = |place: usize| {
        let overlap = to.min((place + 1) * new) - from.max(place * new);
        overlap as f64 / old as f64
    };
    (from / new..to.div_ceil(new)).map(|place| (place, share(place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;
    use crate::backend::array::machine::Access;
    use crate::picture::Pattern;

    /// B := A[east] - A[south-west].
    fn transfers() -> Vec<Transfer> {
        let read = |offset, weight| (Access { register: RegisterId(0), offset }, Rational::integer(weight));
        let write = Access { register: RegisterId(1), offset: [0; 3] };
        vec![Transfer { writes: vec![write], reads: vec![read([1, 0, 0], 1), read([-1, -1, 0], -1)] }]
    }

    fn results(image: &Image, array: [usize; 2], fit: Fit) -> Result<Image, SimError> {
        let run = Run {
            code: Code::Linear(&transfers()),
            registers: 2,
            array,
            fit,
            border: [1, 1, 1, 0],
            options: Options::default(),
        };
        Ok(run
            .execute(&[(Cell::Register(RegisterId(0)), image)], &[Cell::Register(RegisterId(1))])?
            .remove(0))
    }

    #[test]
    fn tiles_leave_no_seams() {
        let image = Image::synthetic(Pattern::Noise, [23, 17], [-128, 127], 1);
        let whole = results(&image, [8, 6], Fit::Grow).unwrap();
        assert_eq!((whole.width(), whole.height()), (23, 17));
        assert_eq!(results(&image, [8, 6], Fit::Tile).unwrap(), whole);
        assert_eq!(results(&image, [64, 64], Fit::Tile).unwrap(), whole);
        assert!(results(&image, [2, 6], Fit::Tile).is_err(), "no pixel of such a tile is valid");
    }

    #[test]
    fn another_size_is_refused_unless_it_is_to_be_fitted() {
        let image = Image::filled(6, 4, 3.0);
        assert!(matches!(results(&image, [8, 6], Fit::Exact), Err(SimError::ImageSize { .. })));
        assert!(results(&image, [6, 4], Fit::Exact).is_ok());
    }

    #[test]
    fn resizing_keeps_means() {
        let image = Image::from_pixels(4, 2, vec![0.0, 4.0, 8.0, 12.0, 0.0, 4.0, 8.0, 12.0]).unwrap();
        assert_eq!(resized(&image, [2, 1]).pixels(), [2.0, 10.0]);
        assert_eq!(resized(&image, [8, 2]).row(0), [0.0, 0.0, 4.0, 4.0, 8.0, 8.0, 12.0, 12.0]);
        let third = resized(&image, [3, 1]);
        assert!((third.pixels().iter().sum::<f64>() / 3.0 - 6.0).abs() < 1e-12);
    }
}
