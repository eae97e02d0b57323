//! `kalg approx`: a filter with coefficients that halvings make.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::arguments::whole;
use super::complain::refused;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::write_result;
use crate::algebra::Rational;
use crate::backend::array::compile::{Nearness, approximate};
use crate::backend::array::options::error;

/// `kalg approx`.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group(ArgGroup::new("nearness").required(true).args(["depth", "max_error"])))]
pub(super) struct Approx {
    /// One kernel file; `-` reads standard input. Run the command once for each file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Round coefficients to the nearest multiples of 2^-D
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = whole::<u32>)]
    depth: Option<u32>,
    /// Use the smallest D for which no coefficient is off by more than E
    #[arg(long, value_name = "E", value_parser = error, allow_hyphen_values = true)]
    max_error: Option<Rational>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the result to this file, all or nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Approx {
    /// Prints the approximated filter as a kernel file.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let source = files::source(&self.file)?;
        let nearness = match (self.max_error, self.depth) {
            (Some(error), _) => Nearness::Within(error),
            (None, depth) => Nearness::Depth(depth.unwrap_or_default()),
        };
        match approximate(&source, nearness) {
            Ok(record) => {
                let text = if self.json { record.to_json() } else { record.to_text() };
                write_result(self.output, &text)?;
                Ok(Outcome::Done)
            }
            Err(error) => Ok(refused(&source, error)),
        }
    }
}
