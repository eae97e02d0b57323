//! `kalg optimize` for a vector machine tells of outputs that saturate.

#![expect(clippy::unwrap_used, reason = "a test stops where its own files or processes fail")]

use std::process::{Command, Output};

use kalg::backend::vector::machine::VliwMachine;

/// Runs `kalg optimize … --cost MACHINE`.
fn optimize(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("optimize").args(arguments);
    command.args(["--cost", VliwMachine::builtin_names()[0]]).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn file(name: &str, text: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}.sexp"));
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The record of a filter on a small tile.
fn record(file: &str, arguments: &[&str]) -> serde_json::Value {
    let output = optimize(&[&[file, "--json", "--tile", "64x4"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn outputs_that_saturate_are_told_of() {
    let line = "1 ".repeat(15);
    let ones = file(
        "box-15",
        &format!("(filter b (inputs i) (output o (kernel {})))", format!("({line})").repeat(15)),
    );
    let found = record(&ones, &[]);
    // Every pointer into the program's own arrays, and every copy, is the only way to what it sees, or says why not.
    let code = found["code"].as_str().unwrap();
    assert!(code.contains("int16_t *__restrict columns = "), "two passes: {code}");
    for line in code.lines().filter(|line| line.contains("_t *") && line.contains(" = ")) {
        assert!(line.contains("__restrict") != line.contains("// reads what is stored through"), "{line}");
    }
    assert_eq!(
        found["outputs"],
        serde_json::json!({"least": 0, "greatest": 57375, "saturated": true, "unsaturated_range": [0, 145]})
    );
    let code = optimize(&[&ones, "--emit", "code", "--tile", "64x4"]);
    assert!(text(&code.stderr).contains("inputs of 0 to 145 stay within it"), "{}", text(&code.stderr));
    assert_eq!(record(&ones, &["--range", "0..145"])["outputs"]["saturated"], false);
}
