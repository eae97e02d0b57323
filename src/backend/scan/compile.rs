//! The compiler stages for machines in scan order: from a filter to a checked plan.

use crate::algebra::{AlgebraError, Filter, PlusTimes, Scan, Semiring, in_semiring};
use crate::backend::OptimizeError;
use crate::backend::scan::machine::{Border, CodeOptions, Cost, Fold, Output, Overflow, Plan, c, rust};
use crate::backend::scan::report::{
    StreamAttempt, StreamChecks, StreamCost, StreamGraph, StreamOutput, StreamRecord,
};
use crate::backend::scan::request::StreamRequest;
use crate::backend::scan::search::Searched;
use crate::backend::scan::simulate::{beyond, execute};
use crate::backend::scan::verify::{
    Direct, Verdict, check_idempotent, check_linear, convolve, direct, direct_tables,
};
use crate::backend::scan::wanted::{Wanted, algebra_error, refuse};
use crate::picture::Image;
use crate::report::{Figure, VERSION};
use crate::syntax::{Diagnostic, Diagnostics, Span};
use crate::term::{FilterSource, IndexSpace, Series, denote, denote_series, finite_filter, read_filter};

/// A plan that passed its checks.
#[derive(Clone, Debug)]
pub struct Streamed {
    /// The report.
    pub record: StreamRecord,
    /// The plan.
    pub plan: Plan,
    /// The kernels in the form for direct convolution.
    pub direct: Vec<Direct>,
    /// The values beyond the image: the requested border, or the other side of a torus.
    pub border: Border,
    /// The only image size on which the filter has a meaning, if its index space is a torus.
    pub size: Option<[usize; 2]>,
}

/// Compiles a filter for a machine in scan order.
///
/// # Errors
/// [`OptimizeError::BadInput`] if the file is at fault or nothing computes it. [`OptimizeError::Internal`] if a plan
/// fails its checks. [`OptimizeError::Unsound`] if a rule equates different kernels.
pub fn optimize_stream(request: &StreamRequest) -> Result<Streamed, OptimizeError> {
    let start = request.budget.now();
    let source = read_filter(&request.source)?;
    let found = if source.semiring == PlusTimes::NAME {
        linear(request, &source)?
    } else {
        let found = in_semiring!(&source.semiring, |S| idempotent::<S>(request, &source));
        found.ok_or_else(|| refuse(request, &format!("there is no semiring `{}`", source.semiring)))??
    };
    if !found.verdict.holds() {
        let Verdict { symbolic, executed, .. } = &found.verdict;
        let plan = found.searched.plan.listing().join("\n");
        return Err(OptimizeError::Internal(format!("{symbolic:?}\n{executed:?}\n{plan}")));
    }
    let seconds = request.budget.seconds_since(start);
    Ok(Streamed {
        record: record(request, &source, &found, seconds),
        plan: found.searched.plan,
        direct: found.direct,
        border: found.border,
        size: only_size(&source),
    })
}

/// The only size of images with which a filter has a meaning.
fn only_size(source: &FilterSource) -> Option<[usize; 2]> {
    match source.space {
        IndexSpace::Torus([width, height, _]) => Some([width as usize, height as usize]),
        IndexSpace::Grid | IndexSpace::Hexagonal => None,
    }
}

/// One output of a plan, applied to images.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The result.
    pub image: Image,
    /// The result of direct convolution.
    pub direct: Image,
    /// The number of results below and above the range, before they are limited or wrapped.
    pub outside: [usize; 2],
}

/// Applies a plan to images and compares with direct convolution. Results of an output outside its `range` are counted.
///
/// # Errors
/// A message that says what does not fit.
pub fn apply(
    streamed: &Streamed,
    images: &[Image],
    border: Border,
    overflow: Overflow,
    range: &dyn Fn(&Output) -> [i64; 2],
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
    border: Border,
}

/// Splits a filter over volumes into planes, because images are planes.
fn by_planes<S: Semiring>(source: &FilterSource, filter: &Filter<S>) -> Result<Filter<S>, OptimizeError> {
    filter.by_planes().map_err(|error| match &error {
        AlgebraError::RepeatedChannel { name } => plane_named(source, name).into(),
        _ => algebra_error(source, &error),
    })
}

/// Refuses an input with the name that a plane of another input has.
fn plane_named(source: &FilterSource, name: &str) -> Diagnostics {
    let is_plane = |input: &&String| {
        let rest = name.strip_prefix(input.as_str()).unwrap_or_default();
        rest.starts_with("-up-") || rest.starts_with("-down-")
    };
    let of = source
        .inputs
        .iter()
        .find(is_plane)
        .map_or_else(|| "another input".to_owned(), |of| format!("`{of}`"));
    let message = format!("the input `{name}` is given twice: `{name}` is also the name of a plane of {of}");
    Diagnostic::error("repeated-input", message)
        .label(Span::at(0), "this file")
        .help("give the input another name")
        .into()
}

