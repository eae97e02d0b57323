//! `kalg explain`: shows how the rules decompose a filter.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::complain::color;
use super::files;
use super::interrupt::Interrupt;
use super::optimize::{DEFAULT_TIME, Seconds};
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::rules::RuleFiles;
use crate::backend::Registry;
use crate::budget::{Budget, Clock};
use crate::pipeline::is_pipeline;
use crate::report::{egraph_dot, egraph_json, egraph_svg, json_line};
use crate::saturate::{Exchange, Extracted, Limits, Rewrite, saturate_written};
use crate::syntax::{Diagnostics, Source, render};
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

/// The options that apply to pipelines.
const PIPELINES: &Table<()> = &[(&[()], &["file", "json", "output"])];

/// `kalg explain`.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A kernel file, or a pipeline, whose stages are shown with their windows, intervals and rates, and what of them is merged;
    /// `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "replay")]
    file: Option<PathBuf>,
    /// Check the output of an earlier `kalg explain --json` by evaluating every step, without an e-graph; with FILE, also
    /// check that it is about that file
    #[arg(long, value_name = "PROOF", conflicts_with_all = ["time", "nodes", "emit", "json"])]
    replay: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleFiles,
    /// Use the rules for this machine [default: those for all machines without memory]
    #[arg(long, value_name = "TARGET", value_parser = PossibleValuesParser::new(Registry::default().names()), conflicts_with = "replay")]
    cost: Option<String>,
    /// Time limit of the search for decompositions: 500ms, 10s, 2m [default: 10s, or none with --nodes]
    #[arg(long, value_name = "TIME")]
    time: Option<Seconds>,
    /// Maximum number of e-nodes; the same number gives the same steps on every machine [default: 20000]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Print the e-graph instead of the steps
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// Print only the chosen part of the e-graph
    #[arg(long, requires = "emit")]
    chosen: bool,
    /// Print the steps as one JSON object
    #[arg(long, conflicts_with = "emit")]
    json: bool,
    /// Write the result to this file, all or nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The format of the crate egraph-serialize
    Json,
    /// A graph for Graphviz
    Dot,
    /// A picture
    Svg,
    /// The filter as written and its decomposition, as one symbolic expression that is also a kernel file
    Sexp,
}

impl Explain {
    /// Saturates the filter and prints the result in the requested form.
    pub(super) fn run(self, given: &Given) -> Result<Outcome, CommandError> {
        if let Some(proof) = &self.replay {
            return replay(proof, self.file.as_deref(), self.output.clone());
        }
        let source = source(self.file.as_deref().unwrap_or(Path::new("-")))?;
        if is_pipeline(&source) {
            given.check(PIPELINES, (), &"a pipeline")?;
            return super::pipeline::explain(&source, self.json, self.output);
        }
        let machine = self.cost.as_deref().and_then(|name| Registry::default().builtin(name));
        let rules = self.rules.load_for(machine.as_deref())?;
        let read = read_filter(&source)
            .and_then(|filter| Ok((filter_placed_in_any(&filter)?, written(&filter)?, filter)));
        let (outputs, written, filter) = match read {
            Ok(read) => read,
            Err(diagnostics) => return Ok(bad_input(&source, &diagnostics)),
        };
        let interrupt = Interrupt::listen();
        let limits = self.limits(&interrupt);
        let found = saturate_written(&outputs, &written, &rules, &limits)
            .map_err(|error| CommandError::Usage(error.to_string()))?;
        let work = Budget::of_work(EXTRACTION_WORK).interrupted_by(&interrupt.flag());
        let extracted = found.extract(&work);
        let text = match self.emit {
            None if self.json => proof(&source, &filter, &extracted),
            None => steps(source.name(), &filter, &extracted),
            Some(Emit::Sexp) => print_equal(&filter, &extracted.forms(&filter.inputs)),
            Some(Emit::Json) => egraph_json(&self.graph(&extracted)),
            Some(Emit::Dot) => egraph_dot(&self.graph(&extracted)),
            Some(Emit::Svg) => egraph_svg(&self.graph(&extracted)),
        };
        let mut output = Output::new(self.output);
        output.put(&text)?;
        output.finish()?;
        Ok(if interrupt.is_set() { Outcome::Interrupted } else { Outcome::Done })
    }

    /// The e-graph, or its chosen part.
    fn graph(&self, found: &Extracted<'_>) -> Exchange {
        let graph = found.exchange(&Budget::of_work(EXTRACTION_WORK));
        if self.chosen { graph.chosen() } else { graph }
    }

    /// The limits of saturation. The number of e-nodes also bounds the work, so the same number gives the same steps everywhere.
    fn limits(&self, interrupt: &Interrupt) -> Limits {
        let usual = Limits::default();
        let nodes = self.nodes.unwrap_or(usual.nodes);
        let time = self.time.or_else(|| self.nodes.is_none().then_some(DEFAULT_TIME));
        let began = Instant::now();
        let clock: Clock = Arc::new(move || began.elapsed());
        let work = MIN_WORK.saturating_add((nodes as u64).saturating_mul(WORK_PER_NODE));
        let budget = Budget::of_work(work)
            .with_clock(&clock)
            .until(time.map(|Seconds(time)| time))
            .interrupted_by(&interrupt.flag());
        Limits { nodes, budget, ..usual }
    }
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
        for line in &step.before {
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "{}. {}: {}", number + 1, step.rule, step.identity);
        let _ = writeln!(text, "   {} [{}]", step.doc, step.place.as_deref().unwrap_or(name));
    }
    for line in &outputs {
        let _ = writeln!(text, "  {line}");
    }
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

/// Replays a proof; with a file, also checks that the proof is about that file.
fn replay(path: &Path, file: Option<&Path>, output: Option<PathBuf>) -> Result<Outcome, CommandError> {
    let text = source(path)?;
    let unreadable = |why: &dyn std::fmt::Display| {
        CommandError::Usage(format!("`{}` is not an output of `kalg explain --json`: {why}", path.display()))
    };
    let mut proof: Proof = serde_json::from_str(text.text()).map_err(|error| unreadable(&error))?;
    if let Some(file) = file {
        let own = source(file)?;
        (proof.file, proof.source) = (own.name().to_owned(), own.text().to_owned());
    }
    match proof.replay() {
        Ok(rewrites) => {
            let steps = proof.steps.len();
            let line = format!(
                "{} ({}): the proof holds; steps: {steps}, parts replaced: {rewrites}\n",
                proof.filter, proof.file
            );
            let mut output = Output::new(output);
            output.put(&line)?;
            output.finish()?;
            Ok(Outcome::Done)
        }
        Err(why) => {
            eprintln!("{}: the proof does not hold: {why}", path.display());
            Ok(Outcome::Negative)
        }
    }
}

/// Reads a file, or standard input.
fn source(path: &Path) -> Result<Source, CommandError> {
    let name = path.to_string_lossy();
    files::read_source(path).map_err(|error| CommandError::Usage(format!("cannot read `{name}`: {error}")))
}

fn bad_input(source: &Source, diagnostics: &Diagnostics) -> Outcome {
    eprint!("{}", render(source, diagnostics, color()));
    Outcome::BadInput
}
