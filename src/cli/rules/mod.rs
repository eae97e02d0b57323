//! `kalg rules`: lists, checks and measures rules.

mod check;
mod infer;
mod load;
mod new;
mod stats;

use clap::{Args, Subcommand};

use super::outcome::{CommandError, DONE_OR_UNUSABLE, Outcome};
use super::output::Output;
use crate::compiler::{list_rules, rule_table};
use crate::report::json_line;
pub(super) use load::RuleFiles;
pub use load::read_rules;

/// The subcommands of `kalg rules`.
#[derive(Debug, Subcommand)]
pub(super) enum Rules {
    /// List the rules: name, group and effect
    #[command(after_help = DONE_OR_UNUSABLE)]
    List(List),
    /// Prove rules, refute them with a counter-example, or report them as unknown; and warn of suspicious ones
    #[command(after_help = check::EXIT_CODES)]
    Check(check::Check),
    /// Measure what each rule does on some filters, and what it is worth
    #[command(after_help = DONE_OR_UNUSABLE)]
    Stats(stats::Stats),
    /// Find identities that the rules do not state
    #[command(after_help = infer::EXIT_CODES)]
    Infer(infer::Infer),
    /// Print a rule file to start from
    #[command(after_help = DONE_OR_UNUSABLE)]
    New(new::New),
}

/// `kalg rules list`.
#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    rules: RuleFiles,
    /// Print one JSON object for each rule
    #[arg(long)]
    json: bool,
}

impl Rules {
    /// Runs the subcommand.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Self::List(list) => {
                let rules = list.rules.load()?;
                let text = if list.json {
                    list_rules(rules.rules()).iter().map(|record| json_line(record) + "\n").collect()
                } else {
                    rule_table(&rules)
                };
                Output::new(None).put(&text)?;
                Ok(Outcome::Done)
            }
            Self::Check(check) => check.run(),
            Self::Stats(stats) => stats.run(),
            Self::Infer(infer) => infer.run(),
            Self::New(new) => new.run(),
        }
    }
}
