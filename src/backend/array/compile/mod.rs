//! Joins the stages in order; it contains no algorithm.
//!
//! Reads a file, compiles its terms as written, saturates its kernels, searches the e-graph for better programs, and
//! checks the best one.

mod approximate;
mod check;
mod check_record;
mod check_request;
mod choose;
mod execute;
mod given;
mod guarded;
mod graphs;
mod lift;
mod measured;
mod meter;
mod phased;
mod peephole;
mod ports;
mod record;
mod refusal;
mod request;
mod evidence;
mod searching;
mod sample;
mod stages;
mod variant;

use std::time::Duration;

use crate::algebra::Placed;
use crate::backend::array::search::{Code, Problem, Wish};
use crate::backend::array::verify::{Options, check};
use crate::backend::{OptimizeError, Progress};
use crate::budget::Budget;
use crate::report::OptimizeRecord;
use crate::term::{Definition, FilterSource, filter_placed, read_filter, written};

pub use approximate::approximate;
pub use check::{Checking, Judged, check_program};
pub use check_request::CheckRequest;
pub use execute::{ExecuteRequest, Executed, execute, input_cells};
pub use guarded::{Guarded, Steps};
pub use lift::{Lifted, compensating, divisions, lift, term as kernel_term};
pub use measured::range_record;
pub use request::{Aims, Keep, Nearness, OptimizeRequest};
pub use sample::sample_states;

use choose::{Candidate, Compiled};
use evidence::{Checked, Evidence};
use graphs::Roots;
use measured::image_errors;
use meter::{Meter, together};
use phased::Task;
use ports::Ports;
use searching::Search;
use variant::{Variant, variants};

/// Compiles one filter: reads it, saturates, searches, lowers, checks. `progress` receives events.
///
/// If the request leaves several filters or ways of dividing open, all are searched, and the best program of all is reported.
///
/// # Errors
/// [`OptimizeError::BadInput`] if the file or an option is wrong, [`OptimizeError::Internal`] if a program fails its checks,
/// [`OptimizeError::Unsound`] if a rule equates different kernels.
pub fn optimize(
    request: &OptimizeRequest,
    progress: &mut dyn FnMut(Progress),
) -> Result<OptimizeRecord, OptimizeError> {
    let start = request.budget.now();
    let filter = read_filter(&request.source)?;
    let exact = filter_placed(&filter)?;
    // Registers hold no sums of whole rows.
    let mut written = written(&filter)?;
    written.retain(Definition::is_finite);
    let aims = &request.aims;
    let meter = Meter::new(&request.target, aims.noise.as_ref(), aims.input_range, filter.inputs.len());
    let run =
        Run { request, filter: &filter, exact: &exact, written: &written, meter: meter.as_ref(), start };
    let compiled = run.compile_all(progress)?;
    let best = choose::best(&compiled, run.meter);
    let front = aims.front.then(|| choose::front(&compiled, run.meter));
    // The shortest program of the front is reported, unless noise is weighted.
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
            // Determining how many registers suffice may take a moment longer than the search.
            let task = run.task(request.budget.time_left().map(|time| time + MOMENT));
            Some(of.found.reason(&of.request, &of.problem(), &task))
        }
    };
    record::record(&Evidence {
        filter: &filter,
        exact: &exact,
        of,
        meter: run.meter,
        checked: checked.as_ref(),
        front: front.as_deref(),
        no_program,
        nodes: compiled.iter().map(|Compiled { found, .. }| found.before + found.nodes).sum(),
        seconds: run.seconds(),
    })
}

/// The context that all searches of one request share.
struct Run<'a> {
    request: &'a OptimizeRequest,
    filter: &'a FilterSource,
    /// The outputs as the file states them.
    exact: &'a [(String, Placed)],
    /// The definitions in the file.
    written: &'a [Definition],
    meter: Option<&'a Meter>,
    /// The time of the clock at the start.
    start: Duration,
}

