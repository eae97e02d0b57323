//! Copies into the registers where outputs have to be: backward searches over values never propose them.

use crate::backend::array::search::program::recipe::{Recipe, Recipes};
use crate::backend::array::search::program::step::{Need, ValueStep};
use crate::backend::array::search::program::value::{Factor, Value, View};

/// What an output holds, and its register if that is fixed.
type Placed = (Need, Option<usize>);

/// The inputs that are also outputs in another register.
pub(crate) fn displaced(start: &[Placed], goal: &[Placed]) -> Vec<Need> {
    let elsewhere = |(need, place): &&Placed| {
        let other = |(of, at): &Placed| of == need && at.zip(*place).is_some_and(|(a, b)| a != b);
        start.iter().any(other)
    };
    goal.iter().filter(elsewhere).map(|(need, _)| *need).collect()
}

/// The outputs whose registers are fixed. An instruction may not be able to write them there, as one that would write what it reads.
pub(crate) fn fixed(goal: &[Placed]) -> Vec<Need> {
    goal.iter().filter(|(_, place)| place.is_some()).map(|(need, _)| *need).collect()
}

/// Steps that write all of these values anew: there and back, so that all are read before one is overwritten. `None` if there are none,
/// or no instruction that copies or negates.
pub(crate) fn copies(recipes: &Recipes, values: &[Need]) -> Option<Vec<ValueStep>> {
    let file = usize::from(values.first()?.file);
    let single = |recipe: &&Recipe| {
        let plain = matches!(recipe.plain[..], [(slot, view)]
            if (view == View::PLAIN || view == View::MINUS) && recipes.forms[recipe.form].slots[slot].0 == file);
        plain && recipe.file == file && recipes.forms[recipe.form].results.len() == 1
    };
    let recipe = recipes.narrow.iter().filter(single).min_by_key(|recipe| {
        let negates = recipe.plain[0].1.factor != Factor::ONE;
        (recipes.forms[recipe.form].cost, negates)
    })?;
    let (slot, view) = recipe.plain[0];
    let written = recipes.forms[recipe.form].results[recipe.result].0;
    let step = |from: Value, to: Value| ValueStep {
        form: recipe.form as u16,
        sources: [(slot as u8, from)].into_iter().collect(),
        produced: [(written as u8, to)].into_iter().collect(),
    };
    let there: Option<Vec<Value>> = values.iter().map(|need| need.value.seen(view)).collect();
    let there = there?;
    let pairs = || values.iter().map(|need| need.value).zip(there.iter().copied());
    Some(
        pairs()
            .map(|(own, other)| step(own, other))
            .chain(pairs().map(|(own, other)| step(other, own)))
            .collect(),
    )
}
