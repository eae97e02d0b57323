//! Stretches: runs of linear instructions under one state of the flag, with the values that they must leave.

use std::ops::Range;

use super::flat::Line;
use super::live::{Live, masks};
use crate::algebra::{Offset, Placed, Rational};
use crate::backend::array::machine::{Cell, Effect, RegisterId, State, Target, Transfer, Value};

/// A run of linear instructions.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    /// The lines, by index.
    pub(super) range: Range<usize>,
    /// Whether the flag may be 0 in some elements. Instructions then stay within each element.
    pub(super) masked: bool,
    /// The registers whose values it reads.
    pub(super) inputs: Vec<RegisterId>,
    /// The registers that it writes and that are live after it, with what they hold, over all registers before it.
    pub(super) outputs: Vec<(RegisterId, Placed)>,
    /// The inputs that are live after it and that it does not write.
    pub(super) kept: Vec<RegisterId>,
    /// General registers that are dead after it.
    pub(super) scratch: Vec<RegisterId>,
    /// All registers that are live after it.
    pub(super) live: Vec<RegisterId>,
}

/// All stretches of a program, in order, that take more than one cycle.
pub(super) fn stretches(target: &Target, needed: &[(Line, Live)]) -> Vec<Stretch> {
    let lines: Vec<Line> = needed.iter().map(|(line, _)| line.clone()).collect();
    let masks = masks(target, &lines);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let masked = !masks[at][0];
        let mut end = at;
        while end < lines.len() && masks[end][0] != masked && is_linear(target, &lines[end], masked) {
            end += 1;
        }
        found.extend(stretch(target, needed, at..end, masked));
        at = end.max(at + 1);
    }
    found
}

/// The transfers of lines that consist of nothing else.
pub(super) fn transfers<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Transfer> {
    let of = |effect: &Effect| match effect {
        Effect::Transfer(transfer) => Some(transfer.clone()),
        _ => None,
    };
    lines.flat_map(|line| &line.effects).filter_map(of).collect()
}

/// Whether a line belongs to a stretch: linear, without sources from outside, and within each element if the flag chooses.
pub(super) fn is_linear(target: &Target, line: &Line, masked: bool) -> bool {
    let fits = |effect: &Effect| match effect {
        Effect::Transfer(transfer) => {
            let given = transfer.reads.iter().any(|(read, _)| target.given(read.register).is_some());
            !given && (!masked || transfer.is_local())
        }
        _ => false,
    };
    !line.fixed && !line.effects.is_empty() && line.effects.iter().all(fits)
}

/// The stretch of these lines; `None` if they take one cycle, or if nothing of them can be asked for.
pub(super) fn stretch(
    target: &Target,
    needed: &[(Line, Live)],
    range: Range<usize>,
    masked: bool,
) -> Option<Stretch> {
    let stretch = trimmed(target, needed, range, masked)?;
    let own = &needed[stretch.range.clone()];
    (own.iter().map(|(line, _)| line.cycles).sum::<u32>() > 1).then_some(stretch)
}

/// The longest part of a run whose inputs and outputs are all in general registers: others cannot be asked for.
fn trimmed(
    target: &Target,
    needed: &[(Line, Live)],
    mut range: Range<usize>,
    masked: bool,
) -> Option<Stretch> {
    let general = target.general_registers();
    let registers = || (0..target.registers.len()).map(RegisterId).filter(|r| target.given(*r).is_none());
    while !range.is_empty() {
        let live = &needed[range.end - 1].1;
        let live: Vec<RegisterId> = registers().filter(|r| live.has(Cell::Register(*r), masked)).collect();
        if !live.iter().all(|register| general.contains(register)) {
            range.end -= 1;
            continue;
        }
        let transfers = transfers(needed[range.clone()].iter().map(|(line, _)| line));
        let mut state = State::identity(target.registers.len());
        state.apply_all(&transfers);
        let writes = |r: &RegisterId| transfers.iter().any(|t| t.writes.iter().any(|w| w.register == *r));
        let mut outputs = Vec::new();
        for register in live.iter().filter(|register| writes(register)) {
            let Value::Known(kernel) = state.value(*register) else { return None };
            outputs.push((*register, kernel.clone()));
        }
        let mut inputs: Vec<RegisterId> = Vec::new();
        for (_, kernel) in &outputs {
            let taps: Vec<(u16, Offset, Rational)> = kernel.taps()?;
            inputs.extend(taps.iter().map(|(channel, ..)| RegisterId(usize::from(*channel))));
        }
        inputs.sort_unstable();
        inputs.dedup();
        if !inputs.iter().all(|register| general.contains(register)) {
            range.start += 1;
            continue;
        }
        let kept = inputs.iter().copied().filter(|r| live.contains(r) && !writes(r)).collect();
        let scratch = general.iter().copied().filter(|r| !live.contains(r)).collect();
        return Some(Stretch { range, masked, inputs, outputs, kept, scratch, live });
    }
    None
}
