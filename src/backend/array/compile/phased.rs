//! Alternates between growing graphs and searching them: a small graph gives a first program at once; larger ones follow until the
//! budget is used up.

use std::time::Duration;

use super::graphs::{Graphs, PHASES, Phase, Roots};
use super::instructions::Instructions;
use super::request::OptimizeRequest;
use super::searching::{Effort, Search};
use crate::algebra::Placed;
use crate::backend::array::search::{Code, LARGE_TAPS, Problem, Wish};
use crate::backend::{OptimizeError, Progress};
use crate::budget::Budget;
use crate::saturate::{Limits, SaturateError, StopReason};

/// The search task.
pub(super) struct Task<'a> {
    /// The problem, without decompositions.
    pub(super) posed: &'a Problem<'a>,
    pub(super) instructions: &'a Instructions,
    pub(super) roots: Roots<'a>,
    pub(super) request: &'a OptimizeRequest,
    /// Time limit and interruption.
    pub(super) budget: &'a Budget,
    pub(super) wish: Option<&'a Wish<'a>>,
    /// Seconds since the start.
    pub(super) seconds: &'a (dyn Fn() -> f64 + Sync),
}

/// Searches in phases; returns the last graphs.
///
/// # Errors
/// Those of [`Search::run`] and [`crate::saturate::saturate`].
pub(super) fn search(
    task: &Task<'_>,
    found: &mut Search,
    progress: &mut dyn FnMut(Progress),
) -> Result<Graphs, OptimizeError> {
    let Task { posed, roots, request, budget, wish, seconds, .. } = *task;
    let mut graphs: Option<Graphs> = None;
    for phase in phases(roots.outputs) {
        let limits = Limits { budget: budget.clone(), ..Limits::default() };
        let grown = grown(graphs.take(), task, phase, &limits, found.code.as_ref())?;
        let grown = graphs.insert(grown);
        let statistics = grown.filter.statistics();
        let (nodes, classes) = (statistics.nodes as u64, statistics.classes as u64);
        progress(Progress::Saturated { nodes, classes });
        // Long programs take long to check, so time is reserved for that.
        let reserve = found.code.as_ref().map(|code| time_to_check(code, request, roots.outputs));
        let late = |left: Duration| left <= reserve.unwrap_or_default();
        let expired = || budget.has_ended() || budget.time_left().is_some_and(late);
        if found.overflow.is_some() || found.code.is_some() && expired() {
            break;
        }
        // A saturated graph does not grow any more, so all rounds take place now.
        let complete = statistics.stop_reason == StopReason::Saturated;
        let rounds = phase.rounds.start..if complete { usize::MAX } else { phase.rounds.end };
        let effort = Effort { rounds, wish, task: budget, expired: &expired, seconds };
        found.run(&grown.problem(posed), request, effort, progress)?;
        // No larger graph yields a cheaper program than one proved optimal.
        if complete || expired() || found.spent(request) || wish.is_none() && found.is_optimal() {
            break;
        }
    }
    let Some(graphs) = graphs else { unreachable!("there is a phase") };
    Ok(graphs)
}

/// The phases of a search. Only large filters need the first one, which builds a program without a graph.
fn phases(outputs: &[(String, Placed)]) -> &'static [Phase] {
    let large = outputs.iter().map(|(_, kernel)| kernel.shape.tap_count()).sum::<usize>() > LARGE_TAPS;
    &PHASES[usize::from(!large)..]
}

/// The graphs of a phase: new ones, or those of the previous phase, grown around the kernels of the best program.
fn grown(
    before: Option<Graphs>,
    task: &Task<'_>,
    phase: &Phase,
    limits: &Limits,
    best: Option<&Code>,
) -> Result<Graphs, SaturateError> {
    let rules = &task.request.rules;
    let Some(mut graphs) = before else { return Graphs::new(task.roots, rules, phase, limits) };
    let kernels: Vec<_> = best.iter().flat_map(|code| &code.kernels).map(|k| k.shape.clone()).collect();
    graphs.grow(&kernels, task.roots, rules, phase, limits)?;
    Ok(graphs)
}

/// The time to reserve for checks and reports, beyond one second. Each instruction is executed on every pixel of the array and
/// evaluated tap by tap, both several times.
fn time_to_check(code: &Code, request: &OptimizeRequest, outputs: &[(String, Placed)]) -> Duration {
    let taps: usize = outputs.iter().map(|(_, kernel)| kernel.shape.dense().len()).max().unwrap_or(0);
    let pixels: usize = request.target.image.iter().product();
    let each = Duration::from_nanos((pixels + NANOSECONDS_PER_TAP * taps) as u64);
    (each * code.instructions.len() as u32).saturating_sub(Duration::from_secs(1))
}

/// The time to evaluate one tap of an instruction's result, over all evaluations.
const NANOSECONDS_PER_TAP: usize = 40;
