//! Designs in SystemVerilog: one module with AXI4-Stream ports, and the modules that it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::descriptor::HardwareMachine;
use super::design::{Design, Each, Line};
use super::expression::{lane, literal, of_type};
use super::frame::Margin;
use super::netlist::{CellId, Operand};
use super::operation::{Operation, Since};
use crate::backend::builtin::HARDWARE_MODULES;

/// The design as a text. Frames have `height` rows unless the parameter HEIGHT says otherwise.
pub fn verilog(design: &Design, machine: &HardwareMachine, height: usize) -> String {
    let mut body = String::new();
    let (lines, modules) = (design.lines(machine), BTreeSet::new());
    let memory_from = machine.memory_from;
    let mut writer =
        Writer { design, lines, memory_from, out: &mut body, modules, memories: BTreeMap::new() };
    writer.head(height);
    writer.raster();
    writer.margins();
    writer.places();
    writer.clocks();
    writer.elapsed();
    for id in design.netlist.ids() {
        writer.cell(id);
        writer.line(id);
    }
    writer.memories();
    writer.results();
    let modules = writer.modules;
    let mut text = body;
    for module in HARDWARE_MODULES.split_inclusive("endmodule\n") {
        let used = |name: &&&str| module.contains(&format!("module {name} "));
        if let Some(name) = modules.iter().find(used) {
            // Several designs may be compiled together.
            let guard = name.to_uppercase();
            let _ = write!(text, "\n`ifndef {guard}\n`define {guard}\n{}`endif\n", module.trim_start());
        }
    }
    text
}

/// The bits of a word of an input or output port, a multiple of 8.
fn port_bits(bits: usize) -> usize {
    bits.next_multiple_of(8)
}

/// The bits that count up to a number.
pub(super) fn counter_bits(most: usize) -> u32 {
    usize::BITS - most.max(1).leading_zeros()
}

/// A delay line in memory.
pub(super) struct Stored {
    /// The bits of a word.
    pub(super) bits: u64,
    /// The names of the signals at its input and its output.
    pub(super) from: String,
    pub(super) to: String,
}

pub(super) struct Writer<'d> {
    pub(super) design: &'d Design,
    /// The delay lines that are still to be written.
    pub(super) lines: BTreeMap<CellId, Line>,
    /// The clocks from which on a delay is memory.
    pub(super) memory_from: u64,
    out: &'d mut String,
    /// The modules that are used.
    pub(super) modules: BTreeSet<&'static str>,
    /// The delay lines in memory, by when they advance and their clocks.
    pub(super) memories: BTreeMap<(Each, u64), Vec<Stored>>,
}

