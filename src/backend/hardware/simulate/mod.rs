//! A cycle-accurate simulation of designs: words go in and come out, with stalls on both sides.

mod elastic;
mod margins;
mod ring;
mod until;

use super::machine::{CellId, Design, Each, Operand, Operation, Port, stepped, value, wrapped};
use crate::algebra::Random;
pub use elastic::{Elastic, Pace};
use margins::{Margins, Raster};
use ring::{Place, Ring, kept_words};
use until::Until;

/// A frame for each input, in rows of pixels: with its margins if these are sent, otherwise without.
pub type Pictures = Vec<Vec<i128>>;

/// What came out: the pixels of each output for each frame, and the clocks that passed until then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The frames, each with the pixels of its outputs.
    pub frames: Vec<Vec<Vec<i128>>>,
    /// The clock of the first word with results, counted from 1.
    pub first: usize,
    /// The clock of the last word of each frame.
    pub clocks: Vec<usize>,
}

/// When there is no word to take or to give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stalls {
    /// Never.
    None,
    /// At random on both sides, a third of the time.
    Random(u64),
}

struct Machine<'d> {
    design: &'d Design,
    height: usize,
    raster: Raster,
    /// The words of each cell before its own registers.
    rings: Vec<Ring>,
    /// The words that are kept of cells of which one clock in several has a value that matters.
    lines: Vec<Option<Ring>>,
    /// The memories of cells that read periods backwards.
    until: Vec<Option<Until>>,
    /// Where the operands of each cell are, and those of the results.
    operands: Vec<Vec<Place>>,
    outputs: Vec<Place>,
    /// The words of the frame before this one.
    word: usize,
    margins: Margins<'d>,
    /// The pixels of a word that is held for several clocks.
    held: Vec<i128>,
}

/// The state of a design's ports in one clock.
pub(super) struct Sample<'s> {
    /// The clock, counted from 1.
    pub(super) clock: usize,
    /// The word that is offered, and whether it is taken if there is one.
    pub(super) offered: Option<&'s [i128]>,
    pub(super) takes: bool,
    /// The word with results, with whether it is the last of its frame, and whether it is taken if there is one.
    pub(super) results: Option<(Vec<i128>, bool)>,
    pub(super) ready: bool,
    rings: &'s [Ring],
}

impl Sample<'_> {
    /// What a cell gives in a lane behind its own registers; `latency` is their number.
    pub(super) fn value(&self, cell: CellId, latency: u32, lane: usize) -> i128 {
        self.rings[cell.index()].ago(latency as usize + 1, lane)
    }
}

