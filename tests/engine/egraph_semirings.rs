//! The e-graph in idempotent semirings: denotations, rules of files, division, explanations.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use kalg::algebra::{Arithmetic, Label, Placed, Random, Rational};
use kalg::rule::RuleSet;
use kalg::saturate::{Budget, EXTRACTION, Limits, Saturated, saturate, saturate_written};
use kalg::syntax::Source;
use kalg::term::{filter_placed_in_any, precedes, read_filter, written};

const CHOOSING: [&str; 3] = ["min-plus", "max-plus", "or-and"];

fn random(name: &str, random: &mut Random) -> Placed {
    let arithmetic = Arithmetic::named(name).unwrap();
    let mut taps = Vec::new();
    for place in 0..16 {
        let weight = if name == "or-and" { 0 } else { random.integer(-2, 2) };
        if random.integer(0, 3) > 0 {
            taps.push((0, [place % 4, place / 4, 0], weight));
        }
    }
    Placed::from_weights(arithmetic, 1, taps).unwrap()
}

fn grown(kernel: Placed, rules: &RuleSet) -> Saturated {
    saturate(&[("out".to_owned(), kernel)], rules, &Limits { nodes: 300, ..Limits::default() }).unwrap()
}

fn rules(text: &str) -> RuleSet {
    RuleSet::from_sources(vec![Source::new("my.rules", text)]).unwrap()
}

fn read(body: &str) -> Saturated {
    let filter = read_filter(&Source::new("f.sexp", format!("(filter f {body})"))).unwrap();
    let (outputs, written) = (filter_placed_in_any(&filter).unwrap(), written(&filter).unwrap());
    saturate_written(&outputs, &written, &RuleSet::builtin(), &Limits { nodes: 2000, ..Limits::default() })
        .unwrap()
}

#[test]
fn every_decomposition_denotes_its_kernel_and_descends() {
    let mut dice = Random::new(11);
    for name in CHOOSING {
        let mut count = 0;
        for _ in 0..12 {
            let found = grown(random(name, &mut dice), &RuleSet::builtin());
            for (shape, ways) in found.decompositions().iter() {
                for (way, _) in ways {
                    let whole = Placed { label: Label::IDENTITY, shape: shape.clone() };
                    assert_eq!(way.denote(shape.channels()), Some(whole));
                    assert!(way.parts().into_iter().all(|part| precedes(part, shape)));
                    count += 1;
                }
            }
        }
        assert!(count > 500, "{name}: {count}");
    }
}

#[test]
fn a_square_is_divided_into_pairs() {
    let rows = "(1 1 1 1 1 1 1 1)".repeat(8);
    let found = read(&format!("(semiring or-and) (output out (kernel (origin 0 0) {rows}))"));
    assert_eq!(found.extract(&Budget::of_work(EXTRACTION)).additions(), 6);
}

#[test]
fn what_a_file_composes_is_in_the_graph() {
    let knight = "(kernel (. 1 . 1 .) (1 . . . 1) (. . . . .) (1 . . . 1) (. 1 . 1 .))";
    let found = read(&format!("(semiring min-plus) (output out (compose {knight} {knight} {knight}))"));
    // Three times seven, and the weights of three moves; division finds fewer.
    assert!(found.extract(&Budget::of_work(EXTRACTION)).additions() <= 22);
}

#[test]
fn rules_of_files_are_matched_in_the_arithmetic_of_the_kernels() {
    let rules = rules(
        "(rule moved-copy (semirings max-plus) (add ?a (scale ?c (shift 1 0 ?a)) ?rest...)
           => (add (compose (add (id) (scale ?c (shift 1 0 (id)))) ?a) ?rest...)
           (when (less 2 ?c) (divisible ?c 1)))
         (rule roof (semirings max-plus) (kernel (0 1 0)) => (add (kernel (0 . 0)) (scale 1 (id))))
         (proposer lines)",
    );
    let arithmetic = Arithmetic::named("max-plus").unwrap();
    let ways = |taps: &[([i32; 3], i64)]| {
        let taps = taps.iter().map(|(offset, weight)| (0, *offset, *weight));
        let kernel = Placed::from_weights(arithmetic, 1, taps).unwrap();
        let found = grown(kernel.clone(), &rules);
        let all = found.decompositions();
        let of = |(_, index): &(_, usize)| all.provenance(*index).rule.clone();
        all.of(&kernel.shape).iter().map(of).collect::<Vec<_>>()
    };
    // A constant matches with any label.
    assert_eq!(ways(&[([0, 0, 0], 4), ([1, 0, 0], 5), ([2, 0, 0], 4)]), ["roof"]);
    // Numbers are weights, and products add them.
    let copies = |by: i64| [([0, 0, 0], 0), ([1, 0, 0], by), ([0, 1, 0], 0), ([1, 1, 0], by)];
    assert!(ways(&copies(3)).contains(&"moved-copy".to_owned()));
    assert!(!ways(&copies(2)).contains(&"moved-copy".to_owned()), "two is not more than two");
    // Over the rationals the same taps are another kernel, to which these rules do not apply.
    let linear = Placed::from_dense(1, [0; 3], [3, 1, 1], &[4, 5, 4], Rational::ONE).unwrap();
    assert!(grown(linear, &rules).decompositions().is_empty());
}

#[test]
fn an_unsound_rule_is_stopped() {
    let doubled = rules(
        "(rule heavier (semirings max-plus) (add ?a ?rest...) => (add (scale 1 ?a) ?rest...)) (proposer lines)",
    );
    let kernel = random("max-plus", &mut Random::new(2));
    let limits = Limits { nodes: 300, ..Limits::default() };
    assert!(saturate(&[("out".to_owned(), kernel)], &doubled, &limits).is_err());
}
