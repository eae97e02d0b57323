//! The accuracy of the heuristic: compares its estimates with the costs that searches find, on states that searches meet.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::backend::array::machine::Quantities;
use crate::backend::array::search::Sample;
use crate::report::markdown;
use crate::report::{Figure, VERSION};

/// A state of a search, with the actual cost to go.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeuristicRecord {
    /// The file of the filter.
    pub file: String,
    /// The instruction set.
    pub isa: String,
    /// The search that met the state, with a number unique among all records of a run.
    pub search: usize,
    /// The cost from the outputs to the state.
    pub level: u32,
    /// The quantities of the estimate, by name.
    pub quantities: BTreeMap<&'static str, Figure>,
    /// The estimated cost to go.
    pub estimate: Figure,
    /// The cost that a search from the state found.
    pub cost: u32,
}

impl HeuristicRecord {
    /// The record of a state; `searches` is added to the number of its search.
    pub fn new(file: &str, isa: &str, searches: usize, sample: &Sample) -> Self {
        Self {
            file: file.to_owned(),
            isa: isa.to_owned(),
            search: searches + sample.beam,
            level: sample.level,
            quantities: named(&sample.quantities),
            estimate: Figure::new(sample.estimate.into()),
            cost: sample.cost,
        }
    }
}

fn named(quantities: &Quantities) -> BTreeMap<&'static str, Figure> {
    quantities.named().into_iter().map(|(name, value)| (name, Figure::new(value.into()))).collect()
}

/// The accuracy of the heuristic for one instruction set.
///
/// A search compares states of the same level. All figures are therefore residuals within a search, after a linear function of
/// the level is fitted to each search and subtracted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeuristicSummary {
    /// The instruction set.
    pub isa: String,
    /// The searches with enough states.
    pub searches: usize,
    /// The states of these searches.
    pub states: usize,
    /// The standard deviation of the actual cost to go.
    pub deviation: Option<Figure>,
    /// The RMS difference between the actual cost and the estimate.
    pub error: Option<Figure>,
    /// Their correlation.
    pub correlation: Option<Figure>,
    /// The weights of the estimate, by name.
    pub weights: BTreeMap<&'static str, Figure>,
}

/// The minimum number of states of a search; fitting a line takes two parameters.
const FEWEST: usize = 4;

impl HeuristicSummary {
    /// Summarises the records of an instruction set.
    pub fn new(isa: &str, weights: &Quantities, records: &[HeuristicRecord]) -> Self {
        let mut searches: BTreeMap<usize, Vec<&HeuristicRecord>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.isa == isa) {
            searches.entry(record.search).or_default().push(record);
        }
        searches.retain(|_, records| records.len() >= FEWEST);
        let (mut costs, mut estimates) = (Vec::new(), Vec::new());
        for records in searches.values() {
            let column =
                |of: fn(&HeuristicRecord) -> f64| -> Vec<f64> { records.iter().map(|r| of(r)).collect() };
            let levels = column(|r| r.level.into());
            costs.extend(beside(&levels, &column(|r| r.cost.into())));
            estimates.extend(beside(&levels, &column(|r| r.estimate.get())));
        }
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let differences: Vec<f64> =
            costs.iter().zip(&estimates).map(|(cost, estimate)| cost - estimate).collect();
        let (states, free) = (costs.len(), costs.len().saturating_sub(2 * searches.len()));
        let mean = |sum: f64| (free > 0).then(|| Figure::new((sum / free as f64).sqrt()));
        let spread = (product(&costs, &costs) * product(&estimates, &estimates)).sqrt();
        Self {
            isa: isa.to_owned(),
            searches: searches.len(),
            states,
            deviation: mean(product(&costs, &costs)),
            error: mean(product(&differences, &differences)),
            correlation: (spread > 0.0).then(|| Figure::new(product(&costs, &estimates) / spread)),
            weights: named(weights),
        }
    }
}

/// The residuals of `values` after a linear fit to `levels`.
fn beside(levels: &[f64], values: &[f64]) -> Vec<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (level, value) = (mean(levels), mean(values));
    let squares: f64 = levels.iter().map(|l| (l - level).powi(2)).sum();
    let products: f64 = levels.iter().zip(values).map(|(l, v)| (l - level) * (v - value)).sum();
    let slope = if squares > 0.0 { products / squares } else { 0.0 };
    levels.iter().zip(values).map(|(l, v)| v - value - slope * (l - level)).collect()
}

/// The accuracy of the heuristic for each instruction set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeuristicBench {
    /// By instruction set.
    pub summary: Vec<HeuristicSummary>,
    /// The version of kalg.
    pub version: &'static str,
}

impl HeuristicBench {
    /// The summaries, with the version.
    pub fn new(summary: Vec<HeuristicSummary>) -> Self {
        Self { summary, version: VERSION }
    }

    /// A table with a legend.
    pub fn markdown(&self) -> String {
        let mut rows =
            vec![["isa", "searches", "states", "deviation", "error", "correlation"].map(str::to_owned)];
        let text = |figure: Option<Figure>| figure.map_or("–".to_owned(), |f| format!("{:.2}", f.get()));
        rows.extend(self.summary.iter().map(|s| {
            let [deviation, error, correlation] = [s.deviation, s.error, s.correlation].map(text);
            [s.isa.clone(), s.searches.to_string(), s.states.to_string(), deviation, error, correlation]
        }));
        format!(
            "The cost that searches found from states of beams, beside the estimated cost to go. Within searches, after the trend \
             over the levels\nis subtracted: the standard deviation of the cost, the error of the estimate, and their correlation.\n\n{}",
            markdown(&rows)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(of: &[(usize, u32, f64, u32)]) -> Vec<HeuristicRecord> {
        let record = |(search, level, estimate, cost): &(usize, u32, f64, u32)| HeuristicRecord {
            file: "a.sexp".to_owned(),
            isa: "i".to_owned(),
            search: *search,
            level: *level,
            quantities: BTreeMap::new(),
            estimate: Figure::new(*estimate),
            cost: *cost,
        };
        of.iter().map(record).collect()
    }

    #[test]
    fn what_the_level_or_the_search_says_is_taken_off() {
        // The cost falls by ten per level and is a hundred higher in the second search; neither is to the estimate's credit.
        let mut all = Vec::new();
        for (search, more) in [(0, 0), (1, 100)] {
            for (level, up) in [(1, 0), (1, 4), (3, 2), (3, 2)] {
                all.push((
                    search,
                    level,
                    f64::from(up) / 2.0 - f64::from(level),
                    50 + more + up - 10 * level,
                ));
            }
        }
        let summary = HeuristicSummary::new("i", &Quantities::default(), &records(&all));
        assert_eq!((summary.searches, summary.states), (2, 8));
        assert_eq!(summary.correlation, Some(Figure::new(1.0)));
        // Four of eight states are 2 off the line; the estimate predicts half of that, which leaves 1. There are four degrees of freedom.
        assert_eq!((summary.deviation, summary.error), (Some(Figure::new(2.0)), Some(Figure::new(1.0))));
    }

    #[test]
    fn too_few_states_say_nothing() {
        let summary = HeuristicSummary::new("i", &Quantities::default(), &records(&[(0, 1, 3.0, 4)]));
        assert_eq!((summary.searches, summary.correlation), (0, None));
        assert!(HeuristicBench::new(vec![summary]).markdown().contains("–"));
    }
}
