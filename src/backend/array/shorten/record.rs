//! Fills the record of a program that was shortened.

use std::collections::BTreeSet;

use super::flat::{Flat, Kept, Line};
use crate::backend::array::compile::{Keep, OptimizeRequest, range_record};
use crate::backend::array::machine::{Effect, Program, Target};
use crate::backend::array::search::Objective;
use crate::backend::array::verify::guarded::{Range, Reaches, Space, amplitude, follow};
use crate::backend::error::OptimizeError;
use crate::report::{
    Border, Change, Figure, RangeRecord, RemovedLine, ShortenedRecord, StretchRecord, VERSION, WindowRecord,
};

/// What was proved.
pub(super) enum Proof {
    /// Nothing changed.
    Unchanged,
    /// The programs leave the same as a whole.
    Whole,
    /// Every part that was replaced leaves the same; this is why the whole could not be compared.
    Parts(String),
}

/// The results of a run, from which the record is made.
pub(super) struct Outcome<'a> {
    pub(super) settings: &'a OptimizeRequest,
    pub(super) flat: &'a Flat,
    pub(super) kept: Kept,
    /// The new program.
    pub(super) new: Vec<Line>,
    /// The windows that were remade: their lines before and after.
    pub(super) windows: Vec<[Vec<Line>; 2]>,
    pub(super) stretches: Vec<StretchRecord>,
    /// The lines of the given program, by index, that stood in stretches which were replaced.
    pub(super) replaced: Vec<usize>,
    pub(super) nodes: u64,
    pub(super) proof: Proof,
    pub(super) seconds: f64,
}

/// The record.
///
/// # Errors
/// [`OptimizeError::Internal`] if the new program is longer, which would be a bug in kalg.
pub(super) fn record(outcome: &Outcome<'_>) -> Result<ShortenedRecord, OptimizeError> {
    let Outcome { settings, flat, kept, new, .. } = outcome;
    let target = &*settings.target;
    let cost = |lines: &[Line]| -> (u32, u32) {
        let program = program(target, lines);
        (program.instructions.len() as u32, program.cycles(target).unwrap_or(u32::MAX))
    };
    let ((instructions, cycles), (instructions_before, cycles_before)) = (cost(new), cost(&flat.lines));
    if cycles > cycles_before {
        return Err(OptimizeError::Internal(format!("{cycles} cycles are more than {cycles_before}")));
    }
    let (verified, undecided) = match &outcome.proof {
        Proof::Unchanged => ("unchanged", None),
        Proof::Whole => ("whole", None),
        Proof::Parts(why) => ("parts", Some(why.clone())),
    };
    Ok(ShortenedRecord {
        file: settings.source.name().to_owned(),
        target: target.name.clone(),
        isa: settings.isa.clone(),
        objective: match settings.objective {
            Some(Objective::Instructions) => "instructions".to_owned(),
            _ => "cycles".to_owned(),
        },
        kept: kept.names.clone(),
        named: !kept.all,
        keep: keep(settings.keep),
        instructions,
        instructions_before,
        cycles,
        cycles_before,
        time_us: Figure::new(f64::from(cycles) * target.cycle_us),
        energy_uj: Figure::new(f64::from(cycles) * target.cycle_uj),
        program: new.iter().filter(|line| !line.fixed).map(|line| text(target, line)).collect(),
        stretches: outcome.stretches.clone(),
        windows: outcome.windows.iter().map(|[before, after]| window(target, before, after)).collect(),
        removed: removed(outcome),
        changes: changes(target, &flat.lines, new),
        range: range(target, new),
        valid_border: border(target, new, kept),
        valid_border_before: border(target, &flat.lines, kept),
        verified: verified.to_owned(),
        undecided,
        nodes_searched: outcome.nodes,
        seconds: Figure::new(outcome.seconds),
        error: None,
        seed: settings.seed,
        version: VERSION.to_owned(),
    })
}

/// What was asked to stay, as `--keep` names it.
fn keep(keep: Keep) -> Vec<String> {
    let asked = [("compensation", keep.compensation), ("registers", keep.registers)];
    asked.into_iter().filter(|(_, asked)| *asked).map(|(name, _)| name.to_owned()).collect()
}

/// An amplitude for which no register of the new program overflows.
fn range(target: &Target, new: &[Line]) -> Option<RangeRecord> {
    let steps: Vec<Vec<Effect>> = new.iter().map(|line| line.effects.clone()).collect();
    let mut space = Space::new();
    let followed = follow(&mut space, target, &steps, target.registers.len(), &[]).ok()?;
    let Range::Within(mut found) = amplitude(target, &space, &followed)? else { return None };
    // Instructions are counted without a call that loads an image.
    let loads = new.iter().filter(|line| line.fixed).count();
    found.limit.0 = found.limit.0.and_then(|at| at.checked_sub(loads));
    Some(range_record(target, &found))
}

/// The outermost pixels at which something that is kept is not valid; `None` if something depends on the whole image.
fn border(target: &Target, lines: &[Line], kept: &Kept) -> Option<Border> {
    let effects = lines.iter().flat_map(|line| &line.effects);
    let reaches = Reaches::new(target, target.registers.len(), effects);
    let mut sides = [0; 4];
    for cell in &kept.cells {
        let own = reaches.of(*cell)?.border();
        sides = [0, 1, 2, 3].map(|side| own[side].max(sides[side]));
    }
    let [west, east, south, north] = sides;
    Some(Border { west, east, south, north, down: 0, up: 0 })
}

