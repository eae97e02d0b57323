//! Follows loops whose conditions are known: every round is read in its turn.

use std::ops::Range;

use super::context::number;
use super::declarator::declares;
use super::dialect::Expression;
use super::evaluate::place_of;
use super::reader::{Around, Flow, Reader};
use super::types::MAX_INSTRUCTIONS;
use super::value::{Unknown, Value};
use crate::syntax::c::{Kind, Mistake, Token, split};
use crate::syntax::{Diagnostic, Span};

/// A loop.
struct Loop {
    /// The word that begins it.
    keyword: Span,
    /// The condition for another round; none for `for (;;)`.
    test: Option<Expression>,
    /// The declaration that is the condition, as in `while (int n = next())`: it is carried out in every round.
    declared: Option<Range<usize>>,
    step: Option<Expression>,
    /// The first token of the body.
    body: usize,
    /// Whether the body comes before the condition.
    late: bool,
}

/// Whether a loop goes on.
enum Holds {
    Yes,
    No,
    /// The condition never changes: the loop ends by other means, if at all.
    Always,
    /// It depends on a value that is not known.
    Open(Unknown, Span),
}

impl<'a> Reader<'a> {
    /// `for (FIRST; TEST; STEP) statement`, `for (TYPE NAME : VALUES) statement`
    pub(super) fn counted(&mut self) -> Result<Flow, Mistake> {
        let keyword = self.code.here();
        self.code.at += 1;
        let header = self.group("after `for`")?;
        let body = self.code.at;
        self.scopes.enter();
        let read = self.header(header, keyword);
        self.scopes.leave();
        match read {
            Ok(flow) => Ok(flow),
            Err(Mistake) => {
                self.code.at = body;
                self.skip_one();
                Ok(Flow::Next)
            }
        }
    }

    fn header(&mut self, header: Range<usize>, keyword: Span) -> Result<Flow, Mistake> {
        let body = self.code.at;
        let parts = split(self.given.tokens, header, ";");
        match &parts[..] {
            [all] => match self.colon(all.clone()) {
                Some(colon) => self.each(all.start..colon, colon + 1..all.end),
                None => {
                    let diagnostic = Diagnostic::error("unexpected", "expected `;` in the head of the loop");
                    self.code.mistake(diagnostic.label(keyword, "in this loop"))
                }
            },
            [first, test, step] => {
                let tokens = &self.given.tokens[first.clone()];
                if declares(tokens) {
                    self.declare(first.clone());
                    self.follow(first.clone());
                } else if !tokens.is_empty() {
                    let first = self.parsed(first.clone())?;
                    self.execute_expression(&first);
                }
                let mut optional = |range: &Range<usize>| match range.is_empty() {
                    true => Ok(None),
                    false => self.parsed(range.clone()).map(Some),
                };
                let (test, step) = (optional(test)?, optional(step)?);
                self.repeat(&Loop { keyword, test, declared: None, step, body, late: false })
            }
            _ => {
                let diagnostic = Diagnostic::error("unexpected", "expected two `;` in the head of the loop");
                self.code.mistake(diagnostic.label(keyword, "in this loop"))
            }
        }
    }

