//! Programs composed of programs: O's program applied to I makes K = O ∘ I, and a few instructions on G and the input make
//! K = a·G + R.
//!
//! The beams see one instruction at a time, and a large kernel is many instructions away from the input. Here the e-graph's
//! compositions and sums cut the way into pieces that a narrow beam can find. Which pieces to use is decided by the costs of
//! their programs, not by estimates.

use std::collections::BTreeSet;

use ordered_float::OrderedFloat;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::beam::{BeamLimits, BeamOutcome, search};
use super::expand::Expander;
use crate::backend::array::search::heuristics::decompositions::{BREADTH, Decompositions};
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::step::{Need, ValueStep, state_of};
use crate::backend::array::search::program::value::{
    Factor, ShapeId, Shapes, Tap, Terms, Value, View, digits_of,
};

/// One way to make a kernel by composition: the kernel is `label` on outer ∘ inner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composition {
    pub(crate) label: View,
    pub(crate) outer: ShapeId,
    pub(crate) inner: ShapeId,
}

/// A program: its cost and steps.
type Found = (u32, Vec<ValueStep>);

/// A question: the kernels to make, the registers available, and whether the input must survive.
type Question = (SmallVec<[Value; 4]>, usize, bool);

/// The search for one filter of one input channel.
pub(crate) struct Factored<'a> {
    pub(crate) recipes: &'a Recipes,
    pub(crate) shapes: Shapes,
    pub(crate) decompositions: Decompositions<'a>,
    pub(crate) compositions: &'a FxHashMap<ShapeId, Vec<Composition>>,
    pub(crate) sums: &'a FxHashMap<ShapeId, Vec<Terms>>,
    pub(crate) file: u8,
    pub(crate) exponents: [i8; 2],
    /// The width of the beams, how many ways to cut a kernel to try, and the most states to expand.
    pub(crate) limits: &'a BeamLimits,
    pub(crate) stop: &'a dyn Fn() -> bool,
    pub(crate) nodes: u64,
    pub(crate) answers: FxHashMap<Question, Option<Found>>,
}

/// Kernels of at most this many signed digits are searched for as wholes, too. On larger ones a narrow beam is likely to
/// fail, and takes nodes from the pieces.
const WHOLE_DIGITS: usize = 14;

