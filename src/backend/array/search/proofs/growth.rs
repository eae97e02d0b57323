//! A bound for exhaustive search: the greatest size of a value after a number of instructions, some of which divide.
//!
//! An instruction makes at most the sum of the greatest values that it can read, times its weights. One that divides makes no
//! more than the greatest value on most machines, so the divisions that a target needs leave fewer instructions to
//! make values grow.

use std::iter;

use smallvec::SmallVec;

use super::held::MachineState;
use super::linear::{Lever, Linear};
use super::pixels::Size;

/// Fewer instructions are followed one by one: whether each writes a general register or the wide one. Of more, each counts as if
/// it did both.
const MAX_BRANCHED_STEPS: usize = 4;

/// The sizes that registers may have at most.
#[derive(Clone)]
struct Sizes {
    /// The general registers, greatest first. Each part of a size is ordered by itself.
    general: SmallVec<[Size; 16]>,
    wide: Size,
}

impl Sizes {
    /// The sizes of either state.
    fn or(mut self, other: &Self) -> Self {
        for (at, size) in other.general.iter().enumerate() {
            match self.general.get_mut(at) {
                Some(own) => *own = own.or(*size),
                None => self.general.push(*size),
            }
        }
        Self { wide: self.wide.or(other.wide), ..self }
    }

    fn best(&self, levers: &[Lever]) -> Size {
        levers.iter().map(|lever| lever.lift(&self.general, self.wide)).fold(Size::default(), Size::or)
    }

    /// After results in general registers, with levers for each of them.
    fn with(&self, results: &[Vec<Lever>]) -> Self {
        let made = results.iter().map(|levers| self.best(levers));
        Self { general: Size::in_order(self.general.iter().copied().chain(made)), wide: self.wide }
    }
}

/// The levers of some instructions.
#[derive(Default)]
struct Kind {
    /// Those of the first result in a general register, of the second one, and so on.
    general: Vec<Vec<Lever>>,
    /// Those of results in the wide register.
    wide: Vec<Lever>,
    /// Those of results in general registers beside one in the wide register.
    beside: Vec<Vec<Lever>>,
}

impl Kind {
    fn of<'a>(forms: impl Iterator<Item = &'a Linear>) -> Self {
        let mut kind = Self::default();
        for form in forms {
            let results = |to_wide: bool| {
                let chosen = form.results.iter().enumerate().filter(move |(_, result)| result.1 == to_wide);
                chosen.map(|(result, _)| Lever::new(form, result, |_| true))
            };
            let add = |ranks: &mut Vec<Vec<Lever>>| {
                let count = results(false).count();
                if ranks.len() < count {
                    ranks.resize_with(count, Vec::new);
                }
                // The greatest result may be any of them, and so may the next one.
                for levers in &mut ranks[..count] {
                    results(false).for_each(|lever| lever.join(levers));
                }
            };
            add(&mut kind.general);
            if results(true).next().is_some() {
                add(&mut kind.beside);
            }
            results(true).for_each(|lever| lever.join(&mut kind.wide));
        }
        kind
    }

    /// The sizes after one of these instructions, which may write registers of both kinds.
    fn after(&self, sizes: &Sizes) -> Sizes {
        Sizes { wide: sizes.wide.or(sizes.best(&self.wide)), ..sizes.with(&self.general) }
    }

    /// The greatest size of a result in a general register of at most so many of these instructions.
    fn branched(&self, sizes: &Sizes, steps: usize) -> Size {
        let made = self.general.first().map_or(Size::default(), |levers| sizes.best(levers));
        if steps <= 1 {
            return made;
        }
        let by_register = made.or(self.branched(&sizes.with(&self.general), steps - 1));
        let loaded = sizes.best(&self.wide);
        if sizes.wide.reaches(loaded) {
            return by_register;
        }
        let by_wide = Sizes { wide: sizes.wide.or(loaded), ..sizes.with(&self.beside) };
        by_register.or(self.branched(&by_wide, steps - 1))
    }
}

/// How the instructions of a machine make values grow.
pub(crate) struct Growth {
    all: Kind,
    /// Those that do not divide.
    whole: Kind,
    dividing: Kind,
}

impl Growth {
    pub(crate) fn new(linear: &[Linear]) -> Self {
        Self {
            all: Kind::of(linear.iter()),
            whole: Kind::of(linear.iter().filter(|form| !form.divides())),
            dividing: Kind::of(linear.iter().filter(|form| form.divides())),
        }
    }

