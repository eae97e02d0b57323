//! The stages for vector machines: a filter or a workload in, a checked, software-pipelined program out.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::algebra::Random;
use crate::algebra::{Kernel, Placed as Placed2D, PlusTimes, Rational, Shape};
use crate::backend::OptimizeError;
use crate::backend::vector::machine::{
    Contract, Kind, Machine, Misfit, Operation, Program, Trial, cpp, fits_memory, harness, listing,
};
use crate::backend::vector::report::{
    BankModel, VectorAttempt, VectorBaseline, VectorChecks, VectorCycles, VectorOutputs, VectorPlan,
    VectorRecord, VectorUsage, why,
};
use crate::backend::vector::schedule::constant::{
    Attempt, Chosen, Form, Inapplicable, Split, Technique, choose, kernels, plans, program, run_time_plans,
    splits,
};
use crate::backend::vector::schedule::{Infeasible, space, tensors, tune};
use crate::backend::vector::simulate::Counts;
use crate::backend::vector::verify::tensor::{Answer, Sample, Verdict, check};
use crate::backend::vector::workload::{Element, Placed, Weights, Workload, read_workload};
use crate::budget::Budget;
use crate::report::{Figure, VERSION};
use crate::rule::RuleSet;
use crate::saturate::{Clock, Limits, saturate};
use crate::syntax::{Diagnostic, Source, Span, read};
use crate::term::{IndexSpace, denote_linear, read_filter};

/// The tile that filters are compiled for where none is asked for: that of the Vyasa paper.
pub const USUAL_TILE: [usize; 2] = [256, 16];
/// What pixels are where nothing is said of them: 8 bits without sign.
pub const USUAL_RANGE: [i64; 2] = [0, 255];

/// Compiles and runs a C++ program: the numbers that it prints, or what went wrong.
pub type RunCode = Arc<dyn Fn(&str) -> Result<Vec<i64>, String> + Send + Sync>;

/// One filter or workload to compile for a vector machine.
#[derive(Clone)]
pub struct VectorRequest {
    /// The text; its name goes into the record.
    pub source: Source,
    /// The machine.
    pub machine: Arc<Machine>,
    /// Width and height of the tile of outputs, for filters.
    pub tile: Option<[usize; 2]>,
    /// The type of elements, for filters.
    pub element: Option<Element>,
    /// The least and the greatest input, for filters.
    pub range: Option<[i64; 2]>,
    /// How far outputs may be from the exact results.
    pub tolerance: u64,
    /// Whether accesses never wait for a bank, whatever the machine says of them.
    pub ideal_banks: bool,
    /// What is not done with coefficients that are known.
    pub without: Vec<Technique>,
    /// Whether tensors that the machine's memory does not hold are only told, not refused: for the cycles alone.
    pub oversize: bool,
    /// The rules by which filters are split.
    pub rules: RuleSet,
    /// Seed of the random tiles.
    pub seed: u64,
    /// What compiles and runs the C++, for the third check; `None` where nothing does.
    pub run: Option<RunCode>,
    /// How many schedules are compiled at most, how long, and until who waits; a program is looked for until there is one.
    pub budget: Budget,
    /// The clock.
    pub clock: Clock,
}

