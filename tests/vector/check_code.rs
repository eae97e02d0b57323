//! The answers of `kalg check` on the programs of corpus/handwritten-aie: every line of its list is a test. No text
//! makes it panic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use crate::code_request::{machine, request};
use crate::listed::{answer, checks, root, title};
use kalg::backend::CheckError;
use kalg::backend::vector::machine::{VliwMachine, read_machine};
use kalg::backend::vector::{CodeRequest, check_code};
use kalg::report::Answer;
use kalg::syntax::{Source, render};
use proptest::prelude::*;

const FOLDER: &str = "corpus/handwritten-aie";

/// The complete output of the command for a vector program.
fn told(file: &str, arguments: &[String]) -> String {
    answer(&["--target", VliwMachine::builtin_names()[0]], FOLDER, file, arguments)
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

/// The built-in descriptor with some text replaced.
fn changed_machine(changes: &[(&str, &str)]) -> Result<VliwMachine, String> {
    let path = "rules/aie/target.sexp";
    let mut text = std::fs::read_to_string(root().join(path)).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let source = Source::new(path, text);
    read_machine(&source).map_err(|found| render(&source, &found, false))
}

/// The findings for sums of two neighbours, with intrinsics that begin a sum, add to it and round it.
fn sums_of_two(machine: &VliwMachine, begin: &str, add: &str, round: &str) -> Result<Answer, String> {
    let text = format!(
        "void sums(const int32_t *in, int32_t *out) {{
            v16int32 x = concat(*(v8int32 *)in, *(v8int32 *)(in + 8));
            const int32_t ones[8] = {{1, 1}};
            v8int32 z = *(v8int32 *)ones;
            v8acc80 sum = {begin};
            sum = {add};
            *(v8int32 *)out = {round}(sum, 0);
        }}"
    );
    let filter = "(filter f (inputs in) (output out (kernel (1 1) (origin 0 0))))";
    let request = CodeRequest { machine: Arc::new(machine.clone()), ..request(&text, Some(filter)) };
    let record = check_code(&request).map_err(|error| format!("{error:?}"))?;
    record.verdict.ok_or_else(|| "no verdict".to_owned())
}

#[test]
fn the_descriptor_says_which_intrinsics_there_are() {
    let usual = ["lmul8(x, 0, 0x76543210, z, 0, 0)", "lmac8(sum, x, 1, 0x76543210, z, 1, 0)"];
    let other = ["vbegin(x, z, 0, 0, 0, 0x76543210)", "vadd(sum, x, z, 1, 0, 1, 0x76543210)"];
    let found =
        |machine: &VliwMachine, [begin, add]: [&str; 2], round: &str| sums_of_two(machine, begin, add, round);
    assert_eq!(found(&machine(), usual, "srs"), Ok(Answer::Equal));
    assert!(found(&machine(), other, "srs").unwrap_err().contains("`vbegin` is not supported"));
    // Other names, operands in another order, and another function that rounds.
    let renamed = changed_machine(&[
        (
            "(multiplication (add lmac8) (begin lmul8) (subtract lmsc8) (begin-negated lnegmul8)",
            "(multiplication (add vadd) (begin vbegin)",
        ),
        ("(mode lmac8 lmul8", "(mode vadd vbegin"),
        ("(pre-add lmac8 ", "(pre-add vadd "),
        ("(pre-subtract lmac8 ", "(pre-subtract vadd "),
        ("(operands x xstart xoffsets z zstart zoffsets)", "(operands x z zstart zoffsets xstart xoffsets)"),
        ("(function srs round", "(function vround round"),
    ]);
    let renamed = renamed.unwrap();
    assert_eq!(found(&renamed, other, "vround"), Ok(Answer::Equal));
    assert!(found(&renamed, other, "srs").unwrap_err().contains("`srs` is not supported"));
    assert!(found(&renamed, usual, "vround").unwrap_err().contains("`lmul8` is not supported"));
    // The descriptor also declares the effect of a name on the sum.
    let subtracts = changed_machine(&[
        ("(add lmac4)", "(add lmac4 vother)"),
        ("(subtract lmsc8) ", "(subtract lmsc8 vsub) "),
    ]);
    let subtracts = subtracts.unwrap();
    let add = "vsub(sum, x, 1, 0x76543210, z, 1, 0)";
    assert_eq!(found(&subtracts, [usual[0], add], "srs"), Ok(Answer::Different));
}

#[test]
fn bad_declarations_of_intrinsics_are_refused_with_their_place() {
    let refused = |from: &str, to: &str| changed_machine(&[(from, to)]).unwrap_err();
    insta::assert_snapshot!(refused("(function upd_w replace 256)", "(function upd_w replaces 256)"));
    insta::assert_snapshot!(refused(
        "(operands x xstart xoffsets z zstart zoffsets)",
        "(operands x xstart z zstart zoffsets)"
    ));
}

#[test]
fn shifts_are_shorter_than_the_lanes_of_the_accumulator() {
    let answer = |[element, lanes, accumulator]: [&str; 3], widen: &str, shifts: [u32; 2]| {
        let [left, right] = shifts;
        let text = format!(
            "void copied(const {element}_t *in, {element}_t *out) {{
                {accumulator} sum = {widen}(*(v{lanes}{element} *)in, {left});
                *(v{lanes}{element} *)out = srs(sum, {right});
            }}"
        );
        let filter = "(filter f (inputs in) (output out (kernel (1))))";
        check_code(&request(&text, Some(filter))).map(|record| record.verdict).map_err(|e| format!("{e:?}"))
    };
    let wide = ["int32", "8", "v8acc80"];
    assert_eq!(answer(wide, "lups", [63, 63]), Ok(Some(Answer::Equal)));
    for shifts in [[64, 0], [0, 64]] {
        assert!(answer(wide, "lups", shifts).unwrap_err().contains("a shift by 0 to 63 bits"));
        let narrow = answer(["int16", "16", "v16acc48"], "ups", shifts).unwrap_err();
        assert!(narrow.contains("a shift by 0 to 47 bits"), "{narrow}");
    }
}

/// Tokens of kernels in arbitrary order.
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

/// A correct kernel with some characters replaced.
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

#[test]
fn rows_that_are_guessed_lie_no_nearer_than_a_row_is_wide() {
    let text = std::fs::read_to_string(root().join(FOLDER).join("gauss-3-rows.cc")).unwrap();
    let filter = "(filter f (inputs image) (output out (scale 1/16 (kernel (1 2 1) (2 4 2) (1 2 1)))))";
    let verdict = |text: &str| {
        let mut request = request(text, Some(filter));
        request.tile = Some([64, 1]);
        check_code(&request).unwrap().outputs[0].verdict
    };
    // The second half of the first row is read from the second row. It would be equal if rows were sixteen elements apart.
    let wrong = text.replace("upd_w(data, 1, *row0)", "upd_w(data, 1, *row1)");
    assert_ne!(wrong, text);
    assert_eq!(verdict(&text), Answer::Equal);
    assert_eq!(verdict(&wrong), Answer::Different);
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
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

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
