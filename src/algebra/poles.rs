//! Denominators of rational kernels: products of cyclotomic polynomials in a monomial.
//!
//! For a primitive offset p, 1 − x^(n·p) is the product of Φ_k(x^p) over all divisors k of n, up to its sign, and each factor is
//! irreducible. A fraction with such a denominator is therefore in lowest terms if no factor divides its numerator, and the
//! lowest terms are unique.

use super::{Offset, gcd, place};

/// The longest step of a scan, in multiples of a primitive offset.
const MAX_ORDER: u64 = 64;

/// A factor Φ_order(x^step), translated so that its box begins at the origin. Its first coefficient is 1.
///
/// The step is primitive and positive in storage order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Pole {
    step: Offset,
    order: u16,
}

impl Pole {
    /// The factors of the denominator of 1/(1 − x^`step`) in ascending order, and whether `step` is negative in storage order. `None`
    /// for the offset zero and for steps that are too long.
    pub(super) fn of_scan(step: Offset) -> Option<(Vec<Self>, bool)> {
        let length = step.iter().fold(0, |length, along| gcd(length, u64::from(along.unsigned_abs())));
        if length == 0 || length > MAX_ORDER {
            return None;
        }
        let is_negative = [step[2], step[1], step[0]] < [0; 3];
        let sign = if is_negative { -1 } else { 1 };
        let step = step.map(|along| sign * (along / length as i32));
        let orders = (1..=length).filter(|order| length.is_multiple_of(*order));
        Some((orders.map(|order| Self { step, order: order as u16 }).collect(), is_negative))
    }

    /// The primitive offset p of x^p.
    pub(super) fn step(self) -> Offset {
        self.step
    }

    /// The index k of Φ_k.
    pub(super) fn order(self) -> u16 {
        self.order
    }

    /// The factor with the same offset and another index.
    pub(super) fn with_order(self, order: u16) -> Self {
        Self { order, ..self }
    }

    /// The coefficients of Φ_k by ascending power; those of Φ_1 are negated, so that all begin with 1.
    fn coefficients(self) -> Vec<i64> {
        let order = usize::from(self.order);
        let mut rest = vec![0i64; order + 1];
        (rest[0], rest[order]) = (1, -1);
        // 1 − t^k, divided by the factors of all smaller divisors.
        for divisor in (1..self.order).filter(|divisor| self.order.is_multiple_of(*divisor)) {
            let by = self.with_order(divisor).coefficients();
            for power in 0..rest.len() {
                let own = rest[power];
                for (more, coefficient) in by.iter().enumerate().skip(1).take(rest.len() - 1 - power) {
                    rest[power + more] -= own * coefficient;
                }
            }
            rest.truncate(rest.len() + 1 - by.len());
        }
        rest
    }

    /// The corner of the box of Φ_k(x^p) before translation.
    pub(super) fn corner(self) -> Offset {
        let degree = self.coefficients().len() as i32 - 1;
        self.step.map(|along| (along * degree).min(0))
    }

    /// The non-zero coefficients with their offsets.
    pub(super) fn taps(self) -> Vec<(Offset, i64)> {
        let corner = self.corner();
        let powers = self.coefficients().into_iter().enumerate().filter(|(_, coefficient)| *coefficient != 0);
        let place = |power: usize| [0, 1, 2].map(|axis| self.step[axis] * power as i32 - corner[axis]);
        powers.map(|(power, coefficient)| (place(power), coefficient)).collect()
    }

    /// A dense kernel (x fastest, then y, z, channel) divided by Φ_k(x^p), in the same box; `Some(None)` if the quotient is not
    /// finite, `None` on overflow.
    pub(super) fn divide(self, [w, h, d]: [usize; 3], dense: &[i64]) -> Option<Option<Vec<i64>>> {
        let coefficients = self.coefficients();
        let degree = coefficients.len() as i32 - 1;
        let mut quotient = vec![0i64; dense.len()];
        for index in 0..dense.len() {
            let [x, y, z] = place([w, h, d], index);
            let at = [x, y, z % d].map(|place| place as i32);
            let inside = |power: i32| {
                let there = [0, 1, 2].map(|axis| at[axis] + self.step[axis] * power);
                (0..3).all(|axis| (0..[w, h, d][axis] as i32).contains(&there[axis]))
            };
            let stride = (self.step[2] * h as i32 + self.step[1]) * w as i32 + self.step[0];
            let mut value = dense[index];
            for (power, coefficient) in (1..).zip(&coefficients[1..]) {
                if *coefficient != 0 && inside(-power) {
                    let before = quotient[(index as i64 - i64::from(power * stride)) as usize];
                    value = value.checked_sub(coefficient.checked_mul(before)?)?;
                }
            }
            if value != 0 && !inside(degree) {
                return Some(None);
            }
            quotient[index] = value;
        }
        Some(Some(quotient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factors_of_a_scan_multiply_to_its_denominator() {
        for length in 1..=12 {
            let (poles, _) = Pole::of_scan([length, 0, 0]).unwrap();
            let mut product = vec![1i64];
            for pole in poles {
                let factor = pole.coefficients();
                let mut next = vec![0; product.len() + factor.len() - 1];
                for (i, a) in product.iter().enumerate() {
                    for (j, b) in factor.iter().enumerate() {
                        next[i + j] += a * b;
                    }
                }
                product = next;
            }
            let mut expected = vec![0; length as usize + 1];
            (expected[0], expected[length as usize]) = (1, -1);
            assert_eq!(product, expected);
        }
    }

    #[test]
    fn division_is_exact_or_refused() {
        let row = [1, 0, 0, 0, 0, -1];
        let (poles, _) = Pole::of_scan([1, 0, 0]).unwrap();
        assert_eq!(poles[0].divide([6, 1, 1], &row), Some(Some(vec![1, 1, 1, 1, 1, 0])));
        assert_eq!(poles[0].divide([6, 1, 1], &[1, 0, 0, 0, 0, 1]), Some(None));
        // A diagonal with a negative y: x − y.
        let (poles, is_negative) = Pole::of_scan([1, -1, 0]).unwrap();
        assert!(is_negative);
        assert_eq!(poles[0].taps(), [([1, 0, 0], 1), ([0, 1, 0], -1)]);
        let quotient = poles[0].divide([3, 3, 1], &[0, 0, 1, 0, 0, 0, -1, 0, 0]);
        assert_eq!(quotient, Some(Some(vec![0, 0, 1, 0, 1, 0, 0, 0, 0])));
        assert_eq!(Pole::of_scan([0; 3]), None);
    }
}
