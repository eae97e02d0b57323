//! Which registers and bits are live: whether what they hold can still change anything that is kept.
//!
//! Where the flag is not 1 everywhere, a write changes some elements only. Liveness is therefore told apart for elements that the
//! present flag chooses and for the others.

use super::flat::Line;
use crate::backend::array::machine::{BitId, Cause, Cell, Effect, Formula, RegisterId, Target, Transfer};

/// What is live at one moment, registers first, then bits.
#[derive(Clone, Debug)]
pub(super) struct Live {
    registers: usize,
    /// In elements where the flag is 1.
    chosen: Vec<bool>,
    /// In the other elements.
    others: Vec<bool>,
}

impl Live {
    fn new(target: &Target, kept: &[Cell]) -> Self {
        let (registers, count) = (target.registers.len(), target.registers.len() + target.bits.len());
        let mut live = Self { registers, chosen: vec![false; count], others: vec![false; count] };
        kept.iter().for_each(|cell| live.add(*cell, false));
        live
    }

    fn at(&self, cell: Cell) -> usize {
        match cell {
            Cell::Register(register) => register.0,
            Cell::Bit(bit) => self.registers + bit.0,
        }
    }

    fn add(&mut self, cell: Cell, chosen_only: bool) {
        let at = self.at(cell);
        self.chosen[at] = true;
        self.others[at] |= !chosen_only;
    }

    fn end(&mut self, cell: Cell, chosen_only: bool) {
        let at = self.at(cell);
        self.chosen[at] = false;
        self.others[at] &= chosen_only;
    }

    /// Whether a cell is live in some element, or, with `chosen_only`, in one where the flag is 1.
    pub(super) fn has(&self, cell: Cell, chosen_only: bool) -> bool {
        let at = self.at(cell);
        self.chosen[at] || !chosen_only && self.others[at]
    }

    /// All cells that are live in some element.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let cell = |at: usize| match at.checked_sub(self.registers) {
            Some(bit) => Cell::Bit(BitId(bit)),
            None => Cell::Register(RegisterId(at)),
        };
        (0..self.chosen.len()).map(cell).filter(|cell| self.has(*cell, false)).collect()
    }

    /// Another flag chooses other elements.
    fn mix(&mut self) {
        for (chosen, other) in self.chosen.iter_mut().zip(&mut self.others) {
            (*chosen, *other) = (*chosen || *other, *chosen || *other);
        }
    }

    /// What is live before an effect; `all` says whether the flag is 1 everywhere then.
    fn before(&mut self, target: &Target, effect: &Effect, all: bool) {
        match effect {
            Effect::Transfer(transfer) => self.transfer(target, transfer, all),
            Effect::Bits { sets, flood } => {
                if effect.formula(target.flag()).is_some() {
                    self.mix();
                }
                for (bit, _) in sets.iter().filter(|(bit, _)| !flood && target.bits[bit.0].gate.is_none()) {
                    self.end(Cell::Bit(*bit), false);
                }
                for (bit, formula) in sets {
                    target.bits[bit.0].gate.into_iter().for_each(|gate| self.add(Cell::Bit(gate), false));
                    self.read(formula);
                }
            }
            Effect::Number { register, .. } if target.given(*register).is_some() => {
                self.end(Cell::Register(*register), false);
            }
            Effect::Number { register, .. } => {
                self.end(Cell::Register(*register), !all);
                self.add_flag(target);
            }
            Effect::Unknown { cause: Cause::Unspecified, .. } => {}
            // An inexact process may read anything.
            Effect::Unknown { cause: Cause::Inexact(_), .. } => {
                self.chosen.fill(true);
                self.others.fill(true);
            }
        }
    }

    fn transfer(&mut self, target: &Target, transfer: &Transfer, all: bool) {
        for write in &transfer.writes {
            self.end(Cell::Register(write.register), !all);
        }
        for (read, _) in &transfer.reads {
            self.add(Cell::Register(read.register), !all && transfer.is_local());
        }
        self.add_flag(target);
    }

    /// The flag is read by every write to a register: where it is 1 everywhere, it must be.
    fn add_flag(&mut self, target: &Target) {
        target.flag().into_iter().for_each(|flag| self.add(Cell::Bit(flag), false));
    }

    fn read(&mut self, formula: &Formula) {
        match formula {
            Formula::Constant(_) => {}
            Formula::Bit { bit, .. } => self.add(Cell::Bit(*bit), false),
            Formula::Positive(sources) => {
                sources.iter().for_each(|source| self.add(Cell::Register(source.register), false));
            }
            Formula::Not(inner) => self.read(inner),
            Formula::And(terms) | Formula::Or(terms) => terms.iter().for_each(|term| self.read(term)),
        }
    }
}

