//! The whole search for one filter: a fixed schedule of ever wider searches, until the budget ends.

use std::sync::OnceLock;
use std::time::Duration;

use rayon::prelude::*;

use super::archive::Archive;
use super::widths::{MAX_WIDTH, fitted, planned};
use crate::backend::array::machine::form::Form;
use crate::backend::array::search::base::Base;
use crate::backend::array::search::beams::beam::BeamLimits;
use crate::backend::array::search::heuristics::decompositions::{BREADTH, DIVERSE_BREADTH};
use crate::backend::array::search::local::windows::Effort;
use crate::backend::array::search::problem::{
    Attempt, Code, Extracted, Found, Infeasible, Part, Problem, SearchBudget,
};
use crate::backend::array::search::program::recipe::{Objective, Recipes};
use crate::backend::array::search::proofs::progress::Proofs;

/// The width of the beam that takes kernels apart tap by tap. From every state some step lowers the estimate, so that one state
/// would do if registers were unlimited.
const DIRECT_WIDTH: usize = 2;

/// The width of the first beams for pieces of kernels; doubled in every round, as for whole programs.
const PIECE_WIDTH: usize = 4;

/// States that a search by pieces may expand in the first round, doubled in every round: the beams beside it must not wait
/// for it long.
const PIECE_NODES: u64 = 1_000;

/// A search by pieces may expand this many times the states of a beam beside it. Twice as many or half as many change programs by up
/// to 0.5 %; with no such limit pieces take most of a small budget, and macros are 3 % longer with 1,500 nodes.
const PIECE_SHARE: u64 = 2;

/// While the best program costs at least this much, a search by pieces may expand more, since narrow beams find little then. Below it
/// Horner's scheme is not tried.
const PIECEMEAL_COST: u32 = 20;

/// While the best program costs [`PIECEMEAL_COST`] or more, a search by pieces may expand one in this many of the states to come. Basic
/// instructions are 1.3 % shorter with 4,000 nodes, since pieces find programs for large regular kernels at once. If cheaper programs get
/// as much, bus operations with quick halvings are 0.8 % longer with 8,000.
const PIECE_PART: u64 = 8;

/// States that a search by pieces may expand in any case: some kernels have small pieces, and without these macros are 4 % longer with 500
/// nodes.
const MIN_PIECE_NODES: u64 = 125;

/// The search by pieces ends after this many rounds without a better program: one more round of wider beams gets a chance.
const MAX_FRUITLESS_ROUNDS: usize = 2;

/// Outputs with more taps in all than this get a program by Horner's scheme before any search: beams may use up a small
/// budget before they find a first program.
pub const LARGE_TAPS: usize = 64;

/// The most outputs that beams search for together. Chosen on random kernels in 18 registers: with more outputs,
/// beams find less than separate searches, so the search begins with the programs that these found.
pub const FEW_OUTPUTS: usize = 3;

/// Outputs are made to share values if so many registers are left beside those that they end in: with fewer, little can be kept.
const FREE_REGISTERS: usize = 6;

/// With more outputs rematerialisation runs this many times as long: it takes the place of the beams and of windows.
const REMATERIALISE_TIMES: u64 = 4;

/// The first round with local search: started sooner, it would work on programs that the first beams
/// replace anyway.
const FIRST_LOCAL_SEARCH: usize = 1;

/// A local search over windows that found nothing better in this many states restarts from another program.
const MAX_IDLE_NODES: u64 = 4_000;

/// A program to restart from may cost more than the best one by one in this many parts: programs farther away are poor starting points.
const DEARER_PART: u32 = 8;

/// A program within this cost of the lower bound is worth a longer exhaustive search. Each unit of cost takes at least ten times
/// as long.
const PROVABLE_GAP: u32 = 3;

/// States that the exhaustive search may enter in the first round: as long as expanding ten states of a beam. Three times
/// as many in each round that follows, as the beams grow.
const PROOF_STATES: u64 = 20_000;

