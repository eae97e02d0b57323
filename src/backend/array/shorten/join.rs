//! Shortens a program: removes what is dead, remakes the digital part, replaces stretches, and compares the result with the program.

use std::time::Duration;

use super::digital::{Remake, digital};
use super::flat::{Flat, Kept, Line};
use super::live::{Live, needed};
use super::order::{Gathered, gathered};
use super::record::{Outcome, Proof, record, text};
use super::replace::replacement;
use super::same::{Same, same};
use super::stretch::{Stretch, stretch, stretches};
use crate::backend::array::compile::OptimizeRequest;
use crate::backend::array::machine::{Cell, Target};
use crate::backend::array::search::Objective;
use crate::backend::error::OptimizeError;
use crate::backend::interface::Progress;
use crate::budget::Budget;
use crate::report::{ShortenedRecord, StretchRecord};

/// Shortens a program that is not linear. `results` are the registers and bits that matter at the end; none for all that the host may
/// see. `settings` has everything else that was asked for; its budget is shared among the stretches by their cycles.
///
/// # Errors
/// [`OptimizeError::Usage`] for an unknown register, [`OptimizeError::Internal`] if the result fails its checks.
pub fn shorten(
    settings: &OptimizeRequest,
    flat: &Flat,
    results: &[String],
    progress: &mut dyn FnMut(Progress),
) -> Result<ShortenedRecord, OptimizeError> {
    let target = &*settings.target;
    let start = settings.budget.now();
    let kept = flat.kept(target, results, settings.keep.registers)?;
    let lines = living(target, flat.lines.clone(), &kept.cells);
    let objective = settings.objective.unwrap_or(Objective::Cycles);
    // Windows are many and each takes milliseconds, stretches need what time there is.
    let first = settings.budget.share(4).with_work(u64::MAX);
    let Remake { lines, windows } = digital(target, lines, &kept.cells, objective, &first)?;
    let mut search =
        Search { settings, kept: &kept, stretches: Vec::new(), replaced: Vec::new(), nodes: 0, progress };
    let lines = search.all(lines)?;
    let Search { stretches, replaced, nodes, .. } = search;
    let new = living(target, lines, &kept.cells);
    let proof = proof(settings, flat, &new, &kept)?;
    let seconds = settings.budget.seconds_since(start);
    record(&Outcome { settings, flat, kept, new, windows, stretches, replaced, nodes, proof, seconds })
}

/// The lines that change something that is kept.
fn living(target: &Target, lines: Vec<Line>, kept: &[Cell]) -> Vec<Line> {
    needed(target, &lines, kept).0.into_iter().map(|(line, _)| line).collect()
}

/// The search of a program's linear stretches.
struct Search<'a> {
    settings: &'a OptimizeRequest,
    kept: &'a Kept,
    stretches: Vec<StretchRecord>,
    /// The lines of the given program that stood in stretches which were replaced.
    replaced: Vec<usize>,
    nodes: u64,
    progress: &'a mut dyn FnMut(Progress),
}

