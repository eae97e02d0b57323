//! Checks what packagers get: completions, pages for `man` and the version.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::process::{Command, Output};

fn kalg(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kalg")).args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = kalg(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn shells_complete_subcommands_and_the_options_of_machines() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for word in ["optimize", "input-range"] {
            assert!(script.contains(word), "{shell} does not know `{word}`");
        }
    }
    assert_eq!(kalg(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn every_subcommand_has_a_page_with_its_options() {
    let whole = printed(&["man"]);
    for (path, _) in kalg::cli::commands() {
        let names: Vec<&str> = path.split(' ').collect();
        let page = printed(&[&["man"], &names[..]].concat());
        let title = format!("kalg-{}", names.join("-")).replace('-', "\\-");
        assert!(page.contains(".SH OPTIONS") && page.contains(&title), "{page}");
        assert_eq!(undescribed(&page), [""; 0], "{page}");
        let listed = format!("kalg\\-{}(1)", names[0].replace('-', "\\-"));
        assert!(whole.contains(&listed), "{listed} is not in\n{whole}");
    }
    let unknown = kalg(&["man", "rules", "make"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no subcommand `rules make`"));
}

/// The options of a page that it says nothing about: the second line after `.TP` is the description.
fn undescribed(page: &str) -> Vec<&str> {
    let lines: Vec<&str> = page.lines().collect();
    let options = lines.windows(3).filter(|lines| lines[0] == ".TP");
    options
        .filter(|lines| lines[2].trim().is_empty() || lines[2].starts_with(".TP"))
        .map(|lines| lines[1])
        .collect()
}

#[test]
fn the_page_of_a_subcommand_has_its_usage_and_what_only_the_long_help_shows() {
    let page = printed(&["man", "optimize"]);
    assert!(page.contains("[FILE]..."), "{page}");
    let help = printed(&["optimize", "--help"]);
    let purpose = "compile this many files at a time";
    assert!(help.contains(purpose) && page.contains(purpose), "{page}");
}

#[test]
fn the_version_is_that_of_the_package_with_the_commit_where_it_is_known() {
    let version = printed(&["--version"]);
    let rest = version.trim().strip_prefix(concat!("kalg ", env!("CARGO_PKG_VERSION"))).unwrap();
    let commit = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')).unwrap_or("0");
    let commit = commit.strip_suffix(", changed").unwrap_or(commit);
    assert!(commit.chars().all(|c| c.is_ascii_hexdigit()), "{version}");
}
