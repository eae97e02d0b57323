//! At which strides in the raster values are read, and which planes they have.

use std::collections::BTreeSet;

use super::refusal::{output_refusal, refusal};
use crate::algebra::Rational;
use crate::backend::hardware::machine::common_divisor;
use crate::pipeline::{NodeId, Operation, Pipeline};
use crate::syntax::{Diagnostic, Span};

/// The columns and rows of the raster from one pixel of a value to the next.
pub(super) type Stride = [u32; 2];

/// What a rate leads to: a stride, or nothing.
pub(super) type Found = Result<Stride, ()>;

/// The strides at which the values of a pipeline are read.
pub(super) struct Shapes<'p> {
    pipeline: &'p Pipeline,
    strides: Vec<BTreeSet<Stride>>,
}

/// The stride of a rate, if it is a whole number.
pub(super) fn stride(rate: [Rational; 2]) -> Found {
    let along = |axis: usize| match (rate[axis].numerator(), u32::try_from(rate[axis].denominator())) {
        (1, Ok(period)) if period <= 1 << 16 => Ok(period),
        _ => Err(()),
    };
    Ok([along(0)?, along(1)?])
}

/// The most columns or rows from one result to the next.
const MAX_BETWEEN_RESULTS: u32 = 1 << 12;

/// The columns and rows from one result to the next: where outputs have several rates, pixels of all are among the results.
///
/// # Errors
/// An output whose rate is not 1 or 1 by a whole number.
pub fn lattice(pipeline: &Pipeline) -> Result<[usize; 2], Box<Diagnostic>> {
    let mut found: Option<[usize; 2]> = None;
    for output in &pipeline.outputs {
        let every =
            stride(output.rate).ok().filter(|every| every.iter().all(|one| *one <= MAX_BETWEEN_RESULTS));
        let Some(every) = every else {
            let what = "an output whose rate is not 1 or 1 by a whole number";
            return Err(output_refusal(output.span, what));
        };
        let every = every.map(|every| every as usize);
        found =
            Some(found.map_or(every, |found| [0, 1].map(|axis| common_divisor(found[axis], every[axis]))));
    }
    Ok(found.unwrap_or([1, 1]))
}

impl<'p> Shapes<'p> {
    /// The shapes of what the outputs need.
    ///
    /// # Errors
    /// A value whose rate is no part of that of the base grid.
    pub(super) fn new(pipeline: &'p Pipeline) -> Result<Self, Box<Diagnostic>> {
        let mut shapes = Self { pipeline, strides: vec![BTreeSet::new(); pipeline.nodes.len()] };
        for output in &pipeline.outputs {
            let stride = shapes.of(output.node, stride(output.rate))?;
            shapes.strides[output.node.index()].insert(stride);
        }
        for id in pipeline.ids().rev() {
            for stride in shapes.strides(id) {
                let node = pipeline.node(id);
                for operand in node.operation.operands() {
                    let inner = shapes.of(operand, inner(&node.operation, stride))?;
                    shapes.strides[operand.index()].insert(inner);
                }
            }
        }
        Ok(shapes)
    }

    /// The stride of a value: of its rate, or where it is the same at every rate, that of its reader.
    pub(super) fn of(&self, id: NodeId, reader: Found) -> Result<Stride, Box<Diagnostic>> {
        let node = self.pipeline.node(id);
        if matches!(node.operation, Operation::Constant(_)) {
            return Ok([1, 1]);
        }
        node.facts.rate.map_or(reader, stride).map_err(|()| beyond(node.span))
    }

    /// The strides at which a value is read, none if it is not.
    pub(super) fn strides(&self, id: NodeId) -> Vec<Stride> {
        self.strides[id.index()].iter().copied().collect()
    }

    /// The plane `above` planes higher than this one, of a value that may have planes. `None` if there is no such plane.
    pub(super) fn plane(&self, id: NodeId, plane: u32, above: i32) -> Option<u32> {
        match self.pipeline.facts(id).planes {
            Some(planes) => plane.checked_add_signed(above).filter(|plane| *plane < planes),
            None => Some(plane),
        }
    }
}

fn beyond(span: Span) -> Box<Diagnostic> {
    refusal(span, "a rate that is not one pixel for a whole number of columns and rows of the base grid")
}

/// The stride at which an operation reads its operands, if it is read at `stride`.
pub(super) fn inner(operation: &Operation, stride: Stride) -> Found {
    let along = |with: &dyn Fn(u32, usize) -> Option<u32>| match (with(stride[0], 0), with(stride[1], 1)) {
        (Some(x), Some(y)) => Ok([x, y]),
        _ => Err(()),
    };
    match operation {
        Operation::Down { period, .. } | Operation::Histogram { cell: period, .. } => {
            along(&|of, axis| of.is_multiple_of(period[axis]).then(|| of / period[axis]))
        }
        Operation::Up(period, _) | Operation::Interleave(period, _) => {
            along(&|of, axis| of.checked_mul(period[axis]).filter(|of| *of <= 1 << 16))
        }
        _ => Ok(stride),
    }
}
