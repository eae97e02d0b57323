//! Compares what a program with conditions and bits leaves with what is expected.

use super::decide::{Zero, difference, within, zero};
use super::diagram::{Id, TRUTHS, Trouble};
use super::evaluate::{Followed, Value};
use super::search::search;
use super::space::{Kind, Origin, Space, Unknown};
use super::witness::{Code, Example, Reference, Trial};
use crate::backend::array::machine::Cell;

/// An expected output.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Its name.
    pub name: &'a str,
    /// The register or bit that should hold it at the end; `None` if any may.
    pub cell: Option<Cell>,
    /// The function that it should hold.
    pub value: Value,
    /// Whether it is a bit.
    pub bit: bool,
    /// Where a value comes from, if any, that is not documented and on which it may depend: simulation can only make that up.
    pub undocumented: Option<Origin>,
    /// The same without functions.
    pub reference: Reference<'a>,
}

/// How an output compares with what is expected.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is the same everywhere.
    Equal,
    /// It is the same in elements where the flag is 1 after the instruction with this index; elsewhere it is not.
    Where(usize),
    /// It is not the same.
    Different,
    /// It depends on values that nothing exact is known of: these channels.
    Depends(Vec<u16>),
    /// It cannot be told.
    Trouble(Trouble),
}

/// The comparison of one output.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The output's name.
    pub name: String,
    /// The register or bit: the requested one, or the closest match.
    pub cell: Cell,
    /// What it holds.
    pub found: Value,
    /// What it should hold.
    pub expected: Value,
    /// How the two compare.
    pub verdict: Verdict,
    /// The channels of registers and bits, other than inputs, that the value found depends on.
    pub before: Vec<u16>,
    /// Images that show that they differ.
    pub example: Option<Example>,
}

/// Compares the end of a program with an expected output, in the requested register or bit, or in the first of `candidates` that
/// compares best.
pub fn judge(
    space: &mut Space,
    code: Code<'_>,
    followed: &Followed,
    wanted: &Wanted<'_>,
    candidates: &[Cell],
) -> Option<Finding> {
    let own: Vec<Cell> = wanted.cell.map_or_else(|| candidates.to_vec(), |cell| vec![cell]);
    let mut best: Option<(Cell, Verdict)> = None;
    for cell in own {
        let verdict = compared(space, followed, cell, wanted);
        let better = best.as_ref().is_none_or(|(_, best)| rank(space, &verdict) < rank(space, best));
        let done = verdict == Verdict::Equal;
        if better {
            best = Some((cell, verdict));
        }
        if done {
            break;
        }
    }
    let (cell, mut verdict) = best?;
    let found = followed.end.value(cell);
    let before = found.map_or_else(
        |_| Vec::new(),
        |found| {
            let before = |number: &u16| space.channels[usize::from(*number)].kind == Kind::Before;
            space.depends(found).into_iter().filter(before).collect()
        },
    );
    let mut example = example(space, code, cell, found, wanted, &verdict);
    let tried = match &verdict {
        Verdict::Depends(channels) => channels.iter().all(|channel| is_flood(space, *channel)),
        Verdict::Trouble(_) => {
            wanted.undocumented.or_else(|| followed.end.undocumented(space, cell)).is_none()
        }
        _ => false,
    };
    if tried {
        let shown: Vec<Id> = found.into_iter().chain(wanted.value).collect();
        example = search(space, code, cell, wanted.reference, &shown);
        if example.is_some() {
            verdict = Verdict::Different;
        }
    }
    let name = wanted.name.to_owned();
    Some(Finding { name, cell, found, expected: wanted.value, verdict, before, example })
}

/// Whether a channel is the result of a flood, which simulation executes.
fn is_flood(space: &Space, channel: u16) -> bool {
    matches!(space.channels[usize::from(channel)].kind, Kind::Unknown(_, Unknown::Flood(None)))
}

/// The order in which answers are preferred. A register whose value is not even documented is no result.
fn rank(space: &Space, verdict: &Verdict) -> u8 {
    let documented = |channel: &u16| {
        !matches!(space.channels[usize::from(*channel)].kind, Kind::Unknown(_, Unknown::Unspecified))
    };
    match verdict {
        Verdict::Equal => 0,
        Verdict::Where(_) => 1,
        Verdict::Depends(channels) if channels.iter().all(documented) => 2,
        Verdict::Trouble(_) => 3,
        Verdict::Different => 4,
        Verdict::Depends(_) => 5,
    }
}

fn compared(space: &mut Space, followed: &Followed, cell: Cell, wanted: &Wanted<'_>) -> Verdict {
    let answer = |space: &mut Space| -> Result<Verdict, Trouble> {
        let (found, expected) = (followed.end.value(cell)?, wanted.value?);
        if found == expected {
            return Ok(Verdict::Equal);
        }
        let difference = difference(&mut space.diagrams, found, expected, wanted.bit)?;
        let depends = match zero(space, difference, &|_| true) {
            Zero::Always => return Ok(Verdict::Equal),
            Zero::Not(_) => Verdict::Different,
            Zero::Depends(channels) => Verdict::Depends(channels),
            Zero::Trouble(trouble) => return Err(trouble),
        };
        Ok(condition(space, followed, difference, wanted.bit)?.unwrap_or(depends))
    };
    answer(space).unwrap_or_else(Verdict::Trouble)
}

/// The flag, the last one first, that says where a difference is 0.
fn condition(
    space: &mut Space,
    followed: &Followed,
    difference: Id,
    bit: bool,
) -> Result<Option<Verdict>, Trouble> {
    // The flag protects registers only.
    if bit {
        return Ok(None);
    }
    for (instruction, flag) in followed.flags.iter().rev() {
        if TRUTHS.contains(flag) {
            continue;
        }
        let inside = within(&mut space.diagrams, difference, *flag)?;
        if zero(space, inside, &|_| true) == Zero::Always {
            return Ok(Some(Verdict::Where(*instruction)));
        }
    }
    Ok(None)
}

/// Images that show a difference.
fn example(
    space: &mut Space,
    code: Code<'_>,
    cell: Cell,
    found: Value,
    wanted: &Wanted<'_>,
    verdict: &Verdict,
) -> Option<Example> {
    if !matches!(verdict, Verdict::Different | Verdict::Where(_)) {
        return None;
    }
    let (found, expected) = (found.ok()?, wanted.value.ok()?);
    let difference = difference(&mut space.diagrams, found, expected, wanted.bit).ok()?;
    let reference = wanted.reference;
    Trial { space, code, cell, found, expected, difference, reference }.smallest()
}
