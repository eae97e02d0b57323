//! The loops of a pipeline as one function in C99, and a static function for each loop over the columns of a row.

use std::fmt::Write;
use std::iter::zip;

use crate::backend::scan::machine::{
    C_HEAD, Storage, added, c_declaration, c_inside, c_passes, c_signature, c_unread, type_name,
};
use crate::pipeline::{Border, Fold, NodeId, VariableId};

use super::c_address::{Printer, scaled};
use super::c_expression::{column_loop, helpers};
use super::columns::Language;
use super::expression::Body;
use super::loops::{Copied, Kind, Loops, Picture, Target, Unit, Work};
use super::pictures::beyond;
use super::plans::limits;

/// The source and the header of a pipeline in C.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) source: String,
    pub(super) header: String,
}

/// Prints the loops of a pipeline.
pub(super) fn c(loops: &Loops<'_>) -> Code {
    let printer = Printer { loops, name: &loops.name };
    let signature = printer.signature();
    let head = printer.contract();
    let functions: String = loops.units.iter().map(|unit| printer.functions(unit)).collect();
    let body = printer.body();
    let tables = printer.tables();
    let name = &loops.name;
    let text = format!("{functions}{body}");
    let source = format!(
        "{C_HEAD}{}{}{tables}{functions}{head}{signature}\n{{\n{body}}}\n",
        if printer.is_single() { FLOATS } else { "" },
        helpers(name, &text)
    );
    let header = c_declaration(name, &head, &signature);
    Code { source, header }
}

/// What programs in single precision need: functions, and products that are rounded before they are added to something, as they are in
/// the pipeline's file. Strict C does that with GCC.
const FLOATS: &str = "#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2
#error \"this processor computes single precision in a wider one, with other results\"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__STRICT_ANSI__)
#pragma GCC optimize(\"fp-contract=off\")
#endif

";

