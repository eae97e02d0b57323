//! Multiple constant multiplication, in the fewest additions and subtractions that a bounded search finds.
//!
//! The graph is built from the constant one. A missing constant that takes one adder is added at once: that adder is needed
//! in any case (A. G. Dempster, M. D. Macleod, "Use of minimum-adder multiplier blocks in FIR digital filters", 1995). Otherwise
//! helper values outside the set are tried: first none, then one, two and so on. Smaller numbers are exhausted first, so while
//! the budget lasts, the first graph found is optimal among those without right shifts and with values up to twice the largest
//! constant (for the terms see Y. Voronenko, M. Püschel, "Multiplierless multiple constant multiplication", 2007).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::graph::{Adder, adder, sums};
use crate::algebra::approximate::signed_digits;
use crate::budget::Budget;

/// The maximum width of a constant in bits.
const MAX_BITS: u32 = 16;

/// An adder graph, and whether it is optimal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The adders, each after its operands.
    pub adders: Vec<Adder>,
    /// Whether all graphs with fewer adders were exhausted.
    pub optimal: bool,
}

/// Returns a graph that computes all of `constants`, which must be odd, distinct and greater than one; `None` if one has more
/// than 16 bits.
pub fn constants(constants: &[u64], budget: &Budget) -> Option<Found> {
    let greatest = constants.iter().copied().max().unwrap_or(1);
    if greatest >> MAX_BITS > 0 {
        return None;
    }
    let mut search = Search { most: (greatest + 1).next_power_of_two() * 2, budget, over: false };
    let mut state = State::new(search.most);
    state.missing = constants.to_vec();
    state.missing.sort_unstable();
    let mut helpers = 0;
    loop {
        let mut trial = state.clone();
        if search.deepen(&mut trial, helpers) {
            return Some(trial.found(!search.over));
        }
        if search.over {
            break;
        }
        helpers += 1;
    }
    // The budget does not exhaust this depth: add the most helpful value, one at a time.
    search.greedy(&mut state);
    Some(state.found(false))
}

/// A graph under construction.
#[derive(Clone)]
struct State {
    /// One, and the value of each adder.
    fundamentals: Vec<u64>,
    adders: Vec<Adder>,
    /// The constants not in the graph yet.
    missing: Vec<u64>,
    /// The values that one more adder can make, as bits by value.
    next: Vec<u64>,
}

impl State {
    fn new(most: u64) -> Self {
        let mut state = Self {
            fundamentals: Vec::new(),
            adders: Vec::new(),
            missing: Vec::new(),
            next: vec![0; (most / 64 + 1) as usize],
        };
        state.add(1, most);
        state
    }

    fn is_next(&self, value: u64) -> bool {
        self.next.get((value / 64) as usize).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    /// Adds a value to the graph and returns the work spent.
    fn add(&mut self, value: u64, most: u64) -> u64 {
        if value > 1 {
            self.adders.extend(adder(value, &self.fundamentals));
        }
        self.fundamentals.push(value);
        for other in &self.fundamentals {
            sums(value, *other, most, |sum| self.next[(sum / 64) as usize] |= 1 << (sum % 64));
        }
        self.missing.retain(|missing| *missing != value);
        32 * self.fundamentals.len() as u64
    }

    /// The values that one more adder can make.
    fn successors(&self) -> Vec<u64> {
        let mut found = Vec::new();
        for (word, bits) in self.next.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let value = 64 * word as u64 + u64::from(bits.trailing_zeros());
                bits &= bits - 1;
                if !self.fundamentals.contains(&value) {
                    found.push(value);
                }
            }
        }
        found
    }

    /// The values from which one adder, together with a value in the graph, makes a missing constant.
    fn before(&self, constant: u64, most: u64) -> Vec<u64> {
        let mut found = Vec::new();
        let mut push = |value: u64| {
            if value <= most && value % 2 == 1 && self.is_next(value) {
                found.push(value);
            }
        };
        for known in &self.fundamentals {
            // constant = ±value ± 2^k known, or ±known ± 2^k value.
            let mut shifted = known << 1;
            while shifted <= 2 * most {
                push(constant + shifted);
                push(constant.abs_diff(shifted));
                shifted <<= 1;
            }
            for even in [constant + known, constant.abs_diff(*known)] {
                if even > 0 {
                    push(even >> even.trailing_zeros());
                }
            }
        }
        // constant = value · (2^k ± 1).
        let mut power = 4;
        while power / 2 <= constant {
            for factor in [power - 1, power + 1] {
                if constant.is_multiple_of(factor) {
                    push(constant / factor);
                }
            }
            power <<= 1;
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn found(self, optimal: bool) -> Found {
        Found { adders: self.adders, optimal }
    }
}

struct Search<'a> {
    /// The largest value allowed.
    most: u64,
    budget: &'a Budget,
    /// Whether the budget ended a search.
    over: bool,
}

