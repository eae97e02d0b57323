//! The images of instructions under turns of the grid.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::problem::Code;
use crate::algebra::{Offset, Placed, Rational, Turn};
use crate::backend::array::machine::form::{FileId, Form, ReadTap, Slot};

/// The index of the image of every instruction: the instruction that computes the turned function and costs the same. `None` if one
/// has no image. Under the identity each is its own, even if another does the same.
pub fn images(forms: &[Form], turn: Turn) -> Option<Vec<usize>> {
    if turn == Turn::IDENTITY {
        return Some((0..forms.len()).collect());
    }
    let known: FxHashMap<_, usize> =
        forms.iter().enumerate().rev().map(|(at, form)| (effect(form, Turn::IDENTITY), at)).collect();
    forms.iter().map(|form| known.get(&effect(form, turn)).copied()).collect()
}

/// Slots, the places where they are read, and factors.
type Taps = Vec<(usize, Offset, Rational)>;

/// Everything about an instruction that matters to a program.
#[derive(PartialEq, Eq, Hash)]
struct Effect<'a> {
    cycles: u32,
    slots: &'a [Slot],
    results: Vec<(usize, Taps)>,
    /// Intermediate values: only their size matters.
    passing: Vec<Vec<(usize, Rational)>>,
    differ: Vec<(usize, usize)>,
    clobbers: &'a [FileId],
}

fn effect(form: &Form, turn: Turn) -> Effect<'_> {
    let turned = |taps: &[ReadTap]| {
        let turned = taps.iter().map(|tap| (tap.slot, turn.of(tap.offset), tap.coefficient));
        sorted(turned)
    };
    let sizes = |taps: &Vec<ReadTap>| sorted(taps.iter().map(|tap| (tap.slot, tap.coefficient)));
    Effect {
        cycles: form.cycles,
        slots: &form.slots,
        results: form.results.iter().map(|result| (result.slot, turned(&result.taps))).collect(),
        passing: form.passing.iter().map(sizes).collect(),
        differ: sorted(form.differ.iter().map(|(a, b)| (*a.min(b), *a.max(b)))),
        clobbers: &form.clobbers,
    }
}

fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all
}

impl Code {
    /// Forgets how the program was found, which only local search asks for.
    pub fn forget_steps(&mut self) {
        self.trace = None;
    }

    /// The program for the turned filter, given the images of the instructions; `None` if a kernel has no image. It has the same cost
    /// and the same registers. It does not say how it was found.
    pub fn turned(&self, turn: Turn, images: &[usize]) -> Option<Self> {
        let instructions = self.instructions.iter().map(|(form, slots)| (images[*form], slots.clone()));
        Some(Self {
            instructions: instructions.collect(),
            outputs: self.outputs.clone(),
            cost: self.cost,
            kernels: self
                .kernels
                .iter()
                .map(|kernel| kernel.turned(turn))
                .collect::<Option<Vec<Placed>>>()?,
            trace: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::{Division, Target, builtin_names};

    #[test]
    fn every_instruction_has_an_image_of_its_own() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        for isa in &target.isas {
            for division in [Division::Quick, Division::Compensated] {
                let forms = target.forms(&isa.name, division);
                for turn in Turn::ALL {
                    let mut images = images(&forms, turn).unwrap();
                    images.sort_unstable();
                    assert!(images.iter().copied().eq(0..forms.len()), "{} {turn:?}", isa.name);
                }
            }
        }
    }

    #[test]
    fn an_instruction_set_that_lacks_a_direction_has_fewer_symmetries() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let mut forms = target.forms("basic", Division::Quick);
        let goes_east = |tap: &ReadTap| tap.offset[0] > 0;
        forms.retain(|form| !form.results.iter().flat_map(|result| &result.taps).any(goes_east));
        let has_image = Turn::ALL.map(|turn| images(&forms, turn).is_some());
        assert_eq!(has_image.iter().filter(|has| **has).count(), 2);
        assert!(has_image[0] && has_image[1]);
    }
}
