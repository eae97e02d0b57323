//! Loops over the columns of a row in C, and the functions that they use.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::iter::zip;

use crate::backend::scan::machine::{Storage, apart, c_inside, type_name};
use crate::pipeline::{Border, Fold, Rounding};

use super::coordinate::added;
use super::expression::{Body, Extent, From, Id, Load, Operator, Read, Tables, Typed};
use super::lookups::BLOCK;
use super::loops::{Kind, Loops};
use super::plans::FLOAT;

/// A constant of single or double precision.
fn real(bits: u64, of: Storage) -> String {
    let value = f64::from_bits(bits);
    let text = if of.bits == 32 { format!("{:?}f", value as f32) } else { format!("{value:?}") };
    if value.is_sign_negative() { format!("({text})") } else { text }
}

/// A whole constant.
pub(super) fn number(value: i128, of: Storage) -> String {
    match (of.bits, value) {
        _ if of.float && of.bits == 32 => real(f64::from(value as f32).to_bits(), of),
        _ if of.float => real((value as f64).to_bits(), of),
        (64, value) if value == i128::from(i64::MIN) => "INT64_MIN".to_owned(),
        (64, value) if value > i128::from(i64::MAX) => "UINT64_MAX".to_owned(),
        (64, value) if value < 0 => format!("(-INT64_C({}))", -value),
        (64, value) => format!("INT64_C({value})"),
        (32, value) if value == i128::from(i32::MIN) => "INT32_MIN".to_owned(),
        (32, value) if value > i128::from(i32::MAX) => format!("{value}u"),
        (_, value) if value < 0 => format!("({value})"),
        _ => value.to_string(),
    }
}

/// The function that computes a row.
pub(super) fn column_loop(
    loops: &Loops<'_>,
    (name, of): (&str, Storage),
    kind: &Kind,
    body: &Body,
) -> String {
    let to = type_name(of);
    let (own, parameters) = (own_parameters(kind), parameters(loops, body));
    let lookups = body.code.lookups(&body.results);
    let tables = body.code.last_tables(&body.results, &lookups);
    let last = Columns::of(loops, body, &body.results, tables);
    let statements = format!("{}{}", last.locals(), last.stores(kind, &to));
    let text = if lookups.is_empty() {
        format!("    for (ptrdiff_t x = 0; x < n; x++) {{\n{statements}    }}\n")
    } else {
        blocks(&last, &lookups, &statements)
    };
    let places: String = last
        .places()
        .into_iter()
        .map(|(read, column)| apart(loops.read_storage(body.code.reads[read].from), read, column))
        .collect();
    let flat = |(number, read): &(usize, &Read)| {
        matches!(read.extent, Extent::Rows) && !text.contains(&step_of_planes(*number))
    };
    let unused: String =
        zip(0.., &body.code.reads).filter(flat).map(|(n, _)| format!("    (void)p{n};\n")).collect();
    format!(
        "static void {name}({to} *restrict o, {own}{parameters}ptrdiff_t n)\n{{\n{unused}{places}{text}}}\n\n"
    )
}

/// The factor of a plane's number in the index of a read.
fn step_of_planes(read: usize) -> String {
    format!(" * p{read} + ")
}

