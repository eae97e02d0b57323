//! `kalg run` and `kalg explain` on pipelines.

use std::path::{Path, PathBuf};

use super::complain::color;
use super::outcome::{CommandError, Outcome};
use super::output::{Output, write_whole};
use super::pictures::{each_input, named, usage};
use crate::picture::{
    Image as Picture, PictureFormat, Samples, is_npy, read_npy, read_samples, write_npy, write_samples,
};
use crate::pipeline::{Data, ExecuteError, Image, Input, Pipeline, PixelType, execute, read_pipeline};
use crate::report::{
    PipelineInputRecord, PipelineOutputRecord, PipelineRunRecord, VERSION, describe_pipeline,
};
use crate::syntax::{Diagnostic, Source, render};

/// Runs a pipeline on the pictures `given`, and writes its outputs.
pub(super) fn run(
    source: &Source,
    given: &[String],
    out: &Path,
    json: bool,
) -> Result<Outcome, CommandError> {
    let Some(pipeline) = read(source) else { return Ok(Outcome::BadInput) };
    let form = Form::of(out)?;
    let names: Vec<String> = pipeline.inputs.iter().map(|input| input.name.clone()).collect();
    let files = each_input(&names, given, |path, bytes| Ok((path.to_owned(), bytes.to_vec())))?;
    let decoded = pipeline.inputs.iter().zip(files).map(|(input, (path, bytes))| image(input, &path, &bytes));
    let images: Vec<Image> = decoded.collect::<Result<_, _>>()?;
    let results = match execute(&pipeline, &images) {
        Ok(results) => results,
        Err(error) => return Ok(refused(source, &error)),
    };
    let mut written = Vec::new();
    for (output, result) in pipeline.outputs.iter().zip(&results) {
        let path = if results.len() > 1 { named(out, &output.name) } else { out.to_owned() };
        written.push((
            encoded(form, output.pixel, result).map_err(|why| {
                CommandError::Usage(format!(
                    "cannot write the output `{}` to `{}`: {why}",
                    output.name,
                    path.display()
                ))
            })?,
            path,
        ));
    }
    for (bytes, path) in &written {
        write_whole(path, bytes)?;
    }
    let files = written.iter().map(|(_, path)| path.display().to_string()).collect::<Vec<_>>();
    let record = record(source, &pipeline, &images, &results, &files);
    Output::new(None).put(&if json { record.to_json() } else { record.text() })?;
    Ok(Outcome::Done)
}

/// Shows the stages of a pipeline, and what of them is merged.
pub(super) fn explain(source: &Source, json: bool, output: Option<PathBuf>) -> Result<Outcome, CommandError> {
    let Some(pipeline) = read(source) else { return Ok(Outcome::BadInput) };
    let record = describe_pipeline(&pipeline, source.name());
    let mut output = Output::new(output);
    output.put(&if json { record.to_json() } else { record.text() })?;
    output.finish()?;
    Ok(Outcome::Done)
}

/// Reads a pipeline, or shows why it cannot be read. Warnings are shown, too.
fn read(source: &Source) -> Option<Pipeline> {
    match read_pipeline(source) {
        Ok(pipeline) => {
            if !pipeline.warnings.is_empty() {
                eprint!("{}", render(source, &pipeline.warnings, color()));
            }
            Some(pipeline)
        }
        Err(diagnostics) => {
            eprint!("{}", render(source, &diagnostics, color()));
            None
        }
    }
}

/// The form of the files of outputs.
#[derive(Clone, Copy)]
enum Form {
    Picture(PictureFormat),
    Npy,
}

impl Form {
    fn of(out: &Path) -> Result<Self, CommandError> {
        let name = out.to_string_lossy();
        if name.to_ascii_lowercase().ends_with(".npy") {
            return Ok(Self::Npy);
        }
        PictureFormat::of(&name)
            .map(Self::Picture)
            .map_err(|_| usage(out, &"expected a file name that ends in .png, .pgm or .npy"))
    }
}

