//! Near products: polynomials of which a few coefficients must change for them to be products.
//!
//! The changes are sieved modulo one small prime (`sieve`), then determined modulo others at the places that are left, and put together
//! by the Chinese remainder theorem. What is returned may be wrong: the caller factors the changed polynomial.

mod divisors;
mod sieve;

use std::collections::BTreeMap;

use divisors::{MAX_DEGREE, PRIMES};
use sieve::{Change, Sieve};

use super::work::Spend;

/// The maximum number of changes that are kept at the same places; usually there is one.
const MAX_COMBINED: usize = 64;

/// A polynomial, modulo several small primes.
pub struct NearProducts {
    sieves: Vec<Sieve>,
}

impl NearProducts {
    /// The polynomial with these coefficients. `None` if it depends on one variable only, if a degree is above 4, or if the work has run
    /// out.
    pub fn new(size: [usize; 3], taps: &[i64], spend: Spend) -> Option<Self> {
        let highest = size.iter().max().map_or(0, |extent| extent.saturating_sub(1));
        let variables = size.iter().filter(|extent| **extent > 1).count();
        if highest > MAX_DEGREE || variables < 2 {
            return None;
        }
        let sieves =
            PRIMES.iter().map(|prime| Sieve::new(*prime, size, taps, spend)).collect::<Option<_>>()?;
        Some(Self { sieves })
    }

    /// Changes of `count` coefficients after which the polynomial may be a product of two that both depend on the same two variables, or
    /// have a divisor in one variable: places in storage order, each with what is subtracted there.
    ///
    /// Not found are changes of more than 192, changes of which two or more are multiples of 7, divisors in one variable without a divisor of degree two, and, for
    /// three changes of a polynomial of degree four, products of which one factor has a degree of at most one in every variable. If the
    /// work runs out, more are missing.
    pub fn changes(&self, count: usize, spend: Spend) -> Vec<Vec<(usize, i64)>> {
        let Some((first, others)) = self.sieves.split_first() else { return Vec::new() };
        let mut residues: BTreeMap<Vec<usize>, Vec<Vec<i64>>> = BTreeMap::new();
        // Modulo the first prime, a change by a multiple of it is none.
        let fewer = first.anywhere(count - 1, spend);
        let extended = fewer.iter().flat_map(|change| first.with_another(change));
        for change in first.anywhere(count, spend).into_iter().chain(extended) {
            let (places, by) = change.into_iter().map(|(place, by)| (place, i64::from(by))).unzip();
            residues.entry(places).or_default().push(by);
        }
        let mut found = Vec::new();
        for (places, mut known) in residues {
            let mut modulus = first.prime() as i64;
            for sieve in others {
                if known.is_empty() {
                    break;
                }
                let prime = sieve.prime() as i64;
                known = combined(&known, modulus, &sieve.at(&places, spend), prime);
                modulus *= prime;
            }
            let symmetric = |by: i64| if 2 * by > modulus { by - modulus } else { by };
            found.extend(
                known
                    .iter()
                    .map(|by| places.iter().copied().zip(by.iter().copied().map(symmetric)).collect()),
            );
        }
        found
    }
}

/// The numbers modulo a product that have one of the given residues modulo each factor (by the Chinese remainder theorem).
fn combined(known: &[Vec<i64>], modulus: i64, more: &[Change], prime: i64) -> Vec<Vec<i64>> {
    let joined = |by: i64, residue: u8| {
        let lifts = (0..prime).map(|times| by + times * modulus);
        lifts.into_iter().find(|lift| lift % prime == i64::from(residue))
    };
    let pairs = known.iter().flat_map(|by| more.iter().map(move |change| (by, change)));
    let all = pairs.filter_map(|(by, change)| {
        by.iter().zip(change).map(|(by, (_, residue))| joined(*by, *residue)).collect::<Option<Vec<i64>>>()
    });
    all.take(MAX_COMBINED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Random;
    use crate::algebra::factor::Polynomial;

    /// Changes a product of random polynomials in `count` places. Returns whether the change is found, and how many others.
    fn found(random: &mut Random, sizes: [[usize; 3]; 2], count: usize) -> (bool, usize) {
        let [a, b] = sizes.map(|size| {
            let sign = |is_negative: i64| 1 - 2 * is_negative;
            let taps = (0..size.iter().product()).map(|_| random.integer(1, 3) * sign(random.integer(0, 1)));
            Polynomial::new(size, &taps.collect::<Vec<_>>()).unwrap()
        });
        let whole = a.product(&b).unwrap();
        let mut taps = whole.taps().to_vec();
        let mut change: Vec<(usize, i64)> = Vec::new();
        while change.len() < count {
            let (place, by) = (random.integer(0, taps.len() as i64 - 1) as usize, random.integer(1, 6));
            if change.iter().all(|(other, _)| *other != place) {
                change.push((place, by));
                taps[place] += by;
            }
        }
        change.sort_unstable();
        let found = NearProducts::new(whole.size(), &taps, &|_| true).unwrap().changes(count, &|_| true);
        (found.contains(&change), found.len())
    }

    #[test]
    fn what_was_changed_is_found() {
        let mut random = Random::new(5);
        let small = [[[2, 2, 1], [3, 3, 1]], [[1, 3, 1], [4, 2, 1]], [[2, 2, 2], [2, 2, 1]]];
        for (sizes, most) in small.map(|sizes| (sizes, 2)).into_iter().chain([([[3, 3, 1], [3, 3, 1]], 2)]) {
            for count in 1..=most {
                let (is_found, all) = found(&mut random, sizes, count);
                assert!(is_found && all < 300, "{sizes:?}, {count} changes: {all}");
            }
        }
    }

    #[test]
    fn residues_are_put_together() {
        let more = [vec![(4, 2), (9, 0)], vec![(4, 1), (9, 4)]];
        assert_eq!(combined(&[vec![3, 6]], 7, &more, 5), [[17, 20], [31, 34]]);
    }

    #[test]
    fn the_work_ends_the_search() {
        let taps: Vec<i64> = (0..25).map(|i| i * i % 17 - 8).collect();
        let near = NearProducts::new([5, 5, 1], &taps, &|_| true).unwrap();
        assert!(NearProducts::new([5, 5, 1], &taps, &|_| false).is_none());
        assert_eq!(near.changes(3, &|_| false), Vec::<Vec<_>>::new());
        assert!(NearProducts::new([6, 5, 1], &[1; 30], &|_| true).is_none(), "too large");
        assert!(NearProducts::new([5, 1, 1], &[1; 5], &|_| true).is_none(), "one variable");
    }
}
