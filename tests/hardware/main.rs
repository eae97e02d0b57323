//! Line-buffered hardware: designs pass their own checks, their SystemVerilog computes what the reference executor does, and
//! what cannot be built is refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod depths;
mod driver;
mod emitted;
mod front;
mod hls;
mod refused;
mod waves;

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
    ("binned", "(inputs (a uint4)) (border replicate) (let n (histogram 3 2 4 (floor-shift 2 a) 1))
                (let s (filter (kernel (plane (1)) (plane (2)) (plane (1))) (histogram 3 2 4 (floor-shift 2 a) a)))
                (let x (interleave (0 1 2)))
                (output out (+ (* x (gather (up 3 2 s) 0 0 (floor-shift 2 a))) (gather (up 3 2 (at n -1 1)) 0 0 (clamp 0 3 (floor-shift 1 a)))))"),
    ("warped", "(inputs (a uint4)) (border zero) (output out (gather a (- (floor-shift 2 a) 1) (floor-shift 3 (at a 1 0))))"),
    ("roots", "(inputs (a uint5) (b int3)) (border replicate) (output r (sqrt (* a (at a 1 0)))) (output s (sqrt (* 1/3 (+ a (at a 0 1)))))
               (output t (+ (sqrt (min a 3)) (sqrt (max 0 (- (* 50 a) (* b b b))))))"),
    ("point", "(inputs (a uint8)) (border replicate) (output out (+ a 1))"),
];

/// The text of a toy.
pub(crate) fn toy(name: &str) -> String {
    let (_, body) = TOYS.iter().find(|(own, _)| *own == name).unwrap();
    format!("(pipeline {name} {body})")
}

/// The text of a file in the corpus.
pub(crate) fn corpus(name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join("corpus/pipelines").join(format!("{name}.sexp"))).unwrap()
}