/// If the best program is farther from the lower bound, the exhaustive search takes this part of the states that the others do. It
/// only raises the bound: on the filters of Cain and AUKE with quick halvings (1,500 nodes), cost / bound is 1.51 with an eighth, 1.53
/// with a sixteenth and 1.55 without, and programs are as long within 0.5 %.
const FAR_PROOF_PART: u64 = 8;

/// States of the exhaustive search that are counted as one node: entering them takes about as long as expanding a state of a beam.
const PROOF_STATES_PER_NODE: u64 = 2_000;

/// The most programs that a beam returns besides the cheapest one, where the caller asks for alternatives. Each of them is scored.
const MAX_OTHERS: usize = 40;

/// A search whose best program is proved optimal ends after this many rounds without another program that is wished for.
const MAX_UNCHANGED_ROUNDS: usize = 3;

/// While the best program costs more than this, one beam uses coarser instructions, if there are any. Found on dense kernels of
/// 5×5 to 11×11.
const LONG_COST: u32 = 50;

/// While it costs more than this, all beams do. Found on the same kernels.
const VERY_LONG_COST: u32 = 150;

/// Local searches from long programs get one in this many parts of the usual states: beams soon find better programs.
const LONG_PART: u64 = 8;

/// No program of this cost or more is looked for or constructed tap by tap. It bounds the memory of a beam, which has a level
/// for each cost.
const MAX_COST: u32 = 20_000;

/// The searches of one round, except the exhaustive one. They do not depend on the number of threads.
#[derive(Clone, Copy, PartialEq)]
enum Job {
    /// The kernels cut into pieces.
    Pieces,
    /// Local search over windows.
    Windows,
    /// Local search by rematerialisation, for several outputs.
    Rematerialise,
    /// A beam over whole programs of coarser instructions.
    Coarse,
    /// A beam over whole programs, without noise.
    Plain,
    /// A beam over whole programs, with other decompositions and noise in the estimates.
    Perturbed,
}

impl Job {
    /// The part of the search that it belongs to.
    fn part(self) -> Part {
        match self {
            Self::Pieces => Part::Pieces,
            Self::Windows => Part::Windows,
            Self::Rematerialise => Part::Rematerialisation,
            Self::Coarse => Part::CoarseBeams,
            Self::Plain => Part::PlainBeams,
            Self::Perturbed => Part::PerturbedBeams,
        }
    }
}

/// What a search found, and when.
struct Report {
    method: String,
    found: Found,
    /// Other programs.
    also: Vec<Code>,
    ended: f64,
}

/// Finds a program for a filter and improves it until the budget ends. Calls `better` with each improvement and continues `proofs`
/// of earlier calls for the same filter.
///
/// # Errors
/// [`Infeasible`] if no program can exist in this instruction set's arithmetic or registers.
pub fn extract(
    problem: &Problem<'_>,
    budget: &SearchBudget<'_>,
    proofs: &mut Proofs,
    better: &mut dyn FnMut(&Code),
) -> Result<Extracted, Infeasible> {
    let recipes = Recipes { weights: problem.weights, ..compiled(problem, problem.forms, problem.objective) };
    let base = Base::new(problem, budget.task)?;
    proofs.raise(base.floor(&recipes));
    let outputs = problem.outputs.len();
    let shares = outputs > 1 && problem.registers[problem.general] >= outputs + FREE_REGISTERS;
    let mut search = Search {
        recipes: &recipes,
        problem,
        coarse: OnceLock::new(),
        base: &base,
        budget,
        best: budget.best.cloned(),
        shares,
        many: shares && outputs > FEW_OUTPUTS,
        windows_from: None,
        idle: 0,
        values_from: None,
        other: None,
        proofs: std::mem::take(proofs),
        fruitless: 0,
        width: planned(0),
        began: budget.task.now(),
        archive: Archive::new(budget.wish),
        unchanged: 0,
        outcome: Extracted {
            code: None,
            kept: Vec::new(),
            attempts: Vec::new(),
            nodes: 0,
            seconds_to_best: 0.0,
            longest: None,
        },
    };
    search.first(better);
    for round in budget.rounds.clone() {
        if search.outcome.nodes >= budget.nodes
            || (budget.stop)()
            || search.is_done()
            || planned(round) > MAX_WIDTH
        {
            break;
        }
        search.round(round, better);
    }
    *proofs = search.proofs;
    Ok(Extracted { kept: search.archive.into_codes(), ..search.outcome })
}

