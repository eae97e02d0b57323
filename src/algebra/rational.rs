//! Exact rational coefficients with checked arithmetic: an overflow is reported, never wrapped.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::{CoefficientError, gcd};

/// An exact rational number in lowest terms with a positive denominator; numerator and denominator fit in `i64`.
///
/// Intermediate results are 128 bits wide: an operation returns `None` exactly if its reduced result does not fit (or is
/// undefined).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i64,
    denominator: i64,
}

#[expect(clippy::should_implement_trait, reason = "the operators' traits have no room for an overflow")]
impl Rational {
    /// Zero.
    pub const ZERO: Self = Self::integer(0);
    /// One.
    pub const ONE: Self = Self::integer(1);

    /// `numerator / denominator`; `None` for a zero denominator or if the reduced form does not fit.
    pub fn new(numerator: i64, denominator: i64) -> Option<Self> {
        Self::reduced(numerator.into(), denominator.into())
    }

    /// The integer `value`. [`TryFrom`] is for numbers that may be `i64::MIN`.
    ///
    /// # Panics
    /// If the value is `i64::MIN`: it has no negation.
    pub const fn integer(value: i64) -> Self {
        assert!(value != i64::MIN, "`i64::MIN` has no negation and is no coefficient");
        Self { numerator: value, denominator: 1 }
    }

    /// 2^`exponent`, for exponents in -62..=62.
    pub fn power_of_two(exponent: i32) -> Option<Self> {
        let magnitude = 1i64.checked_shl(exponent.unsigned_abs()).filter(|m| *m > 0)?;
        if exponent >= 0 { Self::new(magnitude, 1) } else { Self::new(1, magnitude) }
    }

    /// The exact value of a finite `f64`; `None` if it is not finite or its lowest terms do not fit.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        if value == 0.0 {
            return Some(Self::ZERO);
        }
        // value = mantissa · 2^exponent, with the mantissa's trailing zeros moved into the exponent.
        let bits = value.abs().to_bits();
        let (biased, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
        let (mantissa, exponent) =
            if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
        let odd = Self::integer((mantissa >> mantissa.trailing_zeros()) as i64);
        let magnitude = odd.mul(Self::power_of_two(exponent + mantissa.trailing_zeros() as i32)?)?;
        Some(if value < 0.0 { magnitude.negate() } else { magnitude })
    }

    /// The numerator, with the sign of the number.
    pub const fn numerator(self) -> i64 {
        self.numerator
    }

    /// The denominator, always positive.
    pub const fn denominator(self) -> i64 {
        self.denominator
    }

    /// Whether this is zero.
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// Whether this is below zero.
    pub const fn is_negative(self) -> bool {
        self.numerator < 0
    }

    /// Whether the denominator is one.
    pub const fn is_integer(self) -> bool {
        self.denominator == 1
    }

    /// Whether the denominator is a power of two.
    pub const fn is_dyadic(self) -> bool {
        self.denominator.unsigned_abs().is_power_of_two()
    }

    /// Whether it is 2^k or −2^k, for an integer k.
    pub const fn is_power_of_two(self) -> bool {
        self.is_dyadic() && self.numerator.unsigned_abs().is_power_of_two()
    }

    /// The sum.
    pub fn add(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return in_range(self.numerator.checked_add(other.numerator)?);
        }
        if self.denominator == other.denominator {
            return Self::reduced(
                i128::from(self.numerator) + i128::from(other.numerator),
                self.denominator.into(),
            );
        }
        let [a, b, c, d] =
            [self.numerator, self.denominator, other.numerator, other.denominator].map(i128::from);
        Self::reduced(a * d + c * b, b * d)
    }

    /// The difference.
    pub fn sub(self, other: Self) -> Option<Self> {
        self.add(other.negate())
    }

    /// The product.
    pub fn mul(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return in_range(self.numerator.checked_mul(other.numerator)?);
        }
        // Both are in lowest terms, so cancelling crosswise leaves the product in lowest terms.
        let (a, d) = cancel(self.numerator, other.denominator);
        let (c, b) = cancel(other.numerator, self.denominator);
        let numerator = in_range(a.checked_mul(c)?)?.numerator;
        Some(Self { numerator, denominator: b.checked_mul(d)? })
    }

    /// The quotient; also `None` for a zero divisor.
    pub fn div(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let sign = other.numerator.signum();
        self.mul(Self { numerator: other.denominator * sign, denominator: other.numerator * sign })
    }

    /// The square root; `None` unless it is rational.
    pub fn root(self) -> Option<Self> {
        let root = |n: i64| n.checked_isqrt().filter(|root| root * root == n);
        Some(Self { numerator: root(self.numerator)?, denominator: root(self.denominator)? })
    }

    /// The negation: always representable, because `i64::MIN` is never a numerator.
    pub const fn negate(self) -> Self {
        Self { numerator: -self.numerator, denominator: self.denominator }
    }

    /// The absolute value.
    pub const fn abs(self) -> Self {
        if self.is_negative() { self.negate() } else { self }
    }

    /// The greatest integer that is not above it.
    pub const fn floor(self) -> i64 {
        self.numerator.div_euclid(self.denominator)
    }

    /// The nearest integer; ties go away from zero, so rounding commutes with negation.
    pub fn round(self) -> i64 {
        let (n, d) = (i128::from(self.numerator), i128::from(self.denominator));
        let rounded = (2 * n.abs() + d) / (2 * d) * n.signum();
        i64::try_from(rounded).expect("a rounded number is not larger than a numerator that fits")
    }

    /// The nearest `f64`, for costs, noise and pictures only.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// `numerator / denominator` in lowest terms, if that fits.
    fn reduced(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let (n, d) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        let (n, d) = match (u64::try_from(n), u64::try_from(d)) {
            (Ok(n), Ok(d)) => {
                let divisor = gcd(n, d);
                (n / divisor, d / divisor)
            }
            _ => {
                let divisor = wide_gcd(n, d);
                (u64::try_from(n / divisor).ok()?, u64::try_from(d / divisor).ok()?)
            }
        };
        let (magnitude, denominator_magnitude) = (i64::try_from(n).ok()?, i64::try_from(d).ok()?);
        let negative = (numerator < 0) != (denominator < 0);
        let numerator = if negative { -magnitude } else { magnitude };
        Some(Self { numerator, denominator: denominator_magnitude })
    }
}

