//! Names that stand for types of numbers: `typedef`, `using`, type parameters of templates, `auto`. They are resolved in scope, so that
//! a variable holds what its type holds whatever the name of the type is.

use std::ops::Range;

use super::declarator::{self, Declared};
use super::dialect::{Base, numbers};
use super::inline::Argument;
use super::integers::deduced;
use super::memory::Variable;
use super::outline::{Function, Parameter};
use super::reader::{Flow, Reader};
use super::scope::Scopes;
use super::value::Value;
use crate::syntax::Span;
use crate::syntax::c::{Lexeme, Mistake, Token, closing, split};

impl<'a> Scopes<'a> {
    /// The type of numbers that a name stands for here.
    pub(super) fn alias(&self, name: &str) -> Option<Base> {
        match self.variable(name)?.value {
            Value::Type(base) => Some(base),
            _ => None,
        }
    }

    /// The type of numbers that these tokens name, if they name one.
    pub(super) fn base_of(&self, ty: Range<usize>) -> Option<Base> {
        numbers(&self.given.tokens[ty], &|name| self.alias(name))
    }

    /// The type of a variable that is declared by these tokens and takes this value; for `auto`, that of the value.
    pub(super) fn base_for(&self, ty: Range<usize>, value: &Value, base: Option<Base>) -> Option<Base> {
        match self.given.tokens[ty.clone()].iter().any(|word| word.is("auto")) {
            true => deduced(value, base).filter(|_| matches!(value, Value::Number(_) | Value::Open(_))),
            false => self.base_of(ty),
        }
    }

    /// The variables that these tokens declare, with their types.
    pub(super) fn declared(&self, range: Range<usize>) -> Vec<Declared<'a>> {
        let typed = |found: Declared<'a>| Declared { base: self.base_of(found.ty.clone()), ..found };
        declarator::declared(self.given.tokens, range).into_iter().map(typed).collect()
    }

    /// Declares what `typedef TYPE NAME` or `using NAME = TYPE` names, if these tokens are one of them and the type is one of numbers.
    pub(super) fn named_type(&mut self, range: Range<usize>) {
        let tokens = self.given.tokens;
        let parts = split(tokens, range.clone(), ",");
        let (names, ty): (Vec<Token<'a>>, _) = match &tokens[range.clone()] {
            [word, name, equals, ..] if word.is("using") && equals.is("=") => {
                (vec![*name], range.start + 3..range.end)
            }
            [word, _, _, ..] if word.is("typedef") => {
                let first = range.start + 1..parts[0].end - 1;
                let others = parts[1..].iter().filter(|part| part.len() == 1).map(|part| tokens[part.start]);
                (std::iter::once(tokens[first.end]).chain(others).collect(), first)
            }
            _ => return,
        };
        let Some(base) = self.base_of(ty) else { return };
        for name in names.into_iter().filter(|name| name.kind == Lexeme::Word) {
            self.declare_type(name.text, name.span, base);
        }
    }

    /// A name stands for a type from now on.
    pub(super) fn declare_type(&mut self, name: &'a str, place: Span, base: Base) {
        let variable = Variable::new(name, place, Value::Type(base));
        self.declare_as(name, Variable { base: Some(base), constant: true, ..variable }, true);
    }
}

impl<'a> Reader<'a> {
    /// The arguments of a template: types that are not given are those of the function's own arguments. Type parameters are declared here.
    pub(super) fn with_types(
        &mut self,
        function: &Function<'a>,
        given: Vec<Argument>,
        arguments: &[Argument],
    ) -> Vec<Argument> {
        let mut given = given.into_iter();
        let mut found = Vec::new();
        for parameter in &function.templates {
            let own = given.next();
            if !self.is_type(parameter) {
                found.extend(own);
                continue;
            }
            let stated = own.as_ref().and_then(|own| self.type_given(own));
            let default = || self.scopes.base_of(parameter.default.clone());
            let base = stated.or_else(|| self.type_taken(function, parameter, arguments)).or_else(default);
            let unknown = || Argument::Value(Value::variable(parameter.name, parameter.place), None);
            found.push(match base {
                Some(base) => Argument::Value(Value::Type(base), Some(base)),
                None => own.unwrap_or_else(unknown),
            });
        }
        found
    }

    /// Whether a template's parameter is a type.
    fn is_type(&self, parameter: &Parameter<'a>) -> bool {
        let words = &self.given.tokens[parameter.ty.clone()];
        words.iter().any(|word| word.is("typename") || word.is("class"))
    }

    /// The type of an argument, or the type that it is.
    fn type_given(&self, argument: &Argument) -> Option<Base> {
        match argument {
            Argument::Value(Value::Type(base), _) => Some(*base),
            Argument::Value(Value::Pointer(place), _) | Argument::Place(place) => {
                self.scopes.memory.variable(place).base
            }
            Argument::Value(value, base) => deduced(value, *base),
        }
    }

    /// The type that a template's parameter has by the function's arguments.
    fn type_taken(
        &self,
        function: &Function<'a>,
        parameter: &Parameter<'a>,
        arguments: &[Argument],
    ) -> Option<Base> {
        let takes = |own: &Parameter<'a>| {
            self.given.tokens[own.ty.clone()].iter().any(|word| word.is(parameter.name))
        };
        let mut all = function.parameters.iter().zip(arguments);
        all.find(|(own, _)| takes(own)).and_then(|(_, argument)| self.type_given(argument))
    }

    /// `enum NAME { NAME = VALUE, … };` in a function.
    pub(super) fn enumeration(&mut self, word: Token<'a>) -> Result<Flow, Mistake> {
        let begin = self.code.at;
        self.skip_one();
        let end = self.code.at;
        let open = self.given.tokens[begin..end].iter().position(|token| token.is("{"));
        let Some(open) = open.map(|length| begin + length) else { return Ok(Flow::Next) };
        if closing(&self.given.tokens[..end], open).is_none_or(|close| close + 2 < end) {
            let message = "a variable that is declared with its `enum` is not read";
            return self.code.unreadable(word.span, message, "expected the `enum` alone");
        }
        let head = &self.given.tokens[begin..open];
        self.scopes.enumerators(head, open + 1);
        Ok(Flow::Next)
    }
}
