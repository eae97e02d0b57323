//! Computing again against keeping: a value that is read in several rows is made once for each, where what it is made of takes fewer
//! bits to keep, by more than the price of what is computed.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::zip;

use rayon::prelude::*;

use super::lags::lags;
use super::price::{CellPrices, row_bits};
use crate::backend::hardware::machine::{
    Cell, CellId, Columns, Frame, HardwareMachine, Netlist, Operand, Operation,
};

/// The netlist with values computed in each row in which they are read, as long as that is cheaper. One value is tried after the
/// other, and all products at once.
pub fn split(netlist: Netlist, machine: &HardwareMachine, frame: &Frame) -> Netlist {
    let prices = CellPrices::new(machine);
    let price = |netlist: &Netlist| price(netlist, machine, &prices, frame);
    let mut netlist = lowest(netlist);
    let mut best = price(&netlist);
    loop {
        let choices = choices(&netlist);
        let prices = choices.par_iter().map(|rows| price(&in_rows(&netlist, rows))).collect::<Vec<_>>();
        match zip(prices, &choices).min_by_key(|(price, _)| *price) {
            Some((price, rows)) if price < best => (best, netlist) = (price, in_rows(&netlist, rows)),
            _ => return netlist,
        }
    }
}

/// The rows in which cells are made, where that is more than one.
type Rows = BTreeMap<CellId, BTreeSet<i32>>;

/// The most cells of which each is tried by itself.
const MAX_ALONE: usize = 64;

/// The most cells of all netlists that are tried: each netlist is priced anew.
const MAX_TRIED: usize = 1 << 14;

/// What is tried: to make cells that are read in several rows once for each; all products; cells that do alike, such as those of a
/// fold, together, by themselves and with all that they are made of; and each cell alone. The first of these where they are too many.
fn choices(netlist: &Netlist) -> Vec<Rows> {
    let rows: Rows = rows_read(netlist).into_iter().filter(|(_, rows)| rows.len() > 1).collect();
    let only = |with: &dyn Fn(&CellId) -> bool| -> Rows {
        rows.iter().filter(|(id, _)| with(id)).map(|(id, rows)| (*id, rows.clone())).collect()
    };
    let mut choices = vec![only(&|id| netlist.cell(*id).operation == Operation::Product)];
    for alike in alike(netlist, &rows) {
        if alike.len() > 1 {
            choices.push(only(&|id| alike.contains(id)));
            choices.push(with_all_before(netlist, &alike));
        }
    }
    if rows.len() <= MAX_ALONE {
        choices.extend(rows.keys().map(|id| only(&|other| other == id)));
    }
    choices.truncate((MAX_TRIED / netlist.cells.len().max(1)).max(1));
    choices
}

/// The cells of these that compute the same of the same rows, in other columns.
fn alike(netlist: &Netlist, of: &Rows) -> Vec<BTreeSet<CellId>> {
    type Alike<'n> = (&'n Operation, Vec<(usize, i128)>);
    let mut known: BTreeMap<Alike<'_>, usize> = BTreeMap::new();
    let mut classes: Vec<usize> = Vec::new();
    for cell in &netlist.cells {
        let operands = cell.operands.iter().map(|operand| match operand {
            Operand::Tap(of, [_, y]) => (classes[of.index()], i128::from(*y)),
            Operand::Number(number) => (usize::MAX, *number),
        });
        let key = (&cell.operation, operands.collect());
        let next = known.len();
        classes.push(*known.entry(key).or_insert(next));
    }
    let mut all: BTreeMap<usize, BTreeSet<CellId>> = BTreeMap::new();
    for id in of.keys() {
        all.entry(classes[id.index()]).or_default().insert(*id);
    }
    all.into_values().collect()
}

/// These cells and all that they are made of, with the rows in which each is then made.
fn with_all_before(netlist: &Netlist, cells: &BTreeSet<CellId>) -> Rows {
    let mut all = cells.clone();
    for id in netlist.ids().rev().filter(|id| cells.iter().next_back().is_some_and(|last| id <= last)) {
        if all.contains(&id) {
            let free = netlist.cell(id).operands.iter().filter_map(|operand| match operand {
                Operand::Tap(cell, _) if is_free(&netlist.cell(*cell).operation) => Some(*cell),
                _ => None,
            });
            all.extend(free.collect::<Vec<_>>());
        }
    }
    let mut rows: Rows = BTreeMap::new();
    let note = |rows: &mut Rows, operand: &Operand, from: &BTreeSet<i32>| {
        if let Operand::Tap(cell, [_, y]) = operand
            && all.contains(cell)
        {
            rows.entry(*cell).or_default().extend(from.iter().map(|row| row + y));
        }
    };
    let own = BTreeSet::from([0]);
    netlist.outputs.iter().for_each(|(_, operand)| note(&mut rows, operand, &own));
    for id in netlist.ids().rev() {
        let from = rows.get(&id).cloned().unwrap_or_else(|| own.clone());
        netlist.cell(id).operands.iter().for_each(|operand| note(&mut rows, operand, &from));
    }
    rows
}

