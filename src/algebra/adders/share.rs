//! Common subexpressions of two terms: a pair of shifted values that occurs in several sums, or several times in one, is added
//! once.
//!
//! Two pairs are the same if they are equal up to translation, sign and a power of two. The pair that saves the most additions is
//! extracted repeatedly; the sums of pairs are terms of further pairs (R. I. Hartley, "Subexpression sharing in filters using
//! canonic signed digit multipliers", 1996; C. Sun et al., "da4ml", 2025, for matrices).

use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::system::{Summand, System};
use crate::algebra::{Offset, Random};
use crate::budget::Budget;

/// The number of pairs with the largest counts that are checked for overlaps.
const MAX_CANDIDATES: usize = 12;

/// The work of counting a pair.
const WORK_PER_PAIR: u64 = 4;

/// A value times ± a power of two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Digit {
    source: usize,
    offset: Offset,
    shift: u32,
    negative: bool,
}

impl Digit {
    fn of(summand: &Summand) -> Option<Self> {
        let Summand { source, offset, weight } = *summand;
        let size = weight.unsigned_abs();
        size.is_power_of_two().then(|| Self {
            source,
            offset,
            shift: size.trailing_zeros(),
            negative: weight < 0,
        })
    }

    fn summand(self) -> Summand {
        let size = 1i64 << self.shift;
        Summand { source: self.source, offset: self.offset, weight: if self.negative { -size } else { size } }
    }

    fn place(&self) -> (usize, Offset, u32) {
        (self.source, self.offset, self.shift)
    }
}

/// An occurrence of a pair: the sum, and both digits.
type Place = (usize, Digit, Digit);

/// Two digits up to translation, sign and a power of two, the one of the lesser place first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Pair {
    sources: [usize; 2],
    offset: Offset,
    shift: i32,
    opposite: bool,
}

impl Pair {
    fn of(one: &Digit, other: &Digit) -> Self {
        let (a, b) = if one.place() < other.place() { (one, other) } else { (other, one) };
        Self {
            sources: [a.source, b.source],
            offset: [0, 1, 2].map(|axis| b.offset[axis] - a.offset[axis]),
            shift: b.shift as i32 - a.shift as i32,
            opposite: a.negative != b.negative,
        }
    }

    /// The second digit of an occurrence with this first digit.
    fn second(&self, first: &Digit) -> Option<Digit> {
        Some(Digit {
            source: self.sources[1],
            offset: [0, 1, 2].map(|axis| first.offset[axis] + self.offset[axis]),
            shift: first.shift.checked_add_signed(self.shift)?,
            negative: first.negative != self.opposite,
        })
    }

    /// The sum of the pair; the lesser shift is zero.
    fn sum(&self) -> [Digit; 2] {
        let [first, second] = [(-self.shift).max(0) as u32, self.shift.max(0) as u32];
        [
            Digit { source: self.sources[0], offset: [0; 3], shift: first, negative: false },
            Digit { source: self.sources[1], offset: self.offset, shift: second, negative: self.opposite },
        ]
    }
}

/// The system with common pairs added once; `seed` decides the order of pairs that save equally. Weights other than powers of two
/// are kept. `None` if the budget runs out.
pub(super) fn shared(system: &System, seed: u64, budget: &Budget) -> Option<System> {
    // The pairs of long sums may exceed the budget; fail before any work is done.
    let pairs = system.sums.iter().map(|sum| sum.len() as u64 * sum.len() as u64 / 2);
    if pairs.fold(0, u64::saturating_add) > budget.left() / WORK_PER_PAIR {
        return None;
    }
    let mut sharing = Sharing::new(system.sums.len(), seed);
    let mut rest: Vec<Vec<Summand>> = Vec::new();
    for (row, sum) in system.sums.iter().enumerate() {
        rest.push(sum.iter().filter(|summand| Digit::of(summand).is_none()).copied().collect());
        for digit in sum.iter().filter_map(Digit::of) {
            sharing.insert(row, digit);
            if !budget.spend(WORK_PER_PAIR * sharing.rows[row].len() as u64) {
                return None;
            }
        }
    }
    let mut pairs: Vec<Pair> = Vec::new();
    while let Some((pair, found)) = sharing.best(budget) {
        if budget.is_over() {
            return None;
        }
        let next = system.given + system.sums.len() + pairs.len();
        let source = match pairs.iter().position(|known| *known == pair) {
            Some(known) => system.given + system.sums.len() + known,
            None => {
                pairs.push(pair);
                next
            }
        };
        let [first, _] = pair.sum();
        for (row, one, other) in found {
            budget.spend(16 * sharing.rows[row].len() as u64);
            sharing.remove(row, &one);
            sharing.remove(row, &other);
            sharing.insert(row, Digit { source, shift: one.shift - first.shift, ..one });
        }
    }
    let kept = sharing.rows.into_iter().zip(rest);
    let mut sums: Vec<Vec<Summand>> =
        kept.map(|(row, rest)| row.into_iter().map(Digit::summand).chain(rest).collect()).collect();
    sums.extend(pairs.iter().map(|pair| pair.sum().map(Digit::summand).to_vec()));
    Some(System { given: system.given, sums })
}