fn window(target: &Target, before: &[Line], after: &[Line]) -> WindowRecord {
    let lines = || before.iter().map(|line| line.line as u32);
    let texts = |lines: &[Line]| lines.iter().map(|line| text(target, line)).collect();
    let cycles = |lines: &[Line]| lines.iter().map(|line| line.cycles).sum();
    WindowRecord {
        first_line: lines().min().unwrap_or(0),
        last_line: lines().max().unwrap_or(0),
        instructions: texts(before),
        replacement: texts(after),
        cycles_before: cycles(before),
        cycles: cycles(after),
    }
}

fn program(target: &Target, lines: &[Line]) -> Program {
    let mut program = Program::new(target);
    // A call that loads an image is the host's.
    let own = lines.iter().filter(|line| !line.fixed);
    program.instructions = own.map(|line| line.instruction.clone()).collect();
    program
}

/// A line as text.
pub(super) fn text(target: &Target, line: &Line) -> String {
    format!("{};", target.instruction_text(&line.instruction))
}

/// The lines of the given program that are gone although nothing stands in their place.
fn removed(outcome: &Outcome<'_>) -> Vec<RemovedLine> {
    let target = &*outcome.settings.target;
    let remade = outcome.windows.iter().flat_map(|[before, _]| before);
    let elsewhere: BTreeSet<usize> = remade
        .chain(&outcome.new)
        .filter_map(|line| line.at)
        .chain(outcome.replaced.iter().copied())
        .collect();
    let gone = outcome.flat.lines.iter().enumerate().filter(|(at, _)| !elsewhere.contains(at));
    gone.map(|(_, line)| RemovedLine {
        line: line.line as u32,
        instruction: text(target, line),
        cycles: line.cycles,
    })
    .collect()
}

/// What became of the lines of the given program, in order: those that go stand before those that come in their place. A line that is
/// moved goes in one place and comes in another.
fn changes(target: &Target, given: &[Line], new: &[Line]) -> Vec<Change> {
    let (mut changes, mut coming, mut next) = (Vec::new(), Vec::new(), 0);
    let change = |sign: &str, line: &Line| Change {
        sign: sign.to_owned(),
        instruction: text(target, line),
        line: line.at.map(|_| line.line as u32),
        cycles: line.cycles,
    };
    let stays = staying(given, new);
    for (line, stays) in new.iter().zip(stays) {
        let Some(at) = line.at.filter(|_| stays) else {
            coming.push(change("+", line));
            continue;
        };
        changes.extend(given[next..at].iter().map(|line| change("-", line)));
        changes.append(&mut coming);
        changes.push(change(" ", line));
        next = at + 1;
    }
    changes.extend(given[next..].iter().map(|line| change("-", line)));
    changes.append(&mut coming);
    changes
}

/// For each new line, whether it stays where it is: the most of the unchanged lines that stand in the same order.
fn staying(given: &[Line], new: &[Line]) -> Vec<bool> {
    let place = |line: &Line| line.at.filter(|at| given[*at].instruction == line.instruction);
    longest_rising(&new.iter().map(place).collect::<Vec<_>>())
}

/// Which of these places belong to the longest rising sequence of them. Of several, each place follows the earliest one that it can.
fn longest_rising(places: &[Option<usize>]) -> Vec<bool> {
    // By length less one: the places, with their indices, at which such a sequence ends. The later ones are never greater.
    let mut ends: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut before = vec![None; places.len()];
    for (index, place) in places.iter().enumerate() {
        let Some(place) = *place else { continue };
        let length = ends.partition_point(|ends| ends.last().is_some_and(|(last, _)| *last < place));
        if let Some(shorter) = length.checked_sub(1).map(|shorter| &ends[shorter]) {
            let first = shorter.partition_point(|(other, _)| *other >= place);
            before[index] = Some(shorter[first].1);
        }
        if length == ends.len() {
            ends.push(Vec::new());
        }
        ends[length].push((place, index));
    }
    let mut rising = vec![false; places.len()];
    let mut at = ends.last().and_then(|ends| ends.last()).map(|(_, index)| *index);
    while let Some(index) = at {
        rising[index] = true;
        at = before[index];
    }
    rising
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rising_sequence_is_found() {
        let rising = |places: &[usize]| {
            let all: Vec<Option<usize>> = places.iter().map(|place| Some(*place)).collect();
            let kept = places.iter().zip(longest_rising(&all)).filter(|(_, rises)| *rises);
            kept.map(|(place, _)| *place).collect::<Vec<_>>()
        };
        assert_eq!(rising(&[0, 1, 2]), [0, 1, 2]);
        assert_eq!(rising(&[3, 0, 4, 1, 2]), [0, 1, 2]);
        assert_eq!(rising(&[4, 3, 2]), [2]);
        assert_eq!(longest_rising(&[None, Some(5), None, Some(7)]), [false, true, false, true]);
        assert!(longest_rising(&[]).is_empty());
    }

    #[test]
    fn long_programs_are_compared_fast() {
        // Each block of a hundred is turned round. By a quadratic way this takes minutes.
        let places: Vec<Option<usize>> =
            (0..100_000).map(|at| Some(at / 100 * 100 + 99 - at % 100)).collect();
        assert_eq!(longest_rising(&places).into_iter().filter(|rises| *rises).count(), 1000);
    }
}
