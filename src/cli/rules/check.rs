//! `kalg rules check`: whether rules hold, which rules they duplicate, and what they cost.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use super::load::{self, RuleFiles};
use crate::cli::arguments::{positive, whole};
use crate::cli::complain::color;
use crate::cli::files;
use crate::cli::outcome::{CommandError, Outcome};
use crate::cli::output::Output;
use crate::compiler::{RuleCheckRecord, Trials, check_rules, read_arrays, rule_check_table};
use crate::report::json_line;
use crate::rule::Rule;

/// The text below the options in the help.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 a rule is refuted or one of its examples fails, 2 a file or an option
cannot be used.";

/// `kalg rules check`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    /// Check the rules in these files [default: the rules that are on]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    base: RuleFiles,
    /// Decide rules about instructions also on the array that this file describes
    #[arg(long, value_name = "FILE")]
    target: Vec<PathBuf>,
    /// Random kernels per rule and semiring
    #[arg(long, value_name = "N", default_value = "400", allow_negative_numbers = true, value_parser = positive)]
    trials: NonZero<usize>,
    /// Seed of the random kernels
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: u64,
    /// Print one JSON object for each rule
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Checks the rules. The outcome is negative if a rule is refuted or an example fails.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let base = self.base.load()?;
        let mut own: Vec<Rule> = Vec::new();
        for file in &self.files {
            for rule in load::of_file(file)?.rules() {
                // Files may include one another.
                if own.iter().all(|other| other.place != rule.place) {
                    own.push(rule.clone());
                }
            }
        }
        let (checked, all) = if self.files.is_empty() {
            (base.rules().to_vec(), base)
        } else {
            let all = base.with(own.clone());
            (own, all)
        };
        let described = self.target.iter().map(|path| files::source(path)).collect::<Result<Vec<_>, _>>()?;
        let arrays = match read_arrays(&described) {
            Ok(arrays) => arrays,
            Err(error) => {
                eprint!("{}", error.render(color()));
                return Ok(Outcome::BadInput);
            }
        };
        let records =
            check_rules(&checked, &all, arrays, Trials { kernels: self.trials.get(), seed: self.seed });
        let text: String = if self.json {
            records.iter().map(|record| json_line(record) + "\n").collect()
        } else {
            rule_check_table(&records)
        };
        Output::new(None).put(&text)?;
        let fails = records.iter().any(RuleCheckRecord::fails);
        Ok(if fails { Outcome::Negative } else { Outcome::Done })
    }
}
