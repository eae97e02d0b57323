//! Symmetries of the grid, reflections and rotations, up to which an exhaustive search compares states.
//!
//! A symmetry maps every program to another one, if the instruction set contains the image of each instruction. If it also fixes all
//! inputs and outputs, both are programs for the same filter, and one of them is enough. While it fixes everything that the
//! machine holds, the same is true of the next instruction alone.

use crate::algebra::Turn;
use crate::backend::array::search::program::recipe::{CompiledForm, Recipes};
use crate::backend::array::search::program::step::Need;
use crate::backend::array::search::program::value::{Shapes, Value, View, ZERO};

/// A set of symmetries, one bit each.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Turns(u8);

/// The symmetries of a search.
pub(crate) struct Symmetries {
    /// The image of every form under each symmetry.
    images: Vec<Vec<usize>>,
}

impl Symmetries {
    /// The symmetries that fix all these values and the instruction set.
    pub(crate) fn new(recipes: &Recipes, shapes: &Shapes, needs: &[&[Need]]) -> Self {
        let fixed =
            |turn: &Turn| needs.iter().copied().flatten().all(|need| is_fixed(need.value, *turn, shapes));
        // The identity says nothing.
        let turns = Turn::ALL[1..].iter().filter(|turn| fixed(turn));
        Self { images: turns.filter_map(|turn| images(recipes, *turn)).collect() }
    }

    /// The set of all symmetries.
    pub(crate) fn all(&self) -> Turns {
        Turns(((1u16 << self.images.len()) - 1) as u8)
    }

    /// Whether no earlier form is the image of this one under one of `turns`.
    pub(crate) fn is_first(&self, turns: Turns, form: usize) -> bool {
        self.images_by(turns).all(|(_, images)| images[form] >= form)
    }

    /// The symmetries among `turns` that also fix a form.
    pub(crate) fn after(&self, turns: Turns, form: usize) -> Turns {
        let moved = self.images_by(turns).filter(|(_, images)| images[form] != form);
        Turns(moved.fold(turns.0, |left, (turn, _)| left & !(1 << turn)))
    }

    /// Each symmetry in `turns`, with the image of every form.
    pub(crate) fn images_by(&self, turns: Turns) -> impl Iterator<Item = (usize, &Vec<usize>)> {
        self.images.iter().enumerate().filter(move |(turn, _)| turns.0 >> turn & 1 == 1)
    }
}

fn is_fixed(value: Value, turn: Turn, shapes: &Shapes) -> bool {
    if value.shape == ZERO {
        return true;
    }
    let taps = |place: &dyn Fn(i32, i32) -> [i32; 2]| {
        let at = |(x, y, channel, weight)| {
            (place(x + i32::from(value.dx), y + i32::from(value.dy)), channel, weight)
        };
        let mut taps: Vec<_> = shapes.get(value.shape).iter().map(at).collect();
        taps.sort_unstable();
        taps
    };
    taps(&|x, y| turn.plane(x, y)) == taps(&|x, y| [x, y])
}

/// The image of every form; `None` if some form has no image.
fn images(recipes: &Recipes, turn: Turn) -> Option<Vec<usize>> {
    let view = |view: View| {
        let [dx, dy] = turn.plane(view.dx.into(), view.dy.into()).map(|step| step as i8);
        View { dx, dy, ..view }
    };
    let terms = |terms: &[(usize, View)]| terms.iter().map(|(slot, seen)| (*slot, view(*seen))).collect();
    let image = |form: &CompiledForm| {
        let image = CompiledForm {
            results: form.results.iter().map(|(slot, of)| (*slot, terms(of))).collect(),
            passing: form.passing.iter().map(|of| terms(of)).collect(),
            ..form.clone()
        };
        recipes.forms.iter().position(|known| known.serves_for(&image) && image.serves_for(known))
    };
    recipes.forms.iter().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Placed, Rational};
    use crate::backend::array::machine::{Division, Target, builtin_names};
    use crate::backend::array::search::program::recipe::Objective;

    fn recipes(isa: &str) -> Recipes {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        Recipes::compile(&target.forms(isa, Division::Quick), &[6, 1], Objective::Instructions)
    }

    fn symmetries_of(taps: &[([i32; 3], i64)]) -> Symmetries {
        let taps: Vec<_> =
            taps.iter().map(|(at, weight)| (0, *at, Rational::new(*weight, 1).unwrap())).collect();
        let mut shapes = Shapes::new(1);
        let value = shapes.import(&Placed::from_taps(1, &taps).unwrap()).unwrap();
        Symmetries::new(&recipes("bus"), &shapes, &[&[Need { file: 0, value }]])
    }

    #[test]
    fn turns_that_move_a_tap_are_none() {
        let cross = [([1, 0, 0], 1), ([-1, 0, 0], 1), ([0, 1, 0], 1), ([0, -1, 0], 1)];
        assert_eq!(symmetries_of(&cross).images.len(), 7);
        assert_eq!(symmetries_of(&cross[..2]).images.len(), 3);
        assert_eq!(symmetries_of(&cross[..1]).images.len(), 1);
        assert_eq!(symmetries_of(&[([1, 0, 0], 1), ([-1, 0, 0], 2), ([0, 1, 0], 3)]).images.len(), 0);
    }

    /// Of forms that are each other's images one is first, and a form that is its own image keeps all symmetries.
    #[test]
    fn one_of_every_orbit_is_first() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        for isa in &target.isas {
            let (recipes, shapes) = (recipes(&isa.name), Shapes::new(1));
            let symmetries = Symmetries::new(&recipes, &shapes, &[]);
            assert_eq!(symmetries.images.len(), 7, "{}", isa.name);
            for form in 0..recipes.forms.len() {
                let orbit = symmetries.images.iter().map(|images| images[form]).chain([form]);
                let mut orbit: Vec<usize> = orbit.collect();
                orbit.sort_unstable();
                let first = orbit.iter().filter(|f| symmetries.is_first(symmetries.all(), **f)).count();
                assert_eq!(first, orbit.iter().filter(|f| **f == orbit[0]).count(), "{}: {form}", isa.name);
                let fixing = orbit.iter().filter(|f| **f == form).count();
                let after = symmetries.after(symmetries.all(), form);
                assert_eq!(symmetries.images_by(after).count() + 1, fixing, "{}: {form}", isa.name);
            }
        }
    }
}
