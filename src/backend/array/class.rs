//! Processor arrays as a class of machines.

use std::sync::Arc;

use super::compile::{
    Aims, CheckRequest, Checking, Judged, Lifted, OptimizeRequest, check_program, compensating, lift,
    optimize, walk,
};
use super::host_values::{host_values, occur};
use super::machine::{Listing, Target, read_listing, read_target};
use super::options::{self, Settings, check_request, noise_model};
use super::price::price;
use super::run::run;
use super::search::Objective;
use super::shorten::{Flat, shorten};
use super::verify::{certificate, replay};
use super::whole::Whole;
use crate::backend::builtin::ARRAYS;
use crate::backend::error::Whose;
use crate::backend::option::{OptionSpec, OptionValues};
use crate::backend::{
    Backend, Builtin, CODE, CheckError, Form, HTML, JSON, Machine, OptimizeError, Pictures, Price, Ran,
    Record, ReplayError, Request, RunError, TEXT, Task, Watch,
};
use crate::report::{self, Answer, OptimizeRecord, check_text, counted};
use crate::rule::{Rule, RuleSet};
use crate::syntax::{Diagnostics, Source};
use crate::term::is_kernel_file;

/// Pixel-processor arrays.
pub struct Arrays;

/// The default number of search nodes for one filter if nothing else bounds the search: a second or two for kernels of a few taps.
const USUAL_NODES: u64 = 2000;

/// The output formats.
const FORMS: &[Form] = &[
    TEXT,
    CODE,
    JSON,
    Form::new("dot", "The data flow for Graphviz"),
    Form::new("svg", "The data flow as a picture"),
    HTML,
];

impl Backend for Arrays {
    fn head(&self) -> &'static str {
        "target"
    }

    fn noun(&self) -> &'static str {
        "a processor array"
    }

    fn heading(&self) -> &'static str {
        "Processor arrays"
    }

    fn builtin(&self) -> &'static [Builtin] {
        &ARRAYS
    }

    fn read(&self, descriptor: &Source) -> Result<Box<dyn Machine>, Diagnostics> {
        read_target(descriptor).map(|target| Box::new(Array(Arc::new(target))) as Box<dyn Machine>)
    }

    fn options(&self, task: Task) -> Vec<OptionSpec> {
        match task {
            Task::Optimize => options::optimize(),
            Task::Check => options::check(),
            Task::Run => options::run(),
        }
    }

    fn shared(&self, task: Task) -> &'static [&'static str] {
        match task {
            Task::Optimize => &["explain"],
            Task::Check => &["certificate", "replay"],
            Task::Run => &[],
        }
    }

    fn forms(&self) -> &'static [Form] {
        FORMS
    }

    fn usual_work(&self) -> Option<u64> {
        Some(USUAL_NODES)
    }
}

/// A processor array.
struct Array(Arc<Target>);

