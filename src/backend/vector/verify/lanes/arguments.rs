//! The arguments of an intrinsic, read in order.

use std::iter::Peekable;
use std::rc::Rc;
use std::vec::IntoIter;

use super::run::Stop;
use super::sum::Sum;
use super::value::Value;
use crate::backend::vector::read::Scalar;
use crate::syntax::{Diagnostic, Span};

/// The lanes of a vector or an accumulator.
pub(super) type Lanes = Vec<Rc<Sum>>;

/// The arguments of a call that have not been read yet.
pub(super) struct Arguments<'n> {
    pub(super) name: &'n str,
    pub(super) span: Span,
    pub(super) left: Peekable<IntoIter<Value>>,
}

impl<'n> Arguments<'n> {
    pub(super) fn new(name: &'n str, values: Vec<Value>, span: Span) -> Self {
        Self { name, span, left: values.into_iter().peekable() }
    }

    pub(super) fn wrong<T>(&self, expected: &str, found: Option<&Value>) -> Result<T, Stop> {
        let found = found.map_or("no argument".to_owned(), Value::kind);
        let message = format!("`{}` takes {expected} here, found {found}", self.name);
        Err(Box::new(Diagnostic::error("operand", message).label(self.span, "in this call")))
    }

    pub(super) fn integer(&mut self, what: &str) -> Result<i64, Stop> {
        match self.left.next() {
            Some(Value::Integer(value)) => Ok(value),
            other => self.wrong(&format!("{what} (a constant)"), other.as_ref()),
        }
    }

    pub(super) fn vector(&mut self, what: &str) -> Result<(Lanes, Scalar), Stop> {
        match self.left.next() {
            Some(Value::Vector(lanes, scalar)) => Ok((lanes, scalar)),
            other => self.wrong(&format!("{what} (a vector)"), other.as_ref()),
        }
    }

    pub(super) fn accumulator(&mut self, what: &str) -> Result<(Lanes, usize), Stop> {
        match self.left.next() {
            Some(Value::Accumulator(lanes, bits)) => Ok((lanes, bits)),
            other => self.wrong(&format!("{what} (an accumulator)"), other.as_ref()),
        }
    }

    /// Reads the offsets of eight lanes, or of eight groups of lanes.
    pub(super) fn offsets(&mut self, what: &str) -> Result<u64, Stop> {
        let value = self.integer(what)?;
        match u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(|v| v as u32)) {
            Some(word) => Ok(word.into()),
            None => self.wrong(&format!("{what} of 32 bits"), Some(&Value::Integer(value))),
        }
    }

    pub(super) fn square(&mut self, what: &str) -> Result<u16, Stop> {
        let value = self.integer(what)?;
        match u16::try_from(value).ok().filter(|v| (0..4).all(|i| v >> (4 * i) & 15 < 4)) {
            Some(word) => Ok(word),
            None => self.wrong(&format!("{what} with four digits of 0 to 3"), Some(&Value::Integer(value))),
        }
    }

    /// Reads the index of an element of a vector.
    pub(super) fn element(&mut self, lanes: usize) -> Result<usize, Stop> {
        let index = self.integer("the index")?;
        match usize::try_from(index).ok().filter(|index| *index < lanes) {
            Some(index) => Ok(index),
            None => self.wrong(&format!("an index of 0 to {}", lanes - 1), Some(&Value::Integer(index))),
        }
    }

    pub(super) fn end(&mut self) -> Result<(), Stop> {
        match self.left.next() {
            None => Ok(()),
            found => self.wrong("nothing more", found.as_ref()),
        }
    }
}
