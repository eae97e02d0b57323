//! Steps put together into a program: what of them is needed, what is made twice, and whether the registers suffice.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::backend::array::search::beams::expand::Expander;
use crate::backend::array::search::program::step::{Need, State, ValueStep, is_start, left_by};

/// Steps, with what must be held before each of them and after the last.
#[derive(Clone)]
pub(crate) struct Settled {
    pub(crate) steps: Vec<ValueStep>,
    pub(crate) states: Vec<State>,
}

impl Settled {
    /// What must be held before the first step.
    pub(crate) fn first(&self) -> &State {
        &self.states[0]
    }
}

/// All that a step leaves, each with its slot; `None` if a value is out of range.
pub(crate) fn results(
    expander: &mut Expander<'_, '_>,
    step: &ValueStep,
) -> Option<SmallVec<[(u8, Need); 3]>> {
    let form = &expander.recipes.forms[usize::from(step.form)];
    let mut left = SmallVec::new();
    for (slot, terms) in &form.results {
        let value = left_by(terms, &step.sources, expander.shapes)?;
        left.push((*slot as u8, Need { file: form.slots[*slot].0 as u8, value }));
    }
    Some(left)
}

/// The steps that are needed for `end`; `None` if the registers do not suffice.
pub(crate) fn settle(expander: &mut Expander<'_, '_>, steps: &[ValueStep], end: &State) -> Option<Settled> {
    let mut states = vec![end.clone()];
    let mut kept = Vec::new();
    for step in steps.iter().rev() {
        let mut survivors = states[states.len() - 1].clone();
        let mut produced = SmallVec::new();
        for (slot, need) in results(expander, step)? {
            if let Some(at) = survivors.iter().position(|survivor| *survivor == need) {
                survivors.remove(at);
                produced.push((slot, need.value));
            }
        }
        if produced.is_empty() {
            continue;
        }
        let clobbers = &expander.recipes.forms[usize::from(step.form)].clobbers;
        if survivors.iter().any(|need| clobbers.contains(&usize::from(need.file))) {
            return None;
        }
        states.push(expander.before(usize::from(step.form), &survivors, &step.sources)?);
        kept.push(ValueStep { produced, ..step.clone() });
    }
    kept.reverse();
    states.reverse();
    Some(Settled { steps: kept, states })
}

/// The steps from `start` to `goal` without those that are not needed, and without those that recompute a value which can be
/// kept. `None` if the registers do not suffice.
pub(crate) fn tidy(
    expander: &mut Expander<'_, '_>,
    steps: &[ValueStep],
    start: &[Need],
    goal: &State,
) -> Option<Vec<ValueStep>> {
    let fitting = |expander: &mut Expander<'_, '_>, steps: &[ValueStep]| {
        settle(expander, steps, goal).filter(|settled| is_start(settled.first(), start))
    };
    let mut steps = fitting(expander, steps)?.steps;
    let mut there: FxHashSet<Need> = start.iter().copied().collect();
    let mut at = 0;
    while at < steps.len() {
        let file = |slot: u8| expander.recipes.forms[usize::from(steps[at].form)].slots[usize::from(slot)].0;
        let again = steps[at]
            .produced
            .iter()
            .all(|(slot, value)| there.contains(&Need { file: file(*slot) as u8, value: *value }));
        if again {
            let mut fewer = steps.clone();
            fewer.remove(at);
            if let Some(settled) = fitting(expander, &fewer) {
                // Earlier steps may have become unnecessary, too.
                steps = settled.steps;
                there = start.iter().copied().collect();
                at = 0;
                continue;
            }
        }
        there.extend(results(expander, &steps[at])?.into_iter().map(|(_, need)| need));
        at += 1;
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::beams::beam::{BeamLimits, search};
    use crate::backend::array::search::program::recipe::Objective;
    use crate::backend::array::search::program::step::state_of;
    use crate::backend::array::search::program::value::{Factor, Shapes, View};
    use crate::backend::array::search::testing::{expander, recipes, tables};

    /// A row of three, the row and one more tap made from it, then the row again, in this number of registers: the number of steps
    /// without the repetition, and the number that `tidy` leaves.
    fn twice(registers: usize) -> (usize, Option<usize>) {
        let recipes = recipes("basic", registers, Objective::Instructions);
        let (mut shapes, mut decompositions) = tables();
        let at = |dx: i8, dy: i8| (Shapes::delta(0), View { dx, dy, factor: Factor::ONE });
        let row = shapes.sum(&[at(-1, 0), at(0, 0), at(1, 0)]).unwrap();
        let more = shapes.sum(&[at(-1, 0), at(0, 0), at(1, 0), at(0, 1)]).unwrap();
        let [input, row, more] = [Shapes::delta(0), row, more].map(|value| Need { file: 0, value });
        let inputs = [input.value, row.value];
        let mut expander = expander(&recipes, (&mut shapes, &mut decompositions), &inputs);
        expander.capacity = &[6, 1];
        let mut made = |wanted: &[Need], from: &[Need]| {
            let goal = state_of(&wanted.iter().map(|need| (*need, None)).collect::<Vec<_>>());
            let limits = BeamLimits::narrow(4, 20, 10_000);
            search(&mut expander, &goal, from, &limits, &|| false).found.unwrap().1
        };
        let first = made(&[input, row], &[input]);
        let rest = made(&[input, more], &[input, row]);
        expander.capacity = &recipes.capacity;
        let all = state_of(&[(input, None), (row, None), (more, None)]);
        let both = [&first[..], &rest, &first].concat();
        let left = tidy(&mut expander, &both, &[input], &all).map(|steps| steps.len());
        (first.len() + rest.len(), left)
    }

    #[test]
    fn what_is_there_is_not_made_again() {
        let (once, left) = twice(6);
        assert_eq!(left, Some(once));
    }

    #[test]
    fn a_program_that_does_not_fit_is_none() {
        assert_eq!(twice(2).1, None);
    }
}
