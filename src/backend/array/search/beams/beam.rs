//! Beam search backwards from what the outputs must hold to the inputs, level by level of cost.

use std::hash::Hasher;

use ordered_float::OrderedFloat;
use rustc_hash::FxHashMap;

use super::expand::Expander;
use crate::algebra::Random;
use crate::backend::array::search::heuristics::cost_to_go::Heuristic;
use crate::backend::array::search::heuristics::decompositions::BREADTH;
use crate::backend::array::search::program::divisions::{Divisions, Exponents};
use crate::backend::array::search::program::step::{Need, State, ValueStep, is_start};
use crate::backend::array::search::program::value::{Value, digits_of};

/// A state on a level, with the path to it.
#[derive(Clone)]
struct Node {
    state: State,
    /// The step from here to the state at `next`; `None` at the outputs.
    step: Option<ValueStep>,
    /// Index into the arena of steps; [`END`] at the outputs.
    next: u32,
}

/// The end of every path: the outputs.
const END: u32 = u32::MAX;

/// What a state costs by its estimate. A beam expands the least first.
type Estimate = OrderedFloat<f32>;

/// No state at all is estimated to cost this much.
const WORST: Estimate = OrderedFloat(f32::INFINITY);

/// A node that waits to be expanded.
struct Entry {
    estimate: Estimate,
    /// The hash of its state.
    key: u64,
    /// Boxed: entries are sorted and dropped often, and nodes are large.
    node: Box<Node>,
}

impl Entry {
    /// What entries are sorted by.
    fn rank(&self) -> (Estimate, u64, &State) {
        (self.estimate, self.key, &self.node.state)
    }
}

/// The states that were reached at one cost.
struct Level {
    entries: Vec<Entry>,
    /// States with a worse estimate would not be expanded.
    cutoff: Estimate,
}

impl Level {
    const EMPTY: Self = Self { entries: Vec::new(), cutoff: WORST };

    /// Adds a state. Of many, only the best are kept: twice as many as will be expanded.
    fn push(&mut self, entry: Entry, width: usize) {
        self.entries.push(entry);
        if self.entries.len() > 8 * width {
            let keep = 2 * width;
            self.entries.select_nth_unstable_by(keep, |a, b| a.rank().cmp(&b.rank()));
            self.entries.truncate(keep);
            self.cutoff = self.entries.iter().map(|entry| entry.estimate).max().unwrap_or(WORST);
        }
    }
}

/// A step in the arena, with the one that follows it in the program.
struct Link {
    step: ValueStep,
    next: u32,
}

/// How wide and how long to search.
#[derive(Clone, Debug)]
pub(crate) struct BeamLimits {
    /// States kept on a level.
    pub(crate) width: usize,
    /// Only programs below this cost are of use.
    pub(crate) bound: u32,
    /// The most states to expand.
    pub(crate) nodes: u64,
    /// Weight of a pseudo-random part of the estimate, for restarts.
    pub(crate) noise: f32,
    /// The seed of that part.
    pub(crate) seed: u64,
    /// Weight of the steps of known decompositions in the estimate.
    pub(crate) weight: f32,
    /// The most decompositions of a kernel to try.
    pub(crate) breadth: usize,
    /// Whether to take kernels apart tap by tap, whatever the e-graph says: long programs, but soon.
    pub(crate) direct: bool,
    /// How many programs to return beside the cheapest one.
    pub(crate) others: usize,
    /// By how much those may exceed the cost of the cheapest one.
    pub(crate) slack: u32,
    /// Whether to expand states again that were reached before.
    pub(crate) without_table: bool,
}

impl BeamLimits {
    /// Limits for one program of a small kernel, or of a part of one: no noise, few splits.
    pub(crate) fn narrow(width: usize, bound: u32, nodes: u64) -> Self {
        Self {
            width,
            bound,
            nodes,
            noise: 0.0,
            seed: 0,
            weight: 1.0,
            breadth: BREADTH,
            direct: false,
            others: 0,
            slack: 0,
            without_table: false,
        }
    }

    /// Limits for a few instructions of a program.
    pub(crate) fn fragment(bound: u32) -> Self {
        Self::narrow(FRAGMENT_WIDTH, bound, FRAGMENT_NODES)
    }
}

/// The width of beams over a few instructions. Local search runs thousands of them, so that a quick one is better than a good one.
const FRAGMENT_WIDTH: usize = 8;
/// The most states that such a beam may expand.
const FRAGMENT_NODES: u64 = 2_000;

/// What a beam search found.
pub(crate) struct BeamOutcome {
    /// The steps in program order and their cost, if the inputs were reached.
    pub(crate) found: Option<(u32, Vec<ValueStep>)>,
    /// Other programs and their costs, if requested.
    pub(crate) others: Vec<(u32, Vec<ValueStep>)>,
    /// States expanded.
    pub(crate) nodes: u64,
}

/// Steps generated between two checks of the stop flag. Reading the clock for every step would be slow; more steps would make
/// Ctrl-C wait, because the estimate of a large kernel takes long.
const STEPS_PER_LOOK: u32 = 64;

