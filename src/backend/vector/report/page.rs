//! The innermost loop as a page: its operations by slot and cycle, with their operands.

use super::{VectorRecord, vector_text};
use crate::report::page;

/// The page of a program.
pub fn vector_page(record: &VectorRecord) -> String {
    let data = serde_json::json!({ "record": record, "report": vector_text(record, false) });
    page(&record.filter, &[include_str!("loop.js")], &data)
}
