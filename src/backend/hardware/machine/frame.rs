//! Frames: pictures within their margins, as a stream of words of some pixels each.

use super::netlist::{common_divisor, common_multiple};
use crate::pipeline::Border;

/// How the margins of a picture come about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Margin {
    /// They are sent with the picture.
    Sent,
    /// The nearest pixel of the picture.
    Replicated,
    /// A number.
    Constant(i64),
    /// The picture, mirrored at its edge.
    Mirrored {
        /// Whether the outermost pixel is there twice.
        twice: bool,
    },
}

/// A picture within its margins. Columns are those of the raster, of which each pixel has as many as it takes clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The columns of the picture.
    pub width: usize,
    /// The columns west and east of it.
    pub sides: [usize; 2],
    /// The rows north and south of it.
    pub ends: [usize; 2],
    /// The pixels of a word.
    pub lanes: usize,
    /// The columns of a pixel, and the clocks that it is held: one, unless units are shared in time.
    pub hold: usize,
    /// How margins come about.
    pub margin: Margin,
    /// The columns and rows from one result to the next.
    pub every: [usize; 2],
    /// The columns and rows after which operations are the same again. Margins and rows are whole periods.
    pub period: [usize; 2],
}

/// How many pixels a word has, and how many clocks each takes. One of both is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Throughput {
    /// The pixels of a word.
    pub lanes: usize,
    /// The clocks from one word to the next.
    pub clocks: usize,
}

impl Throughput {
    /// A pixel in each clock.
    pub const ONE: Self = Self { lanes: 1, clocks: 1 };
}

/// What of a raster depends on a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The least and the greatest offset that is read, east and north.
    pub window: [[i32; 2]; 2],
    /// The columns and rows from one result to the next.
    pub every: [usize; 2],
    /// The columns and rows after which operations are the same again.
    pub period: [usize; 2],
}

impl Reach {
    /// The pixel itself.
    pub const ITSELF: Self = Self { window: [[0, 0], [0, 0]], every: [1, 1], period: [1, 1] };
}

/// The longest period of columns or rows.
const MAX_PERIOD: usize = 1 << 12;

impl Frame {
    /// The frame of pictures of this width, in pixels, for what a pipeline reads. A word has several pixels, or a pixel several clocks.
    ///
    /// # Errors
    /// What does not go together.
    pub fn new(reach: Reach, width: usize, throughput: Throughput, margin: Margin) -> Result<Self, String> {
        let Reach { window: [[west, east], [south, north]], every, period } = reach;
        let Throughput { lanes, clocks } = throughput;
        let least = ((east - west) as usize + 1).div_ceil(clocks);
        if let Some(period) = period.iter().find(|period| **period > MAX_PERIOD) {
            let shown =
                if *period == usize::MAX { format!("more than {}", usize::MAX) } else { period.to_string() };
            return Err(format!(
                "the pipeline changes its rate in a period of {shown} pixels; at most {MAX_PERIOD} are possible"
            ));
        }
        if width < least {
            return Err(format!("--width {width} is less than the {least} columns of the pipeline's window"));
        }
        if !width.is_multiple_of(lanes) {
            return Err(format!("--pixels-per-clock {lanes} does not divide --width {width}"));
        }
        if !(width * clocks).is_multiple_of(every[0]) {
            return Err(format!(
                "--width {width} is not a multiple of the {} columns from one result to the next",
                every[0] / clocks
            ));
        }
        if !lanes.is_multiple_of(every[0]) && !every[0].is_multiple_of(lanes) {
            return Err(format!(
                "--pixels-per-clock {lanes} and the {} columns from one result to the next do not divide one another",
                every[0]
            ));
        }
        let width = width * clocks;
        let [mut left, mut right] = [-west, east].map(|side| side as usize);
        let whole = common_multiple(lanes, period[0]);
        left = left.next_multiple_of(if margin == Margin::Sent { period[0] } else { whole });
        // A margin that is made is whole words.
        right = if margin == Margin::Sent { right } else { right.next_multiple_of(lanes) };
        right += (left + width + right).next_multiple_of(whole) - (left + width + right);
        let ends = [(north as usize).next_multiple_of(period[1]), (-south) as usize];
        let margin = match margin {
            Margin::Mirrored { .. } if [left, right, ends[0], ends[1]] == [0; 4] => Margin::Sent,
            _ => margin,
        };
        let frame = Self { width, sides: [left, right], ends, lanes, hold: clocks, margin, every, period };
        let again = frame.read_again(frame.side_pixels()).into_iter().max().unwrap_or(0);
        if frame.mirror().is_some() && again >= frame.pixels() {
            return Err(format!(
                "--width {} has too few columns to mirror {again} beside the outermost: use wider pictures or --halo",
                frame.pixels()
            ));
        }
        Ok(frame)
    }

