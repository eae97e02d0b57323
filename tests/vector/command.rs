//! `kalg optimize` for a vector machine, as users run it.

#![expect(clippy::unwrap_used, reason = "a test stops where its own files or processes fail")]

use std::process::{Command, Output};

use kalg::backend::vector::machine::VliwMachine;

/// Runs `kalg optimize … --cost MACHINE`.
pub(crate) fn optimize(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("optimize").args(arguments);
    command.args(["--cost", VliwMachine::builtin_names()[0]]).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn file(name: &str, text: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}.sexp"));
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The record of a filter on a small tile.
pub(crate) fn record(file: &str, arguments: &[&str]) -> serde_json::Value {
    let output = optimize(&[&[file, "--json", "--tile", "64x4"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
