//! Identities that rules do not state.

use std::fmt::Write as _;

use rayon::prelude::*;
use serde::Serialize;

use crate::algebra::Placed;
use crate::compiler::Error;
use crate::rule::{Rule, RuleSet};
use crate::saturate::{
    Budget, EXTRACTION, Identity, Limits, Overlap, SaturateError, cost_change, infer, overlap, saturate,
};
use crate::syntax::Source;
use crate::term::{filter_placed, read_filter};

/// An identity, in the form of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct InferRecord {
    /// The larger side and the smaller one.
    pub rule: String,
    /// `proved`, or `tried`.
    pub verdict: &'static str,
    /// The semiring in which it holds.
    pub semiring: String,
    /// The number of operators of the larger side.
    pub size: usize,
    /// The additions for random kernels before and after; `null` if the e-graph does not support the semiring.
    pub additions: Option<[usize; 2]>,
    /// The additions that it saves on the corpus.
    pub saves: Option<i64>,
}

/// Where identities are looked for.
#[derive(Clone, Debug)]
pub struct Search {
    /// The name of the semiring.
    pub semiring: String,
    /// The maximum number of operators in a term.
    pub size: usize,
    /// The seed of the random kernels.
    pub seed: u64,
    /// E-nodes for each filter.
    pub nodes: usize,
}

/// Identities, smallest terms first, and the number of those that the rules state.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// Those that the rules do not state.
    pub records: Vec<InferRecord>,
    /// The number of those that they do.
    pub known: usize,
}

/// Finds the identities that the given rules do not state, and counts the additions that each saves on the filters. Filters that
/// the e-graph cannot represent are left out. Ends early when `stop` says so.
///
/// # Errors
/// There is no such semiring, or a rule is not sound.
pub fn infer_rules(
    search: &Search,
    given: &RuleSet,
    filters: &[Source],
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Inferred, Error> {
    let read = |source: &Source| read_filter(source).and_then(|filter| filter_placed(&filter)).ok();
    let corpus: Vec<_> = filters.iter().filter_map(read).collect();
    let found = infer(&search.semiring, search.size, search.seed, stop)
        .ok_or_else(|| Error::usage(format!("there is no semiring `{}`", search.semiring)))?;
    let count = found.len();
    let new: Vec<Identity> =
        found.into_iter().filter(|identity| !states(given, &identity.rule, search.seed)).collect();
    let records: Vec<InferRecord> =
        new.iter().map(|identity| search.record(identity, given, &corpus)).collect::<Result<_, _>>()?;
    let known = count - records.len();
    Ok(Inferred { records, known })
}

impl Search {
    fn record(
        &self,
        identity: &Identity,
        given: &RuleSet,
        corpus: &[Vec<(String, Placed)>],
    ) -> Result<InferRecord, Error> {
        let rule = &identity.rule;
        let change = cost_change(rule, self.seed);
        let additions = change.map(|change| [change.before.additions, change.after.additions]);
        let saves = additions.is_some_and(|[before, after]| after < before) && !corpus.is_empty();
        let saves = if saves {
            let with = given.with([rule.clone()]);
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
    fn additions(&self, rules: &RuleSet, corpus: &[Vec<(String, Placed)>]) -> Result<i64, Error> {
        let limits = Limits { nodes: self.nodes, ..Limits::default() };
        let of = |outputs: &Vec<(String, Placed)>| {
            let found = saturate(outputs, rules, &limits)?;
            Ok(found.extract(&Budget::of_work(EXTRACTION)).additions() as i64)
        };
        let all: Result<Vec<i64>, SaturateError> = corpus.par_iter().map(of).collect();
        all.map(|all| all.iter().sum()).map_err(Error::usage)
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

/// A line for each identity, and a summary.
pub fn infer_table(Inferred { records, known }: &Inferred) -> String {
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
    let _ = writeln!(
        text,
        "{} identities that the rules do not state, {saving} of them with fewer additions; {known} that they do",
        records.len()
    );
    text
}
