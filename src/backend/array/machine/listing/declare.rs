//! Carries out declarations: variables, arrays, references and constants take their initial values.

use std::ops::Range;

use super::arrays::filled;
use super::declarator::{Declared, declared};
use super::dialect::{Code, Expression, HostCode, within};
use super::evaluate::{passed, place_of};
use super::memory::Variable;
use super::reader::Reader;
use super::value::{Place, Value};
use super::walk::{unwrapped, unwrapped_expression};
use crate::syntax::Diagnostic;
use crate::syntax::c::{Cursor, Dialect as _, Lexeme, Mistake};

/// Words that stand before another word within a value.
const PREFIXES: [&str; 9] =
    ["new", "delete", "sizeof", "throw", "typename", "struct", "class", "const", "co_await"];

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
        for this in self.scopes.declared(range) {
            if !this.reference && !this.pointer && self.constructed(this.class, this.name.span).is_err() {
                continue;
            }
            if let Some(place) = self.scopes.memory.fixed(this.at).filter(|_| this.fixed) {
                self.scopes.bind(this.name.text, place, false);
            } else if this.reference
                && let Some(place) = self.referred(&this).filter(|place| !self.hides_class(this.class, place))
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

    /// The initial value as it is written. A word behind it, which nothing separates from it, is an error.
    fn initial_value(&mut self, this: &Declared<'a>) -> Option<Expression> {
        let mut cursor: Code<'a> = Cursor::new(self.given.tokens.get(..this.initial.end)?);
        cursor.at = this.initial.start;
        let value = cursor.expression().ok()?;
        let next = cursor.peek();
        let (Some(next), Some(last)) = (next, self.given.tokens.get(cursor.at - 1)) else {
            return next.is_none().then_some(value);
        };
        let prefix = PREFIXES.contains(&last.text) || HostCode::named(last.text).is_some();
        if next.kind == Lexeme::Word && last.kind != Lexeme::Literal && !prefix {
            let message = format!("expected `;` after the value, found `{}`", next.text);
            let wrong = Diagnostic::error("unexpected", message).label(next.span, "expected `;` before this");
            let _reported: Result<(), Mistake> = self.code.mistake(wrong);
        }
        None
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
        let (name, tokens) = (this.name, self.given.tokens);
        let initial = self.initial_value(this);
        let given = initial.and_then(|initial| passed(self, &initial).ok());
        let base =
            given.as_ref().and_then(|(value, base)| self.scopes.base_for(this.ty.clone(), value, *base));
        let value = given.and_then(|(value, _)| unwrapped(value, !this.dimensions.is_empty()));
        let unknown = Value::variable(name.text, name.span);
        let value = match value {
            Some(Value::Open(open)) if open.named && open.name != name.text => Some(Value::Open(open)),
            Some(Value::Open(_)) => Some(unknown.clone()),
            None if !this.initial.is_empty() => Some(unknown.clone()),
            value => value,
        };
        let value = filled(self, tokens, this, value, &unknown);
        Declared { base: this.base.or(base), ..this.clone() }.variable(value)
    }

    /// The variables that a loop declares take no values from outside.
    pub(super) fn follow(&mut self, range: Range<usize>) {
        for variable in declared(self.given.tokens, range) {
            self.scopes.own(variable.name.text);
        }
    }
}
