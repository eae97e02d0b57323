//! Properties of every compilation: a program found is correct, and equal requests give equal records.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt;

use crate::compiled::{file, recheck, record, request};
use kalg::backend::array::compile::OptimizeRequest;
use kalg::backend::array::machine::Division;
use kalg::rule::RuleSet;
use kalg::syntax::Source;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// Few cases, because each is a whole compilation; always the same ones, so that failures are reproducible.
fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(28),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    }
}

/// A matrix of at most 3 × 3, with its divisor.
fn kernel() -> impl Strategy<Value = String> {
    let coefficient = prop_oneof![2 => Just(0), 5 => -3i32..=3, 1 => -9i32..=9];
    let rows = (1usize..=3, 1usize..=3).prop_flat_map(move |(width, height)| {
        let row = prop::collection::vec(coefficient.clone(), width);
        (prop::collection::vec(row, height), 0..width, 0..height, 0u32..=3)
    });
    rows.prop_map(|(rows, column, row, halvings)| {
        let rows: Vec<String> = rows
            .iter()
            .map(|row| format!("({})", row.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")))
            .collect();
        format!("(scale 1/{} (kernel (origin {column} {row}) {}))", 1 << halvings, rows.join(" "))
    })
}

/// A request whose debug output shows the parts that vary.
#[derive(Clone)]
struct Case(OptimizeRequest);

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OptimizeRequest { source, isa, division, registers, keep_input, seed, rules, .. } = &self.0;
        write!(f, "{}\n{isa}, {division:?}, {registers:?}, ", source.text())?;
        write!(f, "keep {keep_input}, seed {seed}, {} rules", rules.rules().len())
    }
}

/// One or two outputs of one or two channels, with any instruction set, division, and number of registers.
fn requests() -> impl Strategy<Value = Case> {
    let outputs = prop::collection::vec((kernel(), any::<bool>()), 1..=2);
    let isa = prop_oneof![3 => Just("bus"), 2 => Just("macro"), 1 => Just("basic")];
    let division = prop_oneof![Just(None), Just(Some(Division::Quick))];
    (outputs, isa, division, 2usize..=6, any::<bool>(), any::<bool>(), 0u64..4).prop_map(
        |(outputs, isa, division, registers, keep_input, rules, seed)| {
            let outputs: String = (0..)
                .zip(&outputs)
                .map(|(index, (kernel, second))| {
                    let channel = if *second { "second" } else { "first" };
                    format!(" (output o{index} (from {channel} {kernel}))")
                })
                .collect();
            let text = format!("(filter random (inputs first second){outputs})");
            let mut request = request(Source::new("random.sexp", text), isa, 30);
            request.division = division;
            let names = ["F", "B", "A", "E", "C", "D"];
            request.registers = Some(names[..registers].iter().map(|name| (*name).to_owned()).collect());
            request.keep_input = keep_input;
            request.seed = seed;
            if !rules {
                request.rules = RuleSet::default();
            }
            Case(request)
        },
    )
}

fn json_with_threads(request: &OptimizeRequest, threads: usize) -> String {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| record(request)).to_json()
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn a_program_is_right_or_there_is_none(case in requests()) {
        let record = record(&case.0);
        match &record.no_program {
            None => recheck(&case.0, &record),
            Some(none) => {
                prop_assert!(record.program.is_none() && record.cycles.is_none());
                prop_assert!(!none.reason.is_empty());
            }
        }
    }
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn the_same_request_gives_the_same_record(case in requests()) {
        let first = record(&case.0).to_json();
        prop_assert_eq!(&first, &record(&case.0).to_json());
        prop_assert_eq!(&first, &json_with_threads(&case.0, 1));
        prop_assert_eq!(&first, &json_with_threads(&case.0, 2));
    }
}

#[test]
fn records_do_not_depend_on_the_number_of_threads() {
    for (path, isa) in [("classic/gauss-3.sexp", "bus"), ("papers/auke-example-3.sexp", "macro")] {
        let mut request = request(file(path), isa, 400);
        request.explain = true;
        let one = json_with_threads(&request, 1);
        assert!(one.contains("\"program\":["), "{one}");
        assert_eq!(one, json_with_threads(&request, 2));
        assert_eq!(one, json_with_threads(&request, 3));
    }
}
