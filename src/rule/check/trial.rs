//! One trial: both sides of a rewrite for given kernels and numbers.

use std::marker::PhantomData;

use super::domain::Over;
use super::instance::{Instance, row};
use crate::algebra::{Kernel, PlusTimes, Semiring};
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
        return outcome(are_equal(&lhs, &rhs), [lhs.len(), rhs.len()], || (row(&lhs), row(&rhs)));
    }
    let kernels = |v: VariableId| instance.kernels[v.0].iter().map(|kernel| kernel.placed()).collect();
    let domain = Canonical { kernels: &kernels, number: &|v| instance.number(v) };
    let sides = (interpret(&rewrite.lhs, &domain), interpret(&rewrite.rhs, &domain));
    let (Some(lhs), Some(rhs)) = sides else { return Outcome::Skipped };
    let channels = [&lhs, &rhs].map(|side| usize::from(side.shape.channels()));
    outcome(lhs == rhs, channels, || (matrix(&lhs, "    "), matrix(&rhs, "    ")))
}

/// Whether both have the same channels, with kernels of the same values.
pub(super) fn are_equal<S: Semiring>(a: &[Kernel<S>], b: &[Kernel<S>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equal_values(b))
}

fn outcome(equal: bool, channels: [usize; 2], texts: impl Fn() -> (String, String)) -> Outcome {
    if equal {
        return Outcome::Held;
    }
    let (lhs, rhs) = texts();
    // Kernels that are 0 differ in their channels alone.
    let is_same = lhs == rhs;
    let text = |text, of| if is_same { format!("{text} (channels: {of})") } else { text };
    Outcome::Failed { lhs: text(lhs, channels[0]), rhs: text(rhs, channels[1]) }
}
