//! `kalg rules stats`: measures what rules do on filters, and what is lost without them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;
use rayon::prelude::*;
use serde::Serialize;

use super::load::{self, RuleFiles};
use crate::algebra::Placed;
use crate::backend::{Machine, OptimizeError, Record, Registry, Request};
use crate::cli::complain::color;
use crate::cli::outcome::{CommandError, Outcome};
use crate::cli::output::Output;
use crate::report::json_line;
use crate::rule::{Rule, RuleSet};
use crate::saturate::{Budget, Clock, EXTRACTION, Limits, Saturated, saturate};
use crate::syntax::{Source, render};
use crate::term::{filter_placed_in_any, read_filter};

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

/// The effect of one rule on all filters together.
#[derive(Serialize)]
struct RuleRecord {
    name: String,
    group: String,
    matches: usize,
    nodes: usize,
    /// Matches that added a new term to an existing e-class.
    unions: usize,
    known: usize,
    refused: usize,
    seconds: f64,
    /// The number of filters whose chosen decomposition uses it.
    chosen: usize,
}

/// The effect of one rule for a machine.
#[derive(Serialize)]
struct PlanRecord {
    name: String,
    group: String,
    /// The number of filters whose program uses it; `None` if the class of machines does not report it.
    chosen: Option<usize>,
}

/// What is lost without a group or a rule.
#[derive(Serialize)]
struct AblationRecord {
    /// `group NAME` or `rule NAME`.
    without: String,
    additions: u64,
    /// Filters that take more additions, and filters that take fewer; under limits, a larger rule set can find less.
    worse: usize,
    better: usize,
}

#[derive(Serialize)]
struct StatsRecord {
    filters: usize,
    additions: u64,
    /// Why saturation stopped, with the number of filters for each reason.
    stopped: BTreeMap<String, usize>,
    rules: Vec<RuleRecord>,
    plans: Option<Vec<PlanRecord>>,
    ablation: Option<Vec<AblationRecord>>,
    version: &'static str,
}

/// The outputs of a filter.
type Outputs = Vec<(String, Placed)>;

/// The filters' outputs, their sources, and whether all could be read.
type Read = (Vec<Outputs>, Vec<Source>, Outcome);

impl Stats {
    /// Prints the table.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let machine = self.cost.as_deref().and_then(|name| Registry::default().builtin(name));
        let rules = self.rules.load_for(machine.as_deref())?;
        let (filters, sources, outcome) = self.read()?;
        let all = self.saturate(&filters, &rules)?;
        let (additions, used): (Vec<u64>, Vec<Vec<String>>) = all.par_iter().map(extracted).unzip();
        let ablation = if self.ablate { Some(self.ablation(&filters, &rules, &additions)?) } else { None };
        let nodes = self.nodes as u64;
        let plans = machine.map(|machine| programs(&sources, &rules, &*machine, nodes)).transpose()?;
        let mut stopped: BTreeMap<String, usize> = BTreeMap::new();
        for found in &all {
            *stopped.entry(found.statistics().stop_reason.to_string()).or_default() += 1;
        }
        let record = StatsRecord {
            filters: filters.len(),
            additions: additions.iter().sum(),
            stopped,
            rules: records(&rules, &all, &used),
            plans,
            ablation,
            version: env!("CARGO_PKG_VERSION"),
        };
        let text = if self.json { json_line(&record) } else { table(&record) };
        Output::new(None).put(&text)?;
        Ok(outcome)
    }

    /// Reads the filters that saturation supports: those whose outputs are finite.
    fn read(&self) -> Result<Read, CommandError> {
        let sources = load::filters(&self.filters)?;
        let mut outcome = Outcome::Done;
        let (mut filters, mut kept) = (Vec::new(), Vec::new());
        for source in sources {
            match read_filter(&source) {
                Ok(filter) => match filter_placed_in_any(&filter) {
                    Ok(outputs) => {
                        filters.push(outputs);
                        kept.push(source);
                    }
                    Err(diagnostics) => {
                        eprint!("{}", render(&source, &diagnostics, color()));
                        outcome = Outcome::BadInput;
                    }
                },
                Err(diagnostics) => {
                    eprint!("{}", render(&source, &diagnostics, color()));
                    outcome = Outcome::BadInput;
                }
            }
        }
        Ok((filters, kept, outcome))
    }

    fn saturate(&self, filters: &[Outputs], rules: &RuleSet) -> Result<Vec<Saturated>, CommandError> {
        let start = Instant::now();
        let clock: Clock = Arc::new(move || start.elapsed());
        let limits =
            Limits { nodes: self.nodes, budget: Budget::unlimited().with_clock(&clock), ..Limits::default() };
        let run = |outputs: &Outputs| saturate(outputs, rules, &limits);
        let found: Result<Vec<_>, _> = filters.par_iter().map(run).collect();
        found.map_err(|error| CommandError::Usage(error.to_string()))
    }

    fn ablation(
        &self,
        filters: &[Outputs],
        rules: &RuleSet,
        with: &[u64],
    ) -> Result<Vec<AblationRecord>, CommandError> {
        let groups =
            rules.groups().into_iter().map(|group| (format!("group {group}"), rules.without_group(group)));
        let each = rules
            .rules()
            .iter()
            .map(|rule| (format!("rule {}", rule.name), rules.filtered(|other| other.name != rule.name)));
        groups
            .chain(each)
            .map(|(without, fewer)| {
                let found = self.saturate(filters, &fewer)?;
                let additions: Vec<u64> = found.par_iter().map(|found| extracted(found).0).collect();
                let count =
                    |is: fn(&u64, &u64) -> bool| additions.iter().zip(with).filter(|(a, b)| is(a, b)).count();
                Ok(AblationRecord {
                    without,
                    additions: additions.iter().sum(),
                    worse: count(|a, b| a > b),
                    better: count(|a, b| a < b),
                })
            })
            .collect()
    }
}

