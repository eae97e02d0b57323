//! A record of what each step of a program leaves, for pages.

use super::check::{Checking, Judged};
use super::execute::input_cells;
use super::guarded::{Quoted, Words, trouble_text};
use crate::backend::array::machine::{Cause, Cell, Effect, Formula, Listing, RegisterId, Target, Transfer};
use crate::backend::array::report::transfer_record;
use crate::backend::array::verify::guarded::{Space, State, Trouble, follow_each};
use crate::backend::error::CheckError;
use crate::report::{CheckRecord, EffectRecord, FormulaRecord, HeldRecord, StepRecord, WalkRecord};

/// The steps of a program that was checked.
///
/// # Errors
/// [`CheckError::Usage`] if it has too many inputs, or an instruction has no cost; programs that were checked have neither.
pub fn walk(target: &Target, checked: &Judged) -> Result<WalkRecord, CheckError> {
    let record = checked.record();
    let (listing, effects, registers) = match checked {
        Judged::Linear(checking) => (&checking.listing, linear(checking), checking.trace.registers),
        Judged::Guarded(checked) => {
            (&checked.listing, checked.steps.effects.clone(), checked.steps.registers)
        }
    };
    let trouble = |trouble: Trouble| CheckError::Usage(trouble_text(trouble).to_owned());
    let mut space = Space::new();
    let mut inputs = Vec::new();
    for (index, cell) in input_cells(checked).into_iter().enumerate() {
        inputs.push((cell, space.input(target, index, cell).map_err(trouble)?));
    }
    let mut after: Vec<State> = Vec::with_capacity(effects.len());
    let mut keep = |state: &State| after.push(state.clone());
    follow_each(&mut space, target, &effects, registers, &inputs, &mut keep).map_err(trouble)?;
    let own = Quoted { listing, lines: &record.lines, file: None };
    let words = Words { target, own, other: None, names: checked.inputs(), space: &space };
    let mut steps = Vec::with_capacity(after.len());
    for (index, (effects, state)) in effects.iter().zip(&after).enumerate() {
        let cycles = match listing.program.instructions.get(index) {
            Some(own) => target.cycles(own).map_err(|wrong| CheckError::Usage(wrong.to_string()))?,
            None => 0,
        };
        steps.push(StepRecord {
            instruction: instruction(target, listing, record, index),
            line: record.lines.get(index).copied().unwrap_or(1),
            cycles,
            effects: effects.iter().filter_map(|own| effect(target, own)).collect(),
            values: values(&words, effects, state),
        });
    }
    let name = |bit: usize| target.bits[bit].name.clone();
    let gates = target.bits.iter().enumerate();
    Ok(WalkRecord {
        bits: (0..target.bits.len()).map(name).collect(),
        flag: target.flag().map(|flag| name(flag.0)),
        gates: gates.filter_map(|(bit, own)| Some((name(bit), name(own.gate?.0)))).collect(),
        inputs: record.inputs.clone(),
        steps,
    })
}

/// An instruction; the first with the call that loads an image, since its effects are there.
fn instruction(target: &Target, listing: &Listing, record: &CheckRecord, index: usize) -> String {
    let own = record.program.get(index).map_or("", String::as_str);
    match listing.load.as_ref().filter(|_| index == 0) {
        Some(load) => format!("{}; {own}", target.instruction_text(&load.instruction)),
        None => own.to_owned(),
    }
}

/// The effects of a linear program's instructions; those of a call that loads an image come first in the first.
fn linear(checking: &Checking) -> Vec<Vec<Effect>> {
    let effects = |transfers: &Vec<Transfer>| transfers.iter().cloned().map(Effect::Transfer).collect();
    let mut all: Vec<Vec<Effect>> = checking.trace.lines.iter().map(effects).collect();
    if let Some(load) = &checking.trace.loaded {
        let loaded = load.transfers.iter().cloned().map(Effect::Transfer);
        match all.first_mut() {
            Some(first) => first.splice(0..0, loaded).for_each(drop),
            None => all.push(loaded.collect()),
        }
    }
    all
}

/// The values of what effects write, in the order of the machine's registers.
fn values(words: &Words<'_>, effects: &[Effect], state: &State) -> Vec<HeldRecord> {
    let mut written: Vec<Cell> = effects.iter().flat_map(Effect::writes).collect();
    written.sort_unstable();
    written.dedup();
    let held = |cell: Cell| {
        let value = state.value(cell);
        HeldRecord {
            register: cell_name(words.target, cell),
            kernels: words.linear(value),
            cases: words.cases(value),
            reason: value.err().map(|trouble| trouble_text(trouble).to_owned()),
        }
    };
    written.into_iter().map(held).collect()
}

/// The name of a register or bit; those behind the machine's own hold what lenient evaluation puts aside.
fn cell_name(target: &Target, cell: Cell) -> String {
    match cell {
        Cell::Register(register) => register_name(target, register),
        Cell::Bit(_) => target.cell_name(cell).to_owned(),
    }
}

fn register_name(target: &Target, register: RegisterId) -> String {
    match register.0.checked_sub(target.registers.len()) {
        Some(aside) => format!("put aside {}", aside + 1),
        None => target.register_name(register).to_owned(),
    }
}

/// An effect as a record. What an instruction leaves without saying so is what was there, so that is no effect.
fn effect(target: &Target, effect: &Effect) -> Option<EffectRecord> {
    let record = match effect {
        Effect::Transfer(transfer) => {
            EffectRecord::Transfer(transfer_record(transfer, &|register| register_name(target, register)))
        }
        Effect::Bits { sets, flood } => {
            let set = |(bit, of): &(_, Formula)| (target.bit_name(*bit).to_owned(), formula(target, of));
            EffectRecord::Bits { sets: sets.iter().map(set).collect(), flood: *flood }
        }
        Effect::Number { register, value } => {
            EffectRecord::Number { register: register_name(target, *register), value: *value }
        }
        Effect::Unknown { cause: Cause::Unspecified, .. } => return None,
        Effect::Unknown { cause: Cause::Inexact(_), .. } => {
            EffectRecord::Unknown(effect.writes().into_iter().map(|cell| cell_name(target, cell)).collect())
        }
    };
    Some(record)
}

fn formula(target: &Target, of: &Formula) -> FormulaRecord {
    let all = |terms: &[Formula]| terms.iter().map(|term| formula(target, term)).collect();
    match of {
        Formula::Constant(value) => FormulaRecord::Constant(*value),
        Formula::Bit { bit, offset, beyond } => {
            FormulaRecord::Bit { bit: target.bit_name(*bit).to_owned(), offset: *offset, beyond: *beyond }
        }
        Formula::Positive(sources) => {
            let read = sources.iter().map(|read| (register_name(target, read.register), read.offset));
            FormulaRecord::Positive(read.collect())
        }
        Formula::Not(inner) => FormulaRecord::Not(Box::new(formula(target, inner))),
        Formula::And(terms) => FormulaRecord::And(all(terms)),
        Formula::Or(terms) => FormulaRecord::Or(all(terms)),
    }
}
