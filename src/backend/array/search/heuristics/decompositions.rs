//! The e-graph's knowledge of a kernel in the search's representation: splits, candidates for the wide register, and an estimate.

use std::sync::Arc;

use ordered_float::OrderedFloat;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::common_parts::common_parts;
use super::last_steps::{Placement, direct_cost, last_steps};
use super::quotients::{Quotient, quotients};
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::value::{
    Factor, ShapeId, Shapes, Tap, Terms, Value, View, ZERO, signed_digits, tap_terms,
};

/// Candidate operands for the last instruction that makes a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    /// Sums of two to [`Recipes::max_terms`] operands.
    pub(crate) splits: Vec<Terms>,
    /// Contents of the wide register that show a part of the kernel through several views at once.
    pub(crate) wides: Vec<Value>,
}

/// The decompositions of one canonical kernel, and estimates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// Its sums, cheapest by estimate first.
    ranked: Vec<Terms>,
    /// The estimated cost of the last steps, which turn the parts of the best decomposition into the kernel.
    pub(crate) step: f32,
    /// The kernels that the best decomposition is built from, including itself; sorted.
    pub(crate) over: SmallVec<[ShapeId; 8]>,
    /// The estimated cost from the input: the steps of `over`.
    pub(crate) cost: f32,
    /// Where the best decomposition makes it.
    placement: Placement,
    /// The estimated number of doublings from the input.
    pub(crate) doublings: i8,
}

/// Sums of more terms are not split term by term. There are as many splits as terms, each as long, so the work is quadratic:
/// a million operations here.
const MAX_TERMS: usize = 1_024;

/// The maximum number of sums of a kernel that a search tries, the cheapest by estimate first. More sums slow down every state;
/// fewer miss programs whose sums the estimate ranks too low.
pub(crate) const BREADTH: usize = 12;
/// The same for perturbed beams and local search, which look for programs that others miss.
pub(crate) const DIVERSE_BREADTH: usize = 20;

/// The number of decompositions recorded for each partial sum that the e-graph does not know. They come from sums in order of
/// estimated cost, so the first are the most likely.
const MAX_LEARNT: usize = 4;

/// The number of splits in two whose parts are split in turn. With [`SUMS_PER_PART`] this bounds the number of
/// splits in three, which every state of the search goes through.
const FLATTENED_SPLITS: usize = 10;

/// The number of sums tried for each such part, the cheapest by estimate first.
const SUMS_PER_PART: usize = 3;

/// The decompositions that a search may use, with estimates.
pub(crate) struct Decompositions<'a> {
    sums: &'a FxHashMap<ShapeId, Vec<Terms>>,
    entries: Vec<Option<Box<Entry>>>,
    offers: FxHashMap<ShapeId, Arc<Offers>>,
    /// Partial sums of decompositions, with the terms that they are made of.
    learnt: FxHashMap<ShapeId, Vec<Terms>>,
    /// Splits of one kernel that leave a part of another.
    common: FxHashMap<(ShapeId, ShapeId), Arc<[Terms]>>,
    /// The maximum number of sums of a kernel to try.
    breadth: usize,
    /// Whether to record partial sums.
    learning: bool,
    /// Whether to split kernels into near halves, too, and to charge moves for parts made far apart. That leads to different
    /// programs, not always to shorter ones.
    diverse: bool,
}

impl<'a> Decompositions<'a> {
    /// A table for decompositions given as sums of values relative to their kernel.
    pub(crate) fn new(sums: &'a FxHashMap<ShapeId, Vec<Terms>>, breadth: usize, learning: bool) -> Self {
        Self {
            learning,
            diverse: false,
            sums,
            entries: Vec::new(),
            offers: FxHashMap::default(),
            learnt: FxHashMap::default(),
            common: FxHashMap::default(),
            breadth,
        }
    }

    /// The same for searches that look for different programs: kernels are also split into near halves, and parts made far apart
    /// cost moves.
    pub(crate) fn diverse(self) -> Self {
        Self { diverse: true, ..self }
    }

    /// Whether its searches look for different programs.
    pub(crate) fn is_diverse(&self) -> bool {
        self.diverse
    }

