//! Construction of kernels from matrices, taps and footprints.

use super::Kernel;
use crate::algebra::{AlgebraError, Bounds, Footprint, ORIGIN, Offset, Semiring, within_reach};

impl<S: Semiring> Kernel<S> {
    /// The kernel that touches nothing: neutral for addition.
    pub fn zero() -> Self {
        Self { footprint: Footprint::empty(), values: Box::default() }
    }

    /// The kernel with coefficient one at the origin: neutral for composition.
    pub fn identity() -> Self {
        Self { footprint: Footprint::origin(), values: Box::new([S::one()]) }
    }

    /// One tap: `coefficient` times the pixel at `offset`. A zero coefficient still touches the offset.
    pub fn monomial(offset: Offset, coefficient: S::Element) -> Result<Self, AlgebraError> {
        Ok(Self { footprint: Footprint::from_offsets(&[offset])?, values: Box::new([coefficient]) })
    }

    /// The kernel with a zero at every place of `footprint`.
    pub fn zeros(footprint: Footprint) -> Self {
        let values = vec![S::zero(); footprint.bounds().places()].into();
        Self { footprint, values }
    }

    /// The sum of the given taps; taps at the same offset are added.
    pub fn from_taps(taps: &[(Offset, S::Element)]) -> Result<Self, AlgebraError> {
        let offsets: Vec<Offset> = taps.iter().map(|(offset, _)| *offset).collect();
        let mut kernel = Self::zeros(Footprint::from_offsets(&offsets)?);
        let bounds = kernel.bounds();
        for (offset, coefficient) in taps {
            let value = &mut kernel.values[bounds.index_within(*offset)];
            *value = S::try_add(*value, *coefficient)?;
        }
        Ok(kernel)
    }

    /// The kernel of a matrix, first row north, with `None` for places that are not touched.
    ///
    /// `origin` is the column (from the west) and row (from the north) of the origin, counted from zero. By default the
    /// origin is the middle.
    ///
    /// # Errors
    /// [`AlgebraError::RaggedRow`]; [`AlgebraError::NoCentre`] for an even width or height without an origin (zero rows are
    /// even too); [`AlgebraError::OriginOutside`]; [`AlgebraError::TooLarge`].
    pub fn from_rows(
        rows: &[impl AsRef<[Option<S::Element>]>],
        origin: Option<(usize, usize)>,
    ) -> Result<Self, AlgebraError> {
        let height = rows.len();
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        if let Some((row, entries)) = rows.iter().enumerate().find(|(_, row)| row.as_ref().len() != width) {
            return Err(AlgebraError::RaggedRow { row, expected: width, found: entries.as_ref().len() });
        }
        let (column, row) = match origin {
            Some((column, row)) if column >= width || row >= height => {
                return Err(AlgebraError::OriginOutside { column, row, width, height });
            }
            Some(origin) => origin,
            None if width.is_multiple_of(2) || height.is_multiple_of(2) => {
                return Err(AlgebraError::NoCentre { width, height });
            }
            None => (width / 2, height / 2),
        };
        let mut taps = Vec::new();
        for (index, entries) in rows.iter().enumerate() {
            for (place, value) in entries.as_ref().iter().enumerate() {
                if let Some(value) = value {
                    taps.push((matrix_offset(place, column, row, index)?, *value));
                }
            }
        }
        Self::from_taps(&taps)
    }

    /// The kernel without touched zeros.
    pub fn trimmed(&self) -> Self {
        let taps: Vec<_> = self.nonzero_taps().collect();
        Self::from_taps(&taps).expect("a part of a kernel is within the limits that the whole is within")
    }

    /// The kernel with `footprint` touched as well.
    pub fn touching(&self, footprint: &Footprint) -> Result<Self, AlgebraError> {
        let footprint = self.footprint.union(footprint)?;
        let bounds = footprint.bounds();
        let values = self.values_in(bounds);
        Ok(Self { footprint, values })
    }

    /// The kernel with the coefficients `values`, one for every place of `bounds`, all of which are touched.
    pub fn from_dense(bounds: Bounds, values: Vec<S::Element>) -> Self {
        assert_eq!(values.len(), bounds.places(), "a dense kernel has a value for every place");
        Self { footprint: Footprint::filled(bounds), values: values.into() }
    }

    /// The values in the storage order of `outer`, a box that contains the box of this kernel.
    pub(super) fn values_in(&self, outer: Bounds) -> Box<[S::Element]> {
        if outer == self.bounds() {
            return self.values.clone();
        }
        let mut values = vec![S::zero(); outer.places()];
        for (row, start) in self.bounds().rows_in(outer, self.bounds().start_in(outer)) {
            values[start..start + row.len()].copy_from_slice(&self.values[row]);
        }
        values.into()
    }
}

impl<S: Semiring> Default for Kernel<S> {
    fn default() -> Self {
        Self::zero()
    }
}

/// The offset of the matrix entry at (`column`, `row`) when the origin is at (`origin_column`, `origin_row`).
fn matrix_offset(
    column: usize,
    origin_column: usize,
    origin_row: usize,
    row: usize,
) -> Result<Offset, AlgebraError> {
    let distance = |from: usize, to: usize| {
        let magnitude = i32::try_from(from.abs_diff(to)).unwrap_or(i32::MAX);
        if to >= from { magnitude } else { -magnitude }
    };
    let mut offset = ORIGIN;
    offset[0] = distance(origin_column, column);
    offset[1] = distance(row, origin_row);
    within_reach(offset)
}
