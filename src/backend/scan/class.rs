//! The class of machines that see the image in scan order.

use std::sync::Arc;

use super::compile::{Streamed, optimize_stream};
use super::machine::{CodeOptions, Overflow, ScanMachine, c_header, read_machine};
use super::measure::tuned;
use super::options::{self, Settings};
use super::pipeline::optimize_pipeline;
use super::report::stream_text;
use super::request::StreamRequest;
use super::run::run;
use super::stages::stages;
use crate::backend::builtin::SCANS;
use crate::backend::option::{OptionSpec, OptionValues};
use crate::backend::{
    Backend, Builtin, CODE, Form, HTML, JSON, Machine, OptimizeError, Pictures, Price, Ran, Record, Request,
    RunError, TEXT, Task, Watch,
};
use crate::pipeline::is_pipeline;
use crate::report::stages_page;
use crate::syntax::{Diagnostics, Source};

/// Machines that see the image in scan order.
pub struct Scans;

/// The output forms of results.
const FORMS: &[Form] = &[
    TEXT,
    CODE,
    Form::new("c", "Machines in scan order: the function in C"),
    Form::new("header", "Machines in scan order: the header that declares the function in C, for C and C++"),
    Form::new("rust", "Machines in scan order: the function in Rust"),
    JSON,
    HTML,
];

impl Backend for Scans {
    fn head(&self) -> &'static str {
        "stream-machine"
    }

    fn noun(&self) -> &'static str {
        "a machine in scan order"
    }

    fn heading(&self) -> &'static str {
        "Machines in scan order"
    }

    fn builtin(&self) -> &'static [Builtin] {
        &SCANS
    }

    fn read(&self, descriptor: &Source) -> Result<Box<dyn Machine>, Diagnostics> {
        read_machine(descriptor).map(|machine| Box::new(Scan(machine)) as Box<dyn Machine>)
    }

    fn options(&self, task: Task) -> Vec<OptionSpec> {
        match task {
            Task::Optimize => options::optimize(),
            Task::Check => Vec::new(),
            Task::Run => options::run(),
        }
    }

    fn runs_filters(&self) -> bool {
        true
    }

    fn forms(&self) -> &'static [Form] {
        FORMS
    }
}

/// A machine in scan order.
struct Scan(ScanMachine);

impl Machine for Scan {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn class(&self) -> &'static dyn Backend {
        &Scans
    }

    fn price(&self) -> Option<Price> {
        let [addition, scaling] = [self.0.addition + self.0.load, self.0.shift];
        Some(Price {
            memory: true,
            addition: addition as f64 / 1000.0,
            step: 0.0,
            scaling: scaling as f64 / 1000.0,
        })
    }

    fn accept(&self, task: Task, options: &OptionValues) -> Result<(), String> {
        match task {
            Task::Optimize | Task::Run => Settings::new(&self.0, options).map(drop),
            Task::Check => Err(format!(
                "`{0}` is a machine in scan order, and has no programs to check: `kalg run FILE --target {0}` runs a filter, and \
                 compares the result with direct convolution",
                self.name()
            )),
        }
    }

    fn compile(&self, request: &Request, _watch: Watch<'_>) -> Result<Box<dyn Record>, OptimizeError> {
        let settings = Settings::new(&self.0, &request.options).map_err(OptimizeError::Usage)?;
        let (tune, timer) = (settings.tune, request.timer.as_deref());
        if is_pipeline(&request.source) {
            options::accept_pipeline(&request.options).map_err(OptimizeError::Usage)?;
            let own = own_request(request, settings);
            let piped = if tune { tuned(&own, timer, optimize_pipeline) } else { optimize_pipeline(&own) };
            return Ok(Box::new(piped?));
        }
        let own = own_request(request, settings);
        let streamed = if tune { tuned(&own, timer, optimize_stream) } else { optimize_stream(&own) };
        Ok(Box::new(streamed?))
    }

    fn run(&self, request: &Request, pictures: &dyn Pictures) -> Result<Ran, RunError> {
        let settings = Settings::new(&self.0, &request.options).map_err(RunError::Usage)?;
        run(&own_request(request, settings), pictures)
    }
}

/// Converts a request for this class of machines.
fn own_request(request: &Request, settings: Settings) -> StreamRequest {
    StreamRequest {
        source: request.source.clone(),
        rules: request.rules.for_target(&settings.machine.name),
        machine: Arc::new(settings.machine),
        chosen_by: None,
        pixel: settings.pixel,
        values: None,
        output: settings.output,
        border: settings.border,
        overflow: settings.overflow,
        float_recurrences: settings.float_recurrences,
        budget: request.budget.clone(),
        seed: request.seed,
    }
}

impl Record for Streamed {
    fn text(&self, verbose: bool) -> String {
        stream_text(&self.record, verbose)
    }

    fn rules_used(&self) -> Option<&[String]> {
        Some(&self.record.rules_used)
    }

    fn cost(&self) -> Option<f64> {
        Some(self.record.cost.total.get())
    }

    fn emit(&self, form: &str) -> Option<String> {
        match form {
            "code" | "c" => Some(self.record.c.clone()),
            "header" => {
                let overflow = Overflow::named(&self.record.overflow).unwrap_or(Overflow::Saturate);
                Some(c_header(&self.plan, CodeOptions { border: self.border, overflow, size: self.size }))
            }
            "rust" => Some(self.record.rust.clone()),
            "json" => Some(self.record.to_json()),
            "html" => {
                Some(stages_page(&self.record.filter, &stream_text(&self.record, false), &stages(&self.plan)))
            }
            _ => None,
        }
    }
}
