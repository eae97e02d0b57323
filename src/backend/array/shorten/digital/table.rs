//! Truth tables of bits over what they are made of.

use std::collections::BTreeMap;

use super::numbers::Held;
use crate::algebra::Offset;
use crate::backend::array::machine::Access;

/// The maximum number of atoms of one window: tables have 2^8 entries.
const MAX_ATOMS: usize = 8;

/// A truth table over eight atoms.
pub(super) type Table = [u64; 4];

/// The table of a constant.
pub(super) const CONSTANTS: [Table; 2] = [[0; 4], [u64::MAX; 4]];

/// What tables are over. Everything is 0 at places beyond the edge of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    /// The value with a number, or its opposite: what the first bit holds that has this number. At an offset.
    Value(u32, Offset),
    /// Whether a sum of registers is greater than 0, at an offset.
    Positive(Vec<Access>, Offset),
    /// Whether the place at this offset belongs to the array.
    Inside(Offset),
}

impl Atom {
    fn offset(&self) -> Offset {
        let (Self::Value(_, offset) | Self::Positive(_, offset) | Self::Inside(offset)) = self;
        *offset
    }

    fn moved(&self, by: Offset) -> Self {
        let offset = [0, 1, 2].map(|axis| self.offset()[axis] + by[axis]);
        match self {
            Self::Value(number, _) => Self::Value(*number, offset),
            Self::Positive(sources, _) => Self::Positive(sources.clone(), offset),
            Self::Inside(_) => Self::Inside(offset),
        }
    }
}

/// The atoms of a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Atoms {
    atoms: Vec<Atom>,
    /// Whether the atoms with these numbers are the opposites.
    opposite: Vec<(u32, bool)>,
    /// Whether no more may be added.
    closed: bool,
    /// Tables that were moved since then.
    moved: BTreeMap<(Table, Offset, bool), Option<Table>>,
}

impl Atoms {
    /// Lets no more atoms be added.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// The numbers of the values among the atoms.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.atoms.iter().filter_map(|atom| match atom {
            Atom::Value(number, _) => Some(*number),
            _ => None,
        })
    }

    /// The table of an atom; `None` if there are too many.
    pub(super) fn atom(&mut self, atom: &Atom) -> Option<Table> {
        self.place(atom).map(variable)
    }

    /// The table of what a bit holds.
    pub(super) fn held(&mut self, held: Held) -> Option<Table> {
        match held {
            Held::Constant(value) => Some(CONSTANTS[usize::from(value)]),
            Held::Value { number, negated } => {
                let table = self.atom(&Atom::Value(number, [0; 3]))?;
                // A value that is 0 beyond the edge can be moved without saying where the edge is, unlike its opposite.
                let known = self.opposite.iter().find(|(own, _)| *own == number);
                let opposite = known.map(|(_, opposite)| *opposite).unwrap_or_else(|| {
                    self.opposite.push((number, negated));
                    negated
                });
                Some(if negated == opposite { table } else { not(table) })
            }
        }
    }

    fn place(&mut self, atom: &Atom) -> Option<usize> {
        if let Some(at) = self.atoms.iter().position(|own| own == atom) {
            return Some(at);
        }
        if self.closed || self.atoms.len() == MAX_ATOMS {
            return None;
        }
        self.atoms.push(atom.clone());
        Some(self.atoms.len() - 1)
    }

    /// A table as the element at an offset holds it, and `beyond` where that is not on the array; `None` if there are too many atoms.
    pub(super) fn moved(&mut self, table: Table, by: Offset, beyond: bool) -> Option<Table> {
        if !self.closed {
            return self.newly_moved(table, by, beyond);
        }
        if let Some(known) = self.moved.get(&(table, by, beyond)) {
            return *known;
        }
        let new = self.newly_moved(table, by, beyond);
        self.moved.insert((table, by, beyond), new);
        new
    }

    fn newly_moved(&mut self, table: Table, by: Offset, beyond: bool) -> Option<Table> {
        let used: Vec<usize> = (0..self.atoms.len()).filter(|at| depends(table, *at)).collect();
        // Where the place at `by` is beyond the edge, so is each of these; then all atoms are 0.
        let between = |at: &usize| {
            let end = self.atoms[*at].moved(by).offset();
            (0..3).all(|axis| (end[axis].min(0)..=end[axis].max(0)).contains(&by[axis]))
        };
        let same = (table[0] & 1 == 1) == beyond && used.iter().all(between);
        let mut places = [0; MAX_ATOMS];
        for at in used {
            let atom = self.atoms[at].moved(by);
            places[at] = self.place(&atom)?;
        }
        let mut new = [0; 4];
        for entry in 0..1 << MAX_ATOMS {
            let source = (0..MAX_ATOMS).fold(0, |source, at| source | (entry >> places[at] & 1) << at);
            let value = table[source >> 6] >> (source & 63) & 1;
            new[entry >> 6] |= value << (entry & 63);
        }
        if same || table == CONSTANTS[usize::from(beyond)] {
            return Some(new);
        }
        let inside = self.atom(&Atom::Inside(by))?;
        Some(match beyond {
            false => and(new, inside),
            true => not(and(not(new), inside)),
        })
    }
}

