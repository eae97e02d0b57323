//! Leaves out instructions of a constructed program that write what their registers hold.

use std::collections::BTreeMap;

use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::registers::Assignment;
use crate::backend::array::search::program::step::ValueStep;
use crate::backend::array::search::program::value::Value;

/// The steps that change a register, with their registers.
pub(crate) fn without_repeats(
    recipes: &Recipes,
    steps: &[ValueStep],
    assignment: Assignment,
) -> (Vec<ValueStep>, Assignment) {
    // What each register of each file holds, after the first write into it.
    let mut held: BTreeMap<(usize, usize), Value> = BTreeMap::new();
    let (mut kept, mut slots) = (Vec::new(), Vec::new());
    for (step, registers) in steps.iter().zip(assignment.slots) {
        let form = &recipes.forms[usize::from(step.form)];
        let mut changes = false;
        for (slot, (file, _, writes)) in form.slots.iter().enumerate() {
            if *writes {
                let register = (*file, registers[slot]);
                let result = step.produced.iter().find(|(at, _)| usize::from(*at) == slot);
                let before = held.remove(&register);
                changes |= before.is_none() || before != result.map(|(_, value)| *value);
                held.extend(result.map(|(_, value)| (register, *value)));
            }
        }
        if changes {
            kept.push(step.clone());
            slots.push(registers);
        }
    }
    (kept, Assignment { slots, goal: assignment.goal })
}
