//! The decompositions that a file states, as the first e-nodes of the e-graph.

use std::collections::BTreeSet;

use super::graph::{Graph, Origin};
use super::plan::Plan;
use crate::algebra::Shape;
use crate::term::Definition;

/// Adds the decompositions that a file states, wholes before their parts. Decompositions that leave the exact range, or that
/// make a kernel of itself, are left out.
pub(super) fn add(graph: &mut Graph, written: &[Definition]) {
    rank(graph, written);
    for Definition { whole, way, .. } in written {
        let Some(class) = graph.find(whole) else { continue };
        let Ok(plan) = Plan::of_decomposition(way) else { continue };
        if !plan.is_trivial(whole) && plan.descends(graph, whole) {
            plan.add_to(graph, class, Origin { rule: None, class, iteration: 0 });
        }
    }
    graph.rebuild();
}

/// Ranks each kernel after its parts. A part may be larger than its whole, because terms may cancel.
fn rank(graph: &mut Graph, written: &[Definition]) {
    let mut used: BTreeSet<&Shape> = BTreeSet::new();
    for Definition { whole, way, .. } in written.iter().rev() {
        let parts = way.parts();
        if !used.contains(whole) {
            graph.raise(whole, &parts);
        }
        used.extend(parts);
    }
}
