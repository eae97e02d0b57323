//! Joins the stages in order; no algorithm of its own.
//!
//! A file is read, its kernels saturate, programs are searched for in the graph, and the best one is checked. This happens
//! several times: in a small graph, for a program at once, and then in larger ones, until the budget ends.

mod approximate;
mod check;
mod check_record;
mod check_request;
mod choose;
mod execute;
mod graphs;
mod lift;
mod measured;
mod meter;
mod ports;
mod record;
mod request;
mod evidence;
mod searching;
mod sample;
mod variant;

use std::time::Duration;

use crate::algebra::Placed;
use crate::backend::array::search::{Code, LARGE_TAPS, Problem, Wish};
use crate::backend::array::verify::{Options, check};
use crate::backend::{OptimizeError, Progress};
use crate::budget::Budget;
use crate::report::OptimizeRecord;
use crate::saturate::{Limits, StopReason};
use crate::term::{FilterSource, filter_placed, read_filter};

pub use approximate::approximate;
pub use check::{Checking, check_program};
pub use check_request::CheckRequest;
pub use execute::{ExecuteRequest, Executed, execute};
pub use lift::{Lifted, lift};
pub use request::{Aims, Nearness, OptimizeRequest};
pub use sample::sample_states;

use choose::{Candidate, Compiled};
use evidence::{Checked, Evidence};
use graphs::{Graphs, PHASES};
use measured::image_errors;
use meter::{Meter, together};
use ports::Ports;
use searching::{Effort, Search};
use variant::{Variant, variants};

/// Compiles one filter: reads it, saturates, searches, lowers, checks. `progress` is told what happens.
///
/// Where the request leaves several filters or ways of dividing open, all are searched, and what is reported is chosen from
/// all that was found.
///
/// # Errors
/// [`OptimizeError::BadInput`] where the file or an option is at fault, [`OptimizeError::Internal`] where a program fails its checks,
/// [`OptimizeError::Unsound`] where a rule equates different kernels.
pub fn optimize(
    request: &OptimizeRequest,
    progress: &mut dyn FnMut(Progress),
) -> Result<OptimizeRecord, OptimizeError> {
    let start = (request.clock)();
    let seconds = || ((request.clock)() - start).as_secs_f64();
    let filter = read_filter(&request.source)?;
    let exact = filter_placed(&filter)?;
    let aims = &request.aims;
    let meter = Meter::new(&request.target, aims.noise.as_ref(), aims.input_range, filter.inputs.len());
    let compiled = compile_all(request, &filter, &exact, meter.as_ref(), &seconds, progress)?;
    let (best, front) = (
        choose::best(&compiled, meter.as_ref()),
        match aims.front {
            true => Some(choose::front(&compiled, meter.as_ref())),
            false => None,
        },
    );
    // The shortest of the front is the program that is reported, where nothing else says which is.
    let best = match (&front, aims.noise_weight) {
        (Some(front), None) => front.first().or(best.as_ref()),
        _ => best.as_ref(),
    };
    let of = best.map_or(&compiled[0], |best| best.of);
    let checked = best.map(lower_and_check).transpose()?;
    for other in front.iter().flatten() {
        lower_and_check(other)?;
    }
    let no_program = match best {
        Some(_) => None,
        None => {
            // Saying with how many registers it fits may take a moment longer than looking for a program.
            let until = request.time.map(|time| start + time + MOMENT);
            let task = Budget::unlimited().with_clock(&request.clock).until(until);
            let task = task.interrupted_by(&request.interrupted);
            Some(of.found.reason(&of.request, &of.problem(), &task, &|| task.has_ended()))
        }
    };
    record::record(&Evidence {
        filter: &filter,
        exact: &exact,
        of,
        meter: meter.as_ref(),
        checked: checked.as_ref(),
        front: front.as_deref(),
        no_program,
        nodes: compiled.iter().map(|compiled| compiled.found.nodes).sum(),
        seconds: seconds(),
    })
}

