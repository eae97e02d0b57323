//! The reader of kernel files: reports every mistake of a file at its place, or returns a [`FilterSource`].

mod coefficient;
mod filter;
mod form;
mod kernel;
mod names;
mod outputs;
mod state;
mod term;

pub(crate) use form::{Read, TermReader, Usage};

use crate::algebra::semirings;
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Kind, Sexp, Source, Span, of_other_kind, read};

use self::coefficient::coefficient_reader;
use self::state::Reader;
use super::{FilterSource, Grid, OutputSource, filter_placed_in_any, sorts};

/// The head of a form that states that two filters denote the same.
const EQUAL: &str = "equal";

/// Reads the filter of a kernel file.
///
/// The format:
///
/// ```text
/// (filter NAME
///   (doc "TEXT")?  (semiring NAME)?  (dimensions 1|2|3)?  (inputs NAME…)?
///   (space hexagonal)?            or (space torus WIDTH HEIGHT)
///   (let NAME TERM)*
///   (output NAME TERM)+)          or (combine (output NAME TERM)… _?) in their place
/// ```
///
/// Channels, which are inputs and outputs, have names or are numbered: `(inputs 1 2)`.
///
/// Instead of the filter, the file may contain `(equal FILTER FILTER)`: two filters that denote the same, of which the
/// second is read. [`print_equal`](super::print_equal) writes such files.
///
/// The items of a filter may be in any order, except that a `let` must precede the terms that use it. Terms are those
/// of [`TermKind`](super::TermKind). The origin of `(kernel ROW…)` is the middle, unless `(origin COLUMN ROW [PLANE])`
/// states it, counted from 0 at the north-west. In three dimensions the form is `(kernel (plane ROW…)…)`, the lowest
/// plane first. A cell is a coefficient, `.` if nothing is touched, or `+` in an instruction. On hexagons, where x
/// points east and y north-east, `(kernel (hexagon ROW…))` has rows of n, n + 1, … 2n − 1, … n cells. On a torus,
/// offsets are modulo its size.
///
/// # Errors
/// All mistakes in parentheses, in forms, and in the use of names and channels, in source order, each once; and two
/// filters of `equal` that differ.
///
/// ```
/// use kalg::syntax::Source;
/// use kalg::term::{filter_placed, read_filter};
/// let source = Source::new("edge.sexp", "(filter edge (inputs image) (output out (kernel (1 0 -1))))");
/// let filter = read_filter(&source)?;
/// assert_eq!(filter_placed(&filter)?[0].1.shape.dense(), &[1, 0, -1]);
/// # Ok::<(), kalg::syntax::Diagnostics>(())
/// ```
pub fn read_filter(source: &Source) -> Result<FilterSource, Diagnostics> {
    whole(source).map_err(|wrong| of_other_kind(source, &[Kind::Filter], wrong))
}

/// Reads a file with one filter.
fn whole(source: &Source) -> Result<FilterSource, Diagnostics> {
    let sexps = read(source)?;
    let Some((first, rest)) = sexps.split_first() else {
        let place = Span::at(source.text().trim_end().len());
        return Err(Diagnostic::error("empty-file", "the file has no filter")
            .label(place, "expected `(filter NAME (inputs NAME…) (output NAME TERM)…)`")
            .into());
    };
    let mut expect = Expect::new();
    let equal = first.as_form().filter(|form| form.head == EQUAL);
    if let Some(form) = &equal {
        expect.arity(form, 2..=2, "(equal FILTER FILTER)");
    }
    let mut filters = Vec::new();
    for sexp in equal.map_or(std::slice::from_ref(first), |form| form.arguments) {
        match one(sexp) {
            Ok(filter) => filters.push(filter),
            Err(errors) => expect.diagnostics.append(errors),
        }
    }
    for more in rest {
        expect.report::<()>(
            Diagnostic::error(
                "more-than-one-filter",
                format!("expected the end of the file, found {}", more.describe()),
            )
            .label(more.span, "a file holds one filter")
            .label(first.span, "the file's filter is this one")
            .help("outputs of one filter are optimised together: put them in that filter, or in a file of their own"),
        );
    }
    let diagnostics = expect.diagnostics;
    if !diagnostics.is_empty() {
        return Err(diagnostics.sorted());
    }
    let filter = filters.pop().expect("what could not be read was reported");
    for given in &filters {
        check_equal(given, &filter)?;
    }
    Ok(filter)
}

