//! Features of rule files beyond patterns, in saturation: numbers, kernels, phases, rests, priorities, targets.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::algebra::{Placed, Rational};
use kalg::rule::{Action, RuleSet};
use kalg::saturate::{
    ExampleOutcome, Limits, Overlap, Saturated, StopReason, comes_to_an_end, cost_change, found_in, overlap,
    saturate, saturate_written, try_example,
};
use kalg::syntax::Source;
use kalg::term::{filter_placed_in_any, read_filter, written};

fn rules(text: &str) -> RuleSet {
    RuleSet::from_sources(vec![Source::new("my.rules", text)]).unwrap_or_else(|errors| panic!("{errors}"))
}

fn row(taps: &[i64]) -> Placed {
    Placed::from_dense(1, [0; 3], [taps.len(), 1, 1], taps, Rational::ONE).unwrap()
}

fn gauss() -> Placed {
    Placed::from_dense(1, [0; 3], [3, 3, 1], &[1, 2, 1, 2, 4, 2, 1, 2, 1], Rational::ONE).unwrap()
}

fn run(kernel: &Placed, rules: &RuleSet, limits: &Limits) -> Saturated {
    saturate(&[("out".to_owned(), kernel.clone())], rules, limits).unwrap()
}

fn used(found: &Saturated, rule: &str) -> usize {
    found.statistics().rules.iter().find(|statistics| statistics.name == rule).unwrap().matches
}

#[test]
fn a_kernel_that_is_written_out_is_found_wherever_it_is() {
    let rules = rules(
        "(rule binomial (kernel (1 2 1)) => (compose (kernel (1 1 .)) (kernel (. 1 1))))
         (rule other (kernel (1 3 1)) => (compose (kernel (1 1 .)) (kernel (. 1 1))))",
    );
    let found = run(&row(&[1, 2, 1]), &rules, &Limits::default());
    let ways = found.decompositions().of(&row(&[1, 2, 1]).shape);
    assert_eq!(ways.len(), 1);
    assert_eq!(found.decompositions().provenance(ways[0].1).rule, "binomial");
    assert_eq!(used(&found, "other"), 0);
}

#[test]
fn numbers_are_bound_to_the_factors_of_terms() {
    let text = "(proposer bit-planes)
        (rule four (add (scale ?c ?a) ?r...) => (add (scale (eval (/ ?c 2)) (scale 2 ?a)) ?r...) (when (equal ?c 4)))
        (rule never (add (scale ?c ?a) ?r...) => (add (scale (eval (+ ?c 0)) ?a) ?r...) (when (less ?c -1000)))";
    let found = run(&row(&[4, 4, 1, 1]), &rules(text), &Limits::default());
    let statistics = found.statistics();
    assert_eq!(statistics.stop_reason, StopReason::Saturated);
    assert!(statistics.rules.iter().any(|rule| rule.name == "four" && rule.matches > 0));
    assert!(statistics.rules.iter().any(|rule| rule.name == "never" && rule.matches == 0));
}

#[test]
fn factors_that_a_file_writes_are_bound() {
    let rules = rules(
        "(rule factor (add (scale ?c ?a) (scale ?d ?b)) => (scale ?c (add ?a (scale (eval (/ ?d ?c)) ?b)))
           (when (equal ?c 3) (divisible ?d ?c)))
         (rule same (compose (scale ?c ?a) ?b) => (scale ?c (compose ?a ?b)) (when (equal ?c 5)))",
    );
    let ways = |output: &str| {
        let text =
            format!("(filter f (let a (kernel (1 2 7))) (let b (kernel (1) (4) (2))) (output out {output}))");
        let filter = read_filter(&Source::new("f.sexp", text)).unwrap();
        let (outputs, written) = (filter_placed_in_any(&filter).unwrap(), written(&filter).unwrap());
        let found = saturate_written(&outputs, &written, &rules, &Limits::default()).unwrap();
        ["factor", "same"].map(|rule| used(&found, rule) > 0)
    };
    assert_eq!(ways("(add (scale 3 a) (scale 9 b))"), [true, false]);
    assert_eq!(
        ways("(add (scale 6 a) (scale 24 b))"),
        [true, false],
        "powers of two of the whole are divided out"
    );
    assert_eq!(ways("(add (scale 3 a) (scale 5 b))"), [false; 2]);
    assert_eq!(ways("(add a (scale 3 (add b (id))))"), [false; 2]);
    assert_eq!(ways("(compose (scale 5 a) b)"), [false, true]);
}

