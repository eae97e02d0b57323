//! Pipelines on machines in scan order: every linear region is compiled as one filter of several inputs and outputs.
//!
//! What is linear, and its interval, is known from [`crate::pipeline`]; a region goes as a kernel file to the compiler of single
//! filters, which knows no pipelines. The pipeline is compiled as it is written, and with its stages merged across changes of
//! rate; the one that needs fewer operations is taken.

mod cost;
mod regions;
mod text;
mod plans;
mod coordinate;
mod expression;
mod lookups;
mod arithmetic;
mod places;
mod point;
mod point_float;
mod loops;
mod pictures;
mod schedule;
mod contract;
mod address;
mod columns;
mod c_address;
mod c_expression;
mod c_memory;
mod c;
mod rust_address;
mod rust_expression;
mod rust;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::backend::scan::machine::{RowCosts, ScanMachine};
use crate::backend::scan::request::StreamRequest;
use crate::backend::{OptimizeError, Record};
use crate::pipeline::identity::Identity;
use crate::pipeline::{NodeId, Operation, Pipeline, Unsound, merge, read_pipeline, simplify};
use crate::report::{Figure, PipelineRecord, ShownStage, VERSION, describe_pipeline, stages_page};
use crate::syntax::{Diagnostic, Diagnostics};

pub use cost::Operations;
pub use record::{PipelinePlanRecord, RegionPlanRecord};

use c::{Code, c};
use loops::Loops;
pub(in crate::backend::scan) use loops::{joined, ports_of};
use rust::rust;
use schedule::schedule;

pub(in crate::backend::scan) use plans::pixel_storage;
use plans::{Compiled, Planned, compile};

/// A pipeline whose regions are compiled and checked.
#[derive(Clone, Debug)]
pub struct Piped {
    /// The report.
    pub record: PipelinePlanRecord,
    code: Result<Code, Box<Diagnostic>>,
    /// The pipeline as the file has it.
    pipeline: Pipeline,
    identities: Vec<Identity>,
}

impl Piped {
    /// The pipeline as the file has it.
    pub(in crate::backend::scan) fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// The stages, for a page.
    fn described(&self) -> Result<PipelineRecord, Unsound> {
        describe_pipeline(&self.pipeline, &self.record.file, &self.identities)
    }
}

/// Compiles the linear regions of a pipeline for a machine in scan order. Types and the border are those of the pipeline.
///
/// # Errors
/// What is wrong with the file, and the errors of [`optimize_stream`](super::optimize_stream) for regions.
pub fn optimize_pipeline(request: &StreamRequest) -> Result<Piped, OptimizeError> {
    let start = request.budget.now();
    let pipeline = read_pipeline(&request.source)?;
    let written = cost::written(&pipeline);
    let moves = changes_rate(&pipeline);
    let (machine, chosen_by) = (row_by_row(&request.machine), request.chosen_by.as_ref().map(row_by_row));
    let request = StreamRequest { machine, chosen_by, ..request.clone() };
    let identities = request.rules.identities();
    let unsound = |why: Unsound| OptimizeError::Unsound(why.to_string());
    let (simple, applied) = simplify(&pipeline, &identities).map_err(unsound)?;
    let merged = if moves {
        let first = StreamRequest { budget: request.budget.share(2), ..request.clone() };
        Some(compile(merge(&simple, &[]).map_err(unsound)?.pipeline, &first)?)
    } else {
        None
    };
    let plain = compile(simple, &request)?;
    let across_rates = merged.as_ref().is_some_and(|merged| merged.cost.total() < plain.cost.total());
    let compiled = merged.filter(|_| across_rates).unwrap_or(plain);
    let code = Loops::of(&compiled).map(schedule).map(|loops| (c(&loops), rust(&loops)));
    let (code, in_rust) = match code {
        Ok((code, in_rust)) => (Ok(code), Some(in_rust)),
        Err(why) => (Err(why), None),
    };
    let seconds = request.budget.seconds_since(start);
    let outputs = compiled.pipeline.outputs.iter().map(|output| (output.node, &output.name));
    // The first of several names counts: it is inserted last.
    let names = compiled.pipeline.named().chain(outputs).rev().collect();
    let regions: Vec<RegionPlanRecord> =
        (0..compiled.planned.len()).map(|number| region(&compiled, number, &names)).collect();
    let rules: BTreeSet<&String> =
        regions.iter().flat_map(|region| &region.rules_used).chain(applied.keys()).collect();
    let said = pipeline.warnings.iter().map(|warning| warning.message.clone());
    let warnings = said.chain(request.rules.tried_only(&applied)).collect();
    let record = PipelinePlanRecord {
        file: request.source.name().to_owned(),
        pipeline: pipeline.name.clone(),
        target: request.machine.name.clone(),
        border: pipeline.border.to_string(),
        stages: pipeline.stages.len() as u64,
        written,
        compiled: compiled.cost,
        across_rates,
        measured: None,
        rules_used: rules.into_iter().cloned().collect(),
        regions,
        c: code.as_ref().ok().map(|code| code.source.clone()),
        rust: in_rust,
        c_refused: code.as_ref().err().map(|why| refusal(&request, why)),
        seed: request.seed,
        seconds: Figure::new(seconds),
        warnings,
        version: VERSION.to_owned(),
    };
    Ok(Piped { record, code, pipeline, identities })
}

