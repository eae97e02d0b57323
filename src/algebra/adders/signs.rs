//! Signs of sums: a sum may be computed with the opposite sign if its readers subtract it.

use super::system::System;

/// A value read as a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The value.
    pub source: usize,
    /// Whether its negation is read.
    pub negative: bool,
    /// Whether a negation takes a subtraction.
    pub costs: bool,
}

/// Returns which sums to negate so that few subtractions are from zero. Such subtractions occur for sums with only negative
/// summands and for negated results. `added` says which sums have something else, positive, added to them. Sums, alone or with
/// a summand, are negated as long as that saves any.
pub fn signs(system: &System, readings: &[Reading], added: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let mut turned = vec![false; system.sums.len()];
    let cost = |turned: &[bool]| {
        let is = |source: usize| source >= system.given && turned[source - system.given];
        let negative = |(row, sum): (usize, &Vec<_>)| {
            let minus =
                |summand: &super::system::Summand| (summand.weight < 0) ^ is(summand.source) ^ turned[row];
            !added(row) && !sum.is_empty() && sum.iter().all(minus)
        };
        let sums = system.sums.iter().enumerate().filter(|sum| negative(*sum)).count();
        sums + readings
            .iter()
            .filter(|reading| reading.costs && reading.negative != is(reading.source))
            .count()
    };
    let mut least = cost(&turned);
    loop {
        let before = least;
        for row in 0..turned.len() {
            let read = system.sums[row].iter().filter_map(|summand| summand.source.checked_sub(system.given));
            // The sum alone, or together with one that it reads.
            for other in std::iter::once(row).chain(read) {
                if least == 0 {
                    return turned;
                }
                turned[row] = !turned[row];
                if other != row {
                    turned[other] = !turned[other];
                }
                let now = cost(&turned);
                if now < least {
                    least = now;
                    continue;
                }
                turned[row] = !turned[row];
                if other != row {
                    turned[other] = !turned[other];
                }
            }
        }
        if least == before {
            return turned;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::adders::Summand;

    #[test]
    fn a_negative_result_turns_what_it_is_made_of() {
        let read = |source, weight| Summand { source, offset: [0; 3], weight };
        // a = x − y, b = a + 2 a, c = x + a: −b and c are wanted.
        let sums =
            vec![vec![read(0, 1), read(1, -1)], vec![read(2, 1), read(2, 2)], vec![read(0, 1), read(2, 1)]];
        let system = System { given: 2, sums };
        let results =
            [(3, true), (4, false)].map(|(source, negative)| Reading { source, negative, costs: true });
        assert_eq!(signs(&system, &results, &|_| false), [true, true, false]);
        // If signs are free, no sum is negated.
        let free = results.map(|result| Reading { costs: false, ..result });
        assert_eq!(signs(&system, &free, &|_| false), [false; 3]);
    }
}
