//! Recognises declarations among the tokens of a source, whatever their types.

use super::dialect::{Base, integers};
use crate::syntax::c::{Lexeme, Token};

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

/// The first variable of a declaration: the index of its name, and whether it is constant.
pub(super) struct Declarator {
    pub(super) name: usize,
    pub(super) constant: bool,
}

/// Whether tokens begin with a declaration of variables.
pub(super) fn declares(tokens: &[Token<'_>]) -> bool {
    declarator(tokens).is_some()
}

/// Recognises a type and a name, with only `*` and `&` between them.
pub(super) fn declarator(tokens: &[Token<'_>]) -> Option<Declarator> {
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
pub(super) fn parted(tokens: &[Token<'_>]) -> Option<usize> {
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
pub(super) fn groups<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
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

/// A variable of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'t, 'a> {
    /// Its name.
    pub(super) name: Token<'a>,
    /// Whether it is constant.
    pub(super) constant: bool,
    /// The type of integers that it holds, if it is one.
    pub(super) base: Option<Base>,
    /// Whether it is an array.
    pub(super) array: bool,
    /// Its initial value, with the `=` or the braces around it; empty if there is none.
    pub(super) initial: &'t [Token<'a>],
}

/// The variables that these tokens, without a `;`, declare.
pub(super) fn declared<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<Declared<'t, 'a>> {
    let Some(first) = declarator(tokens) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = first.name;
    let base = integers(&tokens[..at]);
    loop {
        let end = parted(&tokens[at..]).map_or(tokens.len(), |length| at + length);
        let behind = &tokens[at + 1..end];
        let array = behind.first().is_some_and(|token| token.is("["));
        let starts = behind.iter().position(|token| token.is("=") || token.is("{") || token.is("("));
        let initial = starts.map_or(&behind[behind.len()..], |start| &behind[start..]);
        found.push(Declared { name: tokens[at], constant: first.constant, base, array, initial });
        let next = tokens.get(end + 1..).unwrap_or_default();
        match next.iter().position(|token| token.kind == Lexeme::Word) {
            Some(word) if next[..word].iter().all(|t| t.is("*") || t.is("&")) => at = end + 1 + word,
            _ => return found,
        }
    }
}
