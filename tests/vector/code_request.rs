//! Requests to check hand-written code.

use std::sync::Arc;

use kalg::backend::vector::CodeRequest;
use kalg::backend::vector::machine::VliwMachine;
use kalg::syntax::Source;

pub(crate) fn machine() -> Arc<VliwMachine> {
    Arc::new(VliwMachine::builtin(VliwMachine::builtin_names()[0]).expect("the machine is built in"))
}

pub(crate) fn request(text: &str, against: Option<&str>) -> CodeRequest {
    CodeRequest {
        source: Source::new("code.cc", text),
        against: against.map(|text| Source::new("filter.sexp", text)),
        machine: machine(),
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
        lenient: false,
    }
}
