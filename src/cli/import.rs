//! `kalg import`: kernels of other formats as kernel files.

use std::path::PathBuf;

use clap::Args;

use super::complain::color;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::write_result;
use crate::compiler::{filter_name, import_kernels};

/// The text below the options in the help.
pub(super) const NOTES: &str = "\
The middle of a matrix is the pixel itself; of an even number of rows or columns it is the second of the two. Zeros are not read.
Decimals of at most eight places are exact. A longer one must be a small fraction in double precision, as 0.1111111111111111 is 1/9;
others are refused.
Exit codes: 0 done, 2 a file or an option cannot be used.";

/// `kalg import`.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// One file: a configuration of Cain (JSON), or a matrix of numbers as text, CSV, or in brackets as JSON and NumPy print it; `-` reads standard input. Run the command once for each file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The name of the filter [default: that of the file]
    #[arg(long, value_name = "NAME", value_parser = filter_name)]
    name: Option<String>,
    /// Write the kernel file to this file, all or nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Import {
    /// Prints a kernel file.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let source = files::source(&self.file)?;
        match import_kernels(&source, self.name.as_deref()) {
            Ok(text) => {
                write_result(self.output, &text)?;
                Ok(Outcome::Done)
            }
            Err(error) => {
                eprint!("{}", error.render(color()));
                Ok(Outcome::BadInput)
            }
        }
    }
}
