//! What every class of machines is to the rest of kalg, and what goes in and comes out.

use std::sync::Arc;
use std::time::Duration;

use super::error::OptimizeError;
use super::option::{OptionSpec, OptionValues};
use crate::budget::Budget;
use crate::rule::RuleSet;
use crate::syntax::{Diagnostics, Source};

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
pub const JSON: Form = Form { name: "json", help: "One JSON object on one line for each file" };

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

    /// Whether its searches go on as long as they may; others end by themselves.
    fn is_anytime(&self) -> bool {
        true
    }
}

/// A machine.
pub trait Machine: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// The class that it is of.
    fn class(&self) -> &'static dyn Backend;

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
}

/// One filter to compile, and how.
#[derive(Clone)]
pub struct Request {
    /// The text of a kernel file, or of what else the class compiles; its name goes into the record.
    pub source: Source,
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

/// What came of compiling, checked.
pub trait Record {
    /// The result in a form; `None` where the class has no such form.
    fn emit(&self, form: &str) -> Option<String>;

    /// What to tell those who get the program alone.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Why there is no program; `None` where there is one.
    fn no_program(&self) -> Option<String> {
        None
    }
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