impl Search<'_> {
    /// Adds the missing constants that one adder makes, until there are none.
    fn close(&self, state: &mut State) {
        while let Some(value) = state.missing.iter().copied().find(|value| state.is_next(*value)) {
            self.budget.spend(state.add(value, self.most));
        }
    }

    /// Whether this number of helper values suffices; if so, `state` is the graph.
    fn deepen(&mut self, state: &mut State, helpers: usize) -> bool {
        self.close(state);
        if state.missing.is_empty() {
            return true;
        }
        if helpers == 0 {
            return false;
        }
        let last = helpers == 1;
        let tried = if last { self.enabling(state) } else { state.successors() };
        for value in tried {
            let mut trial = state.clone();
            let work = trial.add(value, self.most) + trial.next.len() as u64;
            if !self.budget.spend(work) {
                self.over = true;
                return false;
            }
            if self.deepen(&mut trial, helpers - 1) {
                *state = trial;
                return true;
            }
            if self.over {
                return false;
            }
            // Later trials need not use this value: a graph with it would have been found.
            if !last {
                state.next[(value / 64) as usize] &= !(1 << (value % 64));
            }
        }
        false
    }

    /// The values that bring a missing constant within one adder.
    fn enabling(&self, state: &State) -> Vec<u64> {
        let mut found: Vec<u64> =
            state.missing.iter().flat_map(|constant| state.before(*constant, self.most)).collect();
        found.sort_unstable();
        found.dedup();
        self.budget.spend(16 * (state.fundamentals.len() * state.missing.len()) as u64);
        found
    }

    /// Adds all missing constants, each time by the value that brings most of them within one adder, or else by the signed digits
    /// of the smallest.
    fn greedy(&self, state: &mut State) {
        loop {
            self.close(state);
            let Some(least) = state.missing.first().copied() else { return };
            let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
            for constant in &state.missing {
                for value in state.before(*constant, self.most) {
                    *counts.entry(value).or_default() += 1;
                }
            }
            let helpful = counts.iter().max_by_key(|(value, count)| (**count, Reverse(**value)));
            match helpful {
                Some((value, _)) => {
                    state.add(*value, self.most);
                }
                None => {
                    for prefix in prefixes(least) {
                        if !state.fundamentals.contains(&prefix) {
                            state.add(prefix, self.most);
                        }
                    }
                }
            }
        }
    }
}

