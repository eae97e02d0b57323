//! Rematerialisation: a value of a program is computed anew from other values of the program.
//!
//! A step is removed, with all that only it needed. Its result is searched for again at its first use, with values of the rest
//! of the program as further inputs; the new steps may keep some of these alive for longer. In this way several outputs come to
//! share parts.

use ordered_float::OrderedFloat;

use super::NOISE;
use super::settle::{Settled, results, settle, tidy};
use super::windows::Effort;
use crate::algebra::Random;
use crate::backend::array::search::beams::beam::{BeamLimits, search};
use crate::backend::array::search::beams::expand::Expander;
use crate::backend::array::search::program::step::{Need, State, ValueStep, is_start, state_of};
use crate::backend::array::search::program::value::{Factor, Value, View, ZERO};

/// Where a program begins and ends.
pub(crate) struct Ends<'a> {
    pub(crate) start: &'a [(Need, Option<usize>)],
    pub(crate) goal: &'a [(Need, Option<usize>)],
}

/// A program without one of its values.
struct Gap {
    head: Settled,
    tail: Vec<ValueStep>,
    /// The values that are missing between them.
    wanted: State,
    /// The values that are held there beside these.
    held: State,
    /// The cost of the steps that were removed.
    cost: u32,
}

/// Values to be kept alive for longer that a search may use: those that leave least of what is wanted. Each further input makes
/// every state of the search take longer.
const LIKELY_VALUES: usize = 3;
/// The same for values that are held anyway.
const HELD_VALUES: usize = 2;
/// Further values of either kind, chosen at random, so that no value is ruled out.
const RANDOM_VALUES: usize = 1;

/// Registers that a search may use beyond those that are free, because it may use a value that is held anyway. Too many find
/// programs that do not fit; too few miss some that would.
const EXTRA_REGISTERS: usize = 3;

/// What a step or a halving on the way to a use counts beside the taps that are left: less than any tap, so it only breaks ties.
const STEP_SIZE: f64 = 0.1;

/// The narrowest beam: narrower ones find nothing in most gaps.
const MIN_WIDTH: usize = 4;
/// The widest beam is halved up to this many times, at random: narrow beams allow more attempts, wide ones succeed more often.
const MAX_HALVINGS: i64 = 2;

/// The most states that one beam may expand, so that no attempt takes a large part of the budget.
const GAP_NODES: u64 = 1_500;

/// Removed steps must cost this much, because filling the gap costs at least one.
const MIN_GAP_COST: u32 = 2;

/// One in this many gaps of the cheapest program may be filled at a cost of one more, to leave local optima.
const CLIMB_ODDS: usize = 4;

/// One in this many values is an output: outputs are what can share parts, but every value may be made better.
const OUTPUT_ODDS: usize = 3;

/// Replaces `steps` by a program that is as cheap or cheaper, as [`super::windows::improve_windows`] does; returns the states
/// expanded. The beams are at most `widest`.
pub(crate) fn rematerialise(
    expander: &mut Expander<'_, '_>,
    steps: &mut Vec<ValueStep>,
    ends: &Ends<'_>,
    effort: &Effort<'_>,
    widest: usize,
    fits: &dyn Fn(&[ValueStep]) -> bool,
) -> u64 {
    let recipes = expander.recipes;
    let goal = state_of(ends.goal);
    let start: Vec<Need> = ends.start.iter().map(|(need, _)| *need).collect();
    let mut random = Random::new(effort.seed);
    let mut nodes = 0;
    let mut least = recipes.cost_of(steps);
    let mut at = steps.clone();
    while nodes < effort.nodes && !(effort.stop)() && !at.is_empty() {
        nodes += 1;
        let step = pick(&at, ends, &mut random);
        let Some(gap) = open(expander, &at, step, &start, &goal) else { continue };
        let climbs = recipes.cost_of(&at) == least && random.integer(1, CLIMB_ODDS as i64) == 1;
        let limits = BeamLimits {
            noise: NOISE,
            seed: random.next(),
            ..BeamLimits::narrow(
                (widest >> random.integer(0, MAX_HALVINGS)).max(MIN_WIDTH),
                gap.cost + 1 + u32::from(climbs),
                GAP_NODES,
            )
        };
        let (found, spent) = close(expander, &gap, &start, &limits, effort.stop, &mut random);
        nodes += spent;
        let Some(found) = found else { continue };
        let next = [&gap.head.steps[..], &found, &gap.tail].concat();
        let Some(next) = tidy(expander, &next, &start, &goal).filter(|next| fits(next)) else { continue };
        at = next;
        let cost = recipes.cost_of(&at);
        if cost <= least {
            least = cost;
            steps.clone_from(&at);
        }
    }
    nodes
}

