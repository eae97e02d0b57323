//! Checks peephole rules: both sides are evaluated exactly for every choice of operands that the machine allows.

use std::collections::HashMap;

use crate::backend::array::machine::{Instruction, Operand, RegisterId, State, Target, Value};
use crate::rule::{Peephole, Slot, Step};

/// The result of checking a peephole rule on one machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PeepholeVerdict {
    /// The rule holds; the number of choices of operands for which it was evaluated.
    Proved(usize),
    /// The rule is wrong, or names something that the machine does not have: why.
    Refuted(String),
    /// A coefficient leaves the exact range for some operands, or there are too many choices.
    Unknown(String),
}

/// The maximum number of choices of operands to try.
const MAX_CHOICES: usize = 1 << 20;

/// Checks a rule on a machine. Registers of one file are alike, so only one of several choices that differ by register names is
/// tried.
pub fn check_peephole(target: &Target, rule: &Peephole) -> PeepholeVerdict {
    let names = rule.variables();
    if let Some(wrong) = rule.lhs.iter().chain(&rule.rhs).find_map(|step| meaningless(target, step)) {
        return PeepholeVerdict::Refuted(wrong);
    }
    let mut choice = Choice { target, rule, names: &names, tried: 0, applied: 0 };
    match choice.extend(&mut Vec::new()) {
        Some(verdict) => verdict,
        None if choice.applied == 0 => {
            PeepholeVerdict::Unknown("  the machine allows the left side for no operands".to_owned())
        }
        None => PeepholeVerdict::Proved(choice.applied),
    }
}

/// Why a step is not an instruction of the machine for any values of its variables.
fn meaningless(target: &Target, step: &Step) -> Option<String> {
    let literal = step.operands.iter().find_map(|slot| match slot {
        Slot::Literal(word) if target.operand(word).is_none() => Some(word),
        _ => None,
    });
    if let Some(word) = literal {
        return Some(format!("  {}: `{}` has no register or direction `{word}`", step.place, target.name));
    }
    // Only the name and the number of operands matter.
    let operands = vec![Operand::Count(0); step.operands.len()];
    let instruction = Instruction { name: step.name.clone(), operands };
    target.definition(&instruction).err().map(|violation| format!("  {}: {violation}", step.place))
}

/// The operand for a slot of a rule; `None` for a variable without a value and for a word unknown to the machine.
pub fn slot_operand(target: &Target, slot: &Slot, chosen: &HashMap<&str, Operand>) -> Option<Operand> {
    match slot {
        Slot::Variable(name) => chosen.get(name.as_str()).copied(),
        Slot::Literal(word) => target.operand(word),
    }
}

/// The instructions of one side for a choice of operands.
pub fn instantiate(
    target: &Target,
    steps: &[Step],
    chosen: &HashMap<&str, Operand>,
) -> Option<Vec<Instruction>> {
    let instruction = |step: &Step| {
        let operands = step.operands.iter().map(|slot| slot_operand(target, slot, chosen));
        let operands = operands.collect::<Option<_>>()?;
        Some(Instruction { name: step.name.clone(), operands })
    };
    steps.iter().map(instruction).collect()
}

/// The registers after legal instructions, each as a sum of the initial values.
fn after(target: &Target, instructions: &[Instruction]) -> Option<State> {
    let mut state = State::identity(target.registers.len());
    for instruction in instructions {
        target.check_instruction(instruction).ok()?;
        state.apply_all(&target.transfers(instruction).ok()?);
    }
    Some(state)
}

/// Enumerates the choices of operands.
struct Choice<'a> {
    target: &'a Target,
    rule: &'a Peephole,
    names: &'a [&'a str],
    tried: usize,
    applied: usize,
}

