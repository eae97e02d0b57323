//! Runs programs on pictures: grey values in, final register contents out.

use std::sync::Arc;

use super::compile::{ExecuteRequest, Executed, check_program, execute, input_cells};
use super::machine::{Cell, Target};
use super::options::{check_request, fit, run_noise};
use crate::backend::interface::has_text;
use crate::backend::{CheckError, JSON, Pictures, Ran, Record, Request, RunError, Whose, open_pictures};
use crate::picture::{Image, read_picture, write_picture};
use crate::report::{Figure, Port, RunOutput, RunRecord, VERSION};
use crate::term::{is_kernel_file, read_filter};

/// Runs a program.
pub(super) fn run(target: &Arc<Target>, request: &Request, pictures: &dyn Pictures) -> Result<Ran, RunError> {
    if is_kernel_file(&request.source) {
        return Err(match read_filter(&request.source) {
            Ok(_) => RunError::IsFilter,
            Err(wrong) => RunError::Filter(wrong.into()),
        });
    }
    has_text(&request.source)
        .map_err(|empty| RunError::Program(CheckError::Source(Whose::Program, empty)))?;
    let noise = run_noise(target, &request.options).map_err(RunError::Usage)?;
    let mut asked = check_request(target, request).map_err(RunError::Usage)?;
    let results = std::mem::take(&mut asked.outputs);
    asked.noise = None;
    let checking = check_program(&asked).map_err(RunError::Program)?;
    let execution = ExecuteRequest {
        images: images(pictures, checking.inputs())?,
        results,
        fit: fit(&request.options).map_err(RunError::Usage)?,
        noise: noise.map(|noise| (noise, request.seed)),
        saturate: request.options.has("saturate"),
    };
    let executed = execute(target, &checking, &execution).map_err(RunError::Program)?;
    let size = executed.first().map_or(target.image, |e| [e.image.width(), e.image.height()]);
    let (mut files, mut outputs) = (Vec::new(), Vec::new());
    for result in &executed {
        let file = pictures.file(&result.name, executed.len() > 1);
        let picture = write_picture(&result.image, pictures.format());
        let picture = picture.map_err(|error| RunError::Usage(format!("cannot use `{file}`: {error}")))?;
        outputs.push(output(target, result, file.clone(), checking.assumed(result.cell)));
        files.push((file, picture));
    }
    let ports = checking.inputs().iter().zip(input_cells(&checking));
    let port = |(name, cell): (&String, Cell)| Port {
        name: name.clone(),
        register: Some(target.cell_name(cell).to_owned()),
    };
    let record = RunRecord {
        file: checking.record().file.clone(),
        target: target.name.clone(),
        instructions: checking.record().instructions,
        cycles: checking.record().cycles,
        inputs: ports.map(port).collect(),
        size,
        noise: execution.noise.as_ref().map(|(noise, _)| noise.name.clone()),
        seed: request.seed,
        outputs,
        version: VERSION.to_owned(),
    };
    Ok(Ran { record: Box::new(record), pictures: files, differs: false })
}

/// The pictures, in the order of the inputs.
fn images(pictures: &dyn Pictures, inputs: &[String]) -> Result<Vec<Image>, RunError> {
    let files = open_pictures(pictures, inputs).map_err(RunError::Usage)?;
    let decode = |(file, bytes): (String, Vec<u8>)| match read_picture(&bytes) {
        Ok(image) => Ok(image),
        Err(error) => Err(RunError::Usage(format!("cannot use `{file}`: {error}"))),
    };
    files.into_iter().map(decode).collect()
}

/// The record of one result.
fn output(target: &Target, result: &Executed, file: String, assumed: Vec<String>) -> RunOutput {
    let pixels = result.image.pixels();
    let fold = |pick: fn(f64, f64) -> f64, from: f64| Figure::new(pixels.iter().copied().fold(from, pick));
    RunOutput {
        name: result.name.clone(),
        register: target.cell_name(result.cell).to_owned(),
        file,
        least: fold(f64::min, f64::INFINITY),
        greatest: fold(f64::max, f64::NEG_INFINITY),
        clipped: pixels.iter().filter(|value| !(-128.0..=127.0).contains(&value.round())).count(),
        rms_error: result.quality.map(|(rms, _)| Figure::new(rms)),
        ssim: result.quality.and_then(|(_, ssim)| ssim).map(Figure::new),
        assumed,
    }
}

impl Record for RunRecord {
    fn text(&self, _verbose: bool) -> String {
        RunRecord::text(self)
    }

    fn emit(&self, form: &str) -> Option<String> {
        (form == JSON.name).then(|| self.to_json())
    }
}
