//! Filters that are turned or mirrored images of each other: they get the same program but for directions, at the same cost, alone and
//! beside each other, and everything that a record says is said of the filter that was asked for.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use crate::compiled::{compiled, recheck, record, request};
use kalg::algebra::{Placed, Rational, Turn};
use kalg::backend::Memo;
use kalg::backend::array::compile::{Aims, Nearness, OptimizeRequest};
use kalg::backend::array::machine::Division;
use kalg::report::OptimizeRecord;
use kalg::rule::RuleSet;
use kalg::syntax::Source;
use kalg::term::{filter_placed, kernel_text, read_filter};

const NODES: u64 = 60;

/// A kernel without symmetries, which is a product; two outputs that share a part; two inputs; a row and a column.
const FILTERS: [&str; 4] = [
    "(filter f (inputs in0) (output out (compose (kernel (1 2 .) (. 3 1) (. . .)) (kernel (1 1 -2)))))",
    "(filter f (inputs in0) (output a (kernel (1 2 1) (. . 4) (. . .))) (output b (kernel (1 2 1) (. 1 -1) (. . .))))",
    "(filter f (inputs in0 in1) (output out (add (from in0 (kernel (1 . 2))) (from in1 (kernel (3) (1) (-1))))))",
    "(filter f (inputs in0) (output a (shift 1 0 (kernel (1 2 3)))) (output b (shift 0 1 (kernel (1) (5) (1)))))",
];

fn placed(text: &str) -> Vec<(String, Placed)> {
    filter_placed(&read_filter(&Source::new("turned.sexp", text.to_owned())).unwrap()).unwrap()
}

fn inputs(text: &str) -> &str {
    if text.contains("in1") { "in0 in1" } else { "in0" }
}

/// The filter under a turn, written out.
fn turned(text: &str, turn: Turn) -> String {
    let output = |(name, kernel): (String, Placed)| {
        format!("(output {name} {})", kernel_text(&kernel.turned(turn).unwrap()))
    };
    let outputs: Vec<String> = placed(text).into_iter().map(output).collect();
    format!("(filter f (inputs {}) {})", inputs(text), outputs.join(" "))
}

fn asked(text: &str, isa: &str, memo: &Memo) -> OptimizeRequest {
    let source = Source::new("turned.sexp", text.to_owned());
    OptimizeRequest { explain: true, memo: memo.clone(), ..request(source, isa, NODES) }
}

/// The program without directions.
fn plain(record: &OptimizeRecord) -> Vec<String> {
    let words = ["XN", "XE", "XS", "XW", "north", "east", "south", "west"];
    let plain = |line: &String| words.iter().fold(line.clone(), |line, word| line.replace(word, "d"));
    record.program.as_ref().unwrap().iter().map(plain).collect()
}

/// That what a record says of kernels is true of the filter.
fn is_about(record: &OptimizeRecord, text: &str) {
    let term = record.egraph.best_term.as_ref().unwrap();
    assert_eq!(placed(&format!("(filter f (inputs {}) {term})", inputs(text))), placed(text));
    for step in record.explanation.as_ref().unwrap() {
        let all = [&step.kernel, &step.decomposition];
        let [whole, parts] =
            all.map(|term| placed(&format!("(filter f (inputs {}) (output o {term}))", inputs(text))));
        assert_eq!(whole, parts, "{}", step.rule);
    }
}

#[test]
fn images_of_a_filter_get_the_image_of_its_program() {
    // Each filter in one instruction set, and the turns are shared out among the filters.
    for (number, text) in FILTERS.into_iter().enumerate() {
        let isa = ["bus", "macro"][number % 2];
        let shared = Memo::new();
        let mut programs = BTreeSet::new();
        let others = (1..8).filter(|turn| turn % 4 == number);
        for turn in [0].into_iter().chain(others).map(|turn| Turn::ALL[turn]) {
            let image = turned(text, turn);
            let alone = asked(&image, isa, &Memo::new());
            let found = record(&alone);
            recheck(&alone, &found);
            is_about(&found, &image);
            // Without a clock every figure of a record is the same, whether or not the search was shared.
            assert_eq!(record(&asked(&image, isa, &shared)).to_json(), found.to_json());
            programs.insert((found.cycles, found.instructions, plain(&found)));
        }
        assert_eq!(programs.len(), 1, "{isa} {text}: {programs:#?}");
        assert_eq!(format!("{shared:?}"), "Memo(2 results)", "the instructions and one search");
    }
}

