//! The least or the greatest of many values: runs by doubling, columns before rows.

use std::collections::BTreeMap;

use crate::backend::hardware::machine::{CellId, Factor, Netlist, Operand, Operation};
use crate::pipeline::Range;

/// Adds the cells of the least or greatest (by `operation`) of values, each with an addend. `None` where there are too many bits, or
/// no values.
pub(super) fn add_extreme(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    values: &[(Operand, i128)],
    within: Option<Range>,
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
        parts.push(of_columns(netlist, stage, operation, cell, columns)?);
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
    cell: CellId,
    columns: Columns,
) -> Option<Operand> {
    let mut alike: BTreeMap<Vec<i32>, Vec<i32>> = BTreeMap::new();
    for (x, mut rows) in columns {
        rows.sort_unstable();
        rows.dedup();
        alike.entry(rows).or_default().push(x);
    }
    let mut parts = Vec::new();
    for (rows, columns) in alike {
        let column = runs(netlist, stage, operation, (Operand::Tap(cell, [0, 0]), [0, 1]), &rows)?;
        parts.push(runs(netlist, stage, operation, (column, [1, 0]), &columns)?);
    }
    all(netlist, stage, operation, parts)
}

/// The extreme of a value at these places along a direction: runs of neighbours first.
fn runs(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    (value, along): (Operand, [i32; 2]),
    places: &[i32],
) -> Option<Operand> {
    let mut parts = Vec::new();
    let mut rest = places;
    while let Some(first) = rest.first() {
        let length = rest.iter().zip(*first..).take_while(|(place, expected)| **place == *expected).count();
        let start = value.moved(along.map(|step| step * first));
        parts.push(run(netlist, stage, operation, (start, along), length as i32)?);
        rest = &rest[length..];
    }
    all(netlist, stage, operation, parts)
}

/// The extreme of a value and of those that follow it along a direction: of two runs that overlap, half as long or little more.
fn run(
    netlist: &mut Netlist,
    stage: &str,
    operation: &Operation,
    (value, along): (Operand, [i32; 2]),
    length: i32,
) -> Option<Operand> {
    if length == 1 {
        return Some(value);
    }
    let part = (length as u32).next_power_of_two() as i32 / 2;
    let first = run(netlist, stage, operation, (value, along), part)?;
    let second = first.moved(along.map(|step| step * (length - part)));
    netlist.add(stage, operation.clone(), vec![first, second], None)
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
