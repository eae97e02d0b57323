//! Values in sources: numbers, operands of the machine, lists of them, places of variables, and what is known only when a program runs.

use super::dialect::Base;
use crate::backend::array::machine::descriptor::Target;
use crate::backend::array::machine::host_forms::Stands;
use crate::syntax::Span;
use crate::syntax::c::Mistake;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An integer. One without a sign that is 2^63 or more, of a type of 64 bits, is 2^64 less here.
    Number(i64),
    /// An operand of the machine.
    Operand(String),
    /// Several values.
    List(Vec<Value>),
    /// A pointer to a variable, or to an element of one.
    Pointer(Place),
    /// A function or lambda of the source, by the number of its closure.
    Function(usize),
    /// A type of numbers, where a name stands for one.
    Type(Base),
    /// A value that is known only when the program runs.
    Open(Unknown),
}

/// Why a value is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unknown {
    /// The name of what is not known.
    pub(super) name: String,
    /// The place of its declaration, or of the expression.
    pub(super) place: Span,
    /// What a parameter stands for, if its type says so.
    pub(super) kind: Option<Stands>,
    /// Whether it is a variable or a parameter, whose value can be given by its name.
    pub(super) named: bool,
}

impl Value {
    /// The unknown value of a variable.
    pub(super) fn variable(name: &str, place: Span) -> Self {
        Self::Open(Unknown { name: name.to_owned(), place, kind: None, named: true })
    }

    /// The unknown value of an expression.
    pub(super) fn computed(name: &str, place: Span) -> Self {
        Self::Open(Unknown { name: name.to_owned(), place, kind: None, named: false })
    }
}

/// Why an expression has no value at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is undefined, or does not fit; the place of the part that is to blame.
    NoValue(Span),
    /// The reason has been reported.
    Reported,
}

impl From<Mistake> for Fault {
    fn from(_: Mistake) -> Self {
        Self::Reported
    }
}

/// The last part of a name, after the objects, classes and namespaces before it.
pub(super) fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// Whether the machine has an operand, or its sources a number, with this name.
pub(super) fn is_operand(target: &Target, name: &str) -> bool {
    target.operand(name).is_some()
}

/// A value as a variable of this type holds it: a number that does not fit loses its upper bits.
pub(super) fn held(base: Option<Base>, value: Value) -> Value {
    match (base, value) {
        (Some(base), Value::Number(number)) => Value::Number(base.convert(number).unwrap_or(number)),
        (Some(_), Value::List(values)) => {
            Value::List(values.into_iter().map(|value| held(base, value)).collect())
        }
        (_, value) => value,
    }
}

/// A variable, or an element of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) cell: usize,
    /// The indices that lead to the element; `None` for one that is not known.
    pub(super) path: Vec<Option<i64>>,
}

impl Place {
    /// Where a pointer that is not known may lead: to any variable whose address was taken.
    pub(super) const ANYWHERE: Self = Self { cell: 0, path: Vec::new() };

    /// Whether this is a whole variable.
    pub(super) fn is_whole(&self) -> bool {
        self.path.is_empty()
    }

    /// Whether it is known which one this is.
    pub(super) fn is_known(&self) -> bool {
        *self != Self::ANYWHERE && self.path.iter().all(Option::is_some)
    }

    /// The whole variable that this is, or that this is an element of.
    pub(super) fn whole(&self) -> Self {
        Self { cell: self.cell, path: Vec::new() }
    }

    /// An element of the array that is here.
    pub(super) fn element(&self, index: Option<i64>) -> Self {
        let mut path = self.path.clone();
        path.push(index);
        Self { cell: self.cell, path }
    }

    /// The place that a pointer to this one leads to when it is moved by `by` elements, if that is known.
    pub(super) fn moved(&self, by: Option<i64>) -> Self {
        let Some((last, outer)) = self.path.split_last() else {
            return if by == Some(0) { self.clone() } else { Self::ANYWHERE };
        };
        let at = last.zip(by).and_then(|(last, by)| last.checked_add(by));
        Self { cell: self.cell, path: outer.iter().copied().chain([at]).collect() }
    }
}
