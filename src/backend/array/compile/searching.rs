//! Runs the searches for one filter in turn, and keeps the programs found and the bounds proved.

use super::request::OptimizeRequest;
use crate::algebra::Turn;
use crate::backend::array::search::{
    Attempt, Code, Extracted, Infeasible, Problem, Proofs, SearchBudget, Wish, Without, extract,
};
use crate::backend::{OptimizeError, Progress};
use crate::budget::Budget;
use crate::report::{NoProgram, counted};

/// The effort of a phase.
pub(super) struct Effort<'a> {
    pub(super) rounds: std::ops::Range<usize>,
    pub(super) wish: Option<&'a Wish<'a>>,
    pub(super) task: &'a Budget,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
    pub(super) seconds: &'a (dyn Fn() -> f64 + Sync),
}

/// The results of the search so far.
#[derive(Default)]
pub(super) struct Search {
    pub(super) code: Option<Code>,
    /// The peephole rules that made the best program of another one.
    pub(super) peepholes: Vec<String>,
    /// Programs other than the best one.
    pub(super) kept: Vec<Code>,
    pub(super) attempts: Vec<Attempt>,
    /// Why no search is possible.
    pub(super) infeasible: Option<String>,
    /// The limit on the cost, if the only program found exceeds it.
    pub(super) longest: Option<u32>,
    /// Why every program overflows.
    pub(super) overflow: Option<String>,
    pub(super) nodes: u64,
    /// The states spent on the parts of the filter, which were searched before.
    pub(super) before: u64,
    pub(super) seconds_to_best: f64,
    /// The lower bounds proved so far.
    pub(super) proofs: Proofs,
}

impl Search {
    /// Searches within the effort of a phase, and keeps the better result.
    pub(super) fn run(
        &mut self,
        problem: &Problem<'_>,
        request: &OptimizeRequest,
        effort: Effort<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), OptimizeError> {
        let budget = SearchBudget {
            nodes: request.budget.bound().map_or(u64::MAX, |n| n.saturating_sub(self.nodes)),
            task: effort.task,
            stop: effort.expired,
            seconds: effort.seconds,
            seed: request.seed,
            rounds: effort.rounds,
            best: self.code.as_ref(),
            wish: effort.wish,
            is_long: self.longest.is_some(),
            without: request.without,
        };
        let searched = extract(problem, &budget, &mut self.proofs, &mut |code| {
            progress(Progress::Better { cost: code.cost });
        });
        let Extracted { code, kept, attempts, nodes, seconds_to_best, longest } = match searched {
            Ok(extracted) => extracted,
            Err(infeasible @ Infeasible::Registers { .. }) => {
                self.infeasible = Some(infeasible.to_string());
                return Ok(());
            }
            // Already refused.
            Err(infeasible @ Infeasible::Kernel { .. }) => {
                return Err(OptimizeError::Internal(infeasible.to_string()));
            }
        };
        self.attempts.extend(attempts);
        self.kept.extend(kept);
        self.nodes += nodes;
        self.longest = self.longest.or(longest);
        if let Some(code) = code {
            if self.code.as_ref().is_none_or(|best| code.cost < best.cost) {
                self.peepholes.clear();
            }
            self.code = Some(code);
            self.seconds_to_best = seconds_to_best;
        }
        Ok(())
    }

    /// Starts from a program, unless one is known that is as cheap. Returns whether it is now the best.
    pub(super) fn begin(&mut self, method: &str, code: Option<Code>, seconds: f64) -> bool {
        let best = self.code.as_ref().map_or(u32::MAX, |code| code.cost);
        let code = code.filter(|code| code.cost < best);
        self.attempts.push(Attempt {
            method: method.to_owned(),
            cost: code.as_ref().map(|code| code.cost),
            nodes: 0,
            ended: seconds,
            note: None,
        });
        let is_best = code.is_some();
        if is_best {
            self.code = code;
            self.peepholes.clear();
            self.seconds_to_best = seconds;
        }
        is_best
    }

    /// Forgets what only a further search needs.
    pub(super) fn settle(&mut self) {
        for code in self.code.iter_mut().chain(&mut self.kept) {
            code.forget_steps();
        }
        let mut proofs = Proofs::default();
        proofs.raise(self.proofs.floor());
        self.proofs = proofs;
    }

