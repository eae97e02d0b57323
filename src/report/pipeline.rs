//! Records of pipelines: of a run on pictures.

use std::fmt::Write;

use serde::Serialize;

use super::json_line;

/// The result of `kalg run` for a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PipelineRunRecord {
    /// The pipeline's file, as named on the command line.
    pub file: String,
    /// The pipeline.
    pub pipeline: String,
    /// The inputs.
    pub inputs: Vec<PipelineInputRecord>,
    /// The outputs.
    pub outputs: Vec<PipelineOutputRecord>,
    /// The version of kalg.
    pub version: String,
}

/// An input of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PipelineInputRecord {
    /// The name.
    pub name: String,
    /// The type.
    #[serde(rename = "type")]
    pub pixel: String,
    /// Columns and rows.
    pub size: [usize; 2],
}

/// An output of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PipelineOutputRecord {
    /// The name.
    pub name: String,
    /// The type.
    #[serde(rename = "type")]
    pub pixel: String,
    /// The file that it was written to.
    pub file: String,
    /// Columns and rows.
    pub size: [usize; 2],
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
}

impl PipelineRunRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// A few lines of text.
    pub fn text(&self) -> String {
        let mut text = format!("{} ({})\n", self.pipeline, self.file);
        for PipelineOutputRecord { name, pixel, file, size, least, greatest } in &self.outputs {
            let [width, height] = size;
            let _ = writeln!(text, "  {name}: {width} × {height} {pixel}, {least} to {greatest} -> {file}");
        }
        text
    }
}
