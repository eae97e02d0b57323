//! The answers of `kalg check` on the programs of corpus/handwritten: every line of its list is a test.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::listed::{answer, checks, root, title};

const FOLDER: &str = "corpus/handwritten";

#[test]
fn every_program_is_answered_as_it_was() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/check_corpus");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (file, arguments) in checks(FOLDER) {
            let name = title(&file, &arguments).replace([' ', '.'], "-");
            insta::assert_snapshot!(name, answer(&[], FOLDER, &file, &arguments));
        }
    });
}

#[test]
fn every_program_is_in_the_list() {
    let listed: Vec<String> = checks(FOLDER).into_iter().map(|(file, _)| file).collect();
    let mut programs = 0;
    for entry in std::fs::read_dir(root().join(FOLDER)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // Pipelines are what programs are compared with, headers what they include.
        if ![".list", ".md", ".sexp", ".hpp"].iter().any(|end| name.ends_with(end)) {
            programs += 1;
            assert!(listed.contains(&name), "{name} is in no line of checks.list");
        }
    }
    assert!(programs >= 25, "only {programs} programs");
}
