//! The host's code around programs: what it does to registers, and which of it can be passed over.

use std::ops::Range;

use super::declarator::{declared, declares};
use super::dialect::Expression;
use super::reader::Reader;
use super::value::{Value, is_operand};
use crate::backend::array::machine::host_forms::HostEffect;
use crate::backend::array::machine::instruction::Operand;
use crate::syntax::c::{Kind, LAMBDA, Lexeme, Mistake, Token};
use crate::syntax::{Diagnostic, Diagnostics};

impl<'a> Reader<'a> {
    /// Reads an expression without reports, if it does not matter.
    pub(super) fn parsed_quietly(
        &mut self,
        range: Range<usize>,
        quietly: bool,
    ) -> Result<Expression, Mistake> {
        self.quietly(quietly, |reader| reader.parsed(range))
    }

    /// The value of an expression, without reports if it does not matter.
    pub(super) fn value_quietly(&mut self, of: &Expression, quietly: bool) -> Result<Value, Mistake> {
        self.quietly(quietly, |reader| reader.value(of))
    }

    /// Reads something; with `quietly`, without reports.
    pub(super) fn quietly<T>(&mut self, quietly: bool, read: impl FnOnce(&mut Self) -> T) -> T {
        let before: Option<Diagnostics> = quietly.then(|| self.code.diagnostics.clone());
        let found = read(self);
        if let Some(before) = before {
            self.code.diagnostics = before;
        }
        found
    }

    /// Reads a statement of the host that is an expression.
    pub(super) fn host_statement(&mut self) {
        let begin = self.code.at;
        let idle = self.changes_nothing(begin);
        self.skip_one();
        let mut end = self.code.at;
        while end > begin && self.given.tokens[end - 1].is(";") {
            end -= 1;
        }
        match self.parsed_quietly(begin..end, idle) {
            Ok(read) => {
                self.quietly(idle, |reader| reader.execute_expression(&read));
                if !idle {
                    self.note_lambda(&read);
                }
            }
            Err(Mistake) => self.forget(begin..end),
        }
        if idle {
            self.forget_addressed(begin..end);
        }
    }

    /// Notes a lambda that a call is given, in a statement that may change registers.
    fn note_lambda(&mut self, statement: &Expression) {
        let Kind::Call(name, arguments) = &statement.kind else { return };
        let is_lambda =
            |argument: &&Expression| matches!(&argument.kind, Kind::Literal(text) if text == LAMBDA);
        if let Some(lambda) = arguments.iter().find(is_lambda) {
            let message =
                format!("when `{name}` calls this lambda is not known: it is read as if it did not");
            self.note(Diagnostic::warning("lambda", message).label(lambda.span, "not followed"));
        }
    }

    /// Whether a statement of the host changes no register. In a program every statement counts.
    pub(super) fn changes_nothing(&mut self, begin: usize) -> bool {
        !self.inside && self.changes_nothing_behind(begin, begin)
    }

    /// The same for what stands behind its head, which ends at the token `head`.
    pub(super) fn changes_nothing_behind(&mut self, begin: usize, head: usize) -> bool {
        let end = self.end_of(begin);
        !self.inside && !self.touches(head..end)
    }

    /// Passes over a statement that is not followed: the variables that it changes are no longer known.
    pub(super) fn pass_over(&mut self, begin: usize) {
        self.code.at = begin;
        self.skip_one();
        let end = self.code.at;
        self.forget(begin..end);
        self.note_jump(begin..end);
    }

