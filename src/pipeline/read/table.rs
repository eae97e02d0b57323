//! Tables: entries written out, and entries computed by a formula.

use crate::pipeline::id::NodeId;
use crate::pipeline::{Border, Builder, Operation};
use crate::syntax::{Diagnostic, Form, Sexp};

use super::Reader;
use super::names::{Meaning, Names, Scope};

/// The most entries of a table.
const MAX_ENTRIES: i128 = 1 << 16;

impl Reader {
    /// Reads `(table (VALUE…) INDEX)` or `(table-of X FORMULA INDEX)`.
    pub(super) fn table(&mut self, form: &Form<'_>) -> Option<NodeId> {
        let (first, values, index) = match form.arguments {
            [values, index] => {
                let values = self.entries(values);
                (0, values?, self.expression(index)?)
            }
            [variable, formula, index] => {
                let name = self.expect.name("the variable of the formula", variable);
                let index = self.expression(index)?;
                let checked = self.builder.check_integer(index, "the index of a table");
                self.refuse(form.span, checked)?;
                let range = self.builder.facts(index).range()?;
                if range.greatest - range.least >= MAX_ENTRIES {
                    let message = format!("a table for {range} has more than {MAX_ENTRIES} entries");
                    let diagnostic = Diagnostic::error("table-too-large", message)
                        .label(form.arguments[2].span, format!("this index is {range}"))
                        .help("limit the index: `(clamp LOW HIGH E)`, or shift it: `(floor-shift N E)`");
                    return self.expect.report(diagnostic);
                }
                let entries = i64::try_from(range.least).ok()?..=i64::try_from(range.greatest).ok()?;
                (*entries.start(), self.computed(name?, formula, entries)?, index)
            }
            _ => unreachable!("the number of arguments was checked"),
        };
        self.push(form.span, Operation::Table { first, values, index })
    }

    fn entries(&mut self, sexp: &Sexp) -> Option<Vec<i64>> {
        let items = self.expect.list("the entries of a table, such as `(0 1 4 9)`", sexp)?;
        if items.is_empty() || items.len() as i128 > MAX_ENTRIES {
            return self.expect.mismatch(&format!("1 to {MAX_ENTRIES} entries"), sexp);
        }
        let all: Vec<i64> = items
            .iter()
            .filter_map(|item| self.expect.integer("an entry of a table", item, -i64::MAX..=i64::MAX))
            .collect();
        (all.len() == items.len()).then_some(all)
    }

    /// The values of a formula of one variable, which it reads as a pipeline of constants.
    fn computed(
        &mut self,
        name: &str,
        formula: &Sexp,
        entries: std::ops::RangeInclusive<i64>,
    ) -> Option<Vec<i64>> {
        let mut inner = Self {
            expect: std::mem::take(&mut self.expect),
            builder: Builder::new(Vec::new(), Border::DEFAULT),
            names: Names::default(),
            kernels: std::mem::take(&mut self.kernels),
            scope: Vec::new(),
        };
        let mut values = Vec::new();
        for entry in entries {
            let Some(value) = inner.entry(name, formula, entry) else { break };
            values.push(value);
        }
        (self.expect, self.kernels) = (inner.expect, inner.kernels);
        self.expect.diagnostics.is_empty().then_some(values)
    }

    /// The value of a formula at one number.
    fn entry(&mut self, name: &str, formula: &Sexp, at: i64) -> Option<i64> {
        self.builder = Builder::new(Vec::new(), Border::DEFAULT);
        let node = self.integer(formula.span, at)?;
        self.scope = vec![Scope { name: name.to_owned(), meaning: Meaning::Table(node) }];
        let node = self.expression(formula)?;
        let checked = self.builder.check_integer(node, "a table");
        self.refuse(formula.span, checked)?;
        match self.builder.operation(node) {
            Operation::Constant(value) => Some(value.numerator()),
            _ => {
                let diagnostic = Diagnostic::error(
                    "not-constant",
                    format!("the formula is not a function of `{name}` alone"),
                );
                self.expect.report(diagnostic.label(formula.span, "expected arithmetic"))
            }
        }
    }
}
