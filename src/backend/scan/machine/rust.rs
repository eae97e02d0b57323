//! Safe Rust: one function without dependencies, row by row, with delay lines of its own.

use std::fmt::{self, Write};

use super::emit::{Code, Scaling, Windows, ending, identifier};
use super::{Border, CodeOptions, Fold, Plan, Step, Storage, Term};
use crate::algebra::Offset;

/// The plan as a function of its inputs, outputs and the size of the inputs.
pub fn rust(plan: &Plan, options: CodeOptions) -> String {
    let mut emitter = Emitter { code: Code::new(plan, options), out: String::new() };
    // Writing to a text cannot fail.
    let _ = emitter.function();
    emitter.out
}

fn type_name(storage: Storage) -> String {
    let kind = match (storage.float, storage.signed) {
        (true, _) => "f",
        (false, true) => "i",
        (false, false) => "u",
    };
    format!("{kind}{}", storage.bits)
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
        let inputs = plan.inputs.iter().map(|input| format!("in_{}: &[{pixel}]", ending(input)));
        let outputs =
            plan.outputs.iter().map(|output| format!("out_{}: &mut [{pixel}]", ending(&output.name)));
        let parameters: Vec<String> = inputs.chain(outputs).collect();
        let [columns, rows] = self.code.lost();
        let CodeOptions { border, overflow } = self.code.options;
        let out = &mut self.out;
        writeln!(
            out,
            "/// {name}: images of width × height pixels, row by row from the north; beyond them: {};",
            border.name()
        )?;
        writeln!(
            out,
            "/// results of (width - {columns}) × (height - {rows}) pixels; what does not fit: {}.",
            overflow.name()
        )?;
        writeln!(out, "#[allow(clippy::all, unused_parens, unused_mut, unused_variables)]")?;
        writeln!(out, "pub fn {name}({}, width: usize, height: usize) {{", parameters.join(", "))?;
        writeln!(out, "    let (width, height) = (width as isize, height as isize);")?;
        writeln!(out, "    let (columns, rows) = (width - {columns}, height - {rows});")?;
        writeln!(out, "    if columns <= 0 || rows <= 0 {{\n        return;\n    }}")?;
        for buffer in self.code.buffers() {
            let zero = if buffer.storage.float { "0.0" } else { "0" };
            let of = type_name(buffer.storage);
            writeln!(
                out,
                "    let mut {} = vec![{zero}{of}; ((columns + {}) * {}) as usize];",
                buffer.name, buffer.excess, buffer.depth
            )?;
        }
        writeln!(out, "    for t in {}..rows {{", self.code.layout.first_row())?;
        for number in 0..plan.steps.len() {
            self.step(number)?;
        }
        for number in 0..plan.outputs.len() {
            self.output(number)?;
        }
        writeln!(self.out, "    }}\n}}")
    }

    /// Where in its buffer a row begins that a reader finds at an offset.
    fn row(&self, reader: Option<usize>, source: usize, offset: Offset) -> String {
        let read = self.code.row(reader, source, offset);
        let depth = self.code.layout.depths[source];
        let row = if reader.is_some() { "r" } else { "t" };
        if depth == 1 {
            return "0".to_owned();
        }
        format!("(({row} + {}) % {depth}) * (columns + {})", read.phase, self.code.excess(source))
    }

    fn step(&mut self, number: usize) -> fmt::Result {
        let plan = self.code.plan;
        let extent = self.code.layout.extents[number];
        writeln!(self.out, "        // {}", plan.listing()[number])?;
        writeln!(self.out, "        let r = t + {};", self.code.layout.leads[number])?;
        writeln!(self.out, "        if r >= {} && r < rows + {} {{", extent.north, extent.south)?;
        let own = self.row(Some(number), number, [0; 3]);
        writeln!(self.out, "            let s = {own} + {};", -extent.base)?;
        match &plan.steps[number] {
            Step::Input(channel) => self.input(number, *channel)?,
            Step::Fold { terms, back } => self.fold(number, terms, *back)?,
            Step::Window { source, step, length } if step[0] != 0 => self.flat(number, *source, *length)?,
            Step::Window { source, length, .. } => self.tall(number, *source, *length)?,
        }
        writeln!(self.out, "        }}")
    }

    /// A row of an input, with what is beyond the image.
    fn input(&mut self, number: usize, channel: usize) -> fmt::Result {
        let extent = self.code.layout.extents[number];
        let [column, row] = self.code.corner();
        let from = format!("in_{}", ending(&self.code.plan.inputs[channel]));
        writeln!(self.out, "            let y = {};", self.folded(&format!("(r + {row})"), "height"))?;
        writeln!(self.out, "            for x in {}..columns + {} {{", extent.west, extent.east)?;
        writeln!(self.out, "                let u = x + {column};")?;
        let u = self.folded("u", "width");
        writeln!(self.out, "                let u = if u >= 0 && u < width {{ u }} else {{ {u} }};")?;
        let value = format!("{from}[(y * width + u) as usize]");
        let nothing = if self.code.plan.pixel.float { "0.0" } else { "0" };
        let value = match self.code.options.border {
            Border::Valid | Border::Zero => {
                format!("if y >= 0 && y < height && u >= 0 && u < width {{ {value} }} else {{ {nothing} }}")
            }
            _ => value,
        };
        writeln!(self.out, "                n{number}[(s + x) as usize] = {value};\n            }}")
    }

    /// An index brought into the image.
    fn folded(&self, index: &str, size: &str) -> String {
        match self.code.options.border {
            Border::Valid | Border::Zero => index.to_owned(),
            Border::Replicate => format!("{index}.clamp(0, {size} - 1)"),
            Border::Wrap => format!("{index}.rem_euclid({size})"),
            Border::Reflect => {
                format!("{{ let i = {index}.rem_euclid(2 * {size}); i.min(2 * {size} - 1 - i) }}")
            }
            Border::Reflect101 => {
                format!(
                    "{{ let p = (2 * {size} - 2).max(1); let i = {index}.rem_euclid(p); i.min(p - i).min({size} - 1) }}"
                )
            }
        }
    }

    fn fold(&mut self, number: usize, terms: &[Term], back: Option<Offset>) -> fmt::Result {
        let plan = self.code.plan;
        let (at_hand, reads) = self.code.reads(number, terms, back);
        let working = self.code.working();
        let name = type_name(working);
        let mut value = String::new();
        for (index, (source, offset, weight)) in reads.into_iter().enumerate() {
            let start = self.row(Some(number), source, offset);
            writeln!(self.out, "            let a{index} = {start} + {};", self.code.column(source, offset))?;
            let read = format!("n{source}[(a{index} + x) as usize] as {name}");
            value = if index == 0 { self.first(&read, weight) } else { self.next(&value, &read, weight) };
        }
        if value.is_empty() {
            let nothing = if plan.fold == Fold::Sum { 0 } else { plan.pixel.range()[0] };
            value = format!("({nothing} as {name})");
        }
        let extent = self.code.layout.extents[number];
        let of = type_name(plan.storage[number]);
        let head = format!("for x in {}..columns + {}", extent.west, extent.east);
        if at_hand {
            let zero = if working.float { "0.0" } else { "0" };
            let sum = if working.float { format!("v + {value}") } else { format!("v.wrapping_add({value})") };
            writeln!(self.out, "            let mut v = {zero}{name};")?;
            writeln!(self.out, "            {head} {{\n                v = {sum};")?;
            return writeln!(
                self.out,
                "                n{number}[(s + x) as usize] = v as {of};\n            }}"
            );
        }
        writeln!(self.out, "            {head} {{\n                let v = {value};")?;
        writeln!(self.out, "                n{number}[(s + x) as usize] = v as {of};\n            }}")
    }

    /// The first value of a fold, weighted.
    fn first(&self, read: &str, weight: i64) -> String {
        let float = self.code.working().float;
        match (self.code.plan.fold, weight, float) {
            (Fold::Sum, 1, _) | (Fold::Greatest | Fold::Least | Fold::Either, 0, _) => format!("({read})"),
            (Fold::Sum, _, true) => format!("({read}) * {weight}.0"),
            (Fold::Sum, _, false) => {
                let name = type_name(self.code.working());
                format!("({read}).wrapping_mul({weight}i64 as {name})")
            }
            (_, _, true) => format!("(({read}) + {weight}.0)"),
            (_, _, false) => format!("(({read}) + {weight})"),
        }
    }

    /// What has been folded, with one more value.
    fn next(&self, value: &str, read: &str, weight: i64) -> String {
        let float = self.code.working().float;
        let new = self.first(read, weight);
        match self.code.plan.fold {
            Fold::Sum if float => format!("{value} + {new}"),
            Fold::Sum if weight < 0 => {
                let less = self.first(read, -weight);
                format!("{value}.wrapping_sub({less})")
            }
            Fold::Sum => format!("{value}.wrapping_add({new})"),
            _ => self.keep(value, &new),
        }
    }

    /// The fold of two values that are no sums.
    fn keep(&self, old: &str, new: &str) -> String {
        match self.code.plan.fold {
            Fold::Either => format!("({old} | {new})"),
            Fold::Least => format!("{old}.min({new})"),
            _ => format!("{old}.max({new})"),
        }
    }

    /// Van Herk's windows along a row: prefixes and suffixes of blocks of `length`.
    fn flat(&mut self, number: usize, source: usize, length: usize) -> fmt::Result {
        let west = self.code.layout.extents[number].west;
        let Windows { from, count, last, .. } = self.code.windows(number, source, [1, 0, 0], length);
        let start = self.row(Some(number), source, [0; 3]);
        let keep = self.keep("v", &format!("n{source}[(a + i) as usize]"));
        let both = self.keep(&format!("h{number}[i as usize]"), &format!("g{number}[(i + {last}) as usize]"));
        let out = &mut self.out;
        writeln!(out, "            let a = {start} + {from};")?;
        writeln!(out, "            let count = columns + {count};")?;
        writeln!(out, "            let mut b = 0;\n            while b < count {{")?;
        writeln!(out, "                let e = (b + {length}).min(count);")?;
        writeln!(out, "                let mut v = n{source}[(a + b) as usize];")?;
        writeln!(
            out,
            "                for i in b..e {{\n                    v = {keep};\n                    g{number}[i as usize] = v;\n                }}"
        )?;
        writeln!(out, "                let mut v = n{source}[(a + e - 1) as usize];")?;
        writeln!(
            out,
            "                for i in (b..e).rev() {{\n                    v = {keep};\n                    h{number}[i as usize] = v;\n                }}"
        )?;
        writeln!(out, "                b = e;\n            }}")?;
        writeln!(out, "            for i in 0..count - {last} {{")?;
        writeln!(out, "                n{number}[(s + {west} + i) as usize] = {both};\n            }}")
    }

    /// The same down a column: suffixes of the block before, and the prefix of the present one.
    fn tall(&mut self, number: usize, source: usize, length: usize) -> fmt::Result {
        let extent = self.code.layout.extents[number];
        let start = self.row(Some(number), source, [0; 3]);
        let Windows { from: column, base, last, .. } = self.code.windows(number, source, [0, 1, 0], length);
        let prefix = self.keep("u", &format!("g{number}[x as usize]"));
        let suffix = self.keep(
            &format!("h{number}[(k * row + x) as usize]"),
            &format!("h{number}[((k + 1) * row + x) as usize]"),
        );
        let both =
            self.keep(&format!("h{number}[((j + 1) * row + x) as usize]"), &format!("g{number}[x as usize]"));
        let columns = format!("for x in {}..columns + {}", extent.west + base, extent.east + base);
        let place = format!("n{number}[(s + x - {base}) as usize]");
        let row = self.code.excess(number);
        let out = &mut self.out;
        writeln!(out, "            let (row, a) = (columns + {row}, {start} + {});", column - base)?;
        writeln!(out, "            let j = (r - ({})) % {length};", extent.north)?;
        writeln!(out, "            {columns} {{")?;
        writeln!(out, "                let u = n{source}[(a + x) as usize];")?;
        writeln!(out, "                h{number}[(j * row + x) as usize] = u;")?;
        writeln!(
            out,
            "                g{number}[x as usize] = if j == 0 {{ u }} else {{ {prefix} }};\n            }}"
        )?;
        writeln!(out, "            if j == {last} {{")?;
        writeln!(out, "                for k in (0..{last}).rev() {{\n                    {columns} {{")?;
        writeln!(
            out,
            "                        h{number}[(k * row + x) as usize] = {suffix};\n                    }}\n                }}"
        )?;
        writeln!(out, "            }}\n            {columns} {{")?;
        writeln!(
            out,
            "                {place} = if j == {last} {{\n                    h{number}[x as usize]"
        )?;
        writeln!(
            out,
            "                }} else if r - ({}) < {length} {{\n                    g{number}[x as usize]",
            extent.north
        )?;
        writeln!(
            out,
            "                }} else {{\n                    {both}\n                }};\n            }}"
        )
    }

    /// A row of an output: scaled, rounded, and brought into the range of pixels.
    fn output(&mut self, number: usize) -> fmt::Result {
        let plan = self.code.plan;
        let output = &plan.outputs[number];
        let pixel = plan.pixel;
        let start = self.row(None, output.source, output.offset);
        let column = self.code.column(output.source, output.offset);
        let read = format!("n{}[(s + x) as usize]", output.source);
        let place = format!("out_{}[(t * columns + x) as usize]", ending(&output.name));
        let out = &mut self.out;
        writeln!(out, "        if t >= 0 {{\n            let s = {start} + {column};")?;
        writeln!(out, "            for x in 0..columns {{")?;
        if pixel.float {
            let scaled = self.code.scaled_real(number, &format!("{read} as f64"));
            return writeln!(out, "                {place} = ({scaled}) as f32;\n            }}\n        }}");
        }
        let Scaling { up, down, added, modular, limits, .. } = self.code.scaling(number);
        let signed = if modular {
            format!("{read} as i{} as i64", plan.accumulator.bits)
        } else {
            format!("{read} as i64")
        };
        writeln!(out, "                let v = (({signed}) * {up} + {added}).div_euclid({down});")?;
        let limited = match limits {
            Some([least, greatest]) => format!("v.clamp({least}, {greatest})"),
            None => "v".to_owned(),
        };
        writeln!(
            out,
            "                {place} = {limited} as {};\n            }}\n        }}",
            type_name(pixel.storage())
        )
    }
}