/// Shows why a pipeline cannot be executed.
fn refused(source: &Source, error: &ExecuteError) -> Outcome {
    match error {
        ExecuteError::TooLarge { span, .. } | ExecuteError::Overflow { span } => {
            let diagnostic = Diagnostic::error("not-executed", error.to_string()).label(*span, "this value");
            eprint!("{}", render(source, &diagnostic.into(), color()));
        }
        other => eprintln!("error: {}: {other}", source.name()),
    }
    Outcome::BadInput
}

/// Reads a picture, or an array of numbers.
fn image(input: &Input, path: &Path, bytes: &[u8]) -> Result<Image, CommandError> {
    if is_npy(bytes) {
        let ([width, height], samples) = read_npy(bytes).map_err(|error| usage(path, &error))?;
        let data = match samples {
            Samples::Integers(values) => Data::Exact(values),
            Samples::Singles(values) if input.pixel == PixelType::Float32 => Data::Float(values),
            Samples::Singles(_) => {
                let why =
                    format!("it holds single precision, and the input `{}` is `{}`", input.name, input.pixel);
                return Err(usage(path, &why));
            }
        };
        return Ok(Image { width, height, data });
    }
    let (picture, _) = read_samples(bytes).map_err(|error| usage(path, &error))?;
    // Pictures have their southernmost row first. Samples are integers of at most 16 bits.
    let rows = (0..picture.height()).rev().flat_map(|y| picture.row(y));
    let data = Data::Exact(rows.map(|sample| *sample as i128).collect());
    Ok(Image { width: picture.width(), height: picture.height(), data })
}

/// Encodes an output, or says why the file's format cannot hold it.
fn encoded(form: Form, pixel: PixelType, image: &Image) -> Result<Vec<u8>, String> {
    let size = [image.width, image.height];
    match (form, pixel, &image.data) {
        (Form::Npy, PixelType::Integer { bits, signed }, Data::Exact(values)) => {
            let bits = [8, 16, 32, 64].into_iter().find(|wide| *wide >= bits).unwrap_or(64);
            Ok(write_npy(size, (bits, signed), &Samples::Integers(values.clone())))
        }
        (Form::Npy, _, Data::Float(values)) => {
            Ok(write_npy(size, (32, true), &Samples::Singles(values.clone())))
        }
        (Form::Picture(format), PixelType::Integer { bits: ..=16, signed: false }, Data::Exact(values)) => {
            let rows = values.chunks(image.width.max(1)).rev().flatten();
            let picture = Picture::from_pixels(size[0], size[1], rows.map(|value| *value as f64).collect());
            let picture = picture.ok_or("it has no pixels")?;
            let most = if pixel.bits() <= 8 { 255 } else { u16::MAX };
            write_samples(&picture, most, format).map_err(|error| error.to_string())
        }
        _ => Err(format!(
            "pictures hold unsigned integers of 8 or 16 bits, and this is `{pixel}`; write it as .npy, or give the output another type"
        )),
    }
}

fn record(
    source: &Source,
    pipeline: &Pipeline,
    images: &[Image],
    results: &[Image],
    files: &[String],
) -> PipelineRunRecord {
    let inputs = pipeline.inputs.iter().zip(images).map(|(input, image)| PipelineInputRecord {
        name: input.name.clone(),
        pixel: input.pixel.to_string(),
        size: [image.width, image.height],
    });
    let outputs = pipeline.outputs.iter().zip(results).zip(files).map(|((output, image), file)| {
        let values: Vec<f64> = match &image.data {
            Data::Exact(values) => values.iter().map(|value| *value as f64).collect(),
            Data::Float(values) => values.iter().map(|value| f64::from(*value)).collect(),
        };
        PipelineOutputRecord {
            name: output.name.clone(),
            pixel: output.pixel.to_string(),
            file: file.clone(),
            size: [image.width, image.height],
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            greatest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    });
    PipelineRunRecord {
        file: source.name().to_owned(),
        pipeline: pipeline.name.clone(),
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        version: VERSION.to_owned(),
    }
}
