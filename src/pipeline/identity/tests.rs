//! What the check of identities finds, and what matches.

use super::{Checked, Condition, Identity, Operator, Sort, Term, Unknown, Word};
use crate::algebra::Rational;
use crate::pipeline::Rounding;

fn identity(names: &[&str], lhs: Term, rhs: Term, conditions: Vec<Condition>) -> Identity {
    let unknowns = names.iter().map(|name| Unknown { name: (*name).to_owned(), sort: Sort::Value }).collect();
    Identity { name: "tried".to_owned(), unknowns, lhs, rhs, conditions }
}

fn apply(operator: Operator, terms: Vec<Term>) -> Term {
    Term::Apply(operator, terms, None)
}

fn floor(term: Term) -> Term {
    apply(Operator::Round(Word::Is(Rounding::Floor)), vec![term])
}

const A: Term = Term::Unknown(0);
const B: Term = Term::Unknown(1);

#[test]
fn what_holds_only_for_integers_is_refuted_without_that_condition() {
    let least = |conditions| {
        let below = apply(Operator::Compare(crate::pipeline::Comparison::Less), vec![floor(A), B]);
        let other = apply(Operator::Compare(crate::pipeline::Comparison::Less), vec![A, B]);
        identity(&["a", "b"], below, other, conditions).check(2_000)
    };
    let Checked { refuted, .. } = least(Vec::new());
    assert!(refuted.unwrap().contains("?a = "), "values are shown");
    let checked = least(vec![Condition::Integer(B)]);
    assert!(checked.refuted.is_none() && checked.applied > 100, "{checked:?}");
}

#[test]
fn what_holds_for_small_values_alone_is_refuted_by_intervals() {
    let clamp = apply(Operator::Minimum, vec![Term::Number(Rational::integer(100)), A]);
    let checked = identity(&["a"], clamp, A, Vec::new()).check(40);
    assert!(checked.refuted.is_some(), "{checked:?}");
}

#[test]
fn conditions_that_exclude_each_other_admit_nothing() {
    let conditions = vec![Condition::Below(A, B), Condition::Below(B, A)];
    let checked = identity(&["a", "b"], apply(Operator::Add, vec![A, B]), A, conditions).check(500);
    assert_eq!(checked, Checked::default());
}

#[test]
fn numbers_that_an_identity_names_are_tried() {
    let equal = Operator::Compare(crate::pipeline::Comparison::Equal);
    for number in [77, 120, 12_345] {
        let lhs = apply(equal, vec![A, Term::Number(Rational::integer(number))]);
        let never = identity(&["a"], lhs, Term::Number(Rational::ZERO), Vec::new());
        let refuted = never.check(400).refuted.unwrap();
        assert!(refuted.contains(&format!("?a = {number}")), "{refuted}");
    }
}

#[test]
fn sequences_of_several_values_are_tried() {
    let rest = |operator, terms| Term::Apply(operator, terms, Some(1));
    let mut wrong = identity(
        &["a", "rest"],
        rest(Operator::Minimum, vec![A]),
        apply(Operator::Minimum, vec![A, rest(Operator::Maximum, Vec::new())]),
        Vec::new(),
    );
    wrong.unknowns[1].sort = Sort::Sequence;
    assert!(wrong.check(400).refuted.is_some(), "with one value more both are the same");
}
