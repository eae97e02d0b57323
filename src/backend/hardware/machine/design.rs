//! Designs: netlists whose values have places in time, and the delay lines that follow.

use std::collections::{BTreeMap, BTreeSet};

use super::descriptor::HardwareMachine;
use super::frame::Frame;
use super::lattice::{Columns, Lattice};
use super::netlist::{CellId, Netlist, Operand};
use super::operation::Operation;
use crate::backend::names::word;

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
    /// The columns of the values of cells that are kept.
    pub columns: Columns,
    /// For each running sum the pixels of a frame that come in until it has one before it, and until one leaves it.
    pub running: BTreeMap<CellId, [i64; 2]>,
}

/// A delay line behind a cell, for readers of earlier results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// When it advances.
    pub each: Each,
    /// The bits of a word.
    pub bits: u64,
    /// The words at which it is read, zero left out.
    pub taps: Vec<u64>,
    /// The parts between taps, each with its clocks and whether it is memory.
    pub parts: Vec<(u64, bool)>,
    /// The number of the part that ends a row later, where the cell itself reads what is there.
    pub row: Option<usize>,
    /// Whether others read there too.
    pub shared: bool,
    /// Where words are that are read after some clocks, zero left out; none if the line advances in each clock.
    pub delays: Vec<Delay>,
}

/// When a delay line advances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Each {
    /// In each clock.
    Clock,
    /// With each word that comes in, which is held for several clocks.
    Word,
    /// In one clock of `every`: when a value is there that matters.
    Kept {
        /// The clocks from one to the next.
        every: u64,
        /// The number of the clock, from the first clock of a frame on.
        clock: u64,
    },
}

/// Where a word is some clocks later: in the line, and behind registers that advance in each clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delay {
    /// The clocks in all.
    pub clocks: u64,
    /// The words in the line.
    pub words: u64,
    /// The registers behind those of the delay before this one, if it is behind the same word; otherwise behind the line.
    pub registers: u64,
}

impl Each {
    /// The words of a line that keeps a value for this number of clocks.
    pub fn words(self, clocks: u64) -> u64 {
        match self {
            Self::Kept { every, .. } => clocks.div_ceil(every),
            _ => clocks,
        }
    }
}

impl Line {
    /// The registers behind the line.
    pub fn registers(&self) -> u64 {
        self.delays.iter().map(|delay| delay.registers).sum()
    }
}

impl Design {
    /// A design of cells, with their lags and that of the results.
    pub fn new(name: String, netlist: Netlist, frame: Frame, (lags, sink): (Vec<i64>, i64)) -> Self {
        let columns = Columns::new(&netlist, &frame);
        let mut design = Self { name, netlist, frame, lags, sink, columns, running: BTreeMap::new() };
        design.running = design.begins();
        design
    }

    /// When running sums begin: when what they add comes from pixels of the frame alone. All that results need comes later.
    fn begins(&self) -> BTreeMap<CellId, [i64; 2]> {
        let mut filled: Vec<i64> = Vec::new();
        let mut running = BTreeMap::new();
        for id in self.netlist.ids() {
            let cell = self.netlist.cell(id);
            let of = |operand: &Operand| match operand {
                Operand::Tap(of, at) => filled[of.index()] + self.held(Some(id), *of, *at),
                Operand::Number(_) => 0,
            };
            let sources =
                if matches!(cell.operation, Operation::Running { .. }) { 1 } else { cell.operands.len() };
            let begins = cell.operands[..sources].iter().map(of).max().unwrap_or(0);
            let step = |axis: usize| [1, self.frame.row() as i64][axis];
            let more = match cell.operation {
                // What is kept may have begun before the frame.
                Operation::Along { axis, period, .. } => step(axis) * i64::from(period - 1),
                Operation::Until { axis, period, .. } => step(axis) * i64::from(2 * period),
                Operation::Running { axis, length } => {
                    running.insert(id, [begins + step(axis), begins + step(axis) * i64::from(length)]);
                    0
                }
                _ => 0,
            };
            filled.push(begins + more + i64::from(cell.latency) * self.frame.lanes as i64);
        }
        running
    }

    /// When the row above is kept that a cell reads which is summed or held along rows, before its own registers; and in how many words.
    pub fn row_above(&self, id: CellId) -> (Each, u64) {
        let each = self.each(id, -i64::from(self.netlist.cell(id).latency));
        (each, each.words(self.frame.row_words() as u64))
    }

