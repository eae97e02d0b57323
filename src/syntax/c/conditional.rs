//! Preprocessor conditions: they decide which lines of a source are compiled.

use super::constant::constant;
use super::cursor::{Cursor, Untyped};
use super::lex::{Gap, Kind, Token};
use super::macros::Macros;
use crate::syntax::{Diagnostic, Span};

/// The lines from an `#if` to its `#endif`.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) extent: Span,
    /// The names that lines of this group define.
    pub(super) defines: Vec<&'a str>,
    /// Diagnostics to report if it matters which of these lines are active.
    pub(super) remarks: Vec<Diagnostic>,
}

/// A condition whose `#endif` has not been read yet.
#[derive(Debug)]
pub(super) struct Open<'a> {
    begin: Span,
    /// Whether the enclosing lines are active.
    outer: bool,
    /// Whether the lines of the current branch are active.
    pub(super) reads: bool,
    /// The directive that begins the active branch.
    taken: Option<(Span, String)>,
    closing: bool,
    /// A name that a condition depends on but the source does not define, and the place of that condition.
    undefined: Option<(&'a str, Span)>,
    defines: Vec<&'a str>,
    remarks: Vec<Diagnostic>,
}

impl<'a> Open<'a> {
    pub(super) fn new(begin: Span, outer: bool) -> Self {
        Self {
            begin,
            outer,
            reads: false,
            taken: None,
            closing: false,
            undefined: None,
            defines: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// The place where the condition begins.
    pub(super) fn begin(&self) -> Span {
        self.begin
    }

    /// Records that one of its lines defines a name.
    pub(super) fn defines(&mut self, name: &'a str) {
        self.defines.push(name);
    }

    /// Records the names that a nested group defines.
    pub(super) fn defines_all(&mut self, group: &Group<'a>) {
        self.defines.extend(&group.defines);
    }

    /// Whether the condition of a further branch still has to be evaluated.
    pub(super) fn asks(&self) -> bool {
        self.outer && self.taken.is_none()
    }

    /// Begins a branch.
    ///
    /// # Errors
    /// The branch comes after `#else`.
    pub(super) fn branch(&mut self, line: &Line<'_, 'a>, holds: bool) -> Result<(), Diagnostic> {
        if self.closing {
            let message = format!("`#{}` after `#else`", line.name);
            let diagnostic = Diagnostic::error("unpaired-condition", message);
            return Err(diagnostic.label(line.span, "not expected here").label(self.begin, "it begins here"));
        }
        self.closing = line.name == "else";
        self.reads = self.asks() && holds;
        if self.reads {
            self.taken = Some((line.span, line.text()));
        }
        Ok(())
    }

    /// Evaluates the condition of a line. In an include guard (`guard`), an undefined name is not recorded.
    pub(super) fn holds(
        &mut self,
        line: &Line<'_, 'a>,
        macros: &mut Macros<'a>,
        given: &[(String, i64)],
        guard: bool,
    ) -> bool {
        let mut condition = Condition { macros, given, undefined: None };
        let holds = match line.name {
            "if" | "elif" => condition.expression(line),
            _ => condition.defined(line).map(|defined| defined != line.name.ends_with("ndef")),
        };
        if let Some(name) = condition.undefined.filter(|_| !guard) {
            self.undefined.get_or_insert((name, line.span));
        }
        holds.unwrap_or_else(|mistake| {
            self.remarks.push(mistake);
            false
        })
    }

    /// Closes the condition at its `#endif`.
    pub(super) fn close(mut self, end: Span) -> Group<'a> {
        if let Some((name, place)) = self.undefined {
            let what = match &self.taken {
                Some((_, line)) => format!("the code after `{line}` is read"),
                None => "nothing up to `#endif` is read".to_owned(),
            };
            let message = format!("the source does not define `{name}`: {what}");
            let mut remark = Diagnostic::warning("undefined-condition", message).label(place, "decided here");
            if let Some((line, _)) = self.taken.filter(|(line, _)| *line != place) {
                remark = remark.label(line, "read from here");
            }
            self.remarks.push(remark);
        }
        Group { extent: self.begin.to(end), defines: self.defines, remarks: self.remarks }
    }
}

/// A preprocessor directive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t, 'a> {
    /// The word after `#`; empty if there is none.
    pub(super) name: &'a str,
    pub(super) span: Span,
    /// The tokens after the name.
    pub(super) rest: &'t [Token<'a>],
}