impl Writer<'_> {
    pub(super) fn say(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// The bits of the pixels of all inputs, and of all outputs, at one place.
    pub(super) fn pixel_bits(&self) -> [usize; 2] {
        let netlist = &self.design.netlist;
        let inputs = netlist.inputs.iter().map(|port| port.bits as usize).sum();
        [inputs, netlist.outputs.iter().map(|(port, _)| port.bits as usize).sum()]
    }

    fn head(&mut self, height: usize) {
        let (design, frame) = (self.design, self.design.frame);
        let [input, output] = self.pixel_bits();
        let [_, result_lanes] = frame.result_word();
        let [input, output] = [input * frame.lanes, output * result_lanes].map(|bits| port_bits(bits) - 1);
        let list = |names: Vec<&str>| names.join(", ");
        let inputs = list(design.netlist.inputs.iter().map(|port| port.name.as_str()).collect());
        let outputs = list(design.netlist.outputs.iter().map(|(port, _)| port.name.as_str()).collect());
        let rows = frame.ends[0] + frame.ends[1];
        let size = match frame.margin {
            Margin::Sent => {
                format!("{} by HEIGHT + {rows} pixels, margins among them", frame.padded_pixels())
            }
            _ => format!("{} by HEIGHT pixels", frame.pixels()),
        };
        let least = match frame.least_rows() {
            1 => String::new(),
            rows => format!("// HEIGHT is at least {rows}, since margins mirror that many rows.\n"),
        };
        let text = format!(
            "// {name}: pictures of {width} columns, {pace}.\n\
             // Frames come in as {size}, row by row; a word has the pixels from west (low bits) to east,\n\
             // and of each pixel these inputs from low bits to high: {inputs}.\n\
             // Frames of {results} pixels go out likewise: {outputs}. `tlast` marks the last word of a frame.\n{rarer}{least}\
             module {name}_stream #(\n  parameter int HEIGHT = {height}\n) (\n  input  wire clk,\n  input  wire rst,\n\
             \x20 /* verilator lint_off UNUSEDSIGNAL */ // A port has whole bytes.\n\
             \x20 input  wire [{input}:0] s_axis_tdata,\n\
             \x20 /* verilator lint_on UNUSEDSIGNAL */\n\
             \x20 input  wire s_axis_tvalid,\n  output wire s_axis_tready,\n\
             \x20 output logic [{output}:0] m_axis_tdata,\n  output logic m_axis_tvalid,\n  output logic m_axis_tlast,\n\
             \x20 input  wire m_axis_tready\n);\n  localparam int LANES = {lanes};\n\
             \x20 // The last word of a line is read in part.\n  /* verilator lint_off UNUSEDSIGNAL */",
            name = design.name,
            rarer = design.netlist.rarer_comment(frame.every),
            width = frame.pixels(),
            lanes = frame.lanes,
            pace = match frame.hold {
                1 => format!("{} pixels a clock", frame.lanes),
                clocks => format!("a pixel in {clocks} clocks, each of which is a column below"),
            },
            results = match frame.every {
                [x, 1] => format!("{} by HEIGHT", frame.width / x),
                [x, y] => format!("{} by HEIGHT/{y}", frame.width / x),
            },
        );
        self.say(&text);
    }

    pub(super) fn word_bits(&self, id: CellId) -> u32 {
        self.design.netlist.cell(id).range.bits() * self.design.frame.lanes as u32
    }

    /// An operand of all lanes; `None` for numbers.
    fn vector(&self, reader: Option<CellId>, operand: &Operand) -> Option<String> {
        let Operand::Tap(cell, at) = operand else { return None };
        let held = self.design.held(reader, *cell, *at);
        let (clocks, rest) = self.design.words(held);
        Some(if rest == 0 {
            self.design.ago(*cell, clocks)
        } else {
            format!("{}_back{held}", self.design.cell_name(*cell))
        })
    }

    fn cell(&mut self, id: CellId) {
        let netlist = &self.design.netlist;
        let cell = netlist.cell(id);
        let (name, bits, width) = (self.design.cell_name(id), cell.range.bits(), self.word_bits(id));
        let vectors: Vec<Option<String>> =
            cell.operands.iter().map(|operand| self.vector(Some(id), operand)).collect();
        self.say(&format!(
            "\n  // {}: {}, values {}",
            cell.stage,
            operation_name(&cell.operation),
            cell.range
        ));
        // These have their registers within.
        let delayed = cell.latency > 0
            && !matches!(cell.operation, Operation::Quotient | Operation::Root | Operation::Until { .. });
        let result = if delayed { format!("{name}_early") } else { name.clone() };
        self.say(&format!("  wire [{}:0] {result};", width - 1));
        match &cell.operation {
            Operation::Input(number) => self.input(*number, &result, bits),
            Operation::Table { first, values } => {
                let index = netlist.range(cell.operands[0]);
                self.table(&name, (*first, values), bits, index.bits());
                let vector = vectors[0].clone().unwrap_or_default();
                let read = format!("{name}_table({vector}[lane*{0} +: {0}])", index.bits());
                self.lanes(&name, &[format!("assign {result}[lane*{bits} +: {bits}] = {read};")]);
            }
            Operation::Quotient | Operation::Root => {
                let mut lines = lane(netlist, cell, &vectors).declarations;
                lines.extend(self.digits(id, &result));
                self.lanes(&name, &lines);
            }
            Operation::Choose { first } => {
                let mut lines = lane(netlist, cell, &vectors).declarations;
                lines.extend(self.choice(id, *first));
                lines.push(format!("assign {result}[lane*{bits} +: {bits}] = chosen;"));
                self.lanes(&name, &lines);
            }
            Operation::Interleave { .. } => {
                let declarations = lane(netlist, cell, &vectors).declarations;
                self.interleave(id, declarations, &result);
            }
            Operation::Until { .. } => {
                let vector = vectors[0].clone().unwrap_or_default();
                self.until(id, &vector);
            }
            Operation::Along { .. } | Operation::Running { .. } => {
                let declarations = lane(netlist, cell, &vectors).declarations;
                self.along(id, declarations, &result);
            }
            _ => {
                let lane = lane(netlist, cell, &vectors);
                let mut lines = lane.declarations;
                lines.push(format!("assign {result}[lane*{bits} +: {bits}] = {};", lane.value));
                self.lanes(&name, &lines);
            }
        }
        if delayed {
            self.say(&format!("  wire [{}:0] {name};", width - 1));
            self.delay(Each::Clock, (&result, &name), u64::from(width), (u64::from(cell.latency), false));
        }
    }

    pub(super) fn lanes(&mut self, name: &str, lines: &[String]) {
        self.say(&format!("  for (genvar lane = 0; lane < LANES; lane++) begin : lanes_{name}"));
        lines.iter().for_each(|line| self.say(&format!("    {line}")));
        self.say("  end");
    }

    fn input(&mut self, number: usize, result: &str, bits: u32) {
        let before: u32 = self.design.netlist.inputs[..number].iter().map(|port| port.bits).sum();
        let [pixel, _] = self.pixel_bits();
        let from = format!("word[lane*{pixel} + {before} +: {bits}]");
        self.lanes(result, &[format!("assign {result}[lane*{bits} +: {bits}] = {from};")]);
    }

    fn table(&mut self, name: &str, (first, values): (i64, &[i64]), bits: u32, index: u32) {
        let text = format!(
            "  function automatic [{}:0] {name}_table(input [{}:0] place);\n    case (place)",
            bits - 1,
            index - 1
        );
        self.say(&text);
        for (value, place) in values.iter().zip(first..) {
            let (place, value) = (literal(place.into(), index), literal((*value).into(), bits));
            self.say(&format!("      {place}: {name}_table = {value};"));
        }
        self.say(&format!("      default: {name}_table = '0;\n    endcase\n  endfunction"));
    }

    /// The results, and the register before the port.
    fn results(&mut self) {
        let netlist = &self.design.netlist;
        let [_, pixel] = self.pixel_bits();
        let [_, lanes] = self.design.frame.result_word();
        let bits = pixel * lanes;
        self.say(&format!("\n  // The results.\n  wire [{}:0] results;", bits - 1));
        let mut at = 0;
        let every = self.design.frame.every[0];
        let place = if every == 1 { "lane" } else { "place" };
        for (number, (port, operand)) in netlist.outputs.iter().enumerate() {
            let range = netlist.range(*operand);
            let own = range.bits();
            let value = match (self.vector(None, operand), operand) {
                (Some(vector), _) => format!("{vector}[lane*{own} +: {own}]"),
                (None, Operand::Number(number)) => literal(*number, own),
                _ => String::new(),
            };
            let lines = [
                format!("wire {} a = {value}; // {}", of_type(range), port.name),
                format!("assign results[{place}*{pixel} + {at} +: {0}] = {0}'(a);", port.bits),
            ];
            if every == 1 {
                self.lanes(&format!("result{number}"), &lines);
            } else {
                let lines = lines.map(|line| format!("    {line}\n")).concat();
                self.say(&format!(
                    "  for (genvar place = 0; place < {lanes}; place++) begin : lanes_result{number}\n    \
                     localparam int lane = place * {every};\n{lines}  end"
                ));
            }
            at += port.bits;
        }
        let padded = port_bits(bits);
        let text = format!(
            "  always_ff @(posedge clk) begin
    if (rst) m_axis_tvalid <= 1'b0;
    else if (advance) m_axis_tvalid <= is_result;
    else if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (advance) begin
      m_axis_tdata <= {padded}'(results);
      m_axis_tlast <= last_result;
    end
  end
  /* verilator lint_on UNUSEDSIGNAL */
endmodule"
        );
        self.say(&text);
    }
}