    /// Notes that a statement which is passed over may leave the function, or a loop, before something that changes registers.
    fn note_jump(&mut self, range: Range<usize>) {
        let tokens = self.given.tokens;
        let rest = range.end..self.code.tokens.len();
        let around = self.loops.last().cloned().filter(|around| around.body.contains(&range.start));
        let skipped = |word: &Token<'a>| match (word.text, &around) {
            ("return", _) => Some(rest.clone()),
            ("break", Some(around)) if !around.once => Some(around.body.clone()),
            ("break" | "continue", Some(around)) => Some(range.end..around.body.end),
            _ => None,
        };
        let jumps = self.jumps(range.clone());
        let found =
            jumps.into_iter().find(|at| skipped(&tokens[*at]).is_some_and(|range| self.touches(range)));
        if let Some(at) = found {
            let word = tokens[at].text;
            let message =
                format!("whether this `{word}` is reached is not known: the program is read as if it is not");
            let note = Diagnostic::warning("host-jump", message).label(tokens[at].span, "not followed");
            self.note(note.help("--host NAME=VALUE says what the host's variables are"));
        }
    }

    /// The `return`s of a statement, and its `break`s and `continue`s that concern a loop around it.
    fn jumps(&mut self, range: Range<usize>) -> Vec<usize> {
        let tokens = self.given.tokens;
        let loops = |word: &str| matches!(word, "for" | "while" | "do" | "switch");
        let (mut found, mut inner) = (Vec::new(), range.start);
        for at in range {
            if at >= inner && loops(tokens[at].text) {
                inner = self.end_of(at);
            }
            let leaves = match tokens[at].text {
                "return" => true,
                "break" | "continue" => at >= inner,
                _ => false,
            };
            if leaves {
                found.push(at);
            }
        }
        found
    }

    /// Whether code may change a register, by itself or by the functions that it calls.
    fn touches(&self, range: Range<usize>) -> bool {
        let functions = &self.given.outline.functions;
        let mut seen = vec![false; functions.len()];
        let mut ranges = vec![range];
        while let Some(range) = ranges.pop() {
            let tokens = &self.given.tokens[..range.end.min(self.given.tokens.len())];
            for at in range.start..tokens.len() {
                let called = tokens[at].kind == Lexeme::Word && tokens.get(at + 1).is_some_and(|t| t.is("("));
                if !called {
                    continue;
                }
                let usual = self.given.target.sources.host.usual(tokens[at].text);
                if self.begins_program(&usual) || self.given.target.has_instruction(&usual) {
                    return true;
                }
                let mut own = false;
                for (index, function) in functions.iter().enumerate().filter(|(_, f)| f.name == usual) {
                    own = true;
                    if !std::mem::replace(&mut seen[index], true) && !self.calls.contains(&index) {
                        ranges.push(function.body.clone());
                    }
                }
                match self.given.target.sources.host.effect(&usual) {
                    _ if own => {}
                    Some(HostEffect::Nothing) => {}
                    Some(_) => return true,
                    None if self.takes_register(&tokens[at + 1..]) => return true,
                    None => {}
                }
            }
        }
        false
    }

    /// Whether a call, from its parenthesis on, is given a register.
    fn takes_register(&self, tokens: &[Token<'a>]) -> bool {
        let mut depth = 0usize;
        for token in tokens {
            match token.text {
                "(" => depth += 1,
                ")" if depth <= 1 => return false,
                ")" => depth -= 1,
                word if token.kind == Lexeme::Word && self.is_register(word) => return true,
                _ => {}
            }
        }
        false
    }

    /// Whether a name means a register here.
    pub(super) fn is_register(&self, word: &str) -> bool {
        match self.scopes.meaning(word).map(|meaning| &meaning.value) {
            Some(Value::Operand(name)) => self.is_machine_register(name),
            Some(Value::Open(unknown)) => unknown.kind.is_some(),
            Some(_) => false,
            None => self.is_machine_register(word),
        }
    }

    fn is_machine_register(&self, name: &str) -> bool {
        matches!(self.given.target.operand(name), Some(Operand::Register(_) | Operand::Bit(_)))
    }

    /// Whether a call begins a program.
    pub(super) fn begins_program(&self, usual: &str) -> bool {
        let target = self.given.target;
        let mut pairs = std::iter::once(&target.brackets).chain(&target.sources.brackets);
        pairs.any(|pair| pair[0] == usual)
    }

    /// Whether a call ends a program.
    pub(super) fn ends_program(&self, usual: &str) -> bool {
        let target = self.given.target;
        let mut pairs = std::iter::once(&target.brackets).chain(&target.sources.brackets);
        pairs.any(|pair| pair[1] == usual)
    }

    /// Forgets the values of the variables that this code may change.
    pub(super) fn forget(&mut self, range: Range<usize>) {
        let tokens: &'a [Token<'a>] = &self.given.tokens[range.start..range.end.min(self.given.tokens.len())];
        for name in super::scope::changed(tokens) {
            if !is_operand(self.given.target, name) || self.scopes.meaning(name).is_some() {
                let place = tokens.iter().find(|token| token.text == name).map(|token| token.span);
                self.scopes.change(name, Value::variable(name, place.unwrap_or_default()));
            }
        }
        if declares(tokens) {
            for variable in declared(tokens) {
                self.scopes.bind(variable.name.text, Value::variable(variable.name.text, variable.name.span));
            }
        }
    }

    /// Forgets the variables whose addresses are handed on.
    fn forget_addressed(&mut self, range: Range<usize>) {
        let tokens: &'a [Token<'a>] = &self.given.tokens[range];
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Lexeme::Word) {
            let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
            let addressed =
                before(1).is_some_and(|t| t.is("&")) && before(2).is_some_and(|t| t.is("(") || t.is(","));
            if addressed {
                self.scopes.change(token.text, Value::variable(token.text, token.span));
            }
        }
    }

    /// The expression that a call is given at a place, without a `&` before it.
    pub(super) fn argument<'e>(&self, arguments: &'e [Expression], at: usize) -> Option<&'e Expression> {
        let argument = arguments.get(at)?;
        match &argument.kind {
            Kind::Unary(_, inner) if matches!(inner.kind, Kind::Name(_)) => Some(inner),
            _ => Some(argument),
        }
    }
}
