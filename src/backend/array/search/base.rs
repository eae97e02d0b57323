//! The common start of all searches for one filter, and one search of each kind.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::problem::{Code, Found, Infeasible, Part, Problem, SearchBudget, Trace};
use crate::algebra::{Label, Placed, Rational, Shape};
use crate::backend::array::search::beams::beam::{BeamLimits, BeamOutcome, search};
use crate::backend::array::search::beams::expand::Expander;
use crate::backend::array::search::beams::pieces::{Composition, Factored};
use crate::backend::array::search::construct::copies::{copies, displaced, fixed};
use crate::backend::array::search::construct::horner::Horner;
use crate::backend::array::search::construct::refine::refined;
use crate::backend::array::search::construct::repeats::without_repeats;
use crate::backend::array::search::heuristics::decompositions::{BREADTH, DIVERSE_BREADTH, Decompositions};
use crate::backend::array::search::local::windows::{Effort, improve_windows};
use crate::backend::array::search::program::divisions::Exponents;
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::registers::{Assignment, assign};
use crate::backend::array::search::program::step::{Need, ValueStep, state_of};
use crate::backend::array::search::program::value::{FARTHEST, Factor, ShapeId, Shapes, Terms, Value, View};
use crate::backend::array::search::proofs::exhaustive::{Answer, Exhaustive};
use crate::backend::array::search::proofs::progress::Proofs;
use crate::backend::array::search::proofs::totals::least_cost;
use crate::budget::Budget;
use crate::term::Decomposition;
use crate::term::lang::signed_digits;

/// Longer programs do not report the kernels of their values, because the e-graph has no room for so many.
const MAX_TOLD_STEPS: usize = 2_000;

/// The question whether some outputs have a program that costs less than `bound`, and how many states may be entered to answer it.
struct Question<'a> {
    outputs: &'a [(Need, Option<usize>)],
    bound: u32,
    states: u64,
}

/// The common start of all searches for one filter.
pub(crate) struct Base {
    pub(crate) shapes: Shapes,
    pub(crate) sums: FxHashMap<ShapeId, Vec<Terms>>,
    /// The sums for searches that look for different programs; empty if they are the same.
    other_sums: FxHashMap<ShapeId, Vec<Terms>>,
    compositions: FxHashMap<ShapeId, Vec<Composition>>,
    pub(crate) start: Vec<(Need, Option<usize>)>,
    pub(crate) goal: Vec<(Need, Option<usize>)>,
    /// The values of the inputs.
    inputs: Vec<Value>,
    outputs: usize,
    exponents: [i8; 2],
    /// Time limit and interruption.
    task: Budget,
}

impl Base {
    pub(crate) fn new(problem: &Problem<'_>, task: &Budget) -> Result<Self, Infeasible> {
        let mut shapes = Shapes::new(problem.channels);
        let file = problem.general as u8;
        let start: Vec<(Need, Option<usize>)> = problem
            .inputs
            .iter()
            .map(|i| (Need { file, value: Shapes::delta(usize::from(i.channel)) }, Some(i.register)))
            .collect();
        let mut goal = Vec::new();
        for (output, spec) in problem.outputs.iter().enumerate() {
            let value = shapes.import(&spec.kernel).ok_or(Infeasible::Kernel { output })?;
            goal.push((Need { file, value }, spec.register));
        }
        if problem.keep_inputs {
            goal.extend(start.iter().copied());
        }
        let available = problem.registers[problem.general];
        if goal.len() > available {
            return Err(Infeasible::Registers { needed: goal.len(), available });
        }
        let mut compositions: FxHashMap<ShapeId, Vec<Composition>> = FxHashMap::default();
        let sums = sums_of(&problem.decompositions, &mut shapes);
        let other_sums = sums_of(&problem.other_decompositions, &mut shapes);
        for (shape, ways) in &problem.decompositions {
            let Some(whole) = import(shape, &mut shapes) else { continue };
            let composed = ways.iter().filter_map(|way| composition_of(way, &mut shapes));
            compositions.entry(whole.shape).or_default().extend(composed);
        }
        let twos = goal.iter().map(|(n, _)| n.value.factor.twos);
        let exponents = [twos.clone().min().unwrap_or(0).min(0) - 1, twos.max().unwrap_or(0).max(0) + 4];
        let inputs = start.iter().map(|(n, _)| n.value).collect();
        let outputs = problem.outputs.len();
        Ok(Self {
            shapes,
            sums,
            other_sums,
            compositions,
            start,
            goal,
            inputs,
            outputs,
            exponents,
            task: task.clone(),
        })
    }

