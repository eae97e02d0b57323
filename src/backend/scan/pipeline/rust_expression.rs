//! Loops over the columns of a row in Rust.

use std::fmt::Write;

use crate::backend::scan::machine::{Storage, rust_type};
use crate::pipeline::{Fold, Rounding};

use super::columns::{Columns, Language};
use super::expression::{Body, Expressions, Extent, Id, Operator, Tables};
use super::lookups::BLOCK;
use super::loops::{Kind, Loops};
use super::rust_address::Printer;

impl Language for Printer<'_> {
    const IN_BLOCK: &'static str = "j";
    const AS_INDEX: &'static str = " as isize";

    fn number(&self, value: i128, of: Storage) -> String {
        let of = rust_type(of);
        if value < 0 { format!("({value}{of})") } else { format!("{value}{of}") }
    }

    fn local(&self, id: Id, of: Storage, value: &str) -> String {
        format!("            let t{id}: {} = {value};\n", rust_type(of))
    }

    fn operation(&self, code: &Expressions, id: Id, operands: &[String]) -> String {
        let node = &code.nodes[id];
        let of = rust_type(node.of);
        let joined = |by: &str| format!("({})", operands.join(by));
        match (&node.operator, operands) {
            (Operator::Real(bits), _) => real(*bits, node.of),
            (Operator::Cast(_), [a]) => format!("({a} as {of})"),
            (Operator::Sum(_), _) => joined(" + "),
            (Operator::Product(_), _) => joined(" * "),
            (Operator::Divided(..), _) => joined(" / "),
            (Operator::Negation(_), [a]) => format!("(-{a})"),
            (Operator::Absolute(_), [a]) => format!("{a}.abs()"),
            (Operator::Minimum(..), [a, b]) if node.of.float => format!("first!({a}, <, {b})"),
            (Operator::Maximum(..), [a, b]) if node.of.float => format!("first!({a}, >, {b})"),
            (Operator::Minimum(..), [a, b]) => format!("{a}.min({b})"),
            (Operator::Maximum(..), [a, b]) => format!("{a}.max({b})"),
            (Operator::Quotient(..), _) => format!("floor!{}", joined(", ")),
            (Operator::Even(..), _) => format!("even!{}", joined(", ")),
            (Operator::Right(_, bits), [a]) => format!("({a} >> {bits})"),
            (Operator::And(_, mask), [a]) => format!("({a} & {})", self.number(*mask, node.of)),
            (Operator::Compared(comparison, ..), _) => {
                format!("({} as {of})", joined(&format!(" {} ", comparison.sign())))
            }
            (Operator::Select(..), [a, b, c]) => format!("(if {a} != 0 {{ {b} }} else {{ {c} }})"),
            (Operator::Table { table, .. }, [index]) => {
                format!("(TABLE_{table}[({index}) as usize] as {of})")
            }
            (Operator::Root(_), [a]) if node.of.float => format!("{a}.sqrt()"),
            // In double precision it is exact below 2^52 when it is rounded down: what is not a square is at least 1 / (2 · √a)
            // below the next root, which is more than the error of rounding.
            (Operator::Root(of_root), [a]) if code.range(*of_root)[1] < 1 << 52 => {
                format!("(({a} as f64).sqrt() as {of})")
            }
            (Operator::Root(_), [a]) => format!("{a}.isqrt()"),
            (Operator::Rounded(rounding, _), [a]) => match rounding {
                Rounding::Floor => format!("{a}.floor()"),
                Rounding::Ceiling => format!("{a}.ceil()"),
                Rounding::Zero => format!("{a}.trunc()"),
                Rounding::Even => format!("{a}.round_ties_even()"),
                Rounding::Up => format!("up!({a})"),
            },
            // Conversions saturate, and what is not a number becomes 0.
            (Operator::Saturated(_, [low, high]), [a]) => {
                format!("(({a}.round_ties_even() as i64).clamp({low}, {high}) as {of})")
            }
            _ => unreachable!(
                "every operator has its operands, and what both languages write alike is written before"
            ),
        }
    }

    /// See the printer of C for why it is exact.
    fn quotient(&self, operands: &[String], most: i128, of: Storage) -> String {
        let real = match most {
            most if most < 1 << 23 => "f32, 8388608.0",
            most if most < 1 << 52 => "f64, 4503599627370496.0",
            _ => return format!("({})", operands.join(" / ")),
        };
        format!("(quotient!({}, {real}) as {})", operands.join(", "), rust_type(of))
    }

    fn dense(&self, read: usize, column: i64, tables: Tables) -> String {
        format!("a{read}_{column}[{}]", in_loop(tables))
    }

    fn indexed(&self, a: usize, place: &str, plane: Option<String>, by: Option<[String; 2]>) -> String {
        let plane = plane.map(|plane| format!("{plane} as isize * p{a} + "));
        match (by, plane) {
            (Some([east, north]), plane) => format!(
                "a{a}[((r{a} - {north} as isize) % e{a} * q{a} + c{a} + {}({place}) as isize + {east} as isize) as usize]",
                plane.unwrap_or_default()
            ),
            (None, Some(plane)) => format!("a{a}[({plane}({place}) as isize) as usize]"),
            (None, None) => format!("a{a}[{place}]"),
        }
    }
}