    /// The entry of a kernel, computed on first use.
    pub(crate) fn entry(&mut self, id: ShapeId, shapes: &mut Shapes, recipes: &Recipes) -> &Entry {
        let at = id as usize;
        if self.entries.len() <= at {
            self.entries.resize(at + 64, None);
        }
        if self.entries[at].is_none() {
            let entry = self.build(id, shapes, recipes);
            self.entries[at] = Some(Box::new(entry));
        }
        self.entries[at].as_ref().unwrap_or_else(|| unreachable!("filled above"))
    }

    fn build(&mut self, id: ShapeId, shapes: &mut Shapes, recipes: &Recipes) -> Entry {
        let mut entry = Entry::default();
        if id == ZERO || shapes.is_delta(id) {
            return entry;
        }
        entry.over.push(id);
        let mut sums = self.sums.get(&id).or_else(|| self.learnt.get(&id)).cloned().unwrap_or_default();
        sums.retain(|terms| terms.len() <= MAX_TERMS);
        let taps = tap_terms(shapes.get(id).iter()).unwrap_or_default();
        (entry.step, entry.doublings) = direct_cost(id, shapes, recipes);
        entry.cost = entry.step;
        entry.placement = Placement::of(shapes.get(id));
        if !sums.is_empty() {
            if taps.len() <= MAX_TERMS {
                sums.push(taps.clone());
            }
            // Two kernels may each have a sum that contains the other: while a kernel's entry is computed, it counts as made tap by tap.
            self.entries[id as usize] = Some(Box::new(entry.clone()));
            (entry.cost, entry.step, entry.doublings) = (f32::INFINITY, f32::INFINITY, 0);
        }
        let mut ranked: Vec<(OrderedFloat<f32>, usize)> = Vec::new();
        for (index, terms) in sums.iter().enumerate() {
            // Terms are compared pairwise.
            shapes.charge((terms.len() * terms.len() / 2) as u64);
            let mut over: SmallVec<[ShapeId; 8]> = SmallVec::from_slice(&[id]);
            let mut doublings = 0;
            for term in terms {
                let part = self.entry(term.shape, shapes, recipes);
                doublings = doublings.max(part.doublings + term.factor.twos);
                for shape in &part.over {
                    if let Err(at) = over.binary_search(shape) {
                        over.insert(at, *shape);
                    }
                }
            }
            let placements: SmallVec<[Placement; 6]> =
                terms.iter().map(|term| self.entry(term.shape, shapes, recipes).placement).collect();
            let (own, placement) = last_steps(terms, self.diverse.then_some(&placements), recipes);
            let parts: f32 = over.iter().filter(|s| **s != id).map(|s| self.step(*s)).sum();
            let cost = own + parts + 0.5 * f32::from(doublings);
            ranked.push((OrderedFloat(cost), index));
            if cost < entry.cost {
                (entry.cost, entry.step, entry.over, entry.doublings) = (cost, own, over, doublings);
                entry.placement = placement;
            }
        }
        ranked.sort_unstable();
        let mut ordered: Vec<Terms> = ranked.iter().map(|(_, i)| std::mem::take(&mut sums[*i])).collect();
        if ordered.is_empty() {
            ordered.push(taps);
        }
        ordered.retain(|terms| (2..=MAX_TERMS).contains(&terms.len()));
        ordered.truncate(self.breadth);
        entry.ranked = ordered;
        entry
    }

    /// The candidate operands for a kernel, computed on first use.
    pub(crate) fn offers(&mut self, id: ShapeId, shapes: &mut Shapes, recipes: &Recipes) -> Arc<Offers> {
        if let Some(offers) = self.offers.get(&id) {
            return Arc::clone(offers);
        }
        let ranked = self.entry(id, shapes, recipes).ranked.clone();
        let mut offers = Offers::default();
        for terms in &ranked {
            if shapes.is_over() {
                break;
            }
            self.add_splits(&mut offers.splits, terms, shapes, recipes.max_terms);
            self.add_wides(&mut offers.wides, terms, shapes, recipes);
            if let Some(units) = in_units(terms) {
                self.add_wides(&mut offers.wides, &units, shapes, recipes);
            }
        }
        self.flatten(&mut offers.splits, shapes, recipes);
        for Quotient { divisor, value } in quotients(id, &recipes.divisors, shapes) {
            let contents = divisor.seen.iter().filter_map(|view| value.unseen(*view));
            for content in contents {
                if !offers.wides.contains(&content) {
                    offers.wides.push(content);
                }
            }
        }
        let halves = if self.diverse { nearly_halves(id, shapes) } else { SmallVec::new() };
        for NearlyHalves { split, terms } in halves {
            self.learn(&terms, shapes);
            if !offers.splits.contains(&split) {
                offers.splits.push(split);
            }
        }
        let offers = Arc::new(offers);
        self.offers.insert(id, Arc::clone(&offers));
        offers
    }

