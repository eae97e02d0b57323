//! The main loop: applies every rule to every e-class that the rule has not seen, until nothing new is found or a limit
//! is reached.

use std::sync::Arc;
use std::time::Duration;

use egg::Id;
use rayon::prelude::*;

use super::choices::Visit;
use super::error::SaturateError;
use super::graph::{Added, Graph, Origin};
use super::limits::{Limits, RuleStatistics, StopReason};
use super::matcher::{Binding, matches};
use super::plan::{NoPlan, Plan};
use super::print;
use crate::algebra::{Label, Placed, Shape};
use crate::rule::{Action, Phase, Propose, Rewrite, Rule, RuleSet, VariableId};
use crate::term::Decomposition;

/// The number of e-classes given to proposers before the limits are checked again. The proposals of one batch are
/// computed in parallel and added in order, so the result does not depend on the number of threads.
const BATCH: usize = 32;

/// The largest coefficient of a kernel that proposers see.
const MAX_TAP: u64 = 1 << 40;

/// The work that one proposer may spend on one kernel: a few tenths of a second.
const MAX_PROPOSAL: u64 = 1 << 25;

/// One proposer gets at most 1/`SHARES` of the remaining work.
const SHARES: u64 = 8;

/// The work of evaluating, comparing and adding one decomposition, per place of the kernel.
const WORK_PER_PLACE: u64 = 16;

/// The maximum number of kernels compared pairwise, whatever a rule file says, because the number of pairs is quadratic.
const MAX_AMONG: usize = 256;

/// The state that a run keeps between iterations and passes on to the next run.
pub(super) struct State {
    /// Kernels compared with each other: the outputs, then those that the search met.
    pub(super) watched: Vec<Id>,
    /// The outputs, each in a different e-class, with their labels.
    pub(super) outputs: Vec<(Label, Id)>,
    /// The number of iterations so far.
    pub(super) iteration: usize,
    /// One entry per rule.
    pub(super) statistics: Vec<RuleStatistics>,
    /// For each rewrite, the e-classes in which it may match anew; empty for proposers.
    pub(super) queues: Vec<Vec<Id>>,
    /// For each rule about several outputs, the choices of outputs that it has begun to visit.
    pub(super) visits: Vec<Visit>,
    /// The e-classes that proposers have yet to see, each with the rule of the proposer, in order.
    proposals: Vec<(Id, usize)>,
    /// The number of e-classes that were put into the queue of proposals.
    announced: usize,
    /// For each rule, the kernels last compared with each other.
    compared: Vec<Vec<Id>>,
    /// For each rule, its ban.
    bans: Vec<Ban>,
}

/// A rule that matched too often: see [`crate::rule::BackOff`].
#[derive(Clone, Copy, Default)]
struct Ban {
    /// The first iteration in which the rule is applied again.
    until: usize,
    /// The number of bans so far.
    times: u32,
}

impl State {
    pub(super) fn new(rules: &RuleSet) -> Self {
        let statistics = rules.rules().iter().map(|rule| RuleStatistics {
            name: rule.name.clone(),
            group: rule.group.clone(),
            matches: 0,
            nodes: 0,
            classes: 0,
            known: 0,
            refused: 0,
            overflowed: 0,
            seconds: 0.0,
        });
        Self {
            watched: Vec::new(),
            outputs: Vec::new(),
            iteration: 0,
            statistics: statistics.collect(),
            queues: vec![Vec::new(); rules.rules().len()],
            visits: vec![Visit::default(); rules.rules().len()],
            proposals: Vec::new(),
            announced: 0,
            compared: vec![Vec::new(); rules.rules().len()],
            bans: vec![Ban::default(); rules.rules().len()],
        }
    }
}

/// One run over a graph.
pub(super) struct Run<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) state: &'a mut State,
    pub(super) rules: &'a RuleSet,
    pub(super) limits: &'a Limits,
    /// For each rule, whether it is active.
    active: Vec<bool>,
    start: Start,
}

/// The counts from which the limits are measured.
struct Start {
    nodes: usize,
    classes: usize,
    time: Duration,
}

/// The reason why a step ended early.
pub(super) enum Halt {
    Stop(StopReason),
    Error(Box<SaturateError>),
}

