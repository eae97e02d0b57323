//! Every built-in rule is sound: proved where it can be, without a counter-example on random kernels otherwise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::rule::{Action, RuleSet, Verdict, check, report};
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
            let found = report(rule, TRIALS, 1);
            match found.verdict {
                Verdict::Unknown => assert!(found.applied > TRIALS / 20, "{}: {}", rule.name, found.applied),
                Verdict::Refuted(example) => panic!("{example}"),
                Verdict::Proved => panic!("{}: proposers are not decided", rule.name),
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
    let rules = RuleSet::from_dir(vec![Source::new("my.rules", never)]).unwrap();
    assert_eq!(report(&rules.rules()[0], TRIALS, 1).applied, 0);
    let guard = "(rule r (compose ?a ?b) => (compose ?b ?a) (when (taps-at-least ?a 99) (single-tap ?b)))";
    let rules = RuleSet::from_dir(vec![Source::new("my.rules", guard)]).unwrap();
    assert_eq!(report(&rules.rules()[0], TRIALS, 1).never, ["(taps-at-least ?a 99)"]);
}

#[test]
fn a_check_is_repeatable() {
    let rules = RuleSet::from_dir(vec![Source::new("r", "(rule r (compose ?a ?b) => (add ?a ?b))")]).unwrap();
    assert_eq!(check(&rules.rules()[0], 50, 7), check(&rules.rules()[0], 50, 7));
}

#[test]
fn numbers_are_decided_with_what_the_conditions_say_of_them() {
    for sides in [
        "(add (scale ?c ?a) ?r...) => (add (scale (eval (/ ?c 2)) ?a) (scale (eval (/ ?c 2)) ?a) ?r...)",
        "(add (scale ?c ?a) (scale ?d ?b)) => (scale ?c (add ?a ?b)) (when (equal ?d ?c))",
        "(add (scale ?c ?a) (scale ?d ?b)) => (scale ?c (sub ?a ?b)) (when (opposite ?d ?c))",
        "(compose (scale ?c ?a) (scale ?d ?b)) => (scale (eval (* ?c ?d)) (compose ?a ?b))",
        "(compose (scale ?c ?a) ?b) => (compose (scale (eval (/ 1 (/ 1 ?c))) ?a) ?b)",
    ] {
        assert_eq!(verdict(&format!("(rule r {sides})")), Verdict::Proved, "{sides}");
    }
    let wrong = "(rule r (add (scale ?c ?a) (scale ?d ?b)) => (scale ?c (add ?a ?b)))";
    assert!(refutation(wrong).contains("?d is"));
}

#[test]
fn scans_are_decided_as_rational_functions() {
    for sides in [
        "(compose (sub (id) (shift 1 0 (id))) (scan x)) => (id)",
        "(compose (scan x) (compose (scan y) ?a)) => (compose (scan y) (compose (scan x) ?a))",
        "(add (kernel (1 1 1)) ?r...) => (add (compose (sub (shift -1 0 (id)) (shift 2 0 (id))) (scan x)) ?r...)",
    ] {
        assert_eq!(verdict(&format!("(rule r {sides})")), Verdict::Proved, "{sides}");
    }
    // One rational function, but one sums eastwards and the other westwards.
    let opposed = "(rule r (compose (scan x) ?a) => (compose (neg (shift -1 0 (scan west))) ?a))";
    assert_ne!(verdict(opposed), Verdict::Proved);
}

#[test]
fn other_semirings_are_checked_with_their_own_arithmetic() {
    let in_max_plus = |sides: &str| verdict(&format!("(rule r (semirings max-plus) {sides})"));
    assert_eq!(in_max_plus("(add ?a ?a ?r...) => (add ?a ?r...)"), Verdict::Proved);
    assert_eq!(in_max_plus("(add (scale 2 ?a) (scale 3 ?a)) => (scale 3 ?a)"), Verdict::Proved);
    assert!(matches!(in_max_plus("(add ?a ?a ?r...) => (add (scale 2 ?a) ?r...)"), Verdict::Refuted(_)));
    assert!(matches!(in_max_plus("(add ?a (neg ?a) ?r...) => (add ?r...)"), Verdict::Refuted(_)));
}

/// Twenty rules that look right.
#[test]
fn every_subtly_unsound_rule_is_rejected() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules/unsound.rules")).unwrap();
    let rules = match RuleSet::from_dir(vec![Source::new("unsound.rules", text)]) {
        Ok(rules) => rules,
        Err(errors) => panic!("{errors}"),
    };
    assert_eq!(rules.rules().len(), 20);
    let texts: Vec<String> = rules
        .rules()
        .iter()
        .map(|rule| match check(rule, TRIALS, 1) {
            Verdict::Refuted(refutation) => refutation.to_string(),
            other => panic!("{}: {other:?}", rule.name),
        })
        .collect();
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn what_feeds_itself_and_what_says_nothing_is_told() {
    let smells = |sides: &str| {
        let text = format!("(rule r {sides})");
        let rules = RuleSet::from_dir(vec![Source::new("my.rules", text)]).unwrap();
        report(&rules.rules()[0], 20, 1).smells
    };
    assert!(
        smells("(compose ?a ?b) => (compose (compose ?a (id)) ?b)")[0].contains("contains its left side")
    );
    assert!(smells("(add ?a ?b ?r...) => (add ?b ?r... ?a)")[0].contains("the same"));
    assert!(smells("(compose (shift 1 0 ?a) ?b) => (shift 1 0 (compose ?a ?b))")[0].contains("the same"));
    assert!(smells("(compose ?a ?b) => (compose ?b ?a)").is_empty());
    assert!(smells("(compose (compose ?a ?b) ?c) => (compose ?a (compose ?b ?c))").is_empty());
    for rule in RuleSet::builtin().rules() {
        assert_eq!(report(rule, 20, 1).smells, [""; 0], "{}", rule.name);
    }
}
