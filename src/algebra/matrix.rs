//! How kernels and footprints print: as matrices, first row north, `.` where nothing is touched.

use std::fmt;

use super::{Bounds, Offset};

/// Up to this distance from the origin a matrix is centred on it, as in the kernel notation of papers; further away only
/// the bounding box is printed, below a line that says where it stands.
const CENTRED_REACH: i32 = 9;

/// Writes a matrix for the places of `bounds`, `.` where `cell` has nothing. An empty box prints as a single `.`; the
/// planes of a volume are separated by a line that names them, highest plane first.
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
        let width = rows.iter().flatten().map(|text| text.chars().count()).max().unwrap_or(0);
        for (index, row) in rows.iter().enumerate() {
            let line: Vec<String> = row.iter().map(|text| format!("{text:>width$}")).collect();
            f.write_str(&line.join(" "))?;
            if index + 1 < rows.len() || z > low[2] {
                f.write_str("\n")?;
            }
        }
    }
    Ok(())
}
