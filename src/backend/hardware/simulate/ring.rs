//! What the simulation keeps of cells: rings of words, and where in them operands are.

use crate::backend::hardware::machine::{CellId, Design, Each, Operand};

/// The words of a cell of the last clocks.
pub(super) struct Ring {
    values: Vec<i128>,
    lanes: usize,
    words: usize,
    now: usize,
}

impl Ring {
    /// A ring of zeros.
    pub(super) fn new(words: usize, lanes: usize) -> Self {
        Self { values: vec![0; words * lanes], lanes, words, now: 0 }
    }

    /// A lane of the word that was put `clocks` ago, which is less than the words of the ring.
    pub(super) fn ago(&self, clocks: usize, lane: usize) -> i128 {
        let word = if clocks <= self.now { self.now - clocks } else { self.now + self.words - clocks };
        self.values[word * self.lanes + lane]
    }

    /// Sets a lane of the present word.
    pub(super) fn put(&mut self, lane: usize, value: i128) {
        self.values[self.now * self.lanes + lane] = value;
    }

    /// Goes on to the next clock.
    pub(super) fn step(&mut self) {
        self.now = if self.now + 1 == self.words { 0 } else { self.now + 1 };
    }
}

/// The words of the line of a cell that keeps some of its words, back to the one that is read `clocks` later; `None` if there
/// is no such line, or it is read at once.
pub(super) fn kept_words(design: &Design, cell: CellId, clocks: u64) -> Option<usize> {
    let each = design.each(cell, 0);
    (clocks > 0 && matches!(each, Each::Kept { .. })).then(|| each.words(clocks) as usize)
}

/// Where an operand is.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Nowhere: it is a number.
    Number(i128),
    /// In the line of a cell that keeps some of its words: `words` of them ago.
    Kept { cell: usize, words: usize },
    /// In the ring of a cell: `clocks` after the cell computed it, before its registers, and `rest` lanes back in that word.
    Ring { cell: usize, clocks: usize, rest: usize },
}

impl Place {
    /// Where a cell, or the results for `None`, reads an operand.
    pub(super) fn new(design: &Design, reader: Option<CellId>, operand: &Operand) -> Self {
        match operand {
            Operand::Number(number) => Self::Number(*number),
            Operand::Tap(cell, at) => {
                let (clocks, rest) = design.words(design.held(reader, *cell, *at));
                if let Some(words) = kept_words(design, *cell, clocks) {
                    return Self::Kept { cell: cell.index(), words };
                }
                let clocks = clocks as usize + design.netlist.cell(*cell).latency as usize;
                Self::Ring { cell: cell.index(), clocks, rest }
            }
        }
    }

    /// The words that the ring must have.
    pub(super) fn words(self) -> usize {
        match self {
            Self::Number(_) => 0,
            Self::Kept { words, .. } => words + 1,
            Self::Ring { clocks, rest, .. } => clocks + 1 + usize::from(rest > 0),
        }
    }

    /// What a lane reads of the rings of cells and of the lines that keep some of their words.
    pub(super) fn read(self, rings: &[Ring], lines: &[Option<Ring>], lane: usize) -> i128 {
        match self {
            Self::Number(number) => number,
            Self::Kept { cell, words } => lines[cell].as_ref().map_or(0, |line| line.ago(words, lane)),
            Self::Ring { cell, clocks, rest } if lane >= rest => rings[cell].ago(clocks, lane - rest),
            Self::Ring { cell, clocks, rest } => {
                let ring = &rings[cell];
                ring.ago(clocks + 1, lane + ring.lanes - rest)
            }
        }
    }
}
