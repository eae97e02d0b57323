//! Filters.

use std::fmt::Display;
use std::str::FromStr;

use super::error::Error;
use crate::algebra::Rational;
use crate::syntax::{Source, is_name, read};
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
    /// A name that is not one word, or looks like a number; no rows, rows of different lengths, an even number of rows or columns, or
    /// more coefficients than kernel files may have; a coefficient that is no [`Rational`], as `i64::MIN` is none.
    pub fn from_rows<Row>(name: &str, rows: impl IntoIterator<Item = Row>) -> Result<Self, Error>
    where
        Row: IntoIterator<Item: TryInto<Rational, Error: Display>>,
    {
        let word = read(&Source::new(name, name)).unwrap_or_default();
        if !matches!(&word[..], [word] if word.as_atom() == Some(name)) || !is_name(name) {
            let what = "the name of a filter is one word that does not begin as numbers do";
            return Err(Error::usage(format!("`{name}` names no filter: {what}")));
        }
        let mut text = format!("(filter {name} (inputs image) (output out (kernel");
        for row in rows {
            text.push_str(" (");
            for entry in row {
                let entry = entry.try_into().map_err(|why| Error::usage(format!("`{name}`: {why}")))?;
                text.push_str(&format!("{entry} "));
            }
            text.push(')');
        }
        Self::read(Source::new(name, text + ")))"))
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
