//! A search for images on which a program and what it is compared with differ, where functions cannot tell: small images first, in a
//! fixed order.

use super::diagram::Id;
use super::reach::Reaches;
use super::space::{Kind, Space};
use super::witness::{Code, Example, Reference, expected, simulate};
use crate::algebra::Random;
use crate::backend::array::machine::{Cell, Given};
use crate::picture::Image;

/// The number of images, and of effects executed on all of them.
pub(super) const IMAGES: usize = 300;
const MAX_EFFECTS: usize = 60_000;

/// The largest image, in pixels per side, besides the pixels that the programs need around each other.
const MAX_SIDE: usize = 6;

/// The values of pixels: signs, neighbours in order, and values far from most thresholds.
const VALUES: [f64; 7] = [-100.0, -2.0, -1.0, 0.0, 1.0, 2.0, 100.0];

/// An image on which the results differ, of the inputs and of what the functions `shown` depend on, and not for lack of neighbours beyond the edge, which local operations read as 0.
pub(super) fn search(
    space: &Space,
    code: Code<'_>,
    cell: Cell,
    reference: Reference<'_>,
    shown: &[Id],
) -> Option<Example> {
    let others = match reference {
        Reference::Program(other, cell) => margin(&other, cell),
        Reference::Function(id) => {
            let places = space.diagrams.places(id).into_iter();
            places.map(|(_, [x, y, _])| x.unsigned_abs().max(y.unsigned_abs()) as usize).max().unwrap_or(0)
        }
        Reference::Kernel(kernel) => kernel
            .iter()
            .map(|(_, x, y, _)| x.unsigned_abs().max(y.unsigned_abs()) as usize)
            .max()
            .unwrap_or(0),
    };
    let margin = margin(&code, cell).max(others);
    let effects: usize = code.steps.iter().map(Vec::len).sum();
    // A flood hides what it depends on: all inputs may matter.
    let input = |channel: &u16| matches!(space.channels[usize::from(*channel)].kind, Kind::Input(_));
    let mut channels: Vec<u16> = (0..space.channels.len() as u16).filter(input).collect();
    channels.extend(shown.iter().flat_map(|id| space.depends(*id)));
    channels.sort_unstable();
    channels.dedup();
    let mut random = Random::stream(19, 0);
    for index in 0..IMAGES.min(MAX_EFFECTS / effects.max(1)) {
        // Sizes grow slowly, so that the first difference is on a small image.
        let side = 1 + index * MAX_SIDE / IMAGES;
        let size = [side + 2 * margin, 1 + random.integer(0, side as i64 - 1) as usize + 2 * margin];
        let mut images = Vec::new();
        for channel in channels.iter().copied() {
            images.extend(image(space, &code, channel, size, &mut random).map(|image| (channel, image)));
        }
        let found = simulate(&code, cell, size, &images)?;
        let expected = expected(space, reference, size, &images)?;
        for y in margin..size[1] - margin {
            for x in margin..size[0] - margin {
                let at = |image: &Image| image.get(x as i64, y as i64).unwrap_or(0.0);
                if (at(&found) - at(&expected)).abs() > 1e-9 {
                    return Some(Example { images, pixel: [x, y], expected, found, smallest: false });
                }
            }
        }
    }
    None
}

/// A random image for a channel; `None` for one that no program holds at the start.
fn image(
    space: &Space,
    code: &Code<'_>,
    channel: u16,
    [width, height]: [usize; 2],
    random: &mut Random,
) -> Option<Image> {
    let own = &space.channels[usize::from(channel)];
    let mut value = || match own.bit {
        true => random.integer(0, 1) as f64,
        false => VALUES[random.integer(0, VALUES.len() as i64 - 1) as usize],
    };
    if let Cell::Register(register) = own.cell?
        && code.target.given(register) == Some(Given::Number)
    {
        return Some(Image::filled(width, height, value()));
    }
    Image::from_pixels(width, height, (0..width * height).map(|_| value()).collect())
}

/// The pixels on each side that the local operations of a program need.
fn margin(code: &Code<'_>, cell: Cell) -> usize {
    let reaches = Reaches::local(code.target, code.registers, code.steps.iter().flatten());
    reaches.of(cell).map_or(0, |reach| reach.border().into_iter().max().unwrap_or(0) as usize)
}
