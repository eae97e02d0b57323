//! Shortens a program: removes what is dead, replaces stretches, removes what is dead then, compares, and fills the record.

use super::flat::{Flat, Line, always};
use super::live::{Live, needed};
use super::replace::replacement;
use super::same::{Same, same};
use super::stretch::{Stretch, stretches};
use crate::backend::array::compile::OptimizeRequest;
use crate::backend::array::machine::{Cell, Program, Target};
use crate::backend::array::search::Objective;
use crate::backend::error::OptimizeError;
use crate::backend::interface::Progress;
use crate::report::{Change, Figure, RemovedLine, ShortenedRecord, StretchRecord, VERSION};

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
    let named = |name: &String| {
        let unknown = || OptimizeError::Usage(format!("`{}` has no register `{name}`", target.name));
        target.cell(name).ok_or_else(unknown)
    };
    let mut kept = match results {
        [] => flat.seen(target),
        results => results.iter().map(named).collect::<Result<_, _>>()?,
    };
    let names = kept.iter().map(|cell| target.cell_name(*cell).to_owned()).collect();
    kept.extend(always(target));
    kept.sort_unstable();
    kept.dedup();
    let (lines, dead) = needed(target, &flat.lines, &kept);
    let found = search(settings, &lines, progress)?;
    let (new, later) = needed(target, &found.lines, &kept);
    let new: Vec<Line> = new.into_iter().map(|(line, _)| line).collect();
    let changed = new.len() != flat.lines.len() || new.iter().any(|line| line.at.is_none());
    let (verified, undecided) = checked(settings, flat, &new, &kept, changed)?;
    let dead: Vec<&Line> = dead.iter().chain(later.iter().filter(|line| line.at.is_some())).collect();
    let record = record(settings, flat, &new, found);
    if record.cycles > record.cycles_before {
        let ShortenedRecord { cycles, cycles_before, .. } = record;
        return Err(OptimizeError::Internal(format!("{cycles} cycles are more than {cycles_before}")));
    }
    let removed = |line: &&Line| RemovedLine {
        line: line.line as u32,
        instruction: text(target, line),
        cycles: line.cycles,
    };
    Ok(ShortenedRecord {
        kept: names,
        named: !results.is_empty(),
        removed: dead.iter().map(removed).collect(),
        verified,
        undecided,
        seconds: Figure::new((settings.budget.now() - start).as_secs_f64()),
        ..record
    })
}

/// The record of a new program, without what was kept, removed and proved.
fn record(settings: &OptimizeRequest, flat: &Flat, new: &[Line], found: Found) -> ShortenedRecord {
    let target = &*settings.target;
    let cost = |lines: &[Line]| -> (u32, u32) {
        let program = program(target, lines);
        (program.instructions.len() as u32, program.cycles(target).unwrap_or(u32::MAX))
    };
    let ((instructions, cycles), (instructions_before, cycles_before)) = (cost(new), cost(&flat.lines));
    ShortenedRecord {
        file: settings.source.name().to_owned(),
        target: target.name.clone(),
        isa: settings.isa.clone(),
        objective: match settings.objective {
            Some(Objective::Instructions) => "instructions".to_owned(),
            _ => "cycles".to_owned(),
        },
        kept: Vec::new(),
        named: false,
        instructions,
        instructions_before,
        cycles,
        cycles_before,
        time_us: Figure::new(f64::from(cycles) * target.cycle_us),
        energy_uj: Figure::new(f64::from(cycles) * target.cycle_uj),
        program: new.iter().map(|line| text(target, line)).collect(),
        stretches: found.stretches,
        removed: Vec::new(),
        changes: changes(target, &flat.lines, new),
        verified: String::new(),
        undecided: None,
        nodes_searched: found.nodes,
        seconds: Figure::new(0.0),
        error: None,
        seed: settings.seed,
        version: VERSION.to_owned(),
    }
}

/// The program with stretches replaced.
struct Found {
    lines: Vec<Line>,
    stretches: Vec<StretchRecord>,
    nodes: u64,
}

