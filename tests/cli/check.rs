//! `kalg check` as users run it, and its reader of foreign sources.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::{Command, Output};

use kalg::backend::array::machine::{Reading, Target, blocks, builtin_names, read_listing};
use kalg::syntax::Source;
use serde_json::Value;

use crate::scratch::Scratch;

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

/// `kalg optimize` calls the machine `--cost`.
#[test]
fn the_machine_has_the_name_that_other_commands_give_it() {
    let asked = ["corpus/handwritten/sobel-x-bus.scamp", "--against", "corpus/classic/sobel-x.sexp"];
    let [named, costed] =
        ["--target", "--cost"].map(|option| check(&[&asked[..], &[option, "scamp5"]].concat()));
    assert_eq!(costed.status.code(), Some(0), "{}", String::from_utf8_lossy(&costed.stderr));
    assert_eq!(costed.stdout, named.stdout);
}

/// The instructions read from a text.
fn read(text: &str) -> Vec<String> {
    let target = target();
    let source = Source::new("test", text);
    match read_listing(&target, &source, &Reading::default()) {
        Ok(listing) => listing.program.instructions.iter().map(|i| target.instruction_text(i)).collect(),
        Err(diagnostics) => panic!("{}", kalg::syntax::render(&source, &diagnostics, false)),
    }
}

/// The errors found in a text: line, name, message.
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
        ["2 unknown-operand: `B_` is not a register, view or direction of `scamp5`"]
    );
    assert_eq!(
        noted("for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) mov(B, A); }"),
        ["the bound of this loop, `n`, is not known: its first 4 rounds are read"; 2]
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
        "if (x) { mov(A, B); }\nwhile (1) mov(A, B);\ngoto end;\nMOV(S0, S1);\nmov(A, Q);\n}\nmov(B, A)\n";
    assert_eq!(
        mistakes(text),
        [
            "1 host-value: the value of `x` is not known before the program runs",
            "2 endless-loop: the loop does not end, or runs for too long",
            "3 unreadable: `goto` is not followed",
            "5 unknown-operand: `Q` is not a register, view or direction of `scamp5`",
            "6 unexpected: expected an instruction, found `}`",
            "7 unexpected: expected `;` after the instruction, found the end",
        ]
    );
}

/// The ids of the notes on a readable text.
fn noted(text: &str) -> Vec<String> {
    let listing = read_listing(&target(), &Source::new("test", text), &Reading::default()).unwrap();
    listing.notes.iter().map(|note| note.message.clone()).collect()
}

#[test]
fn conditions_are_evaluated_as_in_c_and_guesses_are_noted() {
    let branches = "#if 0\nmov(B, A);\n#elif N == 2\nneg(B, A);\n#else\nmov(C, A);\n#endif";
    assert_eq!(read(branches), ["mov(C, A)"]);
    assert_eq!(noted(branches), ["the source does not define `N`: the code after `#else` is read"]);
    assert_eq!(read(&format!("#define N 2\n{branches}")), ["neg(B, A)"]);
    assert_eq!(noted(&format!("#define N 2\n{branches}")), [""; 0]);
    let defined = "#ifdef SIM\n#define D east\n#else\n#define D west\n#endif\nscamp5_kernel_begin();\nmovx(B, A, D);\nscamp5_kernel_end();";
    assert_eq!(read(defined), ["movx(B, A, west)"]);
    assert_eq!(noted(defined).len(), 1);
    assert_eq!(noted(&defined.replace("A, D", "A, east")), [""; 0], "the program does not depend on it");
    assert_eq!(
        mistakes("mov(B, A);\n#if N\nmov(C, A);"),
        ["2 unpaired-condition: the condition has no `#endif`"]
    );
    let included = "scamp5_kernel_begin();\nmov(B, A);\n#include \"rest.inc\"\nscamp5_kernel_end();";
    assert_eq!(mistakes(included), ["3 unreadable: other files are not read"]);
    assert_eq!(read("#include <scamp5.hpp>\nmov(B, A);"), ["mov(B, A)"]);
}

