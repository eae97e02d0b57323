//! The C++ that kalg emits for vector machines is followed on symbols, and says at its head how it is checked.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::code_request::machine;
use crate::command::{optimize, text};
use crate::scratch::Scratch;
use crate::vliw_command::check;
use kalg::backend::vector::decompose;
use kalg::backend::vector::machine::cpp;
use kalg::backend::vector::schedule::constant::{Form, Plan, choose, plans};
use kalg::backend::vector::verify::emitted::check_emitted;
use kalg::backend::vector::verify::tensor::Answer;
use kalg::backend::vector::workload::{Element, Workload};
use kalg::budget::Budget;

/// The options of the command that code names at its head.
fn said(code: &str, against: &str) -> Vec<String> {
    let line = code.lines().find_map(|line| line.strip_prefix("// check: kalg check CODE --target aie "));
    line.unwrap().replace('\'', "").split(' ').map(|word| word.replace("FILTER", against)).collect()
}

/// Images begin with margins, several are planes of one array, rows end with what are not outputs, and windows reach further than half of
/// a row. No input is near zero.
#[test]
fn emitted_code_says_how_it_is_checked() {
    let scratch = Scratch::new("said");
    let code = scratch.path("code.cc");
    let wide = "(filter f (inputs a b) (output s (add (from a (kernel (1 2 1))) (from b (kernel (1 0 1)))))
        (output $d (from a (kernel (origin 0 0) (1 2 3 4 5 6 7 1 2)))))";
    let wide = scratch.file("wide.sexp", wide);
    for (file, tile, element) in [
        ("corpus/classic/box-5.sexp", "256x16", "int16"),
        ("corpus/classic/sharpen.sexp", "32x1", "int8"),
        ("corpus/vector/gradient-pair.sexp", "64x4", "int16"),
        ("corpus/vector/luminance-blur.sexp", "64x4", "int16"),
        ("corpus/vector/separable-5.sexp", "64x4", "int32"),
        (&wide, "8x4", "int32"),
    ] {
        let range: &[&str] = if file == wide { &["--range", "20000..30000"] } else { &[] };
        let options =
            [file, "--tile", tile, "--type", element, "--nodes", "300", "--emit", "code", "-o", &code];
        let made = optimize(&[&options, range].concat());
        assert_eq!(made.status.code(), Some(0), "{file}: {}", text(&made.stderr));
        let written = std::fs::read_to_string(&code).unwrap();
        let options = said(&written, file);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let checked = check(&code, &options);
        assert_eq!(checked.status.code(), Some(0), "{file}: {}", text(&checked.stdout));
        // A store to the next elements.
        let (before, after) = written.rsplit_once(") = ").unwrap();
        std::fs::write(&code, format!("{before} + 16) = {after}")).unwrap();
        assert_eq!(check(&code, &options).status.code(), Some(1), "{file}");
    }
}

/// A tile further on does not stand for a plane that is named and overwritten.
#[test]
fn places_that_are_given_are_kept() {
    let scratch = Scratch::new("kept");
    let (file, code) = ("corpus/vector/gradient-pair.sexp", scratch.path("code.cc"));
    let made = optimize(&[file, "--tile", "64x4", "--nodes", "300", "--emit", "code", "-o", &code]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let written = std::fs::read_to_string(&code).unwrap();
    let longer = written.replace("y < 2;", "y < 4;");
    assert_ne!(written, longer);
    std::fs::write(&code, &longer).unwrap();
    let options = said(&written, file);
    let checked = check(&code, &options.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(checked.status.code(), Some(1), "{}", text(&checked.stdout));
}

/// Without the places of images, what is stored before the first output is passed over.
#[test]
fn outputs_that_begin_later_are_found() {
    let scratch = Scratch::new("later");
    let (file, code) = ("corpus/vector/separable-5.sexp", scratch.path("code.cc"));
    let made = optimize(&[
        file, "--tile", "64x4", "--type", "int32", "--nodes", "100", "--emit", "code", "-o", &code,
    ]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let checked = check(&code, &["--against", file, "--tile", "64x4"]);
    let said = text(&checked.stdout);
    assert!(checked.status.success() && said.contains("the tile begins at `out[8]`"), "{said}");
}

/// Each statement of the loop is needed: without it, the code is found to be wrong.
#[test]
fn a_missing_statement_shows() {
    let rows: [&[i64]; 3] = [&[1, 2, 1], &[2, 4, 2], &[1, 2, 1]];
    for element in [Element::Int16, Element::Int32] {
        let workload = Workload {
            shift: 4,
            range: [0, 15],
            ..Workload::known("f", element, [64, 2], [3, 3], [1, 1], rows.concat())
        };
        let splits = decompose(&machine(), &workload, &[]).unwrap();
        for form in [Form::Direct, Form::Folded, Form::Columns, Form::Passes] {
            let all: Vec<Plan> =
                plans(&machine(), &workload, &splits, &[]).into_iter().filter(|p| p.form == form).collect();
            let chosen = choose(&machine(), &workload, &splits, &all, &Budget::unlimited()).unwrap();
            let code = cpp(&machine(), &chosen.program);
            let answer =
                |code: &str| check_emitted(&machine(), &workload, &chosen.placed, &chosen.program, code);
            assert_eq!(answer(&code), Ok(Some(Answer::Equal)), "{form:?} of {element}\n{code}");
            let begins = code.find("chess_prepare_for_pipelining").unwrap();
            let lines: Vec<&str> =
                code[begins..].lines().skip(1).filter(|line| line.ends_with(';')).collect();
            for line in lines {
                let without = code.replacen(line, "", 1);
                assert_ne!(
                    answer(&without),
                    Ok(Some(Answer::Equal)),
                    "{form:?} of {element} without {line}\n{code}"
                );
            }
        }
    }
}
