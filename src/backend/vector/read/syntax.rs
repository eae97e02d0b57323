//! The syntax of a source: functions in C++, with types of integers, vectors and accumulators. It does not define their
//! meaning.

use std::fmt;

use crate::syntax::{Diagnostics, c};

/// A type without dimensions.
pub type Type = c::Type<Base>;
/// A variable or parameter.
pub type Declarator = c::Declarator<Base>;
/// A statement.
pub type Statement = c::Statement<Base>;
/// An expression with its place.
pub type Expression = c::Expression<Base>;
/// The kind of an expression.
pub type Kind = c::Kind<Base>;

/// A source with one function as the kernel, or the whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// Declarations outside of functions, in order.
    pub globals: Vec<Statement>,
    /// The kernel first, then the functions that it calls, directly or indirectly.
    pub functions: Vec<Function>,
    /// Notes on code whose reading may differ from its intent.
    pub notes: Diagnostics,
}

/// A function, or statements outside of all functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its name; empty for statements outside of functions.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Declarator>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// The part of a type without pointers and dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// An integer.
    Integer(Scalar),
    /// A vector: its number of elements and their type.
    Vector(usize, Scalar),
    /// An accumulator: its lanes and the bits of each.
    Accumulator(usize, usize),
    /// `void`.
    Nothing,
    /// `auto`.
    Deduced,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its width in bits.
    pub bits: usize,
    /// Whether it has negative values.
    pub signed: bool,
}

impl fmt::Display for Scalar {
    /// Writes the name, such as `int16_t`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}int{}_t", if self.signed { "" } else { "u" }, self.bits)
    }
}

impl Scalar {
    /// The least and the greatest value.
    pub fn range(self) -> [i128; 2] {
        let bits = self.bits.min(64) as u32;
        match self.signed {
            true => [-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1],
            false => [0, (1i128 << bits) - 1],
        }
    }

    /// The size in memory, in bytes.
    pub fn bytes(self) -> i64 {
        (self.bits / 8).max(1) as i64
    }
}
