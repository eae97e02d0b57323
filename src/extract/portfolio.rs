//! The whole search for one filter: a fixed schedule of beam searches, wider and wider, until the budget ends.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::assign::{Assignment, assign, state_of};
use super::beam::{BeamLimits, search};
use super::exhaustive::{Answer, Exhaustive};
use super::factored::{Composition, Effort, Factored};
use super::moves::{Expander, Need, Step};
use super::recipe::{Objective, Recipes};
use super::table::{Table, Terms};
use super::value::{Factor, ShapeId, Shapes, Value, View};
use crate::algebra::{Label, Placed, Rational, Shape};
use crate::target::form::{FileId, Form};
use crate::term::Decomposition;
use crate::term::lang::signed_digits;

/// An input channel and where it stands at the start.
#[derive(Clone, Debug)]
pub struct InputSpec {
    /// The channel.
    pub channel: u16,
    /// Its register, as an index into the registers of the general file.
    pub register: usize,
}

/// An output and where it is wanted.
#[derive(Clone, Debug)]
pub struct OutputSpec {
    /// What it is.
    pub kernel: Placed,
    /// The register where it must end, as an index into those of the general file; `None` for any.
    pub register: Option<usize>,
}

/// What to search for.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The instructions.
    pub forms: &'a [Form],
    /// How many registers each file has.
    pub registers: Vec<usize>,
    /// The file of inputs and outputs.
    pub general: FileId,
    /// What to minimise.
    pub objective: Objective,
    /// The number of input channels.
    pub channels: u16,
    /// The inputs.
    pub inputs: Vec<InputSpec>,
    /// The outputs.
    pub outputs: Vec<OutputSpec>,
    /// Whether the inputs must still stand where they were.
    pub keep_inputs: bool,
    /// Kernels and the ways to make them.
    pub decompositions: Vec<(&'a Shape, Vec<&'a Decomposition>)>,
}

/// When to end.
#[derive(Clone)]
pub struct Budget<'a> {
    /// Search states to expand, at most.
    pub nodes: u64,
    /// Asked often; `true` ends the search with the best so far.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Time since the search began, in seconds, for the record only.
    pub seconds: &'a (dyn Fn() -> f64 + Sync),
    /// The seed of restarts.
    pub seed: u64,
    /// Which rounds of the schedule of ever wider searches to run.
    pub rounds: std::ops::Range<usize>,
    /// Only programs of lower cost are of use.
    pub bound: Option<u32>,
    /// A cost below which there is known to be no program; 0 where nothing is known.
    pub floor: u32,
}

/// A program with the registers chosen.
#[derive(Clone, Debug)]
pub struct Code {
    /// For each instruction the index of its form, and the register (an index into the slot's file) of each slot.
    pub instructions: Vec<(usize, Vec<usize>)>,
    /// The registers of the outputs, in the problem's order.
    pub outputs: Vec<usize>,
    /// Its cost under the objective.
    pub cost: u32,
    /// The kernels that its values are, apart from inputs.
    pub kernels: Vec<Placed>,
}

/// One search of the schedule.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What it was.
    pub method: String,
    /// The cost of the program that it found, where it beat what was there.
    pub cost: Option<u32>,
    /// States expanded.
    pub nodes: u64,
    /// When it ended, in seconds since the search began.
    pub ended: f64,
    /// What else there is to say.
    pub note: Option<String>,
}

/// What the search found.
#[derive(Clone, Debug)]
pub struct Extracted {
    /// The best program; `None` if there is none within the budget.
    pub code: Option<Code>,
    /// What was tried.
    pub attempts: Vec<Attempt>,
    /// States expanded in all.
    pub nodes: u64,
    /// When the best program was found, in seconds since the search began.
    pub seconds_to_best: f64,
    /// A cost that no program goes below.
    pub lower_bound: u32,
}

/// Why a filter cannot be searched for at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A coefficient is not an integer over 2^a·3^b, or too large, or an offset too far.
    #[error(
        "output {output} has a coefficient that halvings and thirds cannot make, or an offset of more than 100"
    )]
    Kernel {
        /// The output's index.
        output: usize,
    },
    /// There are more outputs (and kept inputs) than registers.
    #[error("{needed} values must be held at the end in {available} registers")]
    Registers {
        /// Values to hold at once.
        needed: usize,
        /// Registers there are.
        available: usize,
    },
}

/// Widths of the beam, in the order in which they are tried; the last is doubled from then on.
const WIDTHS: [usize; 7] = [1, 4, 16, 60, 200, 600, 2000];