/// The label of a square is divided evenly, whatever the place, sign and scale of the whole.
#[test]
fn squares_are_found_wherever_they_are() {
    let rules = rules(
        "(rule square-of-sum (add (scale 2 (compose ?b ?a)) (compose ?a ?a) (compose ?b ?b)) => (compose (add ?a ?b) (add ?a ?b)))
         (rule difference-of-squares (sub (compose ?a ?a) (compose ?b ?b)) => (compose (add ?a ?b) (sub ?a ?b)))
         (rule product-of-sum-and-difference (compose (sub ?a ?b) (add ?a ?b)) => (sub (compose ?a ?a) (compose ?b ?b)))
         (rule factor-with-itself (add (compose ?a ?a) (compose ?a ?b)) => (compose ?a (add ?a ?b)))
         (rule sum-times-part (compose (add ?a ?b) ?a) => (add (compose ?a ?a) (compose ?a ?b)))",
    );
    let sides = [
        "(add (scale 2 (compose a b)) (compose a a) (compose b b))",
        "(sub (compose a a) (compose b b))",
        "(compose (add a b) (sub a b))",
        "(add (compose a b) (compose a a))",
        "(compose (add a b) a)",
    ];
    let kernels = [
        "(let a (kernel (1 3 1))) (let b (kernel (1) (5) (1)))",
        "(let a (kernel (1 3 1))) (let b (kernel (1 5 2)))",
        "(let a (shift 1 -1 (kernel (1 3 7)))) (let b (shift 0 2 (scale 1/2 (kernel (1) (5) (3)))))",
        "(let a (neg (kernel (origin 0 0) (1 2)))) (let b (scale 4 (kernel (origin 0 1) (3 1) (1 1))))",
    ];
    for (rule, side) in rules.rules().iter().zip(sides) {
        let own = rules.filtered(|other| other.name == rule.name);
        for kernels in kernels {
            for output in
                [side.to_owned(), format!("(shift 1 0 {side})"), format!("(scale -2 (shift 0 1 {side}))")]
            {
                let text = format!("(filter f {kernels} (output out {output}))");
                let filter = read_filter(&Source::new("f.sexp", text.clone())).unwrap();
                let (outputs, written) = (filter_placed_in_any(&filter).unwrap(), written(&filter).unwrap());
                let found = saturate_written(&outputs, &written, &own, &Limits::default()).unwrap();
                assert!(used(&found, &rule.name) > 0, "{}: {text}", rule.name);
            }
        }
    }
}

#[test]
fn phases_run_one_after_the_other_within_their_limits() {
    let body =
        "(rule swap (group late) (compose ?a ?b) => (compose ?b ?a)) (proposer separable (group early))";
    let both = rules(&format!("{body} (phase one (groups early)) (phase two (groups late))"));
    let found = run(&gauss(), &both, &Limits::default());
    assert!(used(&found, "swap") > 0);
    let reversed = rules(&format!("{body} (phase one (groups late)) (phase two (groups early))"));
    assert_eq!(used(&run(&gauss(), &reversed, &Limits::default()), "swap"), 0);
    // The limits of the run apply to all phases together.
    let limited = run(&gauss(), &both, &Limits { iterations: 1, ..Limits::default() });
    assert_eq!(limited.statistics().stop_reason, StopReason::Iterations(1));
}

#[test]
fn a_rule_that_rests_finds_the_same_later() {
    let body = |back_off: &str| {
        rules(&format!(
            "(proposer polynomial-factors) (proposer separable) (proposer reverse-split)
             (rule swap {back_off} (compose ?a ?b) => (compose ?b ?a) (when (one-channel ?b)))"
        ))
    };
    let kernel = gauss();
    let [busy, resting] = ["", "(back-off 1 2)"].map(|b| run(&kernel, &body(b), &Limits::default()));
    assert_eq!(resting.statistics().stop_reason, StopReason::Saturated);
    assert_eq!(busy.statistics().nodes, resting.statistics().nodes);
    assert!(resting.statistics().iterations > busy.statistics().iterations);
}

/// Twelve outputs are 1320 choices of three, more than an iteration visits.
#[test]
fn a_rule_visits_every_choice_of_outputs() {
    let same = rules("(rule same (outputs ?a ?b ?c) => (outputs (sub (add ?a ?b ?c) (add ?b ?c)) ?b ?c))");
    let outputs: Vec<_> = (0..12).map(|i| (format!("o{i}"), row(&[1, 2 * i + 3]))).collect();
    let found = saturate(&outputs, &same, &Limits::default()).unwrap();
    assert_eq!(found.statistics().stop_reason, StopReason::Saturated);
    assert_eq!(used(&found, "same"), 3 * 12 * 11 * 10);
    // What a limit leaves undone is done when the graph grows.
    let mut found = saturate(&outputs, &same, &Limits { iterations: 1, ..Limits::default() }).unwrap();
    assert_eq!(found.statistics().stop_reason, StopReason::Iterations(1));
    found.grow(&[], &Limits::default()).unwrap();
    assert_eq!(found.statistics().stop_reason, StopReason::Saturated);
    assert_eq!(used(&found, "same"), 3 * 12 * 11 * 10);
}

