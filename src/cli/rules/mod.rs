//! `kalg rules`: lists, checks and measures rules.

mod check;
mod infer;
mod load;
mod new;
mod stats;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::report::json_line;
use crate::rule::{Rule, RuleSet};
pub(super) use load::RuleFiles;

/// The subcommands of `kalg rules`.
#[derive(Debug, Subcommand)]
pub(super) enum Rules {
    /// List the rules: name, group and effect
    List(List),
    /// Prove rules, refute them with a counter-example, or report them as unknown; and warn of suspicious ones
    Check(check::Check),
    /// Measure what each rule does on some filters, and what it is worth
    Stats(stats::Stats),
    /// Find identities that the rules do not state
    Infer(infer::Infer),
    /// Print a rule file to start from
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

/// A rule, in the form of `--json`.
#[derive(Serialize)]
struct RuleRecord<'a> {
    name: &'a str,
    group: &'a str,
    doc: &'a str,
    semirings: &'a [String],
    budget: usize,
    priority: i64,
    targets: &'a [String],
    place: &'a str,
    /// Both sides and the conditions; `null` for a proposer.
    rewrite: Option<String>,
}

impl Rules {
    /// Runs the subcommand.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Self::List(list) => {
                let rules = list.rules.load()?;
                let text = if list.json { json(rules.rules()) } else { table(&rules) };
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

fn json(rules: &[Rule]) -> String {
    let record = |rule: &Rule| {
        let record = RuleRecord {
            name: &rule.name,
            group: &rule.group,
            doc: &rule.doc,
            semirings: &rule.semirings,
            budget: rule.budget,
            priority: rule.priority,
            targets: &rule.targets,
            place: &rule.place,
            rewrite: rule.action.print(),
        };
        json_line(&record) + "\n"
    };
    rules.iter().map(record).collect()
}

/// The groups in the order of their first rule, each with its rules and their docs, aligned.
fn table(set: &RuleSet) -> String {
    let rules = set.rules();
    let width = rules.iter().map(|rule| rule.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for group in set.groups() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{group}\n"));
        for rule in rules.iter().filter(|rule| rule.group == group) {
            text.push_str(&format!("  {:<width$}  {}\n", rule.name, rule.doc));
        }
    }
    text
}