    /// Splits of a kernel that leave a part of another, computed on first use.
    pub(crate) fn common(&mut self, id: ShapeId, other: ShapeId, shapes: &mut Shapes) -> Arc<[Terms]> {
        let found = self.common.entry((id, other));
        Arc::clone(found.or_insert_with(|| common_parts(id, other, shapes).into()))
    }

    /// Adds the splits of a sum: all its terms, if an instruction can add them; each term, and each group of terms of one kernel,
    /// against the rest.
    fn add_splits(&mut self, splits: &mut Vec<Terms>, terms: &Terms, shapes: &mut Shapes, most: usize) {
        let mut push = |split: Terms| {
            if split.iter().all(|v| v.shape != ZERO) && !splits.contains(&split) {
                splits.push(split);
            }
        };
        if terms.len() <= most {
            push(terms.clone());
        }
        if terms.len() == 2 {
            return;
        }
        for (index, term) in terms.iter().enumerate() {
            if !terms[..index].contains(term) {
                let rest = terms.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, t)| *t).collect();
                if let Some(rest) = self.learn(&rest, shapes) {
                    push(SmallVec::from_slice(&[*term, rest]));
                }
            }
            let group = |t: &Value| t.shape == term.shape;
            if terms[..index].iter().any(group) || terms.iter().all(group) {
                continue;
            }
            let (inside, outside): (Vec<Value>, Vec<Value>) = terms.iter().partition(|t| group(t));
            let (a, b) = (self.learn(&inside.into(), shapes), self.learn(&outside.into(), shapes));
            if let (Some(a), Some(b)) = (a, b) {
                push(SmallVec::from_slice(&[a, b]));
            }
        }
    }

    /// For splits in two, adds those in which one part is replaced by the terms of a sum for it: an instruction that adds
    /// more than two operands need not store that part. Of (a + b) + c it also adds a + (b + c) and b + (a + c).
    fn flatten(&mut self, splits: &mut Vec<Terms>, shapes: &mut Shapes, recipes: &Recipes) {
        let pairs: Vec<Terms> =
            splits.iter().filter(|s| s.len() == 2).take(FLATTENED_SPLITS).cloned().collect();
        let mut push = |split: Terms| {
            if !splits.contains(&split) {
                splits.push(split);
            }
        };
        for pair in &pairs {
            for (part, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                let label = View { dx: part.dx, dy: part.dy, factor: part.factor };
                let sums = self.entry(part.shape, shapes, recipes).ranked.iter();
                let mut found: Vec<Terms> = sums
                    .filter(|terms| terms.len() < recipes.max_terms.max(3))
                    .take(SUMS_PER_PART)
                    .filter_map(|terms| terms.iter().map(|t| t.seen(label)).chain([Some(other)]).collect())
                    .collect();
                found.extend(multiples(part, shapes).into_iter().map(|mut terms| {
                    terms.push(other);
                    terms
                }));
                for terms in found {
                    if let [a, b, c] = terms[..] {
                        for (one, two) in [(a, b), (b, a)] {
                            let rest = shapes.sum(&[(two, View::PLAIN), (c, View::PLAIN)]);
                            if let Some(rest) = rest.filter(|rest| rest.shape != ZERO) {
                                push(SmallVec::from_slice(&[one, rest]));
                            }
                        }
                    }
                    if terms.len() <= recipes.max_terms {
                        push(terms);
                    }
                }
            }
        }
    }

    /// Adds contents of the wide register that show at least one term of the sum, those that show most first.
    fn add_wides(&mut self, wides: &mut Vec<Value>, terms: &Terms, shapes: &mut Shapes, recipes: &Recipes) {
        // The rest of the sum without the terms that a content shows.
        let beside = |content: Value| {
            let mut rest = terms.clone();
            for seen in recipes.wide_views.iter().filter_map(|v| content.seen(*v)) {
                if terms.len() - rest.len() < recipes.max_terms
                    && let Some(at) = rest.iter().position(|t| *t == seen)
                {
                    rest.remove(at);
                }
            }
            rest
        };
        let mut found: Vec<(usize, Value)> = Vec::new();
        let mut met: FxHashSet<Value> = FxHashSet::default();
        for term in terms {
            if !shapes.charge((recipes.wide_views.len() * terms.len()) as u64) {
                return;
            }
            let contents = recipes.wide_views.iter().filter_map(|view| term.unseen(*view));
            let contents = contents.filter(|content| met.insert(*content));
            found.extend(contents.map(|content| (terms.len() - beside(content).len(), content)));
        }
        found.sort_by_key(|(shown, value)| (std::cmp::Reverse(*shown), *value));
        let most = found.first().map_or(0, |f| f.0);
        for (shown, value) in found {
            if shown + 1 >= most.max(2) && !wides.contains(&value) {
                wides.push(value);
                self.learn(&beside(value), shapes);
            }
        }
    }

    /// Sums terms and records them as a decomposition of the sum, unless a better one is known.
    fn learn(&mut self, terms: &Terms, shapes: &mut Shapes) -> Option<Value> {
        let plain: SmallVec<[(Value, View); 8]> = terms.iter().map(|t| (*t, View::PLAIN)).collect();
        let sum = shapes.sum(&plain)?;
        if !self.learning
            || terms.len() < 2
            || sum.shape == ZERO
            || shapes.is_delta(sum.shape)
            || self.sums.contains_key(&sum.shape)
        {
            return Some(sum);
        }
        let label = View { dx: sum.dx, dy: sum.dy, factor: sum.factor };
        let Some(relative) = terms.iter().map(|t| t.unseen(label)).collect::<Option<Terms>>() else {
            return Some(sum);
        };
        let learnt = self.learnt.entry(sum.shape).or_default();
        if learnt.len() < MAX_LEARNT && !learnt.contains(&relative) {
            learnt.push(relative);
            if let Some(entry) = self.entries.get_mut(sum.shape as usize) {
                *entry = None;
            }
            self.offers.remove(&sum.shape);
        }
        Some(sum)
    }

    fn step(&self, id: ShapeId) -> f32 {
        self.entries.get(id as usize).and_then(|e| e.as_ref()).map_or(0.0, |e| e.step)
    }

    /// The estimated cost of all steps of the kernels that any of `ids` is built from. Shared kernels count once, `given` kernels not
    /// at all.
    pub(crate) fn shared_cost(
        &mut self,
        ids: &[ShapeId],
        given: &[ShapeId],
        shapes: &mut Shapes,
        recipes: &Recipes,
    ) -> f32 {
        let mut over: SmallVec<[ShapeId; 32]> = SmallVec::new();
        for id in ids {
            over.extend_from_slice(&self.entry(*id, shapes, recipes).over);
        }
        over.sort_unstable();
        over.dedup();
        over.iter().filter(|id| !given.contains(id)).map(|id| self.step(*id)).sum()
    }
}

