//! The reader of pipeline files: reports every mistake of a file at its place, or returns a [`Pipeline`].

mod arithmetic;
mod expression;
mod filter;
mod kernel;
mod names;
mod sampling;
mod table;

use std::collections::BTreeMap;

use crate::algebra::Rational;
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Sexp, Source, Span, head};

use super::{Border, Builder, Input, NodeId, Output, Pipeline, PixelType, Stage};
pub use filter::filter_as_pipeline;
use names::{Kernels, Names, Scope};

const ITEMS: [&str; 6] = ["doc", "inputs", "border", "kernel", "let", "output"];
const PIPELINE: &str = "(pipeline NAME (inputs (NAME TYPE)…) (let NAME E)… (output NAME E)…)";
const OUTPUT: &str = "(output NAME [TYPE] [(rate X Y)] E)";

/// Whether the file of this source is a pipeline, judging by its first form.
pub fn is_pipeline(source: &Source) -> bool {
    head(source.text()) == Some("pipeline")
}

/// Reads a pipeline file. `docs/pipelines.md` describes the format.
///
/// # Errors
/// All mistakes, in source order: in parentheses and forms; unknown names; stages that use one another in a cycle, or before
/// they are defined; and what [`Builder::push`] refuses.
///
/// ```
/// use kalg::pipeline::read_pipeline;
/// use kalg::syntax::Source;
/// let text = "(pipeline edge (inputs (image uint8)) (output out (abs (filter (kernel (1 0 -1)) image))))";
/// let pipeline = read_pipeline(&Source::new("edge.sexp", text))?;
/// assert_eq!(pipeline.outputs[0].pixel.to_string(), "uint8");
/// # Ok::<(), kalg::syntax::Diagnostics>(())
/// ```
pub fn read_pipeline(source: &Source) -> Result<Pipeline, Diagnostics> {
    Expect::file(source, |expect, sexps| {
        let Some((first, rest)) = sexps.split_first() else {
            let place = Span::at(source.text().trim_end().len());
            let diagnostic = Diagnostic::error("empty-file", "the file has no pipeline");
            return expect.report(diagnostic.label(place, format!("expected `{PIPELINE}`")));
        };
        for more in rest {
            let message = format!("expected the end of the file, found {}", more.describe());
            let diagnostic = Diagnostic::error("more-than-one-pipeline", message);
            expect.report::<()>(diagnostic.label(more.span, "a file holds one pipeline"));
        }
        whole(expect, first)
    })
}

/// Reads `(pipeline …)`.
fn whole(expect: &mut Expect, sexp: &Sexp) -> Option<Pipeline> {
    let form = expect.known_form("`(pipeline NAME …)`", sexp, &["pipeline"])?;
    let Some((name, items)) = form.arguments.split_first().filter(|(name, _)| name.as_list().is_none())
    else {
        let diagnostic = Diagnostic::error("no-name", "a pipeline without a name");
        return expect.report(diagnostic.label(form.span, format!("expected `{PIPELINE}`")));
    };
    let name = expect.name("the pipeline's name", name);
    let item = "an item of a pipeline, such as `(let NAME E)`";
    let forms: Vec<Form<'_>> =
        items.iter().filter_map(|sexp| expect.known_form(item, sexp, &ITEMS)).collect();
    let doc = expect.once(&forms, "doc", None).and_then(|form| {
        expect.arity(form, 1..=1, "(doc \"TEXT\")")?;
        expect.text("a text in double quotes", &form.arguments[0]).map(str::to_owned)
    });
    let border = expect.once(&forms, "border", None).map_or(Some(Border::DEFAULT), |form| {
        let (border, rest) = border(expect, form.arguments, form)?;
        match rest {
            [] => Some(border),
            [more, ..] => expect.mismatch("the end of `(border …)`", more),
        }
    });
    let inputs = match expect.once(&forms, "inputs", None) {
        Some(form) => inputs(expect, form),
        None => {
            let diagnostic = Diagnostic::error("no-input", "a pipeline without inputs");
            return expect.report(diagnostic.label(form.head_span, "expected `(inputs (NAME TYPE)…)`"));
        }
    };
    let mut reader = Reader::new(std::mem::take(expect), inputs, border.unwrap_or(Border::DEFAULT));
    reader.names.announce(&forms);
    let body = reader.body(&forms);
    let Reader { expect: found, builder, names, .. } = reader;
    *expect = found;
    let (stages, outputs) = body;
    if outputs.is_empty() && expect.diagnostics.is_empty() {
        expect.report::<()>(
            Diagnostic::error("no-output", "a pipeline without outputs")
                .label(form.head_span, format!("expected an `{OUTPUT}` in this pipeline")),
        );
    }
    Some(builder.finish((name?.to_owned(), doc), stages, outputs, names.warnings()))
}