    /// `for (TYPE NAME : VALUES) statement`
    fn each(&mut self, variable: Range<usize>, values: Range<usize>) -> Result<Flow, Mistake> {
        let body = self.code.at;
        let Some(mut variable) = self.scopes.declared(variable.clone()).pop() else {
            let span = self.given.tokens.get(variable.start).map_or(self.code.here(), |token| token.span);
            let diagnostic = Diagnostic::error("unexpected", "expected a loop variable");
            return self.code.mistake(diagnostic.label(span, "in this loop"));
        };
        let values = self.parsed(values)?;
        let all = match self.value(&values)? {
            Value::List(all) => all,
            Value::Open(_) if self.changes_nothing(body) => {
                self.pass_over(body);
                return Ok(Flow::Next);
            }
            Value::Open(unknown) => {
                self.not_known(&unknown, values.span);
                return Err(Mistake);
            }
            _ => {
                let diagnostic = Diagnostic::error("unreadable", "this is not a list of values");
                return self.code.mistake(diagnostic.label(values.span, "expected several values"));
            }
        };
        let list = place_of(self, &values).ok().flatten();
        if variable.base.is_none() && self.given.tokens[variable.ty.clone()].iter().any(|t| t.is("auto")) {
            variable.base = list.as_ref().and_then(|list| self.scopes.memory.variable(list).base);
        }
        let mut flow = Flow::Next;
        self.code.at = body;
        if all.is_empty() {
            self.skip_one();
        }
        for (at, value) in all.into_iter().enumerate() {
            let name = variable.name;
            let place = list.as_ref().map(|list| list.element(i64::try_from(at).ok()));
            let place = match place {
                Some(place) if variable.reference => place,
                place => {
                    let value = place.map_or(value, |place| self.scopes.memory.read(&place));
                    self.scopes.memory.add(variable.variable(value))
                }
            };
            self.scopes.bind(name.text, place, true);
            flow = self.round(body, name.span, false)?;
            if !matches!(flow, Flow::Next | Flow::Continue) || !self.code.diagnostics.is_empty() {
                break;
            }
        }
        Ok(if let Flow::Return(_) = flow { flow } else { Flow::Next })
    }

    /// `while (TEST) statement`
    pub(super) fn while_loop(&mut self) -> Result<Flow, Mistake> {
        let keyword = self.code.here();
        self.code.at += 1;
        let test = self.group("after `while`")?;
        let body = self.code.at;
        let declared = Some(test.clone()).filter(|test| declares(&self.given.tokens[test.clone()]));
        self.scopes.enter();
        let read = match self.condition(test, false) {
            Ok(test) => {
                self.repeat(&Loop { keyword, test: Some(test), declared, step: None, body, late: false })
            }
            Err(Mistake) => {
                self.skip_one();
                Ok(Flow::Next)
            }
        };
        self.scopes.leave();
        read
    }

    /// `do statement while (TEST);`
    pub(super) fn do_loop(&mut self) -> Result<Flow, Mistake> {
        let keyword = self.code.here();
        self.code.at += 1;
        let body = self.code.at;
        self.skip_one();
        self.code.expect("while", "after the body of the loop")?;
        let test = self.group("after `while`")?;
        self.code.accept(";");
        let end = self.code.at;
        let test = self.parsed(test)?;
        let this = Loop { keyword, test: Some(test), declared: None, step: None, body, late: true };
        let flow = self.repeat(&this)?;
        self.code.at = end.max(self.code.at);
        Ok(flow)
    }

    /// Reads the body of a loop once for each round.
    fn repeat(&mut self, this: &Loop) -> Result<Flow, Mistake> {
        let (mut read, mut unknown) = (0usize, None);
        let mut flow = Flow::Next;
        loop {
            if let Some(declared) = this.declared.clone().filter(|_| read > 0) {
                self.declare(declared);
            }
            let holds = if this.late && read == 0 { Holds::Yes } else { self.holds(this)? };
            let limit = match holds {
                Holds::No => break,
                Holds::Yes => usize::MAX,
                // The host's loop over frames.
                Holds::Always if !self.inside => 1,
                Holds::Always if self.leaves(this.body) => usize::MAX,
                Holds::Always => return self.endless(this.keyword),
                Holds::Open(name, place) => {
                    unknown = Some((name, place));
                    self.given.reading.rounds
                }
            };
            if limit != usize::MAX && self.changes_nothing(this.body) {
                self.pass_over(this.body);
                return Ok(Flow::Next);
            }
            if read >= limit {
                break;
            }
            flow = self.round(this.body, this.keyword, limit == 1)?;
            read += 1;
            // An error in the body would repeat in every round.
            if !matches!(flow, Flow::Next | Flow::Continue) || !self.code.diagnostics.is_empty() {
                break;
            }
            if let Some(step) = &this.step {
                self.execute_expression(step);
            }
        }
        if let Some((unknown, place)) = unknown {
            self.bound_not_known(&unknown, place, read);
        }
        if read == 0 {
            self.code.at = this.body;
            self.skip_one();
        }
        Ok(if let Flow::Return(_) = flow { flow } else { Flow::Next })
    }

