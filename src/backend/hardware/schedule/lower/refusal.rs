//! The error for what has no circuit.

use crate::syntax::{Diagnostic, Span};

/// The error for a value at this place.
pub(super) fn refusal(span: Span, what: &str) -> Box<Diagnostic> {
    not_made(span, what, "this value")
}

/// The error for an output at this place.
pub(super) fn output_refusal(span: Span, what: &str) -> Box<Diagnostic> {
    not_made(span, what, "this output")
}

/// The error for what is at this place, with a label of its own.
pub(in crate::backend::hardware) fn not_made(span: Span, what: &str, label: &str) -> Box<Diagnostic> {
    let message = format!("line-buffered hardware is not made for {what}");
    Box::new(Diagnostic::error("not-in-hardware", message).label(span, label))
}
