//! The Rust emitter: one safe function without dependencies, with a function for each of its loops inside.

use std::fmt::Write;
use std::iter::zip;

use super::c::near;
use super::finish::{Division, Finish};
use super::rows::{Group, Load, Pass, Place, Row, Rows, Target, Value, added};
use super::{Border, CodeOptions, Fold, Plan, Ports, Storage};
use crate::pipeline::Border as Continuation;

/// Returns the plan as a Rust function of its inputs, its outputs, the size of the inputs and a band of rows.
pub fn rust(plan: &Plan, options: CodeOptions) -> String {
    let rows = Rows::in_pairs(plan, options);
    Printer { rows: &rows }.function()
}

/// Returns the functions of the passes alone.
pub(in crate::backend::scan) fn rust_passes(rows: &Rows) -> String {
    let printer = Printer { rows };
    rows.passes.iter().map(|pass| printer.pass(pass)).collect()
}

/// The type of values of this storage.
pub(in crate::backend::scan) fn rust_type(storage: Storage) -> String {
    let kind = match (storage.float, storage.signed) {
        (true, _) => "f",
        (false, true) => "i",
        (false, false) => "u",
    };
    format!("{kind}{}", storage.bits)
}

fn constant(value: i64, storage: Storage) -> String {
    if storage.float { format!("{value}.0") } else { value.to_string() }
}

/// The parameters of a function of pictures whose pixels have these types.
pub(in crate::backend::scan) fn rust_parameters(
    ports: &Ports,
    [inputs, outputs]: [Vec<Storage>; 2],
) -> String {
    let inputs = zip(inputs, &ports.inputs)
        .map(|(of, name)| format!("in_{name}: &[{}], in_{name}_stride: usize, ", rust_type(of)));
    let outputs = zip(outputs, &ports.outputs)
        .map(|(of, name)| format!("out_{name}: &mut [{}], out_{name}_stride: usize, ", rust_type(of)));
    inputs.chain(outputs).collect()
}

struct Printer<'a> {
    rows: &'a Rows,
}

