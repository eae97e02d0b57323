//! Reads the statements of a program: blocks, declarations, loops and calls.

use super::scope::{Scopes, declares};
use super::types::{Listing, Reading};
use crate::backend::array::machine::descriptor::Target;
use crate::backend::array::machine::program::Program;
use crate::syntax::c::{self, Cursor, Dialect, Lexeme, Mistake, Problem, Token, Untyped, constant};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// Expressions of programs have no types.
pub(super) type Expression = c::Expression<<Untyped as Dialect>::Base>;

/// Reads the tokens of one program.
pub(super) struct Reader<'a> {
    pub(super) target: &'a Target,
    pub(super) reading: &'a Reading,
    pub(super) code: Cursor<'a, Untyped>,
    /// The names in scope.
    pub(super) scopes: Scopes<'a>,
    /// The number of open blocks.
    open: usize,
    /// The number of loop iterations so far.
    pub(super) rounds: usize,
    /// The mask in effect, by its call.
    pub(super) mask: Option<Span>,
    pub(super) listing: Listing,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        target: &'a Target,
        reading: &'a Reading,
        tokens: &'a [Token<'a>],
        scopes: Scopes<'a>,
    ) -> Self {
        let listing = Listing {
            program: Program::new(target),
            spans: Vec::new(),
            masked: Vec::new(),
            load: None,
            notes: Diagnostics::new(),
            blocks: 1,
        };
        Self { target, reading, code: Cursor::new(tokens), scopes, open: 0, rounds: 0, mask: None, listing }
    }

    /// Reads all statements.
    pub(super) fn run(&mut self) {
        while self.code.peek().is_some() {
            if self.statement().is_err() {
                self.recover();
            }
        }
    }

    /// The program that was read, and the errors in it.
    pub(super) fn finish(self) -> (Listing, Diagnostics) {
        (self.listing, self.code.diagnostics)
    }

    pub(super) fn statement(&mut self) -> Result<(), Mistake> {
        // Nested statements count against the cursor's limit on depth.
        self.code.enter()?;
        let read = self.any_statement();
        self.code.leave();
        read
    }

    fn any_statement(&mut self) -> Result<(), Mistake> {
        if self.code.accept(";") {
            return Ok(());
        }
        if self.code.accept("{") {
            return self.block();
        }
        // `({ … })`, a common form of function-like macros.
        if matches!(self.code.rest(), [open, brace, ..] if open.is("(") && brace.is("{")) {
            self.code.at += 2;
            self.block()?;
            return self.code.expect(")", "after the block");
        }
        let Some(token) = self.code.peek() else { return Ok(()) };
        if token.kind != Lexeme::Word {
            return self.code.unexpected("an instruction");
        }
        match token.text {
            "for" => self.repetition(),
            "if" | "else" | "while" | "do" | "switch" | "case" | "goto" | "return" | "break" | "continue" => {
                let message = format!("`{}` depends on values at run time", token.text);
                let _reported: Result<(), Mistake> =
                    self.code.unreadable(token.span, message, "not straight-line code");
                self.code.at += 1;
                self.skip_controlled();
                Ok(())
            }
            _ if declares(self.code.rest()) => self.declaration(),
            _ => self.call(),
        }
    }

    /// Reads constants and aliases of registers.
    fn declaration(&mut self) -> Result<(), Mistake> {
        let tokens = self.code.rest();
        let begin = self.code.at;
        self.code.skip_statement();
        let declared = &tokens[..self.code.at - begin];
        let declared =
            declared.split_last().filter(|(last, _)| last.is(";")).map_or(declared, |(_, own)| own);
        match self.scopes.declare(declared) {
            None => Ok(()),
            Some((name, span)) => {
                let message = format!("the value of `{name}` depends on values at run time");
                self.code.unreadable(span, message, "expected a constant, as in `const int n = 3;`")
            }
        }
    }

    fn block(&mut self) -> Result<(), Mistake> {
        self.scopes.enter();
        self.open += 1;
        let read = self.until_brace();
        self.open -= 1;
        self.scopes.leave();
        read
    }

    fn until_brace(&mut self) -> Result<(), Mistake> {
        while !self.code.accept("}") {
            if self.code.peek().is_none() {
                return self.code.unexpected("`}` after the block");
            }
            if self.statement().is_err() {
                self.recover();
            }
        }
        Ok(())
    }

    /// Skips the rest of an erroneous statement, and an unmatched closing brace.
    pub(super) fn recover(&mut self) {
        self.code.skip_statement();
        self.code.at += usize::from(self.open == 0 && self.code.next_is("}"));
    }

    /// Skips the parentheses and the statement after a keyword.
    pub(super) fn skip_controlled(&mut self) {
        self.code.skip_group();
        self.code.skip_statement();
    }

    /// Reads a constant expression.
    pub(super) fn constant(&mut self) -> Result<i64, Mistake> {
        let expression = self.code.expression()?;
        self.value(&expression)
    }

    /// The value of a constant expression.
    pub(super) fn value(&mut self, expression: &Expression) -> Result<i64, Mistake> {
        let direction = |name: &str| self.target.direction_number(name).map(i64::from);
        match constant(expression, &|name| self.scopes.number(name).or_else(|| direction(name))) {
            Ok(value) => Ok(value),
            Err(Problem::Unknown(name, span)) => {
                let message = format!("`{name}` is not known before the program runs");
                self.code.unreadable(span, message, "expected a constant")
            }
            Err(Problem::NoValue(span)) => {
                let message = "this expression has no value, or one that does not fit";
                self.code.mistake(Diagnostic::error("number-too-large", message).label(span, "this one"))
            }
        }
    }
}
