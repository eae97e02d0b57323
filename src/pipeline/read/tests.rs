//! Tests that read short pipelines. Messages are compared in `tests/engine/errors.rs`.

use super::{is_pipeline, read_pipeline};
use crate::pipeline::{Number, Operation, Pipeline, linear_forms};
use crate::syntax::{Source, render};

fn pipeline(items: &str) -> Pipeline {
    let text = format!("(pipeline p (inputs (a uint8) (b uint8)) {items})");
    let source = Source::new("test.sexp", text);
    read_pipeline(&source).unwrap_or_else(|found| panic!("{}", render(&source, &found, false)))
}

/// The interval of an expression.
fn range(expression: &str) -> String {
    let read = pipeline(&format!("(output o {expression})"));
    match read.facts(read.outputs[0].node).number {
        Number::Exact(range) => range.to_string(),
        Number::Float => "float32".to_owned(),
    }
}

#[test]
fn pipelines_are_told_from_filters_by_their_head() {
    for (text, is) in [
        ("(pipeline p)", true),
        ("; comment\n\n  ( pipeline", true),
        ("(filter f)", false),
        ("(pipelines p)", false),
        ("", false),
    ] {
        assert_eq!(is_pipeline(&Source::new("x", text)), is, "{text}");
    }
}

#[test]
fn intervals_of_point_wise_operations_are_exact() {
    for (expression, expected) in [
        ("(+ a b 1)", "1 to 511"),
        ("(- a b)", "-255 to 255"),
        ("(* (- a 128) (- a 128))", "0 to 16384"),
        ("(* (- a 128) (- b 128))", "-16256 to 16384"),
        ("(quotient a 10)", "0 to 25"),
        ("(quotient (- a 255) 10)", "-26 to 0"),
        ("(quotient (* 32 a) (max b 1))", "0 to 8160"),
        ("(floor-shift 3 (- a 128))", "-16 to 15"),
        ("(shift-left 3 a)", "0 to 2040"),
        ("(absdiff a b)", "0 to 255"),
        ("(clamp 16 235 a)", "16 to 235"),
        ("(select (< a b) 1 -1)", "-1 to 1"),
        ("(< a 256)", "1 to 1"),
        ("(not (= a 300))", "1 to 1"),
        ("(wrap int8 a)", "-128 to 127"),
        ("(wrap uint8 a)", "0 to 255"),
        ("(saturate int8 (- a b))", "-128 to 127"),
        ("(round (* 1/3 a))", "0 to 85"),
        ("(round ceiling (* 1/2 a))", "0 to 128"),
        ("(sqrt a)", "0 to 15"),
        ("(table (5 7 2) (clamp 0 1 a))", "5 to 7"),
        ("(table-of x (* x x) (- a 100))", "0 to 24025"),
        ("(fold add (d 0 4) (at a d 0))", "0 to 1020"),
        ("(fold argmin (d -3 4) (absdiff a (at b d 0)))", "-3 to 3"),
        ("(saturate uint8 (float a))", "0 to 255"),
        ("(filter (semiring max-plus) (kernel (0 3 0)) a)", "3 to 258"),
    ] {
        assert_eq!(range(expression), expected, "{expression}");
    }
}

#[test]
fn a_chain_of_linear_stages_is_one_kernel() {
    // Stage by stage, the difference of neighbours twice is -510 to 510; as one kernel its taps are 1 -2 1.
    let second = "(filter (kernel (origin 0 0) (1 -1)) (filter (kernel (origin 0 0) (1 -1)) a))";
    assert_eq!(range(second), "-510 to 510");
    // A blur and its opposite cancel.
    assert_eq!(range("(- (filter (kernel (1 2 1)) a) (filter (kernel (1 2 1)) a))"), "0 to 0");
    // Through rates: what is subtracted is the same pixel.
    assert_eq!(range("(- (down 2 1 (+ (at a 1 0) b)) (phase a 1 0 2 1))"), "0 to 255");
    // Rounding ends the chain; what is written twice is one value all the same.
    assert_eq!(range("(- (floor-shift 1 a) (floor-shift 1 (+ a 1)))"), "-128 to 127");
    assert_eq!(range("(- (floor-shift 1 (+ a b)) (floor-shift 1 (+ b a)))"), "0 to 0");
}

#[test]
fn forms_are_kernels_of_what_is_not_linear() {
    let read = pipeline("(output o (+ (abs (- a b)) (filter (kernel (1 2 1)) a) (at (abs (- a b)) 1 0)))");
    let forms = linear_forms(&read);
    let form = &forms[read.outputs[0].node.index()];
    let kernels: Vec<String> = form.terms.values().map(ToString::to_string).collect();
    assert_eq!(kernels, ["1 2 1", ". 1 1"]);
    let inner = form.terms.keys().nth(1).unwrap().node;
    assert!(matches!(read.node(inner).operation, Operation::Absolute(_)));
    assert!(forms[inner.index()].is_itself(inner));
}

#[test]
fn operations_on_constants_are_carried_out_and_quotients_by_constants_are_linear() {
    let read = pipeline("(output o (+ (* 2 3) (clamp 0 4 9) a))");
    let Operation::Add(terms) = &read.node(read.outputs[0].node).operation else { panic!("a sum") };
    let constants = terms.iter().filter(|id| matches!(read.node(**id).operation, Operation::Constant(_)));
    assert_eq!(constants.count(), 2);
    let read = pipeline("(output o (quotient a 12))");
    assert!(matches!(read.node(read.outputs[0].node).operation, Operation::Round(..)));
}

#[test]
fn rates_planes_and_types_are_derived() {
    let read = pipeline(
        "(let half (down 2 2 a)) (let grid (histogram 4 4 8 (floor-shift 5 a) 1))
         (output half half) (output back (up 2 2 half)) (output bin (gather grid 0 0 3))
         (output wide (- (* 300 a) b)) (output f float32 a)",
    );
    let shown: Vec<String> = read
        .outputs
        .iter()
        .map(|output| format!("{} {} {}", output.name, output.pixel, output.rate[0]))
        .collect();
    assert_eq!(shown, ["half uint8 1/2", "back uint8 1", "bin uint8 1/4", "wide int32 1", "f float32 1"]);
    let grid = read.stages.iter().find(|stage| stage.name == "grid").unwrap();
    assert_eq!(read.facts(grid.node).planes, Some(8));
}

#[test]
fn an_unused_stage_is_a_warning() {
    let read = pipeline("(let one a) (let two (+ one 1)) (output o a)");
    let warnings: Vec<_> = read.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(warnings, ["`two` is never used"]);
}
