//! The record of a design, and its text.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::machine::{Cell, CellId, Design, Each, HardwareMachine, Line, Operation, Since, rarer_text};
use super::point::{FrontRecord, front_text};
use super::schedule::place_luts;
use crate::pipeline::Range;
use crate::report::{Figure, counted, json_line};

/// The result of `kalg optimize` for a pipeline on line-buffered hardware.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HardwareRecord {
    /// The file, as the user named it.
    pub file: String,
    /// The pipeline's name.
    pub pipeline: String,
    /// The machine's name.
    pub target: String,
    /// How the margins of pictures come about.
    pub margins: String,
    /// The columns and rows of pictures.
    pub size: [usize; 2],
    /// The columns and rows with margins.
    pub padded: [usize; 2],
    /// The column and row within the margins at which pictures begin.
    pub corner: [usize; 2],
    /// The columns and rows from one result to the next.
    pub every: [usize; 2],
    /// The outputs that have pixels in some of the results only, where outputs have several rates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rarer: Vec<RarerRecord>,
    /// The pixels in a clock.
    pub pixels_per_clock: usize,
    /// The clocks that a pixel takes, one unless units are shared in time.
    pub clocks_per_pixel: usize,
    /// What is computed.
    pub units: Units,
    /// What is kept.
    pub memory: MemoryRecord,
    /// The clocks from the first word of a frame to the first word of its results.
    pub latency: usize,
    /// The clocks of a frame.
    pub clocks: usize,
    /// What was checked.
    pub checked: CheckedRecord,
    /// Designs by what they compute against what they keep, the one that computes least first; `null` if not requested.
    pub front: Option<Vec<FrontRecord>>,
    /// The time taken.
    pub seconds: Figure,
    /// What a user should know before using the result, in sentences; absent if there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The version of kalg.
    pub version: String,
}

/// The units of one lane.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Units {
    /// The adders by the bits of their sums: bits, count.
    pub adders: BTreeMap<u32, usize>,
    /// The multipliers by the bits of their factors, the wider one first.
    pub multipliers: BTreeMap<String, usize>,
    /// The dividers by the bits of their quotients.
    pub dividers: BTreeMap<u32, usize>,
    /// The square roots by their bits.
    pub roots: BTreeMap<u32, usize>,
    /// The minima, maxima, comparisons and absolute values by their bits.
    pub comparators: BTreeMap<u32, usize>,
    /// The tables by their entries.
    pub tables: BTreeMap<usize, usize>,
    /// The hard multipliers of all lanes.
    pub hard_multipliers: u64,
    /// An estimate of the look-up tables of all lanes and delay lines. It is no substitute for synthesis.
    pub estimated_luts: u64,
}

/// The bits that are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemoryRecord {
    /// The least bits that any lags keep in delay lines and in the rows of `row_bits`, together, if no result leaves before its pixel
    /// has come; proved by a flow.
    pub least_bits: u64,
    /// The bits of delay lines as built, of whole words.
    pub line_bits: u64,
    /// Those in memory.
    pub memory_bits: u64,
    /// The bits of registers within operations.
    pub register_bits: u64,
    /// The bits of the rows that are kept for values which are held, summed or read backwards along rows, without those that are parts of delay
    /// lines. No choice of lags changes them.
    pub row_bits: u64,
    /// The bits of the rows that margins repeat.
    pub margin_bits: u64,
    /// The block RAMs by the shapes of the machine.
    pub block_rams: u64,
    /// The delay lines: what they keep, the bits of a word, and the clocks of each part.
    pub lines: Vec<LineRecord>,
}

/// An output that has pixels in some of the results only.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RarerRecord {
    /// The output.
    pub output: String,
    /// The columns and rows of results from one of its pixels to the next.
    pub every: [usize; 2],
}

/// A delay line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineRecord {
    /// The cell.
    pub cell: usize,
    /// Its stage.
    pub stage: String,
    /// The bits of a word.
    pub bits: u64,
    /// The clocks of the parts between its taps.
    pub clocks: Vec<u64>,
}

