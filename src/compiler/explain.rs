//! Explanations: how the rules decompose a filter, as steps, as a proof, and as the e-graph; and proofs replayed.

use std::fmt::Write as _;

use super::error::Error;
use crate::budget::Budget;
use crate::report::{egraph_dot, egraph_json, egraph_page, egraph_svg, json_line};
use crate::rule::RuleSet;
use crate::saturate::{Exchange, Extracted, Limits, Rewrite, saturate_written};
use crate::syntax::{Layout, Source, read};
use crate::term::{
    FilterSource, Proof, ProofRewrite, ProofStep, denote_linear, filter_placed_in_any, print_equal,
    read_filter, written,
};

/// The base of the work limit, enough for small kernels with few e-nodes, and the addition per e-node.
const MIN_WORK: u64 = 1 << 28;
const WORK_PER_NODE: u64 = 1 << 18;
/// The largest kernel that is shown with its zeros, in taps.
const MOST_SHOWN: usize = 400;
/// The work limit for extracting the explained term: about a second unless the extraction finishes first.
const EXTRACTION_WORK: u64 = 1 << 26;

/// The most characters of a term on one line.
const WIDTH: usize = 118;

/// The forms of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainForm {
    /// The steps for people.
    Steps,
    /// The steps as one JSON object, which [`replay_proof`] accepts.
    Json,
    /// The filter as written and its decomposition, as one symbolic expression that is also a kernel file.
    Sexp,
    /// The e-graph, or its chosen part, in the format of the crate egraph-serialize.
    Graph(Part),
    /// The e-graph, or its chosen part, for Graphviz.
    Dot(Part),
    /// The e-graph, or its chosen part, as a picture.
    Svg(Part),
    /// The steps and the chosen kernels as a page for a browser, with all e-nodes of these or the chosen ones.
    Html(Part),
}

/// How much of an e-graph is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The nodes of the chosen decomposition.
    Chosen,
}

/// The limits for an explanation. The number of e-nodes also bounds the work, so the same number gives the same steps everywhere.
pub fn explain_limits(nodes: Option<usize>, budget: impl FnOnce(Budget) -> Budget) -> Limits {
    let usual = Limits::default();
    let nodes = nodes.unwrap_or(usual.nodes);
    let work = MIN_WORK.saturating_add((nodes as u64).saturating_mul(WORK_PER_NODE));
    Limits { nodes, budget: budget(Budget::of_work(work)), ..usual }
}

/// Explains a filter in these forms.
///
/// # Errors
/// The file cannot be read, or a rule is not sound.
pub fn explain(
    source: &Source,
    rules: &RuleSet,
    limits: &Limits,
    forms: &[ExplainForm],
) -> Result<Vec<String>, Error> {
    let read = read_filter(source)
        .and_then(|filter| Ok((filter_placed_in_any(&filter)?, written(&filter)?, filter)));
    let (outputs, written, filter) = read.map_err(|wrong| Error::at(source, &wrong))?;
    let found = saturate_written(&outputs, &written, rules, limits).map_err(Error::usage)?;
    let work = Budget::of_work(EXTRACTION_WORK).interrupted_by(&limits.budget.interrupt());
    let extracted = found.extract(&work);
    let form = |form: &ExplainForm| match form {
        ExplainForm::Steps => steps(source.name(), &filter, &extracted),
        ExplainForm::Json => proof(source, &filter, &extracted),
        ExplainForm::Sexp => print_equal(&filter, &extracted.forms(&filter.inputs)),
        ExplainForm::Graph(part) => egraph_json(&graph(&extracted, *part)),
        ExplainForm::Dot(part) => egraph_dot(&graph(&extracted, *part)),
        ExplainForm::Svg(part) => egraph_svg(&graph(&extracted, *part)),
        ExplainForm::Html(part) => {
            let (taken, outputs) = extracted.derivation(&filter.inputs);
            let report = steps(source.name(), &filter, &extracted);
            egraph_page(&filter.name, &report, &graph(&extracted, *part), &taken, &outputs)
        }
    };
    Ok(forms.iter().map(form).collect())
}

/// The e-graph, or its chosen part.
fn graph(found: &Extracted<'_>, part: Part) -> Exchange {
    let graph = found.exchange(&Budget::of_work(EXTRACTION_WORK));
    if part == Part::Chosen { graph.chosen() } else { graph }
}

/// The kernels in which the file reads a place with coefficient 0, with these zeros.
fn touched(filter: &FilterSource) -> String {
    let mut text = String::new();
    let Ok(denoted) = denote_linear(filter) else { return text };
    for (output, kernels) in denoted.rows() {
        for (kernel, input) in kernels.iter().zip(denoted.inputs()) {
            if kernel.nonzero_count() < kernel.footprint().len() && kernel.bounds().places() <= MOST_SHOWN {
                let _ = writeln!(
                    text,
                    "  {output} of {input} as written (0: looked at and cancelled, .: not looked at)"
                );
                for line in kernel.to_string().lines() {
                    let _ = writeln!(text, "    {line}");
                }
            }
        }
    }
    text
}

