//! Quotients by constants: shifts, and multiplication with the reciprocal or long division, whichever is cheaper.

use super::sums::{Prices, Sum, add_sum, adder_bits};
use crate::backend::hardware::machine::{Netlist, Operand, Operation, Port};
use crate::pipeline::Range;

/// The most bits of a reciprocal.
const MAX_SHIFT: u32 = 62;

/// An exact reciprocal: ⌊x / d⌋ is ⌊(factor · x + addend) / 2^shift⌋.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reciprocal {
    factor: i128,
    addend: i128,
    shift: u32,
}

/// The shortest reciprocal of a positive number that is exact for these values; `None` if it is too long.
fn reciprocal(divisor: i128, values: Range) -> Option<Reciprocal> {
    (0..=MAX_SHIFT).find_map(|shift| {
        let power = 1i128 << shift;
        let factor = (power + divisor - 1) / divisor;
        // factor · x / 2^shift exceeds x / d by x · excess / (d · 2^shift), which must stay from 0 to below 1 / d.
        let excess = factor * divisor - power;
        let below = values.least.min(0).checked_neg()?.checked_mul(excess)?;
        let addend = (below + divisor - 1) / divisor;
        let above = values.greatest.max(0).checked_mul(excess)?.checked_add(addend.checked_mul(divisor)?)?;
        (above < power).then_some(Reciprocal { factor, addend, shift })
    })
}

/// Adds the cells of ⌊value / divisor⌋; the divisor is positive. `None` where there are too many bits.
pub(super) fn add_quotient(
    netlist: &mut Netlist,
    stage: &str,
    (value, divisor): (Operand, i128),
    within: Option<Range>,
    prices: Prices<'_>,
) -> Option<Operand> {
    let twos = divisor.trailing_zeros();
    let odd = divisor >> twos;
    let shifted = |netlist: &mut Netlist, value: Operand, by: u32, within: Option<Range>| {
        if by == 0 { Some(value) } else { netlist.add(stage, Operation::ShiftRight(by), vec![value], within) }
    };
    if odd == 1 {
        return shifted(netlist, value, twos, within);
    }
    let value = shifted(netlist, value, twos, None)?;
    let range = netlist.range(value);
    let by_reciprocal = reciprocal(odd, range).and_then(|reciprocal| {
        let mut alone = Netlist::default();
        let port = Port { name: String::new(), bits: range.bits(), signed: range.is_signed(), every: [1, 1] };
        let input = alone.input(port, range);
        multiplied(&mut alone, "", input, reciprocal, prices)?;
        Some((reciprocal, adder_bits(&alone)))
    });
    match by_reciprocal {
        // Long division takes a register for each bit as well.
        Some((reciprocal, bits)) if bits <= 2 * long_division_bits(range, odd) => {
            let product = multiplied(netlist, stage, value, reciprocal, prices)?;
            shifted(netlist, product, reciprocal.shift, within)
        }
        _ => netlist.add(stage, Operation::Quotient, vec![value, Operand::Number(odd)], within),
    }
}

fn multiplied(
    netlist: &mut Netlist,
    stage: &str,
    value: Operand,
    reciprocal: Reciprocal,
    prices: Prices<'_>,
) -> Option<Operand> {
    let sum = Sum { terms: vec![(value, reciprocal.factor)], constant: reciprocal.addend, within: None };
    add_sum(netlist, stage, &sum, prices)
}

/// The bits of the subtractors of a long division.
fn long_division_bits(range: Range, divisor: i128) -> u64 {
    let most = range.greatest.max(-range.least).max(1) / divisor;
    let bits = |number: i128| u64::from(128 - number.leading_zeros());
    (bits(most).max(1)) * (bits(divisor) + 1) + if range.is_signed() { bits(most) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_are_exact() {
        for divisor in [3, 5, 9, 25, 77, 255] {
            for (least, greatest) in [(0, 255), (-300, 40), (-1000, -7), (0, 65_025)] {
                let found = reciprocal(divisor, Range::integers(least, greatest)).unwrap();
                for x in least..=greatest {
                    let quotient = (x * found.factor + found.addend) >> found.shift;
                    assert_eq!(quotient, x.div_euclid(divisor), "{x} / {divisor}, {found:?}");
                }
            }
        }
    }
}
