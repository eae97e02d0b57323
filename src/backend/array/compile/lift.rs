//! Lifts a program to a filter: writes its results as a kernel file.

use super::check::{Checking, Judged, check_listing, register_named};
use super::check_request::CheckRequest;
use crate::algebra::Placed;
use crate::backend::array::machine::{
    Definition, Division, Instruction, Isa, Listing, Program, RegisterId, Target, Value, blocks,
};
use crate::backend::array::verify::uninitialised;
use crate::backend::error::{CheckError, Whose};
use crate::report::LiftedFrom;
use crate::syntax::{Diagnostic, Source, Span};
use crate::term::{FilterSource, print_kernels};

/// A filter lifted from a program.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The kernel file, with the program's name.
    pub source: Source,
    /// The cost and other properties of the program.
    pub from: LiftedFrom,
    /// The registers of its inputs: (input, register).
    pub inputs: Vec<(String, String)>,
    /// The registers of its results: (output, register).
    pub outputs: Vec<(String, String)>,
    /// Its way of halving, if it uses a single one.
    pub division: Option<Division>,
    /// The program itself.
    pub program: Program,
}

/// Lifts the final contents of the registers `results`, or of the register written last if there are none, of a program as it was read.
///
/// # Errors
/// Those of [`check_program`](super::check_program); [`CheckError::Usage`] if a result depends on an uninitialised register, or if its kernel
/// is too large.
pub fn lift(request: &CheckRequest, listing: Listing, results: &[String]) -> Result<Lifted, CheckError> {
    let target = &request.target;
    let usage = |message: String| CheckError::Usage(format!("{}: {message}", request.source.name()));
    let checking = match check_listing(request, listing)? {
        Judged::Linear(checking) => *checking,
        Judged::Guarded(_) => {
            let message = "the program has conditions or digital registers, so it computes no filter";
            return Err(usage(message.to_owned()));
        }
    };
    let registers = result_registers(request, &checking, results).map_err(|error| match error {
        CheckError::Usage(message) => usage(message),
        error => error,
    })?;
    let end = checking.trace.end();
    let mut kernels = Vec::new();
    for register in &registers {
        let name = target.register_name(*register);
        let kernel = result(target, &checking, name, end.value(*register)).map_err(usage)?;
        kernels.push((if registers.len() == 1 { "out" } else { name }.to_owned(), kernel));
    }
    let filter = FilterSource::new(&name_of(request.source.name()), checking.inputs.clone());
    let text = print_kernels(&filter, &kernels).map_err(|output| usage(too_large(output)))?;
    let named = |register: &RegisterId| target.register_name(*register).to_owned();
    let inputs: Vec<String> = checking.trace.inputs.iter().map(named).collect();
    let outputs = registers.iter().map(|register| match registers.len() {
        1 => ("out".to_owned(), named(register)),
        _ => (named(register), named(register)),
    });
    let outputs = outputs.collect();
    let ways = divisions(target, &checking.listing.program);
    Ok(Lifted {
        source: Source::new(request.source.name(), text),
        from: LiftedFrom {
            instructions: checking.record.instructions,
            cycles: checking.record.cycles,
            registers: registers.iter().map(named).collect(),
            inputs: inputs.clone(),
            division: match ways[..] {
                [] => None,
                [way] => Some(way.name().to_owned()),
                _ => Some("both".to_owned()),
            },
        },
        inputs: checking.inputs.iter().cloned().zip(inputs).collect(),
        outputs,
        division: if let [way] = ways[..] { Some(way) } else { None },
        program: checking.listing.program,
    })
}

/// The result registers: those with these names, or the one that the program writes last.
fn result_registers(
    request: &CheckRequest,
    checking: &Checking,
    names: &[String],
) -> Result<Vec<RegisterId>, CheckError> {
    let target = &request.target;
    if names.is_empty() {
        let last = checking.trace.last_written(target).ok_or_else(|| without_result(request))?;
        return Ok(vec![last]);
    }
    names.iter().map(|name| register_named(target, name)).collect()
}

/// The error for a program that writes no register, shown where it begins.
fn without_result(request: &CheckRequest) -> CheckError {
    let number = request.reading.block.map_or(0, |block| block.saturating_sub(1));
    let blocks = if request.reading.function.is_none() {
        blocks(&request.target, &request.source)
    } else {
        Ok(Vec::new())
    };
    let place = blocks.ok().and_then(|blocks| Some(blocks.get(number)?.place)).unwrap_or(Span::at(0));
    let wrong = Diagnostic::error("no-result", "the program writes no register");
    CheckError::Source(Whose::Program, wrong.label(place, "this program").into())
}

/// The final value of the register called `name`.
fn result(target: &Target, checking: &Checking, name: &str, value: &Value) -> Result<Placed, String> {
    if let Some(unknown) = uninitialised(&checking.trace, value).first() {
        let unknown = target.register_name(*unknown);
        let message = format!("{name} depends on what was in {unknown} before the program");
        return Err(message + "; name the inputs with --inputs, the results with --lift");
    }
    match value {
        Value::Known(kernel) => Ok(kernel.clone()),
        _ => Err(too_large(name)),
    }
}

fn too_large(name: &str) -> String {
    format!("the kernel of {name} is too large to print")
}

/// The ways of halving in a program. An instruction counts towards a way if some instruction set contains it for that way only.
pub fn divisions(target: &Target, program: &Program) -> Vec<Division> {
    let mut found = Vec::new();
    for instruction in &program.instructions {
        let Ok(definition) = target.definition(instruction) else { continue };
        let member = definition.member();
        let only = |(isa, way): &&(String, Division)| !member.iter().any(|(i, w)| i == isa && w != way);
        found.extend(member.iter().find(only).map(|(_, way)| *way));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The instruction set and the way of halving that keep what a program compensates. If it has a compensated halving, there are no others.
/// If it consists of macros, whose operations undo the errors of one another, so does the new one: the instruction set is the richest
/// of macros only, up to the one that was asked for.
pub fn compensating(target: &Target, program: &Program, isa: &str) -> (String, Option<Division>) {
    let compensated = divisions(target, program).contains(&Division::Compensated);
    let division = compensated.then_some(Division::Compensated);
    let is_macro = |i: &Instruction| matches!(target.definition(i), Ok(Definition::Macro(_)));
    let asked = target.isas.iter().position(|own| own.name == isa);
    let primitive =
        |isa: &Isa| target.primitives.iter().any(|own| own.member.iter().any(|(name, _)| *name == isa.name));
    let macros = asked.and_then(|asked| target.isas[..=asked].iter().rev().find(|isa| !primitive(isa)));
    match macros {
        Some(macros) if program.instructions.iter().all(is_macro) => (macros.name.clone(), division),
        _ => (isa.to_owned(), division),
    }
}

/// Derives a filter's name from a file's.
fn name_of(file: &str) -> String {
    let stem = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(fits).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("program{name}") }
}
