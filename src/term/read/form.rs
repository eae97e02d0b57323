//! The forms of terms, shared by kernel files and rule files (whose terms contain variables).

use crate::algebra::MAX_REACH;
use crate::syntax::{Diagnostic, Expect, Form, Sexp};
use crate::term::{Direction, Grid, TermKind};

/// The syntax of a form: its head, the minimum and maximum number of arguments, and the usage shown in messages.
pub(crate) type Usage = (&'static str, usize, usize, &'static str);

/// The forms that all readers of terms share.
const FORMS: [Usage; 9] = [
    ("kernel", 1, usize::MAX, "(kernel ROW…)"),
    ("id", 0, 0, "(id)"),
    ("scan", 1, 3, "(scan DIRECTION)"),
    ("scale", 2, 2, "(scale NUMBER TERM)"),
    ("neg", 1, 1, "(neg TERM)"),
    ("shift", 2, 4, "(shift DX DY TERM)"),
    ("add", 1, usize::MAX, "(add TERM…)"),
    ("sub", 2, 2, "(sub TERM TERM)"),
    ("compose", 1, usize::MAX, "(compose TERM…)"),
];

/// A form of a term, made of the terms and factors that `R` builds.
pub(crate) type Read<R> = TermKind<<R as TermReader>::Term, <R as TermReader>::Factor>;

/// Reads terms. This trait reads the forms; an implementor reads the leaves and builds the results.
///
/// Every method returns `None` after it has reported a mistake.
pub(crate) trait TermReader {
    /// The result of reading a term.
    type Term;
    /// The result of reading the factor of a `scale`.
    type Factor;

    /// Further forms of this reader.
    const OWN: &'static [Usage] = &[];

