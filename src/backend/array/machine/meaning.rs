//! The meaning of a macro, and which of its operands may share a register. Both follow from its expansion.

use super::descriptor::{
    DirectionId, Expression, Formal, FormalKind, Macro, RegisterId, Target, Template, TemplateOperand,
};
use super::form::FileId;
use super::instruction::{Instruction, Operand};
use super::operation::{Transfer, Violation};
use super::symbolic::{State, Value};
use crate::algebra::{Offset, Placed, Rational};

/// One choice of a macro's immediates, with a different register for every register operand.
pub(super) struct Instance {
    /// The macro with these operands.
    pub instruction: Instruction,
    /// Its transfers.
    pub transfers: Vec<Transfer>,
    /// The final contents of every register; channel r is the initial value of register r.
    pub after: State,
}

impl Target {
    /// All choices of a macro's immediates, with their meanings.
    pub(super) fn instances(&self, template: &Macro) -> Vec<Instance> {
        self.choices(template).into_iter().map(|i| self.instance(template, i.operands)).collect()
    }

    /// All choices of a macro's immediates, each with a different register for every register operand.
    pub(super) fn choices(&self, template: &Macro) -> Vec<Instruction> {
        let mut choices: Vec<Vec<Operand>> = vec![Vec::new()];
        let mut used = vec![0; self.files.len()];
        for formal in &template.operands {
            let options: Vec<Operand> = match formal.kind {
                FormalKind::Register { file, .. } => {
                    used[file] += 1;
                    vec![Operand::Register(self.files[file].registers[used[file] - 1])]
                }
                FormalKind::Direction => {
                    (0..self.directions.len()).map(|d| Operand::Direction(DirectionId(d))).collect()
                }
                FormalKind::Count(least, most) => (least..=most).map(Operand::Count).collect(),
            };
            let longer = |chosen: &Vec<Operand>| {
                options.iter().map(|o| [chosen.as_slice(), &[*o]].concat()).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        choices.into_iter().map(|operands| Instruction { name: template.name.clone(), operands }).collect()
    }

    fn instance(&self, template: &Macro, operands: Vec<Operand>) -> Instance {
        let instruction = Instruction { name: template.name.clone(), operands };
        let transfers =
            self.transfers(&instruction).expect("a macro's expansion is checked when the descriptor is read");
        let mut after = State::identity(self.registers.len());
        after.apply_all(&transfers);
        Instance { instruction, transfers, after }
    }

    /// Checks that a macro whose operands share registers still computes every result correctly. The operand rules of its
    /// operations are checked elsewhere.
    pub(super) fn check_aliases(&self, template: &Macro, instruction: &Instruction) -> Result<(), Violation> {
        let registers = registers_of(&instruction.operands);
        if registers.iter().enumerate().all(|(i, (_, r))| registers[..i].iter().all(|(_, other)| other != r))
        {
            return Ok(());
        }
        let aliased = self.instance(template, instruction.operands.clone());
        let apart = self.instance(template, self.apart(template, &instruction.operands));
        let formals = registers_of(&apart.instruction.operands);
        // Channel r of the meaning is the value of formal register r: rename it to the actual register.
        let mut rename: Vec<u16> = (0..self.registers.len()).map(|r| r as u16).collect();
        for ((_, formal), (_, actual)) in formals.iter().zip(&registers) {
            rename[formal.0] = actual.0 as u16;
        }
        for ((position, formal), (_, actual)) in formals.iter().zip(&registers) {
            let writes =
                matches!(template.operands[*position].kind, FormalKind::Register { writes: true, .. });
            let meant = renamed(apart.after.value(*formal), &rename);
            if writes && meant.as_ref() != Some(aliased.after.value(*actual)) {
                return Err(Violation::ChangedByAlias {
                    instruction: self.instruction_text(instruction),
                    register: self.register_name(*actual).to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The same operands, but with a different register for each register operand.
    fn apart(&self, template: &Macro, operands: &[Operand]) -> Vec<Operand> {
        let mut used = vec![0; self.files.len()];
        let fresh = |(formal, operand): (&Formal, &Operand)| match formal.kind {
            FormalKind::Register { file, .. } => {
                used[file] += 1;
                Operand::Register(self.files[file].registers[used[file] - 1])
            }
            _ => *operand,
        };
        template.operands.iter().zip(operands).map(fresh).collect()
    }

    /// The first stated meaning that the expansion does not have: the operand, the stated value and the actual one.
    pub(super) fn contradiction(&self, template: &Macro) -> Option<(usize, Value, Value)> {
        if template.means.is_empty() {
            return None;
        }
        for instance in self.instances(template) {
            for (index, expression) in &template.means {
                let Operand::Register(register) = instance.instruction.operands[*index] else { continue };
                let mut taps = Vec::new();
                let linear =
                    self.linear(expression, &instance.instruction.operands, [0; 3], Rational::ONE, &mut taps);
                let stated = linear.and_then(|()| Placed::from_taps(self.registers.len() as u16, &taps));
                let stated = stated.map_or(Value::Overflow, Value::Known);
                let found = instance.after.value(register);
                if stated != *found {
                    return Some((*index, stated, found.clone()));
                }
            }
        }
        None
    }

    fn linear(
        &self,
        expression: &Expression,
        operands: &[Operand],
        at: Offset,
        factor: Rational,
        taps: &mut Vec<(u16, Offset, Rational)>,
    ) -> Option<()> {
        match expression {
            Expression::Formal(index) => {
                if let Operand::Register(register) = operands[*index] {
                    taps.push((register.0 as u16, at, factor));
                }
            }
            Expression::Sum(terms) => {
                for (weight, term) in terms {
                    self.linear(term, operands, at, factor.mul(*weight)?, taps)?;
                }
            }
            Expression::At(inner, directions) => {
                let mut moved = at;
                for index in directions {
                    if let Operand::Direction(d) = operands[*index] {
                        let step = self.directions[d.0].offset;
                        moved = [0, 1, 2].map(|axis| moved[axis] + step[axis]);
                    }
                }
                self.linear(inner, operands, moved, factor, taps)?;
            }
        }
        Some(())
    }
}

/// The registers that an expansion names directly.
pub(super) fn fixed_registers(target: &Target, lines: &[Template]) -> Vec<RegisterId> {
    let mut found = Vec::new();
    for line in lines {
        match line {
            Template::Operation { operands, .. } => {
                found.extend(operands.iter().filter_map(|operand| match operand {
                    TemplateOperand::Formal(_) => None,
                    TemplateOperand::Register(register) | TemplateOperand::At { register, .. } => {
                        Some(*register)
                    }
                    TemplateOperand::View(view) => Some(target.views[view.0].register),
                }))
            }
            Template::Repeat { body, .. } => found.extend(fixed_registers(target, body)),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The number of registers of each file that the macro's operands need if all are different.
pub(super) fn registers_needed(template: &Macro, files: usize) -> Vec<usize> {
    let mut needed = vec![0; files];
    for formal in &template.operands {
        if let FormalKind::Register { file, .. } = formal.kind {
            needed[file as FileId] += 1;
        }
    }
    needed
}

fn registers_of(operands: &[Operand]) -> Vec<(usize, RegisterId)> {
    let register = |(index, operand): (usize, &Operand)| match operand {
        Operand::Register(register) => Some((index, *register)),
        _ => None,
    };
    operands.iter().enumerate().filter_map(register).collect()
}

/// A value with its channels renamed; `None` if it is unknown or a coefficient overflows.
fn renamed(value: &Value, rename: &[u16]) -> Option<Value> {
    let Value::Known(kernel) = value else { return None };
    let mut taps = kernel.taps()?;
    for tap in &mut taps {
        tap.0 = rename[tap.0 as usize];
    }
    Placed::from_taps(kernel.shape.channels(), &taps).map(Value::Known)
}
