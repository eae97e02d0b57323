//! Stages as a page: what each reads, and what its values are.

use serde::Serialize;

use super::page;
use crate::report::{PipelineRecord, StageRecord};

/// A stage as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ShownStage {
    /// `input`, `stage` or `output`.
    pub kind: &'static str,
    /// How it is computed, if that is known in a line.
    pub equation: Option<String>,
    /// What is known of it.
    #[serde(flatten)]
    pub record: StageRecord,
}

impl ShownStage {
    /// The inputs, stages and outputs of a pipeline.
    pub fn of_pipeline(pipeline: &PipelineRecord) -> Vec<Self> {
        let PipelineRecord { inputs, stages, outputs, .. } = pipeline;
        let all = [("input", inputs), ("stage", stages), ("output", outputs)];
        let shown = |kind, record: &StageRecord| Self { kind, equation: None, record: record.clone() };
        all.into_iter().flat_map(|(kind, of)| of.iter().map(move |record| shown(kind, record))).collect()
    }
}

impl PipelineRecord {
    /// The stages as a page for a browser.
    pub fn to_page(&self) -> String {
        stages_page(&self.pipeline, &self.text(), &ShownStage::of_pipeline(self))
    }
}

/// The page of stages; `report` is the text for people.
pub fn stages_page(name: &str, report: &str, stages: &[ShownStage]) -> String {
    let data = serde_json::json!({ "name": name, "report": report, "stages": stages });
    page(name, &[include_str!("stages.js")], &data)
}
