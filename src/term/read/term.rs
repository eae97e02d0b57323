//! Terms of kernel files.

use crate::algebra::MAX_REACH;
use crate::syntax::{Diagnostic, Expect, Form, Sexp};
use crate::term::{Direction, Name, Term, TermKind};

use super::{Places, Reader};

/// The forms of terms: head, fewest and most arguments, usage.
const FORMS: [(&str, usize, usize, &str); 12] = [
    ("kernel", 1, usize::MAX, "(kernel ROW…)"),
    ("id", 0, 0, "(id)"),
    ("scan", 1, 3, "(scan DIRECTION)"),
    ("scale", 2, 2, "(scale NUMBER TERM)"),
    ("neg", 1, 1, "(neg TERM)"),
    ("shift", 2, 4, "(shift DX DY TERM)"),
    ("add", 1, usize::MAX, "(add TERM…)"),
    ("sub", 2, 2, "(sub TERM TERM)"),
    ("compose", 1, usize::MAX, "(compose TERM…)"),
    ("from", 2, 2, "(from CHANNEL TERM)"),
    ("combine", 1, usize::MAX, "(combine (output NAME TERM)…)"),
    ("|>", 2, usize::MAX, "(|> PROGRAM INSTRUCTION…)"),
];

impl Reader {
    /// A term; its mistakes are reported, all of them.
    pub(super) fn term(&mut self, sexp: &Sexp) -> Option<Term> {
        let kind = match sexp.as_atom() {
            Some(text) => self.variable(text, sexp)?,
            None => {
                let Some(form) = sexp
                    .as_form()
                    .filter(|form| !form.head.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
                else {
                    return self.no_term(sexp);
                };
                self.form(&form)?
            }
        };
        Some(Term { span: sexp.span, kind })
    }

    fn variable(&mut self, text: &str, sexp: &Sexp) -> Option<TermKind> {
        if (self.coefficient)(text).is_ok() {
            return self.expect.report(
                Diagnostic::error("unexpected", format!("expected a term, found {}", sexp.describe()))
                    .label(sexp.span, "a number is no term")
                    .help(format!("the kernel that multiplies by it is `(scale {text} (id))`")),
            );
        }
        let name = self.expect.name("a term", sexp)?;
        if self.names.uses(name) {
            return Some(TermKind::Variable(name.to_owned()));
        }
        let known: Vec<String> = self.names.list.iter().map(|(name, ..)| name.clone()).collect();
        if let Some((.., usage)) = FORMS.iter().find(|(head, ..)| *head == name) {
            return self.expect.report(
                Diagnostic::error("unknown-variable", format!("unknown variable `{name}`"))
                    .label(sexp.span, "no `(let NAME TERM)` above gives this name")
                    .help(format!("the form of that name is written `{usage}`")),
            );
        }
        self.expect.unknown("unknown-variable", "variable", name, sexp.span, known.iter().map(String::as_str))
    }

    /// Something in the place of a term that is neither a name nor a form.
    fn no_term(&mut self, sexp: &Sexp) -> Option<Term> {
        let is_row = sexp
            .as_list()
            .is_some_and(|items| !items.is_empty() && items.iter().all(|i| i.as_list().is_none()));
        let is_matrix =
            sexp.as_list().and_then(|items| items.first()).is_some_and(|first| first.as_list().is_some());
        let help = match (is_row, is_matrix) {
            (true, _) => Some("a row of coefficients stands in a kernel: `(kernel (1 2 1))`"),
            (_, true) => Some("rows of coefficients stand in a kernel: `(kernel (1 2) (3 4))`"),
            _ => None,
        };
        self.expect.report(
            Diagnostic::error("unexpected", format!("expected a term, found {}", sexp.describe()))
                .label(sexp.span, "expected a term, such as `(kernel ROW…)`")
                .help_if(help.map(str::to_owned)),
        )
    }

    fn form(&mut self, form: &Form<'_>) -> Option<TermKind> {
        let Some((_, low, high, usage)) = FORMS.into_iter().find(|(head, ..)| *head == form.head) else {
            if matches!(form.head, "let" | "output") {
                return self.expect.report(
                    Diagnostic::error("unexpected", format!("expected a term, found `({} …)`", form.head))
                        .label(
                            form.head_span,
                            format!("`{}` is an item of the filter, not a term", form.head),
                        ),
                );
            }
            return self.expect.unknown_form(form, FORMS.into_iter().map(|(head, ..)| head));
        };
        // What stands in a form of the wrong length is not read: what each argument is meant to be is not known.
        self.expect.arity(form, low..=high, usage)?;
        if matches!(form.head, "neg" | "sub" | "scan") && !self.negation {
            let semiring = self.semiring.clone();
            self.expect.report::<()>(
                Diagnostic::error(
                    "no-negation",
                    format!("`{}` needs negation, and `{semiring}` has none", form.head),
                )
                .label(
                    form.head_span,
                    format!("expected a form that only adds and multiplies in `{semiring}`"),
                ),
            );
        }
        match form.head {
            "kernel" => self.kernel(form).map(TermKind::Kernel),
            "id" => Some(TermKind::Identity),
            "scan" => self.scan(form),
            "scale" => {
                let factor = self.coefficient(&form.arguments[0]);
                let inner = self.term(&form.arguments[1]);
                Some(TermKind::Scale(factor?, Box::new(inner?)))
            }
            "neg" => Some(TermKind::Negate(Box::new(self.term(&form.arguments[0])?))),
            "shift" => self.shift(form),
            "add" => self.terms(form.arguments).map(TermKind::Add),
            "sub" => {
                let (a, b) = (self.term(&form.arguments[0]), self.term(&form.arguments[1]));
                Some(TermKind::Subtract(Box::new(a?), Box::new(b?)))
            }
            "compose" => self.terms(form.arguments).map(TermKind::Compose),
            "from" => {
                let sexp = &form.arguments[0];
                let channel = self.expect.name("the name of a channel", sexp);
                let kernel = self.term(&form.arguments[1]);
                let channel = Name { text: channel?.to_owned(), span: sexp.span };
                Some(TermKind::From(channel, Box::new(kernel?)))
            }
            "combine" => {
                let outputs = self.outputs(form, &mut Places::new());
                (outputs.len() == form.arguments.len()).then_some(TermKind::Combine(outputs))
            }
            _ => {
                let program = self.term(&form.arguments[0]);
                let instructions = self.terms(&form.arguments[1..]);
                Some(TermKind::Instruct { program: Box::new(program?), instructions: instructions? })
            }
        }
    }

    fn terms(&mut self, sexps: &[Sexp]) -> Option<Vec<Term>> {
        let terms: Vec<Term> = sexps.iter().filter_map(|sexp| self.term(sexp)).collect();
        (terms.len() == sexps.len()).then_some(terms)
    }

    fn scan(&mut self, form: &Form<'_>) -> Option<TermKind> {
        let direction = read_direction(&mut self.expect, form)?;
        let outside = direction.step().iter().skip(self.dimensions.into()).position(|along| *along != 0);
        if let Some(axis) = outside {
            // One word says all, or every axis has its number.
            let axis = usize::from(self.dimensions) + axis;
            return self.outside(form.arguments.get(axis).unwrap_or(&form.arguments[0]), "this direction");
        }
        Some(TermKind::Scan(direction))
    }

    fn shift(&mut self, form: &Form<'_>) -> Option<TermKind> {
        let (coordinates, inner) = form.arguments.split_at(form.arguments.len() - 1);
        let mut by = [0; 3];
        let mut complete = true;
        let limit = i64::from(MAX_REACH);
        for (axis, sexp) in coordinates.iter().enumerate() {
            let Some(value) = self.expect.integer("a distance in whole pixels", sexp, -limit..=limit) else {
                complete = false;
                continue;
            };
            if value != 0 && axis >= usize::from(self.dimensions) {
                complete = self.outside::<()>(sexp, "a distance along this axis").is_some();
            }
            by[axis] = value as i32;
        }
        if coordinates.len() < usize::from(self.dimensions.min(2)) {
            complete = false;
            self.expect.report::<()>(
                Diagnostic::error("wrong-arity", "`shift` takes two distances, found one")
                    .label(form.span, "expected `(shift DX DY TERM)`")
                    .help("write `(shift DX DY TERM)`"),
            );
        }
        let inner = self.term(&inner[0]);
        complete.then_some(())?;
        Some(TermKind::Shift(by, Box::new(inner?)))
    }

    /// Reports something that needs more dimensions than the filter has.
    pub(super) fn outside<T>(&mut self, sexp: &Sexp, what: &str) -> Option<T> {
        let dimensions = self.dimensions;
        self.expect.report(
            Diagnostic::error(
                "outside-dimensions",
                format!("{} is outside the filter's index space", sexp.describe()),
            )
            .label(
                sexp.span,
                format!(
                    "{what} does not exist in {dimensions} dimension{}",
                    if dimensions == 1 { "" } else { "s" }
                ),
            )
            .help(format!("say `(dimensions {})` in the filter, if that is meant", dimensions + 1)),
        )
    }
}

/// The direction of a form with one to three arguments, `(scan DIRECTION)` or `(scan DX DY [DZ])`; `None` after reporting where
/// there is none.
pub fn read_direction(expect: &mut Expect, form: &Form<'_>) -> Option<Direction> {
    let first = &form.arguments[0];
    if let ([_], Some(name)) = (form.arguments, first.as_atom())
        && name.parse::<i64>().is_err()
    {
        return match Direction::parse(name) {
            Some(direction) => Some(direction),
            None => expect.unknown("unknown-direction", "direction", name, first.span, Direction::names()),
        };
    }
    let mut step = [0; 3];
    let limit = i64::from(MAX_REACH);
    for (along, sexp) in step.iter_mut().zip(form.arguments) {
        *along = expect.integer("a direction, or a distance in whole pixels", sexp, -limit..=limit)? as i32;
    }
    Direction::along(step).or_else(|| {
        let diagnostic = Diagnostic::error("no-direction", "a scan that does not move has no end");
        expect.report(diagnostic.label(form.span, "expected a direction, or a step other than zero"))
    })
}
