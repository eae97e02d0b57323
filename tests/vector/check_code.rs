//! What `kalg check` answers on the programs of corpus/handwritten-aie: every line of its list is a test by example. What kalg
//! emits is read back, and computes what it was compiled for. No text whatever makes it panic.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use crate::listed::{answer, checks, root, title};
use kalg::backend::CheckError;
use kalg::backend::vector::machine::{Machine, cpp};
use kalg::backend::vector::schedule::constant::{Form, Plan, choose, plans};
use kalg::backend::vector::workload::{Dim, Element, Placement, Workload};
use kalg::backend::vector::{CodeRequest, check_code, decompose};
use kalg::budget::Budget;
use kalg::report::Answer;
use kalg::syntax::{Source, render};
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

fn machine() -> Arc<Machine> {
    Arc::new(Machine::builtin(Machine::builtin_names()[0]).unwrap())
}

fn request(text: &str, against: Option<&str>) -> CodeRequest {
    CodeRequest {
        source: Source::new("code.cc", text),
        against: against.map(|text| Source::new("filter.sexp", text)),
        machine: machine(),
        block: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        rows: Vec::new(),
        pitch: None,
        output_pitch: None,
        anchor: None,
        tile: None,
        weights: Vec::new(),
        defines: Vec::new(),
        input_range: None,
        lenient: false,
    }
}

/// A filter of the corpus as a workload over a small tile, with its file.
fn filter(rows: &[&[i64]], shift: u32, element: Element) -> (Workload, String) {
    let (width, height) = (rows[0].len(), rows.len());
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("({})", row.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")))
        .collect();
    let file = format!(
        "(filter f (inputs image) (output out (scale 1/{} (kernel {}))))",
        1u32 << shift,
        lines.join(" ")
    );
    let values = rows.iter().flat_map(|row| row.iter().copied()).collect();
    let workload = Workload {
        shift,
        range: [0, 15],
        ..Workload::known("f", element, [64, 4], [width, height], [1, 1], values)
    };
    (workload, file)
}

/// Elements from one row to the next.
fn row(placement: &Placement) -> i64 {
    let at = |y| placement.index(|dim| if dim == Dim::Y { y } else { 0 }) as i64;
    at(1) - at(0)
}

#[test]
fn emitted_code_computes_what_it_was_compiled_for() {
    let binomial = [1i64, 4, 6, 4, 1];
    let gauss: Vec<Vec<i64>> = binomial.iter().map(|a| binomial.iter().map(|b| a * b).collect()).collect();
    let gauss: Vec<&[i64]> = gauss.iter().map(Vec::as_slice).collect();
    let sobel: [&[i64]; 3] = [&[1, 0, -1], &[2, 0, -2], &[1, 0, -1]];
    let sharpen: [&[i64]; 3] = [&[0, -1, 0], &[-1, 5, -2], &[0, -1, 0]];
    let mut read = 0;
    for (rows, shift) in [(&gauss[..], 8), (&sobel[..], 0), (&sharpen[..], 0)] {
        for element in Element::ALL {
            let (workload, file) = filter(rows, shift, element);
            let splits = match element {
                Element::Int8 => Vec::new(),
                _ => decompose(&machine(), &workload, &[]).unwrap(),
            };
            // Forms that lag behind begin a row of outputs with a vector that is none.
            let forms =
                [Form::Padded, Form::Direct, Form::Folded, Form::Columns, Form::Passes, Form::Swapped];
            for form in forms {
                let plans = plans(&machine(), &workload, &splits, &[]).into_iter();
                let plans: Vec<Plan> =
                    plans.filter(|plan| plan.form == form && plan.split == 0 && plan.rows == 1).collect();
                // Not every form is one of every filter.
                let Ok(chosen) = choose(&machine(), &workload, &splits, &plans, &Budget::unlimited()) else {
                    continue;
                };
                let mut request = request(&cpp(&machine(), &chosen.program), Some(&file));
                request.tile = Some([64, 4]);
                let late = matches!(form, Form::Columns | Form::Passes);
                if form == Form::Passes {
                    // Whole rows of outputs are none: too few are left to find out how far rows are apart.
                    request.pitch = Some(row(&chosen.placed.input));
                    request.output_pitch = Some(row(&chosen.placed.output));
                }
                let record = check_code(&request);
                let record = record.unwrap_or_else(|error| panic!("{}: {error:?}", request.source.text()));
                let what = format!("{form:?} of {element}, shift {shift}\n{}", request.source.text());
                // Outputs of two passes lag rows behind.
                let passes = form == Form::Passes;
                let expected = if passes { Answer::EqualUpTo } else { Answer::Equal };
                assert_eq!(record.verdict, Some(expected), "{what}");
                let begins = record.notes.iter().filter(|note| note.id == "begins-later").count();
                assert_eq!(begins, usize::from(late), "{what}");
                read += 1;
            }
        }
    }
    assert!(read >= 15, "{read} forms");
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
