//! The values of variables while code is followed.

use std::rc::Rc;

use super::sum::Sum;
use crate::backend::vector::read::{Base, Scalar, Type};

/// Lanes that are all zero.
pub(super) fn zero_lanes(count: usize) -> Vec<Rc<Sum>> {
    let zero = Rc::new(Sum::default());
    vec![zero; count]
}

/// The name of a vector type.
pub(super) fn vector_name(lanes: usize, scalar: Scalar) -> String {
    format!("v{lanes}{}int{}", if scalar.signed { "" } else { "u" }, scalar.bits)
}

/// A place in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    /// The array.
    pub(super) array: usize,
    /// The offset in bytes.
    pub(super) byte: i64,
    /// The type that is read through it.
    pub(super) target: Type,
}

impl Pointer {
    /// The size of its target.
    pub(super) fn stride(&self) -> i64 {
        match self.target {
            Type { base: Base::Integer(scalar), pointers: 0 } => scalar.bytes(),
            Type { base: Base::Vector(lanes, scalar), pointers: 0 } => lanes as i64 * scalar.bytes(),
            _ => 1,
        }
    }
}

/// The value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A known number.
    Integer(i64),
    /// An element, or a value computed from elements.
    Scalar(Rc<Sum>),
    /// A place in an array.
    Pointer(Pointer),
    /// A vector: elements of a type.
    Vector(Vec<Rc<Sum>>, Scalar),
    /// An accumulator: lanes, and the bits of each.
    Accumulator(Vec<Rc<Sum>>, usize),
    /// No value: nothing was written yet.
    Nothing,
}

impl Value {
    /// The kind of the value, for messages.
    pub(super) fn kind(&self) -> String {
        match self {
            Self::Integer(_) => "an integer".to_owned(),
            Self::Scalar(_) => "an element".to_owned(),
            Self::Pointer(_) => "a pointer".to_owned(),
            Self::Vector(lanes, scalar) => vector_name(lanes.len(), *scalar),
            Self::Accumulator(lanes, bits) => format!("v{}acc{bits}", lanes.len()),
            Self::Nothing => "nothing".to_owned(),
        }
    }

    /// An integer or element as a sum.
    pub(super) fn sum(&self) -> Option<Rc<Sum>> {
        match self {
            Self::Integer(value) => Some(Rc::new(Sum::constant((*value).into()))),
            Self::Scalar(sum) => Some(Rc::clone(sum)),
            _ => None,
        }
    }

    /// Makes an integer if the sum is a constant integer, or else a scalar.
    pub(super) fn of_sum(sum: Rc<Sum>) -> Self {
        let constant = sum.as_constant().and_then(|value| i64::try_from(value).ok());
        constant.map_or(Self::Scalar(sum), Self::Integer)
    }
}
