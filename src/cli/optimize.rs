//! `kalg optimize`: compiles kernel files to checked programs.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgGroup, Args};

use super::arguments::{positive, whole};
use super::batch::{self, BatchOptions};
use super::clock::clock;
use super::compilers::{SystemC, SystemCpp};
use super::complain::{color, explain};
use super::files::cannot_read;
use super::includes::Includes;
use super::interrupt::Interrupt;
use super::machine;
use super::options::Given;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::progress::Display;
use super::rules;
use crate::backend::option::OptionValues;
use crate::backend::{
    CTimer, Cpp, HTML, JSON, Machine, Memo, Record, Registry, Request, TEXT, Task, USUAL_TIME, Watch,
};
use crate::budget::Budget;
use crate::compiler::startable;
use crate::report::{self, ErrorKind, ErrorRecord, FailureRecord};
use crate::rule::RuleSet;
use crate::syntax::{Source, render};

/// The default time limit per filter, used if neither a time nor a number of nodes is given.
pub(super) const DEFAULT_TIME: Seconds = Seconds(USUAL_TIME);

/// The text below the options in the help.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 no program found within the limits, 2 a file or an option cannot be
used, 3 a check of kalg's own result failed. With several files, the worst counts.
130: Ctrl-C ended the search and the best result so far was written; a second one ends kalg.";

/// `kalg optimize`.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group(ArgGroup::new("machine").required(true).args(["cost", "target"])))]
pub(super) struct Optimize {
    /// Files of kernels, programs or pipelines; `-` reads standard input
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    batch: BatchOptions,

    /// The machine
    #[arg(long, value_name = "TARGET")]
    cost: Option<String>,
    /// Compile for the machine that this file describes
    #[arg(long, value_name = "FILE")]
    target: Option<PathBuf>,

    #[command(flatten)]
    includes: Includes,

    /// Time limit of the search per file: 500ms, 10s, 2m [default: 10s, or none with --nodes]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    time: Option<Seconds>,
    /// Number of search nodes to expand, for the filter and for each kernel that its file builds it from; the same number
    /// gives the same program on every machine
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64>)]
    nodes: Option<u64>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: u64,
    /// Worker threads; they change the speed, not the result [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    threads: Option<NonZero<usize>>,
    #[command(flatten)]
    rules: rules::RuleFiles,

    /// What to print
    #[arg(long, default_value = TEXT.name)]
    emit: String,
    /// The same as --emit json
    #[arg(long, conflicts_with = "emit")]
    json: bool,
    /// Show how the decomposition was derived, and the kernel of every value
    #[arg(long)]
    explain: bool,
    /// Also show how the program was found
    #[arg(short, long)]
    verbose: bool,
    /// Write the results to this file, all or nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The longest time that may be asked for. Sums and multiples of it do not overflow.
const MAX_TIME: Duration = Duration::from_secs(3 * 366 * 24 * 60 * 60);

/// A duration as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seconds(pub(super) Duration);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let scale = match &text[number.len()..] {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            unit => return Err(format!("unknown unit `{unit}`; expected ms, s or m")),
        };
        let value: f64 = number.parse().map_err(|_| "expected a number and a unit, as in 10s".to_owned())?;
        let time = Duration::try_from_secs_f64(value * scale).ok().filter(|time| *time <= MAX_TIME);
        time.map(Self).ok_or_else(|| "expected a time from 0 to three years".to_owned())
    }
}

impl Optimize {
    /// Compiles every file; an error in one file does not stop the others.
    pub(super) fn run(mut self, registry: &Registry, given: &Given) -> Result<Outcome, CommandError> {
        if self.json || self.batch.batch.is_some() {
            JSON.name.clone_into(&mut self.emit);
        }
        if self.verbose && self.emit != TEXT.name {
            return Err(CommandError::Usage("--verbose is for reports: it goes with --emit text".to_owned()));
        }
        // The parser cannot require --batch, which excludes files.
        if self.batch.jobs.is_some() && self.batch.batch.is_none() {
            return Err(CommandError::Usage(
                "--jobs goes with --batch; for one file there is --threads".to_owned(),
            ));
        }
        if ["svg", HTML.name].contains(&self.emit.as_str()) && self.files.len() > 1 {
            let form = &self.emit;
            return Err(CommandError::Usage(format!(
                "--emit {form} takes one file: a picture shows one filter"
            )));
        }
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(startable(threads.get())).build_global();
            pool.map_err(|error| CommandError::Usage(format!("cannot use {threads} threads: {error}")))?;
        }
        let machine = match &self.target {
            Some(path) => machine::described(registry, path)?,
            None => machine::asked(registry, self.cost.as_deref())?,
        };
        given.check_machine(registry, &*machine, Task::Optimize)?;
        self.check_form(&*machine, given)?;
        let interrupt = Interrupt::listen();
        let job = Job {
            arguments: &self,
            machine: &*machine,
            options: given.values(),
            rules: self.rules.load()?,
            cpp: Arc::new(SystemCpp::named()),
            timer: Arc::new(SystemC::named()),
            memo: Memo::new(),
            interrupt: &interrupt,
        };
        if let Some(folder) = &self.batch.batch {
            let compile = |path: &Path| job.compile(path, &|_| {});
            let fail = |path: &Path, kind, message| job.failure(&path.to_string_lossy(), kind, message);
            let (jobs, output) = (self.batch.jobs, (self.output.as_deref(), machine.name()));
            return batch::run(folder, jobs, output, &compile, &fail, &interrupt);
        }
        job.run()
    }

    /// Refuses a form that results for the machine do not have, and options that only reports heed where none is asked for.
    fn check_form(&self, machine: &dyn Machine, given: &Given) -> Result<(), CommandError> {
        let (class, name) = (machine.class(), machine.name());
        if !class.forms().iter().any(|form| form.name == self.emit) {
            let message = format!("results for `{name}` have no form `{}`", self.emit);
            return Err(CommandError::Usage(message));
        }
        let asked = class.options(Task::Optimize).into_iter().filter(|option| option.reported);
        let mut asked = asked.map(|option| option.name).filter(|name| given.values().has(name));
        let reported = if self.explain { Some("explain") } else { asked.next() };
        match reported.filter(|_| ![TEXT, JSON, HTML].iter().any(|form| form.name == self.emit)) {
            None => Ok(()),
            Some(option) => Err(CommandError::Usage(format!(
                "--{option} is for reports: it goes with --emit text, json or html"
            ))),
        }
    }
}

