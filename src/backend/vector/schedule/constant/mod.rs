//! Programs for filters of one image: algebraic forms for known coefficients, and direct forms for run-time
//! coefficients.
//!
//! A filter has several forms. The direct ones omit zeros, fuse single taps of two rows, or combine rows of equal or
//! opposite coefficients before the multiplication. The others rest on a [`Split`] of the filter into columns, rows of
//! these, and taps, which comes from the decompositions in an e-graph. Sums of columns stay in registers or go to
//! memory, and serve all outputs that need them. Each form is a body for the same scheduler, and the fastest program
//! wins. No form uses a number that may not fit its register: interval analysis of the inputs excludes forms whose
//! intermediate sums can exceed the element type. Every [`Technique`] can be switched off.

mod bytes;
mod columns;
mod decompose;
mod direct;
mod dot;
mod kernel;
mod placing;
mod plan;
mod range;
mod split;
mod table;
mod technique;

pub use decompose::{Ways, kernels, splits};
pub use kernel::Kernel;
pub use plan::{Form, Inapplicable, Plan};
pub use split::{Column, Output, Piece, Rest, Split};
pub use technique::Technique;

use rayon::prelude::*;

use super::body::Body;
use super::race::{Entrant, race};
use super::{Infeasible, pipeline};
use crate::backend::vector::machine::{Program, VliwMachine, fits_memory};
use crate::backend::vector::workload::{Element, TensorPlacements, Weights, Workload};
use crate::budget::Budget;

use placing::tile;

/// A plan that was tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempt {
    /// The plan.
    pub plan: Plan,
    /// Its cycles, or the reason why it has no program.
    pub cycles: Result<usize, Inapplicable>,
}

/// The fastest program of a filter.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The plan.
    pub plan: Plan,
    /// Its program.
    pub program: Program,
    /// The placement of its tensors.
    pub placed: TensorPlacements,
    /// All plans tried.
    pub attempts: Vec<Attempt>,
}

/// The plans for a filter with known coefficients, without the techniques that are switched off. The direct form with
/// padded rows, the baseline of all others, is always among them.
pub fn plans(
    machine: &VliwMachine,
    workload: &Workload,
    splits: &[Split],
    without: &[Technique],
) -> Vec<Plan> {
    if workload.element == Element::Int8 {
        return run_time_plans(Element::Int8);
    }
    let on = |technique| !without.contains(&technique);
    let single = workload.filter[3] == 1 && workload.output[3] == 1;
    let bytes = on(Technique::Bytes) && machine.modes_for(workload.element).any(|m| m.z == Element::Int8);
    let base = Plan::PADDED;
    let (symmetric, antisymmetric) = (on(Technique::Symmetric), on(Technique::Antisymmetric));
    let combining = Plan { symmetric, antisymmetric, ..base };
    let mut kinds = Vec::new();
    if single {
        kinds.push(base);
        kinds.extend(on(Technique::Fused).then_some(Plan { form: Form::Direct, ..base }));
        kinds.extend(bytes.then_some(Plan { form: Form::Direct, bytes, ..base }));
        kinds.extend((symmetric || antisymmetric).then_some(Plan { form: Form::Folded, ..combining }));
    }
    for (split, of) in splits.iter().enumerate().filter(|(_, split)| !(single && split.columns.is_empty())) {
        let allowed = |form: &Form| *form == Form::Columns || (on(Technique::TwoPass) && !of.has_rest());
        for form in [Form::Columns, Form::Passes].into_iter().filter(allowed) {
            let plain = Plan { form, split, ..base };
            kinds.push(plain);
            kinds.extend(bytes.then_some(Plan { bytes, ..plain }));
            if of.columns.is_empty() {
                continue;
            }
            if symmetric || antisymmetric {
                let in_rows = Plan { symmetric, antisymmetric, ..plain };
                kinds.extend([in_rows, Plan { in_columns: true, ..in_rows }]);
            }
            if on(Technique::Running) && columns::may_run(of) {
                kinds.push(Plan { running: true, ..plain });
                kinds.push(Plan { running: true, symmetric, antisymmetric, ..plain });
            }
        }
    }
    if on(Technique::Shifted) && !machine.widen.slots.is_empty() {
        // Rows that are combined with others are loaded where they are needed, and again for a shift.
        let may = |plan: &&Plan| !plan.in_columns && !matches!(plan.form, Form::Padded | Form::Folded);
        let shifted: Vec<Plan> =
            kinds.iter().filter(may).map(|plan| Plan { shifted: true, ..*plan }).collect();
        kinds.extend(shifted);
    }
    // Of equally fast programs the first wins, so those without the pre-adder come first.
    kinds.sort_by_key(|plan| plan.symmetric || plan.antisymmetric);
    unrolled(&kinds)
}

/// The plans of the direct forms for filters with elements of this type and run-time coefficients.
pub fn run_time_plans(element: Element) -> Vec<Plan> {
    let form = if element == Element::Int8 { Form::Swapped } else { Form::Direct };
    unrolled(&[Plan { form, ..Plan::PADDED }])
}

/// Each plan with every candidate number of rows and pointers.
fn unrolled(kinds: &[Plan]) -> Vec<Plan> {
    let mut found = Vec::new();
    for kind in kinds {
        // An output takes few operations on bytes, so more rows share the set-up of the loop.
        let rows = if kind.form == Form::Swapped { &[1, 2, 4, 8][..] } else { &[1, 2, 4] };
        for rows in rows.iter().copied() {
            for pointers in [1, 2] {
                // The baseline is Vyasa's: one pointer. Running sums run from row to row.
                let useless = kind.form == Form::Padded && pointers > 1 || kind.running && rows == 1;
                if !useless {
                    found.push(Plan { rows, pointers, ..*kind });
                }
            }
        }
    }
    found
}

