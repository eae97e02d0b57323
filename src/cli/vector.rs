//! `kalg optimize` for vector machines.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::arguments::unknown;
use super::interrupt::Interrupt;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::{color, compiler, files};
use crate::backend::OptimizeError;
use crate::backend::scan::machine::Pixel;
use crate::backend::vector::machine::Machine;
use crate::backend::vector::report::vector_text;
use crate::backend::vector::schedule::constant::Technique;
use crate::backend::vector::workload::Element;
use crate::backend::vector::{VectorRequest, optimize_vector};
use crate::budget::Budget;
use crate::rule::RuleSet;
use crate::saturate::Clock;
use crate::syntax::render;

/// What `--banks` takes: as the machine's description says, or no access ever waits.
pub(super) const BANKS: [&str; 2] = ["modelled", IDEAL];
const IDEAL: &str = "ideal";

/// What only vector machines need to know.
#[derive(Debug, Args, Default)]
pub(super) struct VectorOptions {
    /// Vector machines: the tile of outputs [default: 256x16]
    #[arg(long, hide_short_help = true, value_name = "WIDTHxHEIGHT")]
    pub(super) tile: Option<Tile>,
    /// Vector machines: the type of elements, int8, int16 or int32 [default: int16]; machines in scan order: the type of pixels
    /// [default: uint8]
    #[arg(long = "type", hide_short_help = true, value_name = "TYPE", value_parser = PossibleValuesParser::new(Pixel::ALL.map(|(name, _)| name)))]
    pub(super) element: Option<String>,
    /// Vector machines: the least and the greatest input [default: 0..255, of int8 -128..127]
    #[arg(long, hide_short_help = true, value_name = "LEAST..GREATEST", allow_hyphen_values = true)]
    pub(super) range: Option<Range>,
    /// Vector machines: how far outputs may be from the exact results, where that lets sums of columns be rounded to the type
    #[arg(long, hide_short_help = true, value_name = "UNITS", default_value_t = 0)]
    pub(super) tolerance: u64,
    /// Vector machines: whether accesses of one cycle to one bank of the memory wait for each other [default: modelled]
    #[arg(long, hide_short_help = true, value_name = "MODEL", value_parser = PossibleValuesParser::new(BANKS))]
    pub(super) banks: Option<String>,
    /// Vector machines: what is not done with known coefficients [default: nothing is left out]
    #[arg(long, hide_short_help = true, value_name = "TECHNIQUE,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(Technique::ALL.map(Technique::name)))]
    pub(super) without: Vec<String>,
}

/// Whether no access waits for a bank.
pub(super) fn ideal(banks: Option<&str>) -> bool {
    banks == Some(IDEAL)
}

/// `WIDTHxHEIGHT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile([usize; 2]);

impl Tile {
    /// Width and height.
    pub(super) fn size(self) -> [usize; 2] {
        self.0
    }
}

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
pub(super) struct Range([i64; 2]);

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (least, greatest) = text.split_once("..").ok_or("expected two numbers, as in 0..255")?;
        let number = |text: &str| text.parse::<i64>().map_err(|error| error.to_string());
        let (least, greatest) = (number(least)?, number(greatest)?);
        if least > greatest {
            return Err("the least input is not below the greatest".to_owned());
        }
        Ok(Self([least, greatest]))
    }
}

/// What is printed of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A report for people.
    Text,
    /// The C++.
    Code,
    /// One line of JSON.
    Json,
}

/// The files, and how they are compiled.
pub(super) struct Job<'a> {
    pub(super) files: &'a [PathBuf],
    pub(super) machine: Arc<Machine>,
    pub(super) options: &'a VectorOptions,
    pub(super) shown: Shown,
    pub(super) rules: RuleSet,
    /// Whether the rules are the user's, and theirs to mend.
    pub(super) own_rules: bool,
    pub(super) seed: u64,
    pub(super) time: Option<Duration>,
    /// How many schedules are compiled at most.
    pub(super) nodes: Option<u64>,
    pub(super) output: Option<PathBuf>,
}

impl Job<'_> {
    /// Compiles every file; what is wrong with one does not stop the others.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        if let Some(name) = self.options.element.as_deref().filter(|name| Element::named(name).is_none()) {
            return Err(unknown(
                "type of elements",
                name,
                &self.machine.name,
                &Element::ALL.map(Element::name),
            ));
        }
        let interrupt = Interrupt::listen();
        let mut output = Output::new(self.output.clone());
        let mut worst = Outcome::Done;
        for file in self.files {
            let (text, outcome) = self.compile(file, &interrupt);
            output.put(&text)?;
            worst = worst.max(outcome);
            if interrupt.is_set() {
                worst = Outcome::Interrupted;
                break;
            }
        }
        output.finish()?;
        Ok(worst)
    }

    fn compile(&self, file: &Path, interrupt: &Interrupt) -> (String, Outcome) {
        let name = file.to_string_lossy();
        let source = match files::read_source(file) {
            Ok(source) => source,
            Err(error) => {
                eprintln!("error: cannot read `{name}`: {error}");
                return (String::new(), Outcome::BadInput);
            }
        };
        let began = Instant::now();
        let clock: Clock = Arc::new(move || began.elapsed());
        let work = Budget::of_work(self.nodes.unwrap_or(u64::MAX));
        let budget = work.with_clock(&clock).until(self.time).interrupted_by(&interrupt.flag());
        let request = VectorRequest {
            source,
            budget,
            machine: Arc::clone(&self.machine),
            tile: self.options.tile.map(|Tile(tile)| tile),
            element: self.options.element.as_deref().and_then(Element::named),
            range: self.options.range.map(|Range(range)| range),
            tolerance: self.options.tolerance,
            ideal_banks: ideal(self.options.banks.as_deref()),
            without: self.options.without.iter().filter_map(|name| Technique::named(name)).collect(),
            oversize: false,
            rules: self.rules.clone(),
            seed: self.seed,
            run: compiler::runner(&self.machine.header),
            clock,
        };
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let result = optimize_vector(&request, &|done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        match result {
            Ok(record) => {
                // The report and the record say it themselves.
                for warning in record.warnings().iter().filter(|_| self.shown == Shown::Code) {
                    eprintln!("warning: {name}: {warning}");
                }
                let text = match self.shown {
                    Shown::Text => vector_text(&record),
                    Shown::Code => record.code.clone(),
                    Shown::Json => record.to_json(),
                };
                (text, Outcome::Done)
            }
            Err(OptimizeError::BadInput(wrong)) => {
                eprint!("{}", render(&request.source, &wrong, color()));
                let none = wrong.iter().any(|diagnostic| diagnostic.id == "no-vector-program");
                (String::new(), if none { Outcome::Negative } else { Outcome::BadInput })
            }
            Err(OptimizeError::Unsound(message)) if self.own_rules => {
                eprintln!("error: {name}: {message}");
                (String::new(), Outcome::BadInput)
            }
            Err(OptimizeError::Internal(message) | OptimizeError::Unsound(message)) => {
                eprintln!("error: {name}: a check of kalg's own result failed\n{message}");
                eprintln!(
                    "This is a mistake in kalg, not in the file; no program is printed. Please report it with the file."
                );
                (String::new(), Outcome::Internal)
            }
        }
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
