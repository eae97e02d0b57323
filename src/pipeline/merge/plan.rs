//! How each value of a merged pipeline is made.

use crate::algebra::{Kernel, PlusTimes, Rational};
use crate::pipeline::id::NodeId;
use crate::pipeline::{Builder, Linear, Operation, Origin};

/// How a value is made in the merged pipeline.
pub(super) enum Plan {
    /// By its operation.
    Operation,
    /// By filters of nodes that are not linear.
    Filter(Linear),
    /// By filters at a lower rate, one for each phase.
    Phases([u32; 2], Vec<Linear>),
}

impl Plan {
    /// The linear forms that are computed.
    pub(super) fn forms(&self) -> &[Linear] {
        match self {
            Self::Operation => &[],
            Self::Filter(form) => std::slice::from_ref(form),
            Self::Phases(_, forms) => forms,
        }
    }
}

/// The plan of each node that is needed for the outputs.
pub(super) fn plans(source: &Builder, outputs: impl Iterator<Item = NodeId>) -> Vec<Option<Plan>> {
    let mut needed = vec![false; source.len()];
    outputs.for_each(|id| needed[id.index()] = true);
    let mut plans: Vec<Option<Plan>> = (0..source.len()).map(|_| None).collect();
    for index in (0..source.len()).rev() {
        if !needed[index] {
            continue;
        }
        let id = NodeId::new(index);
        let form = source.linear(id);
        // A sum of which only numbers are left, equal ones or a pattern, still has a size: a border around it begins where it ends.
        let has_rate = |id: NodeId| source.facts(id).rate.is_some();
        let is_sized_number = has_rate(id) && !form.terms.keys().any(|origin| has_rate(origin.node));
        let is_constant = matches!(source.operation(id), Operation::Constant(_));
        let plan = if form.is_itself(id) || is_constant || is_sized_number {
            source.operation(id).operands().iter().for_each(|id| needed[id.index()] = true);
            Plan::Operation
        } else {
            phases(source, form).unwrap_or_else(|| Plan::Filter(form.clone()))
        };
        for form in plan.forms() {
            form.terms.keys().for_each(|origin| needed[origin.node.index()] = true);
        }
        plans[index] = Some(plan);
    }
    plans
}

/// The phases of a form all of whose origins are repeated or interleaved with the same period: at the lower rate none of them is
/// left. A form with single taps gains nothing.
fn phases(source: &Builder, form: &Linear) -> Option<Plan> {
    let period = |origin: &Origin| match source.operation(origin.node) {
        Operation::Up(period, _) | Operation::Interleave(period, _) if origin.stride == [1, 1] => {
            Some(*period)
        }
        _ => None,
    };
    let mut periods = form.terms.keys().map(period);
    let first = periods.next().flatten()?;
    if periods.any(|other| other != Some(first)) || form.terms.values().all(|k| k.nonzero_count() < 2) {
        return None;
    }
    let at = |phase: [u32; 2]| source.down(form, first, phase);
    let all = (0..first[1]).flat_map(|y| (0..first[0]).map(move |x| [x, y]));
    let forms: Vec<Linear> = all.map(at).collect::<Option<_>>()?;
    Some(Plan::Phases(first, forms))
}

/// The shift that a single kernel is, if it is one.
pub(super) fn shift(kernels: &[Kernel<PlusTimes>]) -> Option<[i32; 2]> {
    let [kernel] = kernels else { return None };
    let mut taps = kernel.nonzero_taps();
    match (taps.next(), taps.next()) {
        (Some(([x, y, 0], tap)), None) if tap == Rational::ONE => Some([x, y]),
        _ => None,
    }
}
