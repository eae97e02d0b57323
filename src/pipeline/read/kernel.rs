//! Kernels in pipelines: terms of kernel files, applied to stages.

use crate::algebra::{Choice, Kernel, Offset, PlusTimes, Rational, Semiring, in_semiring};
use crate::pipeline::id::NodeId;
use crate::pipeline::{Operation, Stencil};
use crate::syntax::{Diagnostic, Diagnostics, Form, Sexp, Span};
use crate::term::{FilterSource, OutputSource, denote, denote_linear, read_output};

use super::Reader;

const KERNEL: &str = "(kernel NAME [(semiring NAME)] TERM)";

impl Reader {
    /// Reads `(kernel NAME [(semiring NAME)] TERM)`.
    pub(super) fn named_kernel(&mut self, form: &Form<'_>) {
        if self.expect.arity(form, 2..=3, KERNEL).is_none() {
            return;
        }
        let Some(name) = self.expect.name("the name of a kernel", &form.arguments[0]) else { return };
        let span = form.arguments[0].span;
        if let Some((_, before)) = self.kernels.0.iter().find(|(_, before)| before.name == name) {
            let before = before.span;
            super::repeated(&mut self.expect, ("kernel", "repeated-kernel"), name, span, before);
            return;
        }
        let Some((semiring, [term])) = self.semiring(&form.arguments[1..]) else { return };
        let within = self.context(&semiring, vec![name.to_owned()]);
        if let Some(mut read) = read_output(&mut self.expect, term, within) {
            let term = read.outputs.remove(0).term;
            self.kernels.0.push((semiring, OutputSource { name: name.to_owned(), span, term }));
        }
    }

    /// Reads `(semiring NAME)` if it comes first; returns what follows.
    fn semiring<'a>(&mut self, sexps: &'a [Sexp]) -> Option<(String, &'a [Sexp])> {
        let Some(form) = sexps.first().and_then(Sexp::as_form).filter(|form| form.head == "semiring") else {
            return Some((PlusTimes::NAME.to_owned(), sexps));
        };
        self.expect.arity(&form, 1..=1, "(semiring NAME)")?;
        let name = self.expect.name("the name of a semiring", &form.arguments[0])?;
        let known: Vec<_> = crate::algebra::semirings().iter().map(|info| info.name).collect();
        let place = (name, form.arguments[0].span);
        self.expect.index_of("unknown-semiring", "semiring", place, known)?;
        Some((name.to_owned(), &sexps[1..]))
    }

    /// A filter without outputs, in which a term is read.
    fn context(&self, semiring: &str, inputs: Vec<String>) -> FilterSource {
        let lets = self.kernels.0.iter().filter(|(of, _)| of == semiring).map(|(_, kernel)| kernel.clone());
        FilterSource {
            semiring: semiring.to_owned(),
            dimensions: 3,
            lets: lets.collect(),
            ..FilterSource::new("filter", inputs)
        }
    }

    /// Reads `(filter [(semiring NAME)] KERNEL E…)`. The kernel's channels have the names of the operands that are names,
    /// each once, and the others their numbers from 1.
    pub(super) fn filter(&mut self, form: &Form<'_>) -> Option<NodeId> {
        let (semiring, rest) = self.semiring(form.arguments)?;
        let [term, operands @ ..] = rest else { return None };
        if operands.is_empty() {
            return self.expect.arity(form, rest.len() + 9..=usize::MAX, Self::usage(form)).and(None);
        }
        let nodes = self.expressions(operands);
        let mut channels: Vec<String> = Vec::new();
        for (number, operand) in operands.iter().enumerate() {
            let name = operand.as_atom().filter(|name| self.names.place(name).is_some());
            let name = name.filter(|name| channels.iter().all(|channel| channel != name));
            channels.push(name.map_or_else(|| (number + 1).to_string(), str::to_owned));
        }
        let within = self.context(&semiring, channels);
        let filter = read_output(&mut self.expect, term, within)?;
        let stencil = match stencil(&filter, term.span) {
            Ok(stencil) => stencil,
            Err(diagnostics) => {
                self.expect.diagnostics.append(diagnostics);
                return None;
            }
        };
        let nodes = nodes?;
        if semiring == "or-and" {
            for id in &nodes {
                let checked = self.builder.check_truth(*id, "the operand of a filter over `or-and`");
                self.refuse(form.span, checked)?;
            }
        }
        self.push(form.span, Operation::Filter(stencil, nodes))
    }
}

/// The kernels that the only output of a filter denotes.
pub(super) fn stencil(filter: &FilterSource, span: Span) -> Result<Stencil, Diagnostics> {
    if filter.semiring == PlusTimes::NAME {
        let denoted = denote_linear(filter).map_err(|found| infinite(found, span))?;
        let kernels = denoted.rows().next().map_or(&[][..], |(_, kernels)| kernels);
        return Ok(Stencil::Linear(kernels.iter().map(Kernel::trimmed).collect()));
    }
    let of = |message: &str| Diagnostics::from(Diagnostic::error("no-kernel", message).label(span, "here"));
    match in_semiring!(&filter.semiring, |S| taps::<S>(filter)) {
        Some(taps) => {
            let (choice, taps) = taps?;
            let choice = choice.ok_or_else(|| of("a semiring whose sums do not choose"))?;
            let taps = taps.ok_or_else(|| of("a weight that is not a number"))?;
            if taps.iter().all(Vec::is_empty) {
                return Err(of("a kernel without taps has no least or greatest value"));
            }
            Ok(Stencil::Extreme(choice, taps))
        }
        None => Err(of("an unknown semiring")),
    }
}

/// Names the place in the pipeline of a kernel that is not finite.
fn infinite(found: Diagnostics, span: Span) -> Diagnostics {
    if found.iter().all(|diagnostic| diagnostic.id != "infinite-output") {
        return found;
    }
    Diagnostic::error("infinite-kernel", "the kernel is infinite: its scans do not cancel")
        .label(span, "expected a finite kernel")
        .help("a window of n places is `(compose (sub (id) (shift n 0 (id))) (scan x))`")
        .into()
}

/// The taps of a kernel, with their weights.
type Weights = Vec<(Offset, Rational)>;

/// How the sums of an idempotent semiring choose, and the taps of each channel.
fn taps<S: Semiring>(filter: &FilterSource) -> Result<(Option<Choice>, Option<Vec<Weights>>), Diagnostics> {
    let denoted = denote::<S>(filter)?;
    let kernels = denoted.rows().next().map_or(&[][..], |(_, kernels)| kernels);
    // One, the neutral element of products, adds nothing, whatever number it is written as.
    let weight = |element| if element == S::one() { Some(Rational::ZERO) } else { S::number(element) };
    let taps = |kernel: &Kernel<S>| {
        kernel.nonzero_taps().map(|(offset, tap)| Some((offset, weight(tap)?))).collect::<Option<Weights>>()
    };
    Ok((S::CHOICE, kernels.iter().map(taps).collect()))
}
