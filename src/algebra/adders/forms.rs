//! Starting forms of a system of weighted sums, from which common pairs are extracted. Their weights are powers of two or
//! multiplications that are kept.

use std::collections::BTreeMap;

use super::constants::{Found, constants};
use super::system::{Summand, System};
use crate::algebra::Random;
use crate::algebra::approximate::signed_digits;
use crate::budget::Budget;

/// The adder graphs of a form get 1/`PART` of the work; the rest is for other forms and for pairs.
const PART: u64 = 8;

/// The odd part of a weight, positive.
fn odd(weight: i64) -> u64 {
    let size = weight.unsigned_abs();
    if size == 0 { 0 } else { size >> size.trailing_zeros() }
}

/// A minimal set of signed digits of a non-zero weight. A non-zero `seed` decides between 4 − 1 and 2 + 1.
pub(super) fn digits(weight: i64, seed: u64) -> Vec<i64> {
    let mut digits = signed_digits(weight);
    if seed != 0 {
        let mut random = Random::stream(seed, odd(weight));
        for low in 0..digits.len().saturating_sub(2) {
            let opposite = digits[low] != 0 && digits[low + 1] == 0 && digits[low + 2] == -digits[low];
            if opposite && random.next() & 1 == 1 {
                // −1 + 4 = 1 + 2.
                let high = digits[low + 2];
                (digits[low], digits[low + 1], digits[low + 2]) = (high, high, 0);
            }
        }
    }
    let places = digits.iter().enumerate().filter(|(_, digit)| **digit != 0);
    places.map(|(place, digit)| i64::from(*digit) << place).collect()
}

/// The system with weights written in digits, except those that `kept` accepts as multiplications.
pub(super) fn in_digits(system: &System, seed: u64, kept: &dyn Fn(i64) -> bool) -> System {
    let split = |summand: &Summand| {
        if kept(summand.weight) {
            return vec![*summand];
        }
        let digits = digits(summand.weight, seed).into_iter();
        digits.map(|weight| Summand { weight, ..*summand }).collect()
    };
    let sums = system.sums.iter().map(|sum| sum.iter().flat_map(split).collect());
    System { given: system.given, sums: sums.collect() }
}

/// The system with summands whose weights differ only by powers of two added first, if there are several.
pub(super) fn grouped(system: &System) -> System {
    let mut sums = system.sums.clone();
    for row in 0..system.sums.len() {
        let mut kept = Vec::new();
        for (weight, group) in groups(&system.sums[row]) {
            if weight == 1 || group.len() == 1 {
                kept.extend(group.iter().map(|summand| times(summand, weight)));
                continue;
            }
            kept.push(Summand { source: system.given + sums.len(), offset: [0; 3], weight });
            sums.push(group);
        }
        sums[row] = kept;
    }
    System { given: system.given, sums }
}

/// Groups summands by the odd part of their weights and divides the weights by it.
fn groups(sum: &[Summand]) -> BTreeMap<i64, Vec<Summand>> {
    let mut groups: BTreeMap<i64, Vec<Summand>> = BTreeMap::new();
    for summand in sum {
        let odd = odd(summand.weight) as i64;
        groups.entry(odd).or_default().push(Summand { weight: summand.weight / odd, ..*summand });
    }
    groups
}

fn times(summand: &Summand, weight: i64) -> Summand {
    Summand { weight: summand.weight * weight, ..*summand }
}

/// The adder graph of constants, within a bound on work.
fn graph(odds: &[u64], budget: &Budget, work: u64) -> Option<Found> {
    let part = budget.part(work);
    let found = constants(odds, &part);
    budget.spend(part.spent());
    found
}

/// Each sum as the transposed adder graph of its weights: an adder of the graph becomes a value with two readers, and the readers
/// of a value become its summands (A. G. Dempster, M. D. Macleod, 1995, on transposition). `None` if there is no graph.
pub(super) fn transposed(system: &System, budget: &Budget) -> Option<System> {
    let each = budget.left() / (PART * system.sums.len().max(1) as u64);
    let mut sums = system.sums.clone();
    for row in 0..system.sums.len() {
        let groups = groups(&system.sums[row]);
        let odds: Vec<u64> = groups.keys().filter(|odd| **odd > 1).map(|odd| *odd as u64).collect();
        let graph = graph(&odds, budget, each)?;
        let mut readers: Vec<Vec<Summand>> = vec![groups.get(&1).cloned().unwrap_or_default()];
        for adder in &graph.adders {
            readers.push(groups.get(&(adder.value as i64)).cloned().unwrap_or_default());
        }
        for (index, adder) in graph.adders.iter().enumerate().rev() {
            let group = std::mem::take(&mut readers[index + 1]);
            let total = match group[..] {
                [only] => only,
                _ => {
                    sums.push(group);
                    Summand { source: system.given + sums.len() - 1, offset: [0; 3], weight: 1 }
                }
            };
            readers[adder.first].push(times(&total, adder.first_weight));
            readers[adder.second].push(times(&total, adder.second_weight));
        }
        sums[row] = std::mem::take(&mut readers[0]);
    }
    Some(System { given: system.given, sums })
}

/// All multiples of each value by one adder graph, which is read at all places. `None` if there is no graph.
pub(super) fn multiplied(system: &System, budget: &Budget) -> Option<System> {
    let mut odds: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for summand in system.sums.iter().flatten().filter(|summand| odd(summand.weight) > 1) {
        odds.entry(summand.source).or_default().push(odd(summand.weight));
    }
    let each = budget.left() / (PART * odds.len().max(1) as u64);
    let mut sums = system.sums.clone();
    let mut multiples: BTreeMap<(usize, u64), usize> = BTreeMap::new();
    for (source, mut odds) in odds {
        odds.sort_unstable();
        odds.dedup();
        let mut values = vec![source];
        for adder in graph(&odds, budget, each)?.adders {
            let read = |value: usize, weight| Summand { source: values[value], offset: [0; 3], weight };
            let sum = vec![read(adder.first, adder.first_weight), read(adder.second, adder.second_weight)];
            values.push(system.given + sums.len());
            multiples.insert((source, adder.value), system.given + sums.len());
            sums.push(sum);
        }
    }
    for summand in sums.iter_mut().take(system.sums.len()).flatten() {
        let odd = odd(summand.weight);
        if let Some(multiple) = multiples.get(&(summand.source, odd)) {
            *summand = Summand { source: *multiple, weight: summand.weight / odd as i64, ..*summand };
        }
    }
    Some(System { given: system.given, sums })
}