impl<'a> Choice<'a> {
    /// The first counterexample among the choices with this prefix.
    fn extend(&mut self, chosen: &mut Vec<Operand>) -> Option<PeepholeVerdict> {
        if chosen.len() == self.names.len() {
            self.tried += 1;
            if self.tried > MAX_CHOICES {
                let many = format!("  it has more than {MAX_CHOICES} choices of operands");
                return Some(PeepholeVerdict::Unknown(many));
            }
            return self.compare(chosen);
        }
        for operand in self.candidates(chosen) {
            chosen.push(operand);
            let found = if self.possible(chosen) { self.extend(chosen) } else { None };
            chosen.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The operands for the next variable: registers already chosen, the first other register of each file, views,
    /// directions, and small numbers.
    fn candidates(&self, chosen: &[Operand]) -> Vec<Operand> {
        let target = self.target;
        let steps = self.rule.lhs.iter().chain(&self.rule.rhs);
        let slots = steps.flat_map(|step| &step.operands).chain(&self.rule.dead);
        let literal = slots.filter_map(|slot| match slot {
            Slot::Literal(word) => target.operand(word),
            Slot::Variable(_) => None,
        });
        let known: Vec<Operand> = literal.chain(chosen.iter().copied()).collect();
        let mut found = Vec::new();
        for file in &target.files {
            let mut fresh = true;
            for register in file.registers.iter().map(|r| Operand::Register(*r)) {
                if known.contains(&register) || std::mem::replace(&mut fresh, false) {
                    found.push(register);
                }
            }
        }
        found.extend(target.views.iter().filter_map(|view| target.operand(&view.name)));
        found.extend(target.directions.iter().filter_map(|direction| target.operand(&direction.name)));
        found.extend((0..=MAX_COUNT).map(Operand::Count));
        found
    }

    /// Whether the machine allows the instructions of the left side whose operands are all chosen.
    fn possible(&self, chosen: &[Operand]) -> bool {
        let values = self.values(chosen);
        self.rule.lhs.iter().all(|step| {
            let made = instantiate(self.target, std::slice::from_ref(step), &values);
            made.is_none_or(|made| made.iter().all(|i| self.target.check_instruction(i).is_ok()))
        })
    }

    fn values(&self, chosen: &[Operand]) -> HashMap<&'a str, Operand> {
        self.names.iter().copied().zip(chosen.iter().copied()).collect()
    }

    fn compare(&mut self, chosen: &[Operand]) -> Option<PeepholeVerdict> {
        let (target, values) = (self.target, self.values(chosen));
        let lhs = instantiate(target, &self.rule.lhs, &values)?;
        let rhs = instantiate(target, &self.rule.rhs, &values)?;
        // If the machine does not allow the right side, the rule does not apply.
        let (before, made) = (after(target, &lhs)?, after(target, &rhs)?);
        self.applied += 1;
        let dead = self.rule.dead.iter().filter_map(|slot| slot_operand(target, slot, &values));
        let dead: Vec<Operand> = dead.collect();
        let live = (0..target.registers.len()).map(RegisterId);
        let mut live = live.filter(|register| !dead.contains(&Operand::Register(*register)));
        // An overflow is not a value: it neither proves nor refutes anything.
        let is_known = |value: &Value| matches!(value, Value::Known(_));
        let register = live.find(|r| before.value(*r) != made.value(*r) || !is_known(before.value(*r)))?;
        let text = |side: &[Instruction]| {
            let lines: Vec<String> = side.iter().map(|i| target.instruction_text(i)).collect();
            if lines.is_empty() { "nothing".to_owned() } else { lines.join("; ") }
        };
        let inputs: Vec<String> =
            target.registers.iter().enumerate().map(|(at, r)| format!("#{at} = {}", r.name)).collect();
        let verdict = match is_known(before.value(register)) && is_known(made.value(register)) {
            true => PeepholeVerdict::Refuted,
            false => PeepholeVerdict::Unknown,
        };
        Some(verdict(format!(
            "  after {}\n  {name} holds {}\n  after {}\n  {name} holds {}\n  where {}",
            text(&lhs),
            before.value(register),
            text(&rhs),
            made.value(register),
            inputs.join(", "),
            name = target.register_name(register),
        )))
    }
}

/// The largest number tried as an operand of an instruction.
const MAX_COUNT: u32 = 4;
