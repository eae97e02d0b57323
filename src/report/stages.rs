//! The stages of a pipeline with what is known of each, and what is merged, as a record and as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::{VERSION, json_line};
use crate::algebra::{Kernel, PlusTimes, Rational};
use crate::pipeline::identity::Identity;
use crate::pipeline::{Merged, NodeId, Operation, Pipeline, PixelType, Unsound, Window, merge, windows};

/// What `kalg explain` shows of a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PipelineRecord {
    /// The pipeline's file, as named on the command line.
    pub file: String,
    /// The pipeline.
    pub pipeline: String,
    /// What inputs are beyond their edges.
    pub border: String,
    /// The inputs.
    pub inputs: Vec<StageRecord>,
    /// The stages, in file order.
    pub stages: Vec<StageRecord>,
    /// The outputs.
    pub outputs: Vec<StageRecord>,
    /// The linear regions, as filters.
    pub regions: Vec<RegionRecord>,
    /// The stages that are merged into others.
    pub merged: Vec<String>,
    /// How often each identity of point-wise operations applied.
    pub applied: BTreeMap<String, usize>,
    /// The version of kalg.
    pub version: String,
}

/// An input, a stage or an output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageRecord {
    /// The name.
    pub name: String,
    /// The declared type; of values without one, the narrowest of 8, 16, 32 or 64 bits.
    #[serde(rename = "type")]
    pub pixel: String,
    /// The bits that the interval needs; `null` in single precision.
    pub bits: Option<u32>,
    /// The least value, as a text since it may have 64 bits; `null` in single precision.
    pub least: Option<String>,
    /// The greatest value.
    pub greatest: Option<String>,
    /// Samples for each column and row of the base grid; `null` for constants.
    pub rate: Option<[String; 2]>,
    /// The number of planes; `null` without planes.
    pub planes: Option<u32>,
    /// What it reads of the stages and inputs before it.
    pub reads: Vec<ReadRecord>,
    /// What it reads of inputs, through all stages between.
    pub window: Vec<ReadRecord>,
}

/// A window on a stage or an input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadRecord {
    /// The stage or input.
    pub of: String,
    /// The first and the last column, counted east from ratio times the own column.
    pub columns: [i64; 2],
    /// The first and the last row, counted north from ratio times the own row.
    pub rows: [i64; 2],
    /// The samples of the other for each own column and row.
    pub ratio: [String; 2],
    /// The most columns and rows that a pixel reads.
    pub size: [i64; 2],
}

/// A linear region: a filter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionRecord {
    /// What the filter reads.
    pub inputs: Vec<String>,
    /// The columns and rows from one pixel that is read to the next, for each input.
    pub strides: Vec<[u32; 2]>,
    /// What it computes.
    pub outputs: Vec<RegionOutput>,
}

/// A value that a linear region computes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionOutput {
    /// The stage, the output, or `#` with a number; after a point the number of its phase.
    pub name: String,
    /// The constant that is added.
    pub constant: String,
    /// The divisor of all kernels: their least common denominator.
    pub divisor: String,
    /// The kernel for each input, as rows of integers from the north; empty where nothing is read.
    pub kernels: Vec<String>,
    /// The coefficients that are not zero, over all inputs.
    pub taps: usize,
}

