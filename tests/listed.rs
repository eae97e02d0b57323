//! Folders of programs with a list of checks: each line has a file and the arguments of `kalg check`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::process::Command;

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The checks in a folder's list: file and arguments.
pub(crate) fn checks(folder: &str) -> Vec<(String, Vec<String>)> {
    let list = std::fs::read_to_string(root().join(folder).join("checks.list")).unwrap();
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.collect())
        })
        .collect()
}

/// The complete result of the command with these options: output, messages and exit code.
pub(crate) fn answer(options: &[&str], folder: &str, file: &str, arguments: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kalg"))
        .current_dir(root())
        .arg("check")
        .args(options)
        .arg(format!("{folder}/{file}"))
        .args(arguments)
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.is_empty() || err.is_empty(), "results and complaints at once: {out}{err}");
    format!("{out}{err}exit code {}\n", output.status.code().unwrap())
}

/// The name of a check's snapshot, before replacing characters that file names cannot contain.
pub(crate) fn title(file: &str, arguments: &[String]) -> String {
    let words: Vec<&str> =
        arguments.iter().map(|a| a.rsplit('/').next().unwrap().trim_start_matches('-')).collect();
    [&[file], words.as_slice()].concat().join(" ")
}
