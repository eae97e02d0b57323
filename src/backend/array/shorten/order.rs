//! Brings linear lines side by side, where other lines between them can be moved out.

use std::ops::Range;

use super::flat::Line;
use super::live::{Live, exposed, masks};
use super::same::{Same, same_under};
use super::stretch::is_linear;
use crate::backend::array::machine::{Cell, Effect, Target};

/// The maximum number of units over which lines are gathered.
const MAX_UNITS: usize = 64;

/// A part of a program in another order.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// The lines, by index.
    pub(super) range: Range<usize>,
    /// The same lines in their new order.
    pub(super) order: Vec<usize>,
    /// Where the linear lines stand then.
    pub(super) linear: Range<usize>,
    /// Whether the flag may be 0 in some elements.
    pub(super) masked: bool,
}

/// Lines that are moved as one: a single line, or all lines between two moments at which the flag is 1 everywhere.
struct Unit {
    range: Range<usize>,
    linear: bool,
    fixed: bool,
    /// What it reads from before it, and what it writes; without the flag where that is 1 before and after.
    reads: Vec<Cell>,
    writes: Vec<Cell>,
}

/// The parts of a program in which linear lines can be brought side by side, in order.
pub(super) fn gathered(target: &Target, needed: &[(Line, Live)]) -> Vec<Gathered> {
    let lines: Vec<Line> = needed.iter().map(|(line, _)| line.clone()).collect();
    let masks = masks(target, &lines);
    let mut found = Vec::new();
    let mut whole = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let mut end = at + 1;
        while end < lines.len() && !masks[end][0] {
            end += 1;
        }
        whole.push(unit(target, &lines, &masks, at..end, false));
        // Under a mask, lines that set the flag end a run.
        let sets = |at: &usize| {
            lines[*at].effects.iter().flat_map(Effect::writes).any(|cell| Some(cell) == flag(target))
        };
        for run in (at + 1..end).collect::<Vec<_>>().split(sets) {
            let units = run.iter().map(|at| unit(target, &lines, &masks, *at..at + 1, true)).collect();
            found.extend(within(target, needed, units, true));
        }
        at = end;
    }
    found.extend(within(target, needed, whole, false));
    found.sort_by_key(|gathered| gathered.range.start);
    // A part under a mask may lie within a larger part.
    found.dedup_by(|later, earlier| later.range.start < earlier.range.end);
    found
}

fn flag(target: &Target) -> Option<Cell> {
    target.flag().map(Cell::Bit)
}

fn unit(target: &Target, lines: &[Line], masks: &[Vec<bool>], range: Range<usize>, masked: bool) -> Unit {
    let own = &lines[range.clone()];
    let mut reads = exposed(target, own, &masks[range.clone()]);
    let mut writes: Vec<Cell> = own.iter().flat_map(|line| &line.effects).flat_map(Effect::writes).collect();
    if !masked {
        reads.retain(|cell| Some(*cell) != flag(target));
        writes.retain(|cell| Some(*cell) != flag(target));
    }
    writes.sort_unstable();
    writes.dedup();
    Unit {
        linear: own.len() == 1 && is_linear(target, &own[0], masked),
        fixed: own.iter().any(|line| line.fixed),
        range,
        reads,
        writes,
    }
}

/// The parts of a run of units that can be brought into another order.
fn within(target: &Target, needed: &[(Line, Live)], units: Vec<Unit>, masked: bool) -> Vec<Gathered> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let gathered = from(target, needed, &units[at..units.len().min(at + MAX_UNITS)], masked);
        match gathered {
            Some((gathered, count)) => {
                found.push(gathered);
                at += count;
            }
            None => at += 1,
        }
    }
    found
}

