//! Reviews a rewrite on separate graphs: whether its examples work, whether other rules already derive it, and the cost of
//! its sides.

use std::collections::BTreeSet;

use egg::Id;

use super::graph::{Graph, Origin};
use super::limits::{Limits, StopReason};
use super::matcher::{Binding, matches};
use super::phases;
use super::plan::{NoPlan, Operations, Plan};
use super::run::State;
use crate::algebra::{Arithmetic, Label, Placed};
use crate::budget::Budget;
use crate::rule::{Action, Example, Pattern, Rewrite, Rule, RuleSet, Sample, example_is_equal, samples};

/// The number of samples tried, and the number that must be usable for a statement about the rule.
const SAMPLES: usize = 12;
const FEWEST: usize = 3;

/// The limits for other rules on one sample: enough for a few steps of all proposers on a 5 × 5 kernel.
fn effort() -> Limits {
    Limits { nodes: 1_500, classes: 1_000, iterations: 4, budget: Budget::unlimited() }
}

/// The outcome of an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExampleOutcome {
    /// The rule does what the example states.
    Works,
    /// One of the terms denotes nothing or overflows.
    Undefined,
    /// The two sides of the example denote different kernels.
    Unequal,
    /// The rule does not match.
    NoMatch,
    /// The rule produces these other terms.
    Other(Vec<String>),
    /// The rule matches although it must not.
    Matches,
}

/// The overlap of a rule with other rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// The right side equals the left side in the e-graph by construction.
    Construction,
    /// Other rules, which together already add the same.
    Rules(Vec<String>),
}

/// The operations of the two sides of a rule, over a few random samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostChange {
    /// The left sides.
    pub before: Operations,
    /// The right sides.
    pub after: Operations,
}

/// The left side of a rule in a separate graph.
struct Bench {
    graph: Graph,
    root: Id,
    bindings: Vec<Binding>,
}

/// The origin of everything on a bench.
fn given(root: Id) -> Origin {
    Origin { rule: None, class: root, iteration: 0 }
}

impl Bench {
    /// Builds the left side of `rewrite` with the values in `sample`, which are of this semiring; `None` on overflow.
    fn new(rewrite: &Rewrite, arithmetic: Arithmetic, sample: &Sample) -> Option<Self> {
        let mut graph = Graph::new(arithmetic);
        let mut bindings = Vec::new();
        for (variable, (kernels, number)) in
            rewrite.variables.iter().zip(sample.kernels.iter().zip(&sample.numbers))
        {
            let mut placed = kernels.iter().map(|kernel| (kernel.label, graph.class_of(&kernel.shape, None)));
            bindings.push(match number {
                Some(number) => Binding::Number(*number),
                None if variable.is_sequence() => Binding::Many(placed.collect()),
                None => placed.next().map(|(label, id)| Binding::One(label, id))?,
            });
        }
        let root = build(&mut graph, &rewrite.lhs, &bindings)?;
        Some(Self { graph, root, bindings })
    }
}

/// The e-class of a term, with all its e-nodes.
fn build(graph: &mut Graph, pattern: &Pattern, bindings: &[Binding]) -> Option<Id> {
    let plan = Plan::of_pattern(graph, pattern, bindings).ok()?;
    plan.build(graph, given(Id::from(0)))
}

/// Applies `rule` to an example from its file.
pub fn try_example(rule: &Rule, example: &Example) -> ExampleOutcome {
    let Action::Rewrite(rewrite) = &rule.action else { return ExampleOutcome::NoMatch };
    match example_is_equal(rule, example) {
        None => return ExampleOutcome::Undefined,
        Some(false) if example.holds => return ExampleOutcome::Unequal,
        Some(_) => {}
    }
    // Outside (+ ×), the example is tried in the first semiring of the rule.
    let arithmetic = rule.arithmetics().next().filter(|_| !rule.is_exact()).unwrap_or(Arithmetic::LINEAR);
    let mut graph = Graph::new(arithmetic);
    let plan = Plan::of_pattern(&graph, &example.lhs, &[]);
    let expected = example.rhs.as_ref().map(|rhs| Plan::of_pattern(&graph, rhs, &[])).transpose();
    let (Ok(plan), Ok(expected)) = (plan, expected) else { return ExampleOutcome::Undefined };
    let Some(root) = plan.build(&mut graph, given(Id::from(0))) else { return ExampleOutcome::Undefined };
    graph.rebuild();
    let found = matches(&graph, rewrite, root, rule.budget, &Budget::unlimited());
    let made: Vec<Plan> =
        found.iter().filter_map(|bindings| Plan::of_pattern(&graph, &rewrite.rhs, bindings).ok()).collect();
    // The label of the example itself is in front of the matched e-class.
    let says =
        |made: &Plan| expected.as_ref().is_none_or(|expected| made.unmoved().says(&expected.unmoved()));
    let does = made.iter().any(says);
    match (does, example.holds) {
        (true, true) | (false, false) => ExampleOutcome::Works,
        (true, false) => ExampleOutcome::Matches,
        (false, true) if made.is_empty() => ExampleOutcome::NoMatch,
        (false, true) => ExampleOutcome::Other(made.iter().map(|plan| plan.unmoved().text()).collect()),
    }
}

