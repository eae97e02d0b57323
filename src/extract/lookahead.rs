//! Two instructions ahead: whether a last instruction could make the missing output from what one more would add.
//!
//! Two instructions that are tried one after the other cost the square of what one costs. But an instruction is a sum: of the
//! last one all operands but the new value are there, so that the new value is known, and what one instruction can make
//! stands in a table.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::exhaustive::Machine;
use super::field::Element;
use super::linear::Linear;

/// Steps of the enumeration that take about as long as entering a state.
const STEPS_PER_STATE: u64 = 16;

/// For each result of a form, the reads (as a mask) that the new value may stand in, with one over its coefficient.
pub(super) fn pivots(form: &Linear) -> Vec<Vec<(u32, Element)>> {
    let count = form.reads.len();
    let legal = |mask: u32| {
        let has = |read: usize| mask >> read & 1 == 1;
        let apart = form.apart.iter().any(|(a, b)| has(*a) && has(*b));
        let files = (0..count).filter(|read| has(*read)).map(|read| form.reads[read].1);
        let mixed = files.clone().any(|wide| wide) && files.clone().any(|wide| !wide);
        // Of reads that are interchangeable the first one is as good as any.
        let twin = (0..count).any(|read| has(read) && form.after[read].is_some_and(|first| !has(first)));
        !apart && !mixed && !twin
    };
    let masks: Vec<u32> = (1..1u32 << count).filter(|mask| legal(*mask)).collect();
    let of_result = |coefficients: &[Element]| {
        let sum = |mask: u32| {
            let of_mask = coefficients.iter().enumerate().filter(|(read, _)| mask >> read & 1 == 1);
            of_mask.fold(Element::ZERO, |sum, (_, c)| sum.add(*c))
        };
        let pivot = |mask: &u32| (sum(*mask) != Element::ZERO).then(|| (*mask, sum(*mask).inverse()));
        masks.iter().filter_map(pivot).collect()
    };
    form.results.iter().map(|(_, _, _, coefficients)| of_result(coefficients)).collect()
}

/// The table of what one instruction can make, and how much was done.
#[derive(Default)]
pub(super) struct Lookahead {
    /// What one instruction can leave in a general register, and in the wide one.
    reached: [FxHashSet<Element>; 2],
    /// Steps not yet charged.
    steps: u64,
}

