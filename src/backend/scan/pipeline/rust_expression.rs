//! Loops over the columns of a row in Rust.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::backend::scan::machine::{Storage, rust_type};
use crate::pipeline::{Fold, Rounding};

use super::coordinate::added;
use super::expression::{Body, Extent, From, Id, Load, Operator, Tables};
use super::lookups::BLOCK;
use super::loops::{Kind, Loops};

/// An integer constant.
pub(super) fn number(value: i128, of: Storage) -> String {
    let of = rust_type(of);
    if value < 0 { format!("({value}{of})") } else { format!("{value}{of}") }
}

/// A constant of single or double precision.
fn real(bits: u64, of: Storage) -> String {
    let (value, of_rust) = (f64::from_bits(bits), rust_type(of));
    let text =
        if of.bits == 32 { format!("{:?}{of_rust}", value as f32) } else { format!("{value:?}{of_rust}") };
    if value.is_sign_negative() { format!("({text})") } else { text }
}

/// The function that computes a row.
pub(super) fn column_loop(
    loops: &Loops<'_>,
    (name, of): (&str, Storage),
    kind: &Kind,
    body: &Body,
) -> String {
    let to = rust_type(of);
    let parameters = parameters(loops, body);
    let lookups = body.code.lookups(&body.results);
    let tables = body.code.last_tables(&body.results, &lookups);
    let last = Columns::of(loops, body, &body.results, tables);
    let text = if lookups.is_empty() { last.stores(kind, &to) } else { blocks(&last, &lookups, (kind, &to)) };
    let (own, length) = match kind {
        Kind::Cells([p, _]) => (String::new(), format!("let n = o.len() / {p};")),
        Kind::Counts(_) => ("so: usize, n: usize, ".to_owned(), String::new()),
        Kind::Folds(Fold::ArgumentOfMinimum, _, folded) => (
            format!("best: &mut [{}], d: i32, ", rust_type(*folded)),
            "let n = o.len();\n        let best = &mut best[..n];".to_owned(),
        ),
        _ => (String::new(), "let n = o.len();".to_owned()),
    };
    format!(
        "    fn {name}(o: &mut [{to}], {own}{parameters}) {{\n        {length}\n        let _ = n;\n{}{text}    }}\n",
        last.slices(|read, place| format!("        let a{read}_{place} = &a{read}[{place}..][..n];\n"))
    )
}

/// Loops over some columns at a time: for the indices of tables, for what is read there, and at last for what is stored.
fn blocks(last: &Columns<'_>, lookups: &[Vec<Id>], (kind, to): (&Kind, &str)) -> String {
    let Columns { loops, body, .. } = *last;
    let [mut arrays, mut text] = [const { String::new() }; 2];
    for level in lookups {
        let indices: Vec<Id> = level.iter().map(|id| body.code.lookup(*id).2).collect();
        let columns = Columns::of(loops, body, &indices, Tables::Read);
        let [mut indexed, mut read] = [const { String::new() }; 2];
        for id in level {
            let (table, first, index) = body.code.lookup(*id);
            let (place, of) = (rust_type(body.code.place_in_table(*id)), rust_type(body.code.nodes[*id].of));
            let _ = writeln!(arrays, "            let mut i{id} = [0{place}; {BLOCK}];");
            let index = added(&format!("{} as isize", columns.text(index)), -first);
            let _ = writeln!(indexed, "            i{id}[j] = ({index}) as {place};");
            if last.tables == Tables::Read {
                let _ = writeln!(arrays, "            let mut v{id} = [0{of}; {BLOCK}];");
                let _ = writeln!(read, "            v{id}[j] = TABLE_{table}[i{id}[j] as usize] as {of};");
            }
        }
        text += &columns.each(&format!("{}{indexed}", columns.locals()), false);
        if !read.is_empty() {
            text += &format!("        for j in 0..m {{\n{read}        }}\n");
        }
    }
    let slices = last
        .slices(|read, place| format!("            let a{read}_{place} = &a{read}_{place}[x0..][..m];\n"));
    let own = match kind {
        Kind::Folds(Fold::ArgumentOfMinimum, ..) => {
            "            let (o, best) = (&mut o[x0..][..m], &mut best[x0..][..m]);\n".to_owned()
        }
        Kind::Plain | Kind::Continued(_) | Kind::Folds(..) => {
            "            let o = &mut o[x0..][..m];\n".to_owned()
        }
        Kind::Cells([p, _]) => format!("            let o = &mut o[{p} * x0..][..{p} * m];\n"),
        Kind::Counts(_) => String::new(),
    };
    let inner: String =
        format!("{text}{}", last.stores(kind, to)).lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "        let mut x0 = 0;\n        while x0 < n {{\n            let m = (n - x0).min({BLOCK});\n{arrays}{slices}{own}{inner}            \
         x0 += {BLOCK};\n        }}\n"
    )
}

