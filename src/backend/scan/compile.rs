//! The stages for machines in scan order: a filter in, a checked plan out.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::algebra::{
    AlgebraError, Filter, Footprint, Kernel, Placed, PlusTimes, Semiring, SemiringVisitor, with_semiring,
};
use crate::backend::OptimizeError;
use crate::backend::scan::machine::{
    Border, CodeOptions, Cost, Fold, Overflow, Pixel, Plan, ScanMachine, c, rust,
};
use crate::backend::scan::report::{
    StreamAttempt, StreamChecks, StreamCost, StreamGraph, StreamOutput, StreamRecord,
};
use crate::backend::scan::search::{NoPlan, Request, Searched, graph, plan, plan_written};
use crate::backend::scan::simulate::{beyond, execute};
use crate::backend::scan::verify::{Direct, Verdict, check_idempotent, check_linear, convolve, direct};
use crate::budget::Budget;
use crate::picture::Image;
use crate::report::{Figure, VERSION};
use crate::rule::RuleSet;
use crate::saturate::{Clock, Limits};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};
use crate::term::{FilterSource, IndexSpace, denote, denote_linear, footprints, read_filter, written};

/// How far the e-graph grows before the first plan, and for the remainders of recurrences.
const NODES: usize = 2_000;
/// The same for classes.
const CLASSES: usize = 350;
/// The same for rounds of all rules.
const ITERATIONS: usize = 4;
/// The same where sums choose: kernels are divided again and again.
const CHOOSING_ITERATIONS: usize = 16;
/// Work that no kernel of ordinary size needs for the graph, or for plans, and more for each e-node.
const WORK: u64 = 1 << 30;
/// See [`WORK`].
const WORK_PER_NODE: u64 = 1 << 18;

/// One filter to compile for a machine in scan order.
#[derive(Clone)]
pub struct StreamRequest {
    /// The text; its name goes into the record.
    pub source: Source,
    /// The machine.
    pub machine: Arc<ScanMachine>,
    /// The pixels.
    pub pixel: Pixel,
    /// What is beyond the image.
    pub border: Border,
    /// What happens to results that do not fit.
    pub overflow: Overflow,
    /// The rules.
    pub rules: RuleSet,
    /// Whether plans on single-precision pixels may have recurrences, which carry every error on; those on integers always may.
    pub float_recurrences: bool,
    /// How long to look for plans; `None` for no limit of time.
    pub time: Option<Duration>,
    /// Setting it from outside ends the search with the best plan so far.
    pub interrupted: Arc<AtomicBool>,
    /// How many e-nodes each growth of the e-graph may add; `None` for the default.
    pub nodes: Option<u64>,
    /// Seed of the random images.
    pub seed: u64,
    /// The clock.
    pub clock: Clock,
}

impl StreamRequest {
    /// With pixels of 8 bits, mirrored beyond the image, results limited to what they hold, the usual growth and no clock.
    pub fn new(source: Source, machine: Arc<ScanMachine>, rules: RuleSet) -> Self {
        Self {
            source,
            machine,
            pixel: Pixel::UINT8,
            border: Border::Reflect101,
            overflow: Overflow::Saturate,
            rules,
            float_recurrences: false,
            time: None,
            interrupted: Arc::default(),
            nodes: None,
            seed: 0,
            clock: Arc::new(|| Duration::ZERO),
        }
    }
}

/// A plan that passed its checks.
#[derive(Clone, Debug)]
pub struct Streamed {
    /// What is reported of it.
    pub record: StreamRecord,
    /// The plan.
    pub plan: Plan,
    /// The kernels as direct convolution needs them.
    pub direct: Vec<Direct>,
    /// What lies beyond the image: the requested border, or the other side of a torus.
    pub border: Border,
    /// The only size of images that the filter has a meaning on, where its index space is a torus.
    pub size: Option<[usize; 2]>,
}

/// Compiles for a machine in scan order.
///
/// # Errors
/// [`OptimizeError::BadInput`] where the file is at fault, or nothing computes it; [`OptimizeError::Internal`] where a plan fails
/// its checks; [`OptimizeError::Unsound`] where a rule equates different kernels.
pub fn optimize_stream(request: &StreamRequest) -> Result<Streamed, OptimizeError> {
    let start = (request.clock)();
    let source = read_filter(&request.source)?;
    let (request, size) = match source.space {
        IndexSpace::Torus([width, height, _]) => (
            &StreamRequest { border: Border::Wrap, ..request.clone() },
            Some([width as usize, height as usize]),
        ),
        IndexSpace::Grid | IndexSpace::Hexagonal => (request, None),
    };
    let found = if source.semiring == PlusTimes::NAME {
        linear(request, &source)?
    } else {
        let found = with_semiring(&source.semiring, Idempotent { request, source: &source });
        found.ok_or_else(|| refuse(request, &format!("there is no semiring `{}`", source.semiring)))??
    };
    if !found.verdict.holds() {
        let Verdict { symbolic, executed, .. } = &found.verdict;
        let plan = found.searched.plan.listing().join("\n");
        return Err(OptimizeError::Internal(format!("{symbolic:?}\n{executed:?}\n{plan}")));
    }
    let seconds = ((request.clock)() - start).as_secs_f64();
    Ok(Streamed {
        record: record(request, &source, &found, seconds),
        plan: found.searched.plan,
        direct: found.direct,
        border: request.border,
        size,
    })
}

