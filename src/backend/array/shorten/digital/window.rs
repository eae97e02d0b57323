//! Windows: a few neighbouring lines that change nothing but bits, and what they must leave.

use super::numbers::Held;
use super::table::{Atom, Atoms, CONSTANTS, Table, and, not, or};
use crate::backend::array::machine::{
    BitId, BitKind, BitRef, Cause, Cell, Effect, Formula, SetKind, Step, Target, Term,
};
use crate::backend::array::shorten::flat::Line;
use crate::backend::array::shorten::live::{Live, before};

/// The maximum number of bits that a window's instructions may use.
const MAX_BITS: usize = 8;

/// The number of bits, besides those of its own instructions, that a window may use as scratch.
const SCRATCH: usize = 2;

/// The bits of a window, as truth tables; `None` for values that no table describes. Such a bit cannot be read.
pub(super) type Bits = Vec<Option<Table>>;

/// A window.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// What its tables are over.
    pub(super) atoms: Atoms,
    /// The bits at the start, all bits of the machine.
    pub(super) start: Bits,
    /// The bits that are live at the end, with what they hold.
    pub(super) goals: Vec<(BitId, Table)>,
    /// The bits that instructions in its place may use.
    pub(super) usable: Vec<BitId>,
}

/// Whether a line changes bits only, in a way that a table can describe. One that sets none by a formula, a refresh for instance, is there
/// for something else.
pub(super) fn is_digital(line: &Line) -> bool {
    let fits = |effect: &Effect| match effect {
        Effect::Bits { flood, .. } => !flood,
        Effect::Unknown { registers, cause: Cause::Unspecified, .. } => registers.is_empty(),
        _ => false,
    };
    let sets = |effect: &Effect| matches!(effect, Effect::Bits { .. });
    !line.fixed && line.effects.iter().any(sets) && line.effects.iter().all(fits)
}

impl Window {
    /// The window of these lines; `None` if there are too many bits or atoms, or if an unspecified value is live at the end.
    pub(super) fn new(target: &Target, own: &[(Line, Live)], held: &[Held]) -> Option<Self> {
        let (_, after) = own.last()?;
        let lines: Vec<Line> = own.iter().map(|(line, _)| line.clone()).collect();
        let effects = || lines.iter().flat_map(|line| &line.effects);
        let mut used: Vec<BitId> = effects().flat_map(touched).collect();
        used.extend(used.iter().filter_map(|bit| target.bits[bit.0].gate).collect::<Vec<_>>());
        used.sort_unstable();
        used.dedup();
        // Whether the flag is 1 matters to analogue registers only.
        let masks: Vec<Vec<bool>> = lines.iter().map(|line| vec![true; line.effects.len()]).collect();
        let before = before(target, &lines, &masks, after);
        let mut atoms = Atoms::default();
        let mut start: Bits = vec![None; target.bits.len()];
        for bit in &used {
            let fact = fact(target, held, *bit);
            if before.has(Cell::Bit(*bit), false) || matches!(fact, Held::Constant(_)) {
                start[bit.0] = atoms.held(fact);
            }
        }
        let mut end = start.clone();
        for effect in effects() {
            apply(target, effect, &mut end, &mut atoms);
        }
        let live = |bit: &BitId| after.has(Cell::Bit(*bit), false);
        let goals = used.iter().filter(|bit| live(bit)).map(|bit| Some((*bit, end[bit.0]?)));
        let goals = goals.collect::<Option<Vec<_>>>()?;
        atoms.close();
        // Others are scratch here, and any bit may be that.
        let parts = parts(target);
        let read = |bit: &BitId| before.has(Cell::Bit(*bit), false);
        used.retain(|bit| live(bit) || read(bit) || parts.contains(bit));
        if used.len() > MAX_BITS {
            return None;
        }
        let mut window = Self { atoms, start, goals, usable: used };
        window.add_holders(target, held, &live);
        Some(window)
    }

    /// Adds bits that hold what the window reads, and bits that are dead after it.
    fn add_holders(&mut self, target: &Target, held: &[Held], live: &dyn Fn(&BitId) -> bool) {
        let known: Vec<u32> = self.atoms.numbers().collect();
        let is_known = |held: Held| matches!(held, Held::Value { number, .. } if known.contains(&number));
        let others: Vec<BitId> =
            (0..target.bits.len()).map(BitId).filter(|bit| !self.usable.contains(bit)).collect();
        let (mut scratch, mut holders) = (Vec::new(), Vec::new());
        for bit in others {
            let own = &target.bits[bit.0];
            let ordinary = own.kind == BitKind::Register && own.gate.is_none();
            let holds = is_known(fact(target, held, bit));
            if holds {
                holders.push(bit);
            } else if ordinary && !live(&bit) {
                scratch.push(bit);
            }
        }
        for bit in
            scratch.into_iter().take(SCRATCH).chain(holders).take(MAX_BITS + SCRATCH - self.usable.len())
        {
            self.start[bit.0] = self.atoms.held(held[bit.0]).filter(|_| is_known(held[bit.0]));
            if live(&bit)
                && let Some(table) = self.start[bit.0]
            {
                self.goals.push((bit, table));
            }
            self.usable.push(bit);
        }
        self.usable.sort_unstable();
    }
}