    /// The collector of diagnostics.
    fn expect(&mut self) -> &mut Expect;
    /// The number of dimensions, 1 to 3.
    fn dimensions(&self) -> u8;
    /// Reads an atom in the place of a term.
    fn atom(&mut self, text: &str, sexp: &Sexp) -> Option<Self::Term>;
    /// Reads the factor of a `scale`.
    fn factor(&mut self, sexp: &Sexp) -> Option<Self::Factor>;
    /// Reads the matrix of `(kernel …)`.
    fn kernel(&mut self, form: &Form<'_>) -> Option<Grid>;
    /// Builds the term for a form whose parts were read without mistakes.
    fn build(&mut self, form: &Form<'_>, kind: Read<Self>) -> Option<Self::Term>;

    /// The maximum distance of a shift or of one step of a scan along an axis.
    fn reach(&self) -> i32 {
        MAX_REACH
    }

    /// Reads a form of [`OWN`](Self::OWN).
    fn own(&mut self, _form: &Form<'_>) -> Option<Read<Self>> {
        None
    }

    /// Reports an unknown form.
    fn unknown(&mut self, form: &Form<'_>) -> Option<Self::Term> {
        self.expect().unknown_form(form, usages::<Self>().map(|(head, ..)| head))
    }

    /// Checks a known form of the right length, and reports it if it is not allowed here.
    fn check(&mut self, _form: &Form<'_>) {}

    /// Reads a term and reports all its mistakes.
    fn term(&mut self, sexp: &Sexp) -> Option<Self::Term> {
        if let Some(text) = sexp.as_atom() {
            return self.atom(text, sexp);
        }
        let is_number = |head: &str| head.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let Some(form) = sexp.as_form().filter(|form| !is_number(form.head)) else {
            return no_term(self.expect(), sexp);
        };
        let Some((_, low, high, usage)) = usages::<Self>().find(|(head, ..)| *head == form.head) else {
            return self.unknown(&form);
        };
        // The arguments of a form of the wrong length are ambiguous, so they are not read.
        self.expect().arity(&form, low..=high, usage)?;
        self.check(&form);
        let kind = read(self, &form)?;
        self.build(&form, kind)
    }

    /// Reads terms; a mistake in one does not stop the others.
    fn terms(&mut self, sexps: &[Sexp]) -> Option<Vec<Self::Term>> {
        let terms: Vec<_> = sexps.iter().filter_map(|sexp| self.term(sexp)).collect();
        (terms.len() == sexps.len()).then_some(terms)
    }

    /// Reports something that needs more dimensions than the file has.
    fn outside<T>(&mut self, sexp: &Sexp, what: &str) -> Option<T> {
        let dimensions = self.dimensions();
        let plural = if dimensions == 1 { "" } else { "s" };
        let message = format!("{} is outside the filter's index space", sexp.describe());
        let label = format!("{what} does not exist in {dimensions} dimension{plural}");
        self.expect().report(
            Diagnostic::error("outside-dimensions", message)
                .label(sexp.span, label)
                .help(format!("say `(dimensions {})` in the filter, if that is meant", dimensions + 1)),
        )
    }
}

/// All forms that `R` reads.
pub(super) fn usages<R: TermReader + ?Sized>() -> impl Iterator<Item = Usage> {
    FORMS.into_iter().chain(R::OWN.iter().copied())
}

/// Reads a form whose number of arguments is right.
fn read<R: TermReader + ?Sized>(reader: &mut R, form: &Form<'_>) -> Option<Read<R>> {
    let arguments = form.arguments;
    Some(match form.head {
        "kernel" => TermKind::Kernel(reader.kernel(form)?),
        "id" => TermKind::Identity,
        "scan" => TermKind::Scan(scan(reader, form)?),
        "scale" => {
            let (factor, term) = (reader.factor(&arguments[0]), reader.term(&arguments[1]));
            TermKind::Scale(factor?, Box::new(term?))
        }
        "neg" => TermKind::Negate(Box::new(reader.term(&arguments[0])?)),
        "shift" => return shift(reader, form),
        "add" => TermKind::Add(reader.terms(arguments)?),
        "sub" => {
            let (a, b) = (reader.term(&arguments[0]), reader.term(&arguments[1]));
            TermKind::Subtract(Box::new(a?), Box::new(b?))
        }
        "compose" => TermKind::Compose(reader.terms(arguments)?),
        _ => return reader.own(form),
    })
}

/// Reads `(scan DIRECTION)` or `(scan DX DY [DZ])`.
fn scan<R: TermReader + ?Sized>(reader: &mut R, form: &Form<'_>) -> Option<Direction> {
    let reach = i64::from(reader.reach());
    let direction = direction(reader.expect(), form, reach)?;
    let dimensions = usize::from(reader.dimensions());
    if let Some(axis) = (dimensions..3).find(|axis| direction.step()[*axis] != 0) {
        // Either one word names the direction, or every axis has its number.
        return reader.outside(form.arguments.get(axis).unwrap_or(&form.arguments[0]), "this direction");
    }
    Some(direction)
}

fn direction(expect: &mut Expect, form: &Form<'_>, reach: i64) -> Option<Direction> {
    let first = &form.arguments[0];
    if let ([_], Some(name)) = (form.arguments, first.as_atom())
        && name.parse::<i64>().is_err()
    {
        return Direction::parse(name).or_else(|| {
            expect.unknown("unknown-direction", "direction", name, first.span, Direction::names())
        });
    }
    let mut step = [0; 3];
    for (along, sexp) in step.iter_mut().zip(form.arguments) {
        *along = expect.integer("a direction, or a distance in whole pixels", sexp, -reach..=reach)? as i32;
    }
    Direction::along(step).or_else(|| {
        let diagnostic = Diagnostic::error("no-direction", "a scan cannot have a step of zero");
        expect.report(diagnostic.label(form.span, "expected a direction, or a step other than zero"))
    })
}

/// Reads `(shift DX DY [DZ] TERM)`.
fn shift<R: TermReader + ?Sized>(reader: &mut R, form: &Form<'_>) -> Option<Read<R>> {
    let (inner, coordinates) = form.arguments.split_last()?;
    let (reach, dimensions) = (i64::from(reader.reach()), usize::from(reader.dimensions()));
    let (mut by, mut complete) = ([0; 3], true);
    for (axis, sexp) in coordinates.iter().enumerate() {
        let Some(value) = reader.expect().integer("a distance in whole pixels", sexp, -reach..=reach) else {
            complete = false;
            continue;
        };
        if value != 0 && axis >= dimensions {
            complete = reader.outside::<()>(sexp, "a distance along this axis").is_some();
        }
        by[axis] = value as i32;
    }
    if coordinates.len() < dimensions.min(2) {
        complete = false;
        reader.expect().report::<()>(
            Diagnostic::error("wrong-arity", "`shift` takes two distances, found one")
                .label(form.span, "expected `(shift DX DY TERM)`")
                .help("write `(shift DX DY TERM)`"),
        );
    }
    let inner = reader.term(inner);
    complete.then_some(())?;
    Some(TermKind::Shift(by, Box::new(inner?)))
}

/// Reports something in the place of a term that is neither an atom nor a form.
fn no_term<T>(expect: &mut Expect, sexp: &Sexp) -> Option<T> {
    let items = sexp.as_list().unwrap_or_default();
    let is_list = |item: &Sexp| item.as_list().is_some();
    let help = if items.first().is_some_and(is_list) {
        Some("write rows of coefficients in a kernel: `(kernel (1 2) (3 4))`")
    } else if !items.is_empty() && !items.iter().any(is_list) {
        Some("write a row of coefficients in a kernel: `(kernel (1 2 1))`")
    } else {
        None
    };
    expect.report(
        Diagnostic::error("unexpected", format!("expected a term, found {}", sexp.describe()))
            .label(sexp.span, "expected a term, such as `(kernel ROW…)`")
            .help_if(help.map(str::to_owned)),
    )
}