/// What was checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedRecord {
    /// The columns and rows of the simulated pictures.
    pub size: [usize; 2],
    /// The pixels that were compared with the reference executor, all equal.
    pub pixels: usize,
    /// Whether the proof of the least bits was checked.
    pub proof: bool,
}

impl Units {
    /// Counts a product of factors with these values.
    fn product(&mut self, factors: [Range; 2], lanes: u64, machine: &HardwareMachine) {
        let mut wide = factors.map(|factor| factor.bits());
        wide.sort_unstable();
        *self.multipliers.entry(format!("{}x{}", wide[1], wide[0])).or_default() += 1;
        self.hard_multipliers += machine.hard_multipliers(factors) * lanes;
    }
}

/// What a lane of a design computes.
pub(super) fn units(design: &Design, machine: &HardwareMachine) -> Units {
    let mut units = Units::default();
    let mut luts = 0;
    for (at, cell) in design.netlist.cells.iter().enumerate() {
        let lanes = design.columns.computed(&design.netlist, at, &design.frame);
        let bits = cell.range.bits();
        let of = |number: usize| design.netlist.range(cell.operands[number]);
        let widest = (0..cell.operands.len()).map(|number| of(number).bits()).max().unwrap_or(0);
        let own = match &cell.operation {
            Operation::Sum(_) => {
                let adder = design.netlist.adder_bits(cell);
                if adder > 0 {
                    *units.adders.entry(bits).or_default() += 1;
                }
                adder
            }
            Operation::Product => {
                units.product([0, 1].map(of), lanes, machine);
                0
            }
            Operation::Quotient => {
                *units.dividers.entry(bits).or_default() += 1;
                cell.latency * (of(1).bits() + 1)
            }
            Operation::Root => {
                *units.roots.entry(bits).or_default() += 1;
                bits * (bits + 2)
            }
            Operation::Minimum | Operation::Maximum => {
                *units.comparators.entry(widest).or_default() += 1;
                widest / 2 + bits
            }
            Operation::Compare(_) | Operation::Absolute => {
                *units.comparators.entry(widest).or_default() += 1;
                widest
            }
            Operation::Select => bits,
            Operation::Along { since: Since::Extreme(_), .. } => {
                *units.comparators.entry(widest).or_default() += 1;
                bits + bits / 2
            }
            Operation::Until { axis, period, .. } => {
                *units.comparators.entry(widest).or_default() += 1;
                bits + bits / 2 + place_luts(*axis, *period) as u32
            }
            Operation::Along { since: Since::Sum, .. } => {
                *units.adders.entry(bits).or_default() += 1;
                bits
            }
            Operation::Along { .. } => bits,
            Operation::Running { .. } => {
                *units.adders.entry(bits).or_default() += 2;
                design.netlist.adder_bits(cell)
            }
            // A look-up table chooses one of four.
            Operation::Choose { .. } | Operation::Interleave { .. } => {
                bits * (cell.operands.len() as u32).div_ceil(3)
            }
            Operation::Table { values, .. } => {
                *units.tables.entry(values.len()).or_default() += 1;
                bits * HardwareMachine::tables(values.len()) as u32
            }
            _ => 0,
        };
        luts += u64::from(own) * lanes;
    }
    units.estimated_luts = luts + shifts(design, machine);
    units
}

/// The look-up tables of delay lines that are not memory: one is a shift register of 32 clocks. Delays of one clock are flip-flops.
fn shifts(design: &Design, machine: &HardwareMachine) -> u64 {
    let lines = design.lines(machine);
    let parts = lines.values().flat_map(|line| line.parts.iter().map(|part| (line.bits, part)));
    let shifts = parts.filter(|(_, (clocks, memory))| !memory && *clocks > 1);
    shifts.map(|(bits, (clocks, _))| bits * clocks.div_ceil(32)).sum()
}

