//! Cells in SystemVerilog: what one lane of each computes.

use std::fmt::Write;

use super::netlist::{Cell, Netlist, Operand};
use super::operation::{Factor, Operation};
use crate::algebra::Choice;
use crate::pipeline::Range;

/// The declarations and the expression of a lane.
pub(super) struct Lane {
    /// Declarations, one on each line.
    pub(super) declarations: Vec<String>,
    /// The value, in as many bits as the cell has.
    pub(super) value: String,
}

/// The bits of a range and whether it is signed, as a declaration says it.
pub(super) fn of_type(range: Range) -> String {
    let sign = if range.is_signed() { "signed " } else { "" };
    format!("{sign}[{}:0]", range.bits() - 1)
}

/// A number as a literal of `bits` bits.
pub(super) fn literal(number: i128, bits: u32) -> String {
    let rest = if bits >= 127 { number } else { number.rem_euclid(1 << bits) };
    if rest < 1 << 31 { format!("{bits}'d{rest}") } else { format!("{bits}'h{rest:x}") }
}

/// What a lane of a cell computes. `vectors` are the operands of all lanes, `None` for numbers.
pub(super) fn lane(netlist: &Netlist, cell: &Cell, vectors: &[Option<String>]) -> Lane {
    let mut lane = Lane { declarations: Vec::new(), value: String::new() };
    for (number, (operand, vector)) in cell.operands.iter().zip(vectors).enumerate() {
        let name = operand_name(cell, number);
        let range = netlist.range(*operand);
        let bits = range.bits();
        let value = match (operand, vector) {
            (Operand::Number(number), _) => literal(*number, bits),
            (_, Some(vector)) => format!("{vector}[lane*{bits} +: {bits}]"),
            _ => String::new(),
        };
        lane.declarations.push(format!("wire {} {name} = {value};", of_type(range)));
    }
    let ranges: Vec<Range> = cell.operands.iter().map(|operand| netlist.range(*operand)).collect();
    lane.value = value(cell, &ranges, &mut lane.declarations);
    lane
}

/// The name of an operand in a lane.
pub(super) fn operand_name(cell: &Cell, number: usize) -> String {
    match (&cell.operation, number) {
        (Operation::Interleave { .. }, _) => format!("a{number}"),
        (Operation::Choose { .. }, 1..) => format!("a{}", number - 1),
        _ => ["a", "b", "c"][number.min(2)].to_owned(),
    }
}

fn value(cell: &Cell, of: &[Range], declarations: &mut Vec<String>) -> String {
    let bits = cell.range.bits();
    let cast = |name: &str| format!("{bits}'({name})");
    match &cell.operation {
        Operation::Input(_)
        | Operation::Quotient
        | Operation::Root
        | Operation::Table { .. }
        | Operation::Choose { .. }
        | Operation::Interleave { .. }
        | Operation::Until { .. }
        | Operation::Running { .. } => String::new(),
        Operation::Along { .. } => cast("a"),
        Operation::Sum(factors) => sum(factors, &cast),
        Operation::Product => {
            // Both factors are signed, so that they go to a multiplier as they are.
            let wide = [0, 1].map(|i| of[i].bits() + u32::from(!of[i].is_signed()));
            let full = bits.max(wide[0]).max(wide[1]);
            for (name, (factor, wide)) in ["x", "y"].into_iter().zip(["a", "b"].into_iter().zip(wide)) {
                declarations.push(format!("wire signed [{}:0] {name} = {wide}'({factor});", wide - 1));
            }
            declarations.push(format!("wire signed [{}:0] full = x * y;", full - 1));
            cast("full")
        }
        Operation::ShiftRight(by) => cast(&format!("a >>> {by}")),
        Operation::Absolute if of[0].is_signed() => {
            format!("a[{}] ? -({}) : {}", of[0].bits() - 1, cast("a"), cast("a"))
        }
        Operation::Absolute | Operation::Wrap(..) => cast("a"),
        Operation::Minimum | Operation::Maximum => {
            alike(of, declarations);
            let sign = if cell.operation == Operation::Minimum { "<" } else { ">" };
            format!("x {sign} y ? {} : {}", cast("x"), cast("y"))
        }
        Operation::Compare(how) => {
            alike(of, declarations);
            format!("x {} y", how.sign())
        }
        Operation::Select => format!("a ? {} : {}", cast("b"), cast("c")),
    }
}

/// How the value that wins compares with the other, in SystemVerilog or C++.
pub(super) fn winning_sign(choice: Choice) -> char {
    match choice {
        Choice::Least => '<',
        Choice::Greatest => '>',
    }
}

/// The first two operands in one type, as x and y.
fn alike(of: &[Range], declarations: &mut Vec<String>) {
    let signed = of[..2].iter().any(|range| range.is_signed());
    let bits = of[..2].iter().map(|range| range.bits() + u32::from(signed && !range.is_signed()));
    let bits = bits.max().unwrap_or(1);
    let sign = if signed { "signed " } else { "" };
    for (name, operand) in [("x", "a"), ("y", "b")] {
        declarations.push(format!("wire {sign}[{}:0] {name} = {bits}'({operand});", bits - 1));
    }
}

/// A sum, in SystemVerilog or C++. `cast` gives an operand in the bits of the sum.
pub(super) fn sum(factors: &[Factor], cast: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (factor, name) in factors.iter().zip(["a", "b"]) {
        let sign = match (factor.negative, text.is_empty()) {
            (true, true) => "-(",
            (true, false) => " - ",
            (false, true) => "",
            (false, false) => " + ",
        };
        let value = match factor.shift {
            0 => cast(name),
            shift => format!("({} << {shift})", cast(name)),
        };
        // A sign right before a cast is not read by all tools.
        let end = if sign == "-(" { ")" } else { "" };
        let _ = write!(text, "{sign}{value}{end}");
    }
    text
}
