//! The reference executor: every node on whole pictures, by loops over pixels and taps.
//!
//! It shares nothing with compilers, and uses no facts about values but their denominators, and the intervals of computed
//! distances. First it notes the part of the plane in which each node is needed; then it computes the nodes in order.

mod error;
mod exact;
mod float;
mod needs;
mod plane;

use std::sync::Arc;

use super::{Fold, NodeId, Number, Operation, Pipeline, PixelType, VariableId};

pub use error::ExecuteError;
pub use plane::{Data, Image};

use plane::{Place, Plane, Rect};

/// Computes the outputs of a pipeline from pictures, one for each input, in order.
///
/// # Errors
/// Pictures whose sizes do not go together or do not fit the rates, samples beyond the type of their input, and pictures
/// too large to compute.
///
/// # Panics
/// If there are more or fewer pictures than inputs.
pub fn execute(pipeline: &Pipeline, pictures: &[Image]) -> Result<Vec<Image>, ExecuteError> {
    assert_eq!(pictures.len(), pipeline.inputs.len(), "a picture for each input");
    let base = base(pipeline, pictures)?;
    let mut wanted = Vec::new();
    for output in &pipeline.outputs {
        let size = needs::size(base, output.rate)
            .ok_or_else(|| ExecuteError::fraction(&output.name, output.rate, base))?;
        wanted.push((output.node, Rect { x: 0, y: 0, width: size[0], height: size[1] }));
    }
    let needs = needs::needs(pipeline, base, &wanted)?;
    let mut run = Run {
        pipeline,
        pictures,
        base,
        needs,
        held: vec![None; pipeline.nodes.len()],
        values: vec![0; pipeline.variables.len()],
        frames: Vec::new(),
    };
    let last = last_uses(pipeline);
    for id in pipeline.ids() {
        if run.needs[id.index()].is_none() || !pipeline.facts(id).variables.is_empty() {
            continue;
        }
        let plane = run.compute(id)?;
        run.held[id.index()] = Some(Arc::new(plane));
        for operand in pipeline.node(id).operation.operands() {
            if last[operand.index()] <= id.index() {
                run.held[operand.index()] = None;
            }
        }
    }
    let outputs = wanted.iter().zip(&pipeline.outputs);
    Ok(outputs.map(|((node, rect), output)| run.plane(*node).image(*rect, output.pixel)).collect())
}

/// The size of the base grid, which the sizes of the pictures and the rates of the inputs give.
fn base(pipeline: &Pipeline, pictures: &[Image]) -> Result<[i64; 2], ExecuteError> {
    let mut base: Option<([i64; 2], &str)> = None;
    for (input, picture) in pipeline.inputs.iter().zip(pictures) {
        let size = [picture.width, picture.height];
        let along = |axis: usize| {
            let rate = input.rate[axis];
            let samples = size[axis] as i128 * i128::from(rate.denominator());
            let whole = samples % i128::from(rate.numerator()) == 0 && samples > 0;
            whole.then(|| i64::try_from(samples / i128::from(rate.numerator())).ok()).flatten()
        };
        let (Some(x), Some(y)) = (along(0), along(1)) else {
            let (name, rate) = (input.name.clone(), super::rate::rate_text(input.rate));
            return Err(ExecuteError::InputSize { name, size, rate });
        };
        match base {
            Some((before, name)) if before != [x, y] => {
                let names = [name.to_owned(), input.name.clone()];
                return Err(ExecuteError::DifferentSizes { names, bases: [before, [x, y]] });
            }
            _ => base = Some(([x, y], &input.name)),
        }
        check_samples(input, picture)?;
    }
    Ok(base.map_or([1, 1], |(base, _)| base))
}

fn check_samples(input: &super::Input, picture: &Image) -> Result<(), ExecuteError> {
    let Data::Exact(values) = &picture.data else { return Ok(()) };
    let beyond = |value: &i128| input.pixel != PixelType::Float32 && !input.pixel.holds(*value, *value);
    match values.iter().position(beyond) {
        Some(at) => Err(ExecuteError::Sample {
            name: input.name.clone(),
            value: values[at],
            place: [at % picture.width, at / picture.width],
            pixel: input.pixel,
        }),
        None => Ok(()),
    }
}

/// The index of the last node that reads each node. What a fold reads is needed until the end, as is every output.
fn last_uses(pipeline: &Pipeline) -> Vec<usize> {
    let mut last = vec![0; pipeline.nodes.len()];
    for id in pipeline.ids() {
        let depends = !pipeline.facts(id).variables.is_empty();
        for operand in pipeline.node(id).operation.operands() {
            let last = &mut last[operand.index()];
            *last = (*last).max(if depends { usize::MAX } else { id.index() });
        }
    }
    for output in &pipeline.outputs {
        last[output.node.index()] = usize::MAX;
    }
    last
}