impl Search<'_> {
    /// The lines with cheaper ones in place of their stretches: first of those that are there, then of those that come about if other
    /// lines are moved out of the way. The second half of the budget is for these.
    fn all(&mut self, lines: Vec<Line>) -> Result<Vec<Line>, OptimizeError> {
        let (target, budget) = (&*self.settings.target, &self.settings.budget);
        let given = needed(target, &lines, &self.kept.cells).0;
        if gathered(target, &given).is_empty() {
            return self.there(given, budget);
        }
        let halved = budget.bound().map_or(u64::MAX, |states| (states / 2).max(1));
        let lines = self.there(given, &budget.share(2).with_work(halved))?;
        self.moved(lines, &budget.with_work(halved))
    }

    /// Replaces the stretches that are there.
    fn there(&mut self, lines: Vec<(Line, Live)>, budget: &Budget) -> Result<Vec<Line>, OptimizeError> {
        let all = stretches(&self.settings.target, &lines);
        let mut shares = Shares::new(budget, all.iter().map(|stretch| cycles(&lines, stretch)));
        let (mut new, mut at) = (Vec::new(), 0);
        for stretch in &all {
            let share = shares.next(cycles(&lines, stretch));
            let replaced = replacement(self.settings, &lines, stretch, share, self.progress)?;
            self.nodes += replaced.nodes;
            self.note(&lines, stretch, replaced.lines.as_deref(), false);
            let own = || lines[stretch.range.clone()].iter().map(|(line, _)| line.clone());
            new.extend(lines[at..stretch.range.start].iter().map(|(line, _)| line.clone()));
            new.extend(replaced.lines.unwrap_or_else(|| own().collect()));
            at = stretch.range.end;
        }
        new.extend(lines[at..].iter().map(|(line, _)| line.clone()));
        Ok(new)
    }

    /// Replaces stretches that come about if other lines are moved out. Where nothing cheaper is found, lines stay where they are.
    fn moved(&mut self, mut lines: Vec<Line>, budget: &Budget) -> Result<Vec<Line>, OptimizeError> {
        let target = &*self.settings.target;
        let given = needed(target, &lines, &self.kept.cells).0;
        let ordered = |gathered: Gathered| {
            let Gathered { range, order, linear, masked } = gathered;
            let line = |at: usize| given[at].0.clone();
            let ends = [0..range.start, range.end..given.len()];
            let [first, last] = ends.map(|range| range.map(line));
            let all: Vec<Line> = first.chain(order.iter().map(|at| line(*at))).chain(last).collect();
            let all = needed(target, &all, &self.kept.cells).0;
            let whole = all.len() == given.len();
            let stretch = whole.then(|| stretch(target, &all, linear, masked)).flatten()?;
            Some((range, all, stretch))
        };
        let parts: Vec<_> = gathered(target, &given).into_iter().filter_map(ordered).collect();
        let mut shares = Shares::new(budget, parts.iter().map(|(_, all, stretch)| cycles(all, stretch)));
        // From the end, so that the places of earlier parts do not change.
        for (range, all, stretch) in parts.into_iter().rev() {
            let share = shares.next(cycles(&all, &stretch));
            let replaced = replacement(self.settings, &all, &stretch, share, self.progress)?;
            self.nodes += replaced.nodes;
            let Some(new) = replaced.lines else { continue };
            self.note(&all, &stretch, Some(&new), true);
            let before = all[range.start..stretch.range.start].iter().map(|(line, _)| line.clone());
            let after = all[stretch.range.end..range.end].iter().map(|(line, _)| line.clone());
            let part: Vec<Line> = before.chain(new).chain(after).collect();
            lines.splice(range, part);
        }
        Ok(lines)
    }

    /// Notes a stretch and what was found for it.
    fn note(&mut self, lines: &[(Line, Live)], stretch: &Stretch, new: Option<&[Line]>, gathered: bool) {
        let own = || lines[stretch.range.clone()].iter().map(|(line, _)| line);
        let texts = |lines: &[Line]| lines.iter().map(|line| text(&self.settings.target, line)).collect();
        let before = cycles(lines, stretch);
        if new.is_some() {
            self.replaced.extend(own().filter_map(|line| line.at));
        }
        self.stretches.push(StretchRecord {
            first_line: own().map(|line| line.line).min().unwrap_or(0) as u32,
            last_line: own().map(|line| line.line).max().unwrap_or(0) as u32,
            masked: stretch.masked,
            gathered,
            instructions: texts(&own().cloned().collect::<Vec<_>>()),
            replacement: new.map(texts),
            cycles_before: before,
            cycles: new.map_or(before, |new| new.iter().map(|line| line.cycles).sum()),
        });
    }
}

fn cycles(lines: &[(Line, Live)], stretch: &Stretch) -> u32 {
    lines[stretch.range.clone()].iter().map(|(line, _)| line.cycles).sum()
}

/// The shares of a budget, in proportion to cycles.
struct Shares<'a> {
    budget: &'a Budget,
    total: u32,
    left: u32,
}

impl<'a> Shares<'a> {
    fn new(budget: &'a Budget, cycles: impl Iterator<Item = u32>) -> Self {
        let total = cycles.sum();
        Self { budget, total, left: total }
    }

    /// What a stretch leaves of its time goes to the next ones; states are shared so that results do not depend on that.
    fn next(&mut self, cycles: u32) -> Budget {
        let budget = self.budget;
        let share = |time: Duration| time.saturating_mul(cycles) / self.left.max(1);
        let time = budget.time_left().map(share);
        let states = budget.bound().map(|states| {
            let share = u128::from(states) * u128::from(cycles) / u128::from(self.total.max(1));
            share.clamp(1, u64::MAX.into()) as u64
        });
        self.left -= cycles.min(self.left);
        budget.with_work(states.unwrap_or(u64::MAX)).within(time)
    }
}

/// How the new program was checked as a whole. Stretches and windows were proved when they were replaced.
fn proof(settings: &OptimizeRequest, flat: &Flat, new: &[Line], kept: &Kept) -> Result<Proof, OptimizeError> {
    let target = &*settings.target;
    if new.len() == flat.lines.len()
        && new.iter().zip(&flat.lines).all(|(a, b)| a.instruction == b.instruction)
    {
        return Ok(Proof::Unchanged);
    }
    match same(target, &flat.lines, new, &kept.cells) {
        Same::Proved => Ok(Proof::Whole),
        Same::Unknown(why) => Ok(Proof::Parts(why)),
        Same::Different(cell) => Err(OptimizeError::Internal(format!(
            "the program found for `{}` leaves another value in {}:\n{}",
            settings.source.name(),
            target.cell_name(cell),
            new.iter().map(|line| text(target, line)).collect::<Vec<_>>().join("\n")
        ))),
    }
}
