//! Programs known before any search: given by the caller, or joined from the programs of stages.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::base::Base;
use super::heuristics::decompositions::{DIVERSE_BREADTH, Decompositions};
use super::local::settle::tidy;
use super::portfolio::schedule::compiled;
use super::problem::{Code, Problem};
use super::program::recipe::Recipes;
use super::program::step::{Need, ValueStep, left_by, state_of};
use super::program::value::{Shapes, Value};
use crate::algebra::Placed;
use crate::backend::array::machine::form::FileId;
use crate::budget::Budget;

/// A program that reads values instead of inputs.
pub struct Stage {
    /// The program.
    pub code: Code,
    /// Its inputs: the kernel of each of its channels over the inputs of the filter.
    pub reads: Vec<Placed>,
}

/// Joins the programs of stages, without computing anything twice; `None` if the registers do not suffice.
pub fn join(problem: &Problem<'_>, stages: &[Stage], task: &Budget) -> Option<Code> {
    let recipes = compiled(problem, problem.forms, problem.objective);
    let base = Base::new(problem, task).ok()?;
    let mut shapes = base.shapes.clone();
    let mut steps = Vec::new();
    for Stage { code, reads } in stages {
        let trace = code.trace.as_ref()?;
        let reads: Vec<Value> = reads.iter().map(|kernel| shapes.import(kernel)).collect::<Option<_>>()?;
        for step in &trace.steps {
            let mut over_inputs = |value| shapes.sum(&trace.shapes.substitute(value, &reads)?);
            steps.push(step.map(&mut over_inputs)?);
        }
    }
    finished(&base, &recipes, shapes, &steps)
}

/// Adopts a given program. For each instruction, `instructions` has the index of its form and the register of each slot, as an
/// index into the slot's file. `None` if it does not solve the problem.
pub fn adopt(problem: &Problem<'_>, instructions: &[(usize, Vec<usize>)], task: &Budget) -> Option<Code> {
    let recipes = compiled(problem, problem.forms, problem.objective);
    let base = Base::new(problem, task).ok()?;
    let mut shapes = base.shapes.clone();
    let mut held: FxHashMap<(FileId, usize), Value> = FxHashMap::default();
    for input in &problem.inputs {
        held.insert((problem.general, input.register), Shapes::delta(usize::from(input.channel)));
    }
    let mut steps = Vec::new();
    for (form, slots) in instructions {
        let form = recipes.form_for(&problem.forms[*form], *form)?;
        let compiled = &recipes.forms[usize::from(form)];
        let at = |slot: usize| (compiled.slots[slot].0, slots[slot]);
        let mut sources = SmallVec::new();
        for slot in (0..slots.len()).filter(|slot| compiled.reads(*slot)) {
            sources.push((slot as u8, *held.get(&at(slot))?));
        }
        let mut produced = SmallVec::new();
        for (slot, terms) in &compiled.results {
            produced.push((*slot as u8, left_by(terms, &sources, &mut shapes)?));
        }
        held.retain(|(file, _), _| !compiled.clobbers.contains(file));
        for slot in (0..slots.len()).filter(|slot| compiled.slots[*slot].2) {
            held.remove(&at(slot));
        }
        held.extend(produced.iter().map(|(slot, value)| (at(usize::from(*slot)), *value)));
        steps.push(ValueStep { form, sources, produced });
    }
    finished(&base, &recipes, shapes, &steps)
}

/// The steps in use, with registers.
fn finished(base: &Base, recipes: &Recipes, mut shapes: Shapes, steps: &[ValueStep]) -> Option<Code> {
    if !recipes.allow_all(steps, &mut shapes) {
        return None;
    }
    let nothing = FxHashMap::default();
    let mut decompositions = Decompositions::new(&nothing, DIVERSE_BREADTH, true);
    let mut expander = base.expander(recipes, &mut shapes, &mut decompositions);
    let start: Vec<Need> = base.start.iter().map(|(need, _)| *need).collect();
    let steps = tidy(&mut expander, steps, &start, &state_of(&base.goal))?;
    base.finished(recipes, &shapes, &steps)
}
