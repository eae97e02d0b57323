//! Any bytes as a kernel file, and as a certificate: S-expressions both.
#![no_main]

use std::sync::LazyLock;

use kalg::syntax::{Source, render};
use kalg::target::{Target, builtin_names};
use kalg::term::{print_filter, read_filter};
use kalg::verify::replay;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> =
    LazyLock::new(|| Target::builtin(builtin_names()[0]).expect("a built-in target"));

fuzz_target!(|bytes: &[u8]| {
    let source = Source::from_bytes("fuzz", bytes.to_vec());
    match read_filter(&source) {
        Err(diagnostics) => drop(render(&source, &diagnostics, false)),
        Ok(filter) => {
            let again = Source::new("printed", print_filter(&filter));
            assert_eq!(read_filter(&again).expect("a printed filter reads"), filter);
        }
    }
    let _replayed = replay(&TARGET, &source);
});
