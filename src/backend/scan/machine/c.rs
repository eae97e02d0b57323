//! The C99 emitter: a function without dependencies, and one static function for each of its loops.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::iter::zip;

use super::finish::{Division, Finish};
use super::rows::{Group, Load, Pass, Place, Ring, Row, Rows, Target, Value, added};
use super::{Border, CodeOptions, Fold, Plan, Ports, Storage};
use crate::pipeline::Border as Continuation;

/// The bytes to which rows in memory are aligned.
pub(in crate::backend::scan) const ALIGNMENT: i64 = 64;

/// The number of values to which a number is rounded up, so that what follows is aligned.
pub(in crate::backend::scan) fn aligned(number: i64, bytes: i64) -> i64 {
    (number * bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT / bytes
}

/// What stands before the code of every file: clang before 16 carries what it read for a pixel to the next, and computes a loop that reads
/// a row in several columns pixel by pixel then. It does not where it does not see that pointers are to one row.
pub(in crate::backend::scan) const C_HEAD: &str = "#include <stddef.h>
#include <stdint.h>

/* Old versions of clang only compute several pixels at a time if they do not see that two pointers are to the same row. */
#if defined(__clang__) && __clang_major__ < 16
#define KALG_APART(pointer) __asm__(\"\" : \"+r\"(pointer))
#else
#define KALG_APART(pointer) (void)0
#endif

";

/// A pointer to a column of a row, of which [`C_HEAD`] hides where it comes from.
pub(in crate::backend::scan) fn apart(of: Storage, row: usize, column: i64) -> String {
    let (of, name) = (type_name(of), format!("a{row}_{column}"));
    format!("    const {of} *{name} = a{row} + {column};\n    KALG_APART({name});\n")
}

/// Returns the plan as a C function of its inputs, its outputs, the size of the inputs, a band of rows, and memory for rows of
/// intermediate values.
pub fn c(plan: &Plan, options: CodeOptions) -> String {
    let rows = Rows::in_pairs(plan, options);
    let printer = Printer { name: rows.ports.function(&plan.name), rows: &rows };
    format!(
        "{C_HEAD}{}{}\n{}",
        printer.helpers(),
        rows.passes.iter().map(|pass| printer.pass(pass)).collect::<String>(),
        printer.function()
    )
}

/// Returns the functions of the passes alone. Their names begin with `name`.
pub(in crate::backend::scan) fn c_passes(rows: &Rows, name: &str) -> String {
    let printer = Printer { name: name.to_owned(), rows };
    let passes: String = rows.passes.iter().map(|pass| printer.pass(pass)).collect();
    format!("{}{passes}", printer.helpers())
}

/// Returns the header that declares the function of [`c`], for C and C++.
pub fn c_header(plan: &Plan, options: CodeOptions) -> String {
    let rows = Rows::in_pairs(plan, options);
    let printer = Printer { name: rows.ports.function(&plan.name), rows: &rows };
    c_declaration(&printer.name, &printer.contract(), &printer.signature())
}

/// The header that declares a function, for C and C++.
pub(in crate::backend::scan) fn c_declaration(name: &str, contract: &str, signature: &str) -> String {
    let guard = format!("KALG_{}_H", name.to_uppercase());
    // C++ has no `restrict`.
    let signature = signature.replace("restrict ", "");
    format!(
        "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{contract}{signature};\n\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
}

/// The head of a function of pictures whose pixels have these types.
pub(in crate::backend::scan) fn c_signature(
    name: &str,
    ports: &Ports,
    [inputs, outputs]: [Vec<Storage>; 2],
) -> String {
    let pointer = |of, port: String| format!("{} *restrict {port}, ptrdiff_t {port}_stride, ", type_name(of));
    let inputs = zip(inputs, &ports.inputs).map(|(of, input)| pointer(of, format!("in_{input}")));
    let inputs: String = inputs.map(|input| format!("const {input}")).collect();
    let outputs = zip(outputs, &ports.outputs).map(|(of, output)| pointer(of, format!("out_{output}")));
    let outputs: String = outputs.collect();
    format!(
        "size_t {name}({inputs}{outputs}ptrdiff_t width, ptrdiff_t height, ptrdiff_t y0, ptrdiff_t y1, void *work)"
    )
}

/// The type of values of this storage.
pub(in crate::backend::scan) fn type_name(storage: Storage) -> String {
    match (storage.float, storage.bits) {
        (true, 32) => "float".to_owned(),
        (true, _) => "double".to_owned(),
        (false, bits) => format!("{}int{bits}_t", if storage.signed { "" } else { "u" }),
    }
}

/// The type in which C computes sums of integers of a type: unsigned, so that nothing overflows.
fn sum_type(storage: Storage) -> String {
    match (storage.float, storage.bits) {
        (true, _) => type_name(storage),
        (false, 64) => "uint64_t".to_owned(),
        (false, _) => "uint32_t".to_owned(),
    }
}

/// An integer constant.
fn constant(value: i64, storage: Storage) -> String {
    match (storage.float, storage.bits) {
        (true, 32) => format!("{value}.0f"),
        (true, _) => format!("{value}.0"),
        (false, _) if value == i64::from(i32::MIN) => "INT32_MIN".to_owned(),
        (false, 64) => format!("INT64_C({value})"),
        (false, _) => value.to_string(),
    }
}

/// Statements that use the inputs that the rest of a function does not read, for compilers that warn of unused parameters.
pub(in crate::backend::scan) fn c_unread(inputs: &[String], function: &str) -> String {
    let unread = inputs.iter().filter(|name| !function.contains(&format!("in_{name}_stride")));
    unread.map(|name| format!("    (void)in_{name}; (void)in_{name}_stride;\n")).collect()
}

struct Printer<'a> {
    name: String,
    rows: &'a Rows,
}

impl Printer<'_> {
    fn input_type(&self) -> String {
        type_name(self.rows.plan.pixel.storage())
    }

    /// The comment that says what the function does.
    fn contract(&self) -> String {
        let Rows { options, lost: [columns, rows], .. } = self.rows;
        let bands = if self.rows.has_table() {
            "A sum over all pixels before needs the rows before y0: they are computed, too."
        } else {
            "Bands can be computed at the same time, each with its own `work`."
        };
        format!(
            "/* {}: {}, row by row from the north; a stride is the number of pixels from row to row;\n   \
             beyond them: {}; results of (width - {columns}) x (height - {rows}) pixels; what does not fit: {}.\n   \
             Computes rows y0 to y1 - 1 of the results; `out_...` points to row y0. {bands}\n   \
             Returns how many bytes `work` must have; with a null pointer it does nothing else. */\n",
            self.name,
            options.images('x'),
            options.border.name(),
            options.overflow.name()
        )
    }

    fn signature(&self) -> String {
        c_signature(&self.name, &self.rows.ports, self.rows.pixels())
    }

    /// Whether anything is read; a filter without taps reads nothing.
    fn reads(&self) -> bool {
        self.rows.passes.iter().any(|pass| !pass.reads.is_empty())
    }

    /// The functions that all passes share.
    fn helpers(&self) -> String {
        let (border, name) = (self.rows.options.border, &self.name);
        let mut text = String::new();
        if let Some(inside) = border.continuation().and_then(c_inside)
            && self.reads()
        {
            let _ = write!(
                text,
                "/* The place of index i beyond n pixels. */\n\
                 static ptrdiff_t {name}_inside(ptrdiff_t i, ptrdiff_t n)\n{{\n    {inside}\n    return i;\n}}\n\n"
            );
        }
        let mut padded: BTreeSet<(Storage, bool)> = BTreeSet::new();
        for pass in &self.rows.passes {
            if let Target::Step { row, pad, beyond } = &pass.target
                && *pad != [0; 2]
                && (border != Border::Zero || *beyond != 0)
            {
                padded.insert((row.storage, border == Border::Zero));
            }
        }
        for (storage, constant) in padded {
            text.push_str(&self.pad_function(storage, constant));
        }
        if self.rows.plan.fold != Fold::Sum && self.rows.plan.fold != Fold::Either {
            let sign = if self.rows.plan.fold == Fold::Greatest { '>' } else { '<' };
            let used: BTreeSet<Storage> = self.rows.passes.iter().map(|pass| pass.working).collect();
            for storage in used {
                let of = type_name(storage);
                let _ = writeln!(
                    text,
                    "static inline {of} {name}_{of}({of} a, {of} b) {{ return a {sign} b ? a : b; }}\n"
                );
            }
        }
        text
    }

    /// The function that gives the columns beyond a row of n their values.
    fn pad_function(&self, storage: Storage, is_constant: bool) -> String {
        let (name, of) = (&self.name, type_name(storage));
        let head =
            format!("static void {name}_pad_{of}({of} *row, ptrdiff_t n, ptrdiff_t west, ptrdiff_t east");
        if is_constant {
            return format!(
                "{head}, {of} v)\n{{\n    for (ptrdiff_t i = 1; i <= west; i++) row[-i] = v;\n    \
                 for (ptrdiff_t i = 0; i < east; i++) row[n + i] = v;\n}}\n\n"
            );
        }
        let [west, east] = near(self.rows.options.border);
        format!(
            "{head})
{{
    if (west < n && east < n) {{
        for (ptrdiff_t i = 1; i <= west; i++) row[-i] = row[{west}];
        for (ptrdiff_t i = 1; i <= east; i++) row[n - 1 + i] = row[{east}];
    }} else {{
        for (ptrdiff_t i = 1; i <= west; i++) row[-i] = row[{name}_inside(-i, n)];
        for (ptrdiff_t i = n; i < n + east; i++) row[i] = row[{name}_inside(i, n)];
    }}
}}

"
        )
    }

    /// The function of a pass.
    fn pass(&self, pass: &Pass) -> String {
        let (of, name) = (type_name(self.written(pass)), &self.name);
        let rows = pass.reads.iter().enumerate();
        let rows: String = rows
            .map(|(index, row)| format!("const {} *restrict a{index}, ", type_name(row.storage)))
            .collect();
        let restrict = if pass.reads.is_empty() { "" } else { "restrict " };
        let place = |(row, column): (usize, i32)| apart(pass.reads[row].storage, row, column.into());
        let places: String =
            pass.places().into_iter().filter(|(_, column)| *column != 0).map(place).collect();
        let body = match &pass.target {
            Target::Step { .. } if pass.continues => {
                let (sum, at) = (self.value(pass, 0), type_name(pass.working));
                format!(
                    "    {at} v = 0;\n    for (ptrdiff_t x = 0; x < n; x++) {{ v = ({at})(v + {sum}); o[x] = ({of})v; }}\n"
                )
            }
            Target::Step { .. } => self.rows_of(pass, &of),
            Target::Output(_, finish) => {
                format!(
                    "    for (ptrdiff_t x = 0; x < n; x++) {{\n{}    }}\n",
                    self.finish(pass, finish, &of)
                )
            }
        };
        let second = if pass.second.is_some() { format!("{of} *restrict p, ") } else { String::new() };
        format!(
            "/* {} */\nstatic void {name}_{}({of} *{restrict}o, {second}{rows}ptrdiff_t n)\n{{\n{places}{body}}}\n\n",
            pass.comment, pass.name
        )
    }

    /// The loop that computes a row of a step, or two.
    fn rows_of(&self, pass: &Pass, of: &str) -> String {
        let Some(second) = &pass.second else {
            return format!(
                "    for (ptrdiff_t x = 0; x < n; x++) o[x] = ({of})({});\n",
                self.value(pass, 0)
            );
        };
        let common = pass.common();
        let shared = if common.is_empty() {
            String::new()
        } else {
            format!("        const {of} s = ({of})({});\n", self.kept(&common, &[], pass.working))
        };
        let row = |value: &Value| match value {
            Value::Sum(groups) => sum(groups, pass.working, 0),
            Value::Keep(values) => self.kept(values, &common, pass.working),
        };
        format!(
            "    for (ptrdiff_t x = 0; x < n; x++) {{\n{shared}        o[x] = ({of})({});\n        p[x] = ({of})({});\n    }}\n",
            row(&pass.value),
            row(second)
        )
    }

    /// The type of the row that a pass writes.
    fn written(&self, pass: &Pass) -> Storage {
        match &pass.target {
            Target::Step { row, .. } => row.storage,
            Target::Output(_, finish) => finish.pixel,
        }
    }

    /// The value of a pass as an expression, with a constant added.
    fn value(&self, pass: &Pass, added: i64) -> String {
        match &pass.value {
            Value::Sum(groups) => sum(groups, pass.working, added),
            Value::Keep(values) => self.kept(values, &[], pass.working),
        }
    }

    /// A fold of values, of which those in `common` are known as `s`.
    fn kept(&self, values: &[(Load, i64)], common: &[(Load, i64)], working: Storage) -> String {
        let fold = self.rows.plan.fold;
        let of = type_name(working);
        let own = values.iter().filter(|value| !common.contains(value)).map(|(load, weight)| match weight {
            0 => read(load),
            weight => format!("({of})({} + {})", read(load), constant(*weight, working)),
        });
        let mut values = (!common.is_empty()).then(|| "s".to_owned()).into_iter().chain(own);
        let Some(first) = values.next() else {
            return constant(fold.nothing(self.rows.plan.pixel), working);
        };
        values.fold(first, |all, value| match fold {
            Fold::Either => format!("{all} | {value}"),
            _ => format!("{}_{of}({all}, {value})", self.name),
        })
    }

    /// The statements that compute a pixel of an output.
    fn finish(&self, pass: &Pass, finish: &Finish, pixel: &str) -> String {
        if let Some(down) = finish.real {
            return self.finish_real(pass, finish, down, pixel);
        }
        let is_sum = matches!(pass.value, Value::Sum(_));
        let dividend = type_name(finish.dividend);
        let value = if is_sum && finish.up == 1 {
            self.value(pass, finish.added)
        } else {
            let at = sum_type(finish.dividend);
            let factor = if finish.up == 1 { String::new() } else { format!(" * {}", cast(finish.up, &at)) };
            let added =
                if finish.added == 0 { String::new() } else { format!(" + {}", cast(finish.added, &at)) };
            format!("({at})({}){factor}{added}", self.value(pass, 0))
        };
        if finish.is_plain() {
            return format!("        o[x] = ({pixel})({value});\n");
        }
        let mut text = format!("        const {dividend} s = ({dividend})({value});\n");
        let of = type_name(finish.quotient());
        let minus = if finish.minus == 0 { String::new() } else { format!(" - {}", finish.minus) };
        let quotient = match finish.division {
            Division::None => "s".to_owned(),
            Division::Shift(shift) => format!("s >> {shift}"),
            Division::Multiply { single: Some(factor), .. } => {
                format!("(int32_t)((float)(int32_t)s * {:?}f)", factor.0)
            }
            Division::Multiply { factor, bits, shift, .. } => {
                let wide = 2 * bits;
                format!("(uint{wide}_t)s * {factor}u >> {shift}")
            }
            Division::Plain(down) => format!("s / {down}"),
        };
        let quotient = if minus.is_empty() { quotient } else { format!("({of})({quotient}){minus}") };
        let value = match finish.limits {
            [None, None] => quotient,
            [low, high] => {
                let _ = writeln!(text, "        const {of} v = ({of})({quotient});");
                let least = low.map_or_else(String::new, |low| format!("v < {low} ? {low} : "));
                let most = high.map_or_else(String::new, |high| format!("v > {high} ? {high} : "));
                format!("{least}{most}v")
            }
        };
        text + &format!("        o[x] = ({pixel})({value});\n")
    }

    /// The statement that computes a pixel of single precision.
    fn finish_real(&self, pass: &Pass, finish: &Finish, down: i64, pixel: &str) -> String {
        let storage = self.rows.plan.storage[self.rows.plan.outputs[output_of(pass)].source];
        let value = self.value(pass, 0);
        // Integers are exact until here.
        let value = if storage.float {
            format!("({value})")
        } else {
            format!("({pixel})({})({value})", type_name(storage))
        };
        let scaled = finish.scaled(down, storage.bits == 64, "f");
        format!("        o[x] = ({pixel})({value}{scaled});\n")
    }

    /// The exported function.
    fn function(&self) -> String {
        let Rows { lost: [columns, rows], first_row, .. } = self.rows;
        let [lengths, bytes, pointers] = self.memory();
        let [top, band] = if self.rows.has_table() { ["0", "y1"] } else { ["y0", "y1 - y0"] };
        let passes: String = self.rows.passes.iter().map(|pass| self.call(pass)).collect();
        let unread = c_unread(&self.rows.ports.inputs, &passes);
        let misfit = self.rows.options.misfit();
        let top = if self.reads() { format!("top = {top}, ") } else { String::new() };
        format!(
            "{}{}
{{
{unread}    const ptrdiff_t columns = width - {columns};
    if ({misfit}columns <= 0 || height <= {rows} || y0 < 0 || y0 >= y1 || y1 > height - {rows}) return 0;
{lengths}    const size_t bytes = {bytes};
    if (work == NULL) return bytes;
    unsigned char *place = (unsigned char *)work;
    for (size_t i = 0; i < bytes; i++) place[i] = 0;
    place += ({ALIGNMENT} - (uintptr_t)place % {ALIGNMENT}) % {ALIGNMENT};
{pointers}    const ptrdiff_t {top}rows = {band};
    for (ptrdiff_t t = {first_row}; t < rows; t++) {{
{passes}    }}
    return bytes;
}}
",
            self.contract(),
            self.signature()
        )
    }

    /// The rows in memory: the lengths of rows in bytes, the size of all rows, and the pointers to column 0, which is aligned.
    fn memory(&self) -> [String; 3] {
        let mut lengths = String::new();
        let mut size = (ALIGNMENT - 1).to_string();
        let mut pointers = String::new();
        for Ring { step, storage, depth, base, excess } in &self.rows.rings {
            let (of, bytes) = (type_name(*storage), storage.bytes() as i64);
            let before = aligned((*base).into(), bytes) - i64::from(*base);
            let more = before + i64::from(*excess);
            let _ = writeln!(
                lengths,
                "    const size_t l{step} = ((size_t)(columns + {more}) * {bytes} + {}) / {ALIGNMENT} * {ALIGNMENT};",
                ALIGNMENT - 1
            );
            let _ = write!(size, " + {depth} * l{step}");
            let _ = writeln!(
                pointers,
                "    {of} *const n{step} = ({of} *)(void *)place + {before};\n    place += {depth} * l{step};"
            );
        }
        if self.rows.zeros {
            let (of, bytes) = (self.input_type(), self.rows.plan.pixel.storage().bytes());
            let _ = write!(size, " + (size_t)width * {bytes}");
            let _ = writeln!(pointers, "    const {of} *const zeros = (const {of} *)(void *)place;");
        } else if !pointers.is_empty() {
            pointers.push_str("    (void)place;\n");
        }
        [lengths, size, pointers]
    }

    /// The call of a pass.
    fn call(&self, pass: &Pass) -> String {
        let Pass { lead, rows: [north, south], more, .. } = pass;
        let name = &self.name;
        let rows: String = pass.reads.iter().map(|row| format!("{}, ", self.pointer(row, *lead))).collect();
        let call = |of: &str| format!("{name}_{}({of}, {rows}{});", pass.name, added("columns", *more));
        match &pass.target {
            Target::Output(index, _) => {
                let to = &self.rows.ports.outputs[*index];
                let [condition, row] =
                    if self.rows.has_table() { ["t >= y0", "(t - y0)"] } else { ["t >= 0", "t"] };
                let call = call(&format!("out_{to} + {row} * out_{to}_stride"));
                format!("        if ({condition}) {call}\n")
            }
            Target::Step { row, pad, beyond } => {
                let padding = match (pad, self.rows.options.border, beyond) {
                    ([0, 0], ..) | (_, Border::Zero, 0) => String::new(),
                    ([west, east], border, beyond) => {
                        let last = if border == Border::Zero {
                            format!(", {}", constant(*beyond, row.storage))
                        } else {
                            String::new()
                        };
                        format!(
                            "\n            {name}_pad_{}(o, columns, {west}, {east}{last});",
                            type_name(row.storage)
                        )
                    }
                };
                let of = type_name(row.storage);
                let [to, next] = [0, 1].map(|down| self.pointer(row, lead + down));
                let [condition, to, call, padding] = if pass.second.is_some() {
                    [
                        format!("({}) % 2 == 0 && ", added("t", lead - north)),
                        format!("*const o = {to}, *const p = {next}"),
                        call("o, p"),
                        format!("{padding}{}", padding.replace("(o,", "(p,")),
                    ]
                } else {
                    [String::new(), format!("*const o = {to}"), call("o"), padding]
                };
                format!(
                    "        if ({} >= 0 && {condition}{} < rows) {{\n            {of} {to};\n            {call}{padding}\n        }}\n",
                    added("t", lead - north),
                    added("t", lead - south),
                )
            }
        }
    }

    /// The first value of a row that is read or written by a pass `lead` rows ahead of the output.
    fn pointer(&self, row: &Row, lead: i32) -> String {
        let found = match row.place {
            Place::Ring { step, phase, depth } => {
                let slot = match depth {
                    1 => String::new(),
                    _ => {
                        let (t, bytes) = (added("t", lead + phase), row.storage.bytes());
                        format!(" + ({t}) % {depth} * (ptrdiff_t)(l{step} / {bytes})")
                    }
                };
                format!("n{step}{slot}")
            }
            Place::Image { channel, down, north } => {
                let name = &self.rows.ports.inputs[channel];
                let y = added("top + t", lead + down + self.rows.corner);
                let inside = if self.rows.options.border.continuation().is_none() {
                    format!("({y})")
                } else {
                    format!("{}_inside({y}, height)", self.name)
                };
                let image = format!("in_{name} + {inside} * in_{name}_stride");
                let first = added("t", lead + down - north);
                match self.rows.blank(&first, &y) {
                    None => image,
                    Some(blank) => format!("({blank} ? zeros : {image})"),
                }
            }
        };
        added(&found, row.start)
    }
}

