//! The effects of instructions: those of linear ones are transfers, those of others follow from the steps that the descriptor
//! states, with the operands filled in.

use super::descriptor::{DirectionId, FormalKind, RegisterId, Target};
use super::effect::{Cause, Effect, Formula};
use super::ids::{BitId, Cell};
use super::instruction::{Instruction, Operand};
use super::logic::{BitKind, BitRef, Logic, ParameterKind, SetKind, SourceRef, Step, StepOperand, Term};
use super::operation::{Access, Violation};
use super::program::Definition;

/// The operands of an instruction, grouped by the parameters that they are given for.
pub(super) struct Bound<'a> {
    operands: Vec<&'a [Operand]>,
    /// The bits whose final values the instruction states: its digital results, unless they are listed as lost.
    results: Vec<BitId>,
}

impl Bound<'_> {
    pub(super) fn operands(&self, formal: usize) -> &[Operand] {
        self.operands[formal]
    }

    fn one(&self, formal: usize) -> Operand {
        self.operands[formal][0]
    }

    fn number(&self, formal: usize) -> i64 {
        match self.one(formal) {
            Operand::Count(count) => i64::from(count),
            Operand::Number(number) => number,
            _ => unreachable!("operand kinds are checked before operands are filled in"),
        }
    }

    fn given(&self, operand: StepOperand) -> Vec<Operand> {
        match operand {
            StepOperand::Formal(formal) => self.operands[formal].to_vec(),
            StepOperand::Fixed(operand) => vec![operand],
        }
    }
}

impl Target {
    /// The effects of an instruction, whether or not it obeys the operand rules.
    ///
    /// # Errors
    /// A [`Violation`] if the name is unknown, or the number or the kind of the operands is wrong.
    pub fn effects(&self, instruction: &Instruction) -> Result<Vec<Effect>, Violation> {
        match self.definition(instruction)? {
            Definition::Logic(logic) => {
                let bound = self.bind(logic, instruction)?;
                let mut effects = Vec::new();
                for step in &logic.steps {
                    self.step_effects(step, &bound, &mut effects)?;
                }
                Ok(effects)
            }
            _ => Ok(self.transfers(instruction)?.into_iter().map(Effect::Transfer).collect()),
        }
    }

    /// The registers and bits that are an instruction's results: the operands that it writes. One that writes no operand has the bits
    /// as results that it sets, except the flag.
    pub fn results(&self, instruction: &Instruction, effects: &[Effect]) -> Vec<Cell> {
        let named = |cell: &Cell| instruction.operands.iter().any(|operand| operand.cell() == Some(*cell));
        let written: Vec<Cell> = effects.iter().flat_map(Effect::writes).collect();
        if written.iter().any(named) {
            return written.into_iter().filter(named).collect();
        }
        let set = effects.iter().filter(|effect| matches!(effect, Effect::Bits { .. }));
        let own = |cell: &Cell| matches!(cell, Cell::Bit(bit) if self.bits[bit.0].kind == BitKind::Register);
        set.flat_map(Effect::writes).filter(own).collect()
    }

