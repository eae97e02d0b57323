//! Frames: pictures within their margins, as a stream of words of some pixels each.

/// How the margins of a picture come about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Margin {
    /// They are sent with the picture.
    Sent,
    /// The nearest pixel of the picture.
    Replicated,
    /// A number.
    Constant(i64),
}

/// A picture within its margins. Columns and margins are in pixels.
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
    /// How margins come about.
    pub margin: Margin,
}

impl Frame {
    /// The frame of pictures of this width for a window: the least and the greatest offset, east and north.
    ///
    /// # Errors
    /// What does not go together.
    pub fn new(
        [[west, east], [south, north]]: [[i32; 2]; 2],
        width: usize,
        lanes: usize,
        margin: Margin,
    ) -> Result<Self, String> {
        let least = (east - west) as usize + 1;
        if width < least {
            return Err(format!("--width {width} is less than the {least} columns of the pipeline's window"));
        }
        if !width.is_multiple_of(lanes) {
            return Err(format!("--pixels-per-clock {lanes} does not divide --width {width}"));
        }
        let [mut left, mut right] = [-west, east].map(|side| side as usize);
        if margin == Margin::Sent {
            right += (left + width + right).next_multiple_of(lanes) - (left + width + right);
        } else {
            left = left.next_multiple_of(lanes);
            right = right.next_multiple_of(lanes);
        }
        let ends = [north as usize, (-south) as usize];
        Ok(Self { width, sides: [left, right], ends, lanes, margin })
    }

    /// The pixels of a row with its margins.
    pub fn row(&self) -> usize {
        self.sides[0] + self.width + self.sides[1]
    }

    /// The words of a row with its margins.
    pub fn row_words(&self) -> usize {
        self.row() / self.lanes
    }

    /// The rows of a picture of so many rows with its margins.
    pub fn rows(&self, height: usize) -> usize {
        height + self.ends[0] + self.ends[1]
    }

    /// The words of a picture of so many rows with its margins.
    pub fn words(&self, height: usize) -> usize {
        self.rows(height) * self.row_words()
    }

    /// The pixels from a pixel in the raster to the one so many columns east and rows north of it, backwards.
    pub fn delay(&self, [x, y]: [i32; 2]) -> i64 {
        i64::from(y) * self.row() as i64 - i64::from(x)
    }

    /// The clocks of a frame of so many rows without stalls, if its results are `sink` pixels behind: until its last result is
    /// taken over, and its last word.
    pub fn clocks(&self, height: usize, sink: i64) -> usize {
        let last = self.first_result(sink) + (height - 1) * self.row_words() + self.width / self.lanes;
        self.words(height).max(last)
    }

    /// The number of words before the one with which the first results go to the register before the port, where they are `sink`
    /// pixels behind. Whole by [`Self::in_step`].
    pub fn first_result(&self, sink: i64) -> usize {
        (sink as usize + self.ends[0] * self.row() + self.sides[0]) / self.lanes - 1
    }

    /// The least delay from `sink` on that puts the first pixel of a row of results first in a word.
    pub fn in_step(&self, sink: i64) -> i64 {
        let lanes = self.lanes as i64;
        let left = self.sides[0] as i64;
        (sink + left + lanes - 1).div_euclid(lanes) * lanes - left
    }
}
