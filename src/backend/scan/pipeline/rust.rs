//! The loops of a pipeline as one safe function in Rust, with a function for each loop over the columns of a row inside.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::iter::zip;

use crate::backend::scan::machine::{
    Pass, Place, Row, Storage, Target as Written, added, rust_parameters, rust_passes, rust_type,
};
use crate::pipeline::{Border, Fold, NodeId, VariableId};

use super::columns::Language;
use super::expression::Body;
use super::loops::{Copied, Kind, Loops, Picture, Target, Unit, Work};
use super::pictures::beyond;
use super::plans::limits;
use super::rust_address::{CASTS, Printer, inside, places};
use super::rust_expression::{column_loop, macros};

/// Prints the loops of a pipeline.
pub(super) fn rust(loops: &Loops<'_>) -> String {
    let printer = Printer { loops };
    let functions: String = loops.units.iter().map(|unit| printer.functions(unit)).collect();
    let body = printer.body();
    let text = format!("{functions}{body}");
    format!(
        "{}#[allow(clippy::all, unused_parens, unused_mut, unused_variables, unused_comparisons, unused_macros)]\n\
         pub fn {}({}width: usize, height: usize, y0: usize, y1: usize) -> bool {{\n{}{}{}{text}    true\n}}\n",
        printer.contract(),
        loops.name,
        rust_parameters(&loops.ports, loops.pixels()),
        printer.tables(),
        places(&text),
        macros(&text)
    )
}

