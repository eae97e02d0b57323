//! What a program with conditions or digital registers is compared with: a filter, or another program.

use super::pipeline::functions;
use super::steps::{Steps, named_cell, trouble_text, written};
use crate::algebra::{Offset, Placed, Rational};
use crate::backend::array::compile::check_request::CheckRequest;
use crate::backend::array::machine::{Cell, Listing};
use crate::backend::array::verify::guarded::{Affine, Followed, Space, Trouble, Value};
use crate::backend::error::{CheckError, Whose};
use crate::pipeline::{Range, is_pipeline, read_pipeline};
use crate::syntax::Source;
use crate::term::{filter_placed, read_filter};

/// What a program is compared with, in the space of its functions.
pub(super) struct Against {
    pub(super) wanted: Vec<Expected>,
    /// The other program, if it is one.
    pub(super) other: Option<Other>,
}

/// The program that one is compared with.
pub(super) struct Other {
    pub(super) listing: Listing,
    pub(super) steps: Steps,
    pub(super) followed: Followed,
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
    /// A function: whether it is a truth value.
    Function(bool),
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
    if is_pipeline(source) {
        return pipeline_outputs(request, space, channels, source);
    }
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
    let last =
        written(target, &listing, &steps).first().map(|cell| (target.cell_name(*cell).to_owned(), *cell));
    let results = request.results(&|name| named_cell(target, name), last)?;
    let wanted = results.into_iter().map(|(name, cell)| Expected {
        name,
        cell: matches!(cell, Cell::Bit(_)).then_some(cell),
        value: followed.end.value(cell),
        means: Means::Cell(cell),
    });
    Ok(Against { wanted: wanted.collect(), other: Some(Other { listing, steps, followed }) })
}

/// The outputs of a pipeline. One of truth values is a bit, unless the options want it in an analogue register.
fn pipeline_outputs(
    request: &CheckRequest,
    space: &mut Space,
    channels: &[u16],
    source: &Source,
) -> Result<Against, CheckError> {
    let of_against = |diagnostics| CheckError::Source(Whose::Against, diagnostics);
    let pipeline = read_pipeline(source).map_err(of_against)?;
    let mut bits = Vec::new();
    for output in &pipeline.outputs {
        let truth = pipeline.facts(output.node).range().is_some_and(Range::is_truth);
        let cell = asked_cell(request, pipeline.outputs.len(), &output.name)?;
        bits.push(truth && !matches!(cell, Some(Cell::Register(_))));
    }
    let values = functions(space, channels, &pipeline, &bits).map_err(|wrong| of_against(wrong.into()))?;
    let outputs = pipeline.outputs.iter().zip(values).zip(bits);
    let wanted = outputs.map(|((output, value), bit)| Expected {
        name: output.name.clone(),
        cell: None,
        value,
        means: Means::Function(bit),
    });
    Ok(Against { wanted: wanted.collect(), other: None })
}

/// The register or bit in which the options want an output.
pub(super) fn asked_cell(
    request: &CheckRequest,
    outputs: usize,
    name: &str,
) -> Result<Option<Cell>, CheckError> {
    for (output, register) in &request.outputs {
        let named = if output.is_empty() { register } else { output };
        if output.is_empty() && outputs == 1 || named == name {
            return named_cell(&request.target, register).map(Some);
        }
    }
    Ok(None)
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
