//! The digital instructions of a machine, with operands filled in from a few bits.

use super::window::{read, touched};
use crate::backend::array::machine::{
    BitId, BitKind, Cause, Cell, Effect, Formula, Instruction, Logic, Operand, ParameterKind, Step, Target,
};
use crate::backend::array::search::Objective;

/// An instruction that may stand in a window.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) instruction: Instruction,
    pub(super) effects: Vec<Effect>,
    /// Its cost under the objective.
    pub(super) cost: u32,
    pub(super) cycles: u32,
    /// The bits that it reads: bit b for bit b of the machine.
    pub(super) reads: u64,
    /// The bits that it writes.
    pub(super) writes: u64,
    /// Whether it writes constants only.
    pub(super) constant: bool,
}

impl Candidate {
    /// The bit and the formula of an instruction that writes one bit in all elements.
    pub(super) fn single(&self, target: &Target) -> Option<(BitId, &Formula)> {
        match &self.effects[..] {
            [Effect::Bits { sets, .. }] => match &sets[..] {
                [(bit, formula)] if target.bits[bit.0].gate.is_none() => Some((*bit, formula)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// All instructions that change nothing but these bits. Where cycles count, those that only stand for others are left out.
pub(super) fn candidates(target: &Target, usable: &[BitId], objective: Objective) -> Vec<Candidate> {
    let own = |step: &Step| !matches!(step, Step::Call { .. } | Step::Choose { .. });
    let counts = |logic: &&Logic| objective == Objective::Instructions || logic.steps.iter().all(own);
    let mut found = Vec::new();
    for logic in target.logic.iter().filter(counts) {
        for operands in filled(target, logic, usable) {
            let instruction = Instruction { name: logic.name.clone(), operands };
            found.extend(candidate(target, instruction, usable, objective));
        }
    }
    found
}

/// An instruction as a candidate, if the machine allows it and it changes nothing but these bits.
pub(super) fn candidate(
    target: &Target,
    instruction: Instruction,
    usable: &[BitId],
    objective: Objective,
) -> Option<Candidate> {
    target.check_instruction(&instruction).ok()?;
    let (effects, cycles) = (target.effects(&instruction).ok()?, target.cycles(&instruction).ok()?);
    let digital = |effect: &Effect| match effect {
        Effect::Bits { flood, .. } => !flood,
        Effect::Unknown { registers, cause: Cause::Unspecified, .. } => registers.is_empty(),
        _ => false,
    };
    let (mut reads, mut writes) = (0, 0);
    for effect in &effects {
        let written = effect.writes();
        for bit in touched(effect) {
            let is_read = matches!(effect, Effect::Bits { sets, .. } if reads_bit(sets, bit));
            reads |= u64::from(is_read) << bit.0;
            let is_written = written.contains(&Cell::Bit(bit));
            writes |= u64::from(is_written) << bit.0;
            // Where the gate is 0, the bit keeps what it held.
            if let Some(gate) = target.bits[bit.0].gate.filter(|_| is_written) {
                reads |= 1 << gate.0 | 1 << bit.0;
            }
        }
    }
    let inside = usable.iter().fold(0, |all, bit| all | 1 << bit.0);
    // What only loses values, or costs nothing, is a call of the host's.
    let useful = cycles > 0 && effects.iter().any(|effect| matches!(effect, Effect::Bits { .. }));
    let fits = useful && effects.iter().all(digital) && (reads | writes) & !inside == 0;
    let cost = if objective == Objective::Instructions { 1 } else { cycles };
    let constant = effects.iter().all(|effect| match effect {
        Effect::Bits { sets, .. } => sets.iter().all(|(_, formula)| matches!(formula, Formula::Constant(_))),
        _ => false,
    });
    fits.then_some(Candidate { instruction, effects, cost, cycles, reads, writes, constant })
}

fn reads_bit(sets: &[(BitId, Formula)], bit: BitId) -> bool {
    let mut found = Vec::new();
    sets.iter().for_each(|(_, formula)| read(formula, &mut found));
    found.contains(&bit)
}

/// The operands that an instruction can be given, several in a fixed order only. None if it takes registers.
fn filled(target: &Target, logic: &Logic, usable: &[BitId]) -> Vec<Vec<Operand>> {
    let mut found: Vec<Vec<Operand>> = vec![Vec::new()];
    for parameter in &logic.operands {
        let choices = choices(target, parameter.kind, usable);
        found = found
            .iter()
            .flat_map(|first| choices.iter().map(move |own| [first.as_slice(), own].concat()))
            .collect();
    }
    found
}

fn choices(target: &Target, kind: ParameterKind, usable: &[BitId]) -> Vec<Vec<Operand>> {
    match kind {
        ParameterKind::Bit { writes, count } => {
            let fits = |bit: &&BitId| !writes || target.bits[bit.0].kind == BitKind::Register;
            let bits: Vec<Operand> = usable.iter().filter(fits).map(|bit| Operand::Bit(*bit)).collect();
            let [least, most] = count.unwrap_or([1, 1]);
            (least..=most).flat_map(|count| chosen(&bits, count)).collect()
        }
        ParameterKind::Directions => {
            (1..1 << target.directions.len()).map(|set| vec![Operand::Directions(set)]).collect()
        }
        ParameterKind::Number(least @ 0.., most) if most - least < 2 => {
            (least..=most).filter_map(|n| Some(vec![Operand::Count(u32::try_from(n).ok()?)])).collect()
        }
        ParameterKind::Number(..) | ParameterKind::Register { .. } => Vec::new(),
    }
}

/// All ways to choose some of these.
fn chosen(from: &[Operand], count: usize) -> Vec<Vec<Operand>> {
    let Some((first, rest)) = from.split_first() else {
        return if count == 0 { vec![Vec::new()] } else { Vec::new() };
    };
    if count == 0 {
        return vec![Vec::new()];
    }
    let with = chosen(rest, count - 1).into_iter().map(|others| [&[*first], others.as_slice()].concat());
    with.chain(chosen(rest, count)).collect()
}