#[test]
fn examples_of_a_rule_are_its_tests() {
    let text =
        "(rule factor (add (compose ?a ?b) (compose ?a ?c) ?r...) => (add (compose ?a (add ?b ?c)) ?r...)
        (example (add (compose (kernel (1 2 .)) (kernel (1 1 1))) (compose (kernel (1 2 .)) (kernel (1 0 5))))
              => (compose (kernel (1 2 .)) (kernel (2 1 6))))
        (not (add (compose (kernel (1 2 .)) (kernel (1 1 1))) (compose (kernel (1 3 .)) (kernel (1 1 1)))))
        (not (compose (kernel (1 2 .)) (kernel (1 1 1))))
        (example (compose (kernel (1 2 .)) (kernel (1 1 1))) => (kernel (1 3 3 2 .)))
        (example (add (compose (kernel (1 2 .)) (kernel (1 1 1))) (compose (kernel (1 2 .)) (kernel (1 0 5))))
              => (compose (kernel (1 2 .)) (kernel (2 1 7))))
        (not (add (compose (kernel (1 2 .)) (kernel (1 1 1))) (compose (kernel (1 2 .)) (kernel (1 0 5))))))";
    let rules = rules(text);
    let rule = &rules.rules()[0];
    let outcomes: Vec<_> = rule.examples.iter().map(|example| try_example(rule, example)).collect();
    use ExampleOutcome::{Matches, NoMatch, Unequal, Works};
    assert_eq!(outcomes, [Works, Works, Works, NoMatch, Unequal, Matches]);
}

#[test]
fn examples_are_equal_in_the_semirings_of_their_rule() {
    let outcome = |semirings: &str, example: &str| {
        let text = format!("(rule r (semirings {semirings}) (add ?a ?b) => (add ?b ?a) {example})");
        let rules = rules(&text);
        try_example(&rules.rules()[0], &rules.rules()[0].examples[0])
    };
    let twice = "(example (add (kernel (1 2 0)) (kernel (1 0 .))) => (kernel (1 2 0)))";
    assert_eq!(outcome("max-plus", twice), ExampleOutcome::Works);
    assert_eq!(outcome("plus-times", twice), ExampleOutcome::Unequal);
    let hole = "(example (add (kernel (1 2 .)) (kernel (1 2 0))) => (kernel (1 2 .)))";
    assert_eq!(outcome("max-plus", hole), ExampleOutcome::Unequal);
}

#[test]
fn what_other_rules_say_already_is_told() {
    let text = "(rule factor-again (add ?s... (compose ?x ?b) (compose ?x ?c)) => (add ?s... (compose ?x (add ?c ?b))))
        (rule motion (compose (shift 1 0 ?a) ?b) => (shift 1 0 (compose ?a ?b)))
        (rule square (add (compose ?a ?a) (compose ?b ?b) (scale 2 (compose ?a ?b)))
                   => (compose (add ?a ?b) (add ?a ?b)))";
    let rules = rules(text);
    let builtin = RuleSet::builtin().filtered(|rule| matches!(rule.action, Action::Rewrite(_)));
    let of = |i: usize| overlap(&rules.rules()[i], &builtin, 1);
    let Some(Overlap::Rules(names)) = of(0) else { panic!("{:?}", of(0)) };
    assert!(names.iter().all(|name| name.starts_with("factor")), "{names:?}");
    assert_eq!(of(1), Some(Overlap::Construction));
    assert_eq!(of(2), None);
    assert_eq!(
        overlap(&RuleSet::builtin().rules()[0], &builtin.filtered(|r| r.name != "compose-commute"), 1),
        None
    );
}

