//! Extraction of the cheapest term, counting shared parts once: branch and bound with a lower bound.
//!
//! A term is a choice of one e-node for each e-class it needs. Needed e-classes are decided from the highest rank down. When
//! an e-class is decided, everything that could need it already is. The remaining cost therefore depends only on the set of
//! open e-classes, so a refuted set stays refuted. Bounds are raised one addition at a time (iterative deepening, Korf
//! 1985), so the first term found is the cheapest.

use std::collections::{BTreeMap, BTreeSet};

use egg::{Id, Language};
use rustc_hash::FxHashMap;

use super::best::{Best, sum_cost, taps_cost};
use super::graph::Graph;
use crate::budget::Budget;
use crate::term::lang::Node;

/// The work of one search state per open e-class, relative to touching one coefficient elsewhere.
const WORK_PER_STATE: u64 = 16;

/// The numbers of alternatives per e-class in the first searches.
const WIDTHS: [usize; 2] = [3, 10];

/// A kernel applied to values other than the inputs gets at most 1/`SHARES` of the remaining work.
const SHARES: u64 = 64;

/// The maximum number of sets of open e-classes remembered as refuted.
const MAX_REFUTED: usize = 1 << 20;

/// The maximum number of e-classes for which reachability is stored.
const MAX_REACH: usize = 1 << 13;

/// An e-node as the search sees it.
struct Way {
    /// Its index in the e-class.
    node: usize,
    /// The additions of the e-node itself, given the values of its parts.
    own: u32,
    /// The e-classes whose values it reads, except those that cost nothing, in ascending rank.
    parts: Vec<u32>,
}

/// A choice of e-nodes for all values that some outputs need.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The index of the e-node of each e-class.
    pub(super) nodes: BTreeMap<Id, usize>,
    /// Its additions, with shared ones counted once.
    pub(super) additions: u64,
    /// A lower bound: no term in the graph has fewer additions.
    pub(super) at_least: u64,
}

/// The e-classes of a graph in ascending rank, with their costs.
pub(super) struct Extraction<'g> {
    graph: &'g Graph,
    greedy: &'g Best,
    classes: Vec<Id>,
    rank: FxHashMap<Id, u32>,
    ways: Vec<Vec<Way>>,
    /// For each e-class, a lower bound on the additions of any term for it and, below, the fewest additions of one e-node.
    least: Vec<u32>,
    least_own: Vec<u32>,
    /// For each e-class, the e-classes that it may need, as bits; empty if there are too many.
    reach: Vec<Vec<u64>>,
    /// The choice for each kernel that is the outer one of a composition.
    applied: BTreeMap<Id, Choice>,
}

impl<'g> Extraction<'g> {
    /// Reads the e-classes that terms for `roots` may use. Outer kernels of compositions are solved separately first, each within
    /// a share of the budget.
    pub(super) fn new(graph: &'g Graph, greedy: &'g Best, roots: &[Id], budget: &Budget) -> Self {
        let mut classes = needed(graph, roots);
        classes.sort_by(|a, b| graph.order(*a, *b));
        let rank = classes.iter().enumerate().map(|(at, id)| (*id, at as u32)).collect();
        let mut extraction = Self {
            graph,
            greedy,
            rank,
            ways: Vec::new(),
            least: Vec::new(),
            least_own: Vec::new(),
            reach: Vec::new(),
            applied: BTreeMap::new(),
            classes,
        };
        for at in 0..extraction.classes.len() {
            extraction.read(at, budget);
        }
        extraction
    }

    /// Reads the e-class of the next rank.
    fn read(&mut self, at: usize, budget: &Budget) {
        let mut ways = Vec::new();
        for (node, what) in self.graph.nodes(self.classes[at]).iter().enumerate() {
            let (own, parts) = match what {
                Node::Channel { .. } => (0, Vec::new()),
                Node::Taps(shape) => (taps_cost(shape), Vec::new()),
                Node::Sum(sum) => {
                    let Some(own) = sum_cost(sum) else { continue };
                    (own, sum.terms().map(|(_, id)| id).collect())
                }
                Node::Compose([outer, inner]) => (self.apply(*outer, budget), vec![*inner]),
            };
            let parts = self.costly(&parts);
            ways.push(Way { node, own: u32::try_from(own).unwrap_or(u32::MAX / 2), parts });
        }
        let cost = |way: &Way| way.own + self.bound(&way.parts);
        ways.sort_by_key(|way| (cost(way), way.node));
        let least = ways.first().map_or(0, cost);
        let least_own = ways.iter().map(|way| way.own).min().unwrap_or(0);
        if self.classes.len() <= MAX_REACH {
            let mut reach = vec![0u64; at / 64 + 1];
            for part in ways.iter().flat_map(|way| &way.parts) {
                reach[*part as usize / 64] |= 1 << (part % 64);
                for (all, more) in reach.iter_mut().zip(&self.reach[*part as usize]) {
                    *all |= more;
                }
            }
            self.reach.push(reach);
        }
        self.ways.push(ways);
        self.least.push(least);
        self.least_own.push(least_own);
    }

