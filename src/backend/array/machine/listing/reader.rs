//! Reads the statements of a program, and of the host's code around it.

use std::collections::BTreeMap;

use super::context::{Typed, number};
use super::declarator::declares;
use super::dialect::{Code, Expression};
use super::evaluate::{evaluate, passed};
use super::scope::{Frame, Given, Scopes};
use super::types::Listing;
use super::value::{Fault, Unknown, Value};
use crate::backend::array::machine::instruction::Instruction;
use crate::backend::array::machine::program::Program;
use crate::syntax::c::{Cursor, Lexeme, Mistake, Token};
use crate::syntax::{Diagnostic, Diagnostics, Span};

/// Where reading goes on after a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Behind it.
    Next,
    /// Behind the loop or the `switch` around it.
    Break,
    /// In the next round of the loop around it.
    Continue,
    /// Behind the call of the function around it, with its value and its type.
    Return(Typed),
}

/// Reads the tokens of one program.
pub(super) struct Reader<'a> {
    pub(super) given: Given<'a>,
    pub(super) code: Code<'a>,
    /// The names in scope.
    pub(super) scopes: Scopes<'a>,
    /// The number of open blocks.
    open: usize,
    /// The number of loop iterations and calls so far.
    pub(super) rounds: usize,
    /// The mask in effect, by its call.
    pub(super) mask: Option<Span>,
    /// Whether this is a program; if not, it is the host's code, of which only some is understood.
    pub(super) inside: bool,
    /// The number of calls that were followed.
    pub(super) inlined: usize,
    /// The names in scope in functions that were called, by index.
    pub(super) walked: BTreeMap<usize, Frame<'a>>,
    /// Whether reading has ended because the program is too long.
    stopped: bool,
    /// The program that is being read, by its first token, and where it begins among the instructions.
    pub(super) recording: Option<(usize, usize)>,
    /// Whether what is being read stands between calls that begin and end a program, or in a lambda that is one.
    pub(super) bracketed: bool,
    /// The instructions of programs that are recorded once, by their first tokens.
    pub(super) recorded: BTreeMap<usize, Vec<Instruction>>,
    /// Functions that are called and not in this source, each with its first call.
    pub(super) unseen: Vec<(String, Span)>,
    /// The bodies of the loops that are being read, outermost first.
    pub(super) loops: Vec<Around>,
    /// Whether the whole of what is read is a program.
    pub(super) strict: bool,
    /// The functions being read, by index, outermost first.
    pub(super) calls: Vec<usize>,
    /// The code that was read.
    pub(super) extents: Vec<Span>,
    pub(super) listing: Listing,
}

/// A loop around what is being read.
#[derive(Clone)]
pub(super) struct Around {
    /// The tokens of its body.
    pub(super) body: std::ops::Range<usize>,
    /// Whether only one round of it is read.
    pub(super) once: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(given: Given<'a>, scopes: Scopes<'a>) -> Self {
        let listing = Listing {
            program: Program::new(given.target),
            spans: Vec::new(),
            masked: Vec::new(),
            load: None,
            notes: Diagnostics::new(),
            observed: Vec::new(),
            blocks: 1,
        };
        Self {
            given,
            code: Cursor::new(given.tokens),
            scopes,
            open: 0,
            rounds: 0,
            mask: None,
            inside: true,
            inlined: 0,
            walked: BTreeMap::new(),
            stopped: false,
            recording: None,
            bracketed: false,
            recorded: BTreeMap::new(),
            unseen: Vec::new(),
            loops: Vec::new(),
            strict: true,
            calls: Vec::new(),
            extents: Vec::new(),
            listing,
        }
    }

