//! Copy propagation: a copied bit is read where it was copied from, so that the copy may turn out to be dead.

use super::numbers::{Held, numbers};
use crate::backend::array::machine::{
    BitId, Cell, Definition, Effect, Formula, Operand, ParameterKind, Target,
};
use crate::backend::array::shorten::flat::Line;
use crate::backend::array::shorten::live::needed;

/// The lines, without the copies that are not needed if others are read in their place.
pub(super) fn without_copies(target: &Target, mut lines: Vec<Line>, kept: &[Cell]) -> Vec<Line> {
    let mut at = 0;
    while at < lines.len() {
        let shorter = copy(target, &lines[at]).and_then(|[to, from]| {
            let read = reading(target, &lines, at, [to, from])?;
            let (left, _) = needed(target, &read, kept);
            (left.len() < lines.len()).then(|| left.into_iter().map(|(line, _)| line).collect())
        });
        match shorter {
            Some(shorter) => lines = shorter,
            None => at += 1,
        }
    }
    lines
}

/// The bit that a line copies, and the bit that it copies it from.
fn copy(target: &Target, line: &Line) -> Option<[BitId; 2]> {
    let [Effect::Bits { sets, flood: false }] = &line.effects[..] else { return None };
    match &sets[..] {
        [(to, Formula::Bit { bit, offset: [0, 0, 0], .. })] if target.bits[to.0].gate.is_none() => {
            Some([*to, *bit])
        }
        _ => None,
    }
}

/// The lines, with one bit read in place of another wherever they hold the same after a copy; `None` if that changes nothing.
fn reading(target: &Target, lines: &[Line], copy: usize, [to, from]: [BitId; 2]) -> Option<Vec<Line>> {
    let held: Vec<Vec<Held>> = numbers(target, lines);
    let mut new = lines.to_vec();
    let mut changed = false;
    for at in copy + 1..lines.len() {
        if held[at][to.0] != held[at][from.0] {
            continue;
        }
        if let Some(line) = replaced(target, &lines[at], [to, from]) {
            new[at] = line;
            changed = true;
        }
    }
    changed.then_some(new)
}

/// A line that reads one bit in place of another; `None` if it does not read that bit, or if the machine does not allow it.
fn replaced(target: &Target, line: &Line, [to, from]: [BitId; 2]) -> Option<Line> {
    let Ok(Definition::Logic(logic)) = target.definition(&line.instruction) else { return None };
    let mut instruction = line.instruction.clone();
    let mut kinds = logic.operands.iter().map(|parameter| parameter.kind);
    let mut kind = kinds.next()?;
    for operand in &mut instruction.operands {
        if matches!(kind, ParameterKind::Bit { writes: false, .. }) && *operand == Operand::Bit(to) {
            *operand = Operand::Bit(from);
        }
        // Only the last parameter may stand for several operands.
        kind = kinds.next().unwrap_or(kind);
    }
    if instruction == line.instruction || target.check_instruction(&instruction).is_err() {
        return None;
    }
    let effects = target.effects(&instruction).ok()?;
    Some(Line { instruction, effects, ..line.clone() })
}
