//! Finds the inputs of a program, and of the one that it is compared with.

use super::steps::{Steps, named_cell, reads, steps};
use crate::backend::array::compile::check_request::CheckRequest;
use crate::backend::array::compile::paired::{Reads, paired};
use crate::backend::array::machine::{Cell, Listing, read_listing};
use crate::backend::error::{CheckError, Whose};
use crate::pipeline::{PixelType, is_pipeline, read_pipeline};
use crate::syntax::Source;
use crate::term::{is_kernel_file, read_filter};

/// Another program to compare with.
pub(super) type Other = (Listing, Steps);

/// The names of the inputs; the registers and bits that hold them, in both programs; and the other program, if there is one.
pub(super) fn inputs(
    request: &CheckRequest,
    listing: &Listing,
    steps: &mut Steps,
) -> Result<(Vec<String>, Option<Other>), CheckError> {
    let target = &*request.target;
    let own = reads(target, listing, steps);
    let filter = request.against.as_ref().filter(|against| is_kernel_file(against));
    let mut other = match request.against.as_ref().filter(|against| !is_kernel_file(against)) {
        Some(against) => Some(other_program(request, against)?),
        None => None,
    };
    let theirs = other.as_ref().map(|(listing, steps)| reads(target, listing, steps));
    let mut bits = Vec::new();
    let names: Vec<String> = if let Some(filter) = filter {
        let of_against = |diagnostics| CheckError::Source(Whose::Against, diagnostics);
        if is_pipeline(filter) {
            let inputs = read_pipeline(filter).map_err(of_against)?.inputs;
            let bit = PixelType::Integer { bits: 1, signed: false };
            bits = inputs.iter().map(|input| input.pixel == bit).collect();
            inputs.into_iter().map(|input| input.name).collect()
        } else {
            read_filter(filter).map_err(of_against)?.inputs
        }
    } else if !request.inputs.is_empty() {
        request.input_names()
    } else {
        if let (Some((other_listing, other_steps)), Some(theirs)) = (&mut other, &theirs) {
            let reads = [(&own, listing), (theirs, &*other_listing)]
                .map(|(cells, listing)| Reads { cells, load: listing.load.as_ref() });
            if let Some((names, cells)) = paired(target, reads)? {
                [steps.inputs, other_steps.inputs] = cells;
                return Ok((names, other));
            }
        }
        match &own[..] {
            [] | [_] => request.input_names(),
            _ => own.iter().map(|cell| target.cell_name(*cell).to_owned()).collect(),
        }
    };
    steps.inputs = places(request, &names, &preferring(&bits, own), listing)?;
    if let (Some((listing, steps)), Some(reads)) = (&mut other, theirs) {
        steps.inputs = places(request, &names, &reads, listing)?;
    }
    Ok((names, other))
}

/// The registers and bits that a program reads, in the order of its inputs: bits for inputs that are bits, registers for the others.
fn preferring(bits: &[bool], reads: Vec<Cell>) -> Vec<Cell> {
    let is_bit = |cell: &Cell| matches!(cell, Cell::Bit(_));
    let (mut digital, mut others): (Vec<Cell>, Vec<Cell>) = reads.into_iter().partition(is_bit);
    let mut found = Vec::new();
    for bit in bits {
        let from = if *bit { &mut digital } else { &mut others };
        if !from.is_empty() {
            found.push(from.remove(0));
        }
    }
    found.into_iter().chain(others).chain(digital).collect()
}

pub(super) fn other_program(
    request: &CheckRequest,
    against: &Source,
) -> Result<(Listing, Steps), CheckError> {
    let of_against = |diagnostics| CheckError::Source(Whose::Against, diagnostics);
    let target = &*request.target;
    let listing = read_listing(target, against, &request.against_reading).map_err(of_against)?;
    let steps = steps(request, &listing, Whose::Against)?;
    Ok((listing, steps))
}

/// The registers and bits of the inputs: those in the options, then those that the program reads, then general registers.
pub(super) fn places(
    request: &CheckRequest,
    names: &[String],
    reads: &[Cell],
    listing: &Listing,
) -> Result<Vec<Cell>, CheckError> {
    let target = &*request.target;
    let mut found = request.asked_inputs(names, &|name| named_cell(target, name))?;
    // Inputs that are called like registers are in them.
    for (place, name) in found.iter_mut().zip(names) {
        if place.is_none() && request.inputs.is_empty() {
            *place = target.cell(name).filter(|cell| reads.contains(cell));
        }
    }
    request.all_inputs(names, &found, reads, listing.load.as_ref())
}
