//! The effect of each built-in rewrite on a graph with just enough for it; labels must be carried through.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::sync::Arc;

use kalg::algebra::{Label, Placed, Rational, Shape};
use kalg::budget::Budget;
use kalg::rule::propose::Proposer;
use kalg::rule::{Action, Bounds, Propose, Rule, RuleSet};
use kalg::saturate::{Limits, Saturated, saturate};
use kalg::term::Decomposition;

fn row(taps: &[i64]) -> Shape {
    Placed::from_dense(1, [0; 3], [taps.len(), 1, 1], taps, Rational::ONE).unwrap().shape
}

fn label(numerator: i64, denominator: i64, x: i32) -> Label {
    Label::new(Rational::new(numerator, denominator).unwrap(), [x, 0, 0])
}

fn plain(shape: &Shape) -> Placed {
    Placed { label: Label::IDENTITY, shape: shape.clone() }
}

fn compose(outer: &Shape, inner: &Shape) -> Shape {
    Placed::compose(&plain(outer), &plain(inner)).unwrap().shape
}

fn sum(terms: &[(Label, &Shape)]) -> Placed {
    Placed::sum(1, terms.iter().copied()).unwrap()
}

/// A proposer with a fixed table of decompositions.
#[derive(Default)]
struct Table(BTreeMap<Shape, Vec<Decomposition>>);

impl Proposer for Table {
    fn name(&self) -> &'static str {
        "table"
    }
    fn doc(&self) -> &'static str {
        "what the test says"
    }
    fn propose(&self, shape: &Shape, _most: usize, _budget: &Budget) -> Vec<Decomposition> {
        self.0.get(shape).cloned().unwrap_or_default()
    }
}

impl Table {
    fn composition(mut self, outer: &Shape, inner: &Shape) -> Self {
        let way =
            Decomposition::Compose { label: Label::IDENTITY, outer: outer.clone(), inner: inner.clone() };
        self.0.entry(compose(outer, inner)).or_default().push(way);
        self
    }

    /// Σ label · shape in canonical form.
    fn sum(mut self, terms: &[(Label, &Shape)]) -> Self {
        let whole = sum(terms);
        let back = whole.label.inverse().unwrap();
        let terms = terms.iter().map(|(l, s)| (l.then(back).unwrap(), Shape::clone(s))).collect();
        self.0.entry(whole.shape).or_default().push(Decomposition::Sum(terms));
        self
    }

    /// Saturates `root` with these decompositions and one built-in rewrite.
    fn run(self, root: &Shape, rewrite: &str) -> Saturated {
        let builtin = RuleSet::builtin();
        let rewrite = builtin.rules().iter().find(|rule| rule.name == rewrite).unwrap().clone();
        let propose =
            Propose { proposer: Arc::new(self), bounds: Bounds { max_among: 0, ..Bounds::default() } };
        let table = Rule { group: "test".to_owned(), ..Rule::new("table", Action::Propose(propose)) };
        let rules = RuleSet::new([table, rewrite]);
        saturate(&[("out".to_owned(), plain(root))], &rules, &Limits::default()).unwrap()
    }
}

fn composition(outer: &Shape, inner: &Shape) -> Decomposition {
    Decomposition::Compose { label: Label::IDENTITY, outer: outer.clone(), inner: inner.clone() }
}

fn has(found: &Saturated, whole: &Shape, way: &Decomposition) -> bool {
    found.decompositions().of(whole).iter().any(|(known, _)| known == way)
}

#[test]
fn compose_commute() {
    let (a, b) = (row(&[1, 3]), row(&[1, 0, 5]));
    let whole = compose(&a, &b);
    let found = Table::default().composition(&a, &b).run(&whole, "compose-commute");
    assert!(has(&found, &whole, &composition(&b, &a)));
}

#[test]
fn compose_commute_leaves_several_channels_inside() {
    let outer = row(&[1, 3]);
    let inner = Placed::from_dense(2, [0; 3], [2, 1, 1], &[1, 0, 0, 1], Rational::ONE).unwrap().shape;
    let whole = compose(&outer, &inner);
    let found = Table::default().composition(&outer, &inner).run(&whole, "compose-commute");
    assert_eq!(found.decompositions().of(&whole).len(), 1);
}

#[test]
fn compose_associate() {
    let (a, b, c) = (row(&[1, 3]), row(&[1, 0, 5]), row(&[1, 0, 0, 7]));
    let (ab, bc) = (compose(&a, &b), compose(&b, &c));
    let whole = compose(&ab, &c);
    let found = Table::default().composition(&a, &b).composition(&ab, &c).run(&whole, "compose-associate");
    assert!(has(&found, &whole, &composition(&a, &bc)));
    assert!(has(&found, &bc, &composition(&b, &c)), "the new part comes with its own decomposition");
}

