//! What operations of a pipeline cost, roughly: in operations on vectors of pixels.

use crate::algebra::Kernel;
use crate::pipeline::id::NodeId;
use crate::pipeline::{Builder, Operation, Stencil};

/// A quotient, or a root: processors have no instruction for vectors of integers, so they go through floating point.
const DIVISION: usize = 8;
/// A look-up: no instruction reads a table for a whole vector.
const LOOK_UP: usize = 4;

/// The cost of an operation, without its operands; `is_one` says whether an operand is 1, -1 or the reciprocal of an integer. Signs and
/// denominators are free, as they are where a value is rounded; so is everything that only moves pixels.
pub fn price(operation: &Operation, is_one: &dyn Fn(NodeId) -> bool) -> usize {
    match operation {
        Operation::Add(list) | Operation::Minimum(list) | Operation::Maximum(list) => list.len() - 1,
        Operation::Multiply(list) => {
            (list.len() - 1).saturating_sub(list.iter().filter(|id| is_one(**id)).count())
        }
        Operation::Filter(Stencil::Linear(kernels), _) => kernels.iter().map(Kernel::nonzero_count).sum(),
        Operation::Filter(Stencil::Extreme(_, taps), _) => taps.iter().map(Vec::len).sum(),
        Operation::Absolute(_)
        | Operation::Compare(..)
        | Operation::Select(..)
        | Operation::Round(..)
        | Operation::Wrap(..)
        | Operation::Saturate(..)
        | Operation::Float(_) => 1,
        Operation::Quotient(..) | Operation::Root(_) => DIVISION,
        Operation::Table { .. } | Operation::Gather { .. } | Operation::Histogram { .. } => LOOK_UP,
        Operation::Input(_)
        | Operation::Constant(_)
        | Operation::Variable(_)
        | Operation::At(..)
        | Operation::Down { .. }
        | Operation::Up(..)
        | Operation::Interleave(..)
        | Operation::Border(..)
        | Operation::Fold(..) => 0,
    }
}

/// The cost of a node, without its operands.
pub(super) fn price_of(builder: &Builder, id: NodeId) -> usize {
    let is_one = |id: NodeId| match builder.operation(id) {
        Operation::Constant(value) => value.numerator().abs() == 1,
        _ => false,
    };
    price(builder.operation(id), &is_one)
}

/// How often each node is used, by outputs and by nodes that they need.
pub(super) fn uses(builder: &Builder, outputs: &[NodeId]) -> Vec<usize> {
    let mut uses = vec![0; builder.len()];
    outputs.iter().for_each(|id| uses[id.index()] += 1);
    for index in (0..builder.len()).rev() {
        if uses[index] > 0 {
            builder.operation(NodeId::new(index)).operands().iter().for_each(|id| uses[id.index()] += 1);
        }
    }
    uses
}

/// The cost of everything that outputs need.
pub(super) fn cost(builder: &Builder, outputs: &[NodeId]) -> usize {
    let uses = uses(builder, outputs);
    let needed = (0..builder.len()).filter(|index| uses[*index] > 0);
    needed.map(|index| price_of(builder, NodeId::new(index))).sum()
}
