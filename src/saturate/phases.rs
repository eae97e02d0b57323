//! Runs the phases of a rule set in order, each with its own limits within those of the run.

use super::error::SaturateError;
use super::graph::Graph;
use super::limits::{Limits, StopReason};
use super::run::{Run, State};
use crate::rule::{Phase, RuleSet};

/// Applies the rules phase by phase, or all at once if there are no phases. Returns the stop reason of the last phase,
/// or the limit of the run that was reached. After an error the graph must be dropped.
pub(super) fn run(
    graph: &mut Graph,
    state: &mut State,
    rules: &RuleSet,
    limits: &Limits,
) -> Result<StopReason, SaturateError> {
    if rules.phases().is_empty() {
        return Run::new(graph, state, rules, limits, None).run();
    }
    let start = (graph.node_count(), graph.class_count(), state.iteration, limits.budget.now());
    let mut reason = StopReason::Saturated;
    for phase in rules.phases() {
        let left = Limits {
            nodes: limits.nodes.saturating_sub(graph.node_count() - start.0),
            classes: limits.classes.saturating_sub(graph.class_count() - start.1),
            iterations: limits.iterations.saturating_sub(state.iteration - start.2),
            budget: limits.budget.part(u64::MAX),
        };
        let own = within(&left, phase);
        let result = Run::new(graph, state, rules, &own, Some(phase)).run();
        limits.budget.spend(own.budget.spent());
        reason = result?;
        let of_the_run = match reason {
            StopReason::Nodes(n) if n == left.nodes => Some(StopReason::Nodes(limits.nodes)),
            StopReason::Classes(n) if n == left.classes => Some(StopReason::Classes(limits.classes)),
            StopReason::Iterations(n) if n == left.iterations => {
                Some(StopReason::Iterations(limits.iterations))
            }
            StopReason::Time(_) => Some(StopReason::Time(limits.budget.seconds_since(start.3))),
            StopReason::Work | StopReason::Interrupted => Some(reason),
            _ => None,
        };
        if let Some(reason) = of_the_run {
            return Ok(reason);
        }
    }
    Ok(reason)
}

/// The remaining limits, reduced to those of the phase.
fn within(left: &Limits, phase: &Phase) -> Limits {
    let least = |left: usize, own: Option<usize>| own.map_or(left, |own| own.min(left));
    Limits {
        nodes: least(left.nodes, phase.nodes),
        classes: least(left.classes, phase.classes),
        iterations: least(left.iterations, phase.iterations),
        ..left.clone()
    }
}
