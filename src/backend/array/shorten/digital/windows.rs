//! Goes over all windows of a program until none can be remade.

use super::candidates::{Candidate, candidate, candidates};
use super::copies::without_copies;
use super::numbers::{Held, numbers};
use super::proof::compared;
use super::remake::remade;
use super::window::{Window, is_digital};
use crate::backend::array::machine::{BitId, Cell, Target};
use crate::backend::array::search::Objective;
use crate::backend::array::shorten::flat::Line;
use crate::backend::array::shorten::live::{Live, needed};
use crate::backend::array::shorten::same::Same;
use crate::backend::error::OptimizeError;
use crate::budget::Budget;

/// The maximum number of lines of a window.
const MAX_LINES: usize = 5;

/// The digital part of a program, made shorter.
pub(in crate::backend::array::shorten) struct Remake {
    /// The lines.
    pub(in crate::backend::array::shorten) lines: Vec<Line>,
    /// The windows that were remade: their instructions before and after.
    pub(in crate::backend::array::shorten) windows: Vec<[Vec<Line>; 2]>,
}

/// Shortens the digital part of a program, in which `kept` matters at the end.
///
/// # Errors
/// [`OptimizeError::Internal`] if a window fails its proof.
pub(in crate::backend::array::shorten) fn digital(
    target: &Target,
    lines: Vec<Line>,
    kept: &[Cell],
    objective: Objective,
    budget: &Budget,
) -> Result<Remake, OptimizeError> {
    let lines = without_copies(target, lines, kept);
    let mut all = Windows { target, objective, known: Vec::new() };
    let mut remake = Remake { lines, windows: Vec::new() };
    let (mut at, mut length) = (0, 1);
    let (mut live, _) = needed(target, &remake.lines, kept);
    let mut held = numbers(target, &remake.lines);
    while at < live.len() && !budget.has_ended() {
        let range = at..at + length;
        let digital = range.end <= live.len() && live[range.clone()].iter().all(|(line, _)| is_digital(line));
        if !digital || length > MAX_LINES {
            (at, length) = (at + 1, 1);
            continue;
        }
        let Some(new) = all.shorter(&live[range.clone()], &held[at])? else {
            length += 1;
            continue;
        };
        let given = live[range.clone()].iter().map(|(line, _)| line.clone()).collect();
        let mut lines: Vec<Line> = live.into_iter().map(|(line, _)| line).collect();
        lines.splice(range, new.clone());
        remake.windows.push([given, new]);
        (live, _) = needed(target, &lines, kept);
        held = numbers(target, &live.iter().map(|(line, _)| line.clone()).collect::<Vec<_>>());
        (at, length) = (at.saturating_sub(MAX_LINES), 1);
    }
    remake.lines = live.into_iter().map(|(line, _)| line).collect();
    Ok(remake)
}

struct Windows<'a> {
    target: &'a Target,
    objective: Objective,
    /// The candidates for each set of bits that occurred.
    known: Vec<(Vec<BitId>, Vec<Candidate>)>,
}

impl Windows<'_> {
    /// Cheaper lines in place of these; `None` if none were found.
    fn shorter(&mut self, own: &[(Line, Live)], held: &[Held]) -> Result<Option<Vec<Line>>, OptimizeError> {
        let target = self.target;
        let Some(window) = Window::new(target, own, held) else { return Ok(None) };
        let lines: Vec<Line> = own.iter().map(|(line, _)| line.clone()).collect();
        let cycles = lines.iter().map(|line| line.cycles).sum();
        let cost = match self.objective {
            Objective::Cycles => cycles,
            Objective::Instructions => lines.len() as u32,
        };
        let mut all = self.candidates(&window.usable).to_vec();
        // Its own instructions may take operands that are not enumerated, such as registers.
        for line in &lines {
            let candidate = candidate(target, line.instruction.clone(), &window.usable, self.objective);
            all.extend(candidate.filter(|own| !all.iter().any(|c| c.instruction == own.instruction)));
        }
        let Some(chosen) = remade(target, &window, &all, [cost, cycles]) else { return Ok(None) };
        let new = as_lines(&lines, chosen.iter().map(|at| &all[*at]));
        match compared(target, [&lines, &new], held, &own[own.len() - 1].1) {
            Same::Proved => Ok(Some(new)),
            Same::Unknown(_) => Ok(None),
            Same::Different(cell) => Err(OptimizeError::Internal(format!(
                "the digital instructions found for lines {} to {} leave another value in {}",
                lines[0].line,
                lines[lines.len() - 1].line,
                target.cell_name(cell)
            ))),
        }
    }

    fn candidates(&mut self, usable: &[BitId]) -> &[Candidate] {
        let at = self.known.iter().position(|(bits, _)| bits == usable).unwrap_or_else(|| {
            self.known.push((usable.to_vec(), candidates(self.target, usable, self.objective)));
            self.known.len() - 1
        });
        &self.known[at].1
    }
}

/// Instructions as lines. Those that stood there in the same order are still those of the given program.
fn as_lines<'a>(given: &[Line], new: impl Iterator<Item = &'a Candidate>) -> Vec<Line> {
    let mut rest = given;
    let of = |candidate: &Candidate| {
        if let Some(at) = rest.iter().position(|line| line.instruction == candidate.instruction) {
            let line = rest[at].clone();
            rest = &rest[at + 1..];
            return line;
        }
        let Candidate { instruction, effects, cycles, .. } = candidate.clone();
        Line { instruction, effects, cycles, line: given[0].line, at: None, fixed: false }
    };
    new.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::{Reading, builtin_names, read_listing};
    use crate::backend::array::shorten::flat::Flat;
    use crate::syntax::Source;

    /// The program after its digital part was shortened, on one line.
    fn short(text: &str, results: &str) -> String {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let source = Source::new("t", text);
        let listing = read_listing(&target, &source, &Reading::default()).unwrap();
        let flat = Flat::new(&target, &source, &listing).unwrap();
        let results: Vec<String> = results.split(' ').map(str::to_owned).collect();
        let kept = flat.kept(&target, &results, false).unwrap().cells;
        let (lines, _) = needed(&target, &flat.lines, &kept);
        let lines = lines.into_iter().map(|(line, _)| line).collect();
        let found = digital(&target, lines, &kept, Objective::Cycles, &Budget::unlimited()).unwrap();
        let texts = found.lines.iter().map(|line| target.instruction_text(&line.instruction));
        texts.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn registers_that_hold_constants_are_not_set_again() {
        assert_eq!(
            short("DNEWS(R6, R5, alldir); DNEWS(R7, R6, alldir);", "R7"),
            "SET(R1, R2, R3, R4); DNEWS0(R6, R5); DNEWS0(R7, R6)"
        );
    }
}
