//! Where each node is needed: backward from the outputs.

use crate::algebra::Rational;
use crate::pipeline::{NodeId, Operation, Pipeline};

use super::ExecuteError;
use super::plane::Rect;

/// The size of a picture of this rate; `None` if it is not whole.
pub(super) fn size(base: [i64; 2], rate: [Rational; 2]) -> Option<[i64; 2]> {
    let along = |axis: usize| {
        let samples = i128::from(base[axis]) * i128::from(rate[axis].numerator());
        let denominator = i128::from(rate[axis].denominator());
        (samples % denominator == 0).then(|| i64::try_from(samples / denominator).ok()).flatten()
    };
    Some([along(0)?, along(1)?])
}

/// The rectangle in which each node is needed, if it is.
pub(super) fn needs(
    pipeline: &Pipeline,
    base: [i64; 2],
    wanted: &[(NodeId, Rect)],
) -> Result<Vec<Option<Rect>>, ExecuteError> {
    let mut needs: Vec<Option<Rect>> = vec![None; pipeline.nodes.len()];
    let add = |needs: &mut Vec<Option<Rect>>, id: NodeId, rect: Rect| {
        let slot = &mut needs[id.index()];
        *slot = Some(slot.map_or(rect, |before| before.union(rect)));
    };
    wanted.iter().for_each(|(id, rect)| add(&mut needs, *id, *rect));
    for id in pipeline.ids().rev() {
        let Some(rect) = needs[id.index()] else { continue };
        let node = pipeline.node(id);
        let planes = u128::from(node.facts.planes.unwrap_or(1));
        let pixels = rect.width as u128 * rect.height as u128 * planes;
        if pixels > ExecuteError::MAX_PIXELS {
            return Err(ExecuteError::TooLarge { span: node.span, pixels });
        }
        for (number, operand) in node.operation.operands().into_iter().enumerate() {
            if let Some(rect) = needed(pipeline, base, &node.operation, number, rect)? {
                add(&mut needs, operand, rect);
            }
        }
    }
    Ok(needs)
}

/// The rectangle in which an operation that is needed in `rect` needs the operand with this number.
fn needed(
    pipeline: &Pipeline,
    base: [i64; 2],
    operation: &Operation,
    number: usize,
    rect: Rect,
) -> Result<Option<Rect>, ExecuteError> {
    let (first, last) = ([rect.x, rect.y], rect.last());
    let both = |with: &dyn Fn(i64, usize) -> i64| {
        Rect::between([with(first[0], 0), with(first[1], 1)], [with(last[0], 0), with(last[1], 1)])
    };
    Ok(Some(match operation {
        Operation::Filter(stencil, _) => {
            let offsets = stencil.offsets(number);
            let moved = |[x, y, _]: &[i32; 3]| reach(rect, [[i64::from(*x); 2], [i64::from(*y); 2]]);
            let Some(all) = offsets.iter().map(moved).reduce(Rect::union) else { return Ok(None) };
            all
        }
        Operation::At([x, y], _) => {
            reach(rect, [x.limits(&pipeline.variables), y.limits(&pipeline.variables)])
        }
        Operation::Gather { by, .. } if number == 0 => {
            let limits = by.map(|id| {
                let range = pipeline.facts(id).range().expect("distances are integers");
                [range.least as i64, range.greatest as i64]
            });
            reach(rect, limits)
        }
        Operation::Down { period, phase, .. } => {
            both(&|at, axis| at * i64::from(period[axis]) + i64::from(phase[axis]))
        }
        Operation::Up(period, _) | Operation::Interleave(period, _) => {
            both(&|at, axis| at.div_euclid(i64::from(period[axis])))
        }
        Operation::Histogram { cell, .. } => {
            let [p, q] = cell.map(i64::from);
            Rect::between([first[0] * p, first[1] * q], [last[0] * p + p - 1, last[1] * q + q - 1])
        }
        Operation::Border(_, value) => match pipeline.facts(*value).rate {
            None => rect,
            Some(rate) => {
                let what = "a value with a border";
                let size = size(base, rate).filter(|size| size.iter().all(|side| *side > 0));
                let rate = crate::pipeline::rate::rate_text(rate);
                let [width, height] =
                    size.ok_or(ExecuteError::Fraction { what: what.to_owned(), rate, base })?;
                Rect { x: 0, y: 0, width, height }
            }
        },
        _ => rect,
    }))
}

/// The rectangle at all of these distances: `x` to the east, `y` to the north.
fn reach(rect: Rect, [x, y]: [[i64; 2]; 2]) -> Rect {
    let [right, bottom] = rect.last();
    Rect::between([rect.x + x[0], rect.y - y[1]], [right + x[1], bottom - y[0]])
}
