//! The integers modulo the Mersenne prime 2^61 − 1.
//!
//! Factorisation needs one prime larger than twice any coefficient of a factor, in place of powers of a small one; fingerprints of
//! kernels need one that seldom makes two of them equal.

/// The prime. All residues are less than it.
pub(crate) const PRIME: u64 = (1 << 61) - 1;

/// The residue of an integer.
pub(crate) fn residue(value: i64) -> u64 {
    value.rem_euclid(PRIME as i64) as u64
}

/// The integer of least absolute value with this residue.
pub(crate) fn symmetric(value: u64) -> i64 {
    if value > PRIME / 2 { value as i64 - PRIME as i64 } else { value as i64 }
}

/// The sum.
#[inline]
pub(crate) fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// The difference.
#[inline]
pub(crate) fn sub(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

/// The product. Because 2^61 is 1, the high bits of a product are added to the low ones.
#[inline]
pub(crate) fn mul(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// The reciprocal of a non-zero residue, a^(p − 2); zero for zero.
pub(crate) fn inverse(a: u64) -> u64 {
    power(a, PRIME - 2)
}

/// The power.
pub(crate) fn power(a: u64, mut exponent: u64) -> u64 {
    let (mut power, mut square) = (1, a);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = mul(power, square);
        }
        square = mul(square, square);
        exponent >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_those_of_the_integers() {
        for (a, b) in [(3, -7), (i64::MAX, i64::MIN), (1 << 60, (1 << 60) - 1), (-1, -1)] {
            let reduced = |v: i128| v.rem_euclid(i128::from(PRIME)) as u64;
            let (x, y) = (residue(a), residue(b));
            let (a, b) = (i128::from(a), i128::from(b));
            assert_eq!([add(x, y), sub(x, y), mul(x, y)], [reduced(a + b), reduced(a - b), reduced(a * b)]);
            assert_eq!(mul(x, inverse(x)), 1);
        }
        assert_eq!([symmetric(residue(-5)), symmetric(7)], [-5, 7]);
    }
}