/// The width of the beam that takes kernels apart tap by tap.
const DIRECT_WIDTH: usize = 2;

/// The width of the first beams that search pieces of kernels; doubled in every round.
const PIECE_WIDTH: usize = 4;

/// States that the search by pieces may expand in the first round, twice as many in each that follows: it must not keep
/// the beams waiting for long.
const PIECE_NODES: u64 = 1_000;

/// What searches by pieces are called.
const PIECES: &str = "pieces";

/// After so many rounds in which the search by pieces found nothing better it is left out.
const MOST_FRUITLESS: usize = 2;

/// A program within this cost of the lower bound is worth a longer exhaustive search.
const NEAR: u32 = 6;

/// Searches in each batch; fixed, so that the result does not depend on the number of threads.
const BATCH: usize = 2;

/// Finds a program for a filter and improves it until the budget ends; `better` hears of each improvement.
///
/// # Errors
/// [`Unfit`] where no program can exist in this instruction set's arithmetic or registers.
pub fn extract(
    problem: &Problem<'_>,
    budget: &Budget<'_>,
    better: &mut dyn FnMut(&Code),
) -> Result<Extracted, Unfit> {
    let recipes = Recipes::compile(problem.forms, &problem.registers, problem.objective);
    let base = Base::new(problem)?;
    let mut outcome = Extracted {
        code: None,
        attempts: Vec::new(),
        nodes: 0,
        seconds_to_best: 0.0,
        lower_bound: base.floor(&recipes),
    };
    let mut bound = budget.bound.unwrap_or(COST_LIMIT);
    outcome.lower_bound = outcome.lower_bound.max(budget.floor);
    let mut floors = Floors { all: outcome.lower_bound, whole: outcome.lower_bound };
    // A first program: cut into pieces, or, where that fails, tap by tap.
    for direct in [false, true] {
        if budget.bound.is_some() || outcome.code.is_some() {
            break;
        }
        let limits = BeamLimits {
            width: if direct { DIRECT_WIDTH } else { PIECE_WIDTH },
            bound,
            nodes: budget.nodes.saturating_sub(outcome.nodes),
            noise: 0.0,
            seed: budget.seed,
            breadth: 1,
            direct,
        };
        let (method, (found, nodes, note)) = if direct {
            ("tap by tap".to_owned(), base.run(&recipes, &limits, budget.stop))
        } else {
            (name_of_pieces(&limits), base.run_factored(&recipes, &limits, budget.stop))
        };
        let ended = (budget.seconds)();
        let cost = found.as_ref().map(|code| code.cost);
        outcome.nodes += nodes;
        outcome.attempts.push(Attempt { method, cost, nodes, ended, note });
        if let Some(code) = found {
            bound = code.cost;
            better(&code);
            outcome.seconds_to_best = ended;
            outcome.code = Some(code);
        }
    }
    // Rounds since the search by pieces found something better.
    let mut fruitless = 0;
    for round in budget.rounds.clone() {
        let width = WIDTHS.get(round).copied().unwrap_or_else(|| {
            WIDTHS[WIDTHS.len() - 1]
                .saturating_mul(1usize.checked_shl((round + 1 - WIDTHS.len()) as u32).unwrap_or(usize::MAX))
        });
        if outcome.nodes >= budget.nodes || (budget.stop)() || bound <= outcome.lower_bound || width > 1 << 17
        {
            break;
        }
        let share = (budget.nodes - outcome.nodes).div_ceil(BATCH as u64);
        let beam = |index: usize| {
            let limits = BeamLimits {
                width,
                bound,
                nodes: share,
                noise: if index == 0 { 0.0 } else { 0.4 + 0.2 * (round % 3) as f32 },
                seed: budget.seed.wrapping_add((round * BATCH + index) as u64),
                breadth: if index == 0 { 12 } else { 20 },
                direct: false,
            };
            let (found, nodes, note) = base.run(&recipes, &limits, budget.stop);
            (name_of(&limits), found, nodes, note, (budget.seconds)())
        };
        let pieces = || {
            let limits = BeamLimits {
                width: 2 * PIECE_WIDTH << round,
                bound,
                nodes: share.min(PIECE_NODES << round),
                noise: 0.0,
                seed: budget.seed,
                breadth: 2 + round,
                direct: false,
            };
            let (found, nodes, note) = base.run_factored(&recipes, &limits, budget.stop);
            (name_of_pieces(&limits), found, nodes, note, (budget.seconds)())
        };
        // Far from the best program, more of the exhaustive search would not get there.
        let near = bound <= outcome.lower_bound + NEAR;
        let states = PROOF_STATES
            .saturating_mul(if near { 3u64.saturating_pow(round as u32) } else { 1 })
            .min((budget.nodes - outcome.nodes).saturating_mul(PROOF_STATES_PER_NODE));
        let (results, proof) = rayon::join(
            || {
                let jobs = usize::from(fruitless >= MOST_FRUITLESS)..=BATCH;
                jobs.into_par_iter()
                    .map(|job| if job == 0 { pieces() } else { beam(job - 1) })
                    .collect::<Vec<_>>()
            },
            || base.prove(&recipes, floors, bound, states, budget.stop),
        );
        fruitless += 1;
        for (method, found, nodes, note, ended) in results {
            outcome.nodes += nodes;
            let cost = found.as_ref().map(|code| code.cost);
            let piecewise = method.starts_with(PIECES);
            outcome.attempts.push(Attempt { method, cost, nodes, ended, note });
            if let Some(code) = found.filter(|code| code.cost < bound) {
                if piecewise {
                    fruitless = 0;
                }
                bound = code.cost;
                better(&code);
                outcome.seconds_to_best = ended;
                outcome.code = Some(code);
            }
        }
        let ended = (budget.seconds)();
        floors = proof.floors;
        outcome.nodes += proof.states.div_ceil(PROOF_STATES_PER_NODE);
        outcome.lower_bound = outcome.lower_bound.max(floors.all);
        let note = format!("{} states, none below {}", proof.states, floors.all);
        let cost = proof.code.as_ref().map(|code| code.cost);
        outcome.attempts.push(Attempt {
            method: "exhaustive".to_owned(),
            cost,
            nodes: proof.states.div_ceil(PROOF_STATES_PER_NODE),
            ended,
            note: Some(note),
        });
        if let Some(code) = proof.code.filter(|code| code.cost < bound) {
            bound = code.cost;
            better(&code);
            outcome.seconds_to_best = ended;
            outcome.code = Some(code);
        }
    }
    Ok(outcome)
}

