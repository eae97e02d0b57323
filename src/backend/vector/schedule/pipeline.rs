//! Software pipelining: the least interval at which cycles and registers are found, and the resulting program.

use std::collections::BTreeMap;

use super::Infeasible;
use super::body::{Body, Origin, Product, Use};
use super::operands::Selector;
use super::places::places;
use super::registers::{Registers, registers};
use super::times::{Meetings, Spacing, Times, least_interval, times};
use crate::backend::vector::machine::{Misfit, Multiply, Operation, Program, Timed, VliwMachine};
use crate::backend::vector::workload::Element;

/// The number of intervals tried beyond the least one: an eighth of it, within these bounds. If no interval works
/// within twenty cycles, a longer search is not worthwhile.
const MORE_INTERVALS: [usize; 2] = [8, 20];

/// Returns the program of a body at the least interval at which cycles and registers are found, with the shorter
/// iteration. A longer interval is taken if it saves more bank stalls than it costs.
///
/// # Errors
/// There is no such program, or it does not fit the machine.
pub fn pipeline(machine: &VliwMachine, body: &Body) -> Result<Program, Infeasible> {
    pipeline_within(machine, body, usize::MAX)
}

/// Like [`pipeline`], but stops at intervals at which every program takes more than `within` cycles.
pub(super) fn pipeline_within(
    machine: &VliwMachine,
    body: &Body,
    cycles: usize,
) -> Result<Program, Infeasible> {
    let least = least_interval(machine, body);
    if least > machine.program_memory {
        let available = machine.program_memory;
        return Err(Infeasible::Misfit(Misfit::ProgramMemory { needed: least, available }));
    }
    let most = least + (least / 8).clamp(MORE_INTERVALS[0], MORE_INTERVALS[1]);
    let mut refused = None;
    let mut selector = Selector::new(machine, body);
    // The fewest cycles so far, and whether they include bank stalls.
    let mut best: Option<(usize, bool, Program)> = None;
    for interval in least..=most {
        let at_least = cycles_at(machine, body, interval);
        match &best {
            None if at_least > cycles => return Err(Infeasible::Slower { least: at_least }),
            Some((found, stalls, _)) if !stalls || at_least >= cycles.min(*found) => break,
            _ => {}
        }
        for (spacing, meetings) in ways(machine) {
            let stalls = best.as_ref().is_none_or(|(_, stalls, _)| *stalls);
            if spacing == Spacing::Even && interval == body.products.len()
                || meetings == Meetings::Avoided && !stalls
            {
                continue;
            }
            let Some(times) = times(machine, body, interval, spacing, meetings) else { continue };
            let Some(registers) = registers(machine, body, &times, &mut selector) else { continue };
            let program = assemble(machine, body, &times, &registers);
            if let Err(misfit) = program.fits(machine) {
                refused = Some(misfit);
                continue;
            }
            let stalls = program.bank_stalls(machine);
            let cycles = program.cycles(machine);
            if best.as_ref().is_none_or(|(found, ..)| cycles < *found) {
                best = Some((cycles, stalls > 0, program));
            }
        }
    }
    let none = refused.map_or(Infeasible::Registers { interval: most }, Infeasible::Misfit);
    best.map(|(.., program)| program).ok_or(none)
}

/// The ways tried to assign cycles to operations at one interval. If accesses may wait for a bank, those that keep
/// accesses of one tensor apart come last.
fn ways(machine: &VliwMachine) -> impl Iterator<Item = (Spacing, Meetings)> {
    let meetings = match machine.banks {
        Some(_) => &[Meetings::Ignored, Meetings::Avoided][..],
        None => &[Meetings::Ignored],
    };
    meetings
        .iter()
        .flat_map(|meetings| [Spacing::Dense, Spacing::Even].into_iter().map(|spacing| (spacing, *meetings)))
}

/// A lower bound on the cycles of any program of a body.
pub(super) fn least_cycles(machine: &VliwMachine, body: &Body) -> usize {
    cycles_at(machine, body, least_interval(machine, body))
}

/// A lower bound on the cycles at one interval. An iteration takes at least the interval, and at least its
/// multiplications in sequence plus the latency of the last.
fn cycles_at(machine: &VliwMachine, body: &Body, interval: usize) -> usize {
    let entries: usize = body.outer.iter().map(|counted| counted.count).product();
    let span = interval.max(body.products.len() + machine.multiply.latency);
    machine.call + entries * (machine.loop_set_up + (body.inner.count - 1) * interval + span)
}

/// An operation with its issue cycle and slot.
type Issued = (i64, usize, Operation);

fn assemble(machine: &VliwMachine, body: &Body, times: &Times, registers: &Registers) -> Program {
    let (mut issued, resident) = loads(body, times, registers);
    issued.extend(multiplications(machine, body, times, registers));
    issued.extend(outputs(machine, body, times, registers));
    moves(machine, &mut issued);
    let first = issued.iter().map(|(time, ..)| *time).min().unwrap_or(0);
    let mut timed: Vec<Timed> = issued
        .into_iter()
        .map(|(time, slot, operation)| Timed { operation, time: (time - first) as usize, slot })
        .collect();
    timed.sort_by_key(|timed| (timed.time, timed.slot));
    let mut program = Program {
        name: body.name.clone(),
        mode: body.mode.clone(),
        element: body.element,
        arrays: body.arrays.clone(),
        outer: body.outer.clone(),
        inner: body.inner.clone(),
        resident,
        body: timed,
        interval: times.interval as usize,
        places: Vec::new(),
    };
    program.places = places(machine, &program);
    program
}