/// The largest multiple of a tap that is split into two others: n has n/2 such splits, and larger ones are made by doubling.
const MAX_MULTIPLE: u32 = 16;

/// A multiple of one tap as the sum of two smaller ones, in all ways: a doubling needs a copy, 8 = 5 + 3 does not.
pub(crate) fn multiples(value: Value, shapes: &mut Shapes) -> Vec<Terms> {
    let data = shapes.get(value.shape);
    if (data.width, data.height) != (1, 1) {
        return Vec::new();
    }
    let mut taps = data.iter();
    let (Some((_, _, channel, weight)), None) = (taps.next(), taps.next()) else { return Vec::new() };
    drop(taps);
    let Value { dx, dy, factor, .. } = value;
    let twos = u32::from(factor.twos.clamp(0, 8) as u8);
    let whole = weight.unsigned_abs() << twos.min(8);
    if !(3..=MAX_MULTIPLE).contains(&whole) {
        return Vec::new();
    }
    let negative = (weight < 0) != factor.negative;
    let unit = Factor { twos: factor.twos.min(0), negative, ..factor };
    let mut times = |n: u32| {
        let digits = signed_digits(n as i32).into_iter().map(|(twos, negative)| {
            let digit = Factor { twos, threes: 0, negative }.times(unit);
            (Shapes::delta(channel), View { dx, dy, factor: digit })
        });
        shapes.sum(&digits.collect::<SmallVec<[(Value, View); 8]>>())
    };
    (1..=whole / 2).filter_map(|n| Some(SmallVec::from_slice(&[times(whole - n)?, times(n)?]))).collect()
}

