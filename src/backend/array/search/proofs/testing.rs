//! Random programs, for tests of bounds.

use smallvec::SmallVec;

use super::extent::Extent;
use super::fingerprint::of_value;
use super::held::{Held, MachineState};
use super::linear::{Linear, linear};
use super::pixels::Shown;
use super::symmetry::Turns;
use crate::backend::array::machine::{Division, Target};
use crate::backend::array::search::program::divisions::Exponents;
use crate::backend::array::search::program::recipe::{Objective, Recipes};
use crate::backend::array::search::program::step::left_by;
use crate::backend::array::search::program::value::{Factor, Shapes, Value};

/// A source of random numbers below a count.
pub(crate) fn picks() -> impl FnMut(usize) -> usize {
    let mut random = 1u64;
    move |count| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % count
    }
}

pub(crate) fn forms_of(
    target: &Target,
    isa: &str,
    division: Division,
    objective: Objective,
) -> (Recipes, Vec<Linear>) {
    let recipes = Recipes::compile(&target.forms(isa, division), &[6, 1], objective);
    let forms = (0..recipes.forms.len()).map(|form| linear(&recipes, form, Some(1)).unwrap()).collect();
    (recipes, forms)
}

/// The contents of the registers.
#[derive(Clone)]
pub(crate) struct Kernels {
    pub(crate) general: Vec<Value>,
    pub(crate) wide: Option<Value>,
}

impl Kernels {
    /// Two values in general registers, one in the wide register.
    pub(crate) fn some() -> Self {
        let input = Shapes::delta(0);
        let moved = Value { dx: 1, factor: Factor { negative: true, ..Factor::ONE }, ..input };
        Self { general: vec![input, moved], wide: Some(Value { dy: 2, ..input }) }
    }

    pub(crate) fn machine(&self, shapes: &Shapes) -> MachineState {
        let held = |value: &Value| {
            let (shows, exponents) = (Shown::of(*value, shapes), Exponents::of(*value));
            Held { value: of_value(*value, shapes), shows, extent: Extent::HERE, exponents, idle: false }
        };
        MachineState {
            general: self.general.iter().map(held).collect(),
            wide: self.wide.as_ref().map(held),
            fixed: Turns::default(),
        }
    }
}

/// The results of an instruction with operands chosen by `pick`; the mask of the general registers that it reads, with the wide one
/// as the highest bit; and its first result in a general register. `None` if the operands are not allowed.
pub(crate) fn run(
    (recipes, form): (&Recipes, &Linear),
    held: &Kernels,
    shapes: &mut Shapes,
    pick: &mut dyn FnMut(usize) -> usize,
) -> Option<(Kernels, u64, Option<Value>)> {
    let reads: Vec<Option<usize>> =
        form.reads.iter().map(|read| (!read.1).then(|| pick(held.general.len()))).collect();
    let clash = |(a, b): &(usize, usize)| reads[*a].is_some() && reads[*a] == reads[*b];
    if form.apart.iter().any(clash) {
        return None;
    }
    let mut sources: SmallVec<[(u8, Value); 4]> = SmallVec::new();
    for ((slot, ..), read) in form.reads.iter().zip(&reads) {
        sources.push((*slot as u8, read.map_or(held.wide, |at| Some(held.general[at]))?));
    }
    let mut next = held.clone();
    if form.writes_wide() {
        next.wide = None;
    }
    let mut first = None;
    for (index, (_, to_wide, ..)) in form.results.iter().enumerate() {
        let (_, terms) = &recipes.forms[form.form].results[index];
        let value = left_by(terms, &sources, shapes)?;
        match to_wide {
            true => next.wide = Some(value),
            false => {
                first = first.or(Some(value));
                next.general.push(value);
            }
        }
    }
    Some((next, reads.iter().fold(0, |mask, read| mask | 1u64 << read.unwrap_or(63)), first))
}
