//! Loops over the columns of a row in C, and the functions that they use.

use std::fmt::Write;
use std::iter::zip;

use crate::backend::scan::machine::{Storage, apart, c_inside, type_name};
use crate::pipeline::{Border, Fold, Rounding};

use super::c_address::Printer;
use super::columns::{Columns, Language};
use super::expression::{Body, Expressions, Extent, Id, Operator, Read, Tables};
use super::lookups::BLOCK;
use super::loops::{Kind, Loops};
use super::plans::FLOAT;

impl Language for Printer<'_> {
    const IN_BLOCK: &'static str = "x - x0";
    const AS_INDEX: &'static str = "";

    fn number(&self, value: i128, of: Storage) -> String {
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

    fn local(&self, id: Id, of: Storage, value: &str) -> String {
        format!("        const {} t{id} = {value};\n", type_name(of))
    }

    fn operation(&self, code: &Expressions, id: Id, operands: &[String]) -> String {
        let node = &code.nodes[id];
        let of = type_name(node.of);
        let joined = |by: &str| format!("({of})({})", operands.join(by));
        let plain = |function: &str| format!("{function}({})", operands.join(", "));
        let call = |function: &str| plain(&format!("{}_{function}_{of}", self.name));
        match (&node.operator, operands) {
            (Operator::Real(bits), _) => real(*bits, node.of),
            (Operator::Cast(_), [a]) => format!("({of}){a}"),
            (Operator::Sum(_), _) => joined(" + "),
            (Operator::Product(_), _) => joined(" * "),
            (Operator::Divided(..), _) => joined(" / "),
            (Operator::Negation(_), [a]) => format!("({of})(-{a})"),
            (Operator::Absolute(_), _) if node.of.float => plain("fabsf"),
            (Operator::Absolute(_), _) => call("abs"),
            (Operator::Minimum(..), _) => call("min"),
            (Operator::Maximum(..), _) => call("max"),
            (Operator::Quotient(..), _) => call("quotient"),
            (Operator::Even(..), _) => call("even"),
            (Operator::Right(_, bits), [a]) => format!("({of})({a} >> {bits})"),
            (Operator::And(_, mask), [a]) => format!("({of})({a} & {})", self.number(*mask, node.of)),
            (Operator::Compared(comparison, ..), _) => joined(&format!(" {} ", comparison.sign())),
            (Operator::Select(..), [a, b, c]) => format!("({of})({a} ? {b} : {c})"),
            (Operator::Table { table, .. }, [index]) => format!("({of}){}_table_{table}[{index}]", self.name),
            (Operator::Root(_), _) if node.of.float => plain("sqrtf"),
            (Operator::Root(_), _) => call("root"),
            (Operator::Rounded(rounding, _), _) => plain(&match rounding {
                Rounding::Floor => "floorf".to_owned(),
                Rounding::Ceiling => "ceilf".to_owned(),
                Rounding::Zero => "truncf".to_owned(),
                Rounding::Even => "rintf".to_owned(),
                Rounding::Up => format!("{}_up", self.name),
            }),
            (Operator::Saturated(_, limits), [a]) => {
                let [low, high] = limits.map(|limit| self.number(limit, node.of));
                format!("{}_saturated_{of}({a}, {low}, {high})", self.name)
            }
            _ => unreachable!(
                "every operator has its operands, and what both languages write alike is written before"
            ),
        }
    }

    /// A quotient a / b that is not whole is at least 1/b below the next integer. The rounding error is at most a / b / 2^24, or 2^53,
    /// which is less for a below 2^24, or 2^53.
    fn quotient(&self, operands: &[String], most: i128, of: Storage) -> String {
        let real = match most {
            most if most < 1 << 24 => "(float)",
            most if most < 1 << 53 => "(double)",
            _ => "",
        };
        format!("({})({real}{} / {real}{})", type_name(of), operands[0], operands[1])
    }

    fn dense(&self, read: usize, column: i64, _: Tables) -> String {
        if column == 0 { format!("a{read}[x]") } else { format!("a{read}_{column}[x]") }
    }

    fn indexed(&self, a: usize, place: &str, plane: Option<String>, by: Option<[String; 2]>) -> String {
        let plane =
            plane.map_or_else(String::new, |plane| format!("(ptrdiff_t){plane}{}", step_of_planes(a)));
        match by {
            Some([east, north]) => format!(
                "a{a}[(r{a} - (ptrdiff_t){north}) % e{a} * q{a} + {plane}{place} + (ptrdiff_t){east}]"
            ),
            None => format!("a{a}[{plane}{place}]"),
        }
    }
}

