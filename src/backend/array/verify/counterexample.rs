//! The smallest input that shows that a program is wrong: an image with a single bright pixel.

use super::reference::convolve;
use super::trace::Trace;
use crate::algebra::{Border, Offset, Placed, Rational};
use crate::backend::array::machine::{RegisterId, Transfer, Value};
use crate::backend::array::simulate::{Options, PixelArray};
use crate::picture::Image;

/// The maximum number of transfers simulated to find the smallest image, over all images tried: a fraction of a second.
const MAX_STEPS: usize = 200_000;

/// The largest image tried, in pixels per side.
const MAX_SIDE: usize = 12;

/// An input on which program and expectation differ, and both results. All images have the same size.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// Width and height.
    pub size: [usize; 2],
    /// The register whose initial value has the bright pixel; all others hold zeros at the start.
    pub register: RegisterId,
    /// The column from the west and the row from the south of the bright pixel, whose value is 1.
    pub bright: [usize; 2],
    /// The column from the west and the row from the south of the pixel where the results differ.
    pub pixel: [usize; 2],
    /// The result of direct convolution, with zeros outside the image.
    pub expected: Image,
    /// The result of the program, simulated on an array of this size.
    pub found: Image,
    /// Whether no smaller image shows a difference between the kernels, rather than an effect of the image's edge.
    pub smallest: bool,
}

/// One difference of the kernels.
struct Tap {
    channel: u16,
    offset: [i32; 2],
    difference: f64,
}

/// The smallest image, by number of pixels, that shows that a register does not hold the expected kernel. `border` is the part
/// of a pixel's surroundings that the program reads.
pub(super) fn smallest(
    trace: &Trace,
    register: RegisterId,
    expected: &Placed,
    found: &Value,
    border: Border,
) -> Option<Counterexample> {
    let found = match found {
        Value::Known(kernel) => kernel.taps()?,
        Value::Undefined(_) => Vec::new(),
        Value::Overflow => return None,
    };
    let taps = differing(&expected.taps()?, &found)?;
    let trial = Trial {
        transfers: trace.transfers().collect(),
        registers: trace.registers,
        trace,
        register,
        expected,
    };
    trial.by_size(&taps).or_else(|| trial.surrounded(&taps, border))
}

type Taps = [(u16, Offset, Rational)];

/// The places where coefficients differ, the nearest first; `None` for kernels that images cannot show.
fn differing(expected: &Taps, found: &Taps) -> Option<Vec<Tap>> {
    let mut places: Vec<(u16, Offset)> = expected.iter().chain(found).map(|t| (t.0, t.1)).collect();
    places.sort_unstable();
    places.dedup();
    let at = |taps: &Taps, place: (u16, Offset)| {
        taps.iter().find(|t| (t.0, t.1) == place).map_or(Rational::ZERO, |t| t.2)
    };
    let mut differing = Vec::new();
    for place in places {
        let (wanted, is) = (at(expected, place), at(found, place));
        if wanted == is {
            continue;
        }
        let [x, y, z] = place.1;
        if z != 0 {
            return None;
        }
        differing.push(Tap { channel: place.0, offset: [x, y], difference: is.to_f64() - wanted.to_f64() });
    }
    differing.sort_by_key(|t| {
        let [x, y] = t.offset.map(|o| o.unsigned_abs());
        ((u64::from(x) + 1) * (u64::from(y) + 1), x)
    });
    Some(differing)
}

/// The widths and heights of images with sides of at most `side` pixels, the smallest images first.
pub(super) fn sizes(side: usize) -> Vec<[usize; 2]> {
    let mut sizes: Vec<[usize; 2]> = (1..=side).flat_map(|w| (1..=side).map(move |h| [w, h])).collect();
    sizes.sort_by_key(|[w, h]| (w * h, w.abs_diff(*h), *h));
    sizes
}

struct Trial<'a> {
    transfers: Vec<&'a Transfer>,
    registers: usize,
    trace: &'a Trace,
    register: RegisterId,
    expected: &'a Placed,
}