/// What a beam is called in the record.
fn name_of(limits: &BeamLimits) -> String {
    let shaken = if limits.noise == 0.0 { "" } else { ", shaken" };
    format!("beam of {}{shaken}", limits.width)
}

fn name_of_pieces(limits: &BeamLimits) -> String {
    format!("{PIECES} by beams of {}", limits.width)
}

/// What an exhaustive search found out.
struct Proof {
    /// A program of least cost.
    code: Option<Code>,
    /// What it proved.
    floors: Floors,
    /// States entered.
    states: u64,
}

/// Costs below which there is no program: none at all, and none that does not divide.
#[derive(Clone, Copy)]
struct Floors {
    all: u32,
    whole: u32,
}

/// States that the exhaustive search of the first round may enter; three times as many in each that follows.
const PROOF_STATES: u64 = 20_000;

/// States of the exhaustive search that take about as long as expanding one of a beam.
const PROOF_STATES_PER_NODE: u64 = 2_000;

/// No program longer than this is looked for.
const COST_LIMIT: u32 = 20_000;

/// What all searches for one filter start from.
struct Base {
    shapes: Shapes,
    sums: FxHashMap<ShapeId, Vec<Terms>>,
    compositions: FxHashMap<ShapeId, Vec<Composition>>,
    start: Vec<(Need, Option<usize>)>,
    goal: Vec<(Need, Option<usize>)>,
    outputs: usize,
    exponents: [i8; 2],
}

