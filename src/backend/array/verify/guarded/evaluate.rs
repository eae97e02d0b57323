//! Evaluates a program with conditions and bits: what every register and bit holds at the end, as a function of the inputs.

use super::affine::Affine;
use super::diagram::{Id, TRUTHS, Trouble};
use super::space::{Channel, Kind, Space, Unknown};
use crate::algebra::{Offset, Rational};
use crate::backend::array::machine::{
    BitId, BitKind, Cause, Cell, Effect, Formula, RegisterId, Target, Transfer,
};

/// The maximum number of rounds in which a flood is followed. One that needs more is not followed at all.
const MAX_ROUNDS: usize = 3;

/// A function, or why it cannot be followed.
pub type Value = Result<Id, Trouble>;

/// The registers and bits at one moment.
#[derive(Clone, Debug)]
pub struct State {
    registers: Vec<Value>,
    bits: Vec<Value>,
}

impl State {
    /// The function that a register or bit holds.
    pub fn value(&self, cell: Cell) -> Value {
        match cell {
            Cell::Register(register) => self.registers[register.0],
            Cell::Bit(bit) => self.bits[bit.0],
        }
    }
}

/// A program that was followed.
#[derive(Clone, Debug)]
pub struct Followed {
    /// What its registers and bits hold at the end.
    pub end: State,
    /// The registers and bits at the start, and the channels that they hold.
    pub start: Vec<(Cell, u16)>,
    /// The flag after each instruction that sets it, by the instruction's index.
    pub flags: Vec<(usize, Id)>,
    /// What registers hold after each write: the instruction, by index, the register and the value.
    pub writes: Vec<(usize, RegisterId, Value)>,
}

/// Follows a program: the effects of each instruction, and the registers and bits that hold the inputs at the start. Functions of two
/// programs in one space depend on the same inputs, and on the same values before them in all other registers and bits.
///
/// # Errors
/// [`Trouble`] if even the start has too many channels.
pub fn follow(
    space: &mut Space,
    target: &Target,
    steps: &[Vec<Effect>],
    registers: usize,
    inputs: &[(Cell, u16)],
) -> Result<Followed, Trouble> {
    follow_each(space, target, steps, registers, inputs, &mut |_| {})
}

/// The same; `after` sees the registers and bits after each instruction.
///
/// # Errors
/// Those of [`follow`].
pub fn follow_each(
    space: &mut Space,
    target: &Target,
    steps: &[Vec<Effect>],
    registers: usize,
    inputs: &[(Cell, u16)],
    after: &mut dyn FnMut(&State),
) -> Result<Followed, Trouble> {
    let mut start = State { registers: Vec::new(), bits: Vec::new() };
    let mut channels = Vec::new();
    let input = |cell: Cell| inputs.iter().find(|(own, _)| *own == cell).map(|(_, channel)| *channel);
    for register in 0..registers {
        let cell = Cell::Register(RegisterId(register));
        let kind = match target.given(RegisterId(register)) {
            Some(_) => Kind::Given,
            None => Kind::Before,
        };
        let channel = match input(cell) {
            Some(channel) => channel,
            None => known(space, target, kind, cell)?,
        };
        channels.push((cell, channel));
        start.registers.push(Ok(space.value(channel)?));
    }
    for bit in 0..target.bits.len() {
        let cell = Cell::Bit(BitId(bit));
        if target.flag() == Some(BitId(bit)) {
            start.bits.push(Ok(TRUTHS[1]));
            continue;
        }
        let kind = if target.bits[bit].kind == BitKind::Given { Kind::Given } else { Kind::Before };
        let channel = match input(cell) {
            Some(channel) => channel,
            None => known(space, target, kind, cell)?,
        };
        channels.push((cell, channel));
        start.bits.push(Ok(space.value(channel)?));
    }
    let mut evaluator = Evaluator {
        space,
        target,
        state: start,
        read: vec![false; registers],
        at: 0,
        flags: Vec::new(),
        writes: Vec::new(),
    };
    for (index, effects) in steps.iter().enumerate() {
        evaluator.at = index;
        for effect in effects {
            evaluator.apply(effect);
        }
        after(&evaluator.state);
    }
    let Evaluator { state: end, flags, writes, .. } = evaluator;
    Ok(Followed { end, start: channels, flags, writes })
}

/// The channel of a register or bit at the start, which is the same for every program that has no input there.
fn known(space: &mut Space, target: &Target, kind: Kind, cell: Cell) -> Result<u16, Trouble> {
    let same = |channel: &Channel| channel.kind == kind && channel.cell == Some(cell);
    if let Some(number) = space.channels.iter().position(same) {
        return Ok(number as u16);
    }
    space.add(target, kind, Some(cell), matches!(cell, Cell::Bit(_)))?;
    Ok((space.channels.len() - 1) as u16)
}

struct Evaluator<'a> {
    space: &'a mut Space,
    target: &'a Target,
    state: State,
    /// The registers that were read.
    read: Vec<bool>,
    /// The instruction.
    at: usize,
    flags: Vec<(usize, Id)>,
    writes: Vec<(usize, RegisterId, Value)>,
}

