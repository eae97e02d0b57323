//! What `kalg check` answers on the programs of corpus/handwritten-aie: every line of its list is a test by example. No text
//! whatever makes it panic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::code_request::request;
use crate::listed::{answer, checks, root, title};
use kalg::backend::CheckError;
use kalg::backend::vector::check_code;
use kalg::backend::vector::machine::Machine;
use kalg::syntax::render;
use proptest::prelude::*;

const FOLDER: &str = "corpus/handwritten-aie";

/// Everything that the command says of a program for a vector machine.
fn told(file: &str, arguments: &[String]) -> String {
    answer(&["--target", Machine::builtin_names()[0]], FOLDER, file, arguments)
}

#[test]
fn every_program_is_answered_as_it_was() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/check_code");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (file, arguments) in checks(FOLDER) {
            let name = title(&file, &arguments);
            insta::assert_snapshot!(name.replace([' ', '.', ',', '='], "-"), told(&file, &arguments));
        }
    });
}

#[test]
fn every_program_is_in_the_list() {
    let listed: Vec<String> = checks(FOLDER).into_iter().map(|(file, _)| file).collect();
    let mut programs = 0;
    for entry in std::fs::read_dir(root().join(FOLDER)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".cc") {
            programs += 1;
            assert!(listed.contains(&name), "{name} is in no line of checks.list");
        }
    }
    assert!(programs >= 25, "only {programs} programs");
}

#[test]
fn the_record_has_the_fields_of_other_checks() {
    let arguments = ["--against", "corpus/classic/gauss-3.sexp", "--json"].map(str::to_owned);
    let text = told("gauss-3-wrong-start.cc", &arguments);
    let record: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(record["verdict"], "different");
    assert_eq!(record["outputs"][0]["differs_at"][0]["input"], "image");
    assert_eq!(record["groups"][0]["line"], 21);
    for field in ["counterexample", "error", "cycles"] {
        assert!(record[field].is_null() && record.as_object().unwrap().contains_key(field), "{field}");
    }
}

/// Tokens of kernels, in any order.
fn soup() -> impl Strategy<Value = String> {
    const WORDS: [&str; 48] = [
        "int",
        "v16int16",
        "v32int16",
        "v16acc48",
        "*",
        "&",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "=",
        "+",
        "++",
        "--",
        "-",
        "<",
        "<<",
        ">",
        "?",
        ":",
        "for",
        "while",
        "if",
        "else",
        "return",
        "mac16",
        "mul16",
        "upd_w",
        "srs",
        "concat",
        "null_v16int16",
        "x",
        "y",
        "in",
        "out",
        "0",
        "1",
        "16",
        "0x03020100",
        "const",
        "restrict",
        "#define x y\n",
        "\n",
        "void",
    ];
    prop::collection::vec(prop::sample::select(&WORDS[..]), 0..60).prop_map(|words| words.join(" "))
}

/// A right kernel with some of its characters replaced.
fn damaged() -> impl Strategy<Value = String> {
    let text = std::fs::read_to_string(root().join(FOLDER).join("gauss-3-rows.cc")).unwrap();
    let places = prop::collection::vec(
        (0..text.len(), prop::sample::select(&b"0123456789(){}[];,*+-&=< x\"#/"[..])),
        1..4,
    );
    places.prop_map(move |changes| {
        let mut bytes = text.clone().into_bytes();
        for (place, byte) in changes {
            bytes[place] = byte;
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn no_panic(text: &str) {
    let filter = "(filter f (inputs image) (output out (scale 1/16 (kernel (1 2 1) (2 4 2) (1 2 1)))))";
    for lenient in [false, true] {
        let mut request = request(text, Some(filter));
        request.lenient = lenient;
        request.input_range = Some([-8, 7].map(|n| kalg::algebra::Rational::new(n, 1).unwrap()));
        match check_code(&request) {
            Ok(record) => assert!(!kalg::backend::vector::report::code_check_text(&record).is_empty()),
            Err(CheckError::Source(_, diagnostics)) => {
                assert!(render(&request.source, &diagnostics, false).contains("error"));
            }
            Err(CheckError::Usage(message)) => assert!(!message.is_empty()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        no_panic(&text);
    }

    #[test]
    fn any_tokens_are_read_or_refused(text in soup()) {
        no_panic(&text);
        no_panic(&format!("void f(v16int16 *in, v16int16 *out) {{ {text} }}"));
    }

    #[test]
    fn damaged_kernels_are_read_or_refused(text in damaged()) {
        no_panic(&text);
    }
}
