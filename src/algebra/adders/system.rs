//! Systems of sums: weighted values at offsets. Some values are given; the others are sums themselves.

use std::collections::{BTreeMap, BTreeSet};

use crate::algebra::{Offset, add_offsets};

/// A weighted value at an offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Summand {
    /// The value: given values come first, then sums, in the order of [`System::sums`].
    pub source: usize,
    /// The offset at which it is read.
    pub offset: Offset,
    /// Its factor.
    pub weight: i64,
}

/// Sums of given values and of one another, without cycles.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct System {
    /// The number of given values.
    pub given: usize,
    /// The sums. The requested sums come first.
    pub sums: Vec<Vec<Summand>>,
}

impl System {
    /// The number of additions in the sums; multiplications are not counted.
    pub fn additions(&self) -> usize {
        self.sums.iter().map(|sum| sum.len().saturating_sub(1)).sum()
    }

    /// Replaces sums that are read once by their summands, except the values that are `kept`; the replaced sums become empty. `None`
    /// on overflow.
    pub fn inline(&mut self, kept: &BTreeSet<usize>) -> Option<()> {
        loop {
            let mut reads = vec![0; self.given + self.sums.len()];
            self.sums.iter().flatten().for_each(|summand| reads[summand.source] += 1);
            let once = |source: usize| source >= self.given && reads[source] == 1 && !kept.contains(&source);
            let moved: Vec<bool> = (0..reads.len()).map(once).collect();
            if !moved.contains(&true) {
                return Some(());
            }
            for sum in self.order() {
                let mut summands = Vec::new();
                for outer in std::mem::take(&mut self.sums[sum]) {
                    if !moved[outer.source] {
                        summands.push(outer);
                        continue;
                    }
                    for inner in std::mem::take(&mut self.sums[outer.source - self.given]) {
                        let offset = add_offsets(inner.offset, outer.offset).ok()?;
                        let weight = inner.weight.checked_mul(outer.weight)?;
                        summands.push(Summand { source: inner.source, offset, weight });
                    }
                }
                self.sums[sum] = merged(summands)?;
            }
        }
    }

    /// The sums in an order in which each comes after those it reads.
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

/// Merges summands of the same value at the same offset, sorts them and drops zero weights; `None` on overflow.
pub fn merged(summands: impl IntoIterator<Item = Summand>) -> Option<Vec<Summand>> {
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

    /// Each sum in terms of given values.
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
    fn what_is_read_once_goes_where_it_is_read() {
        for seed in 0..100 {
            let system = random(seed);
            let last = system.given + system.sums.len() - 1;
            let mut inlined = system.clone();
            inlined.inline(&BTreeSet::from([last])).unwrap();
            assert_eq!(expanded(&inlined).last(), expanded(&system).last());
            for source in system.given..last {
                let reads = inlined.sums.iter().flatten().filter(|summand| summand.source == source).count();
                assert_ne!(reads, 1, "{seed}");
            }
        }
    }

    #[test]
    fn sums_come_after_what_they_read() {
        let read = |source| Summand { source, offset: [0; 3], weight: 1 };
        let system = System { given: 1, sums: vec![vec![read(2), read(3)], vec![read(3)], vec![read(0)]] };
        assert_eq!(system.order(), [2, 1, 0]);
        assert_eq!(expanded(&system)[0], [Summand { weight: 2, ..read(0) }]);
    }
}