impl<'a> Factored<'a> {
    /// A search for a piece in `registers` registers.
    fn piece(&self, registers: usize) -> Piece<'a> {
        let mut capacity = self.recipes.capacity.clone();
        capacity[usize::from(self.file)] = registers;
        let nodes = self.limits.nodes.saturating_sub(self.nodes);
        let limits = BeamLimits {
            without_table: self.limits.without_table,
            ..BeamLimits::narrow(self.limits.width, self.limits.bound.min(MAX_PIECE_COST), nodes)
        };
        let (recipes, stop) = (self.recipes, self.stop);
        Piece { recipes, capacity, file: self.file, exponents: self.exponents, limits, stop }
    }

    /// The cheapest program that is found for `goal` in `registers` registers, cut into pieces; `keep` says that the input
    /// must survive.
    pub(crate) fn solve(&mut self, goal: &[Value], registers: usize, keep: bool) -> Option<Found> {
        let question = (SmallVec::from_slice(goal), registers, keep);
        if let Some(answer) = self.answers.get(&question) {
            return answer.clone();
        }
        if self.nodes >= self.limits.nodes || (self.stop)() || goal.len() + usize::from(keep) > registers {
            return None;
        }
        // A recursive question finds no answer.
        self.answers.insert(question.clone(), None);
        let mut best = self.whole(goal, registers, keep);
        let keep_cheaper = |best: &mut Option<Found>, found: Option<Found>| {
            if let Some(found) = found
                && best.as_ref().is_none_or(|b| found.0 < b.0)
            {
                *best = Some(found);
            }
        };
        for composition in self.common_factors(goal) {
            let found = self.composed(goal, &composition, registers, keep);
            keep_cheaper(&mut best, found);
        }
        if let [first, rest @ ..] = goal
            && !rest.is_empty()
        {
            let found = self.in_turn(*first, rest, registers, keep);
            keep_cheaper(&mut best, found);
        }
        if let [goal] = *goal {
            for heavy in self.heavy_parts(goal) {
                let found = self.summed(goal, heavy, registers, keep);
                keep_cheaper(&mut best, found);
            }
        }
        self.answers.insert(question, best.clone());
        best
    }

    /// The first kernel, then the others in the registers that are left.
    fn in_turn(&mut self, first: Value, rest: &[Value], registers: usize, keep: bool) -> Option<Found> {
        let (cost, mut steps) = self.solve(&[first], registers, true)?;
        let (others, after) = self.solve(rest, registers.checked_sub(1)?, keep)?;
        steps.extend(after);
        Some((cost + others, steps))
    }

    /// Searches for small kernels as they are.
    fn whole(&mut self, goal: &[Value], registers: usize, keep: bool) -> Option<Found> {
        let digits: usize = goal.iter().map(|v| digits_of(self.shapes.get(v.shape))).sum();
        if digits > WHOLE_DIGITS {
            return None;
        }
        let piece = self.piece(registers);
        let input = [Shapes::delta(0)];
        let kept = if keep { &input[..] } else { &[] };
        let outcome = piece.search(&mut self.shapes, &mut self.decompositions, &input, goal, kept);
        self.nodes += outcome.nodes;
        outcome.found
    }

    /// The e-graph's compositions of a kernel. For a large kernel without any, those with binomials: it may have more factors
    /// than the graph has room for.
    fn compositions_of(&mut self, shape: ShapeId) -> Vec<Composition> {
        match self.compositions.get(&shape) {
            Some(ways) if !ways.is_empty() => ways.clone(),
            _ if digits_of(self.shapes.get(shape)) > WHOLE_DIGITS => {
                binomial_factors(&mut self.shapes, shape)
            }
            _ => Vec::new(),
        }
    }

    /// Compositions of all kernels of the goal that share an inner kernel, those of the lowest estimate first.
    fn common_factors(&mut self, goal: &[Value]) -> Vec<Vec<Composition>> {
        let ways: Vec<Vec<Composition>> =
            goal.iter().map(|value| self.compositions_of(value.shape)).collect();
        let mut found: Vec<(OrderedFloat<f32>, Vec<Composition>)> = Vec::new();
        for first in ways.first().map_or(&[][..], Vec::as_slice) {
            for (outer, inner) in [(first.outer, first.inner), (first.inner, first.outer)] {
                let first = Composition { outer, inner, ..*first };
                let mut all = vec![first];
                for other in &ways[1..] {
                    let with = |c: &Composition| -> Option<Composition> {
                        if c.inner == inner {
                            Some(*c)
                        } else if c.outer == inner {
                            Some(Composition { outer: c.inner, inner, ..*c })
                        } else {
                            None
                        }
                    };
                    all.extend(other.iter().find_map(with));
                }
                if all.len() == goal.len() {
                    let outers: SmallVec<[ShapeId; 8]> = all.iter().map(|c| c.outer).collect();
                    let cost = self.decompositions.shared_cost(&outers, &[], &mut self.shapes, self.recipes)
                        + self.decompositions.shared_cost(&[inner], &[], &mut self.shapes, self.recipes);
                    found.push((OrderedFloat(cost), all));
                }
            }
        }
        found.sort_by_key(|(cost, all)| (*cost, all[0].inner));
        found.truncate(self.limits.breadth);
        found.into_iter().map(|(_, all)| all).collect()
    }

    /// The inner kernel's program, then the outer kernels' programs on its result.
    fn composed(
        &mut self,
        goal: &[Value],
        ways: &[Composition],
        registers: usize,
        keep: bool,
    ) -> Option<Found> {
        let inner = self.centred(ways[0].inner, goal.iter().map(|v| v.factor.twos).min()?);
        let back = View { dx: -inner.dx, dy: -inner.dy, factor: inner.factor.inverse() };
        let mut outers: SmallVec<[Value; 4]> = SmallVec::new();
        for (value, way) in goal.iter().zip(ways) {
            let outer = Value { shape: way.outer, dx: 0, dy: 0, factor: Factor::ONE };
            let view = View { dx: value.dx, dy: value.dy, factor: value.factor };
            outers.push(outer.seen(way.label)?.seen(view)?.seen(back)?);
        }
        let (first, mut steps) = self.solve(&[inner], registers, keep)?;
        let (second, after) = self.solve(&outers, registers - usize::from(keep), false)?;
        for step in after {
            let shapes = &mut self.shapes;
            steps.push(step.map(&mut |value| {
                let terms = shapes.substitute(value, &[inner])?;
                shapes.sum(&terms)
            })?);
        }
        Some((first + second, steps))
    }

    /// A kernel centred on its window, divided by its sum of weights, rounded down to a power of two, but by no more than
    /// 2^-`twos`.
    fn centred(&mut self, shape: ShapeId, twos: i8) -> Value {
        let data = self.shapes.get(shape);
        let (dx, dy) = (-((data.width as i8 - 1) / 2), -((data.height as i8 - 1) / 2));
        let twos = twos.clamp(-(data.mass.ilog2() as i8), 0);
        Value { shape, dx, dy, factor: Factor { twos, ..Factor::ONE } }
    }

    /// The heaviest kernel of each sum whose other terms are light.
    fn heavy_parts(&mut self, goal: Value) -> Vec<Value> {
        let sums = self.sums;
        let label = View { dx: goal.dx, dy: goal.dy, factor: goal.factor };
        let mut found: Vec<(OrderedFloat<f32>, Value)> = Vec::new();
        for terms in sums.get(&goal.shape).into_iter().flatten() {
            // All terms of the heaviest kernel are copies of one part; the rest must have few digits.
            let digits = |v: &Value| digits_of(self.shapes.get(v.shape));
            let Some(heavy) = terms.iter().max_by_key(|v| digits(v)).copied() else { continue };
            let light: usize = terms.iter().filter(|v| v.shape != heavy.shape).map(digits).sum();
            if self.shapes.is_delta(heavy.shape) || light > LIGHT_DIGITS || (light == 0 && terms.len() > 5) {
                continue;
            }
            let Some(heavy) = heavy.seen(label) else { continue };
            let heavy = self.centred(heavy.shape, heavy.factor.twos);
            let cost = self.decompositions.shared_cost(&[heavy.shape], &[], &mut self.shapes, self.recipes)
                + light as f32
                + terms.len() as f32 * 0.5;
            if !found.iter().any(|(_, v)| *v == heavy) {
                found.push((OrderedFloat(cost), heavy));
            }
        }
        found.sort_unstable();
        found.truncate(self.limits.breadth);
        found.into_iter().map(|(_, v)| v).collect()
    }

    /// The program of `heavy` with the input kept, then the kernel as a sum over these two, as if they were input channels.
    fn summed(&mut self, goal: Value, heavy: Value, registers: usize, keep: bool) -> Option<Found> {
        let mut pairs = Shapes::new(2);
        let label = View { dx: goal.dx, dy: goal.dy, factor: goal.factor };
        let terms = self.sums.get(&goal.shape)?;
        let (mut best, mut wanted): (usize, Option<Value>) = (usize::MAX, None);
        for terms in terms {
            let Some(target) = two_channels(terms, heavy, label, &self.shapes, &mut pairs) else { continue };
            let digits = digits_of(pairs.get(target.shape));
            if digits < best && digits <= WHOLE_DIGITS {
                (best, wanted) = (digits, Some(target));
            }
        }
        let wanted = wanted?;
        let (first, mut steps) = self.solve(&[heavy], registers, true)?;
        let nothing = FxHashMap::default();
        let mut decompositions = Decompositions::new(&nothing, BREADTH, true);
        let inputs = [Shapes::delta(0), Shapes::delta(1)];
        let kept = if keep { &inputs[1..] } else { &[] };
        let outcome = self.piece(registers).search(&mut pairs, &mut decompositions, &inputs, &[wanted], kept);
        self.nodes += outcome.nodes;
        let (second, after) = outcome.found?;
        for step in after {
            let images = [heavy, Shapes::delta(0)];
            let shapes = &mut self.shapes;
            steps.push(step.map(&mut |value| shapes.sum(&pairs.substitute(value, &images)?))?);
        }
        Some((first + second, steps))
    }
}

