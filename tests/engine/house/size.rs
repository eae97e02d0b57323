//! Checks that files and functions are short.

use super::source::Sources;

/// The maximum number of lines of a file; a longer one has more than one purpose.
const MAX_FILE_LINES: usize = 800;

/// The maximum number of lines of a function; a longer one does more than one thing.
const MAX_LINES: usize = 80;

/// The maximum number of parameters, including `self`.
const MAX_PARAMETERS: usize = 6;

/// Functions of more lines than this count as long.
const LONG: usize = 60;

/// The maximum number of long functions.
const MAX_LONG: usize = 10;

/// Functions that are still too long or take too many parameters. Nothing may be added.
const KNOWN: &[&str] = &[];

/// Functions that are too long or take too many parameters, as `file: name`, each with the reason.
fn faults(sources: &Sources) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    for file in &sources.files {
        for function in &file.functions {
            let name = format!("{}: {}", file.path, function.name);
            if function.lines > MAX_LINES {
                faults.push((
                    name.clone(),
                    format!("line {}: {} lines, at most {MAX_LINES}", function.line, function.lines),
                ));
            }
            if function.parameters > MAX_PARAMETERS {
                faults.push((
                    name,
                    format!(
                        "line {}: {} parameters, at most {MAX_PARAMETERS}",
                        function.line, function.parameters
                    ),
                ));
            }
        }
    }
    faults
}

#[test]
fn every_file_says_what_it_is_and_stays_readable() {
    let mut faults = Vec::new();
    for file in &Sources::library().files {
        if !file.text.starts_with("//!") {
            faults.push(format!("{}: does not begin with `//!`", file.path));
        }
        let lines = file.text.lines().count();
        if lines > MAX_FILE_LINES {
            faults.push(format!("{}: {lines} lines, at most {MAX_FILE_LINES}", file.path));
        }
    }
    assert!(
        faults.is_empty(),
        "\n{}\nsay in one sentence what the file is; split it where it has two purposes\n",
        faults.join("\n")
    );
}

#[test]
fn functions_fit_on_a_screen() {
    let sources = Sources::library();
    let found = faults(&sources);
    let new: Vec<_> = found.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())).collect();
    assert!(
        new.is_empty(),
        "{new:#?}\ntake what belongs together out into functions with names, parameters into a struct"
    );
    let mended: Vec<_> = KNOWN.iter().filter(|known| !found.iter().any(|(name, _)| name == *known)).collect();
    assert!(mended.is_empty(), "no longer too long: take {mended:?} out of the list");
    let long: Vec<_> = sources
        .files
        .iter()
        .flat_map(|file| {
            file.functions.iter().map(move |function| (function.lines, &file.path, &function.name))
        })
        .filter(|(lines, ..)| *lines > LONG)
        .collect();
    assert!(
        long.len() <= MAX_LONG,
        "{} functions of more than {LONG} lines, at most {MAX_LONG}: {long:#?}",
        long.len()
    );
}

#[test]
fn length_and_parameters_are_counted() {
    let body = "    f();\n".repeat(79);
    let text = format!(
        "impl A {{\n    fn long(&self) {{\n{body}    }}\n}}\nfn many(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8) {{}}"
    );
    let found = faults(&Sources::of([("src/a.rs", text.as_str())]));
    let expected = [("long", "line 2: 81 lines, at most 80"), ("many", "line 84: 7 parameters, at most 6")];
    let expected = expected.map(|(name, why)| (format!("src/a.rs: {name}"), why.to_owned()));
    assert_eq!(found, expected);
}
