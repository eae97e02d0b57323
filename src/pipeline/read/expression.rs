//! Expressions: their forms, and the operations that these become.

use crate::algebra::Rational;
use crate::pipeline::build::used_at;
use crate::pipeline::id::NodeId;
use crate::pipeline::{Operation, PixelType};
use crate::syntax::{Diagnostic, Form, Fraction, Sexp, Span};

use super::Reader;
use super::names::{Found, Meaning};

const MANY: usize = usize::MAX;

/// The forms: head, the least and the greatest number of arguments, and how they are written.
const FORMS: [(&str, usize, usize, &str); 41] = [
    ("+", 1, MANY, "(+ E…)"),
    ("-", 1, MANY, "(- E E…)"),
    ("neg", 1, 1, "(neg E)"),
    ("*", 1, MANY, "(* E…)"),
    ("quotient", 2, 2, "(quotient E DIVISOR)"),
    ("floor-shift", 2, 2, "(floor-shift BITS E)"),
    ("shift-left", 2, 2, "(shift-left BITS E)"),
    ("abs", 1, 1, "(abs E)"),
    ("absdiff", 2, 2, "(absdiff E E)"),
    ("min", 1, MANY, "(min E…)"),
    ("max", 1, MANY, "(max E…)"),
    ("clamp", 3, 3, "(clamp LOW HIGH E)"),
    ("sqrt", 1, 1, "(sqrt E)"),
    ("<", 2, 2, "(< E E)"),
    ("<=", 2, 2, "(<= E E)"),
    (">", 2, 2, "(> E E)"),
    (">=", 2, 2, "(>= E E)"),
    ("=", 2, 2, "(= E E)"),
    ("!=", 2, 2, "(!= E E)"),
    ("and", 1, MANY, "(and E…)"),
    ("or", 1, MANY, "(or E…)"),
    ("not", 1, 1, "(not E)"),
    ("select", 3, 3, "(select CONDITION E E)"),
    ("wrap", 2, 2, "(wrap TYPE E)"),
    ("saturate", 2, 2, "(saturate TYPE E)"),
    ("round", 1, 2, "(round [floor|ceiling|zero|up|even] E)"),
    ("float", 1, 1, "(float E)"),
    ("table", 2, 2, "(table (VALUE…) INDEX)"),
    ("table-of", 3, 3, "(table-of X FORMULA INDEX)"),
    ("filter", 2, MANY, "(filter [(semiring NAME)] KERNEL E…)"),
    ("at", 3, 3, "(at E DX DY)"),
    ("border", 2, 3, "(border KIND E)"),
    ("down", 3, 3, "(down SX SY E)"),
    ("up", 3, 3, "(up SX SY E)"),
    ("phase", 3, 5, "(phase E X Y [SX SY])"),
    ("interleave", 1, MANY, "(interleave (E…)…)"),
    ("fold", 3, MANY, "(fold add|min|max|argmin (VARIABLE FIRST END)… E)"),
    ("histogram", 5, 5, "(histogram SX SY PLANES INDEX WEIGHT)"),
    ("gather", 3, 4, "(gather E DX DY [PLANE])"),
    // Items of a pipeline, to tell them from misspelt forms.
    ("let", 0, 0, ""),
    ("output", 0, 0, ""),
];

impl Reader {
    /// Reads an expression, and reports all its mistakes.
    pub(super) fn expression(&mut self, sexp: &Sexp) -> Option<NodeId> {
        let node = self.value(sexp)?;
        let is_stage = |name: &&str| self.scope.iter().all(|scope| scope.name != **name);
        let stage = sexp.as_atom().filter(is_stage).and_then(|name| self.names.written_at(name));
        self.builder.write_at(node, stage.unwrap_or(sexp.span));
        Some(node)
    }