/// Compiles for a vector machine. `progress` hears of every schedule that was tried, of how many.
///
/// # Errors
/// [`OptimizeError::BadInput`] where the file is at fault, or nothing compiles it; [`OptimizeError::Internal`] where a program fails
/// its checks.
pub fn optimize_vector(
    request: &VectorRequest,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<VectorRecord, OptimizeError> {
    let start = (request.clock)();
    let described = request.machine.banks.is_some();
    let ideal = || Arc::new(Machine { banks: None, ..(*request.machine).clone() });
    let machine = if request.ideal_banks { ideal() } else { Arc::clone(&request.machine) };
    let request = &VectorRequest { machine, ..request.clone() };
    let (workload, outputs) = workload(request)?;
    let machine = &request.machine;
    let refuse = |why: Refusal| {
        let (span, label) = why.place(&workload, &outputs);
        let why = why.text(&workload, &outputs);
        let message = format!("`{}` cannot be compiled for `{}`: {why}", workload.name, machine.name);
        OptimizeError::NoProgram(Diagnostic::error("no-vector-program", message).label(span, label).into())
    };
    let memory = |needed: usize| match needed > machine.memory && !request.oversize {
        true => Err(refuse(Infeasible::Misfit(Misfit::Memory { needed, available: machine.memory }).into())),
        false => Ok(()),
    };
    memory(workload.bytes())?;
    let found = match workload.weights {
        Weights::Known(_) if is_filter(&workload) => {
            // Sums of bytes fit no byte: nothing is split.
            let splits = match workload.element {
                Element::Int8 => Vec::new(),
                _ => decompose_by(&request.rules, &workload, &request.without, &request.budget)?,
            };
            known(request, &workload, &splits, progress).map_err(refuse)?
        }
        Weights::Known(_) | Weights::RunTime => run_time(request, &workload, progress).map_err(refuse)?,
    };
    memory(found.program.usage(machine).memory)?;
    let banks = match (described, request.ideal_banks) {
        (true, true) => BankModel::Ideal,
        (true, false) if found.program.places.is_empty() => BankModel::NoPlaces,
        (true, false) => BankModel::Modelled,
        (false, _) => BankModel::NotDescribed,
    };
    let contract = Contract::new(machine, &workload, &found.placed, &found.program);
    let code = contract.comment(banks.describe()) + &cpp(machine, &found.program);
    let plain = Placed::plain(&workload);
    let sample = Sample::random(&workload, &plain, &mut Random::new(request.seed));
    let trial = Trial { contract: &contract, code: &code, weights: &sample.weights, input: &sample.input };
    let (verdict, ran) = rayon::join(
        || check(machine, &workload, &found.placed, &found.program, request.seed),
        || {
            let run = request.run.as_ref().filter(|_| !request.budget.is_interrupted())?;
            Some(run(&harness(&[trial])).and_then(|printed| trial.outputs(&printed)))
        },
    );
    if !verdict.holds() {
        return Err(OptimizeError::Internal(failed(&found.how, &verdict)));
    }
    let plan = plan(machine, found.how.clone(), &found.program);
    let Counts { cycles, set_up, multiplies, loads, stores, bank_stalls, .. } = verdict.counts;
    let measured = [cycles, set_up, multiplies, loads, stores, bank_stalls].map(|n| n as u64);
    let foreseen = [plan.cycles, plan.set_up, plan.multiplies, plan.loads, plan.stores, plan.bank_stalls];
    if measured != foreseen {
        let message = format!(
            "cycles, set-up, multiplications, loads, stores and waits for banks: {measured:?} run, {foreseen:?} foreseen"
        );
        return Err(OptimizeError::Internal(message));
    }
    let wrong = |what: String| OptimizeError::Internal(format!("{}\nthe C++: {what}", found.how));
    let compiled = match ran.transpose().map_err(wrong)? {
        None => None,
        Some(output) => match sample.compare(&workload, &plain, &output, verdict.bound) {
            Answer::Different { output, expected, found } => {
                return Err(wrong(format!("output {output:?} is {found}, not {expected}")));
            }
            answer => Some(answer.is_equal()),
        },
    };
    let seconds = ((request.clock)() - start).as_secs_f64();
    let record = record(request, &workload, found, plan, (&verdict, compiled), seconds);
    Ok(VectorRecord { banks, contract, code, ..record })
}

/// What is wrong, for a message.
fn failed(how: &str, verdict: &Verdict) -> String {
    let say = |what: &str, answer: &Answer| match answer {
        Answer::Equal => format!("{what}: equal"),
        Answer::Different { output, expected, found } => {
            format!("{what}: output {output:?} is {found}, not {expected}")
        }
        Answer::Fault(fault) => format!("{what}: {fault}"),
    };
    format!("{how}\n{}\n{}", say("on symbols", &verdict.symbolic), say("on random tiles", &verdict.simulated))
}

/// An output of a filter: its name, and where it stands.
type Named = (String, Span);

/// Why there is no program: what became of the plan that is the plainest.
#[derive(Debug)]
struct Refusal {
    why: String,
    /// The coefficient that is too large for the machine, and the type that it should fit.
    coefficient: Option<(i64, Element)>,
}

impl From<Inapplicable> for Refusal {
    fn from(why: Inapplicable) -> Self {
        let coefficient = match why {
            Inapplicable::Coefficient(value, element)
            | Inapplicable::Infeasible(Infeasible::Coefficient { value, element }) => Some((value, element)),
            _ => None,
        };
        Self { why: why.to_string(), coefficient }
    }
}

impl From<Infeasible> for Refusal {
    fn from(why: Infeasible) -> Self {
        Inapplicable::from(why).into()
    }
}

impl Refusal {
    /// The output that has the coefficient.
    fn output<'o>(&self, workload: &Workload, outputs: &'o [Named]) -> Option<&'o Named> {
        let (value, _) = self.coefficient?;
        let at = workload.kernels().position(|kernel| kernel.contains(&value))?;
        outputs.get(at)
    }

    fn text(&self, workload: &Workload, outputs: &[Named]) -> String {
        match (self.coefficient, self.output(workload, outputs)) {
            (Some((value, element)), Some((name, _))) => {
                format!("the coefficient {value} of the output `{name}` does not fit {element}")
            }
            _ => self.why.clone(),
        }
    }

    fn place(&self, workload: &Workload, outputs: &[Named]) -> (Span, &'static str) {
        match self.output(workload, outputs) {
            Some((_, span)) => (*span, "in this output"),
            None => (Span::at(0), "this file"),
        }
    }
}

