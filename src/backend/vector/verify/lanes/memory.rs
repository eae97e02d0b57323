//! What pointers lead to: arrays of elements, known or not.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::sum::{Sum, Symbol};
use crate::backend::vector::read::Scalar;
use crate::syntax::Span;

/// What an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Given from outside: read, written or both.
    Given,
    /// Made by the code itself.
    Own,
    /// A variable to which nothing was written.
    Unset,
}

/// An array of elements.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The type of its elements.
    pub scalar: Scalar,
    /// What it is.
    pub role: Role,
    /// Its number of elements, where that is said.
    pub length: Option<i64>,
    /// What is known of its elements.
    pub contents: BTreeMap<i64, Rc<Sum>>,
    /// Where each element was stored last.
    pub stores: BTreeMap<i64, Span>,
    /// Whether anything was loaded from it.
    pub loaded: bool,
}

impl Array {
    /// The element at a place, as far as it is known.
    pub fn element(&self, array: usize, index: i64) -> Rc<Sum> {
        match self.contents.get(&index) {
            Some(sum) => Rc::clone(sum),
            None => Rc::new(Sum::symbol(Symbol { array, index })),
        }
    }
}
