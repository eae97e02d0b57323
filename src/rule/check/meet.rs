//! Random kernels and numbers, adjusted to satisfy conditions that random values rarely satisfy.

use super::instance::{Dice, Instance, NUMBERS, Taps, element};
use crate::algebra::{Offset, PlusTimes, Rational, Semiring};
use crate::rule::{Argument, Condition, Expression, Parameter, Question, Rewrite, VariableId};

/// The maximum number of taps to which a kernel is grown for `taps-at-least`.
const MAX_TAPS: usize = 200;

/// The maximum number of draws to satisfy all conditions on numbers.
const DRAWS: usize = 60;

/// The maximum number of rounds of changes to satisfy all conditions; one change may undo another.
const ROUNDS: usize = 6;

/// Random kernels and numbers for a rewrite, adjusted to satisfy its conditions where a way to do so is known.
pub(super) fn random<S: Semiring>(rewrite: &Rewrite, side: usize, random: &mut Dice) -> Instance {
    let mut instance = Instance::random::<S>(rewrite, side, random);
    numbers::<S>(&mut instance, rewrite, random);
    kernels::<S>(&mut instance, rewrite, random);
    instance
}

/// Draws the numbers of `instance` until the conditions on numbers hold, and keeps the last draw if they never do.
fn numbers<S: Semiring>(instance: &mut Instance, rewrite: &Rewrite, random: &mut Dice) {
    let of_numbers = |condition: &&Condition| {
        condition.arguments.iter().all(|argument| matches!(argument, Argument::Number(_)))
    };
    let asked: Vec<&Condition> = rewrite.conditions.iter().filter(of_numbers).collect();
    let hold = |instance: &Instance| asked.iter().all(|condition| instance.satisfies::<S>(condition));
    if hold(instance) {
        return;
    }
    let pool = pool::<S>(rewrite);
    for _ in 0..DRAWS {
        for number in instance.numbers.iter_mut().flatten() {
            *number = pool[random.below(pool.len() as u64) as usize];
        }
        for condition in &asked {
            if instance.satisfies::<S>(condition) {
                continue;
            }
            solve::<S>(instance, condition, random);
        }
        if hold(instance) {
            return;
        }
    }
}

/// Numbers that are likely to satisfy the conditions: simple numbers, and neighbours of the numbers in the rule.
fn pool<S: Semiring>(rewrite: &Rewrite) -> Vec<Rational> {
    let mut pool: Vec<Rational> = NUMBERS.iter().filter_map(|(n, d)| Rational::new(*n, *d)).collect();
    let mut named = Vec::new();
    rewrite.for_each_literal(&mut |number| named.push(number));
    named.sort_unstable();
    named.dedup();
    for number in named.into_iter().take(16) {
        let near = [-2, -1, 0, 1, 2].map(|by| number.add(Rational::integer(by)));
        let multiples = [-1, 2, 3, 5].map(|by| number.mul(Rational::integer(by)));
        let parts = [2, 3].map(|by| number.div(Rational::integer(by)));
        pool.extend(near.into_iter().chain(multiples).chain(parts).flatten());
    }
    pool.retain(|number| S::of(*number).and_then(S::reciprocal).is_some());
    if pool.is_empty() {
        pool.extend(S::number(S::one()));
    }
    pool
}

/// Sets a number variable to satisfy the condition if the condition determines it.
fn solve<S: Semiring>(instance: &mut Instance, condition: &Condition, random: &mut Dice) {
    let value = |instance: &Instance, expression: &Expression| {
        expression.evaluate::<S>(&|variable| S::of(instance.number(variable)?))
    };
    let whole = element::<S>(Rational::integer(random.below(9) as i64 - 4));
    let (variable, found) = match &condition.arguments[..] {
        [Argument::Number(Expression::Variable(variable)), Argument::Number(other)] => {
            let other = value(instance, other);
            let found = match condition.predicate.question {
                Question::Equal => other,
                // A multiple of the current value remains divisible by the divisors of that value.
                Question::Divisible if random.below(2) == 0 => {
                    let known = instance.number(*variable).and_then(S::of);
                    other.zip(known).and_then(|(other, known)| S::mul(other, known))
                }
                Question::Divisible => other.and_then(|other| S::mul(other, whole)),
                _ => None,
            };
            (*variable, found)
        }
        [Argument::Number(other), Argument::Number(Expression::Variable(variable))] => {
            let other = value(instance, other);
            let found = match condition.predicate.question {
                Question::Equal => other,
                Question::Divisible => {
                    let part = S::reciprocal(whole).unwrap_or(S::one());
                    other.and_then(|other| S::mul(other, part))
                }
                _ => None,
            };
            (*variable, found)
        }
        _ => return,
    };
    let found = found.filter(|found| S::reciprocal(*found).is_some()).and_then(S::number);
    if let Some(found) = found {
        instance.numbers[variable.0] = Some(found);
    }
}

