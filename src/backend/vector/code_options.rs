//! The options of checks of code in vector intrinsics.

use std::str::FromStr;
use std::sync::Arc;

use super::claims::CodeRequest;
use super::machine::VliwMachine;
use super::options::Tile;
use crate::backend::Request;
use crate::backend::option::{Occurs, OptionSpec, integer, listing, parse, parses, placed, range, whole};

/// The maximum distance between rows.
const MAX_PITCH: i64 = (1 << 24) - 1;

/// The options of `check`, in the order of its help text.
pub(super) fn check() -> Vec<OptionSpec> {
    let value = |name, value_name, help: &str| OptionSpec::value(name, value_name, help).rare();
    let pitch = |text: &str| whole(text, 1..=MAX_PITCH).map(drop);
    let mut options = vec![
        value("tile", "WIDTHxHEIGHT", "Width and height of the outputs [default: all that is written]")
            .checked(parses::<Tile>),
        value(
            "anchor",
            "COLUMN,ROW",
            "Column and row of the input element below the first output [default: the first window begins with the input]",
        )
        .checked(parses::<Anchor>)
        .signed(),
        value(
            "rows",
            "POINTER,…",
            "The pointers to the rows of the input, from north to south [default: all that are read, in their order]",
        )
        .list(),
        value("pitch", "N", "Elements from one row of the input to the next [default: found by search]").checked(pitch),
        value("output-pitch", "N", "Elements from one row of the output to the next [default: found by search]")
            .checked(pitch),
        OptionSpec {
            occurs: Occurs::Often,
            ..value(
                "weights",
                "ARRAY[=N,…]",
                "An array of weights, and its values [default: arrays that multiply the input, with unknown values]",
            )
            .checked(parses::<Weights>)
        },
        OptionSpec {
            short: Some('D'),
            occurs: Occurs::Often,
            ..value("define", "NAME=N", "The value of an integer that the source does not define")
                .checked(parses::<Define>)
        },
    ];
    options.extend(listing());
    options.push(
        OptionSpec::value(
            "input-range",
            "LEAST,GREATEST",
            "Warn where values can overflow a register, for inputs of this range",
        )
        .checked(|text| range(text).map(drop))
        .signed(),
    );
    options
}

/// Builds the request of a check.
pub(super) fn code_request(machine: &Arc<VliwMachine>, request: &Request) -> Result<CodeRequest, String> {
    let options = &request.options;
    Ok(CodeRequest {
        source: request.source.clone(),
        against: request.against.clone(),
        machine: Arc::clone(machine),
        block: options.read("block", integer)?,
        inputs: placed(options, "inputs", "input")?,
        outputs: placed(options, "outputs", "output-register")?,
        rows: options.all("rows").to_vec(),
        pitch: options.read("pitch", integer)?,
        output_pitch: options.read("output-pitch", integer)?,
        anchor: options.read("anchor", parse)?.map(|Anchor(anchor)| anchor),
        tile: options.read("tile", parse)?.map(|Tile(tile)| tile),
        weights: options
            .list("weights", parse)?
            .into_iter()
            .map(|Weights(name, values)| (name, values))
            .collect(),
        defines: options
            .list("define", parse)?
            .into_iter()
            .map(|Define(name, value)| (name, value))
            .collect(),
        input_range: options.read("input-range", range)?,
        lenient: options.has("lenient"),
    })
}

/// `COLUMN,ROW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Anchor([i64; 2]);

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<i64>().ok().filter(|n| n.unsigned_abs() < 1 << 24);
        let numbers = text.split_once(',').and_then(|(x, y)| Some([number(x)?, number(y)?]));
        numbers.map(Self).ok_or_else(|| "expected a column, a comma and a row, as in 8,1".to_owned())
    }
}

/// `NAME` or `NAME=N,…`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Weights(String, Option<Vec<i64>>);

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected an array, or its name, `=` and integers with commas between them".to_owned();
        let Some((name, values)) = text.split_once('=') else { return Ok(Self(text.to_owned(), None)) };
        let values: Option<Vec<i64>> = values.split(',').map(|value| value.trim().parse().ok()).collect();
        if name.is_empty() {
            Err(wrong())
        } else {
            Ok(Self(name.to_owned(), Some(values.ok_or_else(wrong)?)))
        }
    }
}

/// `NAME=N`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Define(String, i64);

impl FromStr for Define {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('=').filter(|(name, _)| !name.is_empty());
        let value = parsed.and_then(|(name, value)| Some(Self(name.to_owned(), value.trim().parse().ok()?)));
        value.ok_or_else(|| "expected a name, `=` and an integer".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!("8,-1".parse(), Ok(Anchor([8, -1])));
        assert_eq!("w=1,-2".parse(), Ok(Weights("w".to_owned(), Some(vec![1, -2]))));
        assert_eq!("w".parse(), Ok(Weights("w".to_owned(), None)));
        assert_eq!("n=3".parse(), Ok(Define("n".to_owned(), 3)));
        assert!("8".parse::<Anchor>().is_err() && "99999999,0".parse::<Anchor>().is_err());
        assert!("w=".parse::<Weights>().is_err() && "=1".parse::<Weights>().is_err());
        assert!("n".parse::<Define>().is_err() && "n=x".parse::<Define>().is_err());
    }
}
