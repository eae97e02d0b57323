//! A lower bound of a program's cost from what its instructions must do in all: move values, halve them and add them up.
//!
//! Three measures of the values held can each grow in an instruction by no more than the instruction allows: the farthest place that any
//! of them reads, summed over the four directions; the greatest power of two that divides a coefficient; and the greatest number of
//! terms ±2^-n that a value is a sum of. An instruction seldom does all three, so the bounds on them together exceed each.

use super::extent::Extent;
use crate::backend::array::search::program::recipe::{CompiledForm, Recipes};
use crate::backend::array::search::program::step::Need;
use crate::backend::array::search::program::value::{Shapes, Value, View, ZERO, digits_of_weight};

/// The measures of the values that are held at some time.
#[derive(Clone, Copy)]
struct Measures {
    /// The farthest places to the east, west, north and south.
    places: [i16; 4],
    halvings: i32,
    terms: u64,
}

/// How much an instruction adds to the first two measures, and by what it multiplies the third.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Gain {
    cost: u32,
    steps: usize,
    halvings: usize,
    terms: u64,
}

/// What the factors of a machine's instructions say about sums of terms.
#[derive(Clone, Copy, PartialEq)]
enum Factors {
    /// They are ±2^-n.
    Halves,
    /// None is greater than one.
    Fractions,
    Others,
}

/// A cost that no program from `start` to `goal` falls below.
pub(crate) fn least_cost(recipes: &Recipes, shapes: &Shapes, start: &[Need], goal: &[Need]) -> u32 {
    let views = || recipes.forms.iter().flat_map(|form| form.results.iter().flat_map(|(_, terms)| terms));
    let factors = if views().any(|(_, view)| view.factor.twos > 0 || view.factor.threes > 0) {
        Factors::Others
    } else if views().any(|(_, view)| view.factor.threes != 0) {
        Factors::Fractions
    } else {
        Factors::Halves
    };
    let of = |needs: &[Need]| {
        let all = needs.iter().map(|need| Measures::of(need.value, shapes, factors));
        all.reduce(Measures::or)
    };
    let (Some(from), Some(to)) = (of(start), of(goal)) else { return 0 };
    let steps = to.places.iter().zip(from.places).map(|(to, from)| (to - from).max(0)).sum::<i16>() as usize;
    let halvings = (to.halvings - from.halvings).max(0) as usize;
    cheapest(&gains(recipes), steps, halvings, to.terms.div_ceil(from.terms.max(1)))
}

impl Measures {
    fn of(value: Value, shapes: &Shapes, factors: Factors) -> Self {
        if value.shape == ZERO {
            return Self { places: [i16::MIN / 2; 4], halvings: 0, terms: 0 };
        }
        let [[west, east], [south, north], ..] = Extent::of(value, shapes).0;
        let (twos, threes) = (i32::from(value.factor.twos), i32::from(value.factor.threes));
        let terms = |weight: i32| match factors {
            Factors::Halves if threes == 0 => terms_of(weight.unsigned_abs().into(), twos),
            Factors::Others => 1,
            _ => (f64::from(weight.abs()) * 2f64.powi(twos) * 3f64.powi(threes)).ceil().max(1.0) as u64,
        };
        let taps = shapes.get(value.shape).iter();
        Self {
            places: [east, -west, north, -south],
            halvings: (-twos).max(0),
            terms: taps.map(|(.., weight)| terms(weight)).fold(0, u64::saturating_add),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            places: std::array::from_fn(|side| self.places[side].max(other.places[side])),
            halvings: self.halvings.max(other.halvings),
            terms: self.terms.max(other.terms),
        }
    }
}

/// The least number of terms ±2^-n, none of them above one, whose sum is weight · 2^twos.
fn terms_of(weight: u64, twos: i32) -> u64 {
    if twos >= 0 {
        return weight.saturating_mul(1u64.checked_shl(twos as u32).unwrap_or(u64::MAX));
    }
    let one = 1u64 << twos.unsigned_abs().min(40);
    let (whole, part) = (weight / one, weight % one);
    let digits = |part: u64| i32::try_from(part).map_or(1, |part| digits_of_weight(part) as u64);
    whole + digits(part).min(1 + digits(one - part))
}