/// The instructions, prepared for the search, with the problem's bounds.
pub(crate) fn compiled(problem: &Problem<'_>, forms: &[Form], objective: Objective) -> Recipes {
    Recipes { bounds: problem.bounds, ..Recipes::compile(forms, &problem.registers, objective) }
}

/// A search under way.
struct Search<'a> {
    recipes: &'a Recipes,
    problem: &'a Problem<'a>,
    /// Coarser instructions, compiled on first use: most filters never need them.
    coarse: OnceLock<Recipes>,
    base: &'a Base,
    budget: &'a SearchBudget<'a>,
    best: Option<Code>,
    /// Whether there are outputs that may share values, and registers to hold them.
    shares: bool,
    /// Whether there are many of these.
    many: bool,
    /// Where the local search over windows stopped; `None` to start at the best program.
    windows_from: Option<Code>,
    /// States that it expanded since it last found a cheaper one.
    idle: u64,
    /// Where rematerialisation stopped; `None` to start at the best program.
    values_from: Option<Code>,
    /// Another program to start a local search from: the last that a perturbed beam found.
    other: Option<Code>,
    proofs: Proofs,
    /// Rounds since the search by pieces found something better.
    fruitless: usize,
    /// The width of this round's beams.
    width: usize,
    /// The time when the search began.
    began: Duration,
    archive: Archive<'a>,
    /// Rounds since the archive changed.
    unchanged: usize,
    outcome: Extracted,
}