    /// Reads the statements among these tokens; in a program, or in the host's code.
    pub(super) fn run(&mut self, range: std::ops::Range<usize>, inside: bool) -> Flow {
        let tokens: &'a [Token<'a>] = &self.given.tokens[..range.end.min(self.given.tokens.len())];
        let outer = (std::mem::replace(&mut self.code.tokens, tokens), self.code.at, self.inside, self.open);
        (self.code.at, self.inside, self.open) = (range.start, inside, 0);
        let mut flow = Flow::Next;
        while flow == Flow::Next && self.code.peek().is_some() {
            match self.statement() {
                Ok(after) => flow = after,
                Err(Mistake) => self.recover(),
            }
        }
        (self.code.tokens, self.code.at, self.inside, self.open) = outer;
        flow
    }

    /// The program that was read, and the errors in it.
    pub(super) fn finish(self) -> (Listing, Diagnostics) {
        (self.listing, self.code.diagnostics)
    }

    /// Ends all reading.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) fn statement(&mut self) -> Result<Flow, Mistake> {
        if self.stopped {
            self.code.at = self.code.tokens.len();
            return Err(Mistake);
        }
        // Nested statements count against the cursor's limit on depth.
        self.code.enter()?;
        let read = self.any_statement();
        self.code.leave();
        read
    }

    fn any_statement(&mut self) -> Result<Flow, Mistake> {
        if self.code.accept(";") {
            return Ok(Flow::Next);
        }
        if self.code.accept("{") {
            return self.block();
        }
        // `({ … })`, a common form of function-like macros.
        if matches!(self.code.rest(), [open, brace, ..] if open.is("(") && brace.is("{")) {
            self.code.at += 2;
            let flow = self.block()?;
            self.code.expect(")", "after the block")?;
            return Ok(flow);
        }
        let Some(token) = self.code.peek() else { return Ok(Flow::Next) };
        match token.text {
            "for" => self.counted(),
            "while" => self.while_loop(),
            "do" => self.do_loop(),
            "if" => self.conditional(),
            "switch" => self.switch(),
            "case" | "default" => {
                self.label();
                Ok(Flow::Next)
            }
            "break" | "continue" | "return" => self.jump(token),
            "enum" => self.enumeration(token),
            "using" | "typedef" | "static_assert" | "struct" | "class" | "delete" | "template"
            | "namespace" => {
                let begin = self.code.at;
                self.skip_one();
                self.scopes.using(&self.given.tokens[begin..self.code.at]);
                self.scopes.named_type(begin..self.code.at - 1);
                self.code.accept(";");
                Ok(Flow::Next)
            }
            "else" => {
                let diagnostic = Diagnostic::error("unexpected", "`else` without `if`");
                self.code.mistake(diagnostic.label(token.span, "no branch stands before it"))
            }
            ")" | "]" | "}" if !self.inside => self.unopened(token),
            "goto" | "try" | "throw" | "asm" if self.inside => {
                let message = format!("`{}` is not followed", token.text);
                self.code.unreadable(token.span, message, "expected instructions, loops and conditions")
            }
            _ if declares(self.code.rest()) => {
                self.declaration();
                Ok(Flow::Next)
            }
            _ => self.expression_statement(token),
        }
    }

    /// `break;`, `continue;`, `return VALUE;`
    fn jump(&mut self, word: Token<'a>) -> Result<Flow, Mistake> {
        self.code.at += 1;
        match word.text {
            "break" | "continue" => {
                self.code.expect(";", "behind it")?;
                Ok(if word.is("break") { Flow::Break } else { Flow::Continue })
            }
            _ if self.code.accept(";") => Ok(Flow::Return((Value::computed("nothing", word.span), None))),
            _ => {
                let begin = self.code.at;
                let unknown = || (Value::computed("a value", word.span), None);
                let value = match self.code.sequence() {
                    Ok(value) => passed(self, &value).unwrap_or_else(|_| unknown()),
                    Err(Mistake) if self.inside => return Err(Mistake),
                    Err(Mistake) => unknown(),
                };
                self.code.at = self.code.at.max(begin);
                self.code.skip_statement();
                Ok(Flow::Return(value))
            }
        }
    }

    /// Reads the statements of a block, in a scope of their own.
    pub(super) fn block(&mut self) -> Result<Flow, Mistake> {
        self.scopes.enter();
        self.open += 1;
        let read = self.until_brace();
        self.open -= 1;
        self.scopes.leave();
        read
    }

    fn until_brace(&mut self) -> Result<Flow, Mistake> {
        while !self.code.accept("}") {
            if self.code.peek().is_none() && self.stopped {
                return Err(Mistake);
            }
            if self.code.peek().is_none() {
                return self.code.unexpected("`}` after the block");
            }
            match self.statement() {
                Ok(Flow::Next) => {}
                Ok(flow) => {
                    while self.code.peek().is_some() && !self.code.next_is("}") {
                        self.skip_one();
                    }
                    self.code.accept("}");
                    return Ok(flow);
                }
                Err(Mistake) => self.recover(),
            }
        }
        Ok(Flow::Next)
    }

    /// Skips a statement with all that belongs to it.
    pub(super) fn skip_one(&mut self) {
        if self.code.enter().is_err() {
            return;
        }
        match self.code.peek().map(|token| token.text) {
            Some("if") => {
                self.code.at += 1;
                self.code.accept("constexpr");
                self.code.skip_group();
                self.skip_one();
                if self.code.accept("else") {
                    self.skip_one();
                }
            }
            Some("for" | "while" | "switch") => {
                self.code.at += 1;
                self.code.skip_group();
                self.skip_one();
            }
            Some("do") => {
                self.code.at += 1;
                self.skip_one();
                self.code.accept("while");
                self.code.skip_group();
                self.code.accept(";");
            }
            _ => self.skip_simple(),
        }
        self.code.leave();
    }

    /// The end of the statement that begins with a token. Reading stays where it is.
    pub(super) fn end_of(&mut self, begin: usize) -> usize {
        let at = std::mem::replace(&mut self.code.at, begin);
        self.skip_one();
        std::mem::replace(&mut self.code.at, at)
    }

    /// Skips a block, or up to and including the next semicolon outside parentheses and braces.
    fn skip_simple(&mut self) {
        let block = self.code.next_is("{");
        let mut open: Vec<&str> = Vec::new();
        while let Some(token) = self.code.peek() {
            match token.text {
                "{" | "(" | "[" if token.kind == Lexeme::Mark => open.push(token.text),
                "}" if open.is_empty() => return,
                // A brace also ends the brackets in it that are not closed.
                "}" => open.truncate(open.iter().rposition(|mark| *mark == "{").unwrap_or(0)),
                ")" | "]" if open.last().is_none_or(|mark| *mark == "{") => {
                    let _reported: Result<(), Mistake> = self.unopened(token);
                }
                ")" | "]" => drop(open.pop()),
                _ => {}
            }
            self.code.at += 1;
            if open.is_empty() && (token.is(";") || block && token.is("}")) {
                return;
            }
        }
    }

    /// Reports a bracket that closes none.
    fn unopened<T>(&mut self, bracket: Token<'a>) -> Result<T, Mistake> {
        let message = format!("`{}` closes no bracket", bracket.text);
        self.code.mistake(Diagnostic::error("unexpected", message).label(bracket.span, "none is open here"))
    }

    /// Skips the rest of an erroneous statement, and an unmatched closing bracket.
    pub(super) fn recover(&mut self) {
        self.code.at += usize::from(self.code.next_is(")") || self.code.next_is("]"));
        self.code.skip_statement();
        self.code.at += usize::from(self.open == 0 && self.code.next_is("}"));
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expression: &Expression) -> Result<Value, Mistake> {
        let value = evaluate(self, expression);
        self.reported(value)
    }

    /// A result, after a report of what is wrong with it.
    pub(super) fn reported<T>(&mut self, found: Result<T, Fault>) -> Result<T, Mistake> {
        match found {
            Ok(found) => Ok(found),
            Err(Fault::Reported) => Err(Mistake),
            Err(Fault::NoValue(span)) => {
                let message = "this expression has no value, or one that does not fit";
                let wrong = Diagnostic::error("number-too-large", message).label(span, "this one");
                self.code.mistake(self.register_in(span).unwrap_or(wrong))
            }
        }
    }

    /// Whether a condition with this value holds; `None` after a report that the value is not known, or no number.
    pub(super) fn truth(&mut self, value: Value, span: Span) -> Option<bool> {
        match (number(self, &value), value) {
            (Some(number), _) => return Some(number != 0),
            (None, Value::Open(unknown)) => self.not_known(&unknown, span),
            (None, Value::Pointer(_) | Value::Function(_)) => return Some(true),
            (None, _) => self.no_number(span),
        }
        None
    }

    /// Reports a value that is no number where one is needed.
    pub(super) fn no_number(&mut self, span: Span) {
        let wrong = Diagnostic::error("unreadable", "this is not a number").label(span, "expected a number");
        let _reported: Result<(), Mistake> = self.code.mistake(self.register_in(span).unwrap_or(wrong));
    }

    /// The error for a register where a number is needed.
    fn register_in(&self, span: Span) -> Option<Diagnostic> {
        let inside = |token: &&Token<'_>| span.start <= token.span.start && token.span.end <= span.end;
        let tokens = self.given.tokens.iter().filter(inside);
        let register =
            tokens.filter(|token| token.kind == Lexeme::Word).find(|token| self.is_register(token.text))?;
        let message = format!(
            "`{}` is a register: it holds a value of its own in every element, and no number for the program",
            register.text
        );
        let masks = &self.given.target.sources.masks;
        let help = masks.first().map(|mask| format!("`{mask}` chooses elements by what registers hold"));
        Some(
            Diagnostic::error("unreadable", message)
                .label(register.span, "a number is needed here")
                .help_if(help),
        )
    }

    /// Reports that a value which decides what the program is, is not known.
    pub(super) fn not_known(&mut self, unknown: &Unknown, span: Span) {
        let message = match unknown.named {
            _ if self.is_of_the_preprocessor(&unknown.name) => format!("`{}` is not read", unknown.name),
            true => format!("the value of `{}` is not known before the program runs", unknown.name),
            false => "this value is not known before the program runs".to_owned(),
        };
        let mut diagnostic = Diagnostic::error("host-value", message).label(span, "used here");
        // The place of what has no declaration is that of its use.
        if unknown.place.end <= span.start || span.end <= unknown.place.start {
            diagnostic = diagnostic.label(unknown.place, "declared here");
        }
        let help = format!("--host {}=VALUE says what it is", unknown.name);
        let help = Some(help).filter(|_| unknown.named && !self.is_of_the_preprocessor(&unknown.name));
        let _reported: Result<(), Mistake> = self.code.mistake(diagnostic.help_if(help));
    }

    /// Whether a name is one that the preprocessor replaces without a definition, such as `__LINE__`.
    fn is_of_the_preprocessor(&self, name: &str) -> bool {
        name.len() > 4 && name.starts_with("__") && name.ends_with("__") && !self.scopes.declares(name)
    }

    /// Adds a warning, once for each place.
    pub(super) fn note(&mut self, note: Diagnostic) {
        let known = self.listing.notes.iter().any(|known| *known == note);
        if !known {
            self.listing.notes.push(note);
        }
    }
}
