//! `kalg check`: is a program right?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::arguments::{Assignment, machine, range};
use super::color;
use super::files::{self, write_whole};
use super::listing::{Listing, pairs};
use super::objective::noise_model;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::algebra::Rational;
use crate::pipeline::{CheckError, CheckRequest, Checking, Whose, check_program};
use crate::report::{self, Answer, ErrorKind, ErrorRecord, FailureRecord, check_text};
use crate::syntax::{Source, render};
use crate::target::Target;
use crate::verify::{ReplayError, certificate, replay};

/// What stands below the options in the help text.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 equal, or nothing was asked, 1 not equal, 2 a file or an option cannot be used.";

/// `kalg check`.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The program: instructions, a C++ source, or what AUKE or Cain print; `-` reads standard input
    #[arg(value_name = "PROGRAM", required_unless_present = "replay")]
    program: Option<PathBuf>,
    /// What it should compute: a kernel file, or another program
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// The machine: a name, or a file that describes it
    #[arg(long, value_name = "NAME|FILE")]
    target: Option<String>,

    #[command(flatten)]
    listing: Listing,
    /// Which program of the source that is compared with
    #[arg(long, value_name = "N", requires = "against")]
    against_block: Option<usize>,
    /// Registers of the outputs of the program that is compared with [default: the same, or the one written last]
    #[arg(long, value_name = "NAME=B,…", value_delimiter = ',', requires = "against")]
    against_outputs: Vec<Assignment>,

    /// Warn where values can leave what a register holds, for inputs of this range
    #[arg(long, value_name = "LEAST,GREATEST", value_parser = range, allow_hyphen_values = true)]
    input_range: Option<[Rational; 2]>,

    /// Model by which noise is predicted, by the target's name for it, or `ideal` [default: the target's first]
    #[arg(long, value_name = "MODEL")]
    noise: Option<String>,

    /// Write the evaluation to this file, instruction by instruction, for others to check
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Follow such a file with an evaluator of its own
    #[arg(long, value_name = "FILE", conflicts_with_all = ["program", "against", "certificate"])]
    replay: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the results to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Follows a certificate.
fn follow(target: &Target, path: &Path) -> Result<Outcome, CommandError> {
    let source = files::read_source(path)
        .map_err(|error| CommandError::Usage(format!("cannot read `{}`: {error}", path.display())))?;
    match replay(target, &source) {
        Ok(replayed) => {
            let mut text =
                format!("{}: {} steps are as they are said to be\n", source.name(), replayed.steps);
            for (output, register) in &replayed.outputs {
                text.push_str(&format!("{output} is in {register}\n"));
            }
            Output::new(None).put(&text)?;
            Ok(Outcome::Done)
        }
        Err(ReplayError::Wrong(diagnostics)) => {
            eprint!("{}", render(&source, &diagnostics, color()));
            Ok(Outcome::Negative)
        }
        Err(ReplayError::Unreadable(diagnostics)) => {
            eprint!("{}", render(&source, &diagnostics, color()));
            Ok(Outcome::BadInput)
        }
    }
}

/// Says on standard error why a program cannot be checked; the same text, without colours.
pub(super) fn complain(request: &CheckRequest, error: &CheckError) -> String {
    match error {
        CheckError::Usage(message) => {
            eprintln!("error: {message}");
            message.clone()
        }
        CheckError::Source(whose, diagnostics) => {
            let source: &Source = match (whose, &request.against) {
                (Whose::Against, Some(against)) => against,
                _ => &request.source,
            };
            eprint!("{}", render(source, diagnostics, color()));
            render(source, diagnostics, false)
        }
    }
}

impl Check {
    /// Checks the program.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let target = machine(self.target.as_deref())?;
        if let Some(path) = &self.replay {
            return follow(&target, path);
        }
        let program = self.program.clone().unwrap_or_default();
        let name = program.to_string_lossy().into_owned();
        let read = |path: &PathBuf| {
            files::read_source(path)
                .map_err(|error| format!("cannot read `{}`: {error}", path.to_string_lossy()))
        };
        let sources = read(&program).and_then(|source| {
            let against = self.against.as_ref().map(read).transpose()?;
            Ok((source, against))
        });
        let (source, against) = match sources {
            Ok(sources) => sources,
            Err(message) => {
                eprintln!("error: {message}");
                return self.failure(&name, message);
            }
        };
        let noise = self.noise.as_deref().map(|name| noise_model(&target, name)).transpose()?;
        let request = CheckRequest {
            target: Arc::clone(&target),
            reading: self.listing.reading(),
            against_reading: self.listing.reading_of(self.against_block),
            inputs: self.listing.inputs(),
            outputs: self.listing.outputs(),
            against_outputs: pairs(&self.against_outputs, None),
            input_range: self.input_range,
            noise,
            lenient: self.listing.lenient,
            source,
            against,
        };
        match check_program(&request) {
            Ok(checking) => {
                let record = &checking.record;
                if let Some(path) = &self.certificate {
                    let Checking { listing, trace, findings, .. } = &checking;
                    let text = certificate(&target, &listing.program, trace, findings).ok_or_else(|| {
                        let why =
                            "the program breaks a rule of the machine, or a coefficient does not fit 64 bits";
                        CommandError::Usage(format!("there is no certificate: {why}"))
                    })?;
                    write_whole(path, text.as_bytes())?;
                }
                let mut output = Output::new(self.output.clone());
                output.put(&if self.json { record.to_json() } else { check_text(record) })?;
                output.finish()?;
                Ok(match record.verdict {
                    None | Some(Answer::Equal) => Outcome::Done,
                    Some(Answer::EqualUpTo | Answer::Different) => Outcome::Negative,
                    Some(Answer::Undecided) => Outcome::BadInput,
                })
            }
            Err(error) => {
                let message = complain(&request, &error);
                self.failure(&name, message)
            }
        }
    }

    /// What is reported where a program cannot be checked.
    fn failure(&self, file: &str, message: String) -> Result<Outcome, CommandError> {
        if self.json {
            let error = ErrorRecord { kind: ErrorKind::BadInput, message: message.trim_end().to_owned() };
            let record = FailureRecord { file: file.to_owned(), error, version: report::VERSION.to_owned() };
            let mut output = Output::new(self.output.clone());
            output.put(&record.to_json())?;
            output.finish()?;
        }
        Ok(Outcome::BadInput)
    }
}
