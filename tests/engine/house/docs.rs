//! Checks that every path in the project's documents exists.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The top-level folders and files that documents may name.
const TOP: &[&str] = &[
    "src/",
    "rules/",
    "corpus/",
    "tests/",
    "notebooks/",
    "docs/",
    "benches/",
    "examples/",
    "fuzz/",
    "python/",
    ".ci/",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The documents: those at the top level and in `docs/`, and the README of every folder that has one.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs", "rules", "corpus", "notebooks", "benches", "examples"] {
        for entry in fs::read_dir(root().join(folder)).into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|e| e == "md") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// The words of a document that name a path: link targets, and words that begin with a folder of the project.
fn paths_named(text: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (i, _) in text.match_indices("](") {
        let target = text[i + 2..].split([')', '#', ' ']).next().unwrap_or_default();
        if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
            named.push(target.to_owned());
        }
    }
    for word in text.split(|c: char| c.is_whitespace() || "`()[]{},;:\"'|#".contains(c)) {
        let word = word.trim_end_matches('.');
        if TOP.iter().any(|top| word.starts_with(top)) && !word.contains(['*', '<', '…', '$']) {
            named.push(word.to_owned());
        }
    }
    named
}

fn exists(document: &Path, named: &str) -> bool {
    let beside = document.parent().unwrap_or(document).join(named);
    root().join(named).exists() || beside.exists()
}

#[test]
fn every_path_in_a_document_exists() {
    let mut faults = Vec::new();
    let mut checked = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for named in paths_named(&text) {
            checked += 1;
            if !exists(&document, &named) {
                faults.push(format!("{}: names `{named}`, which does not exist", document.display()));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert!(checked > 3, "only {checked} paths found in all documents: is the scan reading them?");
}

/// Files that a shell writes by mistake (`> 1.5`) are committed with the rest unless somebody looks.
#[test]
fn the_top_level_has_only_what_is_meant_to_be_there() {
    const FILES: &[&str] = &[
        ".gitignore",
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "build.rs",
        "clippy.toml",
        "pyproject.toml",
        "rustfmt.toml",
    ];
    let Ok(listed) = Command::new("git").arg("ls-files").current_dir(root()).output() else { return };
    let known = |path: &str| TOP.iter().any(|top| path.starts_with(top)) || FILES.contains(&path);
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let strays: Vec<&str> = text.lines().filter(|path| !known(path)).collect();
    assert!(strays.is_empty(), "tracked, but in no folder of the project: {strays:?}");
}

#[test]
fn the_book_has_every_chapter_once() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let mut named: Vec<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    named.sort_unstable();
    let files = fs::read_dir(&docs).unwrap().flatten().map(|entry| entry.file_name());
    let mut files: Vec<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
    files.retain(|name| name.ends_with(".md") && name != "SUMMARY.md");
    files.sort();
    assert_eq!(named, files);
    for file in &files {
        let text = fs::read_to_string(docs.join(file)).unwrap();
        assert!(text.lines().any(|line| line.starts_with("# ")), "{file} has no title");
        assert_eq!(text.matches("\n```").count() % 2, 0, "{file}: a block does not end");
    }
}

/// A heading as the part of an address, as GitHub and mdBook write it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(|c: char| !c.is_alphanumeric() && !" -_".contains(c), "");
    kept.trim().replace(' ', "-")
}

/// The links of a document: its folder decides where they lead, and their headings exist.
fn dead_links(document: &Path, text: &str) -> Vec<String> {
    let mut dead = Vec::new();
    for (i, _) in text.match_indices("](") {
        let target = text[i + 2..].split([')', ' ']).next().unwrap_or_default();
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, heading) = target.split_once('#').unwrap_or((target, ""));
        let path = if file.is_empty() { document.to_owned() } else { document.with_file_name(file) };
        let headed = || {
            let other = fs::read_to_string(&path).unwrap_or_default();
            other.lines().any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading)
        };
        if !path.exists() || !heading.is_empty() && !headed() {
            dead.push(format!("{}: `{target}` leads nowhere", document.display()));
        }
    }
    dead
}

