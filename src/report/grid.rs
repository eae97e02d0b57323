//! A kernel's taps as a matrix: first row north, first column west, the pixel itself always inside.

use super::{Kernel, Tap};
use crate::algebra::aligned;

/// The matrix of a kernel without extent in z.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// Rows from north to south; `None` for places that are not read.
    pub(super) rows: Vec<Vec<Option<String>>>,
    /// Column and row of the pixel itself.
    pub(super) origin: (usize, usize),
}

impl Grid {
    /// The maximum width of a matrix that is drawn.
    const MOST: i32 = 64;

    /// The matrix; `None` for a kernel with extent in z, and for one too wide to draw.
    pub(super) fn new(kernel: &Kernel) -> Option<Self> {
        if kernel.taps.iter().any(|tap| tap.offset[2] != 0) {
            return None;
        }
        let range = |axis: usize| {
            let along = kernel.taps.iter().map(|tap| tap.offset[axis]);
            (along.clone().min().unwrap_or(0).min(0), along.max().unwrap_or(0).max(0))
        };
        let ((west, east), (south, north)) = (range(0), range(1));
        if east - west >= Self::MOST || north - south >= Self::MOST {
            return None;
        }
        let mut rows = vec![vec![None; (east - west + 1) as usize]; (north - south + 1) as usize];
        for Tap { offset, coefficient } in &kernel.taps {
            rows[(north - offset[1]) as usize][(offset[0] - west) as usize] = Some(coefficient.clone());
        }
        Some(Self { rows, origin: (-west as usize, north as usize) })
    }

    /// The lines of the matrix; `cell` formats one place.
    pub(super) fn lines(&self, cell: impl Fn(Option<&str>) -> String) -> Vec<String> {
        let texts = |row: &Vec<Option<String>>| row.iter().map(|value| cell(value.as_deref())).collect();
        aligned(&self.rows.iter().map(texts).collect::<Vec<_>>())
    }
}

/// A coefficient's magnitude, for shading.
pub(super) fn magnitude(coefficient: &str) -> f64 {
    let (numerator, denominator) = coefficient.split_once('/').unwrap_or((coefficient, "1"));
    match (numerator.parse::<f64>(), denominator.parse::<f64>()) {
        (Ok(n), Ok(d)) if d != 0.0 => n / d,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(taps: &[([i32; 3], &str)]) -> Kernel {
        let taps =
            taps.iter().map(|(offset, c)| Tap { offset: *offset, coefficient: (*c).to_owned() }).collect();
        Kernel { input: "image".to_owned(), taps }
    }

    #[test]
    fn the_first_row_is_north_and_the_pixel_is_inside() {
        let grid = Grid::new(&kernel(&[([2, 1, 0], "1/4"), ([1, -1, 0], "0")])).unwrap();
        assert_eq!(grid.origin, (0, 1));
        let lines = grid.lines(|value| value.unwrap_or(".").to_owned());
        assert_eq!(lines, ["  .   . 1/4", "  .   .   .", "  .   0   ."]);
    }

    #[test]
    fn volumes_and_endless_rows_have_no_matrix() {
        assert_eq!(Grid::new(&kernel(&[([0, 0, 1], "1")])), None);
        assert_eq!(Grid::new(&kernel(&[([i32::MAX / 2, 0, 0], "1")])), None);
    }

    #[test]
    fn coefficients_as_numbers() {
        assert_eq!(magnitude("-3/4"), -0.75);
        assert_eq!(magnitude("2"), 2.0);
    }
}
