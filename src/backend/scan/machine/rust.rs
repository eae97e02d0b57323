//! The Rust emitter: one safe function without dependencies. It works row by row, with its own delay lines.

use std::fmt::Write;

use super::loops::{Body, Element, Folded, Loops, Nest, Row, Scaled, Windows, ending, identifier};
use super::{Border, CodeOptions, Fold, Plan, Storage};

/// Returns the plan as a Rust function of its inputs, its outputs and the size of the inputs.
pub fn rust(plan: &Plan, options: CodeOptions) -> String {
    function(&Loops::of(plan, options))
}

fn type_name(storage: Storage) -> String {
    let kind = match (storage.float, storage.signed) {
        (true, _) => "f",
        (false, true) => "i",
        (false, false) => "u",
    };
    format!("{kind}{}", storage.bits)
}

fn function(loops: &Loops<'_>) -> String {
    let Loops { plan, lost: [columns, rows], first_row, .. } = loops;
    let [border, overflow] = [loops.options.border.name(), loops.options.overflow.name()];
    let name = identifier(&plan.name);
    let pixel = type_name(plan.pixel.storage());
    let inputs = plan.inputs.iter().map(|input| format!("in_{}: &[{pixel}]", ending(input)));
    let outputs = plan
        .outputs
        .iter()
        .map(|output| format!("out_{}: &mut [{}]", ending(&output.name), type_name(output.pixel.storage())));
    let parameters = inputs.chain(outputs).collect::<Vec<_>>().join(", ");
    let mut buffers = String::new();
    for buffer in &loops.buffers {
        let (zero, of) = (zero(buffer.storage), type_name(buffer.storage));
        let size = format!("((columns + {}) * {}) as usize", buffer.excess, buffer.depth);
        let _ = writeln!(buffers, "    let mut {} = vec![{zero}{of}; {size}];", buffer.name);
    }
    let nests: String = loops.nests.iter().map(|nest| self::nest(loops, nest)).collect();
    let results: String = loops.results.iter().map(|result| self::result(loops, result)).collect();
    format!(
        "\
/// {name}: images of width × height pixels, row by row from the north; beyond them: {border};
/// results of (width - {columns}) × (height - {rows}) pixels; what does not fit: {overflow}.
#[allow(clippy::all, unused_parens, unused_mut, unused_variables)]
pub fn {name}({parameters}, width: usize, height: usize) {{
    let (width, height) = (width as isize, height as isize);
    let (columns, rows) = (width - {columns}, height - {rows});
    if columns <= 0 || rows <= 0 {{
        return;
    }}
{buffers}    for t in {first_row}..rows {{
{nests}{results}    }}
}}
"
    )
}

fn zero(storage: Storage) -> &'static str {
    if storage.float { "0.0" } else { "0" }
}

/// The start of a row in its buffer. `name` is the variable with the row number.
fn start(row: &Row, name: &str) -> String {
    match row.slot(name) {
        first if row.depth == 1 => first,
        slot => format!("{slot} * (columns + {})", row.excess),
    }
}

/// The position of an element of column 0 in its buffer. `name` is the variable with the row number.
fn place(element: &Element, name: &str) -> String {
    format!("{} + {}", start(&element.row, name), element.column)
}

/// The head of a loop over the columns of a nest, counted from column `from`.
fn each(nest: &Nest, from: i32) -> String {
    let [west, east] = nest.columns.map(|column| column + from);
    format!("for x in {west}..columns + {east}")
}

fn nest(loops: &Loops<'_>, nest: &Nest) -> String {
    let Nest { comment, lead, rows: [north, south], own, base, .. } = nest;
    let start = start(own, "r");
    let body = match &nest.body {
        Body::Input(channel) => input(loops, nest, *channel),
        Body::Fold(folded) => fold(loops, nest, folded),
        Body::Flat(windows) => flat(loops, nest, windows),
        Body::Tall(windows) => tall(loops, nest, windows),
    };
    format!(
        "        // {comment}
        let r = t + {lead};
        if r >= {north} && r < rows + {south} {{
            let s = {start} + {base};
{body}        }}
"
    )
}

