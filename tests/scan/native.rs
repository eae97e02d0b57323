//! Emitted C as programs: compiled by the system's compiler with its sanitizers, and run.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fmt::{Debug, Display};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use crate::scratch::Scratch;

/// Compiles a program in C; warnings are errors.
pub(crate) fn compile_c(scratch: &Scratch, text: &str) -> PathBuf {
    let flags = [
        "-std=c99",
        "-O0",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-fsanitize=undefined,address",
        "-fno-sanitize-recover",
    ];
    compile_c_with(scratch, text, "cases", &flags)
}

/// Compiles a program in C as users do who want it fast, in the compiler's own dialect.
pub(crate) fn compile_fast_c(scratch: &Scratch, text: &str) -> PathBuf {
    compile_c_with(scratch, text, "fast", &["-O3", "-march=native"])
}

fn compile_c_with(scratch: &Scratch, text: &str, name: &str, flags: &[&str]) -> PathBuf {
    let (source, program) = (scratch.file(&format!("{name}.c"), text), scratch.at(name));
    let mut command = Command::new("cc");
    let output = command.args(flags).arg("-o").arg(&program).arg(&source).arg("-lm").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Compiles a program in Rust, which ends where a number overflows.
pub(crate) fn compile_rust(scratch: &Scratch, text: &str) -> PathBuf {
    let (source, program) = (scratch.file("cases.rs", text), scratch.at("cases-in-rust"));
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .args(["--edition", "2021", "-C", "debug-assertions=on", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Runs one case of a program: its arguments are the case, width and height; samples go in and come out one on a line.
pub(crate) fn run<T: Display + FromStr<Err: Debug>>(
    program: &Path,
    case: usize,
    size: [usize; 2],
    samples: impl Iterator<Item = T>,
) -> Vec<T> {
    let mut child = Command::new(program)
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .args([case, size[0], size[1]].map(|n| n.to_string()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text: String = samples.map(|sample| format!("{sample}\n")).collect();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "case {case}, {size:?}: {}", output.status);
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect()
}
