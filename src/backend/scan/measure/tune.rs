//! The choice of a plan by the measured time of its C.

use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::program::{Buffer, Function, program};
use super::weights::variants;
use crate::algebra::Rational;
use crate::backend::scan::compile::{Streamed, optimize_stream};
use crate::backend::scan::machine::{Border, Pixel, Ports, type_name};
use crate::backend::scan::pipeline::{Piped, joined, pixel_storage, ports_of};
use crate::backend::scan::report::{Measured, MeasuredPlan};
use crate::backend::scan::request::StreamRequest;
use crate::backend::{CTimer, OptimizeError};
use crate::pipeline::{Pipeline, PixelType};
use crate::report::Figure;

/// The most plans that are measured: those of least cost.
const MAX_MEASURED: usize = 8;

/// The fewest columns and rows of pictures.
const MIN_SIDE: i64 = 64;

/// About the most pixels of pictures that are wider than high, if they then have enough rows.
const MAX_PIXELS: i64 = 1 << 22;

/// Width and height of pictures of about this width: multiples of `whole`, and as many rows as columns, or fewer of long rows.
fn sides(width: i64, whole: [i64; 2]) -> [i64; 2] {
    let multiple = |side: i64, of: i64| (side + of - 1) / of * of;
    let width = multiple(width.max(MIN_SIDE), whole[0]);
    [width, multiple(width.min(MAX_PIXELS / width).max(MIN_SIDE), whole[1])]
}

/// The least columns and rows that are whole at the rates of all values, if there are not too many.
fn whole(pipeline: &Pipeline) -> Option<[i64; 2]> {
    pipeline.nodes.iter().filter_map(|node| node.facts.rate).try_fold([1, 1], joined)
}

/// What can be measured: it has several plans, and C.
pub(in crate::backend::scan) trait Tunable: Send + Sized {
    /// What the plans that are measured are ordered by.
    fn cost(&self) -> f64;

    /// The C function, or why there is none.
    fn function(&self, width: i64) -> Result<Function, String>;

    /// Records what was measured.
    fn record(&mut self, measured: Measured);
}

impl Tunable for Streamed {
    fn cost(&self) -> f64 {
        self.record.cost.total.get()
    }

    fn function(&self, width: i64) -> Result<Function, String> {
        let plan = &self.plan;
        let lost = match self.border {
            Border::Valid => [plan.reach[0] + plan.reach[1], plan.reach[2] + plan.reach[3]].map(i64::from),
            _ => [0; 2],
        };
        // Results that lose columns and rows are there all the same.
        let [width, height] = sides(width, [1, 1]);
        let size =
            self.size.map_or([width + lost[0], height + lost[1]], |size| size.map(|length| length as i64));
        let results = [size[0] - lost[0], size[1] - lost[1]];
        let buffer = |pixel: Pixel, size| Buffer {
            of: type_name(pixel.storage()),
            samples: if pixel.float { Pixel::UINT8.range() } else { pixel.range() },
            size,
        };
        Ok(Function {
            name: Ports::of(plan).function(&plan.name),
            code: self.record.c.clone(),
            inputs: plan.inputs.iter().map(|_| buffer(plan.pixel, size)).collect(),
            outputs: plan.outputs.iter().map(|output| buffer(output.pixel, results)).collect(),
            size,
            rows: results[1],
        })
    }

    fn record(&mut self, measured: Measured) {
        self.record.measured = Some(measured);
    }
}

impl Tunable for Piped {
    /// The operations for each pixel: a plan may leave out regions, which then have no cost of their own.
    fn cost(&self) -> f64 {
        self.record.compiled.total()
    }

    fn function(&self, width: i64) -> Result<Function, String> {
        let (Some(code), None) = (&self.record.c, &self.record.c_refused) else {
            return Err(self.record.c_refused.clone().unwrap_or_default());
        };
        let pipeline = self.pipeline();
        let whole =
            whole(pipeline).ok_or("pictures of a whole number of pixels at every rate are too large")?;
        let size = sides(width, whole);
        let sized = |rate: [Rational; 2]| {
            [0, 1].map(|axis| size[axis] * rate[axis].numerator() / rate[axis].denominator())
        };
        let buffer = |pixel: PixelType, rate: [Rational; 2]| {
            let samples = pixel.limits().unwrap_or(Pixel::UINT8.range().map(i128::from));
            Buffer {
                of: type_name(pixel_storage(pixel)),
                samples: samples.map(|end| end.clamp(i64::MIN.into(), i64::MAX.into()) as i64),
                size: sized(rate),
            }
        };
        Ok(Function {
            name: ports_of(pipeline).function(&pipeline.name),
            code: code.clone(),
            inputs: pipeline.inputs.iter().map(|input| buffer(input.pixel, input.rate)).collect(),
            outputs: pipeline.outputs.iter().map(|output| buffer(output.pixel, output.rate)).collect(),
            size,
            rows: size[1],
        })
    }

