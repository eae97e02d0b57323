//! The names in scope at a program: constants and aliases of registers, by C's rules. A parameter or variable hides outer names,
//! including the machine's registers.

use std::collections::BTreeMap;

use crate::backend::array::machine::descriptor::Target;
use crate::syntax::Span;
use crate::syntax::c::{Cursor, Lexeme, Token, Untyped, constant};

/// Words that cannot begin the declaration of a variable.
const NO_TYPES: [&str; 30] = [
    "return",
    "delete",
    "goto",
    "using",
    "typedef",
    "throw",
    "case",
    "new",
    "else",
    "if",
    "while",
    "for",
    "do",
    "switch",
    "break",
    "continue",
    "public",
    "private",
    "protected",
    "default",
    "template",
    "operator",
    "sizeof",
    "class",
    "namespace",
    "friend",
    "static_assert",
    "try",
    "catch",
    "asm",
];

/// Words that may precede the `:` of a label.
const LABELS: [&str; 5] = ["public", "private", "protected", "default", "case"];

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// An integer.
    Number(i64),
    /// An operand of the machine.
    Operand(&'a str),
    /// A value known only at run time; the place of its declaration.
    Open(Span),
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
struct Scope<'a> {
    names: BTreeMap<&'a str, Meaning<'a>>,
    /// Whether the scope is part of a function. Outside functions a source may declare the machine's own names.
    function: bool,
}

/// The enclosing scopes, innermost last.
#[derive(Clone, Debug)]
pub(super) struct Scopes<'a> {
    target: &'a Target,
    scopes: Vec<Scope<'a>>,
}

impl<'a> Scopes<'a> {
    /// The scope of a whole source, at its beginning.
    pub(super) fn new(target: &'a Target) -> Self {
        Self { target, scopes: vec![Scope::default()] }
    }

    /// Opens a scope.
    pub(super) fn enter(&mut self) {
        self.scopes.push(Scope { function: true, ..Scope::default() });
    }

