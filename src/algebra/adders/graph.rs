//! Adder graphs of constants: values made from one by shifts, additions and subtractions.

/// One addition or subtraction of shifted values: `value` = ±2^left · x ± 2^right · y, where x and y are values of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Adder {
    /// The result: odd and positive.
    pub value: u64,
    /// The first operand: 0 is the constant one, n the value of adder n − 1.
    pub first: usize,
    /// The factor of the first operand, ± a power of two.
    pub first_weight: i64,
    /// The second operand, numbered as the first.
    pub second: usize,
    /// The factor of the second operand.
    pub second_weight: i64,
}

/// The adder that makes `value` of two fundamentals; `None` if one adder does not suffice. Fundamentals are odd, so exactly one of
/// them is shifted. There are no right shifts.
pub(super) fn adder(value: u64, fundamentals: &[u64]) -> Option<Adder> {
    for (first, x) in fundamentals.iter().enumerate() {
        for (second, y) in fundamentals.iter().enumerate() {
            // value = x + 2^k y, x − 2^k y or 2^k y − x, k ≥ 1.
            let ways = [
                (value.checked_sub(*x), 1, 1),
                (x.checked_sub(value), 1, -1),
                (value.checked_add(*x), -1, 1),
            ];
            for (rest, first_weight, sign) in ways {
                let Some(rest) = rest.filter(|rest| *rest > 0 && rest.is_multiple_of(*y)) else { continue };
                let factor = rest / y;
                if factor.is_power_of_two() && factor > 1 {
                    let second_weight = sign * i64::try_from(factor).ok()?;
                    return Some(Adder { value, first, first_weight, second, second_weight });
                }
            }
        }
    }
    None
}

/// Calls `each` with the values, at most `most`, that one adder makes of two odd fundamentals.
pub(super) fn sums(x: u64, y: u64, most: u64, mut each: impl FnMut(u64)) {
    for (still, moved) in [(x, y), (y, x)] {
        let mut shifted = moved << 1;
        while shifted <= most + still {
            if shifted + still <= most {
                each(shifted + still);
            }
            let difference = shifted.abs_diff(still);
            if difference <= most {
                each(difference);
            }
            shifted <<= 1;
        }
        if x == y {
            break;
        }
    }
}
