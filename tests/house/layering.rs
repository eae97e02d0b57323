//! Holds the layers of `src/` to the table of docs/architecture.md, and the sources to the project's other structural rules.

use crate::source::{SourceFile, all, first_segments, has_word, root, shipped};

/// The layers in order, each with those above it that it may not use all the same.
const LAYERS: &[(&str, &[&str])] = &[
    ("budget", &[]),
    ("syntax", &[]),
    ("algebra", &["syntax"]),
    ("term", &[]),
    ("rule", &[]),
    ("saturate", &[]),
    ("picture", &["term", "rule", "saturate"]),
    ("report", &["rule"]),
    ("backend", &[]),
    ("cli", &[]),
];

/// The classes of machines, which are blind to one another.
const BACKENDS: [&str; 3] = ["array", "vector", "scan"];

/// A file of more lines has more than one purpose.
const MAX_LINES: usize = 800;

/// Why `user` may not use `used`; `None` where it may.
fn refusal(user: &str, used: &str) -> Option<String> {
    let place = |name: &str| LAYERS.iter().position(|(layer, _)| *layer == name);
    let (from, to) = (place(user)?, place(used)?);
    if to > from {
        Some(format!("`{user}` comes before `{used}`"))
    } else if LAYERS[from].1.contains(&used) {
        Some(format!("`{user}` must stay independent of `{used}`"))
    } else {
        None
    }
}

/// The layers that a file names, by any path that can reach them.
fn layers_named(file: &SourceFile) -> Vec<String> {
    let mut named = first_segments(&file.bare, "crate::");
    if file.is_layer_root() {
        named.extend(first_segments(&file.bare, "super::"));
    }
    named.retain(|name| LAYERS.iter().any(|(layer, _)| layer == name));
    named.sort();
    named.dedup();
    named
}

fn report(faults: Vec<String>, what_to_do: &str) {
    assert!(faults.is_empty(), "\n{}\n{what_to_do}\n", faults.join("\n"));
}

#[test]
fn every_layer_is_in_the_table_and_in_its_order() {
    let library = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let declared: Vec<&str> =
        library.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let expected: Vec<&str> = LAYERS.iter().map(|(layer, _)| *layer).collect();
    assert_eq!(declared, expected, "src/lib.rs declares the layers in the order of the table");
    for file in all() {
        if let Some(layer) = file.layer() {
            assert!(expected.contains(&layer), "{} belongs to no layer of the table", file.path);
        }
    }
}

#[test]
fn layers_use_only_what_the_table_allows() {
    let mut faults = Vec::new();
    for file in all() {
        let Some(layer) = file.layer() else { continue };
        for used in layers_named(&file) {
            if let Some(reason) = refusal(layer, &used) {
                faults.push(format!("{}: uses `crate::{used}`, but {reason}", file.path));
            }
        }
    }
    report(faults, "move what both need to a layer above, or a test that joins two layers to tests/");
}

#[test]
fn no_path_hides_a_layer() {
    let mut faults = Vec::new();
    for file in all() {
        if first_segments(&file.bare, "crate::").iter().any(|name| name == "*") {
            faults.push(format!("{}: `use crate::*`", file.path));
        }
        for name in first_segments(&file.bare, "super::super::") {
            if LAYERS.iter().any(|(layer, _)| *layer == name) {
                faults.push(format!("{}: `super::super::{name}`", file.path));
            }
        }
        for line in file.bare.lines().map(str::trim) {
            let glob = line.ends_with("::*;");
            if glob && line.starts_with("pub") && line.contains("use ") {
                faults.push(format!("{}: glob re-export `{line}`", file.path));
            }
            if glob && LAYERS.iter().any(|(layer, _)| line == format!("use crate::{layer}::*;")) {
                faults.push(format!("{}: glob import `{line}`", file.path));
            }
        }
    }
    report(faults, "name what is used, from `crate::`");
}

#[test]
fn back_ends_are_blind_to_one_another() {
    let mut faults = Vec::new();
    for file in all() {
        for own in BACKENDS.iter().filter(|own| file.path.starts_with(&format!("src/backend/{own}/"))) {
            for other in first_segments(&file.bare, "backend::") {
                if other != *own && BACKENDS.contains(&other.as_str()) {
                    faults.push(format!("{}: uses `backend::{other}`", file.path));
                }
            }
        }
    }
    report(faults, "what two back ends need belongs to a layer above them");
}

