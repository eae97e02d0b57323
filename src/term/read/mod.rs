//! The reader of kernel files: reports every mistake of a file at its place, or returns a [`FilterSource`].

mod form;
mod kernel;
mod term;

pub(crate) use form::{Read, TermReader, Usage};

use std::collections::BTreeMap;

use crate::algebra::{CoefficientError, Semiring, SemiringInfo, SemiringVisitor, semirings, with_semiring};
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, NumberError, Sexp, Source, Span, read};

use super::ast::PASS;
use super::source::{DEFAULT_DIMENSIONS, DEFAULT_INPUT, DEFAULT_SEMIRING};
use super::{
    Coefficient, FilterSource, Grid, IndexSpace, Name, OutputSource, Term, TermKind, filter_placed_in_any,
    sorts,
};

/// The head of a form that states that two filters denote the same.
const EQUAL: &str = "equal";

const ITEMS: [&str; 8] = ["doc", "semiring", "dimensions", "space", "inputs", "let", "output", "combine"];

const SPACE: &str = "(space hexagonal) or (space torus WIDTH HEIGHT)";

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

/// Names and the places where each was first defined.
type Places = BTreeMap<String, Span>;

/// Reads a coefficient of a semiring and returns it as the semiring prints it.
type CoefficientReader = fn(&str) -> Result<String, CoefficientError>;

/// The state of reading one file.
struct Reader {
    expect: Expect,
    coefficient: CoefficientReader,
    semiring: String,
    /// Whether the semiring has negation.
    negation: bool,
    dimensions: u8,
    space: IndexSpace,
    names: Names,
    /// Whether every term could be read.
    complete: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            expect: Expect::new(),
            coefficient: coefficient_reader(DEFAULT_SEMIRING)
                .expect("the default semiring is one that is known"),
            semiring: DEFAULT_SEMIRING.to_owned(),
            negation: true,
            dimensions: DEFAULT_DIMENSIONS,
            space: IndexSpace::Grid,
            names: Names::default(),
            complete: true,
        }
    }
}

/// The names bound by `let` so far, each with its place and whether it was used.
#[derive(Default)]
struct Names {
    list: Vec<(String, Span, bool)>,
    index: BTreeMap<String, usize>,
}

impl Names {
    fn define(&mut self, name: &str, span: Span) {
        self.index.insert(name.to_owned(), self.list.len());
        self.list.push((name.to_owned(), span, false));
    }

    /// The place where `name` is bound.
    fn place(&self, name: &str) -> Option<Span> {
        self.index.get(name).map(|i| self.list[*i].1)
    }

    /// Whether `name` is known; marks it as used.
    fn uses(&mut self, name: &str) -> bool {
        let known = self.index.get(name).copied();
        if let Some(i) = known {
            self.list[i].2 = true;
        }
        known.is_some()
    }

    fn warnings(&self) -> Diagnostics {
        let mut warnings = Diagnostics::new();
        for (name, span, _) in self.list.iter().filter(|(.., used)| !used) {
            warnings.push(
                Diagnostic::warning("unused-let", format!("`{name}` is never used"))
                    .label(*span, "nothing below names it"),
            );
        }
        warnings
    }
}

impl Reader {
    fn filter(&mut self, sexp: &Sexp) -> Option<FilterSource> {
        let form = self.expect.form("`(filter NAME …)`", sexp)?;
        if form.head == "pipeline" {
            return self.expect.report(
                Diagnostic::error("pipeline", "the file is a pipeline of stages, where a filter is expected")
                    .label(form.head_span, "expected `(filter NAME …)`")
                    .help("`kalg run` executes pipelines and `kalg explain` shows their stages"),
            );
        }
        if form.head != "filter" {
            return self.expect.unknown_form(&form, ["filter"]);
        }
        let Some((name, items)) = form.arguments.split_first() else {
            return self.expect.report(
                Diagnostic::error("no-name", "a filter without a name")
                    .label(form.span, "expected `(filter NAME …)`"),
            );
        };
        let named = self.expect.name("the filter's name", name);
        self.complete &= named.is_some();
        // A list in the place of the name is an item, so the name is missing.
        let items = if name.as_list().is_some() { form.arguments } else { items };
        let forms: Vec<Form<'_>> = items.iter().filter_map(|item| self.item(item)).collect();
        let (doc, inputs) = self.header(&forms);
        let (lets, outputs) = self.body(&forms, &inputs);
        if outputs.is_empty() && self.complete && forms.len() == items.len() {
            self.expect.report::<()>(
                Diagnostic::error("no-output", "a filter without outputs")
                    .label(form.head_span, "expected an `(output NAME TERM)` in this filter"),
            );
        }
        Some(FilterSource {
            name: named.unwrap_or_default().to_owned(),
            doc,
            semiring: self.semiring.clone(),
            dimensions: self.dimensions,
            space: self.space,
            inputs,
            lets,
            outputs,
            warnings: Diagnostics::new(),
        })
    }