impl Printer<'_> {
    fn function(&self) -> String {
        let Rows { plan, ports, options, lost: [columns, rows], first_row, rings, zeros, .. } = self.rows;
        let name = ports.function(&plan.name);
        let pixel = rust_type(plan.pixel.storage());
        let parameters = rust_parameters(ports, self.rows.pixels());
        let mut buffers = String::new();
        for ring in rings {
            let (of, zero) = (rust_type(ring.storage), constant(0, ring.storage));
            let _ = writeln!(
                buffers,
                "    let mut n{} = vec![vec![{zero}{of}; (columns + {}) as usize]; {}];",
                ring.step, ring.excess, ring.depth
            );
        }
        if *zeros {
            let zero = constant(0, plan.pixel.storage());
            let _ = writeln!(buffers, "    let zeros = vec![{zero}{pixel}; width as usize];");
        }
        let [top, band] = if self.rows.has_table() { ["0", "y1"] } else { ["y0", "y1 - y0"] };
        let passes: String = self.rows.passes.iter().map(|pass| self.pass(pass)).collect();
        let calls: String = self.rows.passes.iter().map(|pass| self.call(pass)).collect();
        let bands = if self.rows.has_table() {
            "A sum over all pixels before needs the rows before y0: they are computed, too."
        } else {
            "Bands can be computed at the same time."
        };
        format!(
            "\
/// {name}: {}, row by row from the north; a stride is the number of pixels from row to row;
/// beyond them: {}; results of (width - {columns}) × (height - {rows}) pixels; what does not fit: {}.
/// Computes rows y0 to y1 - 1 of the results; `out_…` begins with row y0. {bands}
/// Does nothing if the image or the band is empty, or the band ends beyond the results.
#[allow(clippy::all, unused_parens, unused_mut, unused_variables)]
pub fn {name}({parameters}width: usize, height: usize, y0: usize, y1: usize) {{
{}{passes}    let (width, height) = (width as isize, height as isize);
    let (y0, y1) = (y0 as isize, y1 as isize);
    let columns = width - {columns};
    if {}columns <= 0 || y0 >= y1 || y1 > height - {rows} {{
        return;
    }}
{buffers}    let (top, rows) = ({top}, {band});
    for t in {first_row}..rows {{
{calls}    }}
}}
",
            options.images('×'),
            options.border.name(),
            options.overflow.name(),
            self.helpers(),
            options.misfit()
        )
    }

    /// The functions that all passes share.
    fn helpers(&self) -> String {
        let border = self.rows.options.border;
        let Some(place) = border.continuation().and_then(rust_inside) else { return String::new() };
        // Where the border is nearer than the width, no index is tested.
        let [west, east] = near(border);
        format!(
            "    /// The place of index i beyond n pixels.
    fn inside(i: isize, n: isize) -> isize {{
        {place}
    }}
    fn pad<T: Copy>(row: &mut [T], west: usize, east: usize) {{
        let n = row.len() - west - east;
        if west < n && east < n {{
            for i in 1..=west {{
                row[west - i] = row[west + {west}];
            }}
            for i in 1..=east {{
                row[west + n - 1 + i] = row[west + {east}];
            }}
        }} else {{
            for i in (0..west).chain(west + n..row.len()) {{
                row[i] = row[west + inside(i as isize - west as isize, n as isize) as usize];
            }}
        }}
    }}
"
        )
    }

    /// The function of a pass.
    fn pass(&self, pass: &Pass) -> String {
        let of = match &pass.target {
            Target::Step { row, .. } => rust_type(row.storage),
            Target::Output(_, finish) => rust_type(finish.pixel),
        };
        let rows: String = pass
            .reads
            .iter()
            .enumerate()
            .map(|(index, row)| format!(", a{index}: &[{}]", rust_type(row.storage)))
            .collect();
        let behind = pass.behind();
        let length = if behind == 0 { "o.len()".to_owned() } else { format!("o.len() - {behind}") };
        let mut slices = String::new();
        for (row, column) in pass.places() {
            let from = if column == 0 { String::new() } else { format!("[{column}..]") };
            let _ = writeln!(slices, "        let a{row}_{column} = &a{row}{from}[..n];");
        }
        let place = if behind == 0 { "x".to_owned() } else { format!("x + {behind}") };
        let body = match &pass.target {
            Target::Step { .. } if pass.continues => {
                let next = add("v", &self.value(pass, 0), pass.working);
                let zero = constant(0, pass.working);
                format!(
                    "        let mut v = {zero}{};\n        for x in 0..n {{\n            v = {next};\n            o[{place}] = v as {of};\n        }}\n",
                    rust_type(pass.working)
                )
            }
            Target::Step { .. } => self.rows_of(pass, &of, &place),
            Target::Output(_, finish) => {
                format!("        for x in 0..n {{\n{}        }}\n", self.finish(pass, finish, &of))
            }
        };
        let [second, slice] = match pass.second {
            Some(_) => [format!(", p: &mut [{of}]"), "        let p = &mut p[..n];\n".to_owned()],
            None => [String::new(), String::new()],
        };
        format!(
            "    /// {}\n    fn {}(o: &mut [{of}]{second}{rows}) {{\n        let n = {length};\n        let o = &mut o[..];\n{slice}{slices}{body}    }}\n",
            pass.comment, pass.name
        )
    }

    /// The loop that computes a row of a step, or two.
    fn rows_of(&self, pass: &Pass, of: &str, place: &str) -> String {
        let Some(second) = &pass.second else {
            let value = self.value(pass, 0);
            return format!(
                "        for x in 0..n {{\n            o[{place}] = {value} as {of};\n        }}\n"
            );
        };
        let common = pass.common();
        let shared = if common.is_empty() {
            String::new()
        } else {
            format!("            let s = {};\n", self.kept(&common, &[], pass))
        };
        let row = |value: &Value| match value {
            Value::Sum(groups) => sum(groups, pass, 0),
            Value::Keep(values) => self.kept(values, &common, pass),
        };
        format!(
            "        for x in 0..n {{\n{shared}            o[x] = {} as {of};\n            p[x] = {} as {of};\n        }}\n",
            row(&pass.value),
            row(second)
        )
    }

    fn value(&self, pass: &Pass, added: i64) -> String {
        match &pass.value {
            Value::Sum(groups) => sum(groups, pass, added),
            Value::Keep(values) => self.kept(values, &[], pass),
        }
    }

    /// A fold of values, of which those in `common` are known as `s`.
    fn kept(&self, values: &[(Load, i64)], common: &[(Load, i64)], pass: &Pass) -> String {
        let working = pass.working;
        let of = rust_type(working);
        let own = values.iter().filter(|value| !common.contains(value)).map(|(load, weight)| {
            let value = format!("({} as {of})", read(load, pass));
            match weight {
                0 => value,
                weight => format!("({})", add(&value, &constant(*weight, working), working)),
            }
        });
        let mut values = (!common.is_empty()).then(|| "s".to_owned()).into_iter().chain(own);
        let Some(first) = values.next() else {
            return format!(
                "({} as {of})",
                constant(self.rows.plan.fold.nothing(self.rows.plan.pixel), working)
            );
        };
        values.fold(first, |all, value| match self.rows.plan.fold {
            Fold::Either => format!("({all} | {value})"),
            Fold::Least => format!("{{ let (a, b) = ({all}, {value}); if b < a {{ b }} else {{ a }} }}"),
            _ => format!("{{ let (a, b) = ({all}, {value}); if b > a {{ b }} else {{ a }} }}"),
        })
    }

    /// The statements that compute a pixel of an output.
    fn finish(&self, pass: &Pass, finish: &Finish, pixel: &str) -> String {
        if let Some(down) = finish.real {
            return self.finish_real(pass, finish, down, pixel);
        }
        let dividend = rust_type(finish.dividend);
        let value = match &pass.value {
            Value::Sum(_) if finish.up == 1 => self.value(pass, finish.added),
            _ => {
                let at = Storage { signed: false, ..finish.dividend };
                let of = rust_type(at);
                let mut value = format!("({} as {of})", self.value(pass, 0));
                if finish.up != 1 {
                    value = format!("{value}.wrapping_mul({})", cast(finish.up, &of));
                }
                if finish.added != 0 {
                    value = format!("{value}.wrapping_add({})", cast(finish.added, &of));
                }
                value
            }
        };
        let of = rust_type(finish.quotient());
        let quotient = match finish.division {
            Division::None => "s".to_owned(),
            Division::Shift(shift) => format!("(s >> {shift})"),
            Division::Multiply { factor, bits, shift, .. } => {
                format!("((s as u{} * {factor}) >> {shift})", 2 * bits)
            }
            Division::Plain(down) => format!("(s / {down})"),
        };
        let minus = if finish.minus == 0 { String::new() } else { format!(" - {}", finish.minus) };
        let [low, high] = finish.limits;
        let least = low.map_or_else(String::new, |low| format!(".max({low})"));
        let most = high.map_or_else(String::new, |high| format!(".min({high})"));
        format!(
            "            let s = {value} as {dividend};\n            let v = {quotient} as {of}{minus};\n            o[x] = v{least}{most} as {pixel};\n"
        )
    }

    fn finish_real(&self, pass: &Pass, finish: &Finish, down: i64, pixel: &str) -> String {
        let Target::Output(index, _) = pass.target else { unreachable!("only outputs are finished") };
        let storage = self.rows.plan.storage[self.rows.plan.outputs[index].source];
        let value = self.value(pass, 0);
        let at = if storage.float { rust_type(storage) } else { pixel.to_owned() };
        let value =
            if storage.float { value } else { format!("({value} as {} as {at})", rust_type(storage)) };
        let scaled = finish.scaled(down, storage.bits == 64, "");
        format!("            o[x] = (({value}){scaled}) as {pixel};\n")
    }

    /// The call of a pass.
    fn call(&self, pass: &Pass) -> String {
        let Pass { lead, rows: [north, south], more, .. } = pass;
        let rows: String =
            pass.reads.iter().map(|row| format!(", {}", self.slice(row, *more, *lead))).collect();
        match &pass.target {
            Target::Output(index, _) => {
                let to = &self.rows.ports.outputs[*index];
                let [condition, row] =
                    if self.rows.has_table() { ["t >= y0", "(t - y0)"] } else { ["t >= 0", "t"] };
                format!(
                    "        if {condition} {{
            let o = &mut out_{to}[{row} as usize * out_{to}_stride..][..columns as usize];
            {}(o{rows});
        }}
",
                    pass.name
                )
            }
            Target::Step { row, pad, beyond } => {
                let Place::Ring { step, .. } = row.place else { unreachable!("steps are written to rings") };
                let (slot, behind) = (slot(row, *lead), pass.behind());
                let start = row.start - behind;
                let padding = self.padding(row, *pad, *beyond);
                let to =
                    |row: &str| format!("&mut {row}[{start}..][..(columns + {}) as usize]", more + behind);
                let [first, last] = [added("t", lead - north), added("t", lead - south)];
                if pass.second.is_some() {
                    return format!(
                        "        if {first} >= 0 && ({first}) % 2 == 0 && {last} < rows {{
            let (slot, next) = ({slot}, {});
            let (mut o, mut p) = (std::mem::take(&mut n{step}[slot]), std::mem::take(&mut n{step}[next]));
            {}({}, {}{rows});
{padding}{}            n{step}[slot] = o;
            n{step}[next] = p;
        }}
",
                        self::slot(row, lead + 1),
                        pass.name,
                        to("o"),
                        to("p"),
                        padding.replace("o[", "p[")
                    );
                }
                format!(
                    "        if {first} >= 0 && {last} < rows {{
            let slot = {slot};
            let mut o = std::mem::take(&mut n{step}[slot]);
            {}({}{rows});
{padding}            n{step}[slot] = o;
        }}
