//! The reasons why a machine has no result.

use thiserror::Error;

use crate::saturate::SaturateError;
use crate::syntax::{Diagnostics, Source, render};

/// The reason why a filter was not compiled. [`describe`](Self::describe) says where in the file; the text alone says what is wrong.
#[derive(Debug, Error)]
pub enum OptimizeError {
    /// The file or an option cannot be used.
    #[error(transparent)]
    BadInput(Diagnostics),
    /// Nothing computes the filter on this machine.
    #[error(transparent)]
    NoProgram(Diagnostics),
    /// A program was given instead of a filter and cannot be read.
    #[error(transparent)]
    Program(CheckError),
    /// A program was given instead of a filter. Its filter, in this source, cannot be compiled.
    #[error("{1}")]
    Lifted(Box<Source>, Diagnostics),
    /// The options do not fit the file or the machine.
    #[error("{0}")]
    Usage(String),
    /// A rule equates different kernels: its name, both terms and both kernels.
    #[error("{0}")]
    Unsound(String),
    /// The result failed its own checks. The text says which, and includes the program.
    #[error("{0}")]
    Internal(String),
}

impl OptimizeError {
    /// Returns the source that the error is about and what is wrong with it, or `None` for options and failures.
    pub fn place<'a>(&'a self, source: &'a Source) -> Option<(&'a Source, &'a Diagnostics)> {
        match self {
            Self::BadInput(wrong) | Self::NoProgram(wrong) => Some((source, wrong)),
            Self::Lifted(source, wrong) => Some((source, wrong)),
            Self::Program(error) => error.place(source, None),
            Self::Usage(_) | Self::Unsound(_) | Self::Internal(_) => None,
        }
    }

    /// Returns the error as plain text, with positions in `source`.
    pub fn describe(&self, source: &Source) -> String {
        match self.place(source) {
            Some((source, wrong)) => render(source, wrong, false),
            None => self.to_string(),
        }
    }
}

impl From<Diagnostics> for OptimizeError {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::BadInput(diagnostics)
    }
}

impl From<SaturateError> for OptimizeError {
    fn from(error: SaturateError) -> Self {
        Self::Unsound(error.to_string())
    }
}

/// The source that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The program under check.
    Program,
    /// The filter or program to compare it with.
    Against,
}

/// The reason why a program was not checked. [`describe`](Self::describe) says where in the files; the text alone says what is wrong.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CheckError {
    /// A source cannot be used.
    #[error("{1}")]
    Source(Whose, Diagnostics),
    /// An option cannot be used.
    #[error("{0}")]
    Usage(String),
}

impl CheckError {
    /// Returns the source that the error is about and what is wrong with it, or `None` for an option.
    pub fn place<'a>(
        &'a self,
        program: &'a Source,
        against: Option<&'a Source>,
    ) -> Option<(&'a Source, &'a Diagnostics)> {
        match self {
            Self::Source(Whose::Against, wrong) => Some((against.unwrap_or(program), wrong)),
            Self::Source(Whose::Program, wrong) => Some((program, wrong)),
            Self::Usage(_) => None,
        }
    }

    /// Returns the error as plain text, with positions in the source that it is about.
    pub fn describe(&self, program: &Source, against: Option<&Source>) -> String {
        match self.place(program, against) {
            Some((source, wrong)) => render(source, wrong, false),
            None => self.to_string(),
        }
    }
}

/// The reason why a certificate does not hold.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ReplayError {
    /// The file is not a certificate.
    #[error(transparent)]
    Unreadable(Diagnostics),
    /// The certificate makes a false statement.
    #[error(transparent)]
    Wrong(Diagnostics),
}

/// The reason why nothing was run.
#[derive(Debug, Error)]
pub enum RunError {
    /// An option or a picture cannot be used.
    #[error("{0}")]
    Usage(String),
    /// The machine runs programs but was given a filter.
    #[error("the machine runs programs, and this is a filter")]
    IsFilter,
    /// The program cannot be read.
    #[error(transparent)]
    Program(CheckError),
    /// The filter cannot be compiled.
    #[error(transparent)]
    Filter(OptimizeError),
}
