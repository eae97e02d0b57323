//! The registers of inputs and outputs: maps the names of a request to the indices of a search, and back to a program.

use std::sync::Arc;

use super::instructions::Instructions;
use super::request::OptimizeRequest;
use crate::algebra::Placed;
use crate::backend::array::machine::form::{FileId, Form};
use crate::backend::array::machine::{Division, Isa, Program, RegisterId, Target};
use crate::backend::array::search::{Bounds, Code, InputSpec, Objective, OutputSpec, Problem};
use crate::backend::array::verify::Claim;
use crate::backend::error::OptimizeError;
use crate::report::counted;
use crate::syntax::{Diagnostic, Diagnostics};
use crate::term::{FilterSource, IndexSpace};

/// The registers of a request, resolved.
#[derive(Clone)]
pub(super) struct Ports {
    pub(super) division: Division,
    pub(super) objective: Objective,
    pub(super) instructions: Arc<Instructions>,
    /// The usable registers of each file.
    pub(super) files: Vec<Vec<RegisterId>>,
    /// The file that holds inputs and outputs.
    general: FileId,
    /// The index of each input in the general file.
    pub(super) inputs: Vec<usize>,
    /// The index of each output in the general file, if it is fixed.
    outputs: Vec<Option<usize>>,
}

impl Ports {
    /// Resolves names, and reports all errors at once.
    pub(super) fn resolve(request: &OptimizeRequest, filter: &FilterSource) -> Result<Self, OptimizeError> {
        let target = &request.target;
        let mut resolver = Resolver { request, target, wrong: Diagnostics::new() };
        let isa = resolver.instruction_set();
        resolver.check_space(filter);
        let general = target.general();
        let mut files = writable(target);
        files[general] = resolver.chosen(&files[general]);
        let usable = &files[general];
        let input_names: Vec<&str> = filter.inputs.iter().map(String::as_str).collect();
        let output_names: Vec<&str> = filter.outputs.iter().map(|o| o.name.as_str()).collect();
        let inputs = resolver.fixed("input", &request.inputs, &input_names, usable);
        let outputs = resolver.fixed("output", &request.outputs, &output_names, usable);
        let inputs = resolver.placed(&inputs, usable);
        for (index, input) in inputs.iter().enumerate().filter(|_| request.keep_input) {
            if let Some(output) = outputs.iter().position(|at| *at == Some(*input)) {
                let (input, output) = (input_names[index], output_names[output]);
                resolver.say(
                    "repeated-register",
                    format!("the input `{input}` is to be kept where the output `{output}` is wanted"),
                    resolver.names(usable),
                );
            }
        }
        match isa {
            Some(isa) if resolver.wrong.is_empty() => {
                let division = request.division.unwrap_or(isa.division);
                let instructions = Instructions::of(request, division);
                let objective = objective(request);
                Ok(Self { division, objective, instructions, files, general, inputs, outputs })
            }
            _ => Err(OptimizeError::BadInput(resolver.wrong)),
        }
    }

