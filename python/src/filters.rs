//! Filters in themselves: explanations, approximations, imports, and the stages of pipelines.

use std::sync::Arc;
use std::time::Instant;

use kalg::Error;
use kalg::backend::array::compile::{Nearness, approximate};
use kalg::backend::array::options::error;
use kalg::budget::Clock;
use kalg::compiler::{
    ExplainForm, Part, ReplayProofError, explain as explained, explain_limits, filter_name, import_kernels,
    replay_proof,
};
use kalg::pipeline::read_pipeline;
use kalg::report::describe_pipeline;
use kalg::rule::RuleSet;
use pyo3::prelude::*;

use crate::tasks::{Input, source, task};

/// Explains a filter in these forms: `text`, `json`, `sexp`, and `graph`, `dot`, `svg` and `html` of the e-graph, with `-chosen`
/// of its chosen part.
#[pyfunction]
pub(crate) fn explain(
    py: Python<'_>,
    filter: Input,
    settings: &str,
    forms: Vec<String>,
) -> PyResult<Vec<String>> {
    task(py, settings, None, move |settings, line| {
        let forms: Vec<ExplainForm> = forms.iter().map(|form| form_of(form)).collect::<Result<_, _>>()?;
        let began = Instant::now();
        let clock: Clock = Arc::new(move || began.elapsed());
        let nodes = settings.nodes.and_then(|nodes| usize::try_from(nodes).ok());
        let limits = explain_limits(nodes, |budget| {
            budget.with_clock(&clock).until(settings.limit(true)).interrupted_by(line.stop)
        });
        settings.pooled(|| explained(&source(filter), &settings.rules_for_target()?, &limits, &forms))?
    })
}

fn form_of(name: &str) -> Result<ExplainForm, Error> {
    let (name, part) = match name.strip_suffix("-chosen") {
        Some(name) => (name, Part::Chosen),
        None => (name, Part::Whole),
    };
    Ok(match name {
        "text" => ExplainForm::Steps,
        "json" => ExplainForm::Json,
        "sexp" => ExplainForm::Sexp,
        "graph" => ExplainForm::Graph(part),
        "dot" => ExplainForm::Dot(part),
        "svg" => ExplainForm::Svg(part),
        "html" => ExplainForm::Html(part),
        _ => return Err(Error::usage(format!("explanations have no form `{name}`"))),
    })
}

/// Replays a proof, about a filter if there is one. Returns whether it holds, and the findings.
#[pyfunction]
#[pyo3(signature = (proof, filter = None))]
pub(crate) fn prove(py: Python<'_>, proof: Input, filter: Option<Input>) -> PyResult<(bool, String)> {
    task(py, "{}", None, |_, _| match replay_proof(&source(proof), filter.map(source).as_ref()) {
        Ok(found) => Ok((true, found)),
        Err(ReplayProofError::Wrong(why)) => Ok((false, why)),
        Err(ReplayProofError::Unreadable(why)) => Err(Error::usage(format!("this is not a proof: {why}"))),
    })
}

/// Rounds the coefficients of a filter to multiples of 2 to the power of minus `depth`, or until none is off by more than
/// `max_error`. Returns the record.
#[pyfunction]
#[pyo3(signature = (filter, depth = None, max_error = None))]
pub(crate) fn approx(
    py: Python<'_>,
    filter: Input,
    depth: Option<u32>,
    max_error: Option<String>,
) -> PyResult<String> {
    task(py, "{}", None, move |_, _| {
        let nearness = match (depth, max_error) {
            (Some(depth), None) => Nearness::Depth(depth),
            (None, Some(most)) => Nearness::Within(error(&most).map_err(Error::usage)?),
            _ => return Err(Error::usage("give either a depth or a maximum error")),
        };
        let filter = source(filter);
        let record = approximate(&filter, nearness).map_err(|error| Error::of_compiling(&filter, &error))?;
        Ok(record.to_json())
    })
}

/// Writes a configuration of Cain, or a matrix, as a kernel file. Without a name, the filter has that of the file.
#[pyfunction]
#[pyo3(signature = (file, name = None))]
pub(crate) fn imported(py: Python<'_>, file: Input, name: Option<String>) -> PyResult<String> {
    task(py, "{}", None, move |_, _| import_kernels(&source(file), name.as_deref()))
}

/// The name of a filter as kernel files write it: anything but letters, digits and underscores becomes a hyphen.
#[pyfunction]
pub(crate) fn named(py: Python<'_>, name: &str) -> PyResult<String> {
    filter_name(name).map_err(|why| crate::raise::refused(py, &why))
}

/// The stages of a pipeline, as text, as a record and as a page.
#[pyfunction]
pub(crate) fn stages(py: Python<'_>, pipeline: Input) -> PyResult<(String, String, String)> {
    task(py, "{}", None, move |_, _| {
        let source = source(pipeline);
        let pipeline = read_pipeline(&source).map_err(|wrong| Error::at(&source, &wrong))?;
        let record = describe_pipeline(&pipeline, source.name(), &RuleSet::builtin().identities())
            .map_err(Error::usage)?;
        Ok((record.text(), record.to_json(), record.to_page()))
    })
}
