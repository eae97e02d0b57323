//! A greedy extraction: the cheapest e-node of each e-class, counting shared parts once.
//!
//! Each e-class keeps one set of parts, which is not always the best. The greedy costs order the decompositions that searches
//! read, and the exact extraction ([`super::extract`]) starts from the greedy choice.

use egg::Id;
use rustc_hash::FxHashMap;

use super::decompositions::digits;
use super::graph::Graph;
use crate::algebra::{Rational, Shape};
use crate::term::lang::{Node, Sum, signed_digits};

/// The cheapest choice for each e-class.
#[derive(Default)]
pub(super) struct Best {
    choices: FxHashMap<Id, Choice>,
}

/// The choice for one e-class.
struct Choice {
    /// The index of the e-node in its e-class.
    node: usize,
    /// The additions without sharing: the cost of applying the e-class to another value.
    apart: u64,
    /// The additions of each e-class that the value consists of, itself included, each counted once and sorted.
    shared: Vec<(Id, u64)>,
}

impl Best {
    /// Chooses an e-node for every e-class. Parts come before wholes in the order of kernels, so one pass suffices.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut ids: Vec<Id> = graph.classes().iter().map(|class| class.id).collect();
        ids.sort_by(|a, b| graph.order(*a, *b));
        let mut best = Self { choices: FxHashMap::default() };
        for id in ids {
            let nodes = graph.nodes(id).iter().enumerate();
            let candidates = nodes.map(|(i, node)| best.choice(graph, id, i, node));
            let choice = candidates.min_by_key(|c| (total(&c.shared), c.apart, c.node));
            best.choices.extend(choice.map(|choice| (id, choice)));
        }
        best
    }

    fn choice(&self, graph: &Graph, id: Id, index: usize, node: &Node) -> Choice {
        let parts: Vec<&Choice> =
            value_parts(node).iter().filter_map(|part| self.choices.get(part)).collect();
        let own = self.own_cost(graph, node);
        let apart = own + parts.iter().map(|part| part.apart).sum::<u64>();
        let shared =
            united([(id, own)].into_iter().chain(parts.iter().flat_map(|part| part.shared.iter().copied())));
        Choice { node: index, apart, shared }
    }

    /// The additions of an e-node itself, given the values of its parts.
    fn own_cost(&self, graph: &Graph, node: &Node) -> u64 {
        match node {
            Node::Channel { .. } => 0,
            Node::Taps(shape) => taps_cost(shape),
            Node::Sum(sum) => sum_cost(sum).unwrap_or(u64::from(u32::MAX)),
            Node::Compose([outer, _]) => match self.choices.get(outer) {
                Some(choice) => choice.apart,
                None => taps_cost(graph.shape(*outer)),
            },
        }
    }

    /// The additions to compute the value of an e-node, with shared parts counted once.
    pub(super) fn cost(&self, graph: &Graph, id: Id, node: &Node) -> u64 {
        total(&self.choice(graph, id, 0, node).shared)
    }

    /// The index of the e-node chosen for an e-class.
    pub(super) fn choice_of(&self, id: Id) -> usize {
        self.choices.get(&id).map_or(0, |choice| choice.node)
    }
}

/// The e-classes with their additions, sorted and without duplicates.
fn united(additions: impl Iterator<Item = (Id, u64)>) -> Vec<(Id, u64)> {
    let mut all: Vec<(Id, u64)> = additions.collect();
    all.sort_unstable();
    all.dedup_by_key(|(id, _)| *id);
    all
}

fn total(additions: &[(Id, u64)]) -> u64 {
    additions.iter().map(|(_, own)| own).sum()
}

/// The e-classes whose values an e-node reads. The outer kernel of a composition is applied and has no value of its own.
fn value_parts(node: &Node) -> Vec<Id> {
    match node {
        Node::Channel { .. } | Node::Taps(_) => Vec::new(),
        Node::Sum(sum) => sum.terms().map(|(_, id)| id).collect(),
        Node::Compose([_, inner]) => vec![*inner],
    }
}

/// The additions to compute a kernel tap by tap: the number of its signed digits minus one, and one for each scan. In an
/// idempotent semiring: the number of taps minus one, and one for each non-zero weight.
pub(super) fn taps_cost(shape: &Shape) -> u64 {
    if !shape.arithmetic().is_linear() {
        let weights = shape.taps().filter(|(_, _, weight)| *weight != 0).count() as u64;
        return (shape.tap_count() as u64).saturating_sub(1) + weights;
    }
    let digits = |tap: i64| signed_digits(Rational::integer(tap)).map_or(64, |digits| digits.len() as u64);
    shape.taps().map(|(_, _, tap)| digits(tap)).sum::<u64>().saturating_sub(1) + shape.scan_count() as u64
}

/// The additions of a sum, given the values of its terms; `None` if a digit leaves the exact range.
pub(super) fn sum_cost(sum: &Sum) -> Option<u64> {
    let terms = digits(sum)?;
    let weights = terms.iter().filter(|(label, _)| label.weight != 0).count();
    Some((terms.len() + weights).saturating_sub(1) as u64)
}
