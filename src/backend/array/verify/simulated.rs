//! The check by simulation: the ideal machine on a synthetic image, compared with direct convolution where that is valid.

use super::answer::{Answer, PixelWitness, Reason};
use super::claim::Expectation;
use super::footprint::{Reach, widest};
use super::reference::convolve;
use crate::algebra::Border;
use crate::backend::array::machine::{RegisterId, Step, Target};
use crate::backend::array::simulate::{Machine, Options as Ideal};
use crate::picture::{Image, Pattern};

/// What registers hold that no input was put into: not 0, so that a program that relies on them is found out.
const RUBBISH: f64 = 85.0;

/// The values of synthetic pixels, eight bits as the machines of this kind hold.
const PIXELS: [i64; 2] = [-128, 127];

/// How far apart two sums may be, relative to the sum of the magnitudes of their terms: room for the rounding of a few
/// hundred operations on coefficients that are not dyadic. Dyadic ones are exact in 53 bits.
const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// How many pixels operations may compute in all before a part of the array has to do: some tenths of a second.
const MAX_PIXELS: usize = 1 << 28;

/// Columns and rows that are compared even where operations are many.
const MIN_VALID: usize = 32;

/// The part of an array that a program is simulated on: the whole, or what so many operations leave time for.
pub(super) fn size(
    whole: [usize; 2],
    operations: usize,
    expectations: &[Expectation],
    reaches: &[Option<Reach>],
) -> [usize; 2] {
    let places = MAX_PIXELS / operations.max(1);
    if whole[0] * whole[1] <= places {
        return whole;
    }
    let Border { west, east, south, north, .. } = widest(reaches.iter().flatten());
    let program = [west + east, south + north];
    [0, 1].map(|axis| {
        let kernel = |e: &Expectation| {
            let low = i64::from(e.kernel.label.offset[axis]);
            let high = low + i64::from(e.kernel.shape.size()[axis]);
            (high.max(0) - low.min(0)) as usize
        };
        let kernels = expectations.iter().map(kernel).max().unwrap_or(0);
        // What is lost on one side may be the kernel's, on the other the program's.
        whole[axis].min(places.isqrt().max(kernels + program[axis] as usize + MIN_VALID))
    })
}

/// What the ideal machine holds after a program, beside the images that it was given.
pub(super) struct Run {
    machine: Machine,
    images: Vec<Image>,
    size: [usize; 2],
}

impl Run {
    pub(super) fn new(
        target: &Target,
        steps: &[Step],
        inputs: &[(RegisterId, u16)],
        channels: u16,
        size: [usize; 2],
        seed: u64,
    ) -> Self {
        let seed = |channel: u16| seed.wrapping_add(u64::from(channel));
        let images: Vec<Image> = (0..channels)
            .map(|channel| Image::synthetic(Pattern::Scene, size, PIXELS, seed(channel)))
            .collect();
        let mut machine = Machine::new(target.registers.len(), size, RUBBISH, Ideal::default());
        for (register, channel) in inputs {
            machine.set(*register, &images[*channel as usize]).expect("the images have the array's size");
        }
        machine.execute(steps);
        Self { machine, images, size }
    }
}

pub(super) fn compare(
    target: &Target,
    run: &Run,
    expectations: &[Expectation],
    reaches: &[Option<Reach>],
) -> Answer<PixelWitness> {
    let Run { machine, images, size } = run;
    let mut witnesses = Vec::new();
    for expectation in expectations {
        let reach = reaches[expectation.register.0].as_ref();
        match compare_one(machine, images, expectation, reach, *size) {
            Ok(None) => {}
            Ok(Some((pixel, expected, found, pixels))) => witnesses.push(PixelWitness {
                output: expectation.name.clone(),
                register: target.register_name(expectation.register).to_owned(),
                pixel,
                expected,
                found,
                pixels,
            }),
            Err(reason) => return Answer::Unknown(reason),
        }
    }
    if witnesses.is_empty() { Answer::Equal } else { Answer::Different(witnesses) }
}

/// The first pixel that differs, what was expected and found there, and how many differ.
type Mismatch = ([usize; 2], f64, f64, usize);

fn compare_one(
    machine: &Machine,
    images: &[Image],
    expectation: &Expectation,
    reach: Option<&Reach>,
    [width, height]: [usize; 2],
) -> Result<Option<Mismatch>, Reason> {
    let name = || expectation.name.clone();
    let exact = expectation.kernel.taps().ok_or_else(|| Reason::Overflow(name()))?;
    if exact.iter().any(|(_, offset, _)| offset[2] != 0) {
        return Err(Reason::NotAnImage(name()));
    }
    let taps: Vec<(usize, i32, i32, f64)> =
        exact.iter().map(|(c, [x, y, _], k)| (*c as usize, *x, *y, k.to_f64())).collect();
    // Valid is what neither the program nor the kernel takes from outside. A register that holds rubbish has no reach of
    // its own: it is compared wherever the kernel is valid.
    let own = reach.map(|r| r.border).unwrap_or_default();
    let past =
        |side: fn(i32, i32) -> i32| taps.iter().map(|t| side(t.1, t.2)).max().unwrap_or(0).max(0) as usize;
    let west = past(|x, _| -x).max(own.west as usize);
    let east = past(|x, _| x).max(own.east as usize);
    let south = past(|_, y| -y).max(own.south as usize);
    let north = past(|_, y| y).max(own.north as usize);
    if west + east >= width || south + north >= height {
        return Err(Reason::NothingValid(name()));
    }
    let expected = convolve(images, &taps, [width, height]);
    let found = machine.image(expectation.register);
    let allowed = TOLERANCE * PIXELS[0].abs() as f64 * taps.iter().map(|t| t.3.abs()).sum::<f64>();
    let mut first: Option<Mismatch> = None;
    for y in south..height - north {
        for x in west..width - east {
            let (expected, found) = (expected.row(y)[x], found.row(y)[x]);
            if found.is_nan() || (expected - found).abs() > allowed {
                first.get_or_insert(([x, y], expected, found, 0)).3 += 1;
            }
        }
    }
    Ok(first)
}
