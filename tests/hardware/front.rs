//! Fronts of designs by what they compute against what they keep.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::syntax::Source;

use crate::designs::{compiled_with, corpus, options, record};

/// The record of a design for 320 columns, with an option.
fn with(name: &str, option: &str, value: &[&str]) -> serde_json::Value {
    let options = options([320, 8], 1, true).with(option, value.iter().copied());
    let made = compiled_with(&corpus(name), options).unwrap_or_else(|why| panic!("{why}"));
    let said =
        made.text(false).contains("Front: operations, in look-up tables, against bits that are kept\n  1. ");
    assert_eq!(said, option == "pareto", "{name}");
    serde_json::from_str(&made.emit("json").unwrap()).unwrap()
}

/// What a design computes and keeps, by its record.
fn figures(json: &serde_json::Value) -> [u64; 4] {
    let adders = json["units"]["adders"].as_object().unwrap().values();
    let adders: u64 = adders.map(|count| count.as_u64().unwrap()).sum();
    let number = |of: &serde_json::Value| of.as_u64().unwrap();
    let memory = &json["memory"];
    let kept = number(&memory["line_bits"]) + number(&memory["row_bits"]);
    [adders, number(&json["units"]["hard_multipliers"]), kept, number(&memory["block_rams"])]
}

#[test]
fn a_front_has_what_other_prices_of_bits_lead_to() {
    for (name, least) in [("harris", 3), ("gaussian", 2), ("fanout", 1)] {
        let json = with(name, "pareto", &[]);
        let front = json["front"].as_array().unwrap();
        assert!(front.len() >= least, "{name}: {front:?}");
        let number = |of: &serde_json::Value, key: &str| of[key].as_u64().unwrap();
        for pair in front.windows(2) {
            let better = |key| number(&pair[0], key) < number(&pair[1], key);
            assert!(better("operations") && !better("kept_bits"), "{name}: {front:?}");
            assert_ne!(pair[0]["kept_bits"], pair[1]["kept_bits"], "{name}: {front:?}");
        }
        // Each design of the front is the one for its price.
        for point in front {
            let own = with(name, "buffer-price", &[point["buffer_price"].as_str().unwrap()]);
            let keys = ["adders", "hard_multipliers", "kept_bits", "block_rams"];
            assert_eq!(figures(&own), keys.map(|key| number(point, key)), "{name}: {point}");
            assert_eq!(own["latency"], point["latency"], "{name}: {point}");
        }
        // None of them is beaten by the design for the price of the machine.
        let own = figures(&json)[2];
        assert!(front.iter().any(|point| number(point, "kept_bits") <= own), "{name}");
    }
}

#[test]
fn there_is_no_front_unless_it_is_wanted_and_no_price_below_nothing() {
    assert!(record(&corpus("fanout"), [16, 4], 1, false)["front"].is_null());
    let wrong = compiled_with(&corpus("fanout"), options([16, 4], 1, false).with("buffer-price", ["-1"]));
    assert!(
        wrong.err().unwrap().describe(&Source::new("p", "")).contains("-1 is neither 0 nor in 0.001..=1000")
    );
}
