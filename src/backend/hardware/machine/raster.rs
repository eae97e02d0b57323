//! Where in the raster cells compute whose operations depend on their place.

use std::collections::BTreeSet;

use super::design::Design;
use super::netlist::CellId;

/// Where a cell computes: the words of a counter, and the pixels by which its first lane is further east than the first lane of
/// those.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    /// The number of the counter.
    pub(super) counter: usize,
    /// The pixels that the cell is further east.
    pub(super) east: usize,
}

/// A counter of the places of words that came in some clocks ago.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counter {
    /// The clocks; less than none for words that are still to come.
    pub(super) clocks: i64,
    /// The word of a row in which a frame begins.
    pub(super) column: usize,
    /// The row in its period in which a frame begins.
    pub(super) row: usize,
}

impl Design {
    fn behind(&self, id: CellId) -> (i64, usize) {
        let (pixels, lanes) = (self.computed(id), self.frame.lanes as i64);
        let clocks = -(-pixels).div_euclid(lanes);
        (clocks, (clocks * lanes - pixels).unsigned_abs() as usize)
    }

    /// The counters that cells need.
    pub(super) fn counters(&self) -> Vec<Counter> {
        let depends = |id: &CellId| self.netlist.cell(*id).operation.period() != [1, 1];
        let clocks: BTreeSet<i64> = self.netlist.ids().filter(depends).map(|id| self.behind(id).0).collect();
        let counter = |clocks: i64| {
            let (columns, rows) = (self.frame.row_words() as i64, self.frame.period[1] as i64);
            let [column, row] =
                [(-clocks).rem_euclid(columns), (-clocks).div_euclid(columns).rem_euclid(rows)];
            Counter { clocks, column: column as usize, row: row as usize }
        };
        clocks.into_iter().map(counter).collect()
    }

    /// Where a cell computes, by the counters of the design.
    pub(super) fn spot(&self, id: CellId) -> Spot {
        let (clocks, east) = self.behind(id);
        let counter = self.counters().iter().position(|counter| counter.clocks == clocks).unwrap_or(0);
        Spot { counter, east }
    }
}