#[test]
fn lines_are_joined_and_a_byte_order_mark_is_none() {
    assert_eq!(read("// what follows is a comment, too \\\nmov(B, A);\nneg(C, A);"), ["neg(C, A)"]);
    assert_eq!(read("mo\\\nv(B, A);"), ["mov(B, A)"]);
    assert_eq!(read("\u{FEFF}#define IN A\nmov(B, IN);"), ["mov(B, A)"]);
    assert_eq!(mistakes("mov(B, A);\nmov(\\\nB, Q);")[0].split(':').next(), Some("3 unknown-operand"));
}

#[test]
fn integers_are_those_of_c() {
    for (text, rounds) in
        [("010", 8), ("0x10", 16), ("0b11u", 3), ("1'0", 10), ("(1 << 2) | 1", 5), ("7 % 4 > 2 ? 6 : 1", 6)]
    {
        let loops = format!("for (int i = 0; i < ({text}); i++) movx(A, A, east);");
        assert_eq!(read(&loops).len(), rounds, "{text}");
        assert_eq!(read(&format!("newsblur(B, A, {text});")), [format!("newsblur(B, A, {rounds})")]);
    }
    let source = Source::new("test", "newsblur(B, A, 010);");
    let parsed = target().parse(&source).unwrap().program;
    assert_eq!(target().instruction_text(&parsed.instructions[0]), "newsblur(B, A, 8)");
    assert_eq!(mistakes("newsblur(B, A, 09);")[0].split(':').next(), Some("1 number-too-large"));
    // Variables hold what their types hold, and `unsigned` is computed modulo 2^32.
    for (declarations, test) in [
        ("uint8_t i = 255; i++;", "i == 0"),
        ("unsigned char i = 255; i = i + 1;", "i == 0"),
        ("uint8_t i = 250; i += 10;", "i == 4"),
        ("uint8_t i = 255;", "i + 1 == 256"),
        ("const int8_t i = 200;", "i < 0"),
        ("bool i = 2;", "i == 1"),
        ("short int i = 65537;", "i == 1"),
        ("long int i = 4294967296;", "i > 1"),
        ("unsigned i = 0;", "i - 1 > 5"),
        ("unsigned i = 0;", "-1 > i && ~i > 5"),
        ("unsigned i = 0; int64_t j = -1;", "j < i"),
        ("int i = -7; i /= 2u;", "i > 5"),
        ("int i = 0;", "i - 1 < 5"),
        ("uint16_t v[] = {1, 65538};", "v[1] == 2"),
    ] {
        let text = format!(
            "void f() {{ scamp5_kernel_begin(); {declarations} if ({test}) {{ mov(B, A); }} scamp5_kernel_end(); }}"
        );
        assert_eq!(read(&text), ["mov(B, A)"], "{text}");
    }
    // So do parameters and what functions return, and literals have types.
    for (declared, test) in [
        ("int next(uint8_t i) { return i + 1; }", "next(256) == 1 && next(255) == 256"),
        ("uint8_t next(int i) { return i + 1; }", "next(255) == 0 && next(0) - 2 < 0"),
        ("unsigned less(int i) { return i - 1; }", "less(0) > 5 && less(1) - 1 > 5"),
        ("auto narrow = [](int8_t i) -> bool { return i; };", "narrow(256) == 0 && narrow(2) == 1"),
        ("template <uint8_t N> int same() { return N; }", "same<257>() == 1"),
        ("", "1 - 2u > 5 && -1 > 0u && 1 - 2 < 5 && -1L < 0u"),
        ("", "-(1ull) > 5 && (size_t)0 - 1 > 5 && 0ul < -1 && (0ul - 8) / 4 > 5 && ~0ull >> 60 == 15"),
        ("", "(int)(0ul - 1) == -1 && (size_t)1 - 2 == -1 && 3u * 3000000000u == 410065408"),
        ("", "0xFFFFFFFF + 1 == 0 && 4294967295 + 1 > 5 && 010u == 8"),
        ("constexpr int64_t j = -1; constexpr int k = -1;", "(1 ? k : 2u) > 5 && (1 ? j : j | 2u) < 5"),
        ("", "(1 ? -1 : 1 < 2u) < 0 && (1 ? -1 : 1u << 2) > 5 && (1 ? -1 : 3 << 2u) < 0"),
    ] {
        let text = format!(
            "{declared}\nvoid f() {{ scamp5_kernel_begin(); if ({test}) {{ mov(B, A); }} scamp5_kernel_end(); }}"
        );
        assert_eq!(read(&text), ["mov(B, A)"], "{text}");
    }
    let sum = vec!["1"; 10_000].join(" + ");
    assert_eq!(read(&format!("for (int i = 9999; i < ({sum}); i++) movx(A, A, east);")).len(), 1);
    let loops = "for (uint8_t i = 254; i != 1; i++) movx(A, A, east);";
    assert_eq!(read(loops).len(), 3);
}

