//! Rounds the coefficients of a filter to dyadic fractions, and writes it as a kernel file.

use super::measured::image_errors;
use super::request::Nearness;
use super::variant::{at_depth, refusal};
use crate::algebra::approximate::MAX_DEPTH;
use crate::backend::error::OptimizeError;
use crate::report::{ApproxRecord, Figure, VERSION};
use crate::syntax::Source;
use crate::term::{filter_placed, print_kernels, read_filter};

/// The range of pixels in the picture on which the filters are compared: eight bits around zero.
const PIXELS: [f64; 2] = [-128.0, 127.0];

/// Rounds every coefficient of a kernel file's filter to a multiple of 2^-depth, for the requested depth or for the
/// smallest one within the requested error.
///
/// # Errors
/// [`OptimizeError::BadInput`] if the file cannot be read, or if no depth suffices.
pub fn approximate(source: &Source, nearness: Nearness) -> Result<ApproxRecord, OptimizeError> {
    let filter = read_filter(source)?;
    let exact = filter_placed(&filter)?;
    let refused = |message: String| refusal(&filter, &message);
    let (depths, limit) = match nearness {
        Nearness::Depth(depth) => (depth..=depth, None),
        Nearness::Within(error) => (0..=MAX_DEPTH, Some(error)),
    };
    for depth in depths {
        let (outputs, lost) = at_depth(&exact, depth).map_err(|error| refused(error.to_string()))?;
        if limit.is_some_and(|limit| lost.max_error > limit) {
            continue;
        }
        let text = print_kernels(&filter, &outputs)
            .map_err(|name| refused(format!("`{name}` is too large to print")))?;
        let images = image_errors(PIXELS, &exact, &outputs);
        return Ok(ApproxRecord {
            file: source.name().to_owned(),
            filter: filter.name.clone(),
            depth,
            max_error: lost.max_error.to_f64(),
            rms_error: lost.rms_error,
            image_max_error: images.map(|(most, _)| Figure::new(most)),
            image_rms_error: images.map(|(_, rms)| Figure::new(rms)),
            text,
            version: VERSION.to_owned(),
        });
    }
    Err(refused(format!("no multiples of 2^-{MAX_DEPTH} or of larger powers of two are within the error")))
}
