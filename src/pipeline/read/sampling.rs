//! Forms that read other pixels: distances, borders, rates, folds, histograms.

use crate::algebra::MAX_REACH;
use crate::pipeline::id::NodeId;
use crate::pipeline::{Border, Distance, Fold, Operation, Variable, VariableId};
use crate::syntax::{Diagnostic, Form, Sexp};

use super::Reader;
use super::names::{Meaning, Scope};

/// The greatest factor of a change of rate, and the most planes.
const MAX_PERIOD: u32 = 1 << 12;

impl Reader {
    /// Reads a form that reads other pixels than that of its value.
    pub(super) fn sampled(&mut self, form: &Form<'_>) -> Option<NodeId> {
        let operation = match (form.head, form.arguments) {
            ("at", [value, x, y]) => {
                let value = self.expression(value);
                let [x, y] = [x, y].map(|sexp| self.distance(sexp));
                Operation::At([x?, y?], value?)
            }
            ("border", arguments) => {
                let (border, rest) = super::border(&mut self.expect, arguments, form)?;
                let [value] = rest else {
                    return self.expect.arity(form, 0..=0, "(border KIND E)").and(None);
                };
                let node = self.expression(value)?;
                if matches!(border, Border::Constant(_)) && self.builder.facts(node).rate.is_none() {
                    return self.expect.report(
                        Diagnostic::error("no-edges", "a number has no edges: it is the same beyond them")
                            .label(value.span, "depends on no input")
                            .help("`(+ (* 0 INPUT) NUMBER)` is a number on the picture of an input"),
                    );
                }
                Operation::Border(border, node)
            }
            ("down" | "up", [x, y, value]) => {
                let period = self.sizes("a factor", &[x.clone(), y.clone()], MAX_PERIOD);
                let value = self.expression(value);
                match form.head {
                    "down" => Operation::Down { period: period?, phase: [0, 0], value: value? },
                    _ => Operation::Up(period?, value?),
                }
            }
            ("phase", [value, phases @ ..]) => self.phase(form, value, phases)?,
            ("interleave", rows) => self.interleave(rows)?,
            ("fold", [kind, rest @ ..]) => self.fold(kind, rest)?,
            ("histogram", [sizes @ .., index, weight]) => {
                let sizes = self.sizes("a number of pixels or planes", sizes, MAX_PERIOD);
                let (index, weight) = (self.expression(index), self.expression(weight));
                let [x, y, bins] = sizes?;
                Operation::Histogram { cell: [x, y], bins, index: index?, weight: weight? }
            }
            ("gather", [value, x, y, plane @ ..]) => {
                let value = self.expression(value);
                let by = [x, y].map(|sexp| self.expression(sexp));
                let plane = self.expressions(plane)?.first().copied();
                Operation::Gather { value: value?, by: [by[0]?, by[1]?], plane }
            }
            _ => unreachable!("the table of forms has these heads, with these numbers of arguments"),
        };
        self.push(form.span, operation)
    }

    /// Reads the rest of `(phase E X Y [SX SY])`.
    fn phase(&mut self, form: &Form<'_>, value: &Sexp, phases: &[Sexp]) -> Option<Operation> {
        let value = self.expression(value);
        let (at, periods) = phases.split_at(2);
        let period = match periods {
            [] => [2, 2],
            [_, _] => self.sizes("a period", periods, MAX_PERIOD)?,
            _ => return self.expect.arity(form, 5..=5, Self::usage(form)).and(None),
        };
        let mut phase = [0; 2];
        for (axis, sexp) in at.iter().enumerate() {
            let below = i64::from(period[axis]) - 1;
            phase[axis] = self.expect.integer("a phase below the period", sexp, 0..=below)? as u32;
        }
        Some(Operation::Down { period, phase, value: value? })
    }

