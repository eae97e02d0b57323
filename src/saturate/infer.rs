//! Identities of terms, found by enumeration. Small terms over a semiring are grouped by denotation. Two terms of a group
//! are an identity unless the identities found before derive it.
//!
//! The method is that of Nandi et al., *Rewrite Rule Inference Using Equality Saturation*, OOPSLA 2021, sections 3 and 4.
//! Terms are built only from the representatives of groups, and each identity kept helps to derive the next ones, so few are
//! left. Each is proved for all kernels or tested on many.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::time::Duration;

use egg::{RecExpr, Runner, SimpleScheduler, SymbolLang};

use crate::algebra::{Kernel, Offset, Random, Rational, Semiring, in_semiring};
use crate::rule::{Action, Pattern, Rewrite, Rule, Sort, Variable, VariableId, Verdict, check};

/// The variables of terms: associativity needs three.
const VARIABLES: [&str; 3] = ["a", "b", "c"];
/// The displacement of shifts.
const EAST: Offset = [1, 0, 0];
/// The number of assignments of kernels that distinguish terms, more in semirings with fewer values. Terms equal on all of
/// them are tested on more.
const ASSIGNMENTS: usize = 2;
/// The largest weight of the random kernels.
const WEIGHT: i64 = 9;
/// The maximum number of iterations in which known identities must derive another one.
const ITERATIONS: usize = 4;
/// The maximum number of e-nodes in which known identities must derive another one.
const NODES: usize = 1_500;
/// The number of kernels on which an identity is tested before it is kept.
const TRIALS: usize = 100;

/// An identity, as a rule from the larger term to the smaller, or between terms of equal size from the later to the earlier.
#[derive(Clone)]
pub struct Identity {
    /// The rule.
    pub rule: Rule,
    /// Whether it is proved, not only tested.
    pub is_proved: bool,
    /// The number of operators of the larger term.
    pub size: usize,
}

/// A term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Tree {
    Variable(usize),
    Identity,
    Negated(Box<Tree>),
    Moved(Box<Tree>),
    Sum(Box<[Tree; 2]>),
    Difference(Box<[Tree; 2]>),
    Compose(Box<[Tree; 2]>),
}

/// Identities over a semiring between terms with at most `size` operators, smallest first; `None` if there is no such
/// semiring. `stop` is polled between terms and ends the enumeration.
pub fn infer(semiring: &str, size: usize, seed: u64, stop: &dyn Fn() -> bool) -> Option<Vec<Identity>> {
    in_semiring!(semiring, |S| identities::<S>(size, seed, stop))
}

fn identities<S: Semiring>(most: usize, seed: u64, stop: &dyn Fn() -> bool) -> Vec<Identity> {
    let mut random = Random::new(seed);
    let values: Vec<S::Element> = (0..=WEIGHT).filter_map(|value| S::of(Rational::integer(value))).collect();
    let count = ASSIGNMENTS * (WEIGHT as usize + 1) / values.len().max(1);
    let assignments = (0..count).map(|_| VARIABLES.map(|_| kernel::<S>(&values, &mut random))).collect();
    let mut search = Search::<S> {
        assignments,
        representatives: BTreeMap::new(),
        levels: Vec::new(),
        rules: if S::has_negation() { difference() } else { Vec::new() },
        found: Vec::new(),
        seed,
        semiring: PhantomData,
    };
    for size in 0..=most {
        let mut terms = search.terms(size);
        search.levels.push(Vec::new());
        for round in 0.. {
            match search.sorted_in(terms, round, size, stop) {
                Some(left) if left.is_empty() => break,
                Some(left) => terms = left,
                None => return search.found,
            }
        }
    }
    search.found
}

/// A random kernel of 2 × 2 taps with these values.
fn kernel<S: Semiring>(values: &[S::Element], random: &mut Random) -> Option<Kernel<S>> {
    let last = i64::try_from(values.len()).ok()? - 1;
    let places = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]];
    let taps = places.map(|place| Some((place, *values.get(random.integer(0, last) as usize)?)));
    Kernel::from_taps(&taps.into_iter().flatten().collect::<Vec<_>>()).ok()
}