/// One output of a plan on images.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The result.
    pub image: Image,
    /// That of direct convolution.
    pub direct: Image,
    /// How many results were below and how many above the range, before they were limited or wrapped.
    pub outside: [usize; 2],
}

/// The outputs of a plan on images, beside direct convolution; `range` is what results are counted outside of.
///
/// # Errors
/// What does not fit, as a text.
pub fn apply(
    streamed: &Streamed,
    images: &[Image],
    border: Border,
    overflow: Overflow,
    range: [i64; 2],
) -> Result<Vec<Applied>, String> {
    let plan = &streamed.plan;
    if let (Some([width, height]), Some(image)) = (streamed.size, images.first())
        && [width, height] != [image.width(), image.height()]
    {
        return Err(format!(
            "the filter's torus has {width} × {height} pixels, the image {} × {}",
            image.width(),
            image.height()
        ));
    }
    let found = execute(plan, images, border, overflow).map_err(|misfit| misfit.to_string())?;
    let outside = beyond(plan, images, border, range).map_err(|misfit| misfit.to_string())?;
    let outputs = found.into_iter().zip(outside).zip(&streamed.direct);
    Ok(outputs
        .map(|((image, outside), direct)| Applied {
            image,
            direct: convolve(direct, plan, images, border, overflow),
            outside,
        })
        .collect())
}

/// A plan before it is reported.
struct Found {
    searched: Searched,
    verdict: Verdict,
    direct: Vec<Direct>,
    graph: StreamGraph,
}

fn refuse(request: &StreamRequest, why: &str) -> OptimizeError {
    let message = format!("no plan for `{}`: {why}", request.machine.name);
    OptimizeError::NoProgram(Diagnostic::error("no-plan", message).label(Span::at(0), "this file").into())
}

fn no_plan(request: &StreamRequest, source: &FilterSource, why: &NoPlan) -> OptimizeError {
    let output = match why {
        NoPlan::Overflow(name) | NoPlan::Weight(name) | NoPlan::Wide(name) => {
            source.outputs.iter().find(|output| output.name == *name)
        }
        NoPlan::Fold(_) => None,
    };
    let Some(output) = output else { return refuse(request, &why.to_string()) };
    let message = format!("no plan for `{}`: {why}", request.machine.name);
    OptimizeError::NoProgram(Diagnostic::error("no-plan", message).label(output.span, "this output").into())
}

/// How far the outputs together reach into the inputs: west, east, south, north.
fn reach(source: &FilterSource) -> Result<[i32; 4], OptimizeError> {
    let outputs = footprints(source)?;
    let all = outputs.iter().try_fold(Footprint::empty(), |all, (_, one)| all.union(one));
    let border = all.map_err(|error| algebra_error(source, &error))?.border();
    Ok([border.west, border.east, border.south, border.north].map(|side| side as i32))
}

/// Images are planes: a filter over volumes reads several.
fn by_planes<S: Semiring>(source: &FilterSource, filter: &Filter<S>) -> Result<Filter<S>, OptimizeError> {
    filter.by_planes().map_err(|error| algebra_error(source, &error))
}

fn algebra_error(source: &FilterSource, error: &AlgebraError) -> OptimizeError {
    let place = source.outputs.first().map_or(Span::at(0), |output| output.span);
    let label = if source.outputs.len() == 1 { "in this output" } else { "in this output or another" };
    Diagnostics::from(Diagnostic::error("kernel-too-large", error.to_string()).label(place, label)).into()
}

