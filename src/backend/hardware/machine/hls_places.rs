//! Cells in C++ whose operations depend on their place in the raster, and choices among many.

use super::expression::winning_sign;
use super::hls::{Writer, advancing, kept_lanes, of_type};
use super::netlist::CellId;
use super::operation::{Operation, Since};
use super::raster::Counter;
use crate::algebra::Choice;

impl Writer<'_> {
    /// The counters of places.
    pub(super) fn places(&self) -> String {
        let frame = self.design.frame;
        let (columns, rows) = (frame.period_words(), frame.period[1]);
        let counters = self.design.counters().into_iter().enumerate();
        let one = |(number, of): (usize, Counter)| {
            let (column, row) = (of.column, of.row);
            format!("  kalg::place<COLUMNS, {columns}, {rows}, {column}, {row}> place{number};\n")
        };
        let kept = self.design.kept().into_iter();
        let kept = kept.map(|every| format!("  int of{every} = 0; // Clocks modulo {every}.\n"));
        counters.map(one).chain(kept).collect()
    }

    /// The column of a lane of a cell in its period, and the row.
    fn place(&self, id: CellId) -> [String; 2] {
        let spot = self.design.spot(id);
        let counter = format!("place{}", spot.counter);
        let row = match spot.east {
            0 => format!("{counter}.row"),
            east => format!("(lane + {east} < LANES ? {counter}.row : {counter}.next_row())"),
        };
        [format!("({counter}.column * LANES + {} + lane)", spot.east), row]
    }

    /// What is before a cell that is kept or summed along columns or rows, and after it.
    pub(super) fn around(&self, id: CellId) -> [String; 2] {
        let (cell, name) = (self.design.netlist.cell(id), self.design.cell_name(id));
        let to = of_type(cell.range);
        if let Operation::Until { axis, period, .. } = cell.operation {
            let words = [1, self.design.frame.row_words()][axis];
            // Columns are registers. Of rows, a word that is read was written at least a row ago.
            let kind = ["ARRAY_PARTITION variable=", "DEPENDENCE variable="][axis];
            let how = ["complete", "inter false"][axis];
            let pragmas = ["values", "found", "before"]
                .map(|member| format!("#pragma HLS {kind}{name}_until.{member} {how}\n"))
                .concat();
            let memory = format!("    static kalg::until<{to}, {period}, {words}> {name}_until;\n{pragmas}");
            return [memory, String::new()];
        }
        match cell.operation.goes_along() {
            Some(0) => {
                [format!("    static {to} {name}_last;\n"), format!("    {name}_last = {name}[LANES - 1];\n")]
            }
            Some(_) => {
                let (each, words) = self.design.row_above(id);
                let lanes = kept_lanes(self.design, id);
                let when = advancing(each).map_or(String::new(), |when| format!("if ({when}) "));
                [
                    format!(
                        "    static kalg::above<{to}, LANES, {words}{lanes}> {name}_row;\n    {to} {name}_above[LANES];\n    \
                         {name}_row.read({name}_above);\n"
                    ),
                    format!("    {when}{name}_row.write({name});\n"),
                ]
            }
            None => [String::new(), String::new()],
        }
    }

    /// The value of a cell whose operation depends on its place, or chooses among many.
    pub(super) fn placed(&self, id: CellId) -> String {
        let (cell, name) = (self.design.netlist.cell(id), self.design.cell_name(id));
        let to = of_type(cell.range);
        let chain = |by: &str, first: i64, count: usize| {
            let each =
                (0..count).map(|number| format!("{by} == {} ? {to}(a{number}) : ", first + number as i64));
            format!("{}{to}(0)", each.collect::<String>())
        };
        let before = |axis: usize| match axis {
            0 => format!("(lane == 0 ? {name}_last : {name}[lane > 0 ? lane - 1 : 0])"),
            _ => format!("{name}_above[lane]"),
        };
        match cell.operation {
            Operation::Choose { first } => chain("a", first, cell.operands.len() - 1),
            Operation::Interleave { phases, .. } => chain("phase", 0, (phases[0] * phases[1]) as usize),
            Operation::Running { axis, .. } => {
                let [begins, full] = self.design.running[&id];
                let pixel = "word_number * LANES + lane";
                format!(
                    "{to}({to}({pixel} < {begins} ? {to}(0) : {to}({before})) + a - ({pixel} < {full} ? {left}(0) : {left}(b)))",
                    before = before(axis),
                    left = of_type(self.design.netlist.range(cell.operands[1]))
                )
            }
            Operation::Along { axis, since, .. } => {
                let before = before(axis);
                let next = match since {
                    Since::First => format!("{to}({before})"),
                    Since::Sum => format!("{to}({before} + a)"),
                    Since::Extreme(choice) => {
                        format!("{to}(a {} {before} ? {to}(a) : {before})", winning_sign(choice))
                    }
                };
                format!("begins ? {to}(a) : {next}")
            }
            Operation::Until { axis, choice, .. } => {
                let word = ["0".to_owned(), format!("place{}.word", self.design.spot(id).counter)];
                format!("{name}_until.{}({to}(a), at, {})", named(choice), word[axis])
            }
            _ => String::new(),
        }
    }

    /// What a cell needs to know of its place.
    pub(super) fn where_it_is(&self, id: CellId) -> String {
        let cell = self.design.netlist.cell(id);
        match cell.operation {
            Operation::Interleave { phases: [p, q], step: [s, t] } => {
                let [x, y] = self.place(id);
                format!("      const int phase = {y} / {t} % {q} * {p} + {x} / {s} % {p};\n")
            }
            Operation::Along { axis, period, .. } => {
                format!("      const bool begins = {} % {period} == 0;\n", self.place(id)[axis])
            }
            Operation::Until { axis, period, .. } => {
                format!("      const int at = {} % {period};\n", self.place(id)[axis])
            }
            _ => String::new(),
        }
    }
}

/// The method for an extreme.
fn named(choice: Choice) -> &'static str {
    match choice {
        Choice::Least => "least",
        Choice::Greatest => "greatest",
    }
}
