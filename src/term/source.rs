//! A kernel file as a value: what the file says, with where it says it.

use std::fmt;

use crate::algebra::{Axis, ORIGIN, Offset};
use crate::syntax::{Diagnostics, Source, Span};

use super::Term;

/// The semiring of a file that names none.
pub(super) const DEFAULT_SEMIRING: &str = "plus-times";
/// The number of dimensions of a file that names none.
pub(super) const DEFAULT_DIMENSIONS: u8 = 2;
/// The input of a file that names none.
pub(super) const DEFAULT_INPUT: &str = "image";

/// A filter as its file states it. Two are equal where they say the same, wherever in their files they say it.
#[derive(Clone, Debug)]
pub struct FilterSource {
    /// The filter's name.
    pub name: String,
    /// What it is, in the file's words.
    pub doc: Option<String>,
    /// Name of the semiring of its coefficients, one of [`crate::algebra::semirings`].
    pub semiring: String,
    /// Dimensions of its index space, 1 to 3.
    pub dimensions: u8,
    /// What the index space is, where it is not all of Z^d.
    pub space: IndexSpace,
    /// The input channels, in order: a channel's index is its place here.
    pub inputs: Vec<String>,
    /// Named terms, each of which may use those before it.
    pub lets: Vec<OutputSource>,
    /// The outputs, in order.
    pub outputs: Vec<OutputSource>,
    /// What in the file is probably not meant. Not compared.
    pub warnings: Diagnostics,
}

/// A name and the term that it is given: an output, or a `let`.
#[derive(Clone, Debug)]
pub struct OutputSource {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The term.
    pub term: Term,
}

/// A name and where it stands. Two are equal where they are spelled alike.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A kernel written out as a matrix.
///
/// Cells stand in the order of the text: the first row is north, the first column west, the first plane the lowest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Columns, rows and planes; all positive.
    pub size: [usize; 3],
    /// Column (from the west), row (from the north) and plane (from the lowest) of the pixel itself, counted from zero.
    pub origin: [usize; 3],
    /// The cells, one for each place: columns fastest, then rows, then planes.
    pub cells: Vec<Cell>,
}

/// A place of a [`Grid`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// `.`: not touched.
    Empty,
    /// `+`: a place that an instruction stores to, in the instruction of a `|>` only.
    Stored,
    /// A coefficient; a zero is a place that is touched all the same.
    Value(Coefficient),
}

/// A coefficient as the file's semiring prints it: in lowest terms, decimals as fractions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Coefficient(pub Box<str>);

/// What is at an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IndexSpace {
    /// All of Z^d: squares, cubes.
    #[default]
    Grid,
    /// Hexagons in axial coordinates: x leads east, y north-east.
    Hexagonal,
    /// Z^d modulo a period along each axis; axes that are not there have the period 1.
    Torus([u32; 3]),
}

/// A direction in which a scan runs, with the length of its steps: never zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Direction(Offset);

impl PartialEq for FilterSource {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.doc == other.doc
            && self.semiring == other.semiring
            && self.dimensions == other.dimensions
            && self.space == other.space
            && self.inputs == other.inputs
            && self.lets == other.lets
            && self.outputs == other.outputs
    }
}

impl Eq for FilterSource {}

impl PartialEq for OutputSource {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.term == other.term
    }
}

impl Eq for OutputSource {}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl Grid {
    /// The cells with their offsets from the pixel itself; north, the first row, is the largest y.
    ///
    /// Sizes are at most [`crate::algebra::MAX_PLACES`], so that offsets fit.
    pub fn places(&self) -> impl Iterator<Item = (Offset, &Cell)> {
        let [width, height, _] = self.size;
        self.cells.iter().enumerate().map(move |(i, cell)| {
            let at = [i % width, i / width % height, i / (width * height)];
            let ahead = [0, 1, 2].map(|axis| at[axis] as i32 - self.origin[axis] as i32);
            ([ahead[0], -ahead[1], ahead[2]], cell)
        })
    }

    /// The middle of a box of this size, where every extent is odd.
    pub fn middle(size: [usize; 3]) -> Option<[usize; 3]> {
        size.iter().all(|n| n % 2 == 1).then(|| size.map(|n| n / 2))
    }
}

impl Direction {
    /// The directions by name: an axis runs from low to high.
    const NAMES: [(&'static str, Axis, bool); 9] = [
        ("x", Axis::X, false),
        ("y", Axis::Y, false),
        ("z", Axis::Z, false),
        ("west", Axis::X, true),
        ("south", Axis::Y, true),
        ("down", Axis::Z, true),
        ("east", Axis::X, false),
        ("north", Axis::Y, false),
        ("up", Axis::Z, false),
    ];

    /// The direction called `name`: `x y z east north up west south down`.
    pub fn parse(name: &str) -> Option<Self> {
        let (_, axis, reversed) = Self::NAMES.into_iter().find(|(known, ..)| *known == name)?;
        Some(Self(axis.step(if reversed { -1 } else { 1 })))
    }

    /// The direction of a step; `None` for the step that stays where it is.
    pub fn along(step: Offset) -> Option<Self> {
        (step != ORIGIN).then_some(Self(step))
    }

    /// All names that [`parse`](Self::parse) knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().map(|(name, ..)| name)
    }

    /// One step in this direction.
    pub fn step(self) -> Offset {
        self.0
    }
}

impl fmt::Display for Direction {
    /// The axis, or where it runs against it; the coordinates of all other steps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (Self::names().find(|name| Self::parse(name) == Some(*self)), self.0) {
            (Some(name), _) => f.write_str(name),
            (None, [x, y, 0]) => write!(f, "{x} {y}"),
            (None, [x, y, z]) => write!(f, "{x} {y} {z}"),
        }
    }
}

/// Whether a source is a kernel file and not a program: by its name, or as it begins with a list or a comment of
/// S-expressions.
pub fn is_kernel_file(source: &Source) -> bool {
    source.name().ends_with(".sexp") || source.text().trim_start().starts_with(['(', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_is_north_and_the_first_plane_is_lowest() {
        let grid = Grid { size: [2, 3, 2], origin: [0, 1, 1], cells: vec![Cell::Empty; 12] };
        let offsets: Vec<Offset> = grid.places().map(|(offset, _)| offset).collect();
        assert_eq!(offsets[..4], [[0, 1, -1], [1, 1, -1], [0, 0, -1], [1, 0, -1]]);
        assert_eq!(offsets[11], [1, -1, 0]);
    }

    #[test]
    fn directions_print_as_they_read() {
        for name in Direction::names() {
            let direction = Direction::parse(name).unwrap();
            assert_eq!(Direction::parse(&direction.to_string()), Some(direction));
        }
        assert_eq!(Direction::along([-1, 1, 0]).unwrap().to_string(), "-1 1");
        assert_eq!(Direction::along([0; 3]), None);
    }
}
