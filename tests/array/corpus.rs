//! Compiles every file of the corpus with budgets so small that all of it takes seconds. It does not matter which
//! programs are found, only that each is correct.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;

use crate::compiled::{compiled, corpus, file, recheck, record, request};
use kalg::rule::RuleSet;

/// The search nodes in which most files of the corpus have a program of bus operations, before graphs are large.
const NODES: u64 = 30;
/// The search nodes in which several outputs that barely fit the registers have a program, too.
const NODES_OF_LAYERS: u64 = 60;
/// Enough search nodes to check the results, if there are any.
const FEW: u64 = 30;

fn all_compile(files: &[PathBuf], nodes: u64) {
    assert!(!files.is_empty());
    for path in files {
        compiled(&request(file(path), "bus", nodes));
    }
}

#[test]
fn classic_filters_compile() {
    let files = corpus("classic");
    let (boxes, others): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|f| f.to_string_lossy().contains("box-"));
    assert!(boxes.len() >= 8);
    all_compile(&others, NODES);
}

#[test]
fn boxes_compile() {
    all_compile(
        &corpus("classic").into_iter().filter(|f| f.to_string_lossy().contains("box-")).collect::<Vec<_>>(),
        NODES,
    );
}

#[test]
fn layers_of_networks_compile() {
    all_compile(&corpus("cnn"), NODES_OF_LAYERS);
}

#[test]
fn kernels_of_papers_compile() {
    all_compile(&corpus("papers"), NODES);
}

#[test]
fn random_kernels_compile() {
    all_compile(&corpus("cain-style"), NODES);
}

/// The files of the corpus without thirds: macros can only halve.
fn without_thirds() -> impl Iterator<Item = PathBuf> {
    let thirds = |path: &PathBuf| {
        ["halide-hls-blur.sexp", "halide-hls-sharpen.sexp"].iter().any(|f| path.ends_with(f))
    };
    corpus("").into_iter().filter(move |path| !thirds(path))
}

/// Checks the programs found in few nodes and returns their number.
fn all_are_right(files: &[PathBuf], isa: &str, rules: &RuleSet) -> usize {
    let mut programs = 0;
    for path in files {
        let mut request = request(file(path), isa, FEW);
        request.rules = rules.clone();
        let record = record(&request);
        match &record.no_program {
            None => {
                recheck(&request, &record);
                programs += 1;
            }
            Some(none) => assert!(!none.reason.is_empty()),
        }
    }
    programs
}

#[test]
fn programs_without_rules_are_right() {
    let files: Vec<PathBuf> = corpus("").into_iter().step_by(20).collect();
    let programs = all_are_right(&files, "bus", &RuleSet::default());
    assert!(2 * programs > files.len(), "the search alone finds {programs} programs of {}", files.len());
}

#[test]
fn programs_of_macros_are_right() {
    let files: Vec<PathBuf> = without_thirds().step_by(20).collect();
    let programs = all_are_right(&files, "macro", &RuleSet::builtin());
    assert!(2 * programs > files.len(), "{programs} programs of {}", files.len());
}

#[test]
fn programs_of_basic_instructions_are_right() {
    let files: Vec<PathBuf> = without_thirds().skip(1).step_by(20).collect();
    let programs = all_are_right(&files, "basic", &RuleSet::builtin());
    assert!(3 * programs > files.len(), "{programs} programs of {}", files.len());
}