/// The table of the atom with this number.
fn variable(at: usize) -> Table {
    let within = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    match at {
        6 => [0, u64::MAX, 0, u64::MAX],
        7 => [0, 0, u64::MAX, u64::MAX],
        _ => [within[at]; 4],
    }
}

fn depends(table: Table, at: usize) -> bool {
    (0..1 << MAX_ATOMS).any(|entry: usize| {
        let value = |entry: usize| table[entry >> 6] >> (entry & 63) & 1;
        value(entry) != value(entry ^ 1 << at)
    })
}

/// The opposite.
pub(super) fn not(table: Table) -> Table {
    table.map(|word| !word)
}

/// Whether both are 1.
pub(super) fn and(one: Table, other: Table) -> Table {
    [0, 1, 2, 3].map(|word| one[word] & other[word])
}

/// Whether one is 1.
pub(super) fn or(one: Table, other: Table) -> Table {
    [0, 1, 2, 3].map(|word| one[word] | other[word])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_moved_as_bits_are_the_edge_included() {
        let mut atoms = Atoms::default();
        let east = [1, 0, 0];
        let value = |negated| Held::Value { number: 7, negated };
        let (here, opposite) = (atoms.held(value(false)).unwrap(), atoms.held(value(true)).unwrap());
        assert_eq!(opposite, not(here));
        let there = atoms.moved(here, east, false).unwrap();
        assert_eq!(atoms.numbers().count(), 2);
        // 1 beyond the edge is the opposite of the opposite's 0; both say where the edge is only together.
        assert_eq!(atoms.moved(opposite, east, true), Some(not(there)));
        let edge = atoms.moved(opposite, east, false).unwrap();
        assert_eq!(atoms.moved(here, east, true), Some(not(edge)));
        assert_ne!(edge, not(there));
        // There and back loses the outermost column, two steps in one direction lose no more than the second.
        let back = atoms.moved(there, [-1, 0, 0], false).unwrap();
        assert_ne!(back, here);
        let two = atoms.moved(there, east, false).unwrap();
        assert_eq!(atoms.moved(here, [2, 0, 0], false), Some(two));
        atoms.close();
        assert_eq!(atoms.moved(two, east, false), None);
    }

    #[test]
    fn constants_show_the_edge() {
        let mut atoms = Atoms::default();
        assert_eq!(atoms.moved(CONSTANTS[0], [0, 1, 0], false), Some(CONSTANTS[0]));
        let inside = atoms.moved(CONSTANTS[1], [0, 1, 0], false).unwrap();
        assert_eq!(atoms.moved(CONSTANTS[0], [0, 1, 0], true), Some(not(inside)));
    }
}
