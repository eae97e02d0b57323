//! The margins of pictures, clock by clock: when a word of the port is there and taken, and the words of frames with their margins.

use crate::backend::hardware::machine::{Design, Frame, Margin, wrapped};
use crate::pipeline::Border;

/// The state of the frame counters.
#[derive(Clone, Copy, Default)]
pub(super) struct Raster {
    pub(super) column: usize,
    pub(super) row: usize,
    pub(super) is_over: bool,
    pub(super) waited: usize,
    pub(super) result: usize,
    pub(super) results_over: bool,
}

/// What makes margins.
pub(super) enum Margins<'d> {
    /// Words are taken in step with the frame.
    InStep(InStep<'d>),
    /// Words are taken ahead of the frame.
    Ahead(Ahead),
}

impl<'d> Margins<'d> {
    pub(super) fn new(design: &'d Design, height: usize) -> Self {
        match Ahead::new(design, height) {
            Some(ahead) => Self::Ahead(ahead),
            None => Self::InStep(InStep::new(design, height)),
        }
    }

    /// Whether the word for a place of the frame is there, if a word is offered or not.
    pub(super) fn is_there(&self, raster: Raster, offered: bool) -> bool {
        match self {
            Self::InStep(margins) => offered || !margins.asks(raster).0,
            Self::Ahead(margins) => raster.is_over || margins.there.is_some(),
        }
    }

    /// Whether an offered word is taken, if the frame goes on from this place or not.
    pub(super) fn takes(&self, raster: Raster, goes_on: bool) -> bool {
        match self {
            Self::InStep(margins) => goes_on && margins.asks(raster).1,
            Self::Ahead(margins) => margins.has_room(),
        }
    }

    /// The word at a place of the frame.
    pub(super) fn word(&mut self, raster: Raster, offered: Option<&[i128]>) -> Vec<i128> {
        match self {
            Self::InStep(margins) => margins.word(raster, offered),
            Self::Ahead(margins) => margins.there.clone().unwrap_or_default(),
        }
    }

    /// The end of a clock, in which the word at the place was used up or not, and a word was taken or not.
    pub(super) fn clock(&mut self, is_used: bool, taken: Option<&[i128]>) {
        if let Self::Ahead(margins) = self {
            margins.clock(is_used, taken);
        }
    }
}

/// Margins that are sent, constant, or the nearest pixel.
pub(super) struct InStep<'d> {
    design: &'d Design,
    height: usize,
    /// The last row that was taken, and the last word.
    kept: Vec<Vec<i128>>,
    last: Vec<i128>,
}

impl<'d> InStep<'d> {
    fn new(design: &'d Design, height: usize) -> Self {
        let words = design.frame.pixels() / design.frame.lanes;
        Self { design, height, kept: vec![Vec::new(); words], last: Vec::new() }
    }

    /// Whether a place is within the columns of the picture.
    fn is_inside(&self, raster: Raster) -> bool {
        let frame = self.design.frame;
        let left = frame.sides[0] / frame.lanes;
        (left..left + frame.width / frame.lanes).contains(&raster.column)
    }

    /// Whether the row comes from the port.
    fn is_fresh(&self, raster: Raster) -> bool {
        let (row, top) = (raster.row, self.design.frame.ends[0]);
        match self.design.frame.margin {
            Margin::Constant(_) => (top..top + self.height).contains(&row),
            Margin::Replicated => row == 0 || row > top && row < top + self.height,
            Margin::Sent | Margin::Mirrored { .. } => true,
        }
    }

    /// Whether a word must be there, and whether it is used up.
    fn asks(&self, raster: Raster) -> (bool, bool) {
        let frame = self.design.frame;
        let (before, inside) = (raster.column < frame.sides[0] / frame.lanes, self.is_inside(raster));
        let (want, take) = match frame.margin {
            Margin::Sent | Margin::Mirrored { .. } => (true, true),
            Margin::Constant(_) => (inside, inside),
            Margin::Replicated => (before || inside, inside),
        };
        let here = !raster.is_over && raster.column.is_multiple_of(frame.hold) && self.is_fresh(raster);
        (want && here, take && here)
    }

