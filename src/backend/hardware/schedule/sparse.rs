//! Values of which only every few rows matter: they are kept for a row at a time, not for all rows between.
//!
//! Where only rows r, r + s, r + 2·s, … of a value are read, the value s rows north is what a cell that stays for a period of s rows
//! was in the period before. It keeps one row, where a delay line keeps s.

use std::collections::BTreeMap;

use super::split::lowest;
use crate::backend::hardware::machine::{
    Cell, CellId, Lattice, Netlist, Operand, Operation, Since, lattices,
};

/// The netlist with values of which only every few rows matter read from the periods before.
pub fn sparse(netlist: Netlist) -> Netlist {
    // What is read together is then there together.
    let netlist = lowest(netlist);
    let rows = lattices(&netlist, 1);
    let reads = reads(&netlist);
    let mut made: Vec<Kept> = Vec::new();
    let mut other = Netlist::default();
    other.inputs.clone_from(&netlist.inputs);
    for id in netlist.ids() {
        let mut cell = netlist.cell(id).clone();
        cell.operands.iter_mut().for_each(|operand| *operand = placed(*operand, &made));
        let itself = CellId::new(other.cells.len());
        let template = Cell { latency: 0, ..cell.clone() };
        other.cells.push(cell);
        let rows = rows[id.index()].unwrap_or(Lattice::ALL);
        let (lowest, highest) = reads.get(&id).copied().unwrap_or((0, 0));
        let mut kept = Kept { itself, rows, lowest, before: Vec::new() };
        if rows.every > 1 {
            // Each is what the one before it was in the period before.
            let mut from = Operand::Tap(itself, [0, -(rows.first as i32)]);
            for _ in 0..i64::from(highest - lowest) / rows.every {
                let operation = Operation::Along { axis: 1, period: rows.every as u32, since: Since::First };
                let before = CellId::new(other.cells.len());
                other.cells.push(Cell { operation, operands: vec![from], ..template.clone() });
                kept.before.push(before);
                from = Operand::Tap(before, [0, 1]);
            }
        }
        made.push(kept);
    }
    let outputs = netlist.outputs.iter().map(|(port, of)| (port.clone(), placed(*of, &made)));
    other.outputs = outputs.collect();
    other.pruned()
}

/// A cell, and what keeps its rows.
struct Kept {
    itself: CellId,
    rows: Lattice,
    /// The lowest row in which it is read, as rows north of its reader.
    lowest: i32,
    /// What stays for a period of what it is, one period and more before.
    before: Vec<CellId>,
}

/// An operand where cells have become these.
fn placed(operand: Operand, made: &[Kept]) -> Operand {
    let Operand::Tap(cell, [x, y]) = operand else { return operand };
    let Kept { itself, rows, lowest, before } = &made[cell.index()];
    let every = rows.every as i32;
    let periods = ((y - lowest) / every) as usize;
    match periods.checked_sub(1).and_then(|number| before.get(number)) {
        // The last row of the period whose value is read.
        Some(before) => Operand::Tap(*before, [x, y + rows.first as i32 + 1 - periods as i32 * every]),
        None => Operand::Tap(*itself, [x, y]),
    }
}

/// The lowest and the highest row in which each cell is read, as rows north of its reader.
fn reads(netlist: &Netlist) -> BTreeMap<CellId, (i32, i32)> {
    let mut reads: BTreeMap<CellId, (i32, i32)> = BTreeMap::new();
    let outputs = netlist.outputs.iter().map(|(_, operand)| operand);
    for operand in netlist.cells.iter().flat_map(|cell| &cell.operands).chain(outputs) {
        if let Operand::Tap(cell, [_, y]) = operand {
            let (lowest, highest) = reads.entry(*cell).or_insert((*y, *y));
            (*lowest, *highest) = ((*lowest).min(*y), (*highest).max(*y));
        }
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::hardware::machine::Port;
    use crate::pipeline::Range;

    /// The greatest of a cell and the same two and four rows north, of which one row in `every` is wanted.
    fn found(every: usize) -> (usize, Vec<i32>) {
        let mut netlist = Netlist::default();
        let port = || Port { name: "p".to_owned(), bits: 8, signed: false, every: [1, every] };
        let a = netlist.input(port(), Range::integers(0, 255));
        let value = netlist.add("p", Operation::Maximum, vec![a, a.moved([1, 0])], None).unwrap();
        let two = netlist.add("p", Operation::Maximum, vec![value, value.moved([0, 2])], None).unwrap();
        let all = netlist.add("p", Operation::Maximum, vec![two, value.moved([0, 4])], None).unwrap();
        netlist.outputs.push((port(), all));
        let found = sparse(netlist);
        let kept =
            found.cells.iter().filter(|cell| matches!(cell.operation, Operation::Along { .. })).count();
        let operands = found.cells.iter().flat_map(|cell| &cell.operands);
        let mut rows: Vec<i32> = operands
            .filter_map(|operand| match operand {
                Operand::Tap(_, [_, y]) if *y > 0 => Some(*y),
                _ => None,
            })
            .collect();
        rows.sort_unstable();
        (kept, rows)
    }

    #[test]
    fn what_is_rows_apart_is_read_a_row_before() {
        // All rows matter.
        assert_eq!(found(1), (0, vec![2, 4]));
        // One value before the other, and each by its reader.
        assert_eq!(found(2), (2, vec![1, 1, 1]));
        // Of the value, every second row is read all the same.
        assert_eq!(found(4), (2, vec![1, 1, 1]));
        // Every row is, in threes.
        assert_eq!(found(3), (0, vec![2, 4]));
    }
}
