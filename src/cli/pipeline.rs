//! `kalg run` and `kalg explain` on pipelines.

use std::path::PathBuf;

use super::complain::color;
use super::outcome::{CommandError, Outcome};
use super::output::{Output, write_result, write_whole};
use super::pictures::Files;
use crate::compiler::run_pipeline;
use crate::pipeline::{Pipeline, read_pipeline};
use crate::report::{PipelineRecord, describe_pipeline};
use crate::rule::RuleSet;
use crate::syntax::{Source, render};

/// Runs a pipeline on pictures, and writes its outputs.
pub(super) fn run(source: &Source, files: &Files<'_>, json: bool) -> Result<Outcome, CommandError> {
    let Some(pipeline) = read(source) else { return Ok(Outcome::BadInput) };
    let ran = match run_pipeline(source, &pipeline, files) {
        Ok(ran) => ran,
        Err(error) => {
            eprint!("{}", error.render(color()));
            return Ok(Outcome::BadInput);
        }
    };
    for (path, bytes) in &ran.pictures {
        write_whole(path.as_ref(), bytes)?;
    }
    Output::new(None).put(&if json { ran.report.to_json() } else { ran.report.to_string() })?;
    Ok(Outcome::Done)
}

/// Shows the stages of a pipeline, and what of them is merged, in a form.
pub(super) fn explain(
    source: &Source,
    rules: &RuleSet,
    form: fn(&PipelineRecord) -> String,
    output: Option<PathBuf>,
) -> Result<Outcome, CommandError> {
    let Some(pipeline) = read(source) else { return Ok(Outcome::BadInput) };
    let record = describe_pipeline(&pipeline, source.name(), &rules.identities())
        .map_err(|unsound| CommandError::Usage(unsound.to_string()))?;
    write_result(output, &form(&record))?;
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