/// Signed digits that a sum may have beside its heaviest kernel: the rest is searched for as a whole,
/// with one more kernel in it.
const LIGHT_DIGITS: usize = 6;

/// Pieces cost less than this. A beam has a level for each cost, so that a bound in the thousands would waste memory.
const MAX_PIECE_COST: u32 = 200;

/// How a piece is searched for.
struct Piece<'a> {
    recipes: &'a Recipes,
    capacity: Vec<usize>,
    file: u8,
    exponents: [i8; 2],
    limits: BeamLimits,
    stop: &'a dyn Fn() -> bool,
}

impl Piece<'_> {
    /// A program from `inputs`, of which those of `kept` must survive, to `goal`.
    fn search(
        &self,
        shapes: &mut Shapes,
        decompositions: &mut Decompositions<'_>,
        inputs: &[Value],
        goal: &[Value],
        kept: &[Value],
    ) -> BeamOutcome {
        let need = |value: &Value| Need { file: self.file, value: *value };
        let start: SmallVec<[Need; 2]> = inputs.iter().map(need).collect();
        let goal: Vec<_> = goal.iter().chain(kept).map(|value| (need(value), None)).collect();
        let [lowest, highest] = self.exponents;
        let mut expander = Expander {
            recipes: self.recipes,
            shapes,
            decompositions,
            capacity: &self.capacity,
            inputs,
            lowest,
            highest,
        };
        search(&mut expander, &state_of(&goal), &start, &self.limits, self.stop)
    }
}

