//! Where rows are in memory, as C and Rust write it alike.

use crate::backend::scan::machine::added;
use crate::pipeline::NodeId;

use super::loops::{Buffer, Loops, Unit};

/// What makes an index of variables as wide as addresses: what C writes before it, and Rust after each variable.
pub(super) type Casts = [&'static str; 2];

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
    /// The first plane for the present values of variables, as an addend.
    pub(super) fn layer(&self, id: NodeId, casts: Casts) -> String {
        let (n, buffer) = (id.index(), &self.buffers[&id]);
        let index = self.index_of_variables(buffer, casts);
        if index.is_empty() { index } else { format!(" + {index} * {} * s{n}", buffer.planes) }
    }

    /// The number of the plane that is computed, for the present values of variables; empty if there is one.
    pub(super) fn layer_number(&self, id: NodeId, casts: Casts) -> String {
        let buffer = &self.buffers[&id];
        match (self.index_of_variables(buffer, casts), buffer.planes) {
            (index, 1) => index,
            (index, _) if index.is_empty() => "z".to_owned(),
            (index, planes) => format!("({index} * {planes} + z)"),
        }
    }

    /// The place of the present values of variables among all their values; empty without variables.
    fn index_of_variables(&self, buffer: &Buffer, [before, after]: Casts) -> String {
        let mut index = String::new();
        for id in &buffer.variables {
            let [count, first] = self.values_of(*id);
            index = match index.as_str() {
                "" => format!("(d{}{after} - ({first}))", id.0),
                outer => format!("({outer} * {count} + d{}{after} - ({first}))", id.0),
            };
        }
        if index.is_empty() { index } else { format!("{before}{index}") }
    }
}
