//! The class of line-buffered hardware.

use super::compile::{Designed, optimize};
use super::machine::{HardwareMachine, read_machine};
use super::options::{self, Settings};
use crate::backend::builtin::HARDWARE;
use crate::backend::option::{OptionSpec, OptionValues};
use crate::backend::{
    Backend, Builtin, CODE, Form, JSON, Machine, OptimizeError, Record, Request, TEXT, Task, Watch,
};
use crate::syntax::{Diagnostic, Diagnostics, Source};

/// Line-buffered hardware.
pub struct Hardware;

/// The output forms of results.
const FORMS: &[Form] = &[
    TEXT,
    CODE,
    Form::new("systemverilog", "Line-buffered hardware: a module with AXI4-Stream ports"),
    Form::new("hls", "Line-buffered hardware: C++ for high-level synthesis"),
    Form::new(
        "driver",
        "Line-buffered hardware: C for the host, which sends pictures through the module in tiles",
    ),
    Form::recorded("vcd", "Line-buffered hardware: the waveforms of two simulated frames, with stalls"),
    Form::recorded(
        "depths",
        "Line-buffered hardware: how fast simulated frames go through where a delay line holds a word less",
    ),
    Form::new("svg", "Line-buffered hardware: the ports in some clocks of a simulation, as a picture"),
    JSON,
];

impl Backend for Hardware {
    fn head(&self) -> &'static str {
        "stream-hardware"
    }

    fn noun(&self) -> &'static str {
        "line-buffered hardware"
    }

    fn heading(&self) -> &'static str {
        "Line-buffered hardware"
    }

    fn builtin(&self) -> &'static [Builtin] {
        &HARDWARE
    }

    fn read(&self, descriptor: &Source) -> Result<Box<dyn Machine>, Diagnostics> {
        read_machine(descriptor).map(|machine| Box::new(Fabric(machine)) as Box<dyn Machine>)
    }

    fn options(&self, task: Task) -> Vec<OptionSpec> {
        match task {
            Task::Optimize => options::optimize(),
            Task::Check | Task::Run => Vec::new(),
        }
    }

    fn forms(&self) -> &'static [Form] {
        FORMS
    }

    fn is_anytime(&self) -> bool {
        false
    }
}

/// Compiles a pipeline for a machine.
///
/// # Errors
/// An option or the pipeline cannot be used, or the design failed its checks.
pub fn optimize_hardware(request: &Request, machine: &HardwareMachine) -> Result<Designed, OptimizeError> {
    let settings = Settings::new(&request.options).map_err(OptimizeError::Usage)?;
    let mut machine = machine.clone();
    machine.multiplier_price = settings.multiplier_price.unwrap_or(machine.multiplier_price);
    machine.buffer_bit = settings.buffer_price.unwrap_or(machine.buffer_bit);
    optimize(request, &machine, settings)
}

/// A machine of this class.
struct Fabric(HardwareMachine);

impl Machine for Fabric {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn class(&self) -> &'static dyn Backend {
        &Hardware
    }

    fn accept(&self, task: Task, options: &OptionValues) -> Result<(), String> {
        match task {
            Task::Optimize => Settings::new(options).map(drop),
            Task::Check | Task::Run => Err(format!(
                "`{}` is line-buffered hardware, and has no programs to check or run: `kalg run PIPELINE` is the reference, and \
                 `kalg optimize` compares its designs with it",
                self.name()
            )),
        }
    }

    fn compile(&self, request: &Request, _watch: Watch<'_>) -> Result<Box<dyn Record>, OptimizeError> {
        Ok(Box::new(optimize_hardware(request, &self.0)?))
    }
}

impl Record for Designed {
    fn text(&self, verbose: bool) -> String {
        self.record.text(verbose)
    }

    fn emit(&self, form: &str) -> Option<String> {
        match form {
            "code" | "systemverilog" => Some(self.verilog()),
            "hls" => self.hls().ok(),
            "driver" => Some(self.driver()),
            "vcd" => self.wave().ok(),
            "depths" => self.depths().ok(),
            "svg" => self.picture().ok(),
            "json" => Some(self.record.to_json()),
            _ => None,
        }
    }

    fn no_form(&self, form: &str) -> Option<Diagnostics> {
        let (id, why) = match form {
            "hls" => ("internal", self.hls().err()?.to_string()),
            "vcd" => ("out-of-range", self.wave().err()?),
            "depths" => ("out-of-range", self.depths().err()?),
            "svg" => ("out-of-range", self.picture().err()?),
            _ => return None,
        };
        Some(Diagnostic::error(id, why).into())
    }

    fn warnings(&self) -> Vec<String> {
        self.record.warnings.clone()
    }

    fn rules_used(&self) -> Option<&[String]> {
        Some(&[])
    }
}
