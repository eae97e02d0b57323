//! Lints for programs, correct ones included: dead writes, values that may overflow, reads of masked neighbours.

use super::division;
use super::range::extremes;
use super::remark::Review;
use super::trace::Trace;
use crate::algebra::Rational;
use crate::backend::array::machine::{RegisterId, Target, Transfer};

/// The context of a review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The registers whose final values matter; `None` if unknown.
    pub results: Option<Vec<RegisterId>>,
    /// The range of the inputs, if overflow is to be checked.
    pub input_range: Option<[Rational; 2]>,
    /// Whether each instruction is under a mask.
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

/// The registers that matter at the end; by default the general register written last.
fn last_results(target: &Target, trace: &Trace, context: &Context) -> Vec<RegisterId> {
    context.results.clone().unwrap_or_else(|| trace.last_written(target).into_iter().collect())
}

/// The registers that an instruction reads before it writes them.
fn reads_first(transfers: &[Transfer]) -> Vec<RegisterId> {
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for transfer in transfers {
        read.extend(transfer.reads.iter().map(|(r, _)| r.register).filter(|r| !written.contains(r)));
        written.extend(transfer.writes.iter().map(|w| w.register));
    }
    read
}

/// The machine's registers that an instruction writes, each once.
fn writes<'a>(trace: &'a Trace, transfers: &'a [Transfer]) -> Vec<RegisterId> {
    let all = transfers.iter().flat_map(|transfer| &transfer.writes).map(|write| write.register);
    let mut found: Vec<RegisterId> = all.filter(|r| r.0 < trace.machine_registers).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Dead instructions: their results are neither read nor needed at the end.
fn dead_writes(target: &Target, trace: &Trace, context: &Context) -> Vec<Review> {
    let mut live: Vec<bool> = vec![false; trace.registers];
    for register in context.results.clone().unwrap_or_else(|| target.general_registers().to_vec()) {
        live[register.0] = true;
    }
    let mut remarks = Vec::new();
    for (instruction, transfers) in trace.lines.iter().enumerate().rev() {
        let written = writes(trace, transfers);
        if !written.iter().any(|register| live[register.0]) {
            let names: Vec<&str> = written
                .iter()
                .filter(|r| target.general_registers().contains(r))
                .map(|r| target.register_name(*r))
                .collect();
            let what = if names.is_empty() { "its result".to_owned() } else { names.join(", ") };
            let message = format!("nothing reads {what} before it is overwritten or the program ends");
            remarks.push(Review { id: "dead-write", instruction, message });
            continue;
        }
        for register in written {
            live[register.0] = false;
        }
        for register in reads_first(transfers) {
            live[register.0] = true;
        }
    }
    remarks
}

/// Writes that overflow for some image of the range.
fn out_of_range(target: &Target, trace: &Trace, inputs: [Rational; 2]) -> Vec<Review> {
    let [least, most] = target.range;
    let mut state = trace.start();
    let mut beyond = vec![false; trace.registers];
    let mut remarks = Vec::new();
    for (instruction, transfers) in trace.lines.iter().enumerate() {
        let mut said = false;
        for transfer in transfers {
            let inherited = transfer.reads.iter().any(|(read, _)| beyond[read.register.0]);
            state.apply(transfer);
            for write in &transfer.writes {
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

/// Reads of neighbours' registers that were written under a mask: elements outside the mask kept an older value.
fn masked_moves(target: &Target, trace: &Trace, masked: &[bool]) -> Vec<Review> {
    let mut under = vec![false; trace.registers];
    let mut remarks = Vec::new();
    for (instruction, transfers) in trace.lines.iter().enumerate() {
        let mask = masked.get(instruction).copied().unwrap_or(false);
        let mut said = false;
        for transfer in transfers {
            let afar =
                transfer.reads.iter().find(|(read, _)| read.offset != [0; 3] && under[read.register.0]);
            if let (Some((read, _)), false) = (afar, said) {
                said = true;
                let message = format!(
                    "reads a neighbour's {}, which was written under a mask: elements outside the mask hold an older value",
                    target.register_name(read.register)
                );
                remarks.push(Review { id: "move-under-mask", instruction, message });
            }
            for write in &transfer.writes {
                under[write.register.0] = mask;
            }
        }
    }
    remarks
}