/// The longest part that begins with the first unit and brings linear lines to its side, with the number of its units.
fn from(target: &Target, needed: &[(Line, Live)], units: &[Unit], masked: bool) -> Option<(Gathered, usize)> {
    if !units.first()?.linear {
        return None;
    }
    let (mut before, mut linear, mut after): (Vec<usize>, Vec<usize>, Vec<usize>) =
        (Vec::new(), vec![0], Vec::new());
    let mut best = None;
    for (at, unit) in units.iter().enumerate().skip(1).take_while(|(_, unit)| !unit.fixed) {
        let swaps = |earlier: &usize| may_swap(needed, &units[..=at], *earlier, at);
        if unit.linear {
            if !after.iter().all(swaps) {
                break;
            }
            linear.push(at);
            if !before.is_empty() || !after.is_empty() {
                best = Some([before.clone(), linear.clone(), after.clone()]);
            }
        } else if linear.iter().chain(&after).all(swaps) {
            before.push(at);
        } else {
            after.push(at);
        }
    }
    let [before, linear, after] = best?;
    let count = *linear.last()? + 1;
    let lines = |own: &[usize]| own.iter().flat_map(|at| units[*at].range.clone()).collect::<Vec<usize>>();
    let first = units[0].range.start + lines(&before).len();
    let gathered = Gathered {
        range: units[0].range.start..units[count - 1].range.end,
        order: lines(&[before, linear.clone(), after].concat()),
        linear: first..first + linear.len(),
        masked,
    };
    is_same(target, needed, &gathered).then_some((gathered, count))
}

/// Whether two units of a part may change places: neither reads what the other writes, and what both write matters to nothing.
fn may_swap(needed: &[(Line, Live)], part: &[Unit], earlier: usize, later: usize) -> bool {
    let after = &needed[part[part.len() - 1].range.end - 1].1;
    let matters =
        |cell: &&Cell| after.has(**cell, false) || part.iter().any(|unit| unit.reads.contains(cell));
    let meet = |one: &[Cell], other: &[Cell]| one.iter().filter(matters).any(|cell| other.contains(cell));
    let (one, other) = (&part[earlier], &part[later]);
    !meet(&one.reads, &other.writes) && !meet(&one.writes, &other.reads) && !meet(&one.writes, &other.writes)
}

/// Whether both orders leave the same in everything that is live after them.
fn is_same(target: &Target, needed: &[(Line, Live)], gathered: &Gathered) -> bool {
    let line = |at: usize| needed[at].0.clone();
    let given: Vec<Line> = gathered.range.clone().map(line).collect();
    let new: Vec<Line> = gathered.order.iter().map(|at| line(*at)).collect();
    let live = needed[gathered.range.end - 1].1.cells();
    matches!(same_under(target, [&given, &new], &live, gathered.masked), Same::Proved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::{Reading, builtin_names, read_listing};
    use crate::backend::array::shorten::flat::Flat;
    use crate::backend::array::shorten::live::needed;
    use crate::syntax::Source;

    /// The new orders of the parts of a program in which everything is kept.
    fn orders(text: &str) -> Vec<Vec<usize>> {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let source = Source::new("t", text);
        let listing = read_listing(&target, &source, &Reading::default()).unwrap();
        let flat = Flat::new(&target, &source, &listing).unwrap();
        let kept = flat.kept(&target, &[], false).unwrap();
        let (lines, dead) = needed(&target, &flat.lines, &kept.cells);
        assert!(dead.is_empty());
        gathered(&target, &lines).into_iter().map(|gathered| gathered.order).collect()
    }

    #[test]
    fn what_does_not_depend_on_linear_lines_is_moved_out_of_them() {
        assert_eq!(orders("movx(B, A, east); MOV(R6, R5); add(B, B, A);"), [vec![1, 0, 2]]);
        // A whole condition, before the first line or after the last.
        let condition = "mov(B, A); where(D); MOV(R5, FLAG); all(); add(C, B, A);";
        assert_eq!(orders(condition), [vec![1, 2, 3, 0, 4]]);
        assert_eq!(orders(&condition.replace('D', "B")), [vec![0, 4, 1, 2, 3]]);
        assert_eq!(orders("WHERE(R5); mov(B, A); MOV(R6, R7); mov(C, B); all();"), [vec![2, 1, 3]]);
    }

    #[test]
    fn what_depends_on_them_stays() {
        // The condition reads what is overwritten after it, or writes what is read.
        assert!(orders("mov(B, A); where(B); MOV(R5, FLAG); all(); add(B, B, A);").is_empty());
        assert!(orders("mov(B, A); where(B); mov(C, A); all(); add(D, B, C);").is_empty());
        // Under a mask, what changes the mask.
        assert!(orders("WHERE(R5); mov(B, A); WHERE(R6); mov(C, B); all();").is_empty());
        // NEWS is live between the two.
        assert!(orders("bus(NEWS, A); WHERE(R5); mov(C, A); all(); bus(B, NEWS);").is_empty());
    }
}
