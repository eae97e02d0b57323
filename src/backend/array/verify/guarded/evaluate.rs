//! Evaluates a program with conditions and bits: what every register and bit holds at the end, as a function of the inputs.

use std::collections::BTreeMap;

use super::affine::Affine;
use super::diagram::{Id, TRUTHS, Trouble};
use super::space::{Kind, Origin, Space, Unknown};
use crate::algebra::{Offset, Rational};
use crate::backend::array::machine::{
    BitId, BitKind, Cause, Cell, Effect, Formula, Given, RegisterId, Target, Transfer,
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
    /// The registers and bits that cannot be followed and may depend on a value that is not documented: where that comes from.
    undocumented: BTreeMap<Cell, Origin>,
}

impl State {
    /// Where a value comes from that is not documented and on which a register or bit may depend.
    pub fn undocumented(&self, space: &Space, cell: Cell) -> Option<Origin> {
        match self.value(cell) {
            Ok(id) => space.undocumented(id),
            Err(_) => self.undocumented.get(&cell).copied(),
        }
    }

    fn set(&mut self, cell: Cell, value: Value, undocumented: Option<Origin>) {
        match cell {
            Cell::Register(register) => self.registers[register.0] = value,
            Cell::Bit(bit) => self.bits[bit.0] = value,
        }
        match undocumented {
            Some(origin) => self.undocumented.insert(cell, origin),
            None => self.undocumented.remove(&cell),
        };
    }

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
    let (start, channels) = start(space, target, registers, inputs)?;
    let program = space.programs;
    space.programs += 1;
    let mut evaluator = Evaluator {
        space,
        target,
        state: start,
        used: vec![false; registers],
        program,
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

/// The registers and bits at the start, with their channels.
fn start(
    space: &mut Space,
    target: &Target,
    registers: usize,
    inputs: &[(Cell, u16)],
) -> Result<(State, Vec<(Cell, u16)>), Trouble> {
    let mut start = State { registers: Vec::new(), bits: Vec::new(), undocumented: BTreeMap::new() };
    let mut channels = Vec::new();
    let mut value = |space: &mut Space, kind: Kind, cell: Cell| -> Value {
        let input = inputs.iter().find(|(own, _)| *own == cell).map(|(_, channel)| *channel);
        let channel = input.map_or_else(|| space.before(target, kind, cell), Ok)?;
        channels.push((cell, channel));
        space.value(channel)
    };
    for register in (0..registers).map(RegisterId) {
        let kind = if target.given(register).is_some() { Kind::Given } else { Kind::Before };
        start.registers.push(Ok(value(space, kind, Cell::Register(register))?));
    }
    for bit in (0..target.bits.len()).map(BitId) {
        if target.flag() == Some(bit) {
            start.bits.push(Ok(TRUTHS[1]));
            continue;
        }
        let kind = if target.bits[bit.0].kind == BitKind::Given { Kind::Given } else { Kind::Before };
        start.bits.push(Ok(value(space, kind, Cell::Bit(bit))?));
    }
    Ok((start, channels))
}

struct Evaluator<'a> {
    space: &'a mut Space,
    target: &'a Target,
    state: State,
    /// The registers that were read or set.
    used: Vec<bool>,
    /// The program, in the order in which programs are followed.
    program: usize,
    /// The instruction.
    at: usize,
    flags: Vec<(usize, Id)>,
    writes: Vec<(usize, RegisterId, Value)>,
}

impl Evaluator<'_> {
    fn apply(&mut self, effect: &Effect) {
        for cell in effect.reads() {
            if let Cell::Register(register) = cell {
                self.used[register.0] = true;
            }
        }
        match effect {
            Effect::Transfer(transfer) => self.transfer(transfer),
            Effect::Bits { sets, flood: false } => self.assign(sets),
            Effect::Bits { sets, flood: true } => self.flood(sets),
            Effect::Number { register, value } => {
                let number = Affine::constant(Rational::integer(*value));
                let new = self.space.diagrams.linear(number);
                self.used[register.0] = true;
                self.write(*register, new, None);
            }
            Effect::Unknown { registers, bits, cause } => {
                let why = match cause {
                    Cause::Unspecified => Unknown::Unspecified,
                    Cause::Inexact(what) => Unknown::Inexact(what.clone()),
                };
                for register in registers {
                    if self.is_unused_image(*register) {
                        continue;
                    }
                    let origin = self.origin(Cell::Register(*register));
                    let new = self.unknown(origin, why.clone());
                    self.write(*register, new, Some(origin));
                }
                for bit in bits {
                    let origin = self.origin(Cell::Bit(*bit));
                    let new = self.unknown(origin, why.clone());
                    self.state.set(origin.cell, new, new.is_err().then_some(origin));
                }
            }
        }
    }

    /// Whether a register is a source of images that was not used yet: then it holds as good an image as any other.
    fn is_unused_image(&self, register: RegisterId) -> bool {
        self.target.given(register) == Some(Given::Image) && !self.used[register.0]
    }

    /// What this instruction leaves in a register or bit.
    fn origin(&self, cell: Cell) -> Origin {
        Origin { program: self.program, instruction: self.at, cell }
    }

