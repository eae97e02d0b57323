//! Checks instructions that are not linear: what the machine forbids, and whether operands that share a register change a result.

use super::descriptor::Target;
use super::effect::{Effect, Formula};
use super::ids::BitId;
use super::instruction::{Instruction, Operand};
use super::logic::{BitKind, Logic, ParameterKind, SetKind, Step};
use super::operation::Violation;
use super::unfold::Bound;
use crate::algebra::Offset;

/// The maximum number of bits in a comparison of two formulas: 2^12 assignments.
const MAX_LEAVES: usize = 12;

impl Target {
    /// Checks that the machine allows these operands.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(super) fn check_logic(&self, logic: &Logic, instruction: &Instruction) -> Result<(), Violation> {
        let bound = self.bind(logic, instruction)?;
        for step in &logic.steps {
            self.check_step(step, &bound, instruction)?;
        }
        self.check_means(logic, &bound, instruction)
    }

    /// The instruction with the fewest and with the most operands, with a different register for each, and with the least and
    /// the greatest numbers and sets of directions. Empty if the machine has too few registers.
    pub(super) fn logic_examples(&self, logic: &Logic) -> Vec<Instruction> {
        let example = |most: bool| {
            let mut used = vec![0; self.files.len() + 1];
            let mut operands = Vec::new();
            for parameter in &logic.operands {
                let several = parameter.kind.count().map_or(1, |[least, greatest]| match most {
                    true => greatest,
                    false => least,
                });
                for _ in 0..several {
                    operands.push(self.example(parameter.kind, most, &mut used)?);
                }
            }
            Some(Instruction { name: logic.name.clone(), operands })
        };
        [false, true].into_iter().filter_map(example).collect()
    }

    fn example(&self, kind: ParameterKind, most: bool, used: &mut [usize]) -> Option<Operand> {
        // The last places are those of ordinary registers: the first ones have parts to play in steps.
        let bits: Vec<usize> = (0..self.bits.len())
            .filter(|bit| self.bits[*bit].kind == BitKind::Register && self.bits[*bit].gate.is_none())
            .rev()
            .collect();
        let mut next = |place: usize| {
            used[place] += 1;
            used[place] - 1
        };
        Some(match kind {
            ParameterKind::Bit { .. } => Operand::Bit(BitId(*bits.get(next(self.files.len()))?)),
            ParameterKind::Register { file, .. } => {
                let file = file.unwrap_or(0);
                Operand::Register(*self.files.get(file)?.registers.get(next(file))?)
            }
            ParameterKind::Directions if most => Operand::Directions((1 << self.directions.len()) - 1),
            ParameterKind::Directions => Operand::Directions(0),
            ParameterKind::Number(least, greatest) => {
                let number = if most { greatest } else { least };
                u32::try_from(number).map_or(Operand::Number(number), Operand::Count)
            }
        })
    }

    fn check_step(&self, step: &Step, bound: &Bound<'_>, instruction: &Instruction) -> Result<(), Violation> {
        match step {
            Step::Call { .. } => {
                self.check_instruction(&self.called(step, bound)).map_err(|cause| Violation::InExpansion {
                    instruction: self.instruction_text(instruction),
                    cause: Box::new(cause),
                })
            }
            Step::Choose { .. } => self.check_step(self.chosen(step, bound), bound, instruction),
            Step::Set { sets, how: SetKind::Once, .. } => {
                let written: Vec<BitId> =
                    sets.iter().flat_map(|(bit, _)| self.bits_of(*bit, bound)).collect();
                // A gate is read where what is behind it is written.
                let gates = written.iter().filter_map(|bit| self.bits[bit.0].gate);
                let terms = sets.iter().flat_map(|(_, term)| bits_in(&self.formula(term, bound)));
                // The flag is no register of the digital memory.
                let clashes = |bit: &BitId| written.contains(bit) && Some(*bit) != self.flag();
                gates.chain(terms).find(clashes).map_or(Ok(()), |bit| {
                    let name = self.bit_name(bit).to_owned();
                    Err(Violation::ReadsWritten {
                        operation: self.instruction_text(instruction),
                        operand: name.clone(),
                        register: name,
                    })
                })
            }
            _ => Ok(()),
        }
    }

    /// Compares the stated final values of operands with what the steps leave.
    fn check_means(
        &self,
        logic: &Logic,
        bound: &Bound<'_>,
        instruction: &Instruction,
    ) -> Result<(), Violation> {
        if logic.means.is_empty() {
            return Ok(());
        }
        let mut state = Held::default();
        for effect in self.effects(instruction)? {
            if let Effect::Bits { sets, flood: false } = &effect {
                state.set(self, sets);
            }
        }
        for (formal, term) in &logic.means {
            let Operand::Bit(bit) = bound.operands(*formal)[0] else { continue };
            // Where a bit's gate is 0, the instruction leaves it as it was.
            if same(&self.formula(term, bound), &state.value(bit), self.bits[bit.0].gate) == Some(false) {
                return Err(Violation::ChangedByAlias {
                    instruction: self.instruction_text(instruction),
                    register: self.bit_name(bit).to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// Bits as formulas over the bits at the start.
#[derive(Default)]
struct Held(Vec<(BitId, Formula)>);

impl Held {
    fn value(&self, bit: BitId) -> Formula {
        let own = self.0.iter().find(|(held, _)| *held == bit).map(|(_, formula)| formula.clone());
        own.unwrap_or(Formula::Bit { bit, offset: [0; 3], beyond: false })
    }

    fn set(&mut self, target: &Target, sets: &[(BitId, Formula)]) {
        let new: Vec<(BitId, Formula)> = sets
            .iter()
            .map(|(bit, formula)| {
                let value = self.inside(formula);
                let Some(gate) = target.bits[bit.0].gate else { return (*bit, value) };
                let (open, old) = (self.value(gate), self.value(*bit));
                let shut = Formula::Not(Box::new(open.clone()));
                (*bit, Formula::Or(vec![Formula::And(vec![open, value]), Formula::And(vec![shut, old])]))
            })
            .collect();
        for (bit, formula) in new {
            self.0.retain(|(held, _)| *held != bit);
            self.0.push((bit, formula));
        }
    }

    /// A formula over the bits now as one over the bits at the start.
    fn inside(&self, formula: &Formula) -> Formula {
        let all = |terms: &[Formula]| terms.iter().map(|term| self.inside(term)).collect();
        match formula {
            Formula::Bit { bit, offset, beyond } => moved(&self.value(*bit), *offset, *beyond),
            Formula::Constant(_) | Formula::Positive(_) => formula.clone(),
            Formula::Not(inner) => Formula::Not(Box::new(self.inside(inner))),
            Formula::And(terms) => Formula::And(all(terms)),
            Formula::Or(terms) => Formula::Or(all(terms)),
        }
    }
}

/// A formula as the element at an offset sees it.
fn moved(formula: &Formula, by: Offset, outside: bool) -> Formula {
    let all = |terms: &[Formula]| terms.iter().map(|term| moved(term, by, outside)).collect();
    match formula {
        Formula::Bit { bit, offset, beyond } => Formula::Bit {
            bit: *bit,
            offset: [0, 1, 2].map(|axis| offset[axis] + by[axis]),
            beyond: if by == [0; 3] { *beyond } else { outside },
        },
        Formula::Constant(_) | Formula::Positive(_) => formula.clone(),
        Formula::Not(inner) => Formula::Not(Box::new(moved(inner, by, outside))),
        Formula::And(terms) => Formula::And(all(terms)),
        Formula::Or(terms) => Formula::Or(all(terms)),
    }
}

/// The bits of this element and of others that a formula reads.
fn bits_in(formula: &Formula) -> Vec<BitId> {
    match formula {
        Formula::Bit { bit, .. } => vec![*bit],
        Formula::Constant(_) | Formula::Positive(_) => Vec::new(),
        Formula::Not(inner) => bits_in(inner),
        Formula::And(terms) | Formula::Or(terms) => terms.iter().flat_map(bits_in).collect(),
    }
}

/// Whether two formulas agree on all bits, in elements where a gate is 1; `None` if that takes too long, or if they compare registers.
fn same(one: &Formula, other: &Formula, gate: Option<BitId>) -> Option<bool> {
    let mut leaves = Vec::new();
    collect(one, &mut leaves)?;
    collect(other, &mut leaves)?;
    leaves.sort_unstable();
    leaves.dedup();
    if leaves.len() > MAX_LEAVES {
        return None;
    }
    let gate = leaves.iter().position(|(bit, offset)| Some(*bit) == gate && *offset == [0; 3]);
    let open = |bits: &u32| gate.is_none_or(|gate| bits >> gate & 1 == 1);
    let mut bits = (0..1u32 << leaves.len()).filter(open);
    Some(bits.all(|bits| holds(one, &leaves, bits) == holds(other, &leaves, bits)))
}

fn collect(formula: &Formula, leaves: &mut Vec<(BitId, Offset)>) -> Option<()> {
    match formula {
        Formula::Bit { bit, offset, .. } => leaves.push((*bit, *offset)),
        Formula::Constant(_) => {}
        Formula::Positive(_) => return None,
        Formula::Not(inner) => collect(inner, leaves)?,
        Formula::And(terms) | Formula::Or(terms) => {
            for term in terms {
                collect(term, leaves)?;
            }
        }
    }
    Some(())
}

fn holds(formula: &Formula, leaves: &[(BitId, Offset)], bits: u32) -> bool {
    match formula {
        Formula::Bit { bit, offset, .. } => {
            leaves.iter().position(|leaf| leaf == &(*bit, *offset)).is_some_and(|at| bits >> at & 1 == 1)
        }
        Formula::Constant(value) => *value,
        Formula::Positive(_) => false,
        Formula::Not(inner) => !holds(inner, leaves, bits),
        Formula::And(terms) => terms.iter().all(|term| holds(term, leaves, bits)),
        Formula::Or(terms) => terms.iter().any(|term| holds(term, leaves, bits)),
    }
}