#[test]
fn names_mean_what_they_mean_where_they_stand() {
    let kernel = |before: &str, parameters: &str, code: &str| {
        format!(
            "{before}\nvoid f({parameters}) {{\nscamp5_kernel_begin();\n{code}\nscamp5_kernel_end();\n}}\n"
        )
    };
    let blur = "newsblur(B, A, n);";
    assert_eq!(read(&kernel("const int n = 2;", "", blur)), ["newsblur(B, A, 2)"]);
    assert_eq!(
        read(&kernel("const int n = 2;\nvoid g() { const int n = 5; }", "", blur)),
        ["newsblur(B, A, 2)"]
    );
    assert_eq!(read(&kernel("enum { one = 1, n };", "", blur)), ["newsblur(B, A, 2)"]);
    let later = kernel("const int n = 2;", "", blur) + "void g() { const int n = 3; }\nconst int m = 1;";
    assert_eq!(read(&later), ["newsblur(B, A, 2)"]);
    let unknown = "4 host-value: the value of `n` is not known before the program runs";
    assert_eq!(mistakes(&kernel("const int n = 2;", "int n", blur)), [unknown]);
    assert_eq!(mistakes(&kernel("int n = 2; void g() { n++; }", "", blur)), [unknown]);
    assert_eq!(
        mistakes(&kernel("", "", "newsblur(B, A, n);\nconst int n = 2;"))[0].split(':').next(),
        Some("4 unknown-operand")
    );
    let inner = "{ const int n = 3; newsblur(B, A, n); }\nfor (int n = 1; n < 2; n++) newsblur(B, A, n);\nnewsblur(B, A, n);";
    assert_eq!(
        read(&kernel("const int n = 2;", "", inner)),
        ["newsblur(B, A, 3)", "newsblur(B, A, 1)", "newsblur(B, A, 2)"]
    );
    for (parameters, local) in
        [("AREG A", ""), ("areg_t const& A, int k = 3", ""), ("", "if (x && B) { areg_t A; }\nauto A = C;")]
    {
        let text = format!(
            "void f({parameters}) {{ {local}\nscamp5_kernel_begin(); mov(B, A); scamp5_kernel_end(); }}"
        );
        assert_eq!(read(&text), ["mov(B, C)"], "not the machine's: {text}");
    }
    for (parameters, local, code) in [("", "areg_t A = pick();", "mov(B, A);"), ("int A", "", "mov(B, A);")] {
        let text =
            format!("void f({parameters}) {{ {local}\nscamp5_kernel_begin(); {code} scamp5_kernel_end(); }}");
        let said = mistakes(&text);
        assert!(
            said.len() == 1 && said[0].contains("is declared in the source and is not the machine's"),
            "{text}: {said:?}"
        );
    }
    assert_eq!(read(&kernel("const areg_t image = A;", "", "mov(B, image);")), ["mov(B, A)"]);
    let other = "void g(AREG A) { if (A) { int B; } }\nextern areg_t A, B;";
    assert_eq!(
        read(&kernel(other, "AREG reg", "mov(B, A);")),
        ["mov(B, A)"],
        "elsewhere, or the machine's own"
    );
}

