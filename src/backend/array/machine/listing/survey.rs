//! What a source says about all of its names: which variables some statement may change.

use std::collections::BTreeSet;

use super::declarator::{NO_TYPES, listed};
use super::outline::{Outline, Parameter};
use crate::syntax::c::{Binary, Lexeme, Token, closing};

/// Methods that change nothing of their object.
pub(super) const READS: [&str; 10] =
    ["size", "length", "empty", "at", "front", "back", "begin", "end", "data", "c_str"];

/// What a source says about all of its names.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    /// The variables that some statement may change.
    pub(super) changed: BTreeSet<&'a str>,
    /// The members that some constructor gives a value before its body.
    pub(super) initialised: BTreeSet<&'a str>,
    /// The classes of which some object may be made with values for its members, without a constructor.
    pub(super) aggregates: BTreeSet<&'a str>,
}

impl<'a> Survey<'a> {
    /// Looks at all tokens of a source.
    pub(super) fn of(tokens: &[Token<'a>], outline: &Outline<'a>) -> Self {
        let mut changed = changed(tokens);
        let aliases = aliases(tokens, outline);
        loop {
            let before = changed.len();
            for alias in &aliases {
                if alias.is_changed(&changed) {
                    changed.insert(alias.name);
                }
            }
            if changed.len() == before {
                let (initialised, aggregates) = (initialised(tokens, outline), aggregates(tokens, outline));
                return Self { changed, initialised, aggregates };
            }
        }
    }

    /// The variables that these tokens may change, by themselves or by the functions that they call with them.
    pub(super) fn changes(&self, tokens: &[Token<'a>], outline: &Outline<'a>) -> BTreeSet<&'a str> {
        let mut found = changed(tokens);
        let aliases = aliases(tokens, outline);
        found.extend(aliases.iter().filter(|alias| alias.is_changed(&self.changed)).map(|alias| alias.name));
        found
    }
}

/// A variable that a reference or pointer is bound to.
struct Alias<'a> {
    /// The reference or pointer, or the parameter; `None` for one of a function that is not in the source.
    other: Option<&'a str>,
    /// The variable.
    name: &'a str,
}

impl Alias<'_> {
    /// Whether it is changed by its other name.
    fn is_changed(&self, changed: &BTreeSet<&str>) -> bool {
        self.other.is_none_or(|other| changed.contains(other))
    }
}

/// Looks at the tokens around one of them.
#[derive(Clone, Copy)]
struct Around<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a> Around<'_, 'a> {
    /// The token `by` places behind this one, or before it if `by` is negative.
    fn get(&self, by: isize) -> Option<&Token<'a>> {
        self.tokens.get(self.at.checked_add_signed(by)?)
    }

    /// Whether that token is one of these.
    fn any(&self, by: isize, texts: &[&str]) -> bool {
        self.get(by).is_some_and(|token| texts.iter().any(|text| token.is(text)))
    }

    fn is_word(&self, by: isize) -> bool {
        self.get(by).is_some_and(|token| token.kind == Lexeme::Word)
    }

    /// The method that is called of this object, if one is.
    fn method(&self) -> Option<&'a str> {
        let called = self.any(1, &["."]) && self.is_word(2) && self.any(3, &["("]);
        self.get(2).filter(|_| called).map(|method| method.text)
    }

    /// Whether a type stands before: in `int n = 3` a word, in `int *p = &n` also marks.
    fn is_declared(&self) -> bool {
        if self.is_word(-1) {
            return self.get(-1).is_some_and(|word| !NO_TYPES.contains(&word.text));
        }
        let marks = (1isize..).take_while(|by| self.any(-*by, &["*", "&"])).count().cast_signed();
        let ty = self.is_word(-marks - 1) || self.any(-marks - 1, &[">"]);
        // `a * n = …` is none, but `x = a * n` is a product.
        let begins = self.any(-marks - 2, &[";", "{", "}", "(", ",", ":", "<"])
            || self.get(-marks - 2).is_none_or(|word| word.kind == Lexeme::Word);
        self.any(-1, &[">"]) || marks > 0 && ty && begins
    }

    /// Whether it is the operand of a conversion by which it can be changed.
    fn is_freed(&self) -> bool {
        let casts = |at: usize| ["const_cast", "static_cast"].iter().any(|word| self.tokens[at].is(word));
        let begin = self.at.saturating_sub(6);
        let head = (begin..self.at).find(|at| casts(*at)).map(|at| &self.tokens[at..self.at]);
        head.is_some_and(
            |head| matches!(head, [.., mark, close, open] if mark.is("&") && close.is(">") && open.is("(")),
        )
    }

    /// Behind an index in brackets, if one follows.
    fn behind_index(self) -> Self {
        let mut at = self.at;
        while self.tokens.get(at + 1).is_some_and(|token| token.is("[")) {
            let Some(close) = closing(self.tokens, at + 1) else { break };
            at = close;
        }
        Self { at, ..self }
    }
}

