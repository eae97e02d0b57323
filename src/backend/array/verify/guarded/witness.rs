//! The smallest images on which a program and what it is compared with differ: found from the functions, shown by simulation.

use super::affine::Place;
use super::decide::{Point, Zero, zero};
use super::diagram::{Id, Node};
use super::space::{Kind, Space};
use crate::algebra::Rational;
use crate::backend::array::machine::{Cell, Effect, Given, Target};
use crate::backend::array::simulate::{FlaggedArray, Options};
use crate::backend::array::verify::counterexample::sizes;
use crate::backend::array::verify::reference::convolve;
use crate::picture::Image;

/// What stands for 0 and 1 in images of bits.
const SHOWN: [f64; 2] = [-128.0, 127.0];

/// The largest image tried, in pixels per side.
const MAX_SIDE: usize = 8;

/// A program that can be simulated.
#[derive(Clone, Copy)]
pub struct Code<'a> {
    /// The machine.
    pub target: &'a Target,
    /// The effects of each instruction.
    pub steps: &'a [Vec<Effect>],
    /// The number of registers that they use.
    pub registers: usize,
    /// The registers and bits that hold channels at the start.
    pub start: &'a [(Cell, u16)],
}

/// How the expected result is found without functions.
#[derive(Clone, Copy)]
pub enum Reference<'a> {
    /// A kernel over the inputs: channel, column, row, coefficient.
    Kernel(&'a [(usize, i32, i32, f64)]),
    /// What another program leaves in a register or bit.
    Program(Code<'a>, Cell),
    /// A function, evaluated with zeros beyond the edges: a truth value is black or white.
    Function(Id),
}

/// An input on which the results differ. All images have the same size.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The channels that are not 0 everywhere, and what they hold.
    pub images: Vec<(u16, Image)>,
    /// The column from the west and the row from the south of the pixel where the results differ.
    pub pixel: [usize; 2],
    /// The expected result.
    pub expected: Image,
    /// The result of the program.
    pub found: Image,
    /// Whether no smaller image shows a difference.
    pub smallest: bool,
}

/// What is to be shown.
pub(super) struct Trial<'a> {
    /// The functions.
    pub space: &'a Space,
    /// The program.
    pub code: Code<'a>,
    /// The register or bit.
    pub cell: Cell,
    /// What it holds.
    pub found: Id,
    /// What it should hold.
    pub expected: Id,
    /// The difference of the two.
    pub difference: Id,
    /// The expected result.
    pub reference: Reference<'a>,
}

impl Trial<'_> {
    /// The smallest image that shows the difference, if simulation confirms one.
    pub(super) fn smallest(&self) -> Option<Example> {
        let mut certain = true;
        for [width, height] in sizes(MAX_SIDE) {
            for index in 0..width * height {
                let pixel = [index % width, index / width];
                match zero(self.space, self.difference, &|place| self.inside(place, pixel, [width, height])) {
                    Zero::Not(point) => {
                        if let Some(example) = self.on([width, height], pixel, &point) {
                            return Some(Example { smallest: certain, ..example });
                        }
                    }
                    Zero::Always => {}
                    Zero::Depends(_) | Zero::Trouble(_) => certain = false,
                }
            }
        }
        None
    }

    fn inside(&self, place: Place, pixel: [usize; 2], size: [usize; 2]) -> bool {
        self.uniform(place.0) || {
            let [x, y, z] = place.1;
            let at = |axis: usize, by: i32| pixel[axis].checked_add_signed(by as isize);
            z == 0 && at(0, x).is_some_and(|x| x < size[0]) && at(1, y).is_some_and(|y| y < size[1])
        }
    }

    fn uniform(&self, channel: u16) -> bool {
        match self.space.channels[usize::from(channel)].cell {
            Some(Cell::Register(register)) => self.code.target.given(register) == Some(Given::Number),
            _ => false,
        }
    }

    /// The results for the values of a point around a pixel, if they differ there as the functions do.
    fn on(&self, size: [usize; 2], pixel: [usize; 2], point: &Point) -> Option<Example> {
        let mut images: Vec<(u16, Image)> = Vec::new();
        for channel in 0..self.space.channels.len() as u16 {
            let own: Vec<&(Place, Rational)> = point.iter().filter(|(place, _)| place.0 == channel).collect();
            if !own.is_empty() {
                images.push((channel, self.image(size, pixel, &own)?));
            }
        }
        let found = simulate(&self.code, self.cell, size, &images)?;
        let expected = expected(self.space, self.reference, size, &images)?;
        let at = |image: &Image| image.get(pixel[0] as i64, pixel[1] as i64);
        let value = |place: Place| {
            let own = point.iter().find(|(own, _)| *own == place);
            own.map_or(Rational::ZERO, |(_, value)| *value)
        };
        let shows = |image: &Image, id: Id| {
            let is = at(image)?;
            Some(match self.space.diagrams.leaf(id, &value)? {
                Node::Truth(truth) => (is > 0.0) == *truth,
                Node::Linear(function) => {
                    let wanted = function.value(&value)?.to_f64();
                    (is - wanted).abs() <= 1e-9 * (1.0 + wanted.abs())
                }
                Node::Split { .. } => false,
            })
        };
        let differ = (at(&found)? - at(&expected)?).abs() > 1e-12;
        let confirmed = differ && shows(&found, self.found)? && shows(&expected, self.expected)?;
        confirmed.then_some(Example { images, pixel, expected, found, smallest: false })
    }

    /// An image with a point's values around a pixel.
    fn image(&self, size: [usize; 2], pixel: [usize; 2], own: &[&(Place, Rational)]) -> Option<Image> {
        let mut pixels = vec![0.0; size[0] * size[1]];
        for ((channel, offset), value) in own {
            if self.uniform(*channel) {
                pixels.fill(value.to_f64());
                continue;
            }
            let x = pixel[0].checked_add_signed(offset[0] as isize)?;
            let y = pixel[1].checked_add_signed(offset[1] as isize)?;
            *pixels.get_mut(y * size[0] + x)? = value.to_f64();
        }
        Image::from_pixels(size[0], size[1], pixels)
    }
}