    /// An upper bound of the size of a general register's value after at most `steps` more instructions, at least one, of which at
    /// least `divisions` divide.
    pub(crate) fn most(&self, machine: &MachineState, steps: usize, divisions: usize) -> Size {
        let start = Sizes {
            general: Size::in_order(machine.general.iter().map(|held| held.shows.size)),
            wide: machine.wide.map_or(Size::default(), |wide| wide.shows.size),
        };
        match divisions {
            0 if steps <= MAX_BRANCHED_STEPS => self.all.branched(&start, steps),
            _ if divisions >= steps && steps <= MAX_BRANCHED_STEPS => self.dividing.branched(&start, steps),
            _ => self.in_any_order(start, steps, divisions).general[0],
        }
    }

    /// The sizes after instructions of which so many divide, in any order: after each number of the others, for one division
    /// more each time.
    fn in_any_order(&self, start: Sizes, steps: usize, divisions: usize) -> Sizes {
        let whole = steps.saturating_sub(divisions);
        // What need not divide may divide.
        let kind = |divided: usize| if divided >= divisions { &self.all } else { &self.whole };
        let first = iter::successors(Some(start), |sizes| Some(kind(0).after(sizes)));
        let mut row: Vec<Sizes> = first.take(whole + 1).collect();
        for divided in 1..=divisions.min(steps) {
            row[0] = self.dividing.after(&row[0]);
            for others in 1..=whole {
                row[others] = self.dividing.after(&row[others]).or(&kind(divided).after(&row[others - 1]));
            }
        }
        row.swap_remove(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Kernels, forms_of, picks, run};
    use super::*;
    use crate::backend::array::machine::{Division, Target, builtin_names};
    use crate::backend::array::search::program::divisions::Exponents;
    use crate::backend::array::search::program::recipe::Objective;
    use crate::backend::array::search::program::value::{Factor, Shapes, Value, ZERO};
    use crate::backend::array::search::proofs::pixels::Shown;

    /// Neither sizes nor divisions rule out what random programs do.
    #[test]
    fn what_programs_make_is_not_denied() {
        const STEPS: usize = 6;
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let (mut pick, mut shapes, mut asked) = (picks(), Shapes::new(1), 0);
        for isa in &target.isas {
            for division in [Division::Quick, Division::Compensated] {
                let (recipes, forms) = forms_of(&target, &isa.name, division, Objective::Cycles);
                let growth = Growth::new(&forms);
                for _ in 0..400 {
                    let (mut states, mut chosen, mut last) = (vec![Kernels::some()], Vec::new(), None);
                    while chosen.len() < STEPS {
                        let form = &forms[pick(forms.len())];
                        let held = &states[states.len() - 1];
                        let Some((next, _, first)) = run((&recipes, form), held, &mut shapes, &mut pick)
                        else {
                            continue;
                        };
                        last = first;
                        states.push(next);
                        chosen.push(form);
                    }
                    let Some(last) = last.filter(|last| last.shape != ZERO) else { continue };
                    for done in 0..STEPS {
                        let (machine, rest) = (states[done].machine(&shapes), &chosen[done..]);
                        let held = machine.general.iter().chain(&machine.wide).map(|held| held.exponents);
                        let quotient = Exponents::common(held).down_to(Exponents::of(last));
                        let cost = rest.iter().map(|form| form.cost).sum();
                        let steps = recipes.divisions.steps(cost, quotient).unwrap();
                        assert!(steps >= rest.len(), "{}: {steps} of {}", isa.name, rest.len());
                        assert!(recipes.divisions.cost(quotient) <= cost);
                        let divisions = recipes.divisions.count(quotient);
                        assert!(divisions <= rest.iter().filter(|form| form.divides()).count());
                        let most = growth.most(&machine, rest.len(), divisions);
                        assert!(most.reaches(Shown::of(last, &shapes).size), "{}: {:?}", isa.name, last);
                        asked += 1;
                    }
                }
            }
        }
        assert!(asked > 5_000, "{asked}");
    }

    /// A bus operation sums four neighbours; one that halves makes nothing greater than the greatest value, and here less.
    #[test]
    fn divisions_take_what_makes_values_grow() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let (_, forms) = forms_of(&target, "bus", Division::Quick, Objective::Cycles);
        let shapes = Shapes::new(1);
        let input = Shapes::delta(0);
        let machine = Kernels { general: vec![input], wide: None }.machine(&shapes);
        let most = |steps, divisions| Growth::new(&forms).most(&machine, steps, divisions);
        let size = |twos| Size::of(Value { factor: Factor { twos, ..Factor::ONE }, ..input }, &shapes);
        for (steps, divisions, twos) in [(2, 0, 2), (3, 1, 2), (4, 2, 3), (4, 0, 4), (4, 4, -1)] {
            let most = most(steps, divisions);
            assert!(most.reaches(size(twos)), "{steps} steps, {divisions} divisions: {most:?}");
            assert!(!most.reaches(size(twos + 1)), "{steps} steps, {divisions} divisions: {most:?}");
        }
    }
}
