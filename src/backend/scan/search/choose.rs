//! The choice of a way for each kernel: first the best way of each kernel separately, then one change at a time.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::NoPlan;
use super::arena::{Arena, Goal, View};
use super::ways::{Estimates, Style, Way, Ways, deepened};
use crate::algebra::{Arithmetic, Placed, Shape};
use crate::backend::scan::machine::{Cost, Fold, Pixel, Plan, ScanMachine, cancels};
use crate::budget::Budget;
use crate::rule::RuleSet;
use crate::saturate::{Limits, SaturateError, Saturated, saturate_written};
use crate::term::{Decomposition, Definition};

/// The limits of the first growth, as a multiple of those of later ones.
const ROUNDS: usize = 3;
/// The number of plans built for one style.
const MAX_PLANS: usize = 400;
/// The work to build a plan, per tap of its kernels. [`WORK_PER_STEP`] adds work per step.
const WORK_PER_TAP: usize = 64;
/// See [`WORK_PER_TAP`].
const WORK_PER_STEP: usize = 1 << 10;
/// The number of ways of one kernel that are tried in place of the chosen one.
const MAX_WAYS: usize = 10;

/// The cost of the best plan of one style.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The name of the style.
    pub method: String,
    /// The cost of the best plan found.
    pub cost: Cost,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The best plan.
    pub plan: Plan,
    /// Its cost.
    pub cost: Cost,
    /// The style that found it.
    pub method: String,
    /// The best plan of every style.
    pub attempts: Vec<Attempt>,
    /// The rules whose decompositions and recurrences the plan uses, sorted.
    pub rules: Vec<String>,
    /// The number of plans built.
    pub plans: usize,
    /// Whether the plan reads pixels at which an output has no tap. Set for the plan that is chosen in the end.
    pub cancels: bool,
}

impl Searched {
    /// A result with only the plan known.
    pub(super) fn found(plan: Plan, cost: Cost, method: String) -> Self {
        Self { plan, cost, method, attempts: Vec::new(), rules: Vec::new(), plans: 0, cancels: false }
    }

    /// Returns the cheaper of two plans for the same filter, with the attempts of both.
    pub(in crate::backend::scan) fn or(mut self, other: Self) -> Self {
        self.attempts.push(Attempt { method: other.method.clone(), cost: other.cost });
        self.plans += other.plans;
        if rank(&other.cost) >= rank(&self.cost) {
            return self;
        }
        let Self { plan, cost, method, rules, .. } = other;
        Self { plan, cost, method, rules, ..self }
    }
}

/// The input of a search.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The machine.
    pub machine: &'a ScanMachine,
    /// The pixel type.
    pub pixel: Pixel,
    /// The type of results, or `None` for that of the pixels. Tables have their own.
    pub output: Option<Pixel>,
    /// The least and the greatest value of pixels.
    pub values: [i64; 2],
    /// The operation of the steps.
    pub fold: Fold,
    /// The filter's name.
    pub name: &'a str,
    /// The names of its inputs.
    pub inputs: &'a [String],
    /// Its outputs.
    pub outputs: &'a [(String, Placed)],
    /// The definitions that the file states.
    pub written: &'a [Definition],
    /// The reach of the outputs: west, east, south, north.
    pub reach: [i32; 4],
    /// Whether plans may read pixels at which an output has no tap, with weights that cancel, as recurrences do.
    pub cancels: bool,
}

/// Grows the e-graph from which plans are made. Rules with scans supply the recurrences.
///
/// # Errors
/// See [`crate::saturate::saturate`].
pub fn graph(request: &Request<'_>, rules: &RuleSet, limits: &Limits) -> Result<Saturated, SaturateError> {
    // The remainders of nested windows are decomposed in the same run.
    let whole = Limits { nodes: ROUNDS * limits.nodes, classes: ROUNDS * limits.classes, ..limits.clone() };
    let mut saturated = saturate_written(request.outputs, request.written, rules, &whole)?;
    deepened(request.outputs, request.machine, request.cancels, &mut saturated, limits)?;
    Ok(saturated)
}

