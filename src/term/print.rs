//! The printer of filters as kernel files.

use crate::algebra::{Offset, Placed};
use crate::syntax::{Layout, Sexp};

use super::ast::PASS;
use super::source::{DEFAULT_DIMENSIONS, DEFAULT_SEMIRING};
use super::text::{is_printable, kernel_sexp};
use super::{Cell, FilterSource, Grid, IndexSpace, OutputSource, Term, TermKind};

/// Prints a filter as a kernel file with canonical layout and numbers. Reading it back gives an equal filter; comments
/// are lost.
pub fn print_filter(filter: &FilterSource) -> String {
    text(&filter_sexp(filter))
}

/// Prints a filter that has these kernels as outputs, in place of its own terms, as a kernel file.
///
/// # Errors
/// The name of an output that is too large to print.
pub(crate) fn print_kernels<'a>(
    filter: &FilterSource,
    outputs: &'a [(String, Placed)],
) -> Result<String, &'a str> {
    let mut items = header_sexps(filter);
    for (name, kernel) in outputs {
        if !is_printable(kernel) {
            return Err(name);
        }
        items.push(Sexp::form("output", [Sexp::atom(name.as_str()), kernel_sexp(kernel, &filter.inputs)]));
    }
    Ok(text(&Sexp::form("filter", items)))
}

fn text(filter: &Sexp) -> String {
    Layout { broken: &["filter"], ..Layout::default() }.print(filter) + "\n"
}

pub(super) fn filter_sexp(filter: &FilterSource) -> Sexp {
    let mut items = header_sexps(filter);
    items.extend(filter.lets.iter().map(|binding| named_sexp("let", binding)));
    items.extend(filter.outputs.iter().map(|output| named_sexp("output", output)));
    Sexp::form("filter", items)
}

/// The items of a filter before its terms.
pub(super) fn header_sexps(filter: &FilterSource) -> Vec<Sexp> {
    let mut items = vec![Sexp::atom(filter.name.as_str())];
    if let Some(doc) = &filter.doc {
        items.push(Sexp::form("doc", [Sexp::text(doc.as_str())]));
    }
    if filter.semiring != DEFAULT_SEMIRING {
        items.push(Sexp::form("semiring", [Sexp::atom(filter.semiring.as_str())]));
    }
    if filter.dimensions != DEFAULT_DIMENSIONS {
        items.push(Sexp::form("dimensions", [Sexp::atom(filter.dimensions.to_string())]));
    }
    match filter.space {
        IndexSpace::Grid => {}
        IndexSpace::Hexagonal => items.push(Sexp::form("space", [Sexp::atom("hexagonal")])),
        IndexSpace::Torus(periods) => {
            let periods = periods[..usize::from(filter.dimensions)].iter().map(u32::to_string);
            let words = std::iter::once("torus".to_owned()).chain(periods);
            items.push(Sexp::form("space", words.map(Sexp::atom)));
        }
    }
    items.push(Sexp::form("inputs", filter.inputs.iter().map(|name| Sexp::atom(name.as_str()))));
    items
}

fn named_sexp(head: &str, named: &OutputSource) -> Sexp {
    Sexp::form(head, [Sexp::atom(named.name.as_str()), term_sexp(&named.term)])
}

fn term_sexp(term: &Term) -> Sexp {
    let all = |terms: &[Term]| terms.iter().map(term_sexp).collect::<Vec<_>>();
    match &term.kind {
        TermKind::Kernel(grid) => grid_sexp(grid),
        TermKind::Identity => Sexp::form("id", []),
        TermKind::Scan(direction) => Sexp::form("scan", direction.to_string().split(' ').map(Sexp::atom)),
        TermKind::Variable(name) => Sexp::atom(name.as_str()),
        TermKind::Scale(factor, inner) => Sexp::form("scale", [Sexp::atom(&*factor.0), term_sexp(inner)]),
        TermKind::Negate(inner) => Sexp::form("neg", [term_sexp(inner)]),
        TermKind::Shift(by, inner) => Sexp::form("shift", shift_sexps(*by).chain([term_sexp(inner)])),
        TermKind::Add(terms) => Sexp::form("add", all(terms)),
        TermKind::Subtract(a, b) => Sexp::form("sub", [term_sexp(a), term_sexp(b)]),
        TermKind::Compose(terms) => Sexp::form("compose", all(terms)),
        TermKind::From(channel, kernel) => {
            Sexp::form("from", [Sexp::atom(channel.text.as_str()), term_sexp(kernel)])
        }
        TermKind::Fix(name, inner) => Sexp::form("fix", [Sexp::atom(name.text.as_str()), term_sexp(inner)]),
        TermKind::Combine { outputs, passes } => {
            let named = outputs.iter().map(|output| named_sexp("output", output));
            Sexp::form("combine", named.chain(passes.then(|| Sexp::atom(PASS))))
        }
        TermKind::Instruct { program, instructions } => {
            Sexp::form("|>", std::iter::once(term_sexp(program)).chain(all(instructions)))
        }
    }
}

/// The coordinates of a shift: two, or three if the third is not zero.
fn shift_sexps(by: Offset) -> impl Iterator<Item = Sexp> {
    let count = if by[2] == 0 { 2 } else { 3 };
    by.into_iter().take(count).map(|coordinate| Sexp::atom(coordinate.to_string()))
}

fn grid_sexp(grid: &Grid) -> Sexp {
    let [width, height, depth] = grid.size;
    let mut items = Vec::new();
    if Grid::middle(grid.size) != Some(grid.origin) {
        let count = if depth == 1 { 2 } else { 3 };
        items.push(Sexp::form("origin", grid.origin[..count].iter().map(|at| Sexp::atom(at.to_string()))));
    }
    let row = |cells: &[Cell]| Sexp::list(cells.iter().map(|cell| Sexp::atom(cell_text(cell))).collect());
    if depth == 1 {
        items.extend(grid.cells.chunks(width).map(row));
    } else {
        items.extend(
            grid.cells.chunks(width * height).map(|plane| Sexp::form("plane", plane.chunks(width).map(row))),
        );
    }
    Sexp::form("kernel", items)
}

fn cell_text(cell: &Cell) -> &str {
    match cell {
        Cell::Empty => ".",
        Cell::Stored => "+",
        Cell::Value(coefficient) => &coefficient.0,
    }
}

#[cfg(test)]
mod tests;
