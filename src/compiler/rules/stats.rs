//! What rules do on filters, and what is lost without them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rayon::prelude::*;
use serde::Serialize;

use crate::algebra::Placed;
use crate::backend::{Machine, OptimizeError, Record, Request};
use crate::compiler::Error;
use crate::report::counted;
use crate::rule::{Rule, RuleSet};
use crate::saturate::{Budget, EXTRACTION, Limits, Saturated, saturate_written};
use crate::syntax::Source;
use crate::term::{Definition, filter_placed_in_any, read_filter, written};

/// The effect of one rule on all filters together.
#[derive(Clone, Debug, Serialize)]
pub struct RuleEffect {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Matches.
    pub matches: usize,
    /// E-nodes added.
    pub nodes: usize,
    /// Matches that added a new term to an existing e-class.
    pub unions: usize,
    /// Matches of which the result was known.
    pub known: usize,
    /// Matches that were refused.
    pub refused: usize,
    /// The time spent.
    pub seconds: f64,
    /// The number of filters whose chosen decomposition uses it.
    pub chosen: usize,
}

/// The effect of one rule for a machine.
#[derive(Clone, Debug, Serialize)]
pub struct PlanEffect {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// The number of filters whose program uses it; `None` if the class of machines does not report it.
    pub chosen: Option<usize>,
}

/// What is lost without a group or a rule.
#[derive(Clone, Debug, Serialize)]
pub struct AblationRecord {
    /// `group NAME` or `rule NAME`.
    pub without: String,
    /// The additions of all filters.
    pub additions: u64,
    /// Filters that take more additions without it.
    pub worse: usize,
    /// Filters with fewer additions; under limits, a larger rule set can find less.
    pub better: usize,
}

/// What rules do on filters.
#[derive(Clone, Debug, Serialize)]
pub struct StatsRecord {
    /// The number of filters.
    pub filters: usize,
    /// The additions of all filters.
    pub additions: u64,
    /// Why saturation stopped, with the number of filters for each reason.
    pub stopped: BTreeMap<String, usize>,
    /// The rules.
    pub rules: Vec<RuleEffect>,
    /// The rules in programs; `null` without a machine.
    pub plans: Option<Vec<PlanEffect>>,
    /// What each is worth; `null` if it was not asked for.
    pub ablation: Option<Vec<AblationRecord>>,
    /// The version of kalg.
    pub version: &'static str,
}

/// The outputs of a filter, and the decompositions that its file states.
type Posed = (Vec<(String, Placed)>, Vec<Definition>);

/// What is measured.
#[derive(Clone, Debug)]
pub struct Measuring {
    /// The limits for each filter.
    pub limits: Limits,
    /// Whether each group and each rule is also left out.
    pub ablate: bool,
}

