//! Designs: netlists whose values have places in time, and the delay lines that follow.

use std::collections::{BTreeMap, BTreeSet};

use super::descriptor::HardwareMachine;
use super::frame::Frame;
use super::netlist::{CellId, Netlist, Operand};
use super::operation::Operation;

/// A netlist in time. The value of a cell for a pixel is there `lag` pixels after that pixel came in.
#[derive(Clone, Debug)]
pub struct Design {
    /// The name, as a word of letters, digits and underscores.
    pub name: String,
    /// The cells.
    pub netlist: Netlist,
    /// The frame.
    pub frame: Frame,
    /// The lag of each cell, in pixels.
    pub lags: Vec<i64>,
    /// The lag of the results.
    pub sink: i64,
}

/// A delay line behind a cell, for readers of earlier results. That of an input advances once for each pixel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The bits of a word.
    pub bits: u64,
    /// The words at which it is read, zero left out.
    pub taps: Vec<u64>,
    /// The parts between taps, each with its clocks and whether it is memory.
    pub parts: Vec<(u64, bool)>,
    /// The number of the part that ends a row later, where the cell itself reads what is there.
    pub row: Option<usize>,
    /// The clocks at which words are read that are held for several clocks, zero left out; none if each word has a clock.
    pub held: Vec<Delay>,
}

/// Where a word that is held for several clocks is, some clocks later: in the line, and behind registers that advance in each clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delay {
    /// The clocks in all.
    pub clocks: u64,
    /// The words in the line.
    pub words: u64,
    /// The registers behind those of the delay before this one, if it is behind the same word; otherwise behind the line.
    pub registers: u64,
}

/// A name as a word of letters, digits and underscores.
pub(super) fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

impl Design {
    /// The name of a design for a pipeline of this name.
    pub fn name_of(pipeline: &str) -> String {
        let name = plain(pipeline);
        // A name of SystemVerilog begins with a letter.
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("p_{name}") }
    }

    /// The name of a cell in what is written.
    pub fn cell_name(&self, id: CellId) -> String {
        format!("v{}_{}", id.index(), plain(&self.netlist.cell(id).stage))
    }

    /// The name of the word that a cell gave so many words ago, where words are held.
    pub(super) fn words_ago(&self, id: CellId, words: u64) -> String {
        let name = self.cell_name(id);
        if words == 0 { name } else { format!("{name}_word{words}") }
    }

    /// The name of what a cell gave `clocks` ago.
    pub(super) fn ago(&self, id: CellId, clocks: u64) -> String {
        let name = self.cell_name(id);
        if clocks == 0 { name } else { format!("{name}_ago{clocks}") }
    }

    /// The clocks that the results take for themselves: one, for the register before the port.
    pub const SINK_LATENCY: u32 = 1;

    /// The pixels for which a cell, or the results for `None`, keep an operand before they read it.
    pub fn held(&self, reader: Option<CellId>, of: CellId, at: [i32; 2]) -> i64 {
        let (lag, latency) = match reader {
            Some(reader) => (self.lags[reader.index()], self.netlist.cell(reader).latency),
            None => (self.sink, Self::SINK_LATENCY),
        };
        let start = lag - i64::from(latency) * self.frame.lanes as i64;
        start - self.lags[of.index()] + self.frame.delay(at)
    }

    /// The pixels after which a cell computes the value of a pixel, before its own registers.
    pub fn computed(&self, cell: CellId) -> i64 {
        self.lags[cell.index()] - i64::from(self.netlist.cell(cell).latency) * self.frame.lanes as i64
    }

    /// The words and the pixel in them that a delay of pixels leads to: whole clocks, and pixels besides.
    pub fn words(&self, held: i64) -> (u64, usize) {
        let lanes = self.frame.lanes as i64;
        (held.div_euclid(lanes).unsigned_abs(), held.rem_euclid(lanes) as usize)
    }

    /// Every read of a cell, with its delay in pixels. Results have no reader.
    pub fn reads(&self) -> Vec<(Option<CellId>, CellId, i64)> {
        let mut reads = Vec::new();
        let mut note = |reader: Option<CellId>, operand: &Operand| {
            if let Operand::Tap(cell, at) = operand {
                reads.push((reader, *cell, self.held(reader, *cell, *at)));
            }
        };
        for id in self.netlist.ids() {
            self.netlist.cell(id).operands.iter().for_each(|operand| note(Some(id), operand));
        }
        self.netlist.outputs.iter().for_each(|(_, operand)| note(None, operand));
        reads
    }

    /// The clocks after which a cell reads itself what it gave, behind its own registers: those of a row.
    fn reads_itself(&self, cell: CellId) -> Option<u64> {
        let cell = self.netlist.cell(cell);
        let is_along = matches!(cell.operation, Operation::Along { axis: 1, .. });
        (self.frame.row_words() as u64)
            .checked_sub(u64::from(cell.latency))
            .filter(|clocks| is_along && *clocks > 0)
    }

    /// Whether words of a cell are held for several clocks.
    fn is_held(&self, id: CellId) -> bool {
        self.frame.hold > 1 && matches!(self.netlist.cell(id).operation, Operation::Input(_))
    }

    /// The delays of words of `hold` clocks.
    fn delays(&self, clocks: impl Iterator<Item = u64>) -> Vec<Delay> {
        let hold = self.frame.hold as u64;
        let mut delays: Vec<Delay> = Vec::new();
        for clocks in clocks.filter(|clocks| *clocks > 0) {
            let words = clocks / hold;
            let before = delays.last().filter(|before| before.words == words);
            let start = before.map_or(words * hold, |before| before.clocks);
            delays.push(Delay { clocks, words, registers: clocks - start });
        }
        delays
    }

    /// The delay lines, by their cells.
    pub fn lines(&self, machine: &HardwareMachine) -> BTreeMap<CellId, Line> {
        let mut taps: BTreeMap<CellId, BTreeSet<u64>> = BTreeMap::new();
        for (_, cell, held) in self.reads() {
            let (clocks, rest) = self.words(held);
            let of = taps.entry(cell).or_default();
            of.insert(clocks);
            if rest > 0 {
                of.insert(clocks + 1);
            }
        }
        let line = |(cell, mut taps): (CellId, BTreeSet<u64>)| {
            let mut held = Vec::new();
            if self.is_held(cell) {
                held = self.delays(taps.iter().copied());
                taps = held.iter().map(|delay| delay.words).collect();
            }
            taps.remove(&0);
            let row = self.reads_itself(cell).filter(|_| !taps.is_empty());
            taps.extend(row);
            let bits = u64::from(self.netlist.cell(cell).range.bits()) * self.frame.lanes as u64;
            let taps: Vec<u64> = taps.into_iter().collect();
            let starts = std::iter::once(0).chain(taps.iter().copied());
            let parts: Vec<(u64, bool)> = taps
                .iter()
                .zip(starts)
                .map(|(end, start)| (end - start, end - start >= machine.memory_from))
                .collect();
            (cell, Line { bits, row: taps.iter().position(|tap| Some(*tap) == row), taps, parts, held })
        };
        taps.into_iter()
            .map(line)
            .filter(|(_, line)| !line.taps.is_empty() || !line.held.is_empty())
            .collect()
    }
}
