//! What a filter defines: its `let`s and outputs.

use std::collections::BTreeMap;

use super::form::TermReader;
use super::state::Reader;
use crate::syntax::{Diagnostic, Form, Span};
use crate::term::ast::PASS;
use crate::term::{Name, OutputSource, Term, TermKind};

/// Names and the places where each was first defined.
pub(super) type Places = BTreeMap<String, Span>;

impl Reader {
    /// Reads the `let`s and outputs in file order. The inputs that a `_` passes on follow the outputs.
    pub(super) fn body(
        &mut self,
        forms: &[Form<'_>],
        inputs: &[String],
    ) -> (Vec<OutputSource>, Vec<OutputSource>) {
        let (mut lets, mut outputs) = (Vec::new(), Vec::new());
        let (mut let_places, mut output_places) = (Places::new(), Places::new());
        let mut passes = None;
        for form in forms {
            match form.head {
                "let" => {
                    lets.extend(self.named(form, "(let NAME TERM)", &mut let_places));
                    if let Some((name, span)) =
                        form.arguments.first().and_then(|sexp| Some((sexp.as_atom()?, sexp.span)))
                    {
                        self.names.define(name, span);
                    }
                }
                "output" => outputs.extend(self.output(form, &mut output_places)),
                "combine" => {
                    let (named, passed) = self.outputs(form, &mut output_places);
                    outputs.extend(named);
                    passes = passes.or(passed);
                }
                _ => {}
            }
        }
        match passes {
            Some(place) => (lets, passing(inputs, outputs, place)),
            None => (lets, outputs),
        }
    }

    fn output(&mut self, form: &Form<'_>, places: &mut Places) -> Option<OutputSource> {
        self.named(form, "(output NAME TERM)", places)
    }

    /// Reads the outputs of a `(combine …)`, and the place of a final `_`. An output with a mistake is reported and left out.
    pub(super) fn outputs(
        &mut self,
        form: &Form<'_>,
        places: &mut Places,
    ) -> (Vec<OutputSource>, Option<Span>) {
        let mut outputs = Vec::new();
        let (named, passes) = match form.arguments {
            [named @ .., last] if last.as_atom() == Some(PASS) => (named, Some(last.span)),
            all => (all, None),
        };
        for sexp in named {
            let output = if sexp.as_atom() == Some(PASS) {
                let message = "`_` in front of other outputs";
                let label = "it passes on the channels that are not named: expected it once, at the end";
                self.expect.report(Diagnostic::error("pass-not-last", message).label(sexp.span, label))
            } else {
                self.expect.form_named("output", sexp)
            };
            match output {
                Some(output) => outputs.extend(self.output(&output, places)),
                None => self.complete = false,
            }
        }
        (outputs, passes)
    }

    /// Reads `(HEAD NAME TERM)` and adds the name to `places`; reports a name that is already there.
    fn named(&mut self, form: &Form<'_>, usage: &str, places: &mut Places) -> Option<OutputSource> {
        // The name counts as defined from here on, even if the rest is wrong.
        let before = form.arguments.first().and_then(|sexp| {
            let name = sexp.as_atom()?;
            let before = places.get(name).copied();
            places.entry(name.to_owned()).or_insert(sexp.span);
            before
        });
        let read = self.expect.arity(form, 2..=2, usage).and_then(|()| {
            let [name, term] = form.arguments else { return None };
            let new = match (before, name.as_atom()) {
                (Some(before), Some(text)) => self.repeated(form.head, text, name.span, before),
                _ if form.head == "output" => self.expect.channel("the name of this output", name),
                _ => self.expect.name(&format!("the name of this {}", form.head), name),
            };
            let term = self.term(term);
            Some(OutputSource { name: new?.to_owned(), span: name.span, term: term? })
        });
        self.complete &= read.is_some();
        read
    }

    /// Reports a name that was already defined at `before`.
    pub(super) fn repeated<T>(&mut self, what: &str, name: &str, span: Span, before: Span) -> Option<T> {
        let id = match what {
            "input" => "repeated-input",
            "output" => "repeated-output",
            _ => "repeated-let",
        };
        self.expect.report(
            Diagnostic::error(id, format!("the {what} `{name}` is given twice"))
                .label(span, "given again here")
                .label(before, "first given here"),
        )
    }
}

/// The outputs of a filter, followed by the inputs it does not name, passed on by a `_` at `place`.
fn passing(inputs: &[String], mut outputs: Vec<OutputSource>, place: Span) -> Vec<OutputSource> {
    for name in inputs {
        if outputs.iter().all(|output| output.name != *name) {
            let channel = Name { text: name.clone(), span: place };
            let identity = Box::new(Term { span: place, kind: TermKind::Identity });
            let term = Term { span: place, kind: TermKind::From(channel, identity) };
            outputs.push(OutputSource { name: name.clone(), span: place, term });
        }
    }
    outputs
}
