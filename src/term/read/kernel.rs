//! `(kernel …)`: matrices of coefficients.

use crate::algebra::MAX_PLACES;
use crate::syntax::{Diagnostic, Form, Sexp};
use crate::term::{Cell, Grid, IndexSpace};

use super::form::TermReader;
use super::state::Reader;

const ORIGIN: &str = "(origin COLUMN ROW)";

impl Reader {
    /// Reads the matrix of a kernel and reports all its mistakes.
    pub(super) fn matrix(&mut self, form: &Form<'_>) -> Option<Grid> {
        let is_origin = |sexp: &Sexp| sexp.as_form().is_some_and(|form| form.head == "origin");
        if let [only] = form.arguments
            && let Some(hexagon) = only.as_form().filter(|inner| inner.head == "hexagon")
        {
            return self.hexagon(&hexagon);
        }
        let is_plane = |sexp: &Sexp| sexp.as_form().is_some_and(|form| form.head == "plane");
        let origins: Vec<Form<'_>> =
            form.arguments.iter().filter(|s| is_origin(s)).filter_map(Sexp::as_form).collect();
        let body: Vec<&Sexp> = form.arguments.iter().filter(|sexp| !is_origin(sexp)).collect();
        let planes: Vec<Form<'_>> = body.iter().filter(|s| is_plane(s)).filter_map(|s| s.as_form()).collect();
        let layers: Vec<Vec<&Sexp>> = if planes.is_empty() {
            vec![body]
        } else {
            if let Some(stray) = body.iter().find(|sexp| !is_plane(sexp)) {
                return self.expect.mismatch("another `(plane ROW…)`", stray);
            }
            if planes.len() > 1 && self.dimensions < 3 {
                return self.outside(body[1], "a second plane");
            }
            planes.iter().map(|plane| plane.arguments.iter().collect()).collect()
        };
        let origin = self.expect.once(&origins, "origin", Some(ORIGIN));
        let (size, cells) = self.layers(form, &layers)?;
        let origin = match origin {
            Some(origin) => self.origin(origin, size)?,
            None => self.centre(form, size)?,
        };
        Some(Grid { size, origin, cells })
    }

    /// Reads `(hexagon ROW…)`: rows from the north, with the origin in the middle. In axial coordinates, the rows down
    /// to the middle begin in the same column, and each row below the middle begins one column further east.
    fn hexagon(&mut self, form: &Form<'_>) -> Option<Grid> {
        if self.space != IndexSpace::Hexagonal {
            return self.expect.report(
                Diagnostic::error("not-hexagonal", "a hexagon in an index space of squares")
                    .label(form.head_span, "expected rows")
                    .help("say `(space hexagonal)` in the filter, if that is meant"),
            );
        }
        let rows = form.arguments;
        let radius = rows.len() / 2;
        let size = 2 * radius + 1;
        if rows.len() != size || size.checked_mul(size).is_none_or(|places| places > MAX_PLACES) {
            return self.expect.report(
                Diagnostic::error("ragged-kernel", format!("a hexagon of {} rows", rows.len())).label(
                    form.span,
                    "expected an odd number of rows, such as `(hexagon (1 1) (1 1 1) (1 1))`",
                ),
            );
        }
        let mut cells = Vec::new();
        let mut complete = true;
        for (number, sexp) in rows.iter().enumerate() {
            let row = self.expect.list("a row, such as `(1 2 1)`", sexp)?;
            let away = number.abs_diff(radius);
            let (before, after) = if number < radius { (0, away) } else { (away, 0) };
            if row.len() != size - away {
                let message = format!("this row has {} cells, and should have {}", row.len(), size - away);
                complete = false;
                self.expect.report::<()>(
                    Diagnostic::error("ragged-kernel", message).label(sexp.span, "differs").help(
                        "each row of a hexagon has one cell more than the one before, up to the middle",
                    ),
                );
                continue;
            }
            cells.extend(vec![Cell::Empty; before]);
            for cell in row {
                match self.cell(cell) {
                    Some(cell) => cells.push(cell),
                    None => complete = false,
                }
            }
            cells.extend(vec![Cell::Empty; after]);
        }
        complete.then_some(Grid { size: [size, size, 1], origin: [radius, radius, 0], cells })
    }

