//! The operand shapes that intrinsics are documented with: emitted code forms no other, neither the simulator nor the check of
//! hand-written code accepts another.

use std::fmt::{self, Display, Formatter};

use crate::backend::vector::workload::Element;
use crate::syntax::{Expect, Form, Sexp};

/// How the clause is written.
pub(super) const USAGE: &str = "(shapes (INTRINSIC…) (x TYPE) (z TYPE BITS) (data BITS)… (data BITS BITS)…)";
/// The most bits of an operand.
const MAX_BITS: i64 = 1 << 14;

/// Intrinsics for operands of two types, and the sizes that these may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shapes {
    /// The names of the intrinsics.
    pub names: Vec<String>,
    /// The type of the data.
    pub x: Element,
    /// The type of the coefficients.
    pub z: Element,
    /// The bits of the buffer of coefficients.
    pub z_bits: usize,
    /// The bits of each buffer of data: one, from which a pre-adder takes both its selections, or X and Y.
    pub data: Vec<Vec<usize>>,
}

impl Shapes {
    /// Whether data may be taken from X of so many bits alone, or from X and Y.
    pub fn lists(&self, x: usize, y: Option<usize>) -> bool {
        self.data.iter().any(|bits| match (&bits[..], y) {
            ([one], None) => *one == x,
            ([first, second], Some(y)) => [*first, *second] == [x, y],
            _ => false,
        })
    }
}

impl Display for Shapes {
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

/// Buffers of data in words.
fn described(bits: &[usize]) -> String {
    match bits {
        [x, y] if x == y => format!("X and Y of {x} bits each"),
        [x, y] => format!("X of {x} bits and Y of {y}"),
        _ => format!("X of {} bits", bits.first().unwrap_or(&0)),
    }
}

/// The operands of a multiplication in words.
pub fn describe_operands(x: usize, y: Option<usize>, z: usize) -> String {
    let data: Vec<usize> = std::iter::once(x).chain(y).collect();
    format!("{}, Z of {z} bits", described(&data))
}

/// Reads a clause.
pub(super) fn read(expect: &mut Expect, form: &Form<'_>) -> Option<Shapes> {
    expect.arity(form, 4..=usize::MAX, USAGE)?;
    let mut names = Vec::new();
    for name in expect.list("the names of intrinsics, `(INTRINSIC…)`", &form.arguments[0])? {
        names.push(expect.name("the name of an intrinsic", name)?.to_owned());
    }
    let x = expect.form_named("x", &form.arguments[1])?;
    expect.arity(&x, 1..=1, "(x TYPE)")?;
    let z = expect.form_named("z", &form.arguments[2])?;
    expect.arity(&z, 2..=2, "(z TYPE BITS)")?;
    let (x, z_type) = (element(expect, &x.arguments[0])?, element(expect, &z.arguments[0])?);
    let z_bits = bits(expect, &z.arguments[1])?;
    let mut data = Vec::new();
    for shape in &form.arguments[3..] {
        let shape = expect.form_named("data", shape)?;
        expect.arity(&shape, 1..=2, "(data BITS) or (data BITS BITS)")?;
        data.push(shape.arguments.iter().map(|size| bits(expect, size)).collect::<Option<Vec<_>>>()?);
    }
    Some(Shapes { names, x, z: z_type, z_bits, data })
}

/// The name of a type of elements.
pub(super) fn element(expect: &mut Expect, sexp: &Sexp) -> Option<Element> {
    let name = expect.name("an element type", sexp)?;
    let known = Element::ALL.map(Element::name);
    Element::named(name).or_else(|| expect.unknown("unknown-type", "element type", name, sexp.span, known))
}

fn bits(expect: &mut Expect, sexp: &Sexp) -> Option<usize> {
    expect.integer("a size in bits", sexp, 1..=MAX_BITS).map(|bits| bits as usize)
}
