//! Every built-in rule is sound: proved where it can be, without a counter-example on random kernels otherwise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::rule::{Action, Rule, RuleSet, Verdict, check};
use kalg::syntax::Source;

/// Enough for kernels of all sizes up to 3 × 3 to come up often; a second or two in all.
const TRIALS: usize = 400;

fn verdict(text: &str) -> Verdict {
    let rules = RuleSet::from_dir(vec![Source::new("my.rules", text)]).unwrap();
    check(&rules.rules()[0], TRIALS, 1)
}

fn refutation(text: &str) -> String {
    match verdict(text) {
        Verdict::Refuted(example) => example.to_string(),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn every_built_in_rewrite_is_proved() {
    for rule in RuleSet::builtin().rules() {
        if matches!(rule.action, Action::Rewrite(_)) {
            assert_eq!(check(rule, TRIALS, 1), Verdict::Proved, "{}", rule.name);
        }
    }
}

#[test]
fn every_built_in_proposer_says_only_what_is_true() {
    for rule in RuleSet::builtin().rules() {
        if matches!(rule.action, Action::Propose(_)) {
            match check(rule, TRIALS, 1) {
                Verdict::Unrefuted { applied } => assert!(applied > TRIALS / 20, "{}: {applied}", rule.name),
                Verdict::Refuted(example) => panic!("{example}"),
                other => panic!("{}: {other:?}", rule.name),
            }
        }
    }
}

/// The textbook's way to be wrong: composition distributes over addition on one side only.
#[test]
fn the_counter_example_is_small() {
    insta::assert_snapshot!(refutation("(rule wrong (compose ?a (add ?b ?c)) => (add (compose ?a ?b) ?c))"));
    insta::assert_snapshot!(refutation(
        "(rule forgets (add ?a ?rest...) => (add (compose ?a (id)) ?a ?rest...))"
    ));
}

#[test]
fn a_lost_shift_and_a_lost_sign_are_found() {
    assert!(refutation("(rule s (compose (shift 1 0 ?a) ?b) => (compose ?a ?b))").contains("unsound"));
    assert!(refutation("(rule n (compose (neg ?a) ?b) => (compose ?a ?b))").contains("unsound"));
}

#[test]
fn motion_of_labels_is_proved() {
    for sides in [
        "(compose (shift 1 -2 ?a) ?b) => (shift 1 -2 (compose ?a ?b))",
        "(compose (neg ?a) (neg ?b)) => (compose ?a ?b)",
        "(add (scale 3 ?a) ?r...) => (add (scale 2 ?a) ?a ?r...)",
        "(compose (add ?a (shift 1 0 ?a)) ?b) => (compose ?a (add ?b (shift 1 0 ?b)))",
    ] {
        assert_eq!(verdict(&format!("(rule r {sides})")), Verdict::Proved, "{sides}");
    }
}

#[test]
fn conditions_count_and_dead_rules_are_told() {
    let same = "(rule r (add ?a ?b) => (add ?a ?a) (when (same-shape ?a ?b) (single-tap ?a)))";
    assert!(matches!(verdict(same), Verdict::Refuted(_)), "same-shape ignores where a kernel stands");
    let never = "(rule r (compose ?a ?b) => ?a (when (single-tap ?a) (not-single-tap ?a)))";
    assert_eq!(verdict(never), Verdict::NeverApplied);
}

#[test]
fn a_check_is_repeatable() {
    let rules = RuleSet::from_dir(vec![Source::new("r", "(rule r (compose ?a ?b) => (add ?a ?b))")]).unwrap();
    let Rule { .. } = &rules.rules()[0];
    assert_eq!(check(&rules.rules()[0], 50, 7), check(&rules.rules()[0], 50, 7));
}