/// The plans of each style found within the budget, each better than the one before it. The first plan is always made.
///
/// # Errors
/// [`NoPlan`].
pub(super) fn plans(
    request: &Request<'_>,
    saturated: &Saturated,
    budget: &Budget,
) -> Result<Vec<Searched>, NoPlan> {
    let mut search = Search {
        request,
        ways: Ways::new(request.machine, request.cancels, saturated),
        arena: Arena::new(
            request.machine,
            request.fold,
            (request.pixel, request.values),
            request.inputs.len(),
        ),
        plans: 0,
        budget,
    };
    let mut plans: Vec<Searched> = Vec::new();
    // Without recurrences, the other styles would find the same plans.
    let recurs = saturated.decompositions().iter().any(|(shape, _)| !shape.is_finite());
    let arithmetic =
        request.outputs.first().map_or(Arithmetic::LINEAR, |(_, kernel)| kernel.shape.arithmetic());
    for style in Style::all(arithmetic).iter().filter(|style| recurs || !style.last && !style.first) {
        // The first plan does not depend on the budget.
        if !plans.is_empty() && budget.has_ended() {
            break;
        }
        let descent = match search.descend(*style) {
            Ok(found) => found,
            // The ways that are best separately may be recurrences that cannot follow one another.
            Err(_) if !plans.is_empty() => continue,
            Err(why) => return Err(why),
        };
        for Found { plan, cost, choices } in descent {
            let rules = search.rules(&choices).into_iter().collect();
            plans.push(Searched { rules, ..Searched::found(plan, cost, style.name.to_owned()) });
        }
    }
    for found in &mut plans {
        found.plans = search.plans;
    }
    Ok(plans)
}

/// The order of plans: by cost, then memory, then operations, then loads.
pub(super) fn rank(cost: &Cost) -> [u64; 4] {
    [cost.total, cost.bytes, cost.additions + cost.multiplications + cost.shifts, cost.loads]
}

/// A plan with the ways that it uses.
struct Found {
    plan: Plan,
    cost: Cost,
    choices: BTreeMap<Shape, usize>,
}

struct Search<'a> {
    request: &'a Request<'a>,
    ways: Ways<'a>,
    arena: Arena<'a>,
    plans: usize,
    budget: &'a Budget,
}