/// The netlist with every cell but inputs moved so that the lowest row in which it is read is its own. The values that are read
/// together are then those that are there together.
pub(super) fn lowest(mut netlist: Netlist) -> Netlist {
    let mut least: Vec<Option<i32>> = vec![None; netlist.cells.len()];
    let note = |operand: &Operand, least: &mut Vec<Option<i32>>| {
        if let Operand::Tap(cell, [_, y]) = operand {
            let row = &mut least[cell.index()];
            *row = Some(row.map_or(*y, |row| row.min(*y)));
        }
    };
    netlist.outputs.iter().for_each(|(_, operand)| note(operand, &mut least));
    // Readers come after what they read.
    for id in netlist.ids().rev() {
        let row = least[id.index()].filter(|_| is_free(&netlist.cell(id).operation)).unwrap_or(0);
        least[id.index()] = Some(row);
        for operand in &mut netlist.cells[id.index()].operands {
            *operand = operand.moved([0, row]);
            note(operand, &mut least);
        }
    }
    let outputs = netlist.outputs.iter_mut().map(|(_, operand)| operand);
    for operand in netlist.cells.iter_mut().flat_map(|cell| &mut cell.operands).chain(outputs) {
        if let Operand::Tap(cell, _) = operand
            && let Some(row) = least[cell.index()]
        {
            *operand = operand.moved([0, -row]);
        }
    }
    netlist
}

/// Whether an operation may be computed for another row than the one in which it is read.
fn is_free(operation: &Operation) -> bool {
    !matches!(operation, Operation::Input(_)) && operation.period()[1] == 1
}

/// The rows in which each cell but inputs is read by other cells.
fn rows_read(netlist: &Netlist) -> BTreeMap<CellId, BTreeSet<i32>> {
    let mut rows: BTreeMap<CellId, BTreeSet<i32>> = BTreeMap::new();
    for operand in netlist.cells.iter().flat_map(|cell| &cell.operands) {
        if let Operand::Tap(cell, [_, y]) = operand
            && is_free(&netlist.cell(*cell).operation)
        {
            rows.entry(*cell).or_default().insert(*y);
        }
    }
    // Outputs are read where they are.
    for (_, operand) in &netlist.outputs {
        if let Operand::Tap(cell, [_, y]) = operand
            && let Some(rows) = rows.get_mut(cell)
        {
            rows.insert(*y);
        }
    }
    rows
}

/// The netlist with these cells made once for each of these rows.
fn in_rows(netlist: &Netlist, split: &Rows) -> Netlist {
    let mut made: BTreeMap<(CellId, i32), CellId> = BTreeMap::new();
    let placed = |operand: Operand, made: &BTreeMap<(CellId, i32), CellId>| match operand {
        Operand::Tap(cell, [x, y]) => match split.get(&cell) {
            None => Operand::Tap(made[&(cell, 0)], [x, y]),
            // A row of an operand that is split itself may not be there.
            Some(rows) if !rows.contains(&y) => {
                let known = rows.first().copied().unwrap_or(0);
                Operand::Tap(made[&(cell, known)], [x, y - known])
            }
            Some(_) => Operand::Tap(made[&(cell, y)], [x, 0]),
        },
        Operand::Number(_) => operand,
    };
    let mut cells: Vec<Cell> = Vec::new();
    let one = BTreeSet::from([0]);
    for id in netlist.ids() {
        for row in split.get(&id).unwrap_or(&one) {
            let mut cell = netlist.cell(id).clone();
            for operand in &mut cell.operands {
                *operand = placed(operand.moved([0, *row]), &made);
            }
            made.insert((id, *row), CellId::new(cells.len()));
            cells.push(cell);
        }
    }
    let outputs = netlist.outputs.iter().map(|(port, of)| (port.clone(), placed(*of, &made))).collect();
    let mut other = netlist.clone();
    (other.cells, other.outputs) = (cells, outputs);
    other.pruned()
}

/// The price of a netlist on a machine: its operations in all lanes, and what it keeps.
pub fn design_price(netlist: &Netlist, machine: &HardwareMachine, frame: &Frame) -> u64 {
    price(netlist, machine, &CellPrices::new(machine), frame)
}

/// The price of a netlist: its operations in all lanes, and what it keeps.
fn price(netlist: &Netlist, machine: &HardwareMachine, prices: &CellPrices<'_>, frame: &Frame) -> u64 {
    let kept = lags(netlist, frame, None).map_or(u64::MAX >> 32, |lags| lags.bits.unsigned_abs());
    let columns = Columns::new(netlist, frame);
    prices.of_all(netlist, frame, &columns) + (kept + row_bits(netlist, frame, &columns)) * machine.buffer_bit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::hardware::machine::{Factor, Margin, Port, Reach, Throughput};
    use crate::pipeline::Range;

    #[test]
    fn products_are_computed_again_where_their_factors_take_less_to_keep() {
        let mut netlist = Netlist::default();
        let port = || Port { name: "p".to_owned(), bits: 12, signed: true, every: [1, 1] };
        let [a, b] = [0, 1].map(|_| netlist.input(port(), Range::integers(-1023, 1023)));
        let one = Factor { negative: false, shift: 0 };
        for [x, y] in [[a, a], [a, b], [b, b]] {
            let product = netlist.add("p", Operation::Product, vec![x, y], None).unwrap();
            let pair = vec![product, product.moved([0, 1])];
            let sum = netlist.add("s", Operation::Sum(vec![one, one]), pair, None).unwrap();
            let all = vec![sum, product.moved([0, 2])];
            let sum = netlist.add("s", Operation::Sum(vec![one, one]), all, None).unwrap();
            netlist.outputs.push((port(), sum));
        }
        let machine = HardwareMachine::builtin(crate::backend::builtin::HARDWARE[0].0).unwrap();
        let products = |width: usize| {
            let frame = Frame::new(Reach::ITSELF, width, Throughput::ONE, Margin::Sent).unwrap();
            let found = split(netlist.clone(), &machine, &frame);
            found.cells.iter().filter(|cell| cell.operation == Operation::Product).count()
        };
        assert_eq!([16, 1920].map(products), [3, 9]);
    }
}
