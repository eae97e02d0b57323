//! Joins the stages in order; no algorithm of its own.
//!
//! A file is read, its kernels saturate, programs are searched for in the graph, and the best one is checked. This happens
//! several times: in a small graph, for a program at once, and then in larger ones, until the budget ends.

mod check;
mod check_record;
mod execute;
mod lift;
mod ports;
mod record;
mod request;
mod vector;

use crate::extract::{Budget, Code, Extracted, Problem, Unfit, extract};
use crate::report::{NoProgram, OptimizeRecord};
use crate::saturate::{Limits, SaturateError, Saturated, StopReason, saturate};
use crate::syntax::Diagnostics;
use crate::target::Program;
use crate::target::form::Form;
use crate::term::{filter_placed, read_filter};
use crate::verify::{Options, Verdict, check};

pub use check::{CheckError, CheckRequest, Checking, Whose, check_program, is_kernel_file};
pub use execute::{ExecuteRequest, Executed, execute};
pub use lift::{Lifted, lift};
pub use request::{OptimizeError, OptimizeRequest, Progress};
pub use vector::{USUAL_RANGE, USUAL_TILE, VectorRequest, optimize_vector};

use ports::Ports;
use record::Evidence;

/// How far the e-graph grows, and which rounds of the search run in it.
struct Phase {
    nodes: usize,
    classes: usize,
    iterations: usize,
    rounds: std::ops::Range<usize>,
}

/// A small graph for a first program, one that most filters fit in, and a large one.
const PHASES: [Phase; 3] = [
    Phase { nodes: 1_500, classes: 300, iterations: 2, rounds: 0..2 },
    Phase { nodes: 40_000, classes: 2_500, iterations: 20, rounds: 1..6 },
    Phase { nodes: 120_000, classes: 10_000, iterations: 20, rounds: 4..usize::MAX },
];

/// Compiles one filter: reads it, saturates, searches, lowers, checks. `progress` is told what happens.
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
    let outputs = filter_placed(&filter)?;
    let ports = Ports::resolve(request, &filter)?;
    let forms = request.target.forms(&request.isa, ports.division);
    ports::divisible(&filter, &outputs, &forms)?;
    let mut found = Search::default();
    let mut graph: Option<Saturated> = None;
    for phase in &PHASES {
        let limits = Limits {
            nodes: phase.nodes,
            classes: phase.classes,
            iterations: phase.iterations,
            time: request.time.map(|time| time.saturating_sub((request.clock)() - start)),
            clock: Some(request.clock.clone()),
        };
        let saturated = match graph.take() {
            None => saturate(&outputs, &request.rules, &limits)?,
            Some(mut saturated) => {
                // What the best program computes on its way may be put together better, too.
                let kernels = found.code.iter().flat_map(|code| &code.kernels);
                saturated.grow(&kernels.map(|kernel| kernel.shape.clone()).collect::<Vec<_>>(), &limits)?;
                saturated
            }
        };
        progress(Progress::Saturated {
            nodes: saturated.statistics().nodes as u64,
            classes: saturated.statistics().classes as u64,
        });
        let problem = ports.problem(&forms, &outputs, &saturated, request.keep_input);
        let expired = || request.time.is_some_and(|limit| (request.clock)() - start >= limit);
        // A graph that is complete need not wait for a larger one.
        let complete = saturated.statistics().stop_reason == StopReason::Saturated;
        let rounds = phase.rounds.start..if complete { usize::MAX } else { phase.rounds.end };
        found.run(&problem, request, rounds, &expired, &seconds, progress)?;
        graph = Some(saturated);
        if complete || expired() || found.spent(request) {
            break;
        }
    }
    let Some(saturated) = graph else { unreachable!("there is a phase") };
    let checked = match &found.code {
        Some(code) => Some(lower_and_check(request, &ports, &forms, &outputs, code)?),
        None => None,
    };
    let no_program = match &found.code {
        Some(_) => None,
        None => {
            let problem = ports.problem(&forms, &outputs, &saturated, request.keep_input);
            // Saying with how many registers it fits may take as long again as looking for a program.
            let expired = || request.time.is_some_and(|limit| (request.clock)() - start >= 2 * limit);
            Some(found.reason(request, &problem, &expired))
        }
    };
    record::record(&Evidence {
        request,
        filter: &filter,
        ports: &ports,
        outputs: &outputs,
        saturated: &saturated,
        found: &found,
        checked: checked.as_ref(),
        no_program,
        seconds: seconds(),
    })
}

/// A program that passed its checks.
struct Checked {
    program: Program,
    verdict: Verdict,
}

