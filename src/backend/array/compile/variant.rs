//! The variants of a request: the filters and ways of dividing that it leaves open.

use super::request::{Nearness, OptimizeRequest};
use crate::algebra::approximate::round_to_depth;
use crate::algebra::nearby::{distance, nearby};
use crate::algebra::{AlgebraError, Placed, Rational};
use crate::backend::array::machine::Division;
use crate::backend::error::OptimizeError;
use crate::syntax::Diagnostic;
use crate::term::FilterSource;

/// One filter to compile, and its way of dividing.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    /// The way of dividing; `None` for the instruction set's default.
    pub(super) division: Option<Division>,
    pub(super) outputs: Vec<(String, Placed)>,
    /// The approximation of the file's outputs; `None` if they are exact.
    pub(super) approximation: Option<Approximated>,
    /// The RMS error of the approximation on the meter's scene; 0 until it is measured.
    pub(super) lost: f64,
}

/// The method of an approximation, and its errors.
#[derive(Clone, Debug)]
pub(super) struct Approximated {
    pub(super) method: String,
    pub(super) max_error: Rational,
    pub(super) rms_error: f64,
}

/// All variants of a request, the most promising first.
///
/// # Errors
/// [`OptimizeError::BadInput`] if no coefficients are as near as requested.
pub(super) fn variants(
    request: &OptimizeRequest,
    filter: &FilterSource,
    outputs: Vec<(String, Placed)>,
) -> Result<Vec<Variant>, OptimizeError> {
    let mut variants = Vec::new();
    for division in divisions(request) {
        let variant = |outputs, approximation| Variant { division, outputs, approximation, lost: 0.0 };
        match request.aims.nearness {
            None => variants.push(variant(outputs.clone(), None)),
            Some(Nearness::Depth(depth)) => {
                let (outputs, approximated) =
                    at_depth(&outputs, depth).map_err(|error| refusal(filter, &error.to_string()))?;
                variants.push(variant(outputs, Some(approximated)));
            }
            Some(Nearness::Within(error)) => {
                let thirds = divides_by_three(request, division);
                variants.extend(nearby(&outputs, error, thirds).into_iter().map(|near| {
                    let (method, max_error, rms_error) = (near.method, near.max_error, near.rms_error);
                    variant(near.outputs, Some(Approximated { method, max_error, rms_error }))
                }));
            }
        }
    }
    if variants.is_empty() {
        return Err(refusal(filter, "no coefficients that this machine makes are within the error"));
    }
    Ok(variants)
}

/// The ways of dividing: the requested one, or all distinct ones if noise counts.
fn divisions(request: &OptimizeRequest) -> Vec<Option<Division>> {
    let open = request.division.is_none() && (request.aims.front || request.aims.noise_weight.is_some());
    let usual = request.target.isa(&request.isa).map(|isa| isa.division);
    let (Some(usual), true) = (usual, open) else { return vec![request.division] };
    let forms = |division| request.target.forms(&request.isa, division);
    let others = Division::ALL.iter().map(|(_, division)| *division);
    let others = others.filter(|division| *division != usual && forms(*division) != forms(usual));
    std::iter::once(usual).chain(others).map(Some).collect()
}

/// Whether some instruction divides by three.
fn divides_by_three(request: &OptimizeRequest, division: Option<Division>) -> bool {
    let division = division.or(request.target.isa(&request.isa).map(|isa| isa.division));
    let forms = division.map(|division| request.target.forms(&request.isa, division)).unwrap_or_default();
    let mut taps = forms.iter().flat_map(|form| &form.results).flat_map(|result| &result.taps);
    taps.any(|tap| tap.coefficient.denominator() % 3 == 0)
}

/// Rounds every coefficient to the nearest multiple of 2^-depth.
pub(super) fn at_depth(
    outputs: &[(String, Placed)],
    depth: u32,
) -> Result<(Vec<(String, Placed)>, Approximated), AlgebraError> {
    let rounded = |(name, kernel): &(String, Placed)| {
        let taps = kernel.taps().ok_or(AlgebraError::NoShape)?;
        let taps = taps
            .into_iter()
            .map(|(channel, offset, value)| Ok((channel, offset, round_to_depth(value, depth)?)))
            .collect::<Result<Vec<_>, AlgebraError>>()?;
        let kernel = Placed::from_taps(kernel.shape.channels(), &taps).ok_or(AlgebraError::NoShape)?;
        Ok((name.clone(), kernel))
    };
    let near = outputs.iter().map(rounded).collect::<Result<Vec<_>, AlgebraError>>()?;
    let (max_error, rms_error) = distance(outputs, &near).ok_or(AlgebraError::NoShape)?;
    let method = format!("nearest at multiples of 2^-{depth}");
    Ok((near, Approximated { method, max_error, rms_error }))
}

/// Says that no coefficients are near enough.
pub(super) fn refusal(filter: &FilterSource, message: &str) -> OptimizeError {
    let mut diagnostic = Diagnostic::error("no-approximation", message);
    if let Some(output) = filter.outputs.first() {
        diagnostic = diagnostic.label(output.span, "for the coefficients from here on");
    }
    OptimizeError::BadInput(diagnostic.into())
}