fn output_of(pass: &Pass) -> usize {
    match pass.target {
        Target::Output(index, _) => index,
        Target::Step { .. } => unreachable!("only outputs are finished"),
    }
}

fn cast(value: i64, of: &str) -> String {
    if value < 0 { format!("({of})({value})") } else { format!("{value}u") }
}

/// The statements that bring `i` to the place within n pixels that stands for it; `None` for a constant. Most places are beyond at
/// most one edge: moving them there takes less time than a division.
pub(in crate::backend::scan) fn c_inside(border: Continuation) -> Option<&'static str> {
    match border {
        Continuation::Constant(_) => None,
        Continuation::Replicate => Some("i = i < 0 ? 0 : i >= n ? n - 1 : i;"),
        Continuation::Wrap => Some("while (i < 0) i += n;\n    while (i >= n) i -= n;"),
        Continuation::Reflect => Some("while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;"),
        Continuation::Reflect101 => {
            Some("if (n == 1) return 0;\n    while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 2 - i;")
        }
    }
}

/// The columns, in C and in Rust, of the values of column `i` beyond the west and the east of `n` pixels, if it is nearer than `n`.
pub(super) fn near(border: Border) -> [&'static str; 2] {
    match border {
        Border::Replicate => ["0", "n - 1"],
        Border::Reflect => ["i - 1", "n - i"],
        Border::Wrap => ["n - i", "i - 1"],
        _ => ["i", "n - 1 - i"],
    }
}