/// Describes a pipeline, and what becomes of it by these identities.
///
/// # Errors
/// An identity that would be used does not hold.
pub fn describe_pipeline(
    pipeline: &Pipeline,
    file: &str,
    identities: &[Identity],
) -> Result<PipelineRecord, Unsound> {
    let merged = merge(pipeline, identities)?;
    // The first of several names counts: it is inserted last.
    let names: BTreeMap<NodeId, &String> = pipeline.named().rev().collect();
    let inputs: Vec<NodeId> =
        pipeline.ids().filter(|id| matches!(pipeline.node(*id).operation, Operation::Input(_))).collect();
    let ends: Vec<NodeId> = names.keys().copied().collect();
    let (near, far) = (windows(pipeline, &ends), windows(pipeline, &inputs));
    let record = |name: &str, node: NodeId, (pixel, is_output): (Option<PixelType>, bool)| {
        let facts = pipeline.facts(node);
        let range = facts.range();
        let narrowest = range.and_then(|range| PixelType::holding(range.least, range.greatest));
        // What has a name before reads just that.
        let reads = match names.get(&node).filter(|own| is_output || **own != name) {
            Some(own) => vec![itself(own)],
            None => reads(&near[node.index()], &names),
        };
        StageRecord {
            name: name.to_owned(),
            pixel: pixel.or(narrowest).unwrap_or(PixelType::Float32).to_string(),
            bits: range.map(|range| range.bits()),
            least: range.map(|range| range.least.to_string()),
            greatest: range.map(|range| range.greatest.to_string()),
            rate: facts.rate.map(|rate| rate.map(|along| along.to_string())),
            planes: facts.planes,
            reads,
            window: reads_of_inputs(&far[node.index()], &names, node, &inputs),
        }
    };
    let input = |(index, id): (usize, &NodeId)| {
        let input = &pipeline.inputs[index];
        StageRecord {
            reads: Vec::new(),
            window: Vec::new(),
            ..record(&input.name, *id, (Some(input.pixel), false))
        }
    };
    Ok(PipelineRecord {
        file: file.to_owned(),
        pipeline: pipeline.name.clone(),
        border: pipeline.border.to_string(),
        inputs: inputs.iter().enumerate().map(input).collect(),
        stages: pipeline
            .stages
            .iter()
            .map(|stage| record(&stage.name, stage.node, (stage.declared, false)))
            .collect(),
        outputs: pipeline.outputs.iter().map(|o| record(&o.name, o.node, (Some(o.pixel), true))).collect(),
        regions: regions(&merged),
        merged: merged.absorbed.clone(),
        applied: merged.applied.clone(),
        version: VERSION.to_owned(),
    })
}

fn reads(windows: &BTreeMap<NodeId, Window>, names: &BTreeMap<NodeId, &String>) -> Vec<ReadRecord> {
    let read = |(id, window): (&NodeId, &Window)| ReadRecord {
        of: names[id].clone(),
        columns: window.whole(0),
        rows: window.whole(1),
        ratio: window.ratio.map(|ratio| ratio.to_string()),
        size: window.size(),
    };
    windows.iter().map(read).collect()
}

fn reads_of_inputs(
    windows: &BTreeMap<NodeId, Window>,
    names: &BTreeMap<NodeId, &String>,
    node: NodeId,
    inputs: &[NodeId],
) -> Vec<ReadRecord> {
    if inputs.contains(&node) { vec![itself(names[&node])] } else { reads(windows, names) }
}

fn itself(name: &str) -> ReadRecord {
    let ratio = [Rational::ONE; 2].map(|ratio| ratio.to_string());
    ReadRecord { of: name.to_owned(), columns: [0; 2], rows: [0; 2], ratio, size: [1, 1] }
}

fn regions(merged: &Merged) -> Vec<RegionRecord> {
    let region = |region: &crate::pipeline::Region| RegionRecord {
        inputs: region.filter.inputs().to_vec(),
        strides: region.strides.clone(),
        outputs: region
            .filter
            .rows()
            .zip(&region.constants)
            .map(|((name, kernels), constant)| {
                let divisor = divisor(kernels);
                RegionOutput {
                    name: name.to_owned(),
                    constant: constant.to_string(),
                    divisor: divisor.to_string(),
                    kernels: kernels.iter().map(|kernel| rows(kernel, divisor)).collect(),
                    taps: kernels.iter().map(|kernel| kernel.nonzero_count()).sum(),
                }
            })
            .collect(),
    };
    merged.regions.iter().map(region).collect()
}

/// The least common denominator of kernels; 1 if it is beyond the range of rationals.
fn divisor(kernels: &[Kernel<PlusTimes>]) -> Rational {
    let taps = kernels.iter().flat_map(|kernel| kernel.nonzero_taps());
    let common = taps.map(|(_, tap)| tap).try_fold(Rational::ONE, |common, tap| {
        // The denominator of tap · common is what is missing.
        common.mul(Rational::integer(tap.mul(common)?.denominator()))
    });
    common.unwrap_or(Rational::ONE)
}

