//! Two or three instructions ahead: whether the last ones could make the missing output.
//!
//! Instructions that are tried one after the other cost the product of what each costs. But an instruction is a sum: of the last
//! ones all operands but the first new value are there, so that this value is known (`endgame.rs`), and what one instruction
//! can make stands in a table.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::endgame::{Chain, Endgame, Pair};
use super::exhaustive::Machine;
use super::field::Element;
use super::linear::Linear;

/// Sums, and looks into tables, that take about as long as entering a state.
const STEPS_PER_STATE: u64 = 64;

/// Steps that forming a sum of held values takes.
const STEPS_PER_SUM: u64 = 4;

/// Bits of the filter before a table of values.
const FILTER: usize = 1 << 15;

/// A set of values that is asked for what it mostly does not hold.
struct Values {
    filter: Vec<u64>,
    exact: FxHashSet<Element>,
    list: Vec<Element>,
}

impl Default for Values {
    fn default() -> Self {
        Self { filter: vec![0; FILTER / 64], exact: FxHashSet::default(), list: Vec::new() }
    }
}

impl Values {
    fn fill<'a>(&mut self, sums: impl Iterator<Item = &'a [Element]>) {
        for value in self.list.drain(..) {
            self.filter[place(value) / 64] = 0;
        }
        self.exact.clear();
        for value in sums.flatten() {
            if self.exact.insert(*value) {
                self.filter[place(*value) / 64] |= 1 << (place(*value) % 64);
                self.list.push(*value);
            }
        }
    }

    fn has(&self, value: Element) -> bool {
        self.filter[place(value) / 64] >> (place(value) % 64) & 1 == 1 && self.exact.contains(&value)
    }
}

/// Where the filter stands for a value. Values are spread evenly over the field, but for a few small ones.
fn place(value: Element) -> usize {
    (value.bits() >> 20) as usize % FILTER
}

/// The tables of what can be made of what is held, and how much was done.
#[derive(Default)]
pub(super) struct Lookahead {
    /// The sums that each template stands for.
    sums: Vec<Vec<Element>>,
    /// What one instruction leaves, by the kind of all that it leaves, and by that of one result.
    all: Vec<Values>,
    single: Vec<Values>,
    wanted: Vec<Element>,
    beside: Vec<Element>,
    /// Steps not yet charged.
    steps: u64,
}

