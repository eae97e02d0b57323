//! What conditions ask of a kernel: over the rationals of its canonical form, elsewhere of the kernel where it stands.

use std::cmp::Ordering;

use crate::algebra::{Kernel, Offset, Rational, Semiring, Shape};
use crate::term;

/// A kernel that conditions ask about, with the arithmetic that they use.
pub trait Subject {
    /// The semiring of its coefficients, and of the numbers beside it.
    type Semiring: Semiring;

    /// Taps that are not zero.
    fn tap_count(&self) -> usize;
    /// How many input channels it reads.
    fn channels(&self) -> usize;
    /// Whether it is itself, turned by half a turn. Each channel is turned by itself.
    fn is_symmetric(&self) -> bool;
    /// Whether it is its own opposite, turned by half a turn: never where there are no opposites.
    fn is_antisymmetric(&self) -> bool;
    /// Whether all rows of its one channel are multiples of one row.
    fn is_separable(&self) -> bool;
    /// Whether no two coefficients have different signs.
    fn has_one_sign(&self) -> bool;
    /// Whether the coefficients add to zero.
    fn sums_to_zero(&self) -> bool;
    /// Whether the quotients of all coefficients by the number are whole.
    fn is_multiple_of(&self, number: <Self::Semiring as Semiring>::Element) -> bool;
    /// The order of decompositions; equal are kernels that differ in nothing that conditions look at.
    fn order(&self, other: &Self) -> Ordering;
}

/// Whether a / b is there, and whole: in (max +) and (min +) that is the difference.
pub(super) fn has_whole_quotient<S: Semiring>(a: S::Element, b: S::Element) -> bool {
    let quotient = S::reciprocal(b).and_then(|inverse| S::mul(a, inverse));
    quotient.and_then(S::number).is_some_and(Rational::is_integer)
}

/// Modulo translation, sign and powers of two.
impl Subject for Shape {
    type Semiring = crate::algebra::PlusTimes;

    fn tap_count(&self) -> usize {
        Self::tap_count(self)
    }

    fn channels(&self) -> usize {
        usize::from(Self::channels(self))
    }

    fn is_symmetric(&self) -> bool {
        is_turned(self, |a, b| a == b)
    }

    fn is_antisymmetric(&self) -> bool {
        is_turned(self, |a, b| a == -b)
    }

    fn is_separable(&self) -> bool {
        let [width, _, depth] = self.size().map(usize::from);
        let rows: Vec<&[i64]> = self.dense().chunks(width.max(1)).collect();
        // The first row of a canonical kernel is not zero.
        let Some(first) = rows.first().filter(|_| Self::channels(self) == 1 && depth == 1) else {
            return false;
        };
        let Some(pivot) = first.iter().position(|tap| *tap != 0) else { return false };
        let minor = |row: &[i64], i: usize| {
            i128::from(first[i]) * i128::from(row[pivot]) == i128::from(first[pivot]) * i128::from(row[i])
        };
        rows.iter().all(|row| (0..width).all(|i| minor(row, i)))
    }

    /// A canonical kernel's first coefficient is positive.
    fn has_one_sign(&self) -> bool {
        self.dense().iter().all(|tap| *tap >= 0)
    }

    fn sums_to_zero(&self) -> bool {
        self.dense().iter().map(|tap| i128::from(*tap)).sum::<i128>() == 0
    }

    /// Multiples of the number's odd part.
    fn is_multiple_of(&self, number: Rational) -> bool {
        let odd = number.numerator() >> number.numerator().trailing_zeros().min(62);
        odd != 0 && self.dense().iter().all(|tap| tap.checked_rem(odd).unwrap_or(0) == 0)
    }

    fn order(&self, other: &Self) -> Ordering {
        term::order(self, other)
    }
}

/// Whether each channel, turned by half a turn, has taps that are `like` those of the channel. A kernel without places has
/// no parity.
fn is_turned(shape: &Shape, like: impl Fn(i64, i64) -> bool) -> bool {
    let places = shape.size().into_iter().map(usize::from).product::<usize>();
    places > 0
        && shape
            .dense()
            .chunks(places)
            .all(|taps| taps.iter().zip(taps.iter().rev()).all(|(a, b)| like(*a, *b)))
}

/// Modulo translation, on one channel. What a kernel touches without a coefficient there does not count.
impl<S: Semiring> Subject for Kernel<S> {
    type Semiring = S;

    fn tap_count(&self) -> usize {
        self.nonzero_count()
    }

    fn channels(&self) -> usize {
        1
    }

    fn is_symmetric(&self) -> bool {
        let trimmed = self.trimmed();
        !trimmed.is_zero() && trimmed.dense().iter().eq(trimmed.dense().iter().rev())
    }

    fn is_antisymmetric(&self) -> bool {
        let trimmed = self.trimmed();
        let opposite =
            trimmed.dense().iter().rev().map(|value| S::negate(*value)).collect::<Option<Vec<_>>>();
        !trimmed.is_zero() && opposite.is_some_and(|opposite| opposite == trimmed.dense())
    }

    fn is_separable(&self) -> bool {
        let trimmed = self.trimmed();
        let [width, _, depth] = trimmed.size();
        let rows: Vec<&[S::Element]> = trimmed.dense().chunks(width.max(1)).collect();
        // Without division, all products of two rows that lie crosswise are compared.
        let alike = |a: &[S::Element], b: &[S::Element]| {
            (0..width).all(|i| (i + 1..width).all(|j| S::mul(a[i], b[j]) == S::mul(a[j], b[i])))
        };
        depth == 1
            && rows.iter().enumerate().all(|(i, row)| rows[i + 1..].iter().all(|other| alike(row, other)))
    }

    fn has_one_sign(&self) -> bool {
        let numbers: Vec<Rational> = self.nonzero_taps().filter_map(|(_, value)| S::number(value)).collect();
        !(numbers.iter().any(|number| number.is_negative()) && numbers.iter().any(|n| *n > Rational::ZERO))
    }

    fn sums_to_zero(&self) -> bool {
        let sum = self.dense().iter().try_fold(S::zero(), |sum, value| S::add(sum, *value));
        sum.is_some_and(S::is_zero)
    }

    fn is_multiple_of(&self, number: S::Element) -> bool {
        self.nonzero_taps().all(|(_, value)| has_whole_quotient::<S>(value, number))
    }

    /// By taps, then by the box, then by what they are.
    fn order(&self, other: &Self) -> Ordering {
        let taps = |kernel: &Self| -> Vec<(Offset, S::Element)> {
            let kernel = kernel.trimmed();
            let low = kernel.bounds().low();
            let moved =
                |(at, value): (Offset, S::Element)| ([0, 1, 2].map(|axis| at[axis] - low[axis]), value);
            kernel.nonzero_taps().map(moved).collect()
        };
        let places = |kernel: &Self| kernel.trimmed().dense().len();
        let counts = (self.nonzero_count(), places(self)).cmp(&(other.nonzero_count(), places(other)));
        counts.then_with(|| taps(self).cmp(&taps(other)))
    }
}