/// A constant of single or double precision.
fn real(bits: u64, of: Storage) -> String {
    let (value, name) = (f64::from_bits(bits), rust_type(of));
    let text = if of.bits == 32 { format!("{:?}{name}", value as f32) } else { format!("{value:?}{name}") };
    if value.is_sign_negative() { format!("({text})") } else { text }
}

/// The index of a column in the loop over columns.
fn in_loop(tables: Tables) -> &'static str {
    if tables == Tables::Here { "x" } else { "j" }
}

/// The function that computes a row.
pub(super) fn column_loop(
    printer: &Printer<'_>,
    (name, of): (&str, Storage),
    kind: &Kind,
    body: &Body,
) -> String {
    let (loops, to) = (printer.loops, rust_type(of));
    let parameters = parameters(loops, body);
    let lookups = body.code.lookups(&body.results);
    let tables = body.code.last_tables(&body.results, &lookups);
    let last = Columns::of(printer, loops, body, &body.results, tables);
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
fn blocks(last: &Columns<'_, Printer<'_>>, lookups: &[Vec<Id>], (kind, to): (&Kind, &str)) -> String {
    let Columns { language, loops, body, .. } = *last;
    let [mut arrays, mut text] = [const { String::new() }; 2];
    for level in lookups {
        let indices: Vec<Id> = level.iter().map(|id| body.code.lookup(*id).2).collect();
        let columns = Columns::of(language, loops, body, &indices, Tables::Read);
        let [mut indexed, mut read] = [const { String::new() }; 2];
        for id in level {
            let (table, ..) = body.code.lookup(*id);
            let (place, of) = (rust_type(body.code.place_in_table(*id)), rust_type(body.code.nodes[*id].of));
            let _ = writeln!(arrays, "            let mut i{id} = [0{place}; {BLOCK}];");
            let _ = writeln!(indexed, "            i{id}[j] = ({}) as {place};", columns.index(*id));
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

impl Columns<'_, Printer<'_>> {
    /// The loop that stores what is computed for each column, in the type that is named.
    fn stores(&self, kind: &Kind, to: &str) -> String {
        let result = |number: usize| self.text(self.body.results[number]);
        let (locals, x) = (self.locals(), in_loop(self.tables));
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
            Operator::Load(load) => !self.body.code.reads[load.read].is_dense(),
            _ => false,
        });
        if self.tables != Tables::Here && (counts || loads) { "            let x = x0 + j;\n" } else { "" }
    }

    /// Slices of equal length, so that no index is tested: for each read and place.
    fn slices(&self, slice: impl Fn(usize, i64) -> String) -> String {
        self.places().into_iter().map(|(read, place)| slice(read, place)).collect()
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
