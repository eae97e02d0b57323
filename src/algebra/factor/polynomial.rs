//! Polynomials in three variables with integer coefficients.

use crate::algebra::{gcd, place};

/// Integer coefficients over a box of exponents, x fastest, then y and z. Polynomials are taken modulo monomials: no face of the
/// box is empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Polynomial {
    size: [usize; 3],
    taps: Vec<i64>,
}

impl Polynomial {
    /// The polynomial with the coefficients of a box, divided by a monomial; `None` if all coefficients are zero or their number
    /// differs from that of the places.
    pub fn new(size: [usize; 3], taps: &[i64]) -> Option<Self> {
        let [w, h, d] = size;
        if taps.len() != w.checked_mul(h)?.checked_mul(d)? || taps.contains(&i64::MIN) {
            return None;
        }
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        for (i, _) in taps.iter().enumerate().filter(|(_, tap)| **tap != 0) {
            for (axis, at) in place(size, i).into_iter().enumerate() {
                (low[axis], high[axis]) = (low[axis].min(at), high[axis].max(at));
            }
        }
        if low[0] == usize::MAX {
            return None;
        }
        let kept = |i: &usize| {
            place(size, *i).iter().zip(low.iter().zip(high)).all(|(at, (l, h))| (*l..=h).contains(at))
        };
        let inside = (0..taps.len()).filter(kept).map(|i| taps[i]).collect();
        Some(Self { size: [0, 1, 2].map(|axis| high[axis] + 1 - low[axis]), taps: inside })
    }

    /// One more than the degree in each variable.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// The coefficients, x fastest, then y and z.
    pub fn taps(&self) -> &[i64] {
        &self.taps
    }

    /// Whether this is a number times a monomial.
    pub fn is_constant(&self) -> bool {
        self.taps.len() == 1
    }

    /// The number of non-zero coefficients.
    pub fn tap_count(&self) -> usize {
        self.taps.iter().filter(|tap| **tap != 0).count()
    }

    /// The largest absolute value of a coefficient.
    pub(super) fn height(&self) -> u64 {
        self.taps.iter().map(|tap| tap.unsigned_abs()).max().unwrap_or(0)
    }

    /// The greatest common divisor of the coefficients.
    pub fn content(&self) -> u64 {
        self.taps.iter().fold(0, |common, tap| gcd(common, tap.unsigned_abs()))
    }

    /// The polynomial divided by its content, with a positive first coefficient in storage order.
    #[must_use]
    pub fn primitive(&self) -> Self {
        let content = i64::try_from(self.content()).unwrap_or(1).max(1);
        let negative = self.taps.iter().find(|tap| **tap != 0).is_some_and(|tap| *tap < 0);
        let divisor = if negative { -content } else { content };
        Self { size: self.size, taps: self.taps.iter().map(|tap| tap / divisor).collect() }
    }

    /// The product; `None` on overflow.
    pub fn product(&self, other: &Self) -> Option<Self> {
        let size = [0, 1, 2].map(|axis| self.size[axis] + other.size[axis] - 1);
        let mut taps = vec![0i64; size.iter().product()];
        for (start, a) in places(self.size, size).zip(&self.taps).filter(|(_, a)| **a != 0) {
            for (distance, b) in places(other.size, size).zip(&other.taps) {
                let sum = &mut taps[start + distance];
                *sum = sum.checked_add(a.checked_mul(*b)?)?;
            }
        }
        Some(Self { size, taps })
    }

    /// The exact quotient; `None` if there is none with integer coefficients, or on overflow.
    pub fn quotient(&self, by: &Self) -> Option<Self> {
        let mut size = [0; 3];
        for (axis, extent) in size.iter_mut().enumerate() {
            *extent = (self.size[axis] + 1).checked_sub(by.size[axis]).filter(|n| *n > 0)?;
        }
        let pattern: Vec<(usize, i64)> =
            places(by.size, self.size).zip(by.taps.iter().copied()).filter(|(_, tap)| *tap != 0).collect();
        let (reach, lead) = *pattern.last()?;
        let mut rest = self.taps.clone();
        let mut taps = vec![0; size.iter().product()];
        // Storage order is a monomial order: the last coefficient of a product is the product of the last ones.
        let corners: Vec<usize> = places(size, self.size).collect();
        for (value, corner) in taps.iter_mut().zip(corners).rev() {
            let tap = rest[corner + reach];
            if tap == 0 {
                continue;
            }
            if tap % lead != 0 {
                return None;
            }
            *value = tap / lead;
            for (distance, weight) in &pattern {
                let place = &mut rest[corner + distance];
                *place = place.checked_sub(value.checked_mul(*weight)?)?;
            }
        }
        rest.iter().all(|tap| *tap == 0).then_some(Self { size, taps })
    }

    /// The approximate number of coefficients that [`quotient`](Self::quotient) touches.
    pub(super) fn quotient_work(&self, by: &Self) -> u64 {
        (self.taps.len() + self.taps.len().saturating_sub(by.taps.len()) * by.tap_count()) as u64
    }
}

/// The storage indices, in a larger box, of the places of a box.
fn places(size: [usize; 3], [width, height, _]: [usize; 3]) -> impl Iterator<Item = usize> {
    let within = (0..size.iter().product()).map(move |i| place(size, i));
    within.map(move |[x, y, z]| (z * height + y) * width + x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_is_a_kernel_without_its_place() {
        let polynomial = Polynomial::new([3, 3, 1], &[0, 0, 0, 0, -4, 6, 0, 0, 0]).unwrap();
        assert_eq!((polynomial.size(), polynomial.taps()), ([2, 1, 1], &[-4, 6][..]));
        assert_eq!(polynomial.primitive().taps(), [2, -3]);
        assert_eq!(Polynomial::new([2, 1, 1], &[0, 0]), None);
        assert_eq!(Polynomial::new([2, 1, 1], &[1]), None);
    }

    #[test]
    fn quotients_are_exact_or_none() {
        let a = Polynomial::new([2, 2, 2], &[1, -2, 0, 3, 5, 0, 0, 7]).unwrap();
        let b = Polynomial::new([3, 2, 1], &[0, 2, 3, 1, 0, -1]).unwrap();
        let product = a.product(&b).unwrap();
        assert_eq!(product.quotient(&a), Some(b.clone()));
        assert_eq!(product.quotient(&b), Some(a.clone()));
        assert_eq!(a.quotient(&b), None);
        let odd = Polynomial::new([3, 2, 1], &[0, 2, 3, 1, 1, -1]).unwrap();
        assert_eq!(product.quotient(&odd), None);
    }

    #[test]
    fn overflow_is_none() {
        let large = Polynomial::new([2, 1, 1], &[i64::MAX, 1]).unwrap();
        assert_eq!(large.product(&large), None);
        assert_eq!(large.quotient(&Polynomial::new([2, 1, 1], &[1, -1]).unwrap()), None);
    }
}
