//! From tokens to statements.

use super::syntax::{Base, Declarator, Expression, Kind, Statement, Type};
use super::types::{is_annotation, is_qualifier, named};
use crate::syntax::preprocess::{Lexeme, Token};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// How deep statements and expressions may be nested.
pub(super) const MAX_DEPTH: usize = 60;

/// A mistake in a statement that was reported; reading goes on after it.
pub(super) struct Mistake;

/// Reads tokens from which macros are gone.
pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) diagnostics: Diagnostics,
}

impl<'a> Parser<'a> {
    pub(super) fn new(tokens: &'a [Token<'a>]) -> Self {
        Self { tokens, at: 0, depth: 0, diagnostics: Diagnostics::new() }
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

    /// The place of the next token, or of the end.
    pub(super) fn here(&self) -> Span {
        match (self.peek(), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, last) => Span::at(last.map_or(0, |token| token.span.end as usize)),
        }
    }

    /// From a place to the last token that was read.
    pub(super) fn since(&self, begin: Span) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(begin, |token| if token.span.end >= begin.start { begin.to(token.span) } else { begin })
    }

    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Result<T, Mistake> {
        let shown = self.peek().map_or("the end".to_owned(), |token| format!("`{}`", token.text));
        let diagnostic = Diagnostic::error("unexpected", format!("expected {expected}, found {shown}"));
        let span = self.here();
        self.mistake(diagnostic.label(span, format!("expected {expected}")))
    }

    pub(super) fn mistake<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Mistake> {
        let known = self.diagnostics.iter().any(|d| d.id == diagnostic.id && d.labels == diagnostic.labels);
        if !known {
            self.diagnostics.push(diagnostic);
        }
        Err(Mistake)
    }

    /// Counts how deep the text is nested; to be undone by the caller.
    pub(super) fn descend(&mut self) -> Result<(), Mistake> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let span = self.here();
        self.at = self.tokens.len();
        self.mistake(
            Diagnostic::error("too-deep", "this is nested too deep").label(span, "no deeper than this"),
        )
    }

    /// Statements up to a closing brace or the end; a mistake in one does not hide those behind it.
    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut found = Vec::new();
        while self.peek().is_some() && !self.next_is("}") {
            let (begin, depth) = (self.at, self.depth);
            match self.statement() {
                Ok(statement) => found.extend(statement),
                Err(Mistake) => {
                    self.depth = depth;
                    self.recover(begin);
                }
            }
        }
        found
    }

    /// Goes past the statement that begins at `begin` and has a mistake.
    fn recover(&mut self, begin: usize) {
        let mut open = 0usize;
        self.at = begin;
        while let Some(token) = self.peek() {
            match token.text {
                "{" | "(" => open += 1,
                "}" if open == 0 => break,
                "}" | ")" => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if open == 0 && (token.is(";") || token.is("}")) {
                break;
            }
        }
        self.at = self.at.max(begin + 1);
    }

    /// A statement; `None` for one without any effect.
    fn statement(&mut self) -> Result<Option<Statement>, Mistake> {
        self.descend()?;
        let found = self.any_statement();
        self.depth -= 1;
        found
    }

    fn any_statement(&mut self) -> Result<Option<Statement>, Mistake> {
        self.skip_annotations();
        let Some(token) = self.peek() else { return Ok(None) };
        match token.text {
            ";" => {
                self.at += 1;
                Ok(None)
            }
            "{" => Ok(Some(Statement::Block(self.block()?))),
            "for" => self.counted().map(Some),
            "while" => {
                self.at += 1;
                self.expect("(", "before the condition")?;
                let test = self.expression()?;
                self.expect(")", "after the condition")?;
                Ok(Some(Statement::Loop { first: Vec::new(), test, step: None, body: self.body()? }))
            }
            "if" => {
                self.at += 1;
                self.accept("constexpr");
                self.expect("(", "before the condition")?;
                let test = self.expression()?;
                self.expect(")", "after the condition")?;
                let then = self.body()?;
                let other = if self.accept("else") { self.body()? } else { Vec::new() };
                Ok(Some(Statement::If(test, then, other)))
            }
            "return" => {
                self.at += 1;
                let value = if self.next_is(";") { None } else { Some(self.expression()?) };
                self.expect(";", "after the value")?;
                Ok(Some(Statement::Return(value, token.span)))
            }
            "do" | "switch" | "goto" | "break" | "continue" | "try" | "case" | "asm" => {
                let message = format!("`{}` is not read", token.text);
                let diagnostic = Diagnostic::error("unreadable", message);
                self.mistake(
                    diagnostic.label(token.span, "expected straight-line code, `for`, `while` or `if`"),
                )
            }
            "using" | "typedef" | "static_assert" => {
                while self.peek().is_some() && !self.accept(";") {
                    self.at += 1;
                }
                Ok(None)
            }
            _ if self.begins_type(self.at) => {
                let declared = self.declaration()?;
                self.expect(";", "after the declaration")?;
                Ok(Some(Statement::Declare(declared)))
            }
            _ => {
                if let [type_name, name, ..] = &self.tokens[self.at..]
                    && type_name.kind == Lexeme::Word
                    && name.kind == Lexeme::Word
                {
                    self.type_name()?;
                }
                let value = self.expression()?;
                self.expect(";", "after the statement")?;
                Ok(Some(Statement::Evaluate(value)))
            }
        }
    }

    fn block(&mut self) -> Result<Vec<Statement>, Mistake> {
        let open = self.here();
        self.expect("{", "before the statements")?;
        let found = self.statements();
        if self.accept("}") {
            return Ok(found);
        }
        self.mistake(Diagnostic::error("unexpected", "the braces are not closed").label(open, "opened here"))
    }

    /// What a loop repeats, or a condition decides about.
    fn body(&mut self) -> Result<Vec<Statement>, Mistake> {
        self.skip_annotations();
        if self.next_is("{") { self.block() } else { Ok(self.statement()?.into_iter().collect()) }
    }

    fn counted(&mut self) -> Result<Statement, Mistake> {
        let begin = self.here();
        self.at += 1;
        self.expect("(", "after `for`")?;
        let first = self.statement()?.into_iter().collect();
        let test = match self.next_is(";") {
            true => {
                let message = "a loop without a condition does not end";
                return self
                    .mistake(Diagnostic::error("unreadable", message).label(begin, "expected a condition"));
            }
            false => self.expression()?,
        };
        self.expect(";", "after the condition")?;
        let step = if self.next_is(")") { None } else { Some(self.sequence()?) };
        self.expect(")", "after the step")?;
        Ok(Statement::Loop { first, test, step, body: self.body()? })
    }

    /// Expressions with commas between them, as the step of a loop has.
    fn sequence(&mut self) -> Result<Expression, Mistake> {
        let first = self.expression()?;
        if !self.next_is(",") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.accept(",") {
            all.push(self.expression()?);
        }
        let span = all[0].span.to(self.since(all[0].span));
        Ok(Expression { kind: Kind::List(all), span })
    }

    /// Goes past words for the compiler's scheduler and what stands in parentheses behind them.
    pub(super) fn skip_annotations(&mut self) {
        while let Some(token) = self.peek().filter(|t| t.kind == Lexeme::Word && is_annotation(t.text)) {
            self.at += 1;
            if self.next_is("(") {
                self.skip_group();
            }
            // `chess_separator();` is a statement of its own.
            if token.text.starts_with("chess_") && self.next_is(";") {
                self.at += 1;
            }
        }
    }

    fn skip_group(&mut self) {
        let mut open = 0usize;
        while let Some(token) = self.peek() {
            self.at += 1;
            match token.text {
                "(" => open += 1,
                ")" if open <= 1 => return,
                ")" => open -= 1,
                _ => {}
            }
        }
    }

    /// A name with what stands before it between `::`.
    pub(super) fn qualified(&mut self) -> Option<(String, Span)> {
        let first = self.peek().filter(|t| t.kind == Lexeme::Word)?;
        self.at += 1;
        let mut name = first.text.to_owned();
        while let [a, b, next, ..] = &self.tokens[self.at..]
            && a.is(":")
            && b.is(":")
            && next.kind == Lexeme::Word
        {
            name.push_str("::");
            name.push_str(next.text);
            self.at += 3;
        }
        Some((name, self.since(first.span)))
    }

    /// Whether a type begins at a token.
    pub(super) fn begins_type(&self, at: usize) -> bool {
        let mut parser = Parser::new(self.tokens);
        parser.at = at;
        let Some((name, _)) = parser.qualified() else { return false };
        if parser.next_is("(") && !is_annotation(&name) {
            return false;
        }
        is_qualifier(&name) || is_annotation(&name) || named(&name).is_some()
    }

    /// A type up to and with its pointers; a reference is read as what it refers to.
    pub(super) fn type_name(&mut self) -> Result<Type, Mistake> {
        let mut base: Option<Base> = None;
        let begin = self.here();
        loop {
            self.skip_annotations();
            let start = self.at;
            let Some((name, _)) = self.qualified() else { break };
            if is_qualifier(&name) {
                continue;
            }
            let Some(found) = named(&name) else {
                self.at = start;
                break;
            };
            base = Some(match (base, found) {
                (None, found) => found,
                (Some(Base::Integer(old)), Base::Integer(new)) => {
                    let mut both = if new.bits == 32 { old } else { new };
                    both.signed = old.signed && new.signed;
                    Base::Integer(both)
                }
                (Some(_), _) => {
                    self.at = start;
                    break;
                }
            });
        }
        let Some(base) = base else {
            let span = begin.to(self.here());
            let shown = self.peek().map_or("the end", |token| token.text);
            let message = format!("`{shown}` is no type of integers, vectors or accumulators");
            return self.mistake(
                Diagnostic::error("unreadable", message)
                    .label(span, "expected a type, as `v16int16`, `int16_t`"),
            );
        };
        let mut pointers = 0;
        loop {
            self.skip_annotations();
            match self.peek() {
                Some(token) if token.is("*") => pointers += 1,
                Some(token) if token.is("&") || is_qualifier(token.text) => {}
                _ => break,
            }
            self.at += 1;
        }
        Ok(Type { base, pointers })
    }

    /// Variables of one type, as far as their `;`, which is left.
    fn declaration(&mut self) -> Result<Vec<Declarator>, Mistake> {
        let ty = self.type_name()?;
        let mut found = Vec::new();
        loop {
            let ty = match found.is_empty() {
                true => ty,
                false => Type { base: ty.base, pointers: self.stars() },
            };
            found.push(self.declarator(ty)?);
            if !self.accept(",") {
                return Ok(found);
            }
        }
    }

    /// Pointer marks with what qualifies them.
    fn stars(&mut self) -> usize {
        let mut pointers = 0;
        while let Some(token) = self.peek().filter(|t| t.is("*") || is_qualifier(t.text)) {
            pointers += usize::from(token.is("*"));
            self.at += 1;
        }
        pointers
    }

    /// A name with its dimensions and what it begins with.
    pub(super) fn declarator(&mut self, mut ty: Type) -> Result<Declarator, Mistake> {
        let wrapped = self.next_is("(");
        if wrapped {
            self.at += 1;
            self.accept("&");
            ty.pointers += self.stars();
        }
        let Some(token) = self.peek().filter(|t| t.kind == Lexeme::Word) else {
            return self.unexpected("a name");
        };
        self.at += 1;
        if wrapped {
            self.expect(")", "after the name")?;
        }
        let mut dimensions = Vec::new();
        while self.accept("[") {
            let size = if self.next_is("]") { None } else { Some(self.expression()?) };
            self.expect("]", "after the number of elements")?;
            dimensions.push(size);
        }
        self.skip_annotations();
        let initial = match self.peek() {
            Some(next) if next.is("=") => {
                self.at += 1;
                Some(if self.next_is("{") { self.list()? } else { self.expression()? })
            }
            Some(next) if next.is("{") => Some(self.list()?),
            Some(next) if next.is("(") => {
                self.at += 1;
                let value = self.expression()?;
                self.expect(")", "after the value")?;
                Some(value)
            }
            _ => None,
        };
        Ok(Declarator { name: token.text.to_owned(), span: token.span, ty, dimensions, initial })
    }

    /// Parameters between parentheses.
    pub(super) fn parameters(&mut self) -> Result<Vec<Declarator>, Mistake> {
        let mut found = Vec::new();
        self.expect("(", "before the parameters")?;
        if self.accept(")") {
            return Ok(found);
        }
        loop {
            let ty = self.type_name()?;
            if ty == (Type { base: Base::Nothing, pointers: 0 }) && self.accept(")") {
                return Ok(found);
            }
            found.push(self.declarator(ty)?);
            if !self.accept(",") {
                self.expect(")", "after the parameters")?;
                return Ok(found);
            }
        }
    }
}