#[test]
fn every_link_leads_to_a_file_or_a_heading() {
    let dead = |document: PathBuf| dead_links(&document, &fs::read_to_string(&document).unwrap());
    let found: Vec<String> = documents().into_iter().flat_map(dead).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    let readme = root().join("README.md");
    assert_eq!(dead_links(&readme, "[a](docs/results.md#results) [b](#use) [c](https://x/y#z)"), [""; 0]);
    assert_eq!(dead_links(&readme, "[a](results.md) [b](#uses) [c](docs/results.md#use)").len(), 3);
}

/// What the README says beside others is what the page says that measured it.
#[test]
fn the_figures_of_the_readme_are_those_of_the_book() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut checked = 0;
    for row in readme.lines().skip_while(|line| !line.starts_with("| beside |")).skip(2) {
        let Some((said, link)) = row.split_once("](").filter(|_| row.starts_with('|')) else { break };
        let page = fs::read_to_string(root().join(link.split(')').next().unwrap_or_default())).unwrap();
        for figure in said.split([' ', ',']).filter(|word| word.contains('.') && word.parse::<f64>().is_ok())
        {
            checked += 1;
            assert!(page.contains(figure), "{figure} of the README is not in {link}");
        }
    }
    assert!(checked >= 6, "only {checked} figures");
}

#[test]
fn corpus_readme_names_files_by_their_folder() {
    let readme = fs::read_to_string(root().join("corpus/README.md")).unwrap();
    let mut checked = 0;
    for word in readme.split('`').filter(|w| w.ends_with(".sexp")) {
        checked += 1;
        assert!(
            root().join("corpus").join(word).exists(),
            "corpus/README.md names `{word}`, which does not exist"
        );
    }
    assert!(checked > 20, "only {checked} kernel files found in corpus/README.md");
}

#[test]
fn every_corpus_file_names_its_filter_and_source() {
    let mut faults = Vec::new();
    let mut checked = 0;
    for folder in ["classic", "cnn", "papers", "cain-style", "large", "haar", "scan-order", "constants"] {
        for entry in fs::read_dir(root().join("corpus").join(folder)).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|e| e != "sexp") {
                continue;
            }
            checked += 1;
            let text = fs::read_to_string(&path).unwrap();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            if !text.starts_with("; ") || !text.contains("\n; Source: ") {
                faults.push(format!("{}: begins with what it is and `; Source: …`", path.display()));
            }
            if !text.contains(&format!("(filter {stem}\n")) {
                faults.push(format!("{}: its filter is named as the file is", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert!(checked > 50, "only {checked} files in the corpus");
}

/// Committed output comes from one run of all cells in order.
#[test]
fn notebooks_are_committed_without_output_or_with_all_of_it() {
    let mut checked = 0;
    for entry in fs::read_dir(root().join("notebooks")).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "ipynb") {
            continue;
        }
        checked += 1;
        let notebook: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let cells = notebook["cells"].as_array().unwrap();
        let code: Vec<_> = cells.iter().filter(|cell| cell["cell_type"] == "code").collect();
        let outputs = |cell: &serde_json::Value| cell["outputs"].as_array().unwrap().clone();
        let cleared = code.iter().all(|cell| cell["execution_count"].is_null() && outputs(cell).is_empty());
        let in_order = code.iter().zip(1..).all(|(cell, count)| cell["execution_count"] == count);
        let failed =
            code.iter().flat_map(|cell| outputs(cell)).any(|output| output["output_type"] == "error");
        assert!(
            cleared || in_order && !failed,
            "{}: clear the output, or run it as a whole, before committing",
            path.display()
        );
    }
    assert!(checked > 0, "no notebook found");
}

#[test]
fn the_scan_finds_links_and_paths() {
    let text = "See [rules](rules/README.md#writing), `src/lib.rs`, cargo run corpus/a.sexp. Not https://x/src/y or src/*.rs.";
    assert_eq!(paths_named(text), ["rules/README.md", "rules/README.md", "src/lib.rs", "corpus/a.sexp"]);
}
