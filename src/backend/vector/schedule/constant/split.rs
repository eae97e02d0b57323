//! A filter with known coefficients as a sum of lines: columns, rows of these, and taps.
//!
//! A column is a sum over the vertically adjacent rows of one input channel. An output is a sum of rows of columns. The
//! remaining taps are multiplied directly. Outputs that need the same column share it.

use std::collections::BTreeSet;

use super::technique::Technique;

/// A column: sums over the rows of an input channel, as wide as the image.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Column {
    /// The input channel.
    pub channel: usize,
    /// The coefficients, from the filter's first row to its last.
    pub coefficients: Vec<i64>,
}

/// A part of an output: a row of a column.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// The index of the column in [`Split::columns`].
    pub column: usize,
    /// The coefficients, from the filter's first column to its last.
    pub coefficients: Vec<i64>,
}

/// Taps of a channel that are multiplied directly.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rest {
    /// The input channel.
    pub channel: usize,
    /// The coefficients in rows, including zeros.
    pub rows: Vec<Vec<i64>>,
}

/// An output: the sum of its pieces and the remaining taps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Output {
    /// Rows of columns.
    pub pieces: Vec<Piece>,
    /// Single taps.
    pub rest: Vec<Rest>,
}

/// A filter as columns, rows of these, and taps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Split {
    /// The distinct columns.
    pub columns: Vec<Column>,
    /// The outputs.
    pub outputs: Vec<Output>,
}

impl Split {
    /// A short description.
    pub fn describe(&self) -> String {
        if self.columns.is_empty() {
            return "direct, zeros left out".to_owned();
        }
        let kernels = self.outputs.len();
        let pieces: usize = self.outputs.iter().map(|output| output.pieces.len()).sum();
        let rest = self.has_rest();
        let mut text = match pieces {
            1 => "separable".to_owned(),
            _ if pieces == kernels => "separable outputs".to_owned(),
            _ => format!("sums of {pieces} separable kernels"),
        };
        if self.columns.len() < pieces {
            text.push_str(&format!(" of {} shared columns", self.columns.len()));
        }
        if rest {
            text.push_str(" and single taps");
        }
        text
    }

    /// A list of its parts: each column with its coefficients from north to south, and each output with its rows from west to east.
    pub fn parts(&self) -> Vec<String> {
        let line = |coefficients: &[i64]| {
            let shown: Vec<String> = coefficients.iter().map(i64::to_string).collect();
            shown.join(" ")
        };
        let inputs = self.columns.iter().map(|column| column.channel);
        let rests = self.outputs.iter().flat_map(|output| &output.rest).map(|rest| rest.channel);
        let several = inputs.chain(rests).any(|channel| channel > 0);
        let input =
            |channel: usize| if several { format!(" of input {}", channel + 1) } else { String::new() };
        let column = |(at, column): (usize, &Column)| {
            format!("column {}{}: {}", at + 1, input(column.channel), line(&column.coefficients))
        };
        let output = |(at, output): (usize, &Output)| {
            let pieces = output
                .pieces
                .iter()
                .map(|piece| format!("row {} of column {}", line(&piece.coefficients), piece.column + 1));
            let rests = output.rest.iter().map(|rest| {
                let rows: Vec<String> = rest.rows.iter().map(|row| line(row)).collect();
                format!("taps ({}){}", rows.join(" / "), input(rest.channel))
            });
            let number = if self.outputs.len() > 1 { format!(" {}", at + 1) } else { String::new() };
            format!("output{number}: {}", pieces.chain(rests).collect::<Vec<_>>().join(" + "))
        };
        let columns = self.columns.iter().enumerate().map(column);
        columns.chain(self.outputs.iter().enumerate().map(output)).collect()
    }

    /// All coefficients of its multiplications.
    pub fn coefficients(&self) -> Vec<i64> {
        let columns = self.columns.iter().flat_map(|column| &column.coefficients);
        let pieces =
            self.outputs.iter().flat_map(|output| &output.pieces).flat_map(|piece| &piece.coefficients);
        let rest =
            self.outputs.iter().flat_map(|output| &output.rest).flat_map(|rest| rest.rows.iter().flatten());
        columns.chain(pieces).chain(rest).copied().collect()
    }

    /// The greatest possible magnitude of a sum, of a column or of an output, for inputs in a range.
    pub fn reach(&self, range: [i64; 2]) -> i128 {
        let input = i128::from(range[0]).abs().max(i128::from(range[1]).abs());
        let weight = |line: &[i64]| line.iter().map(|value| i128::from(*value).abs()).sum::<i128>();
        let columns: Vec<i128> =
            self.columns.iter().map(|column| weight(&column.coefficients) * input).collect();
        let output = |output: &Output| {
            let pieces =
                output.pieces.iter().map(|piece| weight(&piece.coefficients) * columns[piece.column]);
            let rest = output.rest.iter().flat_map(|rest| &rest.rows).map(|row| weight(row) * input);
            pieces.chain(rest).sum::<i128>()
        };
        columns.iter().copied().chain(self.outputs.iter().map(output)).max().unwrap_or(0)
    }

    /// Whether there are taps that no column covers.
    pub fn has_rest(&self) -> bool {
        self.outputs.iter().any(|output| !output.rest.is_empty())
    }

    /// The techniques that it relies on.
    pub fn techniques(&self) -> Vec<Technique> {
        let mut found = Vec::new();
        let pieces: usize = self.outputs.iter().map(|output| output.pieces.len()).sum();
        let several = |output: &Output| {
            let channels = output.pieces.iter().map(|piece| self.columns[piece.column].channel);
            let channels: Vec<usize> = channels.chain(output.rest.iter().map(|rest| rest.channel)).collect();
            !output.pieces.is_empty() && BTreeSet::from_iter(&channels).len() < channels.len()
        };
        if pieces > 0 {
            found.push(Technique::Separable);
        }
        if self.outputs.iter().any(several) {
            found.push(Technique::LowRank);
        }
        if self.columns.len() < pieces {
            found.push(Technique::Shared);
        }
        found
    }

    /// The number of multiplications per output element.
    pub(super) fn taps(&self) -> usize {
        let count = |line: &[i64]| line.iter().filter(|c| **c != 0).count();
        let columns: usize = self.columns.iter().map(|column| count(&column.coefficients)).sum();
        let of = |output: &Output| {
            let pieces: usize = output.pieces.iter().map(|piece| count(&piece.coefficients)).sum();
            let rest: usize = output.rest.iter().flat_map(|rest| &rest.rows).map(|row| count(row)).sum();
            pieces + rest
        };
        columns + self.outputs.iter().map(of).sum::<usize>()
    }

    /// Adds a column, once if columns are `shared`. Returns the row of it.
    pub(super) fn push(
        &mut self,
        channel: usize,
        column: Vec<i64>,
        coefficients: Vec<i64>,
        shared: bool,
    ) -> Piece {
        let column = Column { channel, coefficients: column };
        let known = if shared { self.columns.iter().position(|c| *c == column) } else { None };
        let column = known.unwrap_or_else(|| {
            self.columns.push(column);
            self.columns.len() - 1
        });
        Piece { column, coefficients }
    }
}
