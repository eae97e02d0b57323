//! Windows of a program made anew: what a few instructions in a row compute is searched for again by itself, between the
//! values that are there before and those that are needed after.

use super::assign::state_of;
use super::beam::{BeamLimits, search};
use super::moves::{Expander, Need, State, Step};
use super::recipe::Recipes;
use super::value::Value;

/// How hard to look.
pub(super) struct Effort<'a> {
    /// Width of the beams that search the windows.
    pub(super) width: usize,
    /// Instructions in the longest window.
    pub(super) longest: usize,
    /// States expanded at most.
    pub(super) nodes: u64,
    /// Seed of what is shaken.
    pub(super) seed: u64,
    pub(super) stop: &'a dyn Fn() -> bool,
}

/// A window of fewer instructions is left as it is.
const SHORTEST: usize = 3;

/// Replaces windows of `steps` by cheaper ones until none is found; returns the states expanded. `fits` says whether the
/// registers suffice for a program.
pub(super) fn polish(
    expander: &mut Expander<'_, '_>,
    steps: &mut Vec<Step>,
    goal: &[(Need, Option<usize>)],
    effort: &Effort<'_>,
    fits: &dyn Fn(&[Step]) -> bool,
) -> u64 {
    let mut nodes = 0;
    let mut length = SHORTEST;
    while length <= effort.longest.min(steps.len()) {
        let Some(states) = states(expander, steps, goal) else { return nodes };
        let mut shorter = None;
        for from in 0..=steps.len() - length {
            if nodes >= effort.nodes || (effort.stop)() {
                return nodes;
            }
            let to = from + length;
            let (window, spent) = remake(expander, &steps[from..to], &states[from], &states[to], effort);
            nodes += spent;
            shorter = window.and_then(|window| {
                let whole = [&steps[..from], &window[..], &steps[to..]].concat();
                fits(&whole).then_some(whole)
            });
            if shorter.is_some() {
                break;
            }
        }
        match shorter {
            Some(whole) => {
                *steps = whole;
                length = SHORTEST;
            }
            None => length += 1,
        }
    }
    nodes
}

/// What must be held before each step, and at the end.
fn states(expander: &Expander<'_, '_>, steps: &[Step], goal: &[(Need, Option<usize>)]) -> Option<Vec<State>> {
    let mut states = vec![state_of(goal)];
    for step in steps.iter().rev() {
        let form = &expander.recipes.forms[usize::from(step.form)];
        let mut survivors = states[states.len() - 1].clone();
        for (slot, value) in &step.produced {
            let file = form.slots[usize::from(*slot)].0 as u8;
            let at = survivors.iter().position(|n| n.file == file && n.value == *value)?;
            survivors.remove(at);
        }
        states.push(expander.before(usize::from(step.form), &survivors, &step.sources)?);
    }
    states.reverse();
    Some(states)
}

/// A cheaper way from what is held before a window to what is needed after it.
fn remake(
    expander: &mut Expander<'_, '_>,
    window: &[Step],
    before: &State,
    after: &State,
    effort: &Effort<'_>,
) -> (Option<Vec<Step>>, u64) {
    let recipes: &Recipes = expander.recipes;
    let cost = window.iter().map(|step| recipes.forms[usize::from(step.form)].cost).sum();
    let narrow = before.iter().filter(|need| Some(usize::from(need.file)) != recipes.wide_file);
    let inputs: Vec<Value> = narrow.map(|need| need.value).collect();
    let mut inner = Expander {
        recipes,
        shapes: &mut *expander.shapes,
        table: &mut *expander.table,
        capacity: expander.capacity,
        inputs: &inputs,
        lowest: expander.lowest,
        highest: expander.highest,
    };
    let limits = BeamLimits {
        noise: if effort.seed == 0 { 0.0 } else { 0.5 },
        seed: effort.seed,
        breadth: 20,
        ..BeamLimits::narrow(effort.width, cost, effort.nodes)
    };
    let outcome = search(&mut inner, after, before, &limits, effort.stop);
    (outcome.found.map(|(_, steps)| steps), outcome.nodes)
}
