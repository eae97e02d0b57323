//! Soundness of single rules: proved if possible, and otherwise tested on random kernels.
//!
//! `saturate` checks every application of a rule; this module checks a rule once, before it is used. A rewrite holds for
//! all kernels exactly if both sides are the same polynomial in its variables, and it must hold in every semiring that
//! it names.

mod domain;
mod instance;
mod meet;
mod proposer;
mod lint;
mod trial;
mod verdict;

pub use instance::Sample;
pub use verdict::{CounterExample, Lint, Refutation, Report, Verdict};

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::condition::Argument;
use super::interpret::{Canonical, interpret};
use super::polynomial::Polynomials;
use super::{Action, Example, Expression, Question, Rewrite, Rule, VariableId};
use crate::algebra::{Arithmetic, PlusTimes, Semiring, in_semiring};
use domain::Over;
use instance::{Dice, Instance};
use trial::Outcome;

/// The maximum number of terms evaluated per rule and semiring. Large rules are tried on fewer kernels.
const MAX_WORK: usize = 20_000;

/// Checks `rule` on `trials` random kernels for every semiring that it names, from single taps up to 3 × 3, and shrinks
/// any counter-example. The result depends only on the arguments.
pub fn check(rule: &Rule, trials: usize, seed: u64) -> Verdict {
    report(rule, trials, seed).verdict
}

/// Checks `rule` as [`check`] does, and also reports its suspicious properties.
pub fn report(rule: &Rule, trials: usize, seed: u64) -> Report {
    let mut random = Dice::new(seed);
    match &rule.action {
        Action::Propose(propose) => {
            let (verdict, applied) = proposer::check(rule, &*propose.proposer, trials, &mut random);
            Report { verdict, applied, never: Vec::new(), lints: Vec::new() }
        }
        // Only a back end knows the meaning of instructions; point-wise identities have a check of their own.
        Action::Peephole(_) | Action::Pixel(_) => {
            Report { verdict: Verdict::Unknown, applied: 0, never: Vec::new(), lints: Vec::new() }
        }
        Action::Rewrite(rewrite) => check_rewrite(rule, rewrite, trials, &mut random),
        Action::Outputs(rewrites) => check_outputs(rule, rewrites, trials, &mut random),
    }
}

/// Checks each output separately: its rewrite must hold whatever the other outputs are.
fn check_outputs(rule: &Rule, rewrites: &[Rewrite], trials: usize, random: &mut Dice) -> Report {
    let proved = Report { verdict: Verdict::Proved, applied: 0, never: Vec::new(), lints: Vec::new() };
    rewrites.iter().fold(proved, |before, rewrite| {
        let own = check_rewrite(rule, rewrite, trials, random);
        let verdict = match (before.verdict, own.verdict) {
            (refuted @ Verdict::Refuted(_), _) | (_, refuted @ Verdict::Refuted(_)) => refuted,
            (Verdict::Proved, Verdict::Proved) => Verdict::Proved,
            _ => Verdict::Unknown,
        };
        let never = own.never.into_iter().filter(|condition| !before.never.contains(condition));
        let never = before.never.iter().cloned().chain(never).collect();
        Report { verdict, applied: before.applied + own.applied, never, lints: before.lints }
    })
}

fn check_rewrite(rule: &Rule, rewrite: &Rewrite, trials: usize, random: &mut Dice) -> Report {
    let mut held = vec![0; rewrite.conditions.len()];
    let (mut applied, mut proved, mut refuted) = (0, true, None);
    for name in &rule.semirings {
        let found = in_semiring!(name, |S| check_in::<S>(rule, rewrite, trials, random, &mut held));
        let Some(found) = found else { continue };
        applied += found.applied;
        proved &= found.proved;
        refuted = refuted.or(found.refutation);
    }
    let verdict = match refuted {
        Some(refutation) => Verdict::Refuted(Box::new(refutation)),
        None if proved => Verdict::Proved,
        None => Verdict::Unknown,
    };
    let never = rewrite.conditions.iter().zip(&held).filter(|(_, count)| **count == 0);
    let never = never.map(|(condition, _)| condition.print(&rewrite.variables)).collect();
    // Lints concern saturation, which skips rules for other semirings.
    let is_used = rule.semirings.iter().any(|semiring| semiring == Rule::PLUS_TIMES);
    let lints = if is_used { lint::lints(rewrite) } else { Vec::new() };
    Report { verdict, applied, never, lints }
}

/// Returns at most `count` random samples over a semiring, with kernels up to 3 × 3. The result depends only on the
/// arguments.
pub fn samples(rewrite: &Rewrite, arithmetic: Arithmetic, count: usize, seed: u64) -> Vec<Sample> {
    // Conditions that fewer than one kernel in a hundred satisfies do not justify more tries.
    let tries = 100 * count;
    let found = in_semiring!(arithmetic.name(), |S| {
        let mut random = Dice::new(seed);
        let instances = (0..tries).map(|_| meet::random::<S>(rewrite, 3, &mut random));
        let fitting = instances
            .filter(|instance| matches!(trial::run::<S>(rewrite, instance), Outcome::Held))
            .filter_map(|instance| instance.sample::<S>());
        fitting.take(count).collect()
    });
    found.unwrap_or_default()
}

