//! Messages on standard error about files and options that cannot be used.

use std::io::IsTerminal;

use super::outcome::{CommandError, Outcome};
use crate::backend::{CheckError, OptimizeError};
use crate::report::ErrorKind;
use crate::syntax::{Diagnostics, Source, render};

/// Whether standard error supports colours.
pub(super) fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints why a program cannot be checked to standard error, and returns the text without colours.
pub(super) fn complain(program: &Source, against: Option<&Source>, error: &CheckError) -> String {
    match error.place(program, against) {
        Some((source, diagnostics)) => eprint!("{}", render(source, diagnostics, color())),
        None => eprintln!("error: {error}"),
    }
    error.describe(program, against)
}

/// Prints why a file was not compiled to standard error; returns the kind of error and the text without colours. `own_rules`
/// says that the rules are the user's.
pub(super) fn explain(
    name: &str,
    source: &Source,
    error: OptimizeError,
    own_rules: bool,
) -> (ErrorKind, String) {
    let show = |source: &Source, wrong: &Diagnostics| {
        eprint!("{}", render(source, wrong, color()));
        render(source, wrong, false)
    };
    match error {
        OptimizeError::BadInput(wrong) => (ErrorKind::BadInput, show(source, &wrong)),
        OptimizeError::Lifted(source, wrong) => (ErrorKind::BadInput, show(&source, &wrong)),
        OptimizeError::NoProgram(wrong) => (ErrorKind::NoProgram, show(source, &wrong)),
        OptimizeError::Program(error) => (ErrorKind::BadInput, complain(source, None, &error)),
        OptimizeError::Usage(message) => {
            eprintln!("error: {name}: {message}");
            (ErrorKind::BadInput, message)
        }
        // A user must mend their own rules, but not kalg's.
        OptimizeError::Unsound(message) if own_rules => {
            eprintln!("error: {name}: {message}");
            (ErrorKind::BadInput, message)
        }
        OptimizeError::Internal(message) | OptimizeError::Unsound(message) => {
            eprintln!("error: {name}: a check of kalg's own result failed\n{message}");
            eprintln!(
                "This is a mistake in kalg, not in the file; no program is printed. Please report it with the file."
            );
            (ErrorKind::Internal, message)
        }
    }
}

/// Prints why a file was not compiled by kalg's own rules, and returns the outcome.
pub(super) fn refused(source: &Source, error: OptimizeError) -> Outcome {
    explain(source.name(), source, error, false).0.into()
}

/// Prints what is wrong with a file that the whole command depends on.
pub(super) fn show(source: &Source, diagnostics: &Diagnostics) -> CommandError {
    eprint!("{}", render(source, diagnostics, color()));
    CommandError::Usage(format!("`{}` cannot be used", source.name()))
}