impl<'a> Run<'a> {
    pub(super) fn new(
        graph: &'a mut Graph,
        state: &'a mut State,
        rules: &'a RuleSet,
        limits: &'a Limits,
        phase: Option<&Phase>,
    ) -> Self {
        let start =
            Start { nodes: graph.node_count(), classes: graph.class_count(), time: limits.budget.now() };
        // A group that no phase names is active in every phase.
        let named = |group: &String| rules.phases().iter().any(|phase| phase.groups.contains(group));
        let is_on = |rule: &Rule| phase.is_none_or(|p| p.groups.contains(&rule.group) || !named(&rule.group));
        let arithmetic = graph.arithmetic();
        let active = rules.rules().iter().map(|rule| rule.holds_in(arithmetic) && is_on(rule)).collect();
        Self { graph, state, rules, limits, active, start }
    }

    /// Applies the rules until nothing new is found or a limit is reached. After an error the graph must be dropped.
    pub(super) fn run(mut self) -> Result<StopReason, SaturateError> {
        for _ in 0..self.limits.iterations {
            self.announce();
            if !self.has_work() {
                return Ok(StopReason::Saturated);
            }
            self.unban();
            let result = (0..self.rules.rules().len())
                .try_for_each(|rule| self.apply_rule(rule))
                .and_then(|()| self.propose());
            self.graph.rebuild();
            self.state.iteration += 1;
            if let Some(conflict) = self.graph.conflict() {
                let placed =
                    |shape: &Arc<Shape>| Placed { label: Label::IDENTITY, shape: Shape::clone(shape) };
                return Err(unsound(
                    ("(congruence)", ""),
                    &placed(&conflict.kept),
                    None,
                    placed(&conflict.lost),
                ));
            }
            match result {
                Ok(()) => {}
                Err(Halt::Stop(reason)) => return Ok(reason),
                Err(Halt::Error(error)) => return Err(*error),
            }
        }
        self.announce();
        Ok(if self.has_work() {
            StopReason::Iterations(self.limits.iterations)
        } else {
            StopReason::Saturated
        })
    }

    /// Puts new e-classes into the queue of proposals, and changed e-classes and their ancestors into the queues of
    /// rewrites.
    fn announce(&mut self) {
        let new: Vec<Id> =
            self.graph.classes()[self.state.announced..].iter().map(|class| class.id).collect();
        self.state.announced = self.graph.class_count();
        let mut reach = vec![self.graph.take_changed()];
        let arithmetic = self.graph.arithmetic();
        let rules = self.rules.rules().iter().enumerate();
        for (index, rule) in rules.filter(|(_, rule)| rule.holds_in(arithmetic)) {
            match &rule.action {
                Action::Propose(propose) => {
                    let seen = new.iter().filter(|id| shown(self.graph, propose, **id));
                    self.state.proposals.extend(seen.map(|id| (*id, index)));
                }
                Action::Rewrite(_) | Action::Outputs(_) => {
                    let queue = &mut self.state.queues[index];
                    for rewrite in rule.action.rewrites() {
                        while reach.len() < rewrite.lhs.depth() {
                            let below = &reach[reach.len() - 1];
                            let above = below.iter().flat_map(|id| self.graph.parents(*id));
                            reach.push(above.collect());
                        }
                        if rewrite.lhs.depth() == 0 {
                            queue.extend(&new);
                        }
                        queue.extend(reach.iter().take(rewrite.lhs.depth()).flatten());
                    }
                    if let Action::Outputs(_) = &rule.action {
                        queue.retain(|id| self.state.outputs.iter().any(|(_, output)| output == id));
                    }
                    queue.sort_unstable();
                    queue.dedup();
                }
                Action::Peephole(_) | Action::Pixel(_) => {}
            }
        }
        // Factors come first, because a limit may be reached before everything is split. Outputs and kernels requested by
        // the search come next, then small kernels, which are parts of many others.
        let (graph, rules) = (&*self.graph, self.rules.rules());
        let splits = |rule: usize| match &rules[rule].action {
            Action::Propose(propose) => !propose.proposer.factors(),
            _ => true,
        };
        self.state.proposals.sort_by(|(a, first), (b, second)| {
            let kinds = splits(*first).cmp(&splits(*second));
            kinds
                .then_with(|| graph.class(*a).depth.cmp(&graph.class(*b).depth))
                .then_with(|| graph.order(*a, *b))
                .then(first.cmp(second))
        });
    }