/// Loops over some columns at a time: for the indices of tables, for what is read there, and at last for what the statements say.
fn blocks(last: &Columns<'_>, lookups: &[Vec<Id>], statements: &str) -> String {
    let Columns { loops, body, .. } = *last;
    let [mut arrays, mut text] = [const { String::new() }; 2];
    let each = "        for (ptrdiff_t x = x0; x < end; x++)";
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    for level in lookups {
        let indices: Vec<Id> = level.iter().map(|id| body.code.lookup(*id).2).collect();
        let columns = Columns::of(loops, body, &indices, Tables::Read);
        let [mut indexed, mut read] = [const { String::new() }; 2];
        for id in level {
            let (table, first, index) = body.code.lookup(*id);
            let (place, of) = (type_name(body.code.place_in_table(*id)), type_name(body.code.nodes[*id].of));
            let _ = writeln!(arrays, "        {place} i{id}[{BLOCK}];");
            let index = added(&columns.text(index), -first);
            let _ = writeln!(indexed, "        i{id}[x - x0] = ({place})({index});");
            if last.tables == Tables::Read {
                let _ = writeln!(arrays, "        {of} v{id}[{BLOCK}];");
                let _ = writeln!(read, "{each} v{id}[x - x0] = {}_table_{table}[i{id}[x - x0]];", loops.name);
            }
        }
        let indexed = indented(&format!("{}{indexed}", columns.locals()));
        text += &format!("{each} {{\n{indexed}        }}\n{read}");
    }
    format!(
        "    for (ptrdiff_t x0 = 0; x0 < n; x0 += {BLOCK}) {{\n        \
         const ptrdiff_t end = n - x0 < {BLOCK} ? n : x0 + {BLOCK};\n{arrays}{text}{each} {{\n{}        }}\n    }}\n",
        indented(statements)
    )
}

/// What a function is given for the way in which it stores.
fn own_parameters(kind: &Kind) -> String {
    match kind {
        Kind::Counts(_) => "ptrdiff_t so, ".to_owned(),
        Kind::Folds(Fold::ArgumentOfMinimum, _, folded) => {
            format!("{} *restrict best, int32_t d, ", type_name(*folded))
        }
        _ => String::new(),
    }
}

fn parameters(loops: &Loops<'_>, body: &Body) -> String {
    let mut text = String::new();
    for (number, read) in body.code.reads.iter().enumerate() {
        let of = type_name(loops.read_storage(read.from));
        let _ = write!(text, "const {of} *restrict a{number}, ");
        match read.extent {
            Extent::Row(_) => {}
            Extent::Planes => {
                let _ = write!(text, "ptrdiff_t p{number}, ");
            }
            Extent::Rows => {
                let _ = write!(
                    text,
                    "ptrdiff_t p{number}, ptrdiff_t q{number}, ptrdiff_t r{number}, ptrdiff_t e{number}, "
                );
            }
        }
    }
    for id in body.code.variables() {
        let _ = write!(text, "int32_t d{}, ", id.0);
    }
    text
}

struct Columns<'b> {
    loops: &'b Loops<'b>,
    body: &'b Body,
    /// Of each operation, whether it has a name.
    is_local: Vec<bool>,
    tables: Tables,
}

impl<'b> Columns<'b> {
    fn of(loops: &'b Loops<'b>, body: &'b Body, results: &[Id], tables: Tables) -> Self {
        Self { loops, body, is_local: body.code.locals(results, tables), tables }
    }
}