/// What a design keeps. `margin_words` are the words of the rows that margins repeat.
pub(super) fn memory(
    design: &Design,
    machine: &HardwareMachine,
    least: u64,
    margin_words: u64,
) -> MemoryRecord {
    let lanes = design.frame.lanes as u64;
    let pixel: u64 = design.netlist.inputs.iter().map(|port| u64::from(port.bits)).sum();
    let mut memory = MemoryRecord { least_bits: least, ..MemoryRecord::default() };
    let lines = design.lines(machine);
    // Lines of one length that advance together are one memory.
    let mut together: BTreeMap<(Each, u64), u64> = BTreeMap::new();
    for (cell, line) in &lines {
        memory.line(design.netlist.cell(*cell), *cell, line);
        for (clocks, _) in line.parts.iter().filter(|(_, is_memory)| *is_memory) {
            *together.entry((line.each, *clocks)).or_default() += line.bits;
        }
    }
    for id in design.netlist.ids() {
        let cell = design.netlist.cell(id);
        let own = u64::from(cell.range.bits());
        let bits = design.kept_bits(id);
        memory.register_bits += u64::from(cell.latency) * own * lanes;
        if let Operation::Until { axis, .. } = cell.operation {
            memory.blocks(design, machine, cell);
            let row = [1, design.frame.row_words() as u64][axis];
            if row >= machine.memory_from {
                *together.entry((Each::Clock, row)).or_default() += bits;
            }
        }
        match cell.operation.goes_along() {
            Some(1) if lines.get(&id).is_some_and(|line| line.row.is_some()) => {}
            Some(1) => {
                let (each, words) = design.row_above(id);
                memory.row_bits += words * bits;
                if words >= machine.memory_from {
                    *together.entry((each, words)).or_default() += bits;
                }
            }
            Some(_) => memory.register_bits += own,
            None => {}
        }
    }
    let block_rams = |((_, clocks), bits): (&(Each, u64), &u64)| machine.block_rams(clocks - 1, *bits);
    memory.block_rams += together.iter().map(block_rams).sum::<u64>();
    memory.margin_bits = margin_words * pixel * lanes;
    if margin_words > 0 {
        // What is mirrored is read from other words in some lanes than in others.
        let apart = if design.frame.mirror().is_some() { lanes } else { 1 };
        memory.block_rams += apart * machine.block_rams(margin_words, pixel * lanes / apart);
    }
    memory
}

impl MemoryRecord {
    /// Counts a delay line.
    fn line(&mut self, cell: &Cell, id: CellId, line: &Line) {
        for (number, (clocks, is_memory)) in line.parts.iter().enumerate() {
            let bits = clocks * line.bits;
            // What nobody reads but the cell itself is no delay line.
            if line.row == Some(number) && number + 1 == line.parts.len() {
                self.row_bits += bits;
            } else {
                self.line_bits += bits;
                self.memory_bits += if *is_memory { bits } else { 0 };
            }
        }
        self.line_bits += line.registers() * line.bits;
        let clocks = line.parts.iter().map(|(clocks, _)| *clocks).collect();
        let stage = cell.stage.clone();
        self.lines.push(LineRecord { cell: id.index(), stage, bits: line.bits, clocks });
    }

    /// Counts the memories of a cell that reads blocks from their ends: two blocks, and what was found last in each column.
    fn blocks(&mut self, design: &Design, machine: &HardwareMachine, cell: &Cell) {
        let Operation::Until { axis, period, .. } = cell.operation else { return };
        let words = u64::from(period) * [1, design.frame.row_words() as u64][axis];
        let kept = cell.operation.places(design.frame.row()) * u64::from(cell.range.bits());
        if words >= machine.memory_from {
            self.row_bits += kept;
            let bits = u64::from(cell.range.bits()) * design.frame.lanes as u64;
            self.block_rams += 2 * machine.block_rams(words, bits);
        } else {
            self.register_bits += kept;
        }
    }
}

fn by_width<K: std::fmt::Display>(counts: &BTreeMap<K, usize>, unit: &str) -> String {
    let all: usize = counts.values().sum();
    let each: Vec<String> = counts.iter().map(|(of, count)| format!("{count} of {of}{unit}")).collect();
    if all == 0 { "none".to_owned() } else { format!("{all}: {}", each.join(", ")) }
}

