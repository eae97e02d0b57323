//! Straight-line programs: their legality, expansion and cost.

use super::descriptor::{
    Division, FormalKind, Macro, Primitive, RegisterId, Target, Template, TemplateOperand,
};
use super::effect::{Effect, Formula};
use super::form::{Form, FormOperand};
use super::instruction::{Instruction, Operand};
use super::logic::Logic;
use super::operation::{Transfer, Violation};

/// Straight-line code for one target; every processing element executes the same code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// The target's name.
    pub target: String,
    /// The instructions in the order of execution.
    pub instructions: Vec<Instruction>,
}

/// The definition selected by an instruction's name and number of operands.
#[derive(Clone, Copy, Debug)]
pub enum Definition<'a> {
    /// A primitive operation.
    Primitive(&'a Primitive),
    /// A macro.
    Macro(&'a Macro),
    /// An instruction that is not linear.
    Logic(&'a Logic),
}

impl Definition<'_> {
    /// The instruction sets that contain the instruction.
    pub fn member(&self) -> &[(String, Division)] {
        match self {
            Self::Primitive(primitive) => &primitive.member,
            Self::Macro(template) => &template.member,
            Self::Logic(_) => &[],
        }
    }
}

impl Target {
    /// The instruction of a form with a register for each slot.
    ///
    /// # Panics
    /// If the form belongs to another target, whose fixed operands may have no meaning here.
    pub fn instantiate(&self, form: &Form, registers: &[RegisterId]) -> Instruction {
        let operand = |operand: &FormOperand| match operand {
            FormOperand::Slot(slot) => Operand::Register(registers[*slot]),
            FormOperand::Fixed(text) => {
                self.operand(text).expect("a form's fixed operands are the target's own names")
            }
        };
        Instruction { name: form.instruction.clone(), operands: form.operands.iter().map(operand).collect() }
    }

    /// The definition selected by the instruction's name, and the number and kinds of its operands.
    ///
    /// # Errors
    /// A [`Violation`] if the name is unknown or the number of operands is wrong.
    pub fn definition(&self, instruction: &Instruction) -> Result<Definition<'_>, Violation> {
        let found = instruction.operands.len();
        let mut counts = Vec::new();
        if let Some(primitive) = self.primitives.iter().find(|p| p.name == instruction.name) {
            return Ok(Definition::Primitive(primitive));
        }
        for template in self.macros.iter().filter(|m| m.name == instruction.name) {
            if template.operands.len() == found {
                return Ok(Definition::Macro(template));
            }
            counts.push(template.operands.len());
        }
        let named = || self.logic.iter().filter(|logic| logic.name == instruction.name);
        let takes = |logic: &&Logic| {
            let [least, most] = logic.operand_count();
            (least..=most).contains(&found)
        };
        let fitting: Vec<&Logic> = named().filter(takes).collect();
        // Of several, the one that takes operands of these kinds; if none does, the first says what is expected.
        let binds = |logic: &&&Logic| self.bind(logic, instruction).is_ok();
        let chosen = if fitting.len() > 1 { fitting.iter().find(binds) } else { None };
        if let Some(logic) = chosen.or(fitting.first()) {
            return Ok(Definition::Logic(logic));
        }
        counts.extend(named().flat_map(|logic| {
            let [least, most] = logic.operand_count();
            least..=most
        }));
        if counts.is_empty() {
            let (target, name) = (self.name.clone(), instruction.name.clone());
            return Err(Violation::UnknownInstruction { target, name });
        }
        counts.sort_unstable();
        counts.dedup();
        let expected = match counts[..] {
            [least, .., most] if counts.len() > 2 && most - least + 1 == counts.len() => {
                format!("{least} to {most}")
            }
            _ => counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" or "),
        };
        Err(Violation::OperandCount { name: instruction.name.clone(), expected, found })
    }

    /// Whether an instruction set contains the instruction, under a way of dividing.
    pub fn admits(&self, isa: &str, division: Division, instruction: &Instruction) -> bool {
        self.definition(instruction).is_ok_and(|d| d.member().iter().any(|(i, v)| i == isa && *v == division))
    }

    /// The primitive operations of an instruction, whether or not it obeys the operand rules.
    ///
    /// # Errors
    /// A [`Violation`] if the name is unknown, the number or the kind of the operands is wrong, or the instruction is not
    /// linear.
    pub fn expand(&self, instruction: &Instruction) -> Result<Vec<Instruction>, Violation> {
        match self.definition(instruction)? {
            Definition::Primitive(primitive) => {
                self.transfer(primitive, instruction)?;
                Ok(vec![instruction.clone()])
            }
            Definition::Macro(template) => {
                self.check_kinds(template, instruction)?;
                let mut operations = Vec::new();
                self.expand_into(&template.expansion, &instruction.operands, &mut operations);
                Ok(operations)
            }
            Definition::Logic(logic) => {
                self.bind(logic, instruction)?;
                Err(Violation::NotLinear { operation: self.instruction_text(instruction) })
            }
        }
    }

    /// Checks that the instruction exists and has operands of the right number and kinds.
    ///
    /// # Errors
    /// A [`Violation`] if it has not.
    pub(super) fn check_shape(&self, instruction: &Instruction) -> Result<(), Violation> {
        match self.definition(instruction)? {
            Definition::Logic(logic) => self.bind(logic, instruction).map(drop),
            _ => self.expand(instruction).map(drop),
        }
    }

    /// Whether an instruction only chooses all elements, as they are at the start: in a linear program it changes nothing.
    fn chooses_all(&self, instruction: &Instruction) -> bool {
        let all = |effect: &Effect| match effect {
            Effect::Bits { sets, .. } => {
                sets.iter().all(|(bit, to)| Some(*bit) == self.flag() && *to == Formula::Constant(true))
            }
            _ => false,
        };
        self.effects(instruction).is_ok_and(|effects| effects.iter().all(all))
    }

    /// The register transfers of an instruction, whether or not it obeys the operand rules.
    ///
    /// # Errors
    /// Those of [`Target::expand`].
    pub fn transfers(&self, instruction: &Instruction) -> Result<Vec<Transfer>, Violation> {
        if let Definition::Logic(_) = self.definition(instruction)?
            && self.chooses_all(instruction)
        {
            return Ok(Vec::new());
        }
        let operations = self.expand(instruction)?;
        operations.iter().map(|operation| self.transfer(self.primitive_of(operation), operation)).collect()
    }

    /// Checks that the machine has this instruction and allows its operands.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check_instruction(&self, instruction: &Instruction) -> Result<(), Violation> {
        let definition = self.definition(instruction)?;
        if let Definition::Logic(logic) = definition {
            return self.check_logic(logic, instruction);
        }
        let in_expansion = |cause: Violation| match definition {
            Definition::Primitive(_) | Definition::Logic(_) => cause,
            Definition::Macro(_) => Violation::InExpansion {
                instruction: self.instruction_text(instruction),
                cause: Box::new(cause),
            },
        };
        for operation in self.expand(instruction)? {
            let transfer = self.transfer(self.primitive_of(&operation), &operation)?;
            self.check_operands(&operation, &transfer).map_err(in_expansion)?;
        }
        match definition {
            Definition::Primitive(_) | Definition::Logic(_) => Ok(()),
            Definition::Macro(template) => self.check_aliases(template, instruction),
        }
    }

    /// The cycles of an instruction.
    ///
    /// # Errors
    /// Those of [`Target::expand`].
    pub fn cycles(&self, instruction: &Instruction) -> Result<u32, Violation> {
        if let Definition::Logic(logic) = self.definition(instruction)? {
            let bound = self.bind(logic, instruction)?;
            return logic
                .steps
                .iter()
                .try_fold(0u32, |sum, step| Ok(sum.saturating_add(self.step_cycles(step, &bound)?)));
        }
        let operations = self.expand(instruction)?;
        Ok(operations.iter().fold(0, |sum: u32, o| sum.saturating_add(self.primitive_of(o).cycles)))
    }

    pub(super) fn primitive_of(&self, operation: &Instruction) -> &Primitive {
        self.primitives
            .iter()
            .find(|p| p.name == operation.name)
            .expect("expansions hold primitive operations only")
    }

    pub(super) fn check_kinds(&self, template: &Macro, instruction: &Instruction) -> Result<(), Violation> {
        for (index, (formal, operand)) in template.operands.iter().zip(&instruction.operands).enumerate() {
            let fits = match (formal.kind, operand) {
                (FormalKind::Register { file, writes, .. }, Operand::Register(r)) => {
                    self.registers[r.0].file == file || !writes && self.given(*r).is_some()
                }
                (FormalKind::Direction, Operand::Direction(_)) => true,
                (FormalKind::Count(least, most), Operand::Count(n)) => (least..=most).contains(n),
                _ => false,
            };
            if !fits {
                return Err(Violation::OperandKind {
                    name: instruction.name.clone(),
                    position: index + 1,
                    expected: self.kind_text(formal.kind),
                    found: self.operand_text(*operand),
                });
            }
        }
        Ok(())
    }

    pub(super) fn expand_into(
        &self,
        lines: &[Template],
        actual: &[Operand],
        operations: &mut Vec<Instruction>,
    ) {
        for line in lines {
            match line {
                Template::Operation { primitive, operands } => {
                    let name = self.primitives[*primitive].name.clone();
                    let operands = operands.iter().map(|o| self.fill(*o, actual)).collect();
                    operations.push(Instruction { name, operands });
                }
                Template::Repeat { formal, less, body } => {
                    let Operand::Count(count) = actual[*formal] else {
                        unreachable!("operand kinds are checked before an expansion")
                    };
                    for _ in *less..count {
                        self.expand_into(body, actual, operations);
                    }
                }
            }
        }
    }

    fn fill(&self, operand: TemplateOperand, actual: &[Operand]) -> Operand {
        match operand {
            TemplateOperand::Formal(index) => actual[index],
            TemplateOperand::Register(register) => Operand::Register(register),
            TemplateOperand::View(view) => Operand::View(view),
            TemplateOperand::At { register, formal, opposite } => {
                let Operand::Direction(direction) = actual[formal] else {
                    unreachable!("operand kinds are checked before an expansion")
                };
                let view = self.view_of(register, direction, opposite);
                Operand::View(
                    view.expect("a descriptor has the views that its expansions need in every direction"),
                )
            }
        }
    }
}