    /// The name of a design for a pipeline of this name.
    pub fn name_of(pipeline: &str) -> String {
        let name = word(pipeline);
        // A name of SystemVerilog begins with a letter.
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("p_{name}") }
    }

    /// The name of a cell in what is written.
    pub fn cell_name(&self, id: CellId) -> String {
        format!("v{}_{}", id.index(), word(&self.netlist.cell(id).stage))
    }

    /// The name of what is behind this number of words of a line that does not advance in each clock.
    pub(super) fn words_ago(&self, id: CellId, words: u64) -> String {
        let name = self.cell_name(id);
        if words == 0 { name } else { format!("{name}_word{words}") }
    }

    /// The name of what is behind the words of a tap.
    pub(super) fn tap_name(&self, id: CellId, line: &Line, tap: u64) -> String {
        if line.each == Each::Clock { self.ago(id, tap) } else { self.words_ago(id, tap) }
    }

    /// Where the words of a line come from that does not advance in each clock: the names of what is there, of what it is some registers
    /// later, and the registers.
    pub(super) fn delayed(&self, id: CellId, line: &Line) -> Vec<(String, String, u64)> {
        let mut before: Option<Delay> = None;
        let mut delayed = Vec::new();
        for delay in &line.delays {
            let from = match before.filter(|before| before.words == delay.words) {
                Some(before) => self.ago(id, before.clocks),
                None => self.words_ago(id, delay.words),
            };
            delayed.push((from, self.ago(id, delay.clocks), delay.registers));
            before = Some(*delay);
        }
        delayed
    }

    /// In how many clocks lines and rows keep one, where that is not each.
    pub(super) fn kept(&self) -> BTreeSet<u64> {
        self.columns.of.iter().map(|of| of.every.unsigned_abs()).filter(|every| *every > 1).collect()
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
        let is_along = cell.operation.goes_along() == Some(1);
        (self.frame.row_words() as u64)
            .checked_sub(u64::from(cell.latency))
            .filter(|clocks| is_along && *clocks > 0)
    }

    /// When the delay line of a cell advances that is `late` clocks behind its lag, or early if less than none.
    pub fn each(&self, id: CellId, late: i64) -> Each {
        let lattice = self.columns.of[id.index()];
        if lattice.every > 1 {
            let clock = (lattice.first + self.lags[id.index()] + late).rem_euclid(lattice.every);
            return Each::Kept { every: lattice.every.unsigned_abs(), clock: clock.unsigned_abs() };
        }
        let is_input = matches!(self.netlist.cell(id).operation, Operation::Input(_));
        if self.frame.hold > 1 && is_input { Each::Word } else { Each::Clock }
    }

    /// The lanes of a cell that matter: delay lines and rows keep no others.
    pub fn kept_lanes(&self, id: CellId) -> Lattice {
        self.columns.lanes(id.index(), self.lags[id.index()])
    }

    /// The bits of a word of a cell that are kept.
    pub fn kept_bits(&self, id: CellId) -> u64 {
        let lanes = self.frame.lanes as u64 / self.kept_lanes(id).every.unsigned_abs();
        u64::from(self.netlist.cell(id).range.bits()) * lanes
    }

    /// Where words are after these numbers of clocks.
    fn delays(&self, each: Each, clocks: impl Iterator<Item = u64>) -> Vec<Delay> {
        let mut delays: Vec<Delay> = Vec::new();
        for clocks in clocks.filter(|clocks| *clocks > 0) {
            match each {
                Each::Clock => {}
                Each::Word => {
                    let words = clocks / self.frame.hold as u64;
                    let before = delays.last().filter(|before| before.words == words);
                    let start = before.map_or(words * self.frame.hold as u64, |before| before.clocks);
                    delays.push(Delay { clocks, words, registers: clocks - start });
                }
                Each::Kept { .. } => delays.push(Delay { clocks, words: each.words(clocks), registers: 0 }),
            }
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
            let each = self.each(cell, 0);
            let delays = self.delays(each, taps.iter().copied());
            if each != Each::Clock {
                taps = delays.iter().map(|delay| delay.words).collect();
            }
            taps.remove(&0);
            let row = self.reads_itself(cell).filter(|_| !taps.is_empty()).map(|clocks| each.words(clocks));
            let shared = row.is_some_and(|row| taps.contains(&row));
            taps.extend(row);
            let bits = self.kept_bits(cell);
            let taps: Vec<u64> = taps.into_iter().collect();
            let starts = std::iter::once(0).chain(taps.iter().copied());
            let parts: Vec<(u64, bool)> = taps
                .iter()
                .zip(starts)
                .map(|(end, start)| (end - start, end - start >= machine.memory_from))
                .collect();
            let row = taps.iter().position(|tap| Some(*tap) == row);
            (cell, Line { each, bits, row, shared, taps, parts, delays })
        };
        taps.into_iter()
            .map(line)
            .filter(|(_, line)| !line.taps.is_empty() || !line.delays.is_empty())
            .collect()
    }
}