/// The best plan for a filter, with the size of the e-graph that it was found in.
fn search<S: Semiring>(
    request: &StreamRequest,
    source: &FilterSource,
    filter: &Filter<S>,
) -> Result<(Searched, StreamGraph), OptimizeError> {
    let fold = Fold::of_symbol(S::SYMBOLS[0]).filter(|fold| (*fold == Fold::Sum) == S::CHOICE.is_none());
    let fold = fold.ok_or_else(|| no_plan(request, source, &NoPlan::Fold(S::NAME.to_owned())))?;
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
    // Planes of a volume are channels, which the file does not name.
    let mut written = if filter.inputs() == source.inputs { written(source)? } else { Vec::new() };
    let recurs = !request.pixel.float || request.float_recurrences;
    written.retain(|definition| recurs || definition.is_finite());
    let asked = Request {
        machine: &request.machine,
        pixel: request.pixel,
        fold,
        name: &source.name,
        inputs: filter.inputs(),
        outputs: &outputs,
        written: &written,
        reach: reach(source)?,
    };
    let start = (request.clock)();
    let nodes = request.nodes.map_or(NODES, |nodes| nodes as usize);
    let work = WORK.saturating_add((nodes as u64).saturating_mul(WORK_PER_NODE));
    let task = Budget::of_work(work).with_clock(&request.clock).interrupted_by(&request.interrupted);
    // The first half of the time is the e-graph's.
    let first = task.clone().until(request.time.map(|time| start + time / 2));
    let iterations = if fold == Fold::Sum { ITERATIONS } else { CHOOSING_ITERATIONS };
    let limits = Limits { nodes, classes: CLASSES, iterations, budget: first };
    let rules = request.rules.filtered(|rule| recurs || rule.is_finite());
    let saturated = graph(&asked, &rules, &limits)?;
    let task = task.until(request.time.map(|time| start + time));
    let searched = plan(&asked, &saturated, &task).map_err(|why| no_plan(request, source, &why))?;
    let searched = match plan_written(&asked, &rules, &limits, &task)? {
        Some(written) => searched.or(written),
        None => searched,
    };
    let statistics = saturated.statistics();
    let graph = StreamGraph {
        nodes: statistics.nodes as u64,
        classes: statistics.classes as u64,
        iterations: statistics.iterations as u64,
        stop_reason: statistics.stop_reason.to_string(),
    };
    Ok((searched, graph))
}

fn linear(request: &StreamRequest, source: &FilterSource) -> Result<Found, OptimizeError> {
    let filter = by_planes(source, &denote_linear(source)?)?;
    let (searched, graph) = search(request, source, &filter)?;
    let verdict = check_linear(&searched.plan, &filter, request.seed);
    Ok(Found { verdict, direct: direct(&filter).unwrap_or_default(), graph, searched })
}

struct Idempotent<'a> {
    request: &'a StreamRequest,
    source: &'a FilterSource,
}

impl SemiringVisitor for Idempotent<'_> {
    type Output = Result<Found, OptimizeError>;

    fn visit<S: Semiring>(self) -> Self::Output {
        let Self { request, source } = self;
        let filter: Filter<S> = by_planes(source, &denote(source)?)?;
        if request.pixel.float && Fold::of_symbol(S::SYMBOLS[0]) == Some(Fold::Either) {
            return Err(refuse(request, "there is no disjunction of pixels that are no integers"));
        }
        let (searched, graph) = search(request, source, &filter)?;
        let verdict = check_idempotent(&searched.plan, &filter, request.seed);
        Ok(Found { verdict, direct: direct(&filter).unwrap_or_default(), graph, searched })
    }
}

fn record(request: &StreamRequest, source: &FilterSource, found: &Found, seconds: f64) -> StreamRecord {
    let Searched { plan, cost, method, attempts, rules, plans } = &found.searched;
    let options = CodeOptions { border: request.border, overflow: request.overflow };
    let attempt = |attempt: &crate::backend::scan::search::Attempt| StreamAttempt {
        method: attempt.method.clone(),
        cost: figures(&attempt.cost),
    };
    StreamRecord {
        file: request.source.name().to_owned(),
        filter: source.name.clone(),
        target: request.machine.name.clone(),
        semiring: source.semiring.clone(),
        pixel: plan.pixel.name().to_owned(),
        border: request.border.name().to_owned(),
        overflow: request.overflow.name().to_owned(),
        inputs: plan.inputs.clone(),
        outputs: plan
            .outputs
            .iter()
            .map(|output| {
                let cost = Cost::of_output(output, plan.pixel);
                StreamOutput {
                    name: output.name.clone(),
                    scale: output.scale.to_string(),
                    additions: cost.additions,
                    multiplications: cost.multiplications,
                    shifts: cost.shifts,
                }
            })
            .collect(),
        reach: plan.reach,
        recurrent: plan.has_recurrence(),
        width: request.machine.width as u64,
        cost: figures(cost),
        method: method.clone(),
        attempts: attempts.iter().map(attempt).collect(),
        plan: plan.listing(),
        bits: plan.storage.iter().map(|storage| storage.bits).collect(),
        c: c(plan, options),
        rust: rust(plan, options),
        verified: StreamChecks {
            symbolic: found.verdict.symbolic.is_equal(),
            executed: found.verdict.executed.is_equal(),
            pixels: found.verdict.pixels as u64,
        },
        egraph: found.graph.clone(),
        rules_used: rules.clone(),
        plans: *plans as u64,
        seed: request.seed,
        seconds: Figure::new(seconds),
        version: VERSION.to_owned(),
    }
}

fn figures(cost: &Cost) -> StreamCost {
    StreamCost {
        additions: cost.additions,
        multiplications: cost.multiplications,
        shifts: cost.shifts,
        loads: cost.loads,
        bytes: cost.bytes,
        total: Figure::new(cost.total as f64 / 1000.0),
    }
}
