//! Infinite sums as outputs: integral maps.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::stream_command::{cost, out, record};

/// `kalg optimize - --cost ops --json` on a filter of these outputs of `i`.
fn optimized(outputs: &str, options: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kalg"))
        .args(["optimize", "-", "--cost", "ops", "--json"])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = format!("(filter f (inputs i) {outputs})");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_table_takes_an_addition_for_each_scan_and_is_kept_in_32_bits() {
    let file = "corpus/scan-order/integral-map.sexp";
    let found = record(file, &[]);
    assert_eq!([cost(&found, "additions"), cost(&found, "loads")], [2, 2]);
    assert_eq!((&found["outputs"][0]["pixel"], &found["border"]), (&"int32".into(), &"zero".into()));
    let wide = record(file, &["--type", "uint32", "--border", "zero"]);
    assert_eq!(wide["outputs"][0]["pixel"], "uint32");
}

#[test]
fn what_ends_may_be_read_from_a_table_beside_it() {
    let nine = "(1) (1) (1) (1) (1) (1) (1) (1) (1)";
    let table = "(output table (compose (scan west) (scan north)))";
    let text = format!("{table} (output box (compose (kernel (1 1 1 1 1 1 1 1 1)) (kernel {nine})))");
    let found = optimized(&text, &["--memory-weight", "0"]);
    let found: Value = serde_json::from_str(&out(&found)).unwrap();
    assert_eq!((cost(&found, "additions"), &found["outputs"][1]["pixel"]), (4, &"uint8".into()), "{found}");
    assert_eq!(found["verified"]["executed"], true);
}

#[test]
fn tables_that_cannot_be_are_refused() {
    for (term, options, code, why) in [
        ("(scan x)", &[][..], 1, "later in scan order"),
        ("(compose (scan west) (scan 1 1))", &[], 1, "no recurrence can begin"),
        ("(scale 1/3 (scan west))", &[], 1, "divide the values read from it"),
        ("(scan west)", &["--type", "float32"], 1, "--float-recurrences"),
        ("(scan west)", &["--border", "wrap"], 2, "use --border zero"),
    ] {
        let found = optimized(&format!("(output t {term})"), options);
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert_eq!(found.status.code(), Some(code), "{term}: {said}");
        assert!(said.contains(why), "{term}: {said}");
    }
}
