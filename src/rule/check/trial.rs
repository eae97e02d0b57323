//! One trial: both sides of a rewrite for given kernels and numbers.

use std::marker::PhantomData;

use super::domain::{Endless, Over};
use super::instance::{Instance, indented};
use crate::algebra::{PlusTimes, Semiring};
use crate::rule::interpret::{Canonical, interpret};
use crate::rule::{Rewrite, VariableId};
use crate::term::matrix;

/// The outcome of one trial.
pub(super) enum Outcome {
    /// A condition does not hold, a side denotes nothing, or a coefficient left the exact range.
    Skipped,
    /// Both sides are equal.
    Held,
    /// The sides differ; the fields hold them as indented text.
    Failed {
        /// The left side.
        lhs: String,
        /// The right side.
        rhs: String,
    },
}

/// Evaluates both sides in `S`.
pub(super) fn run<S: Semiring>(rewrite: &Rewrite, instance: &Instance) -> Outcome {
    if !rewrite.conditions.iter().all(|condition| instance.satisfies::<S>(condition)) {
        return Outcome::Skipped;
    }
    if S::NAME != PlusTimes::NAME {
        let domain = Over::<S>(instance, PhantomData);
        let sides = (interpret(&rewrite.lhs, &domain), interpret(&rewrite.rhs, &domain));
        let (Some(lhs), Some(rhs)) = sides else { return Outcome::Skipped };
        return outcome(lhs.equal_values(&rhs), || (indented(&lhs.to_string()), indented(&rhs.to_string())));
    }
    if !rewrite.is_finite() {
        let domain = Endless(instance);
        let sides = (interpret(&rewrite.lhs, &domain), interpret(&rewrite.rhs, &domain));
        let (Some(lhs), Some(rhs)) = sides else { return Outcome::Skipped };
        let Ok(equal) = lhs.equals(&rhs) else { return Outcome::Skipped };
        return outcome(equal, || (indented(&lhs.to_string()), indented(&rhs.to_string())));
    }
    let kernels = |v: VariableId| instance.kernels[v.0].iter().map(|kernel| kernel.placed()).collect();
    let domain = Canonical { kernels: &kernels, number: &|v| instance.number(v) };
    let sides = (interpret(&rewrite.lhs, &domain), interpret(&rewrite.rhs, &domain));
    let (Some(lhs), Some(rhs)) = sides else { return Outcome::Skipped };
    outcome(lhs == rhs, || (matrix(&lhs, "    "), matrix(&rhs, "    ")))
}

fn outcome(equal: bool, texts: impl Fn() -> (String, String)) -> Outcome {
    if equal {
        return Outcome::Held;
    }
    let (lhs, rhs) = texts();
    Outcome::Failed { lhs, rhs }
}