impl Lookahead {
    /// Whether some instruction of `usable` may leave `target` in a general register, of the values held and one that another
    /// of them makes. A no is certain; a yes is not, since what the first one overwrites is taken to be there still.
    pub(super) fn may_make<'a>(
        &mut self,
        usable: impl Iterator<Item = &'a Linear> + Clone,
        machine: &Machine,
        target: Element,
    ) -> bool {
        self.reached.iter_mut().for_each(FxHashSet::clear);
        for form in usable.clone() {
            for (_, wide, _, coefficients) in &form.results {
                let reached = &mut self.reached[usize::from(*wide)];
                self.steps += each_sum(form, coefficients, 0, machine, &mut |sum| {
                    reached.insert(sum);
                    false
                });
            }
        }
        for form in usable {
            let results = form.results.iter().zip(&form.pivots).filter(|((_, wide, ..), _)| !wide);
            for ((_, _, _, coefficients), pivots) in results {
                for (mask, inverse) in pivots {
                    let reached = &self.reached[usize::from(form.reads[mask.trailing_zeros() as usize].1)];
                    let mut found = false;
                    self.steps += each_sum(form, coefficients, *mask, machine, &mut |sum| {
                        found = reached.contains(&target.sub(sum).times(*inverse));
                        found
                    });
                    if found {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// What was done since the last call, in states.
    pub(super) fn charge(&mut self) -> u64 {
        let states = self.steps / STEPS_PER_STATE;
        self.steps %= STEPS_PER_STATE;
        states
    }
}

/// Calls `sink` with the sum of every choice of operands for the reads outside of `mask`, until it says that it is done.
/// Returns the number of calls.
fn each_sum(
    form: &Linear,
    coefficients: &[Element],
    mask: u32,
    machine: &Machine,
    sink: &mut dyn FnMut(Element) -> bool,
) -> u64 {
    let mut calls = 0;
    let mut reads: SmallVec<[usize; 5]> = SmallVec::new();
    let mut counted = |sum| {
        calls += 1;
        sink(sum)
    };
    choose(form, coefficients, mask, machine, &mut reads, Element::ZERO, &mut counted);
    calls
}

/// Stands for a read that is not chosen: in the mask, or of the wide register.
const NONE: usize = usize::MAX;

fn choose(
    form: &Linear,
    coefficients: &[Element],
    mask: u32,
    machine: &Machine,
    reads: &mut SmallVec<[usize; 5]>,
    sum: Element,
    sink: &mut dyn FnMut(Element) -> bool,
) -> bool {
    let at = reads.len();
    if at == form.reads.len() {
        return sink(sum);
    }
    let is_new = mask >> at & 1 == 1;
    if is_new || form.reads[at].1 {
        let seen = match machine.wide {
            _ if is_new => Element::ZERO,
            Some(wide) => wide.value.times(coefficients[at]),
            None => return false,
        };
        reads.push(NONE);
        let done = choose(form, coefficients, mask, machine, reads, sum.add(seen), sink);
        reads.pop();
        return done;
    }
    let from = form.after[at].map_or(0, |earlier| reads[earlier].wrapping_add(1));
    for register in from..machine.general.len() {
        let clash = form.apart.iter().any(|(a, b)| {
            (*b == at && reads.get(*a) == Some(&register)) || (*a == at && reads.get(*b) == Some(&register))
        });
        if clash {
            continue;
        }
        reads.push(register);
        let seen = machine.general[register].value.times(coefficients[at]);
        let done = choose(form, coefficients, mask, machine, reads, sum.add(seen), sink);
        reads.pop();
        if done {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::exhaustive::Held;
    use super::super::field::of_value;
    use super::super::linear::linear;
    use super::super::recipe::{Objective, Recipes};
    use super::super::value::{Factor, Shapes, Value};
    use super::*;
    use crate::target::{Division, Target, builtin_names};

    fn held(value: Element) -> Held {
        Held { value, mass: 1.0, extent: super::super::spread::Extent::HERE, idle: false }
    }

    /// Every target that two instructions reach is found, whatever the two are.
    #[test]
    fn what_two_instructions_make_is_not_denied() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let shapes = Shapes::new(1);
        let input = Shapes::delta(0);
        let moved = Value { dx: 1, factor: Factor { negative: true, ..Factor::ONE }, ..input };
        let machine = Machine {
            general: [input, moved].map(|value| held(of_value(value, &shapes))).into_iter().collect(),
            wide: Some(held(of_value(Value { dy: 2, ..input }, &shapes))),
        };
        let mut tried = 0;
        for isa in &target.isas {
            let forms = target.forms(&isa.name, Division::Quick);
            let recipes = Recipes::compile(&forms, &[6, 1], Objective::Cycles);
            let linear: Vec<Linear> =
                (0..recipes.forms.len()).filter_map(|form| linear(&recipes, form, Some(1))).collect();
            assert_eq!(linear.len(), recipes.forms.len());
            let mut lookahead = Lookahead::default();
            for (index, first) in linear.iter().enumerate().step_by(7) {
                let (_, wide, _, coefficients) = &first.results[0];
                let mut firsts = Vec::new();
                each_sum(first, coefficients, 0, &machine, &mut |sum| {
                    firsts.push(sum);
                    false
                });
                let Some(made) = firsts.get(index % firsts.len().max(1)) else { continue };
                let mut after = machine.clone();
                if *wide {
                    after.wide = Some(held(*made));
                } else {
                    after.general.push(held(*made));
                }
                for second in linear.iter().skip(index % 5).step_by(5) {
                    for (_, wide, _, coefficients) in &second.results {
                        let mut seconds = Vec::new();
                        each_sum(second, coefficients, 0, &after, &mut |sum| {
                            seconds.push(sum);
                            false
                        });
                        // Sums without the new value are not asked for.
                        let mut old = FxHashSet::default();
                        each_sum(second, coefficients, 0, &machine, &mut |sum| {
                            old.insert(sum);
                            false
                        });
                        for sum in seconds.into_iter().filter(|sum| !wide && !old.contains(sum)).take(2) {
                            assert!(lookahead.may_make(linear.iter(), &machine, sum), "{}", isa.name);
                            tried += 1;
                        }
                    }
                }
            }
        }
        assert!(tried > 100, "{tried}");
    }

    #[test]
    fn what_they_do_not_make_is_denied() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let forms = target.forms(&target.isas[0].name, Division::Quick);
        let recipes = Recipes::compile(&forms, &[6, 1], Objective::Cycles);
        let linear: Vec<Linear> =
            (0..recipes.forms.len()).filter_map(|form| linear(&recipes, form, Some(1))).collect();
        let (shapes, input) = (Shapes::new(1), Shapes::delta(0));
        let machine =
            Machine { general: std::iter::once(held(of_value(input, &shapes))).collect(), wide: None };
        let far = of_value(Value { dx: 40, ..input }, &shapes);
        assert!(!Lookahead::default().may_make(linear.iter(), &machine, far));
    }
}