/// Who looks at every clock.
pub(super) type Watcher<'w> = &'w mut dyn FnMut(&Sample<'_>);

/// The words in which the row above is kept behind the registers of a cell that is summed or held along rows, if one in several is.
fn row_words(design: &Design, id: CellId) -> Option<usize> {
    let cell = design.netlist.cell(id);
    let clocks = (design.frame.row_words() as u64).saturating_sub(cell.latency.into());
    (cell.operation.goes_along() == Some(1)).then(|| kept_words(design, id, clocks)).flatten()
}

/// Takes the pixels of outputs from all that words had of them: where outputs have several rates, words have more.
fn pixels_of(design: &Design, results: &mut Pictures) -> Pictures {
    let [x, y] = design.frame.every;
    let row = design.frame.width / x;
    let outputs = design.netlist.outputs.iter().zip(results.iter_mut().map(std::mem::take));
    let own = |((port, _), pixels): (&(Port, Operand), Vec<i128>)| {
        let is_own = |at: usize| {
            (at % row * x).is_multiple_of(port.every[0]) && (at / row * y).is_multiple_of(port.every[1])
        };
        pixels.into_iter().enumerate().filter(|(at, _)| is_own(*at)).map(|(_, pixel)| pixel).collect()
    };
    outputs.map(own).collect()
}

/// Sends frames of `height` rows through a design. `None` if it does not end.
pub fn simulate(design: &Design, height: usize, frames: &[Pictures], stalls: Stalls) -> Option<Ran> {
    watched(design, height, frames, stalls, None)
}

/// The same, while somebody looks.
pub(super) fn watched(
    design: &Design,
    height: usize,
    frames: &[Pictures],
    stalls: Stalls,
    mut watcher: Option<Watcher<'_>>,
) -> Option<Ran> {
    let mut machine = Machine::new(design, height);
    let words: Vec<Vec<i128>> =
        frames.iter().flat_map(|pictures| words_of(pictures, design.frame.lanes)).collect();
    let mut stalling = match stalls {
        Stalls::None => None,
        Stalls::Random(seed) => Some(Random::new(seed)),
    };
    let mut ran = Ran { frames: Vec::new(), first: 0, clocks: Vec::new() };
    let mut results: Vec<Vec<i128>> = vec![Vec::new(); design.netlist.outputs.len()];
    let frame = design.frame;
    let limit = 8 * (frames.len() + 1) * (frame.clocks(height, design.sink) + 64);
    let (mut next, mut offered) = (0, false);
    // The register before the port: a word with its lanes, and whether it is the last of its frame.
    let mut port: Option<(Vec<i128>, bool)> = None;
    for clock in 1..=limit {
        let chance =
            |stalling: &mut Option<Random>| stalling.as_mut().is_none_or(|random| random.integer(0, 2) > 0);
        // A word stays offered until it is taken.
        offered = next < words.len() && (offered || chance(&mut stalling));
        let ready = chance(&mut stalling);
        let free = port.is_none() || ready;
        let before = watcher.as_ref().and_then(|_| port.clone());
        if ready && let Some((word, is_last)) = port.take() {
            ran.first = if ran.first == 0 { clock } else { ran.first };
            let outputs = results.len();
            word.iter().enumerate().for_each(|(at, pixel)| results[at % outputs].push(*pixel));
            if is_last {
                ran.frames.push(pixels_of(design, &mut results));
                ran.clocks.push(clock);
            }
        }
        let raster = machine.raster;
        let goes_on = free && machine.margins.is_there(raster, offered);
        let takes = machine.margins.takes(raster, goes_on);
        let word = words.get(next).filter(|_| offered).map(Vec::as_slice);
        if goes_on {
            port = machine.advance(word);
        }
        let is_used = goes_on && !raster.is_over && (raster.column + 1).is_multiple_of(frame.hold);
        machine.margins.clock(is_used, word.filter(|_| takes));
        if takes && offered {
            next += 1;
            offered = false;
        }
        if let Some(watcher) = watcher.as_mut() {
            watcher(&Sample { clock, offered: word, takes, results: before, ready, rings: &machine.rings });
        }
        if ran.frames.len() == frames.len() {
            return Some(ran);
        }
    }
    None
}

/// The pixels of all inputs, word by word: pixel by pixel, of each its inputs.
fn words_of(pictures: &Pictures, lanes: usize) -> Vec<Vec<i128>> {
    let count = pictures.first().map_or(0, Vec::len) / lanes;
    let word = |number: usize| {
        (0..lanes)
            .flat_map(|lane| pictures.iter().map(move |picture| picture[number * lanes + lane]))
            .collect()
    };
    (0..count).map(word).collect()
}

impl<'d> Machine<'d> {
    fn new(design: &'d Design, height: usize) -> Self {
        let (netlist, frame) = (&design.netlist, design.frame);
        let place = |reader, operand| Place::new(design, reader, operand);
        let places = |id| netlist.cell(id).operands.iter().map(|one| place(Some(id), one)).collect();
        let operands: Vec<Vec<Place>> = netlist.ids().map(places).collect();
        let outputs: Vec<Place> = netlist.outputs.iter().map(|(_, one)| place(None, one)).collect();
        let again =
            |id| if netlist.cell(id).operation.goes_along().is_none() { 1 } else { frame.row_words() + 1 };
        let mut words: Vec<usize> = netlist.ids().map(again).collect();
        let mut kept: Vec<usize> =
            netlist.ids().map(|id| row_words(design, id).map_or(0, |row| row + 1)).collect();
        for place in operands.iter().flatten().chain(&outputs) {
            let (cell, of) = match place {
                Place::Number(_) => continue,
                Place::Ring { cell, .. } => (cell, &mut words),
                Place::Kept { cell, .. } => (cell, &mut kept),
            };
            of[*cell] = of[*cell].max(place.words());
        }
        for id in netlist.ids() {
            words[id.index()] = words[id.index()].max(netlist.cell(id).latency as usize + 2);
        }
        Self {
            design,
            height,
            raster: Raster::default(),
            rings: words.into_iter().map(|words| Ring::new(words, frame.lanes)).collect(),
            lines: kept.into_iter().map(|words| (words > 0).then(|| Ring::new(words, frame.lanes))).collect(),
            until: netlist.ids().map(|id| Until::new(design, id)).collect(),
            operands,
            outputs,
            word: 0,
            margins: Margins::new(design, height),
            held: Vec::new(),
        }
    }

    /// A clock: what goes to the register before the port, and whether it is the last word of a frame.
    fn advance(&mut self, word: Option<&[i128]>) -> Option<(Vec<i128>, bool)> {
        let raster = self.raster;
        if raster.is_over {
            self.held.clear();
        } else if raster.column.is_multiple_of(self.design.frame.hold) {
            self.held = self.margins.word(raster, word);
        }
        let pixels = &self.held;
        let inputs = self.design.netlist.inputs.len();
        let mut of = Vec::new();
        for id in self.design.netlist.ids() {
            let cell = self.design.netlist.cell(id);
            for lane in 0..self.design.frame.lanes {
                let number = self.number(id, lane);
                let operands = &self.operands[id.index()];
                let result = match cell.operation {
                    Operation::Input(number) => pixels.get(lane * inputs + number).copied().unwrap_or(0),
                    Operation::Interleave { .. } => {
                        let phase = cell.operation.phase(self.place(id, lane));
                        operands[phase].read(&self.rings, &self.lines, lane)
                    }
                    Operation::Along { axis, period, .. } => {
                        let begins = self.place(id, lane)[axis].rem_euclid(period.into()) == 0;
                        let value = operands[0].read(&self.rings, &self.lines, lane);
                        stepped(&cell.operation, begins, self.before(id, axis, lane), value)
                    }
                    Operation::Until { .. } => {
                        let value = operands[0].read(&self.rings, &self.lines, lane);
                        let memories = self.until[id.index()].as_mut();
                        memories.map_or(0, |memories| memories.step(self.design, id, number, value))
                    }
                    Operation::Running { axis, .. } => {
                        let [new, left] =
                            [0, 1].map(|number| operands[number].read(&self.rings, &self.lines, lane));
                        self.running(id, (axis, lane), new, left)
                    }
                    _ => {
                        of.clear();
                        of.extend(operands.iter().map(|one| one.read(&self.rings, &self.lines, lane)));
                        value(&cell.operation, &of).unwrap_or(0)
                    }
                };
                // A register has as many bits as the range needs.
                let range = cell.range;
                self.rings[id.index()].put(lane, wrapped(result, range.bits(), range.is_signed()));
            }
        }
        let frame = self.design.frame;
        let results: Vec<i128> = (0..frame.lanes)
            .step_by(frame.every[0].min(frame.lanes))
            .flat_map(|lane| self.outputs.iter().map(move |of| (of, lane)))
            .map(|(of, lane)| of.read(&self.rings, &self.lines, lane))
            .collect();
        self.keep();
        let (is_result, is_last) = self.count();
        self.rings.iter_mut().for_each(Ring::step);
        is_result.then_some((results, is_last))
    }

    /// The column and row of the pixel that a lane of a cell computes.
    fn place(&self, id: CellId, lane: usize) -> [i64; 2] {
        self.design.frame.place(self.number(id, lane))
    }

    /// The number of that pixel in the raster.
    fn number(&self, id: CellId, lane: usize) -> i64 {
        (self.word * self.design.frame.lanes + lane) as i64 - self.design.computed(id)
    }

    /// What a cell computed for the pixel west of this one, or north of it.
    fn before(&self, id: CellId, axis: usize, lane: usize) -> i128 {
        let (frame, ring) = (self.design.frame, &self.rings[id.index()]);
        match (axis, lane.checked_sub(1)) {
            (0, Some(lane)) => ring.ago(0, lane),
            (0, None) => ring.ago(1, frame.lanes - 1),
            _ => match (row_words(self.design, id), &self.lines[id.index()]) {
                (Some(words), Some(line)) => line.ago(words, lane),
                _ => ring.ago(frame.row_words(), lane),
            },
        }
    }

    /// A running sum, from the one before and what comes in and leaves it.
    fn running(&self, id: CellId, (axis, lane): (usize, usize), new: i128, left: i128) -> i128 {
        let pixel = (self.word * self.design.frame.lanes + lane) as i64;
        let [begins, full] = self.design.running[&id];
        let before = if pixel < begins { 0 } else { self.before(id, axis, lane) };
        before + new - if pixel < full { 0 } else { left }
    }

    /// Keeps the words of this clock of which lines keep one in several.
    fn keep(&mut self) {
        for id in self.design.netlist.ids() {
            let Some(line) = &mut self.lines[id.index()] else { continue };
            if let Each::Kept { every, clock } = self.design.each(id, 0)
                && self.word as u64 % every == clock
            {
                let latency = self.design.netlist.cell(id).latency as usize;
                line.put(0, self.rings[id.index()].ago(latency, 0));
                line.step();
            }
        }
    }

    /// Counts a word: whether it has results, and whether these are the last of a frame.
    fn count(&mut self) -> (bool, bool) {
        let frame = self.design.frame;
        let (columns, lines) = (frame.row_words(), frame.rows(self.height));
        let results = frame.width / frame.lanes;
        let ([step, _], rows) = (frame.result_word(), frame.every[1]);
        self.word += 1;
        let raster = &mut self.raster;
        let waiting = raster.waited < frame.first_result(self.design.sink);
        let (row, column) = (raster.result / columns, raster.result % columns);
        let is_result =
            !waiting && !raster.results_over && column < results && column % step == 0 && row % rows == 0;
        let is_last = is_result && row + rows == self.height && column + step == results;
        let word_is_last = raster.row + 1 == lines && raster.column + 1 == columns;
        raster.is_over |= word_is_last;
        raster.results_over |= is_last;
        if raster.is_over && raster.results_over {
            *raster = Raster::default();
            self.word = 0;
            return (is_result, is_last);
        }
        raster.waited += usize::from(waiting);
        raster.result += usize::from(!waiting);
        raster.column += 1;
        if raster.column == columns {
            raster.column = 0;
            raster.row += 1;
        }
        (is_result, is_last)
    }
}
