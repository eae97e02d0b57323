//! Several kernels in many registers: compiled together they cost no more than one by one, and the programs are correct.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use crate::compiled::{compiled, recheck, record, request};
use kalg::algebra::Random;
use kalg::backend::array::compile::OptimizeRequest;
use kalg::backend::array::machine::Target;
use kalg::syntax::Source;
use proptest::prelude::*;

/// Random 3×3 kernels of eighths.
fn kernels(count: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut row = || format!("({})", [0; 3].map(|_: u8| random.integer(0, 8).to_string()).join(" "));
    (0..count).map(|_| [row(), row(), row()].join(" ")).collect()
}

/// A request for the kernels on a machine with this many registers.
fn filter(isa: &str, kernels: &[String], registers: usize, keep_input: bool, nodes: u64) -> OptimizeRequest {
    let outputs: String =
        (0..kernels.len()).map(|n| format!(" (output o{n} (scale 1/8 (kernel {})))", kernels[n])).collect();
    let source = Source::new("several.sexp", format!("(filter several (inputs image){outputs})"));
    let target = Arc::new(Target::builtin("scamp5").unwrap().with_registers(registers).unwrap());
    OptimizeRequest { target, keep_input, ..request(source, isa, nodes) }
}

#[test]
fn together_is_never_more_than_one_by_one() {
    const NODES: u64 = 30;
    for (isa, count, seed) in [("macro", 4, 3), ("bus", 3, 2)] {
        let kernels = kernels(count, seed);
        let alone = |n: usize| filter(isa, &kernels[n..=n], 18 - n, n + 1 < count, NODES);
        let one_by_one: u32 = (0..count).map(|n| compiled(&alone(n)).instructions.unwrap()).sum();
        let together =
            compiled(&filter(isa, &kernels, 18, false, NODES * count as u64)).instructions.unwrap();
        assert!(
            together <= one_by_one,
            "{isa}, {count} kernels: {together} together, {one_by_one} one by one"
        );
        // Random kernels are similar enough that four of them have common parts.
        assert!(count < 4 || together < one_by_one, "{together} together, {one_by_one} one by one");
    }
}

#[test]
fn the_program_is_the_same_on_any_number_of_threads() {
    let asked = filter("macro", &kernels(3, 5), 18, false, 40);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compiled(&asked).program.unwrap())
    };
    let first = on(1);
    assert_eq!(first, on(2));
    assert_eq!(first, on(3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_of_several_kernels_are_right(count in 2usize..5, spare in 7usize..11, keep: bool, seed: u64) {
        let asked = filter("macro", &kernels(count, seed), count + spare, keep, 60);
        let found = record(&asked);
        // With so few states there may be no program.
        if found.no_program.is_none() {
            recheck(&asked, &found);
        }
    }
}