/// `a` and `b` divided by their common factor; `b` is positive.
fn cancel(a: i64, b: i64) -> (i64, i64) {
    let common = gcd(a.unsigned_abs(), b.unsigned_abs()) as i64;
    (a / common, b / common)
}

/// Rejects `i64::MIN`, which has no negation, as an overflow.
fn in_range(value: i64) -> Option<Rational> {
    (value != i64::MIN).then(|| Rational::integer(value))
}

fn wide_gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        let (a, b) = (i128::from(self.numerator), i128::from(other.numerator));
        (a * i128::from(other.denominator)).cmp(&(b * i128::from(self.denominator)))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TryFrom<i64> for Rational {
    type Error = CoefficientError;

    /// Refuses `i64::MIN`, which has no negation.
    fn try_from(value: i64) -> Result<Self, CoefficientError> {
        in_range(value).ok_or(CoefficientError::Overflow)
    }
}

impl From<i32> for Rational {
    fn from(value: i32) -> Self {
        Self::integer(value.into())
    }
}

impl Rational {
    /// Reads what `from_str` reads, with or without a power of ten behind it: `2.5e-3` is 1/400.
    ///
    /// # Errors
    /// Those of `from_str`; an exponent that is no integer.
    pub fn scientific(text: &str) -> Result<Self, CoefficientError> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let mantissa: Self = mantissa.parse()?;
        let exponent: i32 = exponent.parse().map_err(|_| CoefficientError::NotANumber)?;
        let power = 10i64.checked_pow(exponent.unsigned_abs());
        let power = power.and_then(|power| match exponent {
            ..0 => Self::new(1, power),
            0.. => Some(Self::integer(power)),
        });
        power.and_then(|power| mantissa.mul(power)).ok_or(CoefficientError::Overflow)
    }
}

impl FromStr for Rational {
    type Err = CoefficientError;

    /// Reads `-3`, `+3`, `3/4` or `0.125` (exactly: `0.1` is 1/10). Digits are ASCII; both parts of a fraction are integers.
    fn from_str(text: &str) -> Result<Self, CoefficientError> {
        let (negative, magnitude) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let value = if let Some((numerator, denominator)) = magnitude.split_once('/') {
            let (numerator, denominator) = (digits(numerator)?, digits(denominator)?);
            if denominator == 0 {
                return Err(CoefficientError::ZeroDenominator);
            }
            Self::reduced(numerator, denominator)
        } else if let Some((whole, fraction)) = magnitude.split_once('.') {
            let fraction = fraction.trim_end_matches('0');
            let places = u32::try_from(fraction.len()).map_err(|_| CoefficientError::Overflow)?;
            let scale = 10i128.checked_pow(places).ok_or(CoefficientError::Overflow)?;
            let whole = digits(whole)?.checked_mul(scale).ok_or(CoefficientError::Overflow)?;
            let fraction = if fraction.is_empty() { 0 } else { digits(fraction)? };
            Self::reduced(whole + fraction, scale)
        } else {
            Self::reduced(digits(magnitude)?, 1)
        };
        let value = value.ok_or(CoefficientError::Overflow)?;
        Ok(if negative { value.negate() } else { value })
    }
}

/// Reads a non-empty run of decimal digits below 10^30.
fn digits(text: &str) -> Result<i128, CoefficientError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(CoefficientError::NotANumber);
    }
    let significant = text.trim_start_matches('0');
    if significant.len() > 30 {
        return Err(CoefficientError::Overflow);
    }
    Ok(significant.bytes().fold(0, |value, digit| value * 10 + i128::from(digit - b'0')))
}

