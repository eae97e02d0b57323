//! The prices of cells, in look-up tables and what they are worth.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::tables::alone;
use crate::backend::hardware::machine::{Cell, Columns, Frame, HardwareMachine, Netlist, Operation, Since};
use crate::pipeline::Range;

/// The values of two factors, and whether they are the same factor.
type Factors = ([i128; 4], bool);

/// The prices of a machine.
pub(super) struct CellPrices<'m> {
    machine: &'m HardwareMachine,
    /// The prices of products in tables that were asked for; `None` where there are none.
    tables: Mutex<BTreeMap<Factors, Option<u64>>>,
}

impl<'m> CellPrices<'m> {
    /// The prices of this machine.
    pub(super) fn new(machine: &'m HardwareMachine) -> Self {
        Self { machine, tables: Mutex::default() }
    }

    /// The price of all cells in all lanes that matter.
    pub(super) fn of_all(&self, netlist: &Netlist, frame: &Frame, columns: &Columns) -> u64 {
        let cells = netlist.cells.iter().enumerate();
        cells.map(|(at, cell)| self.of(netlist, cell) * columns.computed(netlist, at, frame)).sum()
    }

    /// The price of a cell in one lane.
    pub(super) fn of(&self, netlist: &Netlist, cell: &Cell) -> u64 {
        let bits = |number: usize| u64::from(netlist.range(cell.operands[number]).bits());
        let own = u64::from(cell.range.bits());
        let luts = match &cell.operation {
            Operation::Input(_) | Operation::ShiftRight(_) | Operation::Wrap(..) => 0,
            Operation::Product => {
                let (factors, is_square) = factors(netlist, cell);
                let hard = self.hard(factors);
                return self.in_tables(factors, is_square).map_or(hard, |tables| tables.min(hard));
            }
            Operation::Sum(_) | Operation::Running { .. } => netlist.adder_bits(cell).into(),
            Operation::Table { values, .. } => own * HardwareMachine::tables(values.len()),
            Operation::Select => own,
            Operation::Quotient => own * (bits(1) + 1),
            Operation::Root => own * (own + 2),
            Operation::Interleave { .. } | Operation::Choose { .. } => own * (cell.operands.len() as u64 - 1),
            Operation::Along { since: Since::Extreme(_), .. } => own + own / 2,
            Operation::Along { .. } => own,
            Operation::Until { axis, period, .. } => own + own / 2 + place_luts(*axis, *period),
            Operation::Absolute | Operation::Compare(_) => bits(0),
            Operation::Minimum | Operation::Maximum => own + own / 2,
        };
        luts * self.machine.adder_bit
    }

    /// Whether a product of factors with these values, or a square of one, costs less in tables than with hard multipliers.
    pub(super) fn prefers_tables(&self, factors: [Range; 2], is_square: bool) -> bool {
        self.in_tables(factors, is_square).is_some_and(|price| price < self.hard(factors))
    }

    fn hard(&self, factors: [Range; 2]) -> u64 {
        self.machine.hard_multipliers(factors) * self.machine.multiplier_price
    }

    fn in_tables(&self, factors: [Range; 2], is_square: bool) -> Option<u64> {
        let [a, b] = factors;
        let key = ([a.least, a.greatest, b.least, b.greatest], is_square);
        let known = || self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&key) {
            return *known;
        }
        let made = alone(factors, is_square);
        let price = made.map(|made| made.cells.iter().map(|cell| self.of(&made, cell)).sum());
        known().insert(key, price);
        price
    }
}

/// The bits of the rows that values are kept in which are held or summed along rows, and of periods that are read backwards.
pub(super) fn row_bits(netlist: &Netlist, frame: &Frame, columns: &Columns) -> u64 {
    let kept = |(at, cell): (usize, &Cell)| {
        let row = if cell.operation.goes_along() == Some(1) { frame.row() as u64 } else { 0 };
        let parts = row * columns.share(netlist, at).unsigned_abs();
        let places = columns.bits(parts as i64).unsigned_abs() + cell.operation.places(frame.row());
        u64::from(cell.range.bits()) * places
    };
    netlist.cells.iter().enumerate().map(kept).sum()
}

/// The look-up tables, about, that count the places of a memory which is read forwards and backwards in turn: an adder and a choice for
/// each bit of its address.
pub fn place_luts(axis: usize, period: u32) -> u64 {
    /// The bits of the address of a few rows.
    const ROWS: u32 = 16;
    2 * u64::from(if axis == 0 { u32::BITS - (period - 1).leading_zeros() } else { ROWS })
}

/// The price of the operations of a netlist in all lanes that matter, in thousandths.
pub fn operations_price(netlist: &Netlist, machine: &HardwareMachine, frame: &Frame) -> u64 {
    CellPrices::new(machine).of_all(netlist, frame, &Columns::new(netlist, frame))
}

/// The values of the factors of a product, and whether it is a square. Other cells have none.
pub(super) fn factors(netlist: &Netlist, cell: &Cell) -> ([Range; 2], bool) {
    match cell.operands[..] {
        [a, b] => ([a, b].map(|operand| netlist.range(operand)), a == b),
        _ => ([Range::integers(0, 0); 2], false),
    }
}