/// The odd values of the leading signed digits of an odd number, each one adder from the previous one; the number is last.
fn prefixes(value: u64) -> Vec<u64> {
    let digits = signed_digits(value as i64);
    let (mut prefix, mut found) = (0i64, Vec::new());
    for digit in digits.iter().rev() {
        prefix = 2 * prefix + i64::from(*digit);
        if *digit != 0 && prefix > 1 {
            found.push(prefix as u64);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The values of a graph, computed from its operands alone.
    fn values(adders: &[Adder]) -> Vec<u64> {
        let mut values = vec![1i64];
        for adder in adders {
            for weight in [adder.first_weight, adder.second_weight] {
                assert!(weight.unsigned_abs().is_power_of_two());
            }
            values
                .push(adder.first_weight * values[adder.first] + adder.second_weight * values[adder.second]);
            assert_eq!(values.last().copied(), i64::try_from(adder.value).ok());
        }
        values.into_iter().map(i64::unsigned_abs).collect()
    }

    /// All odd values that one addition or subtraction makes of two, by brute force.
    fn plainly(x: u64, y: u64, most: u64) -> BTreeSet<u64> {
        let mut found = BTreeSet::new();
        for shifts in 0..40 {
            let (a, b) = (x << (shifts % 20), y << (shifts % 20));
            let pair = if shifts < 20 { (a, y) } else { (x, b) };
            found.extend([pair.0 + pair.1, pair.0.abs_diff(pair.1)]);
        }
        found.into_iter().filter(|value| value % 2 == 1 && *value <= most).collect()
    }

    /// The values of all graphs with this number of adders, by trying every adder at every place.
    fn exhausted(graph: &mut Vec<u64>, adders: usize, most: u64, made: &mut BTreeSet<u64>) {
        made.extend(graph.iter());
        if adders == 0 {
            return;
        }
        let mut next = BTreeSet::new();
        for x in graph.iter() {
            for y in graph.iter() {
                next.extend(plainly(*x, *y, most));
            }
        }
        for value in next {
            graph.push(value);
            exhausted(graph, adders - 1, most, made);
            graph.pop();
        }
    }

    #[test]
    fn every_constant_of_ten_bits_takes_as_few_adders_as_any_graph() {
        let mut made = [BTreeSet::new(), BTreeSet::new()];
        for (adders, made) in made.iter_mut().enumerate() {
            exhausted(&mut vec![1], adders + 1, 4096, made);
        }
        for value in (3..1024).step_by(2) {
            let found = constants(&[value], &Budget::unlimited()).unwrap();
            assert!(found.optimal && values(&found.adders).contains(&value));
            let least = made.iter().position(|made| made.contains(&value)).map(|least| least + 1);
            match least {
                Some(least) => assert_eq!(found.adders.len(), least, "{value}"),
                None => assert!(found.adders.len() >= 3, "{value}"),
            }
        }
    }

    #[test]
    fn constants_of_twelve_bits_take_at_most_four_adders() {
        let mut counts = [0; 5];
        for value in (3..4096).step_by(2) {
            let found = constants(&[value], &Budget::unlimited()).unwrap();
            assert!(found.optimal);
            counts[found.adders.len()] += 1;
        }
        assert_eq!(counts, [0, 21, 224, 1290, 512]);
    }

    #[test]
    fn sets_of_constants_take_as_few_adders_as_any_graph() {
        let mut made = BTreeSet::new();
        pairs(&mut vec![1], 3, &mut made);
        let mut random = crate::algebra::Random::new(1);
        for _ in 0..200 {
            let mut set = [0; 2].map(|_| random.integer(1, 31) as u64 * 2 + 1);
            set.sort_unstable();
            if set[0] == set[1] {
                continue;
            }
            let found = constants(&set, &Budget::unlimited()).unwrap();
            let values = values(&found.adders);
            assert!(found.optimal && set.iter().all(|value| values.contains(value)));
            assert_eq!(found.adders.len() <= 3, made.contains(&set), "{set:?}");
        }
    }

    /// The pairs of values that occur together in a graph with this number of adders.
    fn pairs(graph: &mut Vec<u64>, adders: usize, made: &mut BTreeSet<[u64; 2]>) {
        for x in graph.iter() {
            made.extend(graph.iter().filter(|y| x < y).map(|y| [*x, *y]));
        }
        if adders == 0 {
            return;
        }
        let next: BTreeSet<u64> =
            graph.iter().flat_map(|x| graph.iter().flat_map(|y| plainly(*x, *y, 128))).collect();
        for value in next {
            graph.push(value);
            pairs(graph, adders - 1, made);
            graph.pop();
        }
    }

    #[test]
    fn what_the_budget_ends_is_a_graph_all_the_same() {
        for constant in [693, 4095 * 16 + 7, 43691, 2731] {
            let found = constants(&[constant, 59, 683], &Budget::of_work(1)).unwrap();
            let values = values(&found.adders);
            assert!([constant, 59, 683].iter().all(|constant| values.contains(constant)));
            assert!(!found.optimal);
        }
        assert_eq!(constants(&[1 << 16 | 1], &Budget::unlimited()), None);
    }
}