/// A workload file as it is; a filter with the request's tile and type, and its outputs.
fn workload(request: &VectorRequest) -> Result<(Workload, Vec<Named>), OptimizeError> {
    let sexps = read(&request.source)?;
    if sexps.first().and_then(|sexp| sexp.as_form()).is_some_and(|form| form.head == "convolution") {
        let workload = Workload { tolerance: request.tolerance, ..read_workload(&request.source)? };
        return Ok((workload, Vec::new()));
    }
    let source = read_filter(&request.source)?;
    let filter = denote_linear(&source)?;
    let place = source.outputs.first().map_or(Span::at(0), |output| output.span);
    let refuse = |message: &str, label: &str| {
        OptimizeError::BadInput(Diagnostic::error("not-integers", message).label(place, label).into())
    };
    if matches!(source.space, IndexSpace::Torus(_)) {
        return Err(refuse("a tile has edges, and a torus has none", "over a torus"));
    }
    let kernels: Vec<&Kernel<PlusTimes>> = filter.rows().flat_map(|(_, kernels)| kernels).collect();
    let (size, centre, values, shift) = integers(&kernels).ok_or_else(|| {
        refuse(
            "coefficients are not integers over a power of two, or all are zero",
            "in this output or another",
        )
    })?;
    let channels = [filter.outputs().len(), filter.inputs().len()];
    let element = request.element.unwrap_or(Element::Int16);
    let [least, greatest] = element.range();
    if let Some([low, high]) = request.range.filter(|[low, high]| *low < least || *high > greatest) {
        let message = format!("inputs of {low} to {high} do not fit {element}");
        let label = format!("`--range` lies within {least}..{greatest}, or `--type` is a wider one");
        let wrong = Diagnostic::error("out-of-range", message).label(place, label);
        return Err(OptimizeError::BadInput(wrong.into()));
    }
    let tile = request.tile.unwrap_or(USUAL_TILE);
    let workload = Workload {
        shift,
        centre,
        range: request.range.unwrap_or(if element == Element::Int8 { element.range() } else { USUAL_RANGE }),
        tolerance: request.tolerance,
        ..Workload::known(source.name.clone(), element, tile, [size[0], size[1]], channels, values)
    };
    Ok((workload, source.outputs.iter().map(|output| (output.name.clone(), output.span)).collect()))
}

