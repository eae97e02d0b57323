//! Reports, and what they are about.

use std::fmt;
use std::sync::Arc;

use crate::backend::{CODE, JSON, Record, TEXT};
use crate::report::Answer;

/// A report. `{}` prints it for people, `{:#}` verbosely, as the `kalg` command does.
/// Cloning is cheap.
#[derive(Clone)]
pub struct Report(Arc<dyn Record>);

impl From<Box<dyn Record>> for Report {
    fn from(record: Box<dyn Record>) -> Self {
        Self(record.into())
    }
}

impl Report {
    /// Returns the report as one line of JSON.
    pub fn to_json(&self) -> String {
        self.form(JSON.name).unwrap_or_default()
    }

    /// Returns the result in a form that `--emit` takes, or `None` if it has no such form.
    pub fn form(&self, name: &str) -> Option<String> {
        if name == TEXT.name { Some(self.to_string()) } else { self.0.emit(name) }
    }

    /// Warnings for users who see only the program.
    pub fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }

    /// The cost of the program: cycles, or whatever else the target or its options minimise. `None` if the report is not about a program
    /// that was found, or if results of the target have no single cost, as circuits have not.
    pub fn cost(&self) -> Option<f64> {
        self.0.cost()
    }

    /// Whether the program is proved to have the least cost.
    pub fn is_optimal(&self) -> bool {
        self.0.is_optimal()
    }

    /// Why there is no program, or `None` if there is one.
    pub fn no_program(&self) -> Option<String> {
        self.0.no_program()
    }

    /// The verdict on a program that was checked, or `None` if it was compared with nothing.
    pub fn verdict(&self) -> Option<Answer> {
        self.0.verdict()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text(f.alternate()))
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Report").field(&self.to_string()).finish()
    }
}

/// A compiled filter: a program that passed all checks.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(super) report: Report,
}

impl Compiled {
    /// The program, ready to paste.
    pub fn code(&self) -> String {
        self.report.form(CODE.name).unwrap_or_default()
    }

    /// The cost of the program: cycles, or whatever else the target or its options minimise. Not a number for targets whose results have
    /// no single cost, as circuits have not.
    pub fn cost(&self) -> f64 {
        self.report.cost().unwrap_or(f64::NAN)
    }

    /// Whether the program is proved to have the least cost.
    pub fn is_optimal(&self) -> bool {
        self.report.is_optimal()
    }

    /// The full report.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

/// A checked program.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(super) verdict: Answer,
    pub(super) report: Report,
}

impl Checked {
    /// Whether the program computes the filter.
    pub fn verdict(&self) -> Answer {
        self.verdict
    }

    /// The full report: both kernels, and the smallest image that shows a difference.
    pub fn report(&self) -> &Report {
        &self.report
    }
}
