//! Multiplying intrinsics as the descriptor declares them: names, operands and their sizes, and how lanes select
//! elements. Emitted code forms no other operands. The simulator and the check of hand-written code accept no others.

use std::fmt::{self, Display, Formatter};
use std::ops::RangeInclusive;

use crate::backend::vector::workload::{Element, element};
use crate::syntax::{Diagnostic, Expect, Form, Sexp};

/// The syntax of the clause.
pub(super) const USAGE: &str = "(multiplication (EFFECT INTRINSIC…)… (x TYPE SELECTION) (z TYPE BITS SELECTION) (data BITS)… (data BITS BITS)… \
     (lanes N) (columns N) (accumulator BITS) (operands OPERAND…))";
/// The clauses of a multiplication.
const PARTS: [&str; 12] = [
    "add",
    "begin",
    "subtract",
    "begin-negated",
    "y",
    "x",
    "z",
    "data",
    "lanes",
    "columns",
    "accumulator",
    "operands",
];
/// The maximum number of bits of an operand or vector.
const MAX_BITS: i64 = 1 << 14;
/// Offsets have 64 bits, with a nibble per lane or per group of lanes.
const MAX_NIBBLES: usize = 16;

/// The operation of the pre-adder on two selections of data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PreAdd {
    /// x + y.
    Sum,
    /// x − y.
    Difference,
}

/// The effect of a multiplication on the sum of a lane's products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect {
    /// Whether it begins a sum. If not, its first operand is the accumulator.
    pub begins: bool,
    /// Whether products are subtracted.
    pub negative: bool,
}

/// The way in which lanes select elements of X and of Y.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataSelection {
    /// Each lane selects an element by its offset. Columns are a step apart.
    Each,
    /// Pairs of lanes, or of groups of `unit` lanes, select two granules of `2 · unit` elements. A square distributes
    /// their halves ([`super::Selection`] has the formula). Pairs of columns are a step apart.
    Granules {
        /// The number of neighbouring elements that go to as many lanes.
        unit: usize,
    },
}

/// The way in which lanes select elements of Z.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoefficientSelection {
    /// Each lane selects an element by its offset. Columns are a step apart.
    Each,
    /// Groups of lanes select two pairs of elements by two offsets. A square distributes the four. Pairs of columns are a step apart.
    Pairs {
        /// The number of lanes of a group.
        lanes: usize,
    },
}

/// A source of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The data.
    X,
    /// The data that a pre-adder combines with X.
    Y,
    /// The coefficients.
    Z,
}

/// The part of a selection that an operand gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The vector itself.
    Vector,
    /// The place from which offsets count.
    Start,
    /// The offsets of the first eight lanes or groups.
    Offsets,
    /// The offsets of the others.
    OffsetsHigh,
    /// The distance between columns, or pairs of columns.
    Step,
    /// The permutation within a pair.
    Square,
}

/// An operand of a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The source of elements.
    pub source: Source,
    /// The part of the selection.
    pub part: Part,
}

impl Operand {
    const SOURCES: [(Source, char); 3] = [(Source::X, 'x'), (Source::Y, 'y'), (Source::Z, 'z')];
    const PARTS: [(Part, &str); 6] = [
        (Part::Vector, ""),
        (Part::Start, "start"),
        (Part::Offsets, "offsets"),
        (Part::OffsetsHigh, "offsets_hi"),
        (Part::Step, "step"),
        (Part::Square, "square"),
    ];

    /// All operands, such as `xstart`.
    fn all() -> Vec<Self> {
        let all = Self::SOURCES.iter().flat_map(|source| Self::PARTS.iter().map(move |part| (source, part)));
        all.map(|(source, part)| Self { source: source.0, part: part.0 }).collect()
    }

    /// Its name in the vendor's documentation.
    pub fn name(self) -> String {
        let source = Self::SOURCES.iter().find(|(source, _)| *source == self.source);
        let part = Self::PARTS.iter().find(|(part, _)| *part == self.part);
        source.map(|(_, letter)| letter.to_string()).unwrap_or_default() + part.map_or("", |(_, name)| name)
    }
}

