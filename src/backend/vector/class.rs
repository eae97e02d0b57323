//! The class of vector machines.

use std::sync::Arc;

use super::check::check_code;
use super::code_options;
use super::compile::{RunCode, VectorRequest, optimize_vector};
use super::machine::{VliwMachine, header, read_machine};
use super::options::{self, Settings};
use super::report::{CodeCheckRecord, VectorRecord, code_check_text, vector_page, vector_text};
use crate::backend::builtin::VECTORS;
use crate::backend::option::{OptionSpec, OptionValues};
use crate::backend::{
    Backend, Builtin, CODE, CheckError, Form, HTML, JSON, Machine, OptimizeError, Price, Progress, Record,
    Request, TEXT, Task, Watch,
};
use crate::report::{Answer, check_page, json_line};
use crate::rule::{Rule, RuleSet};
use crate::syntax::{Diagnostics, Source};

/// Vector machines.
pub struct Vectors;

impl Backend for Vectors {
    fn head(&self) -> &'static str {
        "machine"
    }

    fn noun(&self) -> &'static str {
        "a vector machine"
    }

    fn heading(&self) -> &'static str {
        "Vector machines"
    }

    fn builtin(&self) -> &'static [Builtin] {
        &VECTORS
    }

    fn read(&self, descriptor: &Source) -> Result<Box<dyn Machine>, Diagnostics> {
        read_machine(descriptor).map(|machine| Box::new(Vector(Arc::new(machine))) as Box<dyn Machine>)
    }

    fn options(&self, task: Task) -> Vec<OptionSpec> {
        match task {
            Task::Optimize => options::optimize(),
            Task::Check => code_options::check(),
            Task::Run => Vec::new(),
        }
    }

    fn forms(&self) -> &'static [Form] {
        &[TEXT, CODE, JSON, HTML]
    }

    fn is_anytime(&self) -> bool {
        false
    }
}

/// A vector machine.
struct Vector(Arc<VliwMachine>);

impl Machine for Vector {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn class(&self) -> &'static dyn Backend {
        &Vectors
    }

    /// Registers hold no sums of whole rows, so rules with scans do not apply.
    fn rules(&self, rules: &RuleSet) -> RuleSet {
        rules.for_target(self.name()).filtered(Rule::is_polynomial)
    }

    /// A term's share of a multiplication, which also scales and moves the term.
    fn price(&self) -> Option<Price> {
        let columns = self.0.modes.iter().map(|mode| mode.columns).max()?;
        Some(Price { memory: false, addition: 1.0 / columns as f64, step: 0.0, scaling: 0.0 })
    }

    fn accept(&self, task: Task, options: &OptionValues) -> Result<(), String> {
        match task {
            Task::Optimize => Settings::new(self.name(), options).map(drop),
            Task::Check => Ok(()),
            Task::Run => Err(format!(
                "`{0}` is a vector machine, whose code is not run on pictures: use `kalg check FILE --target {0} \
                 --against FILTER` to see what it computes",
                self.name()
            )),
        }
    }

    fn compile(&self, request: &Request, watch: Watch<'_>) -> Result<Box<dyn Record>, OptimizeError> {
        let Settings { tile, element, range, tolerance, ideal_banks, without } =
            Settings::new(self.name(), &request.options).map_err(OptimizeError::Usage)?;
        let own = VectorRequest {
            source: request.source.clone(),
            budget: request.budget.clone(),
            machine: Arc::clone(&self.0),
            tile,
            element,
            range,
            tolerance,
            ideal_banks,
            without,
            oversize: false,
            rules: self.rules(&request.rules),
            seed: request.seed,
            run: self.runner(request),
        };
        let record = optimize_vector(&own, &|done, all| watch(Progress::Tried { done, all }))?;
        Ok(Box::new(record))
    }

    fn check(&self, request: &Request) -> Result<Box<dyn Record>, CheckError> {
        request.program()?;
        let own = code_options::code_request(&self.0, request).map_err(CheckError::Usage)?;
        Ok(Box::new(check_code(&own)?))
    }
}

impl Record for CodeCheckRecord {
    fn text(&self, _verbose: bool) -> String {
        code_check_text(self)
    }

    fn emit(&self, form: &str) -> Option<String> {
        match form {
            "json" => Some(json_line(self)),
            "html" => Some(check_page(&self.file, self, &code_check_text(self))),
            _ => None,
        }
    }

    fn verdict(&self) -> Option<Answer> {
        self.verdict
    }
}

impl Vector {
    /// The runner of the machine's code, or `None` if there is none.
    fn runner(&self, request: &Request) -> Option<RunCode> {
        let name = self.0.header.clone();
        let text = header(&name)?;
        let cpp = request.cpp.clone().filter(|cpp| cpp.is_there())?;
        Some(Arc::new(move |code| cpp.run(code, &[(&name, text)])))
    }
}

impl Record for VectorRecord {
    fn text(&self, verbose: bool) -> String {
        vector_text(self, verbose)
    }

    fn emit(&self, form: &str) -> Option<String> {
        match form {
            "code" => Some(self.code.clone()),
            "html" => Some(vector_page(self)),
            "json" => Some(self.to_json()),
            _ => None,
        }
    }

    fn cost(&self) -> Option<f64> {
        Some(self.cycles as f64)
    }

    fn warnings(&self) -> Vec<String> {
        VectorRecord::warnings(self)
    }
}
