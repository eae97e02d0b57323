//! Several outputs: local search that makes their programs share values.

use std::sync::Arc;

use rayon::prelude::*;

use crate::algebra::Random;
use crate::backend::array::search::base::Base;
use crate::backend::array::search::heuristics::decompositions::{BREADTH, Decompositions};
use crate::backend::array::search::local::rematerialise::{Ends, rematerialise};
use crate::backend::array::search::local::windows::Effort;
use crate::backend::array::search::problem::{Code, Found, Trace};
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::registers::assign;
use crate::backend::array::search::program::step::ValueStep;
use crate::backend::array::search::program::value::Shapes;

/// Parallel local searches. More of them leave each one fewer states.
const SEARCHES: u64 = 2;
/// States that each expands before all continue from the best program of any: short legs waste little on worse programs, long
/// ones keep the programs different.
const LEG_NODES: u64 = 500;

/// The width of the widest beams of short searches; long searches have wider ones.
const MIN_WIDEST: usize = 24;

/// The most sums of a kernel to try: half as many as in other searches, because these have more values to choose operands from.
const REMATERIALISE_BREADTH: usize = BREADTH / 2;

impl Base {
    /// Local search by rematerialisation, from a program. Returns the last of the cheapest programs that it met.
    pub(crate) fn run_rematerialise(&self, recipes: &Recipes, code: &Code, effort: &Effort<'_>) -> Found {
        let mut searches: Vec<LocalSearch<'_>> = (0..SEARCHES)
            .filter_map(|_| {
                let mut shapes = self.shapes_for(effort.nodes / SEARCHES);
                let steps = code.trace.as_ref()?.adopt(&mut shapes)?;
                Some(LocalSearch {
                    shapes,
                    decompositions: Decompositions::new(&self.sums, REMATERIALISE_BREADTH, true),
                    steps,
                    nodes: 0,
                })
            })
            .collect();
        let mut seeds = Random::new(effort.seed);
        let widest = MIN_WIDEST.max(effort.nodes.isqrt() as usize / 4);
        let of = |search: &LocalSearch<'_>| search.nodes.max(search.shapes.nodes());
        let spent = |searches: &[LocalSearch<'_>]| searches.iter().map(of).sum::<u64>();
        while !searches.is_empty() && spent(&searches) < effort.nodes && !(effort.stop)() {
            let nodes = (effort.nodes - spent(&searches)).div_ceil(SEARCHES).min(LEG_NODES);
            let seeds: Vec<u64> = searches.iter().map(|_| seeds.next()).collect();
            searches.par_iter_mut().zip(seeds).for_each(|(search, seed)| {
                self.leg(recipes, search, &Effort { nodes, seed, ..*effort }, widest);
            });
            meet(&mut searches, recipes);
        }
        let nodes = spent(&searches);
        let best = searches.into_iter().min_by_key(|search| recipes.cost_of(&search.steps));
        let code = best.and_then(|search| self.finished(recipes, &search.shapes, &search.steps));
        Found::new(code, nodes)
    }

    fn leg(&self, recipes: &Recipes, search: &mut LocalSearch<'_>, effort: &Effort<'_>, widest: usize) {
        let mut expander = self.expander(recipes, &mut search.shapes, &mut search.decompositions);
        let fits = |steps: &[ValueStep]| assign(recipes, steps, &self.start, &self.goal).is_some();
        let ends = Ends { start: &self.start, goal: &self.goal };
        search.nodes += rematerialise(&mut expander, &mut search.steps, &ends, effort, widest, &fits);
    }
}

/// One of the local searches.
struct LocalSearch<'a> {
    shapes: Shapes,
    decompositions: Decompositions<'a>,
    steps: Vec<ValueStep>,
    nodes: u64,
}

/// Searches at more expensive programs continue from the cheapest one.
fn meet(searches: &mut [LocalSearch<'_>], recipes: &Recipes) {
    let cost = |search: &LocalSearch<'_>| recipes.cost_of(&search.steps);
    let Some(best) = (0..searches.len()).min_by_key(|at| cost(&searches[*at])) else { return };
    let least = cost(&searches[best]);
    let trace =
        Trace { shapes: Arc::new(searches[best].shapes.clone()), steps: searches[best].steps.clone() };
    for search in searches.iter_mut().filter(|search| cost(search) > least) {
        if let Some(steps) = trace.adopt(&mut search.shapes) {
            search.steps = steps;
        }
    }
}
