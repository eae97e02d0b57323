//! Where results go: standard output as they come, or one file at the end.

use std::io::{self, Write};
use std::path::PathBuf;

use super::files::write_whole;
use super::outcome::CommandError;

/// The results of a command.
pub(super) enum Output {
    /// Each at once.
    Standard,
    /// All together, when the command is done.
    File { path: PathBuf, contents: Vec<u8> },
}

impl Output {
    /// Standard output, or the file named.
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        path.map_or(Self::Standard, |path| Self::File { path, contents: Vec::new() })
    }

    /// Adds one result; a line break at its end is added where it lacks one.
    pub(super) fn put(&mut self, text: &str) -> Result<(), CommandError> {
        let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        match self {
            Self::Standard => {
                let mut out = io::stdout().lock();
                let written = write!(out, "{text}{end}").and_then(|()| out.flush());
                written.map_err(CommandError::StandardOutput)
            }
            Self::File { contents, .. } => {
                contents.extend_from_slice(text.as_bytes());
                contents.extend_from_slice(end.as_bytes());
                Ok(())
            }
        }
    }

    /// Writes the file. One that nothing was put into is not written.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        match self {
            Self::File { path, contents } if !contents.is_empty() => write_whole(&path, &contents),
            _ => Ok(()),
        }
    }
}
