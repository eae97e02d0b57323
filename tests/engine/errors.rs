//! Bad kernel files: each kind of error has a file in `tests/errors/`, with the exact message in a `.expect` file
//! beside it. `KALG_BLESS=1 cargo test --test engine errors` rewrites the messages; read the difference before committing it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kernel_file::{denoted, message, short_and_soon};
use kalg::algebra::{PlusTimes, Semiring as _};
use kalg::pipeline::is_pipeline;
use kalg::syntax::{Source, render};
use kalg::term::{denote_series, filter_placed, print_filter, read_filter};

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_mistake_has_its_message() {
    let folder = root().join("tests/errors");
    let bless = std::env::var_os("KALG_BLESS").is_some();
    let mut wrong = Vec::new();
    let cases = files(&folder, "sexp");
    assert!(cases.len() >= 40, "the cases are found");
    for path in &cases {
        let name = path.file_name().unwrap().to_string_lossy();
        let found = message(&name, fs::read(path).unwrap());
        let expected = path.with_extension("expect");
        if bless {
            fs::write(&expected, &found).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("== {name}\n{found}"));
        }
    }
    for path in files(&folder, "expect") {
        assert!(cases.contains(&path.with_extension("sexp")), "{} has no case", path.display());
    }
    assert!(wrong.is_empty(), "other messages than expected:\n{}", wrong.join("\n"));
}

#[test]
fn the_corpus_is_read_denoted_and_printed_back() {
    let files = files(&root().join("corpus"), "sexp");
    assert!(files.len() >= 60, "the corpus is found");
    for path in files {
        let source = Source::from_bytes(path.display().to_string(), fs::read(&path).unwrap());
        if is_pipeline(&source) {
            continue;
        }
        let read = match read_filter(&source) {
            // Outputs may be infinite: then they are for machines with memory.
            Ok(filter) if filter.semiring == PlusTimes::NAME => denote_series(&filter).map(|_| filter),
            _ => denoted(&source),
        };
        let filter = read.unwrap_or_else(|found| panic!("{}", render(&source, &found, false)));
        assert!(filter.warnings.is_empty(), "{}", render(&source, &filter.warnings, false));
        assert_eq!(path.file_stem().unwrap().to_string_lossy(), filter.name, "a file is named as its filter");
        let again = Source::new("again", print_filter(&filter));
        assert_eq!(read_filter(&again), Ok(filter), "{}", again.text());
    }
}

#[test]
fn the_two_ways_to_write_a_kernel_of_the_papers_denote_the_same() {
    let kernel = |name: &str| {
        let path = root().join("corpus").join(name);
        let source = Source::from_bytes(name, fs::read(path).unwrap());
        filter_placed(&read_filter(&source).unwrap()).unwrap().remove(0).1
    };
    assert_eq!(kernel("papers/algebra-sobel-factors.sexp"), kernel("classic/sobel-x.sexp"));
    assert_eq!(kernel("papers/algebra-summed-area-box.sexp"), kernel("classic/box-5.sexp"));
}

#[test]
fn a_million_parentheses() {
    short_and_soon("deep", "(".repeat(1_000_000), "too-deep");
    short_and_soon("deep-filter", format!("(filter f (output a {}", "(neg ".repeat(1_000_000)), "too-deep");
    short_and_soon("closing", ")".repeat(1_000_000), "surplus-parenthesis");
    short_and_soon("empty-lists", "()".repeat(1_000_000), "unexpected");
}

#[test]
fn invalid_utf_8() {
    let found = message("latin-1.sexp", b"; Gau\xDF\n(filter f (output a (id)))\n".to_vec());
    assert!(found.contains("--> latin-1.sexp:1:6"), "{found}");
    assert!(found.contains("byte 0xDF, 5 bytes into the file"), "{found}");
    short_and_soon("random", (0..=255u8).cycle().take(100_000).collect::<Vec<_>>(), "invalid-utf8");
}