/// Reads `(filter …)`.
fn one(sexp: &Sexp) -> Result<FilterSource, Diagnostics> {
    let mut reader = Reader::default();
    let filter = reader.filter(sexp);
    if let Some(filter) = &filter {
        reader.expect.diagnostics.append(sorts::check(filter));
    }
    match filter {
        Some(mut filter) if reader.complete && reader.expect.diagnostics.is_empty() => {
            filter.warnings = reader.names.warnings();
            Ok(filter)
        }
        _ => {
            debug_assert!(!reader.expect.diagnostics.is_empty(), "what could not be read was reported");
            Err(reader.expect.diagnostics)
        }
    }
}

/// Checks that both filters of `(equal …)` read the same inputs and denote the same outputs.
fn check_equal(given: &FilterSource, found: &FilterSource) -> Result<(), Diagnostics> {
    let differs = |message: String, place: Span| {
        let diagnostic = Diagnostic::error("not-equal", message).label(place, "this is another one");
        Err(diagnostic.help("`(equal FILTER FILTER)` says that both filters are the same").into())
    };
    let [before, after] = [filter_placed_in_any(given)?, filter_placed_in_any(found)?];
    let same_outputs = given.outputs.iter().map(|o| &o.name).eq(found.outputs.iter().map(|o| &o.name));
    let place = found.outputs[0].span;
    let same_form = given.space == found.space && given.semiring == found.semiring;
    if given.inputs != found.inputs || !same_form || !same_outputs {
        return differs(
            "the second filter has different inputs, outputs, space or semiring".to_owned(),
            place,
        );
    }
    for ((before, after), output) in before.iter().zip(&after).zip(&found.outputs) {
        if before != after {
            return differs(
                format!("the output `{}` of the second filter differs", output.name),
                output.span,
            );
        }
    }
    Ok(())
}

/// Reads the numbers of a standalone `(kernel ROW…)`, for other formats. Mistakes are reported to `expect`.
pub(crate) fn read_grid(expect: &mut Expect, form: &Form<'_>) -> Option<Grid> {
    let mut reader = Reader { expect: std::mem::take(expect), ..Reader::default() };
    let grid = reader.matrix(form);
    *expect = reader.expect;
    grid
}

/// Reads a term that is not in a kernel file, as an output of `within`: a filter whose inputs, semiring, dimensions and
/// `let`s the term may use. Mistakes are reported to `expect`.
pub(crate) fn read_output(
    expect: &mut Expect,
    sexp: &Sexp,
    mut within: FilterSource,
) -> Option<FilterSource> {
    let negation = semirings().iter().any(|info| info.name == within.semiring && info.has_negation);
    let coefficient = coefficient_reader(&within.semiring)?;
    let mut reader = Reader {
        expect: std::mem::take(expect),
        coefficient,
        semiring: within.semiring.clone(),
        negation,
        dimensions: within.dimensions,
        space: within.space,
        ..Reader::default()
    };
    for named in &within.lets {
        reader.names.define(&named.name, named.span);
    }
    let term = reader.term(sexp);
    *expect = reader.expect;
    within.outputs.push(OutputSource { name: "out".to_owned(), span: sexp.span, term: term? });
    let wrong = sorts::check(&within);
    let right = wrong.is_empty();
    expect.diagnostics.append(wrong);
    right.then_some(within)
}

#[cfg(test)]
mod tests;
