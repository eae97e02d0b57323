//! Finds the programs of a source: the code between the calls that begin and end one, or the whole source if it has no such
//! calls.

use super::outline::{Function, Outline};
use crate::backend::array::machine::descriptor::Target;
use crate::syntax::c::{Lexeme, Token};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// What a program is in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Between two calls, or a lambda.
    Marked,
    /// A function with instructions, in a source without such calls.
    Function,
    /// The whole source.
    Whole,
}

/// The place of a program among the tokens of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The tokens between the two calls.
    pub(super) tokens: std::ops::Range<usize>,
    /// The call that begins it, or the whole source.
    pub(super) place: Span,
    /// From the first call to the second, or from the first token to the last.
    pub(super) extent: Span,
    pub(super) form: Form,
}

/// The programs of a source, in order: the code between calls, and lambdas. A source without such calls has a program in each
/// function with instructions; without these it is one program.
///
/// # Errors
/// A call that begins or ends a program without its counterpart.
pub(super) fn find(
    target: &Target,
    tokens: &[Token<'_>],
    outline: &Outline<'_>,
) -> Result<Vec<Found>, Diagnostics> {
    let mut found = marked(target, tokens)?;
    let lambdas = outline.functions.iter().filter(|function| function.program);
    let inner: Vec<Found> = found.clone();
    let free = lambdas.filter(|lambda| !inner.iter().any(|other| other.tokens.contains(&lambda.body.start)));
    found.extend(free.map(|lambda| program(tokens, lambda, Form::Marked)));
    if found.is_empty() {
        let instructions = |function: &&Function<'_>| holds_instructions(target, tokens, outline, function);
        let functions = outline.functions.iter().filter(instructions);
        found.extend(functions.map(|function| program(tokens, function, Form::Function)));
    }
    if let (true, Some(first)) = (found.is_empty(), outline.functions.first()) {
        let diagnostic = Diagnostic::error("no-such-block", "the source has no program");
        let [begin, _] = &target.brackets;
        let help = format!("a program begins with `{begin}();`, or is a function with instructions");
        return Err(diagnostic.label(first.place, "the first function").help(help).into());
    }
    if found.is_empty() {
        let whole = tokens.first().zip(tokens.last()).map(|(first, last)| first.span.to(last.span));
        let place = whole.unwrap_or_default();
        found.push(Found { tokens: 0..tokens.len(), place, extent: place, form: Form::Whole });
    }
    found.sort_by_key(|found| found.tokens.start);
    Ok(found)
}

/// A function or lambda as a program.
fn program(tokens: &[Token<'_>], function: &Function<'_>, form: Form) -> Found {
    let end = function.body.end.min(tokens.len());
    let last = tokens.get(end).or(tokens.last()).map_or(function.place, |token| token.span);
    let extent =
        Span::new(function.place.start.min(last.start) as usize, function.place.end.max(last.end) as usize);
    Found { tokens: function.body.start.min(end)..end, place: function.place, extent, form }
}

/// Whether a function calls instructions itself, not only through other functions or lambdas in it.
fn holds_instructions(
    target: &Target,
    tokens: &[Token<'_>],
    outline: &Outline<'_>,
    function: &Function<'_>,
) -> bool {
    let body = function.body.start.min(tokens.len())..function.body.end.min(tokens.len());
    let named = |name: &str| {
        target.has_instruction(name) || target.sources.loads.iter().any(|load| load.name == name)
    };
    let own = |name: &str| outline.functions.iter().any(|other| other.name == name);
    tokens[body].windows(2).any(|pair| {
        let name = target.sources.host.usual(pair[0].text);
        pair[0].kind == Lexeme::Word && pair[1].is("(") && named(&name) && !own(&name)
    })
}

/// The code between the calls that begin and end a program.
fn marked(target: &Target, tokens: &[Token<'_>]) -> Result<Vec<Found>, Diagnostics> {
    let own = [target.brackets.clone()];
    let pairs: Vec<&[String; 2]> = own.iter().chain(&target.sources.brackets).collect();
    let mut wrong = Diagnostics::new();
    let mut found = Vec::new();
    let mut open: Option<(usize, usize, Span)> = None;
    let mut at = 0;
    while at < tokens.len() {
        let call = call(&tokens[at..]).filter(|_| tokens[at].kind == Lexeme::Word);
        let usual = target.sources.host.usual(tokens[at].text);
        let side = |side: usize| pairs.iter().position(|pair| pair[side] == usual);
        let (Some(length), begins, ends) = (call, side(0), side(1)) else {
            at += 1;
            continue;
        };
        let span = tokens[at].span.to(tokens[at + length - 1].span);
        // The semicolon behind the call belongs to it.
        let behind = at + length + usize::from(tokens.get(at + length).is_some_and(|t| t.is(";")));
        match (begins, ends, &open) {
            (Some(pair), _, None) => open = Some((pair, behind, span)),
            (Some(_), _, Some((_, _, first))) => {
                let message = format!("`{}` inside a program", tokens[at].text);
                let diagnostic =
                    Diagnostic::error("unpaired-bracket", message).label(span, "not expected here");
                wrong.push(diagnostic.label(*first, "the program began here"));
            }
            (None, Some(pair), Some((opened, begin, first))) => {
                if pairs[pair][1] != pairs[*opened][1] {
                    let message = format!("`{}` ends what `{}` began", tokens[at].text, pairs[*opened][0]);
                    let label = format!("expected `{}();`", pairs[*opened][1]);
                    let diagnostic = Diagnostic::error("unpaired-bracket", message).label(span, label);
                    wrong.push(diagnostic.label(*first, "it began here"));
                }
                found.push(Found {
                    tokens: *begin..at,
                    place: *first,
                    extent: first.to(span),
                    form: Form::Marked,
                });
                open = None;
            }
            (None, Some(pair), None) => {
                let message = format!("`{}` has no counterpart", tokens[at].text);
                let label = format!("expected `{}();` once, before it", pairs[pair][0]);
                wrong.push(Diagnostic::error("unpaired-bracket", message).label(span, label));
            }
            (None, None, _) => {}
        }
        at = if begins.is_some() || ends.is_some() { behind } else { at + 1 };
    }
    if let Some((pair, _, span)) = open {
        let message = format!("the program does not end with `{}();`", pairs[pair][1]);
        wrong.push(Diagnostic::error("unpaired-bracket", message).label(span, "it begins here"));
    }
    wrong.or(found)
}

/// The number of tokens of a call without arguments that begins here: `name ( )`.
fn call(tokens: &[Token<'_>]) -> Option<usize> {
    let [_, open, close, ..] = tokens else { return None };
    (open.is("(") && close.is(")")).then_some(3)
}
