//! The record of a pipeline, and its text.

use std::fmt::Write;

use serde::Serialize;

use super::cost::Operations;
use crate::backend::scan::report::operations;
use crate::backend::scan::report::{Measured, StreamChecks, StreamCost, StreamGraph};
use crate::report::{Figure, counted, json_line};

/// The result of `kalg optimize` for a pipeline on a machine in scan order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PipelinePlanRecord {
    /// The file, as the user named it.
    pub file: String,
    /// The pipeline's name.
    pub pipeline: String,
    /// The machine's name.
    pub target: String,
    /// How inputs continue beyond their edges.
    pub border: String,
    /// The number of stages with names.
    pub stages: u64,
    /// The linear operations as the file writes them, tap by tap, for each pixel of the base grid.
    pub written: Operations,
    /// Those that are left.
    pub compiled: Operations,
    /// Whether linear stages were moved across changes of rate, which was cheaper.
    pub across_rates: bool,
    /// The regions, each a filter.
    pub regions: Vec<RegionPlanRecord>,
    /// The codes that were measured, if this one was chosen by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// The rules whose decompositions the plans use.
    pub rules_used: Vec<String>,
    /// The function in C; `null` if there is none.
    pub c: Option<String>,
    /// The function in Rust; `null` if there is none.
    pub rust: Option<String>,
    /// Why there is no code, with the place.
    pub c_refused: Option<String>,
    /// The seed of the random images.
    pub seed: u64,
    /// The time taken.
    pub seconds: Figure,
    /// What a user should know before using the result, in sentences; absent if there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The version of kalg.
    pub version: String,
}

/// A region that was compiled as one filter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionPlanRecord {
    /// What it reads. Values without names are `#` with a number.
    pub inputs: Vec<String>,
    /// What it computes.
    pub outputs: Vec<String>,
    /// The name of the semiring of the coefficients.
    pub semiring: String,
    /// The type in which its inputs are kept.
    #[serde(rename = "type")]
    pub pixel: String,
    /// The types of its outputs.
    pub output_types: Vec<String>,
    /// How often it is computed for each pixel of the base grid.
    pub weight: Figure,
    /// The operations tap by tap for each of its pixels: additions, multiplications, shifts.
    pub tap_by_tap: [u64; 3],
    /// The cost of the plan for each of its pixels, constants left out.
    pub cost: StreamCost,
    /// The method that found the plan.
    pub method: String,
    /// The steps, as equations.
    pub plan: Vec<String>,
    /// The checks that the plan passed.
    pub verified: StreamChecks,
    /// The e-graph.
    pub egraph: StreamGraph,
    /// The rules whose decompositions the plan uses.
    pub rules_used: Vec<String>,
}

impl PipelinePlanRecord {
    /// The record as one line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// The record as a report for people. A verbose report adds the steps of every plan.
    pub fn text(&self, verbose: bool) -> String {
        let mut text = format!(
            "{} ({}) for {}: {} named stages, border {}\n",
            self.pipeline, self.file, self.target, self.stages, self.border
        );
        let _ =
            writeln!(text, "operations for each pixel: additions, multiplications, shifts, point-wise ones");
        for (name, one) in [("as written", &self.written), ("compiled", &self.compiled)] {
            let [a, b, c, d] =
                [one.additions, one.multiplications, one.shifts, one.point_wise].map(Figure::get);
            let _ = writeln!(text, "  {name:<12}{a:>10} {b:>10} {c:>10} {d:>10}");
        }
        if self.compiled.total() > self.written.total() {
            text.push_str(
                "more than as written: plans for this machine are chosen by the time of their loops\n",
            );
        }
        if self.across_rates {
            text.push_str("linear stages were moved across changes of rate\n");
        }
        for (number, region) in self.regions.iter().enumerate() {
            text.push_str(&region.text(number + 1, verbose));
        }
        if self.regions.is_empty() {
            text.push_str("no linear region is worth a plan\n");
        }
        if let Some(measured) = &self.measured {
            text.push_str(&measured.text());
        }
        if let Some(why) = &self.c_refused {
            let _ = writeln!(text, "no code: {why}");
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "warning: {warning}");
        }
        text
    }
}

impl RegionPlanRecord {
    fn text(&self, number: usize, verbose: bool) -> String {
        let Self { inputs, outputs, semiring, pixel, output_types, tap_by_tap, cost, method, .. } = self;
        let outputs: Vec<String> =
            outputs.iter().zip(output_types).map(|(name, of)| format!("{name} {of}")).collect();
        let [a, b, c] = tap_by_tap;
        let mut text = format!(
            "region {number}: {} from {} ({pixel}, {semiring})\n  \
             tap by tap {}; compiled {}, {}, {} ({method})",
            outputs.join(", "),
            inputs.join(", "),
            operations(*a, *b, *c, None),
            cost.additions,
            cost.multiplications,
            counted(cost.shifts, "shift")
        );
        if self.weight.get() != 1.0 {
            let _ = write!(text, "; {} of its pixels for each of the base grid", self.weight.get());
        }
        text.push('\n');
        if !self.rules_used.is_empty() {
            let _ = writeln!(text, "  rules: {}", self.rules_used.join(", "));
        }
        if verbose {
            self.plan.iter().for_each(|line| {
                let _ = writeln!(text, "    {line}");
            });
        }
        text
    }
}
