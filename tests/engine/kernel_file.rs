//! Reads kernel files as the command does before it optimises.

use std::time::{Duration, Instant};

use kalg::syntax::{Diagnostics, Source, render};
use kalg::term::{FilterSource, filter_placed, footprints, print_filter, read_filter};

/// Reads a file and computes what it denotes, as the command does before it optimises.
pub(crate) fn denoted(source: &Source) -> Result<FilterSource, Diagnostics> {
    let filter = read_filter(source)?;
    if filter.semiring == "plus-times" {
        filter_placed(&filter)?;
    }
    footprints(&filter)?;
    Ok(filter)
}

/// The message for bytes that are no good kernel file.
pub(crate) fn message(name: &str, bytes: Vec<u8>) -> String {
    let source = Source::from_bytes(name, bytes);
    match denoted(&source) {
        Ok(filter) => panic!("{name} was read: {}", print_filter(&filter)),
        Err(diagnostics) => render(&source, &diagnostics, false),
    }
}

/// The message is short, and was found in a time that a user does not notice as hanging.
pub(crate) fn short_and_soon(name: &str, text: impl Into<Vec<u8>>, id: &str) {
    let start = Instant::now();
    let found = message(name, text.into());
    assert!(start.elapsed() < Duration::from_secs(60), "{name} took {:?}", start.elapsed());
    assert!(found.contains(&format!("[{id}]")), "{name}: {found}");
    assert!(found.contains(&format!("--> {name}:")), "{name}: {found}");
    assert!(found.len() < 20_000, "{name}: a message of {} bytes", found.len());
}