    /// Applies a rewrite to the e-classes in its queue, or lets a proposer compare kernels with each other.
    fn apply_rule(&mut self, index: usize) -> Result<(), Halt> {
        let began = self.limits.budget.now();
        let rules = self.rules;
        let rule = &rules.rules()[index];
        let result = match &rule.action {
            _ if !self.active[index] || self.state.bans[index].until > self.state.iteration => Ok(()),
            Action::Rewrite(rewrite) => self.apply_rewrite(index, rule, rewrite),
            Action::Outputs(rewrites) => self.apply_outputs(index, rule, rewrites),
            Action::Propose(propose) => self.apply_among(index, rule, propose),
            Action::Peephole(_) | Action::Pixel(_) => Ok(()),
        };
        self.state.statistics[index].seconds += self.limits.budget.seconds_since(began);
        result
    }

    /// Shows every proposer the e-classes it has not seen.
    fn propose(&mut self) -> Result<(), Halt> {
        let rules = self.rules.rules();
        let all = std::mem::take(&mut self.state.proposals);
        let (queue, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, index)| self.active[*index]);
        for (start, batch) in queue.chunks(BATCH).enumerate().map(|(i, batch)| (i * BATCH, batch)) {
            let (graph, limits) = (&*self.graph, self.limits);
            // Each proposer has its own budget, so its result does not depend on the others.
            let proposed: Vec<(Vec<Decomposition>, Duration, u64)> = batch
                .par_iter()
                .map(|(id, index)| {
                    let (began, rule) = (limits.budget.now(), &rules[*index]);
                    let Action::Propose(propose) = &rule.action else {
                        return (Vec::new(), Duration::ZERO, 0);
                    };
                    let own = limits.budget.part(MAX_PROPOSAL.min(limits.budget.left() / SHARES));
                    let mut found = propose.proposer.propose(graph.shape(*id), rule.budget, &own);
                    found.truncate(rule.budget);
                    (found, limits.budget.now().saturating_sub(began), own.spent())
                })
                .collect();
            limits.budget.spend(proposed.iter().map(|(.., spent)| spent).sum());
            for (done, ((id, index), (decompositions, time, _))) in batch.iter().zip(&proposed).enumerate() {
                let began = limits.budget.now();
                let result = self.check_budget().and_then(|()| {
                    decompositions.iter().try_for_each(|d| self.add_decomposition(*index, *id, d))
                });
                let seconds = (*time + limits.budget.now().saturating_sub(began)).as_secs_f64();
                self.state.statistics[*index].seconds += seconds;
                if result.is_err() {
                    self.state.proposals = [&queue[start + done..], &later[..]].concat();
                    return result;
                }
            }
        }
        self.state.proposals = later;
        Ok(())
    }

    fn apply_among(&mut self, index: usize, rule: &Rule, propose: &Propose) -> Result<(), Halt> {
        let among: Vec<Id> = self.among().into_iter().take(propose.bounds.max_among).collect();
        if among.len() < 2 || self.state.compared[index] == among {
            return Ok(());
        }
        self.state.compared[index].clone_from(&among);
        let shapes: Vec<Shape> = among.iter().map(|id| Shape::clone(self.graph.shape(*id))).collect();
        for (of, id) in among.iter().enumerate() {
            self.check_limits()?;
            let own = self.limits.budget.part(MAX_PROPOSAL);
            let found = propose.proposer.propose_among(&shapes, of, rule.budget, &own);
            self.limits.budget.spend(own.spent());
            for decomposition in found {
                self.add_decomposition(index, *id, &decomposition)?;
            }
        }
        Ok(())
    }

    fn apply_rewrite(&mut self, index: usize, rule: &Rule, rewrite: &Rewrite) -> Result<(), Halt> {
        let queue = std::mem::take(&mut self.state.queues[index]);
        let mut matched = 0;
        for (done, id) in queue.iter().enumerate() {
            if self.ban(index, rule, matched) {
                self.state.queues[index].extend(&queue[done..]);
                return Ok(());
            }
            let found = matches(self.graph, rewrite, *id, rule.budget, &self.limits.budget);
            matched += found.len();
            let checked = self.check_budget();
            let result = checked.and_then(|()| {
                found.iter().try_for_each(|bindings| {
                    let plan = Plan::of_rewrite(self.graph, rewrite, bindings);
                    self.add_plan(index, *id, plan, |graph| print_sides(graph, rewrite, bindings))
                })
            });
            if result.is_err() {
                self.state.queues[index].extend(&queue[done..]);
                return result;
            }
        }
        Ok(())
    }

    /// Bans a rule that matched too often in this iteration; returns whether it is banned.
    fn ban(&mut self, index: usize, rule: &Rule, matched: usize) -> bool {
        let Some(back_off) = rule.back_off else { return false };
        let ban = &mut self.state.bans[index];
        let doubled = |count: usize| count.checked_shl(ban.times).unwrap_or(usize::MAX);
        if matched <= doubled(back_off.matches) {
            return false;
        }
        ban.until = self.state.iteration.saturating_add(1).saturating_add(doubled(back_off.iterations));
        ban.times += 1;
        true
    }

    /// Lifts all bans if nothing else is left to do.
    fn unban(&mut self) {
        let now = self.state.iteration;
        let banned = |index: usize| self.state.bans[index].until > now;
        if (0..self.active.len()).any(banned) && !self.works(&|index| !banned(index)) {
            self.state.bans.iter_mut().for_each(|ban| ban.until = 0);
        }
    }

    /// The kernels to compare with each other: the watched ones, then the parts of outputs, oldest first.
    fn among(&self) -> Vec<Id> {
        let parts = self.graph.classes().iter().filter(|class| class.depth == 1).map(|class| class.id);
        let modest = |id: &Id| is_modest(self.graph.shape(*id));
        self.state.watched.iter().copied().chain(parts).filter(modest).take(MAX_AMONG).collect()
    }

    /// Whether any rule has work left.
    fn has_work(&self) -> bool {
        self.works(&|_| true)
    }

    /// Whether an enabled rule for which `counts` holds has work left.
    fn works(&self, counts: &dyn Fn(usize) -> bool) -> bool {
        let among = self.among();
        let on = |index: usize| self.active[index] && counts(index);
        self.state.proposals.iter().any(|(_, index)| on(*index))
            || self.rules.rules().iter().enumerate().filter(|(index, _)| on(*index)).any(|(i, rule)| {
                match &rule.action {
                    Action::Rewrite(_) | Action::Outputs(_) => {
                        !self.state.queues[i].is_empty() || !self.state.visits[i].is_over()
                    }
                    Action::Propose(propose) => {
                        let among = &among[..among.len().min(propose.bounds.max_among)];
                        among.len() >= 2 && self.state.compared[i] != among
                    }
                    Action::Peephole(_) | Action::Pixel(_) => false,
                }
            })
    }

    fn add_decomposition(
        &mut self,
        index: usize,
        whole: Id,
        decomposition: &Decomposition,
    ) -> Result<(), Halt> {
        let terms = |graph: &Graph| {
            let whole = Placed { label: Label::IDENTITY, shape: Shape::clone(graph.shape(whole)) };
            (print::kernel(&whole), print::decomposition(decomposition))
        };
        self.add_plan(index, whole, Plan::of_decomposition(decomposition), terms)
    }

    /// Adds the decomposition `plan` of `whole` after comparing the kernels exactly; `terms` prints the two sides.
    pub(super) fn add_plan(
        &mut self,
        index: usize,
        whole: Id,
        plan: Result<Plan, NoPlan>,
        terms: impl Fn(&Graph) -> (String, String),
    ) -> Result<(), Halt> {
        self.state.statistics[index].matches += 1;
        let kernel = plan.and_then(|plan| Ok((plan.kernel().ok_or(NoPlan::Overflow)?, plan)));
        let (kernel, plan) = match kernel {
            Ok(found) => found,
            Err(NoPlan::Undefined) => {
                self.state.statistics[index].refused += 1;
                return Ok(());
            }
            Err(NoPlan::Overflow) => {
                self.state.statistics[index].overflowed += 1;
                return Ok(());
            }
        };
        let shape = Arc::clone(self.graph.shape(whole));
        self.limits.budget.spend(WORK_PER_PLACE * shape.dense().len() as u64);
        let placed = Placed { label: Label::IDENTITY, shape: Shape::clone(&shape) };
        let rule = &self.rules.rules()[index];
        let name = (rule.name.as_str(), rule.place.as_str());
        if kernel != placed {
            let terms = terms(self.graph);
            return Err(Halt::Error(Box::new(unsound(name, &placed, Some(terms), kernel))));
        }
        if plan.is_trivial(&shape) {
            self.state.statistics[index].known += 1;
            return Ok(());
        }
        if !plan.descends(self.graph, &shape) {
            self.state.statistics[index].refused += 1;
            return Ok(());
        }
        self.check_limits()?;
        let (nodes, classes) = (self.graph.node_count(), self.graph.class_count());
        let origin = Origin { rule: Some(index), class: whole, iteration: self.state.iteration };
        let added = plan.add_to(self.graph, whole, origin);
        let statistics = &mut self.state.statistics[index];
        statistics.nodes += self.graph.node_count() - nodes;
        statistics.classes += self.graph.class_count() - classes;
        match added {
            Added::New => {}
            Added::Known => statistics.known += 1,
            Added::Overflow => statistics.overflowed += 1,
            Added::Mismatch(found) => {
                let terms = terms(self.graph);
                return Err(Halt::Error(Box::new(unsound(name, &placed, Some(terms), found))));
            }
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<(), Halt> {
        let limits = self.limits;
        if self.graph.node_count() - self.start.nodes >= limits.nodes {
            return Err(Halt::Stop(StopReason::Nodes(limits.nodes)));
        }
        if self.graph.class_count() - self.start.classes >= limits.classes {
            return Err(Halt::Stop(StopReason::Classes(limits.classes)));
        }
        self.check_budget()
    }

    pub(super) fn check_budget(&self) -> Result<(), Halt> {
        let budget = &self.limits.budget;
        if !budget.is_over() {
            return Ok(());
        }
        Err(Halt::Stop(if budget.is_interrupted() {
            StopReason::Interrupted
        } else if budget.is_spent() {
            StopReason::Work
        } else {
            StopReason::Time(budget.seconds_since(self.start.time))
        }))
    }
}

/// Whether a proposer should see an e-class.
fn shown(graph: &Graph, propose: &Propose, id: Id) -> bool {
    let shape = graph.shape(id);
    let side = shape.size().into_iter().max().unwrap_or(0);
    let bounds = propose.bounds;
    is_modest(shape)
        && bounds.max_taps.is_none_or(|most| shape.tap_count() <= most)
        && bounds.max_side.is_none_or(|most| usize::from(side) <= most)
        && bounds.max_depth.is_none_or(|most| graph.class(id).depth <= most)
}

/// Whether proposers accept a kernel: it is finite, with coefficients small enough to leave room for arithmetic.
fn is_modest(shape: &Shape) -> bool {
    shape.is_finite() && shape.dense().iter().all(|tap| tap.unsigned_abs() <= MAX_TAP)
}

/// Both sides of a rewrite, with what is bound in place of the variables.
pub(super) fn print_sides(graph: &Graph, rewrite: &Rewrite, bindings: &[Binding]) -> (String, String) {
    let name = |variable: VariableId| print_binding(graph, &bindings[variable.0]);
    (rewrite.lhs.print_with(&name), rewrite.rhs.print_with(&name))
}

fn print_binding(graph: &Graph, binding: &Binding) -> String {
    let one = |label: Label, id: Id| print::kernel(&Placed { label, shape: Shape::clone(graph.shape(id)) });
    match binding {
        Binding::Unbound => "?".to_owned(),
        Binding::One(label, id) => one(*label, *id),
        Binding::Number(value) => value.to_string(),
        Binding::Many(terms) => {
            terms.iter().map(|(label, id)| one(*label, *id)).collect::<Vec<_>>().join(" ")
        }
    }
}

/// The error for a rule, named with its place, that equates `lhs` with `rhs`. If the terms are unknown, the kernels are shown instead.
fn unsound(
    (rule, place): (&str, &str),
    lhs: &Placed,
    terms: Option<(String, String)>,
    rhs: Placed,
) -> SaturateError {
    let (lhs_term, rhs_term) = terms.unwrap_or_else(|| (print::kernel(lhs), print::kernel(&rhs)));
    SaturateError::Unsound {
        rule: rule.to_owned(),
        place: place.to_owned(),
        lhs_term,
        rhs_term,
        lhs_kernel: Box::new(lhs.clone()),
        rhs_kernel: Box::new(rhs),
    }
}
