//! The heuristic of the search: an estimate of the cost to go from a state. It guides beams and is not a bound.
//!
//! It is linear in a few [quantities](Quantity) of the state, but for kernels with very many digits.

use smallvec::SmallVec;

use super::decompositions::Decompositions;
use super::lines::Lines;
use super::weights::weights;
use crate::backend::array::machine::{Quantities, Quantity};
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::step::{Need, State};
use crate::backend::array::search::program::value::{ShapeId, Shapes, Value, digits_of, power_of_two};

/// The side of the grid on which kernels are overlaid, in pixels; offsets beyond it wrap around.
const SIDE: usize = 64;

/// Beyond this weight of pixels only the logarithm counts, because large kernels are made by doubling.
const LINEAR_PIXELS: f32 = 32.0;

/// A goal whose decompositions take more steps than this is estimated by these steps instead: a dense kernel with many digits,
/// which the logarithms hardly distinguish from its parts.
const MANY_STEPS: f32 = 55.0;

/// The estimate, with its caches: the grid, and the taps of the kernels met.
pub(crate) struct Heuristic<'a> {
    recipes: &'a Recipes,
    start: &'a [Need],
    /// The weight of the steps of known decompositions.
    shared: f32,
    /// Whether the search is to find other programs.
    other: bool,
    /// For each pixel the last estimate that covered it, and the largest log2(1 + |coefficient|) there.
    grid: Vec<(u32, f32)>,
    now: u32,
    /// The places and sizes of the non-zero taps, by kernel.
    taps: Vec<Option<Box<[Tap]>>>,
    lines: Lines,
    /// By kernel, the signed digits and the absolute values of its weights.
    digits: Vec<Option<(u32, u64)>>,
    /// The sizes of small weights, by exponent of two plus [`MAX_HALVED`] and by weight: logarithms take long.
    sizes: [[f32; SMALL_WEIGHTS]; 2 * MAX_HALVED as usize + 1],
    /// Whether the goal has very many digits.
    many_digits: bool,
}

/// Weights below this have tables of their sizes.
const SMALL_WEIGHTS: usize = 16;

/// The most halvings or doublings of a weight that such a table covers.
const MAX_HALVED: i8 = 6;

/// The number of signed digits of a kernel's weights, and the set of their absolute values; those beyond 63 count as one.
fn digits_and_weights(kernel: ShapeId, shapes: &Shapes) -> (u32, u64) {
    let data = shapes.get(kernel);
    let weights = data.iter().map(|(.., weight)| 1 << weight.unsigned_abs().min(63));
    (digits_of(data) as u32, weights.fold(0, |met, weight| met | weight))
}

/// log2(1 + |coefficient|).
fn size_of_tap(weight: u32, scale: f32) -> f32 {
    (1.0 + weight as f32 * scale).log2()
}

/// A tap: its place in the kernel and on the grid, and the size of its weight.
#[derive(Clone, Copy)]
struct Tap {
    at: [i16; 2],
    place: u16,
    weight: u32,
}

/// What a kernel adds to those that it is laid over.
#[derive(Clone, Copy, Default)]
struct Laid {
    /// The number of taps.
    taps: usize,
    /// The sum of log2(1 + |coefficient|) over all pixels.
    pixels: f32,
    /// The sum of the pixels' distances from the pixel computed, in steps.
    way: f32,
    /// The largest log2(1 + |coefficient|).
    largest: f32,
}

impl Laid {
    fn and(self, other: Self) -> Self {
        Self {
            taps: self.taps + other.taps,
            pixels: self.pixels + other.pixels,
            way: self.way + other.way,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The width plus the height of the bounding box of all values held and the pixel computed.
fn span(state: &State, shapes: &Shapes) -> i32 {
    let (mut low, mut high) = ([0i32; 2], [0i32; 2]);
    for Need { value: Value { shape, dx, dy, .. }, .. } in state {
        let data = shapes.get(*shape);
        let (at, size) = ([*dx, *dy].map(i32::from), [data.width, data.height].map(i32::from));
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis] + size[axis] - 1);
        }
    }
    high[0] - low[0] + high[1] - low[1]
}

