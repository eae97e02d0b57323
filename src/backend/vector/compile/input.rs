//! What a file asks for: a workload, or a filter over a tile.

use super::refusal::Named;
use super::request::{USUAL_RANGE, USUAL_TILE, VectorRequest};
use crate::algebra::{Kernel, PlusTimes, Rational};
use crate::backend::OptimizeError;
use crate::backend::vector::workload::{Element, Workload, read_workload};
use crate::syntax::{Diagnostic, Kind, Span};
use crate::term::{Definition, IndexSpace, denote_linear, read_filter, written};

/// What a file asks for.
pub(super) struct Given {
    /// The workload of the file, or of its filter with the request's tile and type.
    pub(super) workload: Workload,
    /// The names of the filter's inputs. Empty for a workload; so are those below.
    pub(super) inputs: Vec<String>,
    /// The filter's outputs.
    pub(super) outputs: Vec<Named>,
    /// The filter's definitions.
    pub(super) written: Vec<Definition>,
}

/// Reads the request's file.
///
/// # Errors
/// The file has mistakes, or no vector machine computes what it says.
pub(super) fn read_given(request: &VectorRequest) -> Result<Given, OptimizeError> {
    if Kind::of(&request.source) == Some(Kind::Convolution) {
        let given = [
            ("tile", request.tile.is_some()),
            ("type", request.element.is_some()),
            ("range", request.range.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            let message = format!(
                "--{option} does not go with a convolution, whose file says its tile, type and range"
            );
            return Err(OptimizeError::Usage(message));
        }
        let workload = Workload { tolerance: request.tolerance, ..read_workload(&request.source)? };
        return Ok(Given { workload, inputs: Vec::new(), outputs: Vec::new(), written: Vec::new() });
    }
    let source = read_filter(&request.source)?;
    let filter = denote_linear(&source)?;
    let place = source.outputs.first().map_or(Span::at(0), |output| output.span);
    let refuse = |message: &str, label: &str| {
        OptimizeError::BadInput(Diagnostic::error("not-integers", message).label(place, label).into())
    };
    if matches!(source.space, IndexSpace::Torus(_)) {
        return Err(refuse("a tile has edges, and a torus has none", "over a torus"));
    }
    let kernels: Vec<&Kernel<PlusTimes>> = filter.rows().flat_map(|(_, kernels)| kernels).collect();
    if kernels.iter().any(|kernel| kernel.nonzero_taps().any(|(offset, _)| offset[2] != 0)) {
        return Err(refuse(
            "the code computes on planes, and a kernel reaches out of its plane",
            "in this output or another",
        ));
    }
    let (size, centre, values, shift) = integers(&kernels).ok_or_else(|| {
        refuse(
            "coefficients are not integers over a power of two, or all are zero",
            "in this output or another",
        )
    })?;
    let channels = [filter.outputs().len(), filter.inputs().len()];
    let element = request.element.unwrap_or(Element::Int16);
    let [least, greatest] = element.range();
    if let Some([low, high]) = request.range.filter(|[low, high]| *low < least || *high > greatest) {
        let message = format!("inputs of {low} to {high} do not fit in {element}");
        let label = format!("choose a `--range` within {least}..{greatest}, or a wider `--type`");
        let wrong = Diagnostic::error("out-of-range", message).label(place, label);
        return Err(OptimizeError::BadInput(wrong.into()));
    }
    let tile = request.tile.unwrap_or(USUAL_TILE);
    let workload = Workload {
        shift,
        centre,
        range: request.range.unwrap_or(if element == Element::Int8 { element.range() } else { USUAL_RANGE }),
        tolerance: request.tolerance,
        ..Workload::known(source.name.clone(), element, tile, [size[0], size[1]], channels, values)
    };
    let outputs = source.outputs.iter().map(|output| (output.name.clone(), output.span)).collect();
    let written = written(&source)?;
    Ok(Given { workload, inputs: source.inputs, outputs, written })
}

/// A window: its width and height, the column and row under the output, its coefficients, and the right shift of
/// results in bits.
type Window = ([usize; 2], [i64; 2], Vec<i64>, u32);

/// The window around all kernels, with the coefficients of each, row by row from the north. `None` for kernels that are
/// not planar or not dyadic, are too large, or are all zero.
fn integers(kernels: &[&Kernel<PlusTimes>]) -> Option<Window> {
    let taps = || {
        let of = |(index, kernel): (usize, &&Kernel<PlusTimes>)| {
            kernel.nonzero_taps().map(move |(offset, value)| (index, offset, value)).collect::<Vec<_>>()
        };
        kernels.iter().enumerate().flat_map(of)
    };
    if taps().any(|(.., value)| !value.is_dyadic()) {
        return None;
    }
    let shift = taps().map(|(.., value)| value.denominator().trailing_zeros()).max()?;
    let bound = |axis: usize| {
        let along = || taps().map(move |(_, offset, _)| offset[axis]);
        Some((along().min()?, along().max()?))
    };
    let ((west, east), (south, north)) = (bound(0)?, bound(1)?);
    let (width, height) = ((east - west + 1) as usize, (north - south + 1) as usize);
    let mut values = vec![0; kernels.len() * width * height];
    for (index, offset, value) in taps() {
        let scaled = value.mul(Rational::power_of_two(shift as i32)?)?;
        let (row, column) = ((north - offset[1]) as usize, (offset[0] - west) as usize);
        values[(index * height + row) * width + column] = scaled.numerator();
    }
    Some(([width, height], [-i64::from(west), i64::from(north)], values, shift))
}