/// An e-class is a kernel modulo powers of two only, so an odd multiple of another kernel is an e-node.
#[test]
fn an_odd_multiple_of_another_kernel_is_something_new() {
    let rules = rules(
        "(rule thrice (kernel (3 6 3)) => (scale 3 (kernel (1 2 1))))
         (rule thrice-moved (kernel (. 3 6 3 .)) => (shift 1 0 (scale 3 (kernel (1 2 1 . .)))))
         (rule twice (kernel (2 4 2)) => (scale 2 (kernel (1 2 1))))",
    );
    let without = |name: &str| rules.filtered(|rule| rule.name != name && rule.name != "thrice-moved");
    let of = |i: usize, others: &RuleSet| overlap(&rules.rules()[i], others, 1);
    assert_eq!(of(0, &without("thrice")), None, "no other rule adds 3·[1 2 1] to [3 6 3]");
    let same = Some(Overlap::Rules(vec!["thrice".to_owned()]));
    assert_eq!(of(1, &without("twice")), same, "it is the same e-node");
    assert_eq!(of(2, &without("twice")), Some(Overlap::Construction), "both sides are one e-class");
    assert_eq!(used(&run(&row(&[3, 6, 3]), &rules, &Limits::default()), "thrice"), 1);
}

/// A rule is superfluous only if others say the same in each of its semirings.
#[test]
fn what_other_rules_say_is_asked_in_every_semiring() {
    let factor = |name: &str, semirings: &str| {
        let sides = "(add (compose ?a ?b) (compose ?a ?c)) => (compose ?a (add ?b ?c))";
        rules(&format!("(rule {name} (semirings {semirings}) {sides})"))
    };
    let by = |semirings: &str, others: &str| {
        let found = overlap(&factor("again", semirings).rules()[0], &factor("first", others), 1);
        found.map(|overlap| overlap == Overlap::Rules(vec!["first".to_owned()]))
    };
    assert_eq!(by("plus-times", "plus-times"), Some(true));
    assert_eq!(by("plus-times min-plus", "plus-times"), None);
    assert_eq!(by("plus-times min-plus", "min-plus plus-times"), Some(true));
    assert_eq!(by("max-plus or-and", "max-plus or-and"), Some(true));
    // A choice between two equal terms is one of them.
    let twice = rules("(rule twice (semirings max-plus) (add ?a ?a ?r...) => (add ?a ?r...))");
    assert_eq!(found_in(&twice.rules()[0], 1).map(|[found, _]| found), Some(0));
}

#[test]
fn both_sides_have_their_cost() {
    let text = "(rule distribute (compose ?a (add ?b ?c)) => (add (compose ?a ?b) (compose ?a ?c)))";
    let change = cost_change(&rules(text).rules()[0], 1).unwrap();
    assert!(change.after.additions > change.before.additions, "{change:?}");
}

#[test]
fn a_rule_whose_results_are_all_refused_comes_to_an_end() {
    let of = |sides: &str| comes_to_an_end(&rules(&format!("(rule r {sides})")).rules()[0], 1);
    assert_eq!(of("(add ?a ?b) => (compose (id) (add ?a ?b))"), Some(true));
    let differences = "(add ?a ?b) => (add (sub ?a (shift 1 0 ?b)) (shift 1 0 ?b) ?b)";
    assert_eq!(of(differences), Some(true), "what is made descends");
    let more = "(add ?a ?b ?r...) => (add (sub ?a (shift 1 0 ?b)) (shift 1 0 ?b) ?b ?r...)";
    assert_eq!(of(more), Some(false));
}

/// Equal terms of a sum merge, and factors of a composition move to its last part.
#[test]
fn what_can_never_match_is_told() {
    let of = |sides: &str| {
        found_in(&rules(&format!("(rule r {sides})")).rules()[0], 1).map(|[found, _]| found > 0)
    };
    assert_eq!(of("(add ?a ?a ?r...) => (add (scale 2 ?a) ?r...)"), Some(false));
    assert_eq!(
        of(
            "(compose (scale ?c ?a) (scale ?d ?b)) => (scale (eval (* ?c ?d)) (compose ?a ?b)) (when (equal ?c 3))"
        ),
        Some(false)
    );
    let multiples =
        "(add (add (scale ?c ?a)) (add (scale ?c ?b)) ?r...) => (add (scale ?c (add ?a ?b)) ?r...)";
    assert_eq!(of(&format!("{multiples} (when (different ?c 1))")), Some(true));
    assert_eq!(of("(add (add (scale 3 ?a)) ?b) => (add ?b (scale 3 ?a))"), Some(true));
    assert_eq!(of("(add (scale ?c ?a) ?r...) => (add (scale 7 ?a) ?r...) (when (equal ?c 7))"), Some(true));
    for rule in RuleSet::builtin().rules() {
        let mostly = found_in(rule, 1).is_none_or(|[found, built]| 2 * found > built);
        assert!(mostly, "{}: {:?}", rule.name, found_in(rule, 1));
    }
}
