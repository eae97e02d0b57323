//! Estimates of the cost of a kernel's last steps. They guide the search and are not bounds.

use smallvec::SmallVec;

use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::value::{ShapeData, ShapeId, Shapes, Value, digits_of_weight};

/// The box of displacements at which a kernel can be made without additional moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Placement {
    /// The least displacements, (x, y).
    low: [i32; 2],
    /// The greatest displacements.
    high: [i32; 2],
}

impl Placement {
    /// The placement of an unknown kernel: all displacements at which its box contains the pixel.
    pub(crate) fn of(data: &ShapeData) -> Self {
        let low = [data.width, data.height].map(|size| (1 - i32::from(size)).min(0));
        Self { low, high: [0, 0] }
    }

    /// The placement of a sum over copies of the kernel: one of them is in place, or two are on either side of it.
    fn under(self, offsets: impl Iterator<Item = [i32; 2]> + Clone) -> Self {
        let mut placement = self;
        for axis in 0..2 {
            let along = offsets.clone().map(|offset| offset[axis]);
            placement.low[axis] -= along.clone().max().unwrap_or(0);
            placement.high[axis] -= along.min().unwrap_or(0);
        }
        placement
    }

    /// The distance of two placements, in steps, and the placement of their sum: their intersection, or the box between them.
    fn meet(self, other: Self) -> (u32, Self) {
        let (mut apart, mut placement) = (0, self);
        for axis in 0..2 {
            let (low, high) = (self.low[axis].max(other.low[axis]), self.high[axis].min(other.high[axis]));
            apart += (low - high).max(0) as u32;
            (placement.low[axis], placement.high[axis]) = (low.min(high), low.max(high));
        }
        (apart, placement)
    }
}

/// The estimated cost of adding terms that are in registers, and the placement of the sum. The cost consists of additions and
/// of moves, or loads of the wide register. `placements` are those of the terms' kernels; without them, kernels count as made where
/// they are used.
pub(crate) fn last_steps(
    terms: &[Value],
    placements: Option<&[Placement]>,
    recipes: &Recipes,
) -> (f32, Placement) {
    let mut cost = 0.0;
    let mut placement: Option<Placement> = None;
    let mut frame: Option<(i8, i8)> = None;
    for (index, term) in terms.iter().enumerate() {
        if terms[..index].iter().any(|t| t.shape == term.shape) {
            continue;
        }
        let group: SmallVec<[&Value; 8]> = terms.iter().filter(|t| t.shape == term.shape).collect();
        let spread = spread(&group);
        let mixed = group.iter().any(|v| v.factor.negative != term.factor.negative);
        if spread == 0 && frame.is_none_or(|f| f == (term.dx, term.dy)) {
            frame = Some((term.dx, term.dy));
        } else if recipes.wide_file.is_some() {
            cost += 1.0 + (spread as f32 / 2.0 - 1.0).max(0.0) * 1.5 + if mixed { 1.0 } else { 0.0 };
        } else {
            cost += gaps(&group).map(|gap| moves(gap, recipes)).sum::<f32>();
        }
        if let Some(placements) = placements {
            let offsets = group.iter().map(|term| [term.dx, term.dy].map(i32::from));
            let own = placements[index].under(offsets);
            let (apart, both) = placement.map_or((0, own), |placement| placement.meet(own));
            cost += moves(apart, recipes);
            placement = Some(both);
        }
    }
    let additions = (terms.len() as f32 - 1.0) / (recipes.max_terms as f32 - 1.0).max(1.0);
    (cost + additions.max(1.0), placement.unwrap_or_default())
}

/// The estimated number of instructions for a move by this many steps.
fn moves(steps: u32, recipes: &Recipes) -> f32 {
    let aligned = if recipes.aligns { 1.0 } else { 0.0 };
    (steps as f32 / f32::from(recipes.stride) - aligned).max(0.0)
}

/// The city-block distance of each term but the first from the nearest one before it.
fn gaps(terms: &[&Value]) -> impl Iterator<Item = u32> {
    (1..terms.len()).map(|index| {
        let distance = |b: &&Value| {
            u32::from(terms[index].dx.abs_diff(b.dx)) + u32::from(terms[index].dy.abs_diff(b.dy))
        };
        terms[..index].iter().map(distance).min().unwrap_or(0)
    })
}

/// The greatest city-block distance between two of the terms: the longer side of their box on axes turned by 45°.
fn spread(terms: &[&Value]) -> u32 {
    let side = |along: fn(&Value) -> i32| {
        let places = terms.iter().map(|term| along(term));
        let (least, most) = places.fold((i32::MAX, i32::MIN), |(low, high), at| (low.min(at), high.max(at)));
        if least > most { 0 } else { least.abs_diff(most) }
    };
    let rising = side(|term| i32::from(term.dx) + i32::from(term.dy));
    let falling = side(|term| i32::from(term.dx) - i32::from(term.dy));
    rising.max(falling)
}

/// The estimated cost and doublings of a kernel without known decompositions, from its digits, spread and largest weight.
pub(crate) fn direct_cost(id: ShapeId, shapes: &Shapes, recipes: &Recipes) -> (f32, i8) {
    let data = shapes.get(id);
    let (mut digits, mut largest, mut positive, mut negative) = (0usize, 1i32, false, false);
    for (_, _, _, weight) in data.iter() {
        digits += digits_of_weight(weight);
        largest = largest.max(weight.abs());
        positive |= weight > 0;
        negative |= weight < 0;
    }
    let reach = (f32::from(data.width) + f32::from(data.height) - 2.0) / 2.0;
    let per_digit = 1.8 / recipes.max_terms as f32;
    let cost = 2.0
        + per_digit * (digits as f32 - 2.0).max(0.0)
        + 0.8 * (reach - 1.0).max(0.0)
        + if positive && negative { 0.8 } else { 0.0 };
    (cost, ((largest as f32).log2() * 0.7).round() as i8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(low: [i32; 2], high: [i32; 2]) -> Placement {
        Placement { low, high }
    }

    #[test]
    fn gaps_are_to_the_nearest_term_before() {
        let at = |dx, dy| Value { dx, dy, ..Shapes::delta(0) };
        let terms = [at(0, 0), at(3, 1), at(3, 3), at(1, 0)];
        assert_eq!(gaps(&terms.iter().collect::<Vec<_>>()).collect::<Vec<_>>(), [4, 2, 1]);
    }

    #[test]
    fn placements_meet_where_moves_are_fewest() {
        let (a, b) = (placement([0, 0], [0, 0]), placement([2, -3], [4, -1]));
        assert_eq!(a.meet(b), (3, placement([0, -1], [2, 0])), "two steps in x, one in y: anywhere between");
        assert_eq!(
            placement([-2, 0], [1, 0]).meet(placement([0, 0], [5, 0])),
            (0, placement([0, 0], [1, 0]))
        );
    }

    #[test]
    fn a_sum_of_copies_is_in_place_from_the_first_to_the_last_of_them() {
        let pixel = Placement::default();
        assert_eq!(pixel.under([[0, 0], [2, 0]].into_iter()), placement([-2, 0], [0, 0]));
        assert_eq!(pixel.under([[1, 1]].into_iter()), placement([-1, -1], [-1, -1]));
    }
}
