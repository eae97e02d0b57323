//! Of which columns or rows the values of cells matter.

use super::frame::Frame;
use super::netlist::{Netlist, Operand, common_multiple};
use super::operation::{Operation, Since};
use crate::algebra::gcd;

/// The columns or rows of a value that matter: one in `every`, from place `first` of the raster on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lattice {
    /// The columns or rows from one to the next.
    pub every: i64,
    /// The first.
    pub first: i64,
}

impl Lattice {
    /// All of them.
    pub const ALL: Self = Self { every: 1, first: 0 };

    /// Those of a reader as those of an operand that is read `further` on in the raster.
    #[must_use]
    pub fn moved(self, further: i64) -> Self {
        Self { every: self.every, first: (self.first + further).rem_euclid(self.every) }
    }

    /// A lattice that has those of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let apart = self.first.abs_diff(other.first);
        let every = gcd(gcd(self.every.unsigned_abs(), other.every.unsigned_abs()), apart) as i64;
        Self { every, first: self.first.rem_euclid(every) }
    }

    /// Those in which a choice by place takes this operand; `None` if it never does.
    fn chosen(self, operation: &Operation, number: usize) -> Option<Self> {
        let Operation::Interleave { phases: [p, _], step: [s, _] } = operation else { return Some(self) };
        let [p, s] = [i64::from(*p), i64::from(*s)];
        let phase = (number as i64).rem_euclid(p);
        if self.every % (p * s) == 0 {
            return (self.first.div_euclid(s).rem_euclid(p) == phase).then_some(self);
        }
        Some(if self.every == s { Self { every: p * s, first: phase * s + self.first } } else { self })
    }
}

/// The columns (axis 0) or rows (axis 1) of each cell that matter, for the pixels of outputs; `None` for cells that nobody reads.
/// Choices by place count as if they took all their operands in each row.
pub fn lattices(netlist: &Netlist, axis: usize) -> Vec<Option<Lattice>> {
    let mut found: Vec<Option<Lattice>> = vec![None; netlist.cells.len()];
    let note = |found: &mut Vec<Option<Lattice>>, operand: &Operand, of: Lattice| {
        if let Operand::Tap(cell, [x, y]) = operand {
            // Rows are counted southwards.
            let of = of.moved(if axis == 0 { i64::from(*x) } else { -i64::from(*y) });
            let own = &mut found[cell.index()];
            *own = Some(own.map_or(of, |own| own.with(of)));
        }
    };
    for (port, operand) in &netlist.outputs {
        note(&mut found, operand, Lattice { every: port.every[axis] as i64, first: 0 });
    }
    // Readers come after what they read.
    for id in netlist.ids().rev() {
        let Some(own) = found[id.index()] else { continue };
        let cell = netlist.cell(id);
        let of = match cell.operation {
            Operation::Along { axis: along, period, since: Since::First } if along == axis => {
                Lattice { every: period.into(), first: 0 }
            }
            // All columns or rows count.
            Operation::Along { axis: along, .. }
            | Operation::Until { axis: along, .. }
            | Operation::Running { axis: along, .. }
                if along == axis =>
            {
                Lattice::ALL
            }
            _ => own,
        };
        for (number, operand) in cell.operands.iter().enumerate() {
            let of = if axis == 0 { of.chosen(&cell.operation, number) } else { Some(of) };
            if let Some(of) = of {
                note(&mut found, operand, of);
            }
        }
    }
    found
}

/// The columns of the values of each cell that are kept.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Of each cell the columns that matter, where words have one pixel: a line may then advance in one clock of several. All columns, where
    /// they have more.
    pub of: Vec<Lattice>,
    /// The lanes of each cell that matter, where words have several pixels: one in `every`, as many pixels from the first column on.
    lanes: Vec<Lattice>,
    /// A common multiple of what cells keep one of.
    whole: i64,
    /// The clocks for which pixels of inputs are held.
    hold: i64,
}

