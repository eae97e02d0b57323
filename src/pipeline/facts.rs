//! What is known of the value of a node.

use crate::algebra::Rational;

use super::Range;
use super::id::VariableId;

/// What is known of a value, whatever the inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// Its samples for each column and row of the base grid; `None` for values that are the same everywhere, which have
    /// any rate.
    pub rate: Option<[Rational; 2]>,
    /// The number of planes, if it has planes.
    pub planes: Option<u32>,
    /// The values that it can have.
    pub number: Number,
    /// The variables of folds that it depends on, in order.
    pub variables: Vec<VariableId>,
}

/// The values of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Exact values in an interval.
    Exact(Range),
    /// Values of single precision.
    Float,
}

impl Facts {
    /// Whether the values are of single precision.
    pub fn is_float(&self) -> bool {
        self.number == Number::Float
    }

    /// The interval of an exact value.
    pub fn range(&self) -> Option<Range> {
        match self.number {
            Number::Exact(range) => Some(range),
            Number::Float => None,
        }
    }

    /// The common denominator of its exact values; one for single precision.
    pub fn denominator(&self) -> i128 {
        self.range().map_or(1, |range| range.denominator)
    }
}
