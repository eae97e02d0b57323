//! The machine's rules for programs: slots, pointers, places in memory and sizes of operands.

use super::core::Core;
use super::{Datum, Fault};
use crate::backend::vector::machine::{Kind, Multiplication, Multiply, Operation, describe_operands};

impl<D: Datum> Core<'_, D> {
    /// Checks that each tensor is within the memory and overlaps no other. Tensors without places are in no bank.
    pub(super) fn check_places(&self) -> Result<(), Fault> {
        let (program, memory) = (self.program, self.machine.memory);
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for (array, from) in program.arrays.iter().zip(&program.places) {
            let (from, to) = (*from, from + array.length * array.element.bytes());
            if to > memory || taken.iter().any(|other| from < other.1 && other.0 < to) {
                return Err(Fault::Misplaced { array: array.name.clone(), from, to, memory });
            }
            taken.push((from, to));
        }
        Ok(())
    }

    pub(super) fn check_bundles<'b>(&self, bundles: impl Iterator<Item = &'b [usize]>) -> Result<(), Fault> {
        let (program, machine, cycle) = (self.program, self.machine, self.cycle);
        for bundle in bundles {
            let mut taken = vec![false; machine.slots.len()];
            let mut loads: Vec<(usize, usize)> = Vec::new();
            for index in bundle {
                let timed = &program.body[*index];
                let kind = timed.operation.kind();
                let timing = match kind {
                    Kind::Load => &machine.load,
                    Kind::Store => &machine.store,
                    Kind::Round => &machine.round,
                    Kind::Multiply => &machine.multiply,
                    Kind::Widen => &machine.widen,
                    Kind::Move => &machine.scalar_move,
                };
                let slot = || machine.slots[timed.slot].clone();
                if !timing.slots.contains(&timed.slot) {
                    return Err(Fault::WrongSlot { cycle, slot: slot(), kind });
                }
                if std::mem::replace(&mut taken[timed.slot], true) {
                    return Err(Fault::SlotTaken { cycle, slot: slot() });
                }
                if let Operation::Load { at, .. } = &timed.operation {
                    loads.push((at.array, at.pointer));
                }
            }
            let through = |pointer: &(usize, usize)| loads.iter().filter(|load| *load == pointer).count();
            if let Some(shared) = loads.iter().find(|load| through(load) > machine.loads_per_pointer) {
                let (array, loads) = (program.arrays[shared.0].name.clone(), through(shared));
                return Err(Fault::PointerShared { cycle, array, loads });
            }
        }
        Ok(())
    }

    /// Checks that the intrinsic takes operands from registers of these sizes.
    pub(super) fn check_shape(&self, multiply: &Multiply) -> Result<(), Fault> {
        let (machine, mode) = (self.machine, self.mode);
        let bits = |buffer: usize| machine.buffers[buffer].1.len() * machine.vector_bits;
        let (other, how) = multiply.y.map_or((None, None), |(buffer, _, how)| (Some(buffer), Some(how)));
        let (x, y) = (bits(multiply.x), other.filter(|buffer| *buffer != multiply.x).map(bits));
        let name = mode.intrinsic(multiply.begins, how);
        let declared = machine.multiplication(name, mode.x.bits(), mode.z.bits());
        if declared.is_some_and(|form| form.lists(x, y) && form.z_bits == machine.vector_bits) {
            return Ok(());
        }
        Err(Fault::Shape {
            cycle: self.cycle,
            intrinsic: name.to_owned(),
            found: describe_operands(x, y, machine.vector_bits),
            listed: declared.map_or("no operands".to_owned(), Multiplication::to_string),
        })
    }
}
