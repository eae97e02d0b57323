//! Linear regions as filters of several inputs and outputs.

use std::collections::BTreeMap;

use crate::algebra::{Filter, Kernel, PlusTimes, Rational};
use crate::pipeline::id::NodeId;
use crate::pipeline::{Builder, Linear, Origin, Pipeline};

use super::plan::Plan;

/// A maximal linear region: values that are sums of kernels of the same sources, all of them at one rate.
#[derive(Clone, Debug)]
pub struct Region {
    /// The kernels: a row for each value, a column for each source. Kernels are in pixels of the sources.
    pub filter: Filter<PlusTimes>,
    /// The constant of each value.
    pub constants: Vec<Rational>,
    /// The distance of the sources' columns and rows that neighbouring pixels read: the sources' rate divided by the region's.
    pub strides: Vec<[u32; 2]>,
}

/// The names of nodes of the simplified pipeline: those of inputs, stages and outputs, and for others the name of a value that
/// is made of them, with the number of the node.
pub(super) fn names(pipeline: &Pipeline, map: &[NodeId], source: &Builder) -> BTreeMap<NodeId, String> {
    let outputs = pipeline.outputs.iter().map(|output| (output.node, &output.name));
    let named = pipeline.named().chain(outputs).map(|(node, name)| (map[node.index()], name.clone()));
    // The first of several names counts: it is inserted last.
    let mut names: BTreeMap<NodeId, String> = named.rev().collect();
    let mut owners = names.clone();
    for id in (0..source.len()).rev().map(NodeId::new) {
        let Some(owner) = owners.get(&id).cloned() else { continue };
        for operand in source.operation(id).operands() {
            if !names.contains_key(&operand) {
                owners.insert(operand, owner.clone());
            }
        }
    }
    for (id, owner) in owners {
        names.entry(id).or_insert_with(|| format!("{owner}#{}", id.index()));
    }
    names
}

/// The regions of plans. Constants, and values that are multiples of one pixel, are in none.
pub(super) fn regions(plans: &[Option<Plan>], names: &BTreeMap<NodeId, String>) -> Vec<Region> {
    let name = |id: NodeId| names.get(&id).cloned().unwrap_or_else(|| format!("#{}", id.index()));
    let mut values: Vec<(String, &Linear)> = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        let forms = plan.as_ref().map(Plan::forms).unwrap_or_default();
        for (phase, form) in forms.iter().enumerate() {
            let taps: usize = form.terms.values().map(Kernel::nonzero_count).sum();
            if taps < 2 {
                continue;
            }
            let own = name(NodeId::new(index));
            values.push((if forms.len() > 1 { format!("{own}.{phase}") } else { own }, form));
        }
    }
    let mut groups: Vec<(Vec<Origin>, Vec<usize>)> = Vec::new();
    for (number, (_, form)) in values.iter().enumerate() {
        let mut own: Vec<Origin> = form.terms.keys().copied().collect();
        let mut members = vec![number];
        let (meeting, apart) = std::mem::take(&mut groups)
            .into_iter()
            .partition::<Vec<_>, _>(|(origins, _)| origins.iter().any(|origin| own.contains(origin)));
        for (origins, others) in meeting {
            own.extend(origins);
            members.extend(others);
        }
        own.sort_unstable();
        own.dedup();
        members.sort_unstable();
        groups = apart;
        groups.push((own, members));
    }
    groups.sort_by(|(_, a), (_, b)| a.cmp(b));
    groups.iter().filter_map(|(origins, members)| region(origins, members, &values, &name)).collect()
}

fn region(
    origins: &[Origin],
    members: &[usize],
    values: &[(String, &Linear)],
    name: &dyn Fn(NodeId) -> String,
) -> Option<Region> {
    let of = |origin: &Origin| {
        // The same node may be read with several strides.
        let others = origins.iter().filter(|other| other.node == origin.node).count();
        let [p, q] = origin.stride;
        if others > 1 { format!("{}/{p}×{q}", name(origin.node)) } else { name(origin.node) }
    };
    let outputs: Vec<String> = members.iter().map(|number| values[*number].0.clone()).collect();
    let mut filter = Filter::zero(origins.iter().map(of), outputs.iter().cloned()).ok()?;
    for (number, output) in members.iter().zip(&outputs) {
        for (origin, kernel) in &values[*number].1.terms {
            filter = filter.with(output, &of(origin), kernel.clone()).ok()?;
        }
    }
    let constants = members.iter().map(|number| values[*number].1.constant).collect();
    Some(Region { filter, constants, strides: origins.iter().map(|origin| origin.stride).collect() })
}
