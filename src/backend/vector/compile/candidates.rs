//! The candidate programs: the forms for known coefficients, and the schedules that use no coefficient.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::plan::baseline;
use super::refusal::Refusal;
use super::request::VectorRequest;
use crate::algebra::{Placed, Shape};
use crate::backend::OptimizeError;
use crate::backend::vector::machine::{Program, VliwMachine};
use crate::backend::vector::report::{VectorAttempt, VectorBaseline};
use crate::backend::vector::schedule::constant::{
    Attempt, Chosen, Form, Inapplicable, Split, Technique, choose, kernels, plans, program, run_time_plans,
    splits,
};
use crate::backend::vector::schedule::{Infeasible, space, tensors, tune};
use crate::backend::vector::workload::{TensorPlacements, Workload};
use crate::budget::Budget;
use crate::rule::{Rule, RuleSet};
use crate::saturate::{Limits, saturate_written};
use crate::term::Definition;

/// The limits of the e-graph on e-nodes, e-classes and iterations: enough to find products of columns and rows, and their remainders.
const LIMITS: (usize, usize, usize) = (3_000, 600, 4);

/// The work limit: more than filters of 13 × 13 taps need.
const WORK: u64 = 1 << 30;

/// Ways to compose the filter of a workload from columns, rows and taps, found by saturation with the built-in rules. Deterministic.
///
/// # Errors
/// [`OptimizeError::Unsound`] if a rule equates different kernels.
pub fn decompose(
    machine: &VliwMachine,
    workload: &Workload,
    without: &[Technique],
) -> Result<Vec<Split>, OptimizeError> {
    let rules = RuleSet::builtin().for_target(&machine.name);
    decompose_by(&rules, (workload, &[]), without, &Budget::unlimited())
}

/// The same with the given rules, and with the file's definitions of the workload's kernels.
pub(super) fn decompose_by(
    rules: &RuleSet,
    (workload, written): (&Workload, &[Definition]),
    without: &[Technique],
    budget: &Budget,
) -> Result<Vec<Split>, OptimizeError> {
    let roots: Vec<(String, Placed)> =
        kernels(workload).into_iter().enumerate().map(|(i, kernel)| (i.to_string(), kernel)).collect();
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let (nodes, classes, iterations) = LIMITS;
    let limits = Limits { nodes, classes, iterations, budget: budget.with_work(WORK) };
    let rules = rules.filtered(Rule::is_finite);
    let written: Vec<Definition> =
        written.iter().filter(|definition| definition.is_finite()).cloned().collect();
    let saturated = saturate_written(&roots, &written, &rules, &limits)?;
    let decompositions = saturated.decompositions();
    let ways = |shape: &Shape| decompositions.of(shape).iter().map(|(way, _)| way.clone()).collect();
    Ok(splits(workload, &ways, without))
}

/// A program before it is checked.
pub(super) struct Found {
    pub(super) program: Program,
    pub(super) placed: TensorPlacements,
    pub(super) how: String,
    /// The parts that make up the filter.
    pub(super) parts: Vec<String>,
    pub(super) attempts: Vec<VectorAttempt>,
    pub(super) baseline: Option<VectorBaseline>,
}

/// The record of a plan or schedule that was tried: its cycles, or the reason why it has no program and a lower bound if known.
fn attempt<W: ToString>(
    method: String,
    cycles: &Result<usize, W>,
    at_least: impl Fn(&W) -> Option<usize>,
) -> VectorAttempt {
    let why = cycles.as_ref().err();
    VectorAttempt {
        method,
        cycles: cycles.as_ref().ok().map(|cycles| *cycles as u64),
        at_least: why.and_then(at_least).map(|cycles| cycles as u64),
        reason: why.map(ToString::to_string),
    }
}

/// The records of the plans tried.
fn attempts_of(chosen: &Chosen, splits: &[Split]) -> Vec<VectorAttempt> {
    let of = |a: &Attempt| attempt(a.plan.describe(splits), &a.cycles, Inapplicable::at_least);
    chosen.attempts.iter().map(of).collect()
}

/// Whether the forms for known coefficients apply: one plane, and few enough kernels for an e-graph.
pub(super) fn is_filter(workload: &Workload) -> bool {
    const MAX_KERNELS: usize = 16;
    let ([.., planes, inputs], [.., depth, outputs]) = (workload.filter, workload.output);
    planes == 1 && depth == 1 && !workload.depth_wise && inputs * outputs <= MAX_KERNELS
}

