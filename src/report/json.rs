//! Records as JSON.

use serde::Serialize;

/// A record as one line of JSON, without a line break.
///
/// # Panics
/// Never for records: all map keys in them are text, and they contain nothing else that cannot be serialised.
pub fn json_line(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("a record of text, numbers and lists serialises")
}
