//! Follows the declarations of a source up to a place in it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::arrays::filled;
use super::context::Typed;
use super::declarator::{Declared, declarator, groups, listed};
use super::dialect::{Expression, within};
use super::evaluate::{passed, place_of};
use super::memory::Variable;
use super::outline::{Parameter, class, namespaces};
use super::scope::{Binding, Frame, Members, Region, Scope, Scopes};
use super::value::{Place, Unknown, Value, held};
use crate::syntax::c::{Kind, Lexeme, Token, closing};

/// Words that may precede the `:` of a label.
const LABELS: [&str; 5] = ["public", "private", "protected", "default", "case"];

impl<'a> Scopes<'a> {
    /// The names in scope at the token `end`.
    pub(super) fn frame_at(&mut self, end: usize) -> Frame<'a> {
        let outer = std::mem::take(&mut self.frame);
        self.walk(end);
        std::mem::replace(&mut self.frame, outer)
    }

    /// Follows the declarations of the source up to the token `end`.
    pub(super) fn walk(&mut self, end: usize) {
        let tokens = self.given.tokens;
        let (mut begin, mut at) = (0, 0);
        // The number of open parentheses within each open brace, innermost last.
        let mut open = vec![0usize];
        while at < end {
            let depth = open.last_mut().expect("the outermost braces are never closed");
            match tokens[at].text {
                _ if tokens[at].kind != Lexeme::Mark => {}
                "(" | "[" => *depth += 1,
                ")" | "]" => *depth = depth.saturating_sub(1),
                "{" => {
                    self.brace(begin..at);
                    open.push(0);
                    begin = at + 1;
                }
                "}" => {
                    self.leave();
                    if open.len() > 1 {
                        open.pop();
                    }
                    begin = at + 1;
                }
                ";" if *depth == 0 => {
                    self.using(&tokens[begin..at]);
                    self.declare(begin..at);
                    begin = at + 1;
                }
                ":" if tokens.get(begin).is_some_and(|t| LABELS.contains(&t.text)) => begin = at + 1,
                _ => {}
            }
            at += 1;
        }
    }

    /// Opens the scope of a brace. The tokens before it may declare parameters, the tokens inside enumerators or members.
    fn brace(&mut self, before: Range<usize>) {
        let tokens = self.given.tokens;
        let (head, inside) = (&tokens[before.clone()], before.end + 1);
        let has = |word: &str| head.iter().any(|token| token.is(word));
        let around = self.frame.scopes.last().map(|scope| scope.region);
        let around = if around == Some(Region::Function) { Region::Function } else { Region::Source };
        if let Some(function) = self.given.outline.at_body(inside) {
            self.function(&function.owners, &function.parameters);
            self.another_object();
            function.templates.iter().for_each(|parameter| self.parameter(parameter));
            return;
        }
        if has("enum") && !has("(") {
            self.enumerators(head, inside);
            self.enter_region(around, &[]);
            return;
        }
        if around == Region::Source
            && let Some(names) = namespaces(head)
        {
            self.enter_region(Region::Namespace, &names);
            return;
        }
        if let Some((name, _)) = class(head) {
            self.enter_region(Region::Class, &[name]);
            self.members(inside);
            return;
        }
        if !has("(") && declarator(head).is_some() {
            // The value of `const int n{3}` and `int v[] = {1, 2}` stands in the braces.
            self.declare(before.start..behind(tokens, before.end));
        }
        self.enter_region(if has("(") { Region::Function } else { around }, &[]);
        if head.first().is_some_and(|first| first.is("for")) {
            for group in groups(head) {
                let part = group.split(|token| token.is(",") || token.is(";") || token.is(":")).next();
                if let Some((part, found)) = part.and_then(|part| Some((part, declarator(part)?))) {
                    let name = &part[found.name];
                    let value = Value::variable(name.text, name.span);
                    self.declare_as(name.text, Variable::new(name.text, name.span, value), false);
                }
            }
        }
    }

    /// Opens the scope of a function. If it is defined outside its class, the members of the class are a scope around it.
    pub(super) fn function(&mut self, owners: &[&'a str], parameters: &[Parameter<'a>]) {
        let members = self.frame.classes.get(owners).filter(|_| self.frame.path() != owners).cloned();
        let member = members.is_some();
        if let Some(Members { names, region }) = members {
            self.frame.scopes.push(Scope { names, region, path: owners.to_vec(), member: false });
        }
        self.frame.scopes.push(Scope {
            region: Region::Function,
            path: owners.to_vec(),
            member,
            ..Scope::default()
        });
        parameters.iter().for_each(|parameter| self.parameter(parameter));
    }

    /// Declares the members of a class before its methods are read: they may be declared behind them.
    fn members(&mut self, inside: usize) {
        let tokens = self.given.tokens;
        let (mut begin, mut at) = (inside, inside);
        while at < tokens.len() && !tokens[at].is("}") {
            if tokens[at].is("{") {
                let close = behind(tokens, at);
                // The braces of a value belong to its declaration.
                if tokens.get(close).is_some_and(|token| token.is(";")) {
                    at = close;
                    continue;
                }
                begin = close;
                at = close.max(at + 1);
                continue;
            }
            if tokens[at].is(";") {
                self.declare(begin..at);
                begin = at + 1;
            } else if tokens[at].is(":") && tokens.get(begin).is_some_and(|t| LABELS.contains(&t.text)) {
                begin = at + 1;
            }
            at += 1;
        }
    }

    /// Declares `NAME`, `NAME = VALUE`, … up to the closing brace, as members of the enumeration and, unless it is a class, around it.
    pub(super) fn enumerators(&mut self, head: &[Token<'a>], inside: usize) {
        let tokens = self.given.tokens;
        let words = head.iter().skip_while(|token| !token.is("enum")).skip(1);
        let mut words = words.skip_while(|token| token.is("class") || token.is("struct"));
        let own = words.next().filter(|token| token.kind == Lexeme::Word).map_or("", |token| token.text);
        let scoped = head.iter().any(|token| token.is("class") || token.is("struct"));
        let path = [self.frame.path(), &[own]].concat();
        let mut names = BTreeMap::new();
        let end = tokens[inside..].iter().position(|token| token.is("}"));
        let end = end.map_or(tokens.len(), |length| inside + length);
        let mut next = Some(0i64);
        for part in listed(tokens, inside..end) {
            let name = tokens[part.start];
            if name.kind != Lexeme::Word {
                continue;
            }
            if tokens[part.clone()].get(1).is_some_and(|token| token.is("=")) {
                let value = self.initial(part.start + 2..part.end);
                next = if let Some((Value::Number(value), _)) = value { Some(value) } else { None };
            }
            let value = next.map_or_else(|| Value::variable(name.text, name.span), Value::Number);
            let place = self.memory.add(Variable::new(name.text, name.span, value));
            if !scoped {
                self.bind(name.text, place.clone(), false);
            }
            names.insert(name.text, Binding { place, own: false });
            next = next.and_then(|value| value.checked_add(1));
        }
        self.frame.classes.insert(path, Members { names, region: Region::Class });
    }

    /// Declares variables. Those that may change have no known value.
    fn declare(&mut self, range: Range<usize>) {
        let tokens = self.given.tokens;
        self.named_type(range.clone());
        for mut this in self.declared(range.clone()) {
            let name = this.name;
            let within = self.frame.scopes.last().is_some_and(|scope| scope.region == Region::Function);
            if let Some(place) = self.memory.fixed(this.at).filter(|_| !within) {
                self.bind(name.text, place, false);
                continue;
            }
            let changes = !this.constant && self.given.survey.changed.contains(name.text)
                || !this.fixed && self.is_given(name.text);
            if this.reference
                && let Some(place) = self.referred(&this)
            {
                self.bind(name.text, place, false);
                continue;
            }
            let value = if changes { None } else { self.initial(this.initial.clone()) };
            let value = value.and_then(|(value, base)| {
                this.base = self.base_for(this.ty.clone(), &value, base);
                unwrapped(value, !this.dimensions.is_empty())
            });
            // A register that is declared without a value, as a member of a class is, is like a parameter.
            let forms = &self.given.target.sources.host;
            let kind = tokens[range.start..this.at].iter().find_map(|word| forms.kind(word.text));
            let kind = kind.filter(|_| this.initial.is_empty() && !this.array).cloned();
            let assumed = !this.constant && value.is_some();
            let unknown = || Unknown { name: name.text.to_owned(), place: name.span, kind, named: true };
            let unknown = Value::Open(unknown());
            let value = match value {
                Some(value) => filled(self, tokens, &this, Some(value), &unknown),
                None => unknown,
            };
            let variable = Variable { assumed, ..this.variable(value) };
            let place = if within { self.memory.add(variable) } else { self.memory.fix(this.at, variable) };
            self.bind(name.text, place, false);
        }
    }

    /// Whether a member of the innermost class may get a value where an object is made.
    fn is_given(&self, member: &str) -> bool {
        let Some(scope) = self.frame.scopes.last().filter(|scope| scope.region == Region::Class) else {
            return false;
        };
        let survey = self.given.survey;
        survey.initialised.contains(member)
            || scope.path.last().is_some_and(|class| survey.aggregates.contains(class))
    }

    /// What a reference refers to.
    fn referred(&mut self, this: &Declared<'a>) -> Option<Place> {
        let expression = within(self.given.tokens, this.initial.clone())?;
        place_of(self, unwrapped_expression(&expression)).ok().flatten()
    }

    /// The value of an initializer, if it is constant.
    fn initial(&mut self, range: Range<usize>) -> Option<Typed> {
        let expression = within(self.given.tokens, range)?;
        passed(self, &expression).ok().filter(|(value, _)| !matches!(value, Value::Open(_)))
    }
}

impl Declared<'_> {
    /// The variable with this value.
    pub(super) fn variable(&self, value: Value) -> Variable {
        let variable = Variable::new(self.name.text, self.name.span, held(self.base, value));
        let (class, indirect) = (self.class.to_owned(), self.pointer || self.reference);
        Variable { base: self.base, class, indirect, array: self.array, constant: self.constant, ..variable }
    }
}

/// A value in braces without them.
pub(super) fn unwrapped_expression(expression: &Expression) -> &Expression {
    match &expression.kind {
        Kind::List(values) if values.len() == 1 => &values[0],
        _ => expression,
    }
}

/// The value of a variable: braces around a single value have no meaning, unless the variable is an array.
pub(super) fn unwrapped(value: Value, array: bool) -> Option<Value> {
    match value {
        Value::List(mut values) if !array && values.len() == 1 => values.pop(),
        Value::List(values) if !array && values.is_empty() => Some(Value::Number(0)),
        value => Some(value),
    }
}

/// The index behind the brace that closes the one at `open`.
fn behind(tokens: &[Token<'_>], open: usize) -> usize {
    closing(tokens, open).map_or(tokens.len(), |close| close + 1)
}
