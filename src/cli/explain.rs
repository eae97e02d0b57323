//! `kalg explain`: how the rules take a filter apart.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::complain::color;
use super::files;
use super::interrupt::Interrupt;
use super::optimize::{DEFAULT_TIME, Seconds};
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::rules::RuleFiles;
use crate::budget::{Budget, Clock};
use crate::report::{egraph_dot, egraph_json, egraph_svg, json_line};
use crate::saturate::{EXTRACTION, Exchange, Extracted, Limits, saturate_written};
use crate::syntax::{Diagnostics, render};
use crate::term::{FilterSource, filter_placed, print_equal, read_filter, written};

/// Work that small kernels do not need for few e-nodes, and more for each.
const MIN_WORK: u64 = 1 << 28;
const WORK_PER_NODE: u64 = 1 << 18;

/// `kalg explain`.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A kernel file; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    rules: RuleFiles,
    /// How long to look for decompositions: 500ms, 10s, 2m [default: 10s, or no limit with --nodes]
    #[arg(long, value_name = "TIME")]
    time: Option<Seconds>,
    /// E-nodes that may be added; the same number gives the same steps on every machine [default: 20000]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Print the e-graph in the place of the steps
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// Of the e-graph, only what was chosen
    #[arg(long, requires = "emit")]
    chosen: bool,
    /// Print the steps as one JSON object
    #[arg(long, conflicts_with = "emit")]
    json: bool,
    /// Write the result to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Forms of what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The exchange format of the crate egraph-serialize
    Json,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// The filter as it was written and as it was taken apart, as one symbolic expression, which is a kernel file, too
    Sexp,
}

#[derive(Serialize)]
struct StepRecord<'a> {
    before: &'a [String],
    rule: &'a str,
    place: &'a str,
    doc: &'a str,
    identity: &'a str,
}

#[derive(Serialize)]
struct ExplainRecord<'a> {
    file: &'a str,
    filter: &'a str,
    steps: Vec<StepRecord<'a>>,
    outputs: &'a [String],
    additions: u64,
    /// No term in the e-graph has fewer.
    at_least: u64,
    version: &'static str,
}

impl Explain {
    /// Saturates the filter and prints what was asked for.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let rules = self.rules.load()?;
        let name = self.file.to_string_lossy().into_owned();
        let source = files::read_source(&self.file)
            .map_err(|error| CommandError::Usage(format!("cannot read `{name}`: {error}")))?;
        let read =
            read_filter(&source).and_then(|filter| Ok((filter_placed(&filter)?, written(&filter)?, filter)));
        let (outputs, written, filter) = match read {
            Ok(read) => read,
            Err(diagnostics) => return Ok(bad_input(&source, &diagnostics)),
        };
        let interrupt = Interrupt::listen();
        let limits = self.limits(&interrupt);
        let found = saturate_written(&outputs, &written, &rules, &limits)
            .map_err(|error| CommandError::Usage(error.to_string()))?;
        let work = Budget::of_work(EXTRACTION);
        let extracted = found.extract(&work);
        let text = match self.emit {
            None => self.steps(&name, &filter, &extracted),
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

    /// The e-graph, or what was chosen of it.
    fn graph(&self, found: &Extracted<'_>) -> Exchange {
        let graph = found.exchange(&Budget::of_work(EXTRACTION));
        if self.chosen { graph.chosen() } else { graph }
    }

    /// A number of e-nodes bounds the work, too, so that the same number gives the same steps on every machine.
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

    fn steps(&self, name: &str, filter: &FilterSource, found: &Extracted<'_>) -> String {
        let (steps, outputs) = found.derivation(&filter.inputs);
        if self.json {
            let record = ExplainRecord {
                file: name,
                filter: &filter.name,
                steps: steps
                    .iter()
                    .map(|step| StepRecord {
                        before: &step.before,
                        rule: &step.rule,
                        place: step.place.as_deref().unwrap_or(name),
                        doc: &step.doc,
                        identity: &step.identity,
                    })
                    .collect(),
                outputs: &outputs,
                additions: found.additions(),
                at_least: found.at_least(),
                version: env!("CARGO_PKG_VERSION"),
            };
            return json_line(&record);
        }
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
        let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        let additions = usize::try_from(found.additions()).unwrap_or(usize::MAX);
        let least = match found.at_least() {
            least if least == found.additions() => "no term in the e-graph has fewer".to_owned(),
            least => format!("no term in the e-graph has fewer than {least}"),
        };
        let _ = writeln!(text, "{}, {}; {least}", count(steps.len(), "step"), count(additions, "addition"));
        text
    }
}

fn bad_input(source: &crate::syntax::Source, diagnostics: &Diagnostics) -> Outcome {
    eprint!("{}", render(source, diagnostics, color()));
    Outcome::BadInput
}
