//! What a program with conditions or digital registers is compared with: a filter, or another program.

use super::steps::{Steps, named_cell, trouble_text, written};
use crate::algebra::{Offset, Placed, Rational};
use crate::backend::array::compile::check_request::CheckRequest;
use crate::backend::array::machine::{Cell, Listing};
use crate::backend::array::verify::guarded::{Affine, Followed, Space, Trouble, Value};
use crate::backend::error::{CheckError, Whose};
use crate::syntax::{Diagnostic, Span};
use crate::term::{filter_placed, read_filter};

/// What a program is compared with, in the space of its functions.
pub(super) struct Against {
    pub(super) wanted: Vec<Expected>,
    /// The other program, if it is one: its steps, and its registers and bits at the start.
    pub(super) other: Option<(Steps, Followed)>,
}

/// An expected output.
pub(super) struct Expected {
    pub(super) name: String,
    pub(super) cell: Option<Cell>,
    pub(super) value: Value,
    /// The kernel over the inputs, or the register or bit of the other program.
    pub(super) means: Means,
}

pub(super) enum Means {
    Kernel(Vec<(usize, i32, i32, f64)>),
    Cell(Cell),
}

/// The expected outputs.
pub(super) fn against(
    request: &CheckRequest,
    space: &mut Space,
    channels: &[u16],
    other: Option<(Listing, Steps)>,
) -> Result<Against, CheckError> {
    let target = &*request.target;
    let none = Against { wanted: Vec::new(), other: None };
    let Some(source) = &request.against else { return Ok(none) };
    let of_against = |diagnostics| CheckError::Source(Whose::Against, diagnostics);
    let Some((listing, steps)) = other else {
        let filter = read_filter(source).map_err(of_against)?;
        let mut wanted = Vec::new();
        for (name, kernel) in filter_placed(&filter).map_err(of_against)? {
            let value = function(space, channels, &kernel);
            wanted.push(Expected { name, cell: None, value, means: Means::Kernel(taps(&kernel)) });
        }
        return Ok(Against { wanted, other: None });
    };
    let followed = steps.follow(space, target, channels);
    let followed = followed.map_err(|trouble| CheckError::Usage(trouble_text(trouble).to_owned()))?;
    let asked = if request.against_outputs.is_empty() { &request.outputs } else { &request.against_outputs };
    let mut results = Vec::new();
    for (name, register) in asked {
        let cell = named_cell(target, register)?;
        results.push((if name.is_empty() { register.clone() } else { name.clone() }, cell));
    }
    if results.is_empty() {
        let candidates = written(&listing, &steps);
        let Some(last) = candidates.first() else {
            let message = "the program writes no register that could hold a result";
            let diagnostic = Diagnostic::error("no-result", message).label(Span::at(0), "compared with this");
            return Err(of_against(diagnostic.into()));
        };
        results.push((target.cell_name(*last).to_owned(), *last));
    }
    let wanted = results.into_iter().map(|(name, cell)| Expected {
        name,
        cell: matches!(cell, Cell::Bit(_)).then_some(cell),
        value: followed.end.value(cell),
        means: Means::Cell(cell),
    });
    Ok(Against { wanted: wanted.collect(), other: Some((steps, followed)) })
}

/// A kernel over the inputs as a function.
pub(super) fn function(space: &mut Space, channels: &[u16], kernel: &Placed) -> Value {
    let taps = kernel.taps().ok_or(Trouble::Overflow)?;
    let mut own: Vec<((u16, Offset), Rational)> = Vec::with_capacity(taps.len());
    for (channel, offset, coefficient) in taps {
        let channel = channels.get(usize::from(channel)).ok_or(Trouble::Overflow)?;
        own.push(((*channel, offset), coefficient));
    }
    let function = Affine::from_taps(own, Rational::ZERO).ok_or(Trouble::Overflow)?;
    space.diagrams.linear(function)
}

pub(super) fn taps(kernel: &Placed) -> Vec<(usize, i32, i32, f64)> {
    let taps = kernel.taps().unwrap_or_default();
    taps.iter().map(|(c, [x, y, _], k)| (usize::from(*c), *x, *y, k.to_f64())).collect()
}