",
                    pass.name,
                    to("o")
                )
            }
        }
    }

    /// The statement that gives the columns beyond the image their values.
    fn padding(&self, row: &Row, [west, east]: [i32; 2], beyond: i64) -> String {
        let start = row.start;
        match self.rows.options.border {
            _ if [west, east] == [0, 0] => String::new(),
            Border::Zero if beyond == 0 => String::new(),
            Border::Zero => {
                let value = constant(beyond, row.storage);
                format!(
                    "            o[{}..{start}].fill({value});\n            o[columns as usize + {start}..][..{east}].fill({value});\n",
                    start - west
                )
            }
            _ => format!(
                "            pad(&mut o[{}..][..(columns + {}) as usize], {west}, {east});\n",
                start - west,
                west + east
            ),
        }
    }

    /// The values of a row that a pass reads.
    fn slice(&self, row: &Row, more: i32, lead: i32) -> String {
        let length = format!("(columns + {}) as usize", row.more + more);
        match row.place {
            Place::Ring { step, .. } => format!("&n{step}[{}][{}..][..{length}]", slot(row, lead), row.start),
            Place::Image { channel, down, north } => {
                let name = &self.rows.ports.inputs[channel];
                let y = added("top + t", lead + down + self.rows.corner);
                let border = self.rows.options.border;
                let place = if border.continuation().is_none() {
                    format!("({y})")
                } else {
                    format!("inside({y}, height)")
                };
                let image = format!("in_{name}[{place} as usize * in_{name}_stride..]");
                let image = match self.rows.blank(&added("t", lead + down - north), &y) {
                    None => format!("&{image}"),
                    Some(blank) => format!("&(if {blank} {{ &zeros[..] }} else {{ &{image} }})"),
                };
                format!("{image}[{}..][..{length}]", row.start)
            }
        }
    }
}

