//! The rearrangement of the sums of plans: common pairs of terms and multiples of constants are computed once.

use std::collections::{BTreeMap, BTreeSet};

use super::NoPlan;
use super::arena::{Arena, Goal, View};
use super::choose::{self, Attempt, Request, Searched, planned, rank};
use crate::algebra::adders::{self, Reading, Summand, System, arrangements, signs};
use crate::algebra::{Offset, Placed, Rational, Shape, add_offsets};
use crate::backend::scan::machine::{Fold, Plan, PlanStep, ScanMachine};
use crate::budget::Budget;
use crate::saturate::Saturated;

/// The work to arrange the sums of one plan: about a twentieth of a second. [`WORK_PER_SUMMAND`] adds work per summand.
const WORK: u64 = 1 << 21;
/// See [`WORK`].
const WORK_PER_SUMMAND: u64 = 1 << 12;
/// The number of arrangements that become plans.
const MAX_PLANS: usize = 4;
/// The number of plans whose sums are rearranged.
const MAX_BEGUN: usize = 4;
/// The name of the method that rearranges sums.
const METHOD: &str = "shared sums";

/// The best plan within the budget: that of a style, or one with rearranged sums. The sums are those of a style's plan,
/// or those of the outputs tap by tap. Idempotent folds are not rearranged. The first plan is always made.
///
/// # Errors
/// [`NoPlan`].
pub fn plan(request: &Request<'_>, graph: &Saturated, budget: &Budget) -> Result<Searched, NoPlan> {
    let mut plans = choose::plans(request, graph, budget)?;
    // The last plan of a style is its best one.
    let last = plans.chunk_by(|one, next| one.method == next.method).filter_map(<[_]>::last);
    let attempts = last.map(|found| Attempt { method: found.method.clone(), cost: found.cost }).collect();
    plans.sort_by_key(|found| rank(&found.cost));
    if request.fold != Fold::Sum {
        return Ok(Searched { attempts, ..plans.swap_remove(0) });
    }
    let mut begun: Vec<(Sums, &[String])> = Vec::new();
    let taps = Sums::of_outputs(request.outputs, request.inputs.len()).map(|sums| (sums, &[][..]));
    let mut styles = plans.iter().filter_map(|found| Some((Sums::of_plan(&found.plan)?, &found.rules[..])));
    let first = styles.next();
    for (sums, rules) in first.into_iter().chain(taps).chain(styles) {
        if begun.len() < MAX_BEGUN && begun.iter().all(|(known, _)| *known != sums) {
            begun.push((sums, rules));
        }
    }
    let shared = arranged(request, &begun, budget);
    let best = Searched { attempts, ..plans.swap_remove(0) };
    Ok(match shared {
        Some(shared) => best.or(shared),
        None => best,
    })
}

/// The cheapest plan with rearranged sums, or `None` if there is none. Each set of sums comes with the names of its rules.
fn arranged(request: &Request<'_>, begun: &[(Sums, &[String])], budget: &Budget) -> Option<Searched> {
    let (mut best, mut count): (Option<Searched>, usize) = (None, 0);
    for (sums, rules) in begun {
        let mut arena =
            Arena::new(request.machine, Fold::Sum, (request.pixel, request.values), request.inputs.len());
        for system in sums.arrangements(&arena, budget) {
            count += 1;
            let Some(goals) = sums.goals(&system, &mut arena) else { continue };
            let Ok((plan, cost)) = planned(request, &mut arena, goals) else { continue };
            if best.as_ref().is_none_or(|best| rank(&cost) < rank(&best.cost)) {
                let found = Searched::found(plan, cost, METHOD.to_owned());
                best = Some(Searched { rules: rules.to_vec(), ..found });
            }
        }
    }
    best.map(|best| Searched { plans: count, ..best })
}

/// Returns the plan with its sums rearranged if that is cheaper, or else the same plan.
pub(super) fn rearranged(request: &Request<'_>, found: Searched, budget: &Budget) -> Searched {
    let sums = Sums::of_plan(&found.plan).map(|sums| (sums, &found.rules[..]));
    match arranged(request, sums.as_slice(), budget) {
        Some(less) if rank(&less.cost) < rank(&found.cost) => {
            Searched { plans: found.plans + less.plans, method: found.method, ..less }
        }
        _ => found,
    }
}

/// Weighted sums, and the results read from them.
#[derive(PartialEq)]
struct Sums {
    system: System,
    /// The offset at which each of the first sums reads itself. The other sums do not.
    backs: Vec<Option<Offset>>,
    /// The results. The source of a view is a value of the system.
    results: Vec<Goal>,
}

impl Sums {
    /// The outputs tap by tap. `None` if an output is infinite, or a number leaves the exact range.
    fn of_outputs(outputs: &[(String, Placed)], given: usize) -> Option<Self> {
        if outputs.iter().any(|(_, kernel)| !kernel.shape.is_finite()) {
            return None;
        }
        let mut known: BTreeMap<&Shape, usize> = BTreeMap::new();
        let mut sums =
            Self { system: System { given, sums: Vec::new() }, backs: Vec::new(), results: Vec::new() };
        for (name, kernel) in outputs {
            let source = *known.entry(&kernel.shape).or_insert_with(|| {
                let taps = kernel.shape.taps().map(|(channel, offset, weight)| Summand {
                    source: channel.into(),
                    offset,
                    weight,
                });
                sums.system.sums.push(taps.collect());
                given + sums.system.sums.len() - 1
            });
            let view = View { source, offset: kernel.label.offset, weight: 1 };
            sums.result(name, view, kernel.label.scale)?;
        }
        Some(sums)
    }

