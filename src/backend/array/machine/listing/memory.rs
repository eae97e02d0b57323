//! The variables of a source while it is read: numbered cells that hold values. Names, references and pointers lead to places in
//! them, so that a change by one name is seen by all others.

use std::collections::BTreeMap;

use super::dialect::Base;
use super::value::{Place, Value, held};
use crate::syntax::Span;

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Its name.
    pub(super) name: String,
    /// The place of its name.
    pub(super) span: Span,
    /// Its value.
    pub(super) value: Value,
    /// The type of integers that it was declared with; that of its elements, for an array.
    pub(super) base: Option<Base>,
    /// The last name of its type.
    pub(super) class: String,
    /// Whether it is a reference or a pointer, which may lead to an object of a class derived from its own.
    pub(super) indirect: bool,
    /// Whether it is an array, whose name stands for a pointer to its first element where it is not used as a whole.
    pub(super) array: bool,
    /// Whether nothing can change it.
    pub(super) constant: bool,
    /// Whether nothing in the source changes it, though the language would allow it.
    pub(super) assumed: bool,
    /// Whether the value is that of a change that was followed. A value from outside does not replace it.
    pub(super) followed: bool,
    /// Whether its address was taken.
    pub(super) exposed: bool,
}

impl Variable {
    /// A variable with this value.
    pub(super) fn new(name: &str, span: Span, value: Value) -> Self {
        Self {
            name: name.to_owned(),
            span,
            value,
            base: None,
            class: String::new(),
            indirect: false,
            array: false,
            constant: false,
            assumed: false,
            followed: false,
            exposed: false,
        }
    }

    /// The variable holds something that is not known.
    fn lose(&mut self) {
        if !self.constant {
            self.value = Value::variable(&self.name, self.span);
            (self.assumed, self.followed) = (false, false);
        }
    }
}

/// All variables so far.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    cells: Vec<Variable>,
    /// The variables that exist once, however often their declarations are read, by the tokens of their names.
    fixed: BTreeMap<usize, usize>,
}

impl Memory {
    /// No variables.
    pub(super) fn new() -> Self {
        let nowhere = "what a pointer leads to";
        let value = Value::computed(nowhere, Span::default());
        Self { cells: vec![Variable::new(nowhere, Span::default(), value)], fixed: BTreeMap::new() }
    }

    /// Adds a variable.
    pub(super) fn add(&mut self, variable: Variable) -> Place {
        self.cells.push(variable);
        Place { cell: self.cells.len() - 1, path: Vec::new() }
    }

    /// Adds a variable that exists once. Its name is the token `at`.
    pub(super) fn fix(&mut self, at: usize, variable: Variable) -> Place {
        let place = self.add(variable);
        self.fixed.insert(at, place.cell);
        place
    }

    /// The variable that exists once and whose name is the token `at`, if it was added.
    pub(super) fn fixed(&self, at: usize) -> Option<Place> {
        self.fixed.get(&at).map(|cell| Place { cell: *cell, path: Vec::new() })
    }

    /// Adds a copy of what is at a place.
    pub(super) fn copy(&mut self, place: &Place) -> Place {
        let value = self.read(place);
        let variable = Variable { value, exposed: false, ..self.variable(place).clone() };
        self.add(variable)
    }

    /// The variable that a place is in.
    pub(super) fn variable(&self, place: &Place) -> &Variable {
        &self.cells[place.cell]
    }

    /// The value at a place.
    pub(super) fn read(&self, place: &Place) -> Value {
        let variable = &self.cells[place.cell];
        let mut value = &variable.value;
        for index in &place.path {
            value = match (value, index.and_then(|index| usize::try_from(index).ok())) {
                (Value::List(values), Some(index)) if index < values.len() => &values[index],
                (Value::Open(_), _) => value,
                _ => return Value::computed("an element that is not known", variable.span),
            };
        }
        value.clone()
    }

    /// Changes the value at a place. What cannot be told apart from it is no longer known.
    pub(super) fn write(&mut self, place: &Place, value: Value) {
        if *place == Place::ANYWHERE {
            self.cells.iter_mut().filter(|cell| cell.exposed).for_each(Variable::lose);
            return;
        }
        let variable = &mut self.cells[place.cell];
        let value = held(variable.base, value);
        let mut at = Some(&mut variable.value);
        for index in &place.path {
            let index = index.and_then(|index| usize::try_from(index).ok());
            at = match (at, index) {
                (Some(Value::List(values)), Some(index)) => values.get_mut(index),
                _ => None,
            };
        }
        match at {
            Some(at) => {
                *at = value;
                variable.followed = true;
                variable.assumed = false;
            }
            None => variable.lose(),
        }
    }

    /// What a place holds is no longer known, and neither is what is behind it if it holds a pointer.
    pub(super) fn lose(&mut self, place: &Place) {
        if let Value::Pointer(behind) = self.read(place) {
            self.lose_behind(&behind);
        }
        self.cells[place.cell].lose();
    }

    /// What a pointer to a place leads to is no longer known.
    pub(super) fn lose_behind(&mut self, place: &Place) {
        match *place == Place::ANYWHERE {
            true => self.write(place, Value::Number(0)),
            false => self.cells[place.cell].lose(),
        }
    }

    /// A pointer to a place.
    pub(super) fn pointer(&mut self, place: Place) -> Value {
        self.cells[place.cell].exposed = true;
        Value::Pointer(place)
    }
}
