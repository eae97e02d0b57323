//! Where rows are in memory, as C and Rust write it alike.

use super::coordinate::added;
use super::loops::{Buffer, Loops, Unit};

impl Buffer {
    /// The number of rows in memory.
    pub(super) fn rows(&self) -> String {
        let [.., north, south] = self.margin;
        self.depth.map_or_else(|| format!("(h{} + {})", self.size, north + south), |depth| depth.to_string())
    }

    /// The number of row y, from the first that is computed.
    pub(super) fn row(&self, y: &str) -> String {
        let from = if self.depth.is_none() { format!(" + f{}", self.size) } else { String::new() };
        added(&format!("{y}{from}"), self.margin[2])
    }
}

impl Unit {
    /// The number of columns of a loop.
    pub(super) fn columns(&self) -> String {
        added(&format!("w{}", self.size), self.margin[0] + self.margin[1])
    }
}

impl Loops<'_> {
    /// The place of the present values of variables among all their values; empty without variables. `cast` follows each variable.
    pub(super) fn index_of_variables(&self, buffer: &Buffer, cast: &str) -> String {
        let mut index = String::new();
        for id in &buffer.variables {
            let [count, first] = self.values_of(*id);
            index = match index.as_str() {
                "" => format!("(d{}{cast} - ({first}))", id.0),
                before => format!("({before} * {count} + d{}{cast} - ({first}))", id.0),
            };
        }
        index
    }
}
