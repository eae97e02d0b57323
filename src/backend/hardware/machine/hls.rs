//! Designs in C++ for high-level synthesis: processes joined by streams, each one loop that takes a word of pixels in a clock.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter::zip;

use super::descriptor::HardwareMachine;
use super::design::{Design, Each, Line};
use super::expression::{operand_name, sum};
use super::frame::Margin;
use super::netlist::{Cell, CellId, Operand, Port};
use super::operation::Operation;
use crate::backend::builtin::{HLS_PLACES, HLS_TEMPLATES};
use crate::backend::names::{function, word};
use crate::pipeline::Range;

/// Names of the headers and templates.
const USED: [&str; 4] = ["ap_int", "ap_uint", "hls", "kalg"];

/// The design as a text. Its cells take no clocks of their own, since synthesis places the registers. Frames have `height` rows.
pub fn hls(design: &Design, machine: &HardwareMachine, height: usize) -> String {
    let (lines, [inputs, outputs]) = (design.lines(machine), design.netlist.words(word));
    let mut writer =
        Writer { design, name: name_of(design), inputs, outputs, lines, height, out: String::new() };
    writer.head();
    writer.results();
    writer.top();
    writer.out
}

/// The name of the function with the ports. Those of the types of words begin with it, as no cell may be called.
fn name_of(design: &Design) -> String {
    function(&design.name, |found| {
        let is_type = |cell: &str| ["input", "output"].iter().any(|side| cell == format!("{found}_{side}"));
        USED.contains(&found) || design.netlist.ids().any(|id| is_type(&design.cell_name(id)))
    })
}

/// The type of values in an interval.
pub(super) fn of_type(range: Range) -> String {
    integer(range.bits(), range.is_signed())
}

fn integer(bits: u32, signed: bool) -> String {
    format!("{}<{bits}>", if signed { "ap_int" } else { "ap_uint" })
}

/// The lanes of a cell that are kept, as the last parameters of a template; nothing if all are.
pub(super) fn kept_lanes(design: &Design, id: CellId) -> String {
    let kept = design.kept_lanes(id);
    if kept.every == 1 { String::new() } else { format!(", {}, {}", kept.every, kept.first) }
}

/// A number of any size.
fn literal(number: i128) -> String {
    match i64::try_from(number) {
        Ok(number) if number.unsigned_abs() >> 31 == 0 => format!("({number})"),
        Ok(number) if number != i64::MIN => format!("({number}LL)"),
        _ => {
            let (high, low) = (literal(number >> 60), literal(number & ((1 << 60) - 1)));
            format!("(ap_int<126>{high} * {} + {low})", literal(1 << 60))
        }
    }
}

pub(super) struct Writer<'d> {
    pub(super) design: &'d Design,
    /// The name of the function with the ports.
    name: String,
    /// The names of inputs and outputs.
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// The delay lines that are still to be written.
    lines: BTreeMap<CellId, Line>,
    height: usize,
    out: String,
}

