//! `kalg rules`: what the rules are.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;

use super::color;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::rule::{Rule, RuleSet};

/// The subcommands of `kalg rules`.
#[derive(Debug, Subcommand)]
pub(super) enum Rules {
    /// List the rules: name, group and what each does
    List(List),
}

/// `kalg rules list`.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Read the rules from the `.rules` files in this folder, in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,
    /// Print one JSON object for each rule
    #[arg(long)]
    json: bool,
}

/// A rule as `--json` shows it.
#[derive(Serialize)]
struct RuleRecord<'a> {
    name: &'a str,
    group: &'a str,
    doc: &'a str,
    semirings: &'a [String],
    budget: usize,
}

impl Rules {
    /// Runs the subcommand.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Self::List(list) => {
                let rules = load(list.rules.as_deref())?;
                let text = if list.json { json(rules.rules()) } else { table(&rules) };
                Output::new(None).put(&text)?;
                Ok(Outcome::Done)
            }
        }
    }
}

/// The rules of a folder, or the built-in ones. A folder without rule files is a set without rules.
pub(super) fn load(folder: Option<&Path>) -> Result<RuleSet, CommandError> {
    let Some(folder) = folder else { return Ok(RuleSet::builtin()) };
    let cannot_use =
        |why: String| CommandError::Usage(format!("cannot use the rules in `{}`: {why}", folder.display()));
    let sources = files::read_folder(folder, "rules").map_err(|error| cannot_use(error.to_string()))?;
    RuleSet::from_dir(sources).map_err(|errors| {
        eprint!("{}", errors.render(color()));
        cannot_use("see above".to_owned())
    })
}

fn json(rules: &[Rule]) -> String {
    let record = |rule: &Rule| {
        let record = RuleRecord {
            name: &rule.name,
            group: &rule.group,
            doc: &rule.doc,
            semirings: &rule.semirings,
            budget: rule.budget,
        };
        serde_json::to_string(&record).expect("a record of text and numbers serialises") + "\n"
    };
    rules.iter().map(record).collect()
}

/// Groups in the order of their first rule, with the rules and their docs aligned below.
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