/// The program of a piece of code, and the verdict on it.
///
/// # Errors
/// [`OptimizeError::Internal`] with the program in its text where the verdict is not that it is right.
fn lower_and_check(
    request: &OptimizeRequest,
    ports: &Ports,
    forms: &[Form],
    outputs: &[(String, crate::algebra::Placed)],
    code: &Code,
) -> Result<Checked, OptimizeError> {
    let program = ports.program(&request.target, forms, code);
    let claim = ports.claim(&request.target, outputs, code, request.keep_input);
    let options = Options { seed: request.seed, ..Options::full(&request.target) };
    let verdict = check(&request.target, &program, &claim, &options);
    if verdict.holds() {
        return Ok(Checked { program, verdict });
    }
    Err(OptimizeError::Internal(format!(
        "the program found for `{}` fails its checks: {:?}, {:?}, {:?}\n{}",
        request.source.name(),
        verdict.symbolic,
        verdict.simulated,
        verdict.violations,
        request.target.print(&program)
    )))
}

/// What the phases of the search have found so far.
#[derive(Default)]
struct Search {
    code: Option<Code>,
    attempts: Vec<crate::extract::Attempt>,
    /// Why there is nothing to search for.
    unfit: Option<String>,
    nodes: u64,
    seconds_to_best: f64,
    lower_bound: u32,
}

impl Search {
    fn run(
        &mut self,
        problem: &Problem<'_>,
        request: &OptimizeRequest,
        rounds: std::ops::Range<usize>,
        expired: &(dyn Fn() -> bool + Sync),
        seconds: &(dyn Fn() -> f64 + Sync),
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), OptimizeError> {
        let budget = Budget {
            nodes: request.nodes.map_or(u64::MAX, |n| n.saturating_sub(self.nodes)),
            stop: expired,
            seconds,
            seed: request.seed,
            rounds,
            best: self.code.as_ref(),
            floor: self.lower_bound,
        };
        let searched = extract(problem, &budget, &mut |code| progress(Progress::Better { cost: code.cost }));
        let Extracted { code, attempts, nodes, seconds_to_best, lower_bound } = match searched {
            Ok(extracted) => extracted,
            Err(unfit @ Unfit::Registers { .. }) => {
                self.unfit = Some(unfit.to_string());
                return Ok(());
            }
            Err(unfit @ Unfit::Kernel { .. }) => {
                return Err(OptimizeError::BadInput(Diagnostics::from(unfit_kernel(&unfit))));
            }
        };
        self.attempts.extend(attempts);
        self.nodes += nodes;
        self.lower_bound = self.lower_bound.max(lower_bound);
        if code.is_some() {
            self.code = code;
            self.seconds_to_best = seconds_to_best;
        }
        Ok(())
    }

    /// Whether the budget of nodes is used up: a larger graph would be of no use to anyone.
    fn spent(&self, request: &OptimizeRequest) -> bool {
        request.nodes.is_some_and(|limit| self.nodes >= limit)
    }

    /// Why there is no program, and with how many registers the same search finds one. `expired` ends it, too.
    fn reason(
        &self,
        request: &OptimizeRequest,
        problem: &Problem<'_>,
        expired: &(dyn Fn() -> bool + Sync),
    ) -> NoProgram {
        let given = problem.registers[problem.general];
        // Outputs in registers of their own choice may fit where those asked for do not.
        let fixed = problem.outputs.iter().any(|output| output.register.is_some());
        let first = if fixed { given } else { given + 1 };
        let fewest = (first..=given + MORE_REGISTERS).take_while(|_| !expired()).find(|registers| {
            let mut wider = problem.clone();
            wider.registers[problem.general] = *registers;
            for output in &mut wider.outputs {
                output.register = None;
            }
            let budget = Budget {
                nodes: WIDER_NODES,
                stop: expired,
                seconds: &|| 0.0,
                seed: request.seed,
                rounds: 0..4,
                best: None,
                floor: 0,
            };
            extract(&wider, &budget, &mut |_| {}).is_ok_and(|found| found.code.is_some())
        });
        let nodes = self.nodes;
        let reason = match &self.unfit {
            Some(unfit) => unfit.clone(),
            None if fewest == Some(given) => {
                "no program was found that ends in the registers asked for, though there is one for others"
                    .to_owned()
            }
            None => {
                format!("no program with at most {given} registers was found in {nodes} states of the search")
            }
        };
        NoProgram {
            reason: reason + "; values cannot be spilled on this machine",
            fewest_registers: fewest.map(|n| n as u32),
        }
    }
}

/// States of the search that are spent on each number of registers beyond those given: enough for a first program.
const WIDER_NODES: u64 = 4_000;

/// How many registers beyond those given are tried to say with how many a filter fits.
const MORE_REGISTERS: usize = 6;

fn unfit_kernel(unfit: &Unfit) -> crate::syntax::Diagnostic {
    crate::syntax::Diagnostic::error("unrealisable-coefficient", unfit.to_string()).help(
        "coefficients must be integers over powers of two (or of three, where the instruction set divides by three)",
    )
}

impl From<Diagnostics> for OptimizeError {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::BadInput(diagnostics)
    }
}

impl From<SaturateError> for OptimizeError {
    fn from(error: SaturateError) -> Self {
        Self::Unsound(error.to_string())
    }
}
