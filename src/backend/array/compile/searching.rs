//! One search after the other for the programs of one filter: what is found, and what is known of what is not.

use super::request::OptimizeRequest;
use crate::backend::array::search::{
    Attempt, Budget as SearchBudget, Code, Extracted, Infeasible, Problem, Proofs, Wish, Without, extract,
};
use crate::backend::{OptimizeError, Progress};
use crate::budget::Budget;
use crate::report::NoProgram;

/// How a phase searches.
pub(super) struct Effort<'a> {
    pub(super) rounds: std::ops::Range<usize>,
    pub(super) wish: Option<&'a Wish<'a>>,
    pub(super) task: &'a Budget,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
    pub(super) seconds: &'a (dyn Fn() -> f64 + Sync),
}

/// What the phases of the search have found so far.
#[derive(Default)]
pub(super) struct Search {
    pub(super) code: Option<Code>,
    /// Programs beside the best one.
    pub(super) kept: Vec<Code>,
    pub(super) attempts: Vec<Attempt>,
    /// Why there is nothing to search for.
    pub(super) infeasible: Option<String>,
    /// The cost beyond which no program is made, where only a longer one was found.
    pub(super) longest: Option<u32>,
    /// Why no program keeps within what registers hold.
    pub(super) overflow: Option<String>,
    pub(super) nodes: u64,
    pub(super) seconds_to_best: f64,
    /// What is known of the programs that there are not.
    pub(super) proofs: Proofs,
}

impl Search {
    /// Searches within what a phase may spend; what is better than what was found before stays.
    pub(super) fn run(
        &mut self,
        problem: &Problem<'_>,
        request: &OptimizeRequest,
        effort: Effort<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), OptimizeError> {
        let budget = SearchBudget {
            nodes: request.nodes.map_or(u64::MAX, |n| n.saturating_sub(self.nodes)),
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
            // Refused before anything is searched for.
            Err(infeasible @ Infeasible::Kernel { .. }) => {
                return Err(OptimizeError::Internal(infeasible.to_string()));
            }
        };
        self.attempts.extend(attempts);
        self.kept.extend(kept);
        self.nodes += nodes;
        self.longest = self.longest.or(longest);
        if code.is_some() {
            self.code = code;
            self.seconds_to_best = seconds_to_best;
        }
        Ok(())
    }

    /// Whether the budget of nodes is used up: a larger graph would be of no use to anyone.
    pub(super) fn spent(&self, request: &OptimizeRequest) -> bool {
        request.nodes.is_some_and(|limit| self.nodes >= limit)
    }

    /// Why there is no program, and with how many registers the same search finds one. `expired` ends it, too.
    pub(super) fn reason(
        &self,
        request: &OptimizeRequest,
        problem: &Problem<'_>,
        task: &Budget,
        expired: &(dyn Fn() -> bool + Sync),
    ) -> NoProgram {
        if let Some(reason) = &self.overflow {
            return NoProgram { reason: reason.clone(), fewest_registers: None };
        }
        if let Some(longest) = self.longest {
            let reason = format!(
                "tap by tap it takes a program of more than {longest} instructions; longer ones are not made, and no shorter one was found"
            );
            return NoProgram { reason, fewest_registers: None };
        }
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
            let budget = SearchBudget {
                nodes: WIDER_NODES,
                task,
                stop: expired,
                seconds: &|| 0.0,
                seed: request.seed,
                rounds: 0..4,
                best: None,
                wish: None,
                is_long: false,
                without: Without::default(),
            };
            extract(&wider, &budget, &mut Proofs::default(), &mut |_| {})
                .is_ok_and(|found| found.code.is_some())
        });
        let nodes = self.nodes;
        let reason = match &self.infeasible {
            Some(infeasible) => infeasible.clone(),
            None if fewest == Some(given) => {
                "no program was found that ends in the registers asked for, though there is one for others"
                    .to_owned()
            }
            None => {
                format!("no program with at most {given} registers was found in {nodes} states of the search")
            }
        };
        let within = match request.aims.input_range {
            Some([low, high]) => {
                format!(" that keeps within what registers hold for inputs of {low} to {high}")
            }
            None => String::new(),
        };
        NoProgram {
            reason: reason + &within + "; values cannot be spilled on this machine",
            fewest_registers: fewest.map(|n| n as u32),
        }
    }
}

/// States of the search that are spent on each number of registers beyond those given: enough for a first program.
const WIDER_NODES: u64 = 4_000;

/// How many registers beyond those given are tried to say with how many a filter fits.
const MORE_REGISTERS: usize = 6;