/// The steps as text.
fn steps(name: &str, filter: &FilterSource, found: &Extracted<'_>) -> String {
    let (steps, outputs) = found.derivation(&filter.inputs);
    let mut text = format!("{} ({name})\n", filter.name);
    for (number, step) in steps.iter().enumerate() {
        step.before.iter().for_each(|line| text.push_str(&laid_out(line)));
        let _ = writeln!(text, "{}. {}: {}", number + 1, step.rule, step.identity);
        let _ = writeln!(text, "   {} [{}]", step.doc, step.place.as_deref().unwrap_or(name));
    }
    outputs.iter().for_each(|line| text.push_str(&laid_out(line)));
    text.push_str(&touched(filter));
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let additions = usize::try_from(found.additions()).unwrap_or(usize::MAX);
    let least = match found.at_least() {
        least if least == found.additions() => "no term in the e-graph has fewer".to_owned(),
        least => format!("no term in the e-graph has fewer than {least}"),
    };
    let _ = writeln!(text, "{}, {}; {least}", count(steps.len(), "step"), count(additions, "addition"));
    text
}

/// An output with its marks, indented. If it is long, it takes as many lines as in a file.
fn laid_out(output: &str) -> String {
    let flat = format!("  {output}\n");
    if flat.trim().chars().count() <= WIDTH {
        return flat;
    }
    // Marks of a list go into the list as words, so that it can be read.
    let readable = output.replace("«(", "(⟪ ").replace(")»", " ⟫)");
    let read = read(&Source::new("", readable));
    let printed = match read.as_deref() {
        Ok([sexp]) => Layout { width: WIDTH, ..Layout::default() }.print(sexp),
        _ => return flat,
    };
    let parts = printed.split("⟫)").collect::<Vec<_>>();
    let (last, marked) = parts.split_last().unwrap_or((&"", &[]));
    let marked: String = marked.iter().map(|part| format!("{})»", part.trim_end())).collect();
    let marked = format!("{marked}{last}").replace("(⟪ ", "«(");
    marked.lines().map(|line| format!("  {line}\n")).collect()
}

/// The steps as JSON, which [`replay`] accepts.
fn proof(source: &Source, filter: &FilterSource, found: &Extracted<'_>) -> String {
    let (steps, outputs) = found.derivation(&filter.inputs);
    let given = steps.first().map_or(&outputs, |step| &step.before);
    let given = given.iter().map(|line| line.replace(['«', '»'], "")).collect();
    let steps = steps.into_iter().map(|step| ProofStep {
        before: step.before,
        rule: step.rule,
        place: step.place.unwrap_or_else(|| source.name().to_owned()),
        doc: step.doc,
        identity: step.identity,
        rewrites: step
            .rewrites
            .into_iter()
            .map(|Rewrite { output, path, from, to }| ProofRewrite { output, path, from, to })
            .collect(),
    });
    json_line(&Proof {
        file: source.name().to_owned(),
        source: source.text().to_owned(),
        filter: filter.name.clone(),
        given,
        steps: steps.collect(),
        outputs,
        additions: found.additions(),
        at_least: found.at_least(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Why a proof is not accepted.
#[derive(Clone, Debug)]
pub enum ReplayProofError {
    /// The text is not a proof.
    Unreadable(String),
    /// A step does not hold.
    Wrong(String),
}

/// What a proof says besides: it may say anything there.
const UNCHECKED: &str = "the names, places and sentences of rules, the displayed terms and identities, and the counts of additions";

/// Checks the form [`ExplainForm::Json`] of an explanation by evaluating every step, without an e-graph; with a file, also
/// that it is about that file. Returns the findings, and what is not checked, in two lines.
///
/// # Errors
/// [`ReplayProofError`].
pub fn replay_proof(text: &Source, about: Option<&Source>) -> Result<String, ReplayProofError> {
    let read = serde_json::from_str(text.text());
    let mut proof: Proof = read.map_err(|error| ReplayProofError::Unreadable(error.to_string()))?;
    if let Some(own) = about {
        (proof.file, proof.source) = (own.name().to_owned(), own.text().to_owned());
    }
    let rewrites = proof.replay().map_err(|why| ReplayProofError::Wrong(why.to_string()))?;
    Ok(format!(
        "{} ({}): the proof holds; steps: {}, parts replaced: {rewrites}\n\
         checked: the filter's name and kernels, every replacement, and the last term; \
         not checked: {UNCHECKED}\n",
        proof.filter,
        proof.file,
        proof.steps.len()
    ))
}
