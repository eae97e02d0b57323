//! Errors of the library, with their places.

use std::fmt;
use std::sync::Arc;

use crate::backend::{CheckError, OptimizeError, ReplayError, RunError};
use crate::report::ErrorKind;
use crate::rule::RuleErrors;
use crate::syntax::{Diagnostics, Source, render};

/// An error of the library. Its text is the one that the `kalg` command prints, with file, line and column where known.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// The input that the error is about, and what is wrong with it.
    about: Option<Arc<(Source, Diagnostics)>>,
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the source.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.trim_end())
    }
}

impl fmt::Debug for Error {
    /// Writes the text of the error: a `main` that returns an error prints its `Debug` form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<&RuleErrors> for Error {
    fn from(errors: &RuleErrors) -> Self {
        Self::bad_input(errors).about(errors.0.first().map(|(source, wrong)| (source, wrong)))
    }
}

impl From<RuleErrors> for Error {
    fn from(errors: RuleErrors) -> Self {
        Self::from(&errors)
    }
}

impl Error {
    pub(super) fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string(), about: None }
    }

    pub(super) fn bad_input(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    /// The error of an input that cannot be used.
    pub fn at(source: &Source, wrong: &Diagnostics) -> Self {
        Self::bad_input(render(source, wrong, false)).about(Some((source, wrong)))
    }

    /// The error of an argument that cannot be used.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::bad_input(message)
    }

    /// Sets what the error is about.
    fn about(self, of: Option<(&Source, &Diagnostics)>) -> Self {
        Self { about: of.map(|(source, wrong)| Arc::new((source.clone(), wrong.clone()))), ..self }
    }

    /// The error of a file that was not compiled.
    pub fn of_compiling(source: &Source, error: &OptimizeError) -> Self {
        let kind = match error {
            OptimizeError::NoProgram(_) => ErrorKind::NoProgram,
            OptimizeError::Internal(_) => ErrorKind::Internal,
            _ => ErrorKind::BadInput,
        };
        Self::new(kind, error.describe(source)).about(error.place(source))
    }

    pub(super) fn of_checking(program: &Source, against: Option<&Source>, error: &CheckError) -> Self {
        Self::bad_input(error.describe(program, against)).about(error.place(program, against))
    }

    pub(super) fn of_running(source: &Source, error: &RunError) -> Self {
        match error {
            RunError::Usage(_) | RunError::IsFilter => Self::bad_input(error),
            RunError::Program(error) => Self::of_checking(source, None, error),
            RunError::Filter(error) => Self::of_compiling(source, error),
        }
    }

    pub(super) fn of_replaying(certificate: &Source, error: &ReplayError) -> Self {
        let (ReplayError::Unreadable(wrong) | ReplayError::Wrong(wrong)) = error;
        Self::at(certificate, wrong)
    }

    /// Whether the input is at fault, no program was found, or kalg failed a check of its own result.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The place of the first mistake, or `None` if the error is not about a part of an input.
    pub fn place(&self) -> Option<Place> {
        let (source, wrong) = self.about.as_deref()?;
        let start = wrong.iter().next()?.place().start as usize;
        let at = source.position(start);
        Some(Place { file: source.name_at(start).to_owned(), line: at.line, column: at.column })
    }

    /// The text as `kalg` prints it to a terminal, if `color` with ANSI colours.
    pub fn render(&self, color: bool) -> String {
        match self.about.as_deref() {
            Some((source, wrong)) => render(source, wrong, color),
            None => format!("error: {self}\n"),
        }
    }
}
