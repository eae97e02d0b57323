//! Carries out declarations: variables, arrays, references and constants take their initial values.

use std::ops::Range;

use super::context::number;
use super::declarator::{Declared, declared};
use super::dialect::within;
use super::evaluate::{decayed, evaluate, place_of};
use super::memory::Variable;
use super::reader::Reader;
use super::value::{Place, Value};
use super::walk::{MAX_ELEMENTS, sized, unwrapped, unwrapped_expression};

impl<'a> Reader<'a> {
    /// Reads constants, variables and aliases of registers.
    pub(super) fn declaration(&mut self) {
        let begin = self.code.at;
        self.skip_one();
        let end = self.code.at;
        let semicolon = end > begin && self.given.tokens[end - 1].is(";");
        self.declare(begin..end - usize::from(semicolon));
    }

    /// Declares variables.
    pub(super) fn declare(&mut self, range: Range<usize>) {
        for this in declared(self.given.tokens, range) {
            if !this.reference && !this.pointer && self.constructed(this.ty, this.name.span).is_err() {
                continue;
            }
            if let Some(place) = self.scopes.memory.fixed(this.at).filter(|_| this.fixed) {
                self.scopes.bind(this.name.text, place, false);
            } else if this.reference
                && let Some(place) = self.referred(&this).filter(|place| !self.hides_class(this.ty, place))
            {
                self.scopes.bind(this.name.text, place, false);
            } else {
                // What is static exists once for each instance of a template; only constants do not depend on how often they are read.
                let templated = self
                    .calls
                    .last()
                    .is_some_and(|at| !self.given.outline.functions[*at].templates.is_empty());
                let value = if templated && this.fixed && !this.constant {
                    this.variable(Value::variable(this.name.text, this.name.span))
                } else {
                    self.declared_variable(&this)
                };
                let memory = &mut self.scopes.memory;
                let once = this.fixed && !templated;
                let place = if once { memory.fix(this.at, value) } else { memory.add(value) };
                self.scopes.bind(this.name.text, place, false);
            }
        }
    }

    /// What a reference that is declared refers to, if it is a variable.
    fn referred(&mut self, this: &Declared<'a>) -> Option<Place> {
        let initial = within(self.given.tokens, this.initial.clone())?;
        match place_of(self, unwrapped_expression(&initial)) {
            Ok(place) => place,
            // What it refers to was reported, or has no value.
            Err(_) => Some(Place::ANYWHERE),
        }
    }

    /// A variable with its initial value.
    fn declared_variable(&mut self, this: &Declared<'a>) -> Variable {
        let name = this.name;
        let initial = within(self.given.tokens, this.initial.clone());
        let value = initial.and_then(|initial| decayed(self, &initial).ok());
        let value = value.and_then(|value| unwrapped(value, this.array));
        let unknown = Value::variable(name.text, name.span);
        let value = match value {
            Some(Value::Open(open)) if open.named && open.name != name.text => Some(Value::Open(open)),
            Some(Value::Open(_)) => Some(unknown.clone()),
            None if !this.initial.is_empty() => Some(unknown.clone()),
            value => value,
        };
        let value = match self.lengths(this, value.as_ref()) {
            Some(lengths) => sized(&lengths, value, &unknown),
            None => value.unwrap_or(unknown),
        };
        this.variable(value)
    }

    /// The numbers of elements of an array, if they are known.
    fn lengths(&mut self, this: &Declared<'a>, value: Option<&Value>) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        for (at, dimension) in this.dimensions.iter().enumerate() {
            let length = match (value, within(self.given.tokens, dimension.clone())) {
                (_, Some(length)) => evaluate(self, &length).ok().and_then(|length| number(self, &length)),
                (Some(Value::List(values)), None) if at == 0 => i64::try_from(values.len()).ok(),
                _ => None,
            };
            found.push(length.and_then(|length| usize::try_from(length).ok())?);
        }
        let all = found.iter().try_fold(1usize, |all, length| all.checked_mul(*length));
        all.filter(|all| *all <= MAX_ELEMENTS).map(|_| found)
    }

    /// The variables that a loop declares take no values from outside.
    pub(super) fn follow(&mut self, range: Range<usize>) {
        for variable in declared(self.given.tokens, range) {
            self.scopes.own(variable.name.text);
        }
    }
}