    fn word(&mut self, raster: Raster, offered: Option<&[i128]>) -> Vec<i128> {
        let frame = self.design.frame;
        let inputs = self.design.netlist.inputs.len();
        let take = self.asks(raster).1;
        let word = offered.map_or_else(|| vec![0; inputs * frame.lanes], <[i128]>::to_vec);
        match frame.margin {
            Margin::Constant(value) if !take => {
                let ports = self.design.netlist.inputs.iter();
                let one: Vec<i128> =
                    ports.map(|port| wrapped(value.into(), port.bits, port.signed)).collect();
                one.repeat(frame.lanes)
            }
            Margin::Sent | Margin::Constant(_) | Margin::Mirrored { .. } => word,
            Margin::Replicated => {
                let left = frame.sides[0] / frame.lanes;
                let place = (raster.column.saturating_sub(left) / frame.hold).min(self.kept.len() - 1);
                let here = if self.is_fresh(raster) { word } else { self.kept[place].clone() };
                if take {
                    self.kept[place].clone_from(&here);
                }
                if raster.column < left {
                    return if here.is_empty() { here } else { here[..inputs].repeat(frame.lanes) };
                }
                if self.is_inside(raster) {
                    self.last.clone_from(&here);
                    return here;
                }
                self.last[inputs * (frame.lanes - 1)..].repeat(frame.lanes)
            }
        }
    }
}

/// Margins that mirror the picture. Rows are kept in a ring, into which words are taken as long as there is room, and from which the
/// word after that of the frame is read.
pub(super) struct Ahead {
    frame: Frame,
    border: Border,
    height: usize,
    inputs: usize,
    /// The words of the rows that are kept, and how many rows these are.
    ring: Vec<Vec<i128>>,
    slots: usize,
    /// The words that were taken, and those that were read.
    taken: usize,
    read: usize,
    /// The word that was read.
    there: Option<Vec<i128>>,
}

impl Ahead {
    fn new(design: &Design, height: usize) -> Option<Self> {
        let frame = design.frame;
        let (border, slots) = (frame.mirror()?, frame.mirrored_rows());
        let ring = vec![Vec::new(); slots * frame.pixels() / frame.lanes];
        let inputs = design.netlist.inputs.len();
        Some(Self { frame, border, height, inputs, ring, slots, taken: 0, read: 0, there: None })
    }

    /// The words of a row of the picture.
    fn words(&self) -> usize {
        self.frame.pixels() / self.frame.lanes
    }

    /// The row of the picture that is in a row of the frame.
    fn picture_row(&self, row: usize) -> usize {
        let at = row as i64 - self.frame.ends[0] as i64;
        self.border.place(at, self.height as i64).unwrap_or(0) as usize
    }

    /// The place of the next word that is read: the frames before it, and its row and column.
    fn place(&self) -> [usize; 3] {
        let columns = self.frame.padded_pixels() / self.frame.lanes;
        let rows = self.frame.rows(self.height);
        [self.read / columns / rows, self.read / columns % rows, self.read % columns]
    }

    /// The columns of the pixels of that word.
    fn columns(&self) -> impl Iterator<Item = usize> {
        let Frame { lanes, .. } = self.frame;
        let first = (self.place()[2] * lanes) as i64 - self.frame.side_pixels()[0] as i64;
        let (border, width) = (self.border, self.frame.pixels() as i64);
        (0..lanes as i64).map(move |lane| border.place(first + lane, width).unwrap_or(0) as usize)
    }

    /// Whether all its pixels were taken.
    fn is_taken(&self) -> bool {
        let [frames, row, _] = self.place();
        let row = frames * self.height + self.picture_row(row);
        self.columns().all(|column| row * self.words() + column / self.frame.lanes < self.taken)
    }

    /// Whether the next word may be written over what is in the ring.
    fn has_room(&self) -> bool {
        let [frames, row, _] = self.place();
        let rows = (row..self.frame.rows(self.height)).map(|row| self.picture_row(row));
        let oldest = frames * self.height + rows.min().unwrap_or(0);
        self.taken / self.words() < oldest + self.slots
    }

    fn clock(&mut self, is_used: bool, taken: Option<&[i128]>) {
        if is_used || self.there.is_none() {
            let is_taken = self.is_taken();
            self.there = is_taken.then(|| self.next());
            self.read += usize::from(is_taken);
        }
        if let Some(word) = taken {
            let place = self.taken % self.ring.len();
            self.ring[place] = word.to_vec();
            self.taken += 1;
        }
    }

    /// The word that is read next.
    fn next(&self) -> Vec<i128> {
        let ([frames, row, _], lanes) = (self.place(), self.frame.lanes);
        let row = (frames * self.height + self.picture_row(row)) % self.slots;
        let pixel = |column: usize| {
            let word = &self.ring[row * self.words() + column / lanes];
            word[column % lanes * self.inputs..][..self.inputs].iter().copied()
        };
        self.columns().flat_map(pixel).collect()
    }
}
