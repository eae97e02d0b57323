//! Rounding of coefficients to multiples of a power of two, and canonical signed digits.
//!
//! After T. Debrunner, S. Saeedi, P. H. J. Kelly: AUKE: Automatic Kernel Code Generation for an Analogue SIMD Focal-Plane
//! Sensor-Processor Array (2018), section 2.1.

use super::{AlgebraError, PlusTimes, Rational, Semiring};

/// The maximum depth: 2^-30 is far below the noise of analogue machines and the precision of pixels.
pub const MAX_DEPTH: u32 = 30;

/// The multiple of 2^-`depth` nearest to `value`; ties go away from zero. This is the value of AUKE's equation (1).
///
/// # Errors
/// [`AlgebraError::DepthOutOfRange`]; [`AlgebraError::Overflow`] if `value` · 2^`depth` does not fit.
pub fn round_to_depth(value: Rational, depth: u32) -> Result<Rational, AlgebraError> {
    let unit = unit_of(depth)?;
    let counts = PlusTimes::try_mul(value, Rational::integer(unit.denominator()))?.round();
    PlusTimes::try_mul(Rational::integer(counts), unit)
}

/// The canonical signed digits of `value`: value = Σ digit(i) · 2^i with digits −1, 0 and 1, least significant first. Of two adjacent
/// digits at least one is zero, and the last digit is not zero. No signed-digit representation has fewer non-zero digits. Zero has
/// no digits.
///
/// ```
/// use kalg::algebra::approximate::signed_digits;
/// assert_eq!(signed_digits(7), [-1, 0, 0, 1]);
/// ```
pub fn signed_digits(value: i64) -> Vec<i8> {
    let mut rest = i128::from(value);
    let mut digits = Vec::new();
    while rest != 0 {
        // An odd remainder takes the digit that leaves a multiple of four.
        let digit: i8 = match rest.rem_euclid(4) {
            1 => 1,
            3 => -1,
            _ => 0,
        };
        digits.push(digit);
        rest = (rest - i128::from(digit)) / 2;
    }
    digits
}

/// The number of [`signed_digits`] that are not zero: the bits in which one and a half times the value differs from half of it.
#[inline]
pub(crate) fn digit_count(value: i64) -> u32 {
    let (whole, half) = (value.unsigned_abs(), value.unsigned_abs() / 2);
    ((whole + half) ^ half).count_ones()
}

/// 2^-`depth`.
fn unit_of(depth: u32) -> Result<Rational, AlgebraError> {
    let exponent = i32::try_from(depth).ok().filter(|_| depth <= MAX_DEPTH);
    exponent
        .and_then(|exponent| Rational::power_of_two(-exponent))
        .ok_or(AlgebraError::DepthOutOfRange { depth, limit: MAX_DEPTH })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn signed_digits_are_canonical(value in any::<i64>()) {
            let digits = signed_digits(value);
            let sum: i128 = digits.iter().enumerate().map(|(i, digit)| i128::from(*digit) << i).sum();
            prop_assert_eq!(sum, i128::from(value));
            prop_assert!(digits.windows(2).all(|pair| pair[0] == 0 || pair[1] == 0));
            prop_assert!(digits.last().is_none_or(|digit| *digit != 0));
            prop_assert_eq!(digits.iter().filter(|digit| **digit != 0).count(), digit_count(value) as usize);
            let opposite: Vec<i8> = digits.iter().map(|digit| -digit).collect();
            prop_assume!(value != i64::MIN);
            prop_assert_eq!(signed_digits(-value), opposite);
        }

        #[test]
        fn rounding_is_to_the_nearest_multiple(n in -10_000i64..10_000, d in 1i64..1_000, depth in 0u32..12) {
            let value = Rational::new(n, d).unwrap();
            let near = round_to_depth(value, depth).unwrap();
            let half_unit = Rational::new(1, 2 << depth).unwrap();
            prop_assert!(near.sub(value).unwrap().abs() <= half_unit);
            prop_assert!(near.mul(Rational::integer(1 << depth)).unwrap().is_integer());
            prop_assert_eq!(round_to_depth(value.negate(), depth).unwrap(), near.negate());
            prop_assert_eq!(round_to_depth(near, depth).unwrap(), near);
        }
    }

    #[test]
    fn no_signed_digits_of_fewer_terms_exist() {
        // All sums of two signed powers of two below 2^8, by brute force; other numbers need three or more.
        let powers: Vec<i64> = (0..8).flat_map(|i| [1 << i, -(1 << i)]).collect();
        for value in 1i64..100 {
            let weight = digit_count(value);
            let one = powers.contains(&value);
            let two = powers.iter().any(|a| powers.iter().any(|b| a + b == value));
            assert_eq!((weight == 1, weight <= 2), (one, one || two), "{value}");
        }
    }
}
