//! The coefficients of a filter as integers, and their symmetries.

use super::dot::parts;
use crate::backend::vector::machine::PreAdd;
use crate::backend::vector::workload::Element;

/// Coefficients in rows. The first row comes first in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    columns: usize,
    rows: Vec<Vec<i64>>,
}

impl Kernel {
    /// Creates a kernel from coefficients, row by row.
    pub fn new(columns: usize, rows: usize, values: &[i64]) -> Self {
        let row =
            |row: usize| (0..columns).map(|c| values.get(row * columns + c).copied().unwrap_or(0)).collect();
        Self { columns, rows: (0..rows).map(row).collect() }
    }

    /// The number of columns and rows.
    pub fn size(&self) -> [usize; 2] {
        [self.columns, self.rows.len()]
    }

    /// Returns a row.
    pub fn row(&self, row: usize) -> &[i64] {
        &self.rows[row]
    }

    /// A copy with another coefficient at one place.
    pub fn with(&self, row: usize, column: usize, coefficient: i64) -> Self {
        let mut other = self.clone();
        other.rows[row][column] = coefficient;
        other
    }

    /// Kernels that sum up to this one and whose coefficients fit a type, as [`parts`] splits them. Only this one if all fit.
    pub(super) fn parts(&self, element: Element) -> Vec<Self> {
        let all: Vec<i64> = self.rows.concat();
        let [columns, rows] = self.size();
        parts(&all, element).iter().map(|part| Self::new(columns, rows, part)).collect()
    }

    /// The combination of every row with its mirror row: equal or opposite.
    pub fn mirror(&self) -> Option<PreAdd> {
        let rows = || self.rows.iter().zip(self.rows.iter().rev());
        let opposite = |(a, b): (&Vec<i64>, &Vec<i64>)| a.iter().zip(b).all(|(a, b)| *a == -*b);
        match () {
            () if self.rows.len() < 2 || self.rows.iter().flatten().all(|c| *c == 0) => None,
            () if rows().all(|(a, b)| a == b) => Some(PreAdd::Sum),
            () => rows().all(opposite).then_some(PreAdd::Difference),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_rows_are_seen() {
        assert_eq!(Kernel::new(1, 3, &[1, 5, 1]).mirror(), Some(PreAdd::Sum));
        assert_eq!(Kernel::new(2, 3, &[1, -5, 0, 0, -1, 5]).mirror(), Some(PreAdd::Difference));
        assert_eq!(Kernel::new(1, 3, &[1, 5, 2]).mirror(), None);
        assert_eq!(Kernel::new(3, 1, &[1, 5, 1]).mirror(), None);
        assert_eq!(Kernel::new(1, 2, &[0, 0]).mirror(), None);
    }
}