impl Program {
    /// An empty program.
    pub fn new(target: &Target) -> Self {
        Self { target: target.name.clone(), instructions: Vec::new() }
    }

    /// The instructions that the target does not allow: the index of each, and the first rule that it breaks.
    pub fn violations(&self, target: &Target) -> Vec<(usize, Violation)> {
        let broken = |(index, i)| target.check_instruction(i).err().map(|violation| (index, violation));
        self.instructions.iter().enumerate().filter_map(broken).collect()
    }

    /// The same program in primitive operations.
    ///
    /// # Errors
    /// Those of [`Target::expand`], for the first instruction without an expansion.
    pub fn expand(&self, target: &Target) -> Result<Self, Violation> {
        let mut instructions = Vec::new();
        for instruction in &self.instructions {
            instructions.extend(target.expand(instruction)?);
        }
        Ok(Self { target: self.target.clone(), instructions })
    }

    /// The register transfers of the program.
    ///
    /// # Errors
    /// Those of [`Target::expand`].
    pub fn transfers(&self, target: &Target) -> Result<Vec<Transfer>, Violation> {
        let mut transfers = Vec::new();
        for instruction in &self.instructions {
            transfers.extend(target.transfers(instruction)?);
        }
        Ok(transfers)
    }

    /// Whether an instruction sets the flag to 1, as it is at the start.
    pub fn sets_flag(&self, target: &Target) -> bool {
        let sets = |instruction: &Instruction| {
            let logic = matches!(target.definition(instruction), Ok(Definition::Logic(_)));
            logic && target.chooses_all(instruction)
        };
        self.instructions.iter().any(sets)
    }

