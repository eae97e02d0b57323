//! `kalg check` as a user runs it, and its reader of other people's sources.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

use kalg::syntax::Source;
use kalg::target::{Reading, Target, blocks, builtin_names, read_listing};
use serde_json::Value;

fn target() -> Target {
    Target::builtin(builtin_names()[0]).unwrap()
}

fn check(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("check").args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> (Value, Option<i32>) {
    let output = check(&[arguments, &["--json"]].concat());
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

/// The instructions that a text is read as.
fn read(text: &str) -> Vec<String> {
    let target = target();
    let source = Source::new("test", text);
    match read_listing(&target, &source, &Reading::default()) {
        Ok(listing) => listing.program.instructions.iter().map(|i| target.instruction_text(i)).collect(),
        Err(diagnostics) => panic!("{}", kalg::syntax::render(&source, &diagnostics, false)),
    }
}

/// The mistakes that are found in a text: line, name, message.
fn mistakes(text: &str) -> Vec<String> {
    let source = Source::new("test", text);
    let diagnostics = read_listing(&target(), &source, &Reading::default()).unwrap_err();
    diagnostics
        .iter()
        .map(|d| format!("{} {}: {}", source.position(d.place().start as usize).line, d.id, d.message))
        .collect()
}

#[test]
fn results_on_the_left_line_numbers_and_names_of_other_compilers() {
    assert_eq!(read("1 B = east (A)\n2 A = add (A, B)"), ["movx(B, A, east)", "add(A, A, B)"]);
    assert_eq!(
        read("B = div2(A)\nC = sneg(B);\nD = sub(A,\n B)"),
        ["divq(B, A)", "neg(C, B)", "sub(D, A, B)"]
    );
    assert_eq!(read("south(B, A); div2_inplace(B, A);"), ["movx(B, A, south)", "divq(B, A)"]);
}

#[test]
fn a_source_s_own_definitions_come_before_those_of_other_compilers() {
    let text =
        "#define east(X,Y) {mov(X,Y,east);}\n#define div2(X,Y)\t{div(X,F,Y);}\neast(B, A); div2(C, B);";
    assert_eq!(read(text), ["mov(B, A, east)", "div(C, F, B)"]);
    let block = "#define neg_inplace(X,Y)({\\\n\tmov(F,Y);\\\n\tneg(X,F);\\\n})\nneg_inplace(A, A);";
    assert_eq!(read(block), ["mov(F, A)", "neg(A, F)"]);
}

#[test]
fn loops_are_unrolled_forwards_and_backwards() {
    let body = "movx(A, A, east);";
    for header in [
        "int i = 0; i < 3; i++",
        "unsigned int i=1;i<=3;++i",
        "int i = 6; i > 0; i -= 2",
        "auto i = 0; i != 2 * 3; i += 1 + 1",
        "int i = 2; i >= 0; i--",
    ] {
        assert_eq!(read(&format!("for ({header}) {{ {body} }}")).len(), 3, "{header}");
        assert_eq!(read(&format!("for ({header}) {body} neg(B, A);")).len(), 4, "{header}");
    }
    assert_eq!(
        read(&format!("for (int i = 0; i < 0; i++) {{ {body} {{ {body} }} }} neg(B, A);")),
        ["neg(B, A)"]
    );
    let nested =
        "const int N = 2;\nfor (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) newsblur(B, A, j + 1);";
    assert_eq!(read(nested), ["newsblur(B, A, 1)", "newsblur(B, A, 1)", "newsblur(B, A, 2)"]);
}

#[test]
fn loops_without_a_constant_bound_are_named_once() {
    assert_eq!(
        mistakes("for (int i = 0; i < n; i++) { mov(B, A); }\nneg(B, B_);"),
        [
            "1 unreadable: `n` is not known before the program runs",
            "2 unknown-operand: `B_` is no register, view or direction of `scamp5`"
        ]
    );
    assert_eq!(
        mistakes("for (int i = 0; i >= 0; i++) { }"),
        ["1 endless-loop: the loop does not end, or runs for too long"]
    );
    let twice = "for (int i = 0; i < 90000; i++) for (int j = 0; j < 90000; j++) ;";
    assert_eq!(mistakes(twice)[0].split(':').next(), Some("1 endless-loop"));
}

#[test]
fn what_is_not_straight_line_code_is_named_and_the_rest_is_read() {
    let text =
        "if (x) { mov(A, B); }\nwhile (1) mov(A, B);\nreturn;\nMOV(S0, S1);\nmov(A, Q);\n}\nmov(B, A)\n";
    assert_eq!(
        mistakes(text),
        [
            "1 unreadable: `if` is decided when the program runs",
            "2 unreadable: `while` is decided when the program runs",
            "3 unreadable: `return` is decided when the program runs",
            "4 unreadable: `MOV` works on digital registers",
            "5 unknown-operand: `Q` is no register, view or direction of `scamp5`",
            "6 unexpected: expected an instruction, found `}`",
            "7 unexpected: expected `;` after the instruction, found the end",
        ]
    );
}

#[test]
fn brackets_pair_and_blocks_are_counted() {
    assert_eq!(
        mistakes("scamp5_kernel_begin(); mov(B, A);")[0].split(':').next(),
        Some("1 unpaired-bracket")
    );
    assert_eq!(mistakes("mov(B, A);\nscamp5_kernel_end();")[0].split(':').next(), Some("2 unpaired-bracket"));
    let mixed = "scamp5_kernel_begin();\nscamp5_dynamic_kernel_end();";
    assert_eq!(
        mistakes(mixed),
        ["2 unpaired-bracket: `scamp5_dynamic_kernel_end` ends what `scamp5_kernel_begin` began"]
    );
    let source = Source::new(
        "test",
        "f(){scamp5_kernel_begin();scamp5_kernel_end();}\ng(){ scamp5_kernel_begin(); scamp5_kernel_end() ;}",
    );
    assert_eq!(blocks(&target(), &source).unwrap().len(), 2);
    let chosen = Reading { block: Some(3), ..Reading::default() };
    assert_eq!(
        read_listing(&target(), &source, &chosen).unwrap_err().iter().next().unwrap().id,
        "no-such-block"
    );
}

#[test]
fn what_is_printed_reads_back() {
    let target = target();
    let text = "scamp5_kernel_begin();\nadd2x(A, C, E, west, north);\nbus(B, XE, NEWS);\nnewsblur(A, B, 2);\nscamp5_kernel_end();\n";
    let listing = read_listing(&target, &Source::new("test", text), &Reading::default()).unwrap();
    assert_eq!(target.print(&listing.program), text);
}

#[test]
fn exit_codes_and_records() {
    let (record, code) =
        json(&["corpus/handwritten/sobel-x-bus.scamp", "--against", "corpus/classic/sobel-x.sexp"]);
    assert_eq!((record["verdict"].as_str(), code), (Some("equal"), Some(0)));
    assert_eq!(record["outputs"][0]["valid_border"]["west"], 1);
    assert_eq!(record["counterexample"], Value::Null);
    let (record, code) =
        json(&["corpus/handwritten/box-2-shifted.scamp", "--against", "corpus/classic/box-2.sexp"]);
    assert_eq!((record["verdict"].as_str(), code), (Some("equal-up-to"), Some(1)));
    assert_eq!(
        record["outputs"][0]["up_to"],
        serde_json::json!({"shift": [1, -1, 0], "sign": false, "scale": null})
    );
    let (record, code) =
        json(&["corpus/handwritten/box-3-tap-missing.scamp", "--against", "corpus/classic/box-3.sexp"]);
    assert_eq!((record["verdict"].as_str(), code), (Some("different"), Some(1)));
    let tap = serde_json::json!([{"input": "image", "offset": [1, 1, 0], "expected": "1", "found": "0"}]);
    assert_eq!(record["outputs"][0]["differs_at"], tap);
    assert_eq!(record["counterexample"]["image"], serde_json::json!([[0.0, 1.0], [0.0, 0.0]]));
    let (record, code) = json(&["corpus/handwritten/misspelt.scamp"]);
    assert_eq!((record["error"]["kind"].as_str(), code), (Some("bad-input"), Some(2)));
    assert_eq!(check(&["corpus/nothing.scamp"]).status.code(), Some(2));
}

#[test]
fn registers_are_named_where_they_are_not_guessed() {
    let sobel = "corpus/handwritten/sobel-x-bus.scamp";
    let against = ["--against", "corpus/classic/sobel-x.sexp"];
    let (record, code) = json(&[&[sobel, "--output-register", "C"], &against[..]].concat());
    assert_eq!((record["outputs"][0]["register"].as_str(), code), (Some("C"), Some(1)));
    let (record, code) = json(&[&[sobel, "--outputs", "out=D", "--input", "A"], &against[..]].concat());
    assert_eq!((record["outputs"][0]["chosen"].as_bool(), code), (Some(false), Some(0)));
    for wrong in [
        &["--outputs", "gx=D"][..],
        &["--output-register", "Q"],
        &["--inputs", "picture=A"],
        &["--target", "nothing"],
    ] {
        let output = check(&[&[sobel], &against[..], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(output.stderr.starts_with(b"error: "), "{wrong:?}");
    }
}
