//! The options of line-buffered hardware.

use crate::backend::option::{OptionSpec, OptionValues, whole};

/// The longest row.
const MAX_WIDTH: i64 = 1 << 20;
/// The most pixels in a clock.
const MAX_LANES: i64 = 64;
/// The most rows.
const MAX_HEIGHT: i64 = 1 << 20;
/// The rows of a frame where nothing else is asked for.
const USUAL_HEIGHT: usize = 1080;

/// The options of `optimize`, in the order of its help text.
pub(super) fn optimize() -> Vec<OptionSpec> {
    vec![
        OptionSpec::value(
            "width",
            "PIXELS",
            "Line-buffered hardware: the columns of pictures, which must be given",
        )
        .checked(|text| whole(text, 1..=MAX_WIDTH).map(drop))
        .rare(),
        OptionSpec::value("height", "PIXELS", "Line-buffered hardware: the rows of pictures [default: 1080]")
            .checked(|text| whole(text, 1..=MAX_HEIGHT).map(drop))
            .rare(),
        OptionSpec::value(
            "pixels-per-clock",
            "PIXELS",
            "Line-buffered hardware: how many pixels come in and go out in a clock [default: 1]",
        )
        .checked(|text| whole(text, 1..=MAX_LANES).map(drop))
        .rare(),
        OptionSpec::flag(
            "halo",
            "Line-buffered hardware: pictures are sent with the pixels around them that the pipeline reads",
        )
        .rare(),
    ]
}

/// The settings that the options give.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// The columns of pictures.
    pub(super) width: usize,
    /// The rows of pictures.
    pub(super) height: usize,
    /// The pixels in a clock.
    pub(super) lanes: usize,
    /// Whether margins are sent.
    pub(super) halo: bool,
}

impl Settings {
    /// Reads the options.
    pub(super) fn new(options: &OptionValues) -> Result<Self, String> {
        let number = |name: &str, most: i64| options.read(name, |text| whole(text, 1..=most));
        let Some(width) = number("width", MAX_WIDTH)? else {
            return Err("--width is missing: delay lines are as long as the rows of pictures".to_owned());
        };
        Ok(Self {
            width: width as usize,
            height: number("height", MAX_HEIGHT)?.map_or(USUAL_HEIGHT, |height| height as usize),
            lanes: number("pixels-per-clock", MAX_LANES)?.map_or(1, |lanes| lanes as usize),
            halo: options.has("halo"),
        })
    }
}
