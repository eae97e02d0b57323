//! A bound for exhaustive search: the maximum extent of the pixels that a program with a given number of instructions can read.
//!
//! Along a direction, the pixels that the registers depend on lie in an interval. An instruction that reads neighbours widens it by
//! the displacement of its operands. If neighbours are read through a wide register, that register must be loaded first. Loading
//! also moves its content, but all of it one way: on a machine whose wide register moves by one step either way,
//! two instructions widen the interval by at most two.

use super::extent::{DIRECTIONS, Extent};
use super::held::MachineState;
use super::linear::Linear;

/// The bound is not computed for more instructions: exhaustive search gets nowhere near them.
const MAX_STEPS: usize = 32;

/// Less than the width of any interval; marks what is impossible.
const NEVER: i16 = -10_000;

/// By how much instructions widen the extent of the general registers, along each direction.
#[derive(Default)]
pub(crate) struct Spread {
    /// The widening by each number of instructions, without the content of the wide register.
    plain: Vec<[i16; 4]>,
    /// The same, from the extent of the general registers and the wide one together.
    shown: Vec<[i16; 4]>,
    /// The offsets of the wide register.
    views: Option<Extent>,
}

impl Spread {
    /// The bound for these instructions; empty if an instruction both reads and writes the wide register.
    pub(crate) fn new(linear: &[Linear]) -> Self {
        let widening = |by: &Extent| by.0.map(|[first, last]| (-first).max(0) + last.max(0));
        let most = |a: [i16; 4], b: [i16; 4]| std::array::from_fn(|d| a[d].max(b[d]));
        let results = || {
            linear.iter().flat_map(|form| {
                form.results.iter().zip(&form.reaches).map(|(result, reaches)| {
                    let parts = |wide: bool| {
                        let of_kind = form.reads.iter().zip(reaches).filter(move |(read, _)| read.1 == wide);
                        of_kind.filter_map(|(_, by)| *by).reduce(Extent::join)
                    };
                    (result.1, parts(false), parts(true))
                })
            })
        };
        if results().any(|(to_wide, _, wide)| to_wide && wide.is_some()) {
            return Self::default();
        }
        let views = results().filter_map(|(.., wide)| wide).reduce(Extent::join);
        // Along each direction: the widening by an instruction without the wide register, by one that reads it, and by one that loads it.
        let (mut step, mut read, mut load) = ([0; 4], [0; 4], [0; 4]);
        for (to_wide, plain, wide) in results() {
            let Some(plain) = plain.or(wide.map(|_| Extent::HERE)) else { continue };
            match (to_wide, wide) {
                (true, _) => load = most(load, widening(&plain.moved(views.unwrap_or(Extent::HERE)))),
                (false, Some(_)) => read = most(read, widening(&plain)),
                (false, None) => step = most(step, widening(&plain)),
            }
        }
        // An instruction that reads the wide register may also move its other operands.
        step = most(step, read);
        let (mut plain, mut shown) = (vec![[0; 4]], vec![[NEVER; 4]]);
        for steps in 0..MAX_STEPS {
            let (alone, seen): ([i16; 4], [i16; 4]) = (plain[steps], shown[steps]);
            plain.push(std::array::from_fn(|d| (alone[d] + step[d]).max(seen[d] + load[d])));
            shown.push(std::array::from_fn(|d| (seen[d] + step[d]).max(alone[d] + read[d])));
        }
        Self { plain, shown, views }
    }

    /// Whether no `steps` instructions can extend the general registers to all of `wanted`. `true` is certain.
    pub(crate) fn denies(&self, machine: &MachineState, wanted: Extent, steps: usize) -> bool {
        let (Some(plain), Some(shown)) = (self.plain.get(steps), self.shown.get(steps)) else { return false };
        let Some(held) = machine.general.iter().map(|held| held.extent).reduce(Extent::join) else {
            return false;
        };
        let seen = machine.wide.zip(self.views).map(|(wide, views)| held.join(wide.extent.moved(views)));
        let needed = held.join(wanted);
        (0..DIRECTIONS.len()).any(|d| {
            let by_wide = seen.map_or(NEVER, |seen| seen.width(d) + shown[d]);
            needed.width(d) > (held.width(d) + plain[d]).max(by_wide)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fingerprint::Element;
    use super::super::held::Held;
    use super::super::pixels::Shown;
    use super::super::symmetry::Turns;
    use super::super::testing::{self, picks};
    use super::*;
    use crate::backend::array::machine::{Division, Target, builtin_names};
    use crate::backend::array::search::program::divisions::Exponents;
    use crate::backend::array::search::program::recipe::Objective;

    fn held(extent: Extent) -> Held {
        let exponents = Exponents::ZERO;
        Held { value: Element::ZERO, shows: Shown::NOTHING, extent, exponents, idle: false }
    }

    fn forms_of(isa: &str) -> Vec<Linear> {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        testing::forms_of(&target, isa, Division::Quick, Objective::Cycles).1
    }

    /// The machine after an instruction with operands chosen by `pick`; `None` if it reads an empty register.
    fn after(
        machine: &MachineState,
        form: &Linear,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Option<MachineState> {
        let mut next = machine.clone();
        let mut read = Vec::new();
        for (_, wide, _) in &form.reads {
            let held = if *wide { machine.wide? } else { machine.general[pick(machine.general.len())] };
            read.push(held.extent);
        }
        for ((_, to_wide, ..), by) in form.results.iter().zip(&form.reaches) {
            let seen = read.iter().zip(by).filter_map(|(extent, by)| Some(extent.moved((*by)?)));
            let made = held(seen.reduce(Extent::join)?);
            if *to_wide {
                next.wide = Some(made);
            } else {
                next.general.push(made);
            }
        }
        Some(next)
    }

    #[test]
    fn what_programs_look_at_is_not_denied() {
        let mut pick = picks();
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let mut asked = 0;
        for isa in &target.isas {
            let forms = forms_of(&isa.name);
            let spread = Spread::new(&forms);
            for _ in 0..500 {
                let mut states = vec![MachineState {
                    general: [held(Extent::HERE)].into_iter().collect(),
                    wide: None,
                    fixed: Turns::default(),
                }];
                while states.len() < 7 {
                    let last = &states[states.len() - 1];
                    let form = &forms[pick(forms.len())];
                    states.extend(after(last, form, &mut pick));
                }
                let all = states[6].general.iter().map(|held| held.extent).reduce(Extent::join).unwrap();
                for (done, state) in states.iter().enumerate() {
                    assert!(!spread.denies(state, all, 6 - done), "{}: {state:?} to {all:?}", isa.name);
                    asked += 1;
                }
            }
        }
        assert!(asked > 5_000, "{asked}");
    }

    #[test]
    fn two_instructions_of_the_bus_widen_by_two() {
        let spread = Spread::new(&forms_of("bus"));
        let start = MachineState {
            general: [held(Extent::HERE)].into_iter().collect(),
            wide: None,
            fixed: Turns::default(),
        };
        let diagonal = Extent::at(-2, 2).join(Extent::at(2, -2));
        assert!(spread.denies(&start, diagonal, 7));
        assert!(!spread.denies(&start, diagonal, 8));
        let loaded = MachineState { wide: Some(held(Extent::HERE)), ..start };
        assert!(!spread.denies(&loaded, diagonal, 7), "the first load is done");
        assert!(spread.denies(&loaded, diagonal, 6));
    }
}