/// What instructions do, each kind once.
fn gains(recipes: &Recipes) -> Vec<Gain> {
    let mut gains: Vec<Gain> = Vec::new();
    for form in &recipes.forms {
        let gain = Gain::of(form);
        if gain.terms > 0 && !gains.contains(&gain) {
            gains.push(gain);
        }
    }
    gains
}

impl Gain {
    fn of(form: &CompiledForm) -> Self {
        let views = || form.results.iter().flat_map(|(_, terms)| terms.iter().map(|(_, view)| view));
        let side = |of: &dyn Fn(&View) -> i8| views().map(of).max().unwrap_or(0).max(0) as usize;
        Self {
            cost: form.cost.max(1),
            steps: side(&|v| v.dx) + side(&|v| -v.dx) + side(&|v| v.dy) + side(&|v| -v.dy),
            halvings: side(&|v| -v.factor.twos),
            terms: form.results.iter().map(|(_, terms)| terms.len() as u64).max().unwrap_or(0),
        }
    }
}

/// The least cost of instructions that gain all of this together, but for what none gains.
fn cheapest(gains: &[Gain], steps: usize, halvings: usize, terms: u64) -> u32 {
    let if_any = |gains_it: bool, amount: usize| if gains_it { amount } else { 0 };
    let steps = if_any(gains.iter().any(|gain| gain.steps > 0), steps);
    let halvings = if_any(gains.iter().any(|gain| gain.halvings > 0), halvings);
    let terms = if gains.iter().any(|gain| gain.terms > 1) { terms } else { 1 };
    let width = halvings + 1;
    let at = |steps: usize, halvings: usize| steps * width + halvings;
    // For each cost, the greatest product of terms, by the steps and halvings that are gained beside it; 0 if they cannot be.
    let mut best: Vec<Vec<u64>> = vec![vec![0; (steps + 1) * width]];
    best[0][0] = 1;
    while best[best.len() - 1][at(steps, halvings)] < terms {
        let cost = best.len();
        let mut now = vec![0; (steps + 1) * width];
        for gain in gains {
            let Some(before) = cost.checked_sub(gain.cost as usize) else { continue };
            for moved in 0..=steps {
                for halved in 0..=halvings {
                    let product = best[before][at(moved, halved)].saturating_mul(gain.terms);
                    let to = at((moved + gain.steps).min(steps), (halved + gain.halvings).min(halvings));
                    now[to] = now[to].max(product);
                }
            }
        }
        // What a lower cost gains, this one does.
        now.iter_mut().zip(&best[cost - 1]).for_each(|(now, before)| *now = (*now).max(*before));
        best.push(now);
    }
    best.len() as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_at_most_one() {
        assert_eq!(terms_of(3, 0), 3);
        assert_eq!(terms_of(3, 1), 6);
        // 7/8 = 1 − 1/8, 5/8 = 1/2 + 1/8, 11/8 = 1 + 1/2 − 1/8.
        assert_eq!([terms_of(7, -3), terms_of(5, -3), terms_of(11, -3)], [2, 2, 3]);
        assert_eq!(terms_of(15, -3), 3, "1 + 1 − 1/8, since 2 is too large for a term");
    }

    #[test]
    fn what_instructions_do_in_all_takes_the_sum_of_their_costs() {
        let gain = |cost, steps, halvings, terms| Gain { cost, steps, halvings, terms };
        let basic = [gain(1, 1, 0, 1), gain(1, 0, 0, 2), gain(1, 0, 1, 1)];
        // A 3×3 box over 8: four steps, three halvings, nine terms.
        assert_eq!(cheapest(&basic, 4, 3, 9), 11);
        let wide = [gain(1, 2, 0, 2), gain(1, 0, 0, 3), gain(1, 0, 1, 1)];
        assert_eq!(cheapest(&wide, 4, 0, 9), 3);
        assert_eq!(cheapest(&wide, 0, 0, 1), 0);
        assert_eq!(cheapest(&basic[1..], 1, 0, 5), 3, "no instruction moves: nothing is known of that");
    }
}