/// Changes the kernels of `instance` until the conditions on kernels hold, in at most [`ROUNDS`] rounds.
fn kernels<S: Semiring>(instance: &mut Instance, rewrite: &Rewrite, random: &mut Dice) {
    for _ in 0..ROUNDS {
        let mut held = true;
        for condition in &rewrite.conditions {
            if !instance.satisfies::<S>(condition) {
                held = false;
                change::<S>(instance, condition, random);
            }
        }
        if held {
            return;
        }
    }
}

/// Changes a kernel that the condition names so that the condition holds.
fn change<S: Semiring>(instance: &mut Instance, condition: &Condition, random: &mut Dice) {
    let Some(Argument::Kernel(first)) = condition.arguments.first() else { return };
    let Some(kernel) = instance.kernels[first.0].first().cloned() else { return };
    let question = condition.predicate.question;
    if let Some(Argument::Kernel(second)) = condition.arguments.get(1) {
        return change_two::<S>(instance, question, *first, *second, random);
    }
    let changed = match question {
        Question::SingleTap => Some(kernel.truncated(1)),
        Question::OneChannel => kernel.on_one_channel::<S>(),
        Question::TapsAtLeast => count_of(instance, condition)
            .and_then(|count| usize::try_from(-count.negate().floor()).ok())
            .filter(|count| *count <= MAX_TAPS)
            .map(|count| kernel.grown::<S>(count + random.below(3) as usize, random)),
        Question::TapsAtMost => count_of(instance, condition)
            .and_then(|count| usize::try_from(count.floor()).ok())
            .filter(|count| *count > 0)
            .map(|count| kernel.truncated(1 + random.below(count as u64) as usize)),
        _ => None,
    };
    if let Some(changed) = changed {
        instance.kernels[first.0] = vec![changed];
    }
}

/// Changes one of two kernels so that a condition on both holds.
fn change_two<S: Semiring>(
    instance: &mut Instance,
    question: Question,
    first: VariableId,
    second: VariableId,
    random: &mut Dice,
) {
    let (Some(a), Some(b)) =
        (instance.kernels[first.0].first().cloned(), instance.kernels[second.0].first().cloned())
    else {
        return;
    };
    let (variable, changed) = match question {
        Question::SameShape => (second, a.relabelled::<S>(random)),
        _ if b.taps.len() > 1 && random.below(2) == 0 => {
            (first, a.truncated(1 + random.below(b.taps.len() as u64 - 1) as usize))
        }
        _ => (second, b.grown::<S>((a.taps.len() + 1 + random.below(3) as usize).min(MAX_TAPS), random)),
    };
    instance.kernels[variable.0] = vec![changed];
}

/// The count given as the second argument of a condition.
fn count_of(instance: &Instance, condition: &Condition) -> Option<Rational> {
    debug_assert_eq!(condition.predicate.parameters.last(), Some(&Parameter::Count));
    let [_, Argument::Number(number)] = &condition.arguments[..] else { return None };
    number.evaluate::<PlusTimes>(&|variable| instance.number(variable))
}

impl Taps {
    /// The kernel with only its first `count` taps.
    fn truncated(&self, count: usize) -> Self {
        Self { taps: self.taps[..count.min(self.taps.len())].to_vec(), ..self.clone() }
    }

    fn on_one_channel<S: Semiring>(&self) -> Option<Self> {
        let taps: Vec<_> = self.taps.iter().map(|(_, at, value)| (0, *at, *value)).collect();
        Self::gathered::<S>(1, &taps)
    }

    /// The kernel with more taps, up to `count`, in a box that is only slightly larger than needed.
    fn grown<S: Semiring>(&self, count: usize, random: &mut Dice) -> Self {
        let side = (1..).find(|side| side * side > count).unwrap_or(1) as i32;
        let mut grown = self.clone();
        let places = (0..side * side).map(|i| [i % side, i / side, 0]);
        for at in places {
            let taken = grown.taps.iter().any(|(channel, other, _)| (*channel, *other) == (0, at));
            if grown.taps.len() < count && !taken {
                grown.taps.push((0, at, random.value::<S>()));
            }
        }
        grown
    }

    /// The kernel translated and, if `S` has negation, possibly with another sign or scale.
    fn relabelled<S: Semiring>(&self, random: &mut Dice) -> Self {
        let by = [random.below(3) as i32, random.below(2) as i32];
        let factor = match random.below(4) {
            _ if !S::has_negation() => Rational::ONE,
            0 => Rational::ONE,
            1 => Rational::integer(-1),
            2 => Rational::integer(2),
            _ => Rational::integer(-2),
        };
        let moved = |(channel, at, value): &(u16, Offset, Rational)| {
            (*channel, [at[0] + by[0], at[1] + by[1], at[2]], value.mul(factor).unwrap_or(*value))
        };
        Self { taps: self.taps.iter().map(moved).collect(), ..self.clone() }
    }
}
