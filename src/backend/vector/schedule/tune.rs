//! The auto-tuner. It compiles the schedules of Vyasa's space in parallel, prunes them by a lower bound on their loop,
//! and takes the fastest.

use rayon::prelude::*;

use super::body::Body;
use super::race::{Entrant, race};
use super::{Infeasible, lower};
use crate::backend::vector::machine::{Program, VliwMachine};
use crate::backend::vector::workload::{Dim, Layouts, Schedule, Workload};
use crate::budget::Budget;

/// The unroll-and-jam factors tried, as in the paper.
const FACTORS: [usize; 4] = [1, 2, 4, 8];
/// The maximum number of outputs of one iteration. Beyond it, code outgrows the program memory or the accumulators.
const MAX_OUTPUTS: usize = 8;

/// A schedule that was tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The schedule.
    pub schedule: Schedule,
    /// Its cycles, or why it has no program. [`Infeasible::Slower`]: not compiled, because another schedule is faster.
    pub cycles: Result<usize, Infeasible>,
}

/// The result of tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// The fastest schedule, the first of equals.
    pub schedule: Schedule,
    /// Its program.
    pub program: Program,
    /// The program of the workload's published schedule, if both exist.
    pub published: Option<Program>,
    /// All schedules tried, in the order of the space.
    pub tried: Vec<Candidate>,
}

/// The layouts that suit the vectorised loop and the pairing of multiplications, plain ones first.
fn layouts(machine: &VliwMachine, workload: &Workload, vector: Dim) -> Vec<Layouts> {
    let Some(mode) = machine.mode_for(workload.element) else { return Vec::new() };
    let (lanes, columns) = (mode.lanes, mode.columns);
    let channels = workload.filter[3];
    let block = machine.per_vector(workload.element).min(8);
    let texts: Vec<[String; 3]> = if vector == Dim::K {
        let mut found = vec![[
            "ZXYK".to_owned(),
            format!("(K/{lanes})(C/{columns})TSR(C:{columns})(K:{lanes})"),
            "Z'Y'X'C".to_owned(),
        ]];
        if columns > 2 && channels.is_multiple_of(columns) {
            found = vec![[
                "ZYXK".to_owned(),
                format!("(K/{lanes})TSR(C/{columns})(C:{columns})(K:{lanes})"),
                "Z'Y'X'C".to_owned(),
            ]];
        } else if columns > 1 && channels.is_multiple_of(columns) {
            found = vec![[
                "ZYXK".to_owned(),
                format!("(K/{lanes})TSR(C/{columns})(K:{lanes})(C:{columns})"),
                "Z'Y'X'C".to_owned(),
            ]];
        } else if columns == 1 && channels.is_multiple_of(block) {
            found = vec![[
                "ZXYK".to_owned(),
                format!("(K/{lanes})(C/{block})TSR(C:{block})(K:{lanes})"),
                format!("(C/{block})Z'Y'X'(C:{block})"),
            ]];
        }
        found
    } else {
        let mut found = vec![["KZYX".to_owned(), "KCTSR".to_owned(), "CZ'Y'X'".to_owned()]];
        if columns > 1 && channels.is_multiple_of(columns) && !workload.depth_wise {
            let weights = format!("K(C/{columns})TSR(C:{columns})");
            found.push(["KZYX".to_owned(), weights, format!("(C/{columns})Z'Y'X'(C:{columns})")]);
        }
        found
    };
    let parse = |text: &str| text.parse().ok();
    texts
        .iter()
        .filter_map(|[output, weights, input]| {
            Some(Layouts { output: parse(output)?, weights: parse(weights)?, input: parse(input)? })
        })
        .collect()
}

/// The schedules to try: the published one first, then every vectorised loop, layout, innermost loop and unroll-and-jam
/// factor that divides its loop. Reduction loops are always unrolled.
pub fn space(machine: &VliwMachine, workload: &Workload) -> Vec<Schedule> {
    let Some(mode) = machine.mode_for(workload.element) else { return Vec::new() };
    let mut found: Vec<Schedule> = workload.published.iter().cloned().collect();
    for vector in [Dim::X, Dim::K] {
        // Windows of bytes cannot be selected along a row. Output channels that read one input each share none.
        let selected = mode.columns <= 2 || (vector == Dim::K && !workload.depth_wise);
        if !selected || !workload.extent(vector).is_multiple_of(mode.lanes) {
            continue;
        }
        for layouts in layouts(machine, workload, vector) {
            for order in orders(workload) {
                for unroll in unrolls(workload, vector, mode.lanes) {
                    let schedule =
                        Schedule { vector, unroll, order: order.clone(), layouts: layouts.clone() };
                    if !found.contains(&schedule) {
                        found.push(schedule);
                    }
                }
            }
        }
    }
    found
}

