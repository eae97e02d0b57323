//! Tests of single forms on small pictures, with results worked out by hand.

use super::{Data, ExecuteError, Image, execute};
use crate::pipeline::read_pipeline;
use crate::syntax::{Source, render};

fn image(width: usize, values: &[i128]) -> Image {
    Image { width, height: values.len() / width, data: Data::Exact(values.to_vec()) }
}

/// The pixels of an expression over an input `a` of type int16, and the width of the result.
fn results(border: &str, expression: &str, input: &Image) -> Result<Image, ExecuteError> {
    let text = format!("(pipeline p (inputs (a int16)) (border {border}) (output o {expression}))");
    let source = Source::new("test.sexp", text);
    let read = read_pipeline(&source).unwrap_or_else(|found| panic!("{}", render(&source, &found, false)));
    execute(&read, std::slice::from_ref(input)).map(|mut all| all.remove(0))
}

fn values(border: &str, expression: &str, width: usize, pixels: &[i128]) -> Vec<i128> {
    match results(border, expression, &image(width, pixels)).unwrap().data {
        Data::Exact(values) => values,
        Data::Float(values) => panic!("{values:?}"),
    }
}

fn row(expression: &str, pixels: &[i128]) -> Vec<i128> {
    values("replicate", expression, pixels.len(), pixels)
}

#[test]
fn offsets_count_east_and_north() {
    let picture = [1, 2, 3, 4, 5, 6];
    assert_eq!(values("zero", "(at a 1 0)", 3, &picture), [2, 3, 0, 5, 6, 0]);
    assert_eq!(values("zero", "(at a 0 1)", 3, &picture), [0, 0, 0, 1, 2, 3]);
    assert_eq!(values("zero", "(filter (kernel (1) (0) (0)) a)", 3, &picture), [0, 0, 0, 1, 2, 3]);
    assert_eq!(values("constant 9", "(at a -1 0)", 3, &picture), [9, 1, 2, 9, 4, 5]);
    assert_eq!(values("wrap", "(at a -1 1)", 3, &picture), [6, 4, 5, 3, 1, 2]);
}

#[test]
fn borders_belong_to_inputs_unless_a_stage_has_its_own() {
    // The first filter is also computed beyond the edge, from the continued input.
    assert_eq!(row("(filter (kernel (1 0 0)) (filter (kernel (-1 1 0)) a))", &[5, 7, 8]), [0, 0, 2]);
    let own = "(filter (kernel (1 0 0)) (border replicate (filter (kernel (0 1 -1)) a)))";
    assert_eq!(row(own, &[5, 7, 8]), [-2, -2, -1]);
    assert_eq!(row("(at (border constant 4 (+ a 1)) 1 0)", &[5, 7, 8]), [8, 9, 4]);
    // Also if the stage is needed beyond the edges elsewhere.
    assert_eq!(
        row("(+ (at (border wrap (abs a)) 1 0) (* 100 (at (abs a) -1 0)))", &[5, 7, 8]),
        [507, 508, 705]
    );
}

