//! What is not built, and why.

use kalg::backend::option::OptionValues;
use kalg::syntax::Source;

use crate::designs::{compiled, compiled_with, in_clocks, options, toy};

/// The message for a pipeline that is not built.
fn refusal(text: &str, width: usize, lanes: usize) -> String {
    match compiled(text, [width, 8], lanes, false) {
        Ok(_) => panic!("this was built:\n{text}"),
        Err(why) => why.describe(&Source::new("p.sexp", text)),
    }
}

#[test]
fn what_has_no_circuit_is_refused_at_its_place() {
    for (body, said) in [
        ("(inputs (a float32)) (border zero) (output out a)", "an input in single precision"),
        ("(inputs (a uint8)) (border constant 300) (output out (at a 1 0))", "a border of 300 around uint8"),
        ("(inputs (a uint8)) (border zero) (output out (up 2 2 a))", "an output whose rate"),
        (
            "(inputs (a uint8)) (border zero) (output out (down 2 2 (filter (semiring max-plus) (kernel (0 0 0)) (up 2 2 a))))",
            "a rate that is not",
        ),
        (
            "(inputs (a uint8)) (border zero) (output out (gather a (* 64 a) 0))",
            "a gather over more than 1024 places",
        ),
        (
            "(inputs (a uint8)) (border zero) (output out (filter (kernel (1 1 1)) (border replicate a)))",
            "a border within",
        ),
        (
            "(inputs (a uint8)) (border zero) (output out (fold add (d 0 20000) (abs (- (at a d 0) d))))",
            "more than 16384 operations",
        ),
        (
            "(inputs (a uint8) (b uint8)) (border zero) (output out (quotient a (- 0 b 1)))",
            "a divisor that is negative",
        ),
    ] {
        let found = refusal(&format!("(pipeline p {body})"), 16, 1);
        assert!(found.contains("p.sexp:1:") && found.contains(said), "{found}");
    }
}

#[test]
fn sizes_that_do_not_go_together_are_refused() {
    let text = toy("fanout");
    assert!(refusal(&text, 3, 1).contains("--width 3 is less than the 4 columns"));
    assert!(refusal(&text, 16, 3).contains("--pixels-per-clock 3 does not divide --width 16"));
    let low = "(pipeline p (inputs (a uint8)) (border zero) (output out (down 4 3 a)))";
    assert!(refusal(low, 18, 1).contains("--width 18 is not a multiple of the 4 columns"));
    assert!(refusal(low, 24, 3).contains("do not divide one another"));
    assert!(refusal(low, 24, 2).contains("--height 8 is not a multiple of the 3 rows"));
    let each = |period| format!("(output o{period} (down {period} {period} a))");
    let together: String = [4093, 4091, 4079, 4073, 4057, 4051].map(each).concat();
    let together = format!("(pipeline p (inputs (a uint8)) (border zero) {together})");
    assert!(refusal(&together, 16, 1).contains("in a period of more than 18446744073709551615 pixels"));
    let shared = |text: &str, options: OptionValues| match compiled_with(text, options) {
        Ok(_) => panic!("{text} has a circuit"),
        Err(why) => why.describe(&Source::new("p.sexp", text)),
    };
    let size = [16, 8];
    assert!(
        shared(&text, in_clocks(size, 4, false))
            .contains("--clocks-per-pixel 4: what is shared in time are folds")
    );
    assert!(
        shared(&toy("sought"), in_clocks(size, 5, false)).contains("--clocks-per-pixel 5: what is shared")
    );
    let both = options(size, 2, false).with("clocks-per-pixel", ["2"]);
    assert!(shared(&toy("sought"), both).contains("exclude one another"));
    let typed = options(size, 1, false).with("type", ["uint8"]);
    assert!(shared(&text, typed).contains("--type is for kernel files"));
    let hexagons = "(filter f (space hexagonal) (output out (kernel (1 2 1))))";
    assert!(refusal(hexagons, 16, 1).contains("square pixels"));
    let truths = "(filter f (semiring or-and) (output out (kernel (1 1 1))))";
    assert!(refusal(truths, 16, 1).contains("pixels that are 0 or 1"));
    assert!(refusal("(filter f (output out (scan east)))", 16, 1).contains("infinite"));
    let around = text.replace("replicate", "wrap");
    assert!(refusal(&around, 16, 1).contains("--halo"));
}