/// The effect of every rule on the programs of the filters, except filters without a program on the machine.
fn programs(
    sources: &[Source],
    rules: &RuleSet,
    machine: &dyn Machine,
    nodes: u64,
) -> Result<Vec<PlanRecord>, CommandError> {
    let compile = |source: &Source| -> Result<Option<Box<dyn Record>>, CommandError> {
        let budget = Budget::of_work(nodes);
        let request = Request { rules: rules.clone(), budget, ..Request::new(source.clone()) };
        match machine.compile(&request, &|_| {}) {
            Ok(record) => Ok(Some(record)),
            Err(OptimizeError::NoProgram(_)) => Ok(None),
            Err(error) => Err(CommandError::Usage(error.describe(source))),
        }
    };
    let found: Result<Vec<_>, CommandError> = sources.par_iter().map(compile).collect();
    let found: Vec<Box<dyn Record>> = found?.into_iter().flatten().collect();
    let used: Option<Vec<&[String]>> = found.iter().map(|record| record.rules_used()).collect();
    let record = |rule: &Rule| PlanRecord {
        name: rule.name.clone(),
        group: rule.group.clone(),
        chosen: used.as_ref().map(|used| used.iter().filter(|names| names.contains(&rule.name)).count()),
    };
    Ok(rules.rules().iter().map(record).collect())
}

/// The additions of the cheapest term, and the rules that it uses.
fn extracted(found: &Saturated) -> (u64, Vec<String>) {
    let extracted = found.extract(&Budget::of_work(EXTRACTION));
    (extracted.additions(), extracted.rules_used())
}

fn records(rules: &RuleSet, all: &[Saturated], used: &[Vec<String>]) -> Vec<RuleRecord> {
    let record = |(i, rule): (usize, &crate::rule::Rule)| {
        let own = || all.iter().filter_map(|found| found.statistics().rules.get(i));
        let matches: usize = own().map(|s| s.matches).sum();
        let (known, refused) = (own().map(|s| s.known).sum(), own().map(|s| s.refused + s.overflowed).sum());
        RuleRecord {
            name: rule.name.clone(),
            group: rule.group.clone(),
            matches,
            nodes: own().map(|s| s.nodes).sum(),
            unions: matches.saturating_sub(known).saturating_sub(refused),
            known,
            refused,
            seconds: own().map(|s| s.seconds).sum(),
            chosen: used.iter().filter(|names| names.contains(&rule.name)).count(),
        }
    };
    rules.rules().iter().enumerate().map(record).collect()
}

fn table(record: &StatsRecord) -> String {
    let width = record.rules.iter().map(|rule| rule.name.len()).max().unwrap_or(4).max(4);
    let mut text = format!(
        "{:<width$}  {:<8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}\n",
        "rule", "group", "matches", "e-nodes", "unions", "known", "refused", "seconds", "chosen"
    );
    for rule in &record.rules {
        let _ = writeln!(
            text,
            "{:<width$}  {:<8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8.3} {:>7}",
            rule.name,
            rule.group,
            rule.matches,
            rule.nodes,
            rule.unions,
            rule.known,
            rule.refused,
            rule.seconds,
            rule.chosen
        );
    }
    let stopped = record.stopped.iter().map(|(why, count)| format!("{count} ended by {why}"));
    let stopped = stopped.collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "{} filters, {} additions; {stopped}", record.filters, record.additions);
    if let Some(plans) = &record.plans {
        let width = plans.iter().map(|rule| rule.name.len()).max().unwrap_or(4).max(4);
        let _ = writeln!(text, "\n{:<width$}  {:<8} {:>7}", "rule, in programs", "group", "chosen");
        for PlanRecord { name, group, chosen } in plans {
            let chosen = chosen.map_or_else(|| "?".to_owned(), |chosen| chosen.to_string());
            let _ = writeln!(text, "{name:<width$}  {group:<8} {chosen:>7}");
        }
    }
    if let Some(ablation) = &record.ablation {
        let _ = writeln!(
            text,
            "\n{:<30} {:>9} {:>6} {:>6} {:>6}",
            "without", "additions", "more", "worse", "better"
        );
        for row in ablation {
            let more = row.additions as i64 - record.additions as i64;
            let _ = writeln!(
                text,
                "{:<30} {:>9} {:>6} {:>6} {:>6}",
                row.without, row.additions, more, row.worse, row.better
            );
        }
    }
    text
}