/// The machine without loops over two rows at a time, which those of pipelines are not.
fn row_by_row(machine: &Arc<ScanMachine>) -> Arc<ScanMachine> {
    let rows = machine.rows.map(|rows| RowCosts { in_pairs: false, ..rows });
    ScanMachine { rows, ..(**machine).clone() }.into()
}

/// Why there is no code, with the line of the value.
fn refusal(request: &StreamRequest, why: &Diagnostic) -> String {
    let line = why.labels.first().map(|(span, _)| request.source.line_number(span.start as usize));
    line.map_or_else(|| why.message.clone(), |line| format!("{} (line {line})", why.message))
}

/// Whether there are values of several rates.
fn changes_rate(pipeline: &Pipeline) -> bool {
    let changes = |id: NodeId| {
        matches!(
            pipeline.node(id).operation,
            Operation::Down { .. } | Operation::Up(..) | Operation::Interleave(..)
        )
    };
    pipeline.ids().any(changes)
}

fn region(compiled: &Compiled, number: usize, names: &BTreeMap<NodeId, &String>) -> RegionPlanRecord {
    let (region, planned) = (&compiled.values.regions[number], &compiled.planned[number]);
    let Planned { plan, record, taps, weight } = planned;
    let named =
        |id: &NodeId| names.get(id).map_or_else(|| format!("#{}", id.index()), |name| (*name).clone());
    let of = |bits: u32, signed: bool| format!("{}int{bits}", if signed { "" } else { "u" });
    RegionPlanRecord {
        inputs: region.sources.iter().map(named).collect(),
        outputs: region.outputs.iter().map(named).collect(),
        semiring: record.semiring.clone(),
        pixel: record.pixel.clone(),
        output_types: plan.outputs.iter().map(|o| of(o.pixel.bits, o.pixel.signed)).collect(),
        weight: Figure::new(*weight),
        tap_by_tap: *taps,
        cost: record.cost,
        method: record.method.clone(),
        plan: plan.listing(),
        verified: record.verified,
        egraph: record.egraph.clone(),
        rules_used: record.rules_used.clone(),
    }
}

impl Record for Piped {
    fn text(&self, verbose: bool) -> String {
        self.record.text(verbose)
    }

    fn emit(&self, form: &str) -> Option<String> {
        match form {
            "code" | "c" => self.record.c.clone(),
            "rust" => self.record.rust.clone(),
            "header" => self.code.as_ref().ok().map(|code| code.header.clone()),
            "json" => Some(self.record.to_json()),
            "html" => {
                let stages = ShownStage::of_pipeline(&self.described().ok()?);
                Some(stages_page(&self.record.pipeline, &self.record.text(false), &stages))
            }
            _ => None,
        }
    }

    fn no_form(&self, form: &str) -> Option<Diagnostics> {
        match (form, &self.code) {
            ("code" | "c" | "header" | "rust", Err(why)) => Some((**why).clone().into()),
            ("html", _) => {
                let unsound = self.described().err()?;
                let message = format!("the stages cannot be merged for a page: {unsound}");
                Some(Diagnostic::error("unsound-rule", message).into())
            }
            _ => None,
        }
    }

    fn warnings(&self) -> Vec<String> {
        self.record.warnings.clone()
    }

    fn cost(&self) -> Option<f64> {
        Some(self.record.compiled.total())
    }

    fn rules_used(&self) -> Option<&[String]> {
        Some(&self.record.rules_used)
    }
}
