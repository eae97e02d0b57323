//! `kalg rules infer`: finds identities that the given rules do not state.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::load::{self, RuleFiles};
use crate::algebra::semirings;
use crate::cli::arguments::whole;
use crate::cli::interrupt::Interrupt;
use crate::cli::outcome::{CommandError, Outcome};
use crate::cli::output::Output;
use crate::compiler::{Search, infer_rules, infer_table};
use crate::report::json_line;
use crate::rule::Rule;

/// The text below the options in the help.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 done, 2 a file or an option cannot be used.
130: Ctrl-C ended the search and the identities found so far were written; a second one ends kalg.";

/// `kalg rules infer`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Infer {
    /// Kernel files or folders; also count the additions that each identity would save on them
    #[arg(value_name = "PATH")]
    corpus: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleFiles,
    /// The semiring in which identities hold
    #[arg(long, value_name = "NAME", default_value = Rule::PLUS_TIMES,
          value_parser = PossibleValuesParser::new(semirings().iter().map(|semiring| semiring.name)))]
    semiring: String,
    /// Maximum number of operators in a term; 4 takes many minutes
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(1..=5))]
    size: u8,
    /// E-nodes per kernel file
    #[arg(long, value_name = "N", default_value_t = 2_000, allow_negative_numbers = true, value_parser = whole::<usize>)]
    nodes: usize,
    /// Seed of the random kernels
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: u64,
    /// Print one JSON object for each identity
    #[arg(long)]
    json: bool,
}

impl Infer {
    /// Prints the identities, smallest terms first.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let given = self.rules.load_for(None)?;
        let filters = load::filters(&self.corpus)?;
        let interrupt = Interrupt::listen();
        let flag = interrupt.flag();
        let stop = move || flag.load(Ordering::Relaxed);
        let Self { semiring, size, seed, nodes, .. } = self;
        let search = Search { semiring, size: size.into(), seed, nodes };
        let found = infer_rules(&search, &given, &filters, &stop)
            .map_err(|error| CommandError::Usage(error.to_string()))?;
        let text = if self.json {
            found.records.iter().map(|record| json_line(record) + "\n").collect()
        } else {
            infer_table(&found)
        };
        Output::new(None).put(&text)?;
        Ok(if interrupt.is_set() { Outcome::Interrupted } else { Outcome::Done })
    }
}
