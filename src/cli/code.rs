//! `kalg check` for code in vector intrinsics.

use std::str::FromStr;

use clap::Args;

use crate::backend::vector::CodeRequest;
use crate::backend::vector::options::Tile;

/// What only code in vector intrinsics needs to be told.
#[derive(Debug, Args, Default)]
pub(super) struct CodeOptions {
    /// Vector machines: width and height of the outputs [default: what is written]
    #[arg(long, hide_short_help = true, value_name = "WIDTHxHEIGHT")]
    tile: Option<Tile>,
    /// Vector machines: column and row of the input element below the first output [default: the first window begins with the input]
    #[arg(long, hide_short_help = true, value_name = "COLUMN,ROW", allow_hyphen_values = true)]
    anchor: Option<Anchor>,
    /// Vector machines: the pointers to the rows of the input, from north to south [default: all that are read, in their order]
    #[arg(long, hide_short_help = true, value_name = "POINTER,…", value_delimiter = ',')]
    rows: Vec<String>,
    /// Vector machines: elements from one row of the input to the next [default: looked for]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(i64).range(1..1 << 24))]
    pitch: Option<i64>,
    /// Vector machines: elements from one row of the output to the next [default: looked for]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(i64).range(1..1 << 24))]
    output_pitch: Option<i64>,
    /// Vector machines: an array of weights, and what it holds [default: arrays that the input is multiplied with, of any values]
    #[arg(long, hide_short_help = true, value_name = "ARRAY[=N,…]")]
    weights: Vec<Weights>,
    /// Vector machines: the value of an integer that the source does not give
    #[arg(short = 'D', long, hide_short_help = true, value_name = "NAME=N")]
    define: Vec<Define>,
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

impl CodeOptions {
    /// Puts what these options say into a request.
    pub(super) fn put(&self, request: &mut CodeRequest) {
        request.tile = self.tile.map(|Tile(tile)| tile);
        request.anchor = self.anchor.map(|Anchor(anchor)| anchor);
        request.rows = self.rows.clone();
        request.pitch = self.pitch;
        request.output_pitch = self.output_pitch;
        request.weights =
            self.weights.iter().map(|Weights(name, values)| (name.clone(), values.clone())).collect();
        request.defines = self.define.iter().map(|Define(name, value)| (name.clone(), *value)).collect();
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
