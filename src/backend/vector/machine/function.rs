//! The non-multiplying intrinsics, as the descriptor declares them: `(function NAME KIND PARAMETER…)`.

use super::multiplication::bits;
use crate::syntax::{Diagnostic, Expect, Form, Sexp};

const USAGE: &str = "(function NAME KIND PARAMETER…)";
/// The kinds of functions, with their parameters.
const KINDS: [(&str, &str); 12] = [
    ("round", "(BITS TYPE)…"),
    ("widen", "(BITS BITS)…"),
    ("replace", "BITS"),
    ("extract", "BITS"),
    ("place", "BITS BITS"),
    ("join", "BITS"),
    ("replace-element", ""),
    ("extract-element", ""),
    ("zeros", ""),
    ("undefined", ""),
    ("saturation", "on|off"),
    ("rounding", "set|clear"),
];

/// A non-multiplying intrinsic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name. A final `*` stands for the name of a type.
    pub name: String,
    /// Its kind.
    pub kind: FunctionKind,
}

/// The kind of a non-multiplying intrinsic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// Shifts an accumulator right, rounds it and narrows it.
    Round(Vec<Narrowing>),
    /// Shifts a vector left into an accumulator: the bits of elements and of the accumulator's lanes.
    Widen(Vec<[usize; 2]>),
    /// Replaces a part of a vector.
    Replace {
        /// The bits of the part.
        bits: usize,
    },
    /// Takes a part of a vector.
    Extract {
        /// The bits of the part.
        bits: usize,
    },
    /// Makes a vector with one defined part.
    Place {
        /// The bits of the vector.
        whole: usize,
        /// The bits of the part.
        bits: usize,
    },
    /// Joins vectors of one type, least significant first.
    Join {
        /// The maximum number of bits of the result.
        most: usize,
    },
    /// Replaces an element of a vector.
    ReplaceElement,
    /// Takes an element of a vector.
    ExtractElement,
    /// Returns zeros of the type in its name.
    Zeros,
    /// Returns undefined lanes of the type in its name.
    Undefined,
    /// Switches saturation on or off.
    Saturation(bool),
    /// Sets the rounding mode to its argument, or resets it.
    Rounding {
        /// Whether there is an argument.
        set: bool,
    },
}

/// A conversion that rounds the lanes of an accumulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Narrowing {
    /// The bits of a lane of the accumulator.
    pub from: usize,
    /// The bits of an element.
    pub to: usize,
    /// Whether elements are signed.
    pub signed: bool,
}

/// Reads a clause.
pub(super) fn read(expect: &mut Expect, form: &Form<'_>) -> Option<Function> {
    expect.arity(form, 2..=usize::MAX, USAGE)?;
    let name = expect.name("the name of an intrinsic", &form.arguments[0])?.to_owned();
    let kind = expect.name("a kind of functions", &form.arguments[1])?;
    let place = (kind, form.arguments[1].span);
    let parameters = expect.one_of("unknown-kind", "kind of functions", place, &KINDS)?;
    let usage = format!("(function NAME {kind} {parameters})").replace(" )", ")");
    let count = parameters.split(' ').filter(|word| !word.is_empty()).count();
    let several = parameters.ends_with('…');
    let (least, most) = if several { (1, usize::MAX - 2) } else { (count, count) };
    expect.arity(form, 2 + least..=2 + most, &usage)?;
    let typed = matches!(kind, "zeros" | "undefined");
    if name.ends_with('*') != typed {
        let message = format!("`{name}` cannot be of the kind `{kind}`");
        let label = "a name ends with `*`, in place of a type, if it is of the kind `zeros` or `undefined`";
        let span = form.arguments[0].span;
        return expect.report(Diagnostic::error("function-name", message).label(span, label));
    }
    let parameters = &form.arguments[2..];
    let mut size = |at: usize| bits(expect, &parameters[at]);
    let kind = match kind {
        "replace" => FunctionKind::Replace { bits: size(0)? },
        "extract" => FunctionKind::Extract { bits: size(0)? },
        "place" => FunctionKind::Place { whole: size(0)?, bits: size(1)? },
        "join" => FunctionKind::Join { most: size(0)? },
        "replace-element" => FunctionKind::ReplaceElement,
        "extract-element" => FunctionKind::ExtractElement,
        "zeros" => FunctionKind::Zeros,
        "undefined" => FunctionKind::Undefined,
        "saturation" => FunctionKind::Saturation(one_of(expect, ["on", "off"], &parameters[0])?),
        "rounding" => FunctionKind::Rounding { set: one_of(expect, ["set", "clear"], &parameters[0])? },
        "round" => {
            FunctionKind::Round(parameters.iter().map(|pair| narrowing(expect, pair)).collect::<Option<_>>()?)
        }
        _ => {
            let widening = |pair| {
                let [from, to] = two(expect, "(BITS BITS)", pair)?;
                Some([bits(expect, from)?, bits(expect, to)?])
            };
            FunctionKind::Widen(parameters.iter().map(widening).collect::<Option<_>>()?)
        }
    };
    Some(Function { name, kind })
}

/// Returns whether a word is the first of two.
fn one_of(expect: &mut Expect, [first, second]: [&str; 2], sexp: &Sexp) -> Option<bool> {
    match sexp.as_atom() {
        Some(word) if word == first => Some(true),
        Some(word) if word == second => Some(false),
        _ => expect.mismatch(&format!("`{first}` or `{second}`"), sexp),
    }
}

fn two<'a>(expect: &mut Expect, usage: &str, sexp: &'a Sexp) -> Option<[&'a Sexp; 2]> {
    match expect.list(&format!("`{usage}`"), sexp)? {
        [first, second] => Some([first, second]),
        _ => expect.mismatch(&format!("`{usage}`"), sexp),
    }
}

fn narrowing(expect: &mut Expect, sexp: &Sexp) -> Option<Narrowing> {
    let [from, ty] = two(expect, "(BITS TYPE)", sexp)?;
    let from = bits(expect, from)?;
    let name = expect.name("an element type", ty)?;
    let known = ["int8", "uint8", "int16", "uint16", "int32", "uint32"];
    expect.index_of("unknown-type", "element type", (name, ty.span), known)?;
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    Some(Narrowing { from, to: digits.parse().ok()?, signed: !name.starts_with('u') })
}
