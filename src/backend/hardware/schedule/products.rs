//! Products without hard multipliers, where that is cheaper.

use super::price::{CellPrices, factors};
use super::tables::alone;
use crate::backend::hardware::machine::{Cell, CellId, HardwareMachine, Netlist, Operand, Operation};

/// The netlist with all products made of tables and sums for which that is cheaper than hard multipliers.
pub fn products(netlist: &Netlist, machine: &HardwareMachine) -> Netlist {
    let prices = CellPrices::new(machine);
    let mut made: Vec<Operand> = Vec::new();
    let mut other = Netlist::default();
    other.inputs.clone_from(&netlist.inputs);
    for cell in &netlist.cells {
        let operands: Vec<Operand> = cell.operands.iter().map(|operand| placed(*operand, &made)).collect();
        let tables = (cell.operation == Operation::Product).then(|| factors(netlist, cell));
        let tables = tables.filter(|(factors, is_square)| prices.prefers_tables(*factors, *is_square));
        match tables.and_then(|(factors, is_square)| alone(factors, is_square)) {
            Some(tables) => made.push(graft(&mut other, &tables, &operands, cell)),
            None => {
                let id = CellId::new(other.cells.len());
                other.cells.push(Cell { operands, ..cell.clone() });
                made.push(Operand::Tap(id, [0, 0]));
            }
        }
    }
    let outputs = netlist.outputs.iter().map(|(port, of)| (port.clone(), placed(*of, &made)));
    other.outputs = outputs.collect();
    other.pruned()
}

/// An operand where the cells that it reads have become these operands.
fn placed(operand: Operand, made: &[Operand]) -> Operand {
    match operand {
        Operand::Tap(cell, at) => made[cell.index()].moved(at),
        Operand::Number(_) => operand,
    }
}

/// Adds the cells of a product in tables as they are: what equal products in other rows have in common stays apart from it, because
/// keeping it was found to be dearer than making it again.
fn graft(netlist: &mut Netlist, tables: &Netlist, operands: &[Operand], product: &Cell) -> Operand {
    let mut made: Vec<Operand> = Vec::new();
    for cell in &tables.cells {
        if let Operation::Input(number) = cell.operation {
            made.push(operands[number]);
            continue;
        }
        let id = CellId::new(netlist.cells.len());
        let operands = cell.operands.iter().map(|operand| placed(*operand, &made)).collect();
        netlist.cells.push(Cell { operands, stage: product.stage.clone(), ..cell.clone() });
        made.push(Operand::Tap(id, [0, 0]));
    }
    let result = tables.outputs.first().map_or(Operand::Number(0), |(_, of)| placed(*of, &made));
    netlist.narrow(result, product.range);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::builtin::HARDWARE;
    use crate::pipeline::Range;

    #[test]
    fn squares_of_few_bits_are_tables_and_products_are_hard_multipliers() {
        let machine = HardwareMachine::builtin(HARDWARE[0].0).unwrap();
        let prices = CellPrices::new(&machine);
        let of = |bits: u32| Range::integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1);
        let prefers = |bits: u32, same: bool| prices.prefers_tables([of(bits); 2], same);
        assert_eq!([4, 8, 11, 18].map(|bits| prefers(bits, true)), [true, true, true, false]);
        assert_eq!([4, 11, 18].map(|bits| prefers(bits, false)), [true, false, false]);
    }
}