    /// Reads the rows of `(interleave (E…)…)`.
    fn interleave(&mut self, rows: &[Sexp]) -> Option<Operation> {
        let mut all = Vec::new();
        let mut columns = None;
        for row in rows {
            let items = self.expect.list("a row of expressions", row)?;
            if items.is_empty() || columns.is_some_and(|columns| columns != items.len()) {
                let diagnostic = Diagnostic::error("ragged-rows", "rows of different lengths");
                return self
                    .expect
                    .report(diagnostic.label(row.span, format!("{} expressions", items.len())));
            }
            columns = Some(items.len());
            all.extend(self.expressions(items)?);
        }
        let period = [columns.unwrap_or(1), rows.len()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Some(Operation::Interleave(period, all))
    }

    /// Reads the rest of `(fold KIND (VARIABLE FIRST END)… E)`.
    fn fold(&mut self, kind: &Sexp, rest: &[Sexp]) -> Option<Operation> {
        let name = self.expect.name("a kind of fold", kind)?;
        let fold = self.expect.one_of("unknown-fold", "kind of fold", (name, kind.span), &Fold::ALL)?;
        let (value, variables) = rest.split_last()?;
        if fold == Fold::ArgumentOfMinimum && variables.len() != 1 {
            let diagnostic = Diagnostic::error("wrong-arity", "`argmin` takes one variable");
            return self.expect.report(diagnostic.label(kind.span, format!("found {}", variables.len())));
        }
        let outer = self.scope.len();
        let own: Vec<VariableId> = variables.iter().filter_map(|sexp| self.variable(sexp)).collect();
        // Without one of its variables, the value would have errors of its own.
        let value = if own.len() == variables.len() { self.expression(value) } else { None };
        self.scope.truncate(outer);
        Some(Operation::Fold(fold, own, value?))
    }

    /// Reads `(VARIABLE FIRST END)` and brings the variable into scope.
    fn variable(&mut self, sexp: &Sexp) -> Option<VariableId> {
        let Some([name, first, end]) = sexp.as_list() else {
            return self
                .expect
                .mismatch("a variable with its first value and its end, such as `(d 0 64)`", sexp);
        };
        let text = self.expect.name("the name of a variable", name)?;
        let reach = i64::from(MAX_REACH);
        let from = self.expect.integer("the first value", first, -reach..=reach)?;
        let end =
            self.expect.integer("the value after the last, greater than the first", end, from + 1..=reach)?;
        let variable = Variable { name: text.to_owned(), first: from as i32, end: end as i32 };
        let id = self.builder.variable(variable);
        self.scope.push(Scope { name: text.to_owned(), meaning: Meaning::Fold(id) });
        Some(id)
    }

    /// Reads a distance: a whole number, a variable of a fold, or a sum, difference or multiple of such.
    fn distance(&mut self, sexp: &Sexp) -> Option<Distance> {
        let reach = i64::from(MAX_REACH);
        if let Some(text) = sexp.as_atom() {
            let scope = self.scope.iter().rev().find(|scope| scope.name == text);
            if let Some(Scope { meaning: Meaning::Fold(id), .. }) = scope {
                return Some(Distance { constant: 0, factors: vec![(*id, 1)] });
            }
            let value = self.expect.integer("a distance in whole pixels", sexp, -reach..=reach)?;
            return Some(Distance { constant: value as i32, factors: Vec::new() });
        }
        let form = self.expect.form("a distance", sexp)?;
        let parts: Vec<_> = form.arguments.iter().filter_map(|part| self.distance(part)).collect();
        if parts.len() != form.arguments.len() {
            return None;
        }
        let result = match (form.head, parts.as_slice()) {
            ("+", [first, rest @ ..]) => rest.iter().try_fold(first.clone(), |sum, part| sum.plus(part, 1)),
            ("-" | "neg", [one]) => Distance::default().plus(one, -1),
            ("-", [first, rest @ ..]) => rest.iter().try_fold(first.clone(), |sum, part| sum.plus(part, -1)),
            ("*", [a, b]) if a.factors.is_empty() => Distance::default().plus(b, a.constant),
            ("*", [a, b]) if b.factors.is_empty() => Distance::default().plus(a, b.constant),
            _ => None,
        };
        result.or_else(|| {
            let diagnostic = Diagnostic::error("not-a-distance", "a distance that is not known when the file is read");
            let help = "a distance is made of whole numbers and variables of folds by `+`, `-` and multiples; `(gather E DX DY)` takes computed distances";
            self.expect.report(diagnostic.label(form.span, "expected such as `(+ d 20)`").help(help))
        })
    }
}

impl Distance {
    /// The sum with a multiple of another; `None` beyond the limits of distances.
    fn plus(mut self, other: &Self, times: i32) -> Option<Self> {
        let within = |value: i32| (-MAX_REACH..=MAX_REACH).contains(&value).then_some(value);
        self.constant = within(self.constant.checked_add(other.constant.checked_mul(times)?)?)?;
        for (id, factor) in &other.factors {
            let factor = factor.checked_mul(times)?;
            match self.factors.iter_mut().find(|(own, _)| own == id) {
                Some((_, own)) => *own = within(own.checked_add(factor)?)?,
                None => self.factors.push((*id, within(factor)?)),
            }
        }
        self.factors.retain(|(_, factor)| *factor != 0);
        self.factors.sort_unstable();
        Some(self)
    }
}