/// Reads `KIND` or `constant VALUE` at the beginning of these arguments; returns what follows.
fn border<'a>(expect: &mut Expect, arguments: &'a [Sexp], form: &Form<'_>) -> Option<(Border, &'a [Sexp])> {
    let Some((kind, rest)) = arguments.split_first() else {
        return expect.arity(form, 1..=usize::MAX, "(border KIND)").and(None);
    };
    let name = expect.name("a kind of border", kind)?;
    if name == "constant" {
        let Some((value, rest)) = rest.split_first() else {
            return expect.mismatch("`constant` with its value, such as `(border constant 128)`", kind);
        };
        let value = expect.integer("the value beyond the edges", value, -i64::MAX..=i64::MAX)?;
        return Some((Border::Constant(value), rest));
    }
    if name == "valid" {
        let diagnostic = Diagnostic::error("unknown-border", "`valid` is not a border of pipelines");
        let diagnostic = diagnostic.label(kind.span, "outputs have the size that their rate gives them");
        return expect
            .report(diagnostic.help("choose what lies beyond the edges, for instance `(border replicate)`"));
    }
    match Border::named(name) {
        Some(border) => Some((border, rest)),
        None => {
            let known = Border::NAMES.into_iter().chain(["constant"]);
            expect.unknown("unknown-border", "kind of border", name, kind.span, known)
        }
    }
}

/// Reads `(inputs (NAME TYPE [(rate X Y)])…)`.
fn inputs(expect: &mut Expect, form: &Form<'_>) -> Vec<Input> {
    let mut places: BTreeMap<String, Span> = BTreeMap::new();
    let mut inputs = Vec::new();
    expect.arity(form, 1..=usize::from(u16::MAX), "(inputs (NAME TYPE)…)");
    for sexp in form.arguments {
        let Some(items) = expect.list("an input with its type, such as `(image uint8)`", sexp) else {
            continue;
        };
        let [name, rest @ ..] = items else {
            let _: Option<()> = expect.mismatch("`(NAME TYPE)`", sexp);
            continue;
        };
        let Some(text) = expect.name("the name of an input", name) else { continue };
        if let Some(before) = places.insert(text.to_owned(), name.span) {
            repeated(expect, ("input", "repeated-input"), text, name.span, before);
            continue;
        }
        let (pixel, rate) = properties(expect, rest);
        if pixel.is_none() && rest.is_empty() {
            let _: Option<()> = expect.mismatch("an input with its type, such as `(image uint8)`", sexp);
        }
        let pixel = pixel.unwrap_or(PixelType::UINT8);
        let rate = rate.unwrap_or([Rational::ONE; 2]);
        inputs.push(Input { name: text.to_owned(), span: name.span, pixel, rate });
    }
    inputs
}

/// Reads `TYPE` and `(rate X Y)`, each at most once, in any order.
fn properties(expect: &mut Expect, sexps: &[Sexp]) -> (Option<PixelType>, Option<[Rational; 2]>) {
    let (mut pixel, mut rate) = (None, None);
    for sexp in sexps {
        match sexp.as_form() {
            Some(form) if form.head == "rate" && rate.is_none() => rate = read_rate(expect, &form),
            None if pixel.is_none() && sexp.as_atom().is_some() => pixel = pixel_type(expect, sexp),
            _ => {
                let _: Option<()> =
                    expect.mismatch("a type, such as `uint8`, or `(rate X Y)`, each once", sexp);
            }
        }
    }
    (pixel, rate)
}

fn pixel_type(expect: &mut Expect, sexp: &Sexp) -> Option<PixelType> {
    let name = expect.name("a type, such as `uint8`", sexp)?;
    PixelType::named(name).or_else(|| {
        let known = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32"];
        expect.unknown("unknown-type", "type", name, sexp.span, known)
    })
}