fn parameters(loops: &Loops<'_>, body: &Body) -> String {
    let mut list = Vec::new();
    for (number, read) in body.code.reads.iter().enumerate() {
        let of = rust_type(loops.read_storage(read.from));
        list.push(format!("a{number}: &[{of}]"));
        match read.extent {
            Extent::Row(_) => {}
            Extent::Planes => list.push(format!("p{number}: isize")),
            Extent::Rows => {
                list.push(format!("[p{number}, q{number}, r{number}, e{number}, c{number}]: [isize; 5]"));
            }
        }
    }
    list.extend(body.code.variables().iter().map(|id| format!("d{}: i32", id.0)));
    list.join(", ")
}

struct Columns<'b> {
    loops: &'b Loops<'b>,
    body: &'b Body,
    /// Of each operation, whether it has a name.
    is_local: Vec<bool>,
    /// Where tables are read. Loops around them are over columns `x0 + j`.
    tables: Tables,
}

impl<'b> Columns<'b> {
    fn of(loops: &'b Loops<'b>, body: &'b Body, results: &[Id], tables: Tables) -> Self {
        Self { loops, body, is_local: body.code.locals(results, tables), tables }
    }
}

impl Columns<'_> {
    /// The loop that stores what is computed for each column, in the type that is named.
    fn stores(&self, kind: &Kind, to: &str) -> String {
        let result = |number: usize| self.text(self.body.results[number]);
        let (locals, x) = (self.locals(), if self.tables != Tables::Here { "j" } else { "x" });
        let stores = match kind {
            Kind::Plain | Kind::Continued(_) => format!("            o[{x}] = {} as {to};\n", result(0)),
            Kind::Cells([p, _]) => {
                let one = |i: usize| format!("            o[{i}] = {} as {to};\n", result(i));
                let stores: String = (0..*p as usize).map(one).collect();
                return format!(
                    "        for ({x}, o) in o.chunks_exact_mut({p}).enumerate() {{\n{}{locals}{stores}        }}\n",
                    self.column(false)
                );
            }
            Kind::Counts([p, _]) => {
                format!("            o[{} as usize * so + x / {p}] += {} as {to};\n", result(0), result(1))
            }
            Kind::Folds(fold, _, folded) => {
                let from = rust_type(*folded);
                let value = format!("            let v = {} as {from};\n", result(0));
                value
                    + &match fold {
                        Fold::Add => format!("            o[{x}] += v as {to};\n"),
                        Fold::Minimum => format!("            o[{x}] = o[{x}].min(v as {to});\n"),
                        Fold::Maximum => format!("            o[{x}] = o[{x}].max(v as {to});\n"),
                        Fold::ArgumentOfMinimum => format!(
                            "            let less = v < best[{x}];\n            o[{x}] = if less {{ d as {to} }} else {{ o[{x}] }};\n            \
                             best[{x}] = if less {{ v }} else {{ best[{x}] }};\n"
                        ),
                    }
            }
        };
        self.each(&format!("{locals}{stores}"), matches!(kind, Kind::Counts(_)))
    }

    /// A loop over the columns; `counts` says whether the statements use the number of the column.
    fn each(&self, statements: &str, counts: bool) -> String {
        let head = if self.tables != Tables::Here { "for j in 0..m" } else { "for x in 0..n" };
        format!("        {head} {{\n{}{statements}        }}\n", self.column(counts))
    }

    /// The number of the column in a block, where it is used.
    fn column(&self, counts: bool) -> &'static str {
        let loads = self.body.code.nodes.iter().any(|node| match &node.operator {
            Operator::Load(load) => !self.is_dense(load.read),
            _ => false,
        });
        if self.tables != Tables::Here && (counts || loads) { "            let x = x0 + j;\n" } else { "" }
    }

    /// Whether neighbouring pixels are read for neighbouring pixels.
    fn is_dense(&self, read: usize) -> bool {
        let read = &self.body.code.reads[read];
        matches!((read.from, read.extent), (From::Value(_) | From::Picture(_), Extent::Row(_)))
            && read.column.times == 1
            && read.column.down == 1
    }

    /// The place of a load in its row.
    fn place(&self, load: &Load) -> i64 {
        load.plus - self.body.code.columns(load.read)[0]
    }

    /// Slices of equal length, so that no index is tested: for each read and place.
    fn slices(&self, slice: impl Fn(usize, i64) -> String) -> String {
        let mut found = BTreeSet::new();
        for node in &self.body.code.nodes {
            if let Operator::Load(load) = &node.operator
                && self.is_dense(load.read)
            {
                found.insert((load.read, self.place(load)));
            }
        }
        found.into_iter().map(|(read, place)| slice(read, place)).collect()
    }

    /// The operations with names.
    fn locals(&self) -> String {
        let mut text = String::new();
        for (id, node) in self.body.code.nodes.iter().enumerate() {
            if self.is_local[id] {
                let _ =
                    writeln!(text, "            let t{id}: {} = {};", rust_type(node.of), self.operation(id));
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
        let of = rust_type(node.of);
        match &node.operator {
            Operator::Number(value) => number(*value, node.of),
            Operator::Real(bits) => real(*bits, node.of),
            Operator::Load(load) => self.load(load),
            Operator::Variable(id) => format!("d{}", id.0),
            Operator::Cast(a) => format!("({} as {of})", self.text(*a)),
            Operator::Sum(list) => format!("({})", self.joined(list, " + ")),
            Operator::Product(list) => format!("({})", self.joined(list, " * ")),
            Operator::Negation(a) => format!("(-{})", self.text(*a)),
            Operator::Absolute(a) => format!("{}.abs()", self.text(*a)),
            Operator::Minimum(a, b) if node.of.float => {
                format!("first!({}, <, {})", self.text(*a), self.text(*b))
            }
            Operator::Maximum(a, b) if node.of.float => {
                format!("first!({}, >, {})", self.text(*a), self.text(*b))
            }
            Operator::Minimum(a, b) => format!("{}.min({})", self.text(*a), self.text(*b)),
            Operator::Maximum(a, b) => format!("{}.max({})", self.text(*a), self.text(*b)),
            Operator::Quotient(a, b) => self.quotient(*a, *b, &of),
            Operator::Divided(a, b) => format!("({} / {})", self.text(*a), self.text(*b)),
            Operator::Even(a, b) => format!("even!({}, {})", self.text(*a), self.text(*b)),
            Operator::Right(a, bits) => format!("({} >> {bits})", self.text(*a)),
            Operator::And(a, mask) => format!("({} & {})", self.text(*a), number(*mask, node.of)),
            Operator::Compared(comparison, a, b) => {
                let sign = comparison.sign();
                format!("(({} {sign} {}) as {of})", self.text(*a), self.text(*b))
            }
            Operator::Select(a, b, c) => {
                format!("(if {} != 0 {{ {} }} else {{ {} }})", self.text(*a), self.text(*b), self.text(*c))
            }
            Operator::Table { .. } if self.tables == Tables::Read => format!("v{id}[j]"),
            Operator::Table { table, first, index } => {
                let index = match self.tables {
                    Tables::Indexed => format!("i{id}[j]"),
                    _ => added(&format!("{} as isize", self.text(*index)), -first),
                };
                format!("(TABLE_{table}[({index}) as usize] as {of})")
            }
            Operator::Root(a) if node.of.float => format!("{}.sqrt()", self.text(*a)),
            Operator::Root(a) => self.root(*a, &of),
            Operator::Rounded(rounding, a) => self.rounded(*rounding, *a),
            // Conversions saturate, and what is not a number becomes 0.
            Operator::Saturated(a, [low, high]) => {
                format!("(({}.round_ties_even() as i64).clamp({low}, {high}) as {of})", self.text(*a))
            }
        }
    }

    /// A value of single precision, rounded.
    fn rounded(&self, rounding: Rounding, a: Id) -> String {
        let value = self.text(a);
        match rounding {
            Rounding::Floor => format!("{value}.floor()"),
            Rounding::Ceiling => format!("{value}.ceil()"),
            Rounding::Zero => format!("{value}.trunc()"),
            Rounding::Even => format!("{value}.round_ties_even()"),
            Rounding::Up => format!("up!({value})"),
        }
    }

    /// A square root, rounded down. In double precision it is exact below 2^52: what is not a square is at least
    /// 1 / (2 · √a) below the next root, which is more than the error of rounding.
    fn root(&self, a: Id, of: &str) -> String {
        let value = self.text(a);
        if self.body.code.range(a)[1] < 1 << 52 {
            format!("(({value} as f64).sqrt() as {of})")
        } else {
            format!("{value}.isqrt()")
        }
    }

    /// A quotient that is rounded down. Processors divide in floating point several values at a time; see the printer of C for why
    /// it is exact.
    fn quotient(&self, a: Id, b: Id, of: &str) -> String {
        let nodes = &self.body.code.nodes;
        let (x, y) = (self.text(a), self.text(b));
        let is_multiplied = matches!(nodes[b].operator, Operator::Number(_)) && nodes[b].of.bits < 64;
        if nodes[a].range[0] < 0 || nodes[b].range[0] < 0 {
            return format!("floor!({x}, {y})");
        }
        match nodes[a].range[1].max(nodes[b].range[1]) {
            most if most < 1 << 23 && !is_multiplied => {
                format!("(quotient!({x}, {y}, f32, 8388608.0) as {of})")
            }
            most if most < 1 << 52 && !is_multiplied => {
                format!("(quotient!({x}, {y}, f64, 4503599627370496.0) as {of})")
            }
            _ => format!("({x} / {y})"),
        }
    }

    fn load(&self, load: &Load) -> String {
        let read = &self.body.code.reads[load.read];
        let (a, column) = (load.read, &read.column);
        let first = column.times * self.body.first;
        let times = if column.times == 1 { "x".to_owned() } else { format!("{} * x", column.times) };
        if let From::Pattern(pattern) = read.from {
            let columns = self.loops.pattern(pattern)[0] as i64;
            let phase = (first + load.plus).rem_euclid(columns);
            return format!("a{a}[({}) % {columns}]", added(&times, phase));
        }
        if self.is_dense(a) {
            return format!(
                "a{a}_{}[{}]",
                self.place(load),
                if self.tables != Tables::Here { "j" } else { "x" }
            );
        }
        let place = if column.down == 1 {
            added(&times, self.place(load))
        } else {
            let phase = (first + column.plus).rem_euclid(column.down);
            format!("({}) / {}", added(&times, phase), column.down)
        };
        let plane =
            load.plane.map(|plane| format!("{} as isize * p{a} + ", self.text(plane))).unwrap_or_default();
        match (read.extent, load.by) {
            (Extent::Rows, Some([east, north])) => format!(
                "a{a}[((r{a} - {} as isize) % e{a} * q{a} + c{a} + {plane}({place}) as isize + {} as isize) as usize]",
                self.text(north),
                self.text(east)
            ),
            (Extent::Planes, _) => format!("a{a}[({plane}({place}) as isize) as usize]"),
            _ => format!("a{a}[{place}]"),
        }
    }
}

/// The macros that the text uses.
pub(super) fn macros(text: &str) -> String {
    let used = |name: &str, of: &'static str| if text.contains(name) { of } else { "" };
    [("floor!(", FLOOR), ("even!(", EVEN), ("quotient!(", QUOTIENT), ("first!(", FIRST), ("up!(", UP)]
        .map(|(name, of)| used(name, of))
        .concat()
}

/// The second of two values of single precision if it is less or greater, otherwise the first.
const FIRST: &str = "    macro_rules! first {
        ($a:expr, $sign:tt, $b:expr) => {{
            let (a, b) = ($a, $b);
            if b $sign a { b } else { a }
        }};
    }