/// What a program leaves in a register or bit, from these images of channels; all others are 0. `None` if it is not simulated.
pub fn simulate(code: &Code<'_>, cell: Cell, size: [usize; 2], images: &[(u16, Image)]) -> Option<Image> {
    let mut array = FlaggedArray::new(code.target, code.registers, size, Options::default());
    for (channel, image) in images {
        for (own, _) in code.start.iter().filter(|(_, start)| start == channel) {
            array.set(*own, image).ok()?;
        }
    }
    for effects in code.steps {
        array.execute(effects).ok()?;
    }
    Some(array.image(cell))
}

/// The expected result, from these images of channels; all others are 0.
pub(super) fn expected(
    space: &Space,
    reference: Reference<'_>,
    size: [usize; 2],
    images: &[(u16, Image)],
) -> Option<Image> {
    match reference {
        Reference::Kernel(kernel) => {
            let inputs = space.channels.iter().filter(|c| matches!(c.kind, Kind::Input(_))).count();
            let of = |channel: usize| {
                let own = images.iter().find(|(own, _)| usize::from(*own) == channel);
                own.map_or_else(|| Image::filled(size[0], size[1], 0.0), |(_, image)| image.clone())
            };
            let all: Vec<Image> = (0..inputs).map(of).collect();
            Some(convolve(&all, kernel, size))
        }
        Reference::Program(code, cell) => simulate(&code, cell, size, images),
        Reference::Function(id) => evaluated(space, id, size, images),
    }
}

/// A function of these images; all others, and all pixels beyond the edges, are 0.
fn evaluated(space: &Space, id: Id, size: [usize; 2], images: &[(u16, Image)]) -> Option<Image> {
    let mut pixels = Vec::with_capacity(size[0] * size[1]);
    for index in 0..size[0] * size[1] {
        let [x, y] = [(index % size[0]) as i64, (index / size[0]) as i64];
        let at = |(channel, [dx, dy, _]): Place| {
            let own = images.iter().find(|(own, _)| *own == channel);
            let pixel = own.and_then(|(_, image)| image.get(x + i64::from(dx), y + i64::from(dy)));
            pixel.and_then(Rational::from_f64).unwrap_or(Rational::ZERO)
        };
        pixels.push(match space.diagrams.leaf(id, &at)? {
            Node::Truth(truth) => SHOWN[usize::from(*truth)],
            Node::Linear(function) => function.value(&at)?.to_f64(),
            Node::Split { .. } => return None,
        });
    }
    Image::from_pixels(size[0], size[1], pixels)
}
