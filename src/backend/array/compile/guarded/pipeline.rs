//! The outputs of a pipeline as functions: what a program with conditions is compared with.
//!
//! Pixels count as real numbers of any size, and borders do not count: results are compared where all pixels are inside.

use crate::algebra::{Choice, Kernel, Offset, PlusTimes, Rational};
use crate::backend::array::verify::guarded::{Affine, Id, Space, TRUTHS, Trouble, Value};
use crate::pipeline::{Comparison, NodeId, Operation, Pipeline, Stencil};
use crate::syntax::{Diagnostic, Span};

/// Why an output of a pipeline has no function.
enum Refusal {
    /// An operation that is not piecewise linear, with its place.
    Operation(Span, &'static str),
    /// A function that cannot be followed.
    Trouble(Trouble),
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// The function of each output: a truth value where `bits` says so, otherwise a number.
///
/// # Errors
/// An operation that is not piecewise linear, at its place.
pub(super) fn functions(
    space: &mut Space,
    channels: &[u16],
    pipeline: &Pipeline,
    bits: &[bool],
) -> Result<Vec<Value>, Diagnostic> {
    let mut known: Vec<Result<Id, Refusal>> = Vec::with_capacity(pipeline.nodes.len());
    for id in pipeline.ids() {
        let made = Reader { space, channels, pipeline, known: &known }.node(id);
        known.push(made);
    }
    let mut found = Vec::new();
    for (output, bit) in pipeline.outputs.iter().zip(bits) {
        let value = match &known[output.node.index()] {
            Ok(id) if *bit => space.diagrams.positive(*id),
            Ok(id) => Ok(*id),
            Err(Refusal::Trouble(trouble)) => Err(*trouble),
            Err(Refusal::Operation(span, what)) => {
                let message = format!("{what} cannot be compared with a program of an array");
                let help =
                    "sums, multiples, filters, abs, min, max, comparisons, select and truth values can";
                return Err(Diagnostic::error("not-comparable", message)
                    .label(*span, "used here")
                    .help(help));
            }
        };
        found.push(value);
    }
    Ok(found)
}

struct Reader<'a> {
    space: &'a mut Space,
    channels: &'a [u16],
    pipeline: &'a Pipeline,
    known: &'a [Result<Id, Refusal>],
}

impl Reader<'_> {
    fn of(&self, id: NodeId) -> Result<Id, Refusal> {
        match &self.known[id.index()] {
            Ok(id) => Ok(*id),
            Err(Refusal::Operation(span, what)) => Err(Refusal::Operation(*span, what)),
            Err(Refusal::Trouble(trouble)) => Err(Refusal::Trouble(*trouble)),
        }
    }

    fn all(&self, ids: &[NodeId]) -> Result<Vec<Id>, Refusal> {
        ids.iter().map(|id| self.of(*id)).collect()
    }

    fn node(&mut self, id: NodeId) -> Result<Id, Refusal> {
        let node = self.pipeline.node(id);
        let no = |what| Err(Refusal::Operation(node.span, what));
        match &node.operation {
            Operation::Input(index) => self.input(*index),
            Operation::Constant(value) => self.number(*value),
            Operation::Filter(Stencil::Linear(kernels), operands) => {
                if kernels.iter().flat_map(|kernel| kernel.nonzero_taps()).any(|(offset, _)| offset[2] != 0) {
                    return no("a filter over planes");
                }
                let operands = self.all(operands)?;
                self.filtered(kernels, &operands)
            }
            Operation::Filter(Stencil::Extreme(choice, taps), operands) => {
                let operands = self.all(operands)?;
                self.extreme_filter(*choice, taps, &operands)
            }
            Operation::At([x, y], value) if x.factors.is_empty() && y.factors.is_empty() => {
                let value = self.of(*value)?;
                Ok(self.space.diagrams.moved(value, [x.constant, y.constant, 0])?)
            }
            Operation::Border(_, value) => self.of(*value),
            Operation::Add(list) => self.sum(&self.all(list)?),
            Operation::Multiply(list) => {
                let mut product = self.number(Rational::ONE)?;
                for operand in self.all(list)? {
                    product = match self.space.diagrams.product(product, operand)? {
                        Some(product) => product,
                        None => return no("a product of values that both depend on pixels"),
                    };
                }
                Ok(product)
            }
            Operation::Absolute(value) => {
                let value = self.of(*value)?;
                let negative = self.space.diagrams.scale(value, Rational::integer(-1))?;
                self.extreme(Choice::Greatest, value, negative)
            }
            Operation::Minimum(list) => self.extremes(Choice::Least, &self.all(list)?),
            Operation::Maximum(list) => self.extremes(Choice::Greatest, &self.all(list)?),
            Operation::Compare(comparison, a, b) => {
                let (a, b) = (self.of(*a)?, self.of(*b)?);
                let holds = self.compared(*comparison, a, b)?;
                self.truth(holds)
            }
            Operation::Select(condition, yes, no) => {
                let condition = self.of(*condition)?;
                let holds = self.space.diagrams.positive(condition)?;
                let (yes, no) = (self.of(*yes)?, self.of(*no)?);
                Ok(self.space.diagrams.choose(holds, yes, no)?)
            }
            Operation::Quotient(..) | Operation::Round(..) => no("rounding"),
            Operation::Table { .. } => no("a table"),
            Operation::Root(_) => no("a square root"),
            Operation::Wrap(..) | Operation::Saturate(..) | Operation::Float(_) => no("a conversion"),
            _ => no("an operation that changes rates, folds or gathers"),
        }
    }