    /// The table of kernels for a search that may expand this many states.
    pub(crate) fn shapes_for(&self, nodes: u64) -> Shapes {
        self.shapes.for_search(&self.task, nodes)
    }

    /// The sums for searches that look for different programs.
    fn other_sums(&self) -> &FxHashMap<ShapeId, Vec<Terms>> {
        if self.other_sums.is_empty() { &self.sums } else { &self.other_sums }
    }

    /// The outputs that the registers do not hold at the start.
    fn missing(&self) -> impl Iterator<Item = &(Need, Option<usize>)> {
        self.goal.iter().filter(|(n, _)| !self.start.iter().any(|(s, _)| s == n))
    }

    /// A lower bound of the cost of any program: every value that is missing at the start must be written, fractions take divisions, and
    /// instructions must move, halve and add up enough in all.
    pub(crate) fn floor(&self, recipes: &Recipes) -> u32 {
        let missing = self.missing().count();
        let most = recipes.forms.iter().map(|f| f.results.len()).max().unwrap_or(1).max(1);
        let cheapest = recipes.forms.iter().map(|f| f.cost).min().unwrap_or(1);
        let exponents = |needs: &[(Need, Option<usize>)]| {
            Exponents::common(needs.iter().map(|(n, _)| Exponents::of(n.value)))
        };
        let divisions = recipes.divisions.cost(exponents(&self.start).down_to(exponents(&self.goal)));
        let totals = least_cost(recipes, &self.shapes, &needs(&self.start), &needs(&self.goal));
        (missing.div_ceil(most) as u32 * cheapest).max(divisions).max(totals)
    }

    pub(crate) fn expander<'a, 'b>(
        &'a self,
        recipes: &'a Recipes,
        shapes: &'a mut Shapes,
        decompositions: &'a mut Decompositions<'b>,
    ) -> Expander<'a, 'b> {
        let [lowest, highest] = self.exponents;
        Expander {
            recipes,
            shapes,
            decompositions,
            capacity: &recipes.capacity,
            inputs: &self.inputs,
            lowest,
            highest,
        }
    }

    pub(crate) fn run(
        &self,
        recipes: &Recipes,
        limits: &BeamLimits,
        stop: &(dyn Fn() -> bool + Sync),
        also: &mut Vec<Code>,
    ) -> Found {
        let (shapes, outcome) = self.beam(recipes, limits, stop);
        for (cost, steps) in &outcome.others {
            if let Some(assignment) = assign(recipes, steps, &self.start, &self.goal) {
                let code = self.code(recipes, &shapes, steps, &assignment, *cost);
                also.push(Code { trace: None, ..code });
            }
        }
        let nodes = outcome.nodes.max(shapes.nodes());
        let Some((cost, steps)) = outcome.found else { return Found::new(None, nodes) };
        let code = match assign(recipes, &steps, &self.start, &self.goal) {
            Some(assignment) => Some(self.code(recipes, &shapes, &steps, &assignment, cost)),
            None => self.with_copies(recipes, &shapes, &steps),
        };
        let unfit = || "a program was found, but not with these fixed registers".to_owned();
        Found { note: code.is_none().then(unfit), code, nodes }
    }

