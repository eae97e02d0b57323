//! The options of line-buffered hardware.

use super::machine::Throughput;
use crate::backend::option::{OptionSpec, OptionValues, cost, whole};
use crate::pipeline::PixelType;

/// The longest row.
const MAX_WIDTH: i64 = 1 << 20;
/// The most pixels in a clock, and clocks for a pixel.
const MAX_LANES: i64 = 64;
/// The most rows.
const MAX_HEIGHT: i64 = 1 << 20;
/// The greatest price of a multiplier.
const MAX_PRICE: u64 = 1000;
/// The columns and rows of a frame where nothing else is asked for.
const USUAL_WIDTH: i64 = 1920;
const USUAL_HEIGHT: usize = 1080;

/// The options of `optimize`, in the order of its help text.
pub(super) fn optimize() -> Vec<OptionSpec> {
    let mut options = vec![
        OptionSpec::value("type", "TYPE", "The type of a kernel file's pixels [default: uint8]").rare(),
        OptionSpec::value(
            "width",
            "PIXELS",
            "The columns of pictures, as long as delay lines are [default: 1920]",
        )
        .checked(|text| whole(text, 1..=MAX_WIDTH).map(drop))
        .rare(),
        OptionSpec::value("height", "PIXELS", "The rows of pictures [default: 1080, or the next multiple of the rows that the pipeline needs]")
            .checked(|text| whole(text, 1..=MAX_HEIGHT).map(drop))
            .rare(),
        OptionSpec::value(
            "pixels-per-clock",
            "PIXELS",
            "How many pixels come in and go out in a clock [default: 1]",
        )
        .checked(|text| whole(text, 1..=MAX_LANES).map(drop))
        .rare(),
        OptionSpec::value(
            "clocks-per-pixel",
            "CLOCKS",
            "How many clocks a pixel takes; folds take their steps one after another, on as many times fewer \
             units [default: 1]",
        )
        .checked(|text| whole(text, 1..=MAX_LANES).map(drop))
        .rare(),
        OptionSpec::flag(
            "halo",
            "Pictures are sent with the pixels around them that the pipeline reads",
        )
        .rare(),
        OptionSpec::value(
            "multiplier-price",
            "PRICE",
            "What a hard multiplier is worth in look-up tables, as in 200 or 3/1000, in place of the machine's price; products \
             that are cheaper in tables are made of those, and where multipliers are dear, more is kept and less computed again",
        )
        .checked(|text| price(text).map(drop))
        .rare(),
    ];
    options.extend(of_kept_bits());
    options
}

/// The option for the price of a bit that is kept, and that for a front of such prices.
fn of_kept_bits() -> [OptionSpec; 2] {
    [
        OptionSpec::value(
            "buffer-price",
            "PRICE",
            "What a bit that is kept is worth in look-up tables, as in 0.02 or 3/1000, in place of the machine's price; where bits \
             are dear, more is computed again and less kept",
        )
        .checked(|text| price(text).map(drop))
        .rare(),
        OptionSpec::flag(
            "pareto",
            "The front of operations and kept bits",
        )
        .reported(),
    ]
}

/// The type of pixels.
fn pixel(text: &str) -> Result<PixelType, String> {
    PixelType::named(text).ok_or_else(|| "expected a type, such as uint8 or int12".to_owned())
}

/// A price in thousandths.
fn price(text: &str) -> Result<u64, String> {
    cost(text, MAX_PRICE)
}

/// The settings that the options give.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// The columns of pictures.
    pub(super) width: usize,
    /// The rows of pictures.
    pub(super) height: usize,
    /// Whether the rows are the usual ones, since none are asked for.
    pub(super) is_usual: bool,
    /// The pixels in a clock, or the clocks for a pixel.
    pub(super) throughput: Throughput,
    /// Whether margins are sent.
    pub(super) halo: bool,
    /// The price of a hard multiplier, in thousandths, if it is not the machine's.
    pub(super) multiplier_price: Option<u64>,
    /// The price of a bit that is kept, in thousandths, if it is not the machine's.
    pub(super) buffer_price: Option<u64>,
    /// Whether a front is wanted.
    pub(super) front: bool,
    /// The type of a kernel file's pixels, if it is not the usual one.
    pub(super) pixel: Option<PixelType>,
}

impl Settings {
    /// Reads the options.
    pub(super) fn new(options: &OptionValues) -> Result<Self, String> {
        let number = |name: &str, most: i64| options.read(name, |text| whole(text, 1..=most));
        let width = number("width", MAX_WIDTH)?.unwrap_or(USUAL_WIDTH);
        let [lanes, clocks] =
            [number("pixels-per-clock", MAX_LANES)?, number("clocks-per-pixel", MAX_LANES)?]
                .map(|number| number.map_or(1, |number| number as usize));
        if lanes > 1 && clocks > 1 {
            return Err("--pixels-per-clock and --clocks-per-pixel exclude one another".to_owned());
        }
        let height = number("height", MAX_HEIGHT)?;
        Ok(Self {
            width: width as usize,
            height: height.map_or(USUAL_HEIGHT, |height| height as usize),
            is_usual: height.is_none(),
            throughput: Throughput { lanes, clocks },
            halo: options.has("halo"),
            multiplier_price: options.read("multiplier-price", price)?,
            buffer_price: options.read("buffer-price", price)?,
            front: options.has("pareto"),
            pixel: options.read("type", pixel)?,
        })
    }

    /// The same for a pipeline that has pictures of whole multiples of `whole` rows, `least` or more. Only usual rows change.
    pub(super) fn for_rows(self, whole: usize, least: usize) -> Self {
        let rows = if self.is_usual { self.height.max(least).next_multiple_of(whole) } else { self.height };
        Self { height: rows, ..self }
    }
}
