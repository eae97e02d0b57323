//! `kalg optimize` on whole programs with conditions and digital registers, as users run it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

use serde_json::Value;

use crate::scratch::Scratch;

fn optimize(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kalg"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["optimize", "--cost", "scamp5", "--nodes", "20"])
        .args(arguments)
        .output()
        .unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = optimize(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const SOBEL: &str = "corpus/handwritten/clumsy-masked-sobel.scamp";
const THRESHOLD: &str = "corpus/handwritten/clumsy-threshold.cpp";
const INTERLEAVED: &str = "corpus/handwritten/clumsy-interleaved.cpp";
const MORPHOLOGY: &str = "corpus/handwritten/clumsy-morphology.cpp";
const LINEAR: &str = "corpus/handwritten/gauss-3-macros.scamp";

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn stretches_before_and_under_a_mask_are_shortened() {
    insta::assert_snapshot!(printed(&[SOBEL, "--lift", "E"]));
}

#[test]
fn what_changes_nothing_that_is_kept_is_removed() {
    insta::assert_snapshot!(printed(&[THRESHOLD]));
    let record: Value = serde_json::from_str(&printed(&[THRESHOLD, "--lift", "R5", "--json"])).unwrap();
    assert_eq!(record["kept"], serde_json::json!(["R5"]));
    assert_eq!((&record["verified"], &record["undecided"]), (&Value::from("whole"), &Value::Null));
    let removed: Vec<u64> =
        record["removed"].as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(removed, [8, 14, 17, 21, 22]);
    let stretch = &record["stretches"][0];
    assert_eq!((&stretch["first_line"], &stretch["last_line"]), (&3.into(), &7.into()));
    assert!(record["cycles"].as_u64() < record["cycles_before"].as_u64());
}

#[test]
fn linear_instructions_with_digital_ones_between_them_are_searched_together() {
    insta::assert_snapshot!(printed(&[INTERLEAVED]));
}

#[test]
fn digital_instructions_are_remade_and_copies_avoided() {
    insta::assert_snapshot!(printed(&[MORPHOLOGY, "--lift", "R8"]));
}

#[test]
fn what_cancels_errors_is_kept_if_that_is_asked() {
    let is_macro = |text: &Value| !text.as_str().unwrap().starts_with("bus");
    let all_macros = |record: &Value| record["program"].as_array().unwrap().iter().all(is_macro);
    let whole = json(&[THRESHOLD, "--lift", "R5", "--keep", "compensation"]);
    assert!(all_macros(&whole) && !all_macros(&json(&[THRESHOLD, "--lift", "R5"])));
    assert!(whole["cycles"].as_u64() < whole["cycles_before"].as_u64());
    assert_eq!(whole["keep"], serde_json::json!(["compensation"]));
    // The same for a linear program, which halves with and without compensation.
    let linear = json(&[LINEAR, "--keep", "compensation"]);
    assert_eq!((&linear["isa"], &linear["objective"]), (&"macro".into(), &"cycles".into()));
    assert!(all_macros(&linear));
    assert_eq!(json(&[LINEAR])["isa"], "bus");
}

/// Instructions that are there for more than what their operands hold afterwards.
#[test]
fn what_leaves_no_named_result_is_kept_where_it_may_matter() {
    let scratch = Scratch::new("kept");
    for text in [
        // A flood, whose only result no operand names.
        "PROP0();",
        "MOV(R12, R5); MOV(R0, R6); PROP1();",
        "REFRESH(R5); REFRESH(R6);",
        // The kernel before may have left another flag, and so may this one in the last round of a loop.
        "ALL(); mov(B, A); where(B);",
        "all(); mov(B, A);",
        // The number goes to the elements of the flag only.
        "mov(A, B); WHERE(R5); scamp5_in(A, 5); all();",
    ] {
        let code = format!("void f() {{ scamp5_kernel_begin(); {text} scamp5_kernel_end(); }}");
        let record = json(&[&scratch.file("kept.cpp", code), "--isa", "macro"]);
        let given: Vec<String> = text.split_inclusive(';').map(|line| line.trim().to_owned()).collect();
        assert_eq!(record["program"], serde_json::json!(given), "{text}");
    }
}

#[test]
fn every_register_is_kept_if_that_is_asked() {
    let record = json(&[LINEAR, "--keep", "registers"]);
    assert_eq!(record["keep"], serde_json::json!(["registers"]));
    let kept: Vec<&str> =
        record["kept"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(["A", "F", "NEWS", "R0", "R12"].iter().all(|name| kept.contains(name)), "{kept:?}");
    assert!(!kept.contains(&"IN"));
    // An opening leaves other scratch values if only its result counts.
    let [all, one] = [&["--keep", "registers"], &["--lift", "R8"]]
        .map(|what| json(&[&[MORPHOLOGY][..], &what[..]].concat())["cycles"].as_u64());
    assert!(one < all, "{one:?} {all:?}");
}

#[test]
fn the_code_is_a_program_again_which_computes_the_same() {
    let code = printed(&[SOBEL, "--emit", "code"]);
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("shortened-{}.scamp", std::process::id()));
    std::fs::write(&file, code).unwrap();
    let check = Command::new(env!("CARGO_BIN_EXE_kalg"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "check",
            file.to_str().unwrap(),
            "--against",
            SOBEL,
            "--outputs",
            "E=E",
            "--inputs",
            "a=A,e=E,m=R5",
        ])
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(check.status.code(), Some(0), "{}", String::from_utf8_lossy(&check.stdout));
}

#[test]
fn what_cannot_be_shortened_as_a_whole_is_refused() {
    let said = |arguments: &[&str]| {
        let output = optimize(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    // The bound of a loop, and parameters, that only the host knows.
    let open = said(&["corpus/handwritten/threshold-level-open.cpp", "--block", "1"]);
    assert!(open.contains("only a whole program can be shortened") && open.contains("level"), "{open}");
    let flood = said(&["corpus/handwritten/flood.cpp", "--block", "2"]);
    assert!(flood.contains("its first 4 rounds are read") && flood.contains("--host"), "{flood}");
    let parameter = said(&["corpus/handwritten/threshold-function.cpp", "--block", "1"]);
    assert!(parameter.contains("may be any register"), "{parameter}");
    assert!(said(&[SOBEL, "--lift", "Q"]).contains("no register `Q`"));
    assert!(said(&[SOBEL, "--max-error", "0.1"]).contains("does not apply"));
    assert!(said(&[SOBEL, "--keep-input"]).contains("--keep-input does not apply"));
    assert!(said(&[SOBEL, "--emit", "dot"]).contains("no form `dot`"));
    assert!(said(&[SOBEL, "--keep", "noise"]).contains("takes `compensation` and `registers`"));
    assert!(said(&[SOBEL, "--keep", "registers", "--lift", "E"]).contains("--lift does not apply"));
    assert!(said(&[LINEAR, "--keep", "registers", "--keep-input"]).contains("--keep-input does not apply"));
    assert!(said(&["corpus/classic/box-3.sexp", "--keep", "compensation"]).contains("not for kernel files"));
    // A linear program writes no bits, and one that writes nothing is shown where it begins.
    let bit = said(&[LINEAR, "--lift", "R6"]);
    assert!(bit.contains("`R6` holds bits, and this program computes numbers"), "{bit}");
    let scratch = Scratch::new("empty-kernel");
    let empty = scratch
        .file("empty.cpp", "int n;\nvoid k() {\n  scamp5_kernel_begin();\n  scamp5_kernel_end();\n}\n");
    let nothing = said(&[&empty]);
    assert!(nothing.contains("error[no-result]: the program writes no register"), "{nothing}");
    assert!(nothing.contains("empty.cpp:3:3"), "{nothing}");
    let typo = said(&["corpus/handwritten/threshold-level-open.cpp", "--block", "1", "--host", "levle=3"]);
    assert!(typo.contains("--host levle: no such name is in the source; did you mean `level`?"), "{typo}");
    let both = said(&[LINEAR, "--keep", "compensation", "--division", "quick"]);
    assert!(both.contains("contradict"), "{both}");
}
