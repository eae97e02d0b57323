//! `kalg bench --calibrate`: measures plans of many filters and fits the costs of a descriptor to their times.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::bench_loops::{machine, request};
use super::bench_loops_code::filters;
use super::compilers::SystemC;
use super::complain::refused;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::backend::CTimer;
use crate::backend::scan::machine::ScanMachine;
use crate::backend::scan::measure::{Sample, Slower, descriptor, fit, measured, modelled};
use crate::budget::Budget;
use crate::report::{Figure, VERSION, json_line};

/// The e-nodes of each search: plans of more differ little.
const NODES: u64 = 100;

/// A plan of a filter, with its time for each pixel, and its costs.
#[derive(Serialize)]
struct Row {
    filter: String,
    pixel: String,
    output: String,
    plan: Vec<String>,
    picoseconds: Figure,
    cost: Figure,
    fitted: Figure,
}

/// Measures, fits, and prints the descriptor, or one line of JSON for each plan.
pub(super) fn run(json: bool, only: Option<&str>, mut output: Output) -> Result<Outcome, CommandError> {
    let shipped = ScanMachine::builtin(machine()).map(Arc::new);
    let shipped = shipped.ok_or_else(|| CommandError::Usage("no machine has costs of loops".to_owned()))?;
    let timer = SystemC::named();
    let mut samples: Vec<Sample> = Vec::new();
    for filter in filters().into_iter().filter(|filter| only.is_none_or(|part| filter.name.contains(part))) {
        let mut request = request(&filter, &shipped);
        request.budget = Budget::of_work(NODES);
        let (found, times) = match measured(&request, &timer) {
            Ok(found) => found,
            Err(error) => return Ok(refused(&request.source, error)),
        };
        for (streamed, time) in found.into_iter().zip(times.plans) {
            let name = format!("{} {} {}", filter.name, filter.pixel.name(), filter.output.name());
            samples.push(Sample { filter: name, plan: streamed.plan, picoseconds: time.picoseconds.get() });
        }
    }
    if samples.is_empty() {
        let what = only.unwrap_or_default();
        return Err(CommandError::Usage(format!("no filter's name contains `{what}`")));
    }
    let fitted = fit(&shipped, &samples)
        .ok_or_else(|| CommandError::Usage("the machine has no costs of loops".to_owned()))?;
    if json {
        for sample in &samples {
            output.put(&json_line(&row(sample, &shipped, &fitted)))?;
        }
        let figures = |machine| {
            let Slower { mean, worst } = Slower::of(machine, &samples);
            serde_json::json!({ "mean": Figure::new(mean), "worst": Figure::new(worst) })
        };
        let summary = serde_json::json!({
            "plans": samples.len(), "compiler": timer.command(),
            "slower_than_fastest": { "shipped": figures(&shipped), "fitted": figures(&fitted) },
            "descriptor": descriptor(&fitted),
        });
        output.put(&json_line(&serde_json::json!({ "summary": summary, "version": VERSION })))?;
    } else {
        output.put(&text(&samples, &timer, &shipped, &fitted))?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

fn row(sample: &Sample, shipped: &ScanMachine, fitted: &ScanMachine) -> Row {
    let Sample { filter, plan, picoseconds } = sample;
    let output = plan.outputs.first().map_or(plan.pixel, |output| output.pixel);
    Row {
        filter: filter.clone(),
        pixel: plan.pixel.name().to_owned(),
        output: output.name().to_owned(),
        plan: plan.listing(),
        picoseconds: Figure::new(*picoseconds),
        cost: Figure::new(modelled(shipped, plan)),
        fitted: Figure::new(modelled(fitted, plan)),
    }
}

/// The descriptor, with what it was fitted to.
fn text(samples: &[Sample], timer: &SystemC, shipped: &ScanMachine, fitted: &ScanMachine) -> String {
    let mut ratios: Vec<f64> =
        samples.iter().map(|sample| modelled(fitted, &sample.plan) / sample.picoseconds).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |part: f64| ratios.get((ratios.len() as f64 * part) as usize).copied().unwrap_or_default();
    let mut text = format!(
        "; Costs in picoseconds for each pixel, fitted to {} plans by `kalg bench --calibrate`.\n\
         ; They were compiled with `{}` and measured on rows of {} pixels.\n\
         ; Cost / time: {:.2} to {:.2}, half of them {:.2} to {:.2}.\n",
        samples.len(),
        timer.command(),
        fitted.width,
        at(0.0),
        ratios.last().copied().unwrap_or_default(),
        at(0.25),
        at(0.75)
    );
    let _ = writeln!(text, "; Time of the plan of least cost / that of the fastest plan of a filter:");
    for (name, machine) in [("of these costs", fitted), ("of those that are built in", shipped)] {
        let Slower { mean, worst } = Slower::of(machine, samples);
        let _ = writeln!(text, ";   {name}: {mean:.3} in the geometric mean, {worst:.2} at most.");
    }
    text + &descriptor(fitted)
}