/// The index of a row in its ring, for a pass `lead` rows ahead of the output.
fn slot(row: &Row, lead: i32) -> String {
    match row.place {
        Place::Ring { depth: 1, .. } | Place::Image { .. } => "0".to_owned(),
        Place::Ring { phase, depth, .. } => format!("(({}) % {depth}) as usize", added("t", lead + phase)),
    }
}

/// The place within n pixels that stands for place i; `None` for a constant.
pub(in crate::backend::scan) fn rust_inside(border: Continuation) -> Option<&'static str> {
    match border {
        Continuation::Constant(_) => None,
        Continuation::Replicate => Some("i.clamp(0, n - 1)"),
        Continuation::Wrap => Some("if i >= 0 && i < n { i } else { i.rem_euclid(n) }"),
        Continuation::Reflect => {
            Some("if i >= 0 && i < n { i } else { let i = i.rem_euclid(2 * n); i.min(2 * n - 1 - i) }")
        }
        Continuation::Reflect101 => Some(
            "if i >= 0 && i < n { i } else { let m = (2 * n - 2).max(1); let i = i.rem_euclid(m); i.min(m - i) }",
        ),
    }
}

fn read(load: &Load, pass: &Pass) -> String {
    match load.row {
        Some(row) => format!("a{row}_{}[x]", load.column),
        None => match load.column + pass.behind() {
            0 => "o[x]".to_owned(),
            column => format!("o[x + {column}]"),
        },
    }
}