/// The effect of a rule with scans on windows. The windows are those that its scans sum over three to nine places, as far as
/// saturation would apply the rule to them. A scan counts as one addition.
pub fn window_change(rule: &Rule) -> Option<CostChange> {
    let Action::Rewrite(rewrite) = &rule.action else { return None };
    let steps = rewrite.rhs.scans();
    let mut change: Option<CostChange> = None;
    for length in 3..=9 {
        let window = steps.iter().try_fold(Placed::delta(0, 1), |kernel, step| {
            let places = (0..length).map(|i| {
                let label = Label::at(step.map(|c| c * i));
                Some((kernel.label.then(label)?, &kernel.shape))
            });
            Placed::sum(1, places.collect::<Option<Vec<_>>>()?)
        })?;
        let mut graph = Graph::new(Arithmetic::LINEAR);
        let root = graph.class_of(&window.shape, None);
        graph.rebuild();
        for bindings in matches(&graph, rewrite, root, 1, &Budget::unlimited()) {
            let Ok(plan) = Plan::of_rewrite(&graph, rewrite, &bindings) else { continue };
            if plan.descends(&graph, &window.shape) {
                let none = CostChange { before: Operations::default(), after: Operations::default() };
                let CostChange { before, after } = change.unwrap_or(none);
                let (taps, made) = (Operations::of_taps(&window.shape), plan.applied());
                change = Some(CostChange { before: before.and(taps), after: after.and(made) });
            }
        }
    }
    change
}

/// The overlap of a rule with `others`, which must not contain `rule` itself. `None` if the rule states something new in one of
/// its semirings, or if it fits too few samples to tell in all of them.
pub fn overlap(rule: &Rule, others: &RuleSet, seed: u64) -> Option<Overlap> {
    let Action::Rewrite(rewrite) = &rule.action else { return None };
    let mut names = BTreeSet::new();
    let mut is_known = false;
    for arithmetic in rule.arithmetics() {
        match overlap_in(rewrite, arithmetic, others, seed) {
            Verdict::New => return None,
            Verdict::Unknown => {}
            Verdict::Known(more) => {
                is_known = true;
                names.extend(more);
            }
        }
    }
    match (is_known, names.is_empty()) {
        (false, _) => None,
        (true, true) => Some(Overlap::Construction),
        (true, false) => Some(Overlap::Rules(names.into_iter().collect())),
    }
}

/// What others say about a rule in one semiring.
enum Verdict {
    /// The rule states something new.
    New,
    /// Too few samples fit.
    Unknown,
    /// Rules that together already add the same; none if it is so by construction.
    Known(BTreeSet<String>),
}

fn overlap_in(rewrite: &Rewrite, arithmetic: Arithmetic, others: &RuleSet, seed: u64) -> Verdict {
    let [mut known, mut trivial, mut rejected] = [0; 3];
    let mut names = BTreeSet::new();
    for sample in samples(rewrite, arithmetic, SAMPLES, seed) {
        let Some(mut bench) = Bench::new(rewrite, arithmetic, &sample) else { continue };
        let side = |pattern: &Pattern| Plan::of_pattern(&bench.graph, pattern, &bench.bindings);
        let right = side(&rewrite.rhs).and_then(|right| right.relative_to(&side(&rewrite.lhs)?));
        let Ok(right) = right else { continue };
        // A right side that saturation would reject is no evidence: no rule can add it.
        let whole = bench.graph.shape(bench.root);
        if right.is_trivial(whole) {
            trivial += 1;
            continue;
        }
        if !right.descends(&bench.graph, whole) {
            rejected += 1;
            continue;
        }
        bench.graph.rebuild();
        known += 1;
        if right.nodes_in(&bench.graph, bench.root).is_some() {
            continue;
        }
        let mut state = State::new(others);
        state.watched.push(bench.root);
        let run = phases::run(&mut bench.graph, &mut state, others, &effort());
        let Some(nodes) = run.ok().and_then(|_| right.nodes_in(&bench.graph, bench.root)) else {
            return Verdict::New;
        };
        for node in nodes {
            let rule = bench.graph.origin(&node).and_then(|origin| origin.rule);
            names.extend(rule.map(|rule| others.rules()[rule].name.clone()));
        }
    }
    // Where both sides are always the same e-class, there is nothing to add.
    let is_trivial = trivial >= FEWEST && rejected == 0;
    if known < FEWEST && !is_trivial { Verdict::Unknown } else { Verdict::Known(names) }
}