/// The loads of an iteration, and those before the loop.
fn loads(body: &Body, times: &Times, registers: &Registers) -> (Vec<Issued>, Vec<Operation>) {
    let (mut issued, mut resident) = (Vec::new(), Vec::new());
    for (index, vector) in body.vectors.iter().enumerate() {
        let to = registers.vectors[index];
        match &vector.origin {
            Origin::Memory(at) => {
                if let Some((time, slot)) = times.loads[index] {
                    issued.push((time, slot, Operation::Load { to, at: at.clone() }));
                }
            }
            Origin::Resident(at) => resident.push(Operation::Load { to, at: at.clone() }),
            Origin::Sum(_) => {}
        }
        resident.extend(vector.initial.iter().map(|at| Operation::Load { to, at: at.clone() }));
    }
    (issued, resident)
}

fn multiplications(machine: &VliwMachine, body: &Body, times: &Times, registers: &Registers) -> Vec<Issued> {
    let begins = beginnings(body, times);
    let multiply = |(index, product): (usize, &Product)| {
        let ((x, selection), y) = registers.operands[index];
        let z_step = match (&product.z_elements[..], machine.mode(&body.mode)) {
            // The first two bytes are side by side.
            ([first, _, third, ..], Some(mode)) if mode.z == Element::Int8 => third - first,
            ([first, second, ..], Some(mode)) => second.wrapping_sub(*first) % machine.per_vector(mode.z),
            _ => 0,
        };
        let multiply = Multiply {
            begins: begins[product.sum] == Some(index),
            accumulator: registers.sums[product.sum],
            x,
            selection,
            y: y.zip(product.y.as_ref()).map(|((buffer, selection), (_, how))| (buffer, selection, *how)),
            z: registers.vectors[product.z],
            z_start: product.z_elements.first().copied().unwrap_or(0),
            z_step,
            z_offsets: machine.mode(&body.mode).and_then(|mode| mode.offsets(product.z_apart)).unwrap_or(0),
        };
        (times.products[index], machine.multiply.slots[0], Operation::Multiply(multiply))
    };
    body.products.iter().enumerate().map(multiply).collect()
}

/// The other operations of sums: widened vectors that begin them, rounding, and stores.
fn outputs(machine: &VliwMachine, body: &Body, times: &Times, registers: &Registers) -> Vec<Issued> {
    let mut issued = Vec::new();
    for (sum, (round, store)) in body.sums.iter().zip(&times.sums) {
        let number = body_index(body, sum);
        let (to, from) = (registers.vectors[sum.vector], registers.sums[number]);
        let is_read = body.vectors[sum.vector].purpose != Use::Result;
        issued.push((
            *round,
            machine.round.slots[0],
            Operation::Round { to, from, shift: sum.shift, is_read },
        ));
        if let (Some(widened), Some((time, slot))) = (sum.widened, times.widened[number]) {
            let (to, from) = (registers.sums[number], registers.vectors[widened.vector]);
            issued.push((time, slot, Operation::Widen { to, from, shift: widened.shift }));
        }
        if let (Some(time), Some(at)) = (store, &sum.store) {
            issued.push((*time, machine.store.slots[0], Operation::Store { from: to, at: at.clone() }));
        }
    }
    issued
}

/// The index of a sum, from the origin of its vector.
fn body_index(body: &Body, sum: &super::body::Sum) -> usize {
    match body.vectors[sum.vector].origin {
        Origin::Sum(index) => index,
        Origin::Memory(_) | Origin::Resident(_) => unreachable!("the vector of a sum comes from it"),
    }
}

/// The product that begins each sum: the first one to issue. `None` if the sum continues another, or begins with a vector.
fn beginnings(body: &Body, times: &Times) -> Vec<Option<usize>> {
    let mut first: Vec<Option<usize>> = vec![None; body.sums.len()];
    for (index, product) in body.products.iter().enumerate() {
        let sum = &body.sums[product.sum];
        if sum.continues.is_some() || sum.widened.is_some() {
            continue;
        }
        let earlier = first[product.sum].is_none_or(|other| times.products[index] < times.products[other]);
        if earlier {
            first[product.sum] = Some(index);
        }
    }
    first
}

/// Moves selection starts into a register just before use if there are more starts than scalar registers. The most
/// frequent starts keep a register. The others share the last one.
fn moves(machine: &VliwMachine, issued: &mut Vec<Issued>) {
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    let starts = |operation: &Operation| match operation {
        Operation::Multiply(multiply) => Some(multiply.selection.start),
        _ => None,
    };
    for start in issued.iter().filter_map(|(.., operation)| starts(operation)) {
        *uses.entry(start).or_default() += 1;
    }
    if uses.len() <= machine.scalars {
        return;
    }
    let mut frequent: Vec<(usize, usize)> = uses.into_iter().map(|(start, count)| (count, start)).collect();
    frequent.sort_unstable_by_key(|(count, start)| (std::cmp::Reverse(*count), *start));
    let kept: Vec<usize> =
        frequent.iter().take(machine.scalars.saturating_sub(1)).map(|(_, start)| *start).collect();
    let latency = machine.scalar_move.latency as i64;
    let moved: Vec<Issued> = issued
        .iter()
        .filter_map(|(time, _, operation)| Some((*time, starts(operation)?)))
        .filter(|(_, start)| !kept.contains(start))
        .map(|(time, start)| (time - latency, machine.scalar_move.slots[0], Operation::Move { start }))
        .collect();
    issued.extend(moved);
}
