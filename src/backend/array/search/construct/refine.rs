//! Translates programs of coarse instructions into finer ones, several of which do the work of one coarse instruction.
//!
//! For large kernels, a beam whose steps are whole sums finds programs where a beam over half sums finds none. Each of its steps
//! is then replaced by finer instructions, found by one short search for all steps of the same kind.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::idioms::Idioms;
use crate::backend::array::search::program::recipe::{CompiledForm, Recipes};
use crate::backend::array::search::program::step::{ValueStep, left_by};
use crate::backend::array::search::program::value::{Shapes, Value};

/// Translates a program of `coarse` instructions that leaves `goal` in a file of `available` registers into `fine`
/// instructions. `None` if a step uses other files or cannot be translated.
pub(crate) fn refined(
    [coarse, fine]: [&Recipes; 2],
    steps: &[ValueStep],
    file: u8,
    goal: &[Value],
    available: usize,
    shapes: &mut Shapes,
) -> Option<Vec<ValueStep>> {
    let tasks = tasks(coarse, steps, file, goal)?;
    let most = tasks.iter().map(|task| task.sources.len()).max().unwrap_or(0);
    let mut idioms = Idioms::new(fine, file, most);
    let mut refined = Vec::new();
    for (step, Task { wanted, sources, kept, beside }) in steps.iter().zip(&tasks) {
        if wanted.is_empty() {
            continue;
        }
        let form = &coarse.forms[usize::from(step.form)];
        let channels: Vec<usize> = (0..sources.len()).collect();
        let mut results = results(form, step, wanted, sources, &mut idioms.over)?;
        results
            .extend(channels.iter().filter(|at| kept.contains(&sources[**at])).map(|at| Shapes::delta(*at)));
        let registers = available.checked_sub(*beside)?;
        idioms.append((&results, &channels, registers), sources, shapes, &mut refined)?;
    }
    Some(refined)
}

/// The task of one step.
struct Task {
    /// The results that are needed later.
    wanted: SmallVec<[Value; 3]>,
    /// The values that it reads.
    sources: SmallVec<[Value; 4]>,
    /// Those of the sources that are needed later.
    kept: SmallVec<[Value; 4]>,
    /// The number of other values that must survive it.
    beside: usize,
}

/// The tasks of all steps. A value in two registers counts as one value.
fn tasks(recipes: &Recipes, steps: &[ValueStep], file: u8, goal: &[Value]) -> Option<Vec<Task>> {
    let mut live: FxHashSet<Value> = goal.iter().copied().collect();
    let mut tasks = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        let form = &recipes.forms[usize::from(step.form)];
        let elsewhere = |(slot, _): &(u8, Value)| form.slots[usize::from(*slot)].0 != usize::from(file);
        if step.sources.iter().chain(&step.produced).any(elsewhere) {
            return None;
        }
        let mut sources: SmallVec<[Value; 4]> = step.sources.iter().map(|(_, value)| *value).collect();
        sources.sort_unstable();
        sources.dedup();
        let mut wanted: SmallVec<[Value; 3]> = step.produced.iter().map(|(_, value)| *value).collect();
        wanted.retain(|value| live.contains(value) && !sources.contains(value));
        wanted.sort_unstable();
        wanted.dedup();
        wanted.iter().for_each(|value| {
            live.remove(value);
        });
        let kept: SmallVec<[Value; 4]> =
            sources.iter().copied().filter(|value| live.contains(value)).collect();
        let beside = live.len() - kept.len();
        if !wanted.is_empty() {
            live.extend(&sources);
        }
        tasks.push(Task { wanted, sources, kept, beside });
    }
    tasks.reverse();
    Some(tasks)
}

/// The needed results of a step, as kernels over its sources.
fn results(
    form: &CompiledForm,
    step: &ValueStep,
    wanted: &[Value],
    sources: &[Value],
    over: &mut Shapes,
) -> Option<Vec<Value>> {
    let channel = |value: &Value| sources.iter().position(|source| source == value).map(Shapes::delta);
    let read = step.sources.iter().map(|(slot, value)| Some((*slot, channel(value)?)));
    let read: SmallVec<[(u8, Value); 4]> = read.collect::<Option<_>>()?;
    let made = |value: &Value| {
        let (slot, _) = step.produced.iter().find(|(_, produced)| produced == value)?;
        let (_, terms) = form.results.iter().find(|(at, _)| *at == usize::from(*slot))?;
        left_by(terms, &read, over)
    };
    wanted.iter().map(made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::beams::beam::{BeamLimits, search};
    use crate::backend::array::search::program::recipe::Objective;
    use crate::backend::array::search::program::registers::assign;
    use crate::backend::array::search::program::step::Need;
    use crate::backend::array::search::program::step::state_of;
    use crate::backend::array::search::program::value::{Factor, View};
    use crate::backend::array::search::testing::{expander, recipes, tables};

    /// The costs of two programs for the taps (x, y, 2^twos): one of macros, and the same in primitive operations.
    fn both(taps: &[(i8, i8, i8)]) -> (u32, u32) {
        let [macros, bus] = ["macro", "bus"].map(|isa| recipes(isa, 6, Objective::Cycles));
        let (mut shapes, mut decompositions) = tables();
        let input = Shapes::delta(0);
        let terms: Vec<(Value, View)> = taps
            .iter()
            .map(|(dx, dy, twos)| {
                (input, View { dx: *dx, dy: *dy, factor: Factor { twos: *twos, ..Factor::ONE } })
            })
            .collect();
        let wanted = shapes.sum(&terms).unwrap();
        let need = |value| (Need { file: 0, value }, None);
        // The input must survive, too.
        let (start, goal) = ([need(input)], [need(wanted), need(input)]);
        let inputs = [input];
        let mut expander = expander(&macros, (&mut shapes, &mut decompositions), &inputs);
        expander.lowest = -3;
        let limits = BeamLimits::narrow(4, 200, 10_000);
        let steps =
            search(&mut expander, &state_of(&goal), &[start[0].0], &limits, &|| false).found.unwrap().1;
        let fine = refined([&macros, &bus], &steps, 0, &[wanted, input], 6, &mut shapes).unwrap();
        let mut held = vec![input];
        for step in &fine {
            assert!(step.sources.iter().all(|(_, value)| held.contains(value)));
            for (slot, value) in &step.produced {
                let (_, terms) = bus.forms[usize::from(step.form)]
                    .results
                    .iter()
                    .find(|(at, _)| at == &usize::from(*slot))
                    .unwrap();
                assert_eq!(left_by(terms, &step.sources, &mut shapes), Some(*value));
                held.push(*value);
            }
        }
        assert!(held.contains(&wanted));
        assert!(assign(&bus, &fine, &start, &goal).is_some());
        (macros.cost_of(&steps), bus.cost_of(&fine))
    }

    #[test]
    fn programs_of_macros_are_made_of_primitive_operations_and_take_no_longer() {
        let binomial = [(-1, -1, 0), (0, -1, 1), (1, -1, 0), (0, 0, 2), (-1, 1, 0), (0, 1, 1), (1, 1, 0)];
        for taps in
            [&binomial[..], &[(0, 0, -3), (3, -2, -1)], &[(2, 2, 0)], &[(0, 0, 1), (0, 1, -1), (-4, 0, 2)]]
        {
            let (macros, bus) = both(taps);
            assert!(bus <= macros, "{bus} cycles, {macros} in macros");
        }
    }
}