/// Searches every stretch with its share of the budget.
fn search(
    settings: &OptimizeRequest,
    lines: &[(Line, Live)],
    progress: &mut dyn FnMut(Progress),
) -> Result<Found, OptimizeError> {
    let target = &*settings.target;
    let all = stretches(target, lines);
    let own = |stretch: &Stretch| lines[stretch.range.clone()].iter().map(|(line, _)| line);
    let cycles = |stretch: &Stretch| own(stretch).map(|line| line.cycles).sum::<u32>();
    let total: u32 = all.iter().map(cycles).sum();
    let (mut left, mut at) = (total, 0);
    let mut found = Found { lines: Vec::new(), stretches: Vec::new(), nodes: 0 };
    for stretch in &all {
        let before = cycles(stretch);
        let budget = &settings.budget;
        // What a stretch leaves of its time goes to the next ones; states are shared so that results do not depend on that.
        let time = budget.time_left().map(|time| budget.now() + time * before / left);
        let states = budget.bound().map(|states| (states * u64::from(before) / u64::from(total)).max(1));
        let share = budget.with_work(states.unwrap_or(u64::MAX)).until(time);
        left -= before;
        let replaced = replacement(settings, lines, stretch, share, progress)?;
        found.nodes += replaced.nodes;
        let after = replaced.lines.as_ref().map(|lines| lines.iter().map(|line| line.cycles).sum());
        found.stretches.push(StretchRecord {
            first_line: own(stretch).map(|line| line.line).min().unwrap_or(0) as u32,
            last_line: own(stretch).map(|line| line.line).max().unwrap_or(0) as u32,
            masked: stretch.masked,
            instructions: own(stretch).map(|line| text(target, line)).collect(),
            replacement: replaced
                .lines
                .as_ref()
                .map(|lines| lines.iter().map(|line| text(target, line)).collect()),
            cycles_before: before,
            cycles: after.unwrap_or(before),
        });
        found.lines.extend(lines[at..stretch.range.start].iter().map(|(line, _)| line.clone()));
        found.lines.extend(replaced.lines.unwrap_or_else(|| own(stretch).cloned().collect()));
        at = stretch.range.end;
    }
    found.lines.extend(lines[at..].iter().map(|(line, _)| line.clone()));
    Ok(found)
}

/// How the new program was checked, and why not as a whole. Stretches were proved when they were replaced.
fn checked(
    settings: &OptimizeRequest,
    flat: &Flat,
    new: &[Line],
    kept: &[Cell],
    changed: bool,
) -> Result<(String, Option<String>), OptimizeError> {
    let target = &*settings.target;
    if !changed {
        return Ok(("unchanged".to_owned(), None));
    }
    match same(target, &flat.lines, new, kept) {
        Same::Proved => Ok(("whole".to_owned(), None)),
        Same::Unknown(why) => Ok(("stretches".to_owned(), Some(why))),
        Same::Different(cell) => Err(OptimizeError::Internal(format!(
            "the program found for `{}` leaves another value in {}:\n{}",
            settings.source.name(),
            target.cell_name(cell),
            target.print(&program(target, new))
        ))),
    }
}

fn program(target: &Target, lines: &[Line]) -> Program {
    let mut program = Program::new(target);
    // A call that loads an image is the host's.
    let own = lines.iter().filter(|line| !line.fixed);
    program.instructions = own.map(|line| line.instruction.clone()).collect();
    program
}

fn text(target: &Target, line: &Line) -> String {
    format!("{};", target.instruction_text(&line.instruction))
}

/// What became of the lines of the given program, in order: those that go stand before those that come in their place.
fn changes(target: &Target, given: &[Line], new: &[Line]) -> Vec<Change> {
    let (mut changes, mut coming, mut next) = (Vec::new(), Vec::new(), 0);
    let change = |sign: &str, line: &Line| Change {
        sign: sign.to_owned(),
        instruction: text(target, line),
        line: line.at.map(|_| line.line as u32),
    };
    for line in new {
        let Some(at) = line.at else {
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
