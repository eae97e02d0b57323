//! What `kalg check` answers on the programs of corpus/handwritten: every line of its list is a test by example.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The checks of the list: file and arguments.
fn checks() -> Vec<(String, Vec<String>)> {
    let list = std::fs::read_to_string(root().join("corpus/handwritten/checks.list")).unwrap();
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.collect())
        })
        .collect()
}

/// Everything that the command says: what it prints, what it complains of, how it ends.
fn answer(file: &str, arguments: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kalg"))
        .current_dir(root())
        .arg("check")
        .arg(format!("corpus/handwritten/{file}"))
        .args(arguments)
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.is_empty() || err.is_empty(), "results and complaints at once: {out}{err}");
    format!("{out}{err}exit code {}\n", output.status.code().unwrap())
}

#[test]
fn every_program_is_answered_as_it_was() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/check_corpus");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (file, arguments) in checks() {
            let words: Vec<&str> =
                arguments.iter().map(|a| a.rsplit('/').next().unwrap().trim_start_matches('-')).collect();
            let name = [&[file.as_str()], words.as_slice()].concat().join(" ").replace([' ', '.'], "-");
            insta::assert_snapshot!(name, answer(&file, &arguments));
        }
    });
}

#[test]
fn every_program_is_in_the_list() {
    let listed: Vec<String> = checks().into_iter().map(|(file, _)| file).collect();
    let mut programs = 0;
    for entry in std::fs::read_dir(root().join("corpus/handwritten")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".list") && !name.ends_with(".md") {
            programs += 1;
            assert!(listed.contains(&name), "{name} is in no line of checks.list");
        }
    }
    assert!(programs >= 25, "only {programs} programs");
}