/// Fills a row of an input, with the values beyond the image.
fn input(loops: &Loops<'_>, nest: &Nest, channel: usize) -> String {
    let ([column, row], border) = (loops.corner, loops.options.border);
    let (own, each) = (nest.own.source, each(nest, 0));
    let y = folded(border, &format!("(r + {row})"), "height");
    let u = folded(border, "u", "width");
    let mut value = format!("in_{}[(y * width + u) as usize]", ending(&loops.plan.inputs[channel]));
    if loops.ends() {
        let nothing = zero(loops.plan.pixel.storage());
        value = format!("if y >= 0 && y < height && u >= 0 && u < width {{ {value} }} else {{ {nothing} }}");
    }
    format!(
        "            let y = {y};
            {each} {{
                let u = x + {column};
                let u = if u >= 0 && u < width {{ u }} else {{ {u} }};
                n{own}[(s + x) as usize] = {value};
            }}
"
    )
}

/// The expression that brings an index into the image.
fn folded(border: Border, index: &str, size: &str) -> String {
    match border {
        Border::Valid | Border::Zero => index.to_owned(),
        Border::Replicate => format!("{index}.clamp(0, {size} - 1)"),
        Border::Wrap => format!("{index}.rem_euclid({size})"),
        Border::Reflect => {
            format!("{{ let i = {index}.rem_euclid(2 * {size}); i.min(2 * {size} - 1 - i) }}")
        }
        Border::Reflect101 => format!(
            "{{ let p = (2 * {size} - 2).max(1); let i = {index}.rem_euclid(p); i.min(p - i).min({size} - 1) }}"
        ),
    }
}

fn fold(loops: &Loops<'_>, nest: &Nest, folded: &Folded) -> String {
    let working = loops.working();
    let name = type_name(working);
    let (mut places, mut value) = (String::new(), String::new());
    for (index, (element, weight)) in folded.reads.iter().enumerate() {
        let _ = writeln!(places, "            let a{index} = {};", place(element, "r"));
        let read = format!("n{}[(a{index} + x) as usize] as {name}", element.row.source);
        value = match index {
            0 => weighted(loops, &read, *weight),
            _ => next(loops, &value, &read, *weight),
        };
    }
    if value.is_empty() {
        let nothing = if loops.plan.fold == Fold::Sum { 0 } else { loops.plan.pixel.range()[0] };
        value = format!("({nothing} as {name})");
    }
    let (before, v) = match (folded.at_hand, working.float) {
        (false, _) => (String::new(), format!("let v = {value}")),
        (true, true) => (format!("            let mut v = 0.0{name};\n"), format!("v = v + {value}")),
        (true, false) => {
            (format!("            let mut v = 0{name};\n"), format!("v = v.wrapping_add({value})"))
        }
    };
    let (own, of, each) = (nest.own.source, type_name(nest.own.storage), each(nest, 0));
    format!(
        "{places}{before}            {each} {{
                {v};
                n{own}[(s + x) as usize] = v as {of};
            }}
"
    )
}

/// A weighted value of a fold.
fn weighted(loops: &Loops<'_>, read: &str, weight: i64) -> String {
    let working = loops.working();
    let fold = loops.plan.fold;
    match (fold, working.float) {
        _ if weight == fold.neutral_weight() => format!("({read})"),
        (Fold::Sum, true) => format!("({read}) * {weight}.0"),
        (Fold::Sum, false) => format!("({read}).wrapping_mul({weight}i64 as {})", type_name(working)),
        (_, true) => format!("(({read}) + {weight}.0)"),
        (_, false) => format!("(({read}) + {weight})"),
    }
}

/// The folded value with one more value.
fn next(loops: &Loops<'_>, value: &str, read: &str, weight: i64) -> String {
    let new = weighted(loops, read, weight);
    match loops.plan.fold {
        Fold::Sum if loops.working().float => format!("{value} + {new}"),
        Fold::Sum if weight < 0 => format!("{value}.wrapping_sub({})", weighted(loops, read, -weight)),
        Fold::Sum => format!("{value}.wrapping_add({new})"),
        fold => keep(fold, value, &new),
    }
}

/// The fold of two values, which is not a sum.
fn keep(fold: Fold, old: &str, new: &str) -> String {
    match fold {
        Fold::Either => format!("({old} | {new})"),
        Fold::Least => format!("{old}.min({new})"),
        _ => format!("{old}.max({new})"),
    }
}

