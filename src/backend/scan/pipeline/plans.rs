//! Compiles the regions of a pipeline, each as a filter, through the e-graph.

use std::collections::{BTreeMap, BTreeSet};

use crate::algebra::{ORIGIN, Offset, Rational};
use crate::backend::OptimizeError;
use crate::backend::scan::compile::optimize_stream;
use crate::backend::scan::machine::{Overflow, Pixel, Plan, Storage};
use crate::backend::scan::report::StreamRecord;
use crate::backend::scan::request::StreamRequest;
use crate::pipeline::{NodeId, Pipeline, PixelType};
use crate::syntax::Source;
use crate::term::{denote_series, finite_filter, read_filter};

use super::cost::{Operations, counts, tap_by_tap, weight};
use super::regions::{Made, Region, Values};
use super::text::{input, kernel_file};

/// A region that was compiled.
pub(super) struct Planned {
    /// The plan. Its outputs have the types of the values.
    pub(super) plan: Plan,
    /// The record of the filter.
    pub(super) record: StreamRecord,
    /// The operations tap by tap for each pixel: additions, multiplications, shifts.
    pub(super) taps: [u64; 3],
    /// How often it is computed for each pixel of the base grid.
    pub(super) weight: f64,
}

/// A pipeline whose regions are compiled.
pub(super) struct Compiled {
    pub(super) pipeline: Pipeline,
    pub(super) values: Values,
    /// The plans of the regions, in order.
    pub(super) planned: Vec<Planned>,
    /// The types of the values that are kept in memory where a region reads or computes them.
    pub(super) types: BTreeMap<NodeId, Storage>,
    /// The linear operations that are left.
    pub(super) cost: Operations,
}

/// Compiles all regions. Values for which a plan saves nothing, or for which there is none, are computed tap by tap.
///
/// # Errors
/// Those of single filters, except that there is no plan.
pub(super) fn compile(pipeline: Pipeline, request: &StreamRequest) -> Result<Compiled, OptimizeError> {
    let mut known = Known::new();
    let mut apart: BTreeSet<NodeId> = BTreeSet::new();
    'again: loop {
        let values = Values::of(&pipeline, &|id| apart.contains(&id));
        let types = match types(&pipeline, &values) {
            Ok(types) => types,
            Err(region) => {
                apart.extend(&values.regions[region].outputs);
                continue;
            }
        };
        let mut planned = Vec::new();
        for (number, region) in values.regions.iter().enumerate() {
            let budget = request.budget.share(values.regions.len() - number);
            let request = StreamRequest { budget, ..request.clone() };
            let found = match plan(&pipeline, &values, region, &types, &request, &mut known) {
                Ok(Some(planned)) if is_worth_it(region, &values, &planned) => planned,
                Ok(_) => {
                    apart.extend(&region.outputs);
                    continue 'again;
                }
                Err(error) => return Err(error),
            };
            planned.push(found);
        }
        let cost = cost(&pipeline, &values, &planned);
        return Ok(Compiled { pipeline, values, planned, types, cost });
    }
}

/// Whether a plan is more than its taps. Sums of the pixel itself need no function of their own unless it saves operations.
fn is_worth_it(region: &Region, values: &Values, planned: &Planned) -> bool {
    let at_itself = |id: &NodeId| {
        let kernels = &values.forms[id.index()].terms;
        kernels.values().all(|kernel| kernel.nonzero_taps().all(|(offset, _)| offset == ORIGIN))
    };
    let is_point_wise = region.choice.is_none() && region.outputs.iter().all(at_itself);
    let saves = operations(planned).iter().sum::<u64>() < planned.taps.iter().sum();
    saves || !is_point_wise && planned.record.method != "direct"
}

/// The additions, multiplications and shifts of a region, those of constants included.
fn operations(Planned { plan, record, .. }: &Planned) -> [u64; 3] {
    let constants = plan.outputs.iter().zip(&record.outputs).filter(|(output, _)| output.bias != 0).count();
    let constants = if record.semiring == "plus-times" { constants as u64 } else { 0 };
    [record.cost.additions + constants, record.cost.multiplications, record.cost.shifts]
}

/// The type that holds the values of a node in memory, integers as numerators. `None` for more than 64 bits.
pub(super) fn storage(pipeline: &Pipeline, id: NodeId) -> Option<Storage> {
    match pipeline.facts(id).range() {
        Some(range) => Storage::holding(range.least, range.greatest),
        None => Some(FLOAT),
    }
}

