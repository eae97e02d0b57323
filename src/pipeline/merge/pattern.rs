//! Values that depend on the place of a pixel and on nothing else: computed once, as numbers that repeat.
//!
//! `interleave` makes such values of numbers. They have any rate, so what is computed from them may be moved, repeated or
//! thinned like other values, and still have no rate. Compilers then find them as numbers that are interleaved, and nothing else.

use std::iter::zip;

use crate::algebra::Rational;
use crate::pipeline::id::NodeId;
use crate::pipeline::{
    Builder, Data, Image, Operation, Output, Pipeline, PixelType, common_multiple, execute,
};

/// The greatest number of values that repeat.
const MAX_CELL: usize = 1 << 12;

/// The pipeline with its patterns as interleaved numbers, and the new node of each node.
pub(super) fn patterned(pipeline: &Pipeline) -> (Builder, Vec<NodeId>) {
    let source = Builder::from_pipeline(pipeline);
    let patterns = patterns(pipeline);
    if patterns.iter().all(Option::is_none) {
        return (source, pipeline.ids().collect());
    }
    let mut builder = source.emptied();
    let mut map: Vec<NodeId> = Vec::new();
    for (id, pattern) in pipeline.ids().zip(patterns) {
        let span = source.span(id);
        let mut push =
            |operation| builder.push(span, operation).expect("an equal value was accepted in the pipeline");
        let made = match pattern {
            Some((period, numbers)) => {
                let numbers = numbers.into_iter().map(|number| push(Operation::Constant(number))).collect();
                push(Operation::Interleave(period, numbers))
            }
            None => push(source.operation(id).map(|operand| map[operand.index()])),
        };
        map.push(made);
    }
    (builder, map)
}

/// Columns and rows after which a value repeats itself, and its values up to there.
type Pattern = ([u32; 2], Vec<Rational>);

/// The pattern of each node that has one and is not one as it stands. None if the executor cannot compute them.
fn patterns(pipeline: &Pipeline) -> Vec<Option<Pattern>> {
    let mut periods: Vec<Option<[u32; 2]>> = Vec::new();
    let mut outputs = Vec::new();
    for id in pipeline.ids() {
        let period = period(&pipeline.node(id).operation, &periods);
        periods.push(period.filter(|[x, y]| *x as usize * *y as usize <= MAX_CELL));
        let facts = pipeline.facts(id);
        let is_pattern = facts.rate.is_none() && facts.planes.is_none() && facts.variables.is_empty();
        if let Some(period) = periods[id.index()]
            && is_pattern
            && !facts.is_float()
            && !is_plain(pipeline, id)
        {
            outputs.push(output(pipeline, id, period));
        }
    }
    let mut found = vec![None; pipeline.nodes.len()];
    if !outputs.is_empty() {
        // Without inputs, the grid has one column and one row.
        let alone = Pipeline { inputs: Vec::new(), outputs, ..pipeline.clone() };
        for (output, image) in zip(&alone.outputs, execute(&alone, &[]).unwrap_or_default()) {
            let id = output.node;
            found[id.index()] = periods[id.index()].zip(values(&image, pipeline.facts(id).denominator()));
        }
    }
    found
}

/// A node as an output of a period.
fn output(pipeline: &Pipeline, node: NodeId, period: [u32; 2]) -> Output {
    Output {
        name: String::new(),
        span: pipeline.node(node).span,
        node,
        pixel: PixelType::Integer { bits: 64, signed: true },
        rate: period.map(|size| Rational::integer(size.into())),
    }
}

/// Whether a node is a number or interleaved numbers.
fn is_plain(pipeline: &Pipeline, id: NodeId) -> bool {
    let is_number = |id: &NodeId| matches!(pipeline.node(*id).operation, Operation::Constant(_));
    match &pipeline.node(id).operation {
        Operation::Interleave(_, list) => list.iter().all(is_number),
        _ => is_number(&id),
    }
}

/// Columns and rows after which the value of an operation repeats itself; `None` if it depends on an input, or for too many.
fn period(operation: &Operation, known: &[Option<[u32; 2]>]) -> Option<[u32; 2]> {
    let mut all = [1u32; 2];
    for operand in operation.operands() {
        let own = known[operand.index()]?;
        all = both(|axis| u32::try_from(common_multiple(all[axis].into(), own[axis].into())?).ok())?;
    }
    match operation {
        Operation::Input(_) => None,
        Operation::Up(by, _) | Operation::Interleave(by, _) => both(|axis| all[axis].checked_mul(by[axis])),
        Operation::Down { period: by, .. } | Operation::Histogram { cell: by, .. } => both(|axis| {
            Some(u32::try_from(common_multiple(all[axis].into(), by[axis].into())?).ok()? / by[axis])
        }),
        _ => Some(all),
    }
}

/// A number for each axis.
fn both(of: impl Fn(usize) -> Option<u32>) -> Option<[u32; 2]> {
    Some([of(0)?, of(1)?])
}

/// The values of a picture of numerators, row by row. `None` if they are beyond 64 bits.
fn values(image: &Image, denominator: i128) -> Option<Vec<Rational>> {
    let Data::Exact(numerators) = &image.data else { return None };
    let denominator = i64::try_from(denominator).ok()?;
    numerators.iter().map(|n| Rational::new(i64::try_from(*n).ok()?, denominator)).collect()
}
