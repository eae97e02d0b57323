//! Follows a program, judges its results, and fills the record.

use super::against::{Against, Expected, Means, Other, against, asked_cell};
use super::inputs::inputs;
use super::record::{Answered, record};
use super::steps::{Steps, candidates, steps, trouble_text, written};
use super::words::{Quoted, Words};
use crate::backend::array::compile::check_record::lines;
use crate::backend::array::compile::check_request::{CheckRequest, output_place};
use crate::backend::array::machine::{Cell, Listing, Target};
use crate::backend::array::verify::guarded::{
    Code, Finding, Followed, Origin, Reference, Space, Trouble, Wanted, amplitude, judge,
};
use crate::backend::error::{CheckError, Whose};
use crate::report::CheckRecord;

/// A finished check.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The record.
    pub record: CheckRecord,
    /// The program as read.
    pub listing: Listing,
    /// The program in steps.
    pub steps: Steps,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The registers and bits that the program names as results, the last written first.
    pub written: Vec<Cell>,
    /// What registers and bits depend on although nothing is known of it, in words.
    pub assumed: Vec<(Cell, Vec<String>)>,
}

/// Checks a program that was read.
///
/// # Errors
/// [`CheckError`].
pub fn check_guarded(request: &CheckRequest, listing: Listing) -> Result<Guarded, CheckError> {
    let target = &*request.target;
    let mut steps = steps(request, &listing, Whose::Program)?;
    let (names, other) = inputs(request, &listing, &mut steps)?;
    let mut space = Space::new();
    let trouble = |trouble: Trouble| CheckError::Usage(trouble_text(trouble).to_owned());
    let mut channels = Vec::new();
    for (index, cell) in steps.inputs.iter().enumerate() {
        let value = space.input(target, index, *cell).map_err(trouble)?;
        channels.push(value);
    }
    let followed = steps.follow(&mut space, target, &channels).map_err(trouble)?;
    let against = against(request, &mut space, &channels, other)?;
    let candidates = candidates(target, &listing);
    let code = code(target, &steps, &followed);
    let mut findings: Vec<Finding> = Vec::new();
    for expected in &against.wanted {
        let cell = asked_cell(request, against.wanted.len(), &expected.name)?.or(expected.cell);
        let bit = matches!(expected.means, Means::Cell(Cell::Bit(_)) | Means::Function(true));
        check_kind(request, cell, bit, &expected.name)?;
        let own: Vec<Cell> =
            candidates.iter().copied().filter(|cell| matches!(cell, Cell::Bit(_)) == bit).collect();
        let (reference, undocumented) = reference(target, &space, expected, against.other.as_ref());
        let wanted =
            Wanted { name: &expected.name, cell, value: expected.value, bit, undocumented, reference };
        findings.extend(judge(&mut space, code, &followed, &wanted, &own));
    }
    check_outputs(request, &against)?;
    let written = written(target, &listing, &steps);
    let own_lines = lines(&request.source, &listing);
    let other = against.other.as_ref().map(|other| &other.listing).zip(request.against.as_ref());
    let other_lines = other.map(|(listing, source)| lines(source, listing)).unwrap_or_default();
    let other =
        other.map(|(listing, source)| Quoted { listing, lines: &other_lines, file: Some(source.name()) });
    let answered = Answered {
        request,
        words: Words {
            target,
            own: Quoted { listing: &listing, lines: &own_lines, file: None },
            other,
            names: &names,
            space: &space,
        },
        steps: &steps,
        followed: &followed,
        findings: &findings,
        range: amplitude(target, &space, &followed),
        written: &written,
    };
    let (record, assumed) = (record(&answered)?, answered.assumed());
    Ok(Guarded { record, listing, steps, inputs: names, written, assumed })
}

fn code<'a>(target: &'a Target, steps: &'a Steps, followed: &'a Followed) -> Code<'a> {
    Code { target, steps: &steps.effects, registers: steps.registers, start: &followed.start }
}

/// How an output is found without functions, and where a value comes from, if any, that is not documented and on which it may depend.
fn reference<'a>(
    target: &'a Target,
    space: &Space,
    expected: &'a Expected,
    other: Option<&'a Other>,
) -> (Reference<'a>, Option<Origin>) {
    match (&expected.means, other) {
        (Means::Cell(cell), Some(Other { steps, followed, .. })) => {
            let code = code(target, steps, followed);
            (Reference::Program(code, *cell), followed.end.undocumented(space, *cell))
        }
        (Means::Function(_), _) => (expected.value.map_or(Reference::Kernel(&[]), Reference::Function), None),
        (Means::Kernel(kernel), _) => (Reference::Kernel(kernel), None),
        (Means::Cell(_), None) => unreachable!("only another program expects registers"),
    }
}

/// Refuses a register for bits, and a bit for numbers.
fn check_kind(request: &CheckRequest, cell: Option<Cell>, bit: bool, name: &str) -> Result<(), CheckError> {
    let Some(cell) = cell.filter(|cell| matches!(cell, Cell::Bit(_)) != bit) else { return Ok(()) };
    let [has, what] = if bit { ["numbers", "bits"] } else { ["bits", "numbers"] };
    let cell = request.target.cell_name(cell);
    Err(CheckError::Usage(format!("`{cell}` holds {has}, and {what} are expected for `{name}`")))
}

/// Refuses options about outputs that there are not.
fn check_outputs(request: &CheckRequest, against: &Against) -> Result<(), CheckError> {
    let outputs: Vec<String> = against.wanted.iter().map(|wanted| wanted.name.clone()).collect();
    for (name, register) in &request.outputs {
        output_place(name, register, &outputs)?;
    }
    Ok(())
}
