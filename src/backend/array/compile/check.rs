//! Joins the stages of a check: reads a program, traces it, and compares it with a filter or another program.

use std::borrow::Cow;

use super::check_record::{Evidence, record};
use super::check_request::{CheckRequest, output_place};
use super::guarded::{Guarded, check_guarded};
use super::paired::{Paired, Reads, paired};
use super::refusal::refusals;
use crate::algebra::Placed;
use crate::backend::array::machine::{Cell, Listing, Loaded, RegisterId, Target, Value, read_listing};
use crate::backend::array::verify::{Finding, Trace, Wanted, judge, uninitialised};
use crate::backend::error::{CheckError, Whose};
use crate::pipeline::is_pipeline;
use crate::report::CheckRecord;
use crate::syntax::{Diagnostic, Diagnostics, Source};
use crate::term::{filter_placed, is_kernel_file, read_filter};

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
    cells: Option<Vec<Cell>>,
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
    // Linear programs read no bits, so it does not matter what is in them. The inputs of a filter are numbers.
    let numbers = request.against.as_ref().is_none_or(|against| !is_kernel_file(against));
    let request = &*if numbers { request.without_bits() } else { Cow::Borrowed(request) };
    let of_program = |diagnostics| CheckError::Source(Whose::Program, diagnostics);
    let trace = trace(target, &listing, request.lenient).map_err(of_program)?;
    let claims = claims(request, &trace, &listing)?;
    let names = claims.as_ref().map_or_else(|| request.input_names(), |claims| claims.inputs.clone());
    let cells = match claims.as_ref().and_then(|claims| claims.cells.clone()) {
        Some(cells) => cells,
        None => inputs(request, &trace, &listing, &names)?,
    };
    let trace = trace.with_inputs(&registers(cells));
    let mut wanted = claims.map(|claims| claims.wanted).unwrap_or_default();
    assign_outputs(request, &mut wanted)?;
    let findings = judge(target, &trace, &wanted);
    let record = record(&Evidence {
        request,
        listing: &listing,
        trace: &trace,
        inputs: &names,
        wanted: &wanted,
        findings: &findings,
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
    Ok(Some(Claims { inputs: filter.inputs, cells: None, wanted: wanted.collect() }))
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
        true => paired_inputs(target, [(own, own_listing), (&trace, &listing)])?,
        false => None,
    };
    let (names, own_cells, cells) = match found {
        Some((names, [own, theirs])) => (names, Some(own), theirs),
        None => {
            let names = request.input_names();
            let cells = inputs(request, &trace, &listing, &names)?;
            (names, None, cells)
        }
    };
    let trace = trace.with_inputs(&registers(cells));
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
    Ok(Claims { inputs: names, cells: own_cells, wanted })
}

/// The inputs of two linear programs, as [`paired`] finds them.
fn paired_inputs(target: &Target, programs: [(&Trace, &Listing); 2]) -> Result<Option<Paired>, CheckError> {
    let cells = programs.map(|(trace, listing)| {
        let image = listing.load.as_ref().map(|load| Cell::Register(load.register));
        let read = reads(target, trace).filter(|cell| Some(*cell) != image);
        image.into_iter().chain(read).collect::<Vec<Cell>>()
    });
    paired(target, [0, 1].map(|side| Reads { cells: &cells[side], load: programs[side].1.load.as_ref() }))
}

/// The general registers that a program reads before it writes them, in the order of the target.
fn reads(target: &Target, trace: &Trace) -> impl Iterator<Item = Cell> {
    let general = target.general_registers().iter().copied();
    general.filter(|register| trace.unknowns.contains(register)).map(Cell::Register)
}

/// The registers among registers and bits.
fn registers(cells: Vec<Cell>) -> Vec<RegisterId> {
    let register = |cell| if let Cell::Register(register) = cell { Some(register) } else { None };
    cells.into_iter().filter_map(register).collect()
}

/// A kernel over all channels as a kernel over the inputs; `None` if it uses other channels.
fn narrow(kernel: &Placed, inputs: usize) -> Option<Placed> {
    Placed::from_taps(u16::try_from(inputs).ok()?, &kernel.taps()?)
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
fn inputs(
    request: &CheckRequest,
    trace: &Trace,
    listing: &Listing,
    names: &[String],
) -> Result<Vec<Cell>, CheckError> {
    let target = &request.target;
    let named = |name: &str| register_named(target, name).map(Cell::Register);
    let mut found = request.asked_inputs(names, &named)?;
    if let Some(load) = &listing.load {
        take_image(target, load, &mut found)?;
    }
    let reads: Vec<Cell> = reads(target, trace).collect();
    request.all_inputs(names, &found, &reads, listing.load.as_ref())
}

/// Assigns the register of a loaded image to the first input without a register, unless an input already has it.
fn take_image(target: &Target, load: &Loaded, found: &mut [Option<Cell>]) -> Result<(), CheckError> {
    let (call, image) = (target.instruction_text(&load.instruction), Cell::Register(load.register));
    if let Some(lost) = found.iter().flatten().find(|cell| load.overwrites(**cell)) {
        let register = target.cell_name(*lost);
        return Err(CheckError::Usage(format!("no input can be in `{register}`, which `{call}` overwrites")));
    }
    if !found.contains(&Some(image)) {
        let Some(free) = found.iter_mut().find(|place| place.is_none()) else {
            let register = target.cell_name(image);
            return Err(CheckError::Usage(format!(
                "`{call}` takes an image into `{register}`: one of the inputs must be there"
            )));
        };
        *free = Some(image);
    }
    Ok(())
}

/// Adds the registers from the options to the expected outputs.
fn assign_outputs(request: &CheckRequest, wanted: &mut [Wanted]) -> Result<(), CheckError> {
    let known: Vec<String> = wanted.iter().map(|w| w.name.clone()).collect();
    for (name, register) in &request.outputs {
        let place = output_place(name, register, &known)?;
        wanted[place].register = Some(register_named(&request.target, register)?);
    }
    Ok(())
}