/// A window: its width and height, the column and row of it that lie under the output, its coefficients, and a shift.
type Window = ([usize; 2], [i64; 2], Vec<i64>, u32);

/// The window of some kernels: width and height, the column and row of it that lie under the output, the coefficients of each, row by row from the north, and the bits that results
/// are shifted right by; `None` for kernels that are not plane or not dyadic, are too large or all zero.
fn integers(kernels: &[&Kernel<PlusTimes>]) -> Option<Window> {
    let taps = || {
        let of = |(index, kernel): (usize, &&Kernel<PlusTimes>)| {
            kernel.nonzero_taps().map(move |(offset, value)| (index, offset, value)).collect::<Vec<_>>()
        };
        kernels.iter().enumerate().flat_map(of)
    };
    if taps().any(|(_, offset, value)| offset[2] != 0 || !value.is_dyadic()) {
        return None;
    }
    let shift = taps().map(|(.., value)| value.denominator().trailing_zeros()).max()?;
    let bound = |axis: usize| {
        let along = || taps().map(move |(_, offset, _)| offset[axis]);
        Some((along().min()?, along().max()?))
    };
    let ((west, east), (south, north)) = (bound(0)?, bound(1)?);
    let (width, height) = ((east - west + 1) as usize, (north - south + 1) as usize);
    let mut values = vec![0; kernels.len() * width * height];
    for (index, offset, value) in taps() {
        let scaled = value.mul(Rational::power_of_two(shift as i32)?)?;
        let (row, column) = ((north - offset[1]) as usize, (offset[0] - west) as usize);
        values[(index * height + row) * width + column] = scaled.numerator();
    }
    Some(([width, height], [-i64::from(west), i64::from(north)], values, shift))
}

/// How far the e-graph of a vector machine's filter grows: as far as products of columns and rows lie, and what is left of them.
const LIMITS: (usize, usize, usize) = (3_000, 600, 4);

/// The work for that: more than filters of 13 × 13 taps take.
const WORK: u64 = 1 << 30;

/// The ways to put the filter of a workload together from columns, rows and taps, by saturation with the built-in rules; deterministic.
///
/// # Errors
/// [`OptimizeError::Unsound`] where a rule equates different kernels.
pub fn decompose(
    machine: &Machine,
    workload: &Workload,
    without: &[Technique],
) -> Result<Vec<Split>, OptimizeError> {
    decompose_by(&RuleSet::builtin().for_target(&machine.name), workload, without, &Budget::unlimited())
}

/// The same with these rules.
fn decompose_by(
    rules: &RuleSet,
    workload: &Workload,
    without: &[Technique],
    budget: &Budget,
) -> Result<Vec<Split>, OptimizeError> {
    let roots: Vec<(String, Placed2D)> =
        kernels(workload).into_iter().enumerate().map(|(i, kernel)| (i.to_string(), kernel)).collect();
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let (nodes, classes, iterations) = LIMITS;
    let limits = Limits { nodes, classes, iterations, budget: budget.with_work(WORK) };
    let saturated = saturate(&roots, rules, &limits)?;
    let decompositions = saturated.decompositions();
    let ways = |shape: &Shape| decompositions.of(shape).iter().map(|(way, _)| way.clone()).collect();
    Ok(splits(workload, &ways, without))
}

/// A program before it is checked.
struct Found {
    program: Program,
    placed: Placed,
    how: String,
    /// The parts that the filter is put together from.
    parts: Vec<String>,
    attempts: Vec<VectorAttempt>,
    baseline: Option<VectorBaseline>,
}

