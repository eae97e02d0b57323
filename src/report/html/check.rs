//! A check as a page: expected and found kernels, the smallest image, the first wrong line.

use serde::Serialize;

use super::page;

/// The page of a check. `record` has the fields of [`CheckRecord`](crate::report::CheckRecord), or some of them; `report` is the
/// text for people.
pub fn check_page(file: &str, record: &impl Serialize, report: &str) -> String {
    let data = serde_json::json!({ "record": record, "report": report });
    page(file, &[include_str!("check.js")], &data)
}
