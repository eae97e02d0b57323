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
use crate::report::{GraphNode, GraphView, egraph_dot, egraph_json, egraph_svg};
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
                let graph = egraph(&found, self.chosen);
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
            return serde_json::to_string(&record).expect("a record of text and numbers serialises");
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

/// The e-graph as the report layer draws it; what is chosen for the outputs only, where that is asked for.
fn egraph(found: &Saturated, chosen: bool) -> GraphView {
    let exchange = found.exchange();
    let mut keep: Vec<String> = exchange.root_eclasses.clone();
    let mut next = 0;
    while chosen && next < keep.len() {
        let node = exchange.nodes.iter().find(|node| node.chosen && node.eclass == keep[next]);
        for child in node.map_or(&[][..], |node| &node.children) {
            let class = child.split('.').next().unwrap_or(child).to_owned();
            if !keep.contains(&class) {
                keep.push(class);
            }
        }
        next += 1;
    }
    let is_kept = |class: &String| !chosen || keep.contains(class);
    let mut nodes: Vec<GraphNode> = Vec::new();
    for node in exchange.nodes.into_iter().filter(|node| is_kept(&node.eclass) && (!chosen || node.chosen)) {
        let children = node.children.into_iter();
        let place = |child: String| child.split('.').next().unwrap_or(&child).to_owned();
        nodes.push(GraphNode {
            id: node.id,
            op: node.op,
            children: children.map(place).collect(),
            eclass: node.eclass,
            cost: node.cost,
            rule: node.rule,
        });
    }
    let class_data = exchange.class_data.into_iter().filter(|(class, _)| is_kept(class)).collect();
    GraphView { nodes, root_eclasses: exchange.root_eclasses, class_data }
}
