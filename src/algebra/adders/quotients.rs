//! Sums written as others composed with a quotient, where that takes fewer digits: a binomial kernel is a smaller one smoothed
//! once more.

use std::collections::BTreeMap;

use super::forms::digits;
use super::system::{Summand, System};
use crate::algebra::Offset;
use crate::budget::Budget;

/// The system with each sum over one given value written as a quotient by another such sum, the divisor that leaves the fewest
/// digits. `plain` says which sums consist of their summands only. `None` if the budget runs out.
pub(super) fn quotients(system: &System, plain: &dyn Fn(usize) -> bool, budget: &Budget) -> Option<System> {
    let source = |row: usize| {
        let sum = &system.sums[row];
        let source = sum.first()?.source;
        let same = sum.iter().all(|summand| summand.source == source);
        (same && source < system.given && sum.len() > 1 && plain(row)).then_some(source)
    };
    let mut sums = system.sums.clone();
    for row in 0..sums.len() {
        let Some(whole) = source(row) else { continue };
        for other in 0..sums.len() {
            // A divisor has fewer summands, so there are no cycles.
            let (size, least) = (system.sums[other].len(), weight(&sums[row]));
            if source(other) != Some(whole) || size >= system.sums[row].len() {
                continue;
            }
            if !budget.spend((size * system.sums[row].len()) as u64) {
                return None;
            }
            let Some(quotient) = divided(&system.sums[row], &system.sums[other]) else { continue };
            let read = |(offset, weight)| Summand { source: system.given + other, offset, weight };
            let quotient: Vec<Summand> = quotient.into_iter().map(read).collect();
            if weight(&quotient) < least {
                sums[row] = quotient;
            }
        }
    }
    Some(System { given: system.given, sums })
}

/// The number of digits of a sum.
fn weight(sum: &[Summand]) -> usize {
    sum.iter().map(|summand| digits(summand.weight, 0).len()).sum()
}

/// Exact division of kernels, by leading terms in the order of offsets; `None` if there is a remainder.
fn divided(whole: &[Summand], by: &[Summand]) -> Option<Vec<(Offset, i64)>> {
    let mut rest: BTreeMap<Offset, i64> =
        whole.iter().map(|summand| (summand.offset, summand.weight)).collect();
    let leading = by.iter().max_by_key(|summand| summand.offset)?;
    let corners = |sum: &[Summand]| {
        [0, 1, 2].map(|axis| {
            let along = sum.iter().map(|summand| summand.offset[axis]);
            along.fold([i32::MAX, i32::MIN], |[low, high], x| [low.min(x), high.max(x)])
        })
    };
    let (outer, inner) = (corners(whole), corners(by));
    let mut quotient = Vec::new();
    while let Some((offset, weight)) = rest.pop_last() {
        let factor = weight / leading.weight;
        if factor * leading.weight != weight {
            return None;
        }
        let moved = [0, 1, 2].map(|axis| offset[axis] - leading.offset[axis]);
        let fits = |axis: usize| {
            let ([low, high], [first, last]) = (outer[axis], inner[axis]);
            low <= first + moved[axis] && last + moved[axis] <= high
        };
        if ![0, 1, 2].into_iter().all(fits) {
            return None;
        }
        for summand in by.iter().filter(|summand| summand.offset != leading.offset) {
            let at = [0, 1, 2].map(|axis| summand.offset[axis] + moved[axis]);
            let left = rest.entry(at).or_insert(0);
            *left = left.checked_sub(factor.checked_mul(summand.weight)?)?;
            if *left == 0 {
                rest.remove(&at);
            }
        }
        quotient.push((moved, factor));
    }
    Some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::adders::system::tests::expanded;

    fn row(weights: &[i64]) -> Vec<Summand> {
        let taps = weights.iter().enumerate().filter(|(_, weight)| **weight != 0);
        taps.map(|(x, weight)| Summand { source: 0, offset: [x as i32, 0, 0], weight: *weight }).collect()
    }

    #[test]
    fn binomials_are_made_of_smaller_ones() {
        let sums =
            vec![row(&[1, 4, 6, 4, 1]), row(&[1, 2, 1]), row(&[1, 1, 2]), row(&[1, 6, 15, 20, 15, 6, 1])];
        let system = System { given: 1, sums };
        let found = quotients(&system, &|_| true, &Budget::unlimited()).unwrap();
        assert_eq!(expanded(&found), expanded(&system));
        let read: Vec<usize> = found.sums.iter().map(|sum| sum[0].source).collect();
        assert_eq!(read, [2, 0, 0, 1]);
    }

    #[test]
    fn what_has_a_remainder_is_not_divided() {
        let by = row(&[2, 1]);
        assert_eq!(
            divided(&row(&[2, 3, 1]), &by).map(|mut found| {
                found.sort_unstable();
                found
            }),
            Some(vec![([0; 3], 1), ([1, 0, 0], 1)])
        );
        assert_eq!(divided(&row(&[2, 3, 2]), &by), None);
        assert_eq!(divided(&row(&[1, 1, 1, 1]), &row(&[1, 0, 1, 1])), None);
    }
}
