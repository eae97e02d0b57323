//! Any bytes as code in vector intrinsics: read, followed and compared, or refused, without a panic.
#![no_main]

use std::sync::{Arc, LazyLock};

use kalg::pipeline::{CheckError, CodeRequest, check_code};
use kalg::report::code_check_text;
use kalg::syntax::{Source, render};
use kalg::target::vliw::Machine;
use libfuzzer_sys::fuzz_target;

static MACHINE: LazyLock<Arc<Machine>> = LazyLock::new(|| {
    let name = Machine::builtin_names()[0];
    Arc::new(Machine::builtin(name).expect("a built-in machine"))
});

fuzz_target!(|bytes: &[u8]| {
    let filter = "(filter f (inputs image) (output out (kernel (1 2 1))))";
    let request = CodeRequest {
        source: Source::from_bytes("fuzz", bytes.to_vec()),
        against: Some(Source::new("filter.sexp", filter)),
        machine: Arc::clone(&MACHINE),
        block: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        rows: Vec::new(),
        pitch: None,
        output_pitch: None,
        anchor: None,
        tile: None,
        weights: Vec::new(),
        defines: Vec::new(),
        input_range: None,
        lenient: true,
    };
    match check_code(&request) {
        Ok(record) => drop(code_check_text(&record)),
        Err(CheckError::Source(_, diagnostics)) => drop(render(&request.source, &diagnostics, false)),
        Err(CheckError::Usage(_)) => {}
    }
});