/// Searches all that a request leaves open. Of several filters, and ways of dividing, each gets its share of half of the budget, and the
/// one with the best program the other half.
fn compile_all(
    request: &OptimizeRequest,
    filter: &FilterSource,
    exact: &[(String, Placed)],
    meter: Option<&Meter>,
    seconds: &(dyn Fn() -> f64 + Sync),
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Compiled>, OptimizeError> {
    let variants = variants(request, filter, exact.to_vec())?;
    let count = variants.len() as u32;
    let share = if count > 1 { 2 * count } else { count };
    let mut compiled = Vec::new();
    for mut variant in variants {
        if let (Some(meter), Some(_)) = (meter, &variant.approximation)
            && let Some((_, rms_error)) = image_errors(meter.range, exact, &variant.outputs)
        {
            variant.lost = rms_error;
        }
        let own = OptimizeRequest {
            division: variant.division,
            time: request.time.map(|time| time / share),
            nodes: request.nodes.map(|nodes| nodes.div_ceil(share.into())),
            ..request.clone()
        };
        compiled.push(compile(own, filter, variant, Search::default(), meter, seconds, progress)?);
    }
    let best = choose::best(&compiled, meter);
    let place = best.and_then(|best| compiled.iter().position(|compiled| std::ptr::eq(compiled, best.of)));
    if let (Some(place), true) = (place, share > count) {
        let Compiled { request: own, variant, found, .. } = compiled.remove(place);
        let own = OptimizeRequest {
            time: request.time.map(|time| time / 2),
            nodes: request.nodes.map(|nodes| found.nodes + nodes / 2),
            ..own
        };
        compiled.insert(place, compile(own, filter, variant, found, meter, seconds, progress)?);
    }
    Ok(compiled)
}

/// Searches for programs of one variant within a request's budget; `found` is what is known already.
fn compile(
    request: OptimizeRequest,
    filter: &FilterSource,
    variant: Variant,
    mut found: Search,
    meter: Option<&Meter>,
    seconds: &(dyn Fn() -> f64 + Sync),
    progress: &mut dyn FnMut(Progress),
) -> Result<Compiled, OptimizeError> {
    let start = (request.clock)();
    let outputs = &variant.outputs;
    let task = Budget::unlimited()
        .with_clock(&request.clock)
        .until(request.time.map(|time| start + time))
        .interrupted_by(&request.interrupted);
    let ports = Ports::resolve(&request, filter)?;
    let forms = request.target.forms(&request.isa, ports.division);
    ports::realisable(filter, outputs, &forms)?;
    found.overflow = choose::overflowing(&request, outputs);
    let score = |code: &Code| {
        let program = ports.program(&request.target, &forms, code);
        let results = ports.output_registers(code);
        let predicted = choose::predicted(&request, &ports, &program, &results, meter)??;
        Some(together(&predicted).rms_error())
    };
    let wished = request.aims.front || request.aims.noise_weight.is_some();
    let wish = (wished && meter.is_some()).then_some(Wish { slack: SLACK, score: &score });
    let mut graphs: Option<Graphs> = None;
    // What is not large is searched for as soon as something else.
    let large = outputs.iter().map(|(_, kernel)| kernel.shape.tap_count()).sum::<usize>() > LARGE_TAPS;
    for phase in &PHASES[usize::from(!large)..] {
        let limits = Limits { budget: task.clone(), ..Limits::default() };
        let grown = match graphs.take() {
            None => Graphs::new(outputs, &request.rules, phase, &limits)?,
            Some(mut grown) => {
                let kernels = found.code.iter().flat_map(|code| &code.kernels);
                let kernels: Vec<_> = kernels.map(|kernel| kernel.shape.clone()).collect();
                grown.grow(&kernels, &request.rules, phase, &limits)?;
                grown
            }
        };
        let saturated = &grown.filter;
        progress(Progress::Saturated {
            nodes: saturated.statistics().nodes as u64,
            classes: saturated.statistics().classes as u64,
        });
        if found.overflow.is_some() {
            graphs = Some(grown);
            break;
        }
        // Programs take long to check where they are long: time is kept for that.
        let reserve =
            found.code.as_ref().map_or(Duration::ZERO, |code| time_to_check(code, &request, outputs));
        let late = |limit: Duration| (request.clock)() + reserve >= start + limit;
        let expired = || task.has_ended() || request.time.is_some_and(late);
        if found.code.is_some() && expired() {
            graphs = Some(grown);
            break;
        }
        let problem = ports.problem(&forms, outputs, &grown, &request);
        // A graph that is complete need not wait for a larger one.
        let complete = saturated.statistics().stop_reason == StopReason::Saturated;
        let rounds = phase.rounds.start..if complete { usize::MAX } else { phase.rounds.end };
        let effort = Effort { rounds, wish: wish.as_ref(), task: &task, expired: &expired, seconds };
        found.run(&problem, &request, effort, progress)?;
        graphs = Some(grown);
        if complete || expired() || found.spent(&request) {
            break;
        }
    }
    let Some(graphs) = graphs else { unreachable!("there is a phase") };
    Ok(Compiled { variant, ports, forms, graphs, found, request })
}

impl Compiled {
    fn problem(&self) -> Problem<'_> {
        self.ports.problem(&self.forms, &self.variant.outputs, &self.graphs, &self.request)
    }
}

/// What is left of the time for checks and reports, where they take longer than a second: an instruction is executed on every
/// pixel of the array, and what it leaves is worked out tap by tap, both several times.
fn time_to_check(code: &Code, request: &OptimizeRequest, outputs: &[(String, Placed)]) -> Duration {
    let taps: usize = outputs.iter().map(|(_, kernel)| kernel.shape.dense().len()).max().unwrap_or(0);
    let pixels: usize = request.target.image.iter().product();
    let each = Duration::from_nanos((pixels + NANOSECONDS_PER_TAP * taps) as u64);
    (each * code.instructions.len() as u32).saturating_sub(Duration::from_secs(1))
}

/// What it takes to work out one tap of what an instruction leaves, as often as that is done.
const NANOSECONDS_PER_TAP: usize = 40;

/// By how much a program of less noise may cost more than the cheapest one.
const SLACK: u32 = 8;

/// The verdict on a program.
///
/// # Errors
/// [`OptimizeError::Internal`] with the program in its text where the verdict is not that it is right.
fn lower_and_check<'a>(chosen: &'a Candidate<'a>) -> Result<Checked<'a>, OptimizeError> {
    let Candidate { of: Compiled { request, ports, variant, .. }, code, program, .. } = chosen;
    let claim = ports.claim(&request.target, &variant.outputs, code, request.keep_input);
    let options = Options { seed: request.seed, ..Options::full(&request.target) };
    let (verdict, range) =
        rayon::join(|| check(&request.target, program, &claim, &options), || measured::range(chosen));
    if verdict.holds() {
        return Ok(Checked { chosen, verdict, range });
    }
    Err(OptimizeError::Internal(format!(
        "the program found for `{}` fails its checks: {:?}, {:?}, {:?}\n{}",
        request.source.name(),
        verdict.symbolic,
        verdict.simulated,
        verdict.violations,
        request.target.print(program)
    )))
}

/// How much longer than asked for one may look for what to say where no program was found.
const MOMENT: Duration = Duration::from_secs(1);