/// The denotation of a term under each assignment.
type Denotation<S> = Vec<Vec<(Offset, <S as Semiring>::Element)>>;

struct Search<S: Semiring> {
    assignments: Vec<[Option<Kernel<S>>; VARIABLES.len()]>,
    /// The representatives of the groups of each denotation: terms that differ may be equal under all assignments.
    representatives: BTreeMap<Denotation<S>, Vec<Tree>>,
    /// The representatives by size.
    levels: Vec<Vec<Tree>>,
    rules: Vec<egg::Rewrite<SymbolLang, ()>>,
    found: Vec<Identity>,
    seed: u64,
    semiring: PhantomData<S>,
}

impl<S: Semiring> Search<S> {
    /// The terms of a size, built from representatives.
    fn terms(&self, size: usize) -> Vec<Tree> {
        let Some(below) = size.checked_sub(1) else {
            return (0..VARIABLES.len()).map(Tree::Variable).chain([Tree::Identity]).collect();
        };
        let mut terms = Vec::new();
        for inner in &self.levels[below] {
            terms.push(Tree::Moved(Box::new(inner.clone())));
            if S::has_negation() {
                terms.push(Tree::Negated(Box::new(inner.clone())));
            }
        }
        for left in 0..=below {
            for first in &self.levels[left] {
                for second in &self.levels[below - left] {
                    let both = || Box::new([first.clone(), second.clone()]);
                    terms.extend([Tree::Sum(both()), Tree::Compose(both())]);
                    terms.extend(S::has_negation().then(|| Tree::Difference(both())));
                }
            }
        }
        terms
    }