/// Work to count the digits of a tap, in the units of [`Shapes::charge`]. A weight has up to 31 digits, and most have few.
const WORK_PER_TAP: u64 = 8;

/// A level makes progress if its best estimate is lower than all before by this much: less than one unit of
/// nearly any quantity of the estimate weighs.
const CLOSER: f32 = 0.05;

/// A level keeps at least this many states while it fills: cutting a smaller vector takes longer than keeping it.
const MIN_KEPT: usize = 64;

/// A beam is given up after this many levels without progress. Estimates fluctuate, so a smaller number gives up beams that
/// would arrive; a larger one spends nodes on beams that never do.
const MAX_STALLED_LEVELS: u32 = 24;

/// Searches from `goal` to a state that holds nothing but `start`, each value at most once.
pub(crate) fn search(
    expander: &mut Expander<'_, '_>,
    goal: &State,
    start: &[Need],
    limits: &BeamLimits,
    stop: &dyn Fn() -> bool,
) -> BeamOutcome {
    watched(expander, goal, start, limits, stop, &mut |_, _| {})
}

/// As [`search`]; `watch` sees the states of each level with their cost, before the best of them are expanded.
pub(crate) fn watched(
    expander: &mut Expander<'_, '_>,
    goal: &State,
    start: &[Need],
    limits: &BeamLimits,
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(u32, &State),
) -> BeamOutcome {
    let heuristic = Heuristic::new(
        expander.recipes,
        start,
        limits.weight,
        goal,
        expander.decompositions,
        expander.shapes,
    )
    .for_others(limits.noise > 0.0);
    let mut beam = Beam {
        start,
        limits,
        stop,
        heuristic,
        arena: Vec::new(),
        levels: (0..=limits.bound).map(|_| Level::EMPTY).collect(),
        seen: FxHashMap::default(),
        found: None,
        others: Vec::new(),
        nodes: 0,
    };
    let outputs = Node { state: goal.clone(), step: None, next: END };
    beam.levels[0].entries.push(Entry { estimate: OrderedFloat(0.0), key: 0, node: Box::new(outputs) });
    beam.run(expander, watch);
    beam.outcome()
}

/// A beam search under way.
struct Beam<'a> {
    start: &'a [Need],
    limits: &'a BeamLimits,
    stop: &'a dyn Fn() -> bool,
    heuristic: Heuristic<'a>,
    arena: Vec<Link>,
    /// By cost.
    levels: Vec<Level>,
    /// The least cost at which a state was reached, by its hash.
    seen: FxHashMap<u64, u32>,
    /// The cheapest path and its cost.
    found: Option<(u32, u32)>,
    /// Other paths: the cost of each, its first step, and the path after that.
    others: Vec<(u32, ValueStep, u32)>,
    nodes: u64,
}