/// Multiplying intrinsics with the same operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Multiplication {
    /// The names of the intrinsics, with their effects on the sum.
    pub names: Vec<(String, Effect)>,
    /// The way in which a second selection of data is combined with the first, if there is one.
    pub pre_add: Option<PreAdd>,
    /// The type of the data.
    pub x: Element,
    /// The way in which lanes select data.
    pub x_selection: DataSelection,
    /// The type of the coefficients.
    pub z: Element,
    /// The bits of the buffer of coefficients.
    pub z_bits: usize,
    /// The way in which lanes select coefficients.
    pub z_selection: CoefficientSelection,
    /// The bits of each buffer of data: X and Y, or one buffer, from which a pre-adder takes both selections.
    pub data: Vec<Vec<usize>>,
    /// The number of lanes of the accumulator.
    pub lanes: usize,
    /// The number of products summed in a lane.
    pub columns: usize,
    /// The bits of a lane of the accumulator.
    pub accumulator_bits: usize,
    /// The operands after the accumulator, in order. Y may be omitted if X has the data of both.
    pub operands: Vec<Operand>,
}

impl Multiplication {
    /// Whether the data can come from an X of `x` bits alone, or from an X and a Y of these sizes.
    pub fn lists(&self, x: usize, y: Option<usize>) -> bool {
        self.data.iter().any(|bits| match (&bits[..], y) {
            ([one], None) => *one == x,
            ([first, second], Some(y)) => [*first, *second] == [x, y],
            _ => false,
        })
    }

    /// Returns the effect of the intrinsic of this name.
    pub fn effect(&self, name: &str) -> Option<Effect> {
        self.names.iter().find(|(listed, _)| listed == name).map(|(_, effect)| *effect)
    }

    /// The operands that its selections take, in the usual order.
    fn needed_operands(&self) -> Vec<Operand> {
        let (x_nibbles, x_columns, x_square) = match self.x_selection {
            DataSelection::Each => (self.lanes, 1, false),
            DataSelection::Granules { unit } => (self.lanes / unit, 2, true),
        };
        let (z_nibbles, z_columns, z_square) = self.coefficient_offsets();
        let selection = |source, nibbles: usize, columns: usize, square| {
            let parts = [
                (Part::Vector, true),
                (Part::Start, true),
                (Part::Offsets, true),
                (Part::OffsetsHigh, nibbles > MAX_NIBBLES / 2),
                (Part::Step, self.columns > columns),
                (Part::Square, square),
            ];
            parts.into_iter().filter(|(_, needed)| *needed).map(move |(part, _)| Operand { source, part })
        };
        // Y has the offsets and the step of X.
        let y = selection(Source::Y, 0, self.columns, x_square)
            .filter(|operand| self.pre_add.is_some() && operand.part != Part::Offsets);
        let x = selection(Source::X, x_nibbles, x_columns, x_square);
        x.chain(y).chain(selection(Source::Z, z_nibbles, z_columns, z_square)).collect()
    }

    /// The nibbles of `zoffsets`, the number of columns that need no step, and whether there is a square.
    fn coefficient_offsets(&self) -> (usize, usize, bool) {
        match self.z_selection {
            CoefficientSelection::Each => (self.lanes, 1, false),
            CoefficientSelection::Pairs { lanes } => (2 * self.lanes.div_ceil(lanes), 2, true),
        }
    }
}

impl Display for Multiplication {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, bits) in self.data.iter().enumerate() {
            let before = match at {
                0 => "",
                _ if at + 1 == self.data.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}{}", described(&bits[..]))?;
        }
        write!(f, "; Z of {} bits", self.z_bits)
    }
}

/// The buffers of data, in words.
fn described(bits: &[usize]) -> String {
    match bits {
        [x, y] if x == y => format!("X and Y of {x} bits each"),
        [x, y] => format!("X of {x} bits and Y of {y}"),
        _ => format!("X of {} bits", bits.first().unwrap_or(&0)),
    }
}

