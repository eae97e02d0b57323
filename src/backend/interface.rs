//! The interface between a class of machines and the rest of kalg: its input and its output.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::error::{CheckError, OptimizeError, ReplayError, RunError, Whose};
use super::memo::Memo;
use super::option::{OptionSpec, OptionValues};
use crate::budget::Budget;
use crate::picture::PictureFormat;
use crate::report::{Answer, counted};
use crate::rule::RuleSet;
use crate::syntax::{Diagnostic, Diagnostics, Kind, Source, Span, other_kind};
use crate::term::is_kernel_file;

/// A descriptor that is part of the program: the name of the machine, the path in the repository, the text.
pub type Builtin = (&'static str, &'static str, &'static str);

/// A task for a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Find a program for a filter.
    Optimize,
    /// Decide whether a program is correct.
    Check,
    /// Run a program on pictures.
    Run,
}

/// An output form of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The name.
    pub name: &'static str,
    /// The description in help texts.
    pub help: &'static str,
    /// Whether it records a simulation: it is larger than the program by far, and made only where it is asked for by name.
    pub recorded: bool,
}

impl Form {
    /// A form of the program.
    pub const fn new(name: &'static str, help: &'static str) -> Self {
        Self { name, help, recorded: false }
    }

    /// A record of a simulation of the program.
    pub const fn recorded(name: &'static str, help: &'static str) -> Self {
        Self { name, help, recorded: true }
    }
}

/// The report for people. Every result has it, as the text of its [`Record`].
pub const TEXT: Form = Form::new("text", "A report for people");
/// The program itself.
pub const CODE: Form = Form::new("code", "The program, ready to paste");
/// One line for other programs to read. Every result has it.
pub const JSON: Form = Form::new("json", "One JSON object per file, on one line");

/// One page for a browser, which needs no other file.
pub const HTML: Form = Form::new("html", "A page for a browser, to step through");

/// A class of machines.
pub trait Backend: Sync {
    /// The first word of its descriptors.
    fn head(&self) -> &'static str;

    /// The name of one of its machines in messages, with an article.
    fn noun(&self) -> &'static str;

    /// The name of its machines, in the plural, below which help texts list their options.
    fn heading(&self) -> &'static str;

    /// The machines that are part of the program.
    fn builtin(&self) -> &'static [Builtin];

    /// Reads a descriptor once and completely.
    ///
    /// # Errors
    /// Everything that is wrong with the descriptor.
    fn read(&self, descriptor: &Source) -> Result<Box<dyn Machine>, Diagnostics>;

    /// The options of its machines for a task, besides those that apply to all machines.
    fn options(&self, task: Task) -> Vec<OptionSpec>;

    /// The options of commands that apply to its machines, but not to all machines.
    fn shared(&self, _task: Task) -> &'static [&'static str] {
        &[]
    }

    /// The output forms of its results.
    fn forms(&self) -> &'static [Form];

    /// Whether its machines run filters on pictures. Otherwise they run programs.
    fn runs_filters(&self) -> bool {
        false
    }

    /// Whether its searches improve for as long as they run. Otherwise they end on their own.
    fn is_anytime(&self) -> bool {
        true
    }

    /// The work for one filter if neither time nor work is bounded. `None` if searches then end on their own.
    fn usual_work(&self) -> Option<u64> {
        None
    }
}

/// A machine.
pub trait Machine: Send + Sync {
    /// The name.
    fn name(&self) -> &str;

    /// The class of the machine.
    fn class(&self) -> &'static dyn Backend;

    /// The rules that apply to the machine.
    fn rules(&self, rules: &RuleSet) -> RuleSet {
        rules.for_target(self.name())
    }

    /// The prices of the machine with its richest instruction set; `None` if it has none in a unit of time.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Checks the options before any file is read.
    ///
    /// # Errors
    /// What is wrong with the options.
    fn accept(&self, task: Task, options: &OptionValues) -> Result<(), String>;

