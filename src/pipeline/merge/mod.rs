//! Merges linear stages: every maximal linear region of a pipeline becomes filters of the values around it.
//!
//! First point-wise operations are simplified by identities, many of which intervals prove. Then every value that is linear, and
//! that something else than a linear operation needs, is computed from the nodes that are not linear, in one filter. A
//! filter on pixels that were repeated or interleaved becomes one filter for each phase, at the lower rate.

mod pattern;
mod plan;
mod price;
mod region;
mod simplify;
mod trial;

use std::collections::BTreeMap;

use crate::algebra::{Kernel, Offset, PlusTimes, Rational};
use crate::syntax::{Diagnostics, Span};

use super::id::NodeId;
use super::identity::Identity;
use super::linear::in_phase;
use super::{Builder, Distance, Linear, Operation, Output, Pipeline, Stage, Stencil};

pub use price::price;
pub use region::Region;
pub use simplify::Unsound;

use plan::{Plan, plans, shift};
use simplify::{Simplified, simplified};

/// A pipeline whose linear stages are merged.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The pipeline. Its outputs are those of the original; of the stages only those that are still computed are left.
    pub pipeline: Pipeline,
    /// The linear regions, as filters.
    pub regions: Vec<Region>,
    /// The stages that are no longer computed by themselves, in file order.
    pub absorbed: Vec<String>,
    /// How often each identity of point-wise operations applied, by its name.
    pub applied: BTreeMap<String, usize>,
}

/// Merges the linear stages of a pipeline that is simplified by these identities. It computes the same outputs.
///
/// # Errors
/// An identity that would be used does not hold, or the outputs differ on a random picture.
pub fn merge(pipeline: &Pipeline, identities: &[Identity]) -> Result<Merged, Unsound> {
    let Simplified { builder: source, map, applied } = simplified(pipeline, identities)?;
    let plans = plans(&source, pipeline.outputs.iter().map(|output| map[output.node.index()]));
    let mut building = Building::new(&source);
    for (id, plan) in plans.iter().enumerate() {
        if let Some(plan) = plan {
            let made = building.make(NodeId::new(id), plan);
            building.made[id] = Some(made);
        }
    }
    let made = |node: NodeId| building.made[map[node.index()].index()];
    let (mut stages, mut absorbed) = (Vec::new(), Vec::new());
    for stage in &pipeline.stages {
        match made(stage.node) {
            Some(node) => stages.push(Stage { node, ..stage.clone() }),
            None => absorbed.push(stage.name.clone()),
        }
    }
    let output = |output: &Output| {
        let node = made(output.node).expect("what outputs need is planned");
        Output { node, ..output.clone() }
    };
    let outputs = pipeline.outputs.iter().map(output).collect();
    let names = region::names(pipeline, &map, &source);
    let regions = region::regions(&plans, &names);
    let head = (pipeline.name.clone(), pipeline.doc.clone());
    let made = building.builder.finish(head, stages, outputs, Diagnostics::new());
    tried(pipeline, &made, &applied)?;
    Ok(Merged { pipeline: made, regions, absorbed, applied })
}

/// A pipeline that is simplified by these identities, and how often each applied, by its name. It computes the same outputs.
///
/// # Errors
/// As for [`merge`].
pub fn simplify(
    pipeline: &Pipeline,
    identities: &[Identity],
) -> Result<(Pipeline, BTreeMap<String, usize>), Unsound> {
    let Simplified { builder, map, applied } = simplified(pipeline, identities)?;
    let stage = |stage: &Stage| Stage { node: map[stage.node.index()], ..stage.clone() };
    let output = |output: &Output| Output { node: map[output.node.index()], ..output.clone() };
    let stages = pipeline.stages.iter().map(stage).collect();
    let outputs = pipeline.outputs.iter().map(output).collect();
    let head = (pipeline.name.clone(), pipeline.doc.clone());
    let made = builder.finish(head, stages, outputs, Diagnostics::new());
    tried(pipeline, &made, &applied)?;
    Ok((made, applied))
}