    fn sum(&mut self, values: &[Id]) -> Result<Id, Refusal> {
        let mut sum = self.number(Rational::ZERO)?;
        for value in values {
            sum = self.space.diagrams.add(sum, *value)?;
        }
        Ok(sum)
    }

    /// 1 where a condition holds, 0 elsewhere.
    fn truth(&mut self, holds: Id) -> Result<Id, Refusal> {
        let [no, yes] = [self.number(Rational::ZERO)?, self.number(Rational::ONE)?];
        Ok(self.space.diagrams.choose(holds, yes, no)?)
    }

    /// Σ kernel · operand.
    fn filtered(&mut self, kernels: &[Kernel<PlusTimes>], operands: &[Id]) -> Result<Id, Refusal> {
        let mut sum = self.number(Rational::ZERO)?;
        for (kernel, operand) in kernels.iter().zip(operands) {
            for (offset, coefficient) in kernel.nonzero_taps() {
                let moved = self.space.diagrams.moved(*operand, offset)?;
                let scaled = self.space.diagrams.scale(moved, coefficient)?;
                sum = self.space.diagrams.add(sum, scaled)?;
            }
        }
        Ok(sum)
    }

    fn number(&mut self, value: Rational) -> Result<Id, Refusal> {
        Ok(self.space.diagrams.linear(Affine::constant(value))?)
    }

    /// An input: a number, or a bit as 0 or 1.
    fn input(&mut self, index: usize) -> Result<Id, Refusal> {
        let channel = self.channels[index];
        let value = self.space.value(channel)?;
        if !self.space.channels[usize::from(channel)].bit {
            return Ok(value);
        }
        self.truth(value)
    }

    /// Whether `a` is greater than `b`.
    fn greater(&mut self, a: Id, b: Id) -> Result<Id, Refusal> {
        let negative = self.space.diagrams.scale(b, Rational::integer(-1))?;
        let difference = self.space.diagrams.add(a, negative)?;
        Ok(self.space.diagrams.positive(difference)?)
    }

    fn compared(&mut self, comparison: Comparison, a: Id, b: Id) -> Result<Id, Refusal> {
        match comparison {
            Comparison::Less => self.greater(b, a),
            Comparison::AtMost => {
                let greater = self.greater(a, b)?;
                Ok(self.space.diagrams.not(greater)?)
            }
            Comparison::Equal => {
                let [one, other] = [self.greater(a, b)?, self.greater(b, a)?];
                let differ = self.space.diagrams.choose(one, TRUTHS[1], other)?;
                Ok(self.space.diagrams.not(differ)?)
            }
        }
    }

    fn extreme(&mut self, choice: Choice, a: Id, b: Id) -> Result<Id, Refusal> {
        let other = match choice {
            Choice::Greatest => self.greater(b, a)?,
            Choice::Least => self.greater(a, b)?,
        };
        Ok(self.space.diagrams.choose(other, b, a)?)
    }

    fn extremes(&mut self, choice: Choice, values: &[Id]) -> Result<Id, Refusal> {
        let mut values = values.iter().copied();
        let mut best = values.next().ok_or(Refusal::Trouble(Trouble::Large))?;
        for value in values {
            best = self.extreme(choice, best, value)?;
        }
        Ok(best)
    }

    fn extreme_filter(
        &mut self,
        choice: Choice,
        taps: &[Vec<(Offset, Rational)>],
        operands: &[Id],
    ) -> Result<Id, Refusal> {
        let mut values = Vec::new();
        for (taps, operand) in taps.iter().zip(operands) {
            for (offset, weight) in taps {
                let moved = self.space.diagrams.moved(*operand, *offset)?;
                let weight = self.number(*weight)?;
                values.push(self.space.diagrams.add(moved, weight)?);
            }
        }
        self.extremes(choice, &values)
    }
}
