//! Rules about sequences of instructions: reading them, and whether they hold.

use kalg::backend::array::machine::Target;
use kalg::backend::array::verify::{PeepholeVerdict, check_peephole};
use kalg::rule::{Action, RuleSet};
use kalg::syntax::Source;

fn verdict(body: &str) -> PeepholeVerdict {
    let text = format!("(rule r (group peephole) {body})");
    let rules = RuleSet::from_sources(vec![Source::new("t.rules", text)]);
    let rules = rules.unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let Action::Peephole(peephole) = &rules.rules()[0].action else { panic!("no peephole rule") };
    check_peephole(&Target::builtin("scamp5").expect("a built-in machine"), peephole)
}

fn refuted(body: &str, why: &str) {
    match verdict(body) {
        PeepholeVerdict::Refuted(text) => assert!(text.contains(why), "{text}"),
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn a_rule_holds_for_all_registers_and_directions() {
    for body in [
        "(|> (mov ?b ?a) (add ?c ?b ?d)) => (|> (add ?c ?a ?d)) (when (dead ?b))",
        "(|> (movx ?b ?a east) (movx ?c ?b ?e)) => (|> (mov2x ?c ?a east ?e)) (when (dead ?b) (dead NEWS))",
    ] {
        assert!(matches!(verdict(body), PeepholeVerdict::Proved(_)), "{body}: {:?}", verdict(body));
    }
}

#[test]
fn wrong_rules_are_refuted() {
    refuted("(|> (mov ?b ?a) (add ?c ?b ?d)) => (|> (add ?c ?a ?d))", "holds");
    refuted("(|> (movx ?b ?a east)) => (|> (movx ?b ?a west)) (when (dead NEWS))", "holds");
    refuted("(|> (neg ?b ?a)) => (|> (mov ?b ?a))", "after neg(");
    refuted("(|> (mow ?b ?a)) => (|>)", "t.rules:1:");
    refuted("(|> (neg ?b ?a ?a)) => (|>)", "operands");
    refuted("(|> (mov ?b up)) => (|>)", "`up`");
}

#[test]
fn mistakes_have_their_place() {
    let error = |body: &str| {
        let text = format!("(rule r (group peephole) {body})");
        RuleSet::from_sources(vec![Source::new("t.rules", text)]).err().unwrap().render(false)
    };
    assert!(error("(|> (mov ?b ?a)) => (|> (mov ?b ?z))").contains("`?z` does not occur on the left side"));
    assert!(error("(|> (mov ?b ?a)) => (add ?b ?a)").contains("only one side"));
    assert!(error("(|>) => (|> (mov ?b ?a))").contains("without instructions"));
    assert!(error("(|> (mov ?b ?a)) <=> (|> (mov ?b ?a))").contains("only one direction"));
    let example = "(example (kernel (1)) => (kernel (1)))";
    assert!(error(&format!("(|> (mov ?b ?a)) => (|> (mov ?b ?a)) {example}")).contains("has no examples"));
}

#[test]
fn the_built_in_rules_hold_on_their_machines() {
    let rules = RuleSet::builtin();
    let mut count = 0;
    for rule in rules.rules() {
        let Action::Peephole(peephole) = &rule.action else { continue };
        for name in &rule.targets {
            let target = Target::builtin(name).expect("a built-in machine");
            let verdict = check_peephole(&target, peephole);
            assert!(matches!(verdict, PeepholeVerdict::Proved(_)), "{}: {verdict:?}", rule.name);
            count += 1;
        }
    }
    assert!(count > 0, "no rule is built in");
}
