//! The fastest program of several bodies, without compiling those that cannot win.

use rayon::prelude::*;

use super::Infeasible;
use super::body::Body;
use super::pipeline::{least_cycles, pipeline_within};
use crate::backend::vector::machine::{Program, VliwMachine};
use crate::budget::Budget;

/// The number of bodies compiled before the bound is updated. It is the same on every host, so all hosts compile the
/// same bodies.
const AT_ONCE: usize = 4;

/// A body of a race.
pub(super) struct Entrant<'a> {
    pub(super) body: &'a Body,
    /// Whether to compile it even if it cannot be the fastest.
    pub(super) always: bool,
}

/// The program of each body, or the reason why there is none. [`Infeasible::Slower`] means that it would not be the
/// fastest, or not the first of equals. [`Infeasible::Untried`] means that the budget ran out: a body is a unit of work,
/// and at least one is compiled. Bodies compile in parallel, the most promising first, and `progress` is called after each.
pub(super) fn race(
    machine: &VliwMachine,
    entrants: &[Entrant<'_>],
    budget: &Budget,
    progress: &(dyn Fn() + Sync),
) -> Vec<Result<Program, Infeasible>> {
    let mut order: Vec<(bool, usize, usize)> = entrants
        .iter()
        .enumerate()
        .map(|(index, entrant)| (!entrant.always, least_cycles(machine, entrant.body), index))
        .collect();
    order.sort_unstable();
    let mut best = (usize::MAX, usize::MAX);
    let mut programs: Vec<Result<Program, Infeasible>> =
        order.iter().map(|(_, least, _)| Err(Infeasible::Slower { least: *least })).collect();
    for few in order.chunks(AT_ONCE) {
        if best.0 < usize::MAX && (budget.is_spent() || budget.has_ended()) {
            few.iter().for_each(|(.., index)| programs[*index] = Err(Infeasible::Untried));
            continue;
        }
        budget.spend(few.len() as u64);
        let compiled: Vec<(usize, Result<Program, Infeasible>)> = few
            .par_iter()
            .map(|(may_skip, least, index)| {
                let (cycles, first) = best;
                // Of equally fast programs, the first wins.
                let within = if *index < first { cycles } else { cycles - 1 };
                let program = match may_skip {
                    true if *least > within => Err(Infeasible::Slower { least: *least }),
                    true => pipeline_within(machine, entrants[*index].body, within),
                    false => pipeline_within(machine, entrants[*index].body, usize::MAX),
                };
                progress();
                (*index, program)
            })
            .collect();
        for (index, program) in compiled {
            if let Ok(program) = &program {
                best = best.min((program.cycles(machine), index));
            }
            programs[index] = program;
        }
    }
    programs
}