impl Search<'_> {
    /// Starts with the best way of each kernel separately, then changes one way at a time while the plan improves. Returns all plans on
    /// the way, the best one last: sums of a dearer one may have more in common.
    fn descend(&mut self, style: Style) -> Result<Vec<Found>, NoPlan> {
        let mut estimates = Estimates::new(style);
        let mut best = self.build(&mut estimates, BTreeMap::new())?;
        let mut before = Vec::new();
        let until = self.plans + MAX_PLANS;
        loop {
            let (round, used) = (before.len(), best.choices.keys().rev().cloned().collect::<Vec<Shape>>());
            for shape in used {
                for (_, index) in estimates.ranked(&mut self.ways, &shape).into_iter().take(MAX_WAYS) {
                    if self.plans >= until || self.budget.is_over() || self.budget.has_ended() {
                        before.push(best);
                        return Ok(before);
                    }
                    if best.choices.get(&shape).is_none_or(|chosen| *chosen == index) {
                        continue;
                    }
                    let mut choices = best.choices.clone();
                    choices.insert(shape.clone(), index);
                    match self.build(&mut estimates, choices) {
                        Ok(found) if rank(&found.cost) < rank(&best.cost) => {
                            before.push(std::mem::replace(&mut best, found));
                        }
                        _ => {}
                    }
                }
            }
            if before.len() == round {
                before.push(best);
                return Ok(before);
            }
        }
    }

    /// The plan of a choice of ways. Kernels without a choice take their best way.
    fn build(&mut self, estimates: &mut Estimates, choices: BTreeMap<Shape, usize>) -> Result<Found, NoPlan> {
        self.plans += 1;
        let mut builder = Builder {
            ways: &mut self.ways,
            arena: &mut self.arena,
            estimates,
            given: choices,
            used: BTreeMap::new(),
            known: FxHashMap::default(),
            open: FxHashSet::default(),
        };
        let mut goals = Vec::new();
        for (name, kernel) in self.request.outputs {
            let overflow = || NoPlan::Overflow(name.clone());
            let sources = builder.arena.inputs();
            let view = builder.make(&kernel.shape, &sources).ok_or_else(overflow)?;
            let view = builder.arena.moved(view, kernel.label.offset).ok_or_else(overflow)?;
            let mut goal = Goal { name: name.clone(), view, scale: kernel.label.scale };
            if kernel.label.weight != 0 {
                goal.view = builder.arena.weighed(goal.view, kernel.label.weight).ok_or_else(overflow)?;
            }
            goals.push(builder.arena.scaled(goal).ok_or_else(overflow)?);
        }
        let choices = builder.used;
        let (plan, cost) = planned(self.request, &mut self.arena, goals)?;
        let taps = self.request.outputs.iter().map(|(_, kernel)| kernel.shape.dense().len());
        self.budget.spend((WORK_PER_TAP * taps.sum::<usize>() + WORK_PER_STEP * plan.steps.len()) as u64);
        Ok(Found { plan, cost, choices })
    }

    /// The names of the rules that the chosen decompositions come from.
    fn rules(&mut self, choices: &BTreeMap<Shape, usize>) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (shape, index) in choices {
            match &self.ways.of(shape)[*index] {
                Way::Direct | Way::Window(..) => {}
                Way::Part(_, rule) => {
                    names.insert(rule.to_string());
                }
            }
        }
        names
    }
}

/// The plan of the goals, some of them negated: negating the terms of a step may save the negation of a result. Of plans that cost the
/// same, it is one with fewer negative factors. An error for a plan that cancels, if the request excludes such plans.
pub(super) fn planned(
    request: &Request<'_>,
    arena: &mut Arena<'_>,
    mut goals: Vec<Goal>,
) -> Result<(Plan, Cost), NoPlan> {
    let plan_of = |arena: &Arena<'_>, goals: &[Goal]| {
        let mut plan = arena.plan(request.name, request.inputs, goals, request.reach)?;
        for output in plan.outputs.iter_mut().filter(|output| !output.is_table) {
            output.pixel = request.output.unwrap_or(output.pixel);
        }
        Ok(inlined(plan, request.machine))
    };
    let (mut plan, mut cost) = plan_of(arena, &goals)?;
    for index in 0..goals.len() {
        let negative = plan.outputs[index].scale.numerator() < 0;
        let Some(goal) = negative.then(|| arena.negated(&goals[index])).flatten() else { continue };
        let kept = std::mem::replace(&mut goals[index], goal);
        match plan_of(arena, &goals) {
            Ok((other, less)) if rank(&less) <= rank(&cost) => (plan, cost) = (other, less),
            _ => goals[index] = kept,
        }
    }
    let taps = request.outputs.iter().map(|(_, kernel)| kernel.shape.tap_count());
    if !request.cancels && cancels(&plan, taps) {
        return Err(NoPlan::Cancels);
    }
    Ok((plan, cost))
}

/// The plan with its cost. On a machine that computes whole rows, steps are computed where they are read while that is cheaper.
fn inlined(plan: Plan, machine: &ScanMachine) -> (Plan, Cost) {
    let cost = Cost::of(&plan, machine);
    if machine.rows.is_none() {
        return (plan, cost);
    }
    let mut best = (plan.without_windows(), cost);
    loop {
        let before = best.0.steps.len();
        for step in (0..before).rev() {
            let Some(other) = best.0.inlined(step) else { continue };
            let cost = Cost::of(&other, machine);
            if rank(&cost) < rank(&best.1) {
                best = (other, cost);
            }
        }
        if best.0.steps.len() == before {
            return best;
        }
    }
}