/// The step to remove: any, or one that leaves an output.
fn pick(steps: &[ValueStep], ends: &Ends<'_>, random: &mut Random) -> usize {
    let any = random.integer(0, steps.len() as i64 - 1) as usize;
    if random.integer(1, OUTPUT_ODDS as i64) > 1 {
        return any;
    }
    let (wanted, _) = ends.goal[random.integer(0, ends.goal.len() as i64 - 1) as usize];
    let leaves = |step: &ValueStep| step.produced.iter().any(|(_, value)| *value == wanted.value);
    steps.iter().rposition(leaves).unwrap_or(any)
}

/// The program without a step and without what only that step needed.
fn open(
    expander: &mut Expander<'_, '_>,
    steps: &[ValueStep],
    step: usize,
    start: &[Need],
    goal: &State,
) -> Option<Gap> {
    let form = &expander.recipes.forms[usize::from(steps[step].form)];
    let wanted: State = steps[step]
        .produced
        .iter()
        .map(|(slot, value)| Need { file: form.slots[usize::from(*slot)].0 as u8, value: *value })
        .collect();
    let uses =
        |other: &ValueStep| other.sources.iter().any(|(_, v)| wanted.iter().any(|need| need.value == *v));
    let used = step + 1 + steps[step + 1..].iter().position(uses).unwrap_or(steps.len() - step - 1);
    let states = settle(expander, steps, goal)?.states;
    let place = quiet(expander, &states, used, &wanted);
    let without = |from: usize, to: usize| -> Vec<ValueStep> {
        let other = |at: &usize| *at != step;
        (from..to).filter(other).map(|at| steps[at].clone()).collect()
    };
    let tail = settle(expander, &without(place, steps.len()), goal)?;
    let mut held = tail.first().clone();
    for need in &wanted {
        held.remove(held.iter().position(|other| other == need)?);
    }
    if held.iter().any(|need| Some(usize::from(need.file)) == expander.recipes.wide_file) {
        return None;
    }
    let head = settle(expander, &without(0, place), &held)?;
    let cost = |steps: &[ValueStep]| expander.recipes.cost_of(steps);
    let cost = cost(steps) - cost(&head.steps) - cost(&tail.steps);
    if cost < MIN_GAP_COST {
        return None;
    }
    is_start(head.first(), start).then_some(Gap { head, tail: tail.steps, wanted, held, cost })
}

/// The last place up to the first use, `used`, at which the wide register is free, so that a search for `wanted` may write it.
/// `states` are what is held before each step of the whole program.
fn quiet(expander: &Expander<'_, '_>, states: &[State], used: usize, wanted: &State) -> usize {
    let is_wide = |need: &&Need| Some(usize::from(need.file)) == expander.recipes.wide_file;
    // A value in the wide register must be there at its use.
    if wanted.iter().any(|need| is_wide(&need)) {
        return used;
    }
    let is_free = |at: &usize| states.get(*at).is_some_and(|state| state.iter().all(|need| !is_wide(&need)));
    (0..=used).rev().find(is_free).unwrap_or(used)
}

/// Steps that fill a gap.
fn close(
    expander: &mut Expander<'_, '_>,
    gap: &Gap,
    start: &[Need],
    limits: &BeamLimits,
    stop: &dyn Fn() -> bool,
    random: &mut Random,
) -> (Option<Vec<ValueStep>>, u64) {
    let Some(file) = start.first().map(|need| need.file) else { return (None, 0) };
    let there = offered(expander, gap, start, file, random);
    let inputs: Vec<Value> = there.iter().map(|need| need.value).collect();
    let mut capacity = expander.recipes.capacity.clone();
    let registers = &mut capacity[usize::from(file)];
    *registers = (*registers)
        .min(*registers + gap.wanted.len().max(1) + EXTRA_REGISTERS - gap.held.len().min(*registers));
    let mut inner = expander.within(&capacity, &inputs);
    let outcome = search(&mut inner, &gap.wanted, &there, limits, stop);
    (outcome.found.map(|(_, steps)| steps), outcome.nodes)
}