/// Tries plans, the most promising first, and returns the fastest program, the first of equals. Except for the direct
/// form with padded rows, plans that cannot beat the best program so far are not compiled.
///
/// # Errors
/// The reason of the first plan, if none has a program.
pub fn choose(
    machine: &VliwMachine,
    workload: &Workload,
    splits: &[Split],
    plans: &[Plan],
    budget: &Budget,
) -> Result<Chosen, Inapplicable> {
    let bodies: Vec<Result<(Body, TensorPlacements), Inapplicable>> =
        plans.par_iter().map(|plan| body(machine, workload, splits, *plan)).collect();
    let entrants: Vec<Entrant<'_>> = plans
        .iter()
        .zip(&bodies)
        .filter_map(|(plan, body)| {
            let (body, _) = body.as_ref().ok()?;
            Some(Entrant { body, always: plan.form == Form::Padded })
        })
        .collect();
    let mut raced = race(machine, &entrants, budget, &|| {}).into_iter();
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut best: Option<(usize, usize, Program)> = None;
    for (index, (plan, body)) in plans.iter().zip(&bodies).enumerate() {
        let program = match body {
            Ok(_) => raced.next().expect("a program or a reason for each body").map_err(Inapplicable::from),
            Err(why) => Err(why.clone()),
        };
        let cycles = program.as_ref().map(|program| program.cycles(machine)).map_err(Clone::clone);
        if let (Ok(program), Ok(cycles)) = (program, &cycles)
            && best.as_ref().is_none_or(|(least, ..)| cycles < least)
        {
            best = Some((*cycles, index, program));
        }
        attempts.push(Attempt { plan: *plan, cycles });
    }
    let first = || attempts.first().and_then(|a| a.cycles.clone().err()).unwrap_or(Inapplicable::NotAFilter);
    let Some((_, index, program)) = best else { return Err(first()) };
    let (_, placed) = bodies.into_iter().nth(index).and_then(Result::ok).ok_or_else(first)?;
    Ok(Chosen { plan: plans[index], program, placed, attempts })
}

/// Returns the program of a plan, and the placement of its tensors.
///
/// # Errors
/// The reason why there is no program.
pub fn program(
    machine: &VliwMachine,
    workload: &Workload,
    splits: &[Split],
    plan: Plan,
) -> Result<(Program, TensorPlacements), Inapplicable> {
    let (body, placed) = body(machine, workload, splits, plan)?;
    Ok((pipeline(machine, &body)?, placed))
}

fn body(
    machine: &VliwMachine,
    workload: &Workload,
    splits: &[Split],
    plan: Plan,
) -> Result<(Body, TensorPlacements), Inapplicable> {
    if plan.form == Form::Swapped {
        return bytes::body(machine, workload, plan);
    }
    let places = workload.filter.iter().product::<usize>();
    let values: Vec<i64> = match &workload.weights {
        Weights::Known(values) => values.clone(),
        // The direct forms need only the identity of each coefficient, so these are numbered from one.
        Weights::RunTime if matches!(plan.form, Form::Padded | Form::Direct) => (1..=places as i64).collect(),
        Weights::RunTime => return Err(Inapplicable::RunTime),
    };
    let ([columns, rows, 1, channels], [_, _, 1, outputs]) = (workload.filter, workload.output) else {
        return Err(Inapplicable::NotAFilter);
    };
    if workload.depth_wise {
        return Err(Inapplicable::NotAFilter);
    }
    let split = match plan.form {
        Form::Columns | Form::Passes => Some(splits.get(plan.split).ok_or(Inapplicable::NotSeparable)?),
        _ if channels == 1 && outputs == 1 => None,
        _ => return Err(Inapplicable::NotAFilter),
    };
    let second = if plan.bytes { Element::Int8 } else { workload.element };
    // Pieces of a split may have larger or smaller coefficients than the filter.
    let coefficients = split.map_or(values.clone(), Split::coefficients);
    let known = workload.weights != Weights::RunTime;
    let large = second.beyond(&coefficients).filter(|_| known);
    // A coefficient too large for the elements' own type is multiplied in parts, or shifted with a part left to multiply.
    let own = second == workload.element;
    let most = dot::MAX_PARTS as u64 * second.range()[1].unsigned_abs();
    let in_parts = |value: &i64| own && (plan.shifted || value.unsigned_abs() <= most);
    if let Some(large) = large.filter(|value| !in_parts(value)) {
        return Err(Inapplicable::Coefficient(large, second));
    }
    let mut modes = machine.modes_for(workload.element);
    let mode = modes.find(|mode| mode.z == second).ok_or(Infeasible::NoMode { element: second })?;
    tile(workload, mode.lanes, plan.rows)?;
    Infeasible::accumulators(
        mode,
        workload.reach().max(split.map_or(0, |split| split.reach(workload.range))),
    )?;
    let made = match split {
        Some(split) => columns::body(machine, workload, mode, split, plan),
        None => direct::body(machine, workload, mode, &Kernel::new(columns, rows, &values), plan),
    };
    // If a coefficient is not a sum of few parts, report the coefficient, not its last part.
    let (body, placed) = made.map_err(|why| match (why, large) {
        (Inapplicable::Coefficient(..), Some(large)) => Inapplicable::Coefficient(large, second),
        (why, _) => why,
    })?;
    fits_memory(machine, &body.arrays).map_err(Infeasible::from)?;
    Ok((body, placed))
}
