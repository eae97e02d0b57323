//! Terms of kernel files: names as leaves, and the forms that read and write channels.

use super::form::{Read, TermReader, Usage, usages};
use super::outputs::Places;
use super::state::Reader;
use crate::syntax::{Diagnostic, Expect, Form, Sexp};
use crate::term::ast::PASS;
use crate::term::{Coefficient, Grid, Name, Term, TermKind};

impl TermReader for Reader {
    type Term = Term;
    type Factor = Coefficient;

    const OWN: &'static [Usage] = &[
        ("from", 2, 2, "(from CHANNEL TERM)"),
        ("combine", 1, usize::MAX, "(combine (output NAME TERM)… _?)"),
        ("fix", 2, 2, "(fix NAME TERM)"),
        ("|>", 2, usize::MAX, "(|> PROGRAM INSTRUCTION…)"),
    ];

    fn expect(&mut self) -> &mut Expect {
        &mut self.expect
    }

    fn dimensions(&self) -> u8 {
        self.dimensions
    }

    /// Reads a name bound by `let`.
    fn atom(&mut self, text: &str, sexp: &Sexp) -> Option<Term> {
        if (self.coefficient)(text).is_ok() {
            return self.expect.report(
                Diagnostic::error("unexpected", format!("expected a term, found {}", sexp.describe()))
                    .label(sexp.span, "a number is not a term")
                    .help(format!("the kernel that multiplies by it is `(scale {text} (id))`")),
            );
        }
        if text == PASS {
            return self.expect.report(
                Diagnostic::error("unexpected", "expected a term, found `_`")
                    .label(sexp.span, "`_` is not a term")
                    .help("it may end a filter that passes on the channels it does not name: `(combine (output NAME TERM)… _)`"),
            );
        }
        let name = self.expect.name("a term", sexp)?;
        if self.names.uses(name) {
            return Some(Term { span: sexp.span, kind: TermKind::Variable(name.to_owned()) });
        }
        if let Some((.., usage)) = usages::<Self>().find(|(head, ..)| *head == name) {
            return self.expect.report(
                Diagnostic::error("unknown-variable", format!("unknown variable `{name}`"))
                    .label(sexp.span, "no `(let NAME TERM)` above gives this name")
                    .help(format!("the form of that name is written `{usage}`")),
            );
        }
        let known = self.names.known();
        self.expect.unknown("unknown-variable", "variable", name, sexp.span, known)
    }

    fn factor(&mut self, sexp: &Sexp) -> Option<Coefficient> {
        self.coefficient(sexp)
    }

    fn kernel(&mut self, form: &Form<'_>) -> Option<Grid> {
        self.matrix(form)
    }

    fn build(&mut self, form: &Form<'_>, kind: TermKind) -> Option<Term> {
        Some(Term { span: form.span, kind })
    }

    fn own(&mut self, form: &Form<'_>) -> Option<Read<Self>> {
        let first = &form.arguments[0];
        Some(match form.head {
            "from" => {
                let channel = self.expect.channel("the name of a channel", first);
                let kernel = self.term(&form.arguments[1]);
                let channel = Name { text: channel?.to_owned(), span: first.span };
                TermKind::From(channel, Box::new(kernel?))
            }
            "combine" => {
                let (outputs, passes) = self.outputs(form, &mut Places::new());
                let passes = passes.is_some();
                let complete = outputs.len() + usize::from(passes) == form.arguments.len();
                complete.then_some(TermKind::Combine { outputs, passes })?
            }
            "fix" => {
                let name = self.expect.name("the name of the recursion", first)?;
                if let Some(before) = self.names.place(name) {
                    return self.repeated("name", name, first.span, before);
                }
                self.names.define(name, first.span);
                let term = self.term(&form.arguments[1]);
                self.names.undefine(name);
                TermKind::Fix(Name { text: name.to_owned(), span: first.span }, Box::new(term?))
            }
            _ => {
                let (program, instructions) = (self.term(first), self.terms(&form.arguments[1..]));
                TermKind::Instruct { program: Box::new(program?), instructions: instructions? }
            }
        })
    }

    fn unknown(&mut self, form: &Form<'_>) -> Option<Term> {
        if !matches!(form.head, "let" | "output") {
            return self.expect.unknown_form(form, usages::<Self>().map(|(head, ..)| head));
        }
        let message = format!("expected a term, found `({} …)`", form.head);
        let label = format!("`{}` is an item of the filter, not a term", form.head);
        self.expect.report(Diagnostic::error("unexpected", message).label(form.head_span, label))
    }

    fn check(&mut self, form: &Form<'_>) {
        if matches!(form.head, "neg" | "sub" | "scan") && !self.negation {
            let semiring = &self.semiring;
            let message = format!("`{}` needs negation, and `{semiring}` has none", form.head);
            let label = format!("expected a form that only adds and multiplies in `{semiring}`");
            self.expect.report::<()>(Diagnostic::error("no-negation", message).label(form.head_span, label));
        }
    }
}
