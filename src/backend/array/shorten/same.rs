//! Compares the new program with the given one as a whole.

use super::flat::Line;
use crate::backend::array::machine::{BitId, Cell, Effect, Formula, Target};
use crate::backend::array::verify::guarded::{
    Code, Followed, Reference, Space, Trouble, Verdict, Wanted, follow, judge,
};

/// How two programs compare in what must be kept.
pub(super) enum Same {
    /// They leave the same.
    Proved,
    /// Not decided, with the reason.
    Unknown(String),
    /// They differ in this register or bit.
    Different(Cell),
}

/// Whether two programs leave the same in the registers and bits that are kept.
pub(super) fn same(target: &Target, given: &[Line], new: &[Line], kept: &[Cell]) -> Same {
    let effects = |lines: &[Line]| lines.iter().map(|line| line.effects.clone()).collect::<Vec<_>>();
    let [given, new] = [effects(given), effects(new)];
    let registers = target.registers.len();
    let mut space = Space::new();
    let mut start = |steps: &[Vec<Effect>]| follow(&mut space, target, steps, registers, &[]);
    let (Ok(theirs), Ok(ours)) = (start(&given), start(&new)) else {
        return Same::Unknown("there are too many inputs".to_owned());
    };
    let mut why = None;
    for cell in kept {
        let bit = matches!(cell, Cell::Bit(_));
        let reference = Reference::Program(code(target, &given, &theirs), *cell);
        let value = theirs.end.value(*cell);
        let (name, undocumented) = (target.cell_name(*cell), theirs.end.undocumented(&space, *cell));
        let wanted = Wanted { name, cell: Some(*cell), value, bit, undocumented, reference };
        let Some(finding) = judge(&mut space, code(target, &new, &ours), &ours, &wanted, &[]) else {
            continue;
        };
        let reason = match finding.verdict {
            Verdict::Equal => continue,
            Verdict::Different | Verdict::Where(_) => return Same::Different(*cell),
            Verdict::Depends(_) => format!("{name} depends on values that no exact rule describes"),
            Verdict::Trouble(Trouble::Large) => format!("{name} has too many cases"),
            Verdict::Trouble(Trouble::Product) => {
                format!("{name} is a product of values that are no numbers")
            }
            Verdict::Trouble(Trouble::Overflow) => format!("a coefficient of {name} does not fit in 64 bits"),
        };
        why.get_or_insert(reason);
    }
    why.map_or(Same::Proved, Same::Unknown)
}

/// Whether two pieces of a program leave the same. With `masked`, whatever the flag is before them.
pub(super) fn same_under(target: &Target, [given, new]: [&[Line]; 2], kept: &[Cell], masked: bool) -> Same {
    let (Some(first), Some(flag)) = (given.first(), target.flag().filter(|_| masked)) else {
        return same(target, given, new, kept);
    };
    // Any value: that of a bit in an element which nothing else reads.
    let far = Formula::Bit { bit: BitId(0), offset: [FAR, FAR, 0], beyond: false };
    let begin =
        Line { effects: vec![Effect::Bits { sets: vec![(flag, far)], flood: false }], ..first.clone() };
    let after = |lines: &[Line]| [std::slice::from_ref(&begin), lines].concat();
    same(target, &after(given), &after(new), kept)
}

/// A distance that no piece of a program reaches.
const FAR: i32 = 1 << 20;

fn code<'a>(target: &'a Target, steps: &'a [Vec<Effect>], followed: &'a Followed) -> Code<'a> {
    Code { target, steps, registers: target.registers.len(), start: &followed.start }
}
