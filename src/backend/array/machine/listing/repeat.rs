//! Loops whose bounds are constants: read as often as they run.

use super::MAX_INSTRUCTIONS;
use super::reader::{Mistake, Reader};
use crate::syntax::Diagnostic;
use crate::syntax::preprocess::{Lexeme, Token};

/// What a loop's parentheses say.
struct Loop<'a> {
    name: Token<'a>,
    from: i64,
    /// The token that its condition begins with.
    condition: usize,
    step: i64,
}

impl<'a> Reader<'a> {
    /// `for (int i = FROM; i < TO; i += STEP) statement`, with constants for bounds and step.
    pub(super) fn repetition(&mut self, depth: usize) -> Result<(), Mistake> {
        let keyword = self.tokens[self.at].span;
        self.at += 1;
        self.scopes.enter();
        let Ok(Loop { name, from, condition, step }) = self.header() else {
            self.scopes.leave();
            return Ok(());
        };
        let body = self.at;
        let mut value = from;
        let mut after = None;
        loop {
            self.scopes.number_is(name.text, value);
            self.at = condition;
            if !self.expression().is_ok_and(|holds| holds != 0) {
                break;
            }
            self.rounds += 1;
            if self.rounds > MAX_INSTRUCTIONS {
                self.at = self.tokens.len();
                let message = "the loop does not end, or runs for too long";
                return self.mistake(Diagnostic::error("endless-loop", message).label(keyword, "this one"));
            }
            self.at = body;
            if self.statement(depth + 1).is_err() {
                self.recover();
            }
            after = Some(self.at);
            // A mistake in the body is the same mistake in every round.
            if !self.diagnostics.is_empty() {
                break;
            }
            value = value.saturating_add(step);
        }
        self.scopes.leave();
        match after {
            Some(after) => self.at = after,
            None => {
                self.at = body;
                self.skip_statement();
            }
        }
        Ok(())
    }

    /// What stands in the parentheses of a loop. Where it cannot be read, the reader is past the loop's body.
    fn header(&mut self) -> Result<Loop<'a>, Mistake> {
        let open = self.at;
        let read = self.header_parts();
        if read.is_err() {
            self.at = open;
            self.skip_controlled();
        }
        read
    }

    fn header_parts(&mut self) -> Result<Loop<'a>, Mistake> {
        self.expect("(", "after `for`")?;
        let mut name = None;
        while let Some(token) = self.peek().filter(|t| t.kind == Lexeme::Word) {
            name = Some(token);
            self.at += 1;
        }
        let Some(name) = name else { return self.unexpected("a loop variable") };
        self.expect("=", "after the loop variable")?;
        let from = self.expression()?;
        self.expect(";", "after the loop's start")?;
        self.scopes.number_is(name.text, from);
        let condition = self.at;
        self.expression()?;
        self.expect(";", "after the loop's bound")?;
        let step = self.step(name)?;
        self.expect(")", "after the loop's step")?;
        Ok(Loop { name, from, condition, step })
    }

    /// `i++`, `++i`, `i--`, `--i`, `i += N`, `i -= N`.
    fn step(&mut self, name: Token<'a>) -> Result<i64, Mistake> {
        let before = self.peek().filter(|t| t.is("+") || t.is("-"));
        if let Some(mark) = before {
            self.at += 1;
            self.expect(mark.text, "twice")?;
        }
        if self.peek().is_none_or(|t| t.text != name.text) {
            return self.unexpected(&format!("a step of `{}`", name.text));
        }
        self.at += 1;
        let sign = |token: Token<'_>| if token.is("-") { -1 } else { 1 };
        if let Some(before) = before {
            return Ok(sign(before));
        }
        let Some(mark) = self.peek().filter(|t| t.is("+") || t.is("-")) else {
            return self.unexpected("`++`, `--`, `+=` or `-=`");
        };
        self.at += 1;
        if self.accept("=") {
            return Ok(self.expression()?.saturating_mul(sign(mark)));
        }
        self.expect(mark.text, "twice, or `=`")?;
        Ok(sign(mark))
    }
}
