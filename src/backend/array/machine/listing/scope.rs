//! The names in scope at a place of a source: constants, variables, parameters and aliases of registers, by C's rules. A
//! parameter or variable hides outer names, including the machine's registers.

use std::collections::{BTreeMap, BTreeSet};

use super::declarator::{Declared, declarator, declared, groups};
use super::dialect::{Base, Expression, whole};
use super::outline::{Outline, Parameter};
use super::value::{Fault, Names, Typed, Unknown, Value, evaluate, held, is_operand, last};
use crate::backend::array::machine::descriptor::Target;
use crate::syntax::Span;
use crate::syntax::c::{Lexeme, Token};

/// Words that may precede the `:` of a label.
const LABELS: [&str; 5] = ["public", "private", "protected", "default", "case"];

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    /// Its value.
    pub(super) value: Value,
    /// The declaration of a variable that nothing in the source changes, though the language would allow it.
    pub(super) assumed: Option<Span>,
    /// Whether the value is that of a change, or of an argument, that was followed. A value from outside does not replace it.
    followed: bool,
    /// The type of integers that a variable was declared with.
    base: Option<Base>,
}

impl Meaning {
    /// The meaning of a variable with this value.
    fn of(value: Value) -> Self {
        Self { value, assumed: None, followed: false, base: None }
    }

    /// The meaning of a variable that takes this value in a change, or as an argument. One that is not known can come from outside.
    fn followed(value: Value) -> Self {
        Self { followed: !matches!(value, Value::Open(_)), ..Self::of(value) }
    }
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
struct Scope<'a> {
    names: BTreeMap<&'a str, Meaning>,
    /// Whether the scope is part of a function. Outside functions a source may declare the machine's own names.
    function: bool,
    /// The class whose members these are.
    class: Option<&'a str>,
    /// Whether the members of a class are a scope of their own around this one.
    member: bool,
}

/// What a source says about all of its names.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    /// The variables that some statement may change.
    changed: BTreeSet<&'a str>,
}

impl<'a> Survey<'a> {
    /// Looks at all tokens of a source.
    pub(super) fn of(tokens: &[Token<'a>]) -> Self {
        Self { changed: changed(tokens) }
    }
}

/// The variables that some statement among these tokens may change.
pub(super) fn changed<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let is = |at: Option<usize>, text: &str| at.and_then(|at| tokens.get(at)).is_some_and(|t| t.is(text));
    let any = |at: Option<usize>, texts: &[&str]| texts.iter().any(|text| is(at, text));
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Lexeme::Word) {
        let (before, earlier) = (at.checked_sub(1), at.checked_sub(2));
        let behind = |by: usize| Some(at + by);
        let twice = |first, second| ["+", "-"].iter().any(|sign| is(first, sign) && is(second, sign));
        let stepped = twice(behind(1), behind(2)) || twice(earlier, before);
        let combined = any(behind(1), &["+", "-", "*", "/", "%", "&", "|", "^"]) && is(behind(2), "=")
            || any(behind(1), &["<", ">"]) && any(behind(2), &["<", ">"]) && is(behind(3), "=");
        // In `int n = 3` the word before the name is its type.
        let declares = before.and_then(|at| tokens.get(at)).is_some_and(|word| {
            word.kind == Lexeme::Word && !word.is("else") || any(before, &["*", "&", ">"])
        });
        let assigned = is(behind(1), "=") && !is(behind(2), "=") && !declares;
        let addressed = is(before, "&") && any(earlier, &["(", ",", "="]);
        let read = is(before, ">") && is(earlier, ">");
        if stepped || combined || assigned || addressed || read {
            found.insert(token.text);
        }
    }
    found
}

/// The enclosing scopes, innermost last.
#[derive(Clone, Debug)]
pub(super) struct Scopes<'a> {
    target: &'a Target,
    outline: &'a Outline<'a>,
    survey: &'a Survey<'a>,
    scopes: Vec<Scope<'a>>,
    /// The members of the classes and namespaces so far.
    classes: BTreeMap<&'a str, BTreeMap<&'a str, Meaning>>,
    /// The namespaces among them, whose members may be named without their names.
    namespaces: Vec<&'a str>,
    /// The values that names are given from outside.
    host: &'a [(String, String)],
    /// Those of these names that were used.
    pub(super) used: BTreeSet<String>,
}