/// What became of a plan or schedule; of one that was not compiled, the cycles that it takes at least.
fn attempt<W: ToString>(
    method: String,
    cycles: &Result<usize, W>,
    at_least: impl Fn(&W) -> Option<usize>,
) -> VectorAttempt {
    let why = cycles.as_ref().err();
    VectorAttempt {
        method,
        cycles: cycles.as_ref().ok().map(|cycles| *cycles as u64),
        at_least: why.and_then(at_least).map(|cycles| cycles as u64),
        reason: why.map(ToString::to_string),
    }
}

/// What became of plans.
fn attempts_of(chosen: &Chosen, splits: &[Split]) -> Vec<VectorAttempt> {
    let of = |a: &Attempt| attempt(a.plan.describe(splits), &a.cycles, Inapplicable::at_least);
    chosen.attempts.iter().map(of).collect()
}

fn baseline(
    machine: &Machine,
    what: &str,
    workload: &Workload,
    method: String,
    program: &Program,
) -> VectorBaseline {
    let plan = plan(machine, method, program);
    let macs_per_cycle = Figure::new(workload.macs() as f64 / plan.cycles as f64);
    VectorBaseline { what: what.to_owned(), cycles: plan.cycles, macs_per_cycle, plan }
}

/// Where the cycles of a program go.
fn plan(machine: &Machine, method: String, program: &Program) -> VectorPlan {
    let (entries, iterations) = (program.entries(), program.inner.count);
    let usage = program.usage(machine);
    let of = |kind: Kind| program.body.iter().filter(|timed| timed.operation.kind() == kind).count();
    let multiplies = of(Kind::Multiply);
    let (loads, stores) = (of(Kind::Load), of(Kind::Round) + of(Kind::Store));
    let mut pointers: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for timed in &program.body {
        if let Operation::Load { at, .. } = &timed.operation {
            *pointers.entry((at.array, at.pointer)).or_insert(0) += 1;
        }
    }
    let all = entries * iterations;
    VectorPlan {
        method,
        cycles: program.cycles(machine) as u64,
        set_up: (machine.call + entries * program.set_up(machine)) as u64,
        multiplies: (all * multiplies) as u64,
        stalls: (all * (program.interval - multiplies.min(program.interval))) as u64,
        ramps: (entries * (program.span() - program.interval)) as u64,
        loads: (all * loads + entries * program.resident.len()) as u64,
        stores: (all * stores) as u64,
        bank_stalls: program.bank_stalls(machine) as u64,
        initiation_interval: program.interval as u64,
        iterations: iterations as u64,
        entries: entries as u64,
        loads_through_one: pointers.into_values().max().unwrap_or(0),
        loads_in_iteration: loads as u64,
        stores_in_iteration: stores as u64,
        multiplies_in_iteration: multiplies as u64,
        bundles: usage.bundles as u64,
        vectors: usage.vectors as u64,
        accumulators: usage.accumulators as u64,
    }
}

/// Whether the forms for known coefficients apply: one plane, and few enough kernels for an e-graph.
fn is_filter(workload: &Workload) -> bool {
    const MAX_KERNELS: usize = 16;
    let ([.., planes, inputs], [.., depth, outputs]) = (workload.filter, workload.output);
    planes == 1 && depth == 1 && !workload.depth_wise && inputs * outputs <= MAX_KERNELS
}