/// The values that a search may use: the inputs, some that are held, and some that may be kept alive for longer.
fn offered(
    expander: &mut Expander<'_, '_>,
    gap: &Gap,
    start: &[Need],
    file: u8,
    random: &mut Random,
) -> Vec<Need> {
    let registers = expander.capacity[usize::from(file)];
    let mut there = start.to_vec();
    let mut add = |expander: &mut Expander<'_, '_>, mut from: Vec<Need>, most: usize, any: usize| {
        from.retain(|need| need.file == file && need.value.shape != ZERO && !there.contains(need));
        from.sort_unstable();
        from.dedup();
        let ranked = |need: Need| (OrderedFloat(rest(expander, &gap.wanted, need.value)), need);
        let mut likely: Vec<(OrderedFloat<f64>, Need)> = from.into_iter().map(ranked).collect();
        likely.sort_unstable();
        let others = likely.split_off(most.min(likely.len()));
        there.extend(likely.into_iter().map(|(_, need)| need));
        for _ in 0..any.min(others.len()) {
            let (_, need) = others[random.integer(0, others.len() as i64 - 1) as usize];
            if !there.contains(&need) {
                there.push(need);
            }
        }
    };
    add(expander, gap.held.to_vec(), HELD_VALUES, RANDOM_VALUES);
    // Where the registers are full, nothing more can be kept alive.
    let full = |state: &State| state.iter().filter(|need| need.file == file).count() >= registers;
    let from = gap.head.states.iter().rposition(full).unwrap_or(0);
    let mut made: Vec<Need> = gap.head.states[from..].iter().flatten().copied().collect();
    for step in &gap.head.steps[from..] {
        made.extend(results(expander, step).into_iter().flatten().map(|(_, need)| need));
    }
    add(expander, made, LIKELY_VALUES, RANDOM_VALUES);
    there
}

/// How much of what is wanted is left beside a value, at best: it may be moved by up to two steps, halved and negated.
fn rest(expander: &mut Expander<'_, '_>, wanted: &State, value: Value) -> f64 {
    let mut least = f64::INFINITY;
    for need in wanted {
        for (dx, dy) in (-2i8..=2).flat_map(|dx| (-2i8..=2).map(move |dy| (dx, dy))) {
            let steps = dx.abs() + dy.abs();
            if steps > 2 {
                continue;
            }
            for (twos, negative) in [(0, false), (0, true), (-1, false), (-1, true)] {
                let view = View { dx, dy, factor: Factor { twos, threes: 0, negative } };
                let left = expander.shapes.size_of(&[(need.value, View::PLAIN), (value, view)]);
                least = least.min(left + STEP_SIZE * f64::from(steps) - STEP_SIZE * f64::from(twos));
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::program::recipe::Objective;
    use crate::backend::array::search::program::value::Shapes;
    use crate::backend::array::search::testing::{expander, recipes, tables};

    /// Two outputs, one of which is the other and a tap more, each made for itself; the second is then made of the first.
    #[test]
    fn an_output_is_made_of_another() {
        let recipes = recipes("basic", 10, Objective::Instructions);
        let (mut shapes, mut decompositions) = tables();
        let at = |dx: i8, dy: i8| (Shapes::delta(0), View { dx, dy, factor: Factor::ONE });
        let row = [at(-1, 0), at(0, 0), at(1, 0), at(2, 0)];
        let more = [&row[..], &[at(0, 1)]].concat();
        let outputs = [shapes.sum(&row).unwrap(), shapes.sum(&more).unwrap()];
        let need = |value| Need { file: 0, value };
        let input = need(Shapes::delta(0));
        let inputs = [input.value];
        let mut expander = expander(&recipes, (&mut shapes, &mut decompositions), &inputs);
        let mut steps = Vec::new();
        let mut goal: Vec<(Need, Option<usize>)> = vec![(input, None)];
        for output in outputs {
            goal.push((need(output), None));
            let own = state_of(&[(input, None), (need(output), None)]);
            let direct = BeamLimits { direct: true, ..BeamLimits::narrow(1, 200, 10_000) };
            steps.extend(search(&mut expander, &own, &[input], &direct, &|| false).found.unwrap().1);
        }
        let (before, all) = (recipes.cost_of(&steps), state_of(&goal));
        let mut steps = tidy(&mut expander, &steps, &[input], &all).unwrap();
        let tidied = recipes.cost_of(&steps);
        let ends = Ends { start: &[(input, None)], goal: &goal };
        let effort = Effort { nodes: 3_000, seed: 1, stop: &|| false };
        rematerialise(&mut expander, &mut steps, &ends, &effort, 8, &|_| true);
        let after = recipes.cost_of(&steps);
        let last = steps.iter().filter(|step| step.produced.iter().any(|(_, v)| *v == outputs[1]));
        assert!(tidied < before && after < tidied, "{before} instructions, {tidied}, {after}");
        assert_eq!(last.count(), 1);
        let settled = settle(&mut expander, &steps, &all).unwrap();
        assert_eq!(settled.steps.len(), steps.len(), "nothing is made that is not needed");
        assert!(is_start(settled.first(), &[input]));
        // Beside the row, the other takes no more than a step to the tap and a sum.
        let alone = state_of(&goal[..2]);
        let limits = BeamLimits::narrow(16, 20, 10_000);
        let (row, _) = search(&mut expander, &alone, &[input], &limits, &|| false).found.unwrap();
        assert!(after <= row + 2, "{after} for both, {row} for the row");
    }
}
