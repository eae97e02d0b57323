//! The host's code around programs: what it does to registers, and which of it can be passed over.

use std::collections::BTreeSet;
use std::ops::Range;

use super::declarator::{Declared, declared, declares};
use super::dialect::Expression;
use super::memory::Variable;
use super::reader::Reader;
use super::survey::declared_names;
use super::value::Value;
use crate::backend::array::machine::host_forms::HostEffect;
use crate::backend::array::machine::instruction::Operand;
use crate::syntax::c::{Kind, Lexeme, Mistake, Token};
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
            Ok(read) if matches!(read.kind, Kind::Binary(..) | Kind::Literal(_) | Kind::Unary(..)) => {
                self.forget(begin..end);
            }
            Ok(read) => {
                self.quietly(idle, |reader| reader.execute_expression(&read));
                if !idle {
                    self.note_lambda(&read);
                }
            }
            Err(Mistake) => self.forget(begin..end),
        }
    }

    /// Notes a lambda that a call is given, in a statement that may change registers.
    fn note_lambda(&mut self, statement: &Expression) {
        let Kind::Call(name, arguments) = &statement.kind else { return };
        let is_lambda = |argument: &&Expression| matches!(argument.kind, Kind::Lambda(_));
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
    pub(super) fn touches(&self, range: Range<usize>) -> bool {
        self.with_called(range).into_iter().any(|range| self.touches_itself(range))
    }

    /// Whether code may change a register, not counting the functions of the source that it calls.
    fn touches_itself(&self, range: Range<usize>) -> bool {
        let tokens = self.given.tokens;
        let sources = &self.given.target.sources;
        let calls = range
            .filter(|at| tokens[*at].kind == Lexeme::Word && tokens.get(at + 1).is_some_and(|t| t.is("(")));
        calls.into_iter().any(|at| {
            let usual = sources.host.usual(tokens[at].text);
            let own = self.given.outline.functions.iter().any(|function| function.name == usual);
            let changes = match sources.host.effect(&usual) {
                _ if own => false,
                Some(HostEffect::Nothing) => false,
                Some(_) => true,
                None => self.takes_register(&tokens[at + 1..]),
            };
            let [begins, _] = self.brackets(&usual);
            changes || begins || self.given.target.has_instruction(&usual)
        })
    }

    /// Some code, and the bodies of the functions that it calls or hands on.
    fn with_called(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let functions = &self.given.outline.functions;
        let mut seen = vec![false; functions.len()];
        let (mut found, mut next) = (vec![self.within(range)], 0);
        while let Some(range) = found.get(next).cloned() {
            next += 1;
            for at in range {
                for index in self.functions_at(at) {
                    if !std::mem::replace(&mut seen[index], true) && !self.calls.contains(&index) {
                        found.push(self.within(functions[index].body.clone()));
                    }
                }
            }
        }
        found
    }

    /// The tokens of a range that the source has.
    fn within(&self, range: Range<usize>) -> Range<usize> {
        let end = range.end.min(self.given.tokens.len());
        range.start.min(end)..end
    }

    /// The functions that a token calls, or that it hands on by their name.
    fn functions_at(&self, at: usize) -> Vec<usize> {
        let tokens = self.given.tokens;
        let any = |at: Option<usize>, marks: &[&str]| {
            at.and_then(|at| tokens.get(at)).is_some_and(|token| marks.iter().any(|mark| token.is(mark)))
        };
        let called = any(Some(at + 1), &["("]);
        let handed = any(at.checked_sub(1), &["(", ",", "&", "="]) && any(Some(at + 1), &[")", ",", ";"]);
        if tokens[at].kind != Lexeme::Word || !called && !handed {
            return Vec::new();
        }
        let usual = self.given.target.sources.host.usual(tokens[at].text);
        let functions = self.given.outline.functions.iter().enumerate();
        let mut found: Vec<usize> =
            functions.filter(|(_, function)| function.name == usual).map(|(index, _)| index).collect();
        if let Some(Value::Function(closure)) = self.scopes.known(tokens[at].text) {
            found.push(self.scopes.closures[closure].function);
        }
        found
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
        match self.scopes.known(word) {
            Some(Value::Operand(name)) => self.is_machine_register(&name),
            Some(Value::Open(unknown)) => unknown.kind.is_some(),
            Some(_) => false,
            None => self.is_machine_register(word),
        }
    }

    fn is_machine_register(&self, name: &str) -> bool {
        matches!(self.given.target.operand(name), Some(Operand::Register(_) | Operand::Bit(_)))
    }

    /// Whether a call begins a program, and whether it ends one.
    pub(super) fn brackets(&self, usual: &str) -> [bool; 2] {
        let target = self.given.target;
        let pairs = std::iter::once(&target.brackets).chain(&target.sources.brackets);
        [0, 1].map(|side| pairs.clone().any(|pair| pair[side] == usual))
    }

    /// Forgets the values of the variables that this code may change, by itself or by the functions that it calls.
    pub(super) fn forget(&mut self, range: Range<usize>) {
        let (survey, outline) = (self.given.survey, self.given.outline);
        for (at, range) in self.with_called(range.clone()).into_iter().enumerate() {
            let tokens: &'a [Token<'a>] = &self.given.tokens[range];
            let own = if at == 0 { BTreeSet::new() } else { declared_names(tokens) };
            for name in survey.changes(tokens, outline).difference(&own) {
                self.scopes.lose(name);
            }
        }
        let range = self.within(range);
        if declares(&self.given.tokens[range.clone()]) {
            for Declared { name, .. } in declared(self.given.tokens, range) {
                let value = Value::variable(name.text, name.span);
                self.scopes.declare_as(name.text, Variable::new(name.text, name.span, value), false);
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
