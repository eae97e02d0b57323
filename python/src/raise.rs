//! Errors as exceptions: the package makes them, so that they are its own classes.

use pyo3::prelude::*;
use pyo3::types::PyAny;

/// The exception for an error of the library.
pub(crate) fn raised(py: Python<'_>, error: &kalg::Error) -> PyErr {
    let place = error.place().map(|place| (place.file, place.line, place.column));
    exception(py, &error.kind().to_string(), &error.to_string(), place)
}

/// The exception for a failure of kalg itself.
pub(crate) fn failed(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "internal", message, None)
}

/// The exception for an argument that cannot be used.
pub(crate) fn refused(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "bad-input", message, None)
}

fn exception(py: Python<'_>, kind: &str, message: &str, place: Option<(String, usize, usize)>) -> PyErr {
    let made = py
        .import("kalg.errors")
        .and_then(|errors| errors.getattr("_error"))
        .and_then(|make| make.call1((kind, message, place)));
    match made {
        Ok(error) => PyErr::from_value(error as Bound<'_, PyAny>),
        Err(error) => error,
    }
}
