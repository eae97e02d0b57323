//! The start of searches, for their tests.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::beams::expand::Expander;
use super::heuristics::decompositions::Decompositions;
use super::program::recipe::{Objective, Recipes};
use super::program::value::{ShapeId, Shapes, Terms, Value};
use crate::backend::array::machine::{Division, Target, builtin_names};

/// No decompositions given.
static NOTHING: FxHashMap<ShapeId, Vec<Terms>> = FxHashMap::with_hasher(FxBuildHasher);

/// The instructions of the first target for this many registers and a wide one.
pub(crate) fn recipes(isa: &str, registers: usize, objective: Objective) -> Recipes {
    let target = Target::builtin(builtin_names()[0]).unwrap();
    Recipes::compile(&target.forms(isa, Division::Quick), &[registers, 1], objective)
}

/// Empty tables of kernels of one channel and of their decompositions.
pub(crate) fn tables() -> (Shapes, Decompositions<'static>) {
    (Shapes::new(1), Decompositions::new(&NOTHING, 12, true))
}

/// An expander for programs from these inputs.
pub(crate) fn expander<'a>(
    recipes: &'a Recipes,
    (shapes, decompositions): (&'a mut Shapes, &'a mut Decompositions<'static>),
    inputs: &'a [Value],
) -> Expander<'a, 'static> {
    let capacity = &recipes.capacity;
    Expander { recipes, shapes, decompositions, capacity, inputs, lowest: -2, highest: 4 }
}