    /// Whether every instruction is a linear function of registers, whether or not it obeys the operand rules.
    pub fn is_linear(&self, target: &Target) -> bool {
        let given = |instruction: &Instruction| {
            let number = |operand: &Operand| match operand {
                Operand::Register(register) => target.given(*register).is_some(),
                _ => false,
            };
            instruction.operands.iter().any(number)
        };
        let refused = |instruction: &Instruction| {
            matches!(target.transfers(instruction), Err(Violation::NotLinear { .. }))
        };
        !self.instructions.iter().any(|instruction| given(instruction) || refused(instruction))
    }

    /// The number of cycles.
    ///
    /// # Errors
    /// Those of [`Target::expand`].
    pub fn cycles(&self, target: &Target) -> Result<u32, Violation> {
        self.instructions.iter().try_fold(0u32, |sum, i| Ok(sum.saturating_add(target.cycles(i)?)))
    }

    /// The duration in microseconds.
    ///
    /// # Errors
    /// Those of [`Target::expand`].
    pub fn time_us(&self, target: &Target) -> Result<f64, Violation> {
        Ok(f64::from(self.cycles(target)?) * target.cycle_us)
    }

    /// The energy for the whole array, in microjoules.
    ///
    /// # Errors
    /// Those of [`Target::expand`].
    pub fn energy_uj(&self, target: &Target) -> Result<f64, Violation> {
        Ok(f64::from(self.cycles(target)?) * target.cycle_uj)
    }
}
