//! What cells compute, on numbers and on intervals.

use crate::algebra::Choice;
use crate::pipeline::{Comparison, Range};

use super::operation::{Factor, Operation, Since};

/// The result of an operation. `None` beyond 127 bits, for a division by what is not positive, for roots of what is negative, and beyond the ends of a table.
pub fn value(operation: &Operation, of: &[i128]) -> Option<i128> {
    match operation {
        Operation::Input(_) => of.first().copied(),
        Operation::Sum(factors) => {
            let terms = factors.iter().zip(of).map(|(factor, x)| scaled(*factor, *x));
            terms.into_iter().try_fold(0i128, |sum, term| sum.checked_add(term?))
        }
        Operation::Product => of[0].checked_mul(of[1]),
        Operation::ShiftRight(by) => Some(of[0] >> by),
        Operation::Quotient => (of[1] > 0).then(|| of[0].div_euclid(of[1])),
        Operation::Root => (of[0] >= 0).then(|| of[0].isqrt()),
        Operation::Absolute => of[0].checked_abs(),
        Operation::Minimum => Some(of[0].min(of[1])),
        Operation::Maximum => Some(of[0].max(of[1])),
        Operation::Compare(how) => Some(i128::from(match how {
            Comparison::Less => of[0] < of[1],
            Comparison::AtMost => of[0] <= of[1],
            Comparison::Equal => of[0] == of[1],
        })),
        Operation::Select => Some(if of[0] == 0 { of[2] } else { of[1] }),
        Operation::Table { first, values } => {
            let place = usize::try_from(of[0] - i128::from(*first)).ok()?;
            values.get(place).map(|value| i128::from(*value))
        }
        Operation::Wrap(bits, signed) => Some(wrapped(of[0], *bits, *signed)),
        Operation::Choose { first } => {
            let place = usize::try_from(of[0] - i128::from(*first)).ok()?;
            of[1..].get(place).copied()
        }
        // These depend on the place as well.
        Operation::Interleave { .. }
        | Operation::Along { .. }
        | Operation::Until { .. }
        | Operation::Running { .. } => None,
    }
}

/// One step of a value along columns or rows: from its value at the place before to that at this one, where a period begins or not.
pub fn stepped(operation: &Operation, begins: bool, before: i128, value: i128) -> i128 {
    let (Operation::Along { since, .. }, false) = (operation, begins) else { return value };
    match since {
        Since::First => before,
        Since::Sum => before.checked_add(value).unwrap_or(0),
        Since::Extreme(choice) => extreme(*choice, before, value),
    }
}

/// The lesser or the greater of two values.
pub fn extreme(choice: Choice, a: i128, b: i128) -> i128 {
    match choice {
        Choice::Least => a.min(b),
        Choice::Greatest => a.max(b),
    }
}

/// The integer of `bits` bits, at most 126, that is equal modulo 2^bits.
pub fn wrapped(value: i128, bits: u32, signed: bool) -> i128 {
    let rest = value & ((1 << bits) - 1);
    if signed && rest >> (bits - 1) != 0 { rest - (1 << bits) } else { rest }
}

fn scaled(factor: Factor, value: i128) -> Option<i128> {
    let one = 1i128.checked_shl(factor.shift).filter(|one| *one > 0)?;
    let product = value.checked_mul(one)?;
    if factor.negative { product.checked_neg() } else { Some(product) }
}

