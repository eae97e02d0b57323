//! C99: one function without dependencies, row by row, with delay lines in memory of the caller's.

use std::fmt::{self, Write};

use super::emit::{Code, RowRead, Scaling, Windows, ending, identifier};
use super::{Border, CodeOptions, Fold, Plan, Step, Storage, Term};
use crate::algebra::Offset;

/// The plan as a function of its inputs, outputs, the size of the inputs and memory for delay lines.
pub fn c(plan: &Plan, options: CodeOptions) -> String {
    let mut emitter = Emitter { code: Code::new(plan, options), out: String::new() };
    // Writing to a text cannot fail.
    let _ = emitter.function();
    emitter.out
}

fn type_name(storage: Storage) -> String {
    match (storage.float, storage.bits) {
        (true, 32) => "float".to_owned(),
        (true, _) => "double".to_owned(),
        (false, bits) => format!("{}int{bits}_t", if storage.signed { "" } else { "u" }),
    }
}

struct Emitter<'a> {
    code: Code<'a>,
    out: String,
}

impl Emitter<'_> {
    fn function(&mut self) -> fmt::Result {
        let plan = self.code.plan;
        let name = identifier(&plan.name);
        let pixel = type_name(plan.pixel.storage());
        let inputs = plan.inputs.iter().map(|input| format!("const {pixel} *restrict in_{}", ending(input)));
        let outputs =
            plan.outputs.iter().map(|output| format!("{pixel} *restrict out_{}", ending(&output.name)));
        let mut parameters: Vec<String> = inputs.chain(outputs).collect();
        parameters.push("ptrdiff_t width, ptrdiff_t height, void *work".to_owned());
        let [columns, rows] = self.code.lost();
        let CodeOptions { border, overflow } = self.code.options;
        writeln!(self.out, "#include <stddef.h>\n#include <stdint.h>\n")?;
        writeln!(
            self.out,
            "/* {name}: images of width x height pixels, row by row from the north; beyond them: {};",
            border.name()
        )?;
        writeln!(
            self.out,
            "   results of (width - {columns}) x (height - {rows}) pixels; what does not fit: {}.",
            overflow.name()
        )?;
        writeln!(
            self.out,
            "   Returns how many bytes `work` must have, aligned as for malloc; with a null pointer it does nothing else. */"
        )?;
        writeln!(self.out, "size_t {name}({})\n{{", parameters.join(", "))?;
        writeln!(self.out, "    const ptrdiff_t columns = width - {columns}, rows = height - {rows};")?;
        let buffers = self.code.buffers();
        let bytes: Vec<String> = buffers
            .iter()
            .map(|b| {
                format!(
                    "(size_t)(columns + {}) * {}",
                    b.excess,
                    i64::from(b.depth) * b.storage.bytes() as i64
                )
            })
            .collect();
        writeln!(self.out, "    if (columns <= 0 || rows <= 0) return 0;")?;
        writeln!(self.out, "    const size_t bytes = {};", bytes.join(" + "))?;
        writeln!(self.out, "    if (work == NULL) return bytes;")?;
        writeln!(self.out, "    unsigned char *place = work;")?;
        writeln!(self.out, "    for (size_t i = 0; i < bytes; i++) place[i] = 0;")?;
        for (buffer, bytes) in buffers.iter().zip(&bytes) {
            let of = type_name(buffer.storage);
            writeln!(self.out, "    {of} *const {} = ({of} *)place; place += {bytes};", buffer.name)?;
        }
        writeln!(self.out, "    for (ptrdiff_t t = {}; t < rows; t++) {{", self.code.layout.first_row())?;
        for number in 0..plan.steps.len() {
            self.step(number)?;
        }
        for number in 0..plan.outputs.len() {
            self.output(number)?;
        }
        writeln!(self.out, "    }}\n    return bytes;\n}}")
    }

    /// Declares the rows that a reader needs, as `a0`, `a1`, …; the row that is written is `s`.
    fn rows(&mut self, reads: &[RowRead]) -> fmt::Result {
        for (index, read) in reads.iter().enumerate().filter(|(_, read)| !read.own) {
            let of = type_name(self.code.plan.storage[read.source]);
            let (source, excess) = (read.source, self.code.excess(read.source));
            let row = slot(read.phase, self.code.layout.depths[source]);
            writeln!(
                self.out,
                "            const {of} *restrict const a{index} = n{source} + {row} * (columns + {excess});"
            )?;
        }
        Ok(())
    }

    fn step(&mut self, number: usize) -> fmt::Result {
        let plan = self.code.plan;
        let extent = self.code.layout.extents[number];
        let of = type_name(plan.storage[number]);
        writeln!(self.out, "        {{ /* {} */", plan.listing()[number])?;
        writeln!(self.out, "            const ptrdiff_t r = t + {};", self.code.layout.leads[number])?;
        writeln!(self.out, "            if (r >= {} && r < rows + {}) {{", extent.north, extent.south)?;
        let own = self.code.row(Some(number), number, [0; 3]);
        let row = slot(own.phase, self.code.layout.depths[number]);
        let restrict =
            if matches!(&plan.steps[number], Step::Fold { back: Some(_), .. }) { "" } else { "restrict " };
        let excess = self.code.excess(number);
        writeln!(
            self.out,
            "            {of} *{restrict}const s = n{number} + {row} * (columns + {excess});"
        )?;
        match &plan.steps[number] {
            Step::Input(channel) => self.input(number, *channel)?,
            Step::Fold { terms, back } => self.fold(number, terms, *back)?,
            Step::Window { source, step, length } if step[0] != 0 => self.flat(number, *source, *length)?,
            Step::Window { source, length, .. } => self.tall(number, *source, *length)?,
        }
        writeln!(self.out, "            }}\n        }}")
    }

    /// A row of an input, with what is beyond the image.
    fn input(&mut self, number: usize, channel: usize) -> fmt::Result {
        let extent = self.code.layout.extents[number];
        let [column, row] = self.code.corner();
        let from = format!("in_{}", ending(&self.code.plan.inputs[channel]));
        let border = self.code.options.border;
        let base = -extent.base;
        let nothing = matches!(border, Border::Valid | Border::Zero);
        writeln!(self.out, "            ptrdiff_t y = r + {row}, x = {};", extent.west)?;
        self.folded("y", "height", "            ")?;
        let (indent, inside) =
            if nothing { ("                ", "y >= 0 && y < height") } else { ("            ", "") };
        if nothing {
            writeln!(self.out, "            if (!({inside})) {{")?;
            writeln!(
                self.out,
                "                for (; x < columns + {}; x++) s[x + {base}] = 0;",
                extent.east
            )?;
            writeln!(self.out, "            }} else {{")?;
        }
        let pixel = type_name(self.code.plan.pixel.storage());
        writeln!(self.out, "{indent}const {pixel} *restrict const from = {from} + y * width;")?;
        for (condition, edge) in [
            (format!("x + {column} < 0 && x < columns + {}", extent.east), true),
            (format!("x + {column} < width && x < columns + {}", extent.east), false),
            (format!("x < columns + {}", extent.east), true),
        ] {
            if !edge {
                writeln!(self.out, "{indent}for (; {condition}; x++) s[x + {base}] = from[x + {column}];")?;
            } else if nothing {
                writeln!(self.out, "{indent}for (; {condition}; x++) s[x + {base}] = 0;")?;
            } else {
                writeln!(self.out, "{indent}for (; {condition}; x++) {{")?;
                writeln!(self.out, "{indent}    ptrdiff_t u = x + {column};")?;
                self.folded("u", "width", &format!("{indent}    "))?;
                writeln!(self.out, "{indent}    s[x + {base}] = from[u];\n{indent}}}")?;
            }
        }
        if nothing { writeln!(self.out, "            }}") } else { Ok(()) }
    }

    /// Brings an index into the image.
    fn folded(&mut self, index: &str, size: &str, indent: &str) -> fmt::Result {
        match self.code.options.border {
            Border::Valid | Border::Zero => Ok(()),
            Border::Replicate => {
                writeln!(
                    self.out,
                    "{indent}{index} = {index} < 0 ? 0 : {index} >= {size} ? {size} - 1 : {index};"
                )
            }
            Border::Wrap => writeln!(self.out, "{indent}{index} = ({index} % {size} + {size}) % {size};"),
            Border::Reflect => {
                writeln!(
                    self.out,
                    "{indent}while ({index} < 0 || {index} >= {size}) {index} = {index} < 0 ? -1 - {index} : 2 * {size} - 1 - {index};"
                )
            }
            Border::Reflect101 => {
                writeln!(self.out, "{indent}if ({size} == 1) {index} = 0;")?;
                writeln!(
                    self.out,
                    "{indent}while ({index} < 0 || {index} >= {size}) {index} = {index} < 0 ? -{index} : 2 * {size} - 2 - {index};"
                )
            }
        }
    }

    fn fold(&mut self, number: usize, terms: &[Term], back: Option<Offset>) -> fmt::Result {
        let mut reads: Vec<RowRead> = Vec::new();
        let mut values: Vec<(String, i64)> = Vec::new();
        let (at_hand, operands) = self.code.reads(number, terms, back);
        for (source, offset, weight) in operands {
            let read = self.code.row(Some(number), source, offset);
            let index = reads.iter().position(|known| *known == read).unwrap_or_else(|| {
                reads.push(read.clone());
                reads.len() - 1
            });
            let row = if read.own { "s".to_owned() } else { format!("a{index}") };
            values.push((format!("{row}[x + {}]", self.code.column(source, offset)), weight));
        }
        self.rows(&reads)?;
        let extent = self.code.layout.extents[number];
        let working = type_name(self.code.working());
        let of = type_name(self.code.plan.storage[number]);
        let place = format!("s[x + {}]", -extent.base);
        let head = format!("for (ptrdiff_t x = {}; x < columns + {}; x++)", extent.west, extent.east);
        if self.code.plan.fold == Fold::Sum {
            let sum = sum(&values, &working);
            if at_hand {
                writeln!(self.out, "            {working} v = 0;")?;
                return writeln!(self.out, "            {head} {{ v += {sum}; {place} = ({of})v; }}");
            }
            return writeln!(self.out, "            {head} {place} = ({of})({sum});");
        }
        writeln!(self.out, "            {head} {{")?;
        let least = self.code.plan.pixel.range()[0];
        for (index, (value, weight)) in values.iter().enumerate() {
            let added = if *weight == 0 { String::new() } else { format!(" + ({weight})") };
            let value = format!("({working}){value}{added}");
            match (index, self.keep("u", "v")) {
                (0, _) => writeln!(self.out, "                {working} v = {value};")?,
                (_, keep) => writeln!(self.out, "                {{ const {working} u = {value}; {keep} }}")?,
            }
        }
        if values.is_empty() {
            writeln!(self.out, "                const {working} v = {least};")?;
        }
        writeln!(self.out, "                {place} = ({of})v;\n            }}")
    }

    /// The statement that folds `new` into `old`.
    fn keep(&self, new: &str, old: &str) -> String {
        match self.code.plan.fold {
            Fold::Sum => format!("{old} += {new};"),
            Fold::Greatest => format!("if ({new} > {old}) {old} = {new};"),
            Fold::Least => format!("if ({new} < {old}) {old} = {new};"),
            Fold::Either => format!("{old} |= {new};"),
        }
    }

    /// Van Herk's windows along a row: prefixes and suffixes of blocks of `length`.
    fn flat(&mut self, number: usize, source: usize, length: usize) -> fmt::Result {
        let read = self.code.row(Some(number), source, [0; 3]);
        self.rows(std::slice::from_ref(&read))?;
        let of = type_name(self.code.plan.storage[number]);
        let Windows { from, count, last, place, .. } = self.code.windows(number, source, [1, 0, 0], length);
        let keep = self.keep("u", "v");
        let out = &mut self.out;
        writeln!(out, "            const ptrdiff_t count = columns + {count};")?;
        writeln!(out, "            for (ptrdiff_t b = 0; b < count; b += {length}) {{")?;
        writeln!(out, "                const ptrdiff_t e = b + {length} < count ? b + {length} : count;")?;
        writeln!(out, "                {of} v = a0[b + {from}];")?;
        writeln!(
            out,
            "                for (ptrdiff_t i = b; i < e; i++) {{ const {of} u = a0[i + {from}]; {keep} g{number}[i] = v; }}"
        )?;
        writeln!(out, "                v = a0[e - 1 + {from}];")?;
        writeln!(
            out,
            "                for (ptrdiff_t i = e - 1; i >= b; i--) {{ const {of} u = a0[i + {from}]; {keep} h{number}[i] = v; }}"
        )?;
        writeln!(out, "            }}")?;
        writeln!(out, "            for (ptrdiff_t i = 0; i < count - {last}; i++) {{")?;
        writeln!(
            out,
            "                {of} v = h{number}[i]; const {of} u = g{number}[i + {last}]; {keep} s[i + {place}] = v;"
        )?;
        writeln!(out, "            }}")
    }

    /// The same down a column: suffixes of the block before, and the prefix of the present one.
    fn tall(&mut self, number: usize, source: usize, length: usize) -> fmt::Result {
        let read = self.code.row(Some(number), source, [0; 3]);
        self.rows(std::slice::from_ref(&read))?;
        let extent = self.code.layout.extents[number];
        let of = type_name(self.code.plan.storage[number]);
        let Windows { from, base, last, .. } = self.code.windows(number, source, [0, 1, 0], length);
        let row = format!("(columns + {})", self.code.excess(number));
        let keep = self.keep("u", "v");
        let head = format!("for (ptrdiff_t x = {}; x < columns + {}; x++)", extent.west, extent.east);
        let first = extent.north;
        let out = &mut self.out;
        writeln!(out, "            const ptrdiff_t j = (r - ({first})) % {length};")?;
        writeln!(out, "            {of} *const raw = h{number} + j * {row};")?;
        writeln!(out, "            {head} {{")?;
        writeln!(
            out,
            "                const {of} u = a0[x + {from}]; {of} v = j == 0 ? u : g{number}[x + {base}]; {keep}"
        )?;
        writeln!(out, "                raw[x + {base}] = u; g{number}[x + {base}] = v;\n            }}")?;
        writeln!(out, "            if (j == {last}) {{")?;
        writeln!(out, "                for (ptrdiff_t k = {last}; k-- > 0;) {{")?;
        writeln!(
            out,
            "                    {of} *const low = h{number} + k * {row}; const {of} *const high = low + {row};"
        )?;
        writeln!(
            out,
            "                    {head} {{ {of} v = low[x + {base}]; const {of} u = high[x + {base}]; {keep} low[x + {base}] = v; }}\n                }}"
        )?;
        writeln!(out, "                {head} s[x + {base}] = h{number}[x + {base}];")?;
        writeln!(out, "            }} else if (r - ({first}) < {length}) {{")?;
        writeln!(out, "                {head} s[x + {base}] = g{number}[x + {base}];")?;
        writeln!(out, "            }} else {{")?;
        writeln!(out, "                const {of} *const before = raw + {row};")?;
        writeln!(
            out,
            "                {head} {{ {of} v = before[x + {base}]; const {of} u = g{number}[x + {base}]; {keep} s[x + {base}] = v; }}\n            }}"
        )
    }

    /// A row of an output: scaled, rounded, and brought into the range of pixels.
    fn output(&mut self, number: usize) -> fmt::Result {
        let plan = self.code.plan;
        let output = &plan.outputs[number];
        let pixel = plan.pixel;
        let name = format!("out_{}", ending(&output.name));
        let read = self.code.row(None, output.source, output.offset);
        let storage = plan.storage[output.source];
        let of = type_name(storage);
        let row = slot(read.phase, self.code.layout.depths[output.source]).replace('r', "t");
        let excess = self.code.excess(output.source);
        let value = format!("s[x + {}]", self.code.column(output.source, output.offset));
        let out = &mut self.out;
        writeln!(out, "        if (t >= 0) {{ /* {} */", output.name)?;
        writeln!(
            out,
            "            const {of} *restrict const s = n{} + {row} * (columns + {excess});",
            output.source
        )?;
        writeln!(
            out,
            "            {} *restrict const to = {name} + t * columns;",
            type_name(pixel.storage())
        )?;
        writeln!(out, "            for (ptrdiff_t x = 0; x < columns; x++) {{")?;
        if pixel.float {
            let scaled = self.code.scaled_real(number, &value);
            return writeln!(out, "                to[x] = (float)({scaled});\n            }}\n        }}");
        }
        let wide = self.code.is_wide(number);
        let working = if wide { "int64_t" } else { "int32_t" };
        let Scaling { up, down, added, negative, limits, .. } = self.code.scaling(number);
        let factor = if up == 1 { String::new() } else { format!(" * ({up})") };
        let added = if added == 0 { String::new() } else { format!(" + ({added})") };
        writeln!(out, "                {working} v = ({working}){value}{factor}{added};")?;
        if down > 1 {
            writeln!(
                out,
                "                v = v / {down}{};",
                if negative { format!(" - (v % {down} < 0)") } else { String::new() }
            )?;
        }
        if let Some([least, greatest]) = limits {
            let least = if least == -(1 << 31) { "INT32_MIN".to_owned() } else { least.to_string() };
            writeln!(out, "                v = v < {least} ? {least} : v > {greatest} ? {greatest} : v;")?;
        }
        writeln!(
            out,
            "                to[x] = ({})v;\n            }}\n        }}",
            type_name(pixel.storage())
        )
    }
}

/// A row of a buffer, for row r of a reader.
fn slot(phase: i32, depth: i32) -> String {
    if depth == 1 { "0".to_owned() } else { format!("((r + {phase}) % {depth})") }
}

/// A sum of weighted values.
fn sum(values: &[(String, i64)], working: &str) -> String {
    let mut text = String::new();
    let suffix = if working == "double" { ".0" } else { "u" };
    for (value, weight) in values {
        let sign = match (*weight < 0, text.is_empty()) {
            (true, true) => "0 - ",
            (true, false) => " - ",
            (false, true) => "",
            (false, false) => " + ",
        };
        let factor = match weight.unsigned_abs() {
            1 => String::new(),
            factor => format!("{factor}{suffix} * "),
        };
        let _ = write!(text, "{sign}{factor}({working}){value}");
    }
    if text.is_empty() { "0".to_owned() } else { text }
}
