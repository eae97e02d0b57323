//! The plan of a term as its file writes it, or else as a product of factors. Each kernel in it is planned separately,
//! in sequence, so no filter costs more than its parts.

use std::collections::{BTreeMap, BTreeSet};

use super::NoPlan;
use super::arena::{Arena, Goal, View};
use super::choose::{Request, Searched, graph, planned};
use super::sums::{plan, rearranged};
use crate::algebra::{Label, Placed, Rational, Shape};
use crate::backend::scan::machine::{Fold, Plan, PlanStep};
use crate::budget::Budget;
use crate::rule::RuleSet;
use crate::saturate::{Limits, SaturateError, WRITTEN};
use crate::term::{Definition, Step, Steps};

/// The name of the method that follows the factors of kernels written out in the file.
const FACTORED: &str = "as factors";

/// The plan that follows the outputs as the file writes them. If the file writes an output as one kernel, the plan follows its
/// factors. `None` if there are no factors, a part has no plan, an output is infinite, or the semiring is idempotent: there, a
/// written form is a way in the e-graph. Each part grows its own e-graph within the limits, and has a share of the budget.
///
/// # Errors
/// See [`crate::saturate::saturate`].
pub fn plan_written(
    request: &Request<'_>,
    rules: &RuleSet,
    limits: &Limits,
    budget: &Budget,
) -> Result<Option<Searched>, SaturateError> {
    if request.fold != Fold::Sum || request.outputs.iter().any(|(_, kernel)| !kernel.shape.is_finite()) {
        return Ok(None);
    }
    let channels = request.inputs.len();
    let of = |written: &[Definition]| Steps::of(request.outputs, written, channels as u16);
    // A definition with scans is a way of its kernel in the e-graph.
    let finite = request.written.iter().filter(|definition| definition.is_finite());
    let (steps, names, method) = match of(&finite.cloned().collect::<Vec<_>>()) {
        Some(steps) => (steps, vec![WRITTEN.to_owned()], WRITTEN),
        None => {
            let work = budget.part(RuleSet::CHAINS);
            let (links, names) = rules.chains(request.outputs, 2, &work);
            budget.spend(work.spent());
            let Some(steps) = of(&links) else { return Ok(None) };
            (steps, names, FACTORED)
        }
    };
    let share = budget.left() / (2 * steps.steps.len() as u64);
    let mut parts: BTreeMap<Shape, Searched> = BTreeMap::new();
    let mut joined = Joined {
        arena: Arena::new(request.machine, Fold::Sum, (request.pixel, request.values), channels),
        values: Vec::new(),
        rules: names.into_iter().collect(),
        plans: 1,
    };
    joined.values.extend(joined.arena.inputs().into_iter().map(|view| (view, Label::IDENTITY)));
    for step in &steps.steps {
        let Some(Placed { label, shape }) = joined.kernel(step) else { return Ok(None) };
        if !parts.contains_key(&shape) {
            let part = budget.part(share);
            let limits = Limits { budget: limits.budget.part(share), ..limits.clone() };
            let Some(searched) = alone(request, &shape, (rules, &limits), &part)? else { return Ok(None) };
            budget.spend(part.spent());
            joined.plans += searched.plans;
            joined.rules.extend(searched.rules.iter().cloned());
            parts.insert(shape.clone(), searched);
        }
        let Some(view) = joined.append(&parts[&shape].plan, &step.reads) else { return Ok(None) };
        joined.values.push((view, label));
    }
    let joined = joined.finish(request, &steps.outputs, method);
    Ok(joined.map(|found| rearranged(request, found, budget)))
}

/// The best plan of one kernel over values.
fn alone(
    request: &Request<'_>,
    shape: &Shape,
    (rules, limits): (&RuleSet, &Limits),
    budget: &Budget,
) -> Result<Option<Searched>, SaturateError> {
    let inputs: Vec<String> = (0..shape.channels()).map(|channel| format!("in{channel}")).collect();
    let outputs = [(String::new(), Placed { label: Label::IDENTITY, shape: shape.clone() })];
    let own = Request { inputs: &inputs, outputs: &outputs, written: &[], output: None, ..*request };
    let saturated = graph(&own, rules, limits)?;
    Ok(plan(&own, &saturated, budget).ok())
}

/// The steps of all parts so far.
struct Joined<'m> {
    arena: Arena<'m>,
    /// The values of the term: a view of a step, and the label that maps it to the value.
    values: Vec<(View, Label)>,
    rules: BTreeSet<String>,
    plans: usize,
}

impl Joined<'_> {
    /// The kernel of a step over the views that it reads. `None` if a number leaves the exact range.
    fn kernel(&self, step: &Step) -> Option<Placed> {
        let taps = step.kernel.taps()?.into_iter().map(|(channel, offset, scale)| {
            let (_, label) = self.values.get(*step.reads.get(usize::from(channel))?)?;
            let Label { scale, offset, .. } = label.then(Label::new(scale, offset))?;
            Some((channel, offset, scale))
        });
        Placed::from_taps(step.reads.len() as u16, &taps.collect::<Option<Vec<_>>>()?)
    }

    /// Appends the plan of a part, applied to values. Returns its result.
    fn append(&mut self, plan: &Plan, reads: &[usize]) -> Option<View> {
        let mut views: Vec<View> = Vec::new();
        for step in &plan.steps {
            let view = match step {
                PlanStep::Input(channel) => self.values.get(*reads.get(*channel)?)?.0,
                PlanStep::Fold { terms, back } => {
                    let terms = terms.iter().map(|term| {
                        let view = self.arena.moved(views[term.source], term.offset)?;
                        Some(View { weight: view.weight.checked_mul(term.weight)?, ..view })
                    });
                    let mut terms: Vec<View> = terms.collect::<Option<_>>()?;
                    // A step that only subtracts leaves its sign to its readers.
                    let negative = !terms.is_empty() && terms.iter().all(|term| term.weight < 0);
                    if negative {
                        terms.iter_mut().for_each(|term| term.weight = -term.weight);
                    }
                    let view = self.arena.sum(terms, *back)?;
                    View { weight: if negative { -view.weight } else { view.weight }, ..view }
                }
                PlanStep::Window { .. } => return None,
            };
            views.push(view);
        }
        let [output] = &plan.outputs[..] else { return None };
        let view = self.arena.moved(views[output.source], output.offset)?;
        let factor = output.scale.is_integer().then(|| output.scale.numerator())?;
        Some(View { weight: view.weight.checked_mul(factor)?, ..view })
    }

    fn finish(mut self, request: &Request<'_>, outputs: &[usize], method: &str) -> Option<Searched> {
        let mut goals = Vec::new();
        for ((name, _), value) in request.outputs.iter().zip(outputs) {
            let (view, label) = self.values[*value];
            let view = self.arena.moved(view, label.offset)?;
            let scale: Rational = label.scale;
            goals.push(self.arena.scaled(Goal { name: name.clone(), view, scale })?);
        }
        let found: Result<_, NoPlan> = planned(request, &mut self.arena, goals);
        let (plan, cost) = found.ok()?;
        let rules = self.rules.into_iter().collect();
        Some(Searched { rules, plans: self.plans, ..Searched::found(plan, cost, method.to_owned()) })
    }
}
