//! How compiling and checking can fail.

use crate::saturate::SaturateError;
use crate::syntax::{Diagnostics, Source, render};

/// Why there is no record.
#[derive(Debug)]
pub enum OptimizeError {
    /// The file or an option cannot be used: what is wrong, with places in the source where it has them.
    BadInput(Diagnostics),
    /// Nothing computes the filter on this machine: why.
    NoProgram(Diagnostics),
    /// The program that was given in the place of a filter cannot be read.
    Program(CheckError),
    /// The filter that such a program computes cannot be compiled.
    Lifted(Box<Source>, Diagnostics),
    /// Options that do not go with the file or the machine.
    Usage(String),
    /// A rule equates different kernels: its name, both terms and both kernels.
    Unsound(String),
    /// A check of kalg's own result failed; the text names what, and holds the program.
    Internal(String),
}

impl OptimizeError {
    /// The error as text without colours, with the places in the source where it has them.
    pub fn describe(&self, source: &Source) -> String {
        match self {
            Self::BadInput(wrong) | Self::NoProgram(wrong) | Self::Program(CheckError::Source(_, wrong)) => {
                render(source, wrong, false)
            }
            Self::Lifted(source, wrong) => render(source, wrong, false),
            Self::Program(CheckError::Usage(why))
            | Self::Usage(why)
            | Self::Unsound(why)
            | Self::Internal(why) => why.clone(),
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

/// Which of the two sources an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The program that is checked.
    Program,
    /// What it is compared with.
    Against,
}

/// Why a program cannot be checked.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckError {
    /// What is wrong with a source, with its places.
    Source(Whose, Diagnostics),
    /// An option that means nothing here.
    Usage(String),
}

/// Why a certificate is not followed to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplayError {
    /// It is none.
    Unreadable(Diagnostics),
    /// It says something that is not so.
    Wrong(Diagnostics),
}

/// Why nothing was run.
#[derive(Debug)]
pub enum RunError {
    /// An option or a picture that cannot be used.
    Usage(String),
    /// The machine runs programs, and was given a filter.
    IsFilter,
    /// The program cannot be read.
    Program(CheckError),
    /// The filter cannot be compiled.
    Filter(OptimizeError),
}
