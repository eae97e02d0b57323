//! What every class of machines is to the rest of kalg, and what goes in and comes out.

use std::sync::Arc;
use std::time::Duration;

use super::error::{CheckError, OptimizeError, ReplayError, RunError};
use super::option::{OptionSpec, OptionValues};
use crate::budget::Budget;
use crate::picture::PictureFormat;
use crate::report::Answer;
use crate::rule::RuleSet;
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};

/// A descriptor that is part of the program: the machine's name, its place in the repository, its text.
pub type Builtin = (&'static str, &'static str, &'static str);

/// What machines are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A program for a filter.
    Optimize,
    /// Whether a program is right.
    Check,
    /// What a program makes of pictures.
    Run,
}

/// A form that results have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
}

/// A report for people, which every result has.
pub const TEXT: Form = Form { name: "text", help: "A report for people" };
/// The program itself.
pub const CODE: Form = Form { name: "code", help: "The program, ready to paste" };
/// One line for programs that go on from it, which every result has.
pub const JSON: Form = Form { name: "json", help: "One JSON object per file, on one line" };

/// A class of machines.
pub trait Backend: Sync {
    /// The word that its descriptors begin with.
    fn head(&self) -> &'static str;

    /// What messages call one of its machines, with an article.
    fn noun(&self) -> &'static str;

    /// The machines that are part of the program.
    fn builtin(&self) -> &'static [Builtin];

    /// Reads a descriptor, once and whole.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn read(&self, descriptor: &Source) -> Result<Box<dyn Machine>, Diagnostics>;

    /// The options that its machines have for a task, beside those that mean something for all machines.
    fn options(&self, task: Task) -> Vec<OptionSpec>;

    /// The options of commands that mean something for its machines, but not for all.
    fn shared(&self, _task: Task) -> &'static [&'static str] {
        &[]
    }

    /// The forms of its results.
    fn forms(&self) -> &'static [Form];

    /// Whether its machines run filters on pictures; others run programs.
    fn runs_filters(&self) -> bool {
        false
    }

    /// Whether its searches improve for as long as they run; others end by themselves.
    fn is_anytime(&self) -> bool {
        true
    }

    /// The work for one filter where neither time nor work is bounded; `None` where searches then end by themselves.
    fn usual_work(&self) -> Option<u64> {
        None
    }
}

/// A machine.
pub trait Machine: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// The class that it is of.
    fn class(&self) -> &'static dyn Backend;

    /// Those of the rules that apply to it.
    fn rules(&self, rules: &RuleSet) -> RuleSet {
        rules.for_target(self.name())
    }

    /// Whether options can be used, before a file is looked at.
    ///
    /// # Errors
    /// What is wrong with them.
    fn accept(&self, task: Task, options: &OptionValues) -> Result<(), String>;

    /// Compiles a filter; `watch` is told what happens.
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

    /// Follows what a check wrote down, as the form `certificate` of its record; the text says what was found.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn replay(&self, _certificate: &Source) -> Result<String, ReplayError> {
        let message = format!("there are no certificates for `{}`", self.name());
        let wrong = Diagnostic::error("no-certificate", message).label(Span::at(0), "this file");
        Err(ReplayError::Unreadable(wrong.into()))
    }

    /// Runs a program, or what it makes of a filter, on pictures.
    ///
    /// # Errors
    /// [`RunError`].
    fn run(&self, _request: &Request, _pictures: &dyn Pictures) -> Result<Ran, RunError> {
        Err(RunError::Usage(format!("`{}` runs nothing on pictures", self.name())))
    }
}

/// One filter to compile, or one program to check or to run, and how.
#[derive(Clone)]
pub struct Request {
    /// The text of a kernel file, or of a program; its name goes into the record.
    pub source: Source,
    /// What a program should compute: a kernel file, or another program; `None` where nothing is asked.
    pub against: Option<Source>,
    /// The rules, of all machines.
    pub rules: RuleSet,
    /// What may be spent. Its work is counted in the unit of the class: states of a search, e-nodes, schedules.
    pub budget: Budget,
    /// Seed of all that is random.
    pub seed: u64,
    /// Whether the record explains the decomposition.
    pub explain: bool,
    /// The options of the class.
    pub options: OptionValues,
    /// What runs emitted C++, for a check of it.
    pub cpp: Option<Arc<dyn Cpp>>,
}

impl Request {
    /// With the built-in rules, nothing fixed and no limits.
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
        }
    }
}

/// What is told of what happens while a filter is compiled.
pub type Watch<'a> = &'a (dyn Fn(Progress) + Sync);

/// What happens while a filter is compiled.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The e-graph has grown: e-nodes and classes.
    Saturated {
        /// E-nodes.
        nodes: u64,
        /// Classes.
        classes: u64,
    },
    /// A better program was found.
    Better {
        /// Its cost under what is minimised.
        cost: u32,
    },
    /// So many ways were tried, of how many.
    Tried {
        /// Those that were.
        done: usize,
        /// All.
        all: usize,
    },
}

/// The result of compiling, checking or running.
pub trait Record: Send + Sync {
    /// The report for people; a verbose one also says how the result was found.
    fn text(&self, verbose: bool) -> String;

    /// The result in another form; `None` where the class has no such form.
    fn emit(&self, form: &str) -> Option<String>;

    /// What to tell users who get only the program.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The verdict on a program; `None` where it was compared with nothing.
    fn verdict(&self) -> Option<Answer> {
        None
    }

    /// The cost of the program, in the unit that the search minimised; `None` where there is no program.
    fn cost(&self) -> Option<f64> {
        None
    }

    /// The names of the rules that the program uses; `None` where its class does not tell.
    fn rules_used(&self) -> Option<&[String]> {
        None
    }

    /// Whether the program is proved to have the least cost.
    fn is_optimal(&self) -> bool {
        false
    }

    /// Why there is no program; `None` where there is one.
    fn no_program(&self) -> Option<String> {
        None
    }
}

/// Where the pictures of a run come from, and what becomes of the results.
pub trait Pictures {
    /// The pictures of these inputs, in their order: the file and what it holds.
    ///
    /// # Errors
    /// That one is missing or cannot be read.
    fn open(&self, inputs: &[String]) -> Result<Vec<(String, Vec<u8>)>, String>;

    /// The format of results.
    fn format(&self) -> PictureFormat;

    /// The file of a result, which is one of several or the only one.
    fn file(&self, output: &str, several: bool) -> String;
}

/// What came of a run.
pub struct Ran {
    /// What is reported of it.
    pub record: Box<dyn Record>,
    /// The results: files and what they hold.
    pub pictures: Vec<(String, Vec<u8>)>,
    /// Whether a result is not what it should be.
    pub differs: bool,
}

/// A C++ compiler.
pub trait Cpp: Send + Sync {
    /// Whether there is one.
    fn is_there(&self) -> bool;

    /// Compiles and runs a program that includes files of these names: the numbers that it prints.
    ///
    /// # Errors
    /// What went wrong.
    fn run(&self, code: &str, includes: &[(&str, &str)]) -> Result<Vec<i64>, String>;
}

/// The time for one filter where neither a time nor an amount of work is given, of searches that would go on.
pub const USUAL_TIME: Duration = Duration::from_secs(10);
