//! The input of the search for a filter: its outputs in the form of the e-graph, and their reach.

use crate::algebra::{AlgebraError, Filter, Footprint, Kernel, Placed, PlusTimes, Semiring};
use crate::backend::OptimizeError;
use crate::backend::scan::machine::{Cost, Fold, cancels};
use crate::backend::scan::report::StreamGraph;
use crate::backend::scan::request::StreamRequest;
use crate::backend::scan::search::{Attempt, NoPlan, Request, Searched, graph, plan, plan_written};
use crate::saturate::Limits;
use crate::syntax::{Diagnostic, Diagnostics, Span};
use crate::term::{FilterSource, Series, footprints, placed_series, written};

/// The number of e-nodes by which the e-graph grows before the first plan, and for the remainders of recurrences.
const NODES: usize = 2_000;
/// The same limit for e-classes.
const CLASSES: usize = 350;
/// The same limit for rounds of all rules.
const ITERATIONS: usize = 4;
/// The limit of rounds for idempotent semirings, where kernels are divided again and again.
const CHOOSING_ITERATIONS: usize = 16;
/// The work limit of the e-graph, and of the plans. No kernel of ordinary size reaches it. [`WORK_PER_NODE`] adds work per e-node.
const WORK: u64 = 1 << 30;
/// See [`WORK`].
const WORK_PER_NODE: u64 = 1 << 18;

/// The outputs to plan.
pub(super) struct Wanted {
    inputs: Vec<String>,
    outputs: Vec<(String, Placed)>,
    /// The joint reach of the outputs into the inputs: west, east, south, north.
    reach: [i32; 4],
}

impl Wanted {
    /// The outputs of a filter of finite kernels.
    pub(super) fn finite<S: Semiring>(
        request: &StreamRequest,
        source: &FilterSource,
        filter: &Filter<S>,
    ) -> Result<Self, OptimizeError> {
        let mut outputs = Vec::new();
        for (name, kernels) in filter.rows() {
            let placed = Placed::from_kernels(kernels).map_err(|error| {
                let weighs =
                    |kernel: &Kernel<S>| kernel.nonzero_taps().all(|(_, value)| S::weight(value).is_some());
                match S::CHOICE {
                    None => algebra_error(source, &error),
                    Some(_) if kernels.iter().all(weighs) => {
                        no_plan(request, source, &NoPlan::Overflow(name.to_owned()))
                    }
                    Some(_) => no_plan(request, source, &NoPlan::Weight(name.to_owned())),
                }
            });
            outputs.push((name.to_owned(), placed?));
        }
        let touched = footprints(source)?;
        let all = touched.iter().try_fold(Footprint::empty(), |all, (_, one)| all.union(one));
        let border = all.map_err(|error| algebra_error(source, &error))?.border();
        let reach = [border.west, border.east, border.south, border.north].map(|side| side as i32);
        Ok(Self { inputs: filter.inputs().to_vec(), outputs, reach })
    }

    /// The outputs of a filter with at least one infinite kernel.
    ///
    /// An infinite kernel is a sum over pixels earlier in scan order. It is the expansion of its rational function along scans that
    /// run forward in that order. Its plan has a recurrence for each scan, so each scan needs an edge of the image to begin at.
    pub(super) fn tables(
        request: &StreamRequest,
        source: &FilterSource,
        series: &[Vec<Series<PlusTimes>>],
    ) -> Result<Self, OptimizeError> {
        if request.pixel.float && !request.float_recurrences {
            let why = "infinite sums are recurrences; with single precision they need --float-recurrences";
            return Err(refuse(request, why));
        }
        let (mut outputs, mut reach) = (Vec::new(), [0; 4]);
        for (row, output) in series.iter().zip(&source.outputs) {
            let refused = |why: NoPlan| no_plan(request, source, &why);
            for series in row {
                let kernel = series.to_scan();
                let taps = kernel.numerator().nonzero_taps().map(|(offset, _)| offset);
                if taps.chain(kernel.factors().iter().copied()).any(|[.., z]| z != 0) {
                    return Err(refused(NoPlan::Volume(output.name.clone())));
                }
                if let Some([x, y, _]) = series.later_in_scan_order() {
                    return Err(refused(NoPlan::Later(output.name.clone(), [x, y])));
                }
                let bounds = kernel.numerator().footprint().border();
                let sides = [bounds.west, bounds.east, bounds.south, bounds.north];
                reach = [0, 1, 2, 3].map(|side| reach[side].max(sides[side] as i32));
            }
            let kernels: Vec<_> = row.iter().map(Some).collect();
            let placed = placed_series(&kernels);
            let placed = placed.ok_or_else(|| refused(NoPlan::Overflow(output.name.clone())))?;
            let steps = placed.shape.recurrences().map_or_else(Vec::new, |(_, steps)| steps);
            let runs = |sign: i32| steps.iter().any(|step| step[0].signum() == sign);
            if runs(1) && runs(-1) {
                return Err(refused(NoPlan::Opposed(output.name.clone())));
            }
            outputs.push((output.name.clone(), placed));
        }
        Ok(Self { inputs: source.inputs.clone(), outputs, reach })
    }