    /// Closes the innermost scope.
    pub(super) fn leave(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    /// The meaning of a name that the source declares.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning<'a>> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    /// The value of a constant.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        match self.meaning(name) {
            Some(Meaning::Number(value)) => Some(value),
            _ => None,
        }
    }

    /// Declares a name as a number.
    pub(super) fn number_is(&mut self, name: &'a str, value: i64) {
        self.bind(name, Meaning::Number(value));
    }

    fn bind(&mut self, name: &'a str, meaning: Meaning<'a>) {
        let Some(scope) = self.scopes.last_mut() else { return };
        if scope.function || self.target.operand(name).is_none() {
            scope.names.insert(name, meaning);
        }
    }

    /// Follows the declarations of a source up to the end of these tokens.
    pub(super) fn walk(&mut self, tokens: &[Token<'a>]) {
        let (mut begin, mut at) = (0, 0);
        // The number of open parentheses within each open brace, innermost last.
        let mut open = vec![0usize];
        while at < tokens.len() {
            let depth = open.last_mut().expect("the outermost braces are never closed");
            match tokens[at].text {
                _ if tokens[at].kind != Lexeme::Mark => {}
                "(" | "[" => *depth += 1,
                ")" | "]" => *depth = depth.saturating_sub(1),
                "{" => {
                    self.brace(&tokens[begin..at], &tokens[at + 1..]);
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

    /// Opens the scope of a brace. The tokens before it may declare parameters, the tokens inside enumerators.
    fn brace(&mut self, before: &[Token<'a>], inside: &[Token<'a>]) {
        let has = |word: &str| before.iter().any(|token| token.is(word));
        let around = self.scopes.last().is_some_and(|scope| scope.function);
        if has("enum") && !has("(") {
            self.enumerators(inside);
            self.scopes.push(Scope { function: around, ..Scope::default() });
            return;
        }
        if !has("(") {
            self.declare(before);
        }
        self.scopes.push(Scope { function: around || has("("), ..Scope::default() });
        let control = ["if", "while", "switch", "catch", "do", "else"];
        if before.first().is_some_and(|first| control.contains(&first.text)) {
            return;
        }
        let looped = before.first().is_some_and(|first| first.is("for"));
        for group in groups(before) {
            let parts = group.split(|token| token.is(",") || token.is(";") || looped && token.is(":"));
            for part in parts.take(if looped { 1 } else { usize::MAX }) {
                if let Some(declarator) = declarator(part) {
                    self.bind(part[declarator.name].text, Meaning::Open(part[declarator.name].span));
                }
            }
        }
    }

    /// Declares `NAME`, `NAME = VALUE`, … up to the closing brace.
    fn enumerators(&mut self, tokens: &[Token<'a>]) {
        let end = tokens.iter().position(|token| token.is("}")).unwrap_or(tokens.len());
        let mut next = Some(0i64);
        for part in tokens[..end].split(|token| token.is(",")) {
            let Some(name) = part.first().filter(|name| name.kind == Lexeme::Word) else { continue };
            let value = if part.len() > 2 && part[1].is("=") { self.value(&part[2..]) } else { next };
            self.bind(name.text, value.map_or(Meaning::Open(name.span), Meaning::Number));
            next = value.and_then(|value| value.checked_add(1));
        }
    }

    /// Declares variables; returns the first that is not a constant, with its place.
    pub(super) fn declare(&mut self, tokens: &[Token<'a>]) -> Option<(&'a str, Span)> {
        let first = declarator(tokens)?;
        let (mut open, mut at) = (None, first.name);
        loop {
            let name = tokens[at];
            let end = parted(&tokens[at..]).map_or(tokens.len(), |length| at + length);
            let meaning = match first.constant && tokens.get(at + 1).is_some_and(|t| t.is("=") || t.is("{")) {
                true => self.constant(&tokens[at + 1..end]),
                false => None,
            };
            if meaning.is_none() {
                open.get_or_insert((name.text, name.span));
            }
            self.bind(name.text, meaning.unwrap_or(Meaning::Open(name.span)));
            let next = tokens.get(end + 1..).unwrap_or_default();
            match next.iter().position(|token| token.kind == Lexeme::Word) {
                Some(word) if next[..word].iter().all(|t| t.is("*") || t.is("&")) => at = end + 1 + word,
                _ => return open,
            }
        }
    }

    /// The meaning of the initializer `= VALUE` or `{VALUE}`, if it is constant.
    fn constant(&self, tokens: &[Token<'a>]) -> Option<Meaning<'a>> {
        let value = match tokens {
            [open, inner @ .., close] if open.is("{") && close.is("}") => inner,
            [open, inner @ ..] if open.is("{") => inner,
            [_, inner @ ..] => inner,
            [] => return None,
        };
        if let Some(number) = self.value(value) {
            return Some(Meaning::Number(number));
        }
        let [word] = value else { return None };
        match self.meaning(word.text) {
            Some(Meaning::Operand(name)) => Some(Meaning::Operand(name)),
            None if word.kind == Lexeme::Word && self.target.operand(word.text).is_some() => {
                Some(Meaning::Operand(word.text))
            }
            _ => None,
        }
    }

    /// The value of a whole expression.
    fn value(&self, tokens: &[Token<'a>]) -> Option<i64> {
        let mut cursor: Cursor<'_, Untyped> = Cursor::new(tokens);
        let read = cursor.expression().ok().filter(|_| cursor.peek().is_none())?;
        constant(&read, &|name| self.number(name)).ok()
    }
}

/// The first variable of a declaration: the index of its name, and whether it is constant.
struct Declarator {
    name: usize,
    constant: bool,
}

/// Whether tokens begin with a declaration of variables.
pub(super) fn declares(tokens: &[Token<'_>]) -> bool {
    declarator(tokens).is_some()
}

/// Recognises a type and a name, with only `*` and `&` between them.
fn declarator(tokens: &[Token<'_>]) -> Option<Declarator> {
    let (mut name, mut words, mut constant, mut pointer) = (None, 0, false, false);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let qualified = at >= 2 && tokens[at - 1].is(":") && tokens[at - 2].is(":");
        match token.kind {
            Lexeme::Word if words == 0 && NO_TYPES.contains(&token.text) => return None,
            Lexeme::Word => {
                words += usize::from(!qualified);
                constant |= token.is("const") || token.is("constexpr");
                name = Some(at);
            }
            Lexeme::Mark if words > 0 && token.is("<") => {
                let length = tokens[at..].iter().position(|t| t.is(">"))?;
                at += length;
                name = None;
            }
            Lexeme::Mark if words > 0 && matches!(token.text, "*" | "&" | ":") => {
                // A single colon separates a loop variable from its range.
                let scope = tokens.get(at + 1).is_some_and(|t| t.is(":")) || at > 0 && tokens[at - 1].is(":");
                if token.is(":") && !scope {
                    break;
                }
                pointer |= token.is("*");
                name = None;
            }
            _ => break,
        }
        at += 1;
    }
    let ends = tokens.get(at).is_none_or(|t| ["=", ",", ";", "[", "{", ":"].iter().any(|mark| t.is(mark)));
    let name = name.filter(|_| words >= 2 && ends)?;
    Some(Declarator { name, constant: constant && !pointer })
}

/// The first comma outside parentheses.
fn parted(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0usize;
    tokens.iter().position(|token| {
        match token.text {
            _ if token.kind != Lexeme::Mark => {}
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.is(",")
    })
}

/// The contents of the outermost parentheses that are closed, ignoring enclosing ones that are not.
fn groups<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut open: Vec<usize> = Vec::new();
    let mut closed: Vec<(usize, usize, usize)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.is("(") {
            open.push(index);
        } else if token.is(")")
            && let Some(begin) = open.pop()
        {
            closed.push((open.len(), begin + 1, index));
        }
    }
    let level = open.len();
    closed.into_iter().filter(|(depth, ..)| *depth == level).map(|(_, from, to)| &tokens[from..to]).collect()
}
