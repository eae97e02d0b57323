//! Cells in SystemVerilog whose operations depend on their place in the raster, and choices among many.

use super::design::Each;
use super::expression::{literal, winning_sign};
use super::netlist::CellId;
use super::operation::{Operation, Since};
use super::verilog::{Writer, counter_bits};
use crate::algebra::Choice;
use crate::pipeline::Range;

impl Writer<'_> {
    /// The counters of places.
    pub(super) fn places(&mut self) {
        let counters = self.design.counters();
        if counters.is_empty() {
            return;
        }
        self.modules.insert("kalg_place");
        let frame = self.design.frame;
        let (words, rows) = (frame.period_words(), frame.period[1]);
        let [column, row] = [words, rows].map(|most| counter_bits(most - 1));
        self.say("\n  // Where in their periods words are that came in some clocks ago.\n  wire restart = rst || (advance && frame_is_over);");
        for (number, counter) in counters.iter().enumerate() {
            self.say(&format!(
                "  wire [{}:0] place{number}_column; // {} clocks ago\n  wire [{}:0] place{number}_row, place{number}_next_row;\n  \
                 kalg_place #(\n    .COLUMNS(COLUMNS), .COLUMN_BITS(COLUMN_BITS), .COLUMN_PERIOD({words}), .ROW_PERIOD({rows}),\n    \
                 .PLACE_BITS({column}), .ROW_BITS({row}), .FIRST_COLUMN({}), .FIRST_ROW({})\n  ) place{number} (\n    \
                 .clk, .restart, .advance, .column(place{number}_column), .row(place{number}_row), .next_row(place{number}_next_row)\n  );",
                column - 1,
                counter.clocks,
                row - 1,
                counter.column,
                counter.row
            ));
        }
    }

    /// A number for each place of a lane in a period of columns, as a table and how a lane reads it.
    fn of_column(&mut self, id: CellId, (name, bits): (&str, u32), with: &dyn Fn(i64) -> usize) -> String {
        let (frame, spot) = (self.design.frame, self.design.spot(id));
        let count = frame.period_words() * frame.lanes;
        let values: Vec<usize> = (0..count).map(|at| with((at + spot.east) as i64)).collect();
        self.table_of_places(name, bits, &values);
        let lane = if frame.lanes > 1 { " + lane" } else { "" };
        format!("{name}[(32'(place{}_column)*LANES{lane})*{bits} +: {bits}]", spot.counter)
    }

    /// The same for rows.
    fn of_row(&mut self, id: CellId, (name, bits): (&str, u32), with: &dyn Fn(i64) -> usize) -> String {
        let (frame, spot) = (self.design.frame, self.design.spot(id));
        let values: Vec<usize> = (0..frame.period[1]).map(|row| with(row as i64)).collect();
        self.table_of_places(name, bits, &values);
        let counter = format!("place{}", spot.counter);
        // A word may begin in a row and end in the next.
        let row = match spot.east {
            0 => format!("32'({counter}_row)"),
            east => format!("(lane + {east} < LANES ? 32'({counter}_row) : 32'({counter}_next_row))"),
        };
        format!("{name}[{row}*{bits} +: {bits}]")
    }

    fn table_of_places(&mut self, name: &str, bits: u32, values: &[usize]) {
        let all: Vec<String> = values.iter().rev().map(|value| literal(*value as i128, bits)).collect();
        let width = values.len() * bits as usize;
        self.say(&format!("  wire [{}:0] {name} = {{{}}};", width - 1, all.join(", ")));
    }

    /// The operand that stands at the place of a lane.
    pub(super) fn interleave(&mut self, id: CellId, mut lines: Vec<String>, result: &str) {
        let cell = self.design.netlist.cell(id).clone();
        let Operation::Interleave { phases: [p, q], .. } = cell.operation else { return };
        let (name, bits) = (self.design.cell_name(id), cell.range.bits());
        let [columns, rows] = [p, q].map(|phases| counter_bits(phases as usize - 1));
        let column =
            self.of_column(id, (&format!("{name}_columns"), columns), &|x| cell.operation.phase([x, 0]));
        let row =
            self.of_row(id, (&format!("{name}_rows"), rows), &|y| cell.operation.phase([0, y]) / p as usize);
        lines.push(format!("wire [{}:0] phase = {{{row}, {column}}};", rows + columns - 1));
        let cases = (0..p * q).map(|number| {
            let at = literal(i128::from(number / p) << columns | i128::from(number % p), rows + columns);
            format!("  {at}: chosen = {bits}'(a{number});")
        });
        lines.extend(case(bits, "phase", cases.collect()));
        lines.push(format!("assign {result}[lane*{bits} +: {bits}] = chosen;"));
        self.lanes(&name, &lines);
    }

    /// The operand whose number the first operand is.
    pub(super) fn choice(&self, id: CellId, first: i64) -> Vec<String> {
        let cell = self.design.netlist.cell(id);
        let (bits, index) = (cell.range.bits(), self.design.netlist.range(cell.operands[0]));
        // A number that the index never is may have the bits of one that it is.
        let numbered =
            (0..cell.operands.len() - 1).map(|number| (i128::from(first) + number as i128, number));
        let chosen = numbered.filter(|(at, _)| (index.least..=index.greatest).contains(at));
        let cases = chosen.map(|(at, number)| {
            let at = literal(at, index.bits());
            format!("  {at}: chosen = {bits}'(a{number});")
        });
        case(bits, "a", cases.collect())
    }

    /// What is kept or summed along columns or rows.
    pub(super) fn along(&mut self, id: CellId, mut lines: Vec<String>, result: &str) {
        let cell = self.design.netlist.cell(id).clone();
        let Some(axis) = cell.operation.goes_along() else { return };
        let (name, bits, width) = (self.design.cell_name(id), cell.range.bits(), self.word_bits(id));
        if axis == 0 {
            self.say(&format!("  logic [{}:0] {name}_last;", bits - 1));
        } else {
            self.say(&format!("  wire [{}:0] {name}_above;", width - 1));
        }
        lines.push(format!("wire [{0}:0] prior, q;\n    wire [{0}:0] value = {bits}'(a);", bits - 1));
        if axis == 0 {
            lines.push(format!("if (lane == 0) begin : first\n      assign prior = {name}_last;"));
            lines.push(format!(
                "end else begin : next\n      assign prior = lanes_{name}[lane-1].q;\n    end"
            ));
        } else {
            lines.push(format!("assign prior = {name}_above[lane*{bits} +: {bits}];"));
        }
        lines.extend(self.next(id));
        lines.push(format!("assign {result}[lane*{bits} +: {bits}] = q;"));
        self.lanes(&name, &lines);
        if axis == 0 {
            let from = width - bits;
            self.say(&format!(
                "  always_ff @(posedge clk) if (advance) {name}_last <= {result}[{from} +: {bits}];"
            ));
        } else if self.lines.get(&id).is_none_or(|line| line.row.is_none()) {
            let (each, words) = self.design.row_above(id);
            let part = (words, words >= self.memory_from);
            self.delay_kept(id, each, (result, &format!("{name}_above")), part);
        }
    }

    /// The lines that give a value from the one before.
    fn next(&mut self, id: CellId) -> Vec<String> {
        let cell = self.design.netlist.cell(id).clone();
        let bits = cell.range.bits();
        if let Some([begins, full]) = self.design.running.get(&id).copied() {
            let counter = self.elapsed_bits();
            let before = |pixel: i64| format!("elapsed < {counter}'(({pixel} - lane + LANES - 1) / LANES)");
            return vec![
                format!("wire [{0}:0] earlier = {1} ? {bits}'d0 : prior;", bits - 1, before(begins)),
                format!("wire [{0}:0] gone = {1} ? {bits}'d0 : {bits}'(b);", bits - 1, before(full)),
                "assign q = earlier + value - gone;".to_owned(),
            ];
        }
        let Operation::Along { axis, period, since } = cell.operation else { return Vec::new() };
        let begins = self.begins(id, axis, period);
        let mut lines = vec![format!("wire begins = {begins};")];
        let next = match since {
            Since::First => "prior".to_owned(),
            Since::Sum => "prior + value".to_owned(),
            Since::Extreme(choice) => {
                lines.push(compared(choice, cell.range));
                "(wins ? value : prior)".to_owned()
            }
        };
        lines.push(format!("assign q = begins ? value : {next};"));
        lines
    }

    /// Whether a period of columns or rows begins where a lane of a cell is.
    fn begins(&mut self, id: CellId, axis: usize, period: u32) -> String {
        let begins = |place: i64| usize::from(place % i64::from(period) == 0);
        let table = format!("{}_begins", self.design.cell_name(id));
        match axis {
            0 => self.of_column(id, (&table, 1), &begins),
            _ => self.of_row(id, (&table, 1), &begins),
        }
    }

    /// The extreme until a period ends, of a value that comes in two periods later: a memory that gives each period backwards, the
    /// extreme of what it gives, and another such memory. Words have one pixel.
    pub(super) fn until(&mut self, id: CellId, from: &str) {
        let cell = self.design.netlist.cell(id).clone();
        let Operation::Until { axis, period, choice } = cell.operation else { return };
        self.modules.extend(["kalg_turn", "kalg_backwards"]);
        let (name, bits) = (self.design.cell_name(id), cell.range.bits());
        let begins = self.begins(id, axis, period);
        let words = if axis == 0 { 1 } else { self.design.frame.row_words() };
        let address = counter_bits(period as usize * words - 1);
        let row = match axis {
            0 => "1'b0".to_owned(),
            _ => format!("place{}_row", self.design.spot(id).counter),
        };
        let row_bits = if axis == 0 { 1 } else { counter_bits(self.design.frame.period[1] - 1) };
        self.say(&format!(
            "  wire {name}_first = {begins};\n  wire [{top}:0] {name}_place, {name}_late;\n  wire {name}_is_first;\n  \
             kalg_turn #(.PERIOD({period}), .WORDS({words}), .BITS({address}), .ROW_BITS({row_bits})) turn_{name} (\n    \
             .clk, .restart, .advance, .begins({name}_first), .row({row}),\n    \
             .place({name}_place), .late({name}_late), .late_begins({name}_is_first)\n  );\n  \
             wire [{last}:0] {name}_back, {name}_found, {name}_prior;\n  \
             kalg_backwards #(.WIDTH({bits}), .PLACES({places}), .BITS({address})) back_{name} (\n    \
             .clk, .advance, .place({name}_place), .d({bits}'({from})), .q({name}_back)\n  );\n  \
             kalg_backwards #(.WIDTH({bits}), .PLACES({places}), .BITS({address})) found_{name} (\n    \
             .clk, .advance, .place({name}_late), .d({name}_found), .q({name})\n  );",
            top = address - 1,
            last = bits - 1,
            places = period as usize * words,
        ));
        let lines = [
            format!("wire [{}:0] prior = {name}_prior;\n    wire [{0}:0] value = {name}_back;", bits - 1),
            compared(choice, cell.range),
            format!("assign {name}_found = {name}_is_first || wins ? value : prior;"),
        ];
        self.lanes(&name, &lines);
        let part = (words as u64, words as u64 >= self.memory_from);
        let (from, to) = (format!("{name}_found"), format!("{name}_prior"));
        self.delay(Each::Clock, (&from, &to), u64::from(bits), part);
    }

    /// The bits of the counter of the words of a frame, as far as running sums need it; 0 if there are none.
    fn elapsed_bits(&self) -> u32 {
        let full = self.design.running.values().map(|[_, full]| *full);
        full.max().map_or(0, |full| counter_bits(full.unsigned_abs() as usize / self.design.frame.lanes + 1))
    }

    /// The counter of the words of a frame.
    pub(super) fn elapsed(&mut self) {
        let bits = self.elapsed_bits();
        if bits > 0 {
            self.say(&format!(
                "\n  // The words of a frame that came in or would have, as far as sums need to know that go on from one to the next.\n  \
                 logic [{}:0] elapsed;\n  always_ff @(posedge clk) begin\n    \
                 if (rst || (advance && frame_is_over)) elapsed <= '0;\n    \
                 else if (advance && elapsed != '1) elapsed <= elapsed + 1'b1;\n  end",
                bits - 1
            ));
        }
    }
}

/// Whether a value wins against the one before it.
fn compared(choice: Choice, range: Range) -> String {
    let signed = |name: &str| if range.is_signed() { format!("$signed({name})") } else { name.to_owned() };
    format!("wire wins = {} {} {};", signed("value"), winning_sign(choice), signed("prior"))
}

/// A choice by cases.
fn case(bits: u32, by: &str, cases: Vec<String>) -> Vec<String> {
    let mut lines = vec![format!("logic [{}:0] chosen;", bits - 1)];
    lines.push(format!("always_comb begin\n      case ({by})"));
    lines.extend(cases.into_iter().map(|case| format!("    {case}")));
    lines.push("    default: chosen = '0;\n      endcase\n    end".to_owned());
    lines
}
