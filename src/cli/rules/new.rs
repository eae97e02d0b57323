//! `kalg rules new`: prints a template for a rule file.

use std::path::PathBuf;

use clap::Args;

use crate::cli::outcome::{CommandError, Outcome};
use crate::cli::output::{Output, write_new};
use crate::compiler::rule_file;

/// `kalg rules new`.
#[derive(Debug, Args)]
pub(in crate::cli) struct New {
    /// The rule's name: lower case with hyphens, at most 64 characters
    name: String,
    /// Write it to this file, which must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl New {
    /// Prints the template, or writes it to a file.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let text = rule_file(&self.name).map_err(|error| CommandError::Usage(error.to_string()))?;
        match &self.output {
            Some(path) => write_new(path, text.as_bytes())?,
            None => Output::new(None).put(&text)?,
        }
        Ok(Outcome::Done)
    }
}
