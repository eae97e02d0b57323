//! The check by simulation: runs the ideal machine on a synthetic image and compares valid pixels with direct convolution.

use super::answer::{Answer, PixelWitness, Reason};
use super::claim::Expectation;
use super::footprint::{Reach, widest};
use super::reference::convolve;
use crate::algebra::Border;
use crate::backend::array::machine::{RegisterId, Target, Transfer};
use crate::backend::array::simulate::{Options as Ideal, PixelArray};
use crate::picture::{Image, Pattern};

/// The initial value of registers that are not inputs: not 0, to detect programs that rely on it.
const RUBBISH: f64 = 85.0;

/// The range of synthetic pixels: eight bits, as on machines of this kind.
const PIXELS: [i64; 2] = [-128, 127];

/// The tolerance between two sums, relative to the sum of the magnitudes of their terms. It allows for the rounding of a few
/// hundred operations on coefficients that are not dyadic; dyadic ones are exact in 53 bits.
const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// The maximum number of pixels that all operations may compute before a smaller array is used: some tenths of a second.
const MAX_PIXELS: usize = 1 << 28;

/// The columns and rows that are compared even for long programs.
const MIN_VALID: usize = 32;

/// The size of the simulated array: the whole array, or what the number of operations allows.
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
        // The kernel may cost pixels on one side, the program on the other.
        whole[axis].min(places.isqrt().max(kernels + program[axis] as usize + MIN_VALID))
    })
}

/// The ideal machine after a program, with its input images.
pub(super) struct Run {
    machine: PixelArray,
    images: Vec<Image>,
    size: [usize; 2],
}

impl Run {
    pub(super) fn new(
        target: &Target,
        transfers: &[Transfer],
        inputs: &[(RegisterId, u16)],
        channels: u16,
        size: [usize; 2],
        seed: u64,
    ) -> Self {
        let seed = |channel: u16| seed.wrapping_add(u64::from(channel));
        let images: Vec<Image> = (0..channels)
            .map(|channel| Image::synthetic(Pattern::Scene, size, PIXELS, seed(channel)))
            .collect();
        let mut machine = PixelArray::new(target.registers.len(), size, RUBBISH, Ideal::default());
        for (register, channel) in inputs {
            machine.set(*register, &images[*channel as usize]).expect("the images have the array's size");
        }
        machine.execute(transfers);
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

/// The first pixel that differs, the expected value, the value found, and the number of pixels that differ.
type Mismatch = ([usize; 2], f64, f64, usize);

fn compare_one(
    machine: &PixelArray,
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
    // A pixel is valid if neither the program nor the kernel reads outside the array. A register that depends on
    // uninitialised ones has no reach: it is compared wherever the kernel is valid.
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
