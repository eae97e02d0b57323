//! Follows branches whose conditions are known: `if` and `switch`.

use std::ops::Range;

use super::context::{Typed, number};
use super::declarator::{declared, declares};
use super::dialect::Expression;
use super::evaluate::typed;
use super::integers::{INT, wide};
use super::reader::{Flow, Reader};
use super::value::{Value, held};
use crate::syntax::c::{Kind, Mistake, Token, split};

impl<'a> Reader<'a> {
    /// `if (TEST) statement else statement`, `if (FIRST; TEST) …`, `if (TYPE NAME = VALUE) …`
    pub(super) fn conditional(&mut self) -> Result<Flow, Mistake> {
        self.scopes.enter();
        let flow = self.branch();
        self.scopes.leave();
        flow
    }

    fn branch(&mut self) -> Result<Flow, Mistake> {
        let begin = self.code.at;
        self.code.at += 1;
        self.code.accept("constexpr");
        let test = self.group("after `if`")?;
        let then = self.code.at;
        let holds = match self.decided(test, begin) {
            Some(holds) => holds,
            None => {
                self.pass_over(begin);
                return Ok(Flow::Next);
            }
        };
        self.code.at = then;
        if holds {
            let flow = self.statement()?;
            if self.code.accept("else") {
                self.skip_one();
            }
            return Ok(flow);
        }
        self.skip_one();
        if self.code.accept("else") { self.statement() } else { Ok(Flow::Next) }
    }

    /// Whether a condition holds. `None` if it is not known, which is an error unless it only decides what the host does in the
    /// statement that begins with the token `begin`. What the condition itself does to registers is followed.
    fn decided(&mut self, test: Range<usize>, begin: usize) -> Option<bool> {
        let idle = self.changes_nothing_behind(begin, test.end);
        let quietly = idle && self.changes_nothing(begin);
        let test = self.condition(test, idle).ok()?;
        let value = self.value_quietly(&test, quietly).ok()?;
        match idle {
            true => number(self, &value).map(|number| number != 0),
            false => self.truth(value, test.span),
        }
    }

    /// The condition in the head of a branch, after what stands before it was read: `FIRST; TEST` or `TYPE NAME = VALUE`, whose
    /// condition is the variable.
    pub(super) fn condition(&mut self, head: Range<usize>, quietly: bool) -> Result<Expression, Mistake> {
        let mut parts = split(self.given.tokens, head.clone(), ";");
        let test = parts.pop().unwrap_or(head);
        for first in parts {
            if declares(&self.given.tokens[first.clone()]) {
                self.declare(first);
            } else if !first.is_empty() {
                let first = self.parsed_quietly(first, quietly)?;
                self.execute_expression(&first);
            }
        }
        let variable = declared(self.given.tokens, test.clone()).pop();
        match variable.filter(|variable| !variable.initial.is_empty()) {
            Some(variable) => {
                self.declare(test);
                let span = variable.name.span;
                Ok(Expression { kind: Kind::Name(variable.name.text.to_owned()), span })
            }
            None => self.parsed_quietly(test, quietly),
        }
    }

    /// `switch (VALUE) { case LABEL: … }`, `switch (FIRST; VALUE) …`, `switch (TYPE NAME = VALUE) …`
    pub(super) fn switch(&mut self) -> Result<Flow, Mistake> {
        self.scopes.enter();
        let flow = self.labelled();
        self.scopes.leave();
        flow
    }

    fn labelled(&mut self) -> Result<Flow, Mistake> {
        let begin = self.code.at;
        self.code.at += 1;
        let of = self.group("after `switch`")?;
        if !self.code.next_is("{") {
            return self.code.unexpected("`{` after the value");
        }
        let open = self.code.at;
        self.skip_one();
        let end = self.code.at;
        let idle = self.changes_nothing_behind(begin, of.end);
        let quietly = idle && self.changes_nothing(begin);
        let value = self.condition(of.clone(), idle).and_then(|of| {
            self.quietly(quietly, |reader| {
                let value = typed(reader, &of);
                reader.reported(value)
            })
        });
        let chosen = match value {
            Ok((Value::Open(_), _)) | Err(Mistake) if idle => {
                self.pass_over(begin);
                return Ok(Flow::Next);
            }
            Ok((Value::Open(unknown), _)) => {
                let place = self.given.tokens[of.start].span;
                self.not_known(&unknown, place);
                None
            }
            Ok(value) => {
                let body = open + 1..end.saturating_sub(1);
                let chosen = self.quietly(idle, |reader| reader.chosen(&value, body));
                if chosen.is_none() && idle {
                    self.pass_over(begin);
                    return Ok(Flow::Next);
                }
                chosen
            }
            Err(Mistake) => None,
        };
        let Some(chosen) = chosen else {
            self.code.at = end;
            return Ok(Flow::Next);
        };
        self.code.at = chosen;
        let flow = self.block()?;
        self.code.at = end;
        Ok(if flow == Flow::Break { Flow::Next } else { flow })
    }

    /// The token behind the label of a `switch` that has this value, or behind `default:`; the end of the body if there is none. Labels
    /// are converted to the type of the value. No two of them are the same, so that one which is not known matters only where no other
    /// has the value.
    fn chosen(&mut self, (value, base): &Typed, body: Range<usize>) -> Option<usize> {
        let base = wide(*base).unwrap_or(INT);
        let (mut default, mut open, mut at) = (None, None, body.start);
        while at < body.end {
            let token = self.given.tokens[at];
            match token.text {
                "default" => {
                    default = Some(at + 2);
                    at += 1;
                }
                "case" => {
                    let colon = self.colon(at + 1..body.end)?;
                    let label = self.parsed(at + 1..colon).ok()?;
                    let span = label.span;
                    match held(Some(base), self.value(&label).ok()?) {
                        Value::Open(unknown) => drop(open.get_or_insert((Some(unknown), span))),
                        label if self.is_label(value, &label) => return Some(colon + 1),
                        _ => {}
                    }
                    at = colon;
                }
                _ => {
                    let end = self.end_of(at).min(body.end);
                    if let Some(label) = self.inner_label(at..end) {
                        open.get_or_insert((None, label.span));
                    }
                    at = end.max(at + 1) - 1;
                }
            }
            at += 1;
        }
        match open {
            Some((Some(unknown), place)) => self.not_known(&unknown, place),
            Some((None, place)) => {
                let message = "a `case` inside another statement of its `switch` is not followed";
                let expected = "expected it in the body of the `switch` itself";
                let _reported: Result<(), Mistake> = self.code.unreadable(place, message, expected);
            }
            None => return default.or(Some(body.end)),
        }
        None
    }

    /// Whether the label of a `switch` is its value.
    fn is_label(&self, value: &Value, label: &Value) -> bool {
        match (number(self, value), number(self, label)) {
            (Some(a), Some(b)) => a == b,
            _ => value == label,
        }
    }

    /// The first label in a statement that belongs to the `switch` around it.
    fn inner_label(&mut self, range: Range<usize>) -> Option<Token<'a>> {
        let mut at = range.start;
        while at < range.end {
            let token = self.given.tokens[at];
            match token.text {
                "switch" => {
                    at = self.end_of(at);
                    continue;
                }
                "case" | "default" if !self.given.tokens[..at].last().is_some_and(|t| t.is("=")) => {
                    return Some(token);
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Passes over `case LABEL:` and `default:`.
    pub(super) fn label(&mut self) {
        let end = self.colon(self.code.at..self.code.tokens.len());
        self.code.at = end.map_or(self.code.tokens.len(), |colon| colon + 1);
    }
}