fn cast(value: i64, of: &str) -> String {
    format!("{value}i64 as {of}")
}

fn add(old: &str, new: &str, working: Storage) -> String {
    if working.float { format!("{old} + {new}") } else { format!("{old}.wrapping_add({new})") }
}

/// A sum of groups of values and a constant.
fn sum(groups: &[Group], pass: &Pass, added: i64) -> String {
    let working = pass.working;
    let of = rust_type(working);
    let mut all: Option<String> = None;
    for group in groups {
        let at = group.narrow.unwrap_or(working);
        let name = rust_type(at);
        let mut inner: Option<String> = None;
        for (load, subtracted) in &group.values {
            let value = format!("({} as {name})", read(load, pass));
            inner = Some(join(inner, value, *subtracted != group.is_negative(), at));
        }
        let mut inner = inner.unwrap_or_default();
        if group.narrow.is_some() {
            inner = format!("({inner} as {of})");
        }
        let inner = match (group.weight, working.float) {
            (1, false) => inner,
            (1, true) => format!("({inner})"),
            (weight, true) => format!("({inner}) * {weight}.0"),
            (weight, false) => format!("{inner}.wrapping_mul({weight}u64 as {of})"),
        };
        all = Some(join(all, inner, group.is_negative(), working));
    }
    let all = all.unwrap_or_else(|| format!("{}{of}", constant(0, working)));
    let all = if added == 0 { all } else { format!("{all}.wrapping_add({})", cast(added, &of)) };
    if working.float { format!("({all})") } else { all }
}

/// A value added to others, or subtracted from them.
fn join(old: Option<String>, new: String, subtracted: bool, working: Storage) -> String {
    match (old, subtracted, working.float) {
        (None, false, _) => new,
        (None, true, true) => format!("(-{new})"),
        (None, true, false) => format!("{new}.wrapping_neg()"),
        (Some(old), false, _) => add(&old, &new, working),
        (Some(old), true, true) => format!("{old} - {new}"),
        (Some(old), true, false) => format!("{old}.wrapping_sub({new})"),
    }
}