/// The options for pictures of this size.
fn options([width, height]: [usize; 2], lanes: usize, halo: bool) -> OptionValues {
    let number = |number: usize| [number.to_string()];
    let options = OptionValues::default()
        .with("width", number(width))
        .with("height", number(height))
        .with("pixels-per-clock", number(lanes));
    if halo { options.with("halo", [""; 0]) } else { options }
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

fn compiled_with(text: &str, options: OptionValues) -> Result<Box<dyn Record>, OptimizeError> {
    let machine = Registry::default().builtin("fpga").unwrap();
    let request = Request { options, ..Request::new(Source::new("p.sexp", text)) };
    machine.compile(&request, &|_| {})
}

/// The record of a design as JSON.
pub(crate) fn record(text: &str, size: [usize; 2], lanes: usize, halo: bool) -> serde_json::Value {
    let record = compiled(text, size, lanes, halo).unwrap_or_else(|why| panic!("{why}"));
    serde_json::from_str(&record.emit("json").unwrap()).unwrap()
}

/// Every design is compared with the reference when it is compiled, on whole pictures and clock by clock.
#[test]
fn designs_pass_their_checks() {
    for (name, _) in TOYS {
        for (lanes, halo) in [(1, false), (2, true), (4, false), (3, true)] {
            // Results of a quarter of the columns do not go together with three lanes.
            if *name == "quarter" && lanes == 3 {
                continue;
            }
            let found = record(&toy(name), [24, 6], lanes, halo);
            assert!(found["checked"]["pixels"].as_u64() > Some(0), "{name}");
        }
    }
}

/// The stencils of SODA and the small examples of Halide-HLS, at all numbers of pixels in a clock.
#[test]
fn stencils_are_compiled_for_all_numbers_of_pixels() {
    for name in
        ["blur", "conv2d", "erosion", "fanout", "heat3d", "jacobi2d", "jacobi3d", "seidel2d", "sobel2d"]
    {
        for lanes in [1, 2, 4, 8] {
            let found = record(&corpus(name), [32, 6], lanes, lanes == 4);
            assert!(found["checked"]["pixels"].as_u64() > Some(0), "{name}");
        }
    }
}

/// A large stencil without common rows: fewer additions than the best that others report with products, in the least bits.
#[test]
fn a_disc_of_many_weights_shares_its_sums() {
    let contrast = record(&corpus("contrast"), [64, 18], 1, false);
    let adders = contrast["units"]["adders"].as_object().unwrap();
    let adders: u64 = adders.values().map(|count| count.as_u64().unwrap()).sum();
    assert!(adders <= 143, "{adders}");
    assert_eq!(contrast["units"]["multipliers"].as_object().unwrap().len(), 0);
    let bits = contrast["memory"]["least_bits"].as_u64().unwrap();
    assert!(bits <= 16 * 80 * 8 * 11 / 10, "{bits}");
}

#[test]
fn the_applications_keep_little_and_add_little() {
    let gaussian = record(&corpus("gaussian"), [640, 48], 2, true);
    let adders = gaussian["units"]["adders"].as_object().unwrap();
    let adders: u64 = adders.values().map(|count| count.as_u64().unwrap()).sum();
    assert!(adders <= 24, "{gaussian}");
    assert_eq!(gaussian["units"]["multipliers"].as_object().unwrap().len(), 0);
    // Eight rows of 648 pixels of 8 bits, and less than 40 pixels of 24 bits besides.
    let bits = gaussian["memory"]["least_bits"].as_u64().unwrap();
    assert!((8 * 648 * 8..8 * 648 * 8 + 40 * 24).contains(&bits), "{bits}");
    assert!(gaussian["clocks"].as_u64() <= Some(648 * 56 / 2 + 64), "{gaussian}");
}

/// Of values of which one row in three matters, a row is kept where the next but two is read, and not three.
#[test]
fn values_of_few_rows_are_kept_a_row_at_a_time() {
    let thinned = record(&toy("thinned"), [120, 6], 1, false);
    let number = |name: &str| thinned["memory"][name].as_u64().unwrap();
    let row = thinned["padded"][0].as_u64().unwrap() * 7;
    let kept = number("line_bits") + number("row_bits");
    assert!((2 * row..2 * row + 100).contains(&kept), "{thinned}");
}

#[test]
fn the_price_of_multipliers_decides_what_is_in_tables() {
    let with = |price: Option<&str>| {
        let options = options([64, 8], 2, false);
        let options =
            if let Some(price) = price { options.with("multiplier-price", [price]) } else { options };
        let made = compiled_with(&corpus("harris"), options).unwrap_or_else(|why| panic!("{why}"));
        let json: serde_json::Value = serde_json::from_str(&made.emit("json").unwrap()).unwrap();
        assert!(json["checked"]["pixels"].as_u64() > Some(0), "{json}");
        json["units"]["hard_multipliers"].as_u64().unwrap()
    };
    assert_eq!(with(Some("1000")), 0);
    // Squares of gradients are in tables. Three products are left for a lane beside those of gradients; at this width these are
    // made once, and at a greater one for each of three rows.
    assert_eq!(with(None), 8);
    let wide = record(&corpus("harris"), [1920, 8], 2, false);
    assert_eq!(wide["units"]["hard_multipliers"].as_u64(), Some(12));
    assert!(with(Some("0")) >= 12);
    let wrong = compiled_with(&corpus("harris"), options([64, 8], 2, false).with("multiplier-price", ["-1"]));
    assert!(wrong.err().unwrap().describe(&Source::new("p", "")).contains("-1 is not in 0..=1000"));
}

/// Partial sums have as many bits as they can need: what cancels or is the same in both summands does not count twice.
#[test]
fn sums_have_the_bits_of_their_values() {
    let gaussian = record(&corpus("gaussian"), [640, 48], 2, true);
    let adders = gaussian["units"]["adders"].as_object().unwrap();
    let bits: u64 =
        adders.iter().map(|(bits, count)| bits.parse::<u64>().unwrap() * count.as_u64().unwrap()).sum();
    assert!(bits <= 385, "{bits} bits: {adders:?}");
}

/// The report says what the text has: the rows of values that are held or summed along rows are delay lines of their own.
#[test]
fn rows_that_are_kept_for_held_values_are_counted() {
    let above = |line: &str| -> Option<[u64; 2]> {
        let parameter = |name: &str| -> Option<u64> {
            let (_, rest) = line.split_once(&format!(".{name}("))?;
            rest.split_once(')')?.0.parse().ok()
        };
        let is_row = line.contains(" delay_") && line.contains("_above (");
        is_row.then(|| [parameter("WIDTH").unwrap(), parameter("LENGTH").unwrap()])
    };
    for (name, lanes, rows) in [("point", 1, 0), ("pooled", 1, 2), ("pooled", 2, 2), ("binned", 2, 16)] {
        let made = compiled(&toy(name), [120, 6], lanes, false).unwrap_or_else(|why| panic!("{why}"));
        let json: serde_json::Value = serde_json::from_str(&made.emit("json").unwrap()).unwrap();
        let text = made.emit("systemverilog").unwrap();
        let found: Vec<[u64; 2]> = text.lines().filter_map(above).collect();
        assert_eq!(found.len(), rows, "{name}");
        let bits: u64 = found.iter().map(|[width, length]| width * length).sum();
        assert_eq!(json["memory"]["row_bits"].as_u64(), Some(bits), "{name} with {lanes} lanes");
        // All of these rows are long enough to be memory, as is each of the lines that are.
        let memories = text.lines().filter(|line| line.contains("kalg_memory #") && line.contains(" delay_"));
        let memories = memories.count() as u64;
        assert!(json["memory"]["block_rams"].as_u64() >= Some(memories), "{name}: {memories} {json}");
        let said = made.text(false).contains("rows of values that are held or summed along rows");
        assert_eq!(said, rows > 0, "{name}");
    }
}