    fn unknown(&mut self, origin: Origin, why: Unknown) -> Value {
        let bit = matches!(origin.cell, Cell::Bit(_));
        self.space.add(self.target, Kind::Unknown(origin, why), None, bit)
    }

    /// The flag; `None` where there is none.
    fn flag(&self) -> Option<Cell> {
        self.target.flag().map(Cell::Bit)
    }

    /// Where a condition holds; everywhere without one.
    fn holds(&self, condition: Option<Cell>) -> Value {
        condition.map_or(Ok(TRUTHS[1]), |condition| self.state.value(condition))
    }

    /// Where a value comes from that is not documented and on which one of these may depend.
    fn undocumented(&self, cells: &[Cell]) -> Option<Origin> {
        cells.iter().find_map(|cell| self.state.undocumented(self.space, *cell))
    }

    /// What a register or bit holds after a write that takes effect where a condition holds. If it cannot be followed: where a value
    /// comes from that is not documented and on which it may depend; for the new value alone that is `undocumented`.
    fn written(
        &mut self,
        cell: Cell,
        condition: Option<Cell>,
        new: Value,
        undocumented: Option<Origin>,
    ) -> (Value, Option<Origin>) {
        let old = self.state.value(cell);
        let value = match self.holds(condition) {
            Ok(holds) if holds == TRUTHS[1] => return (new, undocumented.filter(|_| new.is_err())),
            Ok(holds) if holds == TRUTHS[0] => old,
            Ok(holds) => new.and_then(|new| self.space.diagrams.choose(holds, new, old?)),
            Err(trouble) => Err(trouble),
        };
        if value.is_ok() {
            return (value, None);
        }
        let own = undocumented.or_else(|| self.space.undocumented(new.ok()?));
        let others: Vec<Cell> = condition.into_iter().chain([cell]).collect();
        (value, own.or_else(|| self.undocumented(&others)))
    }

    /// A write to a register, where the flag is 1; to a source that is set from outside, in every element.
    fn write(&mut self, register: RegisterId, new: Value, undocumented: Option<Origin>) {
        let cell = Cell::Register(register);
        let flag = if self.target.given(register).is_some() { None } else { self.flag() };
        let (value, undocumented) = self.written(cell, flag, new, undocumented);
        self.state.set(cell, value, undocumented);
    }

    fn transfer(&mut self, transfer: &Transfer) {
        let sum = self.sum(transfer.reads.iter().map(|(read, weight)| (read.register, read.offset, *weight)));
        let mut values = Vec::with_capacity(transfer.writes.len());
        for write in &transfer.writes {
            values.push(sum.and_then(|sum| self.space.diagrams.moved(sum, write.offset)));
        }
        let failed = values.iter().any(Result::is_err);
        let undocumented = if failed { self.undocumented(&transfer.sources()) } else { None };
        for (write, new) in transfer.writes.iter().zip(values) {
            self.write(write.register, new, undocumented);
            self.writes.push((self.at, write.register, self.state.registers[write.register.0]));
        }
    }

    fn sum(&mut self, terms: impl Iterator<Item = (RegisterId, Offset, Rational)>) -> Value {
        let mut sum = self.space.diagrams.linear(Affine::constant(Rational::ZERO))?;
        for (register, offset, weight) in terms {
            let value = self.state.registers[register.0]?;
            let moved = self.space.diagrams.moved(value, offset)?;
            let scaled = self.space.diagrams.scale(moved, weight)?;
            sum = self.space.diagrams.add(sum, scaled)?;
        }
        Ok(sum)
    }

    fn gate(&self, bit: BitId) -> Option<Cell> {
        self.target.bits[bit.0].gate.map(Cell::Bit)
    }

    /// The bits after an assignment, each as [`written`](Self::written) has it.
    fn assigned(&mut self, sets: &[(BitId, Formula)]) -> Vec<(BitId, (Value, Option<Origin>))> {
        let mut new = Vec::with_capacity(sets.len());
        for (bit, formula) in sets {
            let value = self.formula(formula);
            let undocumented = if value.is_err() { self.undocumented(&formula.reads()) } else { None };
            let gate = self.gate(*bit);
            new.push((*bit, self.written(Cell::Bit(*bit), gate, value, undocumented)));
        }
        new
    }

    fn assign(&mut self, sets: &[(BitId, Formula)]) {
        for (bit, (value, undocumented)) in self.assigned(sets) {
            self.state.set(Cell::Bit(bit), value, undocumented);
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
            let over = new.iter().all(|(bit, (value, _))| self.state.bits[bit.0] == *value);
            for (bit, (value, undocumented)) in new {
                self.state.set(Cell::Bit(bit), value, undocumented);
            }
            if over {
                return;
            }
        }
        self.state = before;
        let reads = |(bit, formula): &(BitId, Formula)| {
            formula.reads().into_iter().chain(self.gate(*bit)).chain([Cell::Bit(*bit)]).collect::<Vec<_>>()
        };
        let reads: Vec<Cell> = sets.iter().flat_map(reads).collect();
        let undocumented = self.undocumented(&reads);
        for (bit, _) in sets {
            let cell = Cell::Bit(*bit);
            let new = self.unknown(self.origin(cell), Unknown::Flood(undocumented));
            let (value, undocumented) = self.written(cell, self.gate(*bit), new, undocumented);
            self.state.set(cell, value, undocumented);
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
