//! `kalg check`: checks that a program is right.

use std::path::{Path, PathBuf};

use clap::Args;

use super::complain::{color, complain};
use super::files::{self, cannot_read};
use super::includes::Includes;
use super::machine::asked;
use super::options::{Given, names_parser};
use super::outcome::{CommandError, Outcome};
use super::output::{write_result, write_whole};
use crate::backend::{Form, HTML, JSON, Machine, Registry, ReplayError, Request, TEXT, Task};
use crate::report::{self, Answer, ErrorKind, ErrorRecord, FailureRecord};
use crate::syntax::{Kind, Source, of_other_kind, render};

/// The text below the options in the help.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 equal, or nothing to compare with, 1 not equal, 2 unknown, or a file or an option cannot be used.";

/// The output formats.
const FORMS: [Form; 3] = [TEXT, JSON, HTML];

/// `kalg check`.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The program: instructions, a C++ source (with vector intrinsics for vector machines), or the output of AUKE or Cain; `-` reads standard input
    #[arg(value_name = "PROGRAM", required_unless_present = "replay")]
    program: Option<PathBuf>,
    /// A kernel file or another program that says what it should compute
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// The machine, by name or by the file that describes it
    #[arg(long, alias = "cost", value_name = "NAME|FILE")]
    target: Option<String>,
    #[command(flatten)]
    includes: Includes,

    /// Write the evaluation, instruction by instruction, to this file as a certificate
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Check such a certificate with a separate evaluator
    #[arg(long, value_name = "FILE", conflicts_with_all = ["program", "against", "certificate", "emit", "json"])]
    replay: Option<PathBuf>,

    /// What to print
    #[arg(long, default_value = TEXT.name, value_parser = names_parser(&FORMS.map(|form| (form.name, form.help))))]
    emit: String,
    /// The same as --emit json
    #[arg(long, conflicts_with = "emit")]
    json: bool,
    /// Write the results to this file, all or nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Replays a certificate.
fn follow(machine: &dyn Machine, path: &Path, output: Option<PathBuf>) -> Result<Outcome, CommandError> {
    let source = files::source(path)?;
    match machine.replay(&source) {
        Ok(text) => {
            write_result(output, &text)?;
            Ok(Outcome::Done)
        }
        Err(ReplayError::Wrong(diagnostics)) => {
            eprint!("{}", render(&source, &diagnostics, color()));
            Ok(Outcome::Negative)
        }
        Err(ReplayError::Unreadable(diagnostics)) => {
            let diagnostics = of_other_kind(&source, &[Kind::Certificate], diagnostics);
            eprint!("{}", render(&source, &diagnostics, color()));
            Ok(Outcome::BadInput)
        }
    }
}

impl Check {
    /// Checks the program.
    pub(super) fn run(mut self, registry: &Registry, given: &Given) -> Result<Outcome, CommandError> {
        if self.json {
            JSON.name.clone_into(&mut self.emit);
        }
        let machine = asked(registry, self.target.as_deref())?;
        given.check_machine(registry, &*machine, Task::Check)?;
        if let Some(path) = &self.replay {
            return follow(&*machine, path, self.output);
        }
        let (source, against) = match self.sources() {
            Ok(sources) => sources,
            Err(message) => {
                eprintln!("error: {message}");
                return self.failure(message);
            }
        };
        let request = Request { against, options: given.values().clone(), ..Request::new(source) };
        let record = match machine.check(&request) {
            Ok(record) => record,
            Err(error) => {
                let message = complain(&request.source, request.against.as_ref(), &error);
                return self.failure(message);
            }
        };
        if let Some(path) = &self.certificate {
            let text = record.emit("certificate").ok_or_else(|| {
                let why =
                    "the program breaks a rule of the machine, or a coefficient does not fit in 64 bits";
                CommandError::Usage(format!("there is no certificate: {why}"))
            })?;
            write_whole(path, text.as_bytes())?;
        }
        let text = if self.emit == TEXT.name { Some(record.text(false)) } else { record.emit(&self.emit) };
        let Some(text) = text else {
            let form = &self.emit;
            return Err(CommandError::Usage(format!("this check has no form `{form}`")));
        };
        self.answer(&text, record.verdict())
    }

    /// The program and its reference.
    fn sources(&self) -> Result<(Source, Option<Source>), String> {
        let read =
            |path: &PathBuf| self.includes.read(path).map_err(|error| cannot_read(path, &error).to_string());
        let source = read(&self.program.clone().unwrap_or_default())?;
        Ok((source, self.against.as_ref().map(read).transpose()?))
    }

    /// Writes the results; the verdict determines the outcome.
    fn answer(&self, text: &str, verdict: Option<Answer>) -> Result<Outcome, CommandError> {
        write_result(self.output.clone(), text)?;
        Ok(match verdict {
            None | Some(Answer::Equal) => Outcome::Done,
            Some(Answer::EqualUpTo | Answer::EqualWhere | Answer::Different) => Outcome::Negative,
            Some(Answer::Unknown | Answer::Undecided) => Outcome::BadInput,
        })
    }

    /// Reports that a program cannot be checked.
    fn failure(&self, message: String) -> Result<Outcome, CommandError> {
        if self.emit == JSON.name {
            let error = ErrorRecord { kind: ErrorKind::BadInput, message: message.trim_end().to_owned() };
            let file = self.program.clone().unwrap_or_default().to_string_lossy().into_owned();
            let record = FailureRecord { file, error, version: report::VERSION.to_owned() };
            write_result(self.output.clone(), &record.to_json())?;
        }
        Ok(Outcome::BadInput)
    }
}
