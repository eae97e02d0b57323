//! Approximation of coefficients by multiples of a power of two, and canonical signed digits.
//!
//! After T. Debrunner, S. Saeedi, P. H. J. Kelly: AUKE: Automatic Kernel Code Generation for an Analogue SIMD Focal-Plane
//! Sensor-Processor Array (2018), section 2.1.

use super::{AlgebraError, Filter, Kernel, Offset, PlusTimes, Rational, Semiring};

/// The largest depth: 2^-30 is far below the noise of analogue machines and the precision of pixels.
pub const MAX_DEPTH: u32 = 30;

/// A kernel or filter whose coefficients are multiples of 2^-depth, and its distance from the original.
#[derive(Clone, PartialEq, Debug)]
pub struct Approximation<T> {
    /// The kernel or filter with rounded coefficients.
    pub value: T,
    /// All coefficients are multiples of 2^-`depth`.
    pub depth: u32,
    /// The largest absolute difference of a coefficient.
    pub max_error: Rational,
    /// The root of the mean squared difference over all coefficients, touched zeros included.
    pub rms_error: f64,
}

/// The multiple of 2^-`depth` nearest to `value`; ties go away from zero. This is the value of AUKE's equation (1).
///
/// # Errors
/// [`AlgebraError::DepthOutOfRange`]; [`AlgebraError::Overflow`] where `value` · 2^`depth` does not fit.
pub fn round_to_depth(value: Rational, depth: u32) -> Result<Rational, AlgebraError> {
    let unit = unit_of(depth)?;
    let counts = PlusTimes::try_mul(value, Rational::integer(unit.denominator()))?.round();
    PlusTimes::try_mul(Rational::integer(counts), unit)
}

/// `kernel` with every coefficient rounded to a multiple of 2^-`depth`. The footprint stays.
///
/// # Errors
/// As [`round_to_depth`].
pub fn approximate_kernel(
    kernel: &Kernel<PlusTimes>,
    depth: u32,
) -> Result<Approximation<Kernel<PlusTimes>>, AlgebraError> {
    let value = rounded(kernel, depth)?;
    let (max_error, rms_error) = errors([(kernel, &value)])?;
    Ok(Approximation { value, depth, max_error, rms_error })
}

/// `filter` with every coefficient rounded to a multiple of 2^-`depth`; the errors are over all its kernels.
///
/// # Errors
/// As [`round_to_depth`].
pub fn approximate(
    filter: &Filter<PlusTimes>,
    depth: u32,
) -> Result<Approximation<Filter<PlusTimes>>, AlgebraError> {
    let value = filter.map(|kernel| rounded(kernel, depth))?;
    let pairs = filter.rows().zip(value.rows()).flat_map(|((_, exact), (_, near))| exact.iter().zip(near));
    let (max_error, rms_error) = errors(pairs)?;
    Ok(Approximation { value, depth, max_error, rms_error })
}

/// The approximation of smallest depth whose largest error is at most `max_error`.
///
/// # Errors
/// [`AlgebraError::DepthOutOfRange`] where [`MAX_DEPTH`] does not suffice; otherwise as [`round_to_depth`].
pub fn approximate_within(
    filter: &Filter<PlusTimes>,
    max_error: Rational,
) -> Result<Approximation<Filter<PlusTimes>>, AlgebraError> {
    for depth in 0..=MAX_DEPTH {
        let approximation = approximate(filter, depth)?;
        if approximation.max_error <= max_error {
            return Ok(approximation);
        }
    }
    Err(AlgebraError::DepthOutOfRange { depth: MAX_DEPTH + 1, limit: MAX_DEPTH })
}

/// N(u, v) of AUKE's equation (7): how many times 2^-`depth` of the pixel at each offset enters the sum. These are the
/// multiplicities of its multisets of partial value representatives.
///
/// `None` where a coefficient is no multiple of 2^-`depth` or its count does not fit.
pub fn counts(kernel: &Kernel<PlusTimes>, depth: u32) -> Option<Vec<(Offset, i64)>> {
    let units = Rational::integer(unit_of(depth).ok()?.denominator());
    let count = |(offset, value): (Offset, Rational)| {
        value.mul(units).filter(|count| count.is_integer()).map(|count| (offset, count.numerator()))
    };
    kernel.nonzero_taps().map(count).collect()
}