    /// Compiles a filter and reports progress to `watch`.
    ///
    /// # Errors
    /// [`OptimizeError`].
    fn compile(&self, request: &Request, watch: Watch<'_>) -> Result<Box<dyn Record>, OptimizeError>;

    /// Checks a program.
    ///
    /// # Errors
    /// [`CheckError`].
    fn check(&self, _request: &Request) -> Result<Box<dyn Record>, CheckError> {
        Err(CheckError::Usage(format!("programs of `{}` are not checked", self.name())))
    }

    /// Replays a certificate, which a check writes as the form `certificate` of its record. Returns the findings as text.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn replay(&self, _certificate: &Source) -> Result<String, ReplayError> {
        let message = format!("there are no certificates for `{}`", self.name());
        let wrong = Diagnostic::error("no-certificate", message).label(Span::at(0), "this file");
        Err(ReplayError::Unreadable(wrong.into()))
    }

    /// Runs a program, or the program compiled from a filter, on pictures.
    ///
    /// # Errors
    /// [`RunError`].
    fn run(&self, _request: &Request, _pictures: &dyn Pictures) -> Result<Ran, RunError> {
        Err(RunError::Usage(format!("`{}` does not run programs on pictures", self.name())))
    }
}

/// The lowest cost of an addition, of moving by one pixel and of halving or doubling. The unit is cycles, cycles per vector of
/// outputs on a vector machine, or the unit of a machine in scan order; its delay lines do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Whether the machine keeps earlier results, so that it can run recurrences.
    pub memory: bool,
    /// An addition.
    pub addition: f64,
    /// A move by one pixel.
    pub step: f64,
    /// A halving or doubling.
    pub scaling: f64,
}

/// One filter to compile, or one program to check or run, with all settings.
#[derive(Clone)]
pub struct Request {
    /// The text of a kernel file or of a program. Its name goes into the record.
    pub source: Source,
    /// What the program should compute: a kernel file or another program. `None` if there is nothing to compare with.
    pub against: Option<Source>,
    /// The rules of all machines.
    pub rules: RuleSet,
    /// The budget. Its unit of work depends on the class: states of a search, e-nodes, schedules.
    pub budget: Budget,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether the record explains the decomposition.
    pub explain: bool,
    /// The options of the class.
    pub options: OptionValues,
    /// The C++ compiler that runs emitted code for a check.
    pub cpp: Option<Arc<dyn Cpp>>,
    /// The C compiler with which emitted code is measured.
    pub timer: Option<Arc<dyn CTimer>>,
    /// Results that requests with other sources share.
    pub memo: Memo,
}

impl Request {
    /// Returns a request with the built-in rules, no options and no limits.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            against: None,
            rules: RuleSet::builtin(),
            budget: Budget::unlimited(),
            seed: 0,
            explain: false,
            options: OptionValues::default(),
            cpp: None,
            timer: None,
            memo: Memo::default(),
        }
    }

    /// Refuses a kernel file where a program is to be checked, and files without text.
    ///
    /// # Errors
    /// The source is a kernel file, or it or what it is compared with is empty.
    pub(super) fn program(&self) -> Result<(), CheckError> {
        if is_kernel_file(&self.source) {
            if let Some(other) = other_kind(&self.source, &[Kind::Listing, Kind::Filter, Kind::Pipeline]) {
                return Err(CheckError::Source(Whose::Program, other.into()));
            }
            let name = self.source.name();
            let what = "is a kernel file, and what is checked is a program";
            let message = format!("`{name}` {what}: `kalg check PROGRAM --against {name}`");
            return Err(CheckError::Usage(message));
        }
        has_text(&self.source).map_err(|empty| CheckError::Source(Whose::Program, empty))?;
        let against = self.against.as_ref().filter(|against| !is_kernel_file(against));
        against.map_or(Ok(()), has_text).map_err(|empty| CheckError::Source(Whose::Against, empty))
    }
}

/// Refuses a program without any text. As a text in memory that is a program of no instructions, but a file of it is a mistake.
///
/// # Errors
/// There is no text.
pub(super) fn has_text(source: &Source) -> Result<(), Diagnostics> {
    if source.defect().is_some() || !source.text().trim().is_empty() {
        return Ok(());
    }
    let missing = Diagnostic::error("empty-file", "the file has no program");
    Err(missing.label(Span::at(0), "expected instructions").into())
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("source", &self.source.name())
            .field("against", &self.against.as_ref().map(Source::name))
            .field("rules", &self.rules)
            .field("budget", &self.budget)
            .field("seed", &self.seed)
            .field("explain", &self.explain)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// The callback that receives progress while a filter is compiled.
pub type Watch<'a> = &'a (dyn Fn(Progress) + Sync);

/// An event while a filter is compiled.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The e-graph has grown.
    Saturated {
        /// The number of e-nodes.
        nodes: u64,
        /// The number of e-classes.
        classes: u64,
    },
    /// The search found a better program.
    Better {
        /// Its cost in the unit that the search minimises.
        cost: u32,
    },
    /// The search has tried some of the candidates.
    Tried {
        /// The number of candidates tried.
        done: usize,
        /// The number of all candidates.
        all: usize,
    },
}

