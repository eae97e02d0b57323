//! What designs of applications take.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::backend::option::OptionValues;
use kalg::syntax::Source;

use crate::designs::{
    compiled, compiled_with, corpus, count, in_clocks, kept_for_nothing, options, record, record_with,
};

/// Folds take their steps one after another: with each number of clocks fewer units, and the same lines for inputs.
#[test]
fn units_are_shared_in_time() {
    const TEXT: &str = "(pipeline p (inputs (a uint8) (b uint8)) (border replicate)
        (output out (fold argmin (d 0 32) (filter (kernel (1 2 1)) (absdiff (at a 0 1) (at b d 0))))))";
    let found = |clocks: usize| {
        let json = record_with(TEXT, in_clocks([96, 4], clocks, false));
        let number = |field: &str| json[field].as_u64().unwrap();
        let bits = json["memory"]["line_bits"].as_u64().unwrap();
        [
            count(&json, "adders"),
            count(&json, "comparators"),
            bits,
            number("clocks"),
            number("clocks_per_pixel"),
        ]
    };
    let [adders, comparators, bits, clocks, _] = found(1);
    for share in [2, 4, 8] {
        let [fewer, compared, kept, longer, per_pixel] = found(share);
        let share = share as u64;
        assert_eq!(per_pixel, share);
        assert!(
            fewer <= adders / share + 8 && compared <= comparators / share + 8,
            "{share}: {fewer}, {compared}"
        );
        assert!(kept <= bits * 105 / 100, "{share}: {kept} bits, not {bits}");
        assert!(
            longer <= share * (clocks + 8) && longer > share * clocks * 95 / 100,
            "{share}: {longer} clocks, not {clocks}"
        );
    }
}

/// The first eight of the 64 outputs of a layer of a network.
#[test]
fn a_layer_of_a_network_has_many_outputs() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/hardware/layer.sexp");
    let text = std::fs::read_to_string(path).unwrap();
    let (sums, rest) = text.split_once("  (let sum8\n").unwrap();
    let outputs: Vec<&str> = rest.lines().filter(|line| line.starts_with("  (output ")).take(8).collect();
    let text = format!("{sums}{})", outputs.join("\n"));
    let found = record(&text, [32, 8], 1, false);
    assert!(found["checked"]["pixels"].as_u64() >= Some(1000), "{found}");
    assert_eq!(found["units"]["hard_multipliers"].as_u64(), Some(0));
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
    let adders = count(&contrast, "adders");
    assert!(adders <= 143, "{adders}");
    assert_eq!(contrast["units"]["multipliers"].as_object().unwrap().len(), 0);
    let bits = contrast["memory"]["least_bits"].as_u64().unwrap();
    assert!(bits <= 16 * 80 * 8 * 11 / 10, "{bits}");
}

#[test]
fn the_applications_keep_little_and_add_little() {
    let gaussian = record(&corpus("gaussian"), [640, 48], 2, true);
    assert!(count(&gaussian, "adders") <= 24, "{gaussian}");
    assert_eq!(gaussian["units"]["multipliers"].as_object().unwrap().len(), 0);
    // Eight rows of 648 pixels of 8 bits, and less than 40 pixels of 24 bits besides.
    let bits = gaussian["memory"]["least_bits"].as_u64().unwrap();
    assert!((8 * 648 * 8..8 * 648 * 8 + 40 * 24).contains(&bits), "{bits}");
    assert!(gaussian["clocks"].as_u64() <= Some(648 * 56 / 2 + 64), "{gaussian}");
}

#[test]
fn the_price_of_multipliers_decides_what_is_in_tables() {
    let with = |price: Option<&str>| {
        let options = options([64, 8], 2, false);
        let options =
            if let Some(price) = price { options.with("multiplier-price", [price]) } else { options };
        let json = record_with(&corpus("harris"), options);
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
    assert!(
        wrong.err().unwrap().describe(&Source::new("p", "")).contains("-1 is neither 0 nor in 0.001..=1000")
    );
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

/// The sum of many neighbours takes two adders in each direction, where what it keeps is cheap.
#[test]
fn sums_of_neighbours_go_on_from_one_to_the_next() {
    let ones = |from: &str, by: &str, to: &str| format!("(kernel {from}{}{to})", vec!["1"; 19].join(by));
    let [columns, rows] = [ones("(", " ", ")"), ones("(", ") (", ")")];
    let text = format!(
        "(pipeline p (inputs (a uint16)) (border replicate) (output out (filter (compose {columns} {rows}) a)))"
    );
    let adders = |options: OptionValues| count(&record_with(&text, options), "adders");
    assert_eq!(adders(options([64, 4], 1, false)), 4);
    // Along rows only: the pixels of a word would wait for one another.
    assert_eq!(adders(options([64, 4], 2, false)), 8);
}

/// The least of many pixels takes three operations in each direction, where what it keeps is cheap.
#[test]
fn extremes_of_many_are_made_in_blocks() {
    let design = |options: OptionValues| record_with(&corpus("erosion"), options);
    let minima = |design: &serde_json::Value| count(design, "comparators");
    let blocks = design(kept_for_nothing([64, 4], false));
    assert_eq!(minima(&blocks), 6);
    // Three times 19 rows and more, in the place of 18.
    let kept = |design: &serde_json::Value| {
        design["memory"]["line_bits"].as_u64().unwrap() + design["memory"]["row_bits"].as_u64().unwrap()
    };
    let runs = design(options([64, 4], 1, false));
    assert_eq!(minima(&runs), 10);
    assert!(kept(&blocks) > 3 * kept(&runs), "{} {}", kept(&blocks), kept(&runs));
    // The pixels of a word would wait for one another.
    assert_eq!(minima(&design(options([64, 4], 2, false).with("buffer-price", ["0"]))), 10);
}

/// A count that goes on from pixel to pixel goes through all pixels of a word in a clock, so of longer words it is a tree.
#[test]
fn counts_do_not_go_through_long_words() {
    let goes_on = |lanes: usize| {
        let design = compiled(&corpus("histogram"), [64, 16], lanes, false).unwrap();
        design.emit("systemverilog").unwrap().contains("sum along columns")
    };
    assert_eq!([1, 2, 4, 8].map(goes_on), [true, true, false, false]);
}

/// The same circuit as that of a pipeline which filters and rounds.
#[test]
fn a_filter_is_a_pipeline_of_one_stage() {
    let kernel = "(scale 1/4 (kernel (1 0 -1) (2 0 -2) (1 0 -1)))";
    let filter = format!("(filter edge (inputs image) (output out {kernel}))");
    for pixel in ["uint8", "int12"] {
        let pipeline = format!(
            "(pipeline edge (inputs (image {pixel})) (output out (round up (filter {kernel} image))))"
        );
        let options = options([64, 8], 2, false);
        let of =
            |text: &str, options: OptionValues| compiled_with(text, options).unwrap().emit("systemverilog");
        let expected = of(&pipeline, options.clone()).unwrap();
        assert!(expected.contains("edge"));
        assert_eq!(of(&filter, options.with("type", [pixel])).unwrap(), expected, "{pixel}");
    }
}
