//! The command line from Python.

use pyo3::prelude::*;

/// Runs the command line with these arguments, the first of which is its name. Returns the exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| kalg::cli::run_with(&arguments) as u8)
}

/// The subcommands, each with the names of its options and arguments.
#[pyfunction]
pub(crate) fn commands() -> Vec<(String, Vec<String>)> {
    kalg::cli::commands()
}
