//! Numbers as other programs print them.

use crate::algebra::Rational;

/// The greatest denominator of a fraction that a rounded decimal stands for.
const MOST: i64 = 4096;

/// The largest power of two that is a denominator of exact decimals.
const DYADIC: i64 = 1 << 16;

/// Ten to the power of the places of decimals that are taken as they are written.
const PLACES: i64 = 100_000_000;

/// Reads an integer, a fraction, or a decimal with or without an exponent. A decimal of more than eight places stands for
/// the number of double precision that it is nearest to, and that for a small fraction: `1.1111111111111110e-01` for 1/9. It
/// is refused if no small fraction is that near.
///
/// # Errors
/// What was expected.
pub(super) fn number(text: &str) -> Result<Rational, &'static str> {
    const EXPECTED: &str = "expected a number, such as -3, 1/16, 0.25 or 2.5e-1";
    const NO_FRACTION: &str = "this number is not a small fraction: round it first";
    if let Some((above, below)) = text.split_once('/') {
        let [above, below] = [above, below].map(|part| part.trim().parse::<i64>());
        let (Ok(above), Ok(below)) = (above, below) else { return Err(EXPECTED) };
        return Rational::new(above, below).ok_or(EXPECTED);
    }
    let float: f64 = text.parse().map_err(|_| EXPECTED)?;
    if !text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) {
        return Err(EXPECTED);
    }
    if float.is_infinite() {
        return Err("this number is too large");
    }
    decimal(text).or_else(|| near(float)).ok_or(NO_FRACTION)
}

/// A decimal of at most eight places, exactly as it is written.
fn decimal(text: &str) -> Option<Rational> {
    Rational::scientific(text).ok().filter(|value| PLACES % value.denominator() == 0)
}

/// The fraction of a small denominator that is as near as double precision can be, by continued fractions.
fn near(value: f64) -> Option<Rational> {
    let slack = 4.0 * f64::EPSILON * value.abs();
    let (mut before, mut last) = ((0.0, 1.0), (1.0, 0.0));
    let mut rest = value.abs();
    for _ in 0..32 {
        let whole = rest.floor();
        let next = (whole * last.0 + before.0, whole * last.1 + before.1);
        if next.1 > DYADIC as f64 || next.0 > 1e15 {
            return None;
        }
        (before, last) = (last, next);
        let is_dyadic = (last.1 as i64).count_ones() == 1;
        if (value.abs() - last.0 / last.1).abs() <= slack && (last.1 <= MOST as f64 || is_dyadic) {
            return Rational::new((last.0.copysign(value)) as i64, last.1 as i64);
        }
        rest = 1.0 / (rest - whole);
    }
    None
}