impl<'a> Heuristic<'a> {
    /// The estimate for searches from `goal` to `start`; `shared` is the weight of the steps of known decompositions.
    pub(crate) fn new(
        recipes: &'a Recipes,
        start: &'a [Need],
        shared: f32,
        goal: &State,
        decompositions: &mut Decompositions<'_>,
        shapes: &mut Shapes,
    ) -> Self {
        let ids: SmallVec<[u32; 8]> = goal.iter().map(|need| need.value.shape).collect();
        let many_digits = decompositions.shared_cost(&ids, &[], shapes, recipes) > MANY_STEPS;
        Self {
            recipes,
            start,
            shared,
            other: false,
            grid: vec![(0, 0.0); SIDE * SIDE],
            now: 0,
            taps: Vec::new(),
            lines: Lines::default(),
            digits: Vec::new(),
            sizes: std::array::from_fn(|twos| {
                let scale = power_of_two(twos as i8 - MAX_HALVED) as f32;
                std::array::from_fn(|weight| size_of_tap(weight as u32, scale))
            }),
            many_digits,
        }
    }

    /// The estimate with the weights of perturbed beams and local search.
    pub(crate) fn for_others(self, other: bool) -> Self {
        Self { other, ..self }
    }

    /// The estimate for a state.
    pub(crate) fn of(
        &mut self,
        state: &State,
        decompositions: &mut Decompositions<'_>,
        shapes: &mut Shapes,
    ) -> f32 {
        if self.many_digits {
            return self.by_decompositions(state, decompositions, shapes);
        }
        let mut quantities = self.quantities(state, decompositions, shapes);
        quantities[Quantity::Shared] *= self.shared;
        quantities.weighed(weights(self.recipes, self.other))
    }

    /// The quantities of the estimate for a state.
    pub(crate) fn quantities(
        &mut self,
        state: &State,
        decompositions: &mut Decompositions<'_>,
        shapes: &mut Shapes,
    ) -> Quantities {
        self.now += 1;
        let (recipes, start) = (self.recipes, self.start);
        let (halvings, doublings) = self.scalings(state, decompositions, shapes);
        let given: SmallVec<[u32; 8]> = start.iter().map(|need| need.value.shape).collect();
        let mut ids: SmallVec<[u32; 8]> = SmallVec::new();
        let mut all = Laid::default();
        let mut found = Quantities::default();
        for (index, need) in state.iter().enumerate() {
            let Value { shape, factor, .. } = need.value;
            let laid = self.lay(need.value, shapes);
            shapes.charge(laid.taps as u64);
            all = all.and(laid);
            found[Quantity::Reach] += shapes.distance(need.value) as f32;
            if state[..index].iter().any(|n| n.value.shape == shape) {
                found[Quantity::Copies] += 1.0;
            }
            let twin = state[..index].iter().any(|n| n.value == need.value);
            if start.contains(need) && !twin {
                found[Quantity::Inputs] += 1.0;
                continue;
            }
            let alike = ids.contains(&shape);
            if twin {
                found[Quantity::Twins] += 1.0;
            } else if !alike && shapes.is_delta(shape) {
                found[Quantity::Steps] += shapes.distance(need.value) as f32;
                if factor.negative != (factor.twos.rem_euclid(2) == 1) {
                    found[Quantity::Signs] += 1.0;
                }
            }
            if Some(usize::from(need.file)) == recipes.wide_file {
                found[Quantity::Wide] += 1.0;
            }
            if !alike {
                ids.push(shape);
            }
        }
        // The total distance to all pixels of a square grows with the power 3/2 of their number.
        let excess = (all.pixels / LINEAR_PIXELS).max(1.0);
        found[Quantity::Shared] = decompositions.shared_cost(&ids, &given, shapes, recipes);
        found[Quantity::Taps] = (1.0 + all.taps as f32).log2();
        found[Quantity::Pixels] = all.pixels / excess * (1.0 + excess.ln());
        found[Quantity::Largest] = all.largest;
        found[Quantity::Span] = span(state, shapes) as f32;
        found[Quantity::Way] = all.way / excess.powf(1.5);
        found[Quantity::Halvings] = halvings as f32;
        found[Quantity::Doublings] = doublings as f32;
        found[Quantity::Lines] = self.lines.distinct(&ids, &given, shapes) as f32;
        self.add_digits(state, shapes, &mut found);
        found
    }