impl Run<'_> {
    /// Seconds since the start.
    fn seconds(&self) -> f64 {
        (self.request.budget.now() - self.start).as_secs_f64()
    }

    /// The request's budget with another time limit, counted from now.
    fn task(&self, time: Option<Duration>) -> Budget {
        let budget = &self.request.budget;
        budget.with_work(u64::MAX).until(time.map(|time| budget.now() + time))
    }

    /// The request with a share of its time, counted from now, and with this limit on search states.
    fn shared(&self, time: Option<Duration>, states: Option<u64>) -> OptimizeRequest {
        let budget = self.task(time).with_work(states.unwrap_or(u64::MAX));
        OptimizeRequest { budget, ..self.request.clone() }
    }

    /// Searches everything that the request leaves open. Each filter and way of dividing gets its share of half the budget; the one
    /// with the best program gets the other half.
    fn compile_all(&self, progress: &mut dyn FnMut(Progress)) -> Result<Vec<Compiled>, OptimizeError> {
        let variants = variants(self.request, self.filter, self.exact.to_vec())?;
        let (time, states) = (self.request.budget.time_left(), self.request.budget.bound());
        let count = variants.len() as u32;
        let share = if count > 1 { 2 * count } else { count };
        let mut compiled = Vec::new();
        for mut variant in variants {
            if let (Some(meter), Some(_)) = (self.meter, &variant.approximation)
                && let Some((_, rms_error)) = image_errors(meter.range, self.exact, &variant.outputs)
            {
                variant.lost = rms_error;
            }
            let own = self.shared(time.map(|time| time / share), states.map(|n| n.div_ceil(share.into())));
            let own = OptimizeRequest { division: variant.division, ..own };
            compiled.push(self.compile(own, variant, Search::default(), progress)?);
        }
        let best = choose::best(&compiled, self.meter);
        let place =
            best.and_then(|best| compiled.iter().position(|compiled| std::ptr::eq(compiled, best.of)));
        if let (Some(place), true) = (place, share > count) {
            let Compiled { variant, found, .. } = compiled.remove(place);
            let own = self.shared(time.map(|time| time / 2), states.map(|states| found.nodes + states / 2));
            let own = OptimizeRequest { division: variant.division, ..own };
            compiled.insert(place, self.compile(own, variant, found, progress)?);
        }
        Ok(compiled)
    }

    /// Searches for programs of one variant within a request's budget; `found` is the result so far.
    fn compile(
        &self,
        request: OptimizeRequest,
        variant: Variant,
        mut found: Search,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Compiled, OptimizeError> {
        let outputs = &variant.outputs;
        // An approximation differs from the filter in the file.
        let written = if variant.approximation.is_none() { self.written } else { &[] };
        let roots = Roots { outputs, written };
        let task = request.budget.with_work(u64::MAX);
        let ports = Ports::resolve(&request, self.filter)?;
        let mut forms = request.target.forms(&request.isa, ports.division);
        forms.retain(|form| !request.local || form.is_local());
        ports::realisable(self.filter, outputs, &forms)?;
        found.overflow = choose::overflowing(&request, outputs);
        let score = |code: &Code| {
            let program = ports.program(&request.target, &forms, code);
            let results = ports.output_registers(code);
            let predicted = choose::predicted(&request, &ports, &program, &results, self.meter)??;
            Some(together(&predicted).rms_error())
        };
        let wished = request.aims.front || request.aims.noise_weight.is_some();
        let wish = (wished && self.meter.is_some()).then_some(Wish { slack: SLACK, score: &score });
        let seconds = || self.seconds();
        let posed = ports.problem(&forms, outputs, &request);
        let wish = wish.as_ref();
        let searching =
            Task { posed: &posed, roots, request: &request, budget: &task, wish, seconds: &seconds };
        let mut joined = Vec::new();
        if found.overflow.is_none() && found.attempts.is_empty() {
            given::given(&searching, &ports, &mut found);
            stages::as_written(&searching, &mut found)?;
            joined = stages::apart(&searching, &mut found)?;
            given::best_rewritten(&searching, &ports, &mut found);
        }
        let graphs = phased::search(&searching, &mut found, progress)?;
        for (method, code) in joined {
            found.begin(method, code, self.seconds());
        }
        given::best_rewritten(&searching, &ports, &mut found);
        Ok(Compiled { variant, ports, forms, graphs, found, request })
    }
}

impl Compiled {
    fn problem(&self) -> Problem<'_> {
        self.graphs.problem(&self.ports.problem(&self.forms, &self.variant.outputs, &self.request))
    }
}

/// How much more than the cheapest program a program with less noise may cost.
const SLACK: u32 = 8;

/// Checks a program.
///
/// # Errors
/// [`OptimizeError::Internal`], with the program in its text, if the program fails its checks.
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

/// The extra time to explain why no program was found.
const MOMENT: Duration = Duration::from_secs(1);
