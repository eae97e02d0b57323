//! Unrolls loops with constant bounds.

use super::reader::{Expression, Reader};
use super::types::MAX_INSTRUCTIONS;
use crate::syntax::c::{Binary, Kind, Mistake, Token};
use crate::syntax::{Diagnostic, Span};

/// The header of a loop.
struct Loop<'a> {
    name: Token<'a>,
    from: i64,
    test: Expression,
    step: i64,
}

impl<'a> Reader<'a> {
    /// `for (int i = FROM; i < TO; i += STEP) statement`, with constants for bounds and step.
    pub(super) fn repetition(&mut self) -> Result<(), Mistake> {
        let keyword = self.code.here();
        self.code.at += 1;
        let open = self.code.at;
        self.scopes.enter();
        let read = match self.header() {
            Ok(header) => self.repeat(&header, keyword),
            Err(Mistake) => {
                self.code.at = open;
                self.skip_controlled();
                Ok(())
            }
        };
        self.scopes.leave();
        read
    }

    /// Reads the body of a loop once for each iteration.
    fn repeat(&mut self, header: &Loop<'a>, keyword: Span) -> Result<(), Mistake> {
        let body = self.code.at;
        let mut value = header.from;
        let mut after = None;
        loop {
            self.scopes.number_is(header.name.text, value);
            if !self.value(&header.test).is_ok_and(|holds| holds != 0) {
                break;
            }
            self.rounds += 1;
            if self.rounds > MAX_INSTRUCTIONS {
                self.code.at = self.code.tokens.len();
                let message = "the loop does not end, or runs for too long";
                return self
                    .code
                    .mistake(Diagnostic::error("endless-loop", message).label(keyword, "this one"));
            }
            self.code.at = body;
            if self.statement().is_err() {
                self.recover();
            }
            after = Some(self.code.at);
            // An error in the body would repeat in every iteration.
            if !self.code.diagnostics.is_empty() {
                break;
            }
            value = value.saturating_add(header.step);
        }
        match after {
            Some(after) => self.code.at = after,
            None => self.code.skip_statement(),
        }
        Ok(())
    }

    /// Reads the header of a loop.
    fn header(&mut self) -> Result<Loop<'a>, Mistake> {
        self.code.expect("(", "after `for`")?;
        let mut name = None;
        while let Some(token) = self.code.peek_word() {
            name = Some(token);
            self.code.at += 1;
        }
        let Some(name) = name else { return self.code.unexpected("a loop variable") };
        self.code.expect("=", "after the loop variable")?;
        let from = self.constant()?;
        self.code.expect(";", "after the loop's start")?;
        self.scopes.number_is(name.text, from);
        let test = self.code.expression()?;
        self.value(&test)?;
        self.code.expect(";", "after the loop's bound")?;
        let step = self.step(name)?;
        self.code.expect(")", "after the loop's step")?;
        Ok(Loop { name, from, test, step })
    }

    /// `i++`, `++i`, `i--`, `--i`, `i += N`, `i -= N`.
    fn step(&mut self, name: Token<'a>) -> Result<i64, Mistake> {
        let step = self.code.expression()?;
        let (place, by) = match &step.kind {
            Kind::Step(place, by, _) => (place, *by),
            Kind::Assign(Some(Binary::Add), place, by) => (place, self.value(by)?),
            Kind::Assign(Some(Binary::Subtract), place, by) => (place, self.value(by)?.saturating_neg()),
            _ => return self.no_step(name, step.span),
        };
        match &place.kind {
            Kind::Name(stepped) if stepped == name.text => Ok(by),
            _ => self.no_step(name, step.span),
        }
    }

    fn no_step<T>(&mut self, name: Token<'a>, span: Span) -> Result<T, Mistake> {
        let message = format!("expected a step of `{}`", name.text);
        let diagnostic = Diagnostic::error("unexpected", message);
        self.code.mistake(diagnostic.label(span, "expected `++`, `--`, `+=` or `-=`"))
    }
}
