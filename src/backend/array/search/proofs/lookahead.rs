//! Looks two or three instructions ahead: whether the last ones can make the missing output.
//!
//! Trying one instruction after the other multiplies the numbers of choices. But an instruction is a sum: all operands of the last
//! instructions except the first new value are held, so this value is determined (`endgame.rs`), and a table holds the values
//! that one instruction can make.
//!
//! Most combinations of the last instructions are ruled out before any sum is formed. Every pixel of the output's footprint must
//! be in that of a combined value, and the combined values together must weigh at least as much as the output, for its positive
//! and its negative coefficients separately (`pixels.rs`). Cancellation only lowers both.

use smallvec::SmallVec;

use super::endgame::{Alike, Both, Chain, Endgame, Lasts, Looked, Pair, Pairs, Template};
use super::fingerprint::Element;
use super::held::MachineState;
use super::linear::Linear;
use super::pixels::{Pixels, Seen, Shown, Size, Weight};
use super::sums::{Values, each_sum};

/// The number of sums and table lookups that take about as long as entering a state. It only converts work into the budget's unit.
const STEPS_PER_STATE: u64 = 32;

/// The number of steps that forming a sum of held values counts as.
const STEPS_PER_SUM: u64 = 4;

/// A missing output.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) value: Element,
    pub(crate) shows: Shown,
}

/// A machine state, and the forms applied to it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) endgame: &'a Endgame,
    pub(crate) linear: &'a [Linear],
    pub(crate) machine: &'a MachineState,
}

/// The footprint, for every way in which it is moved.
type Moves = SmallVec<[Pixels; 6]>;

/// Bounds on the values that one instruction can leave: the union of their footprints, for every way to move them, and their size.
#[derive(Clone, Default)]
struct Reach {
    pixels: Moves,
    size: Size,
}

impl Reach {
    fn moved(&self, from: Pixels) -> Moves {
        self.pixels.iter().map(|pixels| pixels.moved(from)).collect()
    }

    fn within(&self, seen: Seen) -> Self {
        Self { pixels: self.moved(seen.pixels), size: self.size.times(seen.weight) }
    }
}

/// New values: the values seen beside them, a bound on the new ones, and the factor that determines them.
#[derive(Clone, Copy)]
struct New<'a> {
    beside: Shown,
    reach: &'a Reach,
    factor: Element,
}

/// The values that one instruction can leave.
#[derive(Default)]
struct Table {
    values: Values,
    /// Whether the values are those of the current machine state.
    filled: bool,
    reach: Reach,
}

/// Tables of the values that can be made of held values, computed on first use, and the work done.
#[derive(Default)]
pub(crate) struct Lookahead {
    /// The sums of each template.
    sums: Vec<Vec<Element>>,
    formed: Vec<bool>,
    /// A bound on the values of each look; `None` if it reads an empty register.
    shown: Vec<Option<Shown>>,
    /// The same for each list.
    lists: Vec<Option<Shown>>,
    /// The wanted pixels in the footprints of the endgame's firsts, seconds and besides.
    firsts: Vec<Option<Moves>>,
    seconds: Vec<Option<Moves>>,
    besides: Vec<Option<Pixels>>,
    /// The values that one instruction can leave, in the order of the endgame's `all` and `opening`.
    all: Vec<Table>,
    opening: Vec<Table>,
    wanted: Vec<Element>,
    beside: Vec<Element>,
    /// Steps not yet charged.
    steps: u64,
}

impl Lookahead {
    /// Whether one instruction of the least cost leaves `target` in a general register.
    pub(crate) fn may_end_in_one(&mut self, view: View<'_>, target: Wanted) -> bool {
        self.look(view);
        self.is_sum(view, &view.endgame.finals, target)
    }