/// The canonical signed digits of `value`: value = Σ digit(i) · 2^i with digits −1, 0 and 1, least significant first, no two neighbours
/// both non-zero, the last not zero. No signed-digit representation has fewer non-zero digits. Zero has no digits.
///
/// ```
/// use kalg::algebra::approximate::signed_digits;
/// assert_eq!(signed_digits(7), [-1, 0, 0, 1]);
/// ```
pub fn signed_digits(value: i64) -> Vec<i8> {
    let mut rest = i128::from(value);
    let mut digits = Vec::new();
    while rest != 0 {
        // An odd rest takes the digit that leaves a multiple of four.
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

/// 2^-`depth`.
fn unit_of(depth: u32) -> Result<Rational, AlgebraError> {
    let exponent = i32::try_from(depth).ok().filter(|_| depth <= MAX_DEPTH);
    exponent
        .and_then(|exponent| Rational::power_of_two(-exponent))
        .ok_or(AlgebraError::DepthOutOfRange { depth, limit: MAX_DEPTH })
}

fn rounded(kernel: &Kernel<PlusTimes>, depth: u32) -> Result<Kernel<PlusTimes>, AlgebraError> {
    let taps: Vec<_> = kernel
        .taps()
        .map(|(offset, value)| Ok((offset, round_to_depth(value, depth)?)))
        .collect::<Result<_, AlgebraError>>()?;
    Kernel::from_taps(&taps)
}

/// The largest and the root mean square difference of coefficients; zero where there are none.
fn errors<'a>(
    pairs: impl IntoIterator<Item = (&'a Kernel<PlusTimes>, &'a Kernel<PlusTimes>)>,
) -> Result<(Rational, f64), AlgebraError> {
    let (mut largest, mut squares, mut count) = (Rational::ZERO, 0.0, 0usize);
    for (exact, near) in pairs {
        for ((_, wanted), (_, given)) in exact.taps().zip(near.taps()) {
            let error = PlusTimes::try_add(given, wanted.negate())?.abs();
            largest = largest.max(error);
            squares += error.to_f64() * error.to_f64();
            count += 1;
        }
    }
    Ok((largest, if count == 0 { 0.0 } else { (squares / count as f64).sqrt() }))
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
        // All sums of two signed powers of two below 2^8, by brute force; others need three or more.
        let powers: Vec<i64> = (0..8).flat_map(|i| [1 << i, -(1 << i)]).collect();
        for value in 1i64..100 {
            let weight = signed_digits(value).iter().filter(|digit| **digit != 0).count();
            let one = powers.contains(&value);
            let two = powers.iter().any(|a| powers.iter().any(|b| a + b == value));
            assert_eq!((weight == 1, weight <= 2), (one, one || two), "{value}");
        }
    }

    #[test]
    fn errors_are_over_all_kernels_and_vanish_with_depth() {
        let tap = |n, d| Kernel::monomial([0; 3], Rational::new(n, d).unwrap()).unwrap();
        let filter =
            Filter::combine(&[Filter::single("i", "a", tap(1, 2)), Filter::single("i", "b", tap(1, 3))])
                .unwrap();
        let near = approximate(&filter, 2).unwrap();
        assert_eq!(near.max_error, Rational::new(1, 12).unwrap());
        assert!((near.rms_error - (1.0f64 / 288.0).sqrt()).abs() < 1e-15);
        let close = approximate_within(&filter, Rational::new(1, 100).unwrap()).unwrap();
        assert_eq!((close.depth, close.max_error), (6, Rational::new(1, 192).unwrap()));
        let never = approximate_within(&filter, Rational::ZERO).unwrap_err();
        assert_eq!(never, AlgebraError::DepthOutOfRange { depth: 31, limit: 30 });
        assert!(approximate(&filter, 31).is_err());
    }

    #[test]
    fn counts_need_multiples() {
        let kernel = Kernel::<PlusTimes>::monomial([1, 0, 0], Rational::new(3, 8).unwrap()).unwrap();
        assert_eq!(counts(&kernel, 2), None);
        assert_eq!(counts(&kernel, 4), Some(vec![([1, 0, 0], 6)]));
    }
}