    /// Groups operands by parameter, and checks their kinds.
    pub(super) fn bind<'a>(
        &self,
        logic: &Logic,
        instruction: &'a Instruction,
    ) -> Result<Bound<'a>, Violation> {
        let mut rest = instruction.operands.as_slice();
        let mut operands = Vec::new();
        for parameter in &logic.operands {
            let several = parameter.kind.count().map_or(1, |_| rest.len());
            let (own, others) = rest.split_at(several.min(rest.len()));
            let position = instruction.operands.len() - rest.len();
            if let Some(wrong) = own.iter().position(|operand| !self.admits_operand(parameter.kind, *operand))
            {
                return Err(Violation::OperandKind {
                    name: instruction.name.clone(),
                    position: position + wrong + 1,
                    expected: self.parameter_text(parameter.kind),
                    found: self.operand_text(own[wrong]),
                });
            }
            operands.push(own);
            rest = others;
        }
        let lost = |formal: usize| {
            let listed =
                |step: &Step| matches!(step, Step::Lost(own) if own.contains(&StepOperand::Formal(formal)));
            logic.steps.iter().any(listed)
        };
        let mut results = Vec::new();
        for (formal, parameter) in logic.operands.iter().enumerate() {
            if matches!(parameter.kind, ParameterKind::Bit { writes: true, .. }) && !lost(formal) {
                let bits = operands[formal].iter();
                results.extend(bits.filter_map(|operand| match operand {
                    Operand::Bit(bit) => Some(*bit),
                    _ => None,
                }));
            }
        }
        Ok(Bound { operands, results })
    }

    fn admits_operand(&self, kind: ParameterKind, operand: Operand) -> bool {
        match (kind, operand) {
            (ParameterKind::Bit { writes, .. }, Operand::Bit(bit)) => {
                !writes || self.bits[bit.0].kind == BitKind::Register
            }
            (ParameterKind::Register { file: Some(file), .. }, Operand::Register(r)) => {
                self.registers[r.0].file == file
            }
            (ParameterKind::Register { file: None, .. }, operand) => {
                matches!(operand, Operand::Register(_) | Operand::View(_))
            }
            (ParameterKind::Directions, operand) => self.direction_set(operand).is_some(),
            (ParameterKind::Number(least, most), Operand::Count(n)) => (least..=most).contains(&i64::from(n)),
            (ParameterKind::Number(least, most), Operand::Number(n)) => (least..=most).contains(&n),
            _ => false,
        }
    }

    /// What may be given for a parameter, in words.
    pub(super) fn parameter_text(&self, kind: ParameterKind) -> String {
        let bits = |wanted: fn(BitKind) -> bool| {
            let names = self.bits.iter().filter(|bit| wanted(bit.kind)).map(|bit| bit.name.as_str());
            names.collect::<Vec<_>>().join(" ")
        };
        match kind {
            ParameterKind::Bit { writes: true, .. } => {
                format!("one of the digital registers {}", bits(|kind| kind == BitKind::Register))
            }
            ParameterKind::Bit { .. } => format!("one of the digital sources {}", bits(|_| true)),
            ParameterKind::Register { file: Some(file), .. } => {
                self.kind_text(FormalKind::Register { file, reads: true, writes: false })
            }
            ParameterKind::Register { file: None, .. } => "an analogue register or a neighbour's".to_owned(),
            ParameterKind::Directions => {
                let names: Vec<&str> = self.directions.iter().map(|d| d.name.as_str()).collect();
                format!("directions, such as {}", names.join(" "))
            }
            ParameterKind::Number(least, most) => format!("a number from {least} to {most}"),
        }
    }

    /// The set of directions that an operand names: bit d for direction d.
    pub fn direction_set(&self, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Direction(direction) => Some(1 << direction.0),
            Operand::Directions(set) => Some(set),
            Operand::Count(number) => {
                let numbers = &self.sources.numbers;
                let all = numbers.iter().fold(0, |all, (_, own)| all | own);
                let chosen = numbers.iter().filter(|(_, own)| number & own == *own);
                let set = chosen.fold(0, |set, (direction, _)| set | 1 << direction.0);
                (!numbers.is_empty() && number & !all == 0).then_some(set)
            }
            _ => None,
        }
    }

    fn step_effects(&self, step: &Step, bound: &Bound<'_>, out: &mut Vec<Effect>) -> Result<(), Violation> {
        let registers = |operands: &[StepOperand]| -> (Vec<RegisterId>, Vec<BitId>) {
            let mut found = (Vec::new(), Vec::new());
            for operand in operands.iter().flat_map(|operand| bound.given(*operand)) {
                match operand {
                    Operand::Register(register) => found.0.push(register),
                    Operand::Bit(bit) => found.1.push(bit),
                    _ => {}
                }
            }
            found
        };
        match step {
            Step::Call { .. } => out.extend(self.effects(&self.called(step, bound))?),
            Step::Set { sets, how, .. } => {
                let mut filled = Vec::new();
                for (bit, term) in sets {
                    let formula = self.formula(term, bound);
                    filled.extend(self.bits_of(*bit, bound).into_iter().map(|bit| (bit, formula.clone())));
                }
                out.push(Effect::Bits { sets: filled, flood: *how == SetKind::Flood });
            }
            Step::Number { register, number } => {
                for register in registers(std::slice::from_ref(register)).0 {
                    out.push(Effect::Number { register, value: bound.number(*number) });
                }
            }
            Step::Lost(operands) => {
                let (registers, mut bits) = registers(operands);
                bits.retain(|bit| !bound.results.contains(bit));
                out.push(Effect::Unknown { registers, bits, cause: Cause::Unspecified });
            }
            Step::Inexact { what, registers: left, .. } => {
                let (registers, bits) = registers(left);
                out.push(Effect::Unknown { registers, bits, cause: Cause::Inexact(what.clone()) });
            }
            Step::Choose { .. } => self.step_effects(self.chosen(step, bound), bound, out)?,
            Step::Wait(_) => {}
        }
        Ok(())
    }

    /// The instruction that a step calls.
    pub(super) fn called(&self, step: &Step, bound: &Bound<'_>) -> Instruction {
        let Step::Call { name, operands } = step else { unreachable!("asked for calls only") };
        let operands = operands.iter().flat_map(|operand| bound.given(*operand)).collect();
        Instruction { name: name.clone(), operands }
    }

    /// The step that a number selects.
    pub(super) fn chosen<'s>(&self, step: &'s Step, bound: &Bound<'_>) -> &'s Step {
        let Step::Choose { number, among } = step else { unreachable!("asked for choices only") };
        let index = usize::try_from(bound.number(*number)).unwrap_or(0);
        &among[index.min(among.len() - 1)]
    }

    /// The cycles of a step.
    pub(super) fn step_cycles(&self, step: &Step, bound: &Bound<'_>) -> Result<u32, Violation> {
        Ok(match step {
            Step::Call { .. } => self.cycles(&self.called(step, bound))?,
            Step::Set { cycles, .. } | Step::Wait(cycles) => *cycles,
            Step::Inexact { cycles: (fixed, each), .. } => {
                let more = each.map_or(0, |(each, number)| {
                    each.saturating_mul(u32::try_from(bound.number(number)).unwrap_or(0))
                });
                fixed.saturating_add(more)
            }
            Step::Choose { .. } => self.step_cycles(self.chosen(step, bound), bound)?,
            Step::Number { .. } | Step::Lost(_) => 0,
        })
    }

    pub(super) fn bits_of(&self, bit: BitRef, bound: &Bound<'_>) -> Vec<BitId> {
        let bit_of = |operand: &Operand| match operand {
            Operand::Bit(bit) => Some(*bit),
            _ => None,
        };
        match bit {
            BitRef::Fixed(bit) => vec![bit],
            BitRef::Formal(formal) => bound.operands[formal].iter().filter_map(bit_of).collect(),
        }
    }

    /// A term with the operands filled in.
    pub(super) fn formula(&self, term: &Term, bound: &Bound<'_>) -> Formula {
        match term {
            Term::Constant(value) => Formula::Constant(*value),
            Term::Bit(_) | Term::At(..) => {
                self.parts(term, bound).pop().expect("a term of one bit has one part")
            }
            Term::Has(formal, direction) => {
                let set = self.direction_set(bound.one(*formal)).unwrap_or(0);
                Formula::Constant(set & 1 << direction.0 != 0)
            }
            Term::Positive(sources) => {
                Formula::Positive(sources.iter().flat_map(|source| self.accesses(*source, bound)).collect())
            }
            Term::Not(inner) => Formula::Not(Box::new(self.formula(inner, bound))),
            Term::And(terms) => Formula::And(terms.iter().flat_map(|term| self.parts(term, bound)).collect()),
            Term::Or(terms) => Formula::Or(terms.iter().flat_map(|term| self.parts(term, bound)).collect()),
        }
    }

    /// The formulas that a term stands for inside `And` or `Or`: several if its operand stands for several.
    fn parts(&self, term: &Term, bound: &Bound<'_>) -> Vec<Formula> {
        let at = |bit: BitRef, offset, beyond| {
            let bits = self.bits_of(bit, bound).into_iter();
            bits.map(|bit| Formula::Bit { bit, offset, beyond }).collect()
        };
        match term {
            Term::Bit(bit) => at(*bit, [0; 3], false),
            Term::At(bit, DirectionId(direction), beyond) => {
                at(*bit, self.directions[*direction].offset, *beyond)
            }
            other => vec![self.formula(other, bound)],
        }
    }

    fn accesses(&self, source: SourceRef, bound: &Bound<'_>) -> Vec<Access> {
        let access = |operand: &Operand| match operand {
            Operand::Register(register) => Some(Access { register: *register, offset: [0; 3] }),
            Operand::View(view) => {
                Some(Access { register: self.views[view.0].register, offset: self.view_offset(*view) })
            }
            _ => None,
        };
        match source {
            SourceRef::Formal(formal) => bound.operands[formal].iter().filter_map(access).collect(),
            SourceRef::Register(register) => access(&Operand::Register(register)).into_iter().collect(),
            SourceRef::View(view) => access(&Operand::View(view)).into_iter().collect(),
        }
    }
}