fn read(load: &Load) -> String {
    match (load.row, load.column) {
        (Some(row), 0) => format!("a{row}[x]"),
        (Some(row), column) => format!("a{row}_{column}[x]"),
        (None, column) => format!("o[{}]", added("x", column)),
    }
}

/// A sum of groups of values and a constant.
fn sum(groups: &[Group], working: Storage, added: i64) -> String {
    let mut text = String::new();
    for group in groups {
        let inner = group_sum(group, working);
        let factor = match (group.weight, working.float, working.bits) {
            (1, ..) => String::new(),
            (weight, true, 32) => format!("{weight}.0f * "),
            (weight, true, _) => format!("{weight}.0 * "),
            (weight, false, _) => format!("{weight}u * "),
        };
        let sign = match (group.is_negative(), text.is_empty()) {
            (true, true) if working.float => "-",
            (true, true) => "0u - ",
            (true, false) => " - ",
            (false, true) => "",
            (false, false) => " + ",
        };
        let _ = write!(text, "{sign}{factor}{inner}");
    }
    if text.is_empty() {
        text.push_str(if working.float { "0.0f" } else { "0u" });
    }
    match added {
        0 => text,
        added if added < 0 => format!("{text} - {}u", added.unsigned_abs()),
        added => format!("{text} + {added}u"),
    }
}

/// The values of a group, added in the narrowest type.
fn group_sum(group: &Group, working: Storage) -> String {
    let (at, negative) = (sum_type(working), group.is_negative());
    let mut inner = String::new();
    for (load, subtracted) in &group.values {
        let sign = if *subtracted == negative { " + " } else { " - " };
        let _ = write!(inner, "{}({at}){}", if inner.is_empty() { "" } else { sign }, read(load));
    }
    match group.narrow {
        Some(narrow) => format!("({at})({})({inner})", type_name(narrow)),
        None if group.values.len() > 1 && (group.weight != 1 || negative) => format!("({inner})"),
        None => inner,
    }
}