impl Default for Rational {
    /// Returns 0.
    fn default() -> Self {
        Self::ZERO
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.numerator)?;
        if self.is_integer() { Ok(()) } else { write!(f, "/{}", self.denominator) }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn overflow_is_none_never_a_wrapped_value() {
        let big = Rational::integer(i64::MAX);
        assert_eq!(big.add(Rational::ONE), None);
        assert_eq!(big.mul(Rational::integer(2)), None);
        assert_eq!(big.negate().sub(Rational::ONE), None);
        assert_eq!(Rational::ONE.div(Rational::ZERO), None);
        assert_eq!(Rational::new(1, 0), None);
        assert_eq!(Rational::new(i64::MIN, 1), None);
        assert_eq!(Rational::new(1, i64::MIN), None);
    }

    #[test]
    fn only_the_reduced_result_has_to_fit() {
        let tiny = Rational::new(1, i64::MAX).unwrap();
        assert_eq!(tiny.add(tiny.negate()), Some(Rational::ZERO));
        assert_eq!(tiny.mul(Rational::integer(i64::MAX)), Some(Rational::ONE));
        assert_eq!(Rational::new(i64::MIN, 2), Some(Rational::integer(i64::MIN / 2)));
    }

    #[test]
    fn prints_lowest_terms() {
        assert_eq!(Rational::new(-6, 8).unwrap().to_string(), "-3/4");
        assert_eq!(Rational::new(4, -2).unwrap().to_string(), "-2");
    }

    #[test]
    fn reads_integers_fractions_and_decimals_exactly() {
        let read = |text: &str| text.parse::<Rational>();
        assert_eq!(read("-3"), Ok(Rational::integer(-3)));
        assert_eq!(read("+6/8"), Ok(Rational::new(3, 4).unwrap()));
        assert_eq!(read("-0.125"), Ok(Rational::new(-1, 8).unwrap()));
        assert_eq!(read("2.500000000000000000000000000000000000000000"), Ok(Rational::new(5, 2).unwrap()));
        assert_eq!(read("1/0"), Err(CoefficientError::ZeroDenominator));
        assert_eq!(read("9223372036854775808"), Err(CoefficientError::Overflow));
        assert_eq!(read("1".repeat(400).as_str()), Err(CoefficientError::Overflow));
        for text in ["", "-", ".", "1.2.3", ".5x", "1/", "/2", "1/-2", "0x10", "1e3", "--1", "٣", "1/2/3"] {
            assert_eq!(read(text), Err(CoefficientError::NotANumber), "{text:?}");
        }
    }

    #[test]
    fn floats_convert_exactly_or_not_at_all() {
        assert_eq!(Rational::from_f64(-0.375), Rational::new(-3, 8));
        assert_eq!(Rational::from_f64(0.1).map(Rational::to_f64), Some(0.1));
        for value in [f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX] {
            assert_eq!(Rational::from_f64(value), None);
        }
    }

    #[test]
    fn halves_round_away_from_zero() {
        let round = |n, d| Rational::new(n, d).unwrap().round();
        assert_eq!([round(1, 2), round(-1, 2), round(3, 8), round(-5, 8), round(7, 2)], [1, -1, 0, -1, 4]);
        assert_eq!(Rational::integer(-i64::MAX).round(), -i64::MAX);
    }

    proptest! {
        #[test]
        fn common_divisors_are_the_greatest(a in any::<u64>(), b in any::<u64>(), k in 0u64..4096) {
            for (a, b) in [(a, b), (a >> 40, b >> 40), ((a >> 12) * k, (b >> 12) * k), (a, 1 << (k % 64)), (0, b)] {
                prop_assert_eq!(u128::from(gcd(a, b)), wide_gcd(a.into(), b.into()));
            }
        }

        #[test]
        fn printing_and_reading_agree(n in -1_000_000i64..1_000_000, d in 1i64..1_000_000) {
            let value = Rational::new(n, d).unwrap();
            prop_assert_eq!(value.to_string().parse(), Ok(value));
        }

        #[test]
        fn arithmetic_agrees_with_cross_multiplication(a in any::<[i32; 2]>(), b in any::<[i32; 2]>()) {
            prop_assume!(a[1] != 0 && b[1] != 0);
            let [p, q, r, s] = [a[0], a[1], b[0], b[1]].map(i128::from);
            let (x, y) = (Rational::new(a[0].into(), a[1].into()).unwrap(), Rational::new(b[0].into(), b[1].into()).unwrap());
            if let Some(sum) = x.add(y) {
                prop_assert_eq!((p * s + r * q) * i128::from(sum.denominator()), i128::from(sum.numerator()) * q * s);
            }
            if let Some(product) = x.mul(y) {
                prop_assert_eq!(p * r * i128::from(product.denominator()), i128::from(product.numerator()) * q * s);
                prop_assert_eq!(gcd(product.numerator().unsigned_abs(), product.denominator().unsigned_abs()), 1);
            }
            prop_assert_eq!(x.cmp(&y), (p * s * q.signum() * s.signum()).cmp(&(r * q * q.signum() * s.signum())));
        }
    }
}
