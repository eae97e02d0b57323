//! The options of machines in scan order.

use super::machine::{Border, Overflow, Pixel, ScanMachine};
use crate::backend::option::{OptionSpec, OptionValues, cost, expected, unknown, whole};

/// The longest row for which delay lines are counted.
const MAX_WIDTH: i64 = 1 << 20;
/// The greatest cost of memory.
const MAX_WEIGHT: u64 = 1_000_000;

/// The options of `optimize`, in the order of its help text.
pub(super) fn optimize() -> Vec<OptionSpec> {
    let tune = OptionSpec::flag(
        "tune",
        "Where costs are times: compile and measure the best few plans with the C compiler that CC names, and \
         take the fastest",
    );
    run().into_iter().chain([tune.rare()]).collect()
}

/// The options of `run`.
pub(super) fn run() -> Vec<OptionSpec> {
    vec![
        OptionSpec::value("type", "TYPE", "The type of pixels [default: uint8]")
            .one_of(Pixel::ALL.map(|(name, _)| name))
            .rare(),
        OptionSpec::value("output-type", "TYPE", "The type of results [default: that of the pixels]")
            .one_of(Pixel::ALL.map(|(name, _)| name))
            .rare(),
        OptionSpec::value(
            "border",
            "BORDER",
            "The pixels beyond the image [default: reflect101, or what the filter needs]",
        )
        .one_of(Border::ALL.map(|(name, _)| name))
        .rare(),
        OptionSpec::value(
            "overflow",
            "WHAT",
            "What to do with results that do not fit the type [default: saturate]",
        )
        .one_of(Overflow::ALL.map(|(name, _)| name))
        .rare(),
        OptionSpec::value(
            "width",
            "PIXELS",
            "The row length that delay lines are counted for [default: the descriptor's]",
        )
        .checked(|text| whole(text, 1..=MAX_WIDTH).map(drop))
        .rare(),
        OptionSpec::value(
            "memory-weight",
            "COST",
            "The cost of 1024 bytes of delay lines, as in 0.05 or 1/20 [default: the descriptor's]",
        )
        .checked(|text| weight(text).map(drop))
        .rare(),
        OptionSpec::flag(
            "float-recurrences",
            "With --type float32: allow recurrences, in which one NaN pixel spoils all later results, and sums that \
             read pixels outside the kernel, which cancel",
        )
        .rare(),
    ]
}

/// Refuses the options that a pipeline decides by itself.
pub(super) fn accept_pipeline(options: &OptionValues) -> Result<(), String> {
    let decided = ["type", "output-type", "border", "overflow"];
    match decided.into_iter().find(|option| options.one(option).is_some()) {
        Some(option) => {
            Err(format!("--{option} does not go with a pipeline, whose file says its types and borders"))
        }
        None => Ok(()),
    }
}

/// A cost of memory, in thousandths.
fn weight(text: &str) -> Result<u64, String> {
    cost(text, MAX_WEIGHT)
}

/// The settings that the options give.
pub(super) struct Settings {
    /// The machine, with the requested row length and price of memory.
    pub(super) machine: ScanMachine,
    pub(super) pixel: Pixel,
    /// `None` for the type of the pixels.
    pub(super) output: Option<Pixel>,
    /// `None` if no border is given.
    pub(super) border: Option<Border>,
    pub(super) overflow: Overflow,
    pub(super) float_recurrences: bool,
    /// Whether plans are measured.
    pub(super) tune: bool,
}

impl Settings {
    /// Reads the options for a machine.
    pub(super) fn new(machine: &ScanMachine, options: &OptionValues) -> Result<Self, String> {
        let mut machine = machine.clone();
        if let Some(width) = options.read("width", |text| whole(text, 1..=MAX_WIDTH))? {
            machine.width = width as usize;
        }
        if let Some(weight) = options.read("memory-weight", weight)? {
            machine.kibibyte = weight;
        }
        let known = Pixel::ALL.map(|(name, _)| name);
        let named = |option: &str, what: &str| match options.one(option) {
            None => Ok(None),
            Some(name) => {
                Pixel::named(name).map(Some).ok_or_else(|| unknown(what, name, &machine.name, &known))
            }
        };
        let pixel = named("type", "type of pixels")?.unwrap_or(Pixel::UINT8);
        let output = named("output-type", "type of results")?;
        if let Some(output) = output.filter(|output| pixel.float && !output.float) {
            return Err(format!(
                "--output-type {} does not work with --type {}: single precision is not rounded to integers",
                output.name(),
                pixel.name()
            ));
        }
        let float_recurrences = options.has("float-recurrences");
        if float_recurrences && !pixel.float {
            return Err(format!("--float-recurrences is for --type float32; {} is exact", pixel.name()));
        }
        let tune = options.has("tune");
        if tune && machine.rows.is_none() {
            return Err(format!(
                "--tune is for machines whose costs are times of loops; those of `{}` are not",
                machine.name
            ));
        }
        let border =
            |name: &str| Border::named(name).ok_or_else(|| expected(Border::ALL.map(|(name, _)| name)));
        let overflow =
            |name: &str| Overflow::named(name).ok_or_else(|| expected(Overflow::ALL.map(|(name, _)| name)));
        Ok(Self {
            machine,
            pixel,
            output,
            border: options.read("border", border)?,
            overflow: options.read("overflow", overflow)?.unwrap_or(Overflow::Saturate),
            float_recurrences,
            tune,
        })
    }
}