    /// Whether two instructions of the least cost may leave `target` in a general register. `false` is certain. `true` is not,
    /// because values that the first instruction overwrites are assumed to be still held.
    pub(crate) fn may_end_in_two(&mut self, view: View<'_>, target: Wanted) -> bool {
        self.look(view);
        if self.is_sum(view, &view.endgame.cancelled, target) {
            return true;
        }
        for (made, groups) in view.endgame.last.iter().enumerate() {
            for Lasts { held, seen, ways } in groups {
                let Some(shown) = self.list(view, *held) else { continue };
                if !target.may_be(shown, &self.all[made].reach.within(*seen)) {
                    continue;
                }
                for way in ways {
                    let reach = self.all[made].reach.within(way.seen);
                    if !target.may_be(shown, &reach) {
                        continue;
                    }
                    let new = New { beside: Shown::NOTHING, reach: &reach, factor: way.factor };
                    self.prepare(view, *held, new, target);
                    if self.wanted.is_empty() {
                        continue;
                    }
                    self.fill(view, false, made);
                    self.steps += self.wanted.len() as u64;
                    if self.wanted.iter().any(|value| self.all[made].values.has(*value)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The same for three instructions of the least cost. `false` is certain.
    pub(crate) fn may_end_in_three(&mut self, view: View<'_>, target: Wanted) -> bool {
        self.look(view);
        let endgame = view.endgame;
        self.steps += (endgame.chains.len() + endgame.pairs.len()) as u64;
        self.is_sum(view, &endgame.cancelled, target)
            || endgame.chains.iter().any(|group| self.ends_by_chains(view, group, target))
            || endgame.pairs.iter().any(|pairs| self.ends_by_pairs(view, pairs, target))
    }

    /// Computes the possible footprints of instructions.
    fn look(&mut self, view: View<'_>) {
        let View { endgame, machine, .. } = view;
        self.sums.resize_with(endgame.templates.len(), Vec::new);
        reset(&mut self.formed, endgame.templates.len(), false);
        reset(&mut self.lists, endgame.lists.len(), None);
        reset(&mut self.firsts, endgame.firsts.len(), None);
        reset(&mut self.seconds, endgame.seconds.len(), None);
        reset(&mut self.besides, endgame.besides.len(), None);
        let plain = machine.general.iter().map(|held| held.shows.pixels).fold(Pixels::NONE, Pixels::join);
        let sizes = Size::in_order(machine.general.iter().map(|held| held.shows.size));
        let wide = machine.wide.map_or(Shown::NOTHING, |held| held.shows);
        self.shown.clear();
        self.shown.extend(endgame.looks.iter().map(|look| {
            let pixels = plain.moved(look.plain).join(wide.pixels.moved(look.wide));
            let there = look.wide == Pixels::NONE || machine.wide.is_some();
            there.then(|| Shown { pixels, size: look.lever.lift(&sizes, wide.size) })
        }));
        for (tables, kinds) in [(&mut self.all, &endgame.all), (&mut self.opening, &endgame.opening)] {
            tables.resize_with(kinds.len(), Table::default);
            for (table, made) in tables.iter_mut().zip(kinds) {
                let pixels = |[general, through]: &[Pixels; 2]| {
                    plain.moved(*general).join(wide.pixels.moved(*through))
                };
                let sizes = made.looks.iter().filter_map(|look| Some(self.shown[*look]?.size));
                table.filled = false;
                table.reach.pixels = made.moves.iter().map(pixels).collect();
                table.reach.size = sizes.fold(Size::default(), Size::or);
            }
        }
        self.steps += endgame.looks.len() as u64;
    }

    /// A bound on the sums of a list.
    fn list(&mut self, view: View<'_>, list: usize) -> Option<Shown> {
        if self.lists[list].is_none() {
            let look = |template: &usize| self.shown[view.endgame.templates[*template].look];
            self.lists[list] = view.endgame.lists[list].iter().filter_map(look).reduce(Shown::or);
        }
        self.lists[list]
    }

    /// Forms the sums of a template on first use.
    fn form(&mut self, view: View<'_>, template: usize) {
        if std::mem::replace(&mut self.formed[template], true) {
            return;
        }
        let Template { form, result, mask, .. } = view.endgame.templates[template];
        let (form, sums) = (&view.linear[form], &mut self.sums[template]);
        sums.clear();
        each_sum(form, &form.results[result].3, mask, view.machine, &mut |sum| sums.push(sum));
        self.steps += STEPS_PER_SUM * sums.len() as u64;
    }

    /// Fills the table of a kind on first use.
    fn fill(&mut self, view: View<'_>, opening: bool, kind: usize) {
        let kinds = if opening { &view.endgame.opening } else { &view.endgame.all };
        let tables = if opening { &self.opening } else { &self.all };
        if tables[kind].filled {
            return;
        }
        for template in &kinds[kind].templates {
            self.form(view, *template);
        }
        let tables = if opening { &mut self.opening } else { &mut self.all };
        tables[kind].filled = true;
        let sums = kinds[kind].templates.iter().map(|template| self.sums[*template].as_slice());
        tables[kind].values.fill(sums);
    }

    /// Whether a value is one of these sums of held values.
    fn is_sum(&mut self, view: View<'_>, sums: &[usize], target: Wanted) -> bool {
        sums.iter().any(|template| {
            let shown = self.shown[view.endgame.templates[*template].look];
            shown.is_some_and(|shown| target.may_be(shown, &Reach::default())) && {
                self.form(view, *template);
                self.sums[*template].contains(&target.value)
            }
        })
    }

    fn ends_by_chains(&mut self, view: View<'_>, group: &Alike<Alike<Chain>>, target: Wanted) -> bool {
        self.rest_of(view, group, target).is_some()
            && group.ways.iter().any(|chains| self.ends_by_chain(view, chains, target))
    }

    fn ends_by_chain(&mut self, view: View<'_>, chains: &Alike<Chain>, target: Wanted) -> bool {
        let Some(Parts { held, beside, rest }) = self.rest_of(view, chains, target) else { return false };
        let (endgame, list) = (view.endgame, view.endgame.besides[chains.beside].0);
        self.steps += chains.ways.len() as u64;
        let (mut first, mut looks) = (chains.looked.first, true);
        for Chain { looked, factor, ratio } in &chains.ways {
            if looked.first != first {
                (first, looks) = (looked.first, self.may_look(view, rest, looked.first));
            }
            if !looks || !self.may_weigh(view, held, beside, *looked, target) {
                continue;
            }
            let [first_weight, weight] = looked.weights;
            let reach = looked.first.map_or(Reach::default(), |first| Reach {
                pixels: self.first(view, first).clone(),
                size: self.size_of_first(view, first, first_weight),
            });
            let weighed = Shown { size: beside.size.times(weight), ..beside };
            self.prepare(view, chains.held, New { beside: weighed, reach: &reach, factor: *factor }, target);
            if self.wanted.is_empty() {
                continue;
            }
            self.beside.clear();
            for template in &endgame.lists[list] {
                let Some(shown) = self.shown[endgame.templates[*template].look] else { continue };
                let alone = Shown { size: shown.size.times(weight), ..beside };
                if endgame.lists[list].len() > 1 && !target.may_be(held.and(alone), &reach) {
                    continue;
                }
                self.form(view, *template);
                self.beside.extend(self.sums[*template].iter().map(|sum| sum.times(*ratio)));
            }
            self.steps += (self.wanted.len() * self.beside.len()) as u64;
            let ends = match looked.first {
                Some(first) => {
                    let kind = endgame.firsts[first].0;
                    self.fill(view, true, kind);
                    self.opening[kind].values.has_difference(&self.wanted, &self.beside)
                }
                None => self.wanted.iter().any(|wanted| self.beside.contains(wanted)),
            };
            if ends {
                return true;
            }
        }
        false
    }

    /// The parts that chains combine; `None` if they cannot cover all wanted pixels, or weigh too little.
    fn rest_of<T>(&mut self, view: View<'_>, alike: &Alike<T>, target: Wanted) -> Option<Parts> {
        let (list, through) = view.endgame.besides[alike.beside];
        let (held, beside) = (self.list(view, alike.held)?, self.list(view, list)?);
        let pixels = *self.besides[alike.beside].get_or_insert_with(|| beside.pixels.moved(through));
        let rest = target.shows.pixels.without(held.pixels).without(pixels);
        let may_be = self.may_look(view, rest, alike.looked.first)
            && self.may_weigh(view, held, beside, alike.looked, target);
        may_be.then_some(Parts { held, beside: Shown { pixels, ..beside }, rest })
    }

    /// Whether the footprint of a chain's first value may cover the rest.
    fn may_look(&mut self, view: View<'_>, rest: Pixels, first: Option<usize>) -> bool {
        let looks = |first| self.first(view, first).iter().any(|pixels| rest.without(*pixels).is_empty());
        rest.is_empty() || first.is_some_and(looks)
    }

    /// Whether a chain may weigh as much as the wanted value, given the held values and those beside the first one.
    fn may_weigh(&self, view: View<'_>, held: Shown, beside: Shown, looked: Looked, target: Wanted) -> bool {
        let [first_weight, weight] = looked.weights;
        let size =
            looked.first.map_or(Size::default(), |first| self.size_of_first(view, first, first_weight));
        held.size.and(beside.size.times(weight)).and(size).reaches(target.shows.size)
    }

    /// The wanted pixels in the footprint of the first value of a chain or pair.
    fn first(&mut self, view: View<'_>, first: usize) -> &Moves {
        let (kind, from) = view.endgame.firsts[first];
        let reach = &self.opening[kind].reach;
        self.firsts[first].get_or_insert_with(|| reach.moved(from))
    }

    /// The weight of the first value of a chain or pair in the wanted value.
    fn size_of_first(&self, view: View<'_>, first: usize, weight: Weight) -> Size {
        self.opening[view.endgame.firsts[first].0].reach.size.times(weight)
    }

    /// The weight of both values of a pair.
    fn size_of_both(&self, view: View<'_>, Both { first, second, weights }: Both) -> Size {
        let second = self.all[view.endgame.seconds[second].0].reach.size.times(weights[1]);
        self.size_of_first(view, first, weights[0]).and(second)
    }

    /// The wanted pixels in the footprint of the second value of a pair.
    fn second(&mut self, view: View<'_>, second: usize) -> &Moves {
        let (kind, from) = view.endgame.seconds[second];
        let reach = &self.all[kind].reach;
        self.seconds[second].get_or_insert_with(|| reach.moved(from))
    }

    fn ends_by_pairs(&mut self, view: View<'_>, pairs: &Pairs, target: Wanted) -> bool {
        self.may_pair(view, pairs.held, pairs.both, target)
            && pairs.ways.iter().any(|pair| {
                self.may_pair(view, pairs.held, pair.both, target)
                    && self.ends_by_pair(view, pairs.held, pair, target)
            })
    }

    /// Whether a pair may cover all wanted pixels and weigh enough.
    fn may_pair(&mut self, view: View<'_>, held: usize, both: Both, target: Wanted) -> bool {
        let Some(held) = self.list(view, held) else { return false };
        if !held.size.and(self.size_of_both(view, both)).reaches(target.shows.size) {
            return false;
        }
        let Both { first, second, .. } = both;
        let rest = target.shows.pixels.without(held.pixels);
        self.first(view, first);
        self.second(view, second);
        let Some((firsts, seconds)) = self.firsts[first].as_ref().zip(self.seconds[second].as_ref()) else {
            return true;
        };
        let covered = |rest: Pixels| seconds.iter().any(|pixels| rest.without(*pixels).is_empty());
        rest.is_empty() || firsts.iter().any(|pixels| covered(rest.without(*pixels)))
    }

    fn ends_by_pair(&mut self, view: View<'_>, held: usize, pair: &Pair, target: Wanted) -> bool {
        let Both { first, second, .. } = pair.both;
        let kinds = (view.endgame.firsts[first].0, view.endgame.seconds[second].0);
        let (firsts, seconds) = (self.first(view, first).clone(), self.second(view, second).clone());
        let both = firsts.iter().flat_map(|one| seconds.iter().map(|other| one.join(*other)));
        let reach = Reach { pixels: both.collect(), size: self.size_of_both(view, pair.both) };
        let new = New { beside: Shown::NOTHING, reach: &reach, factor: pair.factor };
        self.prepare(view, held, new, target);
        if self.wanted.is_empty() {
            return false;
        }
        self.fill(view, true, kinds.0);
        self.fill(view, false, kinds.1);
        let (first, second) = (&self.opening[kinds.0].values, &self.all[kinds.1].values);
        self.beside.clear();
        // Iterates over the shorter list and looks up in the other.
        let through_second = second.list.len() <= first.list.len();
        let (list, asked) = if through_second { (&second.list, first) } else { (&first.list, second) };
        self.steps += (self.wanted.len() * list.len()) as u64;
        if through_second {
            self.beside.extend(list.iter().map(|value| value.times(pair.ratio)));
        } else if pair.ratio != Element::ZERO {
            let inverse = pair.ratio.inverse();
            self.wanted.iter_mut().for_each(|wanted| *wanted = wanted.times(inverse));
            self.beside.extend(list.iter().map(|value| value.times(inverse)));
        }
        asked.has_difference(&self.wanted, &self.beside)
    }

    /// Computes, for every sum of a list that may yield the wanted value together with the new values and those beside them, what the
    /// new values must be, times a factor.
    fn prepare(&mut self, view: View<'_>, list: usize, new: New<'_>, target: Wanted) {
        let New { beside, reach, factor } = new;
        self.wanted.clear();
        let templates = &view.endgame.lists[list];
        for template in templates {
            let Some(shown) = self.shown[view.endgame.templates[*template].look] else { continue };
            if templates.len() > 1 && !target.may_be(shown.and(beside), reach) {
                continue;
            }
            self.form(view, *template);
            let sums = &self.sums[*template];
            self.wanted.extend(sums.iter().map(|sum| target.value.sub(*sum).times(factor)));
        }
        self.steps += self.wanted.len() as u64;
    }

    /// The work since the last call, in states.
    pub(crate) fn charge(&mut self) -> u64 {
        let states = self.steps / STEPS_PER_STATE;
        self.steps %= STEPS_PER_STATE;
        states
    }
}

/// The values held beside the new values of a chain, the values beside the first one, moved but not weighted, and the
/// remaining pixels.
struct Parts {
    held: Shown,
    beside: Shown,
    rest: Pixels,
}

impl Wanted {
    /// Whether a sum of seen values and new values within this bound may cover all wanted pixels and weigh enough. `false` is
    /// certain.
    fn may_be(&self, seen: Shown, new: &Reach) -> bool {
        seen.size.and(new.size).reaches(self.shows.size) && self.may_look(seen.pixels, &new.pixels)
    }

    fn may_look(&self, seen: Pixels, new: &[Pixels]) -> bool {
        let rest = self.shows.pixels.without(seen);
        rest.is_empty() || new.iter().any(|pixels| rest.without(*pixels).is_empty())
    }
}

fn reset<T: Clone>(list: &mut Vec<T>, length: usize, item: T) {
    list.clear();
    list.resize(length, item);
}

#[cfg(test)]
mod tests {
    use super::super::fingerprint::of_value;
    use super::super::testing::{Kernels, forms_of, picks, run};
    use super::*;
    use crate::backend::array::machine::{Division, Target, builtin_names};
    use crate::backend::array::search::program::recipe::Objective;
    use crate::backend::array::search::program::value::{Factor, Shapes, Value, ZERO};

    fn wanted(value: Value, shapes: &Shapes) -> Wanted {
        Wanted { value: of_value(value, shapes), shows: Shown::of(value, shapes) }
    }

    /// The last instructions of random programs without unused values are found.
    #[test]
    fn what_up_to_three_instructions_make_is_not_denied() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let mut pick = picks();
        let mut shapes = Shapes::new(1);
        let start = Kernels::some();
        let machine = start.machine(&shapes);
        for isa in &target.isas {
            let (recipes, forms) = forms_of(&target, &isa.name, Division::Quick, Objective::Instructions);
            let endgame = Endgame::new(&forms, 1, true).unwrap();
            let mut lookahead = Lookahead::default();
            let mut asked = [0; 3];
            while asked.iter().any(|asked| *asked < 25) {
                let steps = 1 + pick(3);
                let mut made = Vec::new();
                let mut held = start.clone();
                let mut last = None;
                for step in 0..steps {
                    let form = &forms[pick(forms.len())];
                    let ran = run((&recipes, form), &held, &mut shapes, &mut pick);
                    let Some((next, mask, first)) = ran.filter(|_| !form.reads.is_empty()) else { break };
                    let wide_made = made.last().is_some_and(|(_, wide)| *wide) && step > 0;
                    let general_new = mask & !(1 << 63) & !0b11;
                    made.push((
                        general_new | u64::from(wide_made && mask >> 63 == 1) << 63,
                        next.wide != held.wide,
                    ));
                    (held, last) = (next, first);
                }
                // Programs that do not read the new values are shorter, and not in question here.
                let uses = made.iter().skip(1).all(|(new, _)| *new != 0);
                let whole = made.len() == steps && uses;
                let Some(last) = last.filter(|last| whole && last.shape != ZERO) else { continue };
                let view = View { endgame: &endgame, linear: &forms, machine: &machine };
                let target = wanted(last, &shapes);
                let found = match steps {
                    1 => lookahead.may_end_in_one(view, target),
                    2 => lookahead.may_end_in_two(view, target),
                    _ => lookahead.may_end_in_three(view, target),
                };
                asked[steps - 1] += 1;
                assert!(found, "{}: {steps} instructions", isa.name);
            }
        }
    }

    #[test]
    fn what_they_do_not_make_is_denied() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let (_, forms) = forms_of(&target, &target.isas[0].name, Division::Quick, Objective::Instructions);
        let endgame = Endgame::new(&forms, 1, true).unwrap();
        let shapes = Shapes::new(1);
        let machine = Kernels::some().machine(&shapes);
        let view = View { endgame: &endgame, linear: &forms, machine: &machine };
        let mut lookahead = Lookahead::default();
        let input = Shapes::delta(0);
        let heavy = Value { factor: Factor { twos: 10, ..Factor::ONE }, ..input };
        for value in [Value { dx: 40, ..input }, Value { dx: 5, dy: 5, ..input }, heavy] {
            let target = wanted(value, &shapes);
            assert!(!lookahead.may_end_in_one(view, target), "{value:?}");
            assert!(!lookahead.may_end_in_two(view, target), "{value:?}");
            assert!(!lookahead.may_end_in_three(view, target), "{value:?}");
        }
    }
}