    fn value(&mut self, sexp: &Sexp) -> Option<NodeId> {
        if let Some(text) = sexp.as_atom() {
            return self.atom(text, sexp);
        }
        let form = self.expect.form("an expression", sexp)?;
        let Some((_, low, high, usage)) = FORMS.into_iter().find(|(head, ..)| *head == form.head) else {
            return self.expect.unknown_form(&form, FORMS.map(|(head, ..)| head));
        };
        if usage.is_empty() {
            let message = format!("expected an expression, found `({} …)`", form.head);
            let label = format!("`{}` is an item of the pipeline, not an expression", form.head);
            return self.expect.report(Diagnostic::error("unexpected", message).label(form.head_span, label));
        }
        self.expect.arity(&form, low..=high, usage)?;
        match form.head {
            "table" | "table-of" => self.table(&form),
            "filter" => self.filter(&form),
            "at" | "border" | "down" | "up" | "phase" | "interleave" | "fold" | "histogram" | "gather" => {
                self.sampled(&form)
            }
            "wrap" | "saturate" | "round" | "float" | "floor-shift" | "shift-left" => self.narrowed(&form),
            _ => {
                let operands = self.expressions(form.arguments)?;
                self.arithmetic(&form, &operands)
            }
        }
    }

    /// Reads expressions; a mistake in one does not stop the others.
    pub(super) fn expressions(&mut self, sexps: &[Sexp]) -> Option<Vec<NodeId>> {
        let all: Vec<_> = sexps.iter().filter_map(|sexp| self.expression(sexp)).collect();
        (all.len() == sexps.len()).then_some(all)
    }

    /// Reads a number, a variable or the name of a stage.
    fn atom(&mut self, text: &str, sexp: &Sexp) -> Option<NodeId> {
        let is_number =
            text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
        if is_number {
            let Fraction { numerator, denominator } = self.expect.fraction("an expression", sexp)?;
            let value = Rational::new(numerator, denominator)?;
            return self.constant(sexp.span, value);
        }
        let name = self.expect.name("an expression", sexp)?;
        if let Some(scope) = self.scope.iter().rev().find(|scope| scope.name == name) {
            return match scope.meaning {
                Meaning::Fold(id) => self.push(sexp.span, Operation::Variable(id)),
                Meaning::Table(node) => Some(node),
            };
        }
        match self.names.find(name, sexp.span) {
            Some(Found::Stage(node)) => node,
            Some(Found::Missing(diagnostic)) => self.expect.report(*diagnostic),
            None => {
                let known = self.names.known();
                let scope: Vec<String> = self.scope.iter().map(|scope| scope.name.clone()).collect();
                let known = known.iter().chain(&scope).map(String::as_str);
                self.expect.unknown("unknown-stage", "stage", name, sexp.span, known)
            }
        }
    }

    pub(super) fn constant(&mut self, span: Span, value: Rational) -> Option<NodeId> {
        self.push(span, Operation::Constant(value))
    }

    pub(super) fn integer(&mut self, span: Span, value: i64) -> Option<NodeId> {
        self.constant(span, Rational::integer(value))
    }

    /// Reads the name of a type of integers.
    pub(super) fn integer_type(&mut self, sexp: &Sexp) -> Option<PixelType> {
        let pixel = super::pixel_type(&mut self.expect, sexp)?;
        if pixel != PixelType::Float32 {
            return Some(pixel);
        }
        let diagnostic = Diagnostic::error("float", "expected a type of integers, found `float32`")
            .label(sexp.span, "expected a type such as `uint8`");
        self.expect.report(diagnostic.help("`(float E)` converts to single precision"))
    }

    /// Reads positive whole numbers up to a limit.
    pub(super) fn sizes<const N: usize>(
        &mut self,
        what: &str,
        sexps: &[Sexp],
        most: u32,
    ) -> Option<[u32; N]> {
        let mut sizes = [1; N];
        for (size, sexp) in sizes.iter_mut().zip(sexps) {
            *size = self.expect.integer(what, sexp, 1..=most.into())? as u32;
        }
        Some(sizes)
    }

    /// Reports an operand that is refused, in the form at this place.
    pub(super) fn refuse<T>(&mut self, span: Span, result: Result<T, Box<Diagnostic>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => self.expect.report(*used_at(diagnostic, span)),
        }
    }

    /// Whether the form's head is one of an item.
    pub(super) fn usage(form: &Form<'_>) -> &'static str {
        FORMS.into_iter().find(|(head, ..)| *head == form.head).map_or("", |(.., usage)| usage)
    }
}