impl Base {
    fn new(problem: &Problem<'_>) -> Result<Self, Unfit> {
        let mut shapes = Shapes::new(problem.channels);
        let file = problem.general as u8;
        let start: Vec<(Need, Option<usize>)> = problem
            .inputs
            .iter()
            .map(|i| (Need { file, value: Shapes::delta(usize::from(i.channel)) }, Some(i.register)))
            .collect();
        let mut goal = Vec::new();
        for (output, spec) in problem.outputs.iter().enumerate() {
            let value = shapes.import(&spec.kernel).ok_or(Unfit::Kernel { output })?;
            goal.push((Need { file, value }, spec.register));
        }
        if problem.keep_inputs {
            goal.extend(start.iter().copied());
        }
        let available = problem.registers[problem.general];
        if goal.len() > available {
            return Err(Unfit::Registers { needed: goal.len(), available });
        }
        let mut sums: FxHashMap<ShapeId, Vec<Terms>> = FxHashMap::default();
        let mut compositions: FxHashMap<ShapeId, Vec<Composition>> = FxHashMap::default();
        for (shape, ways) in &problem.decompositions {
            let whole = Placed { label: Label::IDENTITY, shape: (*shape).clone() };
            let Some(whole) = shapes.import(&whole) else { continue };
            let terms: Vec<Terms> = ways.iter().flat_map(|way| terms_of(way, &mut shapes)).collect();
            sums.entry(whole.shape).or_default().extend(terms);
            let composed = ways.iter().filter_map(|way| composition_of(way, &mut shapes));
            compositions.entry(whole.shape).or_default().extend(composed);
        }
        let twos = goal.iter().map(|(n, _)| n.value.factor.twos);
        let exponents = [twos.clone().min().unwrap_or(0).min(0) - 1, twos.max().unwrap_or(0).max(0) + 4];
        Ok(Self { shapes, sums, compositions, start, goal, outputs: problem.outputs.len(), exponents })
    }

    /// A cost that no program goes below: every value that is not there must be written.
    fn floor(&self, recipes: &Recipes) -> u32 {
        let missing = self.goal.iter().filter(|(n, _)| !self.start.iter().any(|(s, _)| s == n)).count();
        let most = recipes.forms.iter().map(|f| f.results.len()).max().unwrap_or(1).max(1);
        let cheapest = recipes.forms.iter().map(|f| f.cost).min().unwrap_or(1);
        missing.div_ceil(most) as u32 * cheapest
    }