impl Writer<'_> {
    fn say(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// What the file is, the templates, and the words of the ports.
    fn head(&mut self) {
        let (design, frame) = (self.design, self.design.frame);
        let rows = frame.rows(self.height);
        let size = match frame.margin {
            Margin::Sent => format!("{} by {} pixels, margins among them", frame.padded_pixels(), rows),
            _ => format!("{} by {} pixels", frame.pixels(), self.height),
        };
        let rarer = design.netlist.rarer_comment(frame.every);
        let text = format!(
            "// {}: pictures of {} by {} pixels, {}.\n// Frames come in as {size}, row by row, and go out likewise. The first \
             lane of a word is its westernmost pixel.\n// `last` marks the last word of a frame.\n{rarer}#include <ap_axi_sdata.h>\n#include \
             <ap_int.h>\n#include <hls_stream.h>\n\n\
             #ifndef KALG_PROCESS\n#define KALG_PROCESSES\n#define KALG_PROCESS(...) __VA_ARGS__\n#endif\n\n{HLS_TEMPLATES}",
            self.name,
            frame.pixels(),
            self.height,
            match frame.hold {
                1 => format!("{} in a clock", frame.lanes),
                clocks => format!("one in {clocks} clocks, each of which is a column below"),
            },
        );
        self.say(&text);
        let runs = |id| design.netlist.cell(id).operation.goes_along() == Some(1);
        if !design.counters().is_empty() || design.netlist.ids().any(runs) {
            self.say(HLS_PLACES);
        }
        let [_, result_lanes] = frame.result_word();
        let inputs: Vec<(&Port, &String)> = zip(&design.netlist.inputs, &self.inputs).collect();
        let outputs = zip(&design.netlist.outputs, &self.outputs);
        let outputs: Vec<(&Port, &String)> = outputs.map(|((port, _), name)| (port, name)).collect();
        let words = [
            self.word(("input", "in", frame.lanes), &inputs),
            self.word(("output", "out", result_lanes), &outputs),
        ];
        words.iter().for_each(|word| self.say(word));
    }

    /// The types of a pixel and of a word.
    fn word(&self, (kind, prefix, lanes): (&str, &str, usize), ports: &[(&Port, &String)]) -> String {
        let name = &self.name;
        let mut text = format!("struct {name}_{kind}_pixel {{\n");
        for (port, word) in ports {
            let _ = writeln!(text, "  {} {prefix}_{word};", integer(port.bits, port.signed));
        }
        let _ = write!(
            text,
            "}};\nstruct {name}_{kind} {{\n  static const int LANES = {lanes};\n  {name}_{kind}_pixel lane[LANES];\n}};\n"
        );
        text
    }

    /// The process that computes: a loop over the words of a frame with its margins, and those that the last results need.
    fn results(&mut self) {
        let (design, frame) = (self.design, self.design.frame);
        let [held, take] = self.word_taken();
        let head = format!(
            "// Takes the words of a frame with its margins, and gives its results.\n\
             static void {0}_results(hls::stream<{0}_input, 2> &words, hls::stream<hls::axis<{0}_output, 0, 0, 0> > &results) {{\n  \
             const int LANES = {lanes};\n  const int COLUMNS = {columns};\n  const int RESULT_COLUMNS = {results};\n  \
             const int HEIGHT = {height};\n  // Results begin WAIT words after their frame.\n  const int WAIT = {wait};\n  \
             int column = 0, row = 0;\n{held}{places}  for (int word_number = 0; word_number < {clocks}; word_number++) {{\n#pragma HLS PIPELINE II=1\n    \
             {take}",
            self.name,
            lanes = frame.lanes,
            columns = frame.row_words(),
            results = frame.width / frame.lanes,
            height = self.height,
            wait = frame.first_result(design.sink),
            clocks = frame.clocks(self.height, design.sink),
            places = self.places(),
        );
        self.say(&head);
        for id in design.netlist.ids() {
            self.cell(id);
            self.line(id);
        }
        self.say("\n    // The results.");
        let mut stores = String::new();
        for ((_, operand), word) in zip(&design.netlist.outputs, &self.outputs) {
            let value = self.operand(None, operand);
            let _ = writeln!(stores, "      result.data.lane[lane].out_{word} = {value};");
        }
        let [step, lanes] = frame.result_word();
        let [x, y] = frame.every;
        let (lane, from, size) = match x {
            1 => ("lane", String::new(), "LANES".to_owned()),
            _ => ("place", format!("      const int lane = place * {x};\n"), lanes.to_string()),
        };
        let stores = if x == 1 { stores } else { stores.replace("data.lane[lane]", "data.lane[place]") };
        let mut inside = "column < RESULT_COLUMNS && row < HEIGHT".to_owned();
        for (count, name) in [(step, "column"), (y, "row")] {
            if count > 1 {
                let _ = write!(inside, " && {name} % {count} == 0");
            }
        }
        let next = self.next();
        let tail = format!(
            "    hls::axis<{0}_output, 0, 0, 0> result;\n    for (int {lane} = 0; {lane} < {size}; {lane}++) {{\n#pragma HLS UNROLL\n\
             {from}{stores}    }}\n    \
             if (word_number >= WAIT) {{\n      result.last = column == RESULT_COLUMNS - {step} && row == HEIGHT - {y};\n      \
             if ({inside}) results.write(result);\n      const bool ends = column == COLUMNS - 1;\n      \
             column = ends ? 0 : column + 1;\n      if (ends) row++;\n    }}\n{next}  }}\n}}\n",
            self.name
        );
        self.say(&tail);
    }

    /// What counts on at the end of a word.
    fn next(&self) -> String {
        let places = (0..self.design.counters().len()).map(|number| format!("    place{number}.next();\n"));
        let kept = self.design.kept().into_iter();
        let kept =
            kept.map(|every| format!("    of{every} = of{every} == {} ? 0 : of{every} + 1;\n", every - 1));
        places.chain(kept).collect()
    }

    /// What stands before the loop and at its beginning to take a word, which may be held for several clocks.
    fn word_taken(&self) -> [String; 2] {
        let (name, frame) = (&self.name, self.design.frame);
        let words = frame.words(self.height);
        if frame.hold == 1 {
            let take = format!(
                "{name}_input word = {name}_input();\n    if (word_number < {words}) word = words.read();"
            );
            return [String::new(), take];
        }
        let held = format!(
            "  // A word is held for CLOCKS clocks.\n  const int CLOCKS = {};\n  {name}_input word = {name}_input();\n  int clock = 0;\n",
            frame.hold
        );
        let take = format!(
            "if (word_number < {words} && clock == 0) word = words.read();\n    const bool last_clock = clock == CLOCKS - 1;\n    \
             clock = last_clock ? 0 : clock + 1;"
        );
        [held, take]
    }

    /// An operand in a lane.
    fn operand(&self, reader: Option<CellId>, operand: &Operand) -> String {
        let (cell, at) = match operand {
            Operand::Number(number) => return literal(*number),
            Operand::Tap(cell, at) => (*cell, *at),
        };
        let (clocks, rest) = self.design.words(self.design.held(reader, cell, at));
        if rest == 0 {
            format!("{}[lane]", self.design.ago(cell, clocks))
        } else {
            format!(
                "kalg::back<{rest}>({}, {}, lane)",
                self.design.ago(cell, clocks),
                self.design.ago(cell, clocks + 1)
            )
        }
    }

    /// A cell, lane by lane.
    fn cell(&mut self, id: CellId) {
        let netlist = &self.design.netlist;
        let cell = netlist.cell(id);
        let (name, to) = (self.design.cell_name(id), of_type(cell.range));
        let mut text = format!("\n    // {}, values {}\n    {to} {name}[LANES];\n", cell.stage, cell.range);
        if let Operation::Table { values, .. } = &cell.operation {
            let entries: Vec<String> = values.iter().map(|value| literal((*value).into())).collect();
            let _ = writeln!(
                text,
                "    static const {to} {name}_table[{}] = {{{}}};",
                values.len(),
                entries.join(", ")
            );
        }
        let [before, after] = self.around(id);
        text += &before;
        text += "    for (int lane = 0; lane < LANES; lane++) {\n#pragma HLS UNROLL\n";
        text += &self.where_it_is(id);
        for (number, operand) in cell.operands.iter().enumerate() {
            let letter = operand_name(cell, number);
            let range = netlist.range(*operand);
            let read = self.operand(Some(id), operand);
            let _ = writeln!(text, "      const {} {letter} = {read};", of_type(range));
        }
        let ranges: Vec<Range> = cell.operands.iter().map(|operand| netlist.range(*operand)).collect();
        let value = match &cell.operation {
            Operation::Input(number) => {
                format!("word.lane[lane].in_{}", self.inputs[*number])
            }
            Operation::Table { first, values } => {
                let first = i128::from(*first);
                let last = first + values.len() as i128 - 1;
                let entry = format!("{name}_table[a.to_int() - {}]", literal(first));
                // What nobody reads may be beyond the table.
                if ranges[0].bits() > 62 || 1i128 << ranges[0].bits() == values.len() as i128 {
                    entry
                } else {
                    format!("a < {} || a > {} ? {to}(0) : {to}({entry})", literal(first), literal(last))
                }
            }
            Operation::Choose { .. }
            | Operation::Interleave { .. }
            | Operation::Along { .. }
            | Operation::Until { .. }
            | Operation::Running { .. } => self.placed(id),
            // A divisor may be zero until a frame has filled the delay lines, which hold zeros at first.
            Operation::Quotient if matches!(cell.operands[1], Operand::Tap(..)) => {
                format!("b == 0 ? {to}(0) : {to}({})", value(cell, &ranges))
            }
            _ => value(cell, &ranges),
        };
        let _ = writeln!(text, "      {name}[lane] = {value};\n    }}");
        text += &after;
        self.out += &text;
    }

    /// The delay line of a cell.
    fn line(&mut self, id: CellId) {
        let Some(line) = self.lines.remove(&id) else { return };
        let to = of_type(self.design.netlist.cell(id).range);
        let mut from = self.design.cell_name(id);
        for (number, (tap, (length, is_memory))) in line.taps.iter().zip(&line.parts).enumerate() {
            let name = self.design.tap_name(id, &line, *tap);
            // The cell keeps its row by itself.
            if line.row == Some(number) {
                if number == 0 || number + 1 < line.taps.len() || line.shared {
                    let cell = self.design.cell_name(id);
                    self.say(&format!("    {to} (&{name})[LANES] = {cell}_above;"));
                }
                from = name;
                continue;
            }
            let kind = if *is_memory { "memory" } else { "registers" };
            let when = advancing(line.each).map_or(String::new(), |when| format!(", {when}"));
            let lanes = kept_lanes(self.design, id);
            let text = format!(
                "    static kalg::{kind}<{to}, LANES, {length}{lanes}> delay_{name};\n    {to} {name}[LANES];\n    delay_{name}.shift({from}, {name}{when});",
            );
            self.say(&text);
            from = name;
        }
        for (from, name, registers) in self.design.delayed(id, &line) {
            self.say(&match registers {
                0 => format!("    {to} (&{name})[LANES] = {from};"),
                length => format!(
                    "    static kalg::registers<{to}, LANES, {length}> delay_{name};\n    {to} {name}[LANES];\n    delay_{name}.shift({from}, {name});"
                ),
            });
        }
    }

    /// The function with the ports.
    fn top(&mut self) {
        let (name, frame) = (&self.name, self.design.frame);
        let port = format!("hls::axis<{name}_input, 0, 0, 0>");
        let sizes = format!(
            "{}, {}, {}, {}, {}, {}",
            frame.pixels() / frame.lanes,
            self.height,
            frame.side_pixels()[0] / frame.lanes,
            frame.side_pixels()[1] / frame.lanes,
            frame.ends[0],
            frame.ends[1]
        );
        let mut before = String::new();
        let margins = match frame.margin {
            Margin::Sent => {
                let words = frame.words(self.height) / frame.hold;
                format!("(kalg::sent<{port}, {name}_input, {words}>(pictures, padded))")
            }
            Margin::Replicated => {
                format!("(kalg::replicated<{port}, {name}_input, {sizes}>(pictures, padded))")
            }
            Margin::Mirrored { twice } => format!(
                "(kalg::mirrored<{port}, {name}_input, {name}_input_pixel, {sizes}, {}>(pictures, padded))",
                u8::from(twice)
            ),
            Margin::Constant(value) => {
                let _ = write!(
                    before,
                    "  {name}_input margin;\n  for (int lane = 0; lane < {name}_input::LANES; lane++) {{\n#pragma HLS UNROLL\n"
                );
                for word in &self.inputs {
                    let _ = writeln!(before, "    margin.lane[lane].in_{word} = {};", literal(value.into()));
                }
                before += "  }\n";
                format!("(kalg::constant<{port}, {name}_input, {sizes}>(pictures, padded, margin))")
            }
        };
        let text = format!(
            "// One frame.\nvoid {name}(hls::stream<{port} > &pictures, hls::stream<hls::axis<{name}_output, 0, 0, 0> > &results) {{\n\
             #pragma HLS INTERFACE axis port=pictures\n#pragma HLS INTERFACE axis port=results\n\
             #pragma HLS INTERFACE s_axilite port=return\n#pragma HLS DATAFLOW\n{before}  hls::stream<{name}_input, 2> padded;\n  KALG_PROCESSES;\n  \
             KALG_PROCESS{margins};\n  KALG_PROCESS({name}_results(padded, results));\n}}"
        );
        self.say(&text);
    }
}

