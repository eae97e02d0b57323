//! A compiled pipeline as one function in C99: a loop for each value that is kept in memory, and a function for each region.
//!
//! Every stage is defined on the whole plane. So what is kept is computed as far beyond the picture as it is read, and only inputs
//! and values with a border of their own are continued.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::algebra::Rational;
use crate::backend::scan::machine::{
    Border as Edges, CodeOptions, Overflow, Plan, Storage, c_part, ending, identifier, type_name,
};
use crate::pipeline::{Border, NodeId, Operation, Output, PixelType};

use super::expression::{Expressions, Refused, Tables};
use super::places::{Item, Places};
use super::plans::{Compiled, storage};
use super::regions::Made;

/// The source and the header of a pipeline in C.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) source: String,
    pub(super) header: String,
}

/// Prints a compiled pipeline.
///
/// # Errors
/// The first value that is not written in C yet, at its place.
pub(super) fn print(compiled: &Compiled) -> Result<Code, Refused> {
    let name = identifier(&compiled.pipeline.name);
    let places = Places::of(compiled);
    let mut printer =
        Printer { compiled, places: &places, name, functions: String::new(), tables: Tables::new() };
    let body = printer.body()?;
    let signature = printer.signature()?;
    let head = printer.contract();
    let (name, functions) = (&printer.name, &printer.functions);
    let tables = printer.tables();
    let source = format!(
        "#include <stddef.h>\n#include <stdint.h>\n\n{}{tables}{functions}{head}{signature}\n{{\n{body}}}\n",
        helpers(name, &format!("{functions}{body}"))
    );
    let guard = format!("KALG_{}_H", name.to_uppercase());
    // C++ has no `restrict`.
    let signature = signature.replace("restrict ", "");
    let header = format!(
        "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{head}{signature};\n\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    );
    Ok(Code { source, header })
}

struct Printer<'c> {
    compiled: &'c Compiled,
    places: &'c Places,
    name: String,
    /// The functions of stages and regions.
    functions: String,
    tables: Tables,
}