    /// The search problem, without decompositions.
    pub(super) fn problem<'a>(
        &'a self,
        outputs: &[(String, Placed)],
        request: &OptimizeRequest,
    ) -> Problem<'a> {
        Problem {
            forms: &self.instructions.forms,
            coarse: &self.instructions.coarse,
            registers: self.files.iter().map(Vec::len).collect(),
            general: self.general,
            objective: self.objective,
            channels: self.inputs.len() as u16,
            inputs: self
                .inputs
                .iter()
                .enumerate()
                .map(|(channel, register)| InputSpec { channel: channel as u16, register: *register })
                .collect(),
            outputs: outputs
                .iter()
                .zip(&self.outputs)
                .map(|((_, kernel), register)| OutputSpec { kernel: kernel.clone(), register: *register })
                .collect(),
            keep_inputs: request.keep_input,
            weights: request.target.isa(&request.isa).and_then(|isa| isa.estimate),
            bounds: request.aims.input_range.map(|range| Bounds::new(range, request.target.range)),
            decompositions: Vec::new(),
            other_decompositions: Vec::new(),
        }
    }

    /// The register at an index of a file.
    fn register(&self, file: FileId, at: usize) -> RegisterId {
        self.files[file][at]
    }

    /// The registers of each slot of an instruction.
    pub(super) fn slots(&self, form: &Form, chosen: &[usize]) -> Vec<RegisterId> {
        form.slots.iter().zip(chosen).map(|(slot, at)| self.register(slot.file, *at)).collect()
    }

    /// A piece of code as a program.
    pub(super) fn program(&self, target: &Target, code: &Code) -> Program {
        let forms = &self.instructions.forms;
        let mut program = Program::new(target);
        for (form, chosen) in &code.instructions {
            program.instructions.push(target.instantiate(&forms[*form], &self.slots(&forms[*form], chosen)));
        }
        program
    }

    /// The registers of the inputs, in order.
    pub(super) fn input_registers(&self) -> Vec<RegisterId> {
        self.inputs.iter().map(|at| self.register(self.general, *at)).collect()
    }

    /// The registers of the outputs of a piece of code, in order.
    pub(super) fn output_registers(&self, code: &Code) -> Vec<RegisterId> {
        code.outputs.iter().map(|at| self.register(self.general, *at)).collect()
    }

    /// The registers of the general file, which code can name.
    pub(super) fn registers(&self) -> &[RegisterId] {
        &self.files[self.general]
    }

    /// The claim about the program.
    pub(super) fn claim(
        &self,
        target: &Target,
        outputs: &[(String, Placed)],
        code: &Code,
        keep_inputs: bool,
    ) -> Claim {
        let name = |register: RegisterId| target.register_name(register).to_owned();
        let inputs = self.input_registers();
        Claim {
            inputs: inputs.iter().enumerate().map(|(channel, r)| (name(*r), channel as u16)).collect(),
            outputs: outputs
                .iter()
                .zip(self.output_registers(code))
                .map(|((output, kernel), register)| (output.clone(), name(register), kernel.clone()))
                .collect(),
            keep: if keep_inputs { inputs.iter().map(|r| name(*r)).collect() } else { Vec::new() },
        }
    }
}

/// The registers of each file that programs write. Sources that are set from outside have none: searches must not count them.
fn writable(target: &Target) -> Vec<Vec<RegisterId>> {
    let own = target.files.iter().map(|file| match file.given {
        Some(_) => Vec::new(),
        None => file.registers.clone(),
    });
    let mut files: Vec<Vec<RegisterId>> = own.collect();
    while files.last().is_some_and(Vec::is_empty) {
        files.pop();
    }
    files
}

/// Resolves the names of a request, and collects all errors.
struct Resolver<'a> {
    request: &'a OptimizeRequest,
    target: &'a Target,
    wrong: Diagnostics,
}

impl<'a> Resolver<'a> {
    fn say(&mut self, id: &'static str, message: String, known: String) {
        self.wrong.push(Diagnostic::error(id, message).help(format!("known: {known}")));
    }

    fn names(&self, registers: &[RegisterId]) -> String {
        let names: Vec<&str> = registers.iter().map(|r| self.target.register_name(*r)).collect();
        names.join(", ")
    }