    fn run(
        &self,
        recipes: &Recipes,
        limits: &BeamLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> (Option<Code>, u64, Option<String>) {
        let mut shapes = self.shapes.clone();
        let nothing = FxHashMap::default();
        let mut table = if limits.direct {
            Table::new(&nothing, limits.breadth, false)
        } else {
            Table::new(&self.sums, limits.breadth, true)
        };
        let inputs: Vec<Value> = self.start.iter().map(|(n, _)| n.value).collect();
        let mut expander = Expander {
            inputs: &inputs,
            recipes,
            shapes: &mut shapes,
            table: &mut table,
            lowest: self.exponents[0],
            highest: self.exponents[1],
        };
        let start: Vec<Need> = self.start.iter().map(|(n, _)| *n).collect();
        let outcome = search(&mut expander, &state_of(&self.goal), &start, limits, stop);
        let Some((cost, steps)) = outcome.found else { return (None, outcome.nodes, None) };
        match assign(recipes, &steps, &self.start, &self.goal) {
            Some(assignment) => {
                (Some(self.code(recipes, &shapes, &steps, &assignment, cost)), outcome.nodes, None)
            }
            None => {
                let note = "a program was found, but not with these fixed registers".to_owned();
                (None, outcome.nodes, Some(note))
            }
        }
    }

    /// Puts a program together from programs of factors and parts, where there is one input.
    fn run_factored(
        &self,
        recipes: &Recipes,
        limits: &BeamLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> (Option<Code>, u64, Option<String>) {
        let [(Need { file, .. }, _)] = self.start[..] else { return (None, 0, None) };
        let effort = Effort {
            width: limits.width,
            breadth: limits.breadth,
            bound: limits.bound,
            nodes: limits.nodes,
            stop,
        };
        let mut factored = Factored {
            recipes,
            shapes: self.shapes.clone(),
            table: Table::new(&self.sums, 12, true),
            compositions: &self.compositions,
            sums: &self.sums,
            file,
            exponents: self.exponents,
            effort,
            nodes: 0,
            answers: FxHashMap::default(),
        };
        let goal: Vec<Value> = self.goal[..self.outputs].iter().map(|(need, _)| need.value).collect();
        let keep = self.goal.len() > self.outputs;
        let found = factored.solve(&goal, recipes.capacity[usize::from(file)], keep);
        let nodes = factored.nodes;
        let Some((cost, steps)) = found else { return (None, nodes, None) };
        let code = assign(recipes, &steps, &self.start, &self.goal)
            .map(|assignment| self.code(recipes, &factored.shapes, &steps, &assignment, cost));
        (code, nodes, None)
    }

    /// Decides, cost by cost, whether there is a program below `bound`, until the states are used up: half of them, where
    /// that makes sense, for programs that do not divide, from `floors.whole` on; the others for all programs.
    fn prove(
        &self,
        recipes: &Recipes,
        floors: Floors,
        bound: u32,
        states: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Proof {
        let mut shapes = self.shapes.clone();
        let start: Vec<Need> = self.start.iter().map(|(n, _)| *n).collect();
        let goal: Vec<Need> = self.goal.iter().map(|(n, _)| *n).collect();
        let mut proof = Proof { code: None, floors, states: 0 };
        let Some(mut search) = Exhaustive::new(recipes, &mut shapes, &start, &goal, states) else {
            return proof;
        };
        let fits = |steps: &[Step]| assign(recipes, steps, &self.start, &self.goal).is_some();
        let mut program = None;
        let mut bound = bound;
        if search.may_do_without_divisions() {
            search.budget = states / 2;
            for cost in floors.whole.max(floors.all)..bound {
                match search.decide(cost, false, &fits, stop) {
                    Answer::Found(steps) => {
                        program = Some((cost, steps));
                        bound = cost;
                        break;
                    }
                    Answer::None => proof.floors.whole = cost + 1,
                    Answer::Unknown => break,
                }
            }
            search.budget += states - states / 2;
        }
        for cost in floors.all..bound {
            match search.decide(cost, true, &fits, stop) {
                Answer::Found(steps) => {
                    program = Some((cost, steps));
                    break;
                }
                Answer::None => proof.floors.all = cost + 1,
                Answer::Unknown => break,
            }
        }
        proof.states = states.saturating_sub(search.budget);
        if let Some((cost, steps)) = program
            && let Some(assignment) = assign(recipes, &steps, &self.start, &self.goal)
        {
            proof.code = Some(self.code(recipes, &shapes, &steps, &assignment, cost));
        }
        proof
    }

    fn code(
        &self,
        recipes: &Recipes,
        shapes: &Shapes,
        steps: &[Step],
        assignment: &Assignment,
        cost: u32,
    ) -> Code {
        let instructions = steps
            .iter()
            .zip(&assignment.slots)
            .map(|(step, slots)| (recipes.forms[usize::from(step.form)].source, slots.clone()))
            .collect();
        let values = steps.iter().flat_map(|s| s.produced.iter().map(|(_, v)| *v));
        let kernels = values.filter_map(|v: Value| shapes.export(v)).collect();
        Code { instructions, outputs: assignment.goal[..self.outputs].to_vec(), cost, kernels }
    }
}

/// A composition in the search's terms.
fn composition_of(decomposition: &Decomposition, shapes: &mut Shapes) -> Option<Composition> {
    let Decomposition::Compose { label, outer, inner } = decomposition else { return None };
    let mut import = |shape: &Shape| {
        (shape.channels() == 1)
            .then(|| shapes.import(&Placed { label: Label::IDENTITY, shape: shape.clone() }))
            .flatten()
            .map(|value| value.shape)
    };
    let (outer, inner) = (import(outer)?, import(inner)?);
    let offset = |v: i32| i8::try_from(v).ok().filter(|v| v.abs() <= 100);
    let label =
        View { dx: offset(label.offset[0])?, dy: offset(label.offset[1])?, factor: Factor::of(label.scale)? };
    Some(Composition { label, outer, inner })
}

/// Outer kernels of compositions with more taps than this are left to be decomposed first.
const MOST_OUTER_TAPS: usize = 9;

/// The sums of values, relative to the kernel decomposed, that a decomposition stands for.
fn terms_of(decomposition: &Decomposition, shapes: &mut Shapes) -> Vec<Terms> {
    let linear: Vec<Vec<(Label, &Shape)>> = match decomposition {
        Decomposition::Sum(terms) => vec![terms.iter().map(|(label, shape)| (*label, shape)).collect()],
        Decomposition::Compose { label, outer, inner } => [(outer, inner), (inner, outer)]
            .into_iter()
            .filter(|(over, _)| over.channels() == 1 && over.tap_count() <= MOST_OUTER_TAPS)
            .filter_map(|(over, part)| {
                let place = |(_, offset, tap)| Label { scale: Rational::integer(tap), offset }.then(*label);
                over.taps().map(|tap| Some((place(tap)?, part))).collect()
            })
            .collect(),
    };
    linear.into_iter().filter_map(|terms| values_of(&terms, shapes)).collect()
}

fn values_of(terms: &[(Label, &Shape)], shapes: &mut Shapes) -> Option<Terms> {
    let mut values = Terms::new();
    for (label, shape) in terms {
        let part = Placed { label: Label::IDENTITY, shape: (*shape).clone() };
        for scale in signed_digits(label.scale)? {
            values.push(shapes.import(&part.apply(Label { scale, ..*label })?)?);
        }
    }
    Some(values)
}