/// The variables that some statement among these tokens changes by its name.
fn changed<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Lexeme::Word) {
        let own = Around { tokens, at };
        let end = own.behind_index();
        let twice = |of: Around<'_, '_>, by: isize| {
            ["+", "-"].iter().any(|sign| of.any(by, &[sign]) && of.any(by + 1, &[sign]))
        };
        let stepped = twice(end, 1) || twice(own, -2);
        let combined = end.any(1, &["+", "-", "*", "/", "%", "&", "|", "^"]) && end.any(2, &["="])
            || end.any(1, &["<", ">"]) && end.any(2, &["<", ">"]) && end.any(3, &["="]);
        let combined = combined || end.get(1).is_some_and(|word| Binary::assigned_by(word.text).is_some());
        let assigned = end.any(1, &["="]) && !end.any(2, &["="]) && !own.is_declared();
        let addressed = own.any(-1, &["&"]) && own.any(-2, &["(", ",", "=", "return", "{"]);
        let read = own.any(-1, &[">"]) && own.any(-2, &[">"]);
        if stepped || combined || assigned || addressed || read || own.is_freed() {
            found.insert(token.text);
        }
    }
    found
}

/// The members before the bodies of constructors: `n` in `S(int k) : n(k) {}`.
fn initialised<'a>(tokens: &[Token<'a>], outline: &Outline<'a>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for function in outline.functions.iter().filter(|function| function.is_constructor()) {
        let end = function.body.start - 1;
        let open = (function.start..end).find(|at| tokens[*at].is("("));
        let Some(close) = open.and_then(|open| closing(&tokens[..end], open)) else { continue };
        let mut at = close + 1;
        while at + 1 < end {
            if tokens[at].kind == Lexeme::Word && (tokens[at + 1].is("(") || tokens[at + 1].is("{")) {
                found.insert(tokens[at].text);
                at = closing(tokens, at + 1).unwrap_or(end);
            }
            at += 1;
        }
    }
    found
}

/// Classes whose name stands before `{VALUE`, or before a name with that behind it, or before a function; also as template arguments.
fn aggregates<'a>(tokens: &[Token<'a>], outline: &Outline<'a>) -> BTreeSet<&'a str> {
    // What the constructors of the source set is known by their heads and bodies.
    let constructors =
        outline.functions.iter().filter(|function| function.is_constructor() && !function.destroys);
    let constructed: BTreeSet<&str> = constructors.map(|function| function.name).collect();
    let is_plain = |name: &str| outline.is_class(name) && !constructed.contains(name);
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| is_plain(token.text)) {
        let own = Around { tokens, at };
        if own.any(-1, &["struct", "class", "union"]) && !own.is_word(1) {
            continue;
        }
        let name = if own.is_word(1) { Around { tokens, at: at + 1 }.behind_index() } else { own };
        let name = if name.any(1, &["="]) { Around { at: name.at + 1, ..name } } else { name };
        let valued = name.any(1, &["{"]) && !name.any(2, &["}"]);
        let made = own.any(1, &[">"]) || own.is_word(1) && own.any(2, &["("]);
        if valued || made {
            found.insert(token.text);
        }
    }
    found
}

/// The names that these tokens declare.
pub(super) fn declared_names<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let words = tokens.iter().enumerate().filter(|(_, token)| token.kind == Lexeme::Word);
    words.filter(|(at, _)| Around { tokens, at: *at }.is_declared()).map(|(_, token)| token.text).collect()
}

/// The variables among these tokens that references and pointers are bound to.
fn aliases<'a>(tokens: &[Token<'a>], outline: &Outline<'a>) -> Vec<Alias<'a>> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Lexeme::Word) {
        let own = Around { tokens, at };
        // `int& m = n`, `int& m{n}`, `int* p = v`, `for (int& e : v)`, `for (int e : v)`
        let range = own.any(1, &[":"]) && !own.any(2, &[":"]);
        let binds = own.any(1, &["=", "{", "("]) && own.any(-1, &["*", "&"]);
        if (binds || range && own.any(-1, &["&"]))
            && own.is_declared()
            && let Some(name) = own.get(2).filter(|name| name.kind == Lexeme::Word)
        {
            found.push(Alias { other: Some(token.text), name: name.text });
        }
        if let Some(method) = own.method()
            && !READS.contains(&method)
            && outline.parameters_of(method).is_empty()
        {
            found.push(Alias { other: None, name: token.text });
        }
        if own.any(1, &["("]) {
            found.extend(passed(tokens, at, outline));
        }
    }
    found
}

/// The variables that the call at a token hands on to parameters which are references or pointers.
fn passed<'a>(tokens: &[Token<'a>], at: usize, outline: &Outline<'a>) -> Vec<Alias<'a>> {
    let Some(close) = closing(tokens, at + 1) else { return Vec::new() };
    let arguments = listed(tokens, at + 2..close);
    let mut found = Vec::new();
    if tokens[at].is("swap") {
        let names = arguments.iter().map(|argument| &tokens[argument.start]);
        let names = names.filter(|name| name.kind == Lexeme::Word);
        found.extend(names.map(|name| Alias { other: None, name: name.text }));
    }
    for (parameters, known) in outline.parameters_of(tokens[at].text) {
        for (parameter, argument) in parameters.iter().zip(&arguments) {
            let begin = argument.start
                + usize::from(tokens[argument.start..argument.end].first().is_some_and(|t| t.is("&")));
            let name = tokens[begin..argument.end].first().filter(|name| name.kind == Lexeme::Word);
            if let Some(name) = name.filter(|_| changes(parameter)) {
                found.push(Alias { other: known.then_some(parameter.name), name: name.text });
            }
        }
    }
    found
}

/// Whether a function may change what it is given for a parameter.
pub(super) fn changes(parameter: &Parameter<'_>) -> bool {
    (parameter.reference || parameter.pointer) && !parameter.constant
}
