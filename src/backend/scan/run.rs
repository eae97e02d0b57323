//! Runs the plan of a filter on pictures and compares the results with direct convolution.

use super::compile::{Applied, apply, optimize_stream};
use super::machine::{Output, Overflow, Pixel};
use super::report::{StreamRunInput, StreamRunOutput, StreamRunRecord};
use super::request::StreamRequest;
use crate::backend::{JSON, Pictures, Ran, Record, RunError, open_pictures};
use crate::picture::{Image, PictureFormat, read_samples, write_numbers, write_samples};
use crate::report::{Figure, VERSION};

/// Applies the plan of a filter to pictures, and compares the results with direct convolution.
pub(super) fn run(request: &StreamRequest, pictures: &dyn Pictures) -> Result<Ran, RunError> {
    let streamed = optimize_stream(request).map_err(RunError::Filter)?;
    let (pixel, overflow) = (request.pixel, request.overflow);
    let names = &streamed.plan.inputs;
    let read = open_pictures(pictures, names).map_err(RunError::Usage)?;
    let read: Vec<_> =
        read.iter().map(|(file, bytes)| image(pixel, file, bytes)).collect::<Result<_, RunError>>()?;
    let (images, clipped): (Vec<Image>, Vec<usize>) = read.into_iter().unzip();
    let inputs = names.iter().zip(clipped);
    let inputs = inputs.map(|(name, clipped)| StreamRunInput { name: name.clone(), clipped }).collect();
    let limits =
        |output: &Output| (wraps(output, overflow), if output.pixel.bits == 8 { 255 } else { u16::MAX });
    let array = pictures.format() == PictureFormat::Npy;
    let range = |output: &Output| {
        let [least, greatest] = output.pixel.range();
        match limits(output) {
            _ if array => [least, greatest],
            (true, _) => [least, greatest],
            (false, most) => [least.max(0), greatest.min(most.into())],
        }
    };
    let applied = apply(&streamed, &images, streamed.border, overflow, &range)
        .map_err(|why| RunError::Usage(format!("cannot run `{}`: {why}", request.source.name())))?;
    let (mut files, mut outputs) = (Vec::new(), Vec::new());
    for (output, applied_here) in streamed.plan.outputs.iter().zip(&applied) {
        let file = pictures.file(&output.name, applied.len() > 1);
        let (wraps, most) = limits(output);
        // Numbers of single precision are written as they are.
        let outside = if array && output.pixel.float { [0; 2] } else { applied_here.outside };
        let picture = if array {
            let integers = (!output.pixel.float).then_some((output.pixel.bits, output.pixel.signed));
            write_numbers(&applied_here.image, integers)
        } else {
            write_samples(&applied_here.image, most, pictures.format())
                .map_err(|error| RunError::Usage(format!("cannot use `{file}`: {error}")))?
        };
        outputs.push(output_record([&output.name, &file], applied_here, outside, (wraps && !array, most)));
        files.push((file, picture));
    }
    // In single precision results differ by its rounding.
    let is_exact = |output: &Output| !pixel.float && !output.pixel.float;
    let mut told = streamed.plan.outputs.iter().zip(&outputs);
    let differs = told.any(|(output, told)| is_exact(output) && told.greatest_difference.get() > 0.0);
    let record = StreamRunRecord {
        file: streamed.record.file.clone(),
        filter: streamed.record.filter.clone(),
        target: request.machine.name.clone(),
        pixel: pixel.name().to_owned(),
        border: streamed.border.name().to_owned(),
        overflow: overflow.name().to_owned(),
        cost: streamed.record.cost,
        inputs,
        outputs,
        version: VERSION.to_owned(),
    };
    Ok(Ran { record: Box::new(record), pictures: files, differs })
}

/// Whether results that do not fit lose their upper bits.
fn wraps(output: &Output, overflow: Overflow) -> bool {
    output.overflow(overflow) == Overflow::Wrap && !output.pixel.float
}

/// The record of one result. `outside`: the number of values below and above the range. `wraps`: values that do not fit lose their upper
/// bits. `most`: the greatest value of the file format.
fn output_record(
    [name, file]: [&str; 2],
    Applied { image, direct, .. }: &Applied,
    outside: [usize; 2],
    (wraps, most): (bool, u16),
) -> StreamRunOutput {
    let pixels = image.pixels();
    let fold = |pick: fn(f64, f64) -> f64, from: f64| pixels.iter().copied().fold(from, pick);
    let differences: Vec<f64> = pixels.iter().zip(direct.pixels()).map(|(a, b)| distance(*a, *b)).collect();
    // A wrapped value fits the type again, but may still exceed the range of the file.
    let count = |is: &dyn Fn(f64) -> bool| pixels.iter().filter(|pixel| is(**pixel)).count();
    let [below, above] =
        if wraps { [count(&|pixel| pixel < 0.0), count(&|pixel| pixel > most.into())] } else { outside };
    StreamRunOutput {
        name: name.to_owned(),
        file: file.to_owned(),
        size: [image.width(), image.height()],
        least: Figure::new(fold(f64::min, f64::INFINITY)),
        greatest: Figure::new(fold(f64::max, f64::NEG_INFINITY)),
        clipped: below + above,
        clipped_below: below,
        wrapped: if wraps { outside.iter().sum() } else { 0 },
        unlike: differences.iter().filter(|distance| distance.is_infinite()).count(),
        greatest_difference: Figure::new(
            differences.iter().copied().filter(|distance| distance.is_finite()).fold(0.0, f64::max),
        ),
    }
}

/// The distance of two results; infinite if one is NaN or infinite, and the other is not the same.
fn distance(one: f64, other: f64) -> f64 {
    let is_same = one == other || one.is_nan() && other.is_nan();
    match (one - other).abs() {
        _ if is_same => 0.0,
        distance if distance.is_nan() => f64::INFINITY,
        distance => distance,
    }
}

/// Reads a picture as pixels of the type. Also returns the number of pixels limited to the range of an integer type.
///
/// # Errors
/// The file is no picture, or has fractions where the type has none.
fn image(pixel: Pixel, file: &str, bytes: &[u8]) -> Result<(Image, usize), RunError> {
    let unusable = |why: String| RunError::Usage(format!("cannot use `{file}`: {why}"));
    let (mut image, _) = read_samples(bytes).map_err(|error| unusable(error.to_string()))?;
    if pixel.float {
        return Ok((image, 0));
    }
    if let Some(fraction) = image.pixels().iter().find(|value| value.fract() != 0.0) {
        let name = pixel.name();
        return Err(unusable(format!("it has the pixel {fraction}, and {name} is of integers; see --type")));
    }
    let [least, greatest] = pixel.range().map(|bound| bound as f64);
    let mut clipped = 0;
    for pixel in image.pixels_mut() {
        let limited = pixel.clamp(least, greatest);
        clipped += usize::from(limited != *pixel);
        *pixel = limited;
    }
    Ok((image, clipped))
}

impl Record for StreamRunRecord {
    fn text(&self, _verbose: bool) -> String {
        StreamRunRecord::text(self)
    }

    fn emit(&self, form: &str) -> Option<String> {
        (form == JSON.name).then(|| self.to_json())
    }
}
