//! `kalg rules stats`: measures what rules do on filters, and what is lost without them.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::load::{self, RuleFiles};
use crate::backend::Registry;
use crate::budget::Budget;
use crate::cli::clock::clock;
use crate::cli::complain::color;
use crate::cli::outcome::{CommandError, Outcome};
use crate::cli::output::Output;
use crate::compiler::{Measuring, rule_stats, stats_table};
use crate::report::json_line;
use crate::saturate::Limits;

/// `kalg rules stats`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Stats {
    /// Kernel files or folders
    #[arg(required = true, value_name = "FILE|DIR")]
    filters: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleFiles,
    /// Also count the additions that each group and each rule saves, by switching it off
    #[arg(long)]
    ablate: bool,
    /// Use the rules for this machine, and count those that its programs use [default: the rules for all machines without memory]
    #[arg(long, value_name = "TARGET", value_parser = PossibleValuesParser::new(Registry::default().names()))]
    cost: Option<String>,
    /// E-nodes per filter
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Stats {
    /// Prints the table.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let machine = self.cost.as_deref().and_then(|name| Registry::default().builtin(name));
        let rules = self.rules.load_for(machine.as_deref())?;
        let sources = load::filters(&self.filters)?;
        let budget = Budget::unlimited().with_clock(&clock());
        let limits = Limits { nodes: self.nodes, budget, ..Limits::default() };
        let measuring = Measuring { limits, ablate: self.ablate };
        let (record, unread) = rule_stats(&sources, &rules, machine.as_deref(), &measuring)
            .map_err(|error| CommandError::Usage(error.to_string()))?;
        for error in &unread {
            eprint!("{}", error.render(color()));
        }
        let text = if self.json { json_line(&record) } else { stats_table(&record) };
        Output::new(None).put(&text)?;
        Ok(if unread.is_empty() { Outcome::Done } else { Outcome::BadInput })
    }
}
