//! `kalg check`: is a program right?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::arguments::{Assignment, range};
use super::code::CodeOptions;
use super::complain::{color, complain};
use super::files;
use super::listing::{Listing, pairs};
use super::machine::{Kind, Machine};
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::{Output, write_whole};
use crate::algebra::Rational;
use crate::backend::array::compile::{CheckRequest, Checking, check_program};
use crate::backend::array::machine::Target;
use crate::backend::array::options::noise_model;
use crate::backend::array::verify::{ReplayError, certificate, replay};
use crate::backend::vector;
use crate::backend::vector::report::code_check_text;
use crate::backend::vector::{CodeRequest, check_code};
use crate::report::{self, Answer, ErrorKind, ErrorRecord, FailureRecord, check_text, json_line};
use crate::syntax::{Source, render};

/// What stands below the options in the help text.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 equal, or nothing was asked, 1 not equal, 2 a file or an option cannot be used.";

/// `kalg check`.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The program: instructions, a C++ source (with vector intrinsics for vector machines), or what AUKE or Cain print; `-` reads standard input
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
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_WITH_REPLAY)]
    replay: Option<PathBuf>,

    #[command(flatten)]
    code: CodeOptions,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the results to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Which options mean something for which machines; programs of machines in scan order there are none.
pub(super) const OPTIONS: &Table<Kind> = &[
    (Kind::ALL, &["program", "target", "against", "json", "output"]),
    (
        &[Kind::Array, Kind::Vector],
        &["block", "lenient", "input", "inputs", "output_register", "outputs", "input_range"],
    ),
    (&[Kind::Array], &["assume_all", "against_block", "against_outputs", "noise", "certificate", "replay"]),
    (&[Kind::Vector], &["tile", "anchor", "rows", "pitch", "output_pitch", "weights", "define"]),
];

/// What a certificate says for itself.
const NOT_WITH_REPLAY: [&str; 13] = [
    "program",
    "against",
    "certificate",
    "block",
    "assume_all",
    "lenient",
    "input",
    "inputs",
    "output_register",
    "outputs",
    "input_range",
    "noise",
    "json",
];

/// What to do where there are filters alone.
fn no_programs(machine: &str) -> CommandError {
    CommandError::Usage(format!(
        "`{machine}` is a machine in scan order, and has no programs to check: `kalg run FILE --target {machine}` runs a filter, and \
         compares the result with direct convolution"
    ))
}

/// Follows a certificate.
fn follow(target: &Target, path: &Path, output: Option<PathBuf>) -> Result<Outcome, CommandError> {
    let source = files::read_source(path)
        .map_err(|error| CommandError::Usage(format!("cannot read `{}`: {error}", path.display())))?;
    match replay(target, &source) {
        Ok(replayed) => {
            let mut text =
                format!("{}: {} steps are as they are said to be\n", source.name(), replayed.steps);
            for (output, register) in &replayed.outputs {
                text.push_str(&format!("{output} is in {register}\n"));
            }
            let mut output = Output::new(output);
            output.put(&text)?;
            output.finish()?;
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

impl Check {
    /// Checks the program.
    pub(super) fn run(self, given: &Given) -> Result<Outcome, CommandError> {
        let machine = Machine::asked(self.target.as_deref())?;
        given.check(OPTIONS, machine.kind(), &format!("`{}`, {}", machine.name(), machine.kind()))?;
        let target = match machine {
            Machine::Vector(machine) => return self.run_code(machine),
            Machine::Stream(machine) => return Err(no_programs(&machine.name)),
            Machine::Array(target) => target,
        };
        if let Some(path) = &self.replay {
            return follow(&target, path, self.output);
        }
        let (source, against) = match self.sources() {
            Ok(sources) => sources,
            Err(message) => {
                eprintln!("error: {message}");
                return self.failure(message);
            }
        };
        let noise = self
            .noise
            .as_deref()
            .map(|name| noise_model(&target, name))
            .transpose()
            .map_err(CommandError::Usage)?;
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
                self.answer(&if self.json { record.to_json() } else { check_text(record) }, record.verdict)
            }
            Err(error) => {
                let message = complain(&request.source, request.against.as_ref(), &error);
                self.failure(message)
            }
        }
    }

    /// Checks code in vector intrinsics.
    fn run_code(self, machine: Arc<vector::machine::Machine>) -> Result<Outcome, CommandError> {
        let (source, against) = match self.sources() {
            Ok(sources) => sources,
            Err(message) => {
                eprintln!("error: {message}");
                return self.failure(message);
            }
        };
        let mut request = CodeRequest {
            source,
            against,
            machine,
            block: self.listing.reading().block,
            inputs: self.listing.inputs(),
            outputs: self.listing.outputs(),
            rows: Vec::new(),
            pitch: None,
            output_pitch: None,
            anchor: None,
            tile: None,
            weights: Vec::new(),
            defines: Vec::new(),
            input_range: self.input_range,
            lenient: self.listing.lenient,
        };
        self.code.put(&mut request);
        match check_code(&request) {
            Ok(record) => {
                let text = if self.json { json_line(&record) } else { code_check_text(&record) };
                self.answer(&text, record.verdict)
            }
            Err(error) => {
                let message = complain(&request.source, request.against.as_ref(), &error);
                self.failure(message)
            }
        }
    }

    /// The program, and what it is compared with.
    fn sources(&self) -> Result<(Source, Option<Source>), String> {
        let read = |path: &PathBuf| {
            files::read_source(path)
                .map_err(|error| format!("cannot read `{}`: {error}", path.to_string_lossy()))
        };
        let source = read(&self.program.clone().unwrap_or_default())?;
        Ok((source, self.against.as_ref().map(read).transpose()?))
    }

    /// Writes the results, and ends as the verdict says.
    fn answer(&self, text: &str, verdict: Option<Answer>) -> Result<Outcome, CommandError> {
        let mut output = Output::new(self.output.clone());
        output.put(text)?;
        output.finish()?;
        Ok(match verdict {
            None | Some(Answer::Equal) => Outcome::Done,
            Some(Answer::EqualUpTo | Answer::Different) => Outcome::Negative,
            Some(Answer::Undecided) => Outcome::BadInput,
        })
    }

    /// What is reported where a program cannot be checked.
    fn failure(&self, message: String) -> Result<Outcome, CommandError> {
        if self.json {
            let error = ErrorRecord { kind: ErrorKind::BadInput, message: message.trim_end().to_owned() };
            let file = self.program.clone().unwrap_or_default().to_string_lossy().into_owned();
            let record = FailureRecord { file, error, version: report::VERSION.to_owned() };
            let mut output = Output::new(self.output.clone());
            output.put(&record.to_json())?;
            output.finish()?;
        }
        Ok(Outcome::BadInput)
    }
}