/// The operands of a multiplication, in words.
pub fn describe_operands(x: usize, y: Option<usize>, z: usize) -> String {
    let data: Vec<usize> = std::iter::once(x).chain(y).collect();
    format!("{}, Z of {z} bits", described(&data))
}

/// Reads a clause.
pub(super) fn read(expect: &mut Expect, form: &Form<'_>) -> Option<Multiplication> {
    let mut parts = Vec::new();
    for part in form.arguments {
        parts.push(expect.known_form("a clause of a multiplication", part, &PARTS)?);
    }
    let mut parts = Parts { expect, form, parts };
    let names = parts.names()?;
    let pre_add = parts.pre_add()?;
    let x = parts.one("x", 2..=2, "(x TYPE SELECTION)")?;
    let z = parts.one("z", 3..=3, "(z TYPE BITS SELECTION)")?;
    let data = parts.data()?;
    let mut number = |head: &str, most: i64| -> Option<usize> {
        let part = parts.one(head, 1..=1, &format!("({head} N)"))?;
        parts.expect.integer("a number", &part.arguments[0], 1..=most).map(|n| n as usize)
    };
    let lanes = number("lanes", MAX_NIBBLES as i64)?;
    let (columns, accumulator_bits) = (number("columns", 128)?, number("accumulator", 128)?);
    let read = Multiplication {
        names,
        pre_add,
        x: element(parts.expect, &x.arguments[0])?,
        x_selection: data_selection(parts.expect, &x.arguments[1])?,
        z: element(parts.expect, &z.arguments[0])?,
        z_bits: bits(parts.expect, &z.arguments[1])?,
        z_selection: coefficient_selection(parts.expect, &z.arguments[2])?,
        data,
        lanes,
        columns,
        accumulator_bits,
        operands: parts.operands()?,
    };
    parts.check(&read)?;
    Some(read)
}

/// The clauses of a multiplication.
struct Parts<'e, 'a> {
    expect: &'e mut Expect,
    form: &'e Form<'a>,
    parts: Vec<Form<'a>>,
}

