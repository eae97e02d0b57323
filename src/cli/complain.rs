//! What is said on standard error of files and options that cannot be used.

use std::io::IsTerminal;

use super::outcome::CommandError;
use crate::backend::{CheckError, OptimizeError};
use crate::report::ErrorKind;
use crate::syntax::{Diagnostics, Source, render};

/// Whether standard error takes colours.
pub(super) fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Says on standard error why a program cannot be checked; the same text, without colours.
pub(super) fn complain(program: &Source, against: Option<&Source>, error: &CheckError) -> String {
    match error.place(program, against) {
        Some((source, diagnostics)) => eprint!("{}", render(source, diagnostics, color())),
        None => eprintln!("error: {error}"),
    }
    error.describe(program, against)
}

/// Says on standard error why a file was not compiled; whose fault it is, and the same text without colours. `own_rules` says that
/// rules are the user's.
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
        // A rule of the user's is the user's to mend; one of ours is not.
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

/// Shows what is wrong with a file that the whole command depends on.
pub(super) fn show(source: &Source, diagnostics: &Diagnostics) -> CommandError {
    eprint!("{}", render(source, diagnostics, color()));
    CommandError::Usage(format!("`{}` cannot be used", source.name()))
}
