//! A cursor over the tokens of a source from which macros are gone.

use std::marker::PhantomData;

use super::lex::{Kind as Lexeme, Token, marks};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// How deep statements and expressions may be nested.
const MAX_DEPTH: usize = 100;

/// A mistake that was reported; reading goes on behind the statement that has it.
pub(crate) struct Mistake;

/// The words that differ between what is read in C's syntax.
pub(crate) trait Dialect {
    /// What a type is made of before pointers and dimensions.
    type Base: Clone + PartialEq;

    /// What the types that are read are, in words, and some of their names.
    const TYPES: [&'static str; 2];

    /// The type that a word names.
    fn named(word: &str) -> Option<Self::Base>;

    /// The type that two words name together, as in `unsigned long`.
    fn joined(first: &Self::Base, second: &Self::Base) -> Option<Self::Base>;

    /// Whether a word, with what stands in parentheses behind it, means nothing here.
    fn is_annotation(word: &str) -> bool;
}

/// Code without types: constant expressions, calls.
pub(crate) struct Untyped;

/// No type at all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Never {}

impl Dialect for Untyped {
    type Base = Never;
    const TYPES: [&'static str; 2] = ["what is read here", "none"];

    fn named(_: &str) -> Option<Never> {
        None
    }

    fn joined(first: &Never, _: &Never) -> Option<Never> {
        match *first {}
    }

    fn is_annotation(_: &str) -> bool {
        false
    }
}

/// Reads tokens in their order, and collects what is wrong with them.
pub(crate) struct Cursor<'a, D> {
    pub(crate) tokens: &'a [Token<'a>],
    /// The next token.
    pub(crate) at: usize,
    /// How deep what is read is nested.
    depth: usize,
    pub(crate) diagnostics: Diagnostics,
    dialect: PhantomData<D>,
}

impl<'a, D> Cursor<'a, D> {
    pub(crate) fn new(tokens: &'a [Token<'a>]) -> Self {
        Self { tokens, at: 0, depth: 0, diagnostics: Diagnostics::new(), dialect: PhantomData }
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'a [Token<'a>] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    /// The next token, where it is a word.
    pub(crate) fn peek_word(&self) -> Option<Token<'a>> {
        self.peek().filter(|token| token.kind == Lexeme::Word)
    }

    pub(crate) fn next_is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    /// Whether marks that touch each other stand here.
    pub(crate) fn marks(&self, text: &str) -> bool {
        marks(self.rest(), text)
    }

    pub(crate) fn accept(&mut self, text: &str) -> bool {
        let found = self.next_is(text);
        self.at += usize::from(found);
        found
    }

    /// Takes marks that touch each other.
    pub(crate) fn accept_marks(&mut self, text: &str) -> bool {
        let found = self.marks(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    pub(crate) fn expect(&mut self, text: &str, place: &str) -> Result<(), Mistake> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}` {place}")) }
    }

    /// The place of the next token, or of the end.
    pub(crate) fn here(&self) -> Span {
        match (self.peek(), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, last) => Span::at(last.map_or(0, |token| token.span.end as usize)),
        }
    }

    /// The place of the last token that was read.
    pub(crate) fn last(&self) -> Option<Span> {
        Some(self.tokens.get(self.at.checked_sub(1)?)?.span)
    }

    /// From a place to the last token that was read.
    pub(crate) fn since(&self, begin: Span) -> Span {
        self.last().filter(|last| last.end >= begin.start).map_or(begin, |last| begin.to(last))
    }

    pub(crate) fn unexpected<T>(&mut self, expected: &str) -> Result<T, Mistake> {
        let shown = self.peek().map_or("the end".to_owned(), |token| format!("`{}`", token.text));
        let diagnostic = Diagnostic::error("unexpected", format!("expected {expected}, found {shown}"));
        let span = self.here();
        self.mistake(diagnostic.label(span, format!("expected {expected}")))
    }

    /// What is read, but not understood.
    pub(crate) fn unreadable<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        label: &str,
    ) -> Result<T, Mistake> {
        self.mistake(Diagnostic::error("unreadable", message).label(span, label))
    }

    /// Reports a mistake: once, where a macro or a loop has it several times.
    pub(crate) fn mistake<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Mistake> {
        let known = self.diagnostics.iter().any(|d| d.id == diagnostic.id && d.labels == diagnostic.labels);
        if !known {
            self.diagnostics.push(diagnostic);
        }
        Err(Mistake)
    }

    /// Reads one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        self.enter()?;
        let found = read(self);
        self.leave();
        found
    }

    /// One level deeper from here on, up to [`Cursor::leave`]; a source that goes too deep is read no further.
    pub(crate) fn enter(&mut self) -> Result<(), Mistake> {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            return Ok(());
        }
        let span = self.here();
        self.at = self.tokens.len();
        let deep = Diagnostic::error("too-deep", "this is nested too deep");
        self.mistake(deep.label(span, "no deeper than this"))
    }

    /// The level that [`Cursor::enter`] began ends.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Goes past what stands in the parentheses that open here, if any do.
    pub(crate) fn skip_group(&mut self) {
        if !self.next_is("(") {
            return;
        }
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

    /// Goes past the rest of a statement: behind its semicolon or its block, or before the brace that ends what it stands in.
    pub(crate) fn skip_statement(&mut self) {
        let mut open = 0usize;
        while let Some(token) = self.peek() {
            match token.text {
                "{" | "(" => open += 1,
                "}" if open == 0 => return,
                "}" | ")" => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if open == 0 && (token.is(";") || token.is("}")) {
                return;
            }
        }
    }
}
