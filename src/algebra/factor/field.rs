//! The integers modulo the Mersenne prime 2^61 − 1.
//!
//! One prime larger than twice any coefficient of a factor replaces lifting modulo powers of a small one.

/// The prime. All residues are less than it.
pub(super) const PRIME: u64 = (1 << 61) - 1;

/// The residue of an integer.
pub(super) fn residue(value: i64) -> u64 {
    value.rem_euclid(PRIME as i64) as u64
}

/// The integer of least absolute value with this residue.
pub(super) fn symmetric(value: u64) -> i64 {
    if value > PRIME / 2 { value as i64 - PRIME as i64 } else { value as i64 }
}

/// The sum.
pub(super) fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// The difference.
pub(super) fn sub(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

/// The product. Because 2^61 is 1, the high bits of a product are added to the low ones.
pub(super) fn mul(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// The reciprocal of a non-zero residue, a^(p − 2); zero for zero.
pub(super) fn inverse(a: u64) -> u64 {
    let (mut power, mut square, mut exponent) = (1, a, PRIME - 2);
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
