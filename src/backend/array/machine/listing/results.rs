//! Rewrites instructions with results on the left, as other compilers print them.

use crate::syntax::Span;
use crate::syntax::c::{Lexeme, Token};

/// Turns `B = east (A)` into `east(B, A);`, also after a printed line number, where `east` is one of the names `known`.
/// Everything else stays the same.
pub(super) fn with_results_first<'a>(code: &[Token<'a>], known: &dyn Fn(&str) -> bool) -> Vec<Token<'a>> {
    let mark = |text: &'static str, span: Span| Token::made(Lexeme::Mark, text, span);
    let mut out: Vec<Token<'a>> = Vec::with_capacity(code.len());
    let mut at = 0;
    while at < code.len() {
        let starts = out.last().is_none_or(|t: &Token<'_>| t.is(";") || t.is("{") || t.is("}"));
        let numbered = usize::from(code[at].kind == Lexeme::Number && starts);
        if let [result, equals, name, open, rest @ ..] = &code[at + numbered..]
            && starts
            && result.kind == Lexeme::Word
            && equals.is("=")
            && name.kind == Lexeme::Word
            && open.is("(")
            && known(name.text)
            && let Some(close) = rest.iter().position(|t| t.is(")"))
        {
            let operands = &rest[..close];
            out.extend([*name, *open, *result]);
            if !operands.is_empty() {
                out.push(mark(",", open.span));
            }
            out.extend(operands);
            out.push(rest[close]);
            let next = rest.get(close + 1);
            if !next.is_some_and(|t| t.is(";")) {
                out.push(mark(";", rest[close].span));
            }
            at += numbered + 4 + close + 1;
        } else {
            out.push(code[at]);
            at += 1;
        }
    }
    out
}