#[test]
fn many_instructions_on_one_line_take_no_longer_than_on_many() {
    // With a quadratic algorithm this takes a minute.
    let text = "movx(A, A, east); movx(A, A, west); ".repeat(10_000);
    let source = Source::new("test", text);
    let listing = read_listing(&target(), &source, &Reading::default()).unwrap();
    assert_eq!(listing.spans.iter().map(|span| source.line_number(span.start as usize)).max(), Some(1));
    assert_eq!(listing.spans.len(), 20_000);
}

#[test]
fn an_image_that_is_taken_overwrites_what_the_vendor_says() {
    let scratch = Scratch::new("load");
    let text = |name: &str, code: &str| scratch.file(&format!("{name}.scamp"), code);
    let both = text("both", "get_image(A, B);\nadd(C, A, B);");
    let (record, code) = json(&[&both]);
    assert_eq!(code, Some(0));
    let taps =
        |register: usize| record["registers"][register]["kernels"][0]["taps"][0]["coefficient"].clone();
    let names: Vec<&str> =
        record["registers"].as_array().unwrap().iter().map(|r| r["register"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B", "C", "NEWS"]);
    assert_eq!([taps(0), taps(1), taps(2)], ["1", "-1/2", "1/2"]);
    assert_eq!(record["uninitialised"], serde_json::json!([]));
    let alone = text("alone", "get_image(A);");
    assert_eq!(json(&[&alone]).0["registers"][0]["register"], "A");
    let read = text("read", "get_image(A);\nbus(B, NEWS);");
    let plain = text("plain", "bus(B, NEWS);");
    for (program, inputs) in [(&both, "image=A,h=B"), (&read, "image=A,n=NEWS")] {
        let output = check(&[program, "--inputs", inputs]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains("overwrites"), "{said}");
    }
    assert_eq!(json(&[&read, "--against", &plain, "--inputs", "image=A,n=NEWS"]).1, Some(2));
    let certificate = text("certificate", "");
    let half = text("half", "mov(C, A); divq(B, A); neg(D, B); add(C, A, D);");
    assert_eq!(
        json(&[&both, "--against", &half, "--outputs", "C=C", "--certificate", &certificate]).1,
        Some(0)
    );
    assert_eq!(check(&["--replay", &certificate]).status.code(), Some(0));
    for (code, id) in [
        ("get_image(A, A);", "distinct-operands"),
        ("get_image(NEWS);", "operand-kind"),
        ("get_image();", "operand-count"),
        ("mov(B, A); get_image(NEWS);", "operand-kind"),
        ("icw(3);", "unreadable"),
    ] {
        assert!(mistakes(code)[0].starts_with(&format!("1 {id}")), "{code}: {:?}", mistakes(code));
    }
    for path in [both, alone, read, plain, certificate, half] {
        std::fs::remove_file(path).unwrap();
    }
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
fn kernel_files_and_empty_files_are_no_programs() {
    let said = |output: Output| {
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let filter = "corpus/classic/gauss-3.sexp";
    for target in ["scamp5", "aie"] {
        let refused = said(check(&[filter, "--target", target]));
        assert!(refused.contains(&format!("`kalg check PROGRAM --against {filter}`")), "{refused}");
    }
    let file = |name: &str, text: &str| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let empty = file("empty.scamp", "\n");
    for arguments in [&[&empty[..]][..], &["corpus/handwritten/sobel-x-bus.scamp", "--against", &empty]] {
        let refused = said(check(arguments));
        assert!(refused.contains("the file has no program"), "{refused}");
    }
    // To run, a kernel file with mistakes is one with mistakes.
    let open = file("open.sexp", "(filter f (inputs a) (output o (kernel (1 2 1)))");
    let mut run = Command::new(env!("CARGO_BIN_EXE_kalg"));
    let run = said(run.args(["run", &open, "--image", "in.png", "--out", "out.png"]).output().unwrap());
    assert!(run.contains("error[unclosed-parenthesis]"), "{run}");
}

/// Without options, what two programs read is the same in both, register by register and bit by bit.
#[test]
fn inputs_of_two_programs_are_the_same_registers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-programs");
    std::fs::create_dir_all(&folder).unwrap();
    let verdict = |[one, other]: [&str; 2], outputs: &[&str]| {
        let paths = [("one.scamp", one), ("other.scamp", other)].map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let (record, _) = json(&[&[&paths[0], "--against", &paths[1]], outputs].concat());
        record["verdict"].as_str().unwrap_or_else(|| panic!("{record}")).to_owned()
    };
    let of = |port: &'static str| ["--outputs", port, "--against-outputs", port];
    // One input may be in any register.
    assert_eq!(verdict(["movx(B, A, east);", "movx(C, D, east);"], &[]), "equal");
    // A line that does not matter reads another register.
    assert_eq!(verdict(["mov(F, B); sub(D, E, C);", "sub(D, E, C);"], &of("out=D")), "equal");
    assert_eq!(verdict(["sub(D, A, B); bus(C, E);", "sub(D, A, B); bus(C, F);"], &of("out=C")), "different");
    // A register and a bit are two inputs.
    assert_eq!(verdict(["where(A); MOV(R5, FLAG); all();", "MOV(R5, R6);"], &of("out=R5")), "different");
    let bits = ["OR(R5, R6, R7); MOV(R8, R9);", "OR(R5, R6, R7); MOV(R8, R10);"];
    assert_eq!(verdict(bits, &of("out=R8")), "different");
    // Images that both take are one input, next to what else they read.
    let taken = ["scamp5_get_image(A, B); add(C, A, D);", "scamp5_get_image(E, B); add(C, E, D);"];
    assert_eq!(verdict(taken, &of("out=C")), "equal");
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

#[test]
fn records_of_programs_with_conditions_say_where_and_why() {
    let folder = "corpus/handwritten";
    let at = |name: &str| format!("{folder}/{name}");
    let (record, code) =
        json(&[&at("masked-box-3.scamp"), "--against", &at("masked-box-3.sexp"), "--output-register", "C"]);
    let output = &record["outputs"][0];
    assert_eq!((code, &record["verdict"]), (Some(1), &serde_json::json!("equal-where")));
    assert_eq!(output["condition"], "FLAG is 1 after `where(A)` in line 5");
    assert_eq!(output["reason"], serde_json::Value::Null);
    assert_eq!(output["cases"][1]["conditions"], serde_json::json!(["image > 0"]));
    assert_eq!(output["cases"][0]["kernels"][0]["input"], "C");
    // The greatest value is the sum of nine pixels, whether it is kept or not.
    assert_eq!(record["range"]["symmetric"], 14.111_111);
    let flood = at("flooding.scamp");
    let (record, code) = json(&[&flood, "--against", &flood]);
    assert_eq!((code, &record["verdict"]), (Some(2), &serde_json::json!("unknown")));
    let reason = record["outputs"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("it depends on what `PROP0()` in line 6 leaves: flooding"), "{reason}");
    // Too many cases are no error either.
    let scratch = Scratch::new("cases");
    let rounds = "DNEWS(R6, R5, alldir); XORX(R7, R5, R6); MOV(R5, R7);".repeat(6);
    let path = scratch.file("rounds.scamp", rounds);
    let (record, _) = json(&[&path]);
    assert_eq!(record["registers"][0]["register"], "R5");
    assert_eq!(record["registers"][0]["reason"], "the program has too many cases");
}

#[test]
fn registers_are_no_numbers() {
    let register =
        "is a register: it holds a value of its own in every element, and no number for the program";
    for text in ["if (A > 3) mov(B, A);", "while (R5) mov(B, A);", "for (int i = 0; i < A; i++) mov(B, A);"] {
        let found = mistakes(text);
        let name = if text.contains("R5") { "R5" } else { "A" };
        assert_eq!(found[0], format!("1 unreadable: `{name}` {register}"), "{text}");
    }
    assert_eq!(mistakes("scamp5_in(B, 1 / 0);")[0].split(':').next(), Some("1 number-too-large"));
}

#[test]
fn names_in_options_occur_and_have_one_value() {
    let scratch = Scratch::new("host");
    let source = "void k(int steps) {\nscamp5_kernel_begin();\nfor (int i = 0; i < steps; i++) movx(A, A, east);\nscamp5_kernel_end();\n}\n";
    let path = scratch.file("steps.cpp", source);
    for (options, message) in [
        (["--host", "n"], "expected a name, `=` and a whole number, a register or a direction"),
        (["--host", "steps=abc"], "invalid value `steps=abc` for `--host`: `abc` is not a whole number"),
        (["--host", "steps=1.5"], "`1.5` is not a whole number, a register or a direction"),
        (["--host", "steps=3,steps=4"], "--host names `steps` twice"),
        (["--host", "step=3"], "--host step: no such name is in the source; did you mean `steps`?"),
        (["--inputs", "image=A,image=B"], "--inputs names `image` twice"),
        (["--outputs", "o=A,o=B"], "--outputs names `o` twice"),
    ] {
        let output = check(&[&[path.as_str()], &options[..]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(message), "{options:?}: {said}");
    }
    for steps in ["steps=2", "steps=0x2"] {
        let (record, code) = json(&[&path, "--host", steps]);
        assert_eq!((record["instructions"].as_u64(), code), (Some(2), Some(0)), "{steps}");
    }
    // What is in bits does not matter to programs without them, and in which of them the only input is, does.
    let (record, code) = json(&[&path, "--host", "steps=1", "--inputs", "R5=R5,image=A"]);
    assert_eq!((record["inputs"].as_array().unwrap().len(), code), (1, Some(0)));
    let output = check(&[&path, "--host", "steps=1", "--input", "R5"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("`R5` holds bits"));
}

#[test]
fn what_the_other_program_leaves_is_quoted_from_it() {
    let scratch = Scratch::new("quoted");
    let short = scratch.file("short.scamp", "NOT(R7, R8);");
    let long = scratch.file("long.scamp", "NOT(R7, R8);\nXORX(R1, R8, R7);");
    let reason = |program: &str, against: &str| {
        let outputs = ["--outputs", "R8=R8", "--against-outputs", "R8=R8"];
        let (record, code) = json(&[&[program, "--against", against], &outputs[..]].concat());
        assert_eq!(code, Some(2));
        record["outputs"][0]["reason"].as_str().unwrap().to_owned()
    };
    let rest = "leaves: that is not documented";
    assert_eq!(
        reason(&short, &long),
        format!("it depends on what `XORX(R1, R8, R7)` in line 2 of {long} {rest}")
    );
    assert_eq!(reason(&long, &short), format!("it depends on what `XORX(R1, R8, R7)` in line 2 {rest}"));
}

#[test]
fn ranges_count_numbers_and_noise_needs_pixels() {
    let scratch = Scratch::new("ranges");
    let record = |body: &str| {
        let text = format!("void f() {{ scamp5_kernel_begin(); {body} scamp5_kernel_end(); }}");
        json(&[&scratch.file("ranges.cpp", text)]).0
    };
    for (body, value) in [
        ("scamp5_in(A, 100); scamp5_in(B, 100); WHERE(R5); add(C, A, B); all();", "-200 in NEWS"),
        ("scamp5_in(A, 100); scamp5_in(B, 100); add(C, A, B); add(E, D, F);", "-200 in NEWS"),
        ("scamp5_in(C, -128); sub(B, A, C);", "128 in B"),
    ] {
        let record = record(body);
        assert_eq!(record["range"], Value::Null, "{body}");
        assert_eq!(record["warnings"][0]["id"], "overflow");
        assert!(record["warnings"][0]["message"].as_str().unwrap().contains(value), "{record}");
    }
    // What a register keeps where the flag is 0 is not written, and limits nothing.
    let record_of_mask = record("where(A); mov(B, C); all();");
    assert_eq!(record_of_mask["range"]["limit"]["register"], "C");
    // A program without inputs has none, and one that leaves the flag otherwise shows it.
    assert_eq!(record("SET(R5);")["inputs"], serde_json::json!([]));
    let registers = record("where(A);")["registers"].clone();
    assert_eq!(registers[0]["register"], "FLAG");
    // Noise is predicted on a picture, of which a long shift leaves no pixel.
    let shift = |rounds: u32| format!("for (int i = 0; i < {rounds}; i++) {{ bus(NEWS, B); bus(B, XW); }}");
    assert!(record(&shift(60))["noise"]["rms_error"].as_f64().unwrap() > 60.0);
    assert_eq!(record(&shift(100))["noise"], Value::Null);
}

/// Options that programs without conditions heed are not ignored for others.
#[test]
fn ranges_of_inputs_warn_where_cases_may_overflow() {
    let scratch = Scratch::new("asked");
    let record = |text: &str, options: &[&str]| {
        json(&[&[&*scratch.file("asked.scamp", text), "--input", "A"], options].concat()).0
    };
    let number = "scamp5_in(B, 100);\nadd(C, A, B);";
    let found = record(number, &["--input-range", "-100,100", "--noise", "cain"]);
    let message = found["warnings"][0]["message"].as_str().unwrap();
    assert_eq!((&found["warnings"][0]["line"], &found["notes"][0]["id"]), (&2.into(), &"no-noise".into()));
    assert!(
        message.starts_with("`add(C, A, B)` in line 2 may overflow for inputs of -100 to 100"),
        "{message}"
    );
    for range in ["-27,27", "0,27"] {
        assert_eq!(record(number, &["--input-range", range])["warnings"], serde_json::json!([]), "{range}");
    }
    let masked = record("where(A); mov(B, A); add(B, B, A); all();", &["--input-range", "-100,100"]);
    assert_eq!(masked["warnings"][0]["id"], "overflow");
}

#[test]
fn included_files_are_read_from_the_folders_that_may_be_read() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("included");
    let at = |name: &str| folder.join(name);
    for dir in ["src", "inc"] {
        std::fs::create_dir_all(at(dir)).unwrap();
    }
    std::fs::write(at("inc/names.hpp"), "#define OUT B\n#define IN_ G\n").unwrap();
    let program = "#include \"..\\inc\\names.hpp\"\nvoid f() {\n scamp5_kernel_begin();\n  OPERATION\n scamp5_kernel_end();\n}\n";
    let (right, wrong) = (at("src/right.cpp"), at("src/wrong.cpp"));
    std::fs::write(&right, program.replace("OPERATION", "neg(OUT, A);")).unwrap();
    std::fs::write(&wrong, program.replace("OPERATION", "neg(OUT, IN_);")).unwrap();
    let (right, wrong, inc) = (right.to_str().unwrap(), wrong.to_str().unwrap(), at("inc"));
    let refused = check(&[right]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text.contains("`../inc/names.hpp` is not read: it is not below") && text.contains("`OUT`"),
        "{text}"
    );
    let (record, code) = json(&[right, "--include", inc.to_str().unwrap()]);
    assert_eq!((code, &record["program"][0]), (Some(0), &Value::from("neg(B, A);")));
    // A file that cannot be read does not shift the places of those after it.
    std::fs::write(at("src/broken.hpp"), b"\xff").unwrap();
    std::fs::write(at("src/names.hpp"), "#include \"deep.hpp\"\n").unwrap();
    std::fs::write(at("src/deep.hpp"), "#define OUT C\n").unwrap();
    let several =
        program.replace("#include \"..\\inc\\names.hpp\"", "#include \"broken.hpp\"\n#include \"names.hpp\"");
    std::fs::write(at("src/several.cpp"), several.replace("OPERATION", "neg(OUT, A);")).unwrap();
    let read = check(&[at("src/several.cpp").to_str().unwrap(), "--json"]);
    let (warned, printed) = [read.stderr, read.stdout].map(|text| String::from_utf8(text).unwrap()).into();
    assert!(warned.contains("`broken.hpp` is not read: the file is not UTF-8"), "{warned}");
    assert!(printed.contains("neg(C, A);"), "{printed}");
    // The macro's register is wrong: the place is that of its use.
    let refused = check(&[wrong, "--include", inc.to_str().unwrap()]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("wrong.cpp:4:12") && text.contains("`G` is not a register"), "{text}");
}
