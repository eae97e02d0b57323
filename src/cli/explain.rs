//! `kalg explain`: shows how the rules decompose a filter.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::arguments::whole;
use super::clock::clock;
use super::complain::color;
use super::files::source;
use super::interrupt::Interrupt;
use super::optimize::{DEFAULT_TIME, Seconds};
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::write_result;
use super::rules::RuleFiles;
use crate::backend::Registry;
use crate::compiler::{ExplainForm, Part, ReplayProofError, explain, explain_limits, replay_proof};
use crate::pipeline::is_pipeline;
use crate::report::PipelineRecord;
use crate::saturate::Limits;
use crate::syntax::{Kind, other_kind};

/// The options that apply to pipelines.
const PIPELINES: &Table<()> = &[(&[()], &["file", "rules", "extra_rules", "json", "emit", "output"])];

/// The text below the options in the help.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 the proof given to --replay does not hold, 2 a file or an option cannot
be used.
130: Ctrl-C ended the search and the steps found so far were written; a second one ends kalg.";

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
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    time: Option<Seconds>,
    /// Maximum number of e-nodes; the same number gives the same steps on every machine [default: 20000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<usize>)]
    nodes: Option<usize>,
    /// What to print instead of the steps: the e-graph, or a page
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
    /// A page for a browser: the steps, and the chosen kernels in the e-graph; the stages of a pipeline
    Html,
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
            if let Some(emit) = self.emit.filter(|emit| *emit != Emit::Html) {
                let form =
                    emit.to_possible_value().map_or_else(String::new, |form| form.get_name().to_owned());
                return Err(CommandError::Usage(format!("the stages of a pipeline have no form `{form}`")));
            }
            let form = match (self.emit, self.json) {
                (Some(_), _) => PipelineRecord::to_page,
                (None, true) => PipelineRecord::to_json,
                (None, false) => PipelineRecord::text,
            };
            return super::pipeline::explain(&source, &self.rules.load()?, form, self.output);
        }
        let machine = self.cost.as_deref().and_then(|name| Registry::default().builtin(name));
        let rules = self.rules.load_for(machine.as_deref())?;
        let interrupt = Interrupt::listen();
        let texts = match explain(&source, &rules, &self.limits(&interrupt), &[self.form()]) {
            Ok(texts) => texts,
            Err(error) if error.place().is_none() => return Err(CommandError::Usage(error.to_string())),
            Err(error) => {
                eprint!("{}", error.render(color()));
                return Ok(Outcome::BadInput);
            }
        };
        write_result(self.output, &texts.concat())?;
        Ok(if interrupt.is_set() { Outcome::Interrupted } else { Outcome::Done })
    }

    fn form(&self) -> ExplainForm {
        let part = if self.chosen { Part::Chosen } else { Part::Whole };
        match self.emit {
            None if self.json => ExplainForm::Json,
            None => ExplainForm::Steps,
            Some(Emit::Sexp) => ExplainForm::Sexp,
            Some(Emit::Json) => ExplainForm::Graph(part),
            Some(Emit::Dot) => ExplainForm::Dot(part),
            Some(Emit::Svg) => ExplainForm::Svg(part),
            Some(Emit::Html) => ExplainForm::Html(part),
        }
    }

    /// The limits of saturation.
    fn limits(&self, interrupt: &Interrupt) -> Limits {
        let time = self.time.or_else(|| self.nodes.is_none().then_some(DEFAULT_TIME));
        explain_limits(self.nodes, |budget| {
            budget
                .with_clock(&clock())
                .until(time.map(|Seconds(time)| time))
                .interrupted_by(&interrupt.flag())
        })
    }
}

/// Replays a proof; with a file, also checks that the proof is about that file.
fn replay(path: &Path, file: Option<&Path>, output: Option<PathBuf>) -> Result<Outcome, CommandError> {
    let about = file.map(source).transpose()?;
    let proof = source(path)?;
    match replay_proof(&proof, about.as_ref()) {
        Ok(line) => {
            write_result(output, &line)?;
            Ok(Outcome::Done)
        }
        Err(ReplayProofError::Unreadable(why)) => Err(CommandError::Usage(format!(
            "`{}` is not an output of `kalg explain --json`: {}",
            path.display(),
            other_kind(&proof, &[Kind::Json]).map_or(why, |other| other.to_string())
        ))),
        Err(ReplayProofError::Wrong(why)) => {
            eprintln!("{}: the proof does not hold: {why}", path.display());
            Ok(Outcome::Negative)
        }
    }
}