impl Printer<'_> {
    fn contract(&self) -> String {
        let pipeline = &self.loops.compiled.pipeline;
        let mut text = format!(
            "/// {}: pictures of width × height pixels, row by row from the north; a stride is the number of pixels from row to row;\n\
             /// beyond the inputs: {}. Samples must be in the range that the pipeline's file says.\n",
            self.loops.name, pipeline.border
        );
        for (name, [x, y]) in self.loops.other_rates() {
            let _ = writeln!(text, "/// `{name}` has {x} times the columns and {y} times the rows.");
        }
        let period = self.loops.period;
        let whole =
            if period == 1 { String::new() } else { format!(" `y0` and `y1` are multiples of {period}.") };
        text + &format!(
            "/// Computes rows y0 to y1 - 1 of the base grid; `out_…` begins with the row of y0, `in_…` with the first row.{whole}\n\
             /// Bands can be computed at the same time. Returns false for a size or a band that does not fit the rates of all stages.\n"
        )
    }

    fn tables(&self) -> String {
        let list = |(what, number, of, values): (&str, usize, Storage, &[i64])| {
            let numbers: Vec<String> = values.iter().map(i64::to_string).collect();
            let lines: Vec<String> = numbers.chunks(24).map(|line| line.join(", ")).collect();
            format!(
                "    static {}_{number}: [{}; {}] = [\n        {}\n    ];\n",
                what.to_uppercase(),
                rust_type(of),
                values.len(),
                lines.join(",\n        ")
            )
        };
        self.loops.constants.lists().into_iter().map(list).collect()
    }

    /// The functions of a loop: for each, a row.
    fn functions(&self, unit: &Unit) -> String {
        match &unit.work {
            Work::Region(number) => {
                let passes = rust_passes(&self.loops.regions[*number]).replace("    fn ", "    pub fn ");
                format!("    mod {} {{\n{passes}    }}\n", unit.name)
            }
            Work::Copy(copied) => {
                let (to, from) = (
                    rust_type(self.loops.buffers[&copied.to].of),
                    rust_type(self.loops.picture_storage(copied.from)),
                );
                let margins = margins(unit, copied.border, |place| match copied.border {
                    Border::Constant(_) => self.number(copied.outside, self.loops.buffers[&copied.to].of),
                    _ => format!("a[{place}] as {to}"),
                });
                format!(
                    "    fn {}(o: &mut [{to}], a: &[{from}]) {{\n        let w = a.len();\n        \
                     for (o, a) in o[{}..].iter_mut().zip(a) {{\n            *o = *a as {to};\n        }}\n{margins}    }}\n",
                    unit.name, unit.margin[0]
                )
            }
            Work::Rows(target, kind, bodies) => {
                let of = self.loops.target_storage(target);
                let write = |(row, body): (usize, &Body)| {
                    let end = if matches!(kind, Kind::Cells(_)) { format!("_{row}") } else { String::new() };
                    column_loop(self, (&format!("{}{end}", unit.name), of), kind, body)
                };
                let functions: String = bodies.iter().enumerate().map(write).collect();
                match kind {
                    Kind::Continued(border) => functions + &edges_function(unit, of, *border),
                    _ => functions,
                }
            }
        }
    }

    /// The statements of the function.
    fn body(&self) -> String {
        let mut text = String::from(
            "    let [width, height, y0, y1] = [width, height, y0, y1].map(|n| n as isize);\n    \
             if width <= 0 || height <= 0 || y0 >= y1 || y1 > height {\n        return false;\n    }\n",
        );
        let wholes = self.loops.wholes().into_iter();
        let mut wholes: BTreeSet<String> =
            wholes.map(|(side, up, down)| format!("{side} * {up} % {down} != 0")).collect();
        let period = self.loops.period;
        wholes.extend((period > 1).then(|| format!("y0 % {period} != 0 || y1 % {period} != 0")));
        for whole in wholes {
            let _ = writeln!(text, "    if {whole} {{\n        return false;\n    }}");
        }
        for (number, [x, y]) in self.loops.rates.iter().enumerate() {
            let _ = writeln!(
                text,
                "    let (w{number}, h{number}) = (width * {} / {}, height * {} / {});",
                x.numerator(),
                x.denominator(),
                y.numerator(),
                y.denominator()
            );
        }
        text += &self.memory();
        let last = self.loops.units.last().map_or(0, |unit| unit.phase);
        for phase in 0..=last {
            text += &self.phase(phase, phase == last);
        }
        text
    }

    fn memory(&self) -> String {
        let mut text = String::new();
        for (id, buffer) in &self.loops.buffers {
            let (n, of) = (id.index(), rust_type(buffer.of));
            let length = added(&format!("w{}", buffer.size), buffer.margin[0] + buffer.margin[1]);
            let _ =
                writeln!(text, "    let s{n} = {length};\n    let zeros{n} = vec![0{of}; s{n} as usize];");
            if buffer.image.is_none() {
                let (layers, depth) = (self.loops.layers(buffer), buffer.rows());
                let _ =
                    writeln!(text, "    let mut b{n} = vec![0{of}; (s{n} * {layers} * {depth}) as usize];");
            }
        }
        for unit in &self.loops.units {
            match &unit.work {
                Work::Rows(Target::Value(id), Kind::Folds(Fold::ArgumentOfMinimum, _, of), _) => {
                    let _ = writeln!(
                        text,
                        "    let mut best{0} = vec![0{1}; s{0} as usize];",
                        id.index(),
                        rust_type(*of)
                    );
                }
                Work::Region(number) => {
                    let layers = self.loops.layers(&self.loops.buffers[&self.loops.output_of(*number)]);
                    for ring in &self.loops.regions[*number].rings {
                        let more = i64::from(ring.excess) + unit.margin[0] + unit.margin[1];
                        let _ = writeln!(
                            text,
                            "    let mut g{number}_{} = vec![vec![0{}; ({}) as usize]; {}];",
                            ring.step,
                            rust_type(ring.storage),
                            added(&format!("w{}", unit.size), more),
                            layers * i64::from(ring.depth)
                        );
                    }
                }
                _ => {}
            }
        }
        text
    }

    /// A loop over steps.
    fn phase(&self, phase: usize, is_last: bool) -> String {
        let (units, first) = self.loops.phase(phase);
        let [from, end] = if is_last { ["y0", "y1"] } else { ["0", "height"] };
        let mut text = String::new();
        for (number, [_, along]) in self.loops.rates.iter().enumerate() {
            let (up, down) = (along.numerator(), along.denominator());
            let _ = writeln!(
                text,
                "    let f{number} = {from} * {up} / {down};\n    let r{number} = {end} * {up} / {down} - f{number};"
            );
        }
        let period = self.loops.period;
        let _ = writeln!(text, "    for s in {first}..({end} - {from}) / {period} {{");
        units.iter().for_each(|unit| text += &self.unit(unit));
        text + "    }\n"
    }

    /// The rows of a loop at a step.
    fn unit(&self, unit: &Unit) -> String {
        let Unit { size, margin: [.., north, south], warm, lead, .. } = unit;
        let rows = self.loops.rows_of_step(*size);
        let step = format!("{rows} * s");
        let mut text = format!(
            "        for y in ({}).max({})..({}).min({}) {{\n",
            added(&step, *lead),
            warm - north,
            added(&step, lead + rows),
            added(&format!("r{size}"), *south)
        );
        let mut open = 1;
        for id in &unit.variables {
            text += &self.variable_loop(*id);
            open += 1;
        }
        if unit.planes > 1 {
            let _ = writeln!(text, "            for z in 0..{}isize {{", unit.planes);
            open += 1;
        }
        text += &match &unit.work {
            Work::Copy(copied) => self.copy(unit, copied),
            Work::Region(number) => self.region(unit, *number),
            Work::Rows(target, kind, bodies) => self.rows(unit, target, kind, bodies),
        };
        text + &format!("        {}\n", "}".repeat(open))
    }

    fn variable_loop(&self, id: VariableId) -> String {
        let variable = &self.loops.compiled.pipeline.variables[id.0];
        format!("            for d{} in {}i32..{} {{\n", id.0, variable.first, variable.end)
    }

    /// The columns of a row that is written: from a place in the row, n of them.
    fn to(&self, id: NodeId, y: &str, (first, n): (i64, &str)) -> String {
        let plane = if self.loops.buffers[&id].planes > 1 {
            format!(" + z * s{}", id.index())
        } else {
            String::new()
        };
        let start = self.west(id) + first;
        format!("&mut b{}[({}{plane} + {start}) as usize..][..({n}) as usize]", id.index(), self.place(id, y))
    }

    fn copy(&self, unit: &Unit, copied: &Copied) -> String {
        let all = added(&format!("w{}", unit.size), unit.margin[0] + unit.margin[1]);
        let to = self.to(copied.to, "y", (-unit.margin[0], &all));
        let (size, row) = match copied.from {
            Picture::Input(index) => {
                let name = &self.loops.ports.inputs[index];
                (unit.size, format!("in_{name}[v as usize * in_{name}_stride..]"))
            }
            Picture::Value(id) => {
                let size = self.loops.buffers[&id].size;
                (size, format!("{}[{}..]", self.row(id, &format!("(v - f{size})"), 0), self.west(id)))
            }
        };
        let place = inside(copied.border, &format!("y + f{size}"), &format!("h{size}"));
        let call = format!("{}({to}, &{row}[..w{size} as usize]);", unit.name);
        let text = match copied.border {
            Border::Constant(_) => format!(
                "if v >= 0 && v < h{size} {{\n                {call}\n            }} else {{\n                ({to}).fill({});\n            }}",
                self.number(copied.outside, self.loops.buffers[&copied.to].of)
            ),
            _ => call,
        };
        format!("            let v = {place};\n            {text}\n")
    }

    fn rows(&self, unit: &Unit, target: &Target, kind: &Kind, bodies: &[Body]) -> String {
        let n = unit.columns();
        let output = |number: usize| {
            let name = &self.loops.ports.outputs[number];
            format!("&mut out_{name}[y as usize * out_{name}_stride..][..({n}) as usize]")
        };
        match (kind, target) {
            (Kind::Cells([p, q]), Target::Value(id)) => {
                let one = |(j, body): (usize, &Body)| {
                    let y = added(&format!("{q} * y"), j as i64);
                    let to = self.to(*id, &y, (body.first * i64::from(*p), &format!("{p} * ({n})")));
                    self.call(unit, &format!("_{j}"), body, [&to, "y", &n])
                };
                bodies.iter().enumerate().map(one).collect()
            }
            (Kind::Counts([p, q]), Target::Value(id)) => {
                let (k, planes) = (id.index(), self.loops.buffers[id].planes);
                let row =
                    format!("&mut b{k}[({}) as usize..][..({planes} * s{k}) as usize]", self.place(*id, "y"));
                let pixels = format!("{p} * ({n})");
                let to = format!("{row}, s{k} as usize, ({pixels}) as usize");
                format!(
                    "            ({row}).fill(0);\n            for j in 0..{q}isize {{\n    {}            }}\n",
                    self.call(unit, "", &bodies[0], [&to, &format!("({q} * y + j)"), &pixels])
                )
            }
            (Kind::Folds(fold, own, folded), Target::Value(id)) => {
                self.folds(unit, *id, (*fold, own, *folded), &bodies[0])
            }
            (Kind::Continued(border), Target::Value(id)) => {
                let (size, [west, ..], name) = (unit.size, unit.margin, &unit.name);
                let place = inside(*border, &format!("y + f{size}"), &format!("h{size}"));
                let whole = self.to(*id, "y", (-west, &n));
                let arguments = self.arguments(&bodies[0], ["y", "v", &format!("w{size}")]);
                format!(
                    "            let v = {place};\n            let row = {whole};\n            \
                     {name}(&mut row[{west}..][..w{size} as usize]{arguments});\n            {name}_edges(row, w{size});\n"
                )
            }
            (_, Target::Value(id)) => {
                self.call(unit, "", &bodies[0], [&self.to(*id, "y", (bodies[0].first, &n)), "y", &n])
            }
            (_, Target::Output(number)) => self.call(unit, "", &bodies[0], [&output(*number), "y", &n]),
        }
    }

    /// The call of a function of a loop: what it is given first, the row, the number of columns.
    fn call(&self, unit: &Unit, suffix: &str, body: &Body, [to, y, n]: [&str; 3]) -> String {
        let of_picture = y.replace('y', &format!("(y + f{})", unit.size));
        let arguments = self.arguments(body, [y, &of_picture, n]);
        format!("            {}{suffix}({to}{arguments});\n", unit.name)
    }

    fn folds(
        &self,
        unit: &Unit,
        id: NodeId,
        (fold, own, folded): (Fold, &[VariableId], Storage),
        body: &Body,
    ) -> String {
        let (of, n) = (self.loops.buffers[&id].of, unit.columns());
        let to = self.to(id, "y", (-unit.margin[0], &n));
        let start = self.loops.start_of_fold(fold, own, of);
        let start = start.map_or_else(|| "-0.0".to_owned(), |value| self.number(value, of));
        let (mut text, mut given) = (format!("            ({to}).fill({start});\n"), to);
        if fold == Fold::ArgumentOfMinimum {
            let (best, most) = (format!("best{}", id.index()), self.number(limits(folded)[1], folded));
            let _ = writeln!(text, "            {best}.fill({most});");
            let _ = write!(given, ", &mut {best}, d{}", own[0].0);
        }
        own.iter().for_each(|id| text += &self.variable_loop(*id));
        let call = self.call(unit, "", body, [&given, "y", &n]);
        format!("{text}{call}            {}\n", "}".repeat(own.len()))
    }

    /// The passes of a region for its row t.
    fn region(&self, unit: &Unit, number: usize) -> String {
        let [west, east, north, south] = unit.margin;
        let mut text = format!(
            "            let (t, rows, columns) = ({}, {}, {});\n",
            added("y", north),
            added(&format!("r{}", unit.size), north + south),
            added(&format!("w{}", unit.size), west + east)
        );
        for pass in &self.loops.regions[number].passes {
            text += &self.pass(unit, number, pass);
        }
        text
    }

    fn pass(&self, unit: &Unit, number: usize, pass: &Pass) -> String {
        let t = |by: i32| added("t", by);
        let reads: String =
            pass.reads.iter().map(|row| format!(", &{}", self.source(unit, number, (pass, row)))).collect();
        let name = format!("{}::{}", unit.name, pass.name);
        match &pass.target {
            Written::Output(index, _) => {
                let id = self.loops.compiled.values.regions[number].outputs[*index];
                let to = self.to(id, "y", (-unit.margin[0], "columns"));
                format!("            if t >= 0 {{\n                {name}({to}{reads});\n            }}\n")
            }
            Written::Step { row, .. } => {
                let Place::Ring { step, .. } = row.place else { unreachable!("steps are written to rings") };
                let (ring, behind) = (format!("g{number}_{step}"), pass.behind());
                format!(
                    "            if {} >= 0 && {} < rows {{
                let slot = {};
                let mut o = std::mem::take(&mut {ring}[slot]);
                {name}(&mut o[{}..][..({}) as usize]{reads});
                {ring}[slot] = o;
            }}
",
                    t(pass.lead - pass.rows[0]),
                    t(pass.lead - pass.rows[1]),
                    self.slot(number, row, pass.lead),
                    row.start - behind,
                    added("columns", pass.more + behind)
                )
            }
        }
    }

    /// The index of a row in its ring, for a pass `lead` rows ahead of the output.
    fn slot(&self, number: usize, row: &Row, lead: i32) -> String {
        let layer = self.loops.layer_number(self.loops.output_of(number), CASTS);
        let layer = if layer.is_empty() { "0" } else { &layer };
        match row.place {
            Place::Ring { depth: 1, .. } | Place::Image { .. } => format!("({layer}) as usize"),
            Place::Ring { phase, depth, .. } => {
                format!("({layer} * {depth} + ({}) % {depth}) as usize", added("t", lead + phase))
            }
        }
    }

    /// The values of a row that a pass reads.
    fn source(&self, unit: &Unit, number: usize, (pass, row): (&Pass, &Row)) -> String {
        let length = added("columns", row.more + pass.more);
        match row.place {
            Place::Ring { step, .. } => {
                format!(
                    "g{number}_{step}[{}][{}..][..({length}) as usize]",
                    self.slot(number, row, pass.lead),
                    row.start
                )
            }
            Place::Image { channel, down, north } => {
                let rows = &self.loops.regions[number];
                let id = self.loops.compiled.values.regions[number].sources[channel];
                let start =
                    i64::from(row.start) - unit.margin[0] - i64::from(rows.plan.reach[0]) + self.west(id);
                let source = self.row(id, &added("y", pass.lead + down), 0);
                let part = format!("[{start}..][..({length}) as usize]");
                if rows.zeros {
                    let first = added("t", pass.lead + down - north);
                    format!("(if {first} < 0 {{ &zeros{}{part} }} else {{ &{source}{part} }})", id.index())
                } else {
                    source + &part
                }
            }
        }
    }
}

