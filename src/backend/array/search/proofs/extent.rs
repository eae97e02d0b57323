//! The extent of a value's footprint along a few directions.

use crate::backend::array::search::program::recipe::CompiledForm;
use crate::backend::array::search::program::value::{Shapes, Value, View, ZERO};

/// The directions: both axes and both diagonals.
pub(crate) const DIRECTIONS: [[i16; 2]; 4] = [[1, 0], [0, 1], [1, 1], [1, -1]];

/// Along each direction, the first and the last place of a superset of a value's footprint.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Extent(pub(crate) [[i16; 2]; 4]);

impl Extent {
    /// The pixel itself.
    pub(crate) const HERE: Self = Self([[0, 0]; 4]);

    pub(crate) fn of(value: Value, shapes: &Shapes) -> Self {
        if value.shape == ZERO {
            return Self::HERE;
        }
        let places = shapes
            .get(value.shape)
            .iter()
            .map(|(x, y, ..)| Self::at(x as i16 + i16::from(value.dx), y as i16 + i16::from(value.dy)));
        places.reduce(Self::join).unwrap_or(Self::HERE)
    }

    pub(crate) fn at(x: i16, y: i16) -> Self {
        Self(DIRECTIONS.map(|[east, north]| [east * x + north * y; 2]))
    }

    /// The displacements of one operand by its views.
    fn of_views(views: impl Iterator<Item = View>) -> Option<Self> {
        views.map(|view| Self::at(i16::from(view.dx), i16::from(view.dy))).reduce(Self::join)
    }

    /// The union of both.
    pub(crate) fn join(self, other: Self) -> Self {
        let mut joined = self;
        for (into, [first, last]) in joined.0.iter_mut().zip(other.0) {
            *into = [into[0].min(first), into[1].max(last)];
        }
        joined
    }

    /// The extent seen through views with the displacements `by`.
    pub(crate) fn moved(self, by: Self) -> Self {
        let mut moved = self;
        for (into, [first, last]) in moved.0.iter_mut().zip(by.0) {
            *into = [into[0] + first, into[1] + last];
        }
        moved
    }

    pub(crate) fn width(&self, direction: usize) -> i16 {
        let [first, last] = self.0[direction];
        last - first
    }
}

/// The displacements of each operand of an instruction on its way into each result; `None` if it does not enter the result.
pub(crate) fn reaches(form: &CompiledForm, reads: &[(usize, bool, bool)]) -> Vec<Vec<Option<Extent>>> {
    let of = |terms: &[(usize, View)], read: usize| {
        Extent::of_views(terms.iter().filter(|(slot, _)| *slot == read).map(|(_, view)| *view))
    };
    form.results.iter().map(|(_, terms)| reads.iter().map(|(read, ..)| of(terms, *read)).collect()).collect()
}
