//! Rules in themselves: lists, checks, measurements, and identities that they do not state.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use kalg::budget::{Budget, Clock};
use kalg::compiler::{
    Measuring, Search, Trials, check_rules, infer_rules, infer_table, list_rules, read_arrays,
    rule_check_table, rule_file, rule_stats, rule_table, stats_table,
};
use kalg::report::json_line;
use kalg::saturate::Limits;
use pyo3::prelude::*;
use serde::Serialize;

use crate::settings::{Rules, Settings};
use crate::tasks::{Input, source, task};

/// Records as lines of JSON.
fn lines<T: Serialize>(records: &[T]) -> String {
    records.iter().map(|record| json_line(record) + "\n").collect()
}

/// Lists the rules, as text and as lines of JSON.
#[pyfunction]
pub(crate) fn rules_list(py: Python<'_>, settings: &str) -> PyResult<(String, String)> {
    task(py, settings, None, |settings, _| {
        let rules = settings.rules.read()?;
        Ok((rule_table(&rules), lines(&list_rules(rules.rules()))))
    })
}

/// Checks the rules; of `own`, if they are given, only those; rules about instructions also on `arrays`. Returns whether all hold, text
/// and lines of JSON.
#[pyfunction]
#[pyo3(signature = (settings, own, arrays, trials, seed))]
pub(crate) fn rules_check(
    py: Python<'_>,
    settings: &str,
    own: Option<&str>,
    arrays: Vec<Input>,
    trials: usize,
    seed: u64,
) -> PyResult<(bool, String, String)> {
    let own = own.map(serde_json::from_str::<Rules>).transpose();
    let own = own.map_err(|error| crate::raise::refused(py, &error.to_string()))?;
    task(py, settings, None, move |settings, _| {
        let base = settings.rules.read()?;
        let own = own.map(|own| own.read()).transpose()?;
        let (checked, all) = match own {
            Some(own) => (own.rules().to_vec(), base.with(own.rules().iter().cloned())),
            None => (base.rules().to_vec(), base),
        };
        let arrays = read_arrays(&arrays.into_iter().map(source).collect::<Vec<_>>())?;
        let trials = Trials { kernels: trials, seed };
        let records = settings.pooled(|| check_rules(&checked, &all, arrays, trials))?;
        let holds = !records.iter().any(|record| record.fails());
        Ok((holds, rule_check_table(&records), lines(&records)))
    })
}

/// Measures rules on filters. Returns text, JSON, and why filters were left out.
#[pyfunction]
pub(crate) fn rules_stats(
    py: Python<'_>,
    filters: Vec<Input>,
    settings: &str,
    ablate: bool,
) -> PyResult<(String, String, Vec<String>)> {
    task(py, settings, None, move |settings, line| {
        let sources: Vec<_> = filters.into_iter().map(source).collect();
        let began = Instant::now();
        let clock: Clock = Arc::new(move || began.elapsed());
        let budget = Budget::unlimited().with_clock(&clock).interrupted_by(line.stop);
        let usual = Limits::default();
        let nodes = settings.nodes.and_then(|nodes| usize::try_from(nodes).ok()).unwrap_or(usual.nodes);
        let measuring = Measuring { limits: Limits { nodes, budget, ..usual }, ablate };
        let target = settings.named()?;
        let machine = target.as_ref().map(|target| target.machine());
        let rules = settings.rules_for_target()?;
        let (record, unread) = settings.pooled(|| rule_stats(&sources, &rules, machine, &measuring))??;
        Ok((stats_table(&record), json_line(&record), unread.iter().map(ToString::to_string).collect()))
    })
}

/// Finds identities that the rules do not state. Returns text and lines of JSON.
#[pyfunction]
pub(crate) fn rules_infer(
    py: Python<'_>,
    filters: Vec<Input>,
    settings: &str,
    semiring: String,
    size: usize,
    seed: u64,
) -> PyResult<(String, String)> {
    task(py, settings, None, move |settings, line| {
        let sources: Vec<_> = filters.into_iter().map(source).collect();
        let nodes = settings.nodes.and_then(|nodes| usize::try_from(nodes).ok()).unwrap_or(2_000);
        let search = Search { semiring, size, seed, nodes };
        let stop = Arc::clone(line.stop);
        let rules = settings.rules_for_target()?;
        let found = settings
            .pooled(|| infer_rules(&search, &rules, &sources, &|| stop.load(Ordering::Relaxed)))??;
        Ok((infer_table(&found), lines(&found.records)))
    })
}

/// The text of a rule file to start from.
#[pyfunction]
pub(crate) fn rules_new(py: Python<'_>, name: String) -> PyResult<String> {
    task(py, "{}", None, move |_: &Settings, _| rule_file(&name))
}
