//! Local search over windows: a few consecutive instructions are replaced by others that compute the same, from the values that
//! are held before to those that are needed after.
//!
//! A single window rarely gets shorter. So a window may also be replaced by one of the same cost, and now and then by one that
//! costs one more, and independent neighbours are swapped, until some window gets shorter. The next round continues where this
//! one stopped.

use super::settle::{Settled, settle};
use crate::algebra::Random;
use crate::backend::array::search::beams::beam::{BeamLimits, search};
use crate::backend::array::search::beams::expand::Expander;
use crate::backend::array::search::heuristics::decompositions::DIVERSE_BREADTH;
use crate::backend::array::search::local::NOISE;
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::step::{Need, State, ValueStep, state_of};
use crate::backend::array::search::program::value::Value;

/// How long a local search runs.
pub(crate) struct Effort<'a> {
    /// The most states to expand.
    pub(crate) nodes: u64,
    /// The seed of its random choices.
    pub(crate) seed: u64,
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
}

/// The fewest instructions in a window: shorter ones leave little to improve.
const MIN_WINDOW: usize = 3;
/// The most instructions in a window. The states to expand grow exponentially with them; fewer leave less to improve.
const MAX_WINDOW: usize = 6;

/// Pairs of neighbours that are swapped, where possible, before a window is chosen: enough to bring other instructions into it.
const SWAPS: usize = 4;

/// One in this many windows of the cheapest program may cost one more. Smaller numbers leave local optima sooner, but spend more
/// time on longer programs.
const CLIMB_ODDS: usize = 3;

/// Replaces `steps` by a program that is as cheap or cheaper; returns the states expanded. `fits` says whether the registers
/// suffice for a program; `met` is called with every program on the way.
pub(crate) fn improve_windows(
    expander: &mut Expander<'_, '_>,
    steps: &mut Vec<ValueStep>,
    goal: &[(Need, Option<usize>)],
    effort: &Effort<'_>,
    fits: &dyn Fn(&[ValueStep]) -> bool,
    met: &mut dyn FnMut(&Expander<'_, '_>, &[ValueStep]),
) -> u64 {
    let recipes = expander.recipes;
    let mut random = Random::new(effort.seed);
    let mut nodes = 0;
    let mut least = recipes.cost_of(steps);
    let end = state_of(goal);
    let Some(mut at) = settle(expander, steps, &end) else { return nodes };
    while nodes < effort.nodes && !(effort.stop)() && at.steps.len() >= MIN_WINDOW {
        let Settled { steps: mut next, mut states } = at.clone();
        let now = next.len();
        let mut pick = |low: usize, high: usize| random.integer(low as i64, high as i64) as usize;
        for _ in 0..SWAPS {
            swap(expander, &mut next, &mut states, pick(0, now - 2));
        }
        let length = pick(MIN_WINDOW, MAX_WINDOW.min(now));
        let from = pick(0, now - length);
        let to = from + length;
        let climbs = recipes.cost_of(&next) == least && pick(1, CLIMB_ODDS) == 1;
        let limits = BeamLimits {
            noise: NOISE,
            seed: random.next(),
            breadth: DIVERSE_BREADTH,
            ..BeamLimits::fragment(recipes.cost_of(&next[from..to]) + 1 + u32::from(climbs))
        };
        let (window, spent) = remake(expander, &states[from], &states[to], &limits, effort.stop);
        nodes += spent.max(1);
        let Some(window) = window else { continue };
        next.splice(from..to, window);
        // If the new window does without a value, the steps that make it are no longer needed.
        if let Some(settled) = settle(expander, &next, &end)
            && fits(&settled.steps)
        {
            at = settled;
            met(expander, &at.steps);
            let cost = recipes.cost_of(&at.steps);
            if cost <= least {
                least = cost;
                steps.clone_from(&at.steps);
            }
        }
    }
    nodes
}

