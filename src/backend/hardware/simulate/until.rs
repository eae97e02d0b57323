//! The memories of cells that give the least or the greatest value until a period ends, as the circuit has them.

use crate::backend::hardware::machine::{CellId, Design, Operation, extreme};

/// Two memories of a period: of values, and of what has been found since the period's end; each is written where it is read. So a period
/// goes into the places that the one before leaves, and every second period goes backwards.
pub(super) struct Until {
    values: Vec<i128>,
    found: Vec<i128>,
    /// What was found in the row that was read before, or for the pixel.
    before: Vec<i128>,
}

impl Until {
    /// The memories of a cell; `None` if it has none.
    pub(super) fn new(design: &Design, id: CellId) -> Option<Self> {
        let Operation::Until { axis, period, .. } = design.netlist.cell(id).operation else { return None };
        let row = [1, design.frame.row()][axis];
        let places = period as usize * row;
        Some(Self { values: vec![0; places], found: vec![0; places], before: vec![0; row] })
    }

    /// The result for the pixel of the raster with this number, when the value two periods later comes in.
    pub(super) fn step(&mut self, design: &Design, id: CellId, number: i64, value: i128) -> i128 {
        let Operation::Until { axis, period, choice } = design.netlist.cell(id).operation else { return 0 };
        let length = i64::from(period);
        let row = self.before.len();
        // Columns are counted through all rows, which are whole periods.
        let [column, at] = if axis == 0 { [0, number] } else { design.frame.place(number) };
        let (block, place) = (at.div_euclid(length), at.rem_euclid(length));
        let slot = if block.rem_euclid(2) == 0 { place } else { length - 1 - place };
        let at = slot as usize * row + column as usize;
        let value = std::mem::replace(&mut self.values[at], value);
        let before = &mut self.before[column as usize];
        *before = if place == 0 { value } else { extreme(choice, *before, value) };
        std::mem::replace(&mut self.found[at], *before)
    }
}