impl Machine for Array {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn class(&self) -> &'static dyn Backend {
        &Arrays
    }

    /// Registers hold no sums of whole rows, so rules with scans do not apply.
    fn rules(&self, rules: &RuleSet) -> RuleSet {
        rules.for_target(self.name()).filtered(Rule::is_polynomial)
    }

    fn price(&self) -> Option<Price> {
        price(&self.0)
    }

    fn accept(&self, task: Task, options: &OptionValues) -> Result<(), String> {
        match task {
            Task::Optimize => Settings::new(&self.0, options).map(drop),
            Task::Check => {
                host_values(&self.0, options)?;
                options.one("noise").map_or(Ok(()), |name| noise_model(&self.0, name).map(drop))
            }
            Task::Run => {
                host_values(&self.0, options)?;
                options::run_noise(&self.0, options).map(drop)
            }
        }
    }

    fn compile(&self, request: &Request, watch: Watch<'_>) -> Result<Box<dyn Record>, OptimizeError> {
        let settings = Settings::new(&self.0, &request.options).map_err(OptimizeError::Usage)?;
        let mut own = OptimizeRequest {
            source: request.source.clone(),
            budget: request.budget.clone(),
            seed: request.seed,
            rules: self.rules(&request.rules),
            explain: request.explain,
            memo: request.memo.clone(),
            ..settings.request.clone()
        };
        let listing = listing(request, &settings)?;
        if listing.as_ref().is_some_and(|listing| is_whole(listing, &own))
            && let Some(listing) = listing
        {
            whole_only(&settings, request.explain).map_err(OptimizeError::Usage)?;
            let flat = Flat::new(&own.target, &own.source, &listing).map_err(OptimizeError::Program)?;
            let record = shorten(&own, &flat, &settings.results, &mut |progress| watch(progress))?;
            let target = Arc::clone(&self.0);
            return Ok(Box::new(Whole { target, source: own.source, listing, record }));
        }
        let lifted = listing.map(|listing| lifted(&request.source, listing, &settings)).transpose()?;
        if let Some(lifted) = &lifted {
            keep(lifted, &settings, &mut own).map_err(OptimizeError::Usage)?;
        }
        let record = optimize(&own, &mut |progress| watch(progress)).map_err(|error| match error {
            OptimizeError::BadInput(wrong) if lifted.is_some() => {
                OptimizeError::Lifted(Box::new(own.source.clone()), wrong)
            }
            error => error,
        })?;
        Ok(Box::new(OptimizeRecord { lifted: lifted.map(|lifted| lifted.from), ..record }))
    }

    fn check(&self, request: &Request) -> Result<Box<dyn Record>, CheckError> {
        request.program()?;
        let own = check_request(&self.0, request).map_err(CheckError::Usage)?;
        Ok(Box::new(Checked { target: Arc::clone(&self.0), checking: check_program(&own)? }))
    }

    fn replay(&self, source: &Source) -> Result<String, ReplayError> {
        let replayed = replay(&self.0, source)?;
        let mut text = format!(
            "{}: {} replayed, each as stated\n",
            source.name(),
            counted(replayed.steps as u64, "step")
        );
        for (output, register) in &replayed.outputs {
            text.push_str(&format!("{output} is in {register}\n"));
        }
        Ok(text)
    }

    fn run(&self, request: &Request, pictures: &dyn Pictures) -> Result<Ran, RunError> {
        run(&self.0, request, pictures)
    }
}

/// A check together with its machine.
struct Checked {
    target: Arc<Target>,
    checking: Judged,
}

impl Record for Checked {
    fn text(&self, _verbose: bool) -> String {
        check_text(self.checking.record())
    }

    fn emit(&self, form: &str) -> Option<String> {
        match (form, &self.checking) {
            ("json", checking) => Some(checking.record().to_json()),
            ("html", checking) => {
                let (record, steps) = (checking.record(), walk(&self.target, checking).ok());
                Some(report::walked_check_page(record, &check_text(record), steps.as_ref()))
            }
            ("certificate", Judged::Linear(checking)) => {
                let Checking { listing, trace, findings, .. } = &**checking;
                certificate(&self.target, &listing.program, trace, findings)
            }
            _ => None,
        }
    }

    fn verdict(&self) -> Option<Answer> {
        self.checking.record().verdict
    }
}

impl Record for OptimizeRecord {
    fn text(&self, verbose: bool) -> String {
        report::text(self, verbose)
    }

    fn emit(&self, form: &str) -> Option<String> {
        Some(match form {
            "json" => self.to_json(),
            "code" => report::code(self),
            "html" => report::program_page(self),
            "dot" | "svg" if self.program.is_none() => String::new(),
            "dot" => report::dot(self),
            "svg" => report::svg(self),
            _ => return None,
        })
    }

    fn rules_used(&self) -> Option<&[String]> {
        Some(&self.rules_used)
    }

    fn cost(&self) -> Option<f64> {
        let instructions = self.objective == "instructions";
        let cost = if instructions { self.instructions } else { self.cycles };
        cost.map(f64::from)
    }

    fn is_optimal(&self) -> bool {
        self.optimal == Some(true)
    }

    fn no_program(&self) -> Option<String> {
        self.no_program.as_ref().map(report::NoProgram::text)
    }
}

/// The options that apply to programs only.
const OF_PROGRAMS: &[&str] = &["keep", "lift", "free-registers", "block", "function", "host", "rounds"];