impl Printer<'_> {
    /// The type of a value in memory.
    fn kept(&self, id: NodeId) -> Result<Storage, Refused> {
        if let Some(found) = self.compiled.types.get(&id) {
            return Ok(*found);
        }
        self.expressions().checked(id)?;
        Ok(storage(&self.compiled.pipeline, id).expect("a value of at most 63 bits has a type"))
    }

    fn expressions(&self) -> Expressions<'_> {
        let (compiled, kept) = (self.compiled, self.places.kept.as_slice());
        Expressions { compiled, kept, name: &self.name, reads: BTreeSet::new(), tables: self.tables.clone() }
    }

    fn contract(&self) -> String {
        let pipeline = &self.compiled.pipeline;
        let rates = |text: &mut String, name: &str, rate: [Rational; 2]| {
            if rate != [Rational::ONE; 2] {
                let _ = write!(
                    text,
                    "\n   `{name}` has {} times the columns and {} times the rows.",
                    rate[0], rate[1]
                );
            }
        };
        let mut text = format!(
            "/* {}: pictures of width x height pixels, row by row from the north; a stride is the number of pixels from row to row;\n   \
             beyond the inputs: {}. Samples must be in the range that the pipeline's file says.",
            self.name, pipeline.border
        );
        pipeline.inputs.iter().for_each(|input| rates(&mut text, &format!("in_{}", input.name), input.rate));
        pipeline
            .outputs
            .iter()
            .for_each(|output| rates(&mut text, &format!("out_{}", output.name), output.rate));
        text + "\n   Returns how many bytes `work` must have, or 0 for a size that does not fit the rates of all stages; with a null pointer\n   \
                it does nothing else. */\n"
    }

    fn signature(&self) -> Result<String, Refused> {
        let pipeline = &self.compiled.pipeline;
        let mut text = format!("size_t {}(", self.name);
        for input in &pipeline.inputs {
            let (of, name) = (type_of(input.pixel, input.span)?, ending(&input.name));
            let _ = write!(text, "const {of} *restrict in_{name}, ptrdiff_t in_{name}_stride, ");
        }
        for output in &pipeline.outputs {
            let (of, name) = (type_of(output.pixel, output.span)?, ending(&output.name));
            let _ = write!(text, "{of} *restrict out_{name}, ptrdiff_t out_{name}_stride, ");
        }
        Ok(text + "ptrdiff_t width, ptrdiff_t height, void *work)")
    }

    /// The statements of the function.
    fn body(&mut self) -> Result<String, Refused> {
        let sizes = self.sizes();
        let mut text = String::from("    if (width <= 0 || height <= 0) return 0;\n");
        let pipeline = &self.compiled.pipeline;
        let needed = pipeline.ids().filter(|id| self.compiled.values.made[id.index()] != Made::Not);
        let mut rates: BTreeSet<[Rational; 2]> = needed.filter_map(|id| pipeline.facts(id).rate).collect();
        rates.extend(sizes.keys());
        for [x, y] in rates {
            for (side, along) in [("width", x), ("height", y)] {
                if !along.is_integer() {
                    let (up, down) = (along.numerator(), along.denominator());
                    let _ = writeln!(text, "    if ({side} * {up} % {down} != 0) return 0;");
                }
            }
        }
        for ([x, y], number) in &sizes {
            let of = |side: &str, along: &Rational| match (along.numerator(), along.denominator()) {
                (1, 1) => side.to_owned(),
                (up, 1) => format!("{side} * {up}"),
                (1, down) => format!("{side} / {down}"),
                (up, down) => format!("{side} * {up} / {down}"),
            };
            let _ = writeln!(
                text,
                "    const ptrdiff_t w{number} = {}, h{number} = {};",
                of("width", x),
                of("height", y)
            );
        }
        let (memory, mut steps) = (self.memory(&sizes)?, String::new());
        for item in &self.places.order {
            match item {
                Item::Region(number) => steps += &self.region(*number, &sizes),
                Item::Value(id) if !self.places.kept[id.index()] => {}
                Item::Value(id) => steps += &self.value(*id, &sizes)?,
            }
        }
        for (number, output) in self.compiled.pipeline.outputs.iter().enumerate() {
            steps += &self.output(number, output, &sizes)?;
        }
        let bytes = self.shared(&sizes);
        Ok(text + &memory[0] + &bytes + &memory[1] + &steps + "    return bytes;\n")
    }

    /// The rates of what is computed, with a number for each.
    fn sizes(&self) -> BTreeMap<[Rational; 2], usize> {
        let pipeline = &self.compiled.pipeline;
        let kept = pipeline.ids().filter(|id| self.places.kept[id.index()]);
        let mut rates: BTreeSet<[Rational; 2]> = kept.map(|id| self.rate(id)).collect();
        rates.extend(pipeline.outputs.iter().map(|output| output.rate));
        rates.into_iter().enumerate().map(|(number, rate)| (rate, number)).collect()
    }

    fn rate(&self, id: NodeId) -> [Rational; 2] {
        self.compiled.pipeline.facts(id).rate.unwrap_or([Rational::ONE; 2])
    }

    /// The input that a kept value is, where the caller's memory will do: nothing is read beyond its edges.
    fn is_input(&self, id: NodeId) -> Result<Option<String>, Refused> {
        let Operation::Input(index) = self.compiled.pipeline.node(id).operation else { return Ok(None) };
        let input = &self.compiled.pipeline.inputs[index];
        let is_same = type_name(self.kept(id)?) == type_of(input.pixel, input.span)?;
        let inside = self.places.margins[id.index()].iter().all(|side| *side <= 0);
        Ok((is_same && inside).then(|| ending(&input.name)))
    }

    /// The sizes of memory, and the pointers to pixel 0 of row 0.
    fn memory(&self, sizes: &BTreeMap<[Rational; 2], usize>) -> Result<[String; 2], Refused> {
        let (mut lengths, mut pointers) = (String::new(), String::new());
        let mut sum = String::new();
        for id in self.compiled.pipeline.ids().filter(|id| self.places.kept[id.index()]) {
            let (n, size, of) = (id.index(), sizes[&self.rate(id)], self.kept(id)?);
            if let Some(input) = self.is_input(id)? {
                let _ = writeln!(
                    pointers,
                    "    const {0} *const b{n} = in_{input};\n    const ptrdiff_t s{n} = in_{input}_stride;",
                    type_name(of)
                );
                continue;
            }
            let [west, east, north, south] = self.places.margins[n].map(|side| side.max(0));
            let bytes = of.bytes();
            let _ = writeln!(
                lengths,
                "    const ptrdiff_t s{n} = w{size} + {}, l{n} = (s{n} * (h{size} + {}) * {bytes} + 63) / 64 * 64;",
                west + east,
                north + south
            );
            let _ = write!(sum, " + (size_t)l{n}");
            let _ = writeln!(
                pointers,
                "    {0} *const b{n} = ({0} *)(void *)place + {north} * s{n} + {west};\n    place += l{n};",
                type_name(of)
            );
        }
        let start = "    unsigned char *place = (unsigned char *)work;\n    \
                     place += (64 - (uintptr_t)place % 64) % 64;\n";
        let bytes = format!(
            "{lengths}    size_t most = 0;\n@    const size_t bytes = 63{sum} + most;\n    if (work == NULL) return bytes;\n"
        );
        let (before, after) = bytes.split_once('@').expect("the text has one mark");
        Ok([before.to_owned(), format!("{after}{start}{pointers}    (void)place;\n")])
    }

    /// The memory that all regions share: as much as one of them needs.
    fn shared(&self, sizes: &BTreeMap<[Rational; 2], usize>) -> String {
        let mut text = String::new();
        for (number, region) in self.compiled.values.regions.iter().enumerate() {
            let pointers = "NULL, 0, ".repeat(region.sources.len() + region.outputs.len());
            let _ = writeln!(
                text,
                "    {{ const size_t own = {0}_region_{number}({pointers}{1}, NULL); most = own > most ? own : most; }}",
                self.name,
                self.extent(number, sizes)
            );
        }
        text
    }

    /// The size of a region's inputs, and its rows.
    fn extent(&self, number: usize, sizes: &BTreeMap<[Rational; 2], usize>) -> String {
        let output = self.compiled.values.regions[number].outputs[0];
        let [west, east, north, south] = self.places.margins[output.index()];
        let [w, e, s, n] = self.compiled.planned[number].plan.reach.map(i64::from);
        let size = sizes[&self.rate(output)];
        format!(
            "w{size} + {}, h{size} + {}, 0, h{size} + {}",
            west + east + w + e,
            north + south + n + s,
            north + south
        )
    }

    /// The call of a region; its function is printed.
    fn region(&mut self, number: usize, sizes: &BTreeMap<[Rational; 2], usize>) -> String {
        let region = &self.compiled.values.regions[number];
        let plan = Plan {
            name: format!("{}-region-{number}", self.name),
            ..self.compiled.planned[number].plan.clone()
        };
        self.functions += &c_part(&plan, CodeOptions { border: Edges::Valid, overflow: Overflow::Wrap });
        let [west, _, north, _] = self.places.margins[region.outputs[0].index()];
        let [w, _, _, n] = plan.reach.map(i64::from);
        let mut text = format!("    {}_region_{number}(", self.name);
        for id in &region.sources {
            let id = id.index();
            let _ = write!(text, "b{id} - {} * s{id} - {}, s{id}, ", north + n, west + w);
        }
        for id in &region.outputs {
            let id = id.index();
            let _ = write!(text, "b{id} - {north} * s{id} - {west}, s{id}, ");
        }
        format!("{text}{}, place);\n", self.extent(number, sizes))
    }

    /// The call that computes a kept value; its function is printed.
    fn value(&mut self, id: NodeId, sizes: &BTreeMap<[Rational; 2], usize>) -> Result<String, Refused> {
        if self.is_input(id)?.is_some() {
            return Ok(String::new());
        }
        let (n, of, size) = (id.index(), type_name(self.kept(id)?), sizes[&self.rate(id)]);
        let [west, east, north, south] = self.places.margins[n].map(|side| side.max(0));
        let compiled = self.compiled;
        let pipeline = &compiled.pipeline;
        let from = match &pipeline.node(id).operation {
            Operation::Input(index) => {
                let input = &pipeline.inputs[*index];
                let name = ending(&input.name);
                let read =
                    (type_of(input.pixel, input.span)?, format!("in_{name}"), format!("in_{name}_stride"));
                Some((pipeline.border, read, 1))
            }
            Operation::Border(border, value) if pipeline.facts(*value).rate.is_some() => {
                let value_type = type_name(self.kept(*value)?);
                let v = value.index();
                let scale = pipeline.facts(id).denominator();
                Some((*border, (value_type, format!("b{v}"), format!("s{v}")), scale))
            }
            _ => None,
        };
        let ends = format!("-{west}, w{size} + {east}, -{north}, h{size} + {south}");
        if let Some((border, (read, pointer, stride), scale)) = from {
            self.functions += &continued(&self.name, n, border, [&of, &read], scale);
            return Ok(format!(
                "    {0}_value_{n}(b{n}, s{n}, {pointer}, {stride}, w{size}, h{size}, {ends});\n",
                self.name
            ));
        }
        let mut expressions = self.expressions();
        let (text, reads, tables) = match &pipeline.node(id).operation {
            Operation::Border(_, value) => {
                (expressions.read(*value, ["x", "y"])?, expressions.reads, expressions.tables)
            }
            _ => (expressions.value(id, ["x", "y"])?, expressions.reads, expressions.tables),
        };
        self.tables = tables;
        let call = self.looped(&format!("value_{n}"), &of, &text, &reads)?;
        Ok(format!("    {call}(b{n}, s{n}, {}{ends});\n", pointers(&reads)))
    }

    fn output(
        &mut self,
        number: usize,
        output: &Output,
        sizes: &BTreeMap<[Rational; 2], usize>,
    ) -> Result<String, Refused> {
        let (of, size) = (type_of(output.pixel, output.span)?, sizes[&output.rate]);
        let mut expressions = self.expressions();
        let text = expressions.read(output.node, ["x", "y"])?;
        let reads = expressions.reads;
        self.tables = expressions.tables;
        let call = self.looped(&format!("output_{number}"), &of, &text, &reads)?;
        let name = ending(&output.name);
        Ok(format!(
            "    {call}(out_{name}, out_{name}_stride, {}0, w{size}, 0, h{size});\n",
            pointers(&reads)
        ))
    }

    /// Prints the function that computes an expression in a rectangle; returns its name.
    fn looped(
        &mut self,
        what: &str,
        of: &str,
        text: &str,
        reads: &BTreeSet<NodeId>,
    ) -> Result<String, Refused> {
        let name = format!("{}_{what}", self.name);
        let mut parameters = String::new();
        for id in reads {
            let _ = write!(
                parameters,
                "const {} *restrict b{1}, ptrdiff_t s{1}, ",
                type_name(self.kept(*id)?),
                id.index()
            );
        }
        let _ = write!(
            self.functions,
            "static void {name}({of} *restrict o, ptrdiff_t so, {parameters}ptrdiff_t x0, ptrdiff_t x1, ptrdiff_t y0, ptrdiff_t y1)\n\
             {{\n    for (ptrdiff_t y = y0; y < y1; y++)\n        for (ptrdiff_t x = x0; x < x1; x++)\n            \
             o[y * so + x] = ({of})({text});\n}}\n\n"
        );
        Ok(name)
    }

    fn tables(&self) -> String {
        let mut text = String::new();
        for (values, number) in &self.tables {
            let least = values.iter().min().copied().unwrap_or(0).into();
            let greatest = values.iter().max().copied().unwrap_or(0).into();
            let of = Storage::holding(least, greatest).map_or("int64_t".to_owned(), type_name);
            let list: Vec<String> = values.iter().map(i64::to_string).collect();
            let lines: Vec<String> = list.chunks(24).map(|line| line.join(", ")).collect();
            let _ = write!(
                text,
                "static const {of} {}_table_{number}[{}] = {{\n    {}\n}};\n\n",
                self.name,
                values.len(),
                lines.join(",\n    ")
            );
        }
        text
    }
}