/// The name of an operation in comments.
fn operation_name(operation: &Operation) -> &'static str {
    match operation {
        Operation::Input(_) => "input",
        Operation::Sum(_) => "sum",
        Operation::Product => "product",
        Operation::ShiftRight(_) => "shift",
        Operation::Quotient => "quotient",
        Operation::Root => "square root",
        Operation::Absolute => "absolute value",
        Operation::Minimum => "minimum",
        Operation::Maximum => "maximum",
        Operation::Compare(_) => "comparison",
        Operation::Select => "choice",
        Operation::Table { .. } => "table",
        Operation::Wrap(..) => "lowest bits",
        Operation::Choose { .. } => "one of many",
        Operation::Interleave { .. } => "one of many by the place",
        Operation::Along { axis, since, .. } => match (since, axis) {
            (Since::First, 0) => "kept along columns",
            (Since::First, _) => "kept along rows",
            (Since::Sum, 0) => "sum along columns",
            (Since::Sum, _) => "sum along rows",
            (Since::Extreme(_), 0) => "extreme since a block of columns began",
            (Since::Extreme(_), _) => "extreme since a block of rows began",
        },
        Operation::Until { axis: 0, .. } => "extreme until a block of columns ends",
        Operation::Until { .. } => "extreme until a block of rows ends",
        Operation::Running { axis: 0, .. } => "running sum along columns",
        Operation::Running { .. } => "running sum along rows",
    }
}
