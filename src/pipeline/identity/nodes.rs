//! Terms made as nodes of a pipeline.

use crate::algebra::Rational;
use crate::pipeline::Operation;
use crate::pipeline::build::Builder;
use crate::pipeline::id::NodeId;
use crate::syntax::Span;

use super::term::{Domain, Operator, Word};

/// The nodes of a pipeline under construction. Those that are made have this place.
pub(in crate::pipeline) struct Nodes<'b> {
    pub(in crate::pipeline) builder: &'b mut Builder,
    pub(in crate::pipeline) span: Span,
}

impl Domain for Nodes<'_> {
    type Value = NodeId;

    fn number(&mut self, value: Rational) -> Option<NodeId> {
        self.builder.push(self.span, Operation::Constant(value)).ok()
    }

    fn apply(&mut self, operator: Operator, operands: Vec<NodeId>) -> Option<NodeId> {
        self.builder.push(self.span, operator.operation(operands)?).ok()
    }
}

impl Operator {
    /// The operation of a pipeline on these operands; `None` for another number of them, or a word that is not known.
    pub(in crate::pipeline) fn operation(self, operands: Vec<NodeId>) -> Option<Operation> {
        Some(match (self, operands.as_slice()) {
            (Self::Add, _) => Operation::Add(operands),
            (Self::Multiply, _) => Operation::Multiply(operands),
            (Self::Minimum, _) => Operation::Minimum(operands),
            (Self::Maximum, _) => Operation::Maximum(operands),
            (Self::Quotient, [a, b]) => Operation::Quotient(*a, *b),
            (Self::Absolute, [a]) => Operation::Absolute(*a),
            (Self::Compare(comparison), [a, b]) => Operation::Compare(comparison, *a, *b),
            (Self::Select, [a, b, c]) => Operation::Select(*a, *b, *c),
            (Self::Root, [a]) => Operation::Root(*a),
            (Self::Round(Word::Is(rounding)), [a]) => Operation::Round(rounding, *a),
            (Self::Wrap(Word::Is(pixel)), [a]) => Operation::Wrap(pixel, *a),
            _ => return None,
        })
    }
}
