//! The C99 emitter: one function without dependencies. It works row by row, with delay lines in memory of the caller.

use std::fmt::Write;

use super::loops::{Body, Folded, Loops, Nest, Row, Scaled, Windows, ending, identifier};
use super::{Border, CodeOptions, Fold, Plan, Storage};

/// Returns the plan as a C function of its inputs, its outputs, the size of the inputs and memory for delay lines.
pub fn c(plan: &Plan, options: CodeOptions) -> String {
    function(&Loops::of(plan, options))
}

fn type_name(storage: Storage) -> String {
    match (storage.float, storage.bits) {
        (true, 32) => "float".to_owned(),
        (true, _) => "double".to_owned(),
        (false, bits) => format!("{}int{bits}_t", if storage.signed { "" } else { "u" }),
    }
}

fn function(loops: &Loops<'_>) -> String {
    let Loops { plan, lost: [columns, rows], first_row, buffers, .. } = loops;
    let [border, overflow] = [loops.options.border.name(), loops.options.overflow.name()];
    let name = identifier(&plan.name);
    let pixel = type_name(plan.pixel.storage());
    let inputs = plan.inputs.iter().map(|input| format!("const {pixel} *restrict in_{}, ", ending(input)));
    let outputs = plan.outputs.iter().map(|output| {
        format!("{} *restrict out_{}, ", type_name(output.pixel.storage()), ending(&output.name))
    });
    let parameters: String = inputs.chain(outputs).collect();
    let size = |bytes: i64, excess: i32| format!("(size_t)(columns + {excess}) * {bytes}");
    let sizes: Vec<String> =
        buffers.iter().map(|b| size(i64::from(b.depth) * b.storage.bytes() as i64, b.excess)).collect();
    let bytes = sizes.join(" + ");
    let mut pointers = String::new();
    for (buffer, size) in buffers.iter().zip(&sizes) {
        let of = type_name(buffer.storage);
        let _ = writeln!(pointers, "    {of} *const {} = ({of} *)place; place += {size};", buffer.name);
    }
    let nests: String = loops.nests.iter().map(|nest| self::nest(loops, nest)).collect();
    let results: String = loops.results.iter().map(|result| self::result(loops, result)).collect();
    format!(
        "\
#include <stddef.h>
#include <stdint.h>

/* {name}: images of width x height pixels, row by row from the north; beyond them: {border};
   results of (width - {columns}) x (height - {rows}) pixels; what does not fit: {overflow}.
   Returns how many bytes `work` must have, aligned as for malloc; with a null pointer it does nothing else. */
size_t {name}({parameters}ptrdiff_t width, ptrdiff_t height, void *work)
{{
    const ptrdiff_t columns = width - {columns}, rows = height - {rows};
    if (columns <= 0 || rows <= 0) return 0;
    const size_t bytes = {bytes};
    if (work == NULL) return bytes;
    unsigned char *place = work;
    for (size_t i = 0; i < bytes; i++) place[i] = 0;
{pointers}    for (ptrdiff_t t = {first_row}; t < rows; t++) {{
{nests}{results}    }}
    return bytes;
}}
"
    )
}

/// The start of a row in its buffer. `name` is the variable with the row number.
fn start(row: &Row, name: &str) -> String {
    format!("n{} + {} * (columns + {})", row.source, row.slot(name), row.excess)
}

/// Declares the rows that a nest reads, as `a0`, `a1`, …. The row that it writes is `s`.
fn declared<'r>(rows: impl IntoIterator<Item = &'r Row>) -> String {
    let mut text = String::new();
    for (index, row) in rows.into_iter().enumerate().filter(|(_, row)| !row.own) {
        let (of, start) = (type_name(row.storage), start(row, "r"));
        let _ = writeln!(text, "            const {of} *restrict const a{index} = {start};");
    }
    text
}

/// The head of a loop over the columns of a nest.
fn each(nest: &Nest) -> String {
    let [west, east] = nest.columns;
    format!("for (ptrdiff_t x = {west}; x < columns + {east}; x++)")
}

fn nest(loops: &Loops<'_>, nest: &Nest) -> String {
    let Nest { comment, lead, rows: [north, south], own, .. } = nest;
    let of = type_name(own.storage);
    let restrict =
        if matches!(nest.body, Body::Fold(Folded { recurs: true, .. })) { "" } else { "restrict " };
    let start = start(own, "r");
    let body = match &nest.body {
        Body::Input(channel) => input(loops, nest, *channel),
        Body::Fold(folded) => fold(loops, nest, folded),
        Body::Flat(windows) => flat(loops, nest, windows),
        Body::Tall(windows) => tall(loops, nest, windows),
    };
    format!(
        "        {{ /* {comment} */
            const ptrdiff_t r = t + {lead};
            if (r >= {north} && r < rows + {south}) {{
            {of} *{restrict}const s = {start};
{body}            }}
        }}