impl<'a> Scopes<'a> {
    /// The scope of a whole source, at its beginning.
    pub(super) fn new(
        target: &'a Target,
        outline: &'a Outline<'a>,
        survey: &'a Survey<'a>,
        host: &'a [(String, String)],
    ) -> Self {
        Self {
            target,
            outline,
            survey,
            scopes: vec![Scope::default()],
            classes: BTreeMap::new(),
            namespaces: Vec::new(),
            host,
            used: BTreeSet::new(),
        }
    }

    /// The value that a name is given from outside.
    pub(super) fn given(&mut self, name: &str) -> Option<Value> {
        let own = |(given, _): &&(String, String)| given == name || given == last(name);
        let (given, value) = self.host.iter().rev().find(own)?;
        self.used.insert(given.clone());
        Some(outside(value))
    }

    /// Whether the source itself says what a name's value is now, after a change that was followed.
    pub(super) fn is_followed(&self, name: &str) -> bool {
        self.meaning(name).is_some_and(|meaning| meaning.followed)
    }

    /// Opens a scope.
    pub(super) fn enter(&mut self) {
        self.scopes.push(Scope { function: true, ..Scope::default() });
    }

    /// Closes the innermost scope.
    pub(super) fn leave(&mut self) {
        let Some(scope) = (self.scopes.len() > 1).then(|| self.scopes.pop()).flatten() else { return };
        if let Some(class) = scope.class {
            self.classes.entry(class).or_default().extend(scope.names);
        }
        if scope.member && self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    /// The meaning of a name that the source declares, perhaps with the namespaces, classes or objects before it.
    pub(super) fn meaning(&self, name: &str) -> Option<&Meaning> {
        let own = last(name);
        let owner = name.strip_suffix(own).and_then(|owner| owner.strip_suffix("::")).map(last);
        let named = owner.and_then(|owner| self.classes.get(owner)?.get(own));
        let inner = || self.scopes.iter().rev().find_map(|scope| scope.names.get(own));
        let other = || self.namespaces.iter().find_map(|space| self.classes.get(space)?.get(own));
        named.or_else(inner).or_else(other)
    }

    /// Declares a name in the innermost scope.
    pub(super) fn bind(&mut self, name: &'a str, value: Value) {
        self.bind_as(name, Meaning::of(value));
    }

    /// Declares a variable of a type of integers in the innermost scope.
    pub(super) fn bind_variable(&mut self, name: &'a str, base: Option<Base>, value: Value) {
        self.bind_as(name, Meaning { base, ..Meaning::of(held(base, value)) });
    }

    /// The type of integers that a variable was declared with.
    pub(super) fn base(&self, name: &str) -> Option<Base> {
        self.meaning(name)?.base
    }

    fn bind_as(&mut self, name: &'a str, meaning: Meaning) {
        let Some(scope) = self.scopes.last_mut() else { return };
        if scope.function || self.target.operand(name).is_none() {
            scope.names.insert(name, meaning);
        }
    }

    /// Declares a parameter whose value is not known.
    pub(super) fn parameter(&mut self, parameter: &Parameter<'a>) {
        let unknown = Unknown {
            name: parameter.name.to_owned(),
            place: parameter.place,
            kind: parameter.kind.clone(),
            named: true,
        };
        self.bind_variable(parameter.name, parameter.base, Value::Open(unknown));
    }

    /// Declares a parameter whose argument has this value.
    pub(super) fn argument(&mut self, parameter: &Parameter<'a>, value: Value) {
        let (name, base) = (parameter.name, parameter.base);
        self.bind_as(name, Meaning { base, ..Meaning::followed(held(base, value)) });
    }

    /// Changes a variable, and says whether there is one with this name.
    pub(super) fn change(&mut self, name: &str, value: Value) -> bool {
        let meaning = self.scopes.iter_mut().rev().find_map(|scope| scope.names.get_mut(name));
        let known = meaning.is_some();
        if let Some(meaning) = meaning {
            *meaning = Meaning { base: meaning.base, ..Meaning::followed(value) };
        }
        known
    }

    /// Declares a name in the innermost scope, whose value, if it is known, is not that from outside.
    pub(super) fn bind_followed(&mut self, name: &'a str, value: Value) {
        let base = self.scopes.last().and_then(|scope| scope.names.get(name)?.base);
        self.bind_as(name, Meaning { base, ..Meaning::followed(value) });
    }

    /// The parameters of functions in scope, and what is like them, whose values are not known, in the order of the source.
    pub(super) fn open(&self) -> Vec<(&'a str, Unknown)> {
        let mut open = self.unknown();
        open.sort_by_key(|(_, unknown)| (unknown.place.start, unknown.place.end));
        open
    }

    fn unknown(&self) -> Vec<(&'a str, Unknown)> {
        let all = self.scopes.iter().flat_map(|scope| &scope.names);
        let open = |(name, meaning): (&&'a str, &Meaning)| match &meaning.value {
            Value::Open(unknown) if unknown.kind.is_some() => Some((*name, unknown.clone())),
            _ => None,
        };
        all.filter_map(open).collect()
    }

    /// Follows the declarations of a source, whose tokens these are, up to the token `end`.
    pub(super) fn walk(&mut self, tokens: &[Token<'a>], end: usize) {
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
                    self.brace(tokens, begin..at);
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
                    self.declare(&tokens[begin..at]);
                    begin = at + 1;
                }
                ":" if tokens.get(begin).is_some_and(|t| LABELS.contains(&t.text)) => begin = at + 1,
                _ => {}
            }
            at += 1;
        }
    }

    /// Opens the scope of a brace. The tokens before it may declare parameters, the tokens inside enumerators or members.
    fn brace(&mut self, tokens: &[Token<'a>], before: std::ops::Range<usize>) {
        let (head, inside) = (&tokens[before.clone()], before.end + 1);
        let has = |word: &str| head.iter().any(|token| token.is(word));
        let around = self.scopes.last().is_some_and(|scope| scope.function);
        if let Some(function) = self.outline.at_body(inside) {
            self.function(function.class.filter(|_| !self.is_inside(function.class)), &function.parameters);
            function.templates.iter().for_each(|parameter| self.parameter(parameter));
            return;
        }
        if has("enum") && !has("(") {
            self.enumerators(&tokens[inside..]);
            self.scopes.push(Scope { function: around, ..Scope::default() });
            return;
        }
        if let Some(at) = head.iter().position(|token| token.is("namespace")).filter(|_| !around) {
            let name = head[at..].iter().rev().find(|token| token.kind == Lexeme::Word);
            let name = name.map_or("", |name| if name.is("namespace") { "" } else { name.text });
            self.namespaces.push(name);
            self.scopes.push(Scope { class: Some(name), ..Scope::default() });
            return;
        }
        let class = head.iter().position(|token| token.is("class") || token.is("struct"));
        if let Some(name) = class.and_then(|at| head.get(at + 1)).filter(|_| !has("(") && !has("=")) {
            self.scopes.push(Scope { class: Some(name.text), ..Scope::default() });
            self.members(&tokens[inside..]);
            return;
        }
        if !has("(") && declarator(head).is_some() {
            // The value of `const int n{3}` and `int v[] = {1, 2}` stands in the braces.
            self.declare(&tokens[before.start..closing(tokens, before.end)]);
        }
        self.scopes.push(Scope { function: around || has("("), ..Scope::default() });
        if head.first().is_some_and(|first| first.is("for")) {
            for group in groups(head) {
                let part = group.split(|token| token.is(",") || token.is(";") || token.is(":")).next();
                if let Some((part, found)) = part.and_then(|part| Some((part, declarator(part)?))) {
                    let name = &part[found.name];
                    self.bind(name.text, Value::variable(name.text, name.span));
                }
            }
        }
    }

    /// Whether the members of a class are in scope already.
    fn is_inside(&self, class: Option<&str>) -> bool {
        class.is_some() && self.scopes.iter().any(|scope| scope.class == class)
    }

    /// Opens the scope of a function.
    pub(super) fn function(&mut self, class: Option<&'a str>, parameters: &[Parameter<'a>]) {
        let members = class.and_then(|class| self.classes.get(class).cloned());
        let member = members.is_some();
        if let Some(names) = members {
            self.scopes.push(Scope { names, ..Scope::default() });
        }
        self.scopes.push(Scope { function: true, member, ..Scope::default() });
        parameters.iter().for_each(|parameter| self.parameter(parameter));
    }

    /// Declares the members of a class before its methods are read: they may be declared behind them.
    fn members(&mut self, tokens: &[Token<'a>]) {
        let (mut begin, mut at) = (0, 0);
        while at < tokens.len() && !tokens[at].is("}") {
            if tokens[at].is("{") {
                let close = closing(tokens, at);
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
                self.declare(&tokens[begin..at]);
                begin = at + 1;
            } else if tokens[at].is(":") && tokens.get(begin).is_some_and(|t| LABELS.contains(&t.text)) {
                begin = at + 1;
            }
            at += 1;
        }
    }

    /// Declares `NAME`, `NAME = VALUE`, … up to the closing brace.
    fn enumerators(&mut self, tokens: &[Token<'a>]) {
        let end = tokens.iter().position(|token| token.is("}")).unwrap_or(tokens.len());
        let mut next = Some(0i64);
        for part in tokens[..end].split(|token| token.is(",")) {
            let Some(name) = part.first().filter(|name| name.kind == Lexeme::Word) else { continue };
            let value = match part {
                [_, equals, value @ ..] if equals.is("=") => match self.initial(value, false) {
                    Some(Value::Number(value)) => Some(value),
                    _ => None,
                },
                _ => next,
            };
            self.bind(name.text, value.map_or_else(|| Value::variable(name.text, name.span), Value::Number));
            next = value.and_then(|value| value.checked_add(1));
        }
    }

    /// Declares variables. Those that may change have no known value.
    fn declare(&mut self, tokens: &[Token<'a>]) {
        for Declared { name, constant, base, array, initial } in declared(tokens) {
            let changes = !constant && self.survey.changed.contains(name.text);
            let value = if changes { None } else { self.initial(initial, array) };
            let assumed = (!constant && value.is_some()).then_some(name.span);
            // A register that is declared without a value, as a member of a class is, is like a parameter.
            let forms = &self.target.sources.host;
            let ty = tokens.iter().take_while(|token| token.span != name.span);
            let kind = ty.filter_map(|word| forms.kind(word.text)).next().cloned();
            let kind = kind.filter(|_| initial.is_empty() && !array);
            let unknown = || Unknown { name: name.text.to_owned(), place: name.span, kind, named: true };
            let value = value.unwrap_or_else(|| Value::Open(unknown()));
            self.bind_as(name.text, Meaning { assumed, base, ..Meaning::of(held(base, value)) });
        }
    }

    /// The value of an initializer, if it is constant.
    fn initial(&mut self, tokens: &[Token<'a>], array: bool) -> Option<Value> {
        let expression = initializer(tokens)?;
        let value = evaluate(self, &expression).ok()?;
        unwrapped(value, array).filter(|value| !matches!(value, Value::Open(_)))
    }
}

/// A value given from outside: a number, or an operand of the machine.
fn outside(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::Operand(text.to_owned()), Value::Number)
}

/// The expression of an initializer such as `= VALUE`, `{VALUE}` or `(VALUE)`.
pub(super) fn initializer(tokens: &[Token<'_>]) -> Option<Expression> {
    match tokens {
        [first, rest @ ..] if first.is("=") => whole(rest),
        [] => None,
        all => whole(all),
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
fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    tokens.len()
}

impl Names for Scopes<'_> {
    fn target(&self) -> &Target {
        self.target
    }

    fn name(&mut self, name: &str, span: Span) -> Value {
        if !self.is_followed(name)
            && let Some(value) = self.given(name)
        {
            return value;
        }
        let last = last(name);
        match self.meaning(name) {
            Some(meaning) => meaning.value.clone(),
            None if is_operand(self.target, last) => Value::Operand(last.to_owned()),
            None => Value::variable(name, span),
        }
    }

    fn call(&mut self, name: &str, _: &[Expression], span: Span) -> Result<Typed, Fault> {
        Ok((Value::computed(name, span), None))
    }

    fn base(&self, name: &str) -> Option<Base> {
        Scopes::base(self, name)
    }

    fn assign(&mut self, _: &str, _: Value, _: Span) {}
}