/// A kernel K = 2·X + R as the split X, X + R, and the terms of X + R.
struct NearlyHalves {
    split: Terms,
    terms: Terms,
}

/// A kernel with some weight beyond ±1 as X + (X + R), two kernels that differ only by one unit at each odd weight. Doubling X
/// takes a copy of it; this does not.
fn nearly_halves(id: ShapeId, shapes: &mut Shapes) -> SmallVec<[NearlyHalves; 2]> {
    let mut found = SmallVec::new();
    let whole = Value { shape: id, dx: 0, dy: 0, factor: Factor::ONE };
    for towards_zero in [true, false] {
        if shapes.get(id).iter().all(|(.., weight)| weight.abs() <= 1) {
            return found;
        }
        let unit = |weight: i32| if (weight < 0) == towards_zero { -1 } else { 1 };
        let odd = shapes.get(id).iter().filter(|(.., weight)| weight % 2 != 0);
        let units: Vec<Tap> = odd.map(|(x, y, channel, weight)| (x, y, channel, unit(weight))).collect();
        let half = |negative| View { factor: Factor { twos: -1, threes: 0, negative }, ..View::PLAIN };
        let parts = shapes.of_taps(&units).and_then(|rest| {
            let lower = shapes.sum(&[(whole, half(false)), (rest, half(true))])?;
            Some((rest, lower, shapes.sum(&[(lower, View::PLAIN), (rest, View::PLAIN)])?))
        });
        if let Some((rest, lower, upper)) = parts
            && lower.shape != ZERO
            && upper.shape != ZERO
        {
            found.push(NearlyHalves {
                split: SmallVec::from_slice(&[lower, upper]),
                terms: SmallVec::from_slice(&[lower, rest]),
            });
        }
    }
    found
}

