//! Reads kernel files as the command does before optimising.

use std::time::{Duration, Instant};

use kalg::pipeline::{is_pipeline, read_pipeline};
use kalg::syntax::{Diagnostics, Source, render};
use kalg::term::{FilterSource, filter_placed, footprints, print_filter, read_filter};

/// Reads a file and computes its denotation, as the command does before optimising.
pub(crate) fn denoted(source: &Source) -> Result<FilterSource, Diagnostics> {
    let filter = read_filter(source)?;
    if filter.semiring == "plus-times" {
        filter_placed(&filter)?;
    }
    footprints(&filter)?;
    Ok(filter)
}

/// The message for bytes that are not a valid kernel file, nor a valid pipeline.
pub(crate) fn message(name: &str, bytes: Vec<u8>) -> String {
    let source = Source::from_bytes(name, bytes);
    if is_pipeline(&source) {
        let found = read_pipeline(&source).err().unwrap_or_else(|| panic!("{name} was read"));
        return render(&source, &found, false);
    }
    match denoted(&source) {
        Ok(filter) => panic!("{name} was read: {}", print_filter(&filter)),
        Err(diagnostics) => render(&source, &diagnostics, false),
    }
}

/// Asserts that the message is short, and appears too soon for a user to notice a delay.
pub(crate) fn short_and_soon(name: &str, text: impl Into<Vec<u8>>, id: &str) {
    let start = Instant::now();
    let found = message(name, text.into());
    assert!(start.elapsed() < Duration::from_secs(60), "{name} took {:?}", start.elapsed());
    assert!(found.contains(&format!("[{id}]")), "{name}: {found}");
    assert!(found.contains(&format!("--> {name}:")), "{name}: {found}");
    assert!(found.len() < 20_000, "{name}: a message of {} bytes", found.len());
}
