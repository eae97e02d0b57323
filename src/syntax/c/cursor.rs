//! A cursor over the preprocessed tokens of a source.

use std::marker::PhantomData;

use super::brackets::closing;
use super::lex::{Kind as Lexeme, Token, marks};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// The maximum nesting depth of statements and expressions.
const MAX_DEPTH: usize = 100;

/// Marks a mistake that has been reported. Reading continues after the statement that contains it.
pub(crate) struct Mistake;

/// The differences between languages that use C's syntax.
pub(crate) trait Dialect {
    /// A type without pointers and dimensions.
    type Base: Clone + PartialEq;

    /// The types of this dialect in words, and some of their names.
    const TYPES: [&'static str; 2];

    /// Returns the type that a word names.
    fn named(word: &str) -> Option<Self::Base>;

    /// Returns the type that two words name together, as in `unsigned long`.
    fn joined(first: &Self::Base, second: &Self::Base) -> Option<Self::Base>;

    /// Returns the type, by its name, that a literal with this text is converted to: `5u` is read as `(unsigned)5`. `None` where types of
    /// literals have no meaning.
    fn literal(_name: &str, _text: &str) -> Option<Self::Base> {
        None
    }

    /// Whether members of objects and template arguments are read: `s.f(x)` is then a call of `s.f`, and `f<2>(x)` a call of
    /// `f<>` whose first argument is the list `{2}`.
    const MEMBERS: bool = false;

    /// Whether a word and the parentheses after it have no meaning here.
    fn is_annotation(word: &str) -> bool;
}

/// The dialect without types: constant expressions and calls.
pub(crate) struct Untyped;

/// The base type of [`Untyped`]: that of literals without a sign.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unsigned;

impl Dialect for Untyped {
    type Base = Unsigned;
    const TYPES: [&'static str; 2] = ["what is read here", "none"];

    fn named(_: &str) -> Option<Unsigned> {
        None
    }

    fn joined(_: &Unsigned, _: &Unsigned) -> Option<Unsigned> {
        None
    }

    fn literal(_: &str, text: &str) -> Option<Unsigned> {
        text.contains(['u', 'U']).then_some(Unsigned)
    }

    fn is_annotation(_: &str) -> bool {
        false
    }
}

/// Reads tokens in order and collects diagnostics.
pub(crate) struct Cursor<'a, D> {
    pub(crate) tokens: &'a [Token<'a>],
    /// The index of the next token.
    pub(crate) at: usize,
    /// The current nesting depth.
    depth: usize,
    pub(crate) diagnostics: Diagnostics,
    dialect: PhantomData<D>,
}

impl<'a, D> Cursor<'a, D> {
    pub(crate) fn new(tokens: &'a [Token<'a>]) -> Self {
        Self { tokens, at: 0, depth: 0, diagnostics: Diagnostics::new(), dialect: PhantomData }
    }

    /// The tokens that are left.
    pub(crate) fn rest(&self) -> &'a [Token<'a>] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    /// The next token if it is a word.
    pub(crate) fn peek_word(&self) -> Option<Token<'a>> {
        self.peek().filter(|token| token.kind == Lexeme::Word)
    }

    pub(crate) fn next_is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    /// Whether the next tokens are these punctuation marks with no space between them.
    pub(crate) fn marks(&self, text: &str) -> bool {
        marks(self.rest(), text)
    }

    pub(crate) fn accept(&mut self, text: &str) -> bool {
        let found = self.next_is(text);
        self.at += usize::from(found);
        found
    }

    /// Consumes these punctuation marks if they come next with no space between them.
    pub(crate) fn accept_marks(&mut self, text: &str) -> bool {
        let found = self.marks(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    pub(crate) fn expect(&mut self, text: &str, place: &str) -> Result<(), Mistake> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}` {place}")) }
    }

    /// The place of the next token, or of the end of the source.
    pub(crate) fn here(&self) -> Span {
        match (self.peek(), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, last) => Span::at(last.map_or(0, |token| token.span.end as usize)),
        }
    }

    /// The place of the token that was read last.
    pub(crate) fn last(&self) -> Option<Span> {
        Some(self.tokens.get(self.at.checked_sub(1)?)?.span)
    }

    /// The span from `begin` to the token that was read last.
    pub(crate) fn since(&self, begin: Span) -> Span {
        self.last().filter(|last| last.end >= begin.start).map_or(begin, |last| begin.to(last))
    }

    pub(crate) fn unexpected<T>(&mut self, expected: &str) -> Result<T, Mistake> {
        let shown = self.peek().map_or("the end".to_owned(), |token| format!("`{}`", token.text));
        let diagnostic = Diagnostic::error("unexpected", format!("expected {expected}, found {shown}"));
        let span = self.here();
        self.mistake(diagnostic.label(span, format!("expected {expected}")))
    }

    /// Reports something that is valid syntax here but is not supported.
    pub(crate) fn unreadable<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        label: &str,
    ) -> Result<T, Mistake> {
        self.mistake(Diagnostic::error("unreadable", message).label(span, label))
    }

    /// Reports a mistake. A mistake that a macro or a loop repeats is reported once.
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

    /// Goes one level deeper until [`Cursor::leave`]. Reading stops if the source is nested too deeply.
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

    /// Ends the level that [`Cursor::enter`] began.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Skips a group in parentheses if one begins here.
    pub(crate) fn skip_group(&mut self) {
        self.skip_between("(");
    }

    /// Skips a group in these brackets if one begins here.
    pub(crate) fn skip_between(&mut self, opens: &str) {
        if self.next_is(opens) {
            self.at = closing(self.tokens, self.at).map_or(self.tokens.len(), |close| close + 1);
        }
    }

    /// Skips the rest of a statement: up to and including its semicolon or block, or up to the brace that closes the
    /// enclosing block.
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
