//! Kernels: Laurent polynomials over an index space, with a footprint.

mod arithmetic;
mod build;

use std::fmt;

use super::{AlgebraError, Border, Bounds, Footprint, Offset, Semiring, matrix};

/// A kernel with coefficients in `S`: out(p) = Σ k(d) · in(p + d).
///
/// A kernel maps every offset that its [`Footprint`] touches to a coefficient, which may be zero: in the notation of
/// kernels, `0` is a coefficient and `.` is none. As a polynomial, `x` stands for a step east, `y` for north and `z`
/// for up. `==` also compares footprints; [`equal_values`](Self::equal_values) compares the computed values.
///
/// Stored dense over the footprint's bounding box. Every operation is checked: see [`AlgebraError`].
///
/// ```
/// use kalg::algebra::{Kernel, PlusTimes, Rational};
/// let tap = |value| Some(Rational::integer(value));
/// let pair = Kernel::<PlusTimes>::from_rows(&[[tap(1), tap(1), None]], None)?;
/// let smooth = pair.compose(&pair)?.shift([1, 0, 0])?;
/// assert_eq!(smooth.to_string(), "1 2 1");
/// # Ok::<(), kalg::algebra::AlgebraError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Kernel<S: Semiring> {
    footprint: Footprint,
    /// One value for every place of the footprint's bounding box; zero where it is not touched.
    values: Box<[S::Element]>,
}

impl<S: Semiring> Kernel<S> {
    /// The footprint.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// The smallest box around the footprint.
    pub fn bounds(&self) -> Bounds {
        self.footprint.bounds()
    }

    /// The extent of the footprint along x, y and z.
    pub fn size(&self) -> [usize; 3] {
        self.bounds().size()
    }

    /// The number of invalid pixels on each side of the output.
    pub fn border(&self) -> Border {
        self.footprint.border()
    }

    /// The coefficient at `offset`; `None` where the kernel does not touch it.
    pub fn get(&self, offset: Offset) -> Option<S::Element> {
        self.bounds().index(offset).filter(|index| self.footprint.has(*index)).map(|index| self.values[index])
    }

    /// The coefficient at `offset`, zero where the kernel does not touch it.
    pub fn coefficient(&self, offset: Offset) -> S::Element {
        self.bounds().index(offset).map_or_else(S::zero, |index| self.values[index])
    }

    /// The coefficients of the bounding box, x fastest, then y, then z; zero where nothing is touched.
    pub fn dense(&self) -> &[S::Element] {
        &self.values
    }

    /// The offsets touched and their coefficients, zeros included: x fastest, then y, then z.
    pub fn taps(&self) -> impl Iterator<Item = (Offset, S::Element)> + '_ {
        self.footprint.indices().map(|index| (self.bounds().offset(index), self.values[index]))
    }

    /// The offsets with non-zero coefficients, and these: x fastest, then y, then z.
    pub fn nonzero_taps(&self) -> impl Iterator<Item = (Offset, S::Element)> + '_ {
        let bounds = self.bounds();
        let values = self.values.iter().enumerate().filter(|(_, value)| !S::is_zero(**value));
        values.map(move |(index, value)| (bounds.offset(index), *value))
    }

    /// The number of non-zero coefficients.
    pub fn nonzero_count(&self) -> usize {
        self.values.iter().filter(|value| !S::is_zero(**value)).count()
    }

    /// Whether all coefficients are zero.
    pub fn is_zero(&self) -> bool {
        self.values.iter().all(|value| S::is_zero(*value))
    }

    /// Whether both kernels have the same coefficients, whatever they touch. If so, they compute the same values wherever
    /// both are valid.
    pub fn equal_values(&self, other: &Self) -> bool {
        if self.bounds() == other.bounds() {
            return self.values == other.values;
        }
        self.nonzero_taps().eq(other.nonzero_taps())
    }
}

impl<S: Semiring> fmt::Display for Kernel<S> {
    /// Writes a matrix whose middle is the origin, first row north, `.` for places that are not touched;
    /// [`Kernel::from_rows`] reads the rows back. A kernel that reaches further than 9 from the origin is written as its
    /// bounding box with its position.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        matrix::write(f, self.bounds(), |offset| self.get(offset).map(|value| value.to_string()))
    }
}

/// A place where two kernels differ, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference<E> {
    /// The offset.
    pub offset: Offset,
    /// The coefficient of the first kernel.
    pub expected: E,
    /// The coefficient of the second kernel.
    pub found: E,
}

impl<S: Semiring> Kernel<S> {
    /// The offsets at which the coefficients of `found` differ from those of `self`, in storage order.
    pub fn differences(&self, found: &Self) -> Result<Vec<Difference<S::Element>>, AlgebraError> {
        let either = self.footprint.union(&found.footprint)?;
        let differences = either.iter().map(|offset| Difference {
            offset,
            expected: self.coefficient(offset),
            found: found.coefficient(offset),
        });
        Ok(differences.filter(|d| d.expected != d.found).collect())
    }
}

#[cfg(test)]
mod tests;