/// Measures rules on filters, and for a machine also on the programs of the filters. Those that cannot be read, or that the
/// e-graph cannot represent, are left out, and the errors say why.
///
/// # Errors
/// A rule is not sound, or a filter cannot be compiled.
pub fn rule_stats(
    sources: &[Source],
    rules: &RuleSet,
    machine: Option<&dyn Machine>,
    measuring: &Measuring,
) -> Result<(StatsRecord, Vec<Error>), Error> {
    let (mut filters, mut kept, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    for source in sources {
        match read_filter(source).and_then(|filter| Ok((filter_placed_in_any(&filter)?, written(&filter)?))) {
            Ok(posed) => {
                filters.push(posed);
                kept.push(source.clone());
            }
            Err(wrong) => unread.push(Error::at(source, &wrong)),
        }
    }
    let limits = &measuring.limits;
    let all = grown(&filters, rules, limits)?;
    let (additions, used): (Vec<u64>, Vec<Vec<String>>) = all.par_iter().map(extracted).unzip();
    let ablation = if measuring.ablate { Some(ablation(&filters, rules, &additions, limits)?) } else { None };
    let nodes = limits.nodes as u64;
    let plans = machine.map(|machine| programs(&kept, rules, machine, nodes)).transpose()?;
    let mut stopped: BTreeMap<String, usize> = BTreeMap::new();
    for found in &all {
        *stopped.entry(found.statistics().stop_reason.to_string()).or_default() += 1;
    }
    let record = StatsRecord {
        filters: filters.len(),
        additions: additions.iter().sum(),
        stopped,
        rules: records(rules, &all, &used),
        plans,
        ablation,
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok((record, unread))
}

fn grown(filters: &[Posed], rules: &RuleSet, limits: &Limits) -> Result<Vec<Saturated>, Error> {
    let run = |(outputs, written): &Posed| saturate_written(outputs, written, rules, limits);
    let found: Result<Vec<_>, _> = filters.par_iter().map(run).collect();
    found.map_err(Error::usage)
}

fn ablation(
    filters: &[Posed],
    rules: &RuleSet,
    with: &[u64],
    limits: &Limits,
) -> Result<Vec<AblationRecord>, Error> {
    let groups =
        rules.groups().into_iter().map(|group| (format!("group {group}"), rules.without_group(group)));
    let each = rules
        .rules()
        .iter()
        .map(|rule| (format!("rule {}", rule.name), rules.filtered(|other| other.name != rule.name)));
    groups
        .chain(each)
        .map(|(without, fewer)| {
            let found = grown(filters, &fewer, limits)?;
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

/// The effect of every rule on the programs of the filters, except filters without a program on the machine.
fn programs(
    sources: &[Source],
    rules: &RuleSet,
    machine: &dyn Machine,
    nodes: u64,
) -> Result<Vec<PlanEffect>, Error> {
    let compile = |source: &Source| -> Result<Option<Box<dyn Record>>, Error> {
        let budget = Budget::of_work(nodes);
        let request = Request { rules: rules.clone(), budget, ..Request::new(source.clone()) };
        match machine.compile(&request, &|_| {}) {
            Ok(record) => Ok(Some(record)),
            Err(OptimizeError::NoProgram(_)) => Ok(None),
            Err(error) => Err(Error::of_compiling(source, &error)),
        }
    };
    let found: Result<Vec<_>, Error> = sources.par_iter().map(compile).collect();
    let found: Vec<Box<dyn Record>> = found?.into_iter().flatten().collect();
    let used: Option<Vec<&[String]>> = found.iter().map(|record| record.rules_used()).collect();
    let record = |rule: &Rule| PlanEffect {
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

fn records(rules: &RuleSet, all: &[Saturated], used: &[Vec<String>]) -> Vec<RuleEffect> {
    let record = |(i, rule): (usize, &crate::rule::Rule)| {
        let own = || all.iter().filter_map(|found| found.statistics().rules.get(i));
        let matches: usize = own().map(|s| s.matches).sum();
        let (known, refused) = (own().map(|s| s.known).sum(), own().map(|s| s.refused + s.overflowed).sum());
        RuleEffect {
            name: rule.name.clone(),
            group: rule.group.clone(),
            matches,
            nodes: own().map(|s| s.nodes).sum(),
            unions: matches.saturating_sub(known).saturating_sub(refused),
            known,
            refused,
            seconds: own().fold(0.0, |all, s| all + s.seconds),
            chosen: used.iter().filter(|names| names.contains(&rule.name)).count(),
        }
    };
    rules.rules().iter().enumerate().map(record).collect()
}

/// The tables of rules.
pub fn stats_table(record: &StatsRecord) -> String {
    let (matching, others): (Vec<_>, Vec<_>) = record.rules.iter().partition(|rule| rule.matches > 0);
    let width = matching.iter().map(|rule| rule.name.len()).max().unwrap_or(4).max(4);
    let mut text = format!(
        "{:<width$}  {:<8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}\n",
        "rule", "group", "matches", "e-nodes", "unions", "known", "refused", "seconds", "chosen"
    );
    for rule in matching {
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
    if !others.is_empty() {
        let names = others.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "without matches: {names}");
    }
    let stopped = record.stopped.iter().map(|(why, count)| format!("{count} ended by {why}"));
    let stopped = stopped.collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "{}, {}; {stopped}",
        counted(record.filters as u64, "filter"),
        counted(record.additions, "addition")
    );
    if let Some(plans) = &record.plans {
        let width = plans.iter().map(|rule| rule.name.len()).max().unwrap_or(4).max(4);
        let _ = writeln!(text, "\n{:<width$}  {:<8} {:>7}", "rule, in programs", "group", "chosen");
        for PlanEffect { name, group, chosen } in plans {
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
