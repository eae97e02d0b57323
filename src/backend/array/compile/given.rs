//! A given program for the filter as the start of the search, and rewrites of programs by peephole rules.

use super::peephole::shortened;
use super::phased::Task;
use super::ports::Ports;
use super::searching::Search;
use crate::backend::array::machine::form::{Form, FormOperand};
use crate::backend::array::machine::{Instruction, Operand, Program, Target};
use crate::backend::array::search::adopt;

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
        let mut known = forms.iter().enumerate();
        known.find_map(|(at, form)| Some((at, slots(target, ports, form, instruction)?)))
    });
    let instructions: Option<Vec<_>> = instructions.collect();
    let code = instructions.and_then(|all| adopt(task.posed, &all, task.budget));
    if found.begin(method, code, (task.seconds)()) {
        found.peepholes = rules;
    }
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
