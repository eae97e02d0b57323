//! Delay lines in SystemVerilog: registers, and memories that lines of one length share.

use std::collections::BTreeSet;

use super::design::{Each, Line};
use super::netlist::CellId;
use super::verilog::{Stored, Writer, counter_bits};

impl Writer<'_> {
    /// A delay of some clocks, in registers or in memory.
    pub(super) fn delay(
        &mut self,
        each: Each,
        (from, to): (&str, &str),
        width: u64,
        (clocks, memory): (u64, bool),
    ) {
        if memory {
            let line = Stored { bits: width, from: from.to_owned(), to: to.to_owned() };
            self.memories.entry((each, clocks)).or_default().push(line);
            return;
        }
        self.modules.insert("kalg_registers");
        let advance = advancing(each);
        self.say(&format!(
            "  kalg_registers #(.WIDTH({width}), .LENGTH({clocks})) delay_{to} (.clk, {advance}, .d({from}), .q({to}));"
        ));
    }

    /// A delay of the lanes of a cell that matter; the others are zeros behind it.
    pub(super) fn delay_kept(&mut self, id: CellId, each: Each, (from, to): (&str, &str), part: (u64, bool)) {
        let (kept, width) = (self.design.kept_lanes(id), self.design.kept_bits(id));
        if kept.every == 1 {
            return self.delay(each, (from, to), width, part);
        }
        let bits = self.design.netlist.cell(id).range.bits();
        let [into, out] = ["in", "out"].map(|end| format!("{to}_{end}"));
        self.say(&format!("  wire [{}:0] {into}, {out};", width - 1));
        let place = format!("(lane / {})*{bits} +: {bits}", kept.every);
        self.lanes(
            &into,
            &[
                format!("if (lane % {} == {}) begin : kept", kept.every, kept.first),
                format!("  assign {into}[{place}] = {from}[lane*{bits} +: {bits}];"),
                format!("  assign {to}[lane*{bits} +: {bits}] = {out}[{place}];"),
                "end else begin : other".to_owned(),
                format!("  assign {to}[lane*{bits} +: {bits}] = {bits}'d0;"),
                "end".to_owned(),
            ],
        );
        self.delay(each, (&into, &out), width, part);
    }

    /// The delay lines in memory: those of one length that advance together are one memory.
    pub(super) fn memories(&mut self) {
        for (number, ((each, clocks), lines)) in std::mem::take(&mut self.memories).into_iter().enumerate() {
            self.modules.extend(["kalg_memory", "kalg_ring"]);
            let (places, advance) = (clocks - 1, advancing(each));
            let bits = counter_bits(places as usize - 1);
            let width: u64 = lines.iter().map(|line| line.bits).sum();
            let from = lines.iter().rev().map(|line| line.from.as_str()).collect::<Vec<_>>().join(", ");
            let to = lines.iter().rev().map(|line| line.to.as_str()).collect::<Vec<_>>().join(", ");
            self.say(&format!(
                "\n  // Delays of {clocks} clocks in memory.\n  wire [{}:0] place_in{number};\n  \
                 kalg_ring #(.PLACES({places}), .BITS({bits})) ring{number} (.clk, .rst, {advance}, .place(place_in{number}));\n  \
                 kalg_memory #(.WIDTH({width}), .LENGTH({clocks})) memory{number} (\n    .clk, {advance}, .place(place_in{number}),\n    \
                 .d({{{from}}}),\n    .q({{{to}}})\n  );",
                bits - 1
            ));
        }
    }

    /// The delay line of a cell.
    pub(super) fn line(&mut self, id: CellId) {
        let name = self.design.cell_name(id);
        let width = u64::from(self.word_bits(id));
        let mut before = name.clone();
        if let Some(line) = self.lines.remove(&id) {
            let each = line.each;
            for (number, (tap, part)) in line.taps.iter().zip(&line.parts).enumerate() {
                let to = self.design.tap_name(id, &line, *tap);
                self.say(&format!("  wire [{}:0] {to};", width - 1));
                self.delay_kept(id, each, (&before, &to), *part);
                if line.row == Some(number) {
                    self.say(&format!("  assign {name}_above = {to};"));
                }
                before = to;
            }
            self.delays(id, &line, width);
        }
        let bits = self.design.netlist.cell(id).range.bits() as usize;
        let lanes = self.design.frame.lanes;
        let held: BTreeSet<i64> =
            self.design.reads().into_iter().filter(|(_, of, _)| *of == id).map(|(.., held)| held).collect();
        for held in held {
            let (clocks, rest) = self.design.words(held);
            if rest > 0 {
                let (new, old) = (self.design.ago(id, clocks), self.design.ago(id, clocks + 1));
                let split = (lanes - rest) * bits;
                let top = lanes * bits - 1;
                self.say(&format!(
                    "  wire [{top}:0] {name}_back{held} = {{{new}[{}:0], {old}[{top}:{split}]}};",
                    split - 1
                ));
            }
        }
    }

    /// What was there some clocks ago, where a line does not advance in each clock.
    fn delays(&mut self, id: CellId, line: &Line, width: u64) {
        for (from, to, registers) in self.design.delayed(id, line) {
            self.say(&format!("  wire [{}:0] {to};", width - 1));
            if registers == 0 {
                self.say(&format!("  assign {to} = {from};"));
            } else {
                self.delay(Each::Clock, (&from, &to), width, (registers, false));
            }
        }
    }
}

/// The port of a delay line that makes it advance.
fn advancing(each: Each) -> String {
    match each {
        Each::Clock => ".advance".to_owned(),
        Each::Word => ".advance(advance && last_clock)".to_owned(),
        Each::Kept { every, clock } => {
            format!(".advance(advance && of{every} == {}'d{clock})", counter_bits(every as usize - 1))
        }
    }
}
