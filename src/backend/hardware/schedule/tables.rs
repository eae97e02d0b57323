//! Products in tables of few bits, and sums of what these give.

use crate::backend::hardware::machine::{Factor, HardwareMachine, Netlist, Operand, Operation, Port, value};
use crate::pipeline::Range;

/// The widest factors, in bits together, for which tables are tried.
const MAX_BITS: u32 = 48;

/// A netlist that is a product of factors with these values in tables; of one factor with itself for a square. `None` where there
/// are too many bits.
pub(super) fn alone(factors: [Range; 2], is_square: bool) -> Option<Netlist> {
    if factors.iter().map(|range| range.bits()).sum::<u32>() > MAX_BITS {
        return None;
    }
    let mut netlist = Netlist::default();
    let mut input = |range: Range| {
        let port = Port { name: String::new(), bits: range.bits(), signed: range.is_signed(), every: [1, 1] };
        netlist.input(port, range)
    };
    let first = input(factors[0]);
    let second = if is_square { first } else { input(factors[1]) };
    let mut maker = Maker { netlist: &mut netlist };
    let all = if is_square { maker.square(first)? } else { maker.product(first, second)? };
    netlist.outputs.push((Port { name: String::new(), bits: 1, signed: false, every: [1, 1] }, all));
    Some(netlist)
}

struct Maker<'n> {
    netlist: &'n mut Netlist,
}

impl Maker<'_> {
    fn cell(&mut self, operation: Operation, operands: Vec<Operand>) -> Option<Operand> {
        self.netlist.add("", operation, operands, None)
    }

    fn bits(&self, operand: Operand) -> u32 {
        self.netlist.range(operand).bits()
    }

    /// a = h · 2^bits + l, where l has no sign: h and l.
    fn parts(&mut self, a: Operand, bits: u32) -> Option<[Operand; 2]> {
        let high = self.cell(Operation::ShiftRight(bits), vec![a])?;
        Some([high, self.cell(Operation::Wrap(bits, false), vec![a])?])
    }

    /// a · 2^shift + b.
    fn sum(&mut self, (a, shift): (Operand, u32), b: Operand) -> Option<Operand> {
        let factor = |shift| Factor { negative: false, shift };
        self.cell(Operation::Sum(vec![factor(shift), factor(0)]), vec![a, b])
    }

    /// A function of an operand as a table.
    fn table(&mut self, index: Operand, of: impl Fn(i128) -> i128) -> Option<Operand> {
        let range = self.netlist.range(index);
        let values = (range.least..=range.greatest).map(|index| i64::try_from(of(index)).ok());
        let first = i64::try_from(range.least).ok()?;
        self.cell(Operation::Table { first, values: values.collect::<Option<_>>()? }, vec![index])
    }

    /// (h · 2^k + l)² = h² · 2^2k + l² + h · l · 2^(k+1): the squares do not overlap, so there is one adder and a product of half the
    /// bits.
    fn square(&mut self, a: Operand) -> Option<Operand> {
        let bits = self.bits(a);
        if bits <= HardwareMachine::TABLE_INPUTS {
            return self.table(a, |a| a * a);
        }
        let half = bits / 2;
        let [high, low] = self.parts(a, half)?;
        let [squares, lower] = [self.square(high)?, self.square(low)?];
        let squares = self.sum((squares, 2 * half), lower)?;
        let twice = self.product(high, low)?;
        self.sum((twice, half + 1), squares)
    }

    /// Tables of factors that have few bits together, added.
    fn product(&mut self, a: Operand, b: Operand) -> Option<Operand> {
        let (a, b) = if self.bits(a) < self.bits(b) { (b, a) } else { (a, b) };
        let [wide, narrow] = [a, b].map(|of| self.bits(of));
        let range = self.netlist.range(b);
        if wide + narrow <= HardwareMachine::TABLE_INPUTS {
            // The index has the bits of b as they are, and the table their sign.
            let low = if range.is_signed() { self.cell(Operation::Wrap(narrow, false), vec![b])? } else { b };
            let index = self.sum((a, narrow), low)?;
            let signed = range.is_signed();
            return self.table(index, |index| {
                let factor = value(&Operation::Wrap(narrow, signed), &[index]).unwrap_or(0);
                (index >> narrow) * factor
            });
        }
        if narrow == 1 && !range.is_signed() {
            return self.cell(Operation::Select, vec![b, a, Operand::Number(0)]);
        }
        let most = HardwareMachine::TABLE_INPUTS / 2;
        let bits = if narrow <= most { HardwareMachine::TABLE_INPUTS - narrow } else { wide / 2 };
        let [high, low] = self.parts(a, bits)?;
        let [high, low] = [self.product(high, b)?, self.product(low, b)?];
        self.sum((high, bits), low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a netlist of one output gives for its inputs.
    fn evaluated(netlist: &Netlist, inputs: &[i128]) -> i128 {
        let mut values: Vec<i128> = Vec::new();
        for cell in &netlist.cells {
            let of: Vec<i128> = match cell.operation {
                Operation::Input(number) => vec![inputs[number]],
                _ => cell
                    .operands
                    .iter()
                    .map(|operand| match operand {
                        Operand::Tap(cell, _) => values[cell.index()],
                        Operand::Number(number) => *number,
                    })
                    .collect(),
            };
            let found = value(&cell.operation, &of).unwrap();
            assert!(cell.range.least <= found && found <= cell.range.greatest, "{cell:?}: {found}");
            values.push(found);
        }
        let Operand::Tap(cell, _) = netlist.outputs[0].1 else { panic!("a product is no number") };
        values[cell.index()]
    }

    #[test]
    fn tables_and_sums_are_products_of_all_factors() {
        for factors in [[-20, 13, -5, 9], [0, 63, 0, 31], [-70, 70, 0, 1], [0, 130, -1, 0], [3, 5, -90, -2]] {
            let [a, b] = [0, 2].map(|at| Range::integers(factors[at], factors[at + 1]));
            let [product, square] =
                [false, true].map(|same| alone([a, if same { a } else { b }], same).unwrap());
            for x in a.least..=a.greatest {
                assert_eq!(evaluated(&square, &[x]), x * x);
                for y in b.least..=b.greatest {
                    assert_eq!(evaluated(&product, &[x, y]), x * y, "{x} · {y}");
                }
            }
        }
    }
}
