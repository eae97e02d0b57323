//! Filters, and their properties as a whole.

use std::collections::BTreeMap;

use super::coefficient::coefficient_reader;
use super::state::Reader;
use crate::algebra::semirings;
use crate::syntax::{Diagnostic, Diagnostics, Form, Sexp};
use crate::term::source::DEFAULT_INPUT;
use crate::term::{FilterSource, IndexSpace};

const ITEMS: [&str; 8] = ["doc", "semiring", "dimensions", "space", "inputs", "let", "output", "combine"];

/// An item, as messages name it.
const ITEM: &str = "an item of a filter, such as `(output NAME TERM)`";

const SPACE: &str = "(space hexagonal) or (space torus WIDTH HEIGHT)";

impl Reader {
    /// Reads `(filter NAME ITEM…)`.
    pub(super) fn filter(&mut self, sexp: &Sexp) -> Option<FilterSource> {
        let form = self.expect.form("`(filter NAME …)`", sexp)?;
        if form.head == "kernel" {
            return self.expect.report(
                Diagnostic::error("unknown-form", "a kernel alone, where a filter is expected")
                    .label(form.head_span, "expected `(filter NAME …)`")
                    .help("write `(filter NAME (output out (kernel …)))`"),
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
        let forms: Vec<Form<'_>> =
            items.iter().filter_map(|sexp| self.expect.known_form(ITEM, sexp, &ITEMS)).collect();
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

    /// Reads the properties of the filter as a whole, before any term.
    fn header(&mut self, forms: &[Form<'_>]) -> (Option<String>, Vec<String>) {
        let doc = self.expect.once(forms, "doc", Some("(doc \"TEXT\")")).and_then(|form| {
            let form = self.exactly_one(form, "(doc \"TEXT\")")?;
            self.expect.text("a text in double quotes", form).map(str::to_owned)
        });
        if let Some(form) = self.expect.once(forms, "semiring", Some("(semiring NAME)")) {
            self.semiring(form);
        }
        if let Some(form) = self.expect.once(forms, "dimensions", Some("(dimensions NUMBER)"))
            && let Some(sexp) = self.exactly_one(form, "(dimensions NUMBER)")
            && let Some(dimensions) = self.expect.integer("the number of dimensions", sexp, 1..=3)
        {
            self.dimensions = dimensions as u8;
        }
        if let Some(form) = self.expect.once(forms, "space", Some(SPACE)) {
            self.space(form);
        }
        let inputs = match self.expect.once(forms, "inputs", Some("(inputs NAME…)")) {
            Some(form) => self.inputs(form),
            None => vec![DEFAULT_INPUT.to_owned()],
        };
        (doc, inputs)
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
}
