//! Statements of a program: blocks, declarations, loops, calls.

use super::scope::{Scopes, declares};
use super::{Listing, MAX_DEPTH, Reading};
use crate::backend::array::machine::descriptor::Target;
use crate::backend::array::machine::program::Program;
use crate::syntax::preprocess::{Constants, Lexeme, Problem, Token};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// A mistake in a statement that was reported; the reader goes on after it.
pub(super) struct Mistake;

/// Reads the tokens of one program.
pub(super) struct Reader<'a> {
    pub(super) target: &'a Target,
    pub(super) reading: &'a Reading,
    pub(super) tokens: &'a [Token<'a>],
    pub(super) at: usize,
    /// What names mean where the reader is.
    pub(super) scopes: Scopes<'a>,
    /// How many blocks are open.
    open: usize,
    /// How many rounds of loops were read.
    pub(super) rounds: usize,
    /// The call that masks what is read.
    pub(super) mask: Option<Span>,
    pub(super) diagnostics: Diagnostics,
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
        Self {
            target,
            reading,
            tokens,
            at: 0,
            scopes,
            open: 0,
            rounds: 0,
            mask: None,
            diagnostics: Diagnostics::new(),
            listing,
        }
    }

    /// Reads all statements.
    pub(super) fn run(&mut self) {
        while self.at < self.tokens.len() {
            if self.statement(0).is_err() {
                self.recover();
            }
        }
    }

    /// What was read, and what is wrong with it.
    pub(super) fn finish(self) -> (Listing, Diagnostics) {
        (self.listing, self.diagnostics)
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    pub(super) fn next_is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.next_is(text);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &str, place: &str) -> Result<(), Mistake> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}` {place}")) }
    }

    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Result<T, Mistake> {
        let (shown, span) = match self.peek() {
            Some(token) => (format!("`{}`", token.text), token.span),
            None => {
                let end = self.tokens.last().map_or(0, |t| t.span.end as usize);
                ("the end".to_owned(), Span::at(end))
            }
        };
        let diagnostic = Diagnostic::error("unexpected", format!("expected {expected}, found {shown}"));
        self.mistake(diagnostic.label(span, format!("expected {expected}")))
    }

    pub(super) fn mistake<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Mistake> {
        // A macro reports once what is wrong with it, not once for each line that it stands for.
        let known = self.diagnostics.iter().any(|d| d.id == diagnostic.id && d.labels == diagnostic.labels);
        if !known {
            self.diagnostics.push(diagnostic);
        }
        Err(Mistake)
    }

    pub(super) fn statement(&mut self, depth: usize) -> Result<(), Mistake> {
        if depth > MAX_DEPTH {
            let span = self.peek().map_or(Span::default(), |t| t.span);
            let deep = Diagnostic::error("too-deep", "braces are nested too deep")
                .label(span, "no deeper than this");
            self.at = self.tokens.len();
            return self.mistake(deep);
        }
        if self.accept(";") {
            return Ok(());
        }
        if self.accept("{") {
            return self.block(depth);
        }
        // `({ … })`, as macros that are used like functions are written.
        if self.next_is("(") && self.tokens.get(self.at + 1).is_some_and(|t| t.is("{")) {
            self.at += 2;
            self.block(depth)?;
            return self.expect(")", "after the block");
        }
        let Some(token) = self.peek() else { return Ok(()) };
        if token.kind != Lexeme::Word {
            return self.unexpected("an instruction");
        }
        match token.text {
            "for" => self.repetition(depth),
            "if" | "else" | "while" | "do" | "switch" | "case" | "goto" | "return" | "break" | "continue" => {
                let message = format!("`{}` is decided when the program runs", token.text);
                let diagnostic =
                    Diagnostic::error("unreadable", message).label(token.span, "not straight-line code");
                let _reported: Result<(), Mistake> = self.mistake(diagnostic);
                self.at += 1;
                self.skip_controlled();
                Ok(())
            }
            _ if declares(&self.tokens[self.at..]) => self.declaration(),
            _ => self.call(token),
        }
    }

    /// Constants, and other names for registers.
    fn declaration(&mut self) -> Result<(), Mistake> {
        let begin = self.at;
        self.skip_statement();
        let tokens = self.tokens;
        let end = if tokens[self.at - 1].is(";") { self.at - 1 } else { self.at };
        match self.scopes.declare(&tokens[begin..end]) {
            None => Ok(()),
            Some((name, span)) => {
                let message = format!("what `{name}` holds is decided when the program runs");
                let diagnostic = Diagnostic::error("unreadable", message);
                self.mistake(diagnostic.label(span, "expected a constant, as in `const int n = 3;`"))
            }
        }
    }

    fn block(&mut self, depth: usize) -> Result<(), Mistake> {
        self.scopes.enter();
        let read = self.until_brace(depth);
        self.scopes.leave();
        read
    }

    fn until_brace(&mut self, depth: usize) -> Result<(), Mistake> {
        self.open += 1;
        while !self.accept("}") {
            if self.peek().is_none() {
                return self.unexpected("`}` after the block");
            }
            if self.statement(depth + 1).is_err() {
                self.recover();
            }
        }
        self.open -= 1;
        Ok(())
    }

    /// Goes on after the semicolon that ends a mistaken statement, or at the brace that ends its block.
    pub(super) fn recover(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            match token.text {
                "{" => depth += 1,
                "}" if depth == 0 => {
                    // Outside of any block a brace is nobody's: reading must go on all the same.
                    self.at += usize::from(self.open == 0);
                    return;
                }
                "}" => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                ";" if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Goes past the parentheses and the statement behind a keyword.
    pub(super) fn skip_controlled(&mut self) {
        if self.next_is("(") {
            let mut depth = 0usize;
            while let Some(token) = self.peek() {
                self.at += 1;
                match token.text {
                    "(" => depth += 1,
                    ")" if depth <= 1 => break,
                    ")" => depth -= 1,
                    _ => {}
                }
            }
        }
        self.skip_statement();
    }

    /// Goes past a statement that is never executed.
    pub(super) fn skip_statement(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            self.at += 1;
            match token.text {
                "{" | "(" => depth += 1,
                "}" | ")" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && token.is("}") {
                        return;
                    }
                }
                ";" if depth == 0 => return,
                _ => {}
            }
        }
    }

    /// The value of a constant expression.
    pub(super) fn expression(&mut self) -> Result<i64, Mistake> {
        let value_of = |name: &str| self.scopes.number(name);
        let mut constants = Constants::new(self.tokens, self.at, &value_of);
        let found = constants.value();
        let at = constants.at;
        let span = |index: usize| self.tokens[index.min(self.tokens.len() - 1)].span;
        match found {
            Ok(value) => {
                self.at = at;
                Ok(value)
            }
            Err(Problem::Unexpected(expected, place)) => {
                self.at = place;
                match expected {
                    ")" | ":" => self.unexpected(&format!("`{expected}` in the expression")),
                    _ => self.unexpected(expected),
                }
            }
            Err(Problem::Unknown(place)) => {
                let message = format!("`{}` is not known before the program runs", self.tokens[place].text);
                let diagnostic =
                    Diagnostic::error("unreadable", message).label(span(place), "expected a constant");
                self.mistake(diagnostic)
            }
            Err(Problem::NoValue(range)) => {
                let whole = span(range.start).to(span(range.end - 1));
                let message = "the value of this expression does not fit, or is none";
                self.mistake(Diagnostic::error("number-too-large", message).label(whole, "this one"))
            }
        }
    }
}
