//! Systems of sums: weighted values at offsets, some given, the others sums themselves.

use std::collections::BTreeMap;

use crate::algebra::Offset;

/// A weighted value at an offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Summand {
    /// The value: given ones come first, then sums, in the order of [`System::sums`].
    pub source: usize,
    /// Where it is read.
    pub offset: Offset,
    /// Its factor.
    pub weight: i64,
}

/// Sums of given values and of one another, without cycles.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct System {
    /// How many values are given.
    pub given: usize,
    /// The sums. Those that were asked for come first.
    pub sums: Vec<Vec<Summand>>,
}

impl System {
    /// How many additions the sums take, multiplications aside.
    pub fn additions(&self) -> usize {
        self.sums.iter().map(|sum| sum.len().saturating_sub(1)).sum()
    }

    /// The sums in an order in which each comes after those that it reads.
    pub fn order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.sums.len());
        let mut begun = vec![false; self.sums.len()];
        for root in 0..self.sums.len() {
            let mut stack = vec![(root, 0)];
            while let Some((sum, next)) = stack.pop() {
                if next == 0 && std::mem::replace(&mut begun[sum], true) {
                    continue;
                }
                match self.sums[sum].get(next) {
                    None => order.push(sum),
                    Some(summand) => {
                        stack.push((sum, next + 1));
                        if summand.source >= self.given && !begun[summand.source - self.given] {
                            stack.push((summand.source - self.given, 0));
                        }
                    }
                }
            }
        }
        order
    }
}

/// Summands of the same value at the same place together, sorted, without those of weight zero; `None` on overflow.
pub(super) fn merged(summands: impl IntoIterator<Item = Summand>) -> Option<Vec<Summand>> {
    let mut places: BTreeMap<(usize, Offset), i64> = BTreeMap::new();
    for summand in summands {
        let weight = places.entry((summand.source, summand.offset)).or_insert(0);
        *weight = weight.checked_add(summand.weight)?;
    }
    let kept = places.into_iter().filter(|(_, weight)| *weight != 0);
    Some(kept.map(|((source, offset), weight)| Summand { source, offset, weight }).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::algebra::Random;

    /// What a sum is of given values.
    pub(crate) fn expanded(system: &System) -> Vec<Vec<Summand>> {
        let mut known: Vec<Vec<Summand>> = vec![Vec::new(); system.sums.len()];
        for sum in system.order() {
            let parts =
                system.sums[sum].iter().flat_map(|summand| match summand.source.checked_sub(system.given) {
                    None => vec![*summand],
                    Some(read) => known[read]
                        .iter()
                        .map(|inner| Summand {
                            offset: [0, 1, 2].map(|axis| inner.offset[axis] + summand.offset[axis]),
                            weight: inner.weight * summand.weight,
                            ..*inner
                        })
                        .collect(),
                });
            known[sum] = merged(parts.collect::<Vec<_>>()).unwrap();
        }
        known
    }

    /// Sums of random weights, some of which read others.
    pub(crate) fn random(seed: u64) -> System {
        let mut random = Random::new(seed);
        let (given, count) = (random.integer(1, 2) as usize, random.integer(1, 4) as usize);
        let most = [3, 30, 300][random.integer(0, 2) as usize];
        let mut sums = Vec::new();
        for row in 0..count {
            let summands = (0..random.integer(1, 9)).map(|_| Summand {
                source: random.integer(0, (given + row) as i64 - 1) as usize,
                offset: [random.integer(-1, 1) as i32, random.integer(-1, 1) as i32, 0],
                weight: random.integer(-most, most),
            });
            sums.push(merged(summands.collect::<Vec<_>>()).unwrap());
        }
        System { given, sums }
    }

    #[test]
    fn sums_come_after_what_they_read() {
        let read = |source| Summand { source, offset: [0; 3], weight: 1 };
        let system = System { given: 1, sums: vec![vec![read(2), read(3)], vec![read(3)], vec![read(0)]] };
        assert_eq!(system.order(), [2, 1, 0]);
        assert_eq!(expanded(&system)[0], [Summand { weight: 2, ..read(0) }]);
    }
}
