//! Finds the programs of a source: the code between the calls that begin and end one, or the whole source if it has no such
//! calls.

use crate::backend::array::machine::descriptor::Target;
use crate::syntax::c::{Lexeme, Token};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// The place of a program among the tokens of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The tokens between the two calls.
    pub(super) tokens: std::ops::Range<usize>,
    /// The call that begins it, or the whole source.
    pub(super) place: Span,
    /// From the first call to the second, or from the first token to the last.
    pub(super) extent: Span,
    /// Whether it is the whole source.
    pub(super) whole: bool,
}

/// The programs of a source, in order; the whole source is one program if it has no such calls.
///
/// # Errors
/// A call that begins or ends a program without its counterpart.
pub(super) fn find(target: &Target, tokens: &[Token<'_>]) -> Result<Vec<Found>, Diagnostics> {
    let own = [target.brackets.clone()];
    let pairs: Vec<&[String; 2]> = own.iter().chain(&target.sources.brackets).collect();
    let mut wrong = Diagnostics::new();
    let mut found = Vec::new();
    let mut open: Option<(usize, usize, Span)> = None;
    let mut at = 0;
    while at < tokens.len() {
        let call = call(&tokens[at..]).filter(|_| tokens[at].kind == Lexeme::Word);
        let side = |side: usize| pairs.iter().position(|pair| pair[side] == tokens[at].text);
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
                if pair != *opened {
                    let message = format!("`{}` ends what `{}` began", tokens[at].text, pairs[*opened][0]);
                    let label = format!("expected `{}();`", pairs[*opened][1]);
                    let diagnostic = Diagnostic::error("unpaired-bracket", message).label(span, label);
                    wrong.push(diagnostic.label(*first, "it began here"));
                }
                found.push(Found { tokens: *begin..at, place: *first, extent: first.to(span), whole: false });
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
    if found.is_empty() && wrong.is_empty() {
        let whole = tokens.first().zip(tokens.last()).map(|(first, last)| first.span.to(last.span));
        let place = whole.unwrap_or_default();
        found.push(Found { tokens: 0..tokens.len(), place, extent: place, whole: true });
    }
    wrong.or(found)
}

/// The number of tokens of a call without arguments that begins here: `name ( )`.
fn call(tokens: &[Token<'_>]) -> Option<usize> {
    let [_, open, close, ..] = tokens else { return None };
    (open.is("(") && close.is(")")).then_some(3)
}