    fn instruction_set(&mut self) -> Option<&'a Isa> {
        let target = self.target;
        let isa = target.isa(&self.request.isa);
        if isa.is_none() {
            let known: Vec<&str> = target.isas.iter().map(|i| i.name.as_str()).collect();
            let message = format!("`{}` has no instruction set `{}`", target.name, self.request.isa);
            self.say("unknown-isa", message, known.join(", "));
        }
        isa
    }

    /// Refuses filters with depth or on images without edges: arrays are flat and bounded.
    fn check_space(&mut self, filter: &FilterSource) {
        let name = &self.target.name;
        if matches!(filter.space, IndexSpace::Torus(_)) {
            let message = format!("the array of `{name}` has edges, and a torus has none");
            self.say("no-torus", message, "a filter without `(space torus …)`".to_owned());
        }
        if filter.dimensions > 2 {
            let message = format!("`{name}` computes on planes, not on volumes");
            self.say("too-many-dimensions", message, "1, 2".to_owned());
        }
    }

    /// The usable registers of the general file.
    fn chosen(&mut self, general: &[RegisterId]) -> Vec<RegisterId> {
        let Some(chosen) = &self.request.registers else { return general.to_vec() };
        let mut registers = Vec::new();
        for name in chosen {
            match general.iter().find(|r| self.target.register_name(**r) == name) {
                Some(register) if registers.contains(register) => {
                    let message = format!("register `{name}` is named twice");
                    self.say("repeated-register", message, self.names(general));
                }
                Some(register) => registers.push(*register),
                None => {
                    let message = format!("`{name}` is not a general register of `{}`", self.target.name);
                    self.say("unknown-register", message, self.names(general));
                }
            }
        }
        registers
    }

    /// The fixed registers of inputs or outputs, from pairs of names.
    fn fixed(
        &mut self,
        what: &str,
        pairs: &[(String, String)],
        known: &[&str],
        usable: &[RegisterId],
    ) -> Vec<Option<usize>> {
        let mut places = vec![None; known.len()];
        for (name, register) in pairs {
            // An empty name means the only one.
            let is_only = name.is_empty() && known.len() == 1;
            let index = if is_only { Some(0) } else { known.iter().position(|n| n == name) };
            let place = usable.iter().position(|r| self.target.register_name(*r) == register);
            let (id, message) = match (index, place) {
                (None, _) if name.is_empty() => {
                    ("unknown-port", format!("the filter has {} {what}s, and none is named", known.len()))
                }
                (None, _) => ("unknown-port", format!("the filter has no {what} `{name}`")),
                (_, None) => {
                    ("unknown-register", format!("`{register}` is not among the registers that may be used"))
                }
                (Some(index), Some(_)) if places[index].is_some() => {
                    ("repeated-port", format!("the {what} `{}` is given two registers", known[index]))
                }
                (Some(_), Some(at)) if places.contains(&Some(at)) => {
                    ("repeated-register", format!("register `{register}` holds two {what}s"))
                }
                (Some(index), Some(at)) => {
                    places[index] = Some(at);
                    continue;
                }
            };
            let help = if id.ends_with("port") { known.join(", ") } else { self.names(usable) };
            self.say(id, message, help);
        }
        places
    }

    /// A register for every input: the fixed one, or the first free one. Empty if there are too few.
    fn placed(&mut self, inputs: &[Option<usize>], usable: &[RegisterId]) -> Vec<usize> {
        let mut free = (0..usable.len()).filter(|at| !inputs.contains(&Some(*at)));
        let placed: Option<Vec<usize>> = inputs.iter().map(|at| at.or_else(|| free.next())).collect();
        placed.unwrap_or_else(|| {
            let message = format!(
                "{} do not fit in {}",
                counted(inputs.len() as u64, "input"),
                counted(usable.len() as u64, "register")
            );
            self.say("too-few-registers", message, self.names(usable));
            Vec::new()
        })
    }
}

/// The objective: the requested one; otherwise cycles if noise is weighted; otherwise the default.
fn objective(request: &OptimizeRequest) -> Objective {
    let weighed = request.aims.front || request.aims.noise_weight.is_some();
    let usual = if weighed { Objective::Cycles } else { default_objective(&request.target, &request.isa) };
    request.objective.unwrap_or(usual)
}

/// Cycles if every instruction of the set is one primitive operation; otherwise printed instructions, which compilers for
/// macro sets count.
fn default_objective(target: &Target, isa: &str) -> Objective {
    if target.has_primitives(isa) { Objective::Cycles } else { Objective::Instructions }
}