/// A constant of single or double precision.
fn real(bits: u64, of: Storage) -> String {
    let value = f64::from_bits(bits);
    let text = if of.bits == 32 { format!("{:?}f", value as f32) } else { format!("{value:?}") };
    if value.is_sign_negative() { format!("({text})") } else { text }
}

/// The factor of a plane's number in the index of a read.
fn step_of_planes(read: usize) -> String {
    format!(" * p{read} + ")
}

/// The function that computes a row.
pub(super) fn column_loop(
    printer: &Printer<'_>,
    (name, of): (&str, Storage),
    kind: &Kind,
    body: &Body,
) -> String {
    let (loops, to) = (printer.loops, type_name(of));
    let (own, parameters) = (own_parameters(kind), parameters(loops, body));
    let lookups = body.code.lookups(&body.results);
    let tables = body.code.last_tables(&body.results, &lookups);
    let last = Columns::of(printer, loops, body, &body.results, tables);
    let statements = format!("{}{}", last.locals(), last.stores(kind, &to));
    let text = if lookups.is_empty() {
        format!("    for (ptrdiff_t x = 0; x < n; x++) {{\n{statements}    }}\n")
    } else {
        blocks(&last, &lookups, &statements)
    };
    let places: String = last
        .places()
        .into_iter()
        .filter(|(_, column)| *column != 0)
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

/// Loops over some columns at a time: for the indices of tables, for what is read there, and at last for what the statements say.
fn blocks(last: &Columns<'_, Printer<'_>>, lookups: &[Vec<Id>], statements: &str) -> String {
    let Columns { language, loops, body, .. } = *last;
    let [mut arrays, mut text] = [const { String::new() }; 2];
    let each = "        for (ptrdiff_t x = x0; x < end; x++)";
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    for level in lookups {
        let indices: Vec<Id> = level.iter().map(|id| body.code.lookup(*id).2).collect();
        let columns = Columns::of(language, loops, body, &indices, Tables::Read);
        let [mut indexed, mut read] = [const { String::new() }; 2];
        for id in level {
            let (table, ..) = body.code.lookup(*id);
            let (place, of) = (type_name(body.code.place_in_table(*id)), type_name(body.code.nodes[*id].of));
            let _ = writeln!(arrays, "        {place} i{id}[{BLOCK}];");
            let _ = writeln!(indexed, "        i{id}[x - x0] = ({place})({});", columns.index(*id));
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

impl Columns<'_, Printer<'_>> {
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
}

/// The functions that the text uses.
pub(super) fn helpers(name: &str, text: &str) -> String {
    let mut found = String::new();
    let types =
        [(8, false), (8, true), (16, false), (16, true), (32, true), (64, true), (32, false), (64, false)];
    let integers = types.into_iter().map(|(bits, signed)| Storage { bits, signed, float: false });
    let mut define = |result: &str, function: &str, parameters: &str, body: &str| {
        if text.contains(&format!("{name}_{function}(")) {
            let _ = write!(
                found,
                "static inline {result} {name}_{function}({parameters})\n{{\n    {body}\n}}\n\n"
            );
        }
    };
    for storage in integers.chain([FLOAT]) {
        let of = type_name(storage);
        for (function, parameters, body) in functions(&of, storage.signed) {
            let result = if function == "fill" { "void" } else { &of };
            define(result, &format!("{function}_{of}"), &parameters, &body);
        }
    }
    let [place, two] = ["ptrdiff_t i, ptrdiff_t p", "ptrdiff_t a, ptrdiff_t b"];
    define("ptrdiff_t", "down", place, "return i >= 0 ? i / p : -((p - 1 - i) / p);");
    define("ptrdiff_t", "phase", place, "return i >= 0 ? i % p : p - 1 - (-1 - i) % p;");
    define("float", "up", "float a", "const float f = floorf(a);\n    return a - f >= 0.5f ? f + 1.0f : f;");
    define("ptrdiff_t", "least", two, "return b < a ? b : a;");
    define("ptrdiff_t", "most", two, "return b > a ? b : a;");
    for border in [Border::Replicate, Border::Wrap, Border::Reflect, Border::Reflect101] {
        if let Some(of) = c_inside(border) {
            let body = format!("{of}\n    return i;");
            define("ptrdiff_t", &format!("{border}_inside"), "ptrdiff_t i, ptrdiff_t n", &body);
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