/// The values that an operation can have for operands in these intervals. `None` beyond 127 bits.
pub(super) fn interval(operation: &Operation, of: &[Range]) -> Option<Range> {
    let ends = |range: Range| [range.least, range.greatest];
    let hull = |values: &[i128]| Some(Range::integers(*values.iter().min()?, *values.iter().max()?));
    match operation {
        Operation::Input(_) => of.first().copied(),
        Operation::Sum(factors) => {
            let mut sum = Range::integers(0, 0);
            for (factor, range) in factors.iter().zip(of) {
                let [a, b] = ends(*range).map(|end| scaled(*factor, end));
                sum = sum.sum(hull(&[a?, b?])?)?;
            }
            Some(sum)
        }
        Operation::Product => of[0].product(of[1]),
        Operation::ShiftRight(_) | Operation::Absolute => {
            if matches!(operation, Operation::Absolute) {
                return of[0].absolute();
            }
            hull(&ends(of[0]).map(|end| value(operation, &[end])).into_iter().collect::<Option<Vec<_>>>()?)
        }
        Operation::Quotient => {
            let mut all = Vec::new();
            for a in ends(of[0]) {
                for b in [of[1].least.max(1), of[1].greatest.max(1)] {
                    all.push(a.div_euclid(b));
                }
            }
            hull(&all)
        }
        Operation::Root => hull(&ends(of[0]).map(|end| end.max(0).isqrt())),
        Operation::Minimum => {
            Some(Range::integers(of[0].least.min(of[1].least), of[0].greatest.min(of[1].greatest)))
        }
        Operation::Maximum => {
            Some(Range::integers(of[0].least.max(of[1].least), of[0].greatest.max(of[1].greatest)))
        }
        Operation::Compare(how) => Some(compared(*how, of[0], of[1])),
        Operation::Select => of[1].union(of[2]),
        Operation::Table { values, .. } => {
            hull(&values.iter().map(|value| i128::from(*value)).collect::<Vec<_>>())
        }
        Operation::Wrap(bits, signed) => Some(if *signed {
            Range::integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            Range::integers(0, (1 << bits) - 1)
        }),
        Operation::Choose { .. } => union(&of[1..]),
        Operation::Along { period: length, since: Since::Sum, .. } | Operation::Running { length, .. } => {
            let [least, greatest] = ends(of[0]);
            let all = |one: i128| one.checked_mul(i128::from(*length));
            hull(&[least, all(least)?, greatest, all(greatest)?])
        }
        Operation::Interleave { .. } | Operation::Along { .. } | Operation::Until { .. } => union(of),
    }
}

/// The outcome of a comparison: a number where the intervals decide it.
fn compared(how: Comparison, a: Range, b: Range) -> Range {
    let [may, must] = match how {
        Comparison::Less => [a.least < b.greatest, a.greatest < b.least],
        Comparison::AtMost => [a.least <= b.greatest, a.greatest <= b.least],
        Comparison::Equal => [a.least <= b.greatest && b.least <= a.greatest, false],
    };
    Range::integers(must.into(), may.into())
}

/// The operand that an operation always gives, if the intervals of its operands say so.
pub(super) fn chosen(operation: &Operation, of: &[Range]) -> Option<usize> {
    let by = |holds: fn(Range, Range) -> bool| {
        [[0, 1], [1, 0]].into_iter().find(|[a, b]| holds(of[*a], of[*b])).map(|[chosen, _]| chosen)
    };
    match operation {
        Operation::Maximum => by(|a, b| a.least >= b.greatest),
        Operation::Minimum => by(|a, b| a.greatest <= b.least),
        Operation::Select if of[0].least == of[0].greatest => Some(if of[0].least == 0 { 2 } else { 1 }),
        _ => None,
    }
}

fn union(of: &[Range]) -> Option<Range> {
    let (first, rest) = of.split_first()?;
    rest.iter().try_fold(*first, |all, one| all.union(*one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_chosen_where_intervals_decide() {
        let [zero, bits, five] = [[0, 0], [0, 255], [5, 5]].map(|[a, b]| Range::integers(a, b));
        assert_eq!(chosen(&Operation::Maximum, &[zero, bits]), Some(1));
        assert_eq!(chosen(&Operation::Minimum, &[zero, bits]), Some(0));
        assert_eq!(chosen(&Operation::Maximum, &[five, bits]), None);
        // Whatever is not zero holds.
        assert_eq!(chosen(&Operation::Select, &[five, bits, zero]), Some(1));
        assert_eq!(chosen(&Operation::Select, &[zero, bits, five]), Some(2));
        assert_eq!(compared(Comparison::AtMost, zero, bits), Range::integers(1, 1));
        assert_eq!(compared(Comparison::Less, bits, five), Range::TRUTH);
        assert_eq!(compared(Comparison::Equal, zero, five), Range::integers(0, 0));
    }
}
