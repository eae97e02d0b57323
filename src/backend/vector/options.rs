//! The options of vector machines.

use std::str::FromStr;

use super::schedule::constant::Technique;
use super::workload::Element;
use crate::backend::option::{OptionSpec, OptionValues, expected, integer, parse, parses, unknown};

/// The values of `--banks`: as the machine's description says, or no access ever waits.
pub const BANKS: [&str; 2] = ["modelled", IDEAL];
const IDEAL: &str = "ideal";

/// The options of `optimize`, in the order of its help text.
pub(super) fn optimize() -> Vec<OptionSpec> {
    vec![
        OptionSpec::value("tile", "WIDTHxHEIGHT", "The tile of outputs [default: 256x16]")
            .checked(parses::<Tile>)
            .rare(),
        OptionSpec::value("type", "TYPE", "The type of elements, int8, int16 or int32 [default: int16]")
            .rare(),
        OptionSpec::value(
            "range",
            "LEAST..GREATEST",
            "The least and the greatest input [default: 0..255, for int8 -128..127]",
        )
        .checked(parses::<Range>)
        .signed()
        .rare(),
        OptionSpec::value(
            "tolerance",
            "UNITS",
            "Maximum error of outputs, which lets sums of columns be rounded to the type",
        )
        .checked(|text| integer::<u64>(text).map(drop))
        .default("0")
        .rare(),
        OptionSpec::value(
            "banks",
            "MODEL",
            "Whether simultaneous accesses to one memory bank wait for each other [default: modelled]",
        )
        .one_of(BANKS)
        .rare(),
        OptionSpec::value(
            "without",
            "TECHNIQUE,…",
            "Techniques for known coefficients to turn off [default: none]",
        )
        .one_of(Technique::ALL.map(Technique::name))
        .list()
        .rare(),
    ]
}

/// Whether no access waits for a bank.
pub fn ideal(banks: Option<&str>) -> bool {
    banks == Some(IDEAL)
}

/// The settings that the options of `optimize` give.
pub(super) struct Settings {
    pub(super) tile: Option<[usize; 2]>,
    pub(super) element: Option<Element>,
    pub(super) range: Option<[i64; 2]>,
    pub(super) tolerance: u64,
    pub(super) ideal_banks: bool,
    pub(super) without: Vec<Technique>,
}

impl Settings {
    /// Reads the options for the machine of this name.
    pub(super) fn new(machine: &str, options: &OptionValues) -> Result<Self, String> {
        let element = |name: &str| {
            let known = Element::ALL.map(Element::name);
            Element::named(name).ok_or_else(|| unknown("type of elements", name, machine, &known))
        };
        let technique =
            |name: &str| Technique::named(name).ok_or_else(|| expected(Technique::ALL.map(Technique::name)));
        Ok(Self {
            tile: options.read("tile", parse)?.map(|Tile(tile)| tile),
            element: options.one("type").map(element).transpose()?,
            range: options.read("range", parse)?.map(|Range(range)| range),
            tolerance: options.read("tolerance", integer)?.unwrap_or(0),
            ideal_banks: ideal(options.one("banks")),
            without: options.list("without", technique)?,
        })
    }
}

/// `WIDTHxHEIGHT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile(pub [usize; 2]);

impl FromStr for Tile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (width, height) =
            text.split_once('x').ok_or("expected a width, `x` and a height, as in 256x16")?;
        let size = |text: &str| text.parse::<usize>().ok().filter(|n| (1..=4096).contains(n));
        match (size(width), size(height)) {
            (Some(width), Some(height)) => Ok(Self([width, height])),
            _ => Err("expected sizes of 1 to 4096, as in 256x16".to_owned()),
        }
    }
}

/// `LEAST..GREATEST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range([i64; 2]);

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (least, greatest) = text.split_once("..").ok_or("expected two numbers, as in 0..255")?;
        let (least, greatest): (i64, i64) = (integer(least)?, integer(greatest)?);
        if least > greatest {
            return Err("the least input is not below the greatest".to_owned());
        }
        Ok(Self([least, greatest]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_and_ranges_are_two_numbers() {
        assert_eq!("256x16".parse(), Ok(Tile([256, 16])));
        assert_eq!("-8..7".parse(), Ok(Range([-8, 7])));
        for text in ["256", "0x4", "x", "256x", "9999x1"] {
            assert!(text.parse::<Tile>().is_err(), "{text}");
        }
        for text in ["1", "2..1", "a..b"] {
            assert!(text.parse::<Range>().is_err(), "{text}");
        }
    }
}
