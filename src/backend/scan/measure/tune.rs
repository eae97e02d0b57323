//! The choice of a plan by the measured time of its C.

use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::program::{Buffer, Function, program};
use super::weights::variants;
use crate::algebra::Rational;
use crate::backend::scan::compile::{Streamed, optimize_stream};
use crate::backend::scan::machine::{Border, Pixel, Storage, identifier, type_name};
use crate::backend::scan::pipeline::Piped;
use crate::backend::scan::report::{Measured, MeasuredPlan};
use crate::backend::scan::request::StreamRequest;
use crate::backend::{CTimer, OptimizeError};
use crate::pipeline::PixelType;
use crate::report::Figure;

/// The most plans that are measured: those of least cost.
const MAX_MEASURED: usize = 8;

/// The sizes of pictures for pipelines are multiples of this, so that they fit most rates; pictures have at least as many rows.
const MULTIPLE: i64 = 64;

/// The most pixels of pictures that are wider than high.
const MAX_PIXELS: i64 = 1 << 22;

/// The rows of pictures of this width: as many as columns, or fewer of long rows.
fn rows(width: i64) -> i64 {
    let rows = width.min(MAX_PIXELS / width).max(MULTIPLE);
    (rows + MULTIPLE - 1) / MULTIPLE * MULTIPLE
}

/// What can be measured: it has several plans, and C.
pub(in crate::backend::scan) trait Tunable: Send + Sized {
    /// The cost by the weights of the request's machine.
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
        let size = self.size.map_or([width, rows(width)], |size| size.map(|length| length as i64));
        let lost = match self.border {
            Border::Valid => [plan.reach[0] + plan.reach[1], plan.reach[2] + plan.reach[3]].map(i64::from),
            _ => [0; 2],
        };
        let results = [size[0] - lost[0], size[1] - lost[1]];
        let buffer = |pixel: Pixel, size| Buffer {
            of: type_name(pixel.storage()),
            samples: if pixel.float { Pixel::UINT8.range() } else { pixel.range() },
            size,
        };
        Ok(Function {
            name: identifier(&plan.name),
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
    fn cost(&self) -> f64 {
        self.record.regions.iter().map(|region| region.cost.total.get() * region.weight.get()).sum()
    }

    fn function(&self, width: i64) -> Result<Function, String> {
        let (Some(code), None) = (&self.record.c, &self.record.c_refused) else {
            return Err(self.record.c_refused.clone().unwrap_or_default());
        };
        let pipeline = self.pipeline();
        let width = (width + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
        let size = [width, rows(width)];
        let sized = |rate: [Rational; 2]| {
            [0, 1].map(|axis| size[axis] * rate[axis].numerator() / rate[axis].denominator())
        };
        let buffer = |pixel: PixelType, rate: [Rational; 2]| match pixel {
            PixelType::Float32 => {
                Buffer { of: "float".to_owned(), samples: Pixel::UINT8.range(), size: sized(rate) }
            }
            PixelType::Integer { bits, signed } => {
                let bits = bits.next_power_of_two().max(8);
                let of = type_name(Storage { bits, signed, float: false });
                Buffer {
                    of,
                    samples: pixel
                        .limits()
                        .unwrap_or_default()
                        .map(|end| end.clamp(i64::MIN.into(), i64::MAX.into()) as i64),
                    size: sized(rate),
                }
            }
        };
        Ok(Function {
            name: identifier(&pipeline.name),
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

/// The plans that are best by the descriptor's weights, or would be by others, with what was measured; those of least cost first.
/// Plans of the same C are one. Half of the time limit is for the first search, the rest for the others.
///
/// # Errors
/// Those of `compile`, and [`OptimizeError::Usage`] if nothing can be measured.
fn measure<T: Tunable>(
    request: &StreamRequest,
    timer: &dyn CTimer,
    compile: impl Fn(&StreamRequest) -> Result<T, OptimizeError> + Sync,
) -> Result<(Vec<T>, Measured), OptimizeError> {
    let failed = |why: String| OptimizeError::Usage(format!("--tune measures no code: {why}"));
    let time = request.time.map(|time| time / 2);
    let first = compile(&StreamRequest { time, ..request.clone() })?;
    let variants = variants(&request.machine);
    let share = time.map(|time| time / variants.len().max(1) as u32);
    let others = variants.par_iter().map(|variant| {
        compile(&StreamRequest { time: share, chosen_by: Some(Arc::new(variant.clone())), ..request.clone() })
    });
    let others: Vec<Result<T, OptimizeError>> = others.collect();
    let mut found: Vec<(T, Function)> = Vec::new();
    let width = (request.machine.width as i64).max(MULTIPLE);
    for one in std::iter::once(Ok(first)).chain(others) {
        let one = one?;
        let function = one.function(width).map_err(failed)?;
        if !found.iter().any(|(_, known)| known.code == function.code) {
            found.push((one, function));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cost().total_cmp(&other.cost()));
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