    /// The best plan, with the size of its e-graph.
    pub(super) fn search<S: Semiring>(
        &self,
        request: &StreamRequest,
        source: &FilterSource,
    ) -> Result<(Searched, StreamGraph), OptimizeError> {
        let fold = Fold::of_symbol(S::SYMBOLS[0]).filter(|fold| (*fold == Fold::Sum) == S::CHOICE.is_none());
        let fold = fold.ok_or_else(|| no_plan(request, source, &NoPlan::Fold(S::NAME.to_owned())))?;
        // Planes of a volume are channels, which the file does not name.
        let mut written = if self.inputs == source.inputs { written(source)? } else { Vec::new() };
        let recurs = !request.pixel.float || request.float_recurrences;
        written.retain(|definition| recurs || definition.is_finite());
        let asked = Request {
            machine: request.chosen_by.as_ref().unwrap_or(&request.machine),
            pixel: request.pixel,
            output: request.output,
            values: request.values.unwrap_or(request.pixel.range()),
            fold,
            name: &source.name,
            inputs: &self.inputs,
            outputs: &self.outputs,
            written: &written,
            reach: self.reach,
            cancels: recurs || fold != Fold::Sum,
        };
        let nodes = request.budget.bound().map_or(NODES, |nodes| nodes as usize);
        let work = WORK.saturating_add((nodes as u64).saturating_mul(WORK_PER_NODE));
        let task = request.budget.with_work(work);
        let iterations = if fold == Fold::Sum { ITERATIONS } else { CHOOSING_ITERATIONS };
        // The e-graph may use the first half of the time.
        let limits = Limits { nodes, classes: CLASSES, iterations, budget: task.share(2) };
        let rules = request.rules.filtered(|rule| recurs || rule.is_finite());
        let saturated = graph(&asked, &rules, &limits)?;
        let searched = plan(&asked, &saturated, &task).map_err(|why| no_plan(request, source, &why))?;
        let mut searched = match plan_written(&asked, &rules, &limits, &task)? {
            Some(written) => searched.or(written),
            None => searched,
        };
        if request.output.is_some()
            && let Some(table) = searched.plan.outputs.iter().find(|output| output.is_table)
        {
            let why = format!("`{}` is an infinite sum, which has a type of its own", table.name);
            return Err(refuse(request, &why));
        }
        let taps = self.outputs.iter().map(|(_, kernel)| kernel.shape.tap_count());
        searched.cancels = fold == Fold::Sum && cancels(&searched.plan, taps);
        searched.cost = Cost::of(&searched.plan, &request.machine);
        if request.chosen_by.is_some() {
            // The others are costs of that machine.
            searched.attempts = vec![Attempt { method: searched.method.clone(), cost: searched.cost }];
        }
        let statistics = saturated.statistics();
        let graph = StreamGraph {
            nodes: statistics.nodes as u64,
            classes: statistics.classes as u64,
            iterations: statistics.iterations as u64,
            stop_reason: statistics.stop_reason.to_string(),
        };
        Ok((searched, graph))
    }
}

/// Refuses for a reason that does not concern a single output.
pub(super) fn refuse(request: &StreamRequest, why: &str) -> OptimizeError {
    let message = format!("no plan for `{}`: {why}", request.machine.name);
    OptimizeError::NoProgram(Diagnostic::error("no-plan", message).label(Span::at(0), "this file").into())
}

fn no_plan(request: &StreamRequest, source: &FilterSource, why: &NoPlan) -> OptimizeError {
    let output = match why {
        NoPlan::Fold(_) | NoPlan::Cancels => None,
        NoPlan::Overflow(name)
        | NoPlan::Weight(name)
        | NoPlan::Wide(name)
        | NoPlan::DividedTable(name)
        | NoPlan::Opposed(name)
        | NoPlan::Later(name, _)
        | NoPlan::Volume(name) => source.outputs.iter().find(|output| output.name == *name),
    };
    let Some(output) = output else { return refuse(request, &why.to_string()) };
    let message = format!("no plan for `{}`: {why}", request.machine.name);
    OptimizeError::NoProgram(Diagnostic::error("no-plan", message).label(output.span, "this output").into())
}

pub(super) fn algebra_error(source: &FilterSource, error: &AlgebraError) -> OptimizeError {
    let place = source.outputs.first().map_or(Span::at(0), |output| output.span);
    let label = if source.outputs.len() == 1 { "in this output" } else { "in this output or another" };
    Diagnostics::from(Diagnostic::error("kernel-too-large", error.to_string()).label(place, label)).into()
}