/// The type that holds the pixels of a picture.
pub(in crate::backend::scan) fn pixel_storage(pixel: PixelType) -> Storage {
    match pixel {
        PixelType::Integer { bits, signed } => {
            let bits = [8, 16, 32, 64].into_iter().find(|wide| *wide >= bits).unwrap_or(64);
            Storage { bits, signed, float: false }
        }
        PixelType::Float32 => FLOAT,
    }
}

/// Single precision.
pub(super) const FLOAT: Storage = Storage { bits: 32, signed: true, float: true };

/// The integers of patterns.
pub(super) const PATTERN: Storage = Storage { bits: 32, signed: true, float: false };

/// The type that holds the pixels of an input's picture.
pub(super) fn input_storage(pipeline: &Pipeline, index: usize) -> Storage {
    pixel_storage(pipeline.inputs[index].pixel)
}

/// The least and the greatest integer of a type.
pub(super) fn limits(storage: Storage) -> [i128; 2] {
    let reach = 1i128 << (storage.bits - u32::from(storage.signed));
    if storage.signed { [-reach, reach - 1] } else { [0, reach - 1] }
}

fn pixel(storage: Storage) -> Pixel {
    Pixel { bits: storage.bits, signed: storage.signed, float: storage.float }
}

/// The types of values in memory: the inputs of a filter have one type. The number of a region whose sources no type of pixels
/// holds, if there is one.
fn types(pipeline: &Pipeline, values: &Values) -> Result<BTreeMap<NodeId, Storage>, usize> {
    let mut types: BTreeMap<NodeId, Storage> = BTreeMap::new();
    for (number, region) in values.regions.iter().enumerate() {
        for id in region.outputs.iter().chain(&region.sources) {
            types.insert(*id, storage(pipeline, *id).ok_or(number)?);
        }
    }
    loop {
        let before = types.clone();
        for (number, region) in values.regions.iter().enumerate() {
            let ends = region.sources.iter().map(|id| limits(types[id]));
            let all = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).unwrap_or([0, 0]);
            let joint = Storage::holding(all[0], all[1]).filter(|joint| joint.bits <= 32).ok_or(number)?;
            types.extend(region.sources.iter().map(|id| (*id, joint)));
            let unsigned = |id: &NodeId| types[id].bits == 64 && !types[id].signed;
            if region.outputs.iter().any(unsigned) {
                return Err(number);
            }
        }
        if types == before {
            return Ok(types);
        }
    }
}

