//! Joins the stages in order; it contains no algorithm.
//!
//! Reads a file, compiles its terms as written, saturates its kernels, searches the e-graph for better programs, and
//! checks the best one.

mod account;
mod approximate;
mod check;
mod check_record;
mod check_request;
mod choose;
mod execute;
mod given;
mod guarded;
mod walk;
mod graphs;
mod instructions;
mod lift;
mod measured;
mod meter;
mod phased;
mod oriented;
mod paired;
mod peephole;
mod ports;
mod realisable;
mod record;
mod refusal;
mod request;
mod evidence;
mod searching;
mod sample;
mod solve;
mod solved;
mod stages;
mod variant;

use std::sync::Arc;

use crate::backend::array::verify::{Options, check};
use crate::backend::{OptimizeError, Progress};
use crate::report::OptimizeRecord;
use crate::term::{Definition, filter_placed, read_filter, written};

pub use approximate::approximate;
pub use check::{Checking, Judged, check_program};
pub use check_request::CheckRequest;
pub use execute::{ExecuteRequest, Executed, execute, input_cells};
pub use guarded::{Guarded, Steps, check_guarded};
pub use lift::{Lifted, compensating, divisions, lift};
pub use measured::range_record;
pub use request::{Aims, Keep, Nearness, OptimizeRequest};
pub use sample::sample_states;
pub use walk::walk;

use choose::{Candidate, Compiled};
use evidence::{Checked, Evidence};
use meter::Meter;
use oriented::Oriented;
use ports::Ports;
use realisable::realisable;
use solve::Run;
use solved::Pick;

/// Compiles one filter: reads it, saturates, searches, lowers, checks. `progress` receives events.
///
/// If the request leaves several filters or ways of dividing open, all are searched, and the best program of all is reported. Filters
/// that are turned or mirrored images of each other are searched for in one orientation, as far as the instructions are.
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
    let meter = meter.as_ref();
    let instructions = Ports::resolve(request, &filter)?.instructions;
    if aims.nearness.is_none() {
        // Messages are about the filter as it is.
        realisable(&filter, &exact, &instructions.forms)?;
    }
    let oriented = Oriented::of(request, &instructions, &exact, &written);
    let Oriented { turns, outputs, written, back } = &oriented;
    let run = Run { request, filter: &filter, exact: outputs, written, meter, start };
    // What an interrupt cut short is nobody else's result.
    let mut solve =
        || Ok::<_, OptimizeError>((run.solve(turns, progress)?, !request.budget.is_interrupted()));
    let solved = match oriented.name(&filter) {
        Some(name) => request.memo.get(&name, solve)?,
        None => Arc::new(solve()?.0),
    };
    let searched = request.budget.now();
    let missing =
        || OptimizeError::Internal(format!("a program for `{}` cannot be turned", request.source.name()));
    let compiled = solved.turned(*back, request).ok_or_else(missing)?;
    let candidate = |pick: &Pick| pick.candidate(&compiled, meter).ok_or_else(missing);
    let best = solved.best.as_ref().map(candidate).transpose()?;
    let front = solved.front.as_ref().map(|front| front.iter().map(candidate).collect::<Result<Vec<_>, _>>());
    let front = front.transpose()?;
    let checked = best.as_ref().map(lower_and_check).transpose()?;
    for other in front.iter().flatten() {
        lower_and_check(other)?;
    }
    record::record(&Evidence {
        filter: &filter,
        exact: &exact,
        of: &compiled[solved.best.map_or(0, |best| best.of)],
        meter,
        checked: checked.as_ref(),
        front: front.as_deref(),
        solved: &solved,
        back: *back,
        seconds: solved.seconds + request.budget.seconds_since(searched),
    })
}

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