    /// Reads an item of a filter: a form with a known head.
    fn item<'a>(&mut self, sexp: &'a Sexp) -> Option<Form<'a>> {
        let form = self.expect.form("an item of a filter, such as `(output NAME TERM)`", sexp)?;
        if ITEMS.contains(&form.head) { Some(form) } else { self.expect.unknown_form(&form, ITEMS) }
    }

    /// Reads the properties of the filter as a whole, before any term.
    fn header(&mut self, forms: &[Form<'_>]) -> (Option<String>, Vec<String>) {
        let doc = self.once(forms, "doc", "(doc \"TEXT\")").and_then(|form| {
            let form = self.exactly_one(form, "(doc \"TEXT\")")?;
            self.expect.text("a text in double quotes", form).map(str::to_owned)
        });
        if let Some(form) = self.once(forms, "semiring", "(semiring NAME)") {
            self.semiring(form);
        }
        if let Some(form) = self.once(forms, "dimensions", "(dimensions NUMBER)")
            && let Some(sexp) = self.exactly_one(form, "(dimensions NUMBER)")
            && let Some(dimensions) = self.expect.integer("the number of dimensions", sexp, 1..=3)
        {
            self.dimensions = dimensions as u8;
        }
        if let Some(form) = self.once(forms, "space", SPACE) {
            self.space(form);
        }
        let inputs = match self.once(forms, "inputs", "(inputs NAME…)") {
            Some(form) => self.inputs(form),
            None => vec![DEFAULT_INPUT.to_owned()],
        };
        (doc, inputs)
    }

    /// Returns the only form with this head and reports repeated ones.
    fn once<'f, 'a>(&mut self, forms: &'f [Form<'a>], head: &str, usage: &str) -> Option<&'f Form<'a>> {
        let mut found = forms.iter().filter(|form| form.head == head);
        let first = found.next()?;
        for more in found {
            self.expect.report::<()>(
                Diagnostic::error("repeated-form", format!("a second `({head} …)`"))
                    .label(more.head_span, format!("expected at most one `{usage}`"))
                    .label(first.head_span, "the first one"),
            );
        }
        Some(first)
    }

    fn exactly_one<'a>(&mut self, form: &Form<'a>, usage: &str) -> Option<&'a Sexp> {
        self.expect.arity(form, 1..=1, usage)?;
        form.arguments.first()
    }

    fn semiring(&mut self, form: &Form<'_>) -> Option<()> {
        let sexp = self.exactly_one(form, "(semiring NAME)")?;
        let name = self.expect.name("the name of a semiring", sexp)?;
        match coefficient_reader(name) {
            Some(reader) => {
                self.coefficient = reader;
                self.semiring = name.to_owned();
                self.negation = semirings().iter().any(|info| info.name == name && info.has_negation);
                Some(())
            }
            None => {
                // The semiring is unknown, so every coefficient is accepted.
                self.coefficient = |text| Ok(text.to_owned());
                let known = semirings();
                self.expect.unknown(
                    "unknown-semiring",
                    "semiring",
                    name,
                    sexp.span,
                    known.iter().map(|info| info.name),
                )
            }
        }
    }

    /// Reads `(space hexagonal)` or `(space torus SIZE…)`, with a size for each dimension.
    fn space(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 1..=4, SPACE)?;
        let (kind, sizes) = form.arguments.split_first()?;
        match self.expect.name("a kind of index space", kind)? {
            "hexagonal" if self.dimensions != 2 => {
                let message = format!("hexagons in {} dimensions", self.dimensions);
                self.expect.report(
                    Diagnostic::error("outside-dimensions", message)
                        .label(kind.span, "a grid of hexagons has two dimensions"),
                )
            }
            "hexagonal" => {
                self.expect.arity(form, 1..=1, "(space hexagonal)")?;
                self.space = IndexSpace::Hexagonal;
                Some(())
            }
            "torus" => {
                let dimensions = usize::from(self.dimensions);
                self.expect.arity(form, dimensions + 1..=dimensions + 1, "(space torus WIDTH HEIGHT)")?;
                let mut periods = [1; 3];
                for (period, size) in periods.iter_mut().zip(sizes) {
                    let limit = i64::from(crate::algebra::MAX_REACH);
                    *period = self.expect.integer("a size in whole pixels", size, 1..=limit)? as u32;
                }
                self.space = IndexSpace::Torus(periods);
                Some(())
            }
            other => {
                let known = ["hexagonal", "torus"];
                self.expect.unknown("unknown-space", "kind of index space", other, kind.span, known)
            }
        }
    }

    fn inputs(&mut self, form: &Form<'_>) -> Vec<String> {
        self.expect.arity(form, 1..=usize::from(u16::MAX), "(inputs NAME…)");
        let mut places = BTreeMap::new();
        let mut inputs = Vec::new();
        for sexp in form.arguments {
            let Some(name) = self.expect.channel("the name of an input", sexp) else { continue };
            match places.get(name) {
                Some(before) => self.repeated::<()>("input", name, sexp.span, *before).unwrap_or_default(),
                None => {
                    places.insert(name, sexp.span);
                    inputs.push(name.to_owned());
                }
            }
        }
        inputs
    }

    /// Reads the `let`s and outputs in file order. The inputs that a `_` passes on follow the outputs.
    fn body(&mut self, forms: &[Form<'_>], inputs: &[String]) -> (Vec<OutputSource>, Vec<OutputSource>) {
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
    fn outputs(&mut self, form: &Form<'_>, places: &mut Places) -> (Vec<OutputSource>, Option<Span>) {
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
    fn repeated<T>(&mut self, what: &str, name: &str, span: Span, before: Span) -> Option<T> {
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

/// The reader of a semiring's coefficients.
fn coefficient_reader(semiring: &str) -> Option<CoefficientReader> {
    struct Visitor;
    impl SemiringVisitor for Visitor {
        type Output = CoefficientReader;

        fn visit<S: Semiring>(self) -> Self::Output {
            |text| S::parse(text).map(|value| value.to_string())
        }
    }
    with_semiring(semiring, Visitor)
}

impl Reader {
    /// Reads a coefficient in the file's semiring.
    fn coefficient(&mut self, sexp: &Sexp) -> Option<Coefficient> {
        let what = || match self.semiring.as_str() {
            DEFAULT_SEMIRING => "a number".to_owned(),
            other => format!("a coefficient of `{other}`"),
        };
        let Some(text) = sexp.as_atom() else { return self.expect.mismatch(&what(), sexp) };
        let error = match (self.coefficient)(text) {
            Ok(text) => return Some(Coefficient(text.into_boxed_str())),
            Err(CoefficientError::NotANumber) => return self.no_coefficient(text, &what(), sexp),
            Err(CoefficientError::ZeroDenominator) => NumberError::ZeroDenominator,
            Err(CoefficientError::Overflow) => NumberError::TooLarge,
        };
        self.expect.bad_number(error, &what(), sexp)
    }

    /// Reports an atom that is not a coefficient. The message names the coefficients of the semiring, or a semiring that has
    /// this one.
    fn no_coefficient<T>(&mut self, text: &str, what: &str, sexp: &Sexp) -> Option<T> {
        let elsewhere =
            |info: &SemiringInfo| coefficient_reader(info.name).is_some_and(|read| read(text).is_ok());
        let known = semirings();
        let help = if self.semiring == DEFAULT_SEMIRING {
            let others: Vec<String> = known
                .iter()
                .filter(|info| elsewhere(info))
                .map(|info| format!("`(semiring {})`", info.name))
                .collect();
            if others.is_empty() {
                return self.expect.bad_number(NumberError::Malformed, what, sexp);
            }
            format!("for such coefficients, write {} in the file", others.join(" or "))
        } else {
            let doc = known.iter().find(|info| info.name == self.semiring).map_or("", |info| info.doc);
            format!("the coefficients of `{}`: {doc}", self.semiring)
        };
        self.expect.report(
            Diagnostic::error("not-a-number", format!("expected {what}, found {}", sexp.describe()))
                .label(sexp.span, format!("expected {what}"))
                .help(help),
        )
    }
}

#[cfg(test)]
mod tests;
