//! Any bytes as a program: read by both readers, traced, and judged where that is possible.
#![no_main]

use std::sync::{Arc, LazyLock};

use kalg::pipeline::{CheckRequest, check_program};
use kalg::syntax::{Source, render};
use kalg::target::{Reading, Target, builtin_names, read_listing};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Arc<Target>> =
    LazyLock::new(|| Arc::new(Target::builtin(builtin_names()[0]).expect("a built-in target")));

fuzz_target!(|bytes: &[u8]| {
    let source = Source::from_bytes("fuzz", bytes.to_vec());
    let _parsed = TARGET.parse(&source);
    let reading = Reading { block: None, assume_all: true };
    match read_listing(&TARGET, &source, &reading) {
        Err(diagnostics) => drop(render(&source, &diagnostics, false)),
        Ok(listing) => {
            // What is printed reads back.
            let printed = Source::new("printed", TARGET.print(&listing.program));
            let again = read_listing(&TARGET, &printed, &Reading::default()).expect("a printed program reads");
            assert_eq!(again.program, listing.program);
            if listing.program.instructions.len() <= 40 {
                let filter = "(filter f (inputs image) (output out (kernel (1 2 1))))";
                let _answer = check_program(&CheckRequest {
                    source,
                    against: Some(Source::new("filter.sexp", filter)),
                    target: Arc::clone(&TARGET),
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
});
