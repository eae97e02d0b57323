//! Compiles the term in a file as written, or as a product of factors: each kernel in it separately, one after the other.
//!
//! The search for the whole filter starts from the joined program, so no filter costs more than its parts.

use std::collections::BTreeMap;

use super::graphs::{Roots, extracted};
use super::oriented::Oriented;
use super::phased::{self, Task};
use super::realisable::is_realisable;
use super::searching::Search;
use crate::algebra::{Placed, Turn};
use crate::backend::OptimizeError;
use crate::backend::array::search::{Code, FEW_OUTPUTS, InputSpec, OutputSpec, Problem, Stage, adopt, join};
use crate::rule::RuleSet;
use crate::saturate::Limits;
use crate::term::{Definition, Step, Steps};

/// The registers that the search for a step may use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Room {
    registers: usize,
    /// Whether the inputs of the step must survive in them.
    keep: bool,
}

/// The maximum number of registers that counts as few for one kernel: on SCAMP-5 most kernels of 3×3 take four.
const FEW_REGISTERS: usize = 3;

/// The minimum number of taps of a factor that is compiled separately: searches find binomials, and fuse them with others.
const LEAST: usize = 3;

/// The maximum number of links whose signs are varied. Each kernel of a chain is then compiled with both signs.
const MAX_LINKS: usize = 4;

/// Compiles the term in the file, or the factors of a kernel in it, each kernel within a share of the budget, and adds
/// the program to `found`.
///
/// # Errors
/// Those of [`phased::search`].
pub(super) fn as_written(task: &Task<'_>, found: &mut Search) -> Result<(), OptimizeError> {
    let Roots { outputs, written } = task.roots;
    let of = |written: &[Definition]| Steps::of(outputs, written, task.posed.channels);
    let plan = of(written).map(|plan| ("as written", plan)).or_else(|| {
        let (links, _) = task.request.rules.chains(outputs, LEAST, &task.budget.with_work(RuleSet::CHAINS));
        Some(("as factors", of(&links)?))
    });
    for (method, code) in compile(task, plan.into_iter().collect(), found)? {
        found.begin(method, code, (task.seconds)());
    }
    Ok(())
}