";

/// The nearest integer; of two, the greater.
const UP: &str = "    macro_rules! up {
        ($a:expr) => {{
            let a = $a;
            let f = a.floor();
            if a - f >= 0.5 { f + 1.0 } else { f }
        }};
    }
";

/// The quotient of two integers that are not negative, rounded down, as the bits of a floating-point number. Conversions of Rust saturate,
/// which takes longer than the division: a number to which 2^23 is added in single precision, or 2^52 in double precision, has the nearest
/// integer as its lowest bits.
const QUOTIENT: &str = "    macro_rules! quotient {
        ($a:expr, $b:expr, $of:ty, $whole:expr) => {{
            let q = $a as $of / $b as $of;
            let near = q + $whole;
            near.to_bits() - <$of>::to_bits($whole) - if near - $whole > q { 1 } else { 0 }
        }};
    }
";

/// The quotient, rounded down.
const FLOOR: &str = "    macro_rules! floor {
        ($a:expr, $b:expr) => {{
            let (a, b) = ($a, $b);
            let q = a / b;
            if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
        }};
    }
";

/// The quotient by a positive number, rounded to the nearest integer, ties to even.
const EVEN: &str = "    macro_rules! even {
        ($a:expr, $b:expr) => {{
            let (a, b) = ($a, $b);
            let (q, r) = (a.div_euclid(b), a.rem_euclid(b));
            if r > b - r || (r == b - r && q % 2 != 0) { q + 1 } else { q }
        }};
    }
";