/// The windows of van Herk's algorithm along a row: prefixes and suffixes of blocks of `length`.
fn flat(loops: &Loops<'_>, nest: &Nest, windows: &Windows) -> String {
    let Windows { from, length, count } = windows;
    let (last, west, own, source) = (length - 1, nest.columns[0], nest.own.source, from.row.source);
    let a = place(from, "r");
    let keep = |old: &str, new: &str| self::keep(loops.plan.fold, old, new);
    let v = keep("v", &format!("n{source}[(a + i) as usize]"));
    let both = keep(&format!("h{own}[i as usize]"), &format!("g{own}[(i + {last}) as usize]"));
    format!(
        "            let a = {a};
            let count = columns + {count};
            let mut b = 0;
            while b < count {{
                let e = (b + {length}).min(count);
                let mut v = n{source}[(a + b) as usize];
                for i in b..e {{
                    v = {v};
                    g{own}[i as usize] = v;
                }}
                let mut v = n{source}[(a + e - 1) as usize];
                for i in (b..e).rev() {{
                    v = {v};
                    h{own}[i as usize] = v;
                }}
                b = e;
            }}
            for i in 0..count - {last} {{
                n{own}[(s + {west} + i) as usize] = {both};
            }}
"
    )
}

/// The windows of van Herk's algorithm down a column: suffixes of the previous block, and the prefix of the current one.
fn tall(loops: &Loops<'_>, nest: &Nest, windows: &Windows) -> String {
    let Windows { from, length, .. } = windows;
    let (last, first, base, row) = (length - 1, nest.rows[0], nest.base, nest.own.excess);
    let (own, source, each) = (nest.own.source, from.row.source, each(nest, base));
    let (start, column) = (start(&from.row, "r"), from.column - base);
    let keep = |old: &str, new: &str| self::keep(loops.plan.fold, old, new);
    let h = |row: &str| format!("h{own}[({row} * row + x) as usize]");
    let g = format!("g{own}[x as usize]");
    let (prefix, suffix, both) = (keep("u", &g), keep(&h("k"), &h("(k + 1)")), keep(&h("(j + 1)"), &g));
    let [at_j, at_k] = [h("j"), h("k")];
    format!(
        "            let (row, a) = (columns + {row}, {start} + {column});
            let j = (r - ({first})) % {length};
            {each} {{
                let u = n{source}[(a + x) as usize];
                {at_j} = u;
                {g} = if j == 0 {{ u }} else {{ {prefix} }};
            }}
            if j == {last} {{
                for k in (0..{last}).rev() {{
                    {each} {{
                        {at_k} = {suffix};
                    }}
                }}
            }}
            {each} {{
                n{own}[(s + x - {base}) as usize] = if j == {last} {{
                    h{own}[x as usize]
                }} else if r - ({first}) < {length} {{
                    {g}
                }} else {{
                    {both}
                }};
            }}
"
    )
}

/// A row of an output: scaled, rounded, and brought into the range of pixels.
fn result(loops: &Loops<'_>, result: &Scaled<'_>) -> String {
    let s = place(&result.read, "t");
    let (read, to) = (format!("n{}[(s + x) as usize]", result.output.source), ending(&result.output.name));
    let pixel = type_name(result.output.pixel.storage());
    let (v, value) = if loops.plan.pixel.float {
        (String::new(), format!("({})", result.real(&format!("{read} as f64"))))
    } else {
        let Scaled { up, down, added, modular, limits, .. } = result;
        let signed = if *modular { format!(" as i{}", loops.plan.accumulator.bits) } else { String::new() };
        let v = format!("(({read}{signed} as i64) * {up} + {added}).div_euclid({down})");
        let value =
            limits.map_or("v".to_owned(), |[least, greatest]| format!("v.clamp({least}, {greatest})"));
        (format!("                let v = {v};\n"), value)
    };
    format!(
        "        if t >= 0 {{
            let s = {s};
            for x in 0..columns {{
{v}                out_{to}[(t * columns + x) as usize] = {value} as {pixel};
            }}
        }}
"
    )
}