/// A program, if one was found, and the name of its source.
pub(super) type Joined = (&'static str, Option<Code>);

/// Compiles several outputs one by one, and from the term that the e-graph extracts for them. The search for many outputs starts
/// from these programs. The search for a few does not, because it tries little but the neighbourhood of a good start; these
/// programs are returned.
///
/// # Errors
/// Those of [`phased::search`].
pub(super) fn apart(task: &Task<'_>, found: &mut Search) -> Result<Vec<Joined>, OptimizeError> {
    let Roots { outputs, .. } = task.roots;
    if outputs.len() < 2 {
        return Ok(Vec::new());
    }
    let limits = Limits { budget: task.budget.clone(), ..Limits::default() };
    let extracted = extracted(task.roots, &task.request.rules, &limits, LEAST)?;
    let alone = Steps::one_by_one(outputs, task.posed.channels).map(|plan| ("one by one", plan));
    let shared = Steps::of(outputs, &extracted, task.posed.channels).map(|plan| ("as extracted", plan));
    let joined = compile(task, alone.into_iter().chain(shared).collect(), found)?;
    if outputs.len() <= FEW_OUTPUTS {
        return Ok(joined);
    }
    for (method, code) in joined {
        found.begin(method, code, (task.seconds)());
    }
    Ok(Vec::new())
}

/// Compiles the kernels of these terms, and joins the programs.
fn compile(
    task: &Task<'_>,
    plans: Vec<(&'static str, Steps)>,
    found: &mut Search,
) -> Result<Vec<Joined>, OptimizeError> {
    // With both signs, each kernel is compiled twice.
    let searches = |plan: &Steps| plan.steps.len() as u32 * if varied(plan).is_empty() { 1 } else { 2 };
    let share = 2 * plans.iter().map(|(_, plan)| searches(plan)).sum::<u32>();
    let mut kernels = Kernels { task, share, known: BTreeMap::new(), found };
    let mut joined = Vec::new();
    for (method, plan) in plans {
        if let Some(stages) = kernels.signed(&plan)? {
            joined.push((method, join(task.posed, &stages, task.budget)));
        }
    }
    Ok(joined)
}

/// Compiles single kernels, each at most once.
struct Kernels<'a, 't> {
    task: &'a Task<'t>,
    /// The part of the time for one kernel, as a divisor.
    share: u32,
    /// The programs of kernels in their rooms; `None` if none was found.
    known: BTreeMap<(Placed, Room), Option<Code>>,
    /// Takes the nodes that were searched.
    found: &'a mut Search,
}

impl Kernels<'_, '_> {
    /// The cheapest stages over all signs of the links: where instructions negate, a kernel and its negative differ by a cycle or two.
    fn signed(&mut self, plan: &Steps) -> Result<Option<Vec<Stage>>, OptimizeError> {
        let cost = |stages: &[Stage]| stages.iter().map(|stage| stage.code.cost).sum::<u32>();
        let Some(mut best) = self.stages(plan)? else { return Ok(None) };
        let links = varied(plan);
        for signs in 1..1 << links.len() {
            let negative = links.iter().enumerate().filter(|(at, _)| signs >> at & 1 == 1);
            let negative: Vec<usize> = negative.map(|(_, link)| *link).collect();
            let Some(other) = plan.negated(&negative) else { continue };
            match self.stages(&other)? {
                Some(less) if cost(&less) < cost(&best) => best = less,
                _ => {}
            }
        }
        Ok(Some(best))
    }

    /// A program for each step; `None` if a step has none.
    fn stages(&mut self, plan: &Steps) -> Result<Option<Vec<Stage>>, OptimizeError> {
        let mut stages = Vec::new();
        for at in 0..plan.steps.len() {
            let Step { kernel, reads } = &plan.steps[at];
            let mut best: Option<Code> = None;
            for room in rooms(plan, at, self.task.posed) {
                let key = (kernel.clone(), room);
                if !self.known.contains_key(&key) {
                    let code = self.searched(kernel, reads.len(), room)?;
                    self.known.insert(key.clone(), code);
                }
                let code =
                    self.known[&key].as_ref().filter(|code| best.as_ref().is_none_or(|b| code.cost < b.cost));
                best = code.cloned().or(best);
            }
            let Some(code) = best else { return Ok(None) };
            stages
                .push(Stage { code, reads: reads.iter().map(|value| plan.values[*value].clone()).collect() });
        }
        Ok(Some(stages))
    }

    /// The program of one kernel over a number of channels, in the registers of its room. It is searched for in its own orientation, as
    /// it would be alone.
    fn searched(
        &mut self,
        kernel: &Placed,
        channels: usize,
        Room { registers, keep }: Room,
    ) -> Result<Option<Code>, OptimizeError> {
        let Task { posed, instructions, request, budget, seconds, .. } = *self.task;
        // A filter that can be made may have factors that cannot: a fifth of five.
        if channels + usize::from(keep) > registers || !is_realisable(kernel, &instructions.forms) {
            return Ok(None);
        }
        let whole = [(String::new(), kernel.clone())];
        let Oriented { back, outputs, .. } = Oriented::of(request, instructions, &whole, &[]);
        let [(_, searched)] = outputs.as_slice() else { return Ok(None) };
        let mut own = Problem {
            channels: channels as u16,
            inputs: (0..channels).map(|at| InputSpec { channel: at as u16, register: at }).collect(),
            outputs: vec![OutputSpec { kernel: searched.clone(), register: None }],
            keep_inputs: keep,
            ..posed.clone()
        };
        own.registers[own.general] = registers;
        let time = request.budget.time_left().map(|time| time / self.share);
        let part = Task {
            posed: &own,
            instructions,
            roots: Roots { outputs: &outputs, written: &[] },
            request,
            budget: &budget.clone().within(time),
            wish: None,
            seconds,
        };
        let mut search = Search::default();
        phased::search(&part, &mut search, &mut |_| {})?;
        self.found.before += search.nodes;
        if back == Turn::IDENTITY {
            return Ok(search.code);
        }
        own.outputs = vec![OutputSpec { kernel: kernel.clone(), register: None }];
        let images = instructions.images(back);
        let turned = search.code.and_then(|code| code.turned(back, images?));
        Ok(turned.and_then(|code| adopt(&own, &code.instructions, budget)))
    }
}

/// The links whose signs are varied: all of them, or none if there are too many.
fn varied(plan: &Steps) -> Vec<usize> {
    Some(plan.links()).filter(|links| links.len() <= MAX_LINKS).unwrap_or_default()
}

/// The room for a step. Values needed after it have separate registers, even if the step reads them: searches find
/// more when they need not keep their inputs. If few registers are left, a search that keeps them is tried, too.
fn rooms(plan: &Steps, at: usize, posed: &Problem<'_>) -> Vec<Room> {
    let inputs = usize::from(posed.channels);
    let later = |value: usize| {
        (value < inputs && posed.keep_inputs)
            || plan.outputs.contains(&value)
            || plan.steps[at + 1..].iter().any(|step| step.reads.contains(&value))
    };
    let reads = &plan.steps[at].reads;
    let (kept, others): (Vec<usize>, Vec<usize>) =
        (0..inputs + at).filter(|value| later(*value)).partition(|value| reads.contains(value));
    let registers = posed.registers[posed.general].saturating_sub(others.len());
    let left = registers.saturating_sub(kept.len());
    let mut rooms = vec![Room { registers: left, keep: false }];
    if !kept.is_empty() && left <= FEW_REGISTERS {
        rooms.push(Room { registers, keep: true });
    }
    rooms
}