    /// The program that steps make, with values copied behind them to where outputs have to be.
    fn with_copies(&self, recipes: &Recipes, shapes: &Shapes, steps: &[ValueStep]) -> Option<Code> {
        let ways = [displaced(&self.start, &self.goal), fixed(&self.goal)];
        ways.into_iter().find_map(|values| self.copied(recipes, shapes, steps, &values))
    }

    /// The program that steps make, with these values copied behind them. Copies that are not needed go.
    fn copied(
        &self,
        recipes: &Recipes,
        shapes: &Shapes,
        steps: &[ValueStep],
        values: &[Need],
    ) -> Option<Code> {
        let own = steps.len();
        let mut steps = [steps, &copies(recipes, values)?].concat();
        for at in (own..steps.len()).rev() {
            let mut fewer = steps.clone();
            fewer.remove(at);
            if assign(recipes, &fewer, &self.start, &self.goal).is_some() {
                steps = fewer;
            }
        }
        self.finished(recipes, shapes, &steps)
    }

    /// A beam over `coarse` instructions; its program is then translated to those of `recipes`.
    pub(crate) fn run_coarse(
        &self,
        recipes: &Recipes,
        coarse: &Recipes,
        limits: &BeamLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Found {
        let (mut shapes, outcome) = self.beam(coarse, limits, stop);
        let refined = outcome.found.and_then(|(_, steps)| {
            let Need { file, .. } = self.goal.first()?.0;
            let goal: Vec<Value> = self.goal.iter().map(|(need, _)| need.value).collect();
            let available = recipes.capacity[usize::from(file)];
            refined([coarse, recipes], &steps, file, &goal, available, &mut shapes)
        });
        let code = refined.and_then(|steps| self.joined(recipes, &mut shapes, &steps));
        Found::new(code, outcome.nodes.max(shapes.nodes()))
    }

    /// A beam over whole programs; also returns the kernels that it met.
    fn beam(
        &self,
        recipes: &Recipes,
        limits: &BeamLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> (Shapes, BeamOutcome) {
        let mut shapes = self.shapes_for(limits.nodes);
        let nothing = FxHashMap::default();
        let mut decompositions = if limits.direct {
            Decompositions::new(&nothing, limits.breadth, false)
        } else if limits.noise > 0.0 {
            Decompositions::new(self.other_sums(), limits.breadth, true).diverse()
        } else {
            Decompositions::new(&self.sums, limits.breadth, true)
        };
        let mut expander = self.expander(recipes, &mut shapes, &mut decompositions);
        let outcome = search(&mut expander, &state_of(&self.goal), &needs(&self.start), limits, stop);
        (shapes, outcome)
    }

    /// The total number of taps of the outputs.
    pub(crate) fn taps(&self) -> usize {
        self.goal[..self.outputs]
            .iter()
            .map(|(need, _)| self.shapes.get(need.value.shape).iter().count())
            .sum()
    }

    /// Builds a long program directly, tap by tap, of at most `most` steps. Takes a fraction of a second and ignores the clock. Also
    /// returns whether the program would have been longer.
    pub(crate) fn run_horner(&self, recipes: &Recipes, most: usize) -> (Found, bool) {
        let mut shapes = self.shapes.clone();
        let Some((Need { file, .. }, _)) = self.start.first() else { return (Found::default(), false) };
        let available = recipes.capacity[usize::from(*file)];
        let mut horner = Horner::new(recipes, &mut shapes, *file, most);
        let all = self.goal[..self.outputs].iter().enumerate().try_for_each(|(done, (need, _))| {
            horner.make(need.value, (available + 1).checked_sub(self.start.len() + done)?)
        });
        let steps = horner.finish();
        let is_long = steps.len() > most;
        let note = is_long.then(|| format!("more than {most}"));
        // The searches for single moves are short and do not count.
        let code = all.filter(|()| !is_long).and_then(|()| self.joined(recipes, &mut shapes, &steps));
        (Found { code, nodes: 0, note }, is_long)
    }

    /// Composes a program from programs for factors and parts, if there is one input.
    pub(crate) fn run_factored(
        &self,
        recipes: &Recipes,
        limits: &BeamLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Found {
        let [(Need { file, .. }, _)] = self.start[..] else { return Found::default() };
        let mut factored = Factored {
            recipes,
            shapes: self.shapes_for(limits.nodes),
            decompositions: Decompositions::new(&self.sums, BREADTH, true),
            compositions: &self.compositions,
            sums: &self.sums,
            file,
            exponents: self.exponents,
            limits,
            stop,
            nodes: 0,
            answers: FxHashMap::default(),
        };
        let goal: Vec<Value> = self.goal[..self.outputs].iter().map(|(need, _)| need.value).collect();
        let keep = self.goal.len() > self.outputs;
        let found = factored.solve(&goal, recipes.capacity[usize::from(file)], keep);
        let nodes = factored.nodes.max(factored.shapes.nodes());
        let code = found.and_then(|(_, steps)| self.joined(recipes, &mut factored.shapes, &steps));
        Found::new(code, nodes)
    }

    /// Local search over windows of a program. Returns the last of the cheapest programs found, and appends all intermediate
    /// programs to `also`.
    pub(crate) fn run_windows(
        &self,
        recipes: &Recipes,
        code: &Code,
        effort: &Effort<'_>,
        mut also: Option<&mut Vec<Code>>,
    ) -> Found {
        let adopted = code.trace.as_ref().and_then(|trace| self.adopt(trace, effort.nodes));
        let Some((mut shapes, mut steps)) = adopted else { return Found::default() };
        let mut decompositions = Decompositions::new(self.other_sums(), DIVERSE_BREADTH, true);
        let mut expander = self.expander(recipes, &mut shapes, &mut decompositions);
        let assigned = |steps: &[ValueStep]| assign(recipes, steps, &self.start, &self.goal);
        let fits = |steps: &[ValueStep]| assigned(steps).is_some();
        let mut keep = |expander: &Expander<'_, '_>, steps: &[ValueStep]| {
            if let (Some(also), Some(assignment)) = (also.as_deref_mut(), assigned(steps)) {
                let code = self.code(recipes, expander.shapes, steps, &assignment, recipes.cost_of(steps));
                also.push(Code { trace: None, ..code });
            }
        };
        let nodes = improve_windows(&mut expander, &mut steps, &self.goal, effort, &fits, &mut keep);
        Found::new(self.finished(recipes, &shapes, &steps), nodes.max(shapes.nodes()))
    }

    /// The steps of another search's program, with the kernels of this one.
    fn adopt(&self, trace: &Trace, nodes: u64) -> Option<(Shapes, Vec<ValueStep>)> {
        let mut shapes = self.shapes_for(nodes);
        let steps = trace.adopt(&mut shapes)?;
        Some((shapes, steps))
    }

    /// Decides, cost by cost, whether there is a program below `bound`, until the states are used up. Of several outputs, half of the
    /// states go to each by itself: no program costs less than one for an output of it. Returns a program, if one is found, and
    /// the number of states entered.
    pub(crate) fn prove(
        &self,
        recipes: &Recipes,
        proofs: &mut Proofs,
        bound: u32,
        states: u64,
        budget: &SearchBudget<'_>,
    ) -> (Option<Code>, u64) {
        let mut shapes = self.shapes_for(states);
        let made: Vec<_> = self.missing().collect();
        let mut spent = 0;
        if made.len() > 1 {
            let mut outputs = std::mem::take(&mut proofs.outputs);
            outputs.resize_with(made.len(), Proofs::default);
            let share = states / 2 / made.len() as u64;
            for (output, own) in made.into_iter().zip(&mut outputs) {
                own.endgames = std::mem::take(&mut proofs.endgames);
                let question = Question { outputs: &[*output], bound: bound.min(own.found), states: share };
                spent += self.decide(recipes, &mut shapes, own, &question, budget).1;
                proofs.endgames = std::mem::take(&mut own.endgames);
                proofs.raise(own.floor());
            }
            proofs.outputs = outputs;
        }
        let question = Question { outputs: &self.goal, bound, states: states.saturating_sub(spent) };
        let (steps, states) = self.decide(recipes, &mut shapes, proofs, &question, budget);
        (steps.and_then(|steps| self.finished(recipes, &shapes, &steps)), spent + states)
    }

    /// Answers a question. If it makes sense, half of the states go to programs that do not divide, the rest to all programs.
    fn decide(
        &self,
        recipes: &Recipes,
        shapes: &mut Shapes,
        proofs: &mut Proofs,
        &Question { outputs, mut bound, states }: &Question<'_>,
        budget: &SearchBudget<'_>,
    ) -> (Option<Vec<ValueStep>>, u64) {
        let [start, goal] = [&self.start, outputs].map(needs);
        let Some(mut search) = Exhaustive::new(recipes, shapes, &start, &goal) else { return (None, 0) };
        search.without_table = budget.without.leaves_out(Part::TranspositionTable);
        let fits = |steps: &[ValueStep]| assign(recipes, steps, &self.start, outputs).is_some();
        let mut program = None;
        let whole = if search.may_do_without_divisions() { states / 2 } else { 0 };
        for (divisions, states) in [(false, whole), (true, states - whole)] {
            search.budget += states;
            while search.budget > 0 && proofs.floor_of(divisions) < bound {
                match search.decide(proofs, divisions, &fits, budget.stop) {
                    Answer::Found(steps) => {
                        bound = proofs.floor_of(divisions);
                        proofs.found = bound;
                        program = Some(steps);
                    }
                    Answer::None => {}
                    Answer::Unknown => break,
                }
            }
        }
        (program, states.saturating_sub(search.budget))
    }

    /// A program joined from parts. Each part is within bounds only on its own inputs, so this checks the whole.
    fn joined(&self, recipes: &Recipes, shapes: &mut Shapes, steps: &[ValueStep]) -> Option<Code> {
        if !recipes.allow_all(steps, shapes) {
            return None;
        }
        let assignment = assign(recipes, steps, &self.start, &self.goal)?;
        let (steps, assignment) = without_repeats(recipes, steps, assignment);
        Some(self.code(recipes, shapes, &steps, &assignment, recipes.cost_of(&steps)))
    }

    /// The program with registers assigned; `None` if they do not suffice.
    pub(crate) fn finished(&self, recipes: &Recipes, shapes: &Shapes, steps: &[ValueStep]) -> Option<Code> {
        let assignment = assign(recipes, steps, &self.start, &self.goal)?;
        Some(self.code(recipes, shapes, steps, &assignment, recipes.cost_of(steps)))
    }

    fn code(
        &self,
        recipes: &Recipes,
        shapes: &Shapes,
        steps: &[ValueStep],
        assignment: &Assignment,
        cost: u32,
    ) -> Code {
        let instructions = steps
            .iter()
            .zip(&assignment.slots)
            .map(|(step, slots)| (recipes.forms[usize::from(step.form)].source, slots.clone()))
            .collect();
        let told = if steps.len() > MAX_TOLD_STEPS { &[] } else { steps };
        let values = told.iter().flat_map(|s| s.produced.iter().map(|(_, v)| *v));
        let kernels = values.filter_map(|v: Value| shapes.export(v)).collect();
        let trace = Some(Trace { shapes: Arc::new(shapes.clone()), steps: steps.to_vec() });
        Code { instructions, outputs: assignment.goal[..self.outputs].to_vec(), cost, kernels, trace }
    }
}

/// The values without their registers.
fn needs(placed: &[(Need, Option<usize>)]) -> Vec<Need> {
    placed.iter().map(|(need, _)| *need).collect()
}

/// Why the search cannot represent a kernel, as a predicate for a message; `None` if it can.
pub fn beyond(kernel: &Placed) -> Option<String> {
    if Shapes::new(kernel.shape.channels()).import(kernel).is_some() {
        return None;
    }
    let [x, y, _] = kernel.label.offset;
    let away = x.abs().max(y.abs());
    Some(if away > i32::from(FARTHEST) {
        format!("begins {away} pixels from the computed pixel; the maximum is {FARTHEST}")
    } else {
        "has coefficients whose common factor is not a power of two times a power of three, or the largest of which, divided by \
         that factor, has more than 30 binary digits"
            .to_owned()
    })
}

/// Imports a canonical kernel into the search.
fn import(shape: &Shape, shapes: &mut Shapes) -> Option<Value> {
    shapes.import(&Placed { label: Label::IDENTITY, shape: shape.clone() })
}

/// The sums of each kernel.
fn sums_of(
    decompositions: &[(&Shape, Vec<&Decomposition>)],
    shapes: &mut Shapes,
) -> FxHashMap<ShapeId, Vec<Terms>> {
    let mut sums: FxHashMap<ShapeId, Vec<Terms>> = FxHashMap::default();
    for (shape, ways) in decompositions {
        let Some(whole) = import(shape, shapes) else { continue };
        let terms: Vec<Terms> = ways.iter().flat_map(|way| terms_of(way, shapes)).collect();
        sums.entry(whole.shape).or_default().extend(terms);
    }
    sums
}

/// Imports a composition into the search.
fn composition_of(decomposition: &Decomposition, shapes: &mut Shapes) -> Option<Composition> {
    let Decomposition::Compose { label, outer, inner } = decomposition else { return None };
    let mut kernel = |shape: &Shape| {
        (shape.channels() == 1).then(|| import(shape, shapes)).flatten().map(|value| value.shape)
    };
    let (outer, inner) = (kernel(outer)?, kernel(inner)?);
    let offset = |v: i32| i8::try_from(v).ok().filter(|v| v.abs() <= FARTHEST);
    let label =
        View { dx: offset(label.offset[0])?, dy: offset(label.offset[1])?, factor: Factor::of(label.scale)? };
    Some(Composition { label, outer, inner })
}

/// Compositions become sums only if their outer kernel has at most this many taps, as a 3×3 kernel has: each tap is a term.
const MAX_OUTER_TAPS: usize = 9;

/// The sums of values, relative to the decomposed kernel, that a decomposition represents.
fn terms_of(decomposition: &Decomposition, shapes: &mut Shapes) -> Vec<Terms> {
    let linear: Vec<Vec<(Label, &Shape)>> = match decomposition {
        Decomposition::Sum(terms) => vec![terms.iter().map(|(label, shape)| (*label, shape)).collect()],
        Decomposition::Compose { label, outer, inner } => [(outer, inner), (inner, outer)]
            .into_iter()
            .filter(|(over, _)| over.channels() == 1 && over.tap_count() <= MAX_OUTER_TAPS)
            .filter_map(|(over, part)| {
                let place = |(_, offset, tap)| Label::new(Rational::integer(tap), offset).then(*label);
                over.taps().map(|tap| Some((place(tap)?, part))).collect()
            })
            .collect(),
    };
    linear.into_iter().filter_map(|terms| values_of(&terms, shapes)).collect()
}

fn values_of(terms: &[(Label, &Shape)], shapes: &mut Shapes) -> Option<Terms> {
    let mut values = Terms::new();
    for (label, shape) in terms {
        let part = Placed { label: Label::IDENTITY, shape: (*shape).clone() };
        for scale in signed_digits(label.scale)? {
            values.push(shapes.import(&part.apply(Label { scale, ..*label })?)?);
        }
    }
    Some(values)
}
