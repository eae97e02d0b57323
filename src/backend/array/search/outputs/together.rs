//! Several outputs together: the programs of each one after the other, and what they become where they share their values.

use std::sync::Arc;

use rayon::prelude::*;

use crate::algebra::Random;
use crate::backend::array::search::base::Base;
use crate::backend::array::search::heuristics::decompositions::{DIVERSE_BREADTH, Decompositions};
use crate::backend::array::search::local::rematerialise::{Ends, rematerialise};
use crate::backend::array::search::local::settle::tidy;
use crate::backend::array::search::local::windows::Effort;
use crate::backend::array::search::problem::{Code, Trace};
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::registers::assign;
use crate::backend::array::search::program::step::state_of;
use crate::backend::array::search::program::step::{Need, Step};
use crate::backend::array::search::program::value::Shapes;

/// Local searches beside each other. By hand.
const WALKS: u64 = 2;
/// States that each of them expands before the best of them is where all go on from. By hand.
const LEG_NODES: u64 = 500;

/// Width of the widest beams; more, where a local search is long. By hand.
const MIN_WIDEST: usize = 24;

/// Splits of a kernel that they try: there is much else to try where much is there. By hand.
const REUSE_BREADTH: usize = 6;

impl Base {
    /// The programs of single outputs, one after the other; what one of them leaves is not made again.
    pub(crate) fn run_in_turn(
        &self,
        recipes: &Recipes,
        singles: &[&Code],
        nodes: u64,
    ) -> (Option<Code>, u64, Option<String>) {
        let mut shapes = self.shapes_for(nodes);
        let own =
            |shapes: &mut Shapes, code: &Code| code.trace.as_ref().and_then(|trace| trace.adopt(shapes));
        let all: Option<Vec<Vec<Step>>> = singles.iter().map(|code| own(&mut shapes, code)).collect();
        let mut decompositions = Decompositions::new(&self.sums, DIVERSE_BREADTH, true);
        let mut expander = self.expander(recipes, &mut shapes, &mut decompositions);
        let start: Vec<Need> = self.start.iter().map(|(need, _)| *need).collect();
        let steps = all.and_then(|all| tidy(&mut expander, &all.concat(), &start, &state_of(&self.goal)));
        let code = steps.and_then(|steps| self.finished(recipes, &shapes, &steps));
        (code, shapes.nodes(), None)
    }

    /// Walks from a program among its like, in which values are made anew from others. Gives the last of the cheapest that
    /// were met.
    pub(crate) fn run_rematerialise(
        &self,
        recipes: &Recipes,
        code: &Code,
        effort: &Effort<'_>,
    ) -> (Option<Code>, u64, Option<String>) {
        let mut walks: Vec<Walk<'_>> = (0..WALKS)
            .filter_map(|_| {
                let mut shapes = self.shapes_for(effort.nodes / WALKS);
                let steps = code.trace.as_ref()?.adopt(&mut shapes)?;
                Some(Walk {
                    shapes,
                    decompositions: Decompositions::new(&self.sums, REUSE_BREADTH, true),
                    steps,
                    nodes: 0,
                })
            })
            .collect();
        let mut seeds = Random::new(effort.seed);
        let widest = MIN_WIDEST.max(effort.nodes.isqrt() as usize / 4);
        let of = |walk: &Walk<'_>| walk.nodes.max(walk.shapes.nodes());
        let spent = |walks: &[Walk<'_>]| walks.iter().map(of).sum::<u64>();
        while !walks.is_empty() && spent(&walks) < effort.nodes && !(effort.stop)() {
            let nodes = (effort.nodes - spent(&walks)).div_ceil(WALKS).min(LEG_NODES);
            let seeds: Vec<u64> = walks.iter().map(|_| seeds.next()).collect();
            walks.par_iter_mut().zip(seeds).for_each(|(walk, seed)| {
                self.leg(recipes, walk, &Effort { nodes, seed, ..*effort }, widest);
            });
            meet(&mut walks, recipes);
        }
        let nodes = spent(&walks);
        let best = walks.into_iter().min_by_key(|walk| recipes.cost_of(&walk.steps));
        let code = best.and_then(|walk| self.finished(recipes, &walk.shapes, &walk.steps));
        (code, nodes, None)
    }

    fn leg(&self, recipes: &Recipes, walk: &mut Walk<'_>, effort: &Effort<'_>, widest: usize) {
        let mut expander = self.expander(recipes, &mut walk.shapes, &mut walk.decompositions);
        let fits = |steps: &[Step]| assign(recipes, steps, &self.start, &self.goal).is_some();
        let ends = Ends { start: &self.start, goal: &self.goal };
        walk.nodes += rematerialise(&mut expander, &mut walk.steps, &ends, effort, widest, &fits);
    }
}

/// One of the walks.
struct Walk<'a> {
    shapes: Shapes,
    decompositions: Decompositions<'a>,
    steps: Vec<Step>,
    nodes: u64,
}

/// Walks at dearer programs go on from the cheapest one.
fn meet(walks: &mut [Walk<'_>], recipes: &Recipes) {
    let cost = |walk: &Walk<'_>| recipes.cost_of(&walk.steps);
    let Some(best) = (0..walks.len()).min_by_key(|at| cost(&walks[*at])) else { return };
    let least = cost(&walks[best]);
    let trace = Trace { shapes: Arc::new(walks[best].shapes.clone()), steps: walks[best].steps.clone() };
    for walk in walks.iter_mut().filter(|walk| cost(walk) > least) {
        if let Some(steps) = trace.adopt(&mut walk.shapes) {
            walk.steps = steps;
        }
    }
}
