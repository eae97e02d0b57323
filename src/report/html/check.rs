//! A check as a page: expected and found kernels, the smallest image, the first wrong line.

use serde::Serialize;

use super::{GUARDED, SIMULATION, page};
use crate::report::{CheckRecord, WalkRecord};

const CHECK: &str = include_str!("check.js");

/// The page of a check. `record` has the fields of [`CheckRecord`], or some of them; `report` is the text for people.
pub fn check_page(file: &str, record: &impl Serialize, report: &str) -> String {
    let data = serde_json::json!({ "record": record, "report": report });
    page(file, &[CHECK], &data)
}

/// The page of a check, with the program in steps.
pub fn walked_check_page(record: &CheckRecord, report: &str, steps: Option<&WalkRecord>) -> String {
    let data = serde_json::json!({ "record": record, "report": report, "walk": steps });
    page(&record.file, &[&SIMULATION[..], &[GUARDED, include_str!("checked.js"), CHECK]].concat(), &data)
}
