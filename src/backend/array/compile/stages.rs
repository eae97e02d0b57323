//! Compiles the term that a file writes as it is written, or else as a product of factors: each kernel in it by itself, one after
//! the other.
//!
//! The joined program is where the search for the whole filter begins, so that no filter costs more than its parts.

use std::collections::BTreeMap;

use super::graphs::Roots;
use super::phased::{self, Task};
use super::searching::Search;
use crate::algebra::Placed;
use crate::backend::OptimizeError;
use crate::backend::array::search::{Code, InputSpec, OutputSpec, Problem, Stage, join};
use crate::rule::RuleSet;
use crate::term::{Definition, Step, Steps};

/// What the search for a step may use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Room {
    registers: usize,
    /// Whether what the step reads must survive in them.
    keep: bool,
}

/// The most registers that count as few for one kernel: on SCAMP-5 most kernels of 3×3 take four.
const FEW_REGISTERS: usize = 3;

/// The fewest taps of a factor that is compiled by itself: searches find binomials, and fuse them with others.
const LEAST: usize = 3;

/// Compiles what the file writes, or the factors of what it writes out, each kernel within a share of the budget, and adds
/// the program to what is found.
///
/// # Errors
/// As for [`phased::search`].
pub(super) fn as_written(task: &Task<'_>, found: &mut Search) -> Result<(), OptimizeError> {
    let Roots { outputs, written } = task.roots;
    let of = |written: &[Definition]| Steps::of(outputs, written, task.posed.channels);
    let (plan, method) = match of(written) {
        Some(plan) => (plan, "as written"),
        None => {
            let (links, _) =
                task.request.rules.chains(outputs, LEAST, &task.budget.with_work(RuleSet::CHAINS));
            let Some(plan) = of(&links) else { return Ok(()) };
            (plan, "as factors")
        }
    };
    let mut known: BTreeMap<(Placed, Room), Option<Code>> = BTreeMap::new();
    let mut stages = Vec::new();
    let share = 2 * plan.steps.len() as u32;
    for at in 0..plan.steps.len() {
        let Step { kernel, reads } = &plan.steps[at];
        let mut best: Option<Code> = None;
        for room in rooms(&plan, at, task.posed) {
            let key = (kernel.clone(), room);
            if !known.contains_key(&key) {
                let code = searched(task, (kernel, reads.len()), room, share, found)?;
                known.insert(key.clone(), code);
            }
            let code = known[&key].as_ref().filter(|code| best.as_ref().is_none_or(|b| code.cost < b.cost));
            best = code.cloned().or(best);
        }
        let Some(code) = best else { return Ok(()) };
        stages.push(Stage { code, reads: reads.iter().map(|value| plan.values[*value].clone()).collect() });
    }
    found.begin(method, join(task.posed, &stages, task.budget), (task.seconds)());
    Ok(())
}

/// The program of one kernel over a number of channels, in the registers of its room.
fn searched(
    task: &Task<'_>,
    (kernel, channels): (&Placed, usize),
    Room { registers, keep }: Room,
    share: u32,
    found: &mut Search,
) -> Result<Option<Code>, OptimizeError> {
    if channels + usize::from(keep) > registers {
        return Ok(None);
    }
    let Task { posed, request, budget, seconds, .. } = *task;
    let mut own = Problem {
        channels: channels as u16,
        inputs: (0..channels).map(|at| InputSpec { channel: at as u16, register: at }).collect(),
        outputs: vec![OutputSpec { kernel: kernel.clone(), register: None }],
        keep_inputs: keep,
        ..posed.clone()
    };
    own.registers[own.general] = registers;
    let outputs = [(String::new(), kernel.clone())];
    let time = request.budget.time_left().map(|time| budget.now() + time / share);
    let part = Task {
        posed: &own,
        roots: Roots { outputs: &outputs, written: &[] },
        request,
        budget: &budget.clone().until(time),
        wish: None,
        seconds,
    };
    let mut search = Search::default();
    phased::search(&part, &mut search, &mut |_| {})?;
    found.before += search.nodes;
    Ok(search.code)
}

/// The room for a step. What is needed after it has registers of its own, also where the step reads it: searches find
/// more when they need not keep their inputs. Where few registers are left, a search that keeps them is tried, too.
fn rooms(plan: &Steps, at: usize, posed: &Problem<'_>) -> Vec<Room> {
    let inputs = usize::from(posed.channels);
    let later = |value: usize| {
        (value < inputs && posed.keep_inputs)
            || plan.outputs.contains(&value)
            || plan.steps[at + 1..].iter().any(|step| step.reads.contains(&value))
    };
    let reads = &plan.steps[at].reads;
    let (kept, others): (Vec<usize>, Vec<usize>) =
        (0..inputs + at).filter(|value| later(*value)).partition(|value| reads.contains(value));
    let registers = posed.registers[posed.general].saturating_sub(others.len());
    let left = registers.saturating_sub(kept.len());
    let mut rooms = vec![Room { registers: left, keep: false }];
    if !kept.is_empty() && left <= FEW_REGISTERS {
        rooms.push(Room { registers, keep: true });
    }
    rooms
}
