//! Samples of search states, each with its estimated cost to go and the cost that a search from there found. The heuristic is
//! fitted to these.

use super::base::Base;
use super::problem::{Infeasible, Problem};
use crate::algebra::Random;
use crate::backend::array::machine::Quantities;
use crate::backend::array::search::beams::beam::{BeamLimits, search, watched};
use crate::backend::array::search::heuristics::cost_to_go::Heuristic;
use crate::backend::array::search::heuristics::decompositions::{BREADTH, Decompositions};
use crate::backend::array::search::heuristics::weights::weights;
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::step::{Need, State, is_start, state_of};
use crate::budget::Budget;

/// The settings of the sampling.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// The number of states to take from each beam.
    pub states: usize,
    /// The maximum number of search states that each beam, and each search from a sampled state, may expand.
    pub nodes: u64,
    /// The seed of the sampling.
    pub seed: u64,
}

/// A sampled state of a beam.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The beam, counted from 0.
    pub beam: usize,
    /// The cost from the outputs to the state.
    pub level: u32,
    /// The quantities of the estimate.
    pub quantities: Quantities,
    /// The estimated cost to go.
    pub estimate: f32,
    /// The cost of the program that a search from the state found.
    pub cost: u32,
}

/// The width and noise of the beams that are sampled: one as in early rounds of the schedule, and one with more and worse
/// states.
const BEAMS: [(usize, f32); 2] = [(16, 0.0), (60, 0.6)];

/// The width of a beam from a state is chosen so that its nodes suffice for this multiple of the estimated cost.
const SPARE: f32 = 1.5;

/// The maximum width of a beam from a state: that of the widest sampled beam.
const MAX_WIDTH: usize = BEAMS[1].0;

/// Searches ignore programs of at least this cost, because a beam has a level for each cost.
const MAX_SAMPLED_COST: u32 = 400;

/// Runs beams on a filter, samples their states, and searches from each. States from which no program is found are left
/// out. Also returns the weights for the instruction set.
///
/// # Errors
/// [`Infeasible`] as for [`extract`](super::extract).
pub fn sample(problem: &Problem<'_>, sampling: &Sampling) -> Result<(Quantities, Vec<Sample>), Infeasible> {
    let compiled = Recipes::compile(problem.forms, &problem.registers, problem.objective);
    let recipes = Recipes { weights: problem.weights, ..compiled };
    let base = Base::new(problem, &Budget::unlimited())?;
    let start: Vec<Need> = base.start.iter().map(|(need, _)| *need).collect();
    let goal = state_of(&base.goal);
    let never = || false;
    let mut samples = Vec::new();
    for (beam, (width, noise)) in BEAMS.into_iter().enumerate() {
        let mut shapes = base.shapes.clone();
        let mut decompositions = Decompositions::new(&base.sums, BREADTH, true);
        if noise > 0.0 {
            decompositions = decompositions.diverse();
        }
        let mut expander = base.expander(&recipes, &mut shapes, &mut decompositions);
        let mut random = Random::stream(sampling.seed, beam as u64);
        let mut taken: Vec<(u32, State)> = Vec::new();
        let mut met = 0;
        let narrow = |width| BeamLimits::narrow(width, MAX_SAMPLED_COST, sampling.nodes);
        let limits = BeamLimits { noise, seed: sampling.seed, ..narrow(width) };
        watched(&mut expander, &goal, &start, &limits, &never, &mut |level, state| {
            if is_start(state, &start) {
                return;
            }
            met += 1;
            // Reservoir sampling: every state met is equally likely to be taken.
            let place = random.integer(0, met - 1) as usize;
            if taken.len() < sampling.states {
                taken.push((level, state.clone()));
            } else if let Some(taken) = taken.get_mut(place) {
                *taken = (level, state.clone());
            }
        });
        let mut heuristic =
            Heuristic::new(&recipes, &start, 1.0, &goal, expander.decompositions, expander.shapes);
        let estimated: Vec<_> = taken
            .iter()
            .map(|(_, state)| {
                let quantities = heuristic.quantities(state, expander.decompositions, expander.shapes);
                (quantities, heuristic.of(state, expander.decompositions, expander.shapes))
            })
            .collect();
        for ((level, state), (quantities, estimate)) in taken.iter().zip(estimated) {
            let width = (sampling.nodes as f32 / (SPARE * estimate.max(1.0))) as usize;
            let outcome = search(&mut expander, state, &start, &narrow(width.clamp(1, MAX_WIDTH)), &never);
            if let Some((cost, _)) = outcome.found {
                samples.push(Sample { beam, level: *level, quantities, estimate, cost });
            }
        }
    }
    Ok((*weights(&recipes, false), samples))
}