    /// Reads the cells of planes of rows of equal length.
    fn layers(&mut self, form: &Form<'_>, layers: &[Vec<&Sexp>]) -> Option<([usize; 3], Vec<Cell>)> {
        let Some(first) = layers.first().and_then(|rows| rows.first()) else {
            return self.expect.report(
                Diagnostic::error("empty-kernel", "a kernel without rows")
                    .label(form.span, "expected `(kernel ROW…)`"),
            );
        };
        let width = self.expect.list("a row, such as `(1 2 1)`", first)?.len();
        let height = layers[0].len();
        if width == 0 {
            return self.expect.report(
                Diagnostic::error("empty-kernel", "a row without coefficients")
                    .label(first.span, "expected `(NUMBER…)`"),
            );
        }
        if height > 1 && self.dimensions == 1 {
            return self.outside(layers[0][1], "a second row");
        }
        let size = [width, height, layers.len()];
        if size.iter().try_fold(1usize, |n, extent| n.checked_mul(*extent)).is_none_or(|n| n > MAX_PLACES) {
            return self.expect.report(
                Diagnostic::error(
                    "kernel-too-large",
                    format!("a kernel of {width}×{height} places and {} planes", size[2]),
                )
                .label(form.head_span, format!("expected at most {MAX_PLACES} places")),
            );
        }
        let mut cells = Vec::new();
        let mut complete = true;
        for rows in layers {
            if rows.len() != height {
                let message = format!("this plane has {} rows, the first has {height}", rows.len());
                let place = rows.first().map_or(form.span, |row| row.span);
                complete = self.ragged(message, place, layers[0][0]).is_some();
            }
            for row in rows {
                complete &= self.row(row, first, width, &mut cells).is_some();
            }
        }
        complete.then_some((size, cells))
    }

    fn ragged(&mut self, message: String, place: crate::syntax::Span, first: &Sexp) -> Option<()> {
        self.expect.report(
            Diagnostic::error("ragged-kernel", message)
                .label(place, "differs in size")
                .label(first.span, "from the first one")
                .help(
                    "all rows have the same width: write `.` where nothing is touched, `0` where a zero is",
                ),
        )
    }

    /// Reads a row of `width` cells.
    fn row(&mut self, sexp: &Sexp, first: &Sexp, width: usize, cells: &mut Vec<Cell>) -> Option<()> {
        let row = self.expect.list("a row, such as `(1 2 1)`", sexp)?;
        let mut complete = true;
        for cell in row {
            match self.cell(cell) {
                Some(cell) => cells.push(cell),
                None => complete = false,
            }
        }
        if row.len() != width {
            let entries = |n: usize| if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") };
            let message = format!("this row has {}, the first has {}", entries(row.len()), entries(width));
            return self.ragged(message, sexp.span, first);
        }
        complete.then_some(())
    }

    fn cell(&mut self, sexp: &Sexp) -> Option<Cell> {
        match sexp.as_atom() {
            Some(".") => Some(Cell::Empty),
            Some("+") => Some(Cell::Stored),
            _ => self.coefficient(sexp).map(Cell::Value),
        }
    }

    /// The middle of a kernel that does not state its origin.
    fn centre(&mut self, form: &Form<'_>, size: [usize; 3]) -> Option<[usize; 3]> {
        if let Some(middle) = Grid::middle(size) {
            return Some(middle);
        }
        let [width, height, depth] = size;
        let planes = if depth == 1 { String::new() } else { format!("×{depth}") };
        self.expect.report(
            Diagnostic::error("no-origin", format!("a kernel of {width}×{height}{planes} places has no middle"))
                .label(form.span, "expected an odd width and height, or an origin")
                .help(format!(
                    "say which place is the pixel itself, counted from 0 at the top left: `(kernel (origin {} {}) …)`",
                    width / 2,
                    height / 2
                )),
        )
    }

    /// Reads `(origin COLUMN ROW [PLANE])`; missing coordinates are those of the middle.
    fn origin(&mut self, form: &Form<'_>, size: [usize; 3]) -> Option<[usize; 3]> {
        self.expect.arity(form, 1..=3, ORIGIN)?;
        let mut origin = size.map(|extent| extent / 2);
        let what = ["the column of the origin", "the row of the origin", "the plane of the origin"];
        for (axis, sexp) in form.arguments.iter().enumerate() {
            let last = i64::try_from(size[axis]).unwrap_or(i64::MAX) - 1;
            origin[axis] = self.expect.integer(what[axis], sexp, 0..=last)? as usize;
        }
        if (form.arguments.len()..3).any(|axis| size[axis].is_multiple_of(2)) {
            return self.expect.report(
                Diagnostic::error("no-origin", "an incomplete origin")
                    .label(form.span, format!("expected `{ORIGIN}`, and a plane if their number is even")),
            );
        }
        Some(origin)
    }
}