/// K = (1 ± g)ⁿ ∘ Q, exactly, for steps g along an axis and n of 1, 2 and 4.
fn binomial_factors(shapes: &mut Shapes, shape: ShapeId) -> Vec<Composition> {
    let mut found = Vec::new();
    for axis in [0, 1] {
        for sign in [1, -1] {
            let mut rest: Vec<Tap> = shapes.get(shape).iter().collect();
            let mut power = vec![1];
            for exponent in 1..=4 {
                let Some(quotient) = divided(&rest, axis, sign) else { break };
                rest = quotient;
                let place = |i: usize| power.get(i).copied().unwrap_or(0);
                power =
                    (0..=exponent).map(|i| place(i) + if i > 0 { sign * place(i - 1) } else { 0 }).collect();
                let outer: Vec<Tap> = power
                    .iter()
                    .zip(0..)
                    .map(|(weight, i)| if axis == 0 { (i, 0, 0, *weight) } else { (0, i, 0, *weight) })
                    .collect();
                let values = shapes.of_taps(&outer).zip(shapes.of_taps(&rest));
                let Some((outer, inner)) = values.filter(|_| exponent != 3) else { continue };
                let label = View { dx: outer.dx, dy: outer.dy, factor: outer.factor };
                let Some(label) = inner.seen(label) else { continue };
                let label = View { dx: label.dx, dy: label.dy, factor: label.factor };
                found.push(Composition { label, outer: outer.shape, inner: inner.shape });
            }
        }
    }
    found
}

/// The taps of Q where these are those of (1 ± g) ∘ Q; `None` where there is no such Q.
fn divided(taps: &[Tap], axis: usize, sign: i32) -> Option<Vec<Tap>> {
    let place = |(x, y, ..): &Tap| if axis == 0 { (*y, *x) } else { (*x, *y) };
    let weights: FxHashMap<((i32, i32), usize), i32> =
        taps.iter().map(|tap| ((place(tap), tap.2), tap.3)).collect();
    let last = taps.iter().map(|tap| place(tap).1).max()?;
    let lines: BTreeSet<(i32, usize)> = taps.iter().map(|tap| (place(tap).0, tap.2)).collect();
    let mut quotient = Vec::new();
    for (line, channel) in lines {
        let mut before = 0i32;
        for at in 0..=last {
            let weight = weights.get(&((line, at), channel)).copied().unwrap_or(0);
            before = weight.checked_sub(sign * before)?;
            if before != 0 {
                quotient.push(if axis == 0 {
                    (at, line, channel, before)
                } else {
                    (line, at, channel, before)
                });
            }
        }
        if before != 0 {
            return None;
        }
    }
    Some(quotient)
}

/// A sum as a kernel over two channels: what is an image of `heavy`'s kernel on the first, the rest on the second.
fn two_channels(
    terms: &Terms,
    heavy: Value,
    label: View,
    shapes: &Shapes,
    pairs: &mut Shapes,
) -> Option<Value> {
    let mut images: SmallVec<[(Value, View); 8]> = SmallVec::new();
    for term in terms {
        let term = term.seen(label)?;
        if term.shape == heavy.shape {
            let back = View { dx: -heavy.dx, dy: -heavy.dy, factor: heavy.factor.inverse() };
            let seen = Value { shape: Shapes::delta(0).shape, ..term }.seen(back)?;
            images.push((seen, View::PLAIN));
        } else {
            images.extend(shapes.substitute(term, &[Shapes::delta(1)])?);
        }
    }
    images.iter().any(|(v, _)| v.shape == Shapes::delta(0).shape).then_some(())?;
    pairs.sum(&images)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K is what its factors compose to.
    #[test]
    fn binomials_are_divided_out() {
        let mut shapes = Shapes::new(1);
        let row = |weights: &[i32], y: i32| -> Vec<Tap> {
            weights.iter().zip(3..).map(|(weight, x)| (x, y, 0, *weight)).collect()
        };
        let taps = [row(&[2, 8, 12, 8, 2], 0), row(&[-2, -8, -12, -8, -2], 1)].concat();
        let kernel = shapes.of_taps(&taps).unwrap();
        let factors = binomial_factors(&mut shapes, kernel.shape);
        // Along the row to the powers 1, 2 and 4, and across it once.
        assert_eq!(factors.len(), 4);
        for Composition { label, outer, inner } in factors {
            let inner = Value { shape: inner, dx: 0, dy: 0, factor: Factor::ONE };
            let outer = Value { shape: outer, ..inner };
            let terms = shapes.substitute(outer.seen(label).unwrap(), &[inner]).unwrap();
            assert_eq!(shapes.sum(&terms).unwrap().shape, kernel.shape);
        }
        let odd = shapes.of_taps(&row(&[1, 2, 5], 0)).unwrap();
        assert!(binomial_factors(&mut shapes, odd.shape).is_empty());
    }
}
