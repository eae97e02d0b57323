//! Proves that remade windows leave the same, by decision diagrams instead of the tables that found them.

use super::numbers::Held;
use crate::backend::array::machine::{BitId, Cell, Effect, Formula, Target};
use crate::backend::array::shorten::flat::Line;
use crate::backend::array::shorten::live::Live;
use crate::backend::array::shorten::same::{Same, same};

/// Whether lines leave the same bits as others, of those that are live after them, where bits hold these values before.
pub(super) fn compared(target: &Target, [given, new]: [&[Line]; 2], held: &[Held], after: &Live) -> Same {
    let Some(first) = given.first() else { return Same::Proved };
    let facts = facts(target, held);
    let with_facts = |lines: &[Line]| -> Vec<Line> {
        let begin = Line { effects: facts.clone(), ..first.clone() };
        std::iter::once(begin).chain(lines.iter().cloned()).collect()
    };
    let bits = (0..target.bits.len()).map(|bit| Cell::Bit(BitId(bit)));
    let live: Vec<Cell> = bits.filter(|cell| after.has(*cell, false)).collect();
    same(target, &with_facts(given), &with_facts(new), &live)
}

/// Effects after which bits hold the same where they have the same number. Bits with a gate are left out: an assignment would not
/// reach all elements.
fn facts(target: &Target, held: &[Held]) -> Vec<Effect> {
    let mut sets: Vec<(BitId, Formula)> = Vec::new();
    for (bit, own) in held.iter().enumerate().filter(|(bit, _)| target.bits[*bit].gate.is_none()) {
        let Held::Value { number, negated } = own else {
            sets.push((BitId(bit), Formula::Constant(*own == Held::Constant(true))));
            continue;
        };
        let first = held[..bit].iter().enumerate().find_map(|(at, other)| match other {
            Held::Value { number: other, negated } if other == number && target.bits[at].gate.is_none() => {
                Some((at, *negated))
            }
            _ => None,
        });
        if let Some((at, other)) = first {
            let same = Formula::Bit { bit: BitId(at), offset: [0; 3], beyond: false };
            sets.push((BitId(bit), if other == *negated { same } else { Formula::Not(Box::new(same)) }));
        }
    }
    vec![Effect::Bits { sets, flood: false }]
}
