//! `kalg explain`: how the rules take a filter apart.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::color;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::rules::RuleFiles;
use crate::report::{egraph_dot, egraph_json, egraph_svg, json_line};
use crate::saturate::{Limits, Saturated, saturate};
use crate::syntax::{Diagnostics, render};
use crate::term::{FilterSource, filter_placed, read_filter};

/// `kalg explain`.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A kernel file; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    rules: RuleFiles,
    /// E-nodes that may be added
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: usize,
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

/// Forms of an e-graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The exchange format of the crate egraph-serialize
    Json,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
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
    version: &'static str,
}

impl Explain {
    /// Saturates the filter and prints what was asked for.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let rules = self.rules.load()?;
        let name = self.file.to_string_lossy().into_owned();
        let source = files::read_source(&self.file)
            .map_err(|error| CommandError::Usage(format!("cannot read `{name}`: {error}")))?;
        let read = read_filter(&source).and_then(|filter| Ok((filter_placed(&filter)?, filter)));
        let (outputs, filter) = match read {
            Ok(read) => read,
            Err(diagnostics) => return Ok(bad_input(&source, &diagnostics)),
        };
        let limits = Limits { nodes: self.nodes, ..Limits::default() };
        let found =
            saturate(&outputs, &rules, &limits).map_err(|error| CommandError::Usage(error.to_string()))?;
        let text = match self.emit {
            None => self.steps(&name, &filter, &found),
            Some(emit) => {
                let graph = found.exchange();
                let graph = if self.chosen { graph.chosen() } else { graph };
                match emit {
                    Emit::Json => egraph_json(&graph),
                    Emit::Dot => egraph_dot(&graph),
                    Emit::Svg => egraph_svg(&graph),
                }
            }
        };
        let mut output = Output::new(self.output);
        output.put(&text)?;
        output.finish()?;
        Ok(Outcome::Done)
    }

    fn steps(&self, name: &str, filter: &FilterSource, found: &Saturated) -> String {
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
                        place: &step.place,
                        doc: &step.doc,
                        identity: &step.identity,
                    })
                    .collect(),
                outputs: &outputs,
                additions: found.additions(),
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
            let _ = writeln!(text, "   {} [{}]", step.doc, step.place);
        }
        for line in &outputs {
            let _ = writeln!(text, "  {line}");
        }
        let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        let additions = usize::try_from(found.additions()).unwrap_or(usize::MAX);
        let _ = writeln!(text, "{}, {}", count(steps.len(), "step"), count(additions, "addition"));
        text
    }
}

fn bad_input(source: &crate::syntax::Source, diagnostics: &Diagnostics) -> Outcome {
    eprint!("{}", render(source, diagnostics, color()));
    Outcome::BadInput
}