/// The function that continues a row.
fn edges_function(unit: &Unit, of: Storage, border: Border) -> String {
    let of = rust_type(of);
    let margins = margins(unit, border, |place| format!("o[{} + ({place})]", unit.margin[0]));
    format!(
        "    fn {}_edges(o: &mut [{of}], w: isize) {{\n        let w = w as usize;\n{margins}    }}\n",
        unit.name
    )
}

/// The statements that give the columns beyond a row of w pixels their values. Where margins are less than that, no place is looked
/// for.
fn margins(unit: &Unit, border: Border, of: impl Fn(&str) -> String) -> String {
    let [west, east, ..] = unit.margin;
    let loops = |values: [String; 2], indent: &str| {
        zip([(west, format!("{west} - 1 - i")), (east, format!("{west} + w + i"))], values)
            .filter(|((margin, _), _)| *margin > 0)
            .map(|((margin, place), value)| {
                format!("{indent}for i in 0..{margin} {{\n{indent}    o[{place}] = {value};\n{indent}}}\n")
            })
            .collect::<String>()
    };
    if [west, east] == [0, 0] {
        return String::new();
    }
    let Some(near) = beyond(border) else { return loops([of(""), of("")], "        ") };
    let far = ["-1 - i as isize", "(w + i) as isize"]
        .map(|i| format!("{} as usize", inside(border, i, "w as isize")));
    format!(
        "        if w > {} {{\n{}        }} else {{\n{}        }}\n",
        west.max(east),
        loops(near.map(&of), "            "),
        loops(far.map(|place| of(&place)), "            ")
    )
}