fn pointers(reads: &BTreeSet<NodeId>) -> String {
    reads.iter().map(|id| format!("b{0}, s{0}, ", id.index())).collect()
}

/// The narrowest type in C that holds a type of pixels.
fn type_of(pixel: PixelType, span: crate::syntax::Span) -> Result<String, Refused> {
    match pixel {
        PixelType::Integer { bits, signed } => {
            let bits = [8, 16, 32, 64].into_iter().find(|wide| *wide >= bits).unwrap_or(64);
            Ok(type_name(Storage { bits, signed, float: false }))
        }
        PixelType::Float32 => {
            let message = "single precision is not written in C yet";
            Err(Box::new(crate::syntax::Diagnostic::error("not-in-c", message).label(span, "this picture")))
        }
    }
}

/// The function that continues a picture beyond its edges.
fn continued(name: &str, number: usize, border: Border, [of, from]: [&str; 2], scale: i128) -> String {
    let (inside, outside) = match border {
        Border::Constant(value) => (
            String::new(),
            format!("u < 0 || u >= w || v < 0 || v >= h ? ({of})({}) : ", i128::from(value) * scale),
        ),
        Border::Replicate => ("i < 0 ? 0 : i >= n ? n - 1 : i".to_owned(), String::new()),
        Border::Wrap => ("(i % n + n) % n".to_owned(), String::new()),
        Border::Reflect => {
            ("i = (i % (2 * n) + 2 * n) % (2 * n), i < n ? i : 2 * n - 1 - i".to_owned(), String::new())
        }
        Border::Reflect101 => (
            "n == 1 ? 0 : (i = (i % (2 * n - 2) + 2 * n - 2) % (2 * n - 2), i < n ? i : 2 * n - 2 - i)"
                .to_owned(),
            String::new(),
        ),
    };
    let mut text = String::new();
    let place = |at: &str, size: &str| match inside.as_str() {
        "" => at.to_owned(),
        _ => format!("{name}_inside_{number}({at}, {size})"),
    };
    if !inside.is_empty() {
        let _ = write!(
            text,
            "static inline ptrdiff_t {name}_inside_{number}(ptrdiff_t i, ptrdiff_t n)\n{{\n    return {inside};\n}}\n\n"
        );
    }
    let _ = write!(
        text,
        "static void {name}_value_{number}({of} *restrict o, ptrdiff_t so, const {from} *restrict b, ptrdiff_t s, ptrdiff_t w, ptrdiff_t h, ptrdiff_t x0, ptrdiff_t x1, ptrdiff_t y0, ptrdiff_t y1)\n\
         {{\n    for (ptrdiff_t y = y0; y < y1; y++) {{\n        const ptrdiff_t v = {};\n        \
         for (ptrdiff_t x = x0; x < x1; x++) {{\n            const ptrdiff_t u = {};\n            \
         o[y * so + x] = {outside}({of})b[v * s + u];\n        }}\n    }}\n    (void)w;\n    (void)h;\n}}\n\n",
        place("y", "h"),
        place("x", "w")
    );
    text
}