/// The plans that were made, by the text of their filter and the type and the interval of its inputs.
type Known = BTreeMap<(String, &'static str, Option<[i64; 2]>), Option<(Plan, StreamRecord)>>;

/// The plan of a region; `None` if there is none.
fn plan(
    pipeline: &Pipeline,
    values: &Values,
    region: &Region,
    types: &BTreeMap<NodeId, Storage>,
    request: &StreamRequest,
    known: &mut Known,
) -> Result<Option<Planned>, OptimizeError> {
    let Some(text) = kernel_file(pipeline, values, region, "region") else { return Ok(None) };
    let pixel_of_sources = pixel(types[&region.sources[0]]);
    let values_of_sources = interval(pipeline, &region.sources);
    let key = (text, pixel_of_sources.name(), values_of_sources);
    if !known.contains_key(&key) {
        let source = Source::new(request.source.name(), key.0.clone());
        checked(pipeline, values, region, &source)?;
        let filter = StreamRequest {
            source,
            pixel: pixel_of_sources,
            values: values_of_sources,
            overflow: Overflow::Wrap,
            ..request.clone()
        };
        let found = match optimize_stream(&filter) {
            Ok(streamed) => Some((streamed.plan, streamed.record)),
            Err(OptimizeError::NoProgram(_)) => None,
            Err(error) => return Err(error),
        };
        known.insert(key.clone(), found);
    }
    let Some((mut plan, record)) = known[&key].clone() else { return Ok(None) };
    for (output, id) in plan.outputs.iter_mut().zip(&region.outputs) {
        let denominator = pipeline.facts(*id).denominator();
        let constant = match region.choice {
            None => values.forms[id.index()].constant,
            Some(_) => Rational::ZERO,
        };
        let numerator = i128::from(constant.numerator()) * (denominator / i128::from(constant.denominator()));
        let Ok(addend) = i64::try_from(numerator) else { return Ok(None) };
        output.bias += addend;
        output.pixel = pixel(types[id]);
    }
    Ok(Some(Planned {
        plan,
        record,
        taps: taps(pipeline, values, region),
        weight: weight(pipeline, region.outputs[0]),
    }))
}

/// The interval of the numerators of all these values, and 0, which borders and unused places have.
fn interval(pipeline: &Pipeline, sources: &[NodeId]) -> Option<[i64; 2]> {
    sources.iter().try_fold([0, 0], |[low, high], id| {
        let range = pipeline.facts(*id).range()?;
        let ends = [i64::try_from(range.least).ok()?, i64::try_from(range.greatest).ok()?];
        Some([low.min(ends[0]), high.max(ends[1])])
    })
}

/// Compares the kernels of a region's text with the linear forms of its values.
fn checked(
    pipeline: &Pipeline,
    values: &Values,
    region: &Region,
    source: &Source,
) -> Result<(), OptimizeError> {
    let read = read_filter(source)?;
    if region.choice.is_some() {
        return Ok(());
    }
    let filter = finite_filter(&read, denote_series(&read)?)?;
    let denominator = |id: NodeId| pipeline.facts(id).denominator();
    for id in &region.outputs {
        for from in &region.sources {
            let origin = crate::pipeline::Origin { node: *from, stride: [1, 1] };
            let found = filter.kernel(&format!("o{}", id.index()), &input(*from));
            let ratio = (i64::try_from(denominator(*id)), i64::try_from(denominator(*from)));
            let expected = match values.forms[id.index()].terms.get(&origin) {
                None => found.is_none_or(|kernel| kernel.is_zero()),
                Some(kernel) => match (ratio, found) {
                    ((Ok(up), Ok(down)), Some(found)) => Rational::new(up, down)
                        .and_then(|ratio| kernel.scale(ratio).ok())
                        .is_some_and(|kernel| kernel.equal_values(found)),
                    _ => false,
                },
            };
            if !expected {
                let text = source.text();
                return Err(OptimizeError::Internal(format!(
                    "a region is not what the pipeline says:\n{text}"
                )));
            }
        }
    }
    Ok(())
}

/// The operations of a region tap by tap.
fn taps(pipeline: &Pipeline, values: &Values, region: &Region) -> [u64; 3] {
    let each = region.outputs.iter().map(|id| match region.choice {
        Some(_) => counts(&values.forms, *id, &pipeline.node(*id).operation),
        None => taps_of_value(pipeline, values, *id),
    });
    each.fold([0; 3], |a, b| [0, 1, 2].map(|i| a[i] + b[i]))
}

fn taps_of_value(pipeline: &Pipeline, values: &Values, id: NodeId) -> [u64; 3] {
    let form = &values.forms[id.index()];
    let weights = taps_of_numerators(pipeline, values, id);
    let [additions, multiplications, shifts] = tap_by_tap(weights.iter().map(|(.., weight)| *weight));
    let constant = u64::from(!form.constant.is_zero() && !form.terms.is_empty());
    [additions + constant, multiplications, shifts]
}

/// The taps of a linear value, as factors of numerators: the source, the offset and the weight.
pub(super) fn taps_of_numerators(
    pipeline: &Pipeline,
    values: &Values,
    id: NodeId,
) -> Vec<(NodeId, Offset, Rational)> {
    let denominator = |id: NodeId| pipeline.facts(id).denominator();
    let mut taps = Vec::new();
    for (origin, kernel) in &values.forms[id.index()].terms {
        let ratio = i64::try_from(denominator(id) / denominator(origin.node)).ok().map(Rational::integer);
        for (offset, tap) in kernel.nonzero_taps() {
            taps.push((origin.node, offset, ratio.and_then(|ratio| tap.mul(ratio)).unwrap_or(tap)));
        }
    }
    taps
}

/// The operations that are left, for each pixel of the base grid.
fn cost(pipeline: &Pipeline, values: &Values, planned: &[Planned]) -> Operations {
    let mut sum = Operations::default();
    for planned in planned {
        sum = sum.plus(Operations::counted(operations(planned), planned.weight));
    }
    for id in pipeline.ids() {
        let weight = weight(pipeline, id);
        sum = sum.plus(match values.made[id.index()] {
            Made::Taps => Operations::counted(taps_of_value(pipeline, values, id), weight),
            Made::Operation => Operations::of(pipeline, &values.forms, id, weight),
            _ => continue,
        });
    }
    sum
}
