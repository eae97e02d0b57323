//! Turns: the symmetries of the square grid.

use super::{Label, Offset, Placed};

/// A reflection or a rotation of the square grid that fixes the origin, or the identity. It moves x and y, and leaves z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Turn {
    /// The matrix, by rows.
    matrix: [[i32; 2]; 2],
}

impl Turn {
    /// The identity.
    pub const IDENTITY: Self = Self { matrix: [[1, 0], [0, 1]] };

    /// All turns, the identity first.
    pub const ALL: [Self; 8] = [
        Self::IDENTITY,
        Self { matrix: [[1, 0], [0, -1]] },
        Self { matrix: [[-1, 0], [0, 1]] },
        Self { matrix: [[-1, 0], [0, -1]] },
        Self { matrix: [[0, 1], [1, 0]] },
        Self { matrix: [[0, 1], [-1, 0]] },
        Self { matrix: [[0, -1], [1, 0]] },
        Self { matrix: [[0, -1], [-1, 0]] },
    ];

    /// The image of a place in the plane.
    pub fn plane(self, x: i32, y: i32) -> [i32; 2] {
        let [[a, b], [c, d]] = self.matrix;
        [a * x + b * y, c * x + d * y]
    }

    /// The image of an offset.
    pub fn of(self, [x, y, z]: Offset) -> Offset {
        let [x, y] = self.plane(x, y);
        [x, y, z]
    }

    /// The turn that undoes this one.
    pub fn inverse(self) -> Self {
        let [[a, b], [c, d]] = self.matrix;
        Self { matrix: [[a, c], [b, d]] }
    }

    /// The index in [`Turn::ALL`].
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|turn| *turn == self).unwrap_or(0)
    }
}

impl Label {
    /// The label with its translation turned.
    #[must_use]
    pub fn turned(self, turn: Turn) -> Self {
        Self { offset: turn.of(self.offset), ..self }
    }
}

impl Placed {
    /// The kernel whose taps stand at the images of its places. `None` for an infinite kernel, for one over another semiring than the
    /// numbers, and on overflow.
    pub fn turned(&self, turn: Turn) -> Option<Self> {
        if turn == Turn::IDENTITY {
            return Some(self.clone());
        }
        let shape = &self.shape;
        if !shape.is_finite() || !shape.arithmetic().is_linear() {
            return None;
        }
        let mut taps = self.taps()?;
        for (_, offset, _) in &mut taps {
            *offset = turn.of(*offset);
        }
        Self::from_taps(shape.channels(), &taps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;

    #[test]
    fn turns_are_a_group() {
        for (index, turn) in Turn::ALL.into_iter().enumerate() {
            assert_eq!(turn.index(), index);
            assert_eq!(turn.inverse().of(turn.of([3, 5, 7])), [3, 5, 7]);
            for other in Turn::ALL {
                let product = other.of(turn.of([3, 5, 7]));
                assert_eq!(Turn::ALL.iter().filter(|known| known.of([3, 5, 7]) == product).count(), 1);
            }
        }
    }

    #[test]
    fn a_turned_kernel_has_the_same_taps_elsewhere() {
        let taps = [([0, 0, 0], 1), ([2, 0, 0], -6), ([1, 1, 1], 4)];
        let half = |(offset, tap): (Offset, i64)| (0, offset, Rational::new(tap, 2).unwrap());
        let kernel = Placed::from_taps(1, &taps.map(half)).unwrap();
        for turn in Turn::ALL {
            let turned = kernel.turned(turn).unwrap();
            let expected = taps.map(|(offset, tap)| half((turn.of(offset), tap)));
            assert_eq!(turned, Placed::from_taps(1, &expected).unwrap());
            assert_eq!(turned.turned(turn.inverse()), Some(kernel.clone()));
        }
        assert_eq!(Placed::scan([1, 0, 0]).unwrap().turned(Turn::ALL[1]), None);
    }
}
