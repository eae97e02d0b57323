//! Sort checking without evaluation: channels, filters and instructions may be used only in certain places.

use crate::algebra::{AlgebraError, Footprint, ORIGIN, Offset};
use crate::syntax::Diagnostics;

use super::evaluate::{Domain, rows};
use super::{Cell, Coefficient, Direction, FilterSource, Grid};

/// Returns the wrong uses of channels, in source order.
pub(super) fn check(filter: &FilterSource) -> Diagnostics {
    rows(Sorts, filter).err().unwrap_or_default()
}

/// The domain in which all kernels are alike.
struct Sorts;

impl Domain for Sorts {
    type Kernel = ();

    const INCOMPLETE: bool = true;

    /// Only whether any places are stored to matters.
    fn grid(&self, grid: &Grid) -> Result<((), Footprint), AlgebraError> {
        let stores = if grid.cells.contains(&Cell::Stored) {
            Footprint::from_offsets(&[ORIGIN])?
        } else {
            Footprint::empty()
        };
        Ok(((), stores))
    }

    fn identity(&self) {}

    fn scan(&self, _: Direction) -> Result<(), AlgebraError> {
        Ok(())
    }

    fn sum(&self, _: &[&()]) -> Result<(), AlgebraError> {
        Ok(())
    }

    fn negate(&self, (): &()) -> Result<(), AlgebraError> {
        Ok(())
    }

    fn scale(&self, _: &Coefficient, (): &()) -> Result<(), AlgebraError> {
        Ok(())
    }

    fn shift(&self, _: Offset, (): &()) -> Result<(), AlgebraError> {
        Ok(())
    }

    fn compose(&self, (): &(), (): &()) -> Result<(), AlgebraError> {
        Ok(())
    }

    fn zero(&self) {}

    fn recursion(&self, (): &(), (): &()) -> Result<(), AlgebraError> {
        Ok(())
    }

    fn touch(&self, (): &(), _: &Footprint) -> Result<(), AlgebraError> {
        Ok(())
    }
}