#[test]
fn compose_over_tap() {
    let (tap, rest, b) = (row(&[1]), row(&[1, 9]), row(&[1, 0, 5]));
    let outer = sum(&[(Label::IDENTITY, &tap), (label(2, 1, 3), &rest)]).shape;
    let whole = compose(&outer, &b);
    let found = Table::default()
        .sum(&[(Label::IDENTITY, &tap), (label(2, 1, 3), &rest)])
        .composition(&outer, &b)
        .run(&whole, "compose-over-tap");
    let way = Decomposition::Sum(vec![(Label::IDENTITY, b.clone()), (label(2, 1, 3), compose(&rest, &b))]);
    let sorted = |way: &Decomposition| match way {
        Decomposition::Sum(terms) => {
            let mut terms = terms.clone();
            terms.sort();
            Some(terms)
        }
        Decomposition::Compose { .. } => None,
    };
    assert!(found.decompositions().of(&whole).iter().any(|(known, _)| sorted(known) == sorted(&way)));
}

#[test]
fn like_terms_meet() {
    let (a, s) = (row(&[1, 3]), row(&[1, 0, 0, 5]));
    let terms = [(Label::IDENTITY, &a), (label(1, 1, 4), &s)];
    let part = sum(&terms);
    let outer = [(part.label, &part.shape), (Label::IDENTITY, &a)];
    let whole = sum(&outer);
    let found = Table::default().sum(&terms).sum(&outer).run(&whole.shape, "like-terms-meet");
    let ways = found.decompositions().of(&whole.shape);
    assert!(ways.iter().any(|(way, _)| !way.parts().contains(&&part.shape)), "{ways:?}");
}

#[test]
fn factor_outer_and_inner_carry_labels() {
    let (a, b, c) = (row(&[1, 3]), row(&[1, 0, 5]), row(&[1, 0, 0, 7]));
    let far = label(-3, 4, 9);
    let both = sum(&[(Label::IDENTITY, &b), (far, &c)]).shape;
    for (rewrite, swap) in [("factor-outer", false), ("factor-inner", true)] {
        let order = |p, q| if swap { (q, p) } else { (p, q) };
        let (p, q) = order(&a, &b);
        let (r, s) = order(&a, &c);
        let terms = [(Label::IDENTITY, &compose(&a, &b)), (far, &compose(&a, &c))];
        let whole = sum(&terms).shape;
        let found = Table::default().composition(p, q).composition(r, s).sum(&terms).run(&whole, rewrite);
        let (outer, inner) = order(&a, &both);
        assert!(has(&found, &whole, &composition(outer, inner)), "{rewrite}");
        assert!(!found.decompositions().of(&both).is_empty(), "{rewrite}: the sum of the cofactors is known");
        let step = found.explain(&both);
        assert_eq!(step.iter().map(|s| s.rule.as_str()).collect::<Vec<_>>(), [rewrite]);
    }
}

#[test]
fn factor_unit_carries_labels() {
    let (a, b) = (row(&[1, 1, 1]), row(&[1, 3]));
    let (of_product, of_b) = (label(1, 2, 1), label(-2, 1, 6));
    let terms = [(of_product, &compose(&a, &b)), (of_b, &b)];
    let whole = sum(&terms).shape;
    let outer = sum(&[(of_product, &a), (of_b, &row(&[1]))]).shape;
    let found = Table::default().composition(&a, &b).sum(&terms).run(&whole, "factor-unit");
    assert!(has(&found, &whole, &composition(&outer, &b)));
}

/// Two outputs become their half sum and half difference, each output with its own label.
#[test]
fn halves_are_shared_by_two_outputs() {
    let (a, b) = (row(&[1, 3, 5, 7]), row(&[1, 3, -5, -7]));
    let places = [label(2, 1, 2), label(-2, 1, 2)];
    let roots = [("a", places[0], &a), ("b", places[1], &b)]
        .map(|(name, label, shape)| (name.to_owned(), Placed { label, shape: shape.clone() }));
    let rules = RuleSet::builtin().filtered(|rule| rule.name == "halves");
    let found = saturate(&roots, &rules, &Limits::default()).unwrap();
    let half = |sign: i64| {
        let of_b = places[1].then(Label::scaled(Rational::integer(sign))).unwrap();
        sum(&[(places[0], &a), (of_b, &b)]).shape
    };
    for shape in [&a, &b] {
        let ways = found.decompositions().of(shape);
        let both = [half(1), half(-1)];
        assert!(
            ways.iter().any(|(way, _)| {
                let parts = way.parts();
                parts.len() == 2 && both.iter().all(|half| parts.contains(&half))
            }),
            "{ways:?}"
        );
    }
}

#[test]
fn a_rule_about_outputs_needs_as_many_outputs() {
    let rules = RuleSet::builtin().filtered(|rule| rule.name == "halves");
    let a = row(&[1, 3, 5, 7]);
    // Moved, negated or doubled, it is the same kernel.
    let roots = [("a", label(1, 1, 0)), ("b", label(-2, 1, 4))]
        .map(|(name, label)| (name.to_owned(), Placed { label, shape: a.clone() }));
    let found = saturate(&roots, &rules, &Limits::default()).unwrap();
    assert!(found.decompositions().of(&a).is_empty());
}
