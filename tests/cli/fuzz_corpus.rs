//! The inputs that the fuzz targets keep as interesting: each is still read, traced and judged, or refused, without a panic,
//! and what is printed of it reads back. The targets in `fuzz/` do the same with any bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::sync::Arc;

use kalg::pipeline::{CheckRequest, check_program};
use kalg::syntax::{Source, render};
use kalg::target::{Reading, Target, builtin_names, read_listing};
use kalg::term::{print_filter, read_filter};
use kalg::verify::replay;

/// The files of one target's corpus and of the folders that it starts from, whole and cut off: short ones of its own corpus
/// after every byte, the others here and there.
fn inputs(name: &str, seeds: &[&str]) -> Vec<(String, Vec<u8>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let own = (root.join("fuzz/corpus").join(name), 1);
    let others = seeds.iter().map(|folder| (root.join("corpus").join(folder), 61));
    let mut found = Vec::new();
    for (folder, stride) in std::iter::once(own).chain(others) {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            for length in (1..=bytes.len().min(400)).step_by(stride).chain([bytes.len()]) {
                found.push((format!("{name}, {length} bytes"), bytes[..length].to_vec()));
            }
        }
    }
    assert!(found.len() > 100, "the corpus of {name} is missing");
    found
}

#[test]
fn programs() {
    let target = Arc::new(Target::builtin(builtin_names()[0]).unwrap());
    let reading = Reading { block: None, assume_all: true };
    for (name, bytes) in inputs("program", &["handwritten"]) {
        let source = Source::from_bytes("fuzz", bytes);
        let _parsed = target.parse(&source);
        match read_listing(&target, &source, &reading) {
            Err(diagnostics) => assert!(render(&source, &diagnostics, false).contains("error"), "{name}"),
            Ok(listing) => {
                let printed = Source::new("printed", target.print(&listing.program));
                let again = read_listing(&target, &printed, &Reading::default()).unwrap();
                assert_eq!(again.program, listing.program, "{name}");
                let filter = "(filter f (inputs image) (output out (kernel (1 2 1))))";
                let _answer = check_program(&CheckRequest {
                    source,
                    against: Some(Source::new("filter.sexp", filter)),
                    target: Arc::clone(&target),
                    reading,
                    against_reading: reading,
                    inputs: Vec::new(),
                    outputs: Vec::new(),
                    against_outputs: Vec::new(),
                    input_range: None,
                    noise: None,
                    lenient: true,
                });
            }
        }
    }
}

#[test]
fn kernel_files_and_certificates() {
    let target = Target::builtin(builtin_names()[0]).unwrap();
    for (name, bytes) in inputs("kernel_file", &["classic", "papers"]) {
        let source = Source::from_bytes("fuzz", bytes);
        match read_filter(&source) {
            Err(diagnostics) => assert!(render(&source, &diagnostics, false).contains("error"), "{name}"),
            Ok(filter) => {
                let printed = Source::new("printed", print_filter(&filter));
                assert_eq!(read_filter(&printed).unwrap(), filter, "{name}");
            }
        }
        let _replayed = replay(&target, &source);
    }
}
