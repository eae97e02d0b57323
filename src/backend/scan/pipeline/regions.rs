//! How the values of a pipeline are made: which are linear, and which of these are computed together.
//!
//! A linear value is made of the last values before it that are not linear, at its own rate. Linear values that share such
//! sources are one region, a filter of several inputs and outputs, unless one of them needs another: regions are layers.

use crate::algebra::{Choice, Kernel, Rational};
use crate::pipeline::{Linear, NodeId, Operation, Pipeline, Stencil, VariableId, linear_forms_at_one_rate};

/// How a value is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Made {
    /// Nothing needs it.
    Not,
    /// By its operation.
    Operation,
    /// By its linear form, tap by tap.
    Taps,
    /// By a region: the numbers of the region and of its output.
    Region(usize, usize),
}

/// Values that are computed by one filter.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// What the values are sums of, or the greatest or least of.
    pub(super) sources: Vec<NodeId>,
    /// The values.
    pub(super) outputs: Vec<NodeId>,
    /// The semiring: `None` for sums.
    pub(super) choice: Option<Choice>,
}

/// The values of a pipeline, and the regions.
pub(super) struct Values {
    /// The linear form of each node; that of one that is not linear is the node itself.
    pub(super) forms: Vec<Linear>,
    /// How each is made.
    pub(super) made: Vec<Made>,
    /// The regions, each before those that need it.
    pub(super) regions: Vec<Region>,
    /// The sums that are made of their operands as they are written.
    apart: Vec<bool>,
}

/// What values of one region have in common, besides sources.
#[derive(Clone, PartialEq, Debug)]
struct Kind {
    /// The number of regions below.
    layer: usize,
    rate: Option<[Rational; 2]>,
    planes: Option<u32>,
    variables: Vec<VariableId>,
    choice: Option<Choice>,
}

impl Values {
    /// Splits a pipeline. `is_apart` says which values are not to be computed in regions.
    pub(super) fn of(pipeline: &Pipeline, is_apart: &dyn Fn(NodeId) -> bool) -> Self {
        let forms = linear_forms_at_one_rate(pipeline);
        let apart: Vec<bool> = pipeline.ids().map(|id| is_apart(id) && is_sum(pipeline, id)).collect();
        let mut made = needed(pipeline, &forms, &apart);
        let mut layers = vec![0; pipeline.nodes.len()];
        let mut groups: Vec<(Kind, Region)> = Vec::new();
        for id in pipeline.ids() {
            let sources = sources(pipeline, &forms, &apart, id);
            let below = sources.iter().map(|source| layers[source.index()]).max().unwrap_or(0);
            let choice = extreme(pipeline, id);
            let in_region = match made[id.index()] {
                Made::Operation => choice.is_some(),
                Made::Taps => taps(&forms[id.index()]) > 1,
                _ => false,
            };
            // Numbers that repeat, and variables of folds, have no size and no rows in memory.
            let is_picture = |id: NodeId| pipeline.facts(id).rate.is_some();
            if !in_region || is_apart(id) || !is_picture(id) || !sources.iter().copied().all(is_picture) {
                layers[id.index()] = below;
                continue;
            }
            layers[id.index()] = below + 1;
            let facts = pipeline.facts(id);
            let kind = Kind {
                layer: below,
                rate: facts.rate,
                planes: facts.planes,
                variables: facts.variables.clone(),
                choice,
            };
            let mut region = Region { sources, outputs: vec![id], choice };
            let (meeting, apart) =
                std::mem::take(&mut groups).into_iter().partition::<Vec<_>, _>(|(of, other)| {
                    *of == kind && other.sources.iter().any(|source| region.sources.contains(source))
                });
            for (_, other) in meeting {
                region.sources.extend(other.sources);
                region.outputs.extend(other.outputs);
            }
            region.sources.sort_unstable();
            region.sources.dedup();
            region.outputs.sort_unstable();
            groups = apart;
            groups.push((kind, region));
        }
        groups.sort_by_key(|(kind, region)| (kind.layer, region.outputs[0]));
        let regions: Vec<Region> = groups.into_iter().map(|(_, region)| region).collect();
        for (number, region) in regions.iter().enumerate() {
            for (output, id) in region.outputs.iter().enumerate() {
                made[id.index()] = Made::Region(number, output);
            }
        }
        Self { forms, made, regions, apart }
    }

    /// The nodes that a value is made of.
    pub(super) fn sources(&self, pipeline: &Pipeline, id: NodeId) -> Vec<NodeId> {
        sources(pipeline, &self.forms, &self.apart, id)
    }
}

/// Operations or taps for all values that the outputs need.
fn needed(pipeline: &Pipeline, forms: &[Linear], apart: &[bool]) -> Vec<Made> {
    let mut is_needed = vec![false; pipeline.nodes.len()];
    let mut made = vec![Made::Not; pipeline.nodes.len()];
    pipeline.outputs.iter().for_each(|output| is_needed[output.node.index()] = true);
    for id in pipeline.ids().rev() {
        if !is_needed[id.index()] {
            continue;
        }
        made[id.index()] =
            if is_operation(pipeline, forms, apart, id) { Made::Operation } else { Made::Taps };
        sources(pipeline, forms, apart, id).iter().for_each(|source| is_needed[source.index()] = true);
    }
    made
}

fn sources(pipeline: &Pipeline, forms: &[Linear], apart: &[bool], id: NodeId) -> Vec<NodeId> {
    let form = &forms[id.index()];
    if !is_operation(pipeline, forms, apart, id) {
        return form.terms.keys().map(|origin| origin.node).collect();
    }
    let mut operands = pipeline.node(id).operation.operands();
    if extreme(pipeline, id).is_some() {
        operands.sort_unstable();
        operands.dedup();
    }
    operands
}

/// Whether a value is made of its operands, and not of what these are sums of.
fn is_operation(pipeline: &Pipeline, forms: &[Linear], apart: &[bool], id: NodeId) -> bool {
    forms[id.index()].is_itself(id) || is_moved(pipeline, id) || apart[id.index()]
}

/// Whether a value is a sum, or a product of integers.
fn is_sum(pipeline: &Pipeline, id: NodeId) -> bool {
    let whole = |id: &NodeId| pipeline.facts(*id).range().is_some_and(|range| range.is_integer());
    match &pipeline.node(id).operation {
        Operation::Add(_) => true,
        Operation::Multiply(list) => list.iter().all(whole),
        _ => false,
    }
}

/// Whether a value is another one, moved: what is in memory is read there.
fn is_moved(pipeline: &Pipeline, id: NodeId) -> bool {
    matches!(pipeline.node(id).operation, Operation::At(..))
}

/// The number of taps of a linear form.
pub(super) fn taps(form: &Linear) -> usize {
    form.terms.values().map(Kernel::nonzero_count).sum()
}

/// The choice of a filter over an idempotent semiring, of exact values with whole weights.
fn extreme(pipeline: &Pipeline, id: NodeId) -> Option<Choice> {
    let node = pipeline.node(id);
    let Operation::Filter(Stencil::Extreme(choice, taps), operands) = &node.operation else { return None };
    let integer = |id: &NodeId| pipeline.facts(*id).range().is_some_and(|range| range.is_integer());
    let flat = taps.iter().flatten().all(|([.., z], weight)| *z == 0 && weight.is_integer());
    (flat && operands.iter().all(integer) && integer(&id)).then_some(*choice)
}