impl Printer<'_> {
    /// Whether there are values of single precision.
    fn is_single(&self) -> bool {
        self.loops.compiled.pipeline.nodes.iter().any(|node| node.facts.is_float())
    }

    fn contract(&self) -> String {
        let pipeline = &self.loops.compiled.pipeline;
        let mut text = format!(
            "/* {}: pictures of width x height pixels, row by row from the north; a stride is the number of pixels from row to row;\n   \
             beyond the inputs: {}. Samples must be in the range that the pipeline's file says.",
            self.name, pipeline.border
        );
        for (name, [x, y]) in self.loops.other_rates() {
            let _ = write!(text, "\n   `{name}` has {x} times the columns and {y} times the rows.");
        }
        if self.is_single() {
            text += "\n   Uses functions of <math.h>: link with -lm.";
        }
        let period = self.loops.period;
        let whole =
            if period == 1 { String::new() } else { format!(" y0 and y1 are multiples of {period}.") };
        let phases = self.loops.units.last().map_or(0, |unit| unit.phase);
        let once = if phases == 0 { "" } else { " Every band computes stages of the whole picture first." };
        text + &format!(
            "\n   Computes rows y0 to y1 - 1 of the base grid; `out_...` points to the row of y0, `in_...` to the first row.{whole}\n   \
             Bands can be computed at the same time, each with its own `work`.{once}\n   \
             Returns how many bytes `work` must have, or 0 for a size or a band that does not fit the rates of all stages; with a null\n   \
             pointer it does nothing else. */\n"
        )
    }

    fn signature(&self) -> String {
        c_signature(self.name, &self.loops.ports, self.loops.pixels())
    }

    /// The functions of a loop: for each, a row.
    fn functions(&self, unit: &Unit) -> String {
        match &unit.work {
            Work::Region(number) => {
                c_passes(&self.loops.regions[*number], &format!("{}_{}", self.name, unit.name))
            }
            Work::Copy(copied) => self.copy_function(unit, copied),
            Work::Rows(target, kind, bodies) => {
                let of = self.loops.target_storage(target);
                let write = |(row, body): (usize, &Body)| {
                    let end = if matches!(kind, Kind::Cells(_)) { format!("_{row}") } else { String::new() };
                    let name = format!("{}_{}{end}", self.name, unit.name);
                    column_loop(self, (&name, of), kind, body)
                };
                let functions: String = bodies.iter().enumerate().map(write).collect();
                match kind {
                    Kind::Continued(border) => functions + &self.edges_function(unit, of, *border),
                    _ => functions,
                }
            }
        }
    }

    /// The function that continues a row.
    fn edges_function(&self, unit: &Unit, of: Storage, border: Border) -> String {
        let (of, margins) = (type_name(of), self.margins(unit, border, |place| format!("o[{place}]")));
        format!("static void {}_{}_edges({of} *o, ptrdiff_t w)\n{{\n{margins}}}\n\n", self.name, unit.name)
    }

    /// The statements that give the columns beyond a row of w pixels their values. Where margins are less than that, no place is
    /// looked for.
    fn margins(&self, unit: &Unit, border: Border, of: impl Fn(&str) -> String) -> String {
        let [west, east, ..] = unit.margin;
        let loops = |values: [String; 2], indent: &str| {
            zip([(west, "-1 - i"), (east, "w + i")], values)
                .filter(|((margin, _), _)| *margin > 0)
                .map(|((margin, place), value)| {
                    format!("{indent}for (ptrdiff_t i = 0; i < {margin}; i++) o[{place}] = {value};\n")
                })
                .collect::<String>()
        };
        if [west, east] == [0, 0] {
            return String::new();
        }
        let Some(near) = beyond(border) else { return loops([of(""), of("")], "    ") };
        let far = ["-1 - i", "w + i"].map(|i| self.inside(border, i, "w"));
        format!(
            "    if (w > {}) {{\n{}    }} else {{\n{}    }}\n",
            west.max(east),
            loops(near.map(&of), "        "),
            loops(far.map(|place| of(&place)), "        ")
        )
    }

    /// The function that copies a row and continues it.
    fn copy_function(&self, unit: &Unit, copied: &Copied) -> String {
        let (to, from) = (
            type_name(self.loops.buffers[&copied.to].of),
            type_name(self.loops.picture_storage(copied.from)),
        );
        let margins = self.margins(unit, copied.border, |place| match copied.border {
            Border::Constant(_) => {
                format!(
                    "({to}){}",
                    self.number(copied.outside, Storage { bits: 64, signed: true, float: false })
                )
            }
            _ => format!("({to})a[{place}]"),
        });
        format!(
            "static void {}_{}({to} *restrict o, const {from} *restrict a, ptrdiff_t w)\n{{\n    \
             for (ptrdiff_t x = 0; x < w; x++) o[x] = ({to})a[x];\n{margins}}}\n\n",
            self.name, unit.name
        )
    }

    /// The statements of the function.
    fn body(&self) -> String {
        let mut text = String::from(
            "    if (width <= 0 || height <= 0 || y0 < 0 || y0 >= y1 || y1 > height) return 0;\n",
        );
        for (side, up, down) in self.loops.wholes() {
            let _ = writeln!(text, "    if ({side} * {up} % {down} != 0) return 0;");
        }
        let period = self.loops.period;
        if period > 1 {
            let _ = writeln!(text, "    if (y0 % {period} != 0 || y1 % {period} != 0) return 0;");
        }
        for (number, [x, y]) in self.loops.rates.iter().enumerate() {
            let _ = writeln!(
                text,
                "    const ptrdiff_t w{number} = {}, h{number} = {};\n    (void)w{number}; (void)h{number};",
                scaled("width", *x),
                scaled("height", *y)
            );
        }
        let last = self.loops.units.last().map_or(0, |unit| unit.phase);
        let phases: String = (0..=last).map(|phase| self.phase(phase, phase == last)).collect();
        text + &c_unread(&self.loops.ports.inputs, &phases) + &self.memory() + &phases + "    return bytes;\n"
    }

    /// A loop over steps.
    fn phase(&self, phase: usize, is_last: bool) -> String {
        let (units, first) = self.loops.phase(phase);
        let [from, end] = if is_last { ["y0", "y1"] } else { ["0", "height"] };
        let mut text = "    {\n".to_owned();
        for (number, [_, along]) in self.loops.rates.iter().enumerate() {
            let _ = writeln!(
                text,
                "        const ptrdiff_t f{number} = {}, r{number} = {} - f{number};\n        (void)f{number}; (void)r{number};",
                scaled(from, *along),
                scaled(end, *along)
            );
        }
        let _ = writeln!(
            text,
            "        for (ptrdiff_t s = {first}; s < ({end} - {from}) / {}; s++) {{",
            self.loops.period
        );
        units.iter().for_each(|unit| text += &self.unit(unit));
        text + "        }\n    }\n"
    }

    /// The rows of a loop at a step.
    fn unit(&self, unit: &Unit) -> String {
        let Unit { size, margin: [.., north, south], warm, lead, .. } = unit;
        let rows = self.loops.rows_of_step(*size);
        let step = if rows == 1 { "s".to_owned() } else { format!("{rows} * s") };
        let mut text = format!(
            "            for (ptrdiff_t y = {0}_most({1}, {2}), e = {0}_least({3}, {4}); y < e; y++) {{\n",
            self.name,
            added(&step, *lead),
            warm - north,
            added(&step, lead + rows),
            added(&format!("r{size}"), *south)
        );
        for id in &unit.variables {
            text += &self.variable_loop(id.0);
        }
        if unit.planes > 1 {
            let _ = writeln!(text, "            for (ptrdiff_t z = 0; z < {}; z++)", unit.planes);
        }
        text += "            {\n";
        text += &match &unit.work {
            Work::Copy(copied) => self.copy(unit, copied),
            Work::Region(number) => self.region(unit, *number),
            Work::Rows(target, kind, bodies) => self.rows(unit, target, kind, bodies),
        };
        text + "            }\n            }\n"
    }

    fn variable_loop(&self, id: usize) -> String {
        let variable = &self.loops.compiled.pipeline.variables[id];
        format!("            for (int32_t d{id} = {}; d{id} < {}; d{id}++)\n", variable.first, variable.end)
    }

    fn copy(&self, unit: &Unit, copied: &Copied) -> String {
        let to = self.row(copied.to, "y", 0);
        let (size, pointer) = match copied.from {
            Picture::Input(index) => {
                let name = &self.loops.ports.inputs[index];
                (unit.size, format!("in_{name} + v * in_{name}_stride"))
            }
            Picture::Value(id) => {
                let size = self.loops.buffers[&id].size;
                (size, self.row(id, &format!("(v - f{size})"), 0))
            }
        };
        let call = format!("{}_{}({to}, {pointer}, w{size});", self.name, unit.name);
        let place = format!("y + f{size}");
        match c_inside(copied.border) {
            Some(_) => format!(
                "                const ptrdiff_t v = {};\n                (void)v;\n                {call}\n",
                self.inside(copied.border, &place, &format!("h{size}"))
            ),
            None => {
                let of = self.loops.buffers[&copied.to].of;
                format!(
                    "                const ptrdiff_t v = {place};\n                \
                     if (v >= 0 && v < h{size}) {call}\n                \
                     else {0}_fill_{1}({to} - {2}, {3}, w{size} + {4});\n",
                    self.name,
                    type_name(of),
                    unit.margin[0],
                    self.number(copied.outside, of),
                    unit.margin[0] + unit.margin[1]
                )
            }
        }
    }

    fn rows(&self, unit: &Unit, target: &Target, kind: &Kind, bodies: &[Body]) -> String {
        let n = unit.columns();
        let row = |y: &str, first: i64| match target {
            Target::Value(id) => added(&self.row(*id, y, 0), first),
            Target::Output(number) => {
                let name = &self.loops.ports.outputs[*number];
                format!("out_{name} + ({y}) * out_{name}_stride")
            }
        };
        match (kind, target) {
            (Kind::Cells([p, q]), _) => {
                let one = |(j, body): (usize, &Body)| {
                    let to = row(&added(&format!("{q} * y"), j as i64), body.first * i64::from(*p));
                    self.call(unit, &format!("_{j}"), body, [&to, "y", &n])
                };
                bodies.iter().enumerate().map(one).collect()
            }
            (Kind::Counts(cell), Target::Value(id)) => self.counts(unit, *id, *cell, &bodies[0]),
            (Kind::Folds(fold, own, folded), Target::Value(id)) => {
                self.folds(unit, *id, (*fold, own, *folded), &bodies[0])
            }
            (Kind::Continued(border), _) => {
                let (size, to, function) = (unit.size, row("y", 0), format!("{}_{}", self.name, unit.name));
                let place = self.inside(*border, &format!("y + f{size}"), &format!("h{size}"));
                let arguments = self.arguments(&bodies[0], "y", "v");
                format!(
                    "                const ptrdiff_t v = {place};\n                (void)v;\n                \
                     {function}({to}, {arguments}w{size});\n                {function}_edges({to}, w{size});\n"
                )
            }
            _ => self.call(unit, "", &bodies[0], [&row("y", bodies[0].first), "y", &n]),
        }
    }

    /// The call of a function of a loop: what it is given first, the row, the number of columns.
    fn call(&self, unit: &Unit, suffix: &str, body: &Body, [to, y, n]: [&str; 3]) -> String {
        let of_picture = y.replace('y', &format!("(y + f{})", unit.size));
        let arguments = self.arguments(body, y, &of_picture);
        format!("                {}_{}{suffix}({to}, {arguments}{n});\n", self.name, unit.name)
    }

    fn fill(&self, of: Storage, to: &str, value: i128, n: &str) -> String {
        let (name, value) = (type_name(of), self.number(value, of));
        format!("                {}_fill_{name}({to}, {value}, {n});\n", self.name)
    }

    fn counts(&self, unit: &Unit, id: NodeId, [p, q]: [u32; 2], body: &Body) -> String {
        let (buffer, n) = (&self.loops.buffers[&id], id.index());
        let (to, all) = (added(&self.layers(id, "y"), -unit.margin[0]), unit.columns());
        format!(
            "                for (ptrdiff_t z = 0; z < {}; z++)\n{}                for (ptrdiff_t j = 0; j < {q}; j++)\n{}",
            buffer.planes,
            self.fill(buffer.of, &format!("{to} + z * s{n}"), 0, &all),
            self.call(
                unit,
                "",
                body,
                [&format!("{to}, s{n}"), &format!("({q} * y + j)"), &format!("{p} * ({all})")]
            )
        )
    }

    fn folds(
        &self,
        unit: &Unit,
        id: NodeId,
        (fold, own, folded): (Fold, &[VariableId], Storage),
        body: &Body,
    ) -> String {
        let (of, n) = (self.loops.buffers[&id].of, unit.columns());
        let to = added(&self.row(id, "y", 0), -unit.margin[0]);
        let mut text = match self.loops.start_of_fold(fold, own, of) {
            Some(value) => self.fill(of, &to, value, &n),
            None => format!("                {}_fill_float({to}, -0.0f, {n});\n", self.name),
        };
        let mut given = to;
        if fold == Fold::ArgumentOfMinimum {
            let best = format!("best{}", id.index());
            text += &self.fill(folded, &best, limits(folded)[1], &n);
            let _ = write!(given, ", {best}, d{}", own[0].0);
        }
        own.iter().for_each(|id| text += &self.variable_loop(id.0));
        text + &self.call(unit, "", body, [&given, "y", &n])
    }
}