impl Columns<'_> {
    /// The statements that store what is computed for a column, in the type that is named.
    fn stores(&self, kind: &Kind, to: &str) -> String {
        let result = |number: usize| self.text(self.body.results[number]);
        match kind {
            Kind::Plain | Kind::Continued(_) => format!("        o[x] = ({to})({});\n", result(0)),
            Kind::Cells([p, _]) => {
                let one = |i: usize| format!("        o[{p} * x + {i}] = ({to})({});\n", result(i));
                (0..*p as usize).map(one).collect()
            }
            Kind::Counts([p, _]) => {
                let place = format!("o[({}) * so + x / {p}]", result(0));
                format!("        {place} = ({to})({place} + {});\n", result(1))
            }
            Kind::Folds(fold, _, folded) => {
                let from = type_name(*folded);
                let value = format!("        const {from} v = ({from})({});\n", result(0));
                value
                    + &match fold {
                        Fold::Add => format!("        o[x] = ({to})(o[x] + v);\n"),
                        Fold::Minimum => format!("        o[x] = ({to})(v < o[x] ? v : o[x]);\n"),
                        Fold::Maximum => format!("        o[x] = ({to})(v > o[x] ? v : o[x]);\n"),
                        Fold::ArgumentOfMinimum => format!(
                            "        const int less = v < best[x];\n        o[x] = less ? ({to})d : o[x];\n        \
                             best[x] = less ? v : best[x];\n"
                        ),
                    }
            }
        }
    }

    /// The operations with names.
    fn locals(&self) -> String {
        let mut text = String::new();
        for (id, node) in self.body.code.nodes.iter().enumerate() {
            if self.is_local[id] {
                let _ =
                    writeln!(text, "        const {} t{id} = {};", type_name(node.of), self.operation(id));
            }
        }
        text
    }

    fn text(&self, id: Id) -> String {
        if self.is_local[id] { format!("t{id}") } else { self.operation(id) }
    }

    fn joined(&self, list: &[Id], by: &str) -> String {
        list.iter().map(|id| self.text(*id)).collect::<Vec<_>>().join(by)
    }

    fn operation(&self, id: Id) -> String {
        let node = &self.body.code.nodes[id];
        let of = type_name(node.of);
        if let (Operator::Absolute(a) | Operator::Root(a), true) = (&node.operator, node.of.float) {
            let function = if matches!(node.operator, Operator::Root(_)) { "sqrtf" } else { "fabsf" };
            return format!("{function}({})", self.text(*a));
        }
        let call = |function: &str, list: &[Id]| {
            format!("{}_{function}_{of}({})", self.loops.name, self.joined(list, ", "))
        };
        match &node.operator {
            Operator::Number(value) => number(*value, node.of),
            Operator::Real(bits) => real(*bits, node.of),
            Operator::Load(load) => self.load(load),
            Operator::Variable(id) => format!("d{}", id.0),
            Operator::Cast(a) => format!("({of}){}", self.text(*a)),
            Operator::Sum(list) => format!("({of})({})", self.joined(list, " + ")),
            Operator::Product(list) => format!("({of})({})", self.joined(list, " * ")),
            Operator::Negation(a) => format!("({of})(-{})", self.text(*a)),
            Operator::Absolute(a) => call("abs", &[*a]),
            Operator::Minimum(a, b) => call("min", &[*a, *b]),
            Operator::Maximum(a, b) => call("max", &[*a, *b]),
            Operator::Quotient(a, b) => self.quotient(*a, *b, &of),
            Operator::Divided(a, b) => format!("({of})({} / {})", self.text(*a), self.text(*b)),
            Operator::Even(a, b) => call("even", &[*a, *b]),
            Operator::Right(a, bits) => format!("({of})({} >> {bits})", self.text(*a)),
            Operator::And(a, mask) => format!("({of})({} & {})", self.text(*a), number(*mask, node.of)),
            Operator::Compared(comparison, a, b) => {
                let sign = comparison.sign();
                format!("({of})({} {sign} {})", self.text(*a), self.text(*b))
            }
            Operator::Select(a, b, c) => {
                format!("({of})({} ? {} : {})", self.text(*a), self.text(*b), self.text(*c))
            }
            Operator::Table { .. } if self.tables == Tables::Read => format!("v{id}[x - x0]"),
            Operator::Table { table, first, index } => {
                let index = match self.tables {
                    Tables::Indexed => format!("i{id}[x - x0]"),
                    _ => added(&self.text(*index), -first),
                };
                format!("({of}){}_table_{table}[{index}]", self.loops.name)
            }
            Operator::Root(a) => call("root", &[*a]),
            Operator::Rounded(rounding, a) => self.rounded(*rounding, *a),
            Operator::Saturated(a, limits) => {
                let [low, high] = limits.map(|limit| number(limit, node.of));
                format!("{}_saturated_{of}({}, {low}, {high})", self.loops.name, self.text(*a))
            }
        }
    }

    /// A value of single precision, rounded.
    fn rounded(&self, rounding: Rounding, a: Id) -> String {
        let function = match rounding {
            Rounding::Floor => "floorf".to_owned(),
            Rounding::Ceiling => "ceilf".to_owned(),
            Rounding::Zero => "truncf".to_owned(),
            Rounding::Even => "rintf".to_owned(),
            Rounding::Up => format!("{}_up", self.loops.name),
        };
        format!("{function}({})", self.text(a))
    }

    /// A quotient that is rounded down. Processors divide in floating point several values at a time. Compilers multiply where the divisor is
    /// a number, but only up to 32 bits several values at a time.
    fn quotient(&self, a: Id, b: Id, of: &str) -> String {
        let nodes = &self.body.code.nodes;
        let [a_range, b_range] = [nodes[a].range, nodes[b].range];
        let (x, y) = (self.text(a), self.text(b));
        let is_multiplied = matches!(nodes[b].operator, Operator::Number(_)) && nodes[b].of.bits < 64;
        if a_range[0] < 0 || b_range[0] < 0 {
            return format!("{}_quotient_{of}({x}, {y})", self.loops.name);
        }
        match exact(a_range[1].max(b_range[1])) {
            Some(real) if !is_multiplied => format!("({of})(({real}){x} / ({real}){y})"),
            _ => format!("({of})({x} / {y})"),
        }
    }

    fn load(&self, load: &Load) -> String {
        let read = &self.body.code.reads[load.read];
        let (a, column) = (load.read, &read.column);
        let first = column.times * self.body.first;
        let times = |text: &str| {
            if column.times == 1 { text.to_owned() } else { format!("{} * {text}", column.times) }
        };
        if let From::Pattern(pattern) = read.from {
            let columns = self.loops.pattern(pattern)[0] as i64;
            let phase = (first + load.plus).rem_euclid(columns);
            return format!("a{a}[({}) % {columns}]", added(&times("x"), phase));
        }
        let place = if column.down == 1 {
            added(&times("x"), load.plus - self.body.code.columns(load.read)[0])
        } else {
            let phase = (first + column.plus).rem_euclid(column.down);
            format!("({}) / {}", added(&times("x"), phase), column.down)
        };
        let plane = load.plane.map_or_else(String::new, |plane| {
            format!("(ptrdiff_t){}{}", self.text(plane), step_of_planes(a))
        });
        match (read.extent, load.by) {
            (Extent::Rows, Some([east, north])) => {
                format!(
                    "a{a}[(r{a} - (ptrdiff_t){}) % e{a} * q{a} + {plane}{place} + (ptrdiff_t){}]",
                    self.text(north),
                    self.text(east)
                )
            }
            _ => match self.place(load) {
                Some(column) => format!("a{a}_{column}[x]"),
                None => format!("a{a}[{plane}{place}]"),
            },
        }
    }

    /// The column of a row that a value is read from, where pixels next to one another read one row in several columns.
    fn place(&self, load: &Load) -> Option<i64> {
        let read = &self.body.code.reads[load.read];
        let is_plain = matches!(read.extent, Extent::Row(_)) && load.plane.is_none() && load.by.is_none();
        let column = load.plus - self.body.code.columns(load.read)[0];
        let is_next = is_plain && read.column.times == 1 && read.column.down == 1 && column != 0;
        (is_next && !matches!(read.from, From::Pattern(_))).then_some(column)
    }

    /// The rows and columns for which there is a [`place`](Self::place).
    fn places(&self) -> BTreeSet<(usize, i64)> {
        let nodes = self.body.code.nodes.iter();
        let place = |node: &Typed| match &node.operator {
            Operator::Load(load) => Some((load.read, self.place(load)?)),
            _ => None,
        };
        nodes.filter_map(place).collect()
    }
}