    /// The quantities of the digits of all kernels but single taps, each counted once.
    fn add_digits(&mut self, state: &State, shapes: &Shapes, found: &mut Quantities) {
        let mut kernels: SmallVec<[u32; 8]> = state.iter().map(|need| need.value.shape).collect();
        kernels.retain(|shape| !shapes.is_delta(*shape));
        kernels.sort_unstable();
        kernels.dedup();
        let (mut digits, mut weights) = (0, 0u64);
        for kernel in &kernels {
            let index = *kernel as usize;
            if self.digits.len() <= index {
                self.digits.resize(index + 1, None);
            }
            let (own, met) = *self.digits[index].get_or_insert_with(|| digits_and_weights(*kernel, shapes));
            digits += own;
            weights |= met;
        }
        found[Quantity::Kernels] = kernels.len() as f32;
        found[Quantity::Digits] = digits as f32;
        found[Quantity::Magnitude] = (1.0 + digits as f32).log2();
        found[Quantity::Weights] = weights.count_ones() as f32;
    }

    /// Lays a kernel over those already on the grid.
    fn lay(&mut self, value: Value, shapes: &Shapes) -> Laid {
        let index = value.shape as usize;
        if self.taps.len() <= index {
            self.taps.resize(index + 1, None);
        }
        let taps = self.taps[index].get_or_insert_with(|| {
            let place = |x: i32, y: i32, channel: usize| (y as usize + 7 * channel) * SIDE + x as usize;
            let tap = |(x, y, channel, weight): (i32, i32, usize, i32)| Tap {
                at: [x as i16, y as i16],
                place: place(x, y, channel) as u16,
                weight: weight.unsigned_abs(),
            };
            shapes.get(value.shape).iter().map(tap).collect()
        });
        let [dx, dy] = [value.dx, value.dy].map(i16::from);
        let start = (i32::from(dy) * SIDE as i32 + i32::from(dx)) as usize;
        let scale = power_of_two(value.factor.twos) as f32;
        let twos =
            usize::try_from(value.factor.twos + MAX_HALVED).ok().filter(|twos| *twos < self.sizes.len());
        let mut laid = Laid { taps: taps.len(), ..Laid::default() };
        for tap in taps.iter() {
            let (covered, known) = &mut self.grid[start.wrapping_add(usize::from(tap.place)) % (SIDE * SIDE)];
            let known_size = twos.and_then(|twos| self.sizes[twos].get(tap.weight as usize));
            let size = known_size.copied().unwrap_or_else(|| size_of_tap(tap.weight, scale));
            laid.largest = laid.largest.max(size);
            if *covered != self.now {
                (*covered, *known) = (self.now, size);
                laid.pixels += size;
                laid.way += f32::from((tap.at[0] + dx).unsigned_abs() + (tap.at[1] + dy).unsigned_abs());
            } else if *known < size {
                laid.pixels += size - *known;
                *known = size;
            }
        }
        laid
    }

    /// The maximum numbers of halvings and of doublings between the inputs and any needed value.
    fn scalings(
        &self,
        state: &State,
        decompositions: &mut Decompositions<'_>,
        shapes: &mut Shapes,
    ) -> (i32, i32) {
        let halved = self.start.iter().map(|need| -i32::from(need.value.factor.twos)).max().unwrap_or(0);
        let (mut halvings, mut doublings) = (0, 0);
        for Need { value: Value { shape, factor, .. }, .. } in state {
            halvings = halvings.max(-i32::from(factor.twos) - halved).max(-2 * i32::from(factor.threes));
            let deepest = decompositions.entry(*shape, shapes, self.recipes).doublings;
            doublings = doublings.max(i32::from(factor.twos + deepest));
        }
        (halvings, doublings)
    }

    /// The steps of a single tap from the input to its use `distance` pixels away, and a change of its sign.
    fn tap_cost(&self, need: &Need, distance: f32) -> f32 {
        let factor = need.value.factor;
        let odd = factor.negative != (factor.twos.rem_euclid(2) == 1);
        let narrow = self.recipes.wide_file.is_none();
        let stride = f32::from(self.recipes.stride);
        let reached = |d: f32, odd: bool| {
            (if narrow { 1.0 } else { 2.0 }) * (d / if narrow { stride } else { 2.0 }).ceil()
                + if odd { 1.0 } else { 0.0 }
        };
        if Some(usize::from(need.file)) == self.recipes.wide_file {
            reached((distance - 1.0).max(0.0), !odd) + 1.0
        } else {
            reached(distance, odd)
        }
    }

