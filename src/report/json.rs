//! Records as JSON.

use serde::Serialize;

/// A record as one line of JSON, without a line break.
///
/// # Panics
/// Never for records: they hold no map with keys that are not text, and what else fails to serialise is not in them.
pub fn json_line(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("a record of text, numbers and lists serialises")
}