"
    )
}

/// Fills a row of an input, with the values beyond the image.
fn input(loops: &Loops<'_>, nest: &Nest, channel: usize) -> String {
    let ([west, east], base, [column, row]) = (nest.columns, nest.base, loops.corner);
    let border = loops.options.border;
    let pixel = type_name(loops.plan.pixel.storage());
    let from = format!(
        "const {pixel} *restrict const from = in_{} + y * width;",
        ending(&loops.plan.inputs[channel])
    );
    let [before, inside] =
        ["< 0", "< width"].map(|end| format!("for (; x + {column} {end} && x < columns + {east}; x++)"));
    let behind = format!("for (; x < columns + {east}; x++)");
    let copy = format!("s[x + {base}] = from[x + {column}];");
    if loops.ends() {
        return format!(
            "            ptrdiff_t y = r + {row}, x = {west};
            if (!(y >= 0 && y < height)) {{
                {behind} s[x + {base}] = 0;
            }} else {{
                {from}
                {before} s[x + {base}] = 0;
                {inside} {copy}
                {behind} s[x + {base}] = 0;
            }}
"
        );
    }
    let y = folded(border, "y", "height", "            ");
    let u = folded(border, "u", "width", "                ");
    let edge = format!(
        "{{
                ptrdiff_t u = x + {column};
{u}                s[x + {base}] = from[u];
            }}"
    );
    format!(
        "            ptrdiff_t y = r + {row}, x = {west};
{y}            {from}
            {before} {edge}
            {inside} {copy}
            {behind} {edge}
"
    )
}

/// The lines that bring an index into the image.
fn folded(border: Border, index: &str, size: &str, indent: &str) -> String {
    match border {
        Border::Valid | Border::Zero => String::new(),
        Border::Replicate => {
            format!("{indent}{index} = {index} < 0 ? 0 : {index} >= {size} ? {size} - 1 : {index};\n")
        }
        Border::Wrap => format!("{indent}{index} = ({index} % {size} + {size}) % {size};\n"),
        Border::Reflect => format!(
            "{indent}while ({index} < 0 || {index} >= {size}) \
             {index} = {index} < 0 ? -1 - {index} : 2 * {size} - 1 - {index};\n"
        ),
        Border::Reflect101 => format!(
            "{indent}if ({size} == 1) {index} = 0;\n\
             {indent}while ({index} < 0 || {index} >= {size}) \
             {index} = {index} < 0 ? -{index} : 2 * {size} - 2 - {index};\n"
        ),
    }
}

fn fold(loops: &Loops<'_>, nest: &Nest, folded: &Folded) -> String {
    let mut rows: Vec<&Row> = Vec::new();
    let mut values: Vec<(String, i64)> = Vec::new();
    for (element, weight) in &folded.reads {
        let index = rows.iter().position(|known| **known == element.row).unwrap_or(rows.len());
        if index == rows.len() {
            rows.push(&element.row);
        }
        let row = if element.row.own { "s".to_owned() } else { format!("a{index}") };
        values.push((format!("{row}[x + {}]", element.column), *weight));
    }
    let declared = declared(rows);
    let working = type_name(loops.working());
    let place = format!("s[x + {}] = ({})", nest.base, type_name(nest.own.storage));
    let each = each(nest);
    if loops.plan.fold != Fold::Sum {
        let values = kept(loops, &values, &working);
        return format!(
            "{declared}            {each} {{\n{values}                {place}v;\n            }}\n"
        );
    }
    let sum = sum(&values, &working);
    if folded.at_hand {
        let each = format!("            {each} {{ v += {sum}; {place}v; }}\n");
        return format!("{declared}            {working} v = 0;\n{each}");
    }
    format!("{declared}            {each} {place}({sum});\n")
}

/// The lines that fold weighted values into `v`.
fn kept(loops: &Loops<'_>, values: &[(String, i64)], working: &str) -> String {
    let keep = keep(loops.plan.fold);
    if values.is_empty() {
        return format!("                const {working} v = {};\n", loops.plan.pixel.range()[0]);
    }
    let mut text = String::new();
    for (index, (value, weight)) in values.iter().enumerate() {
        let added = if *weight == 0 { String::new() } else { format!(" + ({weight})") };
        let value = format!("({working}){value}{added}");
        let _ = match index {
            0 => writeln!(text, "                {working} v = {value};"),
            _ => writeln!(text, "                {{ const {working} u = {value}; {keep} }}"),
        };
    }
    text
}

/// The statement that folds `u` into `v`.
fn keep(fold: Fold) -> &'static str {
    match fold {
        Fold::Sum => "v += u;",
        Fold::Greatest => "if (u > v) v = u;",
        Fold::Least => "if (u < v) v = u;",
        Fold::Either => "v |= u;",
    }
}