/// When a line advances; `None` in each clock.
pub(super) fn advancing(each: Each) -> Option<String> {
    match each {
        Each::Clock => None,
        Each::Word => Some("last_clock".to_owned()),
        Each::Kept { every, clock } => Some(format!("of{every} == {clock}")),
    }
}

/// What a lane of a cell computes of a, b and c.
fn value(cell: &Cell, of: &[Range]) -> String {
    let to = of_type(cell.range);
    // These signed bits hold operands of either sign, and results are right modulo their own bits.
    let wide = |bits: u32| integer(bits, true);
    let all = of.iter().map(|range| range.bits() + u32::from(!range.is_signed())).max().unwrap_or(1);
    match &cell.operation {
        Operation::Input(_)
        | Operation::Table { .. }
        | Operation::Choose { .. }
        | Operation::Interleave { .. }
        | Operation::Along { .. }
        | Operation::Until { .. }
        | Operation::Running { .. } => String::new(),
        Operation::Sum(factors) => {
            let w = wide(all.max(cell.range.bits()) + 1);
            sum(factors, &|name| format!("{w}({name})"))
        }
        Operation::Product => {
            let [x, y] = [0, 1].map(|i| wide(of[i].bits() + u32::from(!of[i].is_signed())));
            format!("{x}(a) * {y}(b)")
        }
        Operation::ShiftRight(by) => format!("a >> {by}"),
        Operation::Quotient => {
            let w = wide(all + 1);
            if of[0].is_signed() {
                format!("a < 0 ? {w}(-1 - {w}({w}(-1 - {w}(a)) / {w}(b))) : {w}({w}(a) / {w}(b))")
            } else {
                format!("{w}({w}(a) / {w}(b))")
            }
        }
        Operation::Root => {
            let bits = cell.range.bits();
            format!("kalg::root<{bits}>(ap_uint<{}>(a))", 2 * bits)
        }
        Operation::Absolute if of[0].is_signed() => format!("a < 0 ? {to}(-{0}(a)) : {to}(a)", wide(all + 1)),
        Operation::Absolute | Operation::Wrap(..) => format!("{to}(a)"),
        Operation::Minimum => format!("{0}(a) < {0}(b) ? {to}(a) : {to}(b)", wide(all)),
        Operation::Maximum => format!("{0}(a) > {0}(b) ? {to}(a) : {to}(b)", wide(all)),
        Operation::Compare(how) => format!("{0}(a) {1} {0}(b)", wide(all), how.sign()),
        Operation::Select => format!("a != 0 ? {to}(b) : {to}(c)"),
    }
}
