//! Filters.

use std::str::FromStr;

use super::error::Error;
use crate::algebra::Rational;
use crate::syntax::Source;
use crate::term::{FilterSource, read_filter};

/// A filter: for each output, a convolution kernel over every input.
#[derive(Clone, Debug)]
pub struct Filter {
    pub(super) source: Source,
    pub(super) content: FilterSource,
}

impl Filter {
    /// Reads a kernel file. The name of the source appears in messages and reports.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn read(source: Source) -> Result<Self, Error> {
        match read_filter(&source) {
            Ok(content) => Ok(Self { source, content }),
            Err(wrong) => Err(Error::at(&source, &wrong)),
        }
    }

    /// Creates a filter with one input, `image`, one output, `out`, and this kernel. Rows go from north to south,
    /// coefficients from west to east. The middle of the matrix is the pixel itself.
    ///
    /// # Errors
    /// Rows of different lengths, an even number of rows or columns, or a name with spaces or parentheses.
    pub fn from_rows<Row>(name: &str, rows: impl IntoIterator<Item = Row>) -> Result<Self, Error>
    where
        Row: IntoIterator<Item: Into<Rational>>,
    {
        let row = |row: Row| {
            let entries = row.into_iter().map(|entry| format!(" {}", entry.into()));
            format!(" ({})", entries.collect::<String>().trim_start())
        };
        let rows: String = rows.into_iter().map(row).collect();
        Self::read(Source::new(name, format!("(filter {name} (inputs image) (output out (kernel{rows})))")))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.content.name
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> &[String] {
        &self.content.inputs
    }

    /// The names of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.content.outputs.iter().map(|output| output.name.as_str())
    }
}

impl FromStr for Filter {
    type Err = Error;

    /// Reads a kernel file as [`Filter::read`] does. Messages call the text `filter`.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::read(Source::new("filter", text))
    }
}