    /// Reads the body of a loop once; `once` says that there is no other round.
    fn round(&mut self, body: usize, place: Span, once: bool) -> Result<Flow, Mistake> {
        self.rounds += 1;
        if self.rounds > MAX_INSTRUCTIONS {
            self.stop();
            return self.endless(place);
        }
        let end = self.end_of(body);
        self.code.at = body;
        self.loops.push(Around { body: body..end, once });
        let read = self.statement();
        self.loops.pop();
        match read {
            Ok(flow) => Ok(flow),
            Err(Mistake) => {
                self.recover();
                Ok(Flow::Next)
            }
        }
    }

    /// Reports a loop without an end.
    fn endless<T>(&mut self, place: Span) -> Result<T, Mistake> {
        let message = "the loop does not end, or runs for too long";
        self.code.mistake(Diagnostic::error("endless-loop", message).label(place, "this one"))
    }

    /// Whether the body of a loop has a statement that leaves it.
    fn leaves(&mut self, body: usize) -> bool {
        let end = self.end_of(body);
        self.given.tokens[body..end].iter().any(|token| token.is("break") || token.is("return"))
    }

    fn holds(&mut self, this: &Loop) -> Result<Holds, Mistake> {
        let Some(test) = &this.test else { return Ok(Holds::Always) };
        let value = self.value(test)?;
        Ok(match (number(self, &value), value) {
            (Some(0), _) => Holds::No,
            (Some(_), _) if matches!(test.kind, Kind::Integer(_)) => Holds::Always,
            (Some(_), _) => Holds::Yes,
            (None, Value::Open(unknown)) => Holds::Open(unknown, test.span),
            (None, _) => {
                self.no_number(test.span);
                return Err(Mistake);
            }
        })
    }

    fn bound_not_known(&mut self, unknown: &Unknown, place: Span, read: usize) {
        let rounds = if read == 1 { "round".to_owned() } else { format!("{read} rounds") };
        let name = if unknown.named { format!(", `{}`,", unknown.name) } else { String::new() };
        let message = format!("the bound of this loop{name} is not known: its first {rounds} are read");
        let help = "--rounds N reads more of them";
        let help = match unknown.named {
            true => format!("--host {}=VALUE says what it is; {help}", unknown.name),
            false => help.to_owned(),
        };
        self.note(Diagnostic::warning("unknown-bound", message).label(place, "depends on it").help(help));
    }

    /// The first single `:` among these tokens.
    pub(super) fn colon(&self, range: Range<usize>) -> Option<usize> {
        let tokens = self.given.tokens;
        let is = |at: usize| tokens.get(at).is_some_and(|token| token.is(":"));
        range.clone().find(|at| is(*at) && !is(at + 1) && (*at == range.start || !is(at - 1)))
    }

    /// The tokens between the parentheses that begin here; reading goes on behind them.
    pub(super) fn group(&mut self, place: &str) -> Result<Range<usize>, Mistake> {
        self.code.expect("(", place)?;
        let start = self.code.at;
        self.code.at -= 1;
        self.code.skip_group();
        match self.code.last() {
            Some(_) if self.code.at > start && self.given.tokens[self.code.at - 1].is(")") => {
                Ok(start..self.code.at - 1)
            }
            _ => self.code.unexpected("`)`"),
        }
    }

    /// The expression that these tokens form.
    pub(super) fn parsed(&mut self, range: Range<usize>) -> Result<Expression, Mistake> {
        let tokens: &'a [Token<'a>] = &self.given.tokens[..range.end];
        let outer = (std::mem::replace(&mut self.code.tokens, tokens), self.code.at);
        self.code.at = range.start;
        let read = self.code.sequence();
        let read = match read {
            Ok(_) if self.code.at < range.end => self.code.unexpected("the end of the expression"),
            read => read,
        };
        (self.code.tokens, self.code.at) = outer;
        read
    }
}