impl<'a> Parts<'_, 'a> {
    /// Reads the names of all effects.
    fn names(&mut self) -> Option<Vec<(String, Effect)>> {
        let mut names: Vec<(String, Effect)> = Vec::new();
        for part in &self.parts {
            let effect = match part.head {
                "add" => Effect { begins: false, negative: false },
                "begin" => Effect { begins: true, negative: false },
                "subtract" => Effect { begins: false, negative: true },
                "begin-negated" => Effect { begins: true, negative: true },
                _ => continue,
            };
            for name in part.arguments {
                let text = self.expect.name("the name of an intrinsic", name)?;
                if names.iter().any(|(other, _)| other == text) {
                    let message = format!("`{text}` appears twice");
                    let twice = Diagnostic::error("repeated-name", message).label(name.span, "again here");
                    return self.expect.report(twice);
                }
                names.push((text.to_owned(), effect));
            }
        }
        if names.is_empty() {
            return self.missing("names no intrinsic");
        }
        Some(names)
    }

    fn missing<T>(&mut self, what: &str) -> Option<T> {
        let message = format!("the multiplication {what}");
        let help = format!("the form is `{USAGE}`");
        let missing = Diagnostic::error("missing-clause", message).label(self.form.span, "this clause");
        self.expect.report(missing.help(help))
    }

    /// Returns the only clause with this head.
    fn one(&mut self, head: &str, arguments: RangeInclusive<usize>, usage: &str) -> Option<Form<'a>> {
        let mut found = self.parts.iter().filter(|part| part.head == head);
        let (first, second) = (found.next().copied(), found.next().copied());
        let Some(form) = first else { return self.missing(&format!("has no clause `{usage}`")) };
        if let Some(second) = second {
            let message = format!("the clause `{head}` appears twice");
            let twice = Diagnostic::error("repeated-clause", message).label(second.span, "again here");
            return self.expect.report(twice);
        }
        self.expect.arity(&form, arguments, usage)?;
        Some(form)
    }

    fn pre_add(&mut self) -> Option<Option<PreAdd>> {
        if self.parts.iter().all(|part| part.head != "y") {
            return Some(None);
        }
        let part = self.one("y", 1..=1, "(y add) or (y subtract)")?;
        match self.expect.name("`add` or `subtract`", &part.arguments[0])? {
            "add" => Some(Some(PreAdd::Sum)),
            "subtract" => Some(Some(PreAdd::Difference)),
            _ => self.expect.mismatch("`add` or `subtract`", &part.arguments[0]),
        }
    }

    fn data(&mut self) -> Option<Vec<Vec<usize>>> {
        let mut data = Vec::new();
        for part in self.parts.iter().filter(|part| part.head == "data") {
            self.expect.arity(part, 1..=2, "(data BITS) or (data BITS BITS)")?;
            data.push(part.arguments.iter().map(|size| bits(self.expect, size)).collect::<Option<Vec<_>>>()?);
        }
        if data.is_empty() {
            return self.missing("has no clause `(data BITS)`");
        }
        Some(data)
    }

    fn operands(&mut self) -> Option<Vec<Operand>> {
        let part = self.one("operands", 1..=usize::MAX, "(operands OPERAND…)")?;
        let all = Operand::all();
        let names: Vec<String> = all.iter().map(|operand| operand.name()).collect();
        let mut operands = Vec::new();
        for sexp in part.arguments {
            let name = (self.expect.name("an operand", sexp)?, sexp.span);
            let known = names.iter().map(String::as_str);
            operands.push(all[self.expect.index_of("unknown-operand", "operand", name, known)?]);
        }
        Some(operands)
    }

    /// Checks that the operands are those that the selections take, each once, data first.
    fn check(&mut self, read: &Multiplication) -> Option<()> {
        let part = self.one("operands", 1..=usize::MAX, "(operands OPERAND…)")?;
        let needed = read.needed_operands();
        let complete = needed.len() == read.operands.len()
            && needed.iter().all(|operand| read.operands.contains(operand))
            && read.operands.first() == needed.first();
        if !complete {
            let names: Vec<String> = needed.iter().map(|operand| operand.name()).collect();
            let message = "these are not the operands of the selections that are declared";
            let label = format!("expected `{}`, `x` first", names.join(" "));
            return self.expect.report(Diagnostic::error("operands", message).label(part.span, label));
        }
        let (nibbles, ..) = read.coefficient_offsets();
        if nibbles > MAX_NIBBLES {
            let message = format!("{nibbles} offsets do not fit in 64 bits");
            let label = "expected larger groups of lanes in the selection of Z";
            return self.expect.report(Diagnostic::error("operands", message).label(self.form.span, label));
        }
        Some(())
    }
}

fn data_selection(expect: &mut Expect, sexp: &Sexp) -> Option<DataSelection> {
    if sexp.as_atom() == Some("each") {
        return Some(DataSelection::Each);
    }
    let unit = selection_parameter(expect, "granules", "`each` or `(granules UNIT)`", sexp)?;
    Some(DataSelection::Granules { unit })
}

fn coefficient_selection(expect: &mut Expect, sexp: &Sexp) -> Option<CoefficientSelection> {
    if sexp.as_atom() == Some("each") {
        return Some(CoefficientSelection::Each);
    }
    let lanes = selection_parameter(expect, "pairs", "`each` or `(pairs LANES)`", sexp)?;
    Some(CoefficientSelection::Pairs { lanes })
}

/// Reads the number in `(HEAD NUMBER)`.
fn selection_parameter(expect: &mut Expect, head: &str, usage: &str, sexp: &Sexp) -> Option<usize> {
    let Some(form) = sexp.as_form().filter(|form| form.head == head) else {
        return expect.mismatch(usage, sexp);
    };
    expect.arity(&form, 1..=1, usage)?;
    expect.integer("a number of lanes", &form.arguments[0], 1..=MAX_NIBBLES as i64).map(|n| n as usize)
}

pub(super) fn bits(expect: &mut Expect, sexp: &Sexp) -> Option<usize> {
    expect.integer("a size in bits", sexp, 1..=MAX_BITS).map(|bits| bits as usize)
}