    /// The ranks of those of the e-classes that need additions, in ascending order.
    fn costly(&self, classes: &[Id]) -> Vec<u32> {
        let ranks: BTreeSet<u32> = classes.iter().map(|id| self.rank[id]).collect();
        ranks.into_iter().filter(|rank| self.least[*rank as usize] > 0).collect()
    }

    /// The additions of applying a kernel to a value.
    fn apply(&mut self, outer: Id, budget: &Budget) -> u64 {
        if let Some(known) = self.applied.get(&outer) {
            return known.additions;
        }
        let share = budget.part(budget.left() / SHARES);
        let choice = self.solve(&[outer], &share);
        budget.spend(share.spent());
        let additions = choice.additions;
        self.applied.insert(outer, choice);
        additions
    }

    /// The additions of an e-node itself, given the values of its parts; `None` if the e-node is not used.
    pub(super) fn own(&self, id: Id, node: usize) -> Option<u32> {
        let ways = &self.ways[*self.rank.get(&id)? as usize];
        ways.iter().find(|way| way.node == node).map(|way| way.own)
    }

    /// The choice for each kernel that is the outer one of a composition.
    pub(super) fn applied(&self) -> &BTreeMap<Id, Choice> {
        &self.applied
    }

    /// The cheapest term for `roots` found within the budget, with a lower bound on the additions of any.
    pub(super) fn solve(&self, roots: &[Id], budget: &Budget) -> Choice {
        let open = self.costly(roots);
        let mut best = self.greedy(roots);
        // Narrow searches first: a term found early bounds the search over all alternatives.
        for width in WIDTHS {
            let part = budget.part(budget.left() / 4);
            self.search(&open, &mut best, width, &part);
            budget.spend(part.spent());
        }
        let bound = self.search(&open, &mut best, usize::MAX, budget);
        // A composition whose outer kernel was not solved exactly may be cheaper than assumed.
        let exact = self.applied.values().all(|choice| choice.at_least == choice.additions);
        best.at_least = if exact { u64::from(bound).min(best.additions) } else { 0 };
        best
    }

    /// Raises the bound until it reaches a term better than `best`, with `width` alternatives per e-class, or until the budget
    /// ends. Returns the bound.
    fn search(&self, open: &[u32], best: &mut Choice, width: usize, budget: &Budget) -> u32 {
        let mut search =
            Search { of: self, width, refuted: FxHashMap::default(), chosen: Vec::new(), budget };
        let mut bound = self.bound(open);
        while u64::from(bound) < best.additions {
            match search.fits(&mut open.to_vec(), bound) {
                Some(true) => {
                    let nodes =
                        search.chosen.iter().map(|(class, node)| (self.classes[*class as usize], *node));
                    best.nodes.extend(nodes);
                    best.additions = u64::from(bound);
                }
                Some(false) => bound += 1,
                None => break,
            }
        }
        bound
    }

    /// The greedy choice for `roots`.
    fn greedy(&self, roots: &[Id]) -> Choice {
        let (mut nodes, mut open, mut additions) = (BTreeMap::new(), roots.to_vec(), 0u64);
        while let Some(id) = open.pop() {
            let node = self.greedy.choice_of(id);
            if nodes.insert(id, node).is_none()
                && let Some(way) = self.ways[self.rank[&id] as usize].iter().find(|way| way.node == node)
            {
                additions += u64::from(way.own);
                open.extend(way.parts.iter().map(|part| self.classes[*part as usize]));
            }
        }
        Choice { nodes, additions, at_least: 0 }
    }

    /// A lower bound on the additions of all terms for these e-classes, in ascending rank, together: the bound for one of them,
    /// plus the cheapest e-node of each other one that it cannot need.
    fn bound(&self, open: &[u32]) -> u32 {
        let needs = |whole: u32, part: u32| match self.reach.get(whole as usize) {
            Some(reach) => reach.get(part as usize / 64).is_some_and(|bits| bits >> (part % 64) & 1 == 1),
            None => true,
        };
        let from = |class: &u32| {
            let others = open.iter().filter(|other| *other != class && !needs(*class, **other));
            self.least[*class as usize] + others.map(|other| self.least_own[*other as usize]).sum::<u32>()
        };
        let apart = open.iter().map(|class| self.least_own[*class as usize]).sum::<u32>();
        open.iter().map(from).max().unwrap_or(0).max(apart)
    }
}