    /// Compares each term with the representative number `round` of its denotation, and keeps the identities found. Returns
    /// the terms that differ from it, for the next round; `None` if `stop` says so.
    fn sorted_in(
        &mut self,
        terms: Vec<Tree>,
        round: usize,
        size: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Tree>> {
        let mut pairs: BTreeMap<(Reverse<usize>, Tree, Tree), Vec<Tree>> = BTreeMap::new();
        for term in terms {
            if stop() {
                return None;
            }
            if let Some((lhs, rhs)) = self.paired(&term, round, size) {
                // An identity in more variables is more general.
                pairs.entry((Reverse(variables(&lhs).len()), lhs, rhs)).or_default().push(term);
            }
        }
        let mut different = Vec::new();
        for ((_, lhs, rhs), terms) in pairs {
            if stop() {
                return None;
            }
            if !self.keep(&lhs, &rhs, size) {
                different.extend(terms);
            }
        }
        Some(different)
    }

    /// The term and the representative number `round` of its denotation, as a candidate identity. If there is none, the term
    /// becomes it.
    fn paired(&mut self, term: &Tree, round: usize, size: usize) -> Option<(Tree, Tree)> {
        let known = self.representatives.entry(self.denotation(term)?).or_default();
        match known.get(round) {
            Some(first) => Some(in_order(term, first)),
            None => {
                known.push(term.clone());
                self.levels[size].push(term.clone());
                None
            }
        }
    }

    /// Keeps an identity if the others do not derive it, it holds, and its left side binds all variables. Returns
    /// whether it holds.
    fn keep(&mut self, lhs: &Tree, rhs: &Tree, size: usize) -> bool {
        let is_rule = variables(rhs).is_subset(&variables(lhs));
        if is_rule && self.derives(lhs, rhs) {
            return true;
        }
        let rewrite = Rewrite {
            variables: VARIABLES.map(|name| Variable { name: name.to_owned(), sort: Sort::Kernel }).to_vec(),
            lhs: lhs.pattern(),
            rhs: rhs.pattern(),
            conditions: Vec::new(),
        };
        if !is_rule {
            return rewrite.is_identity_in::<S>();
        }
        let name = format!("inferred-{}", self.found.len() + 1);
        let rule = Rule { semirings: vec![S::NAME.to_owned()], ..Rule::new(&name, Action::Rewrite(rewrite)) };
        let is_proved = match check(&rule, TRIALS, self.seed) {
            Verdict::Refuted(_) => return false,
            verdict => verdict == Verdict::Proved,
        };
        self.rules.extend(directed(&name, lhs, rhs));
        self.rules.extend(directed(&format!("{name} reversed"), rhs, lhs));
        self.found.push(Identity { rule, is_proved, size });
        true
    }

    fn denotation(&self, term: &Tree) -> Option<Denotation<S>> {
        let on = |kernels: &[Option<Kernel<S>>; VARIABLES.len()]| -> Option<Vec<_>> {
            Some(evaluate(term, kernels)?.nonzero_taps().collect())
        };
        self.assignments.iter().map(on).collect()
    }

    /// Whether the identities found so far derive this one.
    fn derives(&self, lhs: &Tree, rhs: &Tree) -> bool {
        let runner = Runner::<SymbolLang, ()>::default()
            .with_expr(&lhs.expression())
            .with_expr(&rhs.expression())
            .with_scheduler(SimpleScheduler)
            .with_iter_limit(ITERATIONS)
            .with_node_limit(NODES)
            // Only counts limit the run, so the result is the same on every machine.
            .with_time_limit(Duration::from_secs(3_600))
            .with_hook(|runner| {
                let [a, b] = [0, 1].map(|root| runner.egraph.find(runner.roots[root]));
                if a == b { Err("equal".to_owned()) } else { Ok(()) }
            })
            .run(&self.rules);
        runner.egraph.find(runner.roots[0]) == runner.egraph.find(runner.roots[1])
    }
}

/// The value of a term; `None` if it leaves the exact range.
fn evaluate<S: Semiring>(term: &Tree, kernels: &[Option<Kernel<S>>; VARIABLES.len()]) -> Option<Kernel<S>> {
    let both = |parts: &[Tree; 2]| Some((evaluate(&parts[0], kernels)?, evaluate(&parts[1], kernels)?));
    match term {
        Tree::Variable(variable) => kernels[*variable].clone(),
        Tree::Identity => Some(Kernel::identity()),
        Tree::Negated(inner) => evaluate(inner, kernels)?.negate(),
        Tree::Moved(inner) => evaluate(inner, kernels)?.shift(EAST).ok(),
        Tree::Sum(parts) => both(parts).and_then(|(a, b)| a.add(&b).ok()),
        Tree::Difference(parts) => both(parts).and_then(|(a, b)| a.add(&b.negate()?).ok()),
        Tree::Compose(parts) => both(parts).and_then(|(a, b)| a.compose(&b).ok()),
    }
}

/// The definition of a difference, in both directions. Rules have no form for it.
fn difference() -> Vec<egg::Rewrite<SymbolLang, ()>> {
    let [a, b] = [0, 1].map(Tree::Variable);
    let negated = Tree::Negated(Box::new(b.clone()));
    let (short, long) = (Tree::Difference(Box::new([a.clone(), b])), Tree::Sum(Box::new([a, negated])));
    directed("difference", &short, &long).into_iter().chain(directed("its parts", &long, &short)).collect()
}

/// The later and the earlier of two terms of a group, with variables named in the order of their occurrence.
fn in_order(term: &Tree, first: &Tree) -> (Tree, Tree) {
    let mut names: Vec<usize> = Vec::new();
    let mut rename = |variable: usize| {
        let known = names.iter().position(|name| *name == variable);
        known.unwrap_or_else(|| {
            names.push(variable);
            names.len() - 1
        })
    };
    (term.renamed(&mut rename), first.renamed(&mut rename))
}

fn variables(term: &Tree) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    term.renamed(&mut |variable| {
        found.insert(variable);
        variable
    });
    found
}

/// An identity in one direction, if the left side binds all variables and is not a single variable.
fn directed(name: &str, lhs: &Tree, rhs: &Tree) -> Option<egg::Rewrite<SymbolLang, ()>> {
    let is_open = matches!(lhs, Tree::Variable(_)) || !variables(rhs).is_subset(&variables(lhs));
    let side = |term: &Tree| term.text("?").parse::<egg::Pattern<SymbolLang>>().ok();
    if is_open { None } else { egg::Rewrite::new(name, side(lhs)?, side(rhs)?).ok() }
}