    fn record(&mut self, measured: Measured) {
        self.record.measured = Some(measured);
    }
}

/// The plan that the descriptor's weights choose, and then those that others would, with what was measured; of these, those of least
/// cost. Plans of the same C are one. Half of the time limit is for the first search, the rest for the others.
///
/// # Errors
/// Those of `compile`, and [`OptimizeError::Usage`] if nothing can be measured.
fn measure<T: Tunable>(
    request: &StreamRequest,
    timer: &dyn CTimer,
    compile: impl Fn(&StreamRequest) -> Result<T, OptimizeError> + Sync,
) -> Result<(Vec<T>, Measured), OptimizeError> {
    let failed = |why: String| OptimizeError::Usage(format!("--tune measures no code: {why}"));
    let half = request.budget.share(2);
    let variants = variants(&request.machine);
    let share = half.share(variants.len().max(1)).time_left();
    let first = compile(&StreamRequest { budget: half, ..request.clone() })?;
    let others = variants.par_iter().map(|variant| {
        let budget = request.budget.clone().within(share);
        compile(&StreamRequest { budget, chosen_by: Some(Arc::new(variant.clone())), ..request.clone() })
    });
    let others: Vec<Result<T, OptimizeError>> = others.collect();
    let width = request.machine.width as i64;
    let function = first.function(width).map_err(failed)?;
    let mut found = vec![(first, function)];
    for one in others {
        let one = match one {
            // By other weights there may be no plan.
            Err(OptimizeError::NoProgram(_)) => continue,
            one => one?,
        };
        let Ok(function) = one.function(width) else { continue };
        if !found.iter().any(|(_, known)| known.code == function.code) {
            found.push((one, function));
        }
    }
    found[1..].sort_by(|(one, _), (other, _)| one.cost().total_cmp(&other.cost()));
    found.truncate(MAX_MEASURED);
    let (found, functions): (Vec<T>, Vec<Function>) = found.into_iter().unzip();
    let times = timer.run(&program(&functions)).map_err(failed)?;
    if times.len() != found.len() {
        return Err(failed(format!("the program prints {} numbers, not {}", times.len(), found.len())));
    }
    let plan = |(one, time): (&T, f64)| MeasuredPlan {
        cost: Figure::new(one.cost()),
        picoseconds: Figure::new(time),
    };
    let plans = found.iter().zip(times).map(plan).collect();
    Ok((found, Measured { compiler: timer.command(), size: functions[0].size, plans }))
}

/// The plans of a filter that are best by the descriptor's weights, or would be by others, with the measured times of their C.
///
/// # Errors
/// Those of [`optimize_stream`], and [`OptimizeError::Usage`] if nothing can be measured.
pub fn measured(
    request: &StreamRequest,
    timer: &dyn CTimer,
) -> Result<(Vec<Streamed>, Measured), OptimizeError> {
    measure(request, timer, optimize_stream)
}

/// The plan whose C takes the least time.
///
/// # Errors
/// Those of single filters and pipelines, and [`OptimizeError::Usage`] if nothing can be measured.
pub(in crate::backend::scan) fn tuned<T: Tunable>(
    request: &StreamRequest,
    timer: Option<&dyn CTimer>,
    compile: impl Fn(&StreamRequest) -> Result<T, OptimizeError> + Sync,
) -> Result<T, OptimizeError> {
    let timer = timer.ok_or_else(|| OptimizeError::Usage("--tune needs a C compiler".to_owned()))?;
    let (found, measured) = measure(request, timer, compile)?;
    let times = measured.plans.iter().map(|plan| plan.picoseconds.get());
    let best = found.into_iter().zip(times).min_by(|(_, one), (_, other)| one.total_cmp(other));
    let (mut best, _) = best.ok_or_else(|| OptimizeError::Usage("--tune finds no plan".to_owned()))?;
    best.record(measured);
    Ok(best)
}