/// Each loop with more than one iteration as the innermost. The order of the loops around it does not change the cycles.
fn orders(workload: &Workload) -> Vec<Vec<Dim>> {
    let loops: Vec<Dim> =
        [Dim::K, Dim::Z, Dim::Y, Dim::X].into_iter().filter(|dim| workload.extent(*dim) > 1).collect();
    if loops.is_empty() {
        return vec![vec![Dim::X]];
    }
    let innermost = |inner: &Dim| {
        let mut order: Vec<Dim> = loops.iter().copied().filter(|dim| dim != inner).collect();
        order.push(*inner);
        order
    };
    loops.iter().rev().map(innermost).collect()
}

fn unrolls(workload: &Workload, vector: Dim, lanes: usize) -> Vec<[usize; 4]> {
    let factors = |dim: Dim| -> Vec<usize> {
        let step = if dim == vector { lanes } else { 1 };
        FACTORS.into_iter().filter(|n| workload.extent(dim).is_multiple_of(n * step)).collect()
    };
    let [xs, ys, zs, ks] = Dim::OUTPUT.map(factors);
    let mut found = Vec::new();
    for x in &xs {
        for y in &ys {
            for z in &zs {
                for k in &ks {
                    if x * y * z * k <= MAX_OUTPUTS {
                        found.push([*x, *y, *z, *k]);
                    }
                }
            }
        }
    }
    found
}

/// Compiles the published schedule and those of the space that may be the fastest, and returns the fastest, the first
/// of equals. `progress` is called after each.
///
/// # Errors
/// The reason of the first schedule, if none has a program.
pub fn tune(
    machine: &VliwMachine,
    workload: &Workload,
    space: &[Schedule],
    budget: &Budget,
    progress: &(dyn Fn() + Sync),
) -> Result<Tuned, Infeasible> {
    let bodies: Vec<Result<Body, Infeasible>> =
        space.par_iter().map(|schedule| lower(machine, workload, schedule)).collect();
    let published = |schedule: &Schedule| Some(schedule) == workload.published.as_ref();
    let entrants: Vec<Entrant<'_>> = space
        .iter()
        .zip(&bodies)
        .filter_map(|(schedule, body)| {
            let body = body.as_ref().ok().or_else(|| {
                progress();
                None
            })?;
            Some(Entrant { body, always: published(schedule) })
        })
        .collect();
    let mut raced = race(machine, &entrants, budget, progress).into_iter();
    let mut programs: Vec<Result<Program, Infeasible>> = bodies
        .iter()
        .map(|body| match body {
            Ok(_) => raced.next().expect("a program or a reason for each body"),
            Err(infeasible) => Err(infeasible.clone()),
        })
        .collect();
    let tried: Vec<Candidate> = space
        .iter()
        .zip(&programs)
        .map(|(schedule, program)| {
            let cycles = program.as_ref().map(|program| program.cycles(machine)).map_err(Clone::clone);
            Candidate { schedule: schedule.clone(), cycles }
        })
        .collect();
    let fastest = |(index, tried): (usize, &Candidate)| Some((*tried.cycles.as_ref().ok()?, index));
    let none = || match machine.mode_for(workload.element) {
        Some(mode) => {
            // Windows of bytes cannot be selected along a row.
            let dim = if mode.columns <= 2 { Dim::X } else { Dim::K };
            Infeasible::NoSchedule {
                lanes: mode.lanes,
                dim,
                next: workload.extent(dim).next_multiple_of(mode.lanes),
            }
        }
        None => Infeasible::NoMode { element: workload.element },
    };
    let Some((_, best)) = tried.iter().enumerate().filter_map(fastest).min() else {
        return Err(tried.first().and_then(|first| first.cycles.clone().err()).unwrap_or_else(none));
    };
    let at = space.iter().position(published);
    let published = at.and_then(|at| programs[at].as_ref().ok().cloned());
    let program = programs.swap_remove(best)?;
    Ok(Tuned { schedule: space[best].clone(), program, published, tried })
}