impl Beam<'_> {
    /// The width by which a level is cut while it fills.
    fn kept(&self) -> usize {
        self.limits.width.max(MIN_KEPT)
    }

    fn run(&mut self, expander: &mut Expander<'_, '_>, watch: &mut dyn FnMut(u32, &State)) {
        // The best estimate so far and its level: a beam that makes no progress is given up.
        let mut closest = (WORST, 0);
        for cost in 0..self.limits.bound {
            let BeamLimits { others, slack, .. } = *self.limits;
            if self.found.is_some_and(|(least, _)| others == 0 || cost > least + slack) {
                break;
            }
            let mut level = std::mem::take(&mut self.levels[cost as usize].entries);
            let nearest = level.iter().map(|entry| entry.estimate).min().unwrap_or(WORST);
            if cost > 0 && nearest < closest.0 - CLOSER {
                closest = (nearest, cost);
            } else if cost > closest.1 + MAX_STALLED_LEVELS {
                break;
            }
            level.sort_by(|a, b| a.rank().cmp(&b.rank()));
            level.iter().for_each(|entry| watch(cost, &entry.node.state));
            self.expand_level(expander, cost, level);
        }
    }

    /// Expands the best states of a level.
    fn expand_level(&mut self, expander: &mut Expander<'_, '_>, cost: u32, level: Vec<Entry>) {
        let limits = self.limits;
        let mut expanded = 0;
        for Entry { key, node, .. } in level {
            if expanded == limits.width
                || self.nodes == limits.nodes
                || expander.shapes.is_over()
                || (self.stop)()
            {
                break;
            }
            // The state may have been reached at a lower cost since.
            if !limits.without_table && self.seen.get(&key).is_some_and(|c| *c < cost) {
                continue;
            }
            let Node { state, step, next } = *node;
            let path = step.map_or(END, |step| {
                self.arena.push(Link { step, next });
                self.arena.len() as u32 - 1
            });
            if is_start(&state, self.start) {
                self.found.get_or_insert((cost, path));
                if limits.others == 0 {
                    break;
                }
                continue;
            }
            expanded += 1;
            self.nodes += 1;
            let (mut met, mut stopped) = (0u32, false);
            expander.expand(&state, &mut |expander, step, state| {
                met += 1;
                stopped |= expander.shapes.is_over() || met.is_multiple_of(STEPS_PER_LOOK) && (self.stop)();
                if !stopped {
                    self.reach(expander, (cost, path), step, state);
                }
            });
        }
    }

    /// Puts the state before a step into its level, if it is good enough. The path after the step has the given cost.
    fn reach(
        &mut self,
        expander: &mut Expander<'_, '_>,
        (cost, path): (u32, u32),
        step: ValueStep,
        state: State,
    ) {
        let limits = self.limits;
        let reached = cost + expander.recipes.forms[usize::from(step.form)].cost;
        let key = hash(&state);
        if reached >= limits.bound {
            return;
        }
        if self.others.len() < limits.others && is_start(&state, self.start) {
            self.others.push((reached, step.clone(), path));
        }
        if !limits.without_table && self.seen.get(&key).is_some_and(|c| *c <= reached) {
            return;
        }
        let mut estimate = if limits.direct {
            tap_by_tap_cost(expander, &state, self.start)
        } else {
            self.heuristic.of(&state, expander.decompositions, expander.shapes)
        };
        if reached + floor(&state, self.start, &expander.recipes.divisions) >= limits.bound {
            return;
        }
        if limits.noise > 0.0 {
            estimate += limits.noise * unit(key ^ limits.seed);
        }
        // States that are not kept are not put into the table either: they are the majority, and a large table is slow.
        let width = self.kept();
        let level = &mut self.levels[reached as usize];
        let estimate = OrderedFloat(estimate);
        if estimate <= level.cutoff {
            self.seen.insert(key, reached);
            let node = Box::new(Node { state, step: Some(step), next: path });
            level.push(Entry { estimate, key, node }, width);
        }
    }

    fn outcome(self) -> BeamOutcome {
        let after = |step: ValueStep, path| std::iter::once(step).chain(unwind(&self.arena, path)).collect();
        BeamOutcome {
            found: self.found.map(|(cost, path)| (cost, unwind(&self.arena, path))),
            others: self.others.into_iter().map(|(cost, step, path)| (cost, after(step, path))).collect(),
            nodes: self.nodes,
        }
    }
}

/// The steps of a path in the arena, in program order: a backward search meets the last instruction first.
fn unwind(arena: &[Link], mut path: u32) -> Vec<ValueStep> {
    let mut steps = Vec::new();
    while path != END {
        let link = &arena[path as usize];
        steps.push(link.step.clone());
        path = link.next;
    }
    steps
}

fn hash(state: &State) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    // The hash of nothing is 0, and zeros do not change it: the zero kernel's bits are zeros.
    hasher.write_usize(state.len());
    for need in state {
        hasher.write_u8(need.file);
        hasher.write_u64(need.value.bits());
    }
    hasher.finish()
}

/// A number in 0..1, derived from a hash.
fn unit(hash: u64) -> f32 {
    (Random::mixed(hash) >> 40) as f32 / (1u64 << 24) as f32
}

/// A lower bound of the cost to go: at least one instruction while something is missing, and all divisions.
fn floor(state: &State, start: &[Need], divisions: &Divisions) -> u32 {
    let exponents = |needs: &[Need]| Exponents::common(needs.iter().map(|n| Exponents::of(n.value)));
    u32::from(!is_start(state, start)).max(divisions.cost(exponents(start).down_to(exponents(state))))
}

/// The work that is left if kernels are made tap by tap. From every state some instruction lowers it: it takes a digit off a
/// kernel, or brings a single tap nearer to the input in place, scale or sign. A search that follows it therefore ends.
fn tap_by_tap_cost(expander: &mut Expander<'_, '_>, state: &State, start: &[Need]) -> f32 {
    const DIGIT: f32 = 200.0;
    let mut left = 0.0;
    for (index, need) in state.iter().enumerate() {
        let Value { shape, dx, dy, factor } = need.value;
        let twin = state[..index].iter().any(|n| n.value == need.value);
        if start.contains(need) && !twin {
            continue;
        }
        if twin {
            left += 3.0;
        } else if expander.shapes.is_delta(shape) {
            let wide = Some(usize::from(need.file)) == expander.recipes.wide_file;
            let twos = f32::from(factor.twos);
            left += 2.0 * (f32::from(dx.unsigned_abs()) + f32::from(dy.unsigned_abs()))
                + if twos < 0.0 { -2.0 * twos } else { 8.0 * twos }
                - 2.0 * f32::from(factor.threes)
                + if factor.negative { 1.0 } else { 0.0 }
                + if wide { 0.5 } else { 0.0 };
        } else {
            let data = expander.shapes.get(shape);
            let (work, digits) = (WORK_PER_TAP * data.taps.len() as u64, digits_of(data));
            expander.shapes.charge(work);
            left += DIGIT * digits as f32;
        }
    }
    left
}