    /// The result for the turned filter, given the images of instructions, without what only a further search needs; `None` if a kernel
    /// has no image.
    pub(super) fn turned(&self, turn: Turn, images: &[usize]) -> Option<Self> {
        let mut proofs = Proofs::default();
        proofs.raise(self.proofs.floor());
        let code = self.code.as_ref().map(|code| code.turned(turn, images));
        Some(Self {
            code: if let Some(code) = code { Some(code?) } else { None },
            kept: self.kept.iter().map(|code| code.turned(turn, images)).collect::<Option<_>>()?,
            peepholes: self.peepholes.clone(),
            attempts: self.attempts.clone(),
            infeasible: self.infeasible.clone(),
            overflow: self.overflow.clone(),
            proofs,
            ..*self
        })
    }

    /// Whether the best program is proved optimal.
    pub(super) fn is_optimal(&self) -> bool {
        self.code.as_ref().is_some_and(|code| code.cost <= self.proofs.floor())
    }

    /// Whether the search states are used up, so that a larger graph is useless.
    pub(super) fn spent(&self, request: &OptimizeRequest) -> bool {
        request.budget.bound().is_some_and(|limit| self.nodes >= limit)
    }

    /// Why there is no program, and how many registers a short search needs to find one.
    pub(super) fn reason(
        &self,
        request: &OptimizeRequest,
        problem: &Problem<'_>,
        task: &Budget,
    ) -> NoProgram {
        if let Some(reason) = &self.overflow {
            return NoProgram { reason: reason.clone(), fewest_registers: None };
        }
        if let Some(longest) = self.longest {
            let reason = format!(
                "tap by tap the program has more than {longest} instructions, which is the maximum, and no shorter one was found"
            );
            return NoProgram { reason, fewest_registers: None };
        }
        let given = problem.registers[problem.general];
        let nodes = request.budget.bound().map_or(WIDER_NODES, |limit| limit.min(WIDER_NODES));
        let fewest = fewest_registers(problem, task, nodes, request.seed);
        let reason = match &self.infeasible {
            Some(infeasible) => infeasible.clone(),
            None if fewest == Some(given) => {
                "no program was found that leaves its results in the requested registers, though there is one for others"
                    .to_owned()
            }
            None => {
                let nodes = self.nodes;
                let registers = counted(given as u64, "register");
                format!("no program with at most {registers} was found in {nodes} states of the search")
            }
        };
        let within = match request.aims.input_range {
            Some([low, high]) => {
                format!(" that stays within the range of registers for inputs of {low} to {high}")
            }
            None => String::new(),
        };
        NoProgram {
            reason: reason + &within + "; values cannot be spilled on this machine",
            fewest_registers: fewest.map(|n| n as u32),
        }
    }
}

/// The fewest registers, at least the given number, with which a search over this many nodes finds a program if it may choose the
/// registers of outputs; `None` if it finds none.
fn fewest_registers(problem: &Problem<'_>, task: &Budget, nodes: u64, seed: u64) -> Option<usize> {
    let given = problem.registers[problem.general];
    // Outputs may fit in free registers even if they do not fit in fixed ones.
    let fixed = problem.outputs.iter().any(|output| output.register.is_some());
    let first = if fixed { given } else { given + 1 };
    let stop = || task.has_ended();
    (first..=given + MORE_REGISTERS).take_while(|_| !stop()).find(|registers| {
        let mut wider = problem.clone();
        wider.registers[problem.general] = *registers;
        for output in &mut wider.outputs {
            output.register = None;
        }
        let budget = SearchBudget {
            nodes,
            task,
            stop: &stop,
            seconds: &|| 0.0,
            seed,
            rounds: 0..4,
            best: None,
            wish: None,
            is_long: false,
            without: Without::default(),
        };
        extract(&wider, &budget, &mut Proofs::default(), &mut |_| {}).is_ok_and(|found| found.code.is_some())
    })
}

/// The most search states spent on each number of registers: enough for a first program. A smaller budget is heeded.
const WIDER_NODES: u64 = 4_000;

/// The number of additional registers to try.
const MORE_REGISTERS: usize = 6;
