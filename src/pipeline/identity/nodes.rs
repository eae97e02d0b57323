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
        let operation = match (operator, operands.as_slice()) {
            (Operator::Add, _) => Operation::Add(operands),
            (Operator::Multiply, _) => Operation::Multiply(operands),
            (Operator::Minimum, _) => Operation::Minimum(operands),
            (Operator::Maximum, _) => Operation::Maximum(operands),
            (Operator::Quotient, [a, b]) => Operation::Quotient(*a, *b),
            (Operator::Absolute, [a]) => Operation::Absolute(*a),
            (Operator::Compare(comparison), [a, b]) => Operation::Compare(comparison, *a, *b),
            (Operator::Select, [a, b, c]) => Operation::Select(*a, *b, *c),
            (Operator::Root, [a]) => Operation::Root(*a),
            (Operator::Round(Word::Is(rounding)), [a]) => Operation::Round(rounding, *a),
            (Operator::Wrap(Word::Is(pixel)), [a]) => Operation::Wrap(pixel, *a),
            _ => return None,
        };
        self.builder.push(self.span, operation).ok()
    }
}