impl Tree {
    fn renamed(&self, rename: &mut impl FnMut(usize) -> usize) -> Self {
        let mut both = |parts: &[Self; 2]| Box::new([parts[0].renamed(rename), parts[1].renamed(rename)]);
        match self {
            Self::Variable(variable) => Self::Variable(rename(*variable)),
            Self::Identity => Self::Identity,
            Self::Negated(inner) => Self::Negated(Box::new(inner.renamed(rename))),
            Self::Moved(inner) => Self::Moved(Box::new(inner.renamed(rename))),
            Self::Sum(parts) => Self::Sum(both(parts)),
            Self::Difference(parts) => Self::Difference(both(parts)),
            Self::Compose(parts) => Self::Compose(both(parts)),
        }
    }

    fn pattern(&self) -> Pattern {
        match self {
            Self::Variable(variable) => Pattern::Variable(VariableId(*variable)),
            Self::Identity => Pattern::Identity,
            Self::Negated(inner) => Pattern::Negated(Box::new(inner.pattern())),
            Self::Moved(inner) => Pattern::Moved(EAST, Box::new(inner.pattern())),
            Self::Sum(parts) => {
                Pattern::Sum { terms: parts.iter().map(Self::pattern).collect(), rests: Vec::new() }
            }
            Self::Difference(parts) => {
                let [a, b] = &**parts;
                let terms = vec![a.pattern(), Pattern::Negated(Box::new(b.pattern()))];
                Pattern::Sum { terms, rests: Vec::new() }
            }
            Self::Compose(parts) => Pattern::Compose(Box::new([parts[0].pattern(), parts[1].pattern()])),
        }
    }

    /// The term for egg, with `mark` before each variable.
    fn text(&self, mark: &str) -> String {
        let both = |head: &str, [a, b]: &[Self; 2]| format!("({head} {} {})", a.text(mark), b.text(mark));
        match self {
            Self::Variable(variable) => format!("{mark}{}", VARIABLES[*variable]),
            Self::Identity => "id".to_owned(),
            Self::Negated(inner) => format!("(neg {})", inner.text(mark)),
            Self::Moved(inner) => format!("(shift {})", inner.text(mark)),
            Self::Sum(parts) => both("add", parts),
            Self::Difference(parts) => both("sub", parts),
            Self::Compose(parts) => both("compose", parts),
        }
    }

    fn expression(&self) -> RecExpr<SymbolLang> {
        self.text("").parse().expect("the text of a term is an expression")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(semiring: &str, size: usize) -> Vec<String> {
        found_with(semiring, size, 1)
    }

    fn found_with(semiring: &str, size: usize, seed: u64) -> Vec<String> {
        let identities = infer(semiring, size, seed, &|| false).unwrap();
        let print = |identity: &Identity| {
            let text = identity.rule.action.print().unwrap_or_default();
            assert!(identity.is_proved, "{text}");
            text
        };
        identities.iter().map(print).collect()
    }

    #[test]
    fn sums_and_compositions_commute_and_shifts_leave_them() {
        insta::assert_snapshot!(found("plus-times", 2).join("\n"));
        insta::assert_snapshot!(found("min-plus", 2).join("\n"));
    }

    /// Where one of three random kernels is nowhere the least, sums with it and without it look alike.
    #[test]
    fn associativity_is_found_whatever_the_random_kernels() {
        for seed in 1..=4 {
            let found = found_with("min-plus", 2, seed);
            let law = "(add ?a (add ?b ?c)) => (add ?b (add ?a ?c))";
            assert!(found.iter().any(|text| text == law), "{seed}: {found:#?}");
        }
    }

    /// Of the weights that kernels are drawn from, this semiring has only 0 and 1.
    #[test]
    fn laws_of_two_variables_are_found_where_there_are_two_values() {
        let found = found("or-and", 2);
        for law in ["(add ?a ?b) => (add ?b ?a)", "(compose ?a ?b) => (compose ?b ?a)", "(add ?a ?a) => ?a"] {
            assert!(found.iter().any(|text| text == law), "{law} in {found:#?}");
        }
    }

    #[test]
    fn there_is_no_other_semiring() {
        assert!(infer("modulo-seven", 1, 1, &|| false).is_none());
    }
}