/// The border of a filter whose kernels are finite.
fn finite_border(request: &StreamRequest, source: &FilterSource) -> Result<Border, OptimizeError> {
    match source.space {
        IndexSpace::Torus(_) => request.only_border(Border::Wrap, "a torus"),
        IndexSpace::Grid | IndexSpace::Hexagonal => Ok(request.border.unwrap_or(Border::Reflect101)),
    }
}

/// Compiles a filter of sums.
fn linear(request: &StreamRequest, source: &FilterSource) -> Result<Found, OptimizeError> {
    let series = denote_series(source)?;
    let is_infinite = series.iter().flatten().any(|kernel| matches!(kernel, Series::Infinite(_)));
    // A torus has no first pixel, so infinite sums have no meaning on it.
    if is_infinite && !matches!(source.space, IndexSpace::Torus(_)) {
        return tables(request, source, &series);
    }
    let border = finite_border(request, source)?;
    let filter = by_planes(source, &finite_filter(source, series)?)?;
    let (searched, graph) = Wanted::finite(request, source, &filter)?.search::<PlusTimes>(request, source)?;
    let direct = direct(&filter);
    let rows = filter
        .rows()
        .map(|(name, kernels)| (name.to_owned(), kernels.iter().map(Scan::from_kernel).collect()));
    let verdict = check_linear(&searched.plan, &rows.collect::<Vec<_>>(), direct.as_deref(), request.seed);
    Ok(Found { verdict, direct: direct.unwrap_or_default(), graph, searched, border })
}

/// Compiles a filter of sums with at least one infinite sum.
fn tables(
    request: &StreamRequest,
    source: &FilterSource,
    series: &[Vec<Series<PlusTimes>>],
) -> Result<Found, OptimizeError> {
    let border = request.only_border(Border::Zero, "infinite sums")?;
    let (searched, graph) = Wanted::tables(request, source, series)?.search::<PlusTimes>(request, source)?;
    let names = source.outputs.iter().map(|output| output.name.clone());
    let rows = series.iter().map(|row| row.iter().map(Series::to_scan).collect());
    let rows: Vec<(String, Vec<Scan<PlusTimes>>)> = names.zip(rows).collect();
    let direct = direct_tables(&rows);
    let verdict = check_linear(&searched.plan, &rows, direct.as_deref(), request.seed);
    Ok(Found { verdict, direct: direct.unwrap_or_default(), graph, searched, border })
}

fn idempotent<S: Semiring>(request: &StreamRequest, source: &FilterSource) -> Result<Found, OptimizeError> {
    let border = finite_border(request, source)?;
    let filter: Filter<S> = by_planes(source, &denote(source)?)?;
    if request.pixel.float && Fold::of_symbol(S::SYMBOLS[0]) == Some(Fold::Either) {
        return Err(refuse(request, "disjunction needs integer pixels"));
    }
    let (searched, graph) = Wanted::finite(request, source, &filter)?.search::<S>(request, source)?;
    let direct = direct(&filter);
    let verdict = check_idempotent(&searched.plan, &filter, direct.as_deref(), request.seed);
    Ok(Found { verdict, direct: direct.unwrap_or_default(), graph, searched, border })
}

fn record(request: &StreamRequest, source: &FilterSource, found: &Found, seconds: f64) -> StreamRecord {
    let Searched { plan, cost, method, attempts, rules, plans, cancels } = &found.searched;
    let options = CodeOptions { border: found.border, overflow: request.overflow, size: only_size(source) };
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
        border: found.border.name().to_owned(),
        overflow: request.overflow.name().to_owned(),
        inputs: plan.inputs.clone(),
        outputs: plan
            .outputs
            .iter()
            .zip(Cost::of_outputs(plan, &request.machine))
            .map(|(output, cost)| StreamOutput {
                name: output.name.clone(),
                pixel: output.pixel.name().to_owned(),
                table: output.is_table,
                scale: output.scale.to_string(),
                additions: cost.additions,
                multiplications: cost.multiplications,
                shifts: cost.shifts,
            })
            .collect(),
        reach: plan.reach,
        recurrent: plan.has_recurrence(),
        cancels: *cancels,
        width: request.machine.width as u64,
        cost: figures(cost),
        method: method.clone(),
        measured: None,
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
