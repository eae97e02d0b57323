//! Joins the stages of a check: reads a program, traces it, and compares it with a filter or another program.

use super::check_record::{Evidence, record};
use super::check_request::CheckRequest;
use super::guarded::{Guarded, check_guarded};
use super::paired::{Reads, paired};
use super::refusal::refusals;
use crate::algebra::Placed;
use crate::backend::array::machine::{Cell, Listing, Loaded, RegisterId, Target, Value, read_listing};
use crate::backend::array::verify::{Finding, Trace, Wanted, judge, uninitialised};
use crate::backend::error::{CheckError, Whose};
use crate::pipeline::is_pipeline;
use crate::report::CheckRecord;
use crate::syntax::{Diagnostic, Diagnostics, Source};
use crate::term::{filter_placed, is_kernel_file, read_filter};

/// The name of the input if nothing else names it.
const DEFAULT_INPUT: &str = "image";

/// A finished check of any program.
#[derive(Clone, Debug)]
pub enum Judged {
    /// The check of a linear program.
    Linear(Box<Checking>),
    /// The check of a program with conditions or digital registers.
    Guarded(Box<Guarded>),
}

impl Judged {
    /// The record.
    pub fn record(&self) -> &CheckRecord {
        match self {
            Self::Linear(checking) => &checking.record,
            Self::Guarded(checking) => &checking.record,
        }
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> &[String] {
        match self {
            Self::Linear(checking) => &checking.inputs,
            Self::Guarded(checking) => &checking.inputs,
        }
    }

    /// What a register or bit depends on at the end although nothing is known of it, in words.
    pub fn assumed(&self, cell: Cell) -> Vec<String> {
        let Self::Guarded(checking) = self else { return Vec::new() };
        let own = checking.assumed.iter().find(|(of, _)| *of == cell);
        own.map(|(_, what)| what.clone()).unwrap_or_default()
    }
}

/// A finished check of a linear program.
#[derive(Clone, Debug)]
pub struct Checking {
    /// The record.
    pub record: CheckRecord,
    /// The program as read.
    pub listing: Listing,
    /// Its trace.
    pub trace: Trace,
    /// The names of the inputs, channel by channel.
    pub inputs: Vec<String>,
    /// The finding for each output.
    pub findings: Vec<Finding>,
}

/// The expected outputs of a program.
struct Claims {
    inputs: Vec<String>,
    /// The registers of the inputs in the program under check, where another program decides them.
    registers: Option<Vec<RegisterId>>,
    wanted: Vec<Wanted>,
}

/// Checks one program.
///
/// # Errors
/// [`CheckError`].
pub fn check_program(request: &CheckRequest) -> Result<Judged, CheckError> {
    let target = &request.target;
    let of_program = |diagnostics| CheckError::Source(Whose::Program, diagnostics);
    let listing = read_listing(target, &request.source, &request.reading).map_err(of_program)?;
    check_listing(request, listing)
}

/// Checks one program as it was read.
pub(super) fn check_listing(request: &CheckRequest, listing: Listing) -> Result<Judged, CheckError> {
    let target = &request.target;
    let other = request.against.as_ref().filter(|against| !is_kernel_file(against));
    let other = other.and_then(|other| read_listing(target, other, &request.against_reading).ok());
    let pipeline = request.against.as_ref().is_some_and(is_pipeline);
    if pipeline
        || !listing.program.is_linear(target)
        || other.is_some_and(|other| !other.program.is_linear(target))
    {
        return check_guarded(request, listing).map(|checking| Judged::Guarded(Box::new(checking)));
    }
    check_linear(request, listing).map(|checking| Judged::Linear(Box::new(checking)))
}

/// Checks a linear program, against a filter or another linear program.
fn check_linear(request: &CheckRequest, listing: Listing) -> Result<Checking, CheckError> {
    let target = &request.target;
    let of_program = |diagnostics| CheckError::Source(Whose::Program, diagnostics);
    let trace = trace(target, &listing, request.lenient).map_err(of_program)?;
    let claims = claims(request, &trace, &listing)?;
    let names = claims.as_ref().map_or_else(|| input_names(request), |claims| claims.inputs.clone());
    let registers = match claims.as_ref().and_then(|claims| claims.registers.clone()) {
        Some(registers) => registers,
        None => input_registers(target, &trace, &listing, &names, &request.inputs)?,
    };
    let trace = trace.with_inputs(&registers);
    let mut wanted = claims.map(|claims| claims.wanted).unwrap_or_default();
    assign_outputs(target, &mut wanted, &request.outputs)?;
    let findings = judge(target, &trace, &wanted);
    let record = record(&Evidence {
        request,
        listing: &listing,
        trace: &trace,
        inputs: &names,
        wanted: &wanted,
        findings: &findings,
        block: request.reading.block.filter(|_| listing.blocks > 1),
    })?;
    Ok(Checking { record, listing, trace, inputs: names, findings })
}

/// The trace of a program whose inputs are still unknown.
fn trace(target: &Target, listing: &Listing, lenient: bool) -> Result<Trace, Diagnostics> {
    let trace = Trace::new(target, &listing.program, &[], lenient);
    let trace = trace.map_err(|refused| refusals(&refused, listing, lenient))?;
    Ok(trace.with_load(listing.load.clone()))
}

fn claims(request: &CheckRequest, own: &Trace, own_listing: &Listing) -> Result<Option<Claims>, CheckError> {
    let Some(against) = &request.against else { return Ok(None) };
    let of_against = |diagnostics| CheckError::Source(Whose::Against, diagnostics);
    if !is_kernel_file(against) {
        return program_claims(request, against, own, own_listing).map(Some);
    }
    let filter = read_filter(against).map_err(of_against)?;
    let placed = filter_placed(&filter).map_err(of_against)?;
    let wanted = placed.into_iter().map(|(name, kernel)| Wanted { name, register: None, kernel });
    Ok(Some(Claims { inputs: filter.inputs, registers: None, wanted: wanted.collect() }))
}

/// The results of the other program in the named outputs, or in the register that it writes last.
fn program_claims(
    request: &CheckRequest,
    against: &Source,
    own: &Trace,
    own_listing: &Listing,
) -> Result<Claims, CheckError> {
    let target = &request.target;
    let of_against = |diagnostics| CheckError::Source(Whose::Against, diagnostics);
    let listing = read_listing(target, against, &request.against_reading).map_err(of_against)?;
    let trace = trace(target, &listing, request.lenient).map_err(of_against)?;
    let found = match request.inputs.is_empty() {
        true => paired_registers(target, [(own, own_listing), (&trace, &listing)])?,
        false => None,
    };
    let (names, own_registers, registers) = match found {
        Some((names, [own, theirs])) => (names, Some(own), theirs),
        None => {
            let names = input_names(request);
            let registers = input_registers(target, &trace, &listing, &names, &request.inputs)?;
            (names, None, registers)
        }
    };
    let trace = trace.with_inputs(&registers);
    let last =
        trace.last_written(target).map(|register| (target.register_name(register).to_owned(), register));
    let results = request.results(&|name| register_named(target, name), last)?;
    let end = trace.end();
    let mut wanted = Vec::new();
    for (name, register) in results {
        let value = end.value(register);
        let unknown = uninitialised(&trace, value);
        let kernel = match value {
            Value::Known(kernel) if unknown.is_empty() => narrow(kernel, names.len()),
            _ => None,
        };
        let Some(kernel) = kernel else {
            let what = match unknown.first() {
                Some(first) => format!("depends on what was in {} before it", target.register_name(*first)),
                None => "has a coefficient that does not fit in 64 bits".to_owned(),
            };
            let message =
                format!("the value that the program leaves in {} {what}", target.register_name(register));
            let place = listing.spans.last().copied().unwrap_or_default();
            let diagnostic = Diagnostic::error("no-result", message).label(place, "at the end");
            return Err(of_against(
                diagnostic.help("name its inputs with --inputs, its outputs with --against-outputs").into(),
            ));
        };
        wanted.push(Wanted { name, register: None, kernel });
    }
    Ok(Claims { inputs: names, registers: own_registers, wanted })
}

/// The names of the inputs of two linear programs, and their registers in each.
type PairedRegisters = (Vec<String>, [Vec<RegisterId>; 2]);

/// The inputs of two linear programs, as [`paired`] finds them.
fn paired_registers(
    target: &Target,
    programs: [(&Trace, &Listing); 2],
) -> Result<Option<PairedRegisters>, CheckError> {
    let cells = programs.map(|(trace, listing)| {
        let image = listing.load.as_ref().map(|load| load.register);
        let read = target.general_registers().iter().copied();
        let read = read.filter(|own| trace.unknowns.contains(own) && Some(*own) != image);
        image.into_iter().chain(read).map(Cell::Register).collect::<Vec<Cell>>()
    });
    let reads = [0, 1].map(|side| Reads { cells: &cells[side], load: programs[side].1.load.as_ref() });
    let registers = |cells: Vec<Cell>| {
        let register = |cell| if let Cell::Register(register) = cell { Some(register) } else { None };
        cells.into_iter().filter_map(register).collect()
    };
    Ok(paired(target, reads)?.map(|(names, cells)| (names, cells.map(registers))))
}

/// A kernel over all channels as a kernel over the inputs; `None` if it uses other channels.
fn narrow(kernel: &Placed, inputs: usize) -> Option<Placed> {
    Placed::from_taps(u16::try_from(inputs).ok()?, &kernel.taps()?)
}

/// The input names from the options, or a single default name.
fn input_names(request: &CheckRequest) -> Vec<String> {
    let named =
        |(name, _): &(String, String)| if name.is_empty() { DEFAULT_INPUT.to_owned() } else { name.clone() };
    let names: Vec<String> = request.inputs.iter().map(named).collect();
    if names.is_empty() { vec![DEFAULT_INPUT.to_owned()] } else { names }
}

pub(super) fn register_named(target: &Target, name: &str) -> Result<RegisterId, CheckError> {
    target.register(name).ok_or_else(|| {
        if target.cell(name).is_some() {
            let message = format!("`{name}` holds bits, and this program computes numbers: name a register");
            return CheckError::Usage(message);
        }
        let known: Vec<&str> = target.registers.iter().map(|r| r.name.as_str()).collect();
        CheckError::Usage(format!("`{}` has no register `{name}`; it has {}", target.name, known.join(", ")))
    })
}

/// The registers of the inputs: those in the options, then that of a loaded image, then those that the program reads before it
/// writes them, in the order of the target.
fn input_registers(
    target: &Target,
    trace: &Trace,
    listing: &Listing,
    names: &[String],
    asked: &[(String, String)],
) -> Result<Vec<RegisterId>, CheckError> {
    let mut found: Vec<Option<RegisterId>> = vec![None; names.len()];
    for (name, register) in asked {
        let place = match name.is_empty() && names.len() == 1 {
            true => Some(0),
            false => names.iter().position(|n| n == name),
        };
        let Some(place) = place else {
            return Err(CheckError::Usage(format!(
                "there is no input `{name}`; the inputs are {}",
                names.join(", ")
            )));
        };
        found[place] = Some(register_named(target, register)?);
    }
    if let Some(load) = &listing.load {
        take_image(target, load, &mut found)?;
    }
    let mut free = target.general_registers().to_vec();
    free.sort_by_key(|register| !trace.unknowns.contains(register));
    let overwritten =
        |register: &RegisterId| listing.load.as_ref().is_some_and(|load| load.overwritten.contains(register));
    free.retain(|register| !found.contains(&Some(*register)) && !overwritten(register));
    let mut free = free.into_iter();
    let mut registers = Vec::new();
    for (place, name) in found.into_iter().zip(names) {
        let register = place.or_else(|| free.next());
        let register = register
            .ok_or_else(|| CheckError::Usage(format!("no register is left for the input `{name}`")))?;
        if registers.contains(&register) {
            let register = target.register_name(register);
            return Err(CheckError::Usage(format!("two inputs cannot both be in `{register}`")));
        }
        registers.push(register);
    }
    Ok(registers)
}

/// Assigns the register of a loaded image to the first input without a register, unless an input already has it.
fn take_image(target: &Target, load: &Loaded, found: &mut [Option<RegisterId>]) -> Result<(), CheckError> {
    let call = target.instruction_text(&load.instruction);
    if let Some(lost) = found.iter().flatten().find(|register| load.overwritten.contains(register)) {
        let register = target.register_name(*lost);
        return Err(CheckError::Usage(format!("no input can be in `{register}`, which `{call}` overwrites")));
    }
    if !found.contains(&Some(load.register)) {
        let Some(free) = found.iter_mut().find(|place| place.is_none()) else {
            let register = target.register_name(load.register);
            return Err(CheckError::Usage(format!(
                "`{call}` takes an image into `{register}`: one of the inputs must be there"
            )));
        };
        *free = Some(load.register);
    }
    Ok(())
}

/// Adds the registers from the options to the expected outputs.
fn assign_outputs(
    target: &Target,
    wanted: &mut [Wanted],
    asked: &[(String, String)],
) -> Result<(), CheckError> {
    let known: Vec<String> = wanted.iter().map(|w| w.name.clone()).collect();
    for (name, register) in asked {
        let only = wanted.len() == 1 && name.is_empty();
        // Programs are compared register by register, so an output without a name is named after its register.
        let place = match only {
            true => Some(0),
            false => known.iter().position(|n| n == if name.is_empty() { register } else { name }),
        };
        let Some(place) = place else {
            let named = if name.is_empty() { register } else { name };
            let message = match known.is_empty() {
                true => "outputs can be named only if there is something to compare with".to_owned(),
                false => format!("there is no output `{named}`; the outputs are {}", known.join(", ")),
            };
            return Err(CheckError::Usage(message));
        };
        wanted[place].register = Some(register_named(target, register)?);
    }
    Ok(())
}