/// The functions that the text uses.
fn helpers(name: &str, text: &str) -> String {
    let mut found = String::new();
    for bits in [32, 64] {
        let of = format!("int{bits}_t");
        let two = format!("({of} a, {of} b)");
        let all = [
            ("abs", format!("({of} a)"), "return a < 0 ? -a : a;".to_owned()),
            ("min", two.clone(), "return b < a ? b : a;".to_owned()),
            ("max", two.clone(), "return b > a ? b : a;".to_owned()),
            ("quotient", two.clone(), "return a / b - (a % b != 0 && (a < 0) != (b < 0));".to_owned()),
            (
                "even",
                two,
                format!(
                    "const {of} q = a / b - (a % b < 0), r = a - q * b;\n    \
                     return q + (r > b - r || (r == b - r && q % 2 != 0));"
                ),
            ),
        ];
        for (function, parameters, body) in all {
            if text.contains(&format!("{name}_{function}{bits}(")) {
                let _ = write!(
                    found,
                    "static inline {of} {name}_{function}{bits}{parameters}\n{{\n    {body}\n}}\n\n"
                );
            }
        }
    }
    for (function, definition) in longer_helpers(name) {
        if text.contains(&format!("{name}_{function}")) {
            found += &definition;
        }
    }
    found
}

