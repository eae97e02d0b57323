//! Sums of products with constants on machines in scan order: the number of operations.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use serde_json::Value;

use crate::scratch::Scratch;
use crate::stream_command::{FEW, cost, kalg, out, record};

/// The number of additions if multiplications do not pay.
fn adders(scratch: &Scratch, filter: &str) -> u64 {
    let dear = std::fs::read_to_string("rules/ops/target.sexp").unwrap();
    let dear = scratch.file("dear.sexp", dear.replace("(multiplication 3)", "(multiplication 1000)"));
    let output = kalg(&[&["optimize", filter, "--target", &dear, "--json"], FEW].concat());
    let found: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!((cost(&found, "multiplications"), &found["verified"]["executed"]), (0, &true.into()));
    cost(&found, "additions")
}

#[test]
fn constants_take_the_fewest_adders_and_sets_of_them_share() {
    let scratch = Scratch::new("constants");
    // 45 = 5 · 9 takes two additions, its digits three; 2709 = 43 · 63 takes three, its digits five.
    for (constants, additions) in
        [(&[45][..], 2), (&[2709], 3), (&[93, 783, 735], 5), (&[45, 90, 5], 2), (&[-45, 90, 5], 3)]
    {
        let output = |(n, constant)| format!("(output o{n} (kernel ({constant})))");
        let outputs: String = constants.iter().enumerate().map(output).collect();
        let filter = scratch.file("f.sexp", format!("(filter f (inputs image) {outputs})"));
        assert_eq!(adders(&scratch, &filter), additions, "{constants:?}");
    }
    let sets = (0..11).map(|set| adders(&scratch, &format!("corpus/constants/set-{set:02}.sexp")));
    assert!(sets.sum::<u64>() <= 52);
}

#[test]
fn kernels_share_what_they_have_in_common() {
    for (filter, additions) in [
        ("kirsch", 20),
        ("sobel-directions", 12),
        ("binomials", 16),
        ("boxes", 10),
        ("dense-a", 40),
        ("dense-b", 42),
        ("disc-17", 143),
    ] {
        let record = record(&format!("corpus/constants/{filter}.sexp"), FEW);
        let [found, multiplications] = ["additions", "multiplications"].map(|what| cost(&record, what));
        assert!(found <= additions && multiplications == 0, "{filter}: {found} + {multiplications}");
    }
}

#[test]
fn the_cheapest_attempt_is_the_plan() {
    let record = record("corpus/classic/gauss-3.sexp", FEW);
    let attempts = record["attempts"].as_array().unwrap();
    let least = attempts.iter().map(|attempt| attempt["cost"]["total"].as_f64().unwrap()).fold(1e9, f64::min);
    assert_eq!(record["cost"]["total"].as_f64().unwrap(), least, "{attempts:?}");
}