impl Search<'_> {
    /// Only programs below this cost are of use.
    fn bound(&self) -> u32 {
        self.best.as_ref().map_or(MAX_COST, |code| code.cost)
    }

    /// The search looks for programs below this cost: better ones, and those wished for beside the best.
    fn horizon(&self) -> u32 {
        self.bound().saturating_add(self.archive.slack().map_or(0, |slack| slack + 1)).min(MAX_COST)
    }

    /// The coarser instructions, if the best program costs more than this.
    fn coarse_beyond(&self, cost: u32) -> Option<&Recipes> {
        let forms = self.problem.coarse;
        let is_long = !forms.is_empty() && self.best.as_ref().is_some_and(|code| code.cost > cost);
        let recipes = || compiled(self.problem, forms, Objective::Instructions);
        is_long.then(|| self.coarse.get_or_init(recipes))
    }

    /// Whether a part of the search is enabled.
    fn has(&self, part: Part) -> bool {
        !self.budget.without.leaves_out(part)
    }

    /// Whether no better program can exist, and no others are to be expected.
    fn is_done(&self) -> bool {
        let others = self.archive.slack().is_some() && self.unchanged < MAX_UNCHANGED_ROUNDS;
        self.bound() <= self.proofs.floor() && !others
    }

    fn nodes_left(&self) -> u64 {
        self.budget.nodes.saturating_sub(self.outcome.nodes)
    }

    /// The states that may still be expanded; without a limit on them, those that the time left suffices for, if states take as long
    /// as before. With one, the time does not matter, so that the same limit gives the same program.
    fn nodes_to_come(&self) -> u64 {
        let task = self.budget.task;
        let unlimited = self.budget.nodes == u64::MAX && self.outcome.nodes > 0;
        task.time_left().filter(|_| unlimited).map_or(self.nodes_left(), |left| {
            let each = task.seconds_since(self.began) / self.outcome.nodes as f64;
            (left.as_secs_f64() / each) as u64
        })
    }

    /// The states that a beam of this round expands, if it arrives at a program as good as the best.
    fn beam_nodes(&self, best: &Code) -> u64 {
        self.width as u64 * u64::from(best.cost)
    }

    /// The states that a search by pieces of this round may expand.
    fn piece_nodes(&self, round: usize) -> u64 {
        let most = PIECE_NODES.saturating_mul(1 << round.min(40));
        self.best.as_ref().map_or(most, |best| {
            let beside = PIECE_SHARE.saturating_mul(self.beam_nodes(best));
            let part = if best.cost < PIECEMEAL_COST { 0 } else { self.nodes_to_come() / PIECE_PART };
            most.min(beside.max(part).max(MIN_PIECE_NODES))
        })
    }

    /// A first program, if there is none: by Horner's scheme for large kernels and several outputs; else by pieces, then by Horner's
    /// scheme, then by a direct beam.
    fn first(&mut self, better: &mut dyn FnMut(&Code)) {
        let large = self.base.taps() > LARGE_TAPS;
        if large || self.shares {
            self.horner(better);
        }
        if self.budget.rounds.is_empty() {
            return;
        }
        // A program by Horner's scheme is long. Pieces may well be better.
        let needed = self.best.is_none() || (large && !self.shares && self.budget.rounds.start == 0);
        if needed && self.has(Part::Pieces) {
            let report = self.by_pieces(&self.limits(PIECE_WIDTH, 1, self.nodes_left()));
            self.take(report, better);
        }
        if !large {
            self.horner(better);
        }
        if self.best.is_none() && self.has(Part::DirectBeam) {
            let limits = self.limits(DIRECT_WIDTH, 1, self.nodes_left());
            let report = self.by_beam(None, &BeamLimits { direct: true, ..limits });
            self.take(report, better);
        }
    }

    /// A program by Horner's scheme, unless there is one already that costs less than [`PIECEMEAL_COST`].
    fn horner(&mut self, better: &mut dyn FnMut(&Code)) {
        let needed = self.bound() >= PIECEMEAL_COST && self.has(Part::Horner);
        if needed && !self.budget.is_long && self.outcome.longest.is_none() {
            let (found, is_long) = self.base.run_horner(self.recipes, MAX_COST as usize);
            self.outcome.longest = (is_long && self.best.is_none()).then_some(MAX_COST);
            let report = self.report("Horner's scheme".to_owned(), found);
            self.take(report, better);
        }
    }

    /// The searches of a round, except the exhaustive one.
    fn jobs(&self, round: usize) -> Vec<Job> {
        let pieces = self.fruitless < MAX_FRUITLESS_ROUNDS;
        let jobs = [Job::Pieces, Job::Windows, Job::Rematerialise, Job::Coarse, Job::Plain, Job::Perturbed];
        let improves = self.best.is_some() && round >= FIRST_LOCAL_SEARCH;
        // Beams over many outputs hold too little.
        let beams = !self.many || self.best.is_none() || self.archive.slack().is_some();
        jobs.into_iter()
            .filter(|job| match job {
                Job::Pieces => beams && pieces,
                Job::Windows => improves && !self.many,
                Job::Rematerialise => improves && self.shares,
                Job::Coarse => beams && self.coarse_beyond(LONG_COST).is_some(),
                Job::Plain => beams && self.coarse_beyond(VERY_LONG_COST).is_none(),
                Job::Perturbed => beams,
            })
            .filter(|job| self.has(job.part()))
            .collect()
    }

    /// States that the exhaustive search of a round may enter.
    fn proof_states(&self, round: usize) -> u64 {
        if !self.has(Part::Exhaustive) {
            return 0;
        }
        let near = self.bound() <= self.proofs.floor() + PROVABLE_GAP;
        let beside = self.proofs.beside.saturating_mul(PROOF_STATES_PER_NODE);
        let states = match (near, round == self.budget.rounds.start) {
            // At least as long as the other searches.
            (true, _) => PROOF_STATES.saturating_mul(3u64.saturating_pow(round as u32)).max(beside),
            (false, true) => PROOF_STATES,
            // Too far below the best program a longer search does not arrive, but what it proves says how good the program is.
            (false, false) => beside / FAR_PROOF_PART,
        };
        states.min(self.nodes_left().saturating_mul(PROOF_STATES_PER_NODE))
    }

    /// One search of each kind, in parallel.
    fn round(&mut self, round: usize, better: &mut dyn FnMut(&Code)) {
        let (jobs, states) = (self.jobs(round), self.proof_states(round));
        self.width = match &self.best {
            Some(best) => fitted(round, jobs.len(), best.cost, self.nodes_to_come()),
            None => planned(round),
        };
        if self.idle > MAX_IDLE_NODES
            && let Some(other) = self.other.take()
        {
            (self.windows_from, self.idle) = (Some(other), 0);
        }
        let mut proofs = std::mem::take(&mut self.proofs);
        let this = &*self;
        let (reports, proof) = rayon::join(
            || jobs.into_par_iter().map(|job| (job, this.job(job, round))).collect::<Vec<_>>(),
            || {
                let prove = || this.base.prove(this.recipes, &mut proofs, this.bound(), states, this.budget);
                (states > 0).then(prove)
            },
        );
        self.proofs = proofs;
        self.proofs.beside = reports.iter().map(|(_, report)| report.found.nodes).sum();
        self.fruitless += 1;
        self.unchanged = if self.archive.has_changed() { 0 } else { self.unchanged + 1 };
        for (job, report) in &reports {
            self.remember(*job, report);
        }
        for (job, report) in reports {
            if self.take(report, better) && job == Job::Pieces {
                self.fruitless = 0;
            }
        }
        let Some((code, states)) = proof else { return };
        let note = format!("{states} states, none below {}", self.proofs.floor());
        let nodes = states.div_ceil(PROOF_STATES_PER_NODE);
        let report = self.report("exhaustive".to_owned(), Found { code, nodes, note: Some(note) });
        self.take(report, better);
    }

    /// Records where the next local search may start.
    fn remember(&mut self, job: Job, report: &Report) {
        match job {
            Job::Windows => {
                let cost = |code: &Option<Code>| code.as_ref().map(|code| code.cost);
                let cheaper = cost(&report.found.code) < cost(&self.windows_from);
                self.idle = if cheaper { 0 } else { self.idle + report.found.nodes };
                self.windows_from.clone_from(&report.found.code);
            }
            Job::Rematerialise => self.values_from.clone_from(&report.found.code),
            Job::Perturbed if report.found.code.is_some() => self.other.clone_from(&report.found.code),
            _ => {}
        }
    }

    fn job(&self, job: Job, round: usize) -> Report {
        let share = self.nodes_left().div_ceil(2);
        match (job, &self.best) {
            (Job::Pieces, _) => {
                let narrow = PIECE_WIDTH << round.min(16);
                self.by_pieces(&self.limits(2 * narrow, 2 + round, share.min(self.piece_nodes(round))))
            }
            (Job::Windows, Some(best)) => {
                let effort = self.effort(round, 1, best, share);
                let from = self.windows_from.as_ref().unwrap_or(best);
                let mut also = Vec::new();
                let wanted = self.archive.slack().is_some().then_some(&mut also);
                let found = self.base.run_windows(self.recipes, from, &effort, wanted);
                Report { also, ..self.report("windows".to_owned(), found) }
            }
            (Job::Rematerialise, Some(best)) => {
                let times = if self.many { REMATERIALISE_TIMES } else { 1 };
                let effort = self.effort(round, times, best, share);
                let from = self.values_from.as_ref().unwrap_or(best);
                self.report(
                    "values of others".to_owned(),
                    self.base.run_rematerialise(self.recipes, from, &effort),
                )
            }
            (Job::Coarse, _) => {
                // Unless kernels are very large, its states take less time, so it can be a round ahead.
                let ahead = usize::from(self.coarse_beyond(VERY_LONG_COST).is_none());
                self.by_beam(self.coarse_beyond(LONG_COST), &self.limits(self.width << ahead, BREADTH, share))
            }
            (Job::Plain, _) | (Job::Windows | Job::Rematerialise, None) => {
                self.by_beam(None, &self.limits(self.width, BREADTH, share))
            }
            (Job::Perturbed, _) => {
                let limits = BeamLimits {
                    noise: 0.4 + 0.2 * (round % 3) as f32,
                    seed: self.budget.seed.wrapping_add(2 * round as u64 + 1),
                    weight: 1.0 + 0.5 * (round % 3) as f32,
                    bound: self
                        .horizon()
                        .max(self.bound().saturating_add(self.bound() / DEARER_PART + 1))
                        .min(MAX_COST),
                    ..self.limits(self.width, DIVERSE_BREADTH, share)
                };
                self.by_beam(self.coarse_beyond(VERY_LONG_COST), &limits)
            }
        }
    }

    /// The effort of a local search from a program: `times` as long as the beams beside it, or a part of that for long
    /// programs.
    fn effort(&self, round: usize, times: u64, best: &Code, most: u64) -> Effort<'_> {
        let part = if self.coarse_beyond(LONG_COST).is_some() { LONG_PART } else { 1 };
        Effort {
            nodes: most.min(times * self.beam_nodes(best) / part),
            seed: self.budget.seed.wrapping_add(round as u64),
            stop: self.budget.stop,
        }
    }

    fn limits(&self, width: usize, breadth: usize, nodes: u64) -> BeamLimits {
        BeamLimits {
            seed: self.budget.seed,
            breadth,
            others: if self.archive.slack().is_some() { MAX_OTHERS } else { 0 },
            slack: self.archive.slack().unwrap_or(0),
            without_table: !self.has(Part::TranspositionTable),
            ..BeamLimits::narrow(width, self.horizon(), nodes)
        }
    }

    /// A beam, over `coarse` instructions if given.
    fn by_beam(&self, coarse: Option<&Recipes>, limits: &BeamLimits) -> Report {
        let name = match limits {
            BeamLimits { direct: true, .. } => "tap by tap".to_owned(),
            BeamLimits { width, noise: 0.0, .. } => format!("beam of {width}"),
            BeamLimits { width, .. } => format!("beam of {width}, perturbed"),
        };
        if let Some(coarse) = coarse {
            let found = self.base.run_coarse(self.recipes, coarse, limits, self.budget.stop);
            return self.report(format!("{name}, coarse"), found);
        }
        let mut also = Vec::new();
        let found = self.base.run(self.recipes, limits, self.budget.stop, &mut also);
        Report { also, ..self.report(name, found) }
    }

    fn by_pieces(&self, limits: &BeamLimits) -> Report {
        let name = format!("pieces by beams of {}", limits.width);
        self.report(name, self.base.run_factored(self.recipes, limits, self.budget.stop))
    }

    fn report(&self, method: String, found: Found) -> Report {
        Report { method, found, also: Vec::new(), ended: (self.budget.seconds)() }
    }

    /// Records a report, and keeps its program if it is the best so far; returns whether it is.
    fn take(&mut self, report: Report, better: &mut dyn FnMut(&Code)) -> bool {
        let Report { method, found: Found { code, nodes, note }, also, ended } = report;
        self.outcome.nodes += nodes;
        for code in also.iter().chain(&code) {
            self.archive.add(code);
        }
        let code = code.filter(|code| code.cost < self.bound());
        let cost = code.as_ref().map(|code| code.cost);
        self.outcome.attempts.push(Attempt { method, cost, nodes, ended, note });
        let Some(code) = code else { return false };
        better(&code);
        self.outcome.seconds_to_best = ended;
        self.outcome.longest = None;
        self.outcome.code = Some(code.clone());
        (self.windows_from, self.values_from, self.idle) = (None, None, 0);
        self.best = Some(code);
        true
    }
}