    /// The estimate for kernels with very many digits, from the steps of the known decompositions and the distances of values from
    /// their uses. The logarithms of [`Heuristic::of`] hardly distinguish such kernels from their parts.
    fn by_decompositions(
        &self,
        state: &State,
        decompositions: &mut Decompositions<'_>,
        shapes: &mut Shapes,
    ) -> f32 {
        let (recipes, start) = (self.recipes, self.start);
        let mut ids: SmallVec<[u32; 8]> = SmallVec::new();
        let mut cost = 0.0;
        // Sums that move their operands cover part of the distance.
        let far = if recipes.wide_file.is_some() || recipes.aligns { 0.45 } else { 0.8 };
        let (halvings, doublings) = self.scalings(state, decompositions, shapes);
        let given: SmallVec<[u32; 8]> = start.iter().map(|need| need.value.shape).collect();
        for (index, need) in state.iter().enumerate() {
            let shape = need.value.shape;
            let wide = Some(usize::from(need.file)) == recipes.wide_file;
            let twin = state[..index].iter().any(|n| n.value == need.value);
            let alike = ids.contains(&shape);
            if start.contains(need) && !twin {
                continue;
            }
            let distance = shapes.distance(need.value) as f32;
            cost += if shapes.is_delta(shape) {
                let full = self.tap_cost(need, distance);
                // A copy at another scale or place shares steps with the original.
                if twin {
                    0.6
                } else if alike {
                    0.7 * full
                } else {
                    0.9 * full
                }
            } else {
                far * distance
                    + if wide && !alike { 0.8 } else { 0.0 }
                    + if twin {
                        0.5
                    } else if alike {
                        0.8
                    } else {
                        0.0
                    }
            };
            if !alike {
                ids.push(shape);
            }
        }
        // On machines whose sums move their operands, the estimated steps of a kernel are too few.
        let weight =
            if recipes.wide_file.is_none() && recipes.aligns { 1.5 * self.shared } else { self.shared };
        cost + 0.9 * halvings as f32
            + 1.3 * doublings as f32
            + weight * decompositions.shared_cost(&ids, &given, shapes, recipes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::program::recipe::Objective;
    use crate::backend::array::search::program::value::{Factor, View};
    use crate::backend::array::search::testing::{recipes, tables};

    fn estimates(kernels: &[&[(i32, i32, usize, i32)]]) -> Vec<f32> {
        let recipes = recipes("basic", 6, Objective::Instructions);
        let (mut shapes, mut decompositions) = tables();
        let values: Vec<Value> = kernels.iter().map(|taps| shapes.of_taps(taps).unwrap()).collect();
        let start = [Need { file: 0, value: Shapes::delta(0) }];
        let mut heuristic =
            Heuristic::new(&recipes, &start, 1.0, &State::new(), &mut decompositions, &mut shapes);
        let mut of = |value: &Value| {
            heuristic.of(
                &State::from_slice(&[Need { file: 0, value: *value }]),
                &mut decompositions,
                &mut shapes,
            )
        };
        let first: Vec<f32> = values.iter().map(&mut of).collect();
        assert_eq!(
            values.iter().map(&mut of).collect::<Vec<_>>(),
            first,
            "one estimate knows nothing of another"
        );
        first
    }

    /// Each of these is one or a few instructions farther from the input than its predecessor.
    #[test]
    fn what_takes_longer_is_estimated_to_take_longer() {
        let found = estimates(&[
            &[(0, 0, 0, 1)],
            &[(1, 0, 0, 1)],
            &[(0, 0, 0, 1), (1, 0, 0, 1)],
            &[(-1, 0, 0, 1), (0, 0, 0, 2), (1, 0, 0, 1)],
            &[(-1, -1, 0, 1), (0, 0, 0, 2), (1, 1, 0, 1)],
            &[(-1, -1, 0, 1), (0, 0, 0, 3), (1, 1, 0, 5), (1, -1, 0, -2)],
        ]);
        assert!(found.is_sorted_by(|a, b| a < b), "{found:?}");
    }

    #[test]
    fn a_large_box_is_not_a_pixel_at_a_time() {
        let square = |side: i32| -> Vec<_> {
            (0..side * side).map(|i| (i % side - side / 2, i / side - side / 2, 0, 1)).collect()
        };
        let found = estimates(&[&square(8), &square(16)]);
        assert!(found[1] > found[0] && found[1] < 2.5 * found[0], "{found:?}");
        let view = View { dx: 40, dy: -40, factor: Factor::ONE };
        assert!(Shapes::delta(0).seen(view).is_some(), "far values are estimated, too");
        assert!(estimates(&[&[(40, -40, 0, 1)]])[0] > 10.0);
    }
}