/// A program as it was read; `None` if the source is a kernel file.
fn listing(request: &Request, settings: &Settings) -> Result<Option<Listing>, OptimizeError> {
    let source = &request.source;
    if is_kernel_file(source)
        && let Some(option) = OF_PROGRAMS.iter().find(|option| request.options.has(option))
    {
        return Err(OptimizeError::Usage(format!("--{option} is for programs, not for kernel files")));
    }
    // Unreadable text is reported as a bad kernel file, which is what the command expects first.
    if source.defect().is_some() || source.text().trim().is_empty() || is_kernel_file(source) {
        return Ok(None);
    }
    occur(&settings.reading.host, [source].into_iter()).map_err(OptimizeError::Usage)?;
    let listing = read_listing(&settings.request.target, source, &settings.reading);
    let of_program = |wrong| OptimizeError::Program(CheckError::Source(Whose::Program, wrong));
    listing.map(Some).map_err(of_program)
}

/// Whether a program is shortened where it stands, instead of being compiled from its filter. A filter sets no flag.
fn is_whole(listing: &Listing, request: &OptimizeRequest) -> bool {
    let (program, target) = (&listing.program, &request.target);
    request.keep.registers || !program.is_linear(target) || program.sets_flag(target)
}

/// Refuses options that do not apply to programs which are shortened where they stand.
fn whole_only(settings: &Settings, explain: bool) -> Result<(), String> {
    let asked = [
        ("function", settings.reading.function.is_some()),
        ("outputs", !settings.request.outputs.is_empty()),
        ("input", !settings.request.inputs.is_empty()),
        ("keep-input", settings.request.keep_input),
        ("free-registers", settings.free_registers),
        ("explain", explain),
    ];
    let option = asked.iter().find(|(_, given)| *given).map(|(name, _)| format!("--{name}"));
    let aims = (settings.request.aims != Aims::default())
        .then(|| "an option about errors, ranges or noise".to_owned());
    let Some(option) = option.or(aims) else { return Ok(()) };
    Err(match settings.request.keep.registers {
        true => {
            format!("with --keep registers a program is shortened as a whole, and {option} does not apply")
        }
        false => format!(
            "the program has conditions or digital registers, or sets the flag, so it is shortened as a whole, and {option} does not apply; --lift A,R5 names what matters at the end"
        ),
    })
}

/// The filter that a program computes.
fn lifted(source: &Source, listing: Listing, settings: &Settings) -> Result<Lifted, OptimizeError> {
    let own = &settings.request;
    let request = CheckRequest {
        inputs: own.inputs.clone(),
        ..CheckRequest::new(source.clone(), Arc::clone(&own.target), settings.reading.clone())
    };
    lift(&request, listing, &settings.results).map_err(OptimizeError::Program)
}

/// Uses the program's registers and its way of halving for the options that were not given.
fn keep(lifted: &Lifted, settings: &Settings, request: &mut OptimizeRequest) -> Result<(), String> {
    let results: Vec<&str> = lifted.outputs.iter().map(|(name, _)| name.as_str()).collect();
    if let Some((other, _)) = request.outputs.iter().find(|(name, _)| !results.contains(&name.as_str())) {
        return Err(format!(
            "the program has no result `{other}`; it has {}. `--lift A,B` names the registers of its results (a single one is called `out`), `--outputs` says where they should be",
            results.join(", ")
        ));
    }
    request.source = lifted.source.clone();
    request.given = Some(lifted.program.clone());
    if request.keep.compensation {
        let (isa, division) = compensating(&request.target, &lifted.program, &request.isa);
        request.objective = request.objective.or((isa != request.isa).then_some(Objective::Cycles));
        (request.isa, request.division) = (isa, request.division.or(division));
    }
    request.division = request.division.or(lifted.division);
    if settings.free_registers {
        return Ok(());
    }
    let registers = request.registers.clone();
    let usable = |register: &String| registers.as_ref().is_none_or(|all| all.contains(register));
    let add = |own: &mut Vec<(String, String)>, pairs: &[(String, String)], taken: &[String]| {
        for (name, register) in pairs {
            // A single input may be given without its name.
            let placed = own.iter().any(|(n, r)| n == name || n.is_empty() || r == register);
            if !placed && usable(register) && !taken.contains(register) {
                own.push((name.clone(), register.clone()));
            }
        }
    };
    add(&mut request.inputs, &lifted.inputs, &[]);
    let kept: Vec<String> = match request.keep_input {
        true => request.inputs.iter().map(|(_, register)| register.clone()).collect(),
        false => Vec::new(),
    };
    add(&mut request.outputs, &lifted.outputs, &kept);
    Ok(())
}
