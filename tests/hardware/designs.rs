//! Pipelines for tests, and their designs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "the tests that take long use a part of it")]

use kalg::backend::option::OptionValues;
use kalg::backend::{OptimizeError, Record, Registry, Request};
use kalg::syntax::Source;

/// Pipelines that use every operation, in few pixels.
pub(crate) const TOYS: &[(&str, &str)] = &[
    ("fanout", "(inputs (a uint8)) (border replicate) (let left (at a -2 1)) (let wide (filter (kernel (1 2 1)) a))
                (output out (+ left wide (at a 1 -1)))"),
    ("erosion", "(inputs (a uint8)) (border zero) (output out (filter (semiring min-plus) (kernel (0 0 0) (0 0 0) (0 0 0)) a))"),
    ("gradient", "(inputs (a int6) (b uint3)) (border constant 5)
                  (let d (filter (kernel (-1 0 1)) a)) (output m (abs d)) (output n (max d (- b 3) (* b d)))"),
    ("signs", "(inputs (a int8) (b uint4)) (border replicate)
               (output q (quotient (* 3 a) (+ b 1))) (output r (quotient a 7)) (output s (floor-shift 2 (at a 1 0)))
               (output t (select (< a b) (wrap int3 a) (min a b)))"),
    ("rounds", "(inputs (a int7)) (border zero)
                (output f (round floor (* 1/3 a))) (output c (round ceiling (* 1/6 a))) (output z (round zero (* 1/5 a)))
                (output u (round up (* 1/6 a))) (output e (round even (* 1/6 a)))"),
    ("table", "(inputs (a uint4)) (border replicate) (output out (table-of x (* x x) (at a 0 1)))
               (output same (= a (at a 0 1)))"),
    ("bayer", "(inputs (a uint6)) (border replicate) (let r (phase a 1 0)) (let g (phase a 0 1))
               (output out (interleave (r (max r (at g 1 0))) ((abs (- r g)) (at g 0 -1))))"),
    ("pooled", "(inputs (a uint5)) (border zero) (let half (down 2 3 (filter (kernel (1 2 1)) a)))
                (output out (+ (up 2 3 half) (filter (kernel (origin 0 1) (1) (1)) (up 2 3 (abs (- half 40))))))"),
    ("halved", "(inputs (a uint5)) (border zero) (let half (down 2 3 (filter (kernel (1 2 1)) a)))
                (let blur (filter (kernel (1 0 0) (2 0 1) (1 4 1) (0 0 1) (3 0 0)) half))
                (output out (filter (kernel (origin 0 1) (1 1) (1 2)) (+ a (up 2 3 (filter (kernel (1) (4) (2)) (abs (- blur 300)))))))"),
    ("thinned", "(inputs (a uint5)) (border replicate) (output out (filter (kernel (1) (5) (2)) (down 1 3 (filter (kernel (1 2 1)) (max a 3)))))"),
    ("quarter", "(inputs (a int4)) (border constant 3) (output low (down 4 2 (filter (kernel (1 1 1 1 1)) a)))
                 (output high (phase (max a (at a 1 -1)) 3 1 4 2))"),
    ("matched", "(inputs (a uint4) (b uint4)) (border replicate)
                 (output place (fold argmin (d -2 3) (filter (kernel (1 1 1)) (absdiff a (at b d 0)))))
                 (output sum (fold add (d 0 3) (e 0 2) (* d (at a d (* 2 e))))) (output most (fold max (d 0 4) (at a d 0)))
                 (output ratio (quotient a (+ 1 (at b -2 1))))"),
    ("sought", "(inputs (a uint4) (b uint4)) (border replicate) (let s (filter (kernel (1 2 1)) a))
                (output place (fold argmin (d -2 4) (filter (kernel (1 1 1) (1 2 1) (0 1 0)) (absdiff a (at b d 0)))))
                (output most (+ s (fold max (d 0 4) (e 0 2) (* (+ d 1) (at s d (- e 1))))))"),
    ("summed", "(inputs (a int5) (b uint3)) (border replicate) (let c (max (filter (kernel (1 2 1)) a) -9))
                (output out (filter (compose (kernel (1 1 1 1 1)) (kernel (origin 0 2) (1) (1) (1) (1))) c))
                (output rows (filter (kernel (origin 0 0) (2) (2) (2) (2) (2) (2)) (filter (kernel (origin 0 0) (-1 -1 -1 -1)) (* b b))))"),
    ("kept", "(inputs (a int5)) (border replicate) (let c (up 2 2 (down 2 2 (max (filter (kernel (1 2 1)) a) -9))))
              (output out (filter (kernel (1 1 1 1 1)) (filter (kernel (1) (1) (1) (1) (1)) c)))"),
    ("binned", "(inputs (a uint4)) (border replicate) (let n (histogram 3 2 4 (floor-shift 2 a) 1))
                (let s (filter (kernel (plane (1)) (plane (2)) (plane (1))) (histogram 3 2 4 (floor-shift 2 a) a)))
                (let x (interleave (0 1 2)))
                (output out (+ (* x (gather (up 3 2 s) 0 0 (floor-shift 2 a))) (gather (up 3 2 (at n -1 1)) 0 0 (clamp 0 3 (floor-shift 1 a)))))"),
    ("warped", "(inputs (a uint4)) (border zero) (output out (gather a (- (floor-shift 2 a) 1) (floor-shift 3 (at a 1 0))))"),
    ("roots", "(inputs (a uint5) (b int3)) (border replicate) (output r (sqrt (* a (at a 1 0)))) (output s (sqrt (* 1/3 (+ a (at a 0 1)))))
               (output t (+ (sqrt (min a 3)) (sqrt (max 0 (- (* 50 a) (* b b b))))))"),
    ("rates", "(inputs (a uint5)) (border replicate) (let half (down 2 3 (filter (kernel (1 2 1)) a))) (let least (down 1 2 (min a (at a 0 1))))
               (output low half) (output detail (- (* 4 a) (up 2 3 half))) (output least least)"),
    ("opened", "(inputs (a int14)) (border replicate) (kernel row (semiring max-plus) (kernel (origin 2 0) (0 0 0 0 0 0 0 0 0 0)))
                (let e (filter (semiring max-plus) row a))
                (output out (filter (semiring min-plus) (kernel (origin 0 9) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0)) e)) (output row (- e (at a 1 0)))"),
    // A multiple that is read at two rates: at the lower one it is a multiple of a smaller fraction than its operand.
    ("multiples", "(inputs (a uint6)) (border replicate) (let v (* 2 a)) (let w (filter (kernel (origin 0 1) (2 2) (2 2)) a))
                   (output o (min v 7)) (output p (down 2 1 (floor-shift 2 v))) (output q (sqrt w)) (output r (down 2 1 (quotient w 12)))"),
    // What is kept for a row is read at the words where its row ends, and one further.
    ("held", "(inputs (a uint5)) (border zero) (output out (down 1 2 (max a (at a -1 -2))))"),
    ("sparse", "(inputs (a uint5)) (border zero) (output out (down 2 2 (filter (kernel (1 0 -1) (0 0 0) (2 0 5)) a)))"),
    ("point", "(inputs (a uint8)) (border replicate) (output out (+ a 1))"),
    // Numbers that depend on the place alone, in operations that take clocks, and east of where they are read.
    ("patterns", "(inputs (a uint6)) (border replicate) (let s (interleave (1 18) (3 4))) (output r (+ a (sqrt (interleave (17 8)))))
                  (output e (+ s (at s 1 0))) (output q uint9 (quotient 300 (* s (at s -1 2)))) (output t uint9 (+ a (table-of x (* x x) s)))"),
    // Quotients of fractions.
    ("fractions", "(inputs (a uint6) (b uint4)) (border replicate) (output n (quotient 5/4 (max b 1))) (output q (quotient (* 1/4 a) (max b 1)))
                   (output d (quotient a (* 3/2 (+ b 1)))) (output both (quotient (* -1/6 a) (+ 1/2 (* 3/4 b (at b 1 0))))) (output by (quotient (* 1/6 a) 3/4))"),
];

/// Those whose results are in some columns only: the numbers of these and of pixels in a clock must divide one another.
pub(crate) const THINNED: [&str; 3] = ["quarter", "multiples", "sparse"];

/// The text of a toy.
pub(crate) fn toy(name: &str) -> String {
    let (_, body) = TOYS.iter().find(|(own, _)| *own == name).unwrap();
    format!("(pipeline {name} {body})")
}

/// The text of a pipeline with another border.
pub(crate) fn with_border(text: &str, border: &str) -> String {
    let (before, rest) = text.split_once("(border ").unwrap();
    let (_, after) = rest.split_once(')').unwrap();
    format!("{before}(border {border}){after}")
}

/// The text of a file in the corpus.
pub(crate) fn corpus(name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join("corpus/pipelines").join(format!("{name}.sexp"))).unwrap()
}

/// The options for pictures of this size.
pub(crate) fn options([width, height]: [usize; 2], lanes: usize, halo: bool) -> OptionValues {
    let number = |number: usize| [number.to_string()];
    let options = OptionValues::default()
        .with("width", number(width))
        .with("height", number(height))
        .with("pixels-per-clock", number(lanes));
    if halo { options.with("halo", [""; 0]) } else { options }
}

/// The same where what is kept costs nothing.
pub(crate) fn kept_for_nothing(size: [usize; 2], halo: bool) -> OptionValues {
    options(size, 1, halo).with("buffer-price", ["0"])
}

/// The options for pictures of this size whose pixels take several clocks.
pub(crate) fn in_clocks(size: [usize; 2], clocks: usize, halo: bool) -> OptionValues {
    options(size, 1, halo).with("clocks-per-pixel", [clocks.to_string()])
}

/// Compiles a pipeline for pictures of this size.
pub(crate) fn compiled(
    text: &str,
    size: [usize; 2],
    lanes: usize,
    halo: bool,
) -> Result<Box<dyn Record>, OptimizeError> {
    compiled_with(text, options(size, lanes, halo))
}

pub(crate) fn compiled_with(text: &str, options: OptionValues) -> Result<Box<dyn Record>, OptimizeError> {
    let machine = Registry::default().builtin("fpga").unwrap();
    let request = Request { options, ..Request::new(Source::new("p.sexp", text)) };
    machine.compile(&request, &|_| {})
}

/// The record of a design as JSON.
pub(crate) fn record(text: &str, size: [usize; 2], lanes: usize, halo: bool) -> serde_json::Value {
    record_with(text, options(size, lanes, halo))
}

pub(crate) fn record_with(text: &str, options: OptionValues) -> serde_json::Value {
    let record = compiled_with(text, options).unwrap_or_else(|why| panic!("{why}"));
    serde_json::from_str(&record.emit("json").unwrap()).unwrap()
}

/// All units of a kind in a record, of whatever width.
pub(crate) fn count(record: &serde_json::Value, units: &str) -> u64 {
    record["units"][units].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}
