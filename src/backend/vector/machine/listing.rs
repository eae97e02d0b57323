//! The bundles of a program as text: one line per cycle of the pipelined loop.

use super::{Multiply, Operation, PreAdd, Program, Selection, Square, VliwMachine};

/// The kernel of the pipelined loop, one line per bundle. An operation of an earlier iteration is marked with its lag
/// in iterations.
pub fn listing(machine: &VliwMachine, program: &Program) -> String {
    let mut text = String::new();
    for cycle in 0..program.interval {
        let mut fields: Vec<(usize, String)> = Vec::new();
        for timed in program.body.iter().filter(|timed| timed.time % program.interval == cycle) {
            let stage = timed.time / program.interval;
            let lag = if stage == 0 { String::new() } else { format!("'{stage}") };
            let slot = &machine.slots[timed.slot];
            fields.push((
                timed.slot,
                format!("{slot}{lag} {}", operation_text(machine, program, &timed.operation)),
            ));
        }
        fields.sort();
        let line = fields.into_iter().map(|(_, field)| field).collect::<Vec<_>>().join(" | ");
        let line = if line.is_empty() { "nop".to_owned() } else { line };
        text.push_str(&format!("{cycle:4}  {line}\n"));
    }
    text
}

/// An operation in words: the registers that it writes and reads, and places in memory.
pub fn operation_text(machine: &VliwMachine, program: &Program, operation: &Operation) -> String {
    let vector = |register: &usize| machine.vectors[*register].as_str();
    let place = |at: &super::Address| {
        let pointer = if at.pointer == 0 { String::new() } else { format!("_{}", at.pointer) };
        format!("{}{pointer}[{:+}]", program.arrays[at.array].name, at.offset)
    };
    match operation {
        Operation::Load { to, at } => format!("{} = {}", vector(to), place(at)),
        Operation::Store { from, at } => format!("{} = {}", place(at), vector(from)),
        Operation::Round { to, from, shift, .. } => {
            format!("{} = srs({}, {shift})", vector(to), machine.accumulators[*from])
        }
        Operation::Widen { to, from, shift } => {
            format!("{} = ups({}, {shift})", machine.accumulators[*to], vector(from))
        }
        Operation::Multiply(m) => multiply(machine, program, m),
        Operation::Move { start } => format!("start = {start}"),
    }
}

fn multiply(machine: &VliwMachine, program: &Program, m: &Multiply) -> String {
    let selected = |buffer: usize, selection: &Selection| {
        let Selection { start, offsets, step, square, .. } = selection;
        let step = step.map_or(String::new(), |step| format!(":{step}"));
        let square = square.map_or(String::new(), |Square(square)| format!(":{square:04x}"));
        format!("{}[{start}:{offsets:x}{step}{square}]", machine.buffers[buffer].0)
    };
    let y = m.y.map_or(String::new(), |(buffer, selection, how)| {
        let sign = if how == PreAdd::Sum { '+' } else { '-' };
        format!(" {sign} {}", selected(buffer, &selection))
    });
    let how = m.y.map(|(.., how)| how);
    let name = machine.mode(&program.mode).map_or("mul", |mode| mode.intrinsic(m.begins, how));
    let accumulator = &machine.accumulators[m.accumulator];
    let z = &machine.vectors[m.z];
    let offsets = if m.z_offsets == 0 { String::new() } else { format!(":{:x}", m.z_offsets) };
    let x = selected(m.x, &m.selection);
    format!("{name} {accumulator}, {x}{y}, {z}[{}{offsets}:{}]", m.z_start, m.z_step)
}