/// All e-classes that terms for `roots` may use.
fn needed(graph: &Graph, roots: &[Id]) -> Vec<Id> {
    let mut seen: BTreeSet<Id> = roots.iter().copied().collect();
    let mut open: Vec<Id> = seen.iter().copied().collect();
    while let Some(id) = open.pop() {
        for part in graph.nodes(id).iter().flat_map(Language::children) {
            if seen.insert(*part) {
                open.push(*part);
            }
        }
    }
    seen.into_iter().collect()
}

/// A depth-first search under a bound on additions.
struct Search<'e> {
    of: &'e Extraction<'e>,
    /// The number of alternatives tried per e-class, cheapest first.
    width: usize,
    /// Sets of open e-classes, each with a number of additions that does not suffice.
    refuted: FxHashMap<Box<[u32]>, u32>,
    /// The e-nodes of the term found.
    chosen: Vec<(u32, usize)>,
    budget: &'e Budget,
}

impl Search<'_> {
    /// Whether the open e-classes can be made with `left` additions; `None` if the budget ends first.
    fn fits(&mut self, open: &mut Vec<u32>, left: u32) -> Option<bool> {
        let Some(class) = open.last().copied() else {
            self.chosen.clear();
            return Some(true);
        };
        if self.of.bound(open) > left || self.refuted.get(&open[..]).is_some_and(|few| *few >= left) {
            return Some(false);
        }
        self.budget.spend(WORK_PER_STATE * open.len() as u64);
        if self.budget.is_over() {
            return None;
        }
        let before = open.clone();
        open.pop();
        for way in self.of.ways[class as usize].iter().take(self.width) {
            if way.own > left {
                continue;
            }
            let mut next = open.clone();
            next.extend(&way.parts);
            next.sort_unstable();
            next.dedup();
            if self.fits(&mut next, left - way.own)? {
                self.chosen.push((class, way.node));
                return Some(true);
            }
        }
        if self.refuted.len() < MAX_REFUTED {
            self.refuted.insert(before.into(), left);
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Placed, Random, Rational};
    use crate::rule::RuleSet;
    use crate::saturate::{Limits, Saturated, saturate};

    /// The fewest additions for the open e-classes, by exhaustive search.
    fn fewest(of: &Extraction<'_>, open: &BTreeSet<u32>) -> u32 {
        let Some(class) = open.last() else { return 0 };
        let ways = of.ways[*class as usize].iter().map(|way| {
            let mut open = open.clone();
            open.pop_last();
            open.extend(&way.parts);
            way.own + fewest(of, &open)
        });
        ways.min().unwrap_or(0)
    }

    fn small(random: &mut Random) -> Saturated {
        let mut kernel = |name: &str| {
            let taps: Vec<i64> = (0..6).map(|_| random.integer(-2, 2)).collect();
            (name.to_owned(), Placed::from_dense(1, [0; 3], [3, 2, 1], &taps, Rational::ONE).unwrap())
        };
        let limits = Limits { nodes: 24, ..Limits::default() };
        saturate(&[kernel("a"), kernel("b")], &RuleSet::builtin(), &limits).unwrap()
    }

    #[test]
    fn no_choice_has_fewer_additions() {
        let (mut random, mut better) = (Random::new(3), 0);
        for _ in 0..60 {
            let saturated = small(&mut random);
            let (roots, budget) = (saturated.root_ids(), Budget::unlimited());
            let extraction = Extraction::new(&saturated.graph, &saturated.best, &roots, &budget);
            let found = extraction.solve(&roots, &budget);
            let open = roots.iter().map(|id| extraction.rank[id]);
            let open = open.collect();
            assert_eq!(found.additions, u64::from(fewest(&extraction, &open)));
            assert_eq!(found.at_least, found.additions);
            better += usize::from(found.additions < extraction.greedy(&roots).additions);
        }
        assert!(better > 0, "the greedy choice was always the best");
    }

    #[test]
    fn without_a_budget_the_greedy_choice_is_left_with_a_lower_bound() {
        let mut random = Random::new(3);
        for _ in 0..60 {
            let saturated = small(&mut random);
            let roots = saturated.root_ids();
            let solve = |work| {
                let budget = Budget::of_work(work);
                Extraction::new(&saturated.graph, &saturated.best, &roots, &budget).solve(&roots, &budget)
            };
            let (none, all) = (solve(0), solve(u64::MAX));
            assert!(none.at_least <= all.additions && all.additions <= none.additions);
        }
    }
}
