//! The coefficients of a filter as integers, and their factors and symmetries.

/// Coefficients in rows; the first row is the one that comes first in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    columns: usize,
    rows: Vec<Vec<i64>>,
}

impl Kernel {
    /// The coefficients, row by row.
    pub fn new(columns: usize, rows: usize, values: &[i64]) -> Self {
        let row =
            |row: usize| (0..columns).map(|c| values.get(row * columns + c).copied().unwrap_or(0)).collect();
        Self { columns, rows: (0..rows).map(row).collect() }
    }

    /// Columns and rows.
    pub fn size(&self) -> [usize; 2] {
        [self.columns, self.rows.len()]
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[i64] {
        &self.rows[row]
    }

    /// A column and a row whose product it is, with the row in lowest terms; `None` where its rank is not one.
    pub fn factors(&self) -> Option<(Vec<i64>, Vec<i64>)> {
        let first = self.rows.iter().find(|row| row.iter().any(|c| *c != 0))?;
        let divisor = first.iter().fold(0, |a, b| gcd(a, b.abs()));
        let row: Vec<i64> = first.iter().map(|c| c / divisor).collect();
        let at = row.iter().position(|c| *c != 0)?;
        let column: Vec<i64> = self.rows.iter().map(|r| r[at] / row[at]).collect();
        let product = |r: usize, c: usize| column[r].checked_mul(row[c]);
        let whole =
            (0..self.rows.len()).all(|r| (0..self.columns).all(|c| product(r, c) == Some(self.rows[r][c])));
        whole.then_some((column, row))
    }

    /// Whether row `r` has the coefficients of the row that is as far from the other end, for all `r`.
    pub fn rows_mirror(&self) -> bool {
        self.rows.len() > 1 && self.rows.iter().eq(self.rows.iter().rev())
    }
}

/// Whether a list reads the same from both ends.
pub(super) fn mirrors(values: &[i64]) -> bool {
    values.len() > 1 && values.iter().eq(values.iter().rev())
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_a_column_and_a_row_are_taken_apart() {
        let binomial = Kernel::new(3, 3, &[2, 4, 2, 4, 8, 4, 2, 4, 2]);
        assert_eq!(binomial.factors(), Some((vec![2, 4, 2], vec![1, 2, 1])));
        let sobel = Kernel::new(3, 3, &[1, 2, 1, 0, 0, 0, -1, -2, -1]);
        assert_eq!(sobel.factors(), Some((vec![1, 0, -1], vec![1, 2, 1])));
        assert_eq!(Kernel::new(3, 3, &[0, 1, 0, 1, 4, 1, 0, 1, 0]).factors(), None);
        assert_eq!(Kernel::new(2, 1, &[0, 0]).factors(), None);
        // Halves are no integers: the row in lowest terms leaves no fraction in the column.
        assert_eq!(Kernel::new(2, 2, &[2, 4, 3, 6]).factors(), Some((vec![2, 3], vec![1, 2])));
    }

    #[test]
    fn mirrored_rows_are_seen() {
        assert!(Kernel::new(1, 3, &[1, 5, 1]).rows_mirror());
        assert!(!Kernel::new(1, 3, &[1, 5, 2]).rows_mirror());
        assert!(!Kernel::new(3, 1, &[1, 5, 1]).rows_mirror());
    }
}
