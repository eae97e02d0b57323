//! A whole program that was shortened, as a page: what was changed, and both programs step by step.

use super::{GUARDED, SIMULATION, page};
use crate::report::{ShortenedRecord, WalkRecord};

/// The page; a program without steps cannot be followed.
pub fn shortened_page(
    record: &ShortenedRecord,
    new: Option<&WalkRecord>,
    given: Option<&WalkRecord>,
) -> String {
    let text = record.text();
    // The page has the name and the changes itself.
    let (_, text) = text.split_once('\n').unwrap_or_default();
    let paragraphs = text.trim_end().split("\n\n");
    let facts: Vec<&str> = paragraphs.filter(|part| !part.starts_with("Changes\n")).collect();
    let data = serde_json::json!({ "record": record, "facts": facts, "new": new, "given": given });
    page(&record.file, &[&SIMULATION[..], &[GUARDED, include_str!("shortened.js")]].concat(), &data)
}
