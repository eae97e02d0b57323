//! Recognises declarations among the tokens of a source, whatever their types.

use std::ops::Range;

use super::dialect::Base;
use crate::syntax::c::{Binary, Lexeme, Token, part_end, split};

/// Words that cannot begin the declaration of a variable.
pub(super) const NO_TYPES: [&str; 30] = [
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
            // `n and_eq m;` changes n.
            Lexeme::Word if Binary::assigned_by(token.text).is_some() => return None,
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
            // `TYPE (*NAME)(TYPES)`, a pointer to a function.
            Lexeme::Mark if words > 0 && is_function_pointer(&tokens[at..]) => {
                return Some(Declarator { name: at + 2, constant: false });
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

/// Whether tokens begin with `(*NAME)(`.
fn is_function_pointer(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [open, star, name, close, types, ..] if open.is("(")
        && star.is("*")
        && name.kind == Lexeme::Word
        && close.is(")")
        && types.is("("))
}

/// Parts of these tokens, separated by commas outside brackets. A comma may also end them.
pub(super) fn listed(tokens: &[Token<'_>], range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = split(tokens, range, ",");
    parts.pop_if(|last| last.start == last.end);
    parts
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
#[derive(Clone, Debug)]
pub(super) struct Declared<'a> {
    /// Its name.
    pub(super) name: Token<'a>,
    /// The index of its name.
    pub(super) at: usize,
    /// Whether it is constant.
    pub(super) constant: bool,
    /// Whether it exists once, however often the declaration is read.
    pub(super) fixed: bool,
    /// Whether it is another name for something.
    pub(super) reference: bool,
    /// The tokens of its type.
    pub(super) ty: Range<usize>,
    /// The type of numbers that it holds, if it is known to be one.
    pub(super) base: Option<Base>,
    /// The last name of its type.
    pub(super) class: &'a str,
    /// Whether it is a pointer.
    pub(super) pointer: bool,
    /// Whether it is an array.
    pub(super) array: bool,
    /// The numbers of elements of an array, as they are written.
    pub(super) dimensions: Vec<Range<usize>>,
    /// Its initial value, without a `=` before it; empty if there is none.
    pub(super) initial: Range<usize>,
}

/// The last name of the type that these words are; template arguments are passed over.
pub(super) fn type_name<'a>(tokens: &[Token<'a>]) -> &'a str {
    let (mut depth, mut name) = (0usize, "");
    for token in tokens {
        match token.text {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            "const" | "static" | "constexpr" | "volatile" => {}
            word if depth == 0 && token.kind == Lexeme::Word => name = word,
            _ => {}
        }
    }
    name
}

/// The variables that the tokens of this range, without a `;`, declare.
pub(super) fn declared<'a>(tokens: &[Token<'a>], range: Range<usize>) -> Vec<Declared<'a>> {
    let Some(first) = declarator(&tokens[range.clone()]) else { return Vec::new() };
    let mut at = range.start + first.name;
    let before = &tokens[range.start..at];
    let (ty, class) = (range.start..at, type_name(before));
    let fixed = before.iter().any(|word| word.is("static"));
    let mut found = Vec::new();
    loop {
        let end = part_end(tokens, at..range.end, ",");
        let (mut dimensions, behind) = dimensions(tokens, at + 1..end);
        let begins = |token: &Token<'_>| ["=", "{", "("].iter().any(|mark| token.is(mark));
        let start = tokens[behind..end].iter().position(begins).map_or(end, |length| behind + length);
        let start = start + usize::from(tokens[start..end].first().is_some_and(|token| token.is("=")));
        let array = !dimensions.is_empty();
        dimensions.extend(elements(tokens, ty.clone()));
        let reference = at > range.start && tokens[at - 1].is("&");
        found.push(Declared {
            name: tokens[at],
            at,
            constant: first.constant,
            fixed,
            reference,
            ty: ty.clone(),
            base: None,
            class,
            pointer: at > range.start && tokens[at - 1].is("*"),
            array,
            dimensions,
            initial: start..end,
        });
        let next = tokens.get(end + 1..range.end).unwrap_or_default();
        match next.iter().position(|token| token.kind == Lexeme::Word) {
            Some(word) if next[..word].iter().all(|t| t.is("*") || t.is("&")) => at = end + 1 + word,
            _ => return found,
        }
    }
}

/// The number of elements of a `std::array<TYPE, NUMBER>`, whose name is no pointer.
fn elements(tokens: &[Token<'_>], ty: Range<usize>) -> Option<Range<usize>> {
    let words = &tokens[ty.clone()];
    let begin = words.windows(2).position(|pair| pair[0].is("array") && pair[1].is("<"))?;
    let end = words.iter().rposition(|token| token.is(">"))?;
    let comma = words[begin..end].iter().rposition(|token| token.is(","))? + begin;
    Some(ty.start + comma + 1..ty.start + end)
}

/// The numbers in brackets behind a name, and the index of the token behind them. The parameters of a pointer to a function are passed
/// over.
fn dimensions(tokens: &[Token<'_>], range: Range<usize>) -> (Vec<Range<usize>>, usize) {
    let (mut found, mut at) = (Vec::new(), range.start);
    if tokens[range.clone()].first().is_some_and(|token| token.is(")")) {
        let close = tokens[at + 1..range.end].iter().position(|token| token.is(")"));
        return (found, close.map_or(range.end, |length| at + length + 2));
    }
    while tokens[at..range.end].first().is_some_and(|token| token.is("[")) {
        let Some(length) = tokens[at..range.end].iter().position(|token| token.is("]")) else { break };
        found.push(at + 1..at + length);
        at += length + 1;
    }
    (found, at)
}