/// What a file states counts too: the same kernel written in another way is another search.
#[test]
fn what_else_the_search_depends_on_keeps_searches_apart() {
    let shared = Memo::new();
    let product = FILTERS[0];
    for text in [product.to_owned(), turned(product, Turn::IDENTITY), product.replace("in0", "other")] {
        record(&asked(&text, "macro", &shared));
    }
    assert_eq!(format!("{shared:?}"), "Memo(4 results)");
    let turn = Turn::ALL[5];
    record(&asked(&turned(product, turn), "macro", &shared));
    assert_eq!(format!("{shared:?}"), "Memo(4 results)");
}

/// Registers, kept inputs and the range of inputs are settings; they hold for the turned program, too.
#[test]
fn settings_hold_for_turned_programs() {
    let shared = Memo::new();
    let named = |name: &str, register: &str| vec![(name.to_owned(), register.to_owned())];
    let cycles = [0, 1, 5].map(|index| {
        let request = OptimizeRequest {
            registers: Some(["A", "B", "D", "E"].map(str::to_owned).to_vec()),
            inputs: named("in0", "D"),
            outputs: named("out", "B"),
            keep_input: true,
            aims: Aims { input_range: Some([0, 10].map(Rational::integer)), ..Aims::default() },
            ..asked(&turned(FILTERS[0], Turn::ALL[index]), "bus", &shared)
        };
        let found = compiled(&request);
        assert_eq!(found.inputs[0].register.as_deref(), Some("D"));
        assert_eq!(found.outputs[0].register.as_deref(), Some("B"));
        found.cycles
    });
    assert!(cycles.iter().all(|other| *other == cycles[0]), "{cycles:?}");
    assert_eq!(format!("{shared:?}"), "Memo(2 results)");
}

/// An approximation differs from the filter by the same amount in every orientation. What noise is predicted is not.
#[test]
fn approximations_are_turned_and_noise_is_not() {
    let third = "(filter f (inputs in0) (output out (kernel (1/3 2 .) (. 1/5 1) (. . .))))";
    for (noise_weight, results) in [(None, 2), (Some(1.0), 1)] {
        let shared = Memo::new();
        for turn in [Turn::IDENTITY, Turn::ALL[5]] {
            let aims = Aims { nearness: Some(Nearness::Depth(3)), noise_weight, ..Aims::default() };
            let division = Some(Division::Quick);
            let request = asked(&turned(third, turn), "macro", &shared);
            let found = record(&OptimizeRequest { aims, division, ..request });
            assert_eq!(found.verified.simulated, Some(true));
            assert!((found.approximation.unwrap().max_error - 0.05).abs() < 1e-9);
        }
        assert_eq!(format!("{shared:?}"), format!("Memo({results} results)"));
    }
}

/// A rule that names a place is not the same rule for a turned filter.
#[test]
fn rules_with_directions_see_the_filter_as_it_is() {
    let rule = "(rule row (kernel (1 2 1)) => (compose (kernel (1 1 .)) (kernel (. 1 1))))";
    let own = RuleSet::from_sources(vec![Source::new("own.rules", rule.to_owned())]).unwrap();
    let shared = Memo::new();
    let row = "(filter f (inputs in0) (output out (kernel (1 2 1))))";
    let rules_used = |turn: Turn| {
        let request = asked(&turned(row, turn), "macro", &shared);
        record(&OptimizeRequest { rules: own.clone(), ..request }).per_rule[0].matches
    };
    assert!(rules_used(Turn::IDENTITY) > 0);
    assert_eq!(rules_used(Turn::ALL[4]), 0);
    assert_eq!(format!("{shared:?}"), "Memo(1 results)", "the instructions");
}