impl HardwareRecord {
    /// The record as one line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// The first lines of the report.
    fn head(&self) -> String {
        let Self { size: [width, height], padded: [columns, rows], corner: [column, row], .. } = self;
        let pace = match self.clocks_per_pixel {
            1 => format!("{} a clock", self.pixels_per_clock),
            clocks => format!("one in {}", counted(clocks as u64, "clock")),
        };
        let mut text = format!(
            "{} ({}) for {}: {width}x{height} pixels, {pace}, margins {} ({columns}x{rows} in all)\n",
            self.pipeline, self.file, self.target, self.margins
        );
        if self.margins == "sent" {
            let _ = writeln!(text, "pictures begin at column {column} and row {row} of what is sent");
        }
        if self.every != [1, 1] {
            let [columns, rows] = self.every;
            let [columns, rows] = [counted(columns as u64, "column"), counted(rows as u64, "row")];
            let _ = writeln!(text, "results: one for {columns} and {rows}");
        }
        if !self.rarer.is_empty() {
            let rarer = self.rarer.iter().map(|of| (of.output.as_str(), of.every));
            let _ = writeln!(text, "of the results, {}", rarer_text(rarer));
        }
        text
    }

    /// The record as a report for people. A verbose report lists the delay lines.
    pub fn text(&self, verbose: bool) -> String {
        let Self { units, memory, .. } = self;
        let mut text = self.head();
        let _ = writeln!(text, "each lane");
        let rows = [
            ("adders", by_width(&units.adders, " bits")),
            ("multipliers", by_width(&units.multipliers, " bits")),
            ("dividers", by_width(&units.dividers, " bits")),
            ("roots", by_width(&units.roots, " bits")),
            ("comparators", by_width(&units.comparators, " bits")),
            ("tables", by_width(&units.tables, " entries")),
        ];
        for (name, value) in rows {
            let _ = writeln!(text, "  {name:<12} {value}");
        }
        let together = if memory.row_bits > 0 { " in these and the rows below" } else { "" };
        let _ = writeln!(
            text,
            "delay lines: {}, {} of them in memory; no lags keep fewer than {}{together}, as results leave after their pixels come (proved by a flow)",
            counted(memory.line_bits, "bit"),
            memory.memory_bits,
            memory.least_bits
        );
        if verbose {
            for LineRecord { cell, stage, bits, clocks } in &memory.lines {
                let delay = match clocks[..] {
                    [clocks] => counted(clocks, "clock"),
                    _ => clocks.iter().map(u64::to_string).collect::<Vec<_>>().join(" + ") + " clocks",
                };
                let _ = writeln!(text, "  v{cell} {stage}: {}, {delay}", counted(*bits, "bit"));
            }
        }
        if memory.row_bits > 0 {
            let _ = writeln!(
                text,
                "rows of values that are held, summed or read backwards along rows: {}",
                counted(memory.row_bits, "bit")
            );
        }
        if memory.margin_bits > 0 {
            let _ = writeln!(text, "the rows that margins repeat: {}", counted(memory.margin_bits, "bit"));
        }
        let _ = writeln!(text, "registers within operations: {}", counted(memory.register_bits, "bit"));
        let _ = writeln!(text, "block RAMs: {}", memory.block_rams);
        let _ = writeln!(text, "hard multipliers: {}", units.hard_multipliers);
        let _ =
            writeln!(text, "look-up tables: about {} (an estimate, not a synthesis)", units.estimated_luts);
        let _ = writeln!(text, "clocks: {} a frame, the first results after {}", self.clocks, self.latency);
        let [width, height] = self.checked.size;
        let _ = writeln!(
            text,
            "checked: {} pixels of two {width}x{height} frames, on whole pictures and clock by clock with stalls; the proof. \
             Not checked: the text",
            self.checked.pixels
        );
        text.extend(self.front.as_ref().map(|front| front_text(front)));
        for warning in &self.warnings {
            let _ = writeln!(text, "warning: {warning}");
        }
        text
    }
}
