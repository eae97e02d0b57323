//! The operations of the innermost loop as data: where each is issued, and where its operands come from.

use serde::Serialize;

use crate::backend::vector::machine::{Kind, Operation, Program, Timed, VliwMachine, operation_text};

/// An operation of one iteration of the innermost loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopOperation {
    /// The slot.
    pub slot: String,
    /// The cycle of issue, counted from the first issue of the iteration.
    pub time: usize,
    /// The cycles until the result is there; 1 for an operation without result.
    pub latency: usize,
    /// The operation in words.
    pub text: String,
    /// The registers that it reads.
    pub operands: Vec<LoopOperand>,
}

/// A register that an operation reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopOperand {
    /// The register.
    pub register: String,
    /// The index of the operation that wrote it; `null` if it was loaded before the loop.
    pub from: Option<usize>,
    /// How many iterations before this one it was written.
    pub iterations: usize,
}

/// A register by its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    Vector(usize),
    Accumulator(usize),
}

/// Returns the operations of one iteration.
pub fn loop_operations(machine: &VliwMachine, program: &Program) -> Vec<LoopOperation> {
    let operation = |timed: &Timed| LoopOperation {
        slot: machine.slots[timed.slot].clone(),
        time: timed.time,
        latency: latency(machine, &timed.operation),
        text: operation_text(machine, program, &timed.operation),
        operands: reads(machine, &timed.operation)
            .into_iter()
            .map(|register| operand(machine, program, timed.time, register))
            .collect(),
    };
    program.body.iter().map(operation).collect()
}

/// The cycles until a result is there.
fn latency(machine: &VliwMachine, operation: &Operation) -> usize {
    match operation.kind() {
        Kind::Load => machine.load.latency,
        Kind::Round => machine.round.latency,
        Kind::Widen => machine.widen.latency,
        Kind::Multiply => machine.multiply.latency,
        Kind::Store | Kind::Move => 1,
    }
}

/// The registers that an operation reads.
fn reads(machine: &VliwMachine, operation: &Operation) -> Vec<Register> {
    match operation {
        Operation::Load { .. } | Operation::Move { .. } => Vec::new(),
        Operation::Store { from, .. } | Operation::Widen { from, .. } => vec![Register::Vector(*from)],
        Operation::Round { from, .. } => vec![Register::Accumulator(*from)],
        Operation::Multiply(multiply) => {
            let sum = (!multiply.begins).then_some(Register::Accumulator(multiply.accumulator));
            let buffers = [Some(multiply.x), multiply.y.map(|(buffer, ..)| buffer)];
            let parts = buffers.iter().flatten().flat_map(|buffer| &machine.buffers[*buffer].1);
            let mut all: Vec<Register> = sum.into_iter().collect();
            for register in parts.chain([&multiply.z]).map(|part| Register::Vector(*part)) {
                if !all.contains(&register) {
                    all.push(register);
                }
            }
            all
        }
    }
}

/// The register that an operation writes.
fn written(operation: &Operation) -> Option<Register> {
    match operation {
        Operation::Load { to, .. } | Operation::Round { to, .. } => Some(Register::Vector(*to)),
        Operation::Widen { to, .. } => Some(Register::Accumulator(*to)),
        Operation::Multiply(multiply) => Some(Register::Accumulator(multiply.accumulator)),
        Operation::Store { .. } | Operation::Move { .. } => None,
    }
}

/// An operand that is read in cycle `time`: the last writer whose result is there. A sum goes on one cycle after the last
/// multiplication, before its result can be read otherwise.
fn operand(machine: &VliwMachine, program: &Program, time: usize, register: Register) -> LoopOperand {
    let mut best: Option<(isize, usize, usize)> = None;
    for (index, writer) in program.body.iter().enumerate() {
        if written(&writer.operation) != Some(register) {
            continue;
        }
        let issued = writer.time as isize;
        let wait = match register {
            Register::Vector(_) => latency(machine, &writer.operation),
            Register::Accumulator(_) => 1,
        };
        let late = issued + wait as isize - time as isize;
        let interval = program.interval as isize;
        let iterations = if late > 0 { (late + interval - 1) / interval } else { 0 };
        let at = issued + wait as isize - iterations * interval;
        if best.is_none_or(|(other, ..)| at > other) {
            best = Some((at, index, iterations as usize));
        }
    }
    let name = match register {
        Register::Vector(vector) => &machine.vectors[vector],
        Register::Accumulator(accumulator) => &machine.accumulators[accumulator],
    };
    LoopOperand {
        register: name.clone(),
        from: best.map(|(_, index, _)| index),
        iterations: best.map_or(0, |(.., iterations)| iterations),
    }
}