/// The floating-point type in which quotients of integers up to this are exact when they are rounded down.
///
/// A quotient a / b that is not whole is at least 1/b below the next integer. The rounding error is at most a / b / 2^24, or 2^53, which
/// is less for a below 2^24, or 2^53.
fn exact(most: i128) -> Option<&'static str> {
    if most < 1 << 24 {
        Some("float")
    } else if most < 1 << 53 {
        Some("double")
    } else {
        None
    }
}

/// The functions that the text uses.
pub(super) fn helpers(name: &str, text: &str) -> String {
    let mut found = String::new();
    let types =
        [(8, false), (8, true), (16, false), (16, true), (32, true), (64, true), (32, false), (64, false)];
    let integers = types.into_iter().map(|(bits, signed)| Storage { bits, signed, float: false });
    for storage in integers.chain([FLOAT]) {
        let of = type_name(storage);
        for (function, parameters, body) in functions(&of, storage.signed) {
            if text.contains(&format!("{name}_{function}_{of}(")) {
                let result = if function == "fill" { "void" } else { &of };
                let _ = write!(
                    found,
                    "static inline {result} {name}_{function}_{of}({parameters})\n{{\n    {body}\n}}\n\n"
                );
            }
        }
    }
    for (function, definition) in place_functions() {
        if text.contains(&format!("{name}_{function}(")) {
            found += &definition.replace("NAME", name);
        }
    }
    for border in [Border::Replicate, Border::Wrap, Border::Reflect, Border::Reflect101] {
        if let Some(of) = c_inside(border)
            && text.contains(&format!("{name}_{border}_inside("))
        {
            let _ = write!(
                found,
                "static inline ptrdiff_t {name}_{border}_inside(ptrdiff_t i, ptrdiff_t n)\n{{\n    {of}\n    return i;\n}}\n\n"
            );
        }
    }
    found
}

