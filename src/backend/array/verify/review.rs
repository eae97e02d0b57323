//! What a reviewer would remark about a program that may well be right: writes that nobody reads, values that may not fit,
//! neighbours that a mask left out.

use super::division;
use super::range::{extremes, holds};
use super::remark::Review;
use super::trace::Trace;
use crate::algebra::Rational;
use crate::backend::array::machine::{RegisterId, Step, Target};

/// What a review needs to know beside the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The registers whose values at the end matter; `None` where that is not known.
    pub results: Option<Vec<RegisterId>>,
    /// The least and the greatest value of the inputs, where ranges are asked for.
    pub input_range: Option<[Rational; 2]>,
    /// For each instruction whether it stands under a mask.
    pub masked: Vec<bool>,
}

/// All remarks, in the order of the program.
pub fn review(target: &Target, trace: &Trace, context: &Context) -> Vec<Review> {
    let mut remarks = dead_writes(target, trace, context);
    remarks.extend(division::remarks(target, trace, &last_results(target, trace, context)));
    if let Some(range) = context.input_range {
        remarks.extend(out_of_range(target, trace, range));
    }
    remarks.extend(masked_moves(target, trace, &context.masked));
    remarks.sort_by_key(|remark| remark.instruction);
    remarks
}

/// The registers that matter at the end; the one of the first file that is written last where nothing else is known.
fn last_results(target: &Target, trace: &Trace, context: &Context) -> Vec<RegisterId> {
    let general = general(target);
    let last = || trace.written().into_iter().find(|register| general.contains(register));
    context.results.clone().unwrap_or_else(|| last().into_iter().collect())
}

fn general(target: &Target) -> Vec<RegisterId> {
    target.files.first().map(|file| file.registers.clone()).unwrap_or_default()
}

/// The registers that an instruction reads before it writes them.
fn reads_first(steps: &[Step]) -> Vec<RegisterId> {
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for step in steps {
        read.extend(step.reads.iter().map(|(r, _)| r.register).filter(|r| !written.contains(r)));
        written.extend(step.writes.iter().map(|w| w.register));
    }
    read
}

/// The machine's registers that an instruction writes, each once.
fn writes<'a>(trace: &'a Trace, steps: &'a [Step]) -> Vec<RegisterId> {
    let all = steps.iter().flat_map(|step| &step.writes).map(|write| write.register);
    let mut found: Vec<RegisterId> = all.filter(|r| r.0 < trace.machine_registers).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Instructions of which nothing is read, and that leave nothing that matters.
fn dead_writes(target: &Target, trace: &Trace, context: &Context) -> Vec<Review> {
    let mut live: Vec<bool> = vec![false; trace.registers];
    for register in context.results.clone().unwrap_or_else(|| general(target)) {
        live[register.0] = true;
    }
    let mut remarks = Vec::new();
    for (instruction, steps) in trace.lines.iter().enumerate().rev() {
        let written = writes(trace, steps);
        if !written.iter().any(|register| live[register.0]) {
            let names: Vec<&str> = written
                .iter()
                .filter(|r| general(target).contains(r))
                .map(|r| target.register_name(*r))
                .collect();
            let what = if names.is_empty() { "what this leaves".to_owned() } else { names.join(", ") };
            let message = format!("nothing reads {what} before it is overwritten, or the program ends");
            remarks.push(Review { id: "dead-write", instruction, message });
            continue;
        }
        for register in written {
            live[register.0] = false;
        }
        for register in reads_first(steps) {
            live[register.0] = true;
        }
    }
    remarks
}

/// Values that leave what a register holds, for some image of the range.
fn out_of_range(target: &Target, trace: &Trace, inputs: [Rational; 2]) -> Vec<Review> {
    let Some([least, most]) = holds(target) else { return Vec::new() };
    let mut state = trace.start();
    let mut beyond = vec![false; trace.registers];
    let mut remarks = Vec::new();
    for (instruction, steps) in trace.lines.iter().enumerate() {
        let mut said = false;
        for step in steps {
            let inherited = step.reads.iter().any(|(read, _)| beyond[read.register.0]);
            state.apply(step);
            for write in &step.writes {
                let extremes = extremes(target, trace, &state, write.register, inputs);
                let outside = extremes.is_some_and(|[low, high]| low < least || high > most);
                beyond[write.register.0] = outside;
                if let (true, false, false, Some([low, high])) = (outside, inherited, said, extremes) {
                    said = true;
                    let [low, high, least, most] = [low, high, least, most].map(Rational::to_f64);
                    let message = format!(
                        "{} can become {low} to {high}, and a register holds {least} to {most}",
                        target
                            .registers
                            .get(write.register.0)
                            .map_or("a copy of an operand", |r| r.name.as_str())
                    );
                    remarks.push(Review { id: "out-of-range", instruction, message });
                }
            }
        }
    }
    remarks
}

/// Neighbours' registers that are read though they were written under a mask: elements that it left out kept an older value.
fn masked_moves(target: &Target, trace: &Trace, masked: &[bool]) -> Vec<Review> {
    let mut under = vec![false; trace.registers];
    let mut remarks = Vec::new();
    for (instruction, steps) in trace.lines.iter().enumerate() {
        let mask = masked.get(instruction).copied().unwrap_or(false);
        let mut said = false;
        for step in steps {
            let afar = step.reads.iter().find(|(read, _)| read.offset != [0; 3] && under[read.register.0]);
            if let (Some((read, _)), false) = (afar, said) {
                said = true;
                let message = format!(
                    "reads a neighbour's {}, which was written under a mask: elements that it leaves out hold an older value",
                    target.register_name(read.register)
                );
                remarks.push(Review { id: "move-under-mask", instruction, message });
            }
            for write in &step.writes {
                under[write.register.0] = mask;
            }
        }
    }
    remarks
}