/// Sums from which pairs are being extracted.
struct Sharing {
    /// The digits of each sum, sorted.
    rows: Vec<Vec<Digit>>,
    /// The numbers of the pairs met so far.
    numbers: FxHashMap<Pair, usize>,
    /// The pairs by number.
    pairs: Vec<Counted>,
    /// The pairs that occur more than once. Each has an entry with its count or a greater one, which it had before; an entry is put
    /// right when it comes up.
    frequent: BinaryHeap<Frequent>,
    seed: u64,
}

/// A pair with the number of its occurrences, overlaps included.
struct Counted {
    pair: Pair,
    count: u32,
    /// The tie-breaking number.
    order: u64,
}

/// A count, a tie-breaking number and the number of the pair.
type Frequent = (u32, u64, usize);

impl Sharing {
    fn new(rows: usize, seed: u64) -> Self {
        let rows = vec![Vec::new(); rows];
        Self { rows, numbers: FxHashMap::default(), pairs: Vec::new(), frequent: BinaryHeap::new(), seed }
    }

    /// Adds a digit to a sum. Two equal digits become the next power of two; opposite digits cancel.
    fn insert(&mut self, row: usize, digit: Digit) {
        match self.rows[row].binary_search_by_key(&digit.place(), Digit::place) {
            Ok(index) => {
                let known = self.rows[row][index];
                self.remove(row, &known);
                if known.negative == digit.negative {
                    self.insert(row, Digit { shift: digit.shift + 1, ..digit });
                }
            }
            Err(index) => {
                self.count(row, &digit, true);
                self.rows[row].insert(index, digit);
            }
        }
    }

    fn remove(&mut self, row: usize, digit: &Digit) {
        if let Ok(index) = self.rows[row].binary_search_by_key(&digit.place(), Digit::place) {
            self.rows[row].remove(index);
            self.count(row, digit, false);
        }
    }

    /// Adds the pairs of a digit with the digits of a sum to the counts, or removes them.
    fn count(&mut self, row: usize, digit: &Digit, more: bool) {
        for other in &self.rows[row] {
            let pair = Pair::of(digit, other);
            let number = *self.numbers.entry(pair).or_insert_with(|| {
                self.pairs.push(Counted { pair, count: 0, order: order(&pair, self.seed) });
                self.pairs.len() - 1
            });
            let counted = &mut self.pairs[number];
            if !more {
                counted.count -= 1;
                continue;
            }
            counted.count += 1;
            if counted.count > 1 {
                self.frequent.push((counted.count, counted.order, number));
            }
        }
    }

    /// The pair that occurs most often without overlaps, with its places.
    fn best(&mut self, budget: &Budget) -> Option<(Pair, Vec<Place>)> {
        let mut best: Option<(Pair, Vec<Place>)> = None;
        let mut tried: Vec<Frequent> = Vec::new();
        while tried.len() < MAX_CANDIDATES
            && let Some(next) = self.frequent.pop()
        {
            let (count, _, number) = next;
            let Counted { pair, count: now, order } = self.pairs[number];
            if count > now && now > 1 {
                self.frequent.push((now, order, number));
            }
            // Equal entries come up one after the other.
            if count != now || tried.last() == Some(&next) {
                continue;
            }
            tried.push(next);
            let most = best.as_ref().map_or(1, |(_, found)| found.len());
            if count as usize <= most {
                break;
            }
            let found = self.places(&pair);
            budget.spend(2 * self.rows.iter().map(Vec::len).sum::<usize>() as u64);
            if found.len() > most {
                best = Some((pair, found));
            }
        }
        self.frequent.extend(tried);
        best
    }

    /// The occurrences of a pair, without overlaps.
    fn places(&self, pair: &Pair) -> Vec<Place> {
        let mut found = Vec::new();
        for (row, digits) in self.rows.iter().enumerate() {
            let mut taken = vec![false; digits.len()];
            for (index, first) in digits.iter().enumerate() {
                if first.source != pair.sources[0] || taken[index] {
                    continue;
                }
                let Some(second) = pair.second(first) else { continue };
                let Ok(at) = digits.binary_search_by_key(&second.place(), Digit::place) else { continue };
                if digits[at].negative == second.negative && !taken[at] {
                    (taken[index], taken[at]) = (true, true);
                    found.push((row, *first, second));
                }
            }
        }
        found
    }
}

/// A tie-breaking number for pairs that occur equally often.
fn order(pair: &Pair, seed: u64) -> u64 {
    let [x, y, z] = pair.offset.map(|along| along as u32 as u64);
    let numbers = [
        pair.sources[0] as u64,
        pair.sources[1] as u64,
        x,
        y,
        z,
        pair.shift as u32 as u64,
        u64::from(pair.opposite),
    ];
    numbers.iter().fold(seed, |mixed, number| Random::mixed(mixed.rotate_left(5) ^ number))
}