/// Functions for each type: names, parameters, bodies.
fn functions(of: &str, is_signed: bool) -> [(&'static str, String, String); 8] {
    let two = format!("{of} a, {of} b");
    [
        ("abs", format!("{of} a"), format!("return ({of})(a < 0 ? -a : a);")),
        ("min", two.clone(), "return b < a ? b : a;".to_owned()),
        ("max", two.clone(), "return b > a ? b : a;".to_owned()),
        ("quotient", two.clone(), format!("return ({of})(a / b - (a % b != 0 && (a < 0) != (b < 0)));")),
        (
            "even",
            two,
            format!(
                "const {of} q = ({of})(a / b{}), r = ({of})(a - q * b);\n    \
                 return ({of})(q + (r > b - r || (r == b - r && q % 2 != 0)));",
                if is_signed { " - (a % b < 0)" } else { "" }
            ),
        ),
        (
            // Bit by bit, without branches, so that it is vectorised.
            "root",
            format!("{of} a"),
            format!(
                "u{of} root = 0;\n    for (u{of} bit = (u{of})1 << {}; bit != 0; bit >>= 1) {{\n        \
                 const u{of} next = root | bit;\n        root = next * next <= (u{of})a ? next : root;\n    }}\n    \
                 return ({of})root;",
                if of.contains("64") { 31 } else { 15 }
            ),
        ),
        (
            // What is not a number is equal to nothing.
            "saturated",
            format!("float a, {of} low, {of} high"),
            format!(
                "const float r = rintf(a);\n    \
                 return r != r ? 0 : r <= (float)low ? low : r >= (float)high ? high : ({of})r;"
            ),
        ),
        (
            "fill",
            format!("{of} *o, {of} v, ptrdiff_t n"),
            "for (ptrdiff_t x = 0; x < n; x++) o[x] = v;".to_owned(),
        ),
    ]
}

/// Functions of one type, by the ends of their names.
fn place_functions() -> [(&'static str, &'static str); 5] {
    [
        (
            "down",
            "static inline ptrdiff_t NAME_down(ptrdiff_t i, ptrdiff_t p)\n{\n    \
             return i >= 0 ? i / p : -((p - 1 - i) / p);\n}\n\n",
        ),
        (
            "phase",
            "static inline ptrdiff_t NAME_phase(ptrdiff_t i, ptrdiff_t p)\n{\n    \
             return i >= 0 ? i % p : p - 1 - (-1 - i) % p;\n}\n\n",
        ),
        (
            "up",
            "static inline float NAME_up(float a)\n{\n    const float f = floorf(a);\n    \
             return a - f >= 0.5f ? f + 1.0f : f;\n}\n\n",
        ),
        (
            "least",
            "static inline ptrdiff_t NAME_least(ptrdiff_t a, ptrdiff_t b)\n{\n    return b < a ? b : a;\n}\n\n",
        ),
        (
            "most",
            "static inline ptrdiff_t NAME_most(ptrdiff_t a, ptrdiff_t b)\n{\n    return b > a ? b : a;\n}\n\n",
        ),
    ]
}
