//! `kalg import`, as users run it.

#![expect(clippy::unwrap_used, reason = "a test stops where its own files or processes fail")]

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::process::{err, kalg, optimize, out};
use crate::scratch::Scratch;

/// Runs `kalg import -` with this standard input.
fn piped(text: &[u8]) -> Output {
    let mut command = kalg();
    let command =
        command.args(["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn kernels_of_other_formats_become_kernel_files() {
    let scratch = Scratch::new("import");
    let matrix = scratch.file("blur 3.csv", b"1,2,1\n2,4,2\n1,2,1\n");
    let output = kalg().args(["import", &matrix]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("(filter blur-3\n"), "{}", out(&output));
    let cain = br#"{"filter": {"A": {"depth": -4, "array": [[1, 2, 1], [2, 4, 2], [1, 2, 1]]}}}"#;
    let (cain, kernel) = (scratch.file("gauss.json", cain), scratch.at("gauss.sexp"));
    let output = kalg().args(["import", &cain, "-o"]).arg(&kernel).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let compiled = optimize(&[kernel.to_str().unwrap(), "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out(&compiled)).unwrap()["outputs"][0]["name"], "A");
    let uneven = scratch.file("uneven.txt", b"1 2 1\n1 2\n");
    let output = kalg().args(["import", &uneven]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("uneven.txt:2:1"), "{}", err(&output));
}

#[test]
fn imported_filters_without_a_name_get_one() {
    let scratch = Scratch::new("import-names");
    let matrix = scratch.file("3x3.csv", b"1,2,1\n");
    let output = kalg().args(["import", &matrix]).output().unwrap();
    assert!(out(&output).contains("(filter filter-3x3\n"), "{}{}", out(&output), err(&output));
    let output = piped(b"1 2 1\n");
    assert!(out(&output).contains("(filter filter\n"), "{}{}", out(&output), err(&output));
    for name in ["", "1"] {
        let output = kalg().args(["import", &matrix, "--name", name]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("--name"), "{}", err(&output));
    }
    let empty = scratch.file("empty.json", b"{\"filter\": {}}");
    let output = kalg().args(["import", &empty]).output().unwrap();
    assert!(err(&output).contains("empty.json:1:2\n"), "{}", err(&output));
}

/// Names of registers are text of the file, and become part of another one.
#[test]
fn registers_whose_names_are_none_are_refused() {
    let scratch = Scratch::new("registers");
    for name in ["A (kernel (9))) (output B", "A b", "", "A;", "(", "1e"] {
        let text = format!("{{\"filter\": {{\"{name}\": [[1, 2, 1]]}}}}");
        let output = kalg().args(["import", &scratch.file("t.json", text)]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {}", out(&output));
        assert!(err(&output).contains("is not the name of a register"), "{}", err(&output));
    }
    for (name, found) in [("A:B", "(output A-B "), ("2", "(output 2 ")] {
        let text = format!("{{\"filter\": {{\"{name}\": [[1, 2, 1]]}}}}");
        let output = kalg().args(["import", &scratch.file("t.json", text)]).output().unwrap();
        assert!(out(&output).contains(found), "{}", err(&output));
    }
    let array = scratch.file("k.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}\n");
    let output = kalg().args(["import", &array]).output().unwrap();
    assert!(output.status.code() == Some(2) && err(&output).contains("numpy.savetxt"), "{}", err(&output));
    let large = piped(b"1e400 1\n");
    assert!(err(&large).contains("this number is too large"), "{}", err(&large));
}
