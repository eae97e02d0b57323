//! Large kernels, many registers and several channels: a program is found at once, and it is correct.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::compiled::{compiled, file, request};
use kalg::backend::array::compile::{OptimizeRequest, optimize};
use kalg::backend::array::machine::Target;
use kalg::budget::Budget;
use kalg::syntax::Source;

#[test]
fn large_kernels_have_a_program_without_any_search() {
    let at_once = |name: &str, isa: &str| {
        let record = compiled(&request(file(format!("large/{name}.sexp")), isa, 1));
        assert_eq!(record.attempts[0].method, "Horner's scheme", "{name}");
        record.cycles.unwrap()
    };
    let [dense, separable] = ["dense-9", "separable-9"].map(|name| at_once(name, "bus"));
    assert!(2 * separable < dense, "products are built one factor after the other: {separable}, {dense}");
    for name in ["dense-11", "separable-11"] {
        at_once(name, "macro");
    }
}

/// A request interrupted before it begins.
fn interrupted(source: Source) -> OptimizeRequest {
    let flag = Arc::new(AtomicBool::new(true));
    let budget = Budget::unlimited().interrupted_by(&flag);
    OptimizeRequest { budget, ..request(source, "macro", u64::MAX) }
}

#[test]
fn whoever_does_not_wait_gets_the_first_program() {
    let request = interrupted(file("large/dense-9.sexp"));
    let record = compiled(&request);
    let methods: Vec<&str> = record.attempts.iter().map(|attempt| attempt.method.as_str()).collect();
    assert_eq!(methods, ["Horner's scheme", "by peephole rules"]);
    assert_eq!(record.egraph.iterations, Some(0), "nothing was saturated");
}

#[test]
fn sums_from_both_sides_end_in_the_middle() {
    let row = |n: usize| if n == 0 || n == 60 { "1" } else { "0" };
    let row = (0..=60).map(row).collect::<Vec<_>>().join(" ");
    let text = format!("(filter far (inputs image) (output out (kernel ({row}))))");
    let request = interrupted(Source::new("far.sexp", text));
    // Thirty moves from either side. From one end to the other and back to the middle it would be ninety.
    let cycles = compiled(&OptimizeRequest { isa: "bus".to_owned(), ..request }).cycles.unwrap();
    assert!((61..=63).contains(&cycles), "{cycles}");
}

#[test]
fn programs_beyond_all_measure_are_refused_by_a_limit_with_a_number() {
    let weight = |n: usize| (n * 7_368_787 + 15_485_863) % (1 << 29);
    let row = |y: usize| (0..31).map(|x| weight(31 * y + x).to_string()).collect::<Vec<_>>().join(" ");
    let rows: String = (0..31).map(|y| format!("({})", row(y))).collect();
    let text = format!("(filter endless (inputs image) (output out (kernel {rows})))");
    let request = interrupted(Source::new("endless.sexp", text));
    let record = optimize(&request, &mut |_| {}).unwrap();
    let none = record.no_program.unwrap();
    assert!(none.reason.contains("more than 20000 instructions"), "{}", none.reason);
    assert_eq!(none.fewest_registers, None);
}

#[test]
fn first_programs_may_have_channels_outputs_and_any_scale() {
    let row = (1..=9).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let rows = vec![format!("({row})"); 8].join(" ");
    for (scale, isa) in [("8", "bus"), ("-1/2", "macro"), ("1/4096", "bus")] {
        let text = format!(
            "(filter f (inputs a b)
               (output both (scale {scale} (add (from a (kernel (origin 2 5) {rows})) (from b (kernel (1 2 1))))))
               (output edge (from b (kernel (1 0 -1)))))"
        );
        compiled(&request(Source::new("first.sexp", text), isa, 1));
    }
}

#[test]
fn machines_may_have_more_registers() {
    let outputs: String =
        (0..7).map(|n| format!(" (output o{n} (kernel (origin 0 0) (1 {})))", n - 3)).collect();
    let text = format!("(filter seven (inputs image){outputs})");
    let mut request = request(Source::new("seven.sexp", text), "macro", 30);
    request.target = Target::builtin("scamp5").unwrap().with_registers(18).unwrap().into();
    request.outputs = vec![("o6".to_owned(), "R".to_owned())];
    let found = compiled(&request);
    let mut used: Vec<_> = found.outputs.iter().filter_map(|port| port.register.clone()).collect();
    assert_eq!(used[6], "R");
    used.sort();
    used.dedup();
    assert_eq!(used.len(), 7, "more values at once than the machine in the descriptor holds");
}

#[test]
fn channels_are_summed_where_they_are_put() {
    let mut request = request(file("cnn/rgb-edges.sexp"), "bus", 200);
    request.inputs = [("red", "F"), ("blue", "B")].map(|(n, r)| (n.to_owned(), r.to_owned())).to_vec();
    let found = compiled(&request);
    let places: Vec<_> = found.inputs.iter().map(|port| port.register.as_deref().unwrap()).collect();
    assert_eq!(places, ["F", "A", "B"]);
}

#[test]
fn long_programs_are_looked_for_in_coarser_instructions() {
    let weight = |x: i32, y: i32| (7 * x * y + 3 * x + 5 * y) % 17 - 8;
    let row = |y: i32| (0..5).map(|x| weight(x, y).to_string()).collect::<Vec<_>>().join(" ");
    let rows: String = (0..5).map(|y| format!("({})", row(y))).collect();
    let text = format!("(filter dense (inputs image) (output out (scale 1/16 (kernel {rows}))))");
    let found = compiled(&request(Source::new("dense.sexp", text), "bus", 250));
    let best = |name: &str| {
        let tried = found.attempts.iter().filter(|attempt| attempt.method.contains(name));
        tried.filter_map(|attempt| attempt.cycles).min().unwrap()
    };
    assert!(4 * best("coarse") < 3 * best("Horner"), "{} {}", best("coarse"), best("Horner"));
}
