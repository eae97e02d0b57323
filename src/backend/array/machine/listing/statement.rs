//! Reads statements that are expressions, and the calls that begin and end programs.

use super::dialect::Expression;
use super::reader::{Flow, Reader};
use crate::syntax::Diagnostic;
use crate::syntax::c::{Kind, Lexeme, Mistake, Token};

impl<'a> Reader<'a> {
    /// Reads a statement that is an expression: calls, changes of variables.
    pub(super) fn expression_statement(&mut self, first: Token<'a>) -> Result<Flow, Mistake> {
        if self.bracket() {
            return Ok(Flow::Next);
        }
        if !self.inside {
            self.host_statement();
            return Ok(Flow::Next);
        }
        let begins = ["+", "-", "*", "&", "(", "[", ":"].iter().any(|mark| first.is(mark));
        if first.kind != Lexeme::Word && !begins {
            return self.code.unexpected("an instruction");
        }
        let read = self.code.sequence()?;
        let span = read.span;
        if let Kind::Name(name) = &read.kind
            && !self.code.next_is(";")
        {
            return self.code.unexpected(&format!("`(` after `{name}`"));
        }
        // The body of a macro may lack the semicolon; the one after its use suffices.
        let inside = self.code.last().is_some_and(|last| last == span)
            && self.code.peek().is_none_or(|t| t.span != span || t.is("}"));
        if !self.code.accept(";") && !inside {
            return self.code.unexpected("`;` after the instruction");
        }
        self.execute_expression(&read);
        Ok(Flow::Next)
    }

    /// A call that begins or ends a program; its semicolon may be missing.
    fn bracket(&mut self) -> bool {
        let [word, open, close, ..] = self.code.rest() else { return false };
        if word.kind != Lexeme::Word || !open.is("(") || !close.is(")") {
            return false;
        }
        let usual = self.given.target.sources.host.usual(word.text);
        let [begins, ends] = self.brackets(&usual);
        if begins || ends {
            (self.inside, self.bracketed) = (begins || self.strict, begins);
            if begins {
                let once = self.given.target.sources.host.recorded.contains(&usual);
                self.recording = once.then_some((self.code.at, self.listing.spans.len()));
            } else {
                self.compare_recorded();
            }
            self.code.at += 3;
            self.code.accept(";");
        }
        begins || ends
    }

    /// Notes a program that would be recorded otherwise than when it first ran.
    fn compare_recorded(&mut self) {
        let Some((first, begin)) = self.recording.take() else { return };
        let now = self.listing.program.instructions[begin..].to_vec();
        let before = self.recorded.entry(first).or_insert_with(|| now.clone());
        if *before != now {
            let message = "this program is recorded when it first runs and then repeated; it is read as if it were recorded in every run";
            let place = self.given.tokens[first].span;
            let note =
                Diagnostic::warning("recorded-once", message).label(place, "differs from its first run");
            let sources = &self.given.target.sources;
            let other = sources.brackets.iter().find(|[begin, _]| !sources.host.recorded.contains(begin));
            self.note(note.help_if(other.map(|[begin, _]| format!("`{begin}` records in every run"))));
        }
    }

    /// Carries out an expression. The whole statement has been read, so an error skips nothing.
    pub(super) fn execute_expression(&mut self, expression: &Expression) {
        match &expression.kind {
            Kind::Sequence(all) => all.iter().for_each(|each| self.execute_expression(each)),
            Kind::Call(name, arguments) => {
                let _reported = self.execute(name, arguments, expression.span);
            }
            Kind::Choice(test, then, other) => {
                let value = self.value(test);
                if let Some(holds) = value.ok().and_then(|value| self.truth(value, test.span)) {
                    self.execute_expression(if holds { then } else { other });
                }
            }
            Kind::Step(..) | Kind::Assign(..) | Kind::Apply(..) => {
                let _reported = self.value(expression);
            }
            _ if self.inside => {
                let diagnostic = Diagnostic::error("unexpected", "this is not an instruction");
                let _reported: Result<(), Mistake> =
                    self.code.mistake(diagnostic.label(expression.span, "expected an instruction"));
            }
            _ => {}
        }
    }
}