impl Line<'_, '_> {
    /// The directive as written, without comments.
    fn text(&self) -> String {
        let mut text = format!("#{}", self.name);
        for (index, token) in self.rest.iter().enumerate() {
            if index == 0 || token.gap != Gap::None {
                text.push(' ');
            }
            text.push_str(token.text);
        }
        text
    }
}

/// The state of evaluating one condition.
struct Condition<'m, 'a> {
    macros: &'m mut Macros<'a>,
    /// Values of names that are defined outside the source.
    given: &'m [(String, i64)],
    /// The first name that is not defined.
    undefined: Option<&'a str>,
}

impl<'a> Condition<'_, 'a> {
    fn given(&self, name: &str) -> Option<i64> {
        self.given.iter().find(|(given, _)| given == name).map(|(_, value)| *value)
    }

    /// The value of a name that is not a macro, if it has one.
    fn named(&self, name: &str) -> Option<i64> {
        match name {
            "true" => Some(1),
            "false" => Some(0),
            _ => self.given(name),
        }
    }

    /// Whether a name counts as defined.
    fn is_defined(&mut self, name: &'a str) -> bool {
        let known = self.macros.known(name).or(self.given(name).map(|_| true));
        if known.is_none() {
            self.undefined.get_or_insert(name);
        }
        known == Some(true)
    }

    /// `#ifdef NAME`.
    fn defined(&mut self, line: &Line<'_, 'a>) -> Result<bool, Diagnostic> {
        match line.rest {
            [name, ..] if name.kind == Kind::Word => Ok(self.is_defined(name.text)),
            _ => Err(bad(line, "expected a name")),
        }
    }

    /// `#if EXPRESSION`. Names that are not macros are 0.
    fn expression(&mut self, line: &Line<'_, 'a>) -> Result<bool, Diagnostic> {
        let mut tokens: Vec<Token<'a>> = Vec::new();
        let mut rest = line.rest;
        while let [first, behind @ ..] = rest {
            let (name, after) = match behind {
                [name, after @ ..] if name.kind == Kind::Word => (Some(name), after),
                [open, name, close, after @ ..] if open.is("(") && close.is(")") => (Some(name), after),
                _ => (None, behind),
            };
            match name.filter(|_| first.is("defined")) {
                Some(name) => {
                    let value = if self.is_defined(name.text) { "1" } else { "0" };
                    tokens.push(Token::made(Kind::Number, value, first.span));
                    rest = after;
                }
                None => {
                    tokens.push(*first);
                    rest = behind;
                }
            }
        }
        let expanded = self.macros.expand(&tokens);
        if let Some(mistake) = expanded.mistakes.into_iter().next() {
            return Err(mistake);
        }
        for name in expanded.tokens.iter().filter(|token| token.kind == Kind::Word) {
            if self.named(name.text).is_none() {
                self.undefined.get_or_insert(name.text);
            }
        }
        let value_of = |name: &str| Some(self.named(name).unwrap_or(0));
        let mut cursor: Cursor<'_, Untyped> = Cursor::new(&expanded.tokens);
        let read = cursor.expression();
        if let Some(mistake) = cursor.diagnostics.iter().next() {
            return Err(bad(line, &mistake.message));
        }
        match read.ok().filter(|_| cursor.peek().is_none()) {
            None => Err(bad(line, "expected the end of the condition")),
            Some(condition) => match constant(&condition, &value_of) {
                Ok(value) => Ok(value != 0),
                Err(_) => Err(bad(line, "expected a condition with a value")),
            },
        }
    }
}

fn bad(line: &Line<'_, '_>, why: &str) -> Diagnostic {
    let message = format!("`{}` cannot be evaluated: {why}", line.text());
    Diagnostic::error("bad-condition", message).label(line.span, "this condition")
}