fn read_rate(expect: &mut Expect, form: &Form<'_>) -> Option<[Rational; 2]> {
    expect.arity(form, 2..=2, "(rate X Y)")?;
    let mut rate = [Rational::ONE; 2];
    for (along, sexp) in rate.iter_mut().zip(form.arguments) {
        let fraction = expect.fraction("a rate, such as `1/2`", sexp)?;
        let number = Rational::new(fraction.numerator, fraction.denominator);
        match number.filter(|number| !number.is_zero() && !number.is_negative()) {
            Some(number) => *along = number,
            None => return expect.mismatch("a positive rate", sexp),
        }
    }
    Some(rate)
}

/// Reports a name that was given before.
fn repeated(expect: &mut Expect, (what, id): (&str, &'static str), name: &str, span: Span, before: Span) {
    expect.report::<()>(
        Diagnostic::error(id, format!("the {what} `{name}` is given twice"))
            .label(span, "given again here")
            .label(before, "first given here"),
    );
}

/// The state of reading one file.
struct Reader {
    expect: Expect,
    builder: Builder,
    names: Names,
    kernels: Kernels,
    /// The variables in scope, innermost last.
    scope: Vec<Scope>,
}

impl Reader {
    fn new(expect: Expect, inputs: Vec<Input>, border: Border) -> Self {
        let mut reader = Self {
            expect,
            builder: Builder::new(inputs.clone(), border),
            names: Names::default(),
            kernels: Kernels::default(),
            scope: Vec::new(),
        };
        for (index, input) in inputs.iter().enumerate() {
            let node = reader.push(input.span, super::Operation::Input(index));
            reader.names.define(&input.name, [input.span; 2], node);
        }
        reader
    }

    /// Adds an operation, or reports why it is refused.
    fn push(&mut self, span: Span, operation: super::Operation) -> Option<NodeId> {
        match self.builder.push(span, operation) {
            Ok(id) => Some(id),
            Err(diagnostic) => self.expect.report(*diagnostic),
        }
    }

    /// Reads kernels, stages and outputs in file order.
    fn body(&mut self, forms: &[Form<'_>]) -> (Vec<Stage>, Vec<Output>) {
        let (mut stages, mut outputs) = (Vec::new(), Vec::new());
        let mut places = BTreeMap::new();
        for form in forms {
            match form.head {
                "kernel" => self.named_kernel(form),
                "let" => stages.extend(self.stage(form)),
                "output" => outputs.extend(self.output(form, &mut places)),
                _ => {}
            }
        }
        (stages, outputs)
    }

    /// Reads `(let NAME [TYPE] E)`.
    fn stage(&mut self, form: &Form<'_>) -> Option<Stage> {
        self.expect.arity(form, 2..=3, "(let NAME [TYPE] E)")?;
        let [name, middle @ .., value] = form.arguments else { return None };
        let text = self.expect.name("the name of a stage", name);
        self.names.enter(text.unwrap_or_default());
        let declared = middle.first().map(|sexp| pixel_type(&mut self.expect, sexp));
        let node = self.expression(value).and_then(|node| self.declare(value.span, node, declared.flatten()));
        self.names.leave();
        let text = text?;
        if let Some(before) = self.names.place(text) {
            repeated(&mut self.expect, ("stage", "repeated-let"), text, name.span, before);
            return None;
        }
        self.names.define(text, [name.span, value.span], node);
        Some(Stage { name: text.to_owned(), span: name.span, node: node?, declared: declared.flatten() })
    }

    fn declare(&mut self, span: Span, node: NodeId, pixel: Option<PixelType>) -> Option<NodeId> {
        match self.builder.declared(span, node, pixel) {
            Ok(node) => Some(node),
            Err(diagnostic) => self.expect.report(*diagnostic),
        }
    }

    fn output(&mut self, form: &Form<'_>, places: &mut BTreeMap<String, Span>) -> Option<Output> {
        self.expect.arity(form, 2..=4, OUTPUT)?;
        let [name, middle @ .., value] = form.arguments else { return None };
        let text = self.expect.name("the name of an output", name);
        let (pixel, rate) = properties(&mut self.expect, middle);
        let node = self.expression(value);
        let text = text?;
        if let Some(before) = places.insert(text.to_owned(), name.span) {
            repeated(&mut self.expect, ("output", "repeated-output"), text, name.span, before);
            return None;
        }
        match self.builder.output((text.to_owned(), name.span, value.span), node?, pixel, rate) {
            Ok(output) => Some(output),
            Err(diagnostic) => self.expect.report(*diagnostic),
        }
    }
}

#[cfg(test)]
mod tests;