/// Checks that what identities made of a pipeline computes the same outputs of random pictures.
fn tried(given: &Pipeline, made: &Pipeline, applied: &BTreeMap<String, usize>) -> Result<(), Unsound> {
    if applied.is_empty() {
        return Ok(());
    }
    match trial::difference(given, made) {
        Some(why) => Err(Unsound { rules: applied.keys().cloned().collect(), why }),
        None => Ok(()),
    }
}

/// The merged pipeline while it is made.
struct Building<'s> {
    source: &'s Builder,
    builder: Builder,
    /// The nodes that were made, by those of the source.
    made: Vec<Option<NodeId>>,
}

impl<'s> Building<'s> {
    fn new(source: &'s Builder) -> Self {
        Self { source, builder: source.emptied(), made: vec![None; source.len()] }
    }

    fn push(&mut self, span: Span, operation: Operation) -> NodeId {
        self.builder.push(span, operation).expect("an equal value was accepted in the pipeline")
    }

    fn made(&self, id: NodeId) -> NodeId {
        self.made[id.index()].expect("what a plan needs was planned, and is made before")
    }

    fn make(&mut self, id: NodeId, plan: &Plan) -> NodeId {
        let span = self.source.span(id);
        match plan {
            Plan::Operation => {
                let operation = self.source.operation(id).map(|operand| self.made(operand));
                self.push(span, operation)
            }
            Plan::Filter(form) => self.filter(span, form),
            Plan::Phases(period, forms) => {
                let all = forms.iter().map(|form| self.filter(span, form)).collect();
                self.push(span, Operation::Interleave(*period, all))
            }
        }
    }

    /// A linear form: a filter of its origins, and the constant. What is read only at some columns and rows is split into
    /// phases, so that nothing is computed between these.
    fn filter(&mut self, span: Span, form: &Linear) -> NodeId {
        let (mut nodes, mut kernels) = (Vec::new(), Vec::new());
        for (origin, kernel) in &form.terms {
            let node = self.made(origin.node);
            if origin.stride == [1, 1] {
                nodes.push(node);
                kernels.push(kernel.clone());
                continue;
            }
            for (phase, kernel) in phases_of(kernel, origin.stride) {
                let down = Operation::Down { period: origin.stride, phase, value: node };
                nodes.push(self.push(span, down));
                kernels.push(kernel);
            }
        }
        let mut parts = Vec::new();
        match (shift(&kernels), nodes.as_slice()) {
            (_, []) => {}
            (Some([0, 0]), [node]) => parts.push(*node),
            (Some([x, y]), [node]) => {
                let along = |constant| Distance { constant, factors: Vec::new() };
                parts.push(self.push(span, Operation::At([along(x), along(y)], *node)));
            }
            _ => parts.push(self.push(span, Operation::Filter(Stencil::Linear(kernels), nodes))),
        }
        if form.constant != Rational::ZERO || parts.is_empty() {
            parts.push(self.push(span, Operation::Constant(form.constant)));
        }
        match parts.as_slice() {
            [one] => *one,
            _ => self.push(span, Operation::Add(parts)),
        }
    }
}

/// A kernel of pixels that are read with a stride, as kernels of the phases of these: pixel stride · p + d is pixel p + u of the phase
/// that d is in.
fn phases_of(kernel: &Kernel<PlusTimes>, stride: [u32; 2]) -> BTreeMap<[u32; 2], Kernel<PlusTimes>> {
    let mut phases: BTreeMap<[u32; 2], Vec<(Offset, Rational)>> = BTreeMap::new();
    for (offset, tap) in kernel.nonzero_taps() {
        let (phase, inside) = in_phase(offset, stride).expect("a stride that kernels are moved by");
        phases.entry(phase).or_default().push((inside, tap));
    }
    let kernel =
        |taps: Vec<_>| Kernel::from_taps(&taps).expect("some taps of a kernel, nearer to each other");
    phases.into_iter().map(|(phase, taps)| (phase, kernel(taps))).collect()
}