/// The sum with each term that is twice another term's kernel written as two terms; `None` if there is no such term.
fn in_units(terms: &Terms) -> Option<Terms> {
    let mut units = Terms::new();
    for term in terms {
        let single = |t: &&Value| t.shape == term.shape && t.factor.twos + 1 == term.factor.twos;
        match terms.iter().find(single) {
            Some(single) => {
                let unit = Value { factor: Factor { twos: single.factor.twos, ..term.factor }, ..*term };
                units.extend([unit, unit]);
            }
            None => units.push(*term),
        }
    }
    (units.len() > terms.len()).then_some(units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::program::recipe::Objective;
    use crate::budget::Budget;

    #[test]
    fn multiples_of_a_tap_are_sums_of_two_smaller_ones() {
        let mut shapes = Shapes::new(1);
        let minus_eight = Factor { twos: 3, threes: 0, negative: true };
        let value = Value { dx: 2, dy: -1, factor: minus_eight, ..Shapes::delta(0) };
        let found = multiples(value, &mut shapes);
        assert_eq!(found.len(), 4, "1 + 7, 2 + 6, 3 + 5, 4 + 4");
        for terms in found {
            let plain: Vec<(Value, View)> = terms.iter().map(|term| (*term, View::PLAIN)).collect();
            assert_eq!(shapes.sum(&plain), Some(value));
        }
        let half = Value { factor: Factor { twos: -1, ..Factor::ONE }, ..Shapes::delta(0) };
        let three_halves = shapes.sum(&[(half, View::PLAIN), (Shapes::delta(0), View::PLAIN)]).unwrap();
        assert_eq!(multiples(three_halves, &mut shapes), [Terms::from_slice(&[Shapes::delta(0), half])]);
        assert!(multiples(Shapes::delta(0), &mut shapes).is_empty());
    }

    #[test]
    fn near_halves_differ_by_the_units_of_odd_weights() {
        let mut shapes = Shapes::new(1);
        let at = |dx, twos, negative| Value {
            dx,
            factor: Factor { twos, threes: 0, negative },
            ..Shapes::delta(0)
        };
        let plain = |terms: &[Value]| terms.iter().map(|term| (*term, View::PLAIN)).collect::<Vec<_>>();
        // (-1 4 -3): near halves are (0 2 -1) and (-1 2 -2), or (-1 2 -2) and (0 2 -1).
        let sum = |terms: &[Value], shapes: &mut Shapes| shapes.sum(&plain(terms)).unwrap();
        let whole = sum(&[at(0, 0, true), at(1, 2, false), at(2, 2, true), at(2, 0, false)], &mut shapes);
        let label = View { dx: whole.dx, dy: whole.dy, factor: whole.factor };
        let found = nearly_halves(whole.shape, &mut shapes);
        let near = [
            sum(&[at(1, 1, false), at(2, 0, true)], &mut shapes),
            sum(&[at(0, 0, true), at(1, 1, false), at(2, 1, true)], &mut shapes),
        ];
        for NearlyHalves { split, terms } in &found {
            let seen: Vec<Value> = split.iter().filter_map(|term| term.seen(label)).collect();
            assert!(near.iter().all(|half| seen.contains(half)), "{seen:?}");
            assert_eq!(shapes.sum(&plain(terms)), Some(split[1]));
        }
        assert_eq!(found.len(), 2, "weights are rounded towards zero, or away from it");
        assert!(nearly_halves(Shapes::delta(0).shape, &mut shapes).is_empty());
    }

    /// A table on a kernel of a row of weights, for a search of no states.
    fn offered(weights: &[i32]) -> (usize, Shapes) {
        let taps: Vec<Tap> = weights.iter().zip(0..).map(|(w, i)| (i % 31, i / 31, 0, *w)).collect();
        let mut shapes = Shapes::new(1).for_search(&Budget::unlimited(), 0);
        let whole = shapes.of_taps(&taps).unwrap();
        let recipes = Recipes { max_terms: 2, ..Recipes::compile(&[], &[4], Objective::Instructions) };
        let nothing = FxHashMap::default();
        let mut decompositions = Decompositions::new(&nothing, 12, true);
        (decompositions.offers(whole.shape, &mut shapes, &recipes).splits.len(), shapes)
    }

    #[test]
    fn sums_of_very_many_terms_are_left_whole() {
        let weights: Vec<i32> = (1..=961).map(|n| n * 37 % 127 + 1).collect();
        assert!(offered(&weights[..100]).0 > 100);
        let (splits, shapes) = offered(&weights);
        assert_eq!((splits, shapes.is_over()), (0, false));
    }

    #[test]
    fn sums_of_three_are_split_in_every_way() {
        let mut shapes = Shapes::new(1);
        let at = |dx, twos| Value { dx, factor: Factor { twos, ..Factor::ONE }, ..Shapes::delta(0) };
        let plain = |terms: &[Value]| terms.iter().map(|term| (*term, View::PLAIN)).collect::<Vec<_>>();
        // (1 8): the only split known is 8 beside 1, and 8 is 4 + 4.
        let whole = shapes.sum(&plain(&[at(0, 0), at(1, 3)])).unwrap();
        let label = View { dx: whole.dx, dy: whole.dy, factor: whole.factor };
        let recipes = Recipes { max_terms: 2, ..Recipes::compile(&[], &[4], Objective::Instructions) };
        let nothing = FxHashMap::default();
        let mut decompositions = Decompositions::new(&nothing, 12, true);
        let offers = decompositions.offers(whole.shape, &mut shapes, &recipes);
        let half = shapes.sum(&plain(&[at(0, 0), at(1, 2)])).unwrap();
        let wanted = [at(1, 2), half];
        let same = |split: &Terms| {
            let seen: Vec<Value> = split.iter().filter_map(|term| term.seen(label)).collect();
            wanted.iter().all(|value| seen.contains(value))
        };
        assert!(offers.splits.iter().any(same), "4 + (1 4) is among {:?}", offers.splits);
        for split in &offers.splits {
            let seen: Vec<Value> = split.iter().filter_map(|term| term.seen(label)).collect();
            assert_eq!(shapes.sum(&plain(&seen)), Some(whole), "{split:?}");
        }
    }
}