    /// The border that margins are, if they mirror the picture.
    pub fn mirror(&self) -> Option<Border> {
        match self.margin {
            Margin::Mirrored { twice } => Some(if twice { Border::Reflect } else { Border::Reflect101 }),
            _ => None,
        }
    }

    /// The rows or columns beside the outermost that mirrored margins of these sizes read again.
    fn read_again(&self, sizes: [usize; 2]) -> [usize; 2] {
        sizes.map(|size| size.saturating_sub(usize::from(self.mirror() == Some(Border::Reflect))))
    }

    /// The rows that mirrored margins keep: those that are read again after the last, as many as are read before the first of the next
    /// frame, those two rows themselves. So a frame can follow another at once.
    pub fn mirrored_rows(&self) -> usize {
        self.read_again(self.ends).iter().sum::<usize>() + 2
    }

    /// The fewest rows of a picture with these margins.
    pub fn least_rows(&self) -> usize {
        if self.mirror().is_none() {
            return 1;
        }
        self.read_again(self.ends).into_iter().max().unwrap_or(0) + 1
    }

    /// The pixels of a row of the picture.
    pub fn pixels(&self) -> usize {
        self.width / self.hold
    }

    /// The pixels of a row with its margins.
    pub fn padded_pixels(&self) -> usize {
        self.row() / self.hold
    }

    /// The pixels west and east of the picture.
    pub fn side_pixels(&self) -> [usize; 2] {
        self.sides.map(|side| side / self.hold)
    }

    /// The words of input from one word of results to the next, and the pixels of a word of results.
    pub fn result_word(&self) -> [usize; 2] {
        [(self.every[0] / self.lanes).max(1), (self.lanes / self.every[0]).max(1)]
    }

    /// The column and row of a pixel of the raster.
    pub fn place(&self, number: i64) -> [i64; 2] {
        let row = self.row() as i64;
        [number.rem_euclid(row), number.div_euclid(row)]
    }

    /// The words after which columns of a word are the same in their period again.
    pub fn period_words(&self) -> usize {
        self.period[0] / common_divisor(self.period[0], self.lanes)
    }

    /// The columns of a row with its margins.
    pub fn row(&self) -> usize {
        self.sides[0] + self.width + self.sides[1]
    }

    /// The words of a row with its margins.
    pub fn row_words(&self) -> usize {
        self.row() / self.lanes
    }

    /// The rows of a picture with its margins, if `height` are its own.
    pub fn rows(&self, height: usize) -> usize {
        height + self.ends[0] + self.ends[1]
    }

    /// The words of a picture of `height` rows with its margins.
    pub fn words(&self, height: usize) -> usize {
        self.rows(height) * self.row_words()
    }

    /// The pixels that come in from the one x columns east and y rows north of a pixel until that pixel itself.
    pub fn delay(&self, [x, y]: [i32; 2]) -> i64 {
        i64::from(y) * self.row() as i64 - i64::from(x)
    }

    /// The clocks of a frame of `height` rows without stalls, if its results are `sink` pixels behind: until its last result is
    /// taken over, and its last word.
    pub fn clocks(&self, height: usize, sink: i64) -> usize {
        let [words, _] = self.result_word();
        let last_row = (height - self.every[1]) * self.row_words();
        let last = self.first_result(sink) + last_row + self.width / self.lanes + 1 - words;
        self.words(height).max(last)
    }

    /// The number of words before the one with which the first results go to the register before the port, where they are `sink`
    /// pixels behind. Whole by [`Self::in_step`].
    pub fn first_result(&self, sink: i64) -> usize {
        (sink as usize + self.ends[0] * self.row() + self.sides[0]) / self.lanes - 1
    }

    /// The clocks without stalls from the first word of a frame to the first of its results at the port, if none was before it. Rows that
    /// are read first may come late, are written, and are read from memory.
    pub fn latency(&self, sink: i64) -> usize {
        let before = match self.mirror() {
            Some(_) => {
                let [first, _] = self.read_again(self.ends);
                let [left, _] = self.read_again(self.side_pixels());
                first * (self.pixels() / self.lanes) + left / self.lanes + 2
            }
            None => 0,
        };
        before + self.first_result(sink) + 1
    }

    /// The least delay from `sink` on that puts the first pixel of a row of results first in a word.
    pub fn in_step(&self, sink: i64) -> i64 {
        let lanes = self.lanes as i64;
        let left = self.sides[0] as i64;
        (sink + left + lanes - 1).div_euclid(lanes) * lanes - left
    }
}