fn known(
    request: &VectorRequest,
    workload: &Workload,
    splits: &[Split],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Found, Refusal> {
    let machine = &request.machine;
    let plans = plans(machine, workload, splits, &request.without);
    let chosen = choose(machine, workload, splits, &plans, &request.budget);
    let least = |form: Form| {
        let attempts = chosen.iter().flat_map(|chosen| &chosen.attempts);
        let of = attempts.filter(|attempt| attempt.plan.form == form);
        let ran = of.filter_map(|attempt| attempt.cycles.as_ref().ok().map(|cycles| (*cycles, attempt.plan)));
        ran.min_by_key(|(cycles, _)| *cycles).map(|(_, plan)| plan)
    };
    if let Some(plan) = least(Form::Padded) {
        let what = "the direct form, rows padded, one pointer";
        let padded = program(machine, workload, splits, plan).ok();
        let method = plan.describe(splits);
        let baseline = padded.map(|(program, _)| baseline(machine, what, workload, method, &program));
        return chosen.map(|chosen| of_choice(chosen, splits, baseline)).map_err(Refusal::from);
    }
    // Filters of several kernels stand against schedules that look at no coefficient.
    let tuned = run_time(request, workload, progress);
    match (chosen, tuned) {
        (Ok(chosen), Ok(tuned)) => {
            let what = "the direct form, best schedule";
            let baseline = baseline(machine, what, workload, tuned.how.clone(), &tuned.program);
            let better = chosen.program.cycles(machine) < tuned.program.cycles(machine);
            let mut found = of_choice(chosen, splits, None);
            found.attempts.extend(tuned.attempts.iter().cloned());
            let attempts = found.attempts.clone();
            Ok(Found { attempts, baseline: Some(baseline), ..if better { found } else { tuned } })
        }
        (Ok(chosen), Err(_)) => Ok(of_choice(chosen, splits, None)),
        (Err(_), Ok(tuned)) => Ok(tuned),
        (Err(why), Err(_)) => Err(why.into()),
    }
}

fn of_choice(chosen: Chosen, splits: &[Split], baseline: Option<VectorBaseline>) -> Found {
    let put_together = matches!(chosen.plan.form, Form::Columns | Form::Passes);
    let split = splits.get(chosen.plan.split).filter(|_| put_together);
    Found {
        parts: split.map(Split::parts).unwrap_or_default(),
        attempts: attempts_of(&chosen, splits),
        baseline,
        how: chosen.plan.describe(splits),
        program: chosen.program,
        placed: chosen.placed,
    }
}

fn run_time(
    request: &VectorRequest,
    workload: &Workload,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Found, Refusal> {
    let machine = &request.machine;
    let space = space(machine, workload);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let one = || progress(1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed), space.len());
    // Some workloads have a form that is no schedule of Vyasa's: filters of one image share operations between rows, and
    // bytes have their own.
    let direct = choose(machine, workload, &[], &run_time_plans(workload.element), &request.budget);
    let tuned = match (tune(machine, workload, &space, &request.budget, &one), &direct) {
        (Ok(tuned), _) => tuned,
        (Err(_), Ok(chosen)) => {
            let attempts = attempts_of(chosen, &[]);
            let (program, placed) = (chosen.program.clone(), chosen.placed.clone());
            let how = chosen.plan.describe(&[]);
            return Ok(Found { program, placed, how, parts: Vec::new(), attempts, baseline: None });
        }
        (Err(why), Err(_)) => return Err(why.into()),
    };
    let published = workload.published.as_ref().zip(tuned.published.as_ref());
    let baseline = published.map(|(schedule, program)| {
        baseline(machine, "the published schedule", workload, schedule.to_string(), program)
    });
    let mut attempts: Vec<VectorAttempt> = Vec::new();
    for candidate in &tuned.tried {
        attempts.push(attempt(candidate.schedule.to_string(), &candidate.cycles, Infeasible::at_least));
    }
    attempts.extend(direct.iter().flat_map(|chosen| attempts_of(chosen, &[])));
    if let Some(chosen) = direct.ok().filter(|c| c.program.cycles(machine) < tuned.program.cycles(machine)) {
        let how = chosen.plan.describe(&[]);
        let Chosen { program, placed, .. } = chosen;
        return Ok(Found { program, placed, how, parts: Vec::new(), attempts, baseline });
    }
    Ok(Found {
        attempts,
        baseline,
        how: tuned.schedule.to_string(),
        parts: Vec::new(),
        placed: tensors(machine, workload, &tuned.schedule)?,
        program: tuned.program,
    })
}

/// What outputs are before saturation, by the check of the program; `None` for weights of the run.
fn outputs(workload: &Workload, verdict: &Verdict) -> Option<VectorOutputs> {
    if workload.weights == Weights::RunTime {
        return None;
    }
    let [least, greatest] = verdict.outputs;
    let [low, high] = workload.element.range().map(i128::from);
    let saturated = least < low || high < greatest;
    Some(VectorOutputs {
        least,
        greatest,
        saturated,
        unsaturated_range: if saturated { workload.unsaturated() } else { Some(workload.range) },
    })
}

fn record(
    request: &VectorRequest,
    workload: &Workload,
    found: Found,
    plan: VectorPlan,
    (verdict, compiled): (&Verdict, Option<bool>),
    seconds: f64,
) -> VectorRecord {
    let (machine, program) = (&request.machine, &found.program);
    let Counts { cycles, set_up, ramps, idle, multiplies, loads, stores, bank_stalls } = verdict.counts;
    let peak = machine.mode(&program.mode).map_or(0, |mode| mode.macs());
    let usage = program.usage(machine);
    VectorRecord {
        file: request.source.name().to_owned(),
        filter: workload.name.clone(),
        target: machine.name.clone(),
        element: workload.element.name().to_owned(),
        output: workload.output,
        window: workload.filter,
        range: workload.range,
        shift: workload.shift,
        error_bound: verdict.bound,
        method: found.how,
        decomposition: found.parts,
        macs: workload.macs() as u64,
        cycles: cycles as u64,
        time_us: Figure::new(cycles as f64 / (1000.0 * machine.clock)),
        macs_per_cycle: Figure::new(workload.macs() as f64 / cycles as f64),
        peak_macs_per_cycle: peak as u64,
        initiation_interval: program.interval as u64,
        iterations: program.inner.count as u64,
        entries: program.entries() as u64,
        spent: VectorCycles {
            set_up: set_up as u64,
            ramps: ramps as u64,
            multiplies: multiplies as u64,
            idle: idle as u64,
            loads: loads as u64,
            stores: stores as u64,
            bank_stalls: bank_stalls as u64,
        },
        usage: VectorUsage {
            bundles: usage.bundles as u64,
            memory_bytes: usage.memory as u64,
            vectors: usage.vectors as u64,
            accumulators: usage.accumulators as u64,
            starts: usage.starts as u64,
            configurations: usage.configurations as u64,
        },
        available: VectorUsage {
            bundles: machine.program_memory as u64,
            memory_bytes: machine.memory as u64,
            vectors: machine.vectors.len() as u64,
            accumulators: machine.accumulators.len() as u64,
            starts: machine.scalars as u64,
            configurations: machine.configurations as u64,
        },
        banks: BankModel::NotDescribed,
        warning: fits_memory(machine, &program.arrays).err().map(|misfit| misfit.to_string()),
        outputs: outputs(workload, verdict),
        why: found.baseline.as_ref().map(|other| why(&plan, &other.plan, &other.what)).unwrap_or_default(),
        assumed: machine
            .widen_assumed
            .clone()
            .filter(|_| program.body.iter().any(|timed| timed.operation.kind() == Kind::Widen)),
        plan,
        baseline: found.baseline,
        contract: Contract::default(),
        code: String::new(),
        schedule: listing(machine, program).lines().map(str::to_owned).collect(),
        verified: VectorChecks {
            symbolic: verdict.symbolic.is_equal(),
            simulated: verdict.simulated.is_equal(),
            compiled,
        },
        attempts: found.attempts,
        seed: request.seed,
        seconds: Figure::new(seconds),
        version: VERSION.to_owned(),
    }
}
