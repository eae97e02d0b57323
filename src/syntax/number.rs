//! Exact numbers as written in files: `-3`, `1/16`, `0.25`.

/// A fraction as written, not reduced: `denominator` is positive, and neither part is `i64::MIN`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fraction {
    /// The numerator, with the number's sign.
    pub numerator: i64,
    /// The denominator, positive.
    pub denominator: i64,
}

/// Why a text is not a [`Fraction`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberError {
    /// It is not a number.
    Malformed,
    /// Its denominator is zero.
    ZeroDenominator,
    /// The numerator or the denominator does not fit in 64 bits.
    TooLarge,
}

impl Fraction {
    /// Reads `[+-]digits`, `[+-]digits/digits` or `[+-]digits.digits` (exact: `0.25` is 25/100).
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (magnitude, denominator) = if let Some((above, below)) = digits.split_once('/') {
            (natural(above)?, natural(below)?)
        } else if let Some((whole, part)) = digits.split_once('.') {
            let value = natural(&format!("{}{}", checked_digits(whole)?, checked_digits(part)?))?;
            let places = u32::try_from(part.len()).map_err(|_| NumberError::TooLarge)?;
            (value, 10i64.checked_pow(places).ok_or(NumberError::TooLarge)?)
        } else {
            (natural(digits)?, 1)
        };
        if denominator == 0 {
            return Err(NumberError::ZeroDenominator);
        }
        Ok(Self { numerator: if text.starts_with('-') { -magnitude } else { magnitude }, denominator })
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The nearest number of thousandths of a fraction from 0 to `most`. `None` if it is out of that range, or is not 0 and has none.
    pub fn thousandths(self, most: u64) -> Option<u64> {
        let [numerator, denominator] = [self.numerator, self.denominator].map(i128::from);
        let is_within = (0..=i128::from(most) * denominator).contains(&numerator);
        let nearest = is_within.then(|| ((2000 * numerator + denominator) / (2 * denominator)) as u64)?;
        (nearest > 0 || numerator == 0).then_some(nearest)
    }
}

fn checked_digits(text: &str) -> Result<&str, NumberError> {
    let all_digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if all_digits { Ok(text) } else { Err(NumberError::Malformed) }
}

fn natural(text: &str) -> Result<i64, NumberError> {
    checked_digits(text)?.parse().map_err(|_| NumberError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_are_rounded_to_the_nearest() {
        let thousandths = |text| Fraction::parse(text).ok().and_then(|fraction| fraction.thousandths(9));
        assert_eq!(thousandths("0.0029"), Some(3));
        assert_eq!((thousandths("0"), thousandths("1/2000")), (Some(0), Some(1)));
        assert_eq!(thousandths("1/2001"), None);
        assert_eq!(thousandths("9"), Some(9000));
        assert_eq!(thousandths("91/10"), None);
        assert_eq!(thousandths("-1/2001"), None);
    }

    #[test]
    fn reads_integers_fractions_and_decimals_exactly() {
        let fraction = |text| Fraction::parse(text).map(|f| (f.numerator, f.denominator));
        assert_eq!(fraction("-3"), Ok((-3, 1)));
        assert_eq!(fraction("+1/16"), Ok((1, 16)));
        assert_eq!(fraction("-0.25"), Ok((-25, 100)));
        assert_eq!(fraction("9223372036854775807"), Ok((i64::MAX, 1)));
    }

    #[test]
    fn says_what_is_wrong() {
        for malformed in ["", "-", "x", "1/", "/2", "1/-2", ".5", "1.", "1e3", "1/2/3", "--1", "0x1", "1 "] {
            assert_eq!(Fraction::parse(malformed), Err(NumberError::Malformed), "{malformed}");
        }
        assert_eq!(Fraction::parse("1/0"), Err(NumberError::ZeroDenominator));
        for large in ["9223372036854775808", "1/9223372036854775808", "0.00000000000000000001"] {
            assert_eq!(Fraction::parse(large), Err(NumberError::TooLarge), "{large}");
        }
    }
}