/// The settings that all files of one command share.
struct Job<'a> {
    arguments: &'a Optimize,
    machine: &'a dyn Machine,
    options: &'a OptionValues,
    rules: RuleSet,
    cpp: Arc<dyn Cpp>,
    timer: Arc<dyn CTimer>,
    memo: Memo,
    interrupt: &'a Interrupt,
}

impl Job<'_> {
    /// Compiles the files one after another.
    fn run(&self) -> Result<Outcome, CommandError> {
        let mut output = Output::new(self.arguments.output.clone());
        let mut worst = Outcome::Done;
        for (number, file) in self.arguments.files.iter().enumerate() {
            let display = Display::new(&file.to_string_lossy());
            let (text, outcome) = self.compile(file, &|progress| display.show(&progress));
            drop(display);
            if self.arguments.emit == TEXT.name && number > 0 && !text.is_empty() {
                output.put("\n")?;
            }
            output.put(&text)?;
            worst = worst.max(outcome);
            if self.interrupt.is_set() {
                worst = Outcome::Interrupted;
                break;
            }
        }
        // A file with some of the results would look like one with all of them.
        if matches!(worst, Outcome::BadInput | Outcome::Internal) {
            output.discard();
        } else {
            output.finish()?;
        }
        Ok(worst)
    }

    /// Compiles one file; returns the result as text, and the outcome. Errors go to standard error.
    fn compile(&self, file: &Path, watch: Watch<'_>) -> (String, Outcome) {
        let name = file.to_string_lossy();
        let source = match self.arguments.includes.read(file) {
            Ok(source) => source,
            Err(error) => {
                let message = cannot_read(file, &error).to_string();
                eprintln!("error: {message}");
                return self.failure(&name, ErrorKind::BadInput, message);
            }
        };
        let request = self.request(source);
        match self.machine.compile(&request, watch) {
            Ok(record) => self.success(&request.source, &*record),
            Err(error) => {
                let (kind, message) =
                    explain(&name, &request.source, error, !self.arguments.rules.is_default());
                self.failure(&name, kind, message)
            }
        }
    }

    fn request(&self, source: Source) -> Request {
        let Optimize { time, nodes, seed, explain, .. } = self.arguments;
        let usual = nodes.is_none() && self.machine.class().is_anytime();
        let time = time.or(usual.then_some(DEFAULT_TIME)).map(|Seconds(time)| time);
        let work = Budget::of_work(nodes.unwrap_or(u64::MAX));
        Request {
            source,
            against: None,
            rules: self.rules.clone(),
            budget: work.with_clock(&clock()).until(time).interrupted_by(&self.interrupt.flag()),
            seed: *seed,
            explain: *explain,
            options: self.options.clone(),
            cpp: Some(Arc::clone(&self.cpp)),
            timer: Some(Arc::clone(&self.timer)),
            memo: self.memo.clone(),
        }
    }

    fn success(&self, source: &Source, record: &dyn Record) -> (String, Outcome) {
        let form = self.arguments.emit.as_str();
        if let Some(why) = record.no_form(form) {
            eprint!("{}", render(source, &why, color()));
            return (String::new(), Outcome::BadInput);
        }
        // The text report and the JSON record contain the warnings.
        if form != TEXT.name && form != JSON.name {
            for warning in record.warnings() {
                eprintln!("warning: {}: {warning}", source.name());
            }
        }
        let text = match form {
            form if form == TEXT.name => record.text(self.arguments.verbose),
            form => match record.emit(form) {
                Some(text) => text,
                None => {
                    eprintln!("error: {}: this result has no form `{form}`", source.name());
                    return (String::new(), ErrorKind::BadInput.into());
                }
            },
        };
        let Some(why) = record.no_program() else { return (text, Outcome::Done) };
        if form != TEXT.name {
            eprintln!("{}: {why}", source.name());
        }
        (text, Outcome::Negative)
    }

    fn failure(&self, file: &str, kind: ErrorKind, message: String) -> (String, Outcome) {
        let outcome = kind.into();
        if self.arguments.emit != JSON.name {
            return (String::new(), outcome);
        }
        let error = ErrorRecord { kind, message: message.trim_end().to_owned() };
        let record = FailureRecord { file: file.to_owned(), error, version: report::VERSION.to_owned() };
        (record.to_json(), outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_with_units() {
        let parse = |text: &str| text.parse::<Seconds>().map(|Seconds(time)| time.as_millis());
        assert_eq!(parse("500ms"), Ok(500));
        assert_eq!(parse("10s"), Ok(10_000));
        assert_eq!(parse("2m"), Ok(120_000));
        assert_eq!(parse("1.5"), Ok(1_500));
        assert_eq!(parse("0s"), Ok(0));
        assert!(parse("-1s").is_err() && parse("s").is_err() && parse("NaN").is_err());
        assert_eq!(parse("1e18s"), Err("expected a time from 0 to three years".to_owned()));
        assert_eq!(parse("3h"), Err("unknown unit `h`; expected ms, s or m".to_owned()));
    }
}
