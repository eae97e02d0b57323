//! The cheapest arrangements of a system of weighted sums, starting from several forms.

use super::differences::differences;
use super::forms::{grouped, in_digits, multiplied, transposed};
use super::quotients::quotients;
use super::share::shared;
use super::system::System;
use crate::budget::Budget;

/// The number of forms that are also tried with other orders of equally good pairs.
const MAX_FORMS: usize = 3;
/// The number of orders tried per form.
const MAX_SEEDS: u64 = 32;
/// The largest absolute weight: arithmetic on its digits stays far from overflow.
const MAX_WEIGHT: u64 = 1 << 40;

/// The requirements on an arrangement.
pub struct Request<'a> {
    /// Whether a sum consists of its summands only. Other sums have something added to them that is not in the system.
    pub plain: &'a dyn Fn(usize) -> bool,
    /// Whether multiplying by a weight is cheaper than adding its digits.
    pub kept: &'a dyn Fn(i64) -> bool,
    /// The cost of an arrangement.
    pub cost: &'a dyn Fn(&System) -> u64,
}

/// A form with its best arrangement so far.
struct Form {
    weighted: System,
    keeps: bool,
    cost: u64,
    found: System,
}

/// The cheapest arrangement of each form of the system, cheapest first. Each is equal to the system: its first sums are those
/// of the system. Forms that the budget does not cover are left out.
pub fn arrangements(system: &System, request: &Request<'_>, budget: &Budget) -> Vec<System> {
    if system.sums.iter().flatten().any(|summand| summand.weight.unsigned_abs() > MAX_WEIGHT) {
        return Vec::new();
    }
    let mut weighted = Vec::new();
    let less = [differences(system, request.plain, budget), quotients(system, request.plain, budget)];
    for base in std::iter::once(system.clone()).chain(less.into_iter().flatten()) {
        weighted.push(grouped(&base));
        weighted.extend(transposed(&base, budget));
        weighted.extend(multiplied(&base, budget));
        weighted.push(base);
    }
    weighted.sort();
    weighted.dedup();
    // Short sums have few pairs, so the most expensive form comes last. No form takes more than half of the remaining budget.
    weighted.sort_by_key(|form| form.sums.iter().map(|sum| sum.len() * sum.len()).sum::<usize>());
    let mut forms: Vec<Form> = Vec::new();
    for weighted in weighted {
        let keeps = weighted.sums.iter().flatten().any(|summand| (request.kept)(summand.weight));
        for keeps in if keeps { vec![false, true] } else { vec![false] } {
            let part = budget.part(budget.left() / 2);
            let found = arranged(&weighted, keeps, 0, request, &part);
            budget.spend(part.spent());
            let Some(found) = found else { continue };
            forms.push(Form { weighted: weighted.clone(), keeps, cost: (request.cost)(&found), found });
        }
    }
    forms.sort_by_key(|form| form.cost);
    for form in forms.iter_mut().take(MAX_FORMS) {
        for seed in 1..MAX_SEEDS {
            let Some(found) = arranged(&form.weighted, form.keeps, seed, request, budget) else { break };
            let cost = (request.cost)(&found);
            if cost < form.cost {
                (form.cost, form.found) = (cost, found);
            }
        }
    }
    forms.sort_by_key(|form| form.cost);
    let mut found: Vec<System> = Vec::new();
    for form in forms {
        if !found.contains(&form.found) {
            found.push(form.found);
        }
    }
    found
}

/// A form with its weights written in digits and its common pairs shared.
fn arranged(
    weighted: &System,
    keeps: bool,
    seed: u64,
    request: &Request<'_>,
    budget: &Budget,
) -> Option<System> {
    let kept = |weight: i64| keeps && (request.kept)(weight);
    shared(&in_digits(weighted, seed, &kept), seed, budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::adders::Summand;
    use crate::algebra::adders::system::tests::{expanded, random};

    const ALL: Request<'_> =
        Request { plain: &|_| true, kept: &|_| false, cost: &|system| system.additions() as u64 };

    fn additions(sums: &[&[i64]], width: usize) -> usize {
        let summands = |weights: &&[i64]| {
            let taps = weights.iter().enumerate().filter(|(_, weight)| **weight != 0);
            let summand = |(at, weight): (usize, &i64)| Summand {
                source: 0,
                offset: [(at % width) as i32, -((at / width) as i32), 0],
                weight: *weight,
            };
            taps.map(summand).collect()
        };
        let system = System { given: 1, sums: sums.iter().map(summands).collect() };
        arrangements(&system, &ALL, &Budget::of_work(1 << 22))[0].additions()
    }

    #[test]
    fn arrangements_are_equal_to_their_system() {
        for seed in 0..30 {
            let system = random(seed);
            let expected = expanded(&system);
            let kept = |weight: i64| weight.unsigned_abs().count_ones() > 3;
            for request in [ALL, Request { kept: &kept, ..ALL }, Request { plain: &|sum| sum > 0, ..ALL }] {
                let found = arrangements(&system, &request, &Budget::of_work(1 << 18));
                assert!(!found.is_empty(), "{seed}");
                for found in found {
                    assert_eq!(expanded(&found)[..system.sums.len()], expected, "{seed}");
                    let plain = found
                        .sums
                        .iter()
                        .flatten()
                        .all(|s| s.weight.unsigned_abs().is_power_of_two() || kept(s.weight));
                    assert!(plain, "{seed}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn neighbouring_masks_are_made_of_one_another() {
        let masks: Vec<Vec<i64>> = (0..8)
            .map(|turn| {
                let mut mask = vec![0; 9];
                for (step, place) in [0, 1, 2, 5, 8, 7, 6, 3].into_iter().enumerate() {
                    mask[place] = if (step + turn) % 8 < 3 { 5 } else { -3 };
                }
                mask
            })
            .collect();
        let masks: Vec<&[i64]> = masks.iter().map(Vec::as_slice).collect();
        assert!(additions(&masks, 3) <= 18);
    }

    #[test]
    fn pairs_are_shared_between_directions() {
        let sobel: [&[i64]; 4] = [
            &[-1, 0, 1, -2, 0, 2, -1, 0, 1],
            &[-2, -1, 0, -1, 0, 1, 0, 1, 2],
            &[1, 2, 1, 0, 0, 0, -1, -2, -1],
            &[0, 1, 2, -1, 0, 1, -2, -1, 0],
        ];
        assert!(additions(&sobel, 3) <= 12);
    }

    #[test]
    fn weights_beyond_the_exact_range_are_left_alone() {
        let summand = Summand { source: 0, offset: [0; 3], weight: i64::MAX };
        let system = System { given: 1, sums: vec![vec![summand]] };
        assert_eq!(arrangements(&system, &ALL, &Budget::unlimited()), []);
    }
}
