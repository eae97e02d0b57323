//! Functions and lambdas as values: what a lambda sees of the variables around it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::declarator::listed;
use super::dialect::within;
use super::evaluate::{passed, place_of};
use super::memory::Variable;
use super::scope::{Closure, Frame, Region, Scope, Scopes};
use super::value::{Place, Value, last};
use crate::syntax::Span;
use crate::syntax::c::Lexeme;

impl<'a> Scopes<'a> {
    /// The lambda that begins with the token `at`, with what it captures here.
    pub(super) fn lambda(&mut self, at: usize, span: Span) -> Value {
        let Some(function) = self.given.outline.at_bracket(at) else {
            return Value::computed("a lambda", span);
        };
        let captures = self.given.outline.functions[function].captures.clone();
        let frame = Some(self.captured(captures));
        self.closure(Closure { function, frame })
    }

    /// The function that a name alone means, if it is the only one with this name.
    pub(super) fn function_named(&mut self, name: &str) -> Option<Value> {
        let functions = self.given.outline.functions.iter().enumerate();
        let mut found = functions.filter(|(_, function)| !function.lambda && function.name == last(name));
        let (function, _) = found.next().filter(|_| found.next().is_none())?;
        Some(self.closure(Closure { function, frame: None }))
    }

    fn closure(&mut self, closure: Closure<'a>) -> Value {
        self.closures.push(closure);
        Value::Function(self.closures.len() - 1)
    }

    /// The names that a lambda with these captures sees: variables that are captured by value are copied now.
    fn captured(&mut self, captures: Range<usize>) -> Frame<'a> {
        let tokens = self.given.tokens;
        let (mut copies, mut shared) = (false, BTreeSet::new());
        let mut bound: Vec<(&'a str, Place)> = Vec::new();
        for part in listed(tokens, captures) {
            match &tokens[part.clone()] {
                [equals] if equals.is("=") => copies = true,
                [mark, name] if mark.is("&") => {
                    shared.insert(name.text);
                }
                [mark, name, equals, ..] if mark.is("&") && equals.is("=") => {
                    let place = within(tokens, part.start + 3..part.end);
                    let place = place.and_then(|place| place_of(self, &place).ok().flatten());
                    bound.push((name.text, place.unwrap_or(Place::ANYWHERE)));
                }
                [name, equals, ..] if name.kind == Lexeme::Word && equals.is("=") => {
                    let value = within(tokens, part.start + 2..part.end);
                    let value = value.and_then(|value| passed(self, &value).ok());
                    let (value, base) = value.unwrap_or((Value::variable(name.text, name.span), None));
                    let variable = Variable { base, ..Variable::new(name.text, name.span, value) };
                    bound.push((name.text, self.memory.add(variable)));
                }
                [name] if name.kind == Lexeme::Word && self.declares(name.text) => {
                    if let Some(place) = self.place(name.text) {
                        bound.push((name.text, self.memory.copy(&place)));
                    }
                }
                _ => {}
            }
        }
        let mut frame = self.frame.clone();
        if copies {
            let local = |scope: &&mut Scope<'a>| scope.region == Region::Function;
            for scope in frame.scopes.iter_mut().filter(local) {
                for (_, binding) in scope.names.iter_mut().filter(|(name, _)| !shared.contains(*name)) {
                    binding.place = self.memory.copy(&binding.place);
                }
            }
        }
        let outer = std::mem::replace(&mut self.frame, frame);
        self.enter();
        bound.into_iter().for_each(|(name, place)| self.bind(name, place, false));
        std::mem::replace(&mut self.frame, outer)
    }
}