    /// The steps of a plan. A step that is read once becomes part of its reader. `None` if a number leaves the exact range.
    fn of_plan(plan: &Plan) -> Option<Self> {
        let given = plan.inputs.len();
        let mut sums =
            Self { system: System { given, sums: Vec::new() }, backs: Vec::new(), results: Vec::new() };
        let mut values = vec![0; plan.steps.len()];
        for (number, step) in plan.steps.iter().enumerate() {
            values[number] = match step {
                PlanStep::Input(channel) => *channel,
                PlanStep::Fold { terms, back } => {
                    let summands = terms.iter().map(|term| Summand {
                        source: values[term.source],
                        offset: term.offset,
                        weight: term.weight,
                    });
                    sums.system.sums.push(adders::merged(summands)?);
                    sums.backs.push(*back);
                    given + sums.system.sums.len() - 1
                }
                PlanStep::Window { .. } => return None,
            };
        }
        let mut kept: BTreeSet<usize> = plan.outputs.iter().map(|output| values[output.source]).collect();
        kept.extend((0..sums.backs.len()).filter(|sum| sums.backs[*sum].is_some()).map(|sum| given + sum));
        sums.system.inline(&kept)?;
        for output in &plan.outputs {
            let view = View { source: values[output.source], offset: output.offset, weight: 1 };
            sums.result(&output.name, view, output.scale)?;
        }
        Some(sums)
    }

    /// Adds a result. A factor becomes a sum of one summand, which may share digits with other sums.
    fn result(&mut self, name: &str, mut view: View, mut scale: Rational) -> Option<()> {
        let factor = scale.numerator();
        if !factor.unsigned_abs().is_power_of_two() {
            self.system.sums.push(vec![Summand { source: view.source, offset: [0; 3], weight: factor }]);
            view.source = self.system.given + self.system.sums.len() - 1;
            scale = Rational::new(1, scale.denominator())?;
        }
        self.results.push(Goal { name: name.to_owned(), view, scale });
        Some(())
    }

    /// The arrangements of the sums that seem cheapest.
    fn arrangements(&self, arena: &Arena<'_>, budget: &Budget) -> Vec<System> {
        let request = adders::Request {
            plain: &|sum| self.back(sum).is_none(),
            kept: &|weight| arena.multiplies(weight),
            cost: &|system| cost(system, arena.machine),
        };
        let summands = self.system.sums.iter().map(|sum| sum.len() as u64).sum::<u64>();
        let part = budget.part(WORK.saturating_add(summands.saturating_mul(WORK_PER_SUMMAND)));
        let mut found = arrangements(&self.system, &request, &part);
        budget.spend(part.spent());
        found.truncate(MAX_PLANS);
        found
    }

    fn back(&self, sum: usize) -> Option<Offset> {
        self.backs.get(sum).copied().flatten()
    }

    /// Builds the results from the sums of an arrangement. `None` if a number leaves the exact range.
    fn goals(&self, system: &System, arena: &mut Arena<'_>) -> Option<Vec<Goal>> {
        let readings = self.results.iter().map(|goal| {
            let (up, down) = (goal.scale.numerator(), goal.scale.denominator());
            // If a result is rounded, its sign costs nothing.
            Reading { source: goal.view.source, negative: up < 0, costs: down == 1 || arena.is_real() }
        });
        let turned = signs(system, &readings.collect::<Vec<_>>(), &|sum| self.back(sum).is_some());
        let mut values = arena.inputs();
        values.resize(system.given + system.sums.len(), arena.plain(0));
        for sum in system.order() {
            let views = system.sums[sum].iter().map(|summand| {
                let view = arena.moved(values[summand.source], summand.offset)?;
                let weight = if turned[sum] { -summand.weight } else { summand.weight };
                Some(View { weight: view.weight.checked_mul(weight)?, ..view })
            });
            let view = arena.sum(views.collect::<Option<_>>()?, self.back(sum))?;
            let weight = if turned[sum] { -view.weight } else { view.weight };
            values[system.given + sum] = View { weight, ..view };
        }
        let goals = self.results.iter().map(|goal| {
            let value = values[goal.view.source];
            let offset = add_offsets(value.offset, goal.view.offset).ok()?;
            arena.scaled(Goal { view: View { offset, ..value }, ..goal.clone() })
        });
        goals.collect()
    }
}

/// The estimated cost of a system without delay lines.
fn cost(system: &System, machine: &ScanMachine) -> u64 {
    let (mut shifts, mut multiplications) = (0, 0);
    let (mut sources, mut reads) = (BTreeSet::new(), BTreeSet::new());
    for summand in system.sums.iter().flatten() {
        let weight = summand.weight.unsigned_abs();
        shifts += u64::from(weight > 1 && weight.is_power_of_two());
        multiplications += u64::from(!weight.is_power_of_two());
        sources.insert(summand.source);
        reads.insert((summand.source, summand.offset));
    }
    // One of the reads of a value takes place where it has just been computed.
    let loads = reads.len() - sources.len();
    system.additions() as u64 * machine.addition
        + multiplications * machine.multiplication
        + shifts * machine.shift
        + loads as u64 * machine.load
}
