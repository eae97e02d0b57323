//! Runs `kalg` for machines in scan order, and reads what it prints.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::process::{Command, Output};

use serde_json::Value;

pub(crate) fn kalg(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kalg"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// An e-graph just large enough for these tests.
pub(crate) const FEW: &[&str] = &["--nodes", "50"];

pub(crate) fn record(file: &str, more: &[&str]) -> Value {
    let output = kalg(&[&["optimize", file, "--cost", "ops", "--json"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let record: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(
        (&record["verified"]["symbolic"], &record["verified"]["executed"]),
        (&true.into(), &true.into())
    );
    record
}

pub(crate) fn cost(record: &Value, what: &str) -> u64 {
    record["cost"][what].as_u64().unwrap()
}

/// The numbers of additions, multiplications and shifts.
pub(crate) fn operations(record: &Value) -> [u64; 3] {
    ["additions", "multiplications", "shifts"].map(|what| cost(record, what))
}

/// A picture of 23 × 19 pixels with distinct values in each row.
pub(crate) fn picture() -> Vec<u8> {
    let mut bytes = b"P5\n23 19\n255\n".to_vec();
    bytes.extend((0..23 * 19).map(|i: u32| (i * 37 % 251) as u8));
    bytes
}
