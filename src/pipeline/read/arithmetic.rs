//! Point-wise forms: arithmetic, comparisons, choices, and losses of bits.

use crate::algebra::Rational;
use crate::pipeline::id::NodeId;
use crate::pipeline::identity::{Domain, Meaning, Operator, Term};
use crate::pipeline::{Operation, Rounding};
use crate::syntax::{Diagnostic, Form, Span};

use super::Reader;

/// Terms made as nodes of the pipeline that is read. Those that are made have this place.
struct Written<'r> {
    reader: &'r mut Reader,
    span: Span,
}

impl Domain for Written<'_> {
    type Value = NodeId;

    fn number(&mut self, value: Rational) -> Option<NodeId> {
        self.reader.constant(self.span, value)
    }

    fn apply(&mut self, operator: Operator, operands: Vec<NodeId>) -> Option<NodeId> {
        self.reader.push(self.span, operator.operation(operands)?)
    }
}

impl Reader {
    /// A form whose arguments are all expressions.
    pub(super) fn arithmetic(&mut self, form: &Form<'_>, operands: &[NodeId]) -> Option<NodeId> {
        let span = form.span;
        match (form.head, operands) {
            ("and" | "or", _) => self.truths(span, operands, &format!("an operand of `{}`", form.head))?,
            ("not", _) => self.truths(span, operands, "the operand of `not`")?,
            ("quotient", [a, b]) => return self.quotient(span, *a, *b),
            _ => {}
        }
        let term = Term::written(form.head, (0..operands.len()).map(Term::Unknown).collect());
        let term = term.expect("the table of forms has these heads, with these numbers of arguments");
        let meanings: Vec<_> = operands.iter().map(|id| Some(Meaning::Value(*id))).collect();
        term.value(&mut Written { reader: self, span }, &meanings)
    }

    fn truths(&mut self, span: Span, operands: &[NodeId], what: &str) -> Option<()> {
        for id in operands {
            let checked = self.builder.check_truth(*id, what);
            self.refuse(span, checked)?;
        }
        Some(())
    }

    fn quotient(&mut self, span: Span, a: NodeId, b: NodeId) -> Option<NodeId> {
        // By a constant: a multiple, rounded down, which is linear but for the rounding.
        let divisor = match self.builder.operation(b) {
            Operation::Constant(value) if !self.builder.facts(a).is_float() => Some(*value),
            _ => None,
        };
        match divisor.and_then(|divisor| Rational::ONE.div(divisor)) {
            Some(factor) => self.scaled_down(span, factor, a),
            None => self.push(span, Operation::Quotient(a, b)),
        }
    }

    /// ⌊factor · value⌋.
    fn scaled_down(&mut self, span: Span, factor: Rational, value: NodeId) -> Option<NodeId> {
        let factor = self.constant(span, factor)?;
        let product = self.push(span, Operation::Multiply(vec![factor, value]))?;
        self.rounded(span, Rounding::Floor, product)
    }

    fn rounded(&mut self, span: Span, rounding: Rounding, value: NodeId) -> Option<NodeId> {
        match self.builder.facts(value).range() {
            Some(range) if range.is_integer() => Some(value),
            _ => self.push(span, Operation::Round(rounding, value)),
        }
    }

    /// Forms that lose bits, change the type or shift: `wrap saturate round float floor-shift shift-left`.
    pub(super) fn narrowed(&mut self, form: &Form<'_>) -> Option<NodeId> {
        let span = form.span;
        let (value, first) = form.arguments.split_last()?;
        match (form.head, first) {
            ("float", []) => {
                let value = self.expression(value)?;
                self.push(span, Operation::Float(value))
            }
            ("round", []) => {
                let value = self.expression(value)?;
                self.rounded(span, Rounding::Up, value)
            }
            ("round", [mode]) => {
                let name = self.expect.name("a way to round", mode);
                let rounding = name.and_then(|name| {
                    let found = (name, mode.span);
                    self.expect.one_of("unknown-rounding", "way to round", found, &Rounding::ALL)
                });
                let value = self.expression(value);
                self.rounded(span, rounding?, value?)
            }
            ("floor-shift" | "shift-left", [bits]) => {
                let bits = self.expect.integer("a number of bits", bits, 0..=62);
                let value = self.expression(value);
                let (bits, value) = (bits? as i32, value?);
                if form.head == "shift-left" {
                    let factor = Rational::power_of_two(bits)?;
                    let factor = self.constant(span, factor)?;
                    return self.push(span, Operation::Multiply(vec![factor, value]));
                }
                if self.builder.facts(value).is_float() {
                    let diagnostic =
                        Diagnostic::error("float", "`floor-shift` of a value of single precision");
                    let diagnostic = diagnostic.label(span, "expected an exact value");
                    return self.expect.report(diagnostic.help("multiply it: `(* 1/256 E)`"));
                }
                self.scaled_down(span, Rational::power_of_two(-bits)?, value)
            }
            (_, [pixel]) => {
                let pixel = self.integer_type(pixel);
                let value = self.expression(value);
                let (pixel, value) = (pixel?, value?);
                if form.head == "saturate" && self.builder.facts(value).is_float() {
                    return self.push(span, Operation::Saturate(pixel, value));
                }
                let checked = self.builder.check_integer(value, &format!("`{}`", form.head));
                self.refuse(span, checked)?;
                let range = self.builder.facts(value).range()?;
                if pixel.holds(range.least, range.greatest) {
                    return Some(value);
                }
                if form.head == "wrap" {
                    return self.push(span, Operation::Wrap(pixel, value));
                }
                self.limited(span, pixel.limits()?, value)
            }
            _ => self.expect.arity(form, 2..=2, Self::usage(form)).and(None),
        }
    }

    /// The value limited to an interval of a type.
    fn limited(&mut self, span: Span, [low, high]: [i128; 2], value: NodeId) -> Option<NodeId> {
        let range = self.builder.facts(value).range()?;
        let mut value = value;
        if range.greatest > high {
            let high = self.integer(span, i64::try_from(high).ok()?)?;
            value = self.push(span, Operation::Minimum(vec![high, value]))?;
        }
        if range.least < low {
            let low = self.integer(span, i64::try_from(low).ok()?)?;
            value = self.push(span, Operation::Maximum(vec![low, value]))?;
        }
        Some(value)
    }
}
