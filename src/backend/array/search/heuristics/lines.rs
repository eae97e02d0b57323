//! The distinct rows of kernels: what is left to make if each row is made once and copied, moved and scaled for nothing.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::algebra::gcd;
use crate::backend::array::search::program::value::{ShapeId, Shapes};

/// An index of a row.
type RowId = u32;

/// The rows of the kernels that one search has met. Rows that differ by a factor or a displacement are the same.
#[derive(Default)]
pub(crate) struct Lines {
    /// By kernel, each row once.
    of: Vec<Option<Box<[RowId]>>>,
    known: FxHashMap<Box<[i32]>, RowId>,
}

impl Lines {
    /// The number of distinct rows of several kernels that none of `given` has. A single tap has none: it is a copy of an input.
    pub(crate) fn distinct(&mut self, kernels: &[ShapeId], given: &[ShapeId], shapes: &Shapes) -> usize {
        let mut known: SmallVec<[RowId; 32]> = SmallVec::new();
        for kernel in given {
            known.extend_from_slice(self.of(*kernel, shapes));
        }
        let mut wanted: SmallVec<[RowId; 32]> = SmallVec::new();
        for kernel in kernels {
            wanted.extend(self.of(*kernel, shapes).iter().filter(|row| !known.contains(row)).copied());
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted.len()
    }

    /// The rows of a kernel, read on first use.
    fn of(&mut self, kernel: ShapeId, shapes: &Shapes) -> &[RowId] {
        let Self { of, known } = self;
        let index = kernel as usize;
        if of.len() <= index {
            of.resize(index + 1, None);
        }
        of[index].get_or_insert_with(|| {
            let data = shapes.get(kernel);
            if shapes.is_delta(kernel) || data.taps.is_empty() {
                return Box::default();
            }
            let rows = data.taps.chunks_exact(usize::from(data.width)).filter_map(reduced);
            let id = |row| {
                let next = known.len() as RowId;
                *known.entry(row).or_insert(next)
            };
            let mut ids: Vec<RowId> = rows.map(id).collect();
            ids.sort_unstable();
            ids.dedup();
            ids.into()
        })
    }
}

/// A row without the zeros around it, divided by its greatest common factor, its first weight positive; `None` for a row of zeros.
fn reduced(row: &[i32]) -> Option<Box<[i32]>> {
    let first = row.iter().position(|weight| *weight != 0)?;
    let last = row.iter().rposition(|weight| *weight != 0)?;
    let row = &row[first..=last];
    let factor = row.iter().fold(0, |factor, weight| gcd(factor, u64::from(weight.unsigned_abs())));
    let factor = i64::from(row[0].signum()) * factor as i64;
    Some(row.iter().map(|weight| (i64::from(*weight) / factor) as i32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::program::value::ZERO;

    #[test]
    fn rows_are_the_same_up_to_factor_and_place() {
        let mut shapes = Shapes::new(1);
        // (1 2 1), (0 -2 -4 -2) and (3 0 1).
        let taps = [
            [(0, 0, 0, 1), (1, 0, 0, 2), (2, 0, 0, 1)],
            [(1, 1, 0, -2), (2, 1, 0, -4), (3, 1, 0, -2)],
            [(0, 2, 0, 3), (1, 2, 0, 0), (2, 2, 0, 1)],
        ];
        let kernel = shapes.of_taps(taps.as_flattened()).unwrap().shape;
        let row = shapes.of_taps(&taps[0]).unwrap().shape;
        let mut lines = Lines::default();
        assert_eq!(lines.distinct(&[kernel], &[], &shapes), 2);
        assert_eq!(lines.distinct(&[kernel, row], &[], &shapes), 2, "a row of one kernel serves the other");
        assert_eq!(lines.distinct(&[kernel], &[row], &shapes), 1);
        assert_eq!(lines.distinct(&[Shapes::delta(0).shape, ZERO], &[], &shapes), 0);
    }
}
