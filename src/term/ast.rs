//! Terms as they are written in kernel files.

use std::fmt;

use crate::algebra::{Axis, ORIGIN, Offset};
use crate::syntax::Span;

/// The last item of a `(combine … _)` that passes on the channels it does not name.
pub(super) const PASS: &str = "_";

/// A term of the convolution algebra and its place. Equality ignores places.
///
/// A term denotes one of three things. A **plain** kernel, such as `(kernel …)` and `(id)`, reads one value and does
/// not name its channel. A **row** names the channels it reads, as in `(from red K)`, and yields one value. A
/// **filter**, such as `(combine …)`, yields several named values. If there is only one channel, a plain kernel is also
/// a row.
#[derive(Clone, Debug)]
pub struct Term {
    /// The place of the whole term.
    pub span: Span,
    /// The kind of term.
    pub kind: TermKind,
}

/// The forms of terms, with subterms `T` and factors `F`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermKind<T = Term, F = Coefficient> {
    /// `(kernel ROW…)`: a kernel written out.
    Kernel(Grid),
    /// `(id)`: the identity kernel.
    Identity,
    /// `(scan DIRECTION)`: Σ in(p + n·step) over all n ≥ 0, the kernel 1/(1 − step).
    Scan(Direction),
    /// A name bound by `let`; it stands for its term.
    Variable(String),
    /// `(scale COEFFICIENT TERM)`.
    Scale(F, Box<T>),
    /// `(neg TERM)`.
    Negate(Box<T>),
    /// `(shift DX DY [DZ] TERM)`: the value at p is that of TERM at p + (DX, DY, DZ).
    Shift(Offset, Box<T>),
    /// `(add TERM…)`, with at least one term.
    Add(Vec<T>),
    /// `(sub TERM TERM)`.
    Subtract(Box<T>, Box<T>),
    /// `(compose TERM…)`, with at least one term. The last term is applied first; if it is a filter, its outputs are the
    /// channels of the other terms.
    Compose(Vec<T>),
    /// `(from CHANNEL TERM)`: a plain kernel applied to a channel.
    From(Name, Box<T>),
    /// `(combine (output NAME TERM)…)`: a filter. A final `_` passes on the channels it does not name.
    Combine {
        /// The named outputs.
        outputs: Vec<OutputSource>,
        /// Whether all other channels in scope are also outputs, unchanged.
        passes: bool,
    },
    /// `(fix NAME TERM)`: the solution K of K = A·K + B, where NAME stands for K and TERM for A·K + B.
    Fix(Name, Box<T>),
    /// `(|> PROGRAM INSTRUCTION…)`: the operator ⊳, an instruction after a program.
    ///
    /// An instruction is a filter that leaves every channel it does not name unchanged. Its channels are those of the
    /// program. `+` in its kernels marks a place that the hardware stores to: the result touches that place, if only with
    /// a zero.
    Instruct {
        /// The program so far: a filter, or a plain kernel, which applies to every channel.
        program: Box<T>,
        /// The instructions that follow, in order.
        instructions: Vec<T>,
    },
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Term {}

impl Term {
    /// The direct subterms.
    pub fn parts(&self) -> Vec<&Term> {
        match &self.kind {
            TermKind::Kernel(_) | TermKind::Identity | TermKind::Scan(_) | TermKind::Variable(_) => {
                Vec::new()
            }
            TermKind::Scale(_, inner)
            | TermKind::Negate(inner)
            | TermKind::Shift(_, inner)
            | TermKind::From(_, inner)
            | TermKind::Fix(_, inner) => vec![inner],
            TermKind::Subtract(a, b) => vec![a, b],
            TermKind::Add(terms) | TermKind::Compose(terms) => terms.iter().collect(),
            TermKind::Combine { outputs, .. } => outputs.iter().map(|output| &output.term).collect(),
            TermKind::Instruct { program, instructions } => {
                std::iter::once(&**program).chain(instructions).collect()
            }
        }
    }
}

/// A name with its term: an output or a `let`.
#[derive(Clone, Debug)]
pub struct OutputSource {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The term.
    pub term: Term,
}

/// A name and its place. Equality compares the spelling.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// The place of the name.
    pub span: Span,
}

/// A kernel written as a matrix.
///
/// Cells are in text order: the first row is the northernmost, the first column the westernmost, the first plane the
/// lowest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Columns, rows and planes; all positive.
    pub size: [usize; 3],
    /// Column (from the west), row (from the north) and plane (from the lowest) of the origin, counted from zero.
    pub origin: [usize; 3],
    /// The cells in the order column, row, plane (columns vary fastest).
    pub cells: Vec<Cell>,
}

/// A cell of a [`Grid`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// `.`: not touched.
    Empty,
    /// `+`: a place that an instruction stores to; allowed only in an instruction of a `|>`.
    Stored,
    /// A coefficient; a zero still touches its place.
    Value(Coefficient),
}

/// A coefficient as the file's semiring prints it: in lowest terms, with decimals as fractions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Coefficient(pub Box<str>);

/// The direction and length of one step of a scan; never zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Direction(Offset);

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
    /// The cells with their offsets from the origin. The first row, the northernmost, has the largest y.
    ///
    /// Sizes are at most [`crate::algebra::MAX_PLACES`], so offsets fit.
    pub fn places(&self) -> impl Iterator<Item = (Offset, &Cell)> {
        let [width, height, _] = self.size;
        self.cells.iter().enumerate().map(move |(i, cell)| {
            let at = [i % width, i / width % height, i / (width * height)];
            let ahead = [0, 1, 2].map(|axis| at[axis] as i32 - self.origin[axis] as i32);
            ([ahead[0], -ahead[1], ahead[2]], cell)
        })
    }

    /// The middle of a box of this size if every extent is odd.
    pub fn middle(size: [usize; 3]) -> Option<[usize; 3]> {
        size.iter().all(|n| n % 2 == 1).then(|| size.map(|n| n / 2))
    }
}

impl Direction {
    /// The directions by name; an axis name runs from low to high.
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

    /// The direction of a step; `None` for a zero step.
    pub fn along(step: Offset) -> Option<Self> {
        (step != ORIGIN).then_some(Self(step))
    }

    /// All names that [`parse`](Self::parse) accepts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().map(|(name, ..)| name)
    }

    /// One step in this direction.
    pub fn step(self) -> Offset {
        self.0
    }
}

impl fmt::Display for Direction {
    /// The name of a unit step (the axis if it runs from low to high); otherwise the coordinates.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (Self::names().find(|name| Self::parse(name) == Some(*self)), self.0) {
            (Some(name), _) => f.write_str(name),
            (None, [x, y, 0]) => write!(f, "{x} {y}"),
            (None, [x, y, z]) => write!(f, "{x} {y} {z}"),
        }
    }
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
