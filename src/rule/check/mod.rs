//! Soundness of rules by themselves: decided where it can be, looked for on random kernels otherwise.
//!
//! What `saturate` checks at every application this checks once, before a rule is used: a rewrite holds for all kernels
//! exactly where both sides are the same polynomial in its variables, and it must hold in every semiring that it names.

mod domain;
mod instance;
mod meet;
mod proposer;
mod lint;
mod trial;
mod verdict;

pub use instance::Sample;
pub use verdict::{CounterExample, Refutation, Report, Verdict};

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::condition::Argument;
use super::interpret::interpret;
use super::polynomial::Polynomials;
use super::{Action, Example, Expression, Question, Rewrite, Rule, VariableId};
use crate::algebra::{PlusTimes, Semiring, SemiringVisitor, with_semiring};
use domain::Over;
use instance::{Dice, Instance};
use trial::Outcome;

/// The most terms that are evaluated for one rule and semiring: large rules are tried on fewer kernels.
const MAX_WORK: usize = 20_000;

/// Checks `rule` on `trials` random kernels for every semiring that it names, from single taps up to 3 × 3; a counter-example
/// is made as small as it goes. The answer depends on the arguments only.
pub fn check(rule: &Rule, trials: usize, seed: u64) -> Verdict {
    report(rule, trials, seed).verdict
}

/// Checks `rule` as [`check`] does, and says what is suspicious in it.
pub fn report(rule: &Rule, trials: usize, seed: u64) -> Report {
    let mut random = Dice::new(seed);
    match &rule.action {
        Action::Propose(propose) => {
            let (verdict, applied) =
                proposer::check(&rule.name, &*propose.proposer, rule.budget, trials, &mut random);
            Report { verdict, applied, never: Vec::new(), lints: Vec::new() }
        }
        Action::Rewrite(rewrite) => check_rewrite(rule, rewrite, trials, &mut random),
    }
}

fn check_rewrite(rule: &Rule, rewrite: &Rewrite, trials: usize, random: &mut Dice) -> Report {
    let mut held = vec![0; rewrite.conditions.len()];
    let (mut applied, mut proved, mut refuted) = (0, true, None);
    for name in &rule.semirings {
        let visitor = InSemiring { rule, rewrite, trials, random, held: &mut held };
        let Some(found) = with_semiring(name, visitor) else { continue };
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
    // Lints are about saturation, which skips rules for other semirings.
    let is_used = rule.semirings.iter().any(|semiring| semiring == Rule::PLUS_TIMES);
    let lints = if is_used { lint::lints(rewrite) } else { Vec::new() };
    Report { verdict, applied, never, lints }
}

/// At most `count` random samples over the rationals, of kernels up to 3 × 3. The answer depends on the arguments only.
pub fn samples(rewrite: &Rewrite, count: usize, seed: u64) -> Vec<Sample> {
    // Conditions that hold for fewer kernels than one in a hundred are not worth more.
    let tries = 100 * count;
    let mut random = Dice::new(seed);
    let instances = (0..tries).map(|_| meet::random::<PlusTimes>(rewrite, 3, &mut random));
    let fitting = instances
        .filter(|instance| matches!(trial::run::<PlusTimes>(rewrite, instance), Outcome::Held))
        .filter_map(|instance| instance.sample());
    fitting.take(count).collect()
}

/// Whether both sides of an example denote the same kernel in every semiring that its rule names, one side alone always;
/// `None` where a side denotes nothing.
pub fn example_is_equal(rule: &Rule, example: &Example) -> Option<bool> {
    let mut equal = true;
    for name in &rule.semirings {
        equal &= with_semiring(name, ExampleIn(example)).flatten()?;
    }
    Some(equal)
}

/// Compares the sides of an example in the semiring that it is shown.
struct ExampleIn<'a>(&'a Example);

impl SemiringVisitor for ExampleIn<'_> {
    type Output = Option<bool>;

    fn visit<S: Semiring>(self) -> Option<bool> {
        let nothing = Instance::default();
        let domain = Over::<S>(&nothing, PhantomData);
        let lhs = interpret(&self.0.lhs, &domain)?;
        let Some(rhs) = &self.0.rhs else { return Some(true) };
        Some(lhs.equal_values(&interpret(rhs, &domain)?))
    }
}

/// What is known of a rewrite in one semiring.
struct Found {
    proved: bool,
    refutation: Option<Refutation>,
    applied: usize,
}

/// Checks a rewrite in the semiring that it is shown.
struct InSemiring<'a> {
    rule: &'a Rule,
    rewrite: &'a Rewrite,
    trials: usize,
    random: &'a mut Dice,
    held: &'a mut [usize],
}

impl SemiringVisitor for InSemiring<'_> {
    type Output = Found;

    fn visit<S: Semiring>(self) -> Found {
        let (rule, rewrite) = (self.rule, self.rewrite);
        if let Some(lacks) = lacks::<S>(rewrite) {
            let (rule, semiring) = (rule.name.clone(), S::NAME.to_owned());
            let refutation = Refutation::Meaningless { rule, semiring, lacks };
            return Found { proved: false, refutation: Some(refutation), applied: 0 };
        }
        let proved = rewrite.is_identity_in::<S>();
        let (mut applied, mut failed) = (0, None);
        let trials = self.trials.min(1 + MAX_WORK / (rewrite.lhs.size() + rewrite.rhs.size()));
        for trial in 0..trials {
            let side = 1 + 3 * trial / trials;
            let instance = meet::random::<S>(rewrite, side, self.random);
            for (condition, count) in rewrite.conditions.iter().zip(self.held.iter_mut()) {
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
            let sequences: Vec<bool> =
                rewrite.variables.iter().map(|variable| variable.is_sequence()).collect();
            let smallest = instance.shrunk::<S>(&sequences, &|candidate| {
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
}

/// What a rewrite is written with and `S` does not have.
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
    /// Whether both sides are the same polynomial in the variables, over `S`, where the numbers that its conditions equate
    /// are equal; the rule holds then. `false` where that cannot be decided, too.
    pub fn is_identity_in<S: Semiring>(&self) -> bool {
        let domain = Polynomials::<S>::new(self.known_numbers());
        let sides = (interpret(&self.lhs, &domain), interpret(&self.rhs, &domain));
        let (Some(lhs), Some(rhs)) = sides else { return false };
        domain.equal(&lhs, &rhs) == Some(true)
    }

    /// Number variables whose value the conditions give.
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

/// Whether `variable` stands in `value`, or in what variables of it are known to be.
fn leads_to(value: &Expression, variable: VariableId, known: &BTreeMap<VariableId, Expression>) -> bool {
    let mut found = false;
    value.for_each_variable(&mut |used| {
        found |= used == variable || known.get(&used).is_some_and(|value| leads_to(value, variable, known));
    });
    found
}
