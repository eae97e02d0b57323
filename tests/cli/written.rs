//! No filter costs more than the term in its file: random terms against their parts, and programs against themselves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use kalg::algebra::Random;
use serde_json::Value;

/// Runs `kalg optimize` on a text.
fn optimize(text: &str, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.args(["optimize", "-"]).args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// The record for a term, or for a program.
fn record(text: &str, options: &[&str]) -> Value {
    let text = if text.starts_with("//") { text } else { &format!("(filter f (inputs in) {text})") };
    serde_json::from_str(&optimize(text, &[options, &["--json"]].concat())).unwrap()
}

fn kernel(random: &mut Random) -> String {
    let rows: Vec<String> = (0..3)
        .map(|row| {
            let taps = (0..3).map(|column| match (row, column) {
                (1, 1) => "1".to_owned(),
                _ => random.integer(-2, 2).to_string(),
            });
            format!("({})", taps.collect::<Vec<_>>().join(" "))
        })
        .collect();
    format!("(kernel {})", rows.join(" "))
}

fn out(term: &str) -> String {
    format!("(output out {term})")
}

#[test]
fn a_composition_takes_no_more_cycles_than_its_kernels_one_after_the_other() {
    let mut random = Random::new(11);
    let cycles =
        |text: &str| record(text, &["--cost", "scamp5", "--nodes", "30"])["cycles"].as_u64().unwrap();
    for count in [2, 3, 2] {
        let kernels: Vec<String> = (0..count).map(|_| kernel(&mut random)).collect();
        let whole = cycles(&out(&format!("(compose {})", kernels.join(" "))));
        let parts: u64 = kernels.iter().map(|kernel| cycles(&out(kernel))).sum();
        assert!(whole <= parts, "{whole} for {parts}: {kernels:?}");
    }
}

/// On a vector machine: kernels one after the other, and the same as one filter.
#[test]
fn a_composition_takes_no_more_cycles_of_vectors_than_its_kernels() {
    let mut random = Random::new(4);
    let cycles = |text: &str| record(text, &["--cost", "aie", "--tile", "64x16"])["cycles"].as_u64().unwrap();
    for count in [2, 3] {
        let kernels: Vec<String> = (0..count).map(|_| kernel(&mut random)).collect();
        let whole = cycles(&out(&format!("(compose {})", kernels.join(" "))));
        let parts: u64 = kernels.iter().map(|kernel| cycles(&out(kernel))).sum();
        assert!(whole <= parts, "{whole} for {parts}: {kernels:?}");
    }
}

/// Instructions negate: the cycles of each factor depend on its sign, and the product leaves the signs open.
#[test]
fn an_expanded_product_takes_no_more_cycles_than_its_factors() {
    let cycles = |kernel: &str| {
        record(&out(kernel), &["--cost", "scamp5", "--nodes", "30"])["cycles"].as_u64().unwrap()
    };
    for [product, factors @ ..] in [
        [
            "(kernel (6 7 -4 -7 -2) (10 7 -12 -10 -1) (14 -9 -25 -8 2) (8 -10 -19 9 6) (4 -12 1 12 3))",
            "(kernel (-3 1 2) (-2 0 3) (-2 3 3))",
            "(kernel (-2 -3 -1) (-2 -1 1) (-2 3 1))",
        ],
        [
            "(kernel (1 -4 1 6 0) (0 1 -3 2 0) (1 6 -22 -9 9) (-2 5 13 -5 -6) (0 4 8 -3 -3))",
            "(kernel (-1 2 0) (-1 2 0) (-2 -3 3))",
            "(kernel (-1 2 3) (1 -3 -2) (0 -2 -1))",
        ],
    ] {
        let parts: u64 = factors.into_iter().map(cycles).sum();
        assert!(cycles(product) <= parts, "{} for {parts}: {product}", cycles(product));
    }
}

#[test]
fn a_term_takes_no_more_additions_than_its_kernels_and_sums() {
    let mut random = Random::new(5);
    let additions = |text: &str| {
        record(text, &["--cost", "ops", "--nodes", "200"])["cost"]["additions"].as_u64().unwrap()
    };
    for _ in 0..2 {
        let [a, b, c] = [(); 3].map(|()| kernel(&mut random));
        let parts: u64 = [&a, &b, &c].iter().map(|kernel| additions(&out(kernel))).sum();
        let chain = out(&format!("(compose {a} {b} {c})"));
        let shared =
            format!("(let b {b}) (let ab (compose {a} b)) {}", out(&format!("(sub ab (compose {c} b))")));
        for (text, own) in [(chain, 0), (shared, 1)] {
            let whole = additions(&text);
            assert!(whole <= parts + own, "{whole} for {parts} and {own}: {text}");
        }
    }
}

/// The example of a composition that was lost: two kernels of about ten cycles, and of 5 additions each.
#[test]
fn two_dense_kernels_stay_two() {
    let factors = ["(kernel (1 3 0) (-1 0 1) (0 1 2))", "(kernel (0 1 -2) (1 0 3) (2 -1 0))"];
    let term = out(&format!("(compose {} {})", factors[0], factors[1]));
    let cycles =
        |text: &str| record(text, &["--cost", "scamp5", "--nodes", "300"])["cycles"].as_u64().unwrap();
    let parts: u64 = factors.iter().map(|factor| cycles(&out(factor))).sum();
    assert!((1..=22).contains(&parts) && cycles(&term) <= parts, "{} for {parts}", cycles(&term));
    assert!(record(&term, &["--cost", "ops"])["cost"]["additions"].as_u64().unwrap() <= 10);
}

/// Three knight's moves over (min +): three times seven operations.
#[test]
fn repeated_kernels_over_other_semirings_stay_apart() {
    let knight =
        "(semiring min-plus) (let n (kernel (. 1 . 1 .) (1 . . . 1) (. . 0 . .) (1 . . . 1) (. 1 . 1 .)))";
    let record = record(&format!("{knight} {}", out("(compose n n n)")), &["--cost", "ops"]);
    assert!(record["cost"]["additions"].as_u64().unwrap() <= 21);
}

#[test]
fn a_program_is_never_made_longer() {
    let mut random = Random::new(23);
    for isa in ["bus", "macro", "basic"] {
        let (a, b) = (kernel(&mut random), kernel(&mut random));
        let text = format!("(filter f (inputs in) {})", out(&format!("(compose {a} {b})")));
        let options = ["--cost", "scamp5", "--isa", isa, "--nodes", "80"];
        let given = optimize(&text, &[&options[..], &["--emit", "code"]].concat());
        // With one state, the result is the given program.
        let record = record(&given, &["--cost", "scamp5", "--isa", isa, "--nodes", "1"]);
        let count = |figure: &str| record[figure].as_u64().unwrap();
        let lifted = |figure: &str| record["lifted"][figure].as_u64().unwrap();
        let figure = record["objective"].as_str().unwrap();
        assert!(count(figure) <= lifted(figure), "{} for {}: {given}", count(figure), lifted(figure));
    }
}

/// Whatever order people write a sum's operands in.
#[test]
fn the_order_of_operands_does_not_make_a_program_longer() {
    let programs = [
        ("bus", "bus(XN, A); bus(D, XW, NEWS, XE); bus(C, D, XS, A); bus(B, XE, C, D, NEWS);"),
        ("bus", "bus2(NEWS, D, A); bus(E, D, XE); bus2(XE, C, E); bus(B, C, XW, D, NEWS);"),
        ("macro", "mov2x(B, A, north, east); add2x(C, B, A, north, west); add2x(D, C, B, east, south);"),
    ];
    for (isa, code) in programs {
        let code = format!("// by hand\n{code}");
        let record = record(&code, &["--cost", "scamp5", "--isa", isa, "--nodes", "1"]);
        let figure = record["objective"].as_str().unwrap();
        let given = record["lifted"][figure].as_u64().unwrap();
        assert!(given >= 3, "{given} for {code}");
        assert!(record[figure].as_u64().unwrap() <= given, "{} for {code}", record[figure]);
    }
}
