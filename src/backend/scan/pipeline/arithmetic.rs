//! Makes operations of loops: finds the narrowest type in which nothing overflows, and leaves out what does nothing.

use crate::algebra::Choice;
use crate::backend::scan::machine::Storage;
use crate::pipeline::Comparison;

use super::expression::{Expressions, Id, Operator, Typed};

/// The interval that operations in single precision are given. They have none.
pub(super) const ANY: [i128; 2] = [0; 2];

/// The type of 1 and 0 for what holds and what does not.
pub(super) const TRUTH: Storage = Storage { bits: 8, signed: false, float: false };

/// The narrowest type in which loops compute numbers of an interval. `None` beyond 64 bits with a sign. From 32 bits on it has a
/// sign: processors compare, convert and shift such integers at least as fast.
pub(super) fn working([least, greatest]: [i128; 2]) -> Option<Storage> {
    let held = Storage::holding(least, greatest)?;
    match (held.bits, held.signed) {
        (64, false) if greatest > i128::from(i64::MAX) => None,
        (32, false) if greatest <= i128::from(i32::MAX) => Some(Storage { signed: true, ..held }),
        (32 | 64, false) => Some(Storage { bits: 64, signed: true, float: false }),
        _ => Some(held),
    }
}

fn union(a: [i128; 2], b: [i128; 2]) -> [i128; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

fn product(a: [i128; 2], b: [i128; 2]) -> Option<[i128; 2]> {
    let ends =
        [a[0].checked_mul(b[0])?, a[0].checked_mul(b[1])?, a[1].checked_mul(b[0])?, a[1].checked_mul(b[1])?];
    Some([ends.into_iter().min()?, ends.into_iter().max()?])
}

/// Each makes an operation; `None` where intermediate results have more than 63 bits.
impl Expressions {
    pub(super) fn range(&self, id: Id) -> [i128; 2] {
        self.nodes[id].range
    }

    pub(super) fn push(&mut self, operator: Operator, of: Storage, range: [i128; 2]) -> Id {
        let alike = |node: &Typed| node.of == of && node.operator == operator;
        if let Some(id) = self.nodes.iter().position(alike) {
            return id;
        }
        self.nodes.push(Typed { operator, of, range });
        self.nodes.len() - 1
    }

    pub(super) fn number(&mut self, value: i128) -> Option<Id> {
        Some(self.push(Operator::Number(value), working([value; 2])?, [value; 2]))
    }

    /// The same values in another type, which holds them.
    pub(super) fn cast(&mut self, id: Id, of: Storage) -> Id {
        if self.nodes[id].of == of {
            return id;
        }
        let range = self.range(id);
        match self.nodes[id].operator {
            Operator::Number(value) => self.push(Operator::Number(value), of, range),
            Operator::Cast(inner) if self.nodes[inner].of == of => inner,
            _ => self.push(Operator::Cast(id), of, range),
        }
    }

    /// All in one type that also holds `range`.
    fn joined(&mut self, ids: &[Id], range: [i128; 2]) -> Option<(Vec<Id>, Storage)> {
        let all = ids.iter().map(|id| self.range(*id)).fold(range, union);
        let of = working(all)?;
        Some((ids.iter().map(|id| self.cast(*id, of)).collect(), of))
    }

    /// A sum of multiples and a constant.
    pub(super) fn sum(&mut self, parts: &[(Id, i128)], constant: i128) -> Option<Id> {
        let mut partial = [0i128; 2];
        let mut all = partial;
        for (id, factor) in parts {
            let one = product(self.range(*id), [*factor; 2])?;
            partial = [partial[0].checked_add(one[0])?, partial[1].checked_add(one[1])?];
            all = [all, partial, one, self.range(*id), [*factor; 2]].into_iter().reduce(union)?;
        }
        partial = [partial[0].checked_add(constant)?, partial[1].checked_add(constant)?];
        all = union(union(all, partial), [constant; 2]);
        let of = working(all)?;
        let mut terms = Vec::new();
        for (id, factor) in parts {
            let value = self.cast(*id, of);
            let range = product(self.range(*id), [*factor; 2])?;
            terms.push(match factor {
                1 => value,
                factor => {
                    let factor = self.push(Operator::Number(*factor), of, [*factor; 2]);
                    self.push(Operator::Product(vec![factor, value]), of, range)
                }
            });
        }
        if constant != 0 || terms.is_empty() {
            terms.push(self.push(Operator::Number(constant), of, [constant; 2]));
        }
        Some(match terms.as_slice() {
            [one] => *one,
            _ => self.push(Operator::Sum(terms), of, partial),
        })
    }

    /// The product, whose values are in `range`.
    pub(super) fn product(&mut self, factors: &[Id], range: [i128; 2]) -> Option<Id> {
        let mut partial = [1i128; 2];
        let mut all = partial;
        for id in factors {
            partial = product(partial, self.range(*id))?;
            all = union(all, partial);
        }
        let (factors, of) = self.joined(factors, all)?;
        Some(match factors.as_slice() {
            [one] => *one,
            _ => self.push(Operator::Product(factors), of, range),
        })
    }

    pub(super) fn extreme(&mut self, choice: Choice, a: Id, b: Id) -> Option<Id> {
        let (x, y) = (self.range(a), self.range(b));
        let (ids, of) = self.joined(&[a, b], x)?;
        let (with, range): (fn(Id, Id) -> Operator, _) = match choice {
            Choice::Least => (Operator::Minimum, [x[0].min(y[0]), x[1].min(y[1])]),
            Choice::Greatest => (Operator::Maximum, [x[0].max(y[0]), x[1].max(y[1])]),
        };
        Some(self.push(with(ids[0], ids[1]), of, range))
    }

    pub(super) fn negation(&mut self, a: Id) -> Option<Id> {
        let [least, greatest] = self.range(a);
        let (ids, of) = self.joined(&[a], [-greatest, -least])?;
        Some(self.push(Operator::Negation(ids[0]), of, [-greatest, -least]))
    }

    pub(super) fn absolute(&mut self, a: Id) -> Option<Id> {
        let [least, greatest] = self.range(a);
        if least >= 0 {
            return Some(a);
        }
        let most = greatest.max(-least);
        let (ids, of) = self.joined(&[a], [-most, most])?;
        Some(self.push(Operator::Absolute(ids[0]), of, [0, most]))
    }

    /// A quotient by [`Operator::Quotient`], [`Operator::Divided`] or [`Operator::Even`]. The divisor is never 0.
    pub(super) fn quotient(&mut self, with: fn(Id, Id) -> Operator, a: Id, b: Id) -> Option<Id> {
        let most = self.range(a).iter().map(|end| end.abs()).max()?.checked_add(1)?;
        // Twice as much as any result and rest.
        let room = self.range(b).iter().map(|end| 2 * end.abs()).max()?;
        let is_positive = self.range(a)[0] >= 0 && self.range(b)[0] >= 0;
        let range = [if is_positive { 0 } else { -most }, most];
        let around = if is_positive { [0, most.max(room)] } else { [-most.max(room), most.max(room)] };
        let (ids, of) = self.joined(&[a, b], around)?;
        Some(self.push(with(ids[0], ids[1]), of, range))
    }

    /// ⌊a / 2^bits⌋. Languages shift by fewer bits than the type has, which leave the sign.
    pub(super) fn right(&mut self, a: Id, bits: u32) -> Id {
        let (range, of) = (self.range(a).map(|end| end >> bits.min(127)), self.nodes[a].of);
        let operator = match range[0] == range[1] {
            true => Operator::Number(range[0]),
            false => Operator::Right(a, bits.min(of.bits - 1)),
        };
        self.push(operator, of, range)
    }

    pub(super) fn compared(&mut self, comparison: Comparison, a: Id, b: Id) -> Option<Id> {
        let range = self.range(a);
        let (ids, _) = self.joined(&[a, b], range)?;
        Some(self.push(Operator::Compared(comparison, ids[0], ids[1]), TRUTH, [0, 1]))
    }

    pub(super) fn select(&mut self, condition: Id, then: Id, otherwise: Id) -> Option<Id> {
        let all = union(self.range(then), self.range(otherwise));
        let (ids, of) = self.joined(&[then, otherwise], all)?;
        Some(self.push(Operator::Select(condition, ids[0], ids[1]), of, all))
    }

    /// The integer of `bits` bits that is equal modulo 2^bits.
    pub(super) fn wrapped(&mut self, a: Id, bits: u32, is_signed: bool) -> Option<Id> {
        let (size, half) = (1i128 << bits, if is_signed { 1i128 << (bits - 1) } else { 0 });
        let [least, greatest] = self.range(a);
        if least >= -half && greatest < size - half {
            return Some(a);
        }
        let moved = self.sum(&[(a, 1)], half)?;
        let (ids, of) = self.joined(&[moved], [0, size - 1])?;
        let low = self.push(Operator::And(ids[0], size - 1), of, [0, size - 1]);
        self.sum(&[(low, 1)], -half)
    }

    /// A value that is known to be in an interval.
    pub(super) fn known(&mut self, id: Id, [least, greatest]: [i128; 2]) -> Id {
        let range = &mut self.nodes[id].range;
        *range = [range[0].max(least), range[1].min(greatest)];
        id
    }
}
