//! Loops over the columns of a row in Rust.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::backend::scan::machine::{Storage, rust_type};
use crate::pipeline::Fold;

use super::coordinate::added;
use super::expression::{Body, Extent, From, Id, Load, Operator};
use super::loops::{Kind, Loops};

/// An integer constant.
pub(super) fn number(value: i128, of: Storage) -> String {
    let of = rust_type(of);
    if value < 0 { format!("({value}{of})") } else { format!("{value}{of}") }
}

/// The function that computes a row.
pub(super) fn column_loop(
    loops: &Loops<'_>,
    (name, of): (&str, Storage),
    kind: &Kind,
    body: &Body,
) -> String {
    let to = rust_type(of);
    let printer = Columns { loops, body, is_local: body.code.locals(&body.results) };
    let locals = printer.locals();
    let result = |number: usize| printer.text(body.results[number]);
    let parameters = parameters(loops, body);
    let plain = |own: String, statements: String| {
        (
            own,
            "let n = o.len();".to_owned(),
            format!("        for x in 0..n {{\n{locals}{statements}        }}\n"),
        )
    };
    let (own, length, text) = match kind {
        Kind::Plain => plain(String::new(), format!("            o[x] = {} as {to};\n", result(0))),
        Kind::Cells([p, _]) => {
            let one = |i: usize| format!("            o[{i}] = {} as {to};\n", result(i));
            let stores: String = (0..*p as usize).map(one).collect();
            let text = format!(
                "        for (x, o) in o.chunks_exact_mut({p}).enumerate() {{\n{locals}{stores}        }}\n"
            );
            (String::new(), format!("let n = o.len() / {p};"), text)
        }
        Kind::Counts([p, _]) => {
            let store =
                format!("            o[{} as usize * so + x / {p}] += {} as {to};\n", result(0), result(1));
            let text = format!("        for x in 0..n {{\n{locals}{store}        }}\n");
            ("so: usize, n: usize, ".to_owned(), String::new(), text)
        }
        Kind::Folds(fold, _, folded) => {
            let from = rust_type(*folded);
            let value = format!("            let v = {} as {from};\n", result(0));
            match fold {
                Fold::Add => plain(String::new(), format!("{value}            o[x] += v as {to};\n")),
                Fold::Minimum => {
                    plain(String::new(), format!("{value}            o[x] = o[x].min(v as {to});\n"))
                }
                Fold::Maximum => {
                    plain(String::new(), format!("{value}            o[x] = o[x].max(v as {to});\n"))
                }
                Fold::ArgumentOfMinimum => {
                    let update = "            let less = v < best[x];\n            o[x] = if less { d as TO } else { o[x] };\n            \
                                  best[x] = if less { v } else { best[x] };\n";
                    let (own, _, text) =
                        plain(format!("best: &mut [{from}], d: i32, "), value + &update.replace("TO", &to));
                    (own, "let n = o.len();\n        let best = &mut best[..n];".to_owned(), text)
                }
            }
        }
    };
    format!(
        "    fn {name}(o: &mut [{to}], {own}{parameters}) {{\n        {length}\n        let _ = n;\n{}{text}    }}\n",
        printer.slices()
    )
}

fn parameters(loops: &Loops<'_>, body: &Body) -> String {
    let mut list = Vec::new();
    for (number, read) in body.code.reads.iter().enumerate() {
        let of = match read.from {
            From::Value(id) => rust_type(loops.buffers[&id].of),
            From::Pattern(_) => "i32".to_owned(),
        };
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
}

impl Columns<'_> {
    /// Whether neighbouring pixels are read for neighbouring pixels.
    fn is_dense(&self, read: usize) -> bool {
        let read = &self.body.code.reads[read];
        matches!((read.from, read.extent), (From::Value(_), Extent::Row(_)))
            && read.column.times == 1
            && read.column.down == 1
    }

    /// The place of a load in its row.
    fn place(&self, load: &Load) -> i64 {
        load.plus - self.body.code.columns(load.read)[0]
    }

    /// Slices of equal length, so that no index is tested.
    fn slices(&self) -> String {
        let mut found = BTreeSet::new();
        for node in &self.body.code.nodes {
            if let Operator::Load(load) = &node.operator
                && self.is_dense(load.read)
            {
                found.insert((load.read, self.place(load)));
            }
        }
        let slice = |(read, place): &(usize, i64)| {
            format!("        let a{read}_{place} = &a{read}[{place}..][..n];\n")
        };
        found.iter().map(slice).collect()
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
            Operator::Load(load) => self.load(load),
            Operator::Variable(id) => format!("d{}", id.0),
            Operator::Cast(a) => format!("({} as {of})", self.text(*a)),
            Operator::Sum(list) => format!("({})", self.joined(list, " + ")),
            Operator::Product(list) => format!("({})", self.joined(list, " * ")),
            Operator::Negation(a) => format!("(-{})", self.text(*a)),
            Operator::Absolute(a) => format!("{}.abs()", self.text(*a)),
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
            Operator::Table { table, first, index } => {
                let index = added(&format!("{} as isize", self.text(*index)), -first);
                format!("(TABLE_{table}[({index}) as usize] as {of})")
            }
            Operator::Root(a) => self.root(*a, &of),
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
        let is_constant = matches!(nodes[b].operator, Operator::Number(_));
        if nodes[a].range[0] < 0 || nodes[b].range[0] < 0 {
            return format!("floor!({x}, {y})");
        }
        match nodes[a].range[1].max(nodes[b].range[1]) {
            most if most < 1 << 24 && !is_constant => format!("(({x} as f32 / {y} as f32) as {of})"),
            most if most < 1 << 53 && !is_constant => format!("(({x} as f64 / {y} as f64) as {of})"),
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
            return format!("a{a}_{}[x]", self.place(load));
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
    format!("{}{}", used("floor!(", FLOOR), used("even!(", EVEN))
}

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