/// A fold that is being computed: its variables, and the nodes that depend on their present values.
struct Frame {
    variables: Vec<VariableId>,
    held: Vec<(NodeId, Arc<Plane>)>,
}

/// The state of an execution.
struct Run<'p> {
    pipeline: &'p Pipeline,
    pictures: &'p [Image],
    base: [i64; 2],
    needs: Vec<Option<Rect>>,
    /// The nodes that do not depend on variables.
    held: Vec<Option<Arc<Plane>>>,
    /// The present values of variables.
    values: Vec<i32>,
    frames: Vec<Frame>,
}

impl Run<'_> {
    /// A node that does not depend on variables and was computed.
    fn plane(&self, id: NodeId) -> Arc<Plane> {
        self.held[id.index()].clone().expect("nodes are computed in order and held until their last use")
    }

    /// An operand, computed now if it depends on variables.
    fn operand(&mut self, id: NodeId) -> Result<Arc<Plane>, ExecuteError> {
        let own = &self.pipeline.facts(id).variables;
        let frame = self.frames.iter().rposition(|frame| frame.variables.iter().any(|v| own.contains(v)));
        let Some(frame) = frame else { return Ok(self.plane(id)) };
        if let Some((_, plane)) = self.frames[frame].held.iter().find(|(held, _)| *held == id) {
            return Ok(plane.clone());
        }
        let plane = Arc::new(self.compute(id)?);
        self.frames[frame].held.push((id, plane.clone()));
        Ok(plane)
    }

    /// Computes a node where it is needed.
    fn compute(&mut self, id: NodeId) -> Result<Plane, ExecuteError> {
        let pipeline = self.pipeline;
        let node = pipeline.node(id);
        let rect = self.needs[id.index()].expect("what is computed is needed");
        let place = Place { rect, planes: node.facts.planes.map(|planes| planes as usize) };
        match &node.operation {
            Operation::Fold(fold, own, value) => return self.fold(place, *fold, own, *value),
            Operation::Input(index) => return self.input(place, *index),
            _ => {}
        }
        let mut operands = Vec::new();
        for operand in node.operation.operands() {
            // Of an operand whose kernel is zero, nothing is needed.
            let plane = match self.needs[operand.index()] {
                Some(_) => self.operand(operand)?,
                None => Arc::new(Plane::empty()),
            };
            operands.push(plane);
        }
        let denominators: Vec<i128> =
            node.operation.operands().iter().map(|id| self.denominator(*id)).collect();
        let domain = node.facts.rate.and_then(|rate| needs::size(self.base, rate));
        let of =
            exact::Operands { planes: &operands, denominators: &denominators, domain, values: &self.values };
        match node.facts.number {
            Number::Exact(range) => exact::compute(&node.operation, place, &of, range.denominator),
            Number::Float => float::compute(&node.operation, place, &of),
        }
        .ok_or(ExecuteError::Overflow { span: node.span })
    }

    fn denominator(&self, id: NodeId) -> i128 {
        self.pipeline.facts(id).denominator()
    }

    /// An input, continued beyond its edges.
    fn input(&self, place: Place, index: usize) -> Result<Plane, ExecuteError> {
        let picture = Plane::of(&self.pictures[index], self.pipeline.inputs[index].pixel);
        let size = [picture.place.rect.width, picture.place.rect.height];
        Ok(exact::continued(place, self.pipeline.border, (&picture, size), 1))
    }

    /// Combines a value over all values of variables, the last of which changes fastest.
    fn fold(
        &mut self,
        place: Place,
        fold: Fold,
        own: &[VariableId],
        value: NodeId,
    ) -> Result<Plane, ExecuteError> {
        let variables = &self.pipeline.variables;
        let mut total: Option<Plane> = None;
        let mut argument: Option<Plane> = None;
        own.iter().for_each(|id| self.values[id.0] = variables[id.0].first);
        loop {
            self.frames.push(Frame { variables: own.to_vec(), held: Vec::new() });
            let next = self.operand(value);
            self.frames.pop();
            let next = next?.spread(place);
            let at = self.values[own[own.len() - 1].0];
            (total, argument) = match total {
                None => (Some(next), Some(Plane::filled(place, at.into()))),
                Some(before) => {
                    let (total, argument) = plane::folded(fold, before, &next, argument, at)
                        .ok_or(ExecuteError::Overflow { span: self.pipeline.node(value).span })?;
                    (Some(total), argument)
                }
            };
            let mut digits = own.iter().rev();
            let advanced = digits.any(|id| {
                self.values[id.0] += 1;
                let more = self.values[id.0] < variables[id.0].end;
                if !more {
                    self.values[id.0] = variables[id.0].first;
                }
                more
            });
            if !advanced {
                break;
            }
        }
        let result = if fold == Fold::ArgumentOfMinimum { argument } else { total };
        Ok(result.expect("a fold has at least one value"))
    }
}

#[cfg(test)]
mod tests;