/// What must be held before a step, given what is held after it. `None` if the step does not leave that, or the registers do not
/// suffice.
fn before(expander: &Expander<'_, '_>, step: &ValueStep, after: &State) -> Option<State> {
    let form = &expander.recipes.forms[usize::from(step.form)];
    let mut survivors = after.clone();
    for (slot, value) in &step.produced {
        let file = form.slots[usize::from(*slot)].0 as u8;
        let at = survivors.iter().position(|n| n.file == file && n.value == *value)?;
        survivors.remove(at);
    }
    let clobbered = survivors.iter().any(|n| form.clobbers.contains(&usize::from(n.file)));
    if clobbered { None } else { expander.before(usize::from(step.form), &survivors, &step.sources) }
}

/// Swaps a step with the one after it, if neither needs the other.
fn swap(expander: &Expander<'_, '_>, steps: &mut [ValueStep], states: &mut [State], first: usize) {
    let between = before(expander, &steps[first], &states[first + 2]);
    if let Some(between) = between
        && before(expander, &steps[first + 1], &between).as_ref() == Some(&states[first])
    {
        steps.swap(first, first + 1);
        states[first + 1] = between;
    }
}

/// Steps from what is held before a window to what is needed after it, and the states expanded.
fn remake(
    expander: &mut Expander<'_, '_>,
    before: &State,
    after: &State,
    limits: &BeamLimits,
    stop: &dyn Fn() -> bool,
) -> (Option<Vec<ValueStep>>, u64) {
    let recipes: &Recipes = expander.recipes;
    let narrow = before.iter().filter(|need| Some(usize::from(need.file)) != recipes.wide_file);
    let inputs: Vec<Value> = narrow.map(|need| need.value).collect();
    let mut inner = expander.within(expander.capacity, &inputs);
    let outcome = search(&mut inner, after, before, limits, stop);
    (outcome.found.map(|(_, steps)| steps), outcome.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::program::recipe::Objective;
    use crate::backend::array::search::program::value::{Factor, Shapes, View};
    use crate::backend::array::search::testing::{expander, recipes, tables};

    /// A clumsy program on the basic instructions of the first target, and a local search from it.
    #[test]
    fn a_clumsy_program_gets_shorter_and_keeps_its_goal() {
        let recipes = recipes("basic", 6, Objective::Instructions);
        let (mut shapes, mut decompositions) = tables();
        let at = |dx: i8| (Shapes::delta(0), View { dx, dy: 0, factor: Factor::ONE });
        let row = shapes.sum(&[at(-1), at(0), at(1), at(2)]).unwrap();
        let need = |value| Need { file: 0, value };
        let (goal, start) = ([(need(row), None)], [need(Shapes::delta(0))]);
        let inputs = [Shapes::delta(0)];
        let mut expander = expander(&recipes, (&mut shapes, &mut decompositions), &inputs);
        let clumsy = BeamLimits { direct: true, ..BeamLimits::narrow(1, 200, 10_000) };
        let outcome = search(&mut expander, &state_of(&goal), &start, &clumsy, &|| false);
        let (before, mut steps) = outcome.found.unwrap();
        let stop = || false;
        let effort = Effort { nodes: 4_000, seed: 1, stop: &stop };
        let mut programs = 0;
        let mut met = |_: &Expander<'_, '_>, _: &[ValueStep]| programs += 1;
        let nodes = improve_windows(&mut expander, &mut steps, &goal, &effort, &|_| true, &mut met);
        let after = recipes.cost_of(&steps);
        assert!(nodes >= effort.nodes && programs > 10, "{programs} programs in {nodes} states");
        assert!(after < before, "{before} instructions before, {after} after");
        let settled = settle(&mut expander, &steps, &state_of(&goal)).unwrap();
        assert_eq!(settled.first().as_slice(), start);
        assert_eq!(settled.steps.len(), steps.len(), "every step is needed");
    }
}