/// Whether both sides of an example denote the same kernel in every semiring that its rule names. An example with one
/// side always passes. `None` if a side denotes nothing.
pub fn example_is_equal(rule: &Rule, example: &Example) -> Option<bool> {
    let mut equal = true;
    for name in &rule.semirings {
        equal &= in_semiring!(name, |S| is_equal_in::<S>(example)).flatten()?;
    }
    Some(equal)
}

/// [`example_is_equal`] in one semiring.
fn is_equal_in<S: Semiring>(example: &Example) -> Option<bool> {
    if S::NAME == PlusTimes::NAME {
        let domain = Canonical { kernels: &|_| None, number: &|_| None };
        let lhs = interpret(&example.lhs, &domain)?;
        let Some(rhs) = &example.rhs else { return Some(true) };
        return Some(lhs == interpret(rhs, &domain)?);
    }
    let nothing = Instance::default();
    let domain = Over::<S>(&nothing, PhantomData);
    let lhs = interpret(&example.lhs, &domain)?;
    let Some(rhs) = &example.rhs else { return Some(true) };
    Some(trial::are_equal(&lhs, &interpret(rhs, &domain)?))
}

/// The findings about a rewrite in one semiring.
struct Found {
    proved: bool,
    refutation: Option<Refutation>,
    applied: usize,
}

/// Checks a rewrite in one semiring, and counts the instances for which each condition held.
fn check_in<S: Semiring>(
    rule: &Rule,
    rewrite: &Rewrite,
    trials: usize,
    random: &mut Dice,
    held: &mut [usize],
) -> Found {
    if let Some(lacks) = lacks::<S>(rewrite) {
        let (rule, semiring) = (rule.name.clone(), S::NAME.to_owned());
        let refutation = Refutation::Meaningless { rule, semiring, lacks };
        return Found { proved: false, refutation: Some(refutation), applied: 0 };
    }
    let proved = rewrite.is_identity_in::<S>();
    let (mut applied, mut failed) = (0, None);
    let trials = trials.min(1 + MAX_WORK / (rewrite.lhs.size() + rewrite.rhs.size()));
    for trial in 0..trials {
        let side = 1 + 3 * trial / trials;
        let instance = meet::random::<S>(rewrite, side, random);
        for (condition, count) in rewrite.conditions.iter().zip(held.iter_mut()) {
            *count += usize::from(instance.satisfies::<S>(condition));
        }
        match trial::run::<S>(rewrite, &instance) {
            Outcome::Skipped => {}
            Outcome::Held => applied += 1,
            Outcome::Failed { .. } => {
                applied += 1;
                failed.get_or_insert(instance);
            }
        }
    }
    let refutation = failed.map(|instance| {
        let smallest = instance.shrunk::<S>(rewrite, &|candidate| {
            matches!(trial::run::<S>(rewrite, candidate), Outcome::Failed { .. })
        });
        let (lhs, rhs) = match trial::run::<S>(rewrite, &smallest) {
            Outcome::Failed { lhs, rhs } => (lhs, rhs),
            _ => unreachable!("a shrunk instance fails as well"),
        };
        Refutation::CounterExample(CounterExample {
            rule: rule.name.clone(),
            semiring: S::NAME.to_owned(),
            values: smallest.texts::<S>(rewrite),
            lhs,
            rhs: Some(rhs),
        })
    });
    Found { proved: proved && refutation.is_none(), refutation, applied }
}

/// The feature, if any, that the rewrite uses and `S` lacks.
fn lacks<S: Semiring>(rewrite: &Rewrite) -> Option<String> {
    if rewrite.negates() && !S::has_negation() {
        return Some("subtraction".to_owned());
    }
    if !rewrite.is_finite() && !S::has_negation() {
        return Some("scans: they need subtraction".to_owned());
    }
    let mut unknown = None;
    rewrite.for_each_literal(&mut |number| {
        if S::of(number).is_none() {
            unknown.get_or_insert(number);
        }
    });
    unknown.map(|number| format!("coefficient `{number}`"))
}

impl Rewrite {
    /// Whether both sides are the same polynomial in the variables over `S`, after substituting the numbers that the
    /// conditions equate. If so, the rule holds. `false` may also mean that the question is undecided.
    pub fn is_identity_in<S: Semiring>(&self) -> bool {
        let domain = Polynomials::<S>::new(self.known_numbers());
        let sides = (interpret(&self.lhs, &domain), interpret(&self.rhs, &domain));
        let (Some(lhs), Some(rhs)) = sides else { return false };
        domain.equal(&lhs, &rhs) == Some(true)
    }

    /// The number variables whose values the conditions determine.
    fn known_numbers(&self) -> BTreeMap<VariableId, Expression> {
        let mut known: BTreeMap<VariableId, Expression> = BTreeMap::new();
        for condition in self.conditions.iter().filter(|c| c.predicate.question == Question::Equal) {
            let [Argument::Number(a), Argument::Number(b)] = &condition.arguments[..] else { continue };
            for (variable, value) in [(a, b), (b, a)] {
                let Expression::Variable(variable) = variable else { continue };
                if !known.contains_key(variable) && !leads_to(value, *variable, &known) {
                    known.insert(*variable, value.clone());
                    break;
                }
            }
        }
        known
    }
}

/// Whether `variable` occurs in `value`, or in the known values of its variables.
fn leads_to(value: &Expression, variable: VariableId, known: &BTreeMap<VariableId, Expression>) -> bool {
    let mut found = false;
    value.for_each_variable(&mut |used| {
        found |= used == variable || known.get(&used).is_some_and(|value| leads_to(value, variable, known));
    });
    found
}
