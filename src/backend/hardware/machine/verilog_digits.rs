//! Quotients and roots in SystemVerilog, a digit in each clock.

use super::netlist::CellId;
use super::operation::Operation;
use super::verilog::Writer;

impl Writer<'_> {
    /// What a lane of a quotient or a root is, for operands a and b.
    pub(super) fn digits(&mut self, id: CellId, result: &str) -> Vec<String> {
        match self.design.netlist.cell(id).operation {
            Operation::Root => self.root(id, result),
            _ => self.division(id, result),
        }
    }

    fn root(&mut self, id: CellId, result: &str) -> Vec<String> {
        self.modules.insert("kalg_root");
        let cell = self.design.netlist.cell(id);
        let (bits, root) = (cell.range.bits(), cell.latency);
        vec![
            format!("wire [{}:0] root;", root - 1),
            format!("kalg_root #(.ROOT({root})) digits (.clk, .advance, .square({}'(a)), .root);", 2 * root),
            format!("assign {result}[lane*{bits} +: {bits}] = {bits}'(root);"),
        ]
    }

    /// Long division: of −1 − a where a is negative, so that the quotient is −1 less it.
    fn division(&mut self, id: CellId, result: &str) -> Vec<String> {
        self.modules.insert("kalg_division");
        let netlist = &self.design.netlist;
        let cell = netlist.cell(id);
        let (bits, quotient) = (cell.range.bits(), cell.latency);
        let [a, b] = [0, 1].map(|i| netlist.range(cell.operands[i]));
        let (divisor, wide) =
            (b.bits() - u32::from(b.is_signed()), quotient + b.bits() - u32::from(b.is_signed()));
        let last = a.bits() - 1;
        let mut lines = vec![format!("wire [{}:0] quotient;", quotient - 1)];
        let magnitude = if a.is_signed() { format!("a[{last}] ? ~a : a") } else { "a".to_owned() };
        lines.push(format!("wire [{last}:0] magnitude = {magnitude};"));
        lines.push(format!(
            "kalg_division #(.DIVISOR({divisor}), .QUOTIENT({quotient})) divide (\n      \
             .clk, .advance, .numerator({wide}'(magnitude)), .divisor({divisor}'(b)), .quotient\n    );"
        ));
        let value = if a.is_signed() {
            self.modules.insert("kalg_registers");
            lines.push("wire negative;".to_owned());
            lines.push(format!(
                "kalg_registers #(.WIDTH(1), .LENGTH({quotient})) sign (.clk, .advance, .d(a[{last}]), .q(negative));"
            ));
            format!("negative ? ~({bits}'(quotient)) : {bits}'(quotient)")
        } else {
            format!("{bits}'(quotient)")
        };
        lines.push(format!("assign {result}[lane*{bits} +: {bits}] = {value};"));
        lines
    }
}
