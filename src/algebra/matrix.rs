//! The layout of printed matrices. Cells are aligned to the right. For kernels and footprints the first row is north, and
//! `.` is a place that is not touched.

use std::fmt;

use super::{Bounds, Offset};

/// The maximum reach of a matrix that is printed centred on the origin, as in the kernel notation of papers. Beyond it only
/// the bounding box is printed, below a line with its position.
const CENTRED_REACH: i32 = 9;

/// Writes a matrix for the places of `bounds`, with `.` where `cell` returns nothing. An empty box is written as a single
/// `.`; a line with its name precedes each plane of a volume, highest plane first.
pub(super) fn write(
    f: &mut fmt::Formatter<'_>,
    bounds: Bounds,
    cell: impl Fn(Offset) -> Option<String>,
) -> fmt::Result {
    if bounds.is_empty() {
        return f.write_str(".");
    }
    let (mut low, mut high) = (bounds.low(), bounds.high());
    let flat = low[2] == 0 && high[2] == 0;
    let reach = [0, 1].map(|axis| low[axis].abs().max(high[axis].abs()));
    if reach.iter().all(|r| *r <= CENTRED_REACH) {
        (low[0], high[0]) = (-reach[0], reach[0]);
        (low[1], high[1]) = (-reach[1], reach[1]);
    } else {
        writeln!(f, "north-west corner at ({}, {}):", low[0], high[1])?;
    }
    for z in (low[2]..=high[2]).rev() {
        if !flat {
            writeln!(f, "z = {z}:")?;
        }
        let rows: Vec<Vec<String>> = (low[1]..=high[1])
            .rev()
            .map(|y| (low[0]..=high[0]).map(|x| cell([x, y, z]).unwrap_or_else(|| ".".to_owned())).collect())
            .collect();
        f.write_str(&aligned(&rows).join("\n"))?;
        if z > low[2] {
            f.write_str("\n")?;
        }
    }
    Ok(())
}

/// Formats rows of cells as lines; every cell is as wide as the widest.
pub(crate) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let width = rows.iter().flatten().map(|cell| cell.chars().count()).max().unwrap_or(0);
    let line =
        |row: &Vec<String>| row.iter().map(|cell| format!("{cell:>width$}")).collect::<Vec<_>>().join(" ");
    rows.iter().map(line).collect()
}
