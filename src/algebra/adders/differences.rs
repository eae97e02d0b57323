//! Sums written as others plus a difference, where that takes fewer digits: a minimum spanning tree over the sums.
//!
//! C. Sun et al., "da4ml", 2025, for matrices; here one sum may also be translated against the other.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::forms::digits;
use super::system::{Summand, System, merged};
use crate::algebra::Offset;
use crate::budget::Budget;

/// The number of translations of one sum against another that are tried.
const MAX_ALIGNMENTS: usize = 4;

/// The system with sums written as others plus a difference. `plain` says which sums consist of their summands only. `None` on
/// overflow or if the budget runs out.
pub(super) fn differences(system: &System, plain: &dyn Fn(usize) -> bool, budget: &Budget) -> Option<System> {
    let mut tree = Tree { system, needs: needs(system), sums: system.sums.clone(), budget };
    let candidates = (0..system.sums.len()).filter(|row| plain(*row) && !system.sums[*row].is_empty());
    let mut open: Vec<usize> = candidates.collect();
    // Prim's algorithm: next comes the sum that takes the fewest digits, alone or from a finished one.
    while let Some(at) = (0..open.len()).min_by_key(|at| (weight(&tree.sums[open[*at]]), open[*at])) {
        let done = open.swap_remove(at);
        tree.settle(done);
        for row in &open {
            if !tree.needs[done][*row] {
                tree.relate(done, *row)?;
            }
        }
    }
    Some(System { given: system.given, sums: tree.sums })
}

/// The number of digits of a sum.
fn weight(sum: &[Summand]) -> usize {
    sum.iter().map(|summand| digits(summand.weight, 0).len()).sum()
}

/// The sums that each sum needs.
fn needs(system: &System) -> Vec<Vec<bool>> {
    let count = system.sums.len();
    let mut needs: Vec<Vec<bool>> = vec![vec![false; count]; count];
    for row in system.order() {
        for summand in &system.sums[row] {
            if let Some(read) = summand.source.checked_sub(system.given) {
                let below = needs[read].clone();
                needs[row].iter_mut().zip(below).for_each(|(needs, below)| *needs |= below);
                needs[row][read] = true;
            }
        }
    }
    needs
}

struct Tree<'a> {
    system: &'a System,
    needs: Vec<Vec<bool>>,
    /// The best known form of each sum.
    sums: Vec<Vec<Summand>>,
    budget: &'a Budget,
}

impl Tree<'_> {
    /// Finishes a sum: whatever needs it also needs what it reads.
    fn settle(&mut self, done: usize) {
        for summand in self.sums[done].clone() {
            let Some(read) = summand.source.checked_sub(self.system.given) else { continue };
            if self.needs[done][read] {
                continue;
            }
            let below = self.needs[read].clone();
            for (row, needs) in self.needs.iter_mut().enumerate() {
                if row == done || needs[done] {
                    needs.iter_mut().zip(&below).for_each(|(needs, below)| *needs |= below);
                    needs[read] = true;
                }
            }
        }
    }

    /// Writes a sum as a finished one plus a difference, if that takes fewer digits than its best known form.
    fn relate(&mut self, done: usize, row: usize) -> Option<()> {
        let (one, other) = (&self.system.sums[done], &self.system.sums[row]);
        if !self.budget.spend((one.len() * other.len()) as u64) {
            return None;
        }
        let (mut least, mut best) = (weight(&self.sums[row]), None);
        for offset in alignments(one, other) {
            if !self.budget.spend(32 * (one.len() + other.len()) as u64) {
                return None;
            }
            for sign in [1, -1] {
                let moved = one.iter().map(|summand| Summand {
                    offset: [0, 1, 2].map(|axis| summand.offset[axis] + offset[axis]),
                    weight: -sign * summand.weight,
                    ..*summand
                });
                let mut rest = merged(other.iter().copied().chain(moved))?;
                rest.push(Summand { source: self.system.given + done, offset, weight: sign });
                if weight(&rest) < least {
                    (least, best) = (weight(&rest), Some(rest));
                }
            }
        }
        if let Some(best) = best {
            self.sums[row] = best;
        }
        Some(())
    }
}

/// The translations that bring the most summands of one sum onto summands of another with the same value and the same or
/// opposite weight.
fn alignments(one: &[Summand], other: &[Summand]) -> Vec<Offset> {
    let mut counts: BTreeMap<Offset, usize> = BTreeMap::new();
    for a in one {
        for b in other.iter().filter(|b| b.source == a.source && b.weight.abs() == a.weight.abs()) {
            *counts.entry([0, 1, 2].map(|axis| b.offset[axis] - a.offset[axis])).or_default() += 1;
        }
    }
    let mut found: Vec<(usize, Offset)> = counts.into_iter().map(|(offset, count)| (count, offset)).collect();
    found.sort_unstable_by_key(|(count, offset)| (Reverse(*count), *offset));
    found.into_iter().take(MAX_ALIGNMENTS).map(|(_, offset)| offset).collect()
}
