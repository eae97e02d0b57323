//! The least or the greatest of many values: runs by doubling or in blocks, columns before rows.

use std::collections::BTreeMap;

use crate::algebra::Choice;
use crate::backend::hardware::machine::{Cell, CellId, Factor, Netlist, Operand, Operation, Since};
use crate::pipeline::Range;

/// Adds the cells of the least or greatest (by `operation`) of values, each with an addend. `blocks` says whether long runs along columns,
/// and along rows, are made in blocks. `None` where there are too many bits, or no values.
pub(super) fn add_extreme(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    values: &[(Operand, i128)],
    (within, blocks): (Option<Range>, [bool; 2]),
) -> Option<Operand> {
    let mut flat: BTreeMap<CellId, Columns> = BTreeMap::new();
    let mut parts = Vec::new();
    for (operand, addend) in values {
        match (operand, addend) {
            (Operand::Tap(cell, [x, y]), 0) => {
                flat.entry(*cell).or_default().entry(*x).or_default().push(*y);
            }
            (operand, 0) => parts.push(*operand),
            (operand, addend) => {
                let one = Factor { negative: false, shift: 0 };
                let operands = vec![*operand, Operand::Number(*addend)];
                parts.push(netlist.add(stage, Operation::Sum(vec![one, one]), operands, None)?);
            }
        }
    }
    for (cell, columns) in flat {
        parts.push(of_columns(netlist, stage, operation, (cell, columns), blocks)?);
    }
    let result = all(netlist, stage, operation, parts)?;
    if let Some(within) = within {
        netlist.narrow(result, within);
    }
    Some(result)
}

/// The rows that are read, by column.
type Columns = BTreeMap<i32, Vec<i32>>;

/// Columns that read the same rows are computed once.
fn of_columns(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    (cell, columns): (CellId, Columns),
    blocks: [bool; 2],
) -> Option<Operand> {
    let mut alike: BTreeMap<Vec<i32>, Vec<i32>> = BTreeMap::new();
    for (x, mut rows) in columns {
        rows.sort_unstable();
        rows.dedup();
        alike.entry(rows).or_default().push(x);
    }
    let mut parts = Vec::new();
    for (rows, columns) in alike {
        let value = Operand::Tap(cell, [0, 0]);
        let column = runs(netlist, stage, operation, (value, 1, blocks[1]), &rows)?;
        parts.push(runs(netlist, stage, operation, (column, 0, blocks[0]), &columns)?);
    }
    all(netlist, stage, operation, parts)
}

/// The extreme of a value at these places along an axis: runs of neighbours first, long ones in blocks if these are wanted.
fn runs(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    (value, axis, blocks): (Operand, usize, bool),
    places: &[i32],
) -> Option<Operand> {
    let mut parts = Vec::new();
    let mut rest = places;
    while let Some(first) = rest.first() {
        let length = rest.iter().zip(*first..).take_while(|(place, expected)| **place == *expected).count();
        let made = if blocks && length >= FEWEST_IN_BLOCKS {
            in_blocks(netlist, stage, operation, (value, axis), length as i32)?
        } else {
            run(netlist, stage, operation, (value, axis), length as i32)?
        };
        parts.push(made.moved(along(axis, *first)));
        rest = &rest[length..];
    }
    all(netlist, stage, operation, parts)
}

/// An offset along an axis, east or north.
fn along(axis: usize, by: i32) -> [i32; 2] {
    if axis == 0 { [by, 0] } else { [0, by] }
}

/// The extreme of a value and of those that follow it along an axis: of two runs that overlap, half as long or little more.
fn run(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    (value, axis): (Operand, usize),
    length: i32,
) -> Option<Operand> {
    if length == 1 {
        return Some(value);
    }
    let part = (length as u32).next_power_of_two() as i32 / 2;
    let first = run(netlist, stage, operation, (value, axis), part)?;
    let second = first.moved(along(axis, length - part));
    netlist.add(stage, operation.clone(), vec![first, second], None)
}

/// The shortest run that takes fewer operations in blocks: three, and runs of doubling length four.
const FEWEST_IN_BLOCKS: usize = 9;

/// The same by the algorithm of van Herk (Pattern Recognition Letters 13, 1992) and of Gil and Werman (PAMI 15, 1993): a run as long as a
/// block begins in one and ends in the next, so it is what is left of the first and what has been of the second.
fn in_blocks(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    (value, axis): (Operand, usize),
    length: i32,
) -> Option<Operand> {
    let choice = if *operation == Operation::Minimum { Choice::Least } else { Choice::Greatest };
    let period = length as u32;
    let later = value.moved(Operation::later(axis, period));
    let until = netlist.add(stage, Operation::Until { axis, period, choice }, vec![later], None)?;
    let since = Operation::Along { axis, period, since: Since::Extreme(choice) };
    let since = netlist.add(stage, since, vec![value], None)?;
    // Of columns the westernmost comes first, of rows the northernmost.
    let ends = along(axis, length - 1);
    let pair = if axis == 0 { [until, since.moved(ends)] } else { [until.moved(ends), since] };
    netlist.add(stage, operation.clone(), pair.to_vec(), None)
}

/// Along which axes a netlist has runs that are long enough for blocks: such a run is made of two that are four pixels apart.
pub fn long_runs(netlist: &Netlist) -> [bool; 2] {
    let far = |cell: &Cell, axis: usize| match cell.operands[..] {
        [Operand::Tap(a, at), Operand::Tap(b, other)] if a == b => at[axis].abs_diff(other[axis]) >= 4,
        _ => false,
    };
    let extremes = || {
        netlist.cells.iter().filter(|cell| matches!(cell.operation, Operation::Minimum | Operation::Maximum))
    };
    [0, 1].map(|axis| extremes().any(|cell| far(cell, axis)))
}

/// The extreme of all values, in pairs.
fn all(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    mut values: Vec<Operand>,
) -> Option<Operand> {
    while values.len() > 1 {
        let mut next = Vec::new();
        for pair in values.chunks(2) {
            next.push(match pair {
                [a, b] => netlist.add(stage, operation.clone(), vec![*a, *b], None)?,
                _ => pair[0],
            });
        }
        values = next;
    }
    values.pop()
}