/// The result of compiling, checking or running.
pub trait Record: Send + Sync {
    /// The report for people. A verbose report also says how the result was found.
    fn text(&self, verbose: bool) -> String;

    /// The result in another form, or `None` if the class has no such form.
    fn emit(&self, form: &str) -> Option<String>;

    /// Why the result has no such form, though the class has; with places in the file that was compiled.
    fn no_form(&self, _form: &str) -> Option<Diagnostics> {
        None
    }

    /// Warnings for users who see only the program.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The verdict on a program, or `None` if it was compared with nothing.
    fn verdict(&self) -> Option<Answer> {
        None
    }

    /// The cost of the program in the unit that the search minimised, or `None` if there is no program.
    fn cost(&self) -> Option<f64> {
        None
    }

    /// The names of the rules that the program uses, or `None` if its class does not record them.
    fn rules_used(&self) -> Option<&[String]> {
        None
    }

    /// Whether the program is proved to have the least cost.
    fn is_optimal(&self) -> bool {
        false
    }

    /// The reason why there is no program, or `None` if there is one.
    fn no_program(&self) -> Option<String> {
        None
    }
}

/// The source of the pictures of a run, and the destination of its results.
pub trait Pictures {
    /// Opens the pictures of these inputs, one of each, in order. Returns file names and contents.
    ///
    /// # Errors
    /// A picture is missing or cannot be read.
    fn open(&self, inputs: &[String]) -> Result<Vec<(String, Vec<u8>)>, String>;

    /// The format of the results.
    fn format(&self) -> PictureFormat;

    /// The file of a result. `several` says whether there is more than one result.
    fn file(&self, output: &str, several: bool) -> String;
}

/// Opens the pictures of these inputs: as many as there are inputs.
///
/// # Errors
/// Those of [`Pictures::open`], and another number of pictures.
pub fn open_pictures(pictures: &dyn Pictures, inputs: &[String]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let opened = pictures.open(inputs)?;
    if opened.len() == inputs.len() {
        return Ok(opened);
    }
    let expected = counted(inputs.len() as u64, "picture");
    Err(format!("expected {expected}, of {}; {} were opened", inputs.join(", "), opened.len()))
}

/// The outcome of a run.
pub struct Ran {
    /// The report.
    pub record: Box<dyn Record>,
    /// The results: file names and contents.
    pub pictures: Vec<(String, Vec<u8>)>,
    /// Whether a result differs from the expected one.
    pub differs: bool,
}

impl fmt::Debug for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&String> = self.pictures.iter().map(|(file, _)| file).collect();
        f.debug_struct("Ran")
            .field("pictures", &files)
            .field("differs", &self.differs)
            .finish_non_exhaustive()
    }
}

/// A C++ compiler.
pub trait Cpp: Send + Sync {
    /// Whether the compiler is present.
    fn is_there(&self) -> bool;

    /// Compiles and runs a program that includes these files, given as (name, text). Returns the numbers that it prints.
    ///
    /// # Errors
    /// What went wrong.
    fn run(&self, code: &str, includes: &[(&str, &str)]) -> Result<Vec<i64>, String>;
}

/// A C compiler, whose programs are run to measure them.
pub trait CTimer: Send + Sync {
    /// The command, for reports.
    fn command(&self) -> String;

    /// Compiles these files, given as (name, text), to one program, and runs it. Returns the numbers that it prints.
    ///
    /// # Errors
    /// What went wrong.
    fn run(&self, files: &[(String, String)]) -> Result<Vec<f64>, String>;
}

/// The time for one filter if neither time nor work is given and the search would not end on its own.
pub const USUAL_TIME: Duration = Duration::from_secs(10);
