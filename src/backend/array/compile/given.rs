//! A given program for the filter as the start of the search, and rewrites of programs by peephole rules.

use super::peephole::shortened;
use super::phased::Task;
use super::ports::Ports;
use super::searching::Search;
use crate::backend::array::machine::form::{Form, FormOperand};
use crate::backend::array::machine::{Instruction, Operand, Program, RegisterId, Target};
use crate::backend::array::search::adopt;
use crate::backend::array::verify::same_effect;

/// Adds the request's program to `found`, if it obeys the requested instruction set, registers and way of halving.
pub(super) fn given(task: &Task<'_>, ports: &Ports, found: &mut Search) {
    let Some(program) = &task.request.given else { return };
    adopted("as given", program, Vec::new(), task, ports, found);
    rewritten("as given, by peephole rules", program, task, ports, found);
}

/// Rewrites the best program with peephole rules and adds the result to `found`, if it is cheaper.
pub(super) fn best_rewritten(task: &Task<'_>, ports: &Ports, found: &mut Search) {
    let Some(code) = &found.code else { return };
    let program = ports.program(&task.request.target, code);
    rewritten("by peephole rules", &program, task, ports, found);
}

fn rewritten(method: &str, program: &Program, task: &Task<'_>, ports: &Ports, found: &mut Search) {
    let has = |name: &str| task.posed.forms.iter().any(|form| form.instruction == name);
    if let Some((shorter, rules)) = shortened(&task.request.target, &has, &task.request.rules, program) {
        adopted(method, &shorter, rules, task, ports, found);
    }
}

/// Starts the search from a program that peephole rules made, if it fits the request.
fn adopted(
    method: &str,
    program: &Program,
    rules: Vec<String>,
    task: &Task<'_>,
    ports: &Ports,
    found: &mut Search,
) {
    let (target, forms) = (&*task.request.target, task.posed.forms);
    let instructions = program.instructions.iter().map(|instruction| {
        let form_of = |written: &Instruction| {
            let mut known = forms.iter().enumerate();
            known.find_map(|(at, form)| Some((at, slots(target, ports, form, written)?)))
        };
        form_of(instruction)
            .or_else(|| form_of(&forms.iter().find_map(|form| reordered(target, form, instruction))?))
    });
    let instructions: Option<Vec<_>> = instructions.collect();
    let code = instructions.and_then(|all| adopt(task.posed, &all, task.budget));
    if found.begin(method, code, (task.seconds)()) {
        found.peepholes = rules;
    }
}

/// An instruction with its operands in the order of a form, where that is another order and makes no difference: a sum's operands have
/// one order among the forms, and any in what people write.
fn reordered(target: &Target, form: &Form, instruction: &Instruction) -> Option<Instruction> {
    if form.instruction != instruction.name || form.operands.len() != instruction.operands.len() {
        return None;
    }
    let mut left = instruction.operands.clone();
    let mut take = |wanted: &dyn Fn(Operand) -> bool| {
        let at = left.iter().position(|operand| wanted(*operand))?;
        Some(left.remove(at))
    };
    let operands = form.operands.iter().map(|operand| match operand {
        FormOperand::Fixed(text) => {
            let fixed = target.operand(text)?;
            take(&|operand| operand == fixed)
        }
        FormOperand::Slot(slot) => {
            let file = form.slots[*slot].file;
            take(&|operand| matches!(operand, Operand::Register(r) if target.registers[r.0].file == file))
        }
    });
    let reordered =
        Instruction { name: form.instruction.clone(), operands: operands.collect::<Option<_>>()? };
    // Only what they name counts: a macro leaves steps of its sum in other registers.
    let named = instruction.operands.iter().filter_map(|operand| match operand {
        Operand::Register(register) => Some(*register),
        Operand::View(view) => Some(target.views[view.0].register),
        _ => None,
    });
    let named: Vec<RegisterId> = named.collect();
    let [one, other] = [instruction, &reordered].map(|instruction| target.transfers(instruction).ok());
    same_effect(target, &one?, &other?, &named, false).then_some(reordered)
}

/// The register of each slot, if an instruction is an instance of a form.
fn slots(target: &Target, ports: &Ports, form: &Form, instruction: &Instruction) -> Option<Vec<usize>> {
    if form.instruction != instruction.name || form.operands.len() != instruction.operands.len() {
        return None;
    }
    let only = |file: usize| (ports.files[file].len() == 1).then_some(0);
    let mut slots: Vec<Option<usize>> = form.slots.iter().map(|slot| only(slot.file)).collect();
    for (operand, written) in form.operands.iter().zip(&instruction.operands) {
        match (operand, written) {
            (FormOperand::Slot(slot), Operand::Register(register)) => {
                let file = &ports.files[form.slots[*slot].file];
                let at = file.iter().position(|known| known == register)?;
                if slots[*slot].is_some_and(|other| other != at) {
                    return None;
                }
                slots[*slot] = Some(at);
            }
            (FormOperand::Fixed(text), written) if target.operand(text).as_ref() == Some(written) => {}
            _ => return None,
        }
    }
    slots.into_iter().collect()
}