/// The functions in 64 bits only, with the ends of their names.
fn longer_helpers(name: &str) -> [(&'static str, String); 4] {
    [
        (
            "root(",
            format!(
                "static inline int64_t {name}_root(int64_t a)\n{{\n    uint64_t rest = (uint64_t)a, root = 0, bit = (uint64_t)1 << 62;\n    \
                 while (bit > rest) bit >>= 2;\n    for (; bit != 0; bit >>= 2) {{\n        \
                 if (rest >= root + bit) {{ rest -= root + bit; root = (root >> 1) + bit; }} else root >>= 1;\n    }}\n    \
                 return (int64_t)root;\n}}\n\n"
            ),
        ),
        (
            "wrap(",
            format!(
                "static inline int64_t {name}_wrap(int64_t a, int bits, int is_signed)\n{{\n    \
                 const uint64_t low = bits < 64 ? (uint64_t)a & (((uint64_t)1 << bits) - 1) : (uint64_t)a;\n    \
                 const uint64_t sign = (uint64_t)1 << (bits - 1);\n    \
                 return is_signed ? (int64_t)((low ^ sign) - sign) : (int64_t)low;\n}}\n\n"
            ),
        ),
        (
            "down(",
            format!(
                "static inline ptrdiff_t {name}_down(ptrdiff_t i, ptrdiff_t p)\n{{\n    \
                 return i >= 0 ? i / p : -((p - 1 - i) / p);\n}}\n\n"
            ),
        ),
        (
            "phase(",
            format!(
                "static inline ptrdiff_t {name}_phase(ptrdiff_t i, ptrdiff_t p)\n{{\n    \
                 return i >= 0 ? i % p : p - 1 - (-1 - i) % p;\n}}\n\n"
            ),
        ),
    ]
}
