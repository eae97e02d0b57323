//! The meaning of plans: the kernel of every step, infinite kernels as rational functions.

use std::collections::BTreeSet;

use super::{Plan, PlanStep};
use crate::algebra::{AlgebraError, Kernel, Offset, PlusTimes, Rational, Scan, Semiring, add_offsets};

/// The kernels of a step, one for each input.
pub type Meaning = Vec<Scan<PlusTimes>>;

/// The meaning of a step of sums, given the meanings of the steps before it.
///
/// A recurrence y = y·x^back + t is t / (1 − x^back), because nothing comes before the first pixel.
///
/// # Errors
/// Overflow, or recurrences that run against each other.
pub fn linear_step(step: &PlanStep, before: &[Meaning], channels: usize) -> Result<Meaning, AlgebraError> {
    let zero = || vec![Scan::from_kernel(&Kernel::zero()); channels];
    match step {
        PlanStep::Input(channel) => {
            let mut meaning = zero();
            meaning[*channel] = Scan::from_kernel(&Kernel::identity());
            Ok(meaning)
        }
        PlanStep::Fold { terms, back } => {
            let mut sum = zero();
            for term in terms {
                for (own, read) in sum.iter_mut().zip(&before[term.source]) {
                    if !read.numerator().is_zero() {
                        let seen = read.shift(term.offset)?.scale(Rational::integer(term.weight))?;
                        *own = own.add(&seen)?;
                    }
                }
            }
            let Some(back) = back else { return Ok(sum) };
            let scan = Scan::along(*back)?;
            sum.iter().map(|scanned| scanned.compose(&scan)).collect()
        }
        PlanStep::Window { source, step, length } => {
            let ones: Vec<_> = window(*step, *length).map(|offset| (offset, Rational::ONE)).collect();
            let window = Scan::from_kernel(&Kernel::from_taps(&ones)?);
            before[*source].iter().map(|read| read.compose(&window)).collect()
        }
    }
}

fn window(step: Offset, length: usize) -> impl Iterator<Item = Offset> {
    (0..length as i32).map(move |n| step.map(|along| along * n))
}

/// The kernels of a plan of sums: for each output, one for each input, scale included.
///
/// # Errors
/// See [`linear_step`].
pub fn linear(plan: &Plan) -> Result<Vec<Meaning>, AlgebraError> {
    let mut meanings = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let meaning = linear_step(step, &meanings, plan.inputs.len())?;
        meanings.push(meaning);
    }
    let output = |output: &super::Output| {
        let of = &meanings[output.source];
        of.iter().map(|kernel| kernel.shift(output.offset)?.scale(output.scale)).collect()
    };
    plan.outputs.iter().map(output).collect()
}

/// Whether an output of a plan of sums reads, through its steps, more places than its kernel has taps: there, weights cancel, which
/// is exact for integers only. Recurrences read all places before. `taps` has the numbers of taps of the outputs.
pub fn cancels(plan: &Plan, taps: impl IntoIterator<Item = usize>) -> bool {
    let mut places: Vec<BTreeSet<(usize, Offset)>> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let own: Option<BTreeSet<_>> = match step {
            PlanStep::Input(channel) => Some([(*channel, [0; 3])].into()),
            PlanStep::Fold { terms, back: None } => {
                let terms =
                    terms.iter().flat_map(|term| places[term.source].iter().map(|at| (at, term.offset)));
                terms.map(|((channel, at), by)| Some((*channel, add_offsets(*at, by).ok()?))).collect()
            }
            PlanStep::Fold { back: Some(_), .. } | PlanStep::Window { .. } => None,
        };
        let Some(own) = own else { return true };
        places.push(own);
    }
    plan.outputs.iter().zip(taps).any(|(output, taps)| places[output.source].len() != taps)
}

/// The kernels of the outputs of a plan, in a semiring whose addition is the fold of the plan.
///
/// # Errors
/// Overflow. [`AlgebraError::NoNegation`] if a step reads itself, which has a meaning only for sums.
pub fn idempotent<S: Semiring>(plan: &Plan) -> Result<Vec<Vec<Kernel<S>>>, AlgebraError> {
    let weight = |weight: i64| if weight == 0 { Ok(S::one()) } else { S::parse(&weight.to_string()) };
    let weight = |w: i64| weight(w).map_err(|_| AlgebraError::NoNegation { semiring: S::NAME });
    let channels = plan.inputs.len();
    let mut meanings: Vec<Vec<Kernel<S>>> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let mut sum = vec![Kernel::zero(); channels];
        match step {
            PlanStep::Input(channel) => sum[*channel] = Kernel::identity(),
            PlanStep::Fold { back: Some(_), .. } => {
                return Err(AlgebraError::NoNegation { semiring: S::NAME });
            }
            PlanStep::Fold { terms, back: None } => {
                for term in terms {
                    for (own, read) in sum.iter_mut().zip(&meanings[term.source]) {
                        *own = own.add(&read.shift(term.offset)?.scale(weight(term.weight)?)?)?;
                    }
                }
            }
            PlanStep::Window { source, step, length } => {
                let ones: Vec<_> = window(*step, *length).map(|offset| (offset, S::one())).collect();
                let window = Kernel::from_taps(&ones)?;
                for (own, read) in sum.iter_mut().zip(&meanings[*source]) {
                    *own = read.compose(&window)?;
                }
            }
        }
        meanings.push(sum);
    }
    let output = |output: &super::Output| {
        let of = &meanings[output.source];
        of.iter().map(|kernel| kernel.shift(output.offset)?.scale(weight(output.bias)?)).collect()
    };
    plan.outputs.iter().map(output).collect()
}

/// The least and the greatest value of a step of sums with finite kernels, for inputs within `range`.
pub fn bounds(meaning: &Meaning, [low, high]: [i64; 2]) -> Option<[i128; 2]> {
    let mut found = [0i128; 2];
    for scan in meaning {
        for (_, tap) in scan.to_kernel()?.nonzero_taps() {
            let weight = i128::from(tap.numerator()) / i128::from(tap.denominator());
            let ends = [weight * i128::from(low), weight * i128::from(high)];
            found[0] += ends[0].min(ends[1]);
            found[1] += ends[0].max(ends[1]);
        }
    }
    Some(found)
}
