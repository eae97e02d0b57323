//! `kalg rules infer`: finds identities that the given rules do not state.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use clap::builder::PossibleValuesParser;
use rayon::prelude::*;
use serde::Serialize;

use super::load::{self, RuleFiles};
use crate::algebra::{Placed, semirings};
use crate::cli::interrupt::Interrupt;
use crate::cli::outcome::{CommandError, Outcome};
use crate::cli::output::Output;
use crate::report::json_line;
use crate::rule::{Rule, RuleSet};
use crate::saturate::{
    Budget, EXTRACTION, Identity, Limits, Overlap, SaturateError, cost_change, infer, overlap, saturate,
};
use crate::syntax::Source;
use crate::term::{filter_placed, read_filter};

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
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    size: u8,
    /// E-nodes per kernel file
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    nodes: usize,
    /// Seed of the random kernels
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object for each identity
    #[arg(long)]
    json: bool,
}

/// An identity, in the form of `--json`.
#[derive(Serialize)]
struct InferRecord {
    /// The larger side and the smaller one.
    rule: String,
    /// `proved`, or `tried`.
    verdict: &'static str,
    semiring: String,
    /// The number of operators of the larger side.
    size: usize,
    /// The additions for random kernels before and after; `null` if the e-graph does not support the semiring.
    additions: Option<[usize; 2]>,
    /// The additions that it saves on the corpus.
    saves: Option<i64>,
}

impl Infer {
    /// Prints the identities, smallest terms first.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let given = self.rules.load_for(None)?;
        let corpus = self.filters()?;
        let interrupt = Interrupt::listen();
        let flag = interrupt.flag();
        let stop = move || flag.load(Ordering::Relaxed);
        let Some(found) = infer(&self.semiring, self.size.into(), self.seed, &stop) else {
            return Err(CommandError::Usage(format!("there is no semiring `{}`", self.semiring)));
        };
        let count = found.len();
        let new: Vec<Identity> =
            found.into_iter().filter(|identity| !states(&given, &identity.rule, self.seed)).collect();
        let records: Vec<InferRecord> =
            new.iter().map(|identity| self.record(identity, &given, &corpus)).collect::<Result<_, _>>()?;
        let text = if self.json {
            records.iter().map(|record| json_line(record) + "\n").collect()
        } else {
            table(&records, count)
        };
        Output::new(None).put(&text)?;
        Ok(if interrupt.is_set() { Outcome::Interrupted } else { Outcome::Done })
    }

    fn record(
        &self,
        identity: &Identity,
        given: &RuleSet,
        corpus: &[Vec<(String, Placed)>],
    ) -> Result<InferRecord, CommandError> {
        let rule = &identity.rule;
        let change = cost_change(rule, self.seed);
        let additions = change.map(|change| [change.before.additions, change.after.additions]);
        let saves = additions.is_some_and(|[before, after]| after < before) && !corpus.is_empty();
        let saves = if saves {
            let with = RuleSet::new(given.rules().iter().chain([rule]).cloned());
            Some(self.additions(given, corpus)? - self.additions(&with, corpus)?)
        } else {
            None
        };
        Ok(InferRecord {
            rule: sides(rule),
            verdict: if identity.is_proved { "proved" } else { "tried" },
            semiring: self.semiring.clone(),
            size: identity.size,
            additions,
            saves,
        })
    }

    /// The total additions of the corpus, with the limit on e-nodes for each filter.
    fn additions(&self, rules: &RuleSet, corpus: &[Vec<(String, Placed)>]) -> Result<i64, CommandError> {
        let limits = Limits { nodes: self.nodes, ..Limits::default() };
        let of = |outputs: &Vec<(String, Placed)>| {
            let found = saturate(outputs, rules, &limits)?;
            Ok(found.extract(&Budget::of_work(EXTRACTION)).additions() as i64)
        };
        let all: Result<Vec<i64>, SaturateError> = corpus.par_iter().map(of).collect();
        all.map(|all| all.iter().sum()).map_err(|error| CommandError::Usage(error.to_string()))
    }

    /// The filters of the corpus that the e-graph can represent.
    fn filters(&self) -> Result<Vec<Vec<(String, Placed)>>, CommandError> {
        let sources = load::filters(&self.corpus)?;
        let read = |source: &Source| read_filter(source).and_then(|filter| filter_placed(&filter)).ok();
        Ok(sources.iter().filter_map(read).collect())
    }
}

/// Whether the rules state an identity, or it holds by construction in the e-graph. Without rules there is no e-graph.
fn states(given: &RuleSet, rule: &Rule, seed: u64) -> bool {
    !given.rules().is_empty()
        && matches!(overlap(rule, given, seed), Some(Overlap::Construction | Overlap::Rules(_)))
}

fn sides(rule: &Rule) -> String {
    rule.action.print().unwrap_or_default()
}

fn table(records: &[InferRecord], all: usize) -> String {
    let width = records.iter().map(|record| record.rule.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut saving = 0;
    for record in records {
        let _ = write!(text, "{:<width$}  {}", record.rule, record.verdict);
        if let Some([before, after]) = record.additions.filter(|[before, after]| before != after) {
            let _ = write!(text, "  additions {before} -> {after}");
            saving += usize::from(after < before);
        }
        if let Some(saves) = record.saves {
            let _ = write!(text, "  saves {saves} on the corpus");
        }
        text.push('\n');
    }
    let known = all - records.len();
    let _ = writeln!(
        text,
        "{} identities that the rules do not state, {saving} of them with fewer additions; {known} that they do",
        records.len()
    );
    text
}