impl Evaluator<'_> {
    fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::Transfer(transfer) => self.transfer(transfer),
            Effect::Bits { sets, flood: false } => self.assign(sets),
            Effect::Bits { sets, flood: true } => self.flood(sets),
            Effect::Number { register, value } => {
                let number = Affine::constant(Rational::integer(*value));
                let (new, old) = (self.space.diagrams.linear(number), self.state.registers[register.0]);
                let flag = self.written_where(*register);
                self.state.registers[register.0] = self.chosen(flag, new, old);
            }
            Effect::Unknown { registers, bits, cause } => {
                let why = match cause {
                    Cause::Unspecified => Unknown::Unspecified,
                    Cause::Inexact(what) => Unknown::Inexact(what.clone()),
                };
                for register in registers {
                    // A source that was not read yet holds as good an image as any other.
                    if self.target.given(*register).is_none() || self.read[register.0] {
                        let new = self.unknown(why.clone(), Cell::Register(*register));
                        let flag = self.written_where(*register);
                        let old = self.state.registers[register.0];
                        self.state.registers[register.0] = self.chosen(flag, new, old);
                    }
                }
                for bit in bits {
                    self.state.bits[bit.0] = self.unknown(why.clone(), Cell::Bit(*bit));
                }
            }
        }
    }

    fn unknown(&mut self, why: Unknown, cell: Cell) -> Value {
        let kind = Kind::Unknown(self.at, cell, why);
        self.space.add(self.target, kind, None, matches!(cell, Cell::Bit(_)))
    }

    fn flag(&self) -> Value {
        self.target.flag().map_or(Ok(TRUTHS[1]), |flag| self.state.bits[flag.0])
    }

    /// Where a write to a register takes effect.
    fn written_where(&self, register: RegisterId) -> Value {
        if self.target.given(register).is_some() { Ok(TRUTHS[1]) } else { self.flag() }
    }

    fn chosen(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        match condition? {
            condition if condition == TRUTHS[1] => yes,
            condition if condition == TRUTHS[0] => no,
            condition => self.space.diagrams.choose(condition, yes?, no?),
        }
    }

    fn transfer(&mut self, transfer: &Transfer) {
        let sum = self.sum(transfer.reads.iter().map(|(read, weight)| (read.register, read.offset, *weight)));
        let flag = self.flag();
        for write in &transfer.writes {
            let new = sum.and_then(|sum| self.space.diagrams.moved(sum, write.offset));
            let old = self.state.registers[write.register.0];
            let value = self.chosen(flag, new, old);
            self.state.registers[write.register.0] = value;
            self.writes.push((self.at, write.register, value));
        }
    }

    fn sum(&mut self, terms: impl Iterator<Item = (RegisterId, Offset, Rational)>) -> Value {
        let mut sum = self.space.diagrams.linear(Affine::constant(Rational::ZERO))?;
        for (register, offset, weight) in terms {
            self.read[register.0] = true;
            let value = self.state.registers[register.0]?;
            let moved = self.space.diagrams.moved(value, offset)?;
            let scaled = self.space.diagrams.scale(moved, weight)?;
            sum = self.space.diagrams.add(sum, scaled)?;
        }
        Ok(sum)
    }

    /// The bits after an assignment.
    fn assigned(&mut self, sets: &[(BitId, Formula)]) -> Vec<(BitId, Value)> {
        let mut new = Vec::with_capacity(sets.len());
        for (bit, formula) in sets {
            let value = self.formula(formula);
            let gate = self.target.bits[bit.0].gate.map_or(Ok(TRUTHS[1]), |gate| self.state.bits[gate.0]);
            let old = self.state.bits[bit.0];
            new.push((*bit, self.chosen(gate, value, old)));
        }
        new
    }

    fn assign(&mut self, sets: &[(BitId, Formula)]) {
        for (bit, value) in self.assigned(sets) {
            self.state.bits[bit.0] = value;
            if self.target.flag() == Some(bit)
                && let Ok(flag) = value
            {
                self.flags.push((self.at, flag));
            }
        }
    }

    /// A flood that is over after a few rounds is followed; the result of others is not known.
    fn flood(&mut self, sets: &[(BitId, Formula)]) {
        let before = self.state.clone();
        for _ in 0..MAX_ROUNDS {
            let new = self.assigned(sets);
            if new.iter().all(|(bit, value)| self.state.bits[bit.0] == *value) {
                return;
            }
            for (bit, value) in new {
                self.state.bits[bit.0] = value;
            }
        }
        self.state = before;
        for (bit, _) in sets {
            let new = self.unknown(Unknown::Flood, Cell::Bit(*bit));
            let gate = self.target.bits[bit.0].gate.map_or(Ok(TRUTHS[1]), |gate| self.state.bits[gate.0]);
            let old = self.state.bits[bit.0];
            self.state.bits[bit.0] = self.chosen(gate, new, old);
        }
    }

    fn formula(&mut self, formula: &Formula) -> Value {
        match formula {
            Formula::Constant(value) => Ok(TRUTHS[usize::from(*value)]),
            Formula::Bit { bit, offset, .. } => {
                let value = self.state.bits[bit.0]?;
                self.space.diagrams.moved(value, *offset)
            }
            Formula::Positive(sources) => {
                let sources = sources.iter().map(|source| (source.register, source.offset, Rational::ONE));
                let sum = self.sum(sources)?;
                self.space.diagrams.positive(sum)
            }
            Formula::Not(inner) => {
                let inner = self.formula(inner)?;
                self.space.diagrams.not(inner)
            }
            Formula::And(terms) => self.folded(terms, true),
            Formula::Or(terms) => self.folded(terms, false),
        }
    }

    /// The conjunction or disjunction of terms.
    fn folded(&mut self, terms: &[Formula], all: bool) -> Value {
        let end = TRUTHS[usize::from(!all)];
        let mut value = TRUTHS[usize::from(all)];
        for term in terms {
            // Terms behind one that decides need not be known.
            if value == end {
                break;
            }
            let term = self.formula(term)?;
            value = match all {
                true => self.space.diagrams.and(value, term)?,
                false => self.space.diagrams.or(value, term)?,
            };
        }
        Ok(value)
    }
}