/// How many left sides that are built from random kernels the rule is found in, and how many were built, in the semiring of the rule
/// where most are found. `None` if too few samples fit to tell. A left side can fail to match because like terms merge, so no sum
/// contains the same term twice.
pub fn found_in(rule: &Rule, seed: u64) -> Option<[usize; 2]> {
    let Action::Rewrite(rewrite) = &rule.action else { return None };
    let found = rule.arithmetics().filter_map(|arithmetic| found_in_semiring(rewrite, arithmetic, seed));
    found.max_by_key(|[matched, built]| (matched * SAMPLES / built, *built))
}

fn found_in_semiring(rewrite: &Rewrite, arithmetic: Arithmetic, seed: u64) -> Option<[usize; 2]> {
    let found = |sample: &Sample| {
        let mut bench = Bench::new(rewrite, arithmetic, sample)?;
        bench.graph.rebuild();
        Some(!matches(&bench.graph, rewrite, bench.root, 1, &Budget::unlimited()).is_empty())
    };
    let mut counts = [0, 0];
    for mut sample in samples(rewrite, arithmetic, SAMPLES, seed) {
        let as_it_is = found(&sample);
        // The label of a kernel may take the place of a number of the rule, so kernels without labels are tried too.
        let has_numbers = sample.numbers.iter().any(Option::is_some);
        sample.kernels.iter_mut().flatten().for_each(|kernel| kernel.label = Label::IDENTITY);
        let without_labels = if has_numbers { found(&sample) } else { None };
        if let Some(is_found) = as_it_is.max(without_labels) {
            counts = [counts[0] + usize::from(is_found), counts[1] + 1];
        }
    }
    (counts[1] >= FEWEST).then_some(counts)
}

/// Whether the rule alone, applied to its left sides and to all that it makes of them, comes to an end without a limit.
/// `None` if too few samples fit to tell.
pub fn comes_to_an_end(rule: &Rule, seed: u64) -> Option<bool> {
    let Action::Rewrite(rewrite) = &rule.action else { return None };
    let alone = RuleSet::new([rule.clone()]);
    let limits = Limits { iterations: Limits::default().iterations, ..effort() };
    let mut known = 0;
    for sample in samples(rewrite, Arithmetic::LINEAR, SAMPLES, seed) {
        let Some(mut bench) = Bench::new(rewrite, Arithmetic::LINEAR, &sample) else { continue };
        bench.graph.rebuild();
        let mut state = State::new(&alone);
        match phases::run(&mut bench.graph, &mut state, &alone, &limits) {
            Ok(StopReason::Saturated) => known += 1,
            Ok(_) => return Some(false),
            Err(_) => {}
        }
    }
    (known >= FEWEST).then_some(true)
}

/// The operations of both sides, summed over a few random samples. `None` for proposers, for rules with scans (which serve
/// only windows), and if no sample fits.
pub fn cost_change(rule: &Rule, seed: u64) -> Option<CostChange> {
    let Action::Rewrite(rewrite) = &rule.action else { return None };
    if !rule.is_exact() || !rewrite.is_finite() {
        return None;
    }
    let mut change: Option<CostChange> = None;
    for sample in samples(rewrite, Arithmetic::LINEAR, SAMPLES, seed) {
        let sides = Bench::new(rewrite, Arithmetic::LINEAR, &sample).map(|bench| {
            let side = |pattern: &Pattern| Plan::of_pattern(&bench.graph, pattern, &bench.bindings);
            Ok::<_, NoPlan>((side(&rewrite.lhs)?.operations(), side(&rewrite.rhs)?.operations()))
        });
        if let Some(Ok((before, after))) = sides {
            let sum =
                change.unwrap_or(CostChange { before: Operations::default(), after: Operations::default() });
            change = Some(CostChange { before: sum.before.and(before), after: sum.after.and(after) });
        }
    }
    change
}