/// Builds the steps of one choice of ways.
struct Builder<'b, 'a> {
    ways: &'b mut Ways<'a>,
    arena: &'b mut Arena<'a>,
    estimates: &'b mut Estimates,
    given: BTreeMap<Shape, usize>,
    /// The ways used.
    used: BTreeMap<Shape, usize>,
    known: FxHashMap<(Shape, Vec<View>), View>,
    /// The kernels under construction.
    open: FxHashSet<Shape>,
}

impl Builder<'_, '_> {
    /// Applies a kernel to `sources`, one for each of its channels. `None` if a number leaves the exact range, or if
    /// the ways form a cycle.
    fn make(&mut self, shape: &Shape, sources: &[View]) -> Option<View> {
        if let [source] = sources {
            // A kernel commutes with the offset and weight of a view.
            let plain = self.arena.plain(source.source);
            if plain != *source {
                let view = self.make(shape, &[plain])?;
                let view = self.arena.moved(view, source.offset)?;
                return self.arena.weighed(view, source.weight);
            }
        }
        let key = (shape.clone(), sources.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        // Ways that were chosen separately may form a cycle.
        if !self.open.insert(shape.clone()) {
            return None;
        }
        let view = self.make_anew(shape, sources);
        self.open.remove(shape);
        self.known.insert(key, view?);
        view
    }

    /// The kernels of a composition, which commutes, in the order in which they are applied on a machine that computes whole
    /// rows: the narrower one first. A column needs no border to the west and to the east.
    fn ordered<'s>(&self, outer: &'s Shape, inner: &'s Shape) -> (&'s Shape, &'s Shape) {
        let swaps = self.arena.machine.rows.is_some()
            && inner.channels() == 1
            && [outer, inner].iter().all(|kernel| kernel.is_finite())
            && outer.size()[0] < inner.size()[0];
        if swaps { (inner, outer) } else { (outer, inner) }
    }

    fn make_anew(&mut self, shape: &Shape, sources: &[View]) -> Option<View> {
        let index = match self.given.get(shape) {
            Some(index) => *index,
            None => self.estimates.of(self.ways, shape).1,
        };
        if !shape.is_delta() && !shape.is_zero() {
            self.used.insert(shape.clone(), index);
        }
        let ways = self.ways.of(shape);
        match &ways[index] {
            Way::Direct if !shape.is_finite() => {
                let (rest, steps) = shape.recurrences()?;
                let view = self.make(&rest.shape, sources)?;
                let view = self.arena.labelled(view, rest.label)?;
                steps.iter().try_fold(view, |view, back| self.arena.recurrence(view, *back))
            }
            Way::Direct => {
                let views = shape.taps().map(|(channel, offset, tap)| {
                    let source = sources.get(usize::from(channel))?;
                    self.arena.weighed(self.arena.moved(*source, offset)?, tap)
                });
                let views: Vec<View> = views.collect::<Option<_>>()?;
                self.arena.fold(&views, None)
            }
            Way::Part(Decomposition::Sum(terms), _) => {
                let mut views = Vec::new();
                for (label, part) in terms {
                    let view = self.make(part, sources)?;
                    views.push(self.arena.labelled(view, *label)?);
                }
                self.arena.fold(&views, None)
            }
            Way::Part(Decomposition::Compose { label, outer, inner }, _) => {
                let (outer, inner) = self.ordered(outer, inner);
                let inner = self.make(inner, sources)?;
                let view = self.make(outer, &[inner])?;
                self.arena.labelled(view, *label)
            }
            Way::Window(step, length) => {
                let [source] = sources else { return None };
                self.arena.window(*source, *step, *length)
            }
        }
    }
}
