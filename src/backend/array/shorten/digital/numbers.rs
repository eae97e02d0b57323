//! Numbers for the values that bits hold: bits with the same number hold the same in every element, the edge of the array included.

use std::collections::BTreeMap;

use crate::algebra::Offset;
use crate::backend::array::machine::{Access, BitKind, Cell, Effect, Formula, RegisterId, Target};
use crate::backend::array::shorten::flat::Line;
use crate::backend::array::shorten::live::begins_everywhere;

/// What a bit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Held {
    /// The same in all elements.
    Constant(bool),
    /// The value with a number, or its opposite.
    Value {
        /// The number.
        number: u32,
        /// Whether it is the opposite.
        negated: bool,
    },
}

impl Held {
    fn not(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Value { number, negated } => Self::Value { number, negated: !negated },
        }
    }
}

/// How a value that has a number came about. Equal ways make equal values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// A value as a neighbour holds it, and what stands for it beyond the edge.
    At(u32, Offset, bool),
    /// Whether all are 1.
    All(Vec<Held>),
    /// Whether the sum of registers, each as some write left it, is greater than 0.
    Positive(Vec<(RegisterId, u32, Offset)>),
}

/// What every bit holds before each line, and after the last.
pub(super) fn numbers(target: &Target, lines: &[Line]) -> Vec<Vec<Held>> {
    let mut numbers = Numbers {
        target,
        bits: Vec::new(),
        writes: vec![0; target.registers.len()],
        known: BTreeMap::new(),
        count: 0,
    };
    for bit in &target.bits {
        let start = match bit.kind {
            BitKind::Flag if begins_everywhere(target, lines) => Held::Constant(true),
            _ => numbers.fresh(),
        };
        numbers.bits.push(start);
    }
    let mut all = vec![numbers.bits.clone()];
    for line in lines {
        line.effects.iter().for_each(|effect| numbers.apply(effect));
        all.push(numbers.bits.clone());
    }
    all
}

struct Numbers<'a> {
    target: &'a Target,
    bits: Vec<Held>,
    /// How often each register was written.
    writes: Vec<u32>,
    known: BTreeMap<Way, u32>,
    count: u32,
}

impl Numbers<'_> {
    fn fresh(&mut self) -> Held {
        self.count += 1;
        Held::Value { number: self.count - 1, negated: false }
    }

    fn of(&mut self, way: Way) -> Held {
        if let Some(number) = self.known.get(&way) {
            return Held::Value { number: *number, negated: false };
        }
        self.known.insert(way, self.count);
        self.fresh()
    }

    fn apply(&mut self, effect: &Effect) {
        if let Effect::Bits { sets, flood: false } = effect {
            let new: Vec<Held> = sets
                .iter()
                .map(|(bit, formula)| {
                    let value = self.formula(formula);
                    let Some(gate) = self.target.bits[bit.0].gate else { return value };
                    let (gate, old) = (self.bits[gate.0], self.bits[bit.0]);
                    self.chosen(gate, value, old)
                })
                .collect();
            for ((bit, _), value) in sets.iter().zip(new) {
                self.bits[bit.0] = value;
            }
            return;
        }
        for cell in effect.writes() {
            match cell {
                Cell::Register(register) => self.writes[register.0] += 1,
                Cell::Bit(bit) => self.bits[bit.0] = self.fresh(),
            }
        }
    }

    fn formula(&mut self, formula: &Formula) -> Held {
        match formula {
            Formula::Constant(value) => Held::Constant(*value),
            Formula::Bit { bit, offset, beyond } => self.at(self.bits[bit.0], *offset, *beyond),
            Formula::Positive(sources) => {
                let source = |s: &Access| (s.register, self.writes[s.register.0], s.offset);
                let mut sources: Vec<_> = sources.iter().map(source).collect();
                sources.sort_unstable();
                self.of(Way::Positive(sources))
            }
            Formula::Not(inner) => self.formula(inner).not(),
            Formula::And(terms) => {
                let terms = terms.iter().map(|term| self.formula(term)).collect();
                self.all(terms)
            }
            Formula::Or(terms) => {
                let terms = terms.iter().map(|term| self.formula(term).not()).collect();
                self.all(terms).not()
            }
        }
    }

    fn at(&mut self, held: Held, offset: Offset, beyond: bool) -> Held {
        match held {
            held if offset == [0; 3] => held,
            Held::Constant(value) if value == beyond => held,
            // A constant that differs from what stands beyond the edge shows where the edge is.
            Held::Constant(_) => self.of(Way::At(u32::MAX, offset, beyond)),
            Held::Value { number, negated } => {
                let own = self.of(Way::At(number, offset, beyond != negated));
                if negated { own.not() } else { own }
            }
        }
    }

    fn all(&mut self, mut terms: Vec<Held>) -> Held {
        terms.retain(|term| *term != Held::Constant(true));
        terms.sort_unstable();
        terms.dedup();
        let never = |term: &Held| *term == Held::Constant(false) || terms.contains(&term.not());
        match terms[..] {
            [] => Held::Constant(true),
            [one] => one,
            _ if terms.iter().any(never) => Held::Constant(false),
            _ => self.of(Way::All(terms)),
        }
    }

    fn chosen(&mut self, gate: Held, new: Held, old: Held) -> Held {
        if new == old {
            return old;
        }
        let taken = self.all(vec![gate, new]);
        let left = self.all(vec![gate.not(), old]);
        self.all(vec![taken.not(), left.not()]).not()
    }
}