/// The best program for known coefficients.
pub(super) fn known(
    request: &VectorRequest,
    workload: &Workload,
    splits: &[Split],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Found, Refusal> {
    let machine = &request.machine;
    let plans = plans(machine, workload, splits, &request.without);
    let chosen = choose(machine, workload, splits, &plans, &request.budget);
    let least = |form: Form| {
        let attempts = chosen.iter().flat_map(|chosen| &chosen.attempts);
        let of = attempts.filter(|attempt| attempt.plan.form == form);
        let ran = of.filter_map(|attempt| attempt.cycles.as_ref().ok().map(|cycles| (*cycles, attempt.plan)));
        ran.min_by_key(|(cycles, _)| *cycles).map(|(_, plan)| plan)
    };
    if let Some(plan) = least(Form::Padded) {
        let what = "the direct form, rows padded, one pointer";
        let padded = program(machine, workload, splits, plan).ok();
        let method = plan.describe(splits);
        let baseline = padded.map(|(program, _)| baseline(machine, what, workload, method, &program));
        return chosen.map(|chosen| of_choice(chosen, splits, baseline)).map_err(Refusal::from);
    }
    // Filters of several kernels compete with schedules that use no coefficient.
    let tuned = run_time(request, workload, progress);
    match (chosen, tuned) {
        (Ok(chosen), Ok(tuned)) => {
            let what = "the direct form, best schedule";
            let baseline = baseline(machine, what, workload, tuned.how.clone(), &tuned.program);
            let better = chosen.program.cycles(machine) < tuned.program.cycles(machine);
            let mut found = of_choice(chosen, splits, None);
            found.attempts.extend(tuned.attempts.iter().cloned());
            let attempts = found.attempts.clone();
            Ok(Found { attempts, baseline: Some(baseline), ..if better { found } else { tuned } })
        }
        (Ok(chosen), Err(_)) => Ok(of_choice(chosen, splits, None)),
        (Err(_), Ok(tuned)) => Ok(tuned),
        (Err(why), Err(_)) => Err(why.into()),
    }
}

fn of_choice(chosen: Chosen, splits: &[Split], baseline: Option<VectorBaseline>) -> Found {
    let put_together = matches!(chosen.plan.form, Form::Columns | Form::Passes);
    let split = splits.get(chosen.plan.split).filter(|_| put_together);
    Found {
        parts: split.map(Split::parts).unwrap_or_default(),
        attempts: attempts_of(&chosen, splits),
        baseline,
        how: chosen.plan.describe(splits),
        program: chosen.program,
        placed: chosen.placed,
    }
}

/// The best program for run-time weights.
pub(super) fn run_time(
    request: &VectorRequest,
    workload: &Workload,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Found, Refusal> {
    let machine = &request.machine;
    let space = space(machine, workload);
    let done = AtomicUsize::new(0);
    let one = || progress(1 + done.fetch_add(1, Ordering::Relaxed), space.len());
    // Some workloads have a form that is not a schedule of Vyasa's: filters of one image share operations between rows,
    // and bytes have their own form.
    let direct = choose(machine, workload, &[], &run_time_plans(workload.element), &request.budget);
    let tuned = match (tune(machine, workload, &space, &request.budget, &one), &direct) {
        (Ok(tuned), _) => tuned,
        (Err(_), Ok(chosen)) => {
            let attempts = attempts_of(chosen, &[]);
            let (program, placed) = (chosen.program.clone(), chosen.placed.clone());
            let how = chosen.plan.describe(&[]);
            return Ok(Found { program, placed, how, parts: Vec::new(), attempts, baseline: None });
        }
        (Err(why), Err(_)) => return Err(why.into()),
    };
    let published = workload.published.as_ref().zip(tuned.published.as_ref());
    let baseline = published.map(|(schedule, program)| {
        baseline(machine, "the published schedule", workload, schedule.to_string(), program)
    });
    let mut attempts: Vec<VectorAttempt> = Vec::new();
    for candidate in &tuned.tried {
        attempts.push(attempt(candidate.schedule.to_string(), &candidate.cycles, Infeasible::at_least));
    }
    attempts.extend(direct.iter().flat_map(|chosen| attempts_of(chosen, &[])));
    if let Some(chosen) = direct.ok().filter(|c| c.program.cycles(machine) < tuned.program.cycles(machine)) {
        let how = chosen.plan.describe(&[]);
        let Chosen { program, placed, .. } = chosen;
        return Ok(Found { program, placed, how, parts: Vec::new(), attempts, baseline });
    }
    Ok(Found {
        attempts,
        baseline,
        how: tuned.schedule.to_string(),
        parts: Vec::new(),
        placed: tensors(machine, workload, &tuned.schedule)?,
        program: tuned.program,
    })
}