impl Trial<'_> {
    /// Tries images in the order of their size, with the bright pixel at every place.
    fn by_size(&self, taps: &[Tap]) -> Option<Counterexample> {
        let mut spent = 0;
        for [width, height] in sizes(MAX_SIDE) {
            let fits = |tap: &&Tap| {
                let [x, y] = tap.offset.map(|o| o.unsigned_abs() as usize);
                x < width && y < height
            };
            let here: Vec<&Tap> = taps.iter().filter(fits).collect();
            let mut channels: Vec<u16> = here.iter().map(|tap| tap.channel).collect();
            channels.sort_unstable();
            channels.dedup();
            for channel in channels {
                for index in 0..width * height {
                    spent += self.transfers.len().max(1);
                    if spent > MAX_STEPS {
                        return None;
                    }
                    let bright = [index % width, index / width];
                    let own = here.iter().filter(|tap| tap.channel == channel).copied();
                    if let Some(found) = self.on([width, height], channel, bright, own, true) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Shows the difference nearest to the origin, on an image with room for all pixels that the program reads.
    fn surrounded(&self, taps: &[Tap], border: Border) -> Option<Counterexample> {
        let tap = taps.first()?;
        let margin = [border.west, border.east, border.south, border.north].into_iter().max()? as usize;
        let [x, y] = tap.offset.map(|o| o.unsigned_abs() as usize);
        let size = [2 * margin.max(x) + 1, 2 * margin.max(y) + 1];
        if size[0].checked_mul(size[1])? > 1 << 20 {
            return None;
        }
        // All surroundings of the middle pixel are inside.
        let middle = size.map(|n| (n / 2) as i64);
        let bright = [0, 1].map(|axis| (middle[axis] + i64::from(tap.offset[axis])) as usize);
        self.on(size, tap.channel, bright, std::iter::once(tap), false)
    }

    /// The results on an image with one bright pixel, if one of these taps shows a difference.
    fn on<'t>(
        &self,
        [width, height]: [usize; 2],
        channel: u16,
        bright: [usize; 2],
        taps: impl Iterator<Item = &'t Tap>,
        smallest: bool,
    ) -> Option<Counterexample> {
        let dark = Image::filled(width, height, 0.0);
        let mut pixels = vec![0.0; width * height];
        pixels[bright[1] * width + bright[0]] = 1.0;
        let lit = Image::from_pixels(width, height, pixels)?;
        let channels = self.trace.channels();
        let images: Vec<Image> =
            (0..channels).map(|c| if c == channel { lit.clone() } else { dark.clone() }).collect();
        let exact = self.expected.taps()?;
        let kernel: Vec<(usize, i32, i32, f64)> =
            exact.iter().map(|(c, [x, y, _], k)| (*c as usize, *x, *y, k.to_f64())).collect();
        let expected = convolve(&images, &kernel, [width, height]);
        let mut machine = PixelArray::new(self.registers, [width, height], 0.0, Options::default());
        for c in 0..channels {
            machine.set(self.trace.register_of(c), &images[c as usize]).ok()?;
        }
        for transfer in &self.transfers {
            machine.execute(std::slice::from_ref(transfer));
        }
        let found = machine.image(self.register);
        for tap in taps {
            // The tap at d affects the pixel p = bright - d.
            let at = [0, 1].map(|axis| bright[axis] as i64 - i64::from(tap.offset[axis]));
            let (Some(wanted), Some(is)) = (expected.get(at[0], at[1]), found.get(at[0], at[1])) else {
                continue;
            };
            // The difference must be that of the kernels, not an effect of the image's edge.
            if (is - wanted - tap.difference).abs() <= 1e-9 * (1.0 + tap.difference.abs()) {
                let register = self.trace.register_of(channel);
                let pixel = at.map(|n| n as usize);
                return Some(Counterexample {
                    size: [width, height],
                    register,
                    bright,
                    pixel,
                    expected,
                    found,
                    smallest,
                });
            }
        }
        None
    }
}