/// Whether the flag is 1 everywhere before a program. It is, unless the program itself sets it to 1 before it sets it to anything else:
/// then the program may begin after one that left it otherwise.
pub(super) fn begins_everywhere(target: &Target, lines: &[Line]) -> bool {
    let mut effects = lines.iter().flat_map(|line| &line.effects);
    effects.find_map(|effect| effect.formula(target.flag())) != Some(&Formula::Constant(true))
}

/// For each line, whether the flag is known to be 1 everywhere before each of its effects, and after the last.
pub(super) fn masks(target: &Target, lines: &[Line]) -> Vec<Vec<bool>> {
    let mut all = begins_everywhere(target, lines);
    let after = |all: bool, effect: &Effect| match effect {
        Effect::Bits { .. } => {
            effect.formula(target.flag()).map_or(all, |formula| *formula == Formula::Constant(true))
        }
        Effect::Unknown { bits, .. } => all && !bits.iter().any(|bit| Some(*bit) == target.flag()),
        _ => all,
    };
    let of_line = |line: &Line| {
        let mut own = vec![all];
        for effect in &line.effects {
            all = after(all, effect);
            own.push(all);
        }
        own
    };
    lines.iter().map(of_line).collect()
}

/// The lines that change something that is kept, with what is live after each of them, and the others.
pub(super) fn needed(target: &Target, lines: &[Line], kept: &[Cell]) -> (Vec<(Line, Live)>, Vec<Line>) {
    let masks = masks(target, lines);
    let mut live = Live::new(target, kept);
    let (mut needed, mut dead) = (Vec::new(), Vec::new());
    for (line, masks) in lines.iter().zip(&masks).rev() {
        if is_dead(target, line, masks, &live) {
            dead.push(line.clone());
            continue;
        }
        needed.push((line.clone(), live.clone()));
        live = before(target, std::slice::from_ref(line), std::slice::from_ref(masks), &live);
    }
    needed.reverse();
    dead.reverse();
    (needed, dead)
}

/// What is live before lines, if [`masks`] says this of the flag before each of their effects.
pub(super) fn before(target: &Target, lines: &[Line], masks: &[Vec<bool>], after: &Live) -> Live {
    let mut live = after.clone();
    for (line, masks) in lines.iter().zip(masks).rev() {
        for (effect, all) in line.effects.iter().zip(masks).rev() {
            live.before(target, effect, *all);
        }
    }
    live
}

/// What lines read from before them.
pub(super) fn exposed(target: &Target, lines: &[Line], masks: &[Vec<bool>]) -> Vec<Cell> {
    before(target, lines, masks, &Live::new(target, &[])).cells()
}

/// Whether a line writes something, and only what is not live.
fn is_dead(target: &Target, line: &Line, masks: &[bool], live: &Live) -> bool {
    let exact = |effect: &Effect| !matches!(effect, Effect::Unknown { .. });
    let inexact = |effect: &Effect| matches!(effect, Effect::Unknown { cause: Cause::Inexact(_), .. });
    if line.fixed || !line.effects.iter().any(exact) || line.effects.iter().any(inexact) {
        return false;
    }
    let linear = line.effects.iter().all(|effect| matches!(effect, Effect::Transfer(_)));
    let (before, after) = (masks[0], masks[masks.len() - 1]);
    let unchanged = |cell: Cell| target.flag().map(Cell::Bit) == Some(cell) && before && after;
    let writes = line.effects.iter().flat_map(Effect::writes);
    writes.filter(|cell| !unchanged(*cell)).all(|cell| !live.has(cell, linear && !before))
}
