//! Runs of programs, filters and pipelines on pictures.

use super::error::Error;
use super::result::Report;
use crate::backend::{JSON, Pictures, Ran, Record, open_pictures};
use crate::picture::{
    Image as Picture, PictureFormat, Samples, is_npy, read_npy, read_samples, write_npy, write_samples,
};
use crate::pipeline::{Data, ExecuteError, Image, Input, Pipeline, PixelType, execute};
use crate::report::{PipelineInputRecord, PipelineOutputRecord, PipelineRunRecord, VERSION};
use crate::syntax::{Diagnostic, Source};

/// What a program made of pictures.
#[derive(Debug)]
pub struct Runs {
    /// The report.
    pub report: Report,
    /// The results: the names of files, and their contents.
    pub pictures: Vec<(String, Vec<u8>)>,
    /// Whether a result differs from direct convolution.
    pub differs: bool,
}

impl From<Ran> for Runs {
    fn from(ran: Ran) -> Self {
        Self { report: ran.record.into(), pictures: ran.pictures, differs: ran.differs }
    }
}

/// Executes a pipeline on pictures by its definition.
///
/// # Errors
/// A picture cannot be used, or the pipeline cannot be executed on pictures of this size.
pub fn run_pipeline(source: &Source, pipeline: &Pipeline, pictures: &dyn Pictures) -> Result<Runs, Error> {
    let names: Vec<String> = pipeline.inputs.iter().map(|input| input.name.clone()).collect();
    let files = open_pictures(pictures, &names).map_err(Error::bad_input)?;
    let decoded = pipeline.inputs.iter().zip(files).map(|(input, (file, bytes))| image(input, &file, &bytes));
    let images: Vec<Image> = decoded.collect::<Result<_, _>>()?;
    let results = execute(pipeline, &images).map_err(|error| refused(source, &error))?;
    let mut written = Vec::new();
    for (output, result) in pipeline.outputs.iter().zip(&results) {
        let file = pictures.file(&output.name, results.len() > 1);
        let bytes = encoded(pictures.format(), output.pixel, result).map_err(|why| {
            Error::bad_input(format!("cannot write the output `{}` to `{file}`: {why}", output.name))
        })?;
        written.push((file, bytes));
    }
    let report: Box<dyn Record> = Box::new(record(source, pipeline, &images, (&results, &written)));
    Ok(Runs { report: report.into(), pictures: written, differs: false })
}

fn refused(source: &Source, error: &ExecuteError) -> Error {
    match error {
        ExecuteError::TooLarge { span, .. } | ExecuteError::Overflow { span } => {
            let diagnostic = Diagnostic::error("not-executed", error.to_string()).label(*span, "this value");
            Error::at(source, &diagnostic.into())
        }
        other => Error::bad_input(format!("{}: {other}", source.name())),
    }
}

/// Reads a picture, or an array of numbers.
fn image(input: &Input, file: &str, bytes: &[u8]) -> Result<Image, Error> {
    let unusable = |error: &dyn std::fmt::Display| Error::bad_input(format!("cannot use `{file}`: {error}"));
    if is_npy(bytes) {
        let ([width, height], samples) = read_npy(bytes).map_err(|error| unusable(&error))?;
        let data = match samples {
            Samples::Integers(values) => Data::Exact(values),
            Samples::Singles(values) if input.pixel == PixelType::Float32 => Data::Float(values),
            Samples::Singles(_) => {
                let why = format!("it holds floats, and the input `{}` is `{}`", input.name, input.pixel);
                return Err(unusable(&why));
            }
        };
        return Ok(Image { width, height, data });
    }
    let (picture, _) = read_samples(bytes).map_err(|error| unusable(&error))?;
    // Pictures have their southernmost row first. Samples are integers of at most 16 bits.
    let rows = (0..picture.height()).rev().flat_map(|y| picture.row(y));
    let data = Data::Exact(rows.map(|sample| *sample as i128).collect());
    Ok(Image { width: picture.width(), height: picture.height(), data })
}

/// Encodes an output, or says why the file's format cannot hold it.
fn encoded(format: PictureFormat, pixel: PixelType, image: &Image) -> Result<Vec<u8>, String> {
    let size = [image.width, image.height];
    match (format, pixel, &image.data) {
        (PictureFormat::Npy, PixelType::Integer { bits, signed }, Data::Exact(values)) => {
            let bits = [8, 16, 32, 64].into_iter().find(|wide| *wide >= bits).unwrap_or(64);
            Ok(write_npy(size, (bits, signed), &Samples::Integers(values.clone())))
        }
        (PictureFormat::Npy, _, Data::Float(values)) => {
            Ok(write_npy(size, (32, true), &Samples::Singles(values.clone())))
        }
        (
            PictureFormat::Png | PictureFormat::Pgm,
            PixelType::Integer { bits: ..=16, signed: false },
            Data::Exact(values),
        ) => {
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
    (results, files): (&[Image], &[(String, Vec<u8>)]),
) -> PipelineRunRecord {
    let inputs = pipeline.inputs.iter().zip(images).map(|(input, image)| PipelineInputRecord {
        name: input.name.clone(),
        pixel: input.pixel.to_string(),
        size: [image.width, image.height],
    });
    let outputs = pipeline.outputs.iter().zip(results).zip(files).map(|((output, image), (file, _))| {
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

impl Record for PipelineRunRecord {
    fn text(&self, _verbose: bool) -> String {
        PipelineRunRecord::text(self)
    }

    fn emit(&self, form: &str) -> Option<String> {
        (form == JSON.name).then(|| self.to_json())
    }
}