/// The bits that an operation reads although no operand names them.
fn parts(target: &Target) -> Vec<BitId> {
    fn fixed(term: &Term, found: &mut Vec<BitId>) {
        match term {
            Term::Bit(BitRef::Fixed(bit)) | Term::At(BitRef::Fixed(bit), ..) => found.push(*bit),
            Term::Not(inner) => fixed(inner, found),
            Term::And(terms) | Term::Or(terms) => terms.iter().for_each(|term| fixed(term, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for step in target.logic.iter().flat_map(|logic| &logic.steps) {
        if let Step::Set { sets, how: SetKind::Once | SetKind::Update, .. } = step {
            sets.iter().for_each(|(_, term)| fixed(term, &mut found));
        }
    }
    found
}

/// What is known of a bit. Of one with a gate, nothing is used, since no assignment states it in all elements.
fn fact(target: &Target, held: &[Held], bit: BitId) -> Held {
    match target.bits[bit.0].gate {
        Some(_) => Held::Value { number: u32::MAX - bit.0 as u32, negated: false },
        None => held[bit.0],
    }
}

/// The bits that an effect reads or writes.
pub(super) fn touched(effect: &Effect) -> Vec<BitId> {
    let mut found: Vec<BitId> = effect
        .writes()
        .into_iter()
        .filter_map(|cell| match cell {
            Cell::Bit(bit) => Some(bit),
            Cell::Register(_) => None,
        })
        .collect();
    if let Effect::Bits { sets, .. } = effect {
        sets.iter().for_each(|(_, formula)| read(formula, &mut found));
    }
    found
}

/// Adds the bits that a formula reads.
pub(super) fn read(formula: &Formula, found: &mut Vec<BitId>) {
    match formula {
        Formula::Bit { bit, .. } => found.push(*bit),
        Formula::Constant(_) | Formula::Positive(_) => {}
        Formula::Not(inner) => read(inner, found),
        Formula::And(terms) | Formula::Or(terms) => terms.iter().for_each(|term| read(term, found)),
    }
}

/// What an effect makes of bits.
pub(super) fn apply(target: &Target, effect: &Effect, bits: &mut Bits, atoms: &mut Atoms) {
    match effect {
        Effect::Bits { sets, .. } => {
            let mut new = Vec::with_capacity(sets.len());
            for (bit, formula) in sets {
                let value = table(formula, bits, atoms);
                let gate = target.bits[bit.0].gate.map_or(Some(CONSTANTS[1]), |gate| bits[gate.0]);
                new.push(chosen(gate, value, bits[bit.0]));
            }
            for ((bit, _), value) in sets.iter().zip(new) {
                bits[bit.0] = value;
            }
        }
        other => {
            for cell in other.writes() {
                if let Cell::Bit(bit) = cell {
                    bits[bit.0] = None;
                }
            }
        }
    }
}

fn chosen(gate: Option<Table>, new: Option<Table>, old: Option<Table>) -> Option<Table> {
    match gate? {
        gate if gate == CONSTANTS[1] => new,
        gate if gate == CONSTANTS[0] => old,
        gate => Some(or(and(gate, new?), and(not(gate), old?))),
    }
}

/// The table of a formula.
pub(super) fn table(formula: &Formula, bits: &Bits, atoms: &mut Atoms) -> Option<Table> {
    match formula {
        Formula::Constant(value) => Some(CONSTANTS[usize::from(*value)]),
        Formula::Bit { bit, offset: [0, 0, 0], .. } => bits[bit.0],
        Formula::Bit { bit, offset, beyond } => atoms.moved(bits[bit.0]?, *offset, *beyond),
        Formula::Positive(sources) => {
            let mut sources = sources.clone();
            sources.sort_unstable_by_key(|source| (source.register, source.offset));
            atoms.atom(&Atom::Positive(sources, [0; 3]))
        }
        Formula::Not(inner) => table(inner, bits, atoms).map(not),
        Formula::And(terms) => folded(terms, true, bits, atoms),
        Formula::Or(terms) => folded(terms, false, bits, atoms),
    }
}

/// The conjunction or disjunction of terms. Terms behind one that decides need no table.
fn folded(terms: &[Formula], all: bool, bits: &Bits, atoms: &mut Atoms) -> Option<Table> {
    let mut value = CONSTANTS[usize::from(all)];
    for term in terms {
        if value == CONSTANTS[usize::from(!all)] {
            break;
        }
        let term = table(term, bits, atoms)?;
        value = if all { and(value, term) } else { or(value, term) };
    }
    Some(value)
}
