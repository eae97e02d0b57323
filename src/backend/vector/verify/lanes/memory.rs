//! The memory under pointers: arrays of elements, known or unknown.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::sum::{Sum, Symbol};
use crate::backend::vector::read::Scalar;
use crate::syntax::Span;

/// The role of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Supplied by the caller: read, written or both.
    Given,
    /// Made by the code itself.
    Own,
    /// A variable that was never written.
    Unset,
}

/// An array of elements.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub span: Span,
    /// The type of its elements.
    pub scalar: Scalar,
    /// Its role.
    pub role: Role,
    /// The array of which it is a part, if an image begins within that.
    pub part_of: Option<usize>,
    /// Its number of elements, if declared.
    pub length: Option<i64>,
    /// The known elements.
    pub contents: BTreeMap<i64, Rc<Sum>>,
    /// The last store to each element.
    pub stores: BTreeMap<i64, Span>,
    /// Whether anything was loaded from it.
    pub loaded: bool,
}

impl Array {
    /// The element at an index, as far as it is known.
    pub fn element(&self, array: usize, index: i64) -> Rc<Sum> {
        match self.contents.get(&index) {
            Some(sum) => Rc::clone(sum),
            None => Rc::new(Sum::symbol(Symbol { array, index })),
        }
    }
}
