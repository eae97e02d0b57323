//! The outcome of a command, and the errors that stop one.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use thiserror::Error;

use crate::report::ErrorKind;

/// The text below the options in the help of commands without an answer.
pub(super) const DONE_OR_UNUSABLE: &str = "Exit codes: 0 done, 2 a file or an option cannot be used.";

/// The outcome of a command. With several files the worst one counts; later variants are worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// Done: exit code 0.
    Done = 0,
    /// The answer is negative, for instance no program within the limits: exit code 1.
    Negative = 1,
    /// A file or an option cannot be used: exit code 2.
    BadInput = 2,
    /// A check of kalg's own result failed: exit code 3.
    Internal = 3,
    /// Ctrl-C ended the command, and the results so far are written: exit code 130.
    Interrupted = 130,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(outcome as u8)
    }
}

impl From<ErrorKind> for Outcome {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::BadInput => Self::BadInput,
            ErrorKind::NoProgram => Self::Negative,
            ErrorKind::Internal => Self::Internal,
        }
    }
}

/// An error that stops a command. Any other error concerns one file, and the next file follows.
#[derive(Debug, Error)]
pub(super) enum CommandError {
    /// Writing the results to standard output failed.
    #[error("cannot write to standard output: {0}")]
    StandardOutput(io::Error),
    /// Writing a file failed.
    #[error("cannot write `{path}`: {error}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// Options that conflict, or that name something unknown.
    #[error("{0}")]
    Usage(String),
}

impl CommandError {
    /// Whether standard output has no reader any more.
    pub(super) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::StandardOutput(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_outcome_counts() {
        let worst =
            [Outcome::Done, Outcome::Internal, Outcome::Negative, Outcome::BadInput].into_iter().max();
        assert_eq!(worst, Some(Outcome::Internal));
        assert_eq!(Outcome::Internal as u8, 3);
    }

    #[test]
    fn only_a_broken_pipe_is_success() {
        let of = |kind| CommandError::StandardOutput(io::Error::from(kind)).is_broken_pipe();
        assert!(of(io::ErrorKind::BrokenPipe));
        assert!(!of(io::ErrorKind::StorageFull));
    }
}