/// The windows of van Herk's algorithm along a row: prefixes and suffixes of blocks of `length`.
fn flat(loops: &Loops<'_>, nest: &Nest, windows: &Windows) -> String {
    let Windows { from, length, count } = windows;
    let (last, place) = (length - 1, nest.columns[0] + nest.base);
    let (own, from, declared) = (nest.own.source, from.column, declared([&from.row]));
    let (of, keep) = (type_name(nest.own.storage), keep(loops.plan.fold));
    format!(
        "{declared}            const ptrdiff_t count = columns + {count};
            for (ptrdiff_t b = 0; b < count; b += {length}) {{
                const ptrdiff_t e = b + {length} < count ? b + {length} : count;
                {of} v = a0[b + {from}];
                for (ptrdiff_t i = b; i < e; i++) {{ const {of} u = a0[i + {from}]; {keep} g{own}[i] = v; }}
                v = a0[e - 1 + {from}];
                for (ptrdiff_t i = e - 1; i >= b; i--) {{ const {of} u = a0[i + {from}]; {keep} h{own}[i] = v; }}
            }}
            for (ptrdiff_t i = 0; i < count - {last}; i++) {{
                {of} v = h{own}[i]; const {of} u = g{own}[i + {last}]; {keep} s[i + {place}] = v;
            }}
"
    )
}

/// The windows of van Herk's algorithm down a column: suffixes of the previous block, and the prefix of the current one.
fn tall(loops: &Loops<'_>, nest: &Nest, windows: &Windows) -> String {
    let Windows { from, length, .. } = windows;
    let (last, base, first) = (length - 1, nest.base, nest.rows[0]);
    let (own, from, declared) = (nest.own.source, from.column, declared([&from.row]));
    let (of, keep, each) = (type_name(nest.own.storage), keep(loops.plan.fold), each(nest));
    let row = format!("(columns + {})", nest.own.excess);
    format!(
        "{declared}            const ptrdiff_t j = (r - ({first})) % {length};
            {of} *const raw = h{own} + j * {row};
            {each} {{
                const {of} u = a0[x + {from}]; {of} v = j == 0 ? u : g{own}[x + {base}]; {keep}
                raw[x + {base}] = u; g{own}[x + {base}] = v;
            }}
            if (j == {last}) {{
                for (ptrdiff_t k = {last}; k-- > 0;) {{
                    {of} *const low = h{own} + k * {row}; const {of} *const high = low + {row};
                    {each} {{ {of} v = low[x + {base}]; const {of} u = high[x + {base}]; {keep} low[x + {base}] = v; }}
                }}
                {each} s[x + {base}] = h{own}[x + {base}];
            }} else if (r - ({first}) < {length}) {{
                {each} s[x + {base}] = g{own}[x + {base}];
            }} else {{
                const {of} *const before = raw + {row};
                {each} {{ {of} v = before[x + {base}]; const {of} u = g{own}[x + {base}]; {keep} s[x + {base}] = v; }}
            }}
"
    )
}

/// A row of an output: scaled, rounded, and brought into the range of pixels.
fn result(loops: &Loops<'_>, result: &Scaled<'_>) -> String {
    let name = &result.output.name;
    let row = &result.read.row;
    let (of, start) = (type_name(row.storage), start(row, "t"));
    let pixel = type_name(result.output.pixel.storage());
    let value = format!("s[x + {}]", result.read.column);
    let lines = if loops.plan.pixel.float {
        format!("                to[x] = (float)({});\n", result.real(&value))
    } else {
        limited(result, &value, &pixel)
    };
    let to = ending(name);
    format!(
        "        if (t >= 0) {{ /* {name} */
            const {of} *restrict const s = {start};
            {pixel} *restrict const to = out_{to} + t * columns;
            for (ptrdiff_t x = 0; x < columns; x++) {{
{lines}            }}
        }}
"
    )
}

/// The lines that scale an integer and bring it into the range of pixels.
fn limited(result: &Scaled<'_>, value: &str, pixel: &str) -> String {
    let Scaled { up, down, added, negative, wide, limits, .. } = result;
    let working = if *wide { "int64_t" } else { "int32_t" };
    let factor = if *up == 1 { String::new() } else { format!(" * ({up})") };
    let added = if *added == 0 { String::new() } else { format!(" + ({added})") };
    let mut text = format!("                {working} v = ({working}){value}{factor}{added};\n");
    if *down > 1 {
        let below = if *negative { format!(" - (v % {down} < 0)") } else { String::new() };
        let _ = writeln!(text, "                v = v / {down}{below};");
    }
    if let Some([least, greatest]) = limits {
        let least = if *least == -(1 << 31) { "INT32_MIN".to_owned() } else { least.to_string() };
        let _ =
            writeln!(text, "                v = v < {least} ? {least} : v > {greatest} ? {greatest} : v;");
    }
    text + &format!("                to[x] = ({pixel})v;\n")
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
