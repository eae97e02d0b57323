//! Random programs for property tests.

use kalg::backend::array::machine::form::Form;
use kalg::backend::array::machine::{Program, RegisterId, Target};
use proptest::prelude::*;

/// Programs of at most `length` legal instructions, built from a target's forms.
pub(crate) fn programs(target: Target, forms: Vec<Form>, length: usize) -> impl Strategy<Value = Program> {
    let draw = (0..forms.len(), prop::array::uniform8(0usize..6));
    prop::collection::vec(draw, 1..=length).prop_map(move |drawn| {
        let mut program = Program::new(&target);
        for (form, registers) in drawn {
            let form = &forms[form];
            let files = form.slots.iter().map(|slot| &target.files[slot.file].registers);
            let chosen: Vec<RegisterId> =
                files.zip(registers).map(|(file, register)| file[register % file.len()]).collect();
            if form.differ.iter().all(|(a, b)| chosen[*a] != chosen[*b]) {
                program.instructions.push(target.instantiate(form, &chosen));
            }
        }
        program
    })
}