#[test]
fn rounding_and_division_of_negative_numbers() {
    let odd = [-3, -2, -1, 0, 1, 2, 3];
    assert_eq!(row("(floor-shift 1 a)", &odd), [-2, -1, -1, 0, 0, 1, 1]);
    assert_eq!(row("(quotient a 2)", &odd), [-2, -1, -1, 0, 0, 1, 1]);
    assert_eq!(row("(quotient a -2)", &odd), [1, 1, 0, 0, -1, -1, -2]);
    assert_eq!(row("(quotient 7 (- (clamp 0 1 a) 3))", &odd), [-3, -3, -3, -3, -4, -4, -4]);
    assert_eq!(row("(round (* 1/2 a))", &odd), [-1, -1, 0, 0, 1, 1, 2]);
    assert_eq!(row("(round ceiling (* 1/2 a))", &odd), [-1, -1, 0, 0, 1, 1, 2]);
    assert_eq!(row("(round zero (* 1/2 a))", &odd), [-1, -1, 0, 0, 0, 1, 1]);
    assert_eq!(row("(round even (* 1/2 a))", &odd), [-2, -1, 0, 0, 0, 1, 2]);
    assert_eq!(row("(round even (* 1/2 a))", &[5, 7, 9]), [2, 4, 4]);
    assert_eq!(row("(wrap int2 a)", &odd), [1, -2, -1, 0, 1, -2, -1]);
    assert_eq!(row("(wrap uint2 a)", &odd), [1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(row("(sqrt (max a 0))", &[0, 3, 4, 8, 9, -1]), [0, 1, 2, 2, 3, 0]);
}

#[test]
fn fractions_meet_before_they_are_rounded() {
    assert_eq!(row("(round floor (+ (* 1/2 a) (* 1/3 a)))", &[0, 1, 2, 6]), [0, 0, 1, 5]);
    assert_eq!(row("(round (filter (scale 1/3 (kernel (1 1 1))) a))", &[3, 3, 4]), [3, 3, 4]);
    assert_eq!(row("(<= (* 1/2 a) (* 1/3 4))", &[2, 3]), [1, 0]);
    assert_eq!(row("(round floor (min (* 1/2 a) (* 1/3 a)))", &[-6, 6]), [-3, 2]);
}

#[test]
fn rates_go_down_and_up_and_phases_come_together_again() {
    let picture: Vec<i128> = (0..16).collect();
    assert_eq!(values("zero", "(down 2 2 a)", 4, &picture), [0, 2, 8, 10]);
    assert_eq!(values("zero", "(phase a 1 0)", 4, &picture), [1, 3, 9, 11]);
    assert_eq!(values("zero", "(phase a 2 1 4 2)", 4, &picture), [6, 14]);
    let whole = "(interleave ((phase a 0 0) (phase a 1 0)) ((phase a 0 1) (phase a 1 1)))";
    assert_eq!(values("zero", whole, 4, &picture), picture);
    assert_eq!(values("zero", "(up 2 1 (down 2 2 (at a 0 0)))", 4, &picture), [0, 0, 2, 2, 8, 8, 10, 10]);
    assert_eq!(values("zero", "(+ a (interleave (0 100)))", 4, &picture[..4]), [0, 101, 2, 103]);
    // Before the picture, pixels repeat downward, too.
    assert_eq!(values("replicate", "(at (up 2 1 (down 2 1 a)) -1 0)", 4, &[4, 5, 6, 7]), [4, 4, 4, 6]);
}

#[test]
fn folds_count_their_variables() {
    assert_eq!(row("(fold add (d 0 3) (* d (at a d 0)))", &[1, 10, 100]), [210, 300, 300]);
    assert_eq!(row("(fold add (i 0 2) (j 0 2) (+ (* 10 i) j))", &[0]), [22]);
    assert_eq!(row("(fold argmin (d -1 2) (abs (at a d 0)))", &[3, 0, 0, 5]), [1, 0, -1, -1]);
    assert_eq!(row("(fold max (d 0 2) (fold min (e 0 2) (at a (+ d e) 0)))", &[1, 5, 2, 7]), [2, 2, 7, 7]);
    let scaled = "(fold add (d 0 2) (filter (kernel (origin 0 0) (1 1)) (* (+ d 1) a)))";
    assert_eq!(row(scaled, &[1, 2, 4]), [9, 18, 24]);
}

#[test]
fn histograms_count_and_gather_looks_up() {
    let text = "(histogram 2 2 3 (clamp 0 2 a) (+ (clamp 0 2 a) 10))";
    let plane = |z: &str| values("zero", &format!("(gather {text} 0 0 {z})"), 2, &[0, 1, 1, 2]);
    assert_eq!((plane("0"), plane("1"), plane("2")), (vec![10], vec![22], vec![12]));
    let blurred = format!("(gather (filter (kernel (plane (1)) (plane (1)) (plane (1))) {text}) 0 0 0)");
    assert_eq!(values("zero", &blurred, 2, &[0, 1, 1, 2]), [32], "planes that do not exist are zero");
    assert_eq!(row("(gather a (clamp -1 1 a) 0)", &[1, -1, 5, 0]), [-1, 1, 0, 0]);
}

#[test]
fn nothing_is_needed_of_what_a_kernel_of_zeros_reads() {
    assert_eq!(
        row("(abs (filter (add (from 1 (kernel (0))) (from 2 (id))) (abs a) (+ a 1)))", &[5, -7]),
        [6, 6]
    );
}

#[test]
fn other_semirings_are_morphology() {
    assert_eq!(row("(filter (semiring max-plus) (kernel (0 0 0)) a)", &[1, 5, 2, 2]), [5, 5, 5, 2]);
    assert_eq!(row("(filter (semiring min-plus) (kernel (1 0 1)) a)", &[1, 5, 2, 2]), [1, 2, 2, 2]);
    assert_eq!(row("(filter (semiring or-and) (kernel (1 0 0)) (> a 3))", &[1, 5, 2, 2]), [0, 0, 1, 0]);
}

#[test]
fn single_precision_follows_the_order_of_the_text() {
    let sum = "(saturate int32 (+ (float a) 16777216 -16777216))";
    // 2^24 + 1 is not of single precision.
    assert_eq!(row(sum, &[1, 2, 3]), [0, 2, 4]);
    assert_eq!(row("(saturate uint8 (* 1/2 (float a)))", &[1, 3, 5, -4, 999]), [0, 2, 2, 0, 255]);
    assert_eq!(row("(saturate int16 (quotient (float 1) (float a)))", &[0, 2]), [32767, 0]);
    assert_eq!(row("(< (float a) 1/2)", &[0, 1]), [1, 0]);
}

#[test]
fn sizes_and_samples_that_do_not_fit_are_errors() {
    let message =
        |expression: &str, input: &Image| results("zero", expression, input).unwrap_err().to_string();
    let odd = message("(down 2 1 a)", &image(3, &[1, 2, 3]));
    assert!(odd.contains("the output `o` has the rate 1/2 × 1") && odd.contains("3 × 1 pixels"), "{odd}");
    let wide = message("(floor-shift 8 a)", &image(1, &[40_000]));
    assert!(wide.contains("the sample 40000 in column 0 and row 0, which `int16` does not hold"), "{wide}");
    let far = message("(+ a (at a 1000000 1000000))", &image(1, &[1]));
    assert!(far.contains("pixels; the maximum is"), "{far}");
}