impl Columns {
    /// The columns of a netlist.
    pub fn new(netlist: &Netlist, frame: &Frame) -> Self {
        let found = lattices(netlist, 0).into_iter().map(|of| of.unwrap_or(Lattice::ALL));
        let (all, hold) = (vec![Lattice::ALL; netlist.cells.len()], frame.hold as i64);
        if frame.lanes > 1 {
            let lanes = found.map(|of| Lattice {
                every: gcd(of.every.unsigned_abs(), frame.lanes as u64) as i64,
                first: of.first,
            });
            return Self { of: all, lanes: lanes.collect(), whole: frame.lanes as i64, hold };
        }
        let is_held =
            |at: usize| frame.hold > 1 && matches!(netlist.cells[at].operation, Operation::Input(_));
        let kept = |(at, of): (usize, Lattice)| if is_held(at) { Lattice::ALL } else { of };
        let of: Vec<Lattice> = found.enumerate().map(kept).collect();
        let each = of.iter().map(|lattice| lattice.every as usize);
        let whole = each.fold(frame.hold, common_multiple);
        Self { of, lanes: all, whole: whole as i64, hold }
    }

    /// The lanes of a cell that matter, where its values are there `lag` pixels after their pixels: one in `every`, from the first on.
    pub fn lanes(&self, cell: usize, lag: i64) -> Lattice {
        self.lanes[cell].moved(lag)
    }

    /// The number of lanes that compute a cell: those that matter, or all if the operation goes along columns.
    pub fn computed(&self, netlist: &Netlist, cell: usize, frame: &Frame) -> u64 {
        let goes_through = netlist.cells[cell].operation.goes_along() == Some(0);
        let every = if goes_through { 1 } else { self.lanes[cell].every };
        frame.lanes as u64 / every.unsigned_abs()
    }

    /// How much a bit of a cell counts that is kept for a clock, in parts of a bit that is kept in every clock.
    pub fn share(&self, netlist: &Netlist, cell: usize) -> i64 {
        match netlist.cells[cell].operation {
            Operation::Input(_) if self.hold > 1 => self.whole / self.hold,
            _ => self.whole / (self.of[cell].every * self.lanes[cell].every),
        }
    }

    /// The bits of a number of parts.
    pub fn bits(&self, parts: i64) -> i64 {
        (parts + self.whole - 1).div_euclid(self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn of(every: i64, first: i64) -> Lattice {
        Lattice { every, first }
    }

    #[test]
    fn rows_of_several_readers_are_all_among_those_that_matter() {
        assert_eq!(of(4, 1).with(of(4, 1)), of(4, 1));
        assert_eq!(of(4, 1).with(of(4, 3)), of(2, 1));
        assert_eq!(of(4, 1).with(of(6, 5)), of(2, 1));
        assert_eq!(of(4, 1).with(of(6, 2)), Lattice::ALL);
        assert_eq!(of(8, 0).moved(3), of(8, 3));
        assert_eq!(of(8, 0).moved(-3), of(8, 5));
    }

    #[test]
    fn a_choice_takes_each_operand_in_some_columns_only() {
        let choice = Operation::Interleave { phases: [2, 1], step: [3, 1] };
        // Columns 0 to 2 of six are the first operand's, 3 to 5 the second's.
        assert_eq!(of(6, 1).chosen(&choice, 0), Some(of(6, 1)));
        assert_eq!(of(6, 1).chosen(&choice, 1), None);
        assert_eq!(of(12, 10).chosen(&choice, 1), Some(of(12, 10)));
        assert_eq!(of(3, 2).chosen(&choice, 1), Some(of(6, 5)));
        assert_eq!(Lattice::ALL.chosen(&choice, 1), Some(Lattice::ALL));
        let alternate = Operation::Interleave { phases: [2, 2], step: [1, 1] };
        assert_eq!(Lattice::ALL.chosen(&alternate, 3), Some(of(2, 1)));
        assert_eq!(Lattice::ALL.chosen(&Operation::Product, 1), Some(Lattice::ALL));
    }
}
