//! Which pixels a program's registers and bits depend on, at most: a box around each element.

use crate::algebra::Offset;
use crate::backend::array::machine::{BitId, Cell, Effect, Formula, RegisterId, Target, Transfer};

/// The least and the greatest offset in columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The least offsets, to the west and the south.
    pub low: [i32; 2],
    /// The greatest offsets, to the east and the north.
    pub high: [i32; 2],
}

impl Extent {
    /// The element itself.
    const HERE: Self = Self { low: [0; 2], high: [0; 2] };

    fn with(self, other: Self) -> Self {
        let low = [0, 1].map(|axis| self.low[axis].min(other.low[axis]));
        Self { low, high: [0, 1].map(|axis| self.high[axis].max(other.high[axis])) }
    }

    fn moved(self, by: Offset) -> Self {
        let add = |from: [i32; 2]| [0, 1].map(|axis| from[axis].saturating_add(by[axis]));
        Self { low: add(self.low), high: add(self.high) }
    }

    /// The rows and columns that it takes on each side: west, east, south, north.
    pub fn border(self) -> [u32; 4] {
        let side = |n: i32| n.max(0).unsigned_abs();
        [side(-self.low[0]), side(self.high[0]), side(-self.low[1]), side(self.high[1])]
    }
}

/// The boxes of all registers and bits; `None` for those that depend on whole images.
#[derive(Clone, Debug)]
pub struct Reaches {
    registers: Vec<Option<Extent>>,
    bits: Vec<Option<Extent>>,
    /// Whether floods count as one step.
    local: bool,
}

impl Reaches {
    /// The reaches after these effects.
    pub fn new<'a>(target: &Target, registers: usize, effects: impl Iterator<Item = &'a Effect>) -> Self {
        Self::after(target, registers, effects, false)
    }

    /// The reaches of local operations: a flood counts as one step.
    pub(super) fn local<'a>(
        target: &Target,
        registers: usize,
        effects: impl Iterator<Item = &'a Effect>,
    ) -> Self {
        Self::after(target, registers, effects, true)
    }

    fn after<'a>(
        target: &Target,
        registers: usize,
        effects: impl Iterator<Item = &'a Effect>,
        local: bool,
    ) -> Self {
        let mut own = Self {
            registers: vec![Some(Extent::HERE); registers],
            bits: vec![Some(Extent::HERE); target.bits.len()],
            local,
        };
        let mut everywhere = true;
        for effect in effects {
            match effect {
                Effect::Transfer(transfer) => {
                    let flag = target.flag().filter(|_| !everywhere).map(|flag| own.bits[flag.0]);
                    own.transfer(transfer, flag);
                }
                Effect::Bits { sets, flood } => {
                    own.assign(target, sets, *flood);
                    if let Some(formula) = effect.formula(target.flag()) {
                        everywhere = *formula == Formula::Constant(true);
                    }
                }
                Effect::Number { register, .. } => {
                    let everywhere = everywhere || target.given(*register).is_some();
                    let flag = target.flag().filter(|_| !everywhere).map(|flag| own.bits[flag.0]);
                    own.write(*register, Some(Extent::HERE), flag);
                }
                Effect::Unknown { registers, bits, .. } => {
                    for register in registers {
                        let everywhere = everywhere || target.given(*register).is_some();
                        let flag = target.flag().filter(|_| !everywhere).map(|flag| own.bits[flag.0]);
                        own.write(*register, Some(Extent::HERE), flag);
                    }
                    for BitId(bit) in bits {
                        own.bits[*bit] = Some(Extent::HERE);
                    }
                }
            }
        }
        own
    }

    /// The box of a register or bit.
    pub fn of(&self, cell: Cell) -> Option<Extent> {
        match cell {
            Cell::Register(register) => self.registers[register.0],
            Cell::Bit(bit) => self.bits[bit.0],
        }
    }

    fn transfer(&mut self, transfer: &Transfer, flag: Option<Option<Extent>>) {
        let seen = |(register, offset): (RegisterId, Offset)| Some(self.registers[register.0]?.moved(offset));
        let reads = transfer.reads.iter().map(|(read, _)| seen((read.register, read.offset)));
        let sum = union(reads);
        for write in &transfer.writes {
            // The element itself counts: what is sent beyond the edge and fetched back is lost there.
            let new = union(std::iter::once(sum.map(|sum| sum.moved(write.offset))));
            self.write(write.register, new, flag);
        }
    }

    /// A write, in all elements or only where a flag with this box is 1.
    fn write(&mut self, register: RegisterId, new: Option<Extent>, flag: Option<Option<Extent>>) {
        let old = self.registers[register.0];
        self.registers[register.0] = match flag {
            None => new,
            Some(flag) => union([new, old, flag].into_iter()),
        };
    }

    fn assign(&mut self, target: &Target, sets: &[(BitId, Formula)], flood: bool) {
        let new: Vec<Option<Extent>> = sets
            .iter()
            .map(|(bit, formula)| {
                let gate = target.bits[bit.0].gate;
                let kept = gate.map(|gate| union([self.bits[gate.0], self.bits[bit.0]].into_iter()));
                if flood && !self.local {
                    None
                } else {
                    union([self.formula(formula)].into_iter().chain(kept))
                }
            })
            .collect();
        for ((bit, _), new) in sets.iter().zip(new) {
            self.bits[bit.0] = new;
        }
    }

    fn formula(&self, formula: &Formula) -> Option<Extent> {
        match formula {
            Formula::Constant(_) => Some(Extent::HERE),
            Formula::Bit { bit, offset, .. } => Some(self.bits[bit.0]?.moved(*offset)),
            Formula::Positive(sources) => union(
                sources.iter().map(|source| Some(self.registers[source.register.0]?.moved(source.offset))),
            ),
            Formula::Not(inner) => self.formula(inner),
            Formula::And(terms) | Formula::Or(terms) => union(terms.iter().map(|term| self.formula(term))),
        }
    }
}

/// The box around boxes; `None` if one is unbounded.
fn union(mut boxes: impl Iterator<Item = Option<Extent>>) -> Option<Extent> {
    boxes.try_fold(Extent::HERE, |sum, next| Some(sum.with(next?)))
}