impl Lookahead {
    /// Whether two instructions, each of the least cost, may leave `target` in a general register. A no is certain; a
    /// yes is not, since what the first one overwrites is taken to be there still.
    pub(super) fn may_end_in_two(
        &mut self,
        endgame: &Endgame,
        linear: &[Linear],
        machine: &Machine,
        target: Element,
    ) -> bool {
        self.look(endgame, linear, machine);
        if self.cancels(endgame, target) {
            return true;
        }
        for (made, ways) in self.all.iter().zip(&endgame.last) {
            for way in ways {
                let held = way.held.iter().flat_map(|template| &self.sums[*template]);
                for sum in held {
                    self.steps += 1;
                    if made.has(target.sub(*sum).times(way.factor)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether three instructions may, each of the least cost, of which the first leaves one value. A no is certain.
    pub(super) fn may_end_in_three(
        &mut self,
        endgame: &Endgame,
        linear: &[Linear],
        machine: &Machine,
        target: Element,
    ) -> bool {
        self.look(endgame, linear, machine);
        self.cancels(endgame, target)
            || endgame.chains.iter().any(|chain| self.ends_by_chain(chain, target))
            || endgame.pairs.iter().any(|pair| self.ends_by_pair(pair, target))
    }

    /// Forms all sums of what is held.
    fn look(&mut self, endgame: &Endgame, linear: &[Linear], machine: &Machine) {
        self.sums.resize_with(endgame.templates.len(), Vec::new);
        for (template, sums) in endgame.templates.iter().zip(&mut self.sums) {
            sums.clear();
            let form = &linear[template.form];
            let coefficients = &form.results[template.result].3;
            each_sum(form, coefficients, template.mask, machine, &mut |sum| {
                sums.push(sum);
                false
            });
            self.steps += STEPS_PER_SUM * sums.len() as u64;
        }
        let sums = &self.sums;
        let fill = |sets: &mut Vec<Values>, templates: &[Vec<usize>]| {
            sets.resize_with(templates.len(), Values::default);
            for (set, templates) in sets.iter_mut().zip(templates) {
                set.fill(templates.iter().map(|template| sums[*template].as_slice()));
            }
        };
        fill(&mut self.all, &endgame.all);
        fill(&mut self.single, &endgame.single);
    }

    fn cancels(&self, endgame: &Endgame, target: Element) -> bool {
        endgame.cancelled.iter().any(|template| self.sums[*template].contains(&target))
    }

    fn ends_by_chain(&mut self, chain: &Chain, target: Element) -> bool {
        self.prepare(&chain.held, target, chain.factor);
        self.beside.clear();
        let beside = chain.beside.iter().flat_map(|template| &self.sums[*template]);
        self.beside.extend(beside.map(|sum| sum.times(chain.ratio)));
        self.steps += (self.wanted.len() * self.beside.len()) as u64;
        let mut rests = self.wanted.iter().flat_map(|w| self.beside.iter().map(|b| w.sub(*b)));
        match chain.first {
            Some(first) => rests.any(|rest| self.single[first].has(rest)),
            None => rests.any(|rest| rest == Element::ZERO),
        }
    }

    fn ends_by_pair(&mut self, pair: &Pair, target: Element) -> bool {
        self.prepare(&pair.held, target, pair.factor);
        let (first, second) = (&self.single[pair.first], &self.all[pair.second]);
        self.beside.clear();
        // The shorter list is gone through, the other one asked.
        let through_second = second.list.len() <= first.list.len();
        let (list, asked) = if through_second { (&second.list, first) } else { (&first.list, second) };
        self.steps += (self.wanted.len() * list.len()) as u64;
        if through_second {
            self.beside.extend(list.iter().map(|value| value.times(pair.ratio)));
        } else if !self.wanted.is_empty() && pair.ratio != Element::ZERO {
            let inverse = pair.ratio.inverse();
            self.wanted.iter_mut().for_each(|wanted| *wanted = wanted.times(inverse));
            self.beside.extend(list.iter().map(|value| value.times(inverse)));
        }
        self.wanted.iter().any(|wanted| self.beside.iter().any(|value| asked.has(wanted.sub(*value))))
    }

    /// What is wanted of new values, for every sum of held ones that stands beside them.
    fn prepare(&mut self, held: &[usize], target: Element, factor: Element) {
        self.wanted.clear();
        let sums = held.iter().flat_map(|template| &self.sums[*template]);
        self.wanted.extend(sums.map(|sum| target.sub(*sum).times(factor)));
        self.steps += self.wanted.len() as u64;
    }

    /// What was done since the last call, in states.
    pub(super) fn charge(&mut self) -> u64 {
        let states = self.steps / STEPS_PER_STATE;
        self.steps %= STEPS_PER_STATE;
        states
    }
}

/// Calls `sink` with the sum of every choice of operands for the reads outside of `mask`, until it says that it is done.
fn each_sum(
    form: &Linear,
    coefficients: &[Element],
    mask: u32,
    machine: &Machine,
    sink: &mut dyn FnMut(Element) -> bool,
) {
    choose(form, coefficients, mask, machine, &mut SmallVec::new(), Element::ZERO, sink);
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
    use super::super::spread::Extent;
    use super::super::value::{Factor, Shapes, Value};
    use super::*;
    use crate::target::{Division, Target, builtin_names};

    fn held(value: Element) -> Held {
        Held { value, mass: 1.0, extent: Extent::HERE, idle: false }
    }

    fn forms_of(target: &Target, isa: &str) -> Vec<Linear> {
        let recipes = Recipes::compile(&target.forms(isa, Division::Quick), &[6, 1], Objective::Instructions);
        (0..recipes.forms.len()).map(|form| linear(&recipes, form, Some(1)).unwrap()).collect()
    }

    /// Two values in general registers, one in the wide register.
    fn some_machine() -> Machine {
        let (shapes, input) = (Shapes::new(1), Shapes::delta(0));
        let moved = Value { dx: 1, factor: Factor { negative: true, ..Factor::ONE }, ..input };
        Machine {
            general: [input, moved].map(|value| held(of_value(value, &shapes))).into_iter().collect(),
            wide: Some(held(of_value(Value { dy: 2, ..input }, &shapes))),
        }
    }

    /// What an instruction with operands chosen by `pick` leaves, of all results or of the one that is kept; the mask of
    /// the general registers that it reads, the wide one being the highest bit. `None` where it may not be.
    fn run(
        form: &Linear,
        machine: &Machine,
        kept: Option<usize>,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Option<(Machine, u64, Element)> {
        let reads: Vec<Option<usize>> =
            form.reads.iter().map(|read| (!read.1).then(|| pick(machine.general.len()))).collect();
        let clash = |(a, b): &(usize, usize)| reads[*a].is_some() && reads[*a] == reads[*b];
        if form.apart.iter().any(clash) || (reads.contains(&None) && machine.wide.is_none()) {
            return None;
        }
        let mut next = machine.clone();
        if form.clobbers_wide || form.results.iter().any(|result| result.1) {
            next.wide = None;
        }
        let mut first = None;
        for (index, (_, to_wide, _, coefficients)) in form.results.iter().enumerate() {
            let value = |read: &Option<usize>| read.map_or(machine.wide, |at| Some(machine.general[at]));
            let terms = reads.iter().zip(coefficients);
            let sum =
                terms.fold(Element::ZERO, |sum, (read, c)| sum.add(value(read).unwrap().value.times(*c)));
            if kept.is_some_and(|kept| kept != index) {
                continue;
            }
            first = first.or((!to_wide).then_some(sum));
            match to_wide {
                true => next.wide = Some(held(sum)),
                false => next.general.push(held(sum)),
            }
        }
        let mask = reads.iter().fold(0, |mask, read| mask | 1u64 << read.unwrap_or(63));
        Some((next, mask, first.unwrap_or(Element::ZERO)))
    }

    /// What random programs that use all that they make end with is found, whatever they are.
    #[test]
    fn what_two_or_three_instructions_make_is_not_denied() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let mut random = 1u64;
        let mut pick = |count: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % count
        };
        let start = some_machine();
        for isa in &target.isas {
            let forms = forms_of(&target, &isa.name);
            let endgame = Endgame::new(&forms, 1, true).unwrap();
            let mut lookahead = Lookahead::default();
            let mut asked = [0; 2];
            while asked.iter().any(|asked| *asked < 25) {
                let steps = 2 + pick(2);
                let mut made = Vec::new();
                let mut machine = start.clone();
                let mut target = None;
                for step in 0..steps {
                    let form = &forms[pick(forms.len())];
                    // Of three, the first is asked to leave one result.
                    let kept = (steps == 3 && step == 0).then(|| pick(form.results.len()));
                    let Some((next, mask, first)) = run(form, &machine, kept, &mut pick) else { break };
                    let wide_made = made.last().is_some_and(|(_, wide)| *wide) && step > 0;
                    let general_new = mask & !(1 << 63) & !0b11;
                    made.push((
                        general_new | u64::from(wide_made && mask >> 63 == 1) << 63,
                        next.wide != machine.wide,
                    ));
                    (machine, target) =
                        (next, (step + 1 == steps && first != Element::ZERO).then_some(first));
                }
                // Programs that do not read what is new are shorter ones, which are not asked for.
                let uses = made.iter().skip(1).all(|(new, _)| *new != 0);
                let Some(target) = target.filter(|_| made.len() == steps && uses) else { continue };
                let found = match steps {
                    2 => lookahead.may_end_in_two(&endgame, &forms, &start, target),
                    _ => lookahead.may_end_in_three(&endgame, &forms, &start, target),
                };
                asked[steps - 2] += 1;
                assert!(found, "{}: {steps} instructions", isa.name);
            }
        }
    }

    #[test]
    fn what_they_do_not_make_is_denied() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let forms = forms_of(&target, &target.isas[0].name);
        let endgame = Endgame::new(&forms, 1, true).unwrap();
        let (shapes, machine) = (Shapes::new(1), some_machine());
        let far = of_value(Value { dx: 40, ..Shapes::delta(0) }, &shapes);
        let mut lookahead = Lookahead::default();
        assert!(!lookahead.may_end_in_two(&endgame, &forms, &machine, far));
        assert!(!lookahead.may_end_in_three(&endgame, &forms, &machine, far));
    }
}