/// A kernel times a number, as text; empty for zero.
fn rows(kernel: &Kernel<PlusTimes>, times: Rational) -> String {
    if kernel.is_zero() {
        return String::new();
    }
    kernel.scale(times).map_or_else(|_| kernel.to_string(), |kernel| kernel.to_string())
}

impl PipelineRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// Stages with their windows, intervals, widths, types and rates, and then what is merged.
    pub fn text(&self) -> String {
        let mut text = format!("{} ({}), border {}\n", self.pipeline, self.file, self.border);
        for (what, records) in [("input", &self.inputs), ("stage", &self.stages), ("output", &self.outputs)] {
            records.iter().for_each(|record| record.push(&mut text, what));
        }
        if !self.merged.is_empty() {
            let _ = writeln!(text, "merged: {}", self.merged.join(", "));
        }
        for (name, count) in &self.applied {
            let _ = writeln!(text, "{name}: {count}");
        }
        for (number, region) in self.regions.iter().enumerate() {
            region.push(&mut text, number + 1);
        }
        text
    }
}

impl StageRecord {
    fn push(&self, text: &mut String, what: &str) {
        let _ = write!(text, "{what} {}: {}", self.name, self.pixel);
        if let (Some(least), Some(greatest), Some(bits)) = (&self.least, &self.greatest, self.bits) {
            let _ = write!(text, ", {least} to {greatest} ({bits} bits)");
        }
        match &self.rate {
            Some([x, y]) if x == "1" && y == "1" => {}
            Some([x, y]) if x == y => {
                let _ = write!(text, ", rate {x}");
            }
            Some([x, y]) => {
                let _ = write!(text, ", rate {x} × {y}");
            }
            None => text.push_str(", constant"),
        }
        if let Some(planes) = self.planes {
            let _ = write!(text, ", {planes} planes");
        }
        text.push('\n');
        let reads: Vec<String> = self.reads.iter().map(ReadRecord::text).collect();
        if !reads.is_empty() {
            let _ = writeln!(text, "    reads {}", reads.join(", "));
        }
        if self.window != self.reads {
            let window: Vec<String> = self.window.iter().map(ReadRecord::text).collect();
            let _ = writeln!(text, "    in all {}", window.join(", "));
        }
    }
}

impl ReadRecord {
    /// `image 3 × 3`: the size of the window, where it is if not around the pixel, and the ratio of the rates.
    fn text(&self) -> String {
        let mut text = self.of.clone();
        if self.size != [1, 1] {
            let _ = write!(text, " {} × {}", self.size[0], self.size[1]);
        }
        for (axis, ([low, high], ratio)) in [self.columns, self.rows].into_iter().zip(&self.ratio).enumerate()
        {
            let what = ["column", "row"][axis];
            if ratio.contains('/') || low == -high {
                continue;
            }
            let _ = if low == high {
                write!(text, ", {what} {low}")
            } else {
                write!(text, ", {what}s {low} to {high}")
            };
        }
        match &self.ratio {
            [x, y] if x == "1" && y == "1" => {}
            [x, y] if x == y => {
                let _ = write!(text, ", {x} pixels for each");
            }
            [x, y] => {
                let _ = write!(text, ", {x} × {y} pixels for each");
            }
        }
        text
    }
}

impl RegionRecord {
    fn push(&self, text: &mut String, number: usize) {
        let read = self.inputs.iter().zip(&self.strides).map(|(name, stride)| match stride {
            [1, 1] => name.clone(),
            [p, q] => format!("{name} (every {p} × {q} pixels)"),
        });
        let _ = writeln!(text, "filter {number} of {}", read.collect::<Vec<_>>().join(", "));
        for output in &self.outputs {
            let _ = write!(text, "  {}: {} taps", output.name, output.taps);
            if output.divisor != "1" {
                let _ = write!(text, ", divided by {}", output.divisor);
            }
            if output.constant != "0" {
                let _ = write!(text, ", plus {}", output.constant);
            }
            text.push('\n');
            for (input, kernel) in
                self.inputs.iter().zip(&output.kernels).filter(|(_, kernel)| !kernel.is_empty())
            {
                if self.inputs.len() > 1 {
                    let _ = writeln!(text, "    of {input}");
                }
                for line in kernel.lines() {
                    let _ = writeln!(text, "    {line}");
                }
            }
        }
    }
}