#[test]
fn checks_and_simulators_share_nothing_with_searches() {
    let mut faults = Vec::new();
    for file in all() {
        let witness = |of: &&&str| {
            let folder = format!("src/backend/{of}/");
            file.path.strip_prefix(&folder).is_some_and(|inside| {
                inside.starts_with("verify")
                    || inside.starts_with("simulate")
                    || inside.starts_with("machine")
            })
        };
        if let Some(own) = BACKENDS.iter().find(witness) {
            for search in ["search", "schedule", "compile", "report"] {
                if file.bare.contains(&format!("backend::{own}::{search}")) {
                    faults.push(format!("{}: uses `backend::{own}::{search}`", file.path));
                }
            }
        }
        let searches = BACKENDS.iter().any(|own| {
            ["search", "schedule"].iter().any(|s| file.path.starts_with(&format!("src/backend/{own}/{s}")))
        });
        for witness in ["verify", "simulate"] {
            if searches
                && BACKENDS.iter().any(|own| file.bare.contains(&format!("backend::{own}::{witness}")))
            {
                faults.push(format!("{}: uses its back end's `{witness}`", file.path));
            }
        }
    }
    report(faults, "a check that shares the emitter's assumptions checks nothing");
}

#[test]
fn targets_are_named_where_they_are_built_in_only() {
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(root().join("rules")).into_iter().flatten().flatten() {
        if entry.path().join("target.sexp").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    assert!(names.len() > 2, "{names:?}");
    let mut faults = Vec::new();
    for file in all() {
        for name in &names {
            // The standard library has a module that is called as a target is.
            let shipped = shipped(&file).to_lowercase().replace("std::ops", "");
            if file.path != "src/backend/builtin.rs" && has_word(&shipped, name) {
                faults.push(format!("{}: names the target `{name}`", file.path));
            }
        }
    }
    report(faults, "what a target needs stands in rules/<target>/; take names from the registry");
}

#[test]
fn only_the_command_line_touches_the_outside() {
    let outside =
        ["print!", "println!", "eprint!", "eprintln!", "stdout()", "stderr()", "std::env", "std::fs", "fs::"];
    let mut faults = Vec::new();
    for file in all() {
        if file.layer() == Some("cli") {
            continue;
        }
        let shipped = shipped(&file);
        for word in outside {
            if shipped.lines().any(|line| starts_word(line, word)) {
                faults.push(format!("{}: uses `{word}`", file.path));
            }
        }
    }
    report(
        faults,
        "only `cli` prints, reads files, the environment and the clock: return a value, or take a callback",
    );
}

/// Whether `line` holds `word` where an identifier could begin.
fn starts_word(line: &str, word: &str) -> bool {
    line.match_indices(word)
        .any(|(i, _)| line[..i].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_'))
}

#[test]
fn every_file_says_what_it_is_and_stays_readable() {
    let mut faults = Vec::new();
    for file in all() {
        if !file.text.starts_with("//!") {
            faults.push(format!("{}: does not begin with `//!`", file.path));
        }
        let lines = file.text.lines().count();
        if lines > MAX_LINES {
            faults.push(format!("{}: {lines} lines, at most {MAX_LINES}", file.path));
        }
    }
    report(faults, "say in one sentence what the file is; split it where it has two purposes");
}

/// The scan itself, on text that it must not misread.
mod scan {
    use super::*;

    #[test]
    fn groups_and_nested_groups_are_followed() {
        let text = "use crate::{algebra::{Kernel, Shape}, term, rule::propose};\ncrate::target::form::Form;";
        assert_eq!(first_segments(text, "crate::"), ["algebra", "term", "rule", "target"]);
        assert_eq!(first_segments("use crate::*;", "crate::"), ["*"]);
        assert_eq!(first_segments("egg::crate::x, mycrate::y", "crate::"), Vec::<String>::new());
    }

    #[test]
    fn edges_against_the_order_and_exceptions_are_refused() {
        assert!(refusal("term", "backend").is_some());
        assert!(refusal("report", "rule").is_some());
        assert!(refusal("algebra", "syntax").is_some());
        assert!(refusal("backend", "report").is_none());
        assert!(refusal("cli", "syntax").is_none());
    }

    #[test]
    fn words_have_no_letters_beside_them() {
        assert!(has_word("(\"aie\")", "aie") && has_word("mod aie_core", "aie"));
        assert!(!has_word("plaie", "aie") && !has_word("aied", "aie"));
    }

    #[test]
    fn printing_is_seen_and_writing_is_not() {
        assert!(starts_word("    println!(\"\")", "println!"));
        assert!(!starts_word("    writeln!(out)?; my_print!()", "print!"));
    }
}
